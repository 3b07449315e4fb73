"""Loss of planners with the last stones of an end, thrown without noise, against a proof, for docs/results/curling.md.

python docs/studies/last_stones.py --positions 400 --simulations 1000
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bonspiel import planners
from bonspiel.curling.benchmarks.positions import state_after
from bonspiel.curling.ice.physics import FCV1
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.last_stones import MOST_STONES, forced_scores
from bonspiel.curling.match.state import hammer_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget, Planner
from bonspiel.runs.games.ratings import wilson
from bonspiel.runs.progress import followed
from bonspiel.runs.statistics.sample import summarise
from bonspiel.runs.tables import estimate
from bonspiel.runs.verbs.options import flag, option

NOT_COMPARED = {"process", "gtp"}  # programs of any strength


class Position(NamedTuple):
    """A position of self-play, with the points that the team with the hammer can force."""

    state: Array
    points: int
    seconds: float


def positions(model: Curling, stones: int, count: int, seed: int) -> Iterator[Position]:
    """Positions with `stones` to come, each of an end of the default policy's self-play with noise."""
    for number in followed(range(count), f"positions with {stones} to come"):
        state, began = state_after(seed * 100_000 + number, STONES - stones), time.process_time()
        points = forced_scores(model, state).points
        yield Position(state, points, time.process_time() - began)


def points_after(model: Curling, state: Array, action: Array) -> int:
    """Points of the team with the hammer after an action without noise, if both teams then play best."""
    following = np.empty(model.state_dim)
    points, over = model.step_exact(state, action, following, model.params, np.random.default_rng(0))
    if not over:
        return forced_scores(model, following).points
    return int(points) if hammer_of(state) == 0 else -int(points)


def losses(planner: Planner, model: Curling, among: Sequence[Position], simulations: int, rng: Rng) -> Array:
    """Points that the team to throw loses by a planner's choice; below 0 where it is better than all candidates."""
    lost = []
    for state, points, _ in among:
        action = planner.plan(model, state, Budget(simulations=simulations), rng).action
        sign = 1 if team_of(state) == hammer_of(state) else -1
        lost.append(sign * (points - points_after(model, state, action)))
    return np.array(lost, np.float64)


def row(name: str, lost: Array, rng: Rng) -> str:
    """The line of a planner: shares of positions in which it keeps and betters the forced score, and points lost."""
    kept, mean = wilson(float((lost <= 0.0).sum()), len(lost)), summarise(lost, rng).interval
    return f"| `{name}` | {estimate(kept)} | {estimate(mean, 2)} | {(lost < 0.0).mean():.3f} |"


def table(stones: int, count: int, simulations: int, noise: str, seed: int) -> Iterator[str]:
    """The lines of all planners in positions with `stones` to come."""
    exact, model = Curling(noise="none"), Curling(noise=noise)
    forced_scores(exact, state_after(0, STONES - stones))  # loads compiled code
    found = list(positions(exact, stones, count, seed))
    seconds = [1e3 * position.seconds for position in found]
    yield f"## {stones} to come\n"
    yield f"All verdicts of a position: {np.median(seconds):.0f} ms, at most {max(seconds):.0f} ms of CPU time.\n"
    yield "| planner | keeps the forced score | loses, points | finds more |\n|---|---|---|---|"
    names = [
        "random",
        *planners.names_for(model),
        *(name for name in planners.REGISTRY.guests() if name not in NOT_COMPARED),
    ]
    for name in followed(names, "planners"):
        rng = np.random.default_rng([seed, stones])
        yield row(name, losses(planners.make(name), model, found, simulations, rng), rng)
    yield ""


def main(line: Sequence[str] | None = None) -> int:
    """Solve positions, ask every planner, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "--positions", "N", "positions per number of stones to come", 400)
    option(parser, "--simulations", "N", "simulations per decision", 1000)
    option(parser, "--noise", FCV1.noises, "errors of execution that planners expect", "none")
    option(parser, "--seed", "N", "random seed", 1)
    flag(parser, "--quick", "10 positions, 100 simulations")
    given = parser.parse_args(line)
    count, simulations = (10, 100) if given.quick else (given.positions, given.simulations)
    title = f"{count} positions each, seed {given.seed}, {simulations:,} simulations, noise expected: {given.noise}\n"
    print(title)
    for stones in range(1, MOST_STONES + 1):
        print(*table(stones, count, simulations, given.noise, given.seed), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
