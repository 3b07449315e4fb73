"""The costs of planners' decisions: simulations, and steps of the model."""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.runs.reporting import model_steps
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.compare import entrants


class Cost(NamedTuple):
    """The cost of a decision of a planner with one budget.

    Attributes:
        simulations: per decision, mean over the episodes of the run, by environment.
        model_steps: per simulation, in first decisions of the run, by environment; NaN where they cannot be counted.
    """

    simulations: dict[str, float]
    model_steps: dict[str, float]

    @property
    def mean_steps(self) -> float:
        """Model steps per decision, mean over the environments; NaN if one is not known."""
        return float(np.mean([self.simulations[env] * self.model_steps[env] for env in self.simulations]))


def costs(store: Store) -> dict[tuple[str, float, str], Cost]:
    """The costs of a run by unit, budget and name of the planner."""
    steps = model_steps.of_settings(store)
    names = {experiment.env: entrants(store.suite, experiment.env) for experiment in store.suite.experiment}
    found: dict[tuple[str, float, str], Cost] = {}
    for setting, effort in store.efforts().items():
        cost = found.setdefault((setting.unit, setting.budget, names[setting.env][setting.planner]), Cost({}, {}))
        cost.simulations[setting.env] = math.nan if effort.simulations is None else effort.simulations / effort.steps
        cost.model_steps[setting.env] = steps[setting]
    return found
