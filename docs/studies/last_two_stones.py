"""The win probability with two stones left beside a search of 400,000 throws played on, for docs/curling/champion.md.

python docs/studies/last_two_stones.py --positions 200 --throws 200

Prints the errors of the network and of the estimate that is shown, in positions of ends that the champion plays.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np

from bonspiel.curling import win_probability
from bonspiel.curling.ice.sheet import LAST_SHOT, STONES, no_stones
from bonspiel.curling.match.state import TIME, shot_of, state_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players.champion import Champion
from bonspiel.curling.players.reply_search import ReplySearch
from bonspiel.curling.regret.drawing import MATCH
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget
from bonspiel.runs.progress import followed
from bonspiel.runs.tables import markdown
from bonspiel.runs.verbs.options import option

SEARCH = Budget(simulations=400_000)
MOST_LEAD, THROWS = 2, (300, 1_000, 3_000)  # in the positions: of a team, and of a shot, the same in an end
SHOTS = 3  # of the search, of which the best counts
CLOSE = 0.05


def position(rng: Rng) -> Array:
    """Return the state before the last shot but one of some end of a match, as the champion plays it."""
    state = state_of(no_stones(), 0, int(rng.integers(2)), lead=int(rng.integers(-MOST_LEAD, MOST_LEAD + 1)))
    state[TIME] = STONES * int(rng.integers(MATCH.ends))
    budget, after, champion = Budget(simulations=int(rng.choice(THROWS))), np.empty_like(state), Champion(threads=1)
    while shot_of(state) < LAST_SHOT - 1:
        MATCH.step(state, champion.plan(MATCH, state, budget, rng).action, after, MATCH.params, rng)
        state, after = after.copy(), state
    return state


def measured(seed: int, number: int, throws: int) -> tuple[float, float, float]:
    """Return what the network expects in a position, what is shown, and the value played on."""
    rng = np.random.default_rng([seed, number])
    model, state = win_probability.estimating(MATCH), position(rng)
    quick, shown = (win_probability.win_probability(model, state, is_quick=quick) for quick in (True, False))
    return quick, shown, played_on(model, state, throws, rng)


def played_on(model: Curling, state: Array, throws: int, rng: Rng) -> float:
    """Return team 0's probability to win with the best of the shots that a long search finds, by throws of each."""
    with ThreadPoolExecutor(1) as pool:
        search = ReplySearch(win_probability.LAST_TWO, model, state, SEARCH, rng, pool, 0.0)
        search.decide(None)
    after, means = np.empty_like(state), []
    for aim in search.aims[search.ranked(search.answered)[:SHOTS]]:
        values = []
        for _ in range(throws):
            model.step(state, aim, after, model.params, rng)
            values.append(win_probability.win_probability(model, after))
        means.append(np.mean(values))
    return float(max(means) if model.player(state, model.params) > 0.0 else min(means))


def main(line: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "--positions", "N", "positions", 200)
    option(parser, "--throws", "N", "throws of each shot", 200)
    option(parser, "--seed", "N", "random seed", 1)
    given = parser.parse_args(line)
    tasks = [joblib.delayed(measured)(given.seed, number, given.throws) for number in range(given.positions)]
    found = np.array(joblib.Parallel(n_jobs=-1, return_as="list")(followed(tasks, "positions")))
    errors = np.abs(found[:, :2] - found[:, 2:])
    cells = [("estimate", "root mean square error", f"within {CLOSE}", "largest error")]
    for name, error in zip(("network", "shown"), errors.T, strict=True):
        cells.append(
            (name, f"{np.sqrt((error**2).mean()):.3f}", f"{(error <= CLOSE).mean():.2f}", f"{error.max():.3f}")
        )
    print(markdown(cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
