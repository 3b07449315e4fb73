"""The costs of planners' decisions: simulations, and steps of the model."""

import math
from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np

from bonspiel.runs.reporting import model_steps
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.ranks import names


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


def costs(stores: Sequence[Store], problems: Container[str]) -> dict[tuple[str, float, str], Cost]:
    """The costs of runs in some problems by unit, budget and name of the planner (`ranks.names`)."""
    found: dict[tuple[str, float, str], Cost] = {}
    for store, called in zip(stores, names(stores), strict=True):
        efforts = {setting: effort for setting, effort in store.efforts().items() if setting.env in problems}
        steps = model_steps.of_settings(efforts, store.model_steps)
        for setting, effort in efforts.items():
            key = setting.unit, setting.budget, called[setting.env, setting.planner]
            cost = found.setdefault(key, Cost({}, {}))
            simulations = math.nan if effort.simulations is None else effort.simulations / effort.steps
            cost.simulations[setting.env] = simulations
            cost.model_steps[setting.env] = steps[setting]
    return found
