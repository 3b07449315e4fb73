"""The win probability with two stones left beside a search of 200,000 throws played on, for docs/curling/champion.md.

python docs/studies/last_two_stones.py --positions 33 --throws 200

Prints the errors of the network and of the estimate that is shown, in the positions of the package.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bonspiel.curling import win_probability
from bonspiel.curling.ice.sheet import LAST_SHOT
from bonspiel.curling.match.state import shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players.reply_search import ReplySearch
from bonspiel.curling.regret.positions import shipped
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget
from bonspiel.runs.progress import followed
from bonspiel.runs.tables import markdown
from bonspiel.runs.verbs.options import option

SEARCH = Budget(simulations=200_000)
SHOTS = 3  # of the search, of which the best counts
CLOSE = 0.05


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
    option(parser, "--positions", "N", "positions, the first ones", 33)
    option(parser, "--throws", "N", "throws of each shot", 200)
    option(parser, "--seed", "N", "random seed", 1)
    given = parser.parse_args(line)
    rows: list[tuple[float, float, float]] = []
    places = [one for one in shipped() if shot_of(one.state) == LAST_SHOT - 1][: given.positions]
    for number, place in enumerate(followed(places, "positions")):
        model, state = win_probability.estimating(place.match), place.state
        quick, shown = (win_probability.win_probability(model, state, is_quick=quick) for quick in (True, False))
        rows.append((quick, shown, played_on(model, state, given.throws, np.random.default_rng([given.seed, number]))))
    found = np.array(rows)
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
