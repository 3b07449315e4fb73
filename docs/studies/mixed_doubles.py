"""Points of ends of mixed doubles in self-play, by set-up, for `curling.match.setup_value`.

python docs/studies/mixed_doubles.py --ends 600 --seed 1

The shots are decided with the table in that file; once its counts are those printed, the next run is the next round.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.ice.sheet import LAST_SHOT, no_stones
from bonspiel.curling.match.mixed_doubles import PATTERNS, mixed_state_of
from bonspiel.curling.match.setup_value import CENTER_HOUSE, CHOICES, PP_LEFT
from bonspiel.curling.match.state import hammer_of, shot_of
from bonspiel.curling.match.value import POINTS
from bonspiel.curling.model import Curling
from bonspiel.planners.model import Rng
from bonspiel.planners.planner import Budget, Planner
from bonspiel.runs.progress import followed
from bonspiel.runs.verbs.options import option

MOST_LEFT, MOST_LEAD = 4, 1  # ends to go, and points
EXTRA_ENDS = 10
SETUPS = {"SELF_PLAY": CHOICES[CENTER_HOUSE : CENTER_HOUSE + 1], "SELF_PLAY_POWER_PLAY": CHOICES[PP_LEFT:]}


class Situation(NamedTuple):
    """The start of an end: ends to go, lead of team 0, pattern, the team that decides, and the power plays left."""

    left: int
    lead: int
    pattern: int
    decider: int
    power_plays: tuple[bool, bool]


def situation(rng: Rng) -> Situation:
    """A random start of an end, in which the team that decides has its power play."""
    left, lead = int(rng.integers(1, MOST_LEFT + 1)), int(rng.integers(-MOST_LEAD, MOST_LEAD + 1))
    decider, other = int(rng.integers(2)), bool(rng.integers(2))
    return Situation(left, lead, int(rng.integers(PATTERNS)), decider, (decider == 0 or other, decider == 1 or other))


def play_end(planner: Planner, begins: Situation, choice: str, budget: Budget, rng: Rng) -> int:
    """The points of the team with the hammer in an end that the planner plays for both teams, below 0 the other's."""
    match = Curling(begins.left, extra_ends=EXTRA_ENDS, game="mixed_doubles", physics="dc4", pattern=begins.pattern)
    planning = match.planning()
    state = mixed_state_of(no_stones(), 0, lead=begins.lead, decider=begins.decider, power_plays=begins.power_plays)
    state = planning.begin_end(state, choice)
    hammer = hammer_of(state)
    while True:
        action = planner.plan(planning, state, budget, rng).action
        model, after = planning.tie_breaker(state) if shot_of(state) == LAST_SHOT else planning, np.empty_like(state)
        assert model is not None
        scored, over = model.step(state, action, after, model.params, rng)
        if over:
            return round(scored) * (1 if hammer == 0 else -1)
        state = after


def main(line: Sequence[str] | None = None) -> int:
    """Play the ends, and print their counts as they stand in `curling.match.setup_value`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "--ends", "N", "ends per set-up", 600)
    option(parser, "--simulations", "N", "simulations per decision", 800)
    option(parser, "--seed", "N", "random seed", 1)
    option(parser, "--planner", "NAME", "planner of both teams", "presearch")
    given = parser.parse_args(line)
    if given.ends < 1:
        parser.error(f"--ends {given.ends}: must be at least 1")
    try:
        planner, budget = players.parse(given.planner), Budget(given.simulations)
        rng = np.random.default_rng(given.seed)
    except ValueError as error:
        parser.error(str(error))
    counts = {name: [0] * len(POINTS) for name in SETUPS}
    for _ in followed(range(given.ends), "ends"):
        for name, choices in SETUPS.items():
            choice = choices[int(rng.integers(len(choices)))]
            counts[name][POINTS.index(play_end(planner, situation(rng), choice, budget, rng))] += 1
    for name, ends in counts.items():
        print(f"{name} = {tuple(ends)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
