"""Calibration of the win probability: shares of wins from positions of fast matches, for docs/results/curling.md.

python docs/studies/curling.py --matches 4000 --seed 1 --positions positions.jsonl

A file of positions that exists is shown, and nothing is played.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import TIME, shot_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.position import EXTRA_ENDS
from bonspiel.curling.win_probability import estimating, expected, with_slope
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget, Planner
from bonspiel.replacing import replacing
from bonspiel.runs.games.ratings import wilson
from bonspiel.runs.progress import followed
from bonspiel.runs.tables import estimate, markdown
from bonspiel.runs.verbs.options import option

MOST_ENDS = 2
PLAYER = "champion:threads=1"
TENTHS = 10
SLOPE_BOUNDS = (0.1, 3.0), (0.0, 3.0)  # with few matches the likelihood may have no maximum


class Sample(NamedTuple):
    """A position of a match with the team of the player, 0 or 1, and whether that team won: 1, 0, or 0.5 for a draw."""

    ends: int
    team: int
    state: list[float]
    won: float


def match_of(ends: int) -> Curling:
    """Return the match, with extra ends after a tie."""
    return Curling(ends, extra_ends=EXTRA_ENDS, reward="win")


def play(number: int, sides: tuple[Planner, Planner], budgets: tuple[Budget, Budget], rng: Rng) -> Sample:
    """Play a match of one or two ends; the first side's team alternates. The position is before a random shot."""
    team, ends = number % 2, int(rng.integers(1, MOST_ENDS + 1))
    match, sampled = match_of(ends), int(rng.integers(ends * STONES))
    planning, state, kept = match.planning(), match.initial_state(rng), list[float]()
    while True:
        if int(state[TIME]) == sampled:
            kept = state.tolist()
        side = int(team_of(state)) ^ team
        action = sides[side].plan(planning, state, budgets[side], rng).action
        after = np.empty_like(state)
        value, over = match.step(state, action, after, match.params, rng)
        if over:
            return Sample(ends, team, kept, 1.0 - value if team else value)
        state = after


def samples(count: int, against: str, simulations: Sequence[int], seed: int) -> Iterator[Sample]:
    """Play matches of the champion with another player."""
    sides, budgets = (players.parse(PLAYER), players.parse(against)), (Budget(simulations[0]), Budget(simulations[1]))
    for number in followed(range(count), "matches"):
        yield play(number, sides, budgets, np.random.default_rng([seed, number]))


def expectations(found: Sequence[Sample]) -> tuple[Array, Array]:
    """Return the network's expectations for the players' teams, and the stones to come in the end, each [n]."""
    chances, to_come = [], []
    for ends, team, place, _ in found:
        state = np.array(place)
        chances.append(abs(team - expected(estimating(match_of(ends)), state)))
        to_come.append(STONES - shot_of(state))
    return np.array(chances), np.array(to_come)


def fitted(value: Array, to_come: Array, won: Array) -> tuple[float, float]:
    """Return the slopes of the largest likelihood; see `curling.win_probability.with_slope`."""
    from scipy.optimize import minimize  # late: its import takes longer than showing a table

    def loss(slopes: Array) -> float:
        chance = np.clip(with_slope(value, to_come, (slopes[0], slopes[1])), 1e-9, 1.0 - 1e-9)
        return -float(np.mean(won * np.log(chance) + (1.0 - won) * np.log(1.0 - chance)))

    first, second = minimize(loss, (1.0, 0.3), method="Nelder-Mead", bounds=SLOPE_BOUNDS).x
    return float(first), float(second)


def cross_fitted(value: Array, to_come: Array, won: Array) -> Array:
    """Return the win probabilities, each with the slopes fitted to the other half of the matches, [n]."""
    chances = np.empty(len(value))
    for half in (0, 1):
        own, other = slice(half, None, 2), slice(1 - half, None, 2)
        chances[own] = with_slope(value[own], to_come[own], fitted(value[other], to_come[other], won[other]))
    return chances


def table(chances: Array, won: Array) -> str:
    """Return the rows of the tenths of probabilities: positions, mean estimate, and share of wins."""
    rows = [("says", "positions", "says on the mean", "wins")]
    tenths = np.minimum((TENTHS * chances).astype(int), TENTHS - 1)
    for tenth in range(TENTHS):
        among = tenths == tenth
        if among.any():
            share = estimate(wilson(float(won[among].sum()), int(among.sum())))
            rows.append((f"{tenth / TENTHS:.1f}", str(among.sum()), f"{chances[among].mean():.3f}", share))
    always = f"always saying {won.mean():.3f} would give {won.var():.4f}"
    return f"{markdown(rows)}\n\nBrier score {np.mean((chances - won) ** 2):.4f}; {always}"


def main(line: Sequence[str] | None = None) -> int:
    """Play matches into a file unless it exists, and show its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "--matches", "N", "matches to play", 4000)
    option(parser, "--against", "NAME", "planner of the other team", PLAYER)
    option(
        parser,
        "--simulations",
        "N",
        "simulations per decision of each team (default: 1000 1000)",
        (1_000, 1_000),
        nargs=2,
    )
    option(parser, "--seed", "N", "random seed", 1)
    option(parser, "--positions", "FILE", "file for the positions, one line of JSON per match", required=True)
    given = parser.parse_args(line)
    if not given.positions.exists():
        with replacing(given.positions) as draft, draft.open("w", encoding="utf-8", buffering=1) as file:
            for sample in samples(given.matches, given.against, given.simulations, given.seed):
                file.write(json.dumps(sample._asdict()) + "\n")
    found = [Sample(**json.loads(text)) for text in given.positions.read_text("utf-8").splitlines()]
    won = np.array([sample.won for sample in found])
    value, to_come = expectations(found)
    for name, chances in (
        ("What the network expects", value),
        ("Calibrated by the other half of these matches", cross_fitted(value, to_come, won)),
        ("As shown", with_slope(value, to_come)),
    ):
        print(f"{name}\n\n{table(chances, won)}\n")
    print("slopes of all these matches: {:.2f} and {:.2f}".format(*fitted(value, to_come, won)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
