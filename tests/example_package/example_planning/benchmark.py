"""A benchmark for `bonspiel bench`; its docstring is the title of its figures."""

import numpy as np

from bonspiel.runs.benchmarks.measurement import Measurement, seconds_of

from .model import Slope


def slope_steps(planners):
    """Steps of the slope per second, in Python."""
    model, rng = Slope(), np.random.default_rng(0)
    state = model.initial_state(rng)
    seconds = seconds_of(lambda: model.step(state, model.action_high, state.copy(), model.params, rng))
    yield Measurement("slope", 1.0 / seconds, "steps/s", env="slope")
