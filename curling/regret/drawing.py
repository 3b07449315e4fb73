"""Draws positions from matches of players of this package, so that all parts of a match are there alike."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.ice.sheet import STONES, present
from bonspiel.curling.match.state import HAMMER, LEAD, TIME, shot_of, stones_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.position import EXTRA_ENDS
from bonspiel.curling.win_probability import win_probability
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget
from bonspiel.runs.progress import followed

MATCH = Curling(ends=8, extra_ends=EXTRA_ENDS, reward="win_probability")
PLAYERS = {"random": 1, "rulebased": 1, "expectimax": 4_000, "presearch": 4_000, "champion:threads=1": 20_000}
OPEN = 0.03, 0.97  # win probabilities between which a position can still show something
PER_MATCH = 20  # positions, of 128 or more


class Drawn(NamedTuple):
    """A position and the names of the players of its match, of team 0 and team 1."""

    state: Array
    source: str


def draw(count: int, seed: int) -> list[Drawn]:
    """Draw positions from new matches; of the same seed the same ones, on a machine that rounds alike.

    Every first part of them is stratified too: by shot, end, score, hammer, and stones in play.
    """
    matches = max(-(-count // PER_MATCH), len(PLAYERS) ** 2)
    pairs = itertools.islice(itertools.cycle(itertools.product(PLAYERS, PLAYERS)), matches)
    pool: list[Drawn] = []
    for number, (first, second) in enumerate(followed(list(pairs), "matches")):
        rng = np.random.default_rng((seed, number))
        pool += [Drawn(state, f"{first}, {second}") for state in _play((first, second), rng)]
    return stratified(pool, count, np.random.default_rng(seed))


def _play(names: tuple[str, str], rng: Rng) -> Iterator[Array]:
    """The positions of a match that are still open."""
    sides, state = [players.parse(name) for name in names], MATCH.initial_state(rng)
    budgets, match = [Budget(simulations=PLAYERS[name]) for name in names], MATCH
    while True:
        if OPEN[0] < win_probability(match, state) < OPEN[1]:
            yield state
        team = int(team_of(state))
        action = sides[team].plan(match, state, budgets[team], rng).action
        after = np.empty_like(state)
        match.step(state, action, after, match.params, rng)
        state = after
        if state[TIME] >= STONES * match.ends and (state[LEAD] != 0.0 or state[TIME] >= match.horizon):
            return


def strata(state: Array) -> tuple[tuple[str, int], ...]:
    """The strata of a position: its shot, ends left, lead and stones in play, each in a few classes."""
    own = 1 - 2 * int(team_of(state))
    left = MATCH.ends - int(state[TIME]) // STONES
    stones = int(present(stones_of(state)).sum())
    return (
        ("shot", int(shot_of(state))),
        ("ends left", int(np.searchsorted((1, 2, 4), max(left, 0)))),
        ("lead", int(np.clip(own * state[LEAD], -2, 2))),
        ("hammer", int(state[HAMMER])),
        ("stones", int(np.searchsorted((2, 4, 6), stones))),
    )


def stratified(pool: Sequence[Drawn], count: int, rng: Rng) -> list[Drawn]:
    """`count` of the positions: the next one is of those whose strata have been chosen least."""
    left = [pool[i] for i in rng.permutation(len(pool))]
    keys = [strata(drawn.state) for drawn in left]
    chosen, counts = list[Drawn](), Counter[tuple[str, int]]()
    for _ in range(min(count, len(left))):
        at = min(range(len(left)), key=lambda i: sum(counts[key] for key in keys[i]))
        counts.update(keys[at])
        chosen.append(left.pop(at))
        keys.pop(at)
    return chosen
