"""The champion against another planner where `bonspiel match` cannot begin, for docs/results/curling.md.

python docs/studies/champion.py two_down --pairs 200 --seed 1 --games two_down.jsonl

The games of a pair have the sides swapped and the same errors of execution. A file of games is continued.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.ice.noise import Pair
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.mixed_doubles import mixed_state_of
from bonspiel.curling.match.state import state_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.protocols.dc4 import EXAMPLE_PLAYERS
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Budget, Planner
from bonspiel.runs.draws import environment_rng, named_rng
from bonspiel.runs.games.ratings import paired_interval
from bonspiel.runs.progress import followed
from bonspiel.runs.verbs.options import option

HAMMER = 1  # the team that has it in the first end, or decides the set-up
SLOW = 3.0  # m/s
EXAMPLE: Pair = EXAMPLE_PLAYERS


class Situation(NamedTuple):
    """The match that begins, and by how many points the team with the hammer leads."""

    match: Curling
    lead: int = 0


def _mixed(max_speed: float | None = None, throwers: tuple[Pair, Pair] | None = None) -> Curling:
    """Return a match of mixed doubles."""
    return Curling(2, reward="win", game="mixed_doubles", physics="dc4", max_speed=max_speed, throwers=throwers)


SITUATIONS = {
    "unlike": Situation(_mixed(throwers=(EXAMPLE, EXAMPLE))),
    "slow": Situation(Curling(2, reward="win", max_speed=SLOW)),
    "slow_mixed": Situation(_mixed(max_speed=SLOW)),
    "tied": Situation(Curling(1, reward="win")),
    "two_down": Situation(Curling(1, reward="win"), -2),
    "two_down_before": Situation(Curling(2, reward="win"), -2),
}


def first_state(situation: Situation) -> Array:
    """Return the state before the first shot, in mixed doubles with the end set up."""
    lead = situation.lead * (1 if HAMMER == 0 else -1)
    if situation.match.is_mixed:
        return situation.match.begin_end(mixed_state_of(no_stones(), 0, lead=lead, decider=HAMMER))
    return state_of(no_stones(), 0, HAMMER, lead=lead)


def play(situation: Situation, sides: Sequence[Planner], team: int, budget: Budget, seed: int, pair: int) -> float:
    """Return the result of a game for the first side, which plays as this team, 0 or 1.

    The chance of a shot comes from (seed, pair, shot), a player's draws from (seed, pair, team, side).
    """
    match, state, thrown = situation.match, first_state(situation), 0
    planning = match.planning()
    rngs = [named_rng(f"{side} of 2, the first is team {team}", seed, pair) for side in (0, 1)]
    while True:
        side = int(team_of(state)) ^ team
        action = sides[side].plan(planning, state.copy(), budget, rngs[side]).action
        after = np.empty_like(state)
        value, over = match.step(state, action, after, match.params, environment_rng(seed, pair, thrown))
        if over:
            return float(1.0 - value if team else value)
        state, thrown = after, thrown + 1


def table(games: Sequence[float]) -> str:
    """Return the counts and the win rate of games of the first side in pairs, in each of which it is team 0 first."""
    pairs = np.array(games).reshape(-1, 2)
    rate, low, high = paired_interval(pairs.sum(axis=1).tolist(), np.random.default_rng(0))
    won, lost, drawn = (int((pairs == value).sum()) for value in (1.0, 0.0, 0.5))
    without, having = pairs.mean(axis=0)
    return (
        f"{pairs.size} games, {won} / {lost} / {drawn}, {rate:.3f} [{low:.3f}, {high:.3f}] over pairs, "
        f"without / with the hammer first {without:.3f} / {having:.3f}"
    )


def main(line: Sequence[str] | None = None) -> int:
    """Play games into a file, as far as it has not got them, and show what they count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "situation", tuple(SITUATIONS), "where the games begin")
    option(parser, "--planner", "NAME", "the first side", "champion:threads=1")
    option(parser, "--against", "NAME", "the other side", "presearch")
    option(parser, "--milliseconds", "T", "time per decision", 100.0)
    option(parser, "--pairs", "N", "pairs of games", 100)
    option(parser, "--seed", "N", "random seed", 1)
    option(parser, "--games", "FILE", "file for the results, a line of JSON per pair", required=True)
    given = parser.parse_args(line)
    situation, budget = SITUATIONS[given.situation], Budget(seconds=given.milliseconds / 1000.0)
    sides = players.parse(given.planner), players.parse(given.against)
    planning, state = situation.match.planning(), first_state(situation)
    for side in sides:  # loads or compiles its code
        side.plan(planning, state, budget, np.random.default_rng(0))
    played = given.games.read_text("utf-8").splitlines() if given.games.exists() else []
    with given.games.open("a", encoding="utf-8", buffering=1) as file:
        for pair in followed(range(len(played), given.pairs), "pairs"):
            values = [play(situation, sides, team, budget, given.seed, pair) for team in (0, 1)]
            played.append(json.dumps(values))
            file.write(f"{played[-1]}\n")
    print(table([value for text in played for value in json.loads(text)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
