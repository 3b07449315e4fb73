"""Problems that a proof-number search answers, and the answers.

Examples:
    Two players take one or two stones in turn; who finds none has lost. So three and six stones are lost:

    >>> def moves(rows, row, moves, keys):
    ...     for i in range(min(2, rows[row])):
    ...         moves[i] = i + 1
    ...         keys[i] = 2 * (rows[row] - i - 1) + (row + 1) % 2
    ...     return min(2, rows[row])
    >>> def play(rows, row, move, into):
    ...     rows[into] = rows[row] - move
    >>> rules = Rules(moves, play, lambda rows, row: 0, lambda rows, row: (1, 1))
    >>> [solve(ProofProblem(rules, [stones] + 63 * [0], 2 * stones, 32, 3)).verdict for stones in range(1, 7)]
    [1, 1, -1, 1, 1, -1]
"""

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bonspiel.planners.checks import require_count, require_positive
from bonspiel.planners.dfpn.search import BEGIN, COUNT, GO_ON, advance
from bonspiel.planners.dfpn.table import (
    COUNTED,
    DELTA,
    MOVE,
    NOWHERE,
    PHI,
    REPLACED,
    WORK,
    ProofTable,
    find,
    is_solved,
    new_table,
)
from bonspiel.planners.dfpn.walk import (
    NODES,
    PLY,
    PROOF,
    PROVER,
    SEARCHING,
    SOLVED,
    STATUS,
    ProofWalk,
    Rules,
    Switches,
    new_walk,
)

CHUNK = 2000  # nodes between looks at the clock
MOST_REPLACED = 20  # entries that give way, as a multiple of the table's slots, before a search gives up
MOST_GAPS = 100  # of a proof that are searched again


@dataclass(frozen=True)
class ProofProblem:
    """A question with an answer: can the side to prove something force it?

    Attributes:
        rules: the functions of the problem.
        game: its positions in 2 * plies rows; the root is in row 0.
        key: of the root.
        plies: length of the longest line searched.
        moves: one more than the largest number of a move.
        prover_first: whether the side to move at the root is to prove something.
        kernel: `advance` of these rules as a compiled kernel; without one the rules are called as plain Python.
    """

    rules: Rules
    game: Any
    key: int
    plies: int
    moves: int
    prover_first: bool = True
    kernel: Callable[..., int] | None = None


@dataclass(frozen=True)
class ProofLimits:
    """When a search gives up: nodes, seconds of CPU time (checked every 2,000 nodes), megabytes of the table."""

    nodes: int = 1 << 62
    seconds: float = float("inf")
    megabytes: float = 200.0

    def __post_init__(self) -> None:
        require_count("nodes", self.nodes)
        require_positive("seconds", min(self.seconds, 1e300))
        require_positive("megabytes", self.megabytes)


@dataclass(frozen=True)
class Answer:
    """The result of a search.

    Attributes:
        verdict: +1 if the side to prove something can, -1 if not, 0 if the search gave up.
        reason: why it gave up.
        phi: what is left to prove that the side to move wins, 0 when that is proved.
        delta: what is left to prove that it loses, 0 when that is proved.
        nodes: positions searched or replayed.
        seconds: of CPU time.
        line: the moves from the root; of those that lose, the ones that took the most work.
        proof: the number of different positions in the proof, or None if memory did not hold it.
    """

    verdict: int
    reason: str
    phi: int
    delta: int
    nodes: int
    seconds: float
    line: tuple[int, ...]
    proof: int | None


def solve(
    problem: ProofProblem,
    switches: Switches = Switches(),  # noqa: B008
    limits: ProofLimits = ProofLimits(),
    report: Callable[[int, int, int], None] | None = None,
) -> Answer:
    """ProofSearch until there is a verdict or a limit is reached.

    Args:
        problem: the question.
        switches: options for speed.
        limits: when to give up.
        report: called from time to time with nodes, phi and delta.
    """
    search = ProofSearch(problem, switches, limits)
    for nodes, phi, delta in search.steps():
        if report is not None:
            report(nodes, phi, delta)
    return search.answer()


class ProofSearch:
    """A search under way."""

    def __init__(self, problem: ProofProblem, switches: Switches, limits: ProofLimits) -> None:
        self.problem, self.switches, self.limits = problem, switches, limits
        self.table: ProofTable = new_table(limits.megabytes)
        self.walk: ProofWalk = new_walk(problem.plies, problem.moves)
        self.walk.progress[PROVER] = int(not problem.prover_first)
        self.walk.keys[0] = problem.key
        self.seconds, self.reason = 0.0, ""
        self._advance = problem.kernel or functools.partial(advance, problem.rules)

    def _call(self, task: int, number: int) -> int:
        return self._advance(self.table, self.walk, self.problem.game, task, number, self.switches)

    @property
    def nodes(self) -> int:
        """Positions searched or replayed so far."""
        return int(self.walk.progress[NODES])

    def _numbers(self) -> tuple[int, int]:
        """Phi and delta of the root as of its last visit."""
        row = self.table.rows[find(self.table, self.walk.keys[0])]
        if self.walk.progress[STATUS] == SOLVED:
            return int(row[PHI]), int(row[DELTA])
        open_moves = range(self.walk.counts[0])
        phi = min((int(self.walk.child_delta[0, i]) for i in open_moves), default=1)
        return max(phi, 1), max(sum(int(self.walk.child_phi[0, i]) for i in open_moves), 1)

    def steps(self) -> Iterator[tuple[int, int, int]]:
        """ProofSearch chunk by chunk; yields nodes, phi and delta."""
        self._call(GO_ON, 0)  # loads compiled code
        began = time.process_time()
        self._call(BEGIN, 0)
        while self.walk.progress[STATUS] == SEARCHING and not self.reason:
            self._call(GO_ON, min(CHUNK, self.limits.nodes - self.nodes))
            self.seconds = time.process_time() - began
            yield self.nodes, *self._numbers()
            self.reason = self._limit()
        if not self.reason and self.walk.progress[STATUS] != SOLVED:
            self.reason = f"a line of {self.problem.plies} plies"

    def _limit(self) -> str:
        """The limit that is reached, in words."""
        if self.walk.progress[STATUS] != SEARCHING:
            return ""
        if self.nodes >= self.limits.nodes:
            return f"{self.limits.nodes:,} nodes"
        if self.seconds >= self.limits.seconds:
            return f"{self.limits.seconds:g} s"
        if self.table.counts[REPLACED] > MOST_REPLACED * len(self.table.keys):
            return f"{self.limits.megabytes:g} MB of memory"
        return ""

    def answer(self) -> Answer:
        """The result, once the search has ended."""
        phi, delta = self._numbers()
        nodes, solved = self.nodes, self.walk.progress[STATUS] == SOLVED
        proof = self._count_proof(phi == 0) if solved else None
        line = tuple(self._line()) if solved else ()
        side = 1 if self.problem.prover_first else -1
        verdict = (side if phi == 0 else -side) if solved else 0
        return Answer(verdict, self.reason, phi, delta, nodes, self.seconds, line, proof)

    def _count_proof(self, won: bool) -> int | None:
        """The positions of the proof; what memory did not hold is searched again."""
        for _ in range(MOST_GAPS):
            if self._call(COUNT, int(won)):
                return int(self.walk.progress[PROOF])
            self.table.rows[:, COUNTED] = 0
            self.walk.progress[PROOF] = 0
            self._call(BEGIN, int(self.walk.progress[PLY]))
            self._call(GO_ON, CHUNK)
            if self.walk.progress[STATUS] != SOLVED:
                return None
        return None

    def _line(self) -> Iterator[int]:
        """The moves of the main line."""
        rules, game = self.problem.rules, self.problem.game
        key, seen = self.problem.key, set[int]()
        moves, keys = np.zeros((2, self.problem.moves), np.int64)
        while len(seen) + 1 < self.problem.plies and key not in seen and rules.verdict(game, len(seen)) == 0:
            row = len(seen)
            seen.add(key)
            count = rules.moves(game, row, moves, keys)
            after = {int(moves[i]): int(keys[i]) for i in range(count)}
            slot = find(self.table, key)
            if slot == NOWHERE or not is_solved(self.table, slot):
                return
            move = int(self.table.rows[slot, MOVE])
            if self.table.rows[slot, PHI] != 0:
                move = self._most_work({one: of for one, of in after.items() if of not in seen})
            if move not in after:
                return
            yield move
            rules.play(game, row, move, row + 1)
            key = after[move]

    def _most_work(self, after: dict[int, int]) -> int:
        """Of moves and the keys after them, the move that took the most work; NOWHERE if there is none."""
        slots = {move: find(self.table, key) for move, key in after.items()}
        works = {move: -1 if slot == NOWHERE else int(self.table.rows[slot, WORK]) for move, slot in slots.items()}
        return max(works, key=works.__getitem__, default=NOWHERE)
