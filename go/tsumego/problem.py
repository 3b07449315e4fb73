"""Problems of life and death, and their verdicts."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from bonspiel.go.board import NOWHERE, Ints, index_of_point, point_of, points_of, workspace_of
from bonspiel.go.neighbourhoods import BLACK, EMPTY, WHITE
from bonspiel.go.rules import count_dead_chains, hash_points
from bonspiel.go.tsumego.game import ATTACKER, CONNECTIONS, FORCED, MOVER, PROVER, SIZE, STONES, THREATS, new_game
from bonspiel.go.tsumego.rules import RULES, advance_tsumego, key_of
from bonspiel.go.vertices import vertex_of
from bonspiel.planners.checks import require_count
from bonspiel.planners.dfpn.solve import Answer, ProofLimits, ProofProblem, solve
from bonspiel.planners.dfpn.walk import Switches

LARGEST_SIZE = 19  # lines each way
LARGEST_REGION = 120  # points
PLIES = 250
WON, LOST, KO, OPEN = "won", "lost", "ko", "open"
COLOURS = {BLACK: "Black", WHITE: "White"}


@dataclass(frozen=True)
class SwitchesOfTsumego:
    """Switches that may speed up a search, each off or on; verdicts are the same.

    Attributes:
        connections: chains of the attacker that share two empty points with safe ones are safe, too.
        forced: if all but some moves lose to an immediate reply, only these are searched.
        simulation: after a reply has refuted a move, its proof is replayed against the other moves.
        estimate: new positions are judged, and their numbers are the moves needed for two eyes and to destroy them.
        widening: a move is searched until it is 5/4 as hard as the next best.
    """

    connections: bool = False
    forced: bool = False
    simulation: bool = False
    estimate: bool = False
    widening: bool = False


SWITCHES = tuple(field.name for field in fields(SwitchesOfTsumego))
ALL = SwitchesOfTsumego(*[True] * len(SWITCHES))


@dataclass(frozen=True)
class Tsumego:
    """A problem: can the player to move win? The attacker wins by taking all crucial stones.

    Points count from left to right and from top to bottom, from 0 on.

    Attributes:
        size: lines each way.
        stones: +1 Black's, -1 White's, 0 empty, [size^2] as a tuple.
        region: the points where moves are allowed.
        crucial: the stones to be taken, all of one colour, the defender's.
        mover: BLACK or WHITE.

    Raises:
        ValueError: chains without liberties, no crucial stones, or a region that does not enclose them.
    """

    size: int
    stones: tuple[int, ...]
    region: tuple[int, ...]
    crucial: tuple[int, ...]
    mover: int

    def __post_init__(self) -> None:
        require_count("size", self.size, 2, LARGEST_SIZE)
        colours = {self.stones[point] for point in self.crucial}
        if len(colours) != 1 or 0 in colours:
            raise ValueError("a problem needs crucial stones, all of one colour")
        if not 1 <= len(self.region) <= LARGEST_REGION:
            raise ValueError(f"the region has {len(self.region)} points: it must have 1 to {LARGEST_REGION}")
        board = np.zeros(workspace_of(self.size), np.int32)
        if count_dead_chains(board, np.array(self.stones, float), self.size):
            raise ValueError("every chain must have a liberty")
        inside = {point_of(index, self.size) for index in self.region}
        self._check_enclosed(board, inside)

    @property
    def defender(self) -> int:
        """BLACK or WHITE."""
        return BLACK if self.stones[self.crucial[0]] > 0 else WHITE

    @property
    def empty(self) -> int:
        """The number of empty points of the region."""
        return sum(self.stones[point] == 0 for point in self.region)

    @property
    def _steps(self) -> tuple[int, int, int, int]:
        """From a point of the board in memory to its neighbours."""
        return -1, 1, -self.size - 1, self.size + 1

    def _check_enclosed(self, board: Ints, inside: set[int]) -> None:
        """Refuse crucial stones that cannot be taken or may escape, and a wall that the defender can take."""
        colours, _, heads = _parts(board, self.size)
        safe = {int(heads[stone]) for stone in self._safe_heads(board, inside, self.defender)}
        if any(int(heads[point_of(index, self.size)]) in safe for index in self.crucial):
            raise ValueError("the region is open: crucial stones have liberties outside, where nobody may play")
        beside = ((index, point_of(index, self.size) + step) for index in self.region for step in self._steps)
        for index, near in beside:
            empty = colours[near] == EMPTY and near not in inside and not self.stones[index]
            if empty or (colours[near] == self.defender and int(heads[near]) in safe):
                way = vertex_of(index_of_point(near, self.size), self.size)
                escape = f"through {way}, which is empty" if empty else f"to {way}, which has liberties outside"
                raise ValueError(f"the region is open at {vertex_of(index, self.size)}: stones may escape {escape}")
        wall = {int(heads[stone]) for stone in self._safe_heads(board, inside, 3 - self.defender)}
        attacker = -1 if self.defender == BLACK else 1
        for index, stone in enumerate(self.stones):
            point = point_of(index, self.size)
            if stone == attacker and point not in inside and int(heads[point]) not in wall:
                raise ValueError("the region is open: stones of the wall around it have no liberty outside")

    def _safe_heads(self, board: Ints, inside: set[int], colour: int) -> list[int]:
        """A stone of each chain of a colour with a liberty outside."""
        colours, _, heads = _parts(board, self.size)
        found = dict[int, int]()
        for index in range(self.size * self.size):
            point = point_of(index, self.size)
            for step in self._steps:
                if colours[point] == colour and colours[point + step] == EMPTY and point + step not in inside:
                    found[int(heads[point])] = point
        return sorted(found.values())

    def problem(self, switches: SwitchesOfTsumego, threats: int = 0) -> ProofProblem:
        """The question for the search; `threats` is the colour with endless ko threats, 0 for neither."""
        board = np.zeros(workspace_of(self.size), np.int32)
        stones = hash_points(board, np.array(self.stones, float), self.size)
        points = [point_of(index, self.size) for index in self.region]
        inside = np.zeros(points_of(self.size), np.int32)
        inside[points] = 1
        crucial = np.array([point_of(index, self.size) for index in self.crucial], np.int32)
        anchors = np.array(self._safe_heads(board, set(points), 3 - self.defender), np.int32)
        game = new_game(2 * PLIES + 1, board, np.array(points, np.int32), inside, crucial, anchors)
        game.settings[[SIZE, ATTACKER, PROVER, THREATS]] = self.size, 3 - self.defender, self.mover, threats
        game.settings[[FORCED, CONNECTIONS]] = switches.forced, switches.connections
        game.facts[0, [STONES, MOVER]] = stones, self.mover
        key = int(key_of(stones, self.mover, 0, NOWHERE))
        return ProofProblem(RULES, game, key, PLIES, len(inside), True, advance_tsumego)


def _parts(board: Ints, size: int) -> tuple[Ints, Ints, Ints]:
    """Colours, neighbourhoods and heads of a board."""
    n = points_of(size)
    return board[:n], board[n : 2 * n], board[2 * n : 3 * n]


@dataclass(frozen=True)
class Solution:
    """The verdict for the player to move: won, lost, ko (lost, but won with endless ko threats) or open.

    Attributes:
        verdict: one of these words.
        first: answer of the search without ko threats.
        second: answer of the search with threats for the loser, if the first was lost.
        line: moves of the main line; a point, or size^2 for a pass.
    """

    verdict: str
    first: Answer
    second: Answer | None
    line: tuple[int, ...]

    @property
    def nodes(self) -> int:
        """Positions searched or replayed, in both searches."""
        return self.first.nodes + (self.second.nodes if self.second else 0)

    @property
    def seconds(self) -> float:
        """Of CPU time."""
        return self.first.seconds + (self.second.seconds if self.second else 0.0)

    @property
    def decisive(self) -> Answer:
        """The answer with the proof and the line of the verdict."""
        return self.second if self.second is not None and self.verdict == KO else self.first


def solve_tsumego(
    tsumego: Tsumego,
    switches: SwitchesOfTsumego = ALL,
    limits: ProofLimits = ProofLimits(),  # noqa: B008
    report: Callable[[int, int, int], None] | None = None,
) -> Solution:
    """The verdict on a problem, by two searches if the first is lost: the limits hold for each."""
    of_search = Switches(switches.simulation, switches.estimate, switches.widening)
    first = solve(tsumego.problem(switches), of_search, limits, report)
    if first.verdict >= 0:
        return Solution(WON if first.verdict > 0 else OPEN, first, None, _indices(tsumego, first))
    second = solve(tsumego.problem(switches, tsumego.mover), of_search, limits, report)
    verdict = {1: KO, -1: LOST, 0: OPEN}[second.verdict]
    return Solution(verdict, first, second, _indices(tsumego, second if verdict == KO else first))


def _indices(tsumego: Tsumego, answer: Answer) -> tuple[int, ...]:
    """The main line as points from 0 on."""
    size = tsumego.size
    return tuple(size * size if move == NOWHERE else index_of_point(move, size) for move in answer.line)
