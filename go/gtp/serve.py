"""`bonspiel gtp`: a planner as an engine of the Go Text Protocol, from lines to standard output."""

from collections.abc import Iterable

import numpy as np

from bonspiel import planners
from bonspiel.go.gtp.engine import GTPEngine
from bonspiel.go.model import Go
from bonspiel.planners.planner import Budget
from bonspiel.runs.experiment import number, planner_for
from bonspiel.runs.suite import refuse_broken
from bonspiel.version import __version__


def main(planner: str, budget: Budget, seed: int, lines: Iterable[str]) -> int:
    """Answer lines until "quit" or their end.

    Args:
        planner: as on the command line.
        budget: of a decision.
        seed: of the planner's draws.
        lines: commands.

    Raises:
        UsageError: an unknown planner or parameter, a planner that cannot search Go, or a seed out of range.
    """
    model = Go()
    rng = np.random.default_rng(number("seed", seed, 0, 2**32 - 1, whole=True))
    player = planner_for(planner, model, "go")
    refuse_broken(planner, "go", planners.parse, lambda: model)
    engine = GTPEngine(player, model, budget, rng, __version__)
    for line in lines:
        print(engine.answer(line), end="", flush=True)
        if not engine.is_open:
            break
    return 0
