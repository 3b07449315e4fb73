"""Scores that can be forced with the last stones of an end, proved by depth-first proof-number search.

Both teams throw candidates alone (`curling.choice.candidates`), and without noise: with noise no score is forced, and
the question is what to expect, which a proof does not answer.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.choice.actions import actions
from bonspiel.curling.choice.candidates import MOST_CANDIDATES
from bonspiel.curling.dynamics import step_exact
from bonspiel.curling.ice.sheet import LAST_SHOT, STONES, TEAM_STONES
from bonspiel.curling.match.state import LEAD, STATE_DIM, hammer_of, shot_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.planners.checks import check_state, require
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.zobrist import hash_vector
from bonspiel.planners.dfpn.search import advance
from bonspiel.planners.dfpn.solve import Answer, ProofLimits, ProofProblem, solve
from bonspiel.planners.dfpn.table import TABLE as PROOF_TABLE
from bonspiel.planners.dfpn.table import ProofTable
from bonspiel.planners.dfpn.walk import SWITCHES, WALK, ProofWalk, Rules, Switches, one_each
from bonspiel.planners.jit import helper, int64, kernel, typeof
from bonspiel.planners.model import Array, Rng

MOST_STONES = 3  # to come; one more makes 24 times as many positions
SCORES = range(-TEAM_STONES, TEAM_STONES + 1)  # points of the team with the hammer
MEGABYTES = 2.0  # of a search's table: about two slots for each position of three stones

FIRST, COUNT, KEY, OVER, POINTS = range(5)  # entries of a row of `LastStones.facts`
USED, WANTED = range(2)  # entries of `LastStones.asked`
MOVES = typeof(np.empty(0, np.int64))


class LastStones(NamedTuple):
    """The positions that candidates lead to, each thrown once, for all questions about an end.

    Attributes:
        states: of positions, [positions, state_dim]; the root is the first.
        aims: the action that led to each, [positions, 3].
        facts: of each, where the positions after it begin, 0 while they were not thrown; how many there are; its key;
            1 if the end is over, and then the points of the team with the hammer, [positions, 5].
        line: the position in each row of a search, [rows].
        asked: positions used so far, and the points that are to be forced, [2].
        room: for candidates, [MOST_CANDIDATES, 3].
        room_of_keys: for their keys, [MOST_CANDIDATES].
        params: of the model.
        rng: is handed to the model, which draws nothing from it.
    """

    states: Array
    aims: Array
    facts: NDArray[np.int64]
    line: NDArray[np.int64]
    asked: NDArray[np.int64]
    room: Array
    room_of_keys: NDArray[np.uint64]
    params: Array
    rng: Rng


def last_stones(model: Curling, state: Array, stones: int) -> LastStones:
    """The positions of an end with `stones` stones to come, of which only the first is known yet."""
    positions, rows = sum(MOST_CANDIDATES**thrown for thrown in range(stones + 1)), 2 * _plies(stones)
    states, facts = np.zeros((positions, model.state_dim)), np.zeros((positions, 5), np.int64)
    states[0] = state
    line, asked = np.zeros(rows, np.int64), np.array([1, 0])
    room, keys = np.empty((MOST_CANDIDATES, 3)), np.empty(MOST_CANDIDATES, np.uint64)
    facts[0, KEY] = _key_of(states[0])
    rng = np.random.default_rng(0)
    return LastStones(states, np.zeros((positions, 3)), facts, line, asked, room, keys, model.params, rng)


def _plies(stones: int) -> int:
    """Rows of a line of `stones` stones, and one more that the search asks for."""
    return stones + 2


@helper
def _key_of(state: Array) -> int:
    """The key of a position: equal for equal states alone, but for collisions."""
    return int(hash_vector(np.uint64(0), state) >> np.uint64(2))


GAME = typeof(last_stones(Curling(), np.zeros(STATE_DIM), 0))


@kernel(typeof(None)(GAME, int64))
def _throw_candidates(game: LastStones, position: int) -> None:
    """Throw all candidates of a position."""
    state, first = game.states[position], game.asked[USED]
    count = actions(state, game.params, game.room, game.room_of_keys)
    sign = 1 if hammer_of(state) == 0 else -1
    for after in range(first, first + count):
        copy(game.room[after - first], game.aims[after])
        step_exact(state, game.aims[after], game.states[after], game.params, game.rng)
        facts = game.facts[after]
        facts[KEY] = _key_of(game.states[after])
        facts[OVER] = shot_of(state) == LAST_SHOT
        facts[POINTS] = sign * int(game.states[after, LEAD] - state[LEAD])
    game.facts[position, FIRST], game.facts[position, COUNT] = first, count
    game.asked[USED] = first + count


@kernel(int64(GAME, int64, MOVES, MOVES))
def moves(game: LastStones, row: int, moves: NDArray[np.int64], keys: NDArray[np.int64]) -> int:
    """The candidates of a position, by number."""
    position = game.line[row]
    if game.facts[position, COUNT] == 0:
        _throw_candidates(game, position)
    for move in range(game.facts[position, COUNT]):
        moves[move], keys[move] = move, game.facts[game.facts[position, FIRST] + move, KEY]
    return int(game.facts[position, COUNT])


@kernel(int64(GAME, int64, int64, int64))
def play(game: LastStones, row: int, move: int, into: int) -> int:
    """Write the position after a candidate into another row; return its number."""
    game.line[into] = game.facts[game.line[row], FIRST] + move
    return int(game.line[into])


@kernel(int64(GAME, int64))
def verdict(game: LastStones, row: int) -> int:
    """+1 if the team with the hammer has scored the points wanted, -1 if fewer, 0 while the end goes on."""
    facts = game.facts[game.line[row]]
    if facts[OVER] == 0:
        return 0
    return 1 if facts[POINTS] >= game.asked[WANTED] else -1


RULES = Rules(moves, play, verdict, one_each)


@kernel(int64(PROOF_TABLE, WALK, GAME, int64, int64, SWITCHES))
def advance_last_stones(
    table: ProofTable, walk: ProofWalk, game: LastStones, task: int, number: int, switches: Switches
) -> int:
    """`planners.dfpn.search.advance` for these rules."""
    return advance(Rules(moves, play, verdict, one_each), table, walk, game, task, number, switches)


@dataclass(frozen=True)
class Forced:
    """Scores that can be forced with the last stones of an end.

    Attributes:
        points: the most that the team with the hammer can force; below 0 the other team scores.
        verdicts: for each of -8..8 points, whether the team with the hammer can force that number or more.
        best: an action of the team to throw with which it gets all that it can force, [3].
        nodes: of all searches.
        throws: shots thrown, which all searches share.
    """

    points: int
    verdicts: dict[int, bool]
    best: Array
    nodes: int
    throws: int


def forced_scores(model: Curling, state: Array) -> Forced:
    """Scores of the end that the team with the hammer can force, if only candidates are thrown, without noise.

    Args:
        model: the match; its noise and its reward make no difference.
        state: before one of the last MOST_STONES shots of an end, [state_dim].

    Raises:
        ValueError: more stones are to come, or the state does not fit the model.
    """
    stones = STONES - shot_of(check_state(model, state))
    require(stones <= MOST_STONES, "stones to come", stones, f"1 to {MOST_STONES}")
    game, has_hammer = last_stones(model, state, stones), bool(team_of(state) == hammer_of(state))
    key = int(game.facts[0, KEY])
    problem = ProofProblem(RULES, game, key, _plies(stones), MOST_CANDIDATES, has_hammer, advance_last_stones)
    answers = dict[int, Answer]()
    for points in SCORES:
        game.asked[WANTED] = points
        answers[points] = solve(problem, limits=ProofLimits(megabytes=MEGABYTES))
    assert all(answer.verdict for answer in answers.values()), "the table holds all positions"
    verdicts = {points: answer.verdict > 0 for points, answer in answers.items()}
    most = max(points for points, forced in verdicts.items() if forced)
    shown = answers.get(most if has_hammer else most + 1)  # whose first move is proved to be good
    best = shown.line[0] if shown is not None else 0
    nodes, throws = sum(answer.nodes for answer in answers.values()), int(game.asked[USED]) - 1
    return Forced(most, verdicts, game.aims[1 + best].copy(), nodes, throws)
