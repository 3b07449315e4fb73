"""A plant that differs from the planners' model, as a part of the text of an environment, so that results never mix.

The text is as on the command line: `pendulum --plant pendulum:mass=1.2 --delay 2`. Planners plan in the first problem,
and their actions are played in the second, each so many steps after it was chosen.
"""

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bonspiel.planners.core.code.cache import say_once
from bonspiel.runs.experiment import UsageError, parsed

if TYPE_CHECKING:
    from bonspiel.planners import Model

FORM = re.compile(r"(?P<env>.*?)(?: --plant (?P<plant>.*?))?(?: --delay (?P<delay>\d+))?")
ALIKE = ("state_dim", "action_low", "action_high", "action_kinds", "time_index", "horizon")


class PlantText(NamedTuple):
    """The parts of an environment's text."""

    model: str  # text of the problem that planners plan in
    plant: str  # of the problem that is played
    delay: int  # steps from the choice of an action to its effect

    @classmethod
    def of(cls, text: str) -> "PlantText":
        """From the text of an environment; one without a plant is played as it is planned in."""
        found = FORM.fullmatch(text)
        assert found is not None  # the form takes every text
        env, plant, delay = found.groups()
        return cls(env, plant or env, int(delay or 0))

    def __str__(self) -> str:
        """The text of the environment."""
        plant = "" if self.plant == self.model else f" --plant {self.plant}"
        return f"{self.model}{plant}{f' --delay {self.delay}' if self.delay else ''}"


def plant_of(text: str) -> "Model | None":
    """The problem that is played in an environment; None where nothing of it is known.

    That is with delayed actions, and where it cannot be made, as in a folder without its module, which a line says.
    """
    from bonspiel import envs

    parts = PlantText.of(text)
    if parts.delay:
        return None
    try:
        return envs.parse(parts.plant)
    except (ValueError, ImportError) as error:
        say_once(f"{parts.plant} cannot be made here, so that its optimum and baselines are not known: {error}")
        return None


def check_alike(text: str, model: "Model", plant: "Model") -> None:
    """Refuse a plant whose states, actions or steps are not those of the model, and a delay of all steps."""
    delay, horizon = PlantText.of(text).delay, getattr(model, "horizon", math.inf)
    if delay >= horizon:
        raise UsageError(f"{text}: with {horizon} steps a delay must be below {horizon}, or no action has an effect")
    for one in () if plant is model else (model, plant):
        storage: Any = getattr(one, "storage", None)
        if hasattr(storage, "kept"):
            numbers = f"its states are the numbers of snapshots ({storage.name}), which mean nothing to another problem"
            raise UsageError(f"{text}: {numbers}; give the environment get_state() and set_state()")
    for name in ALIKE:
        of_model, of_plant = getattr(model, name, None), getattr(plant, name, None)
        if not np.array_equal(of_model, of_plant):  # type: ignore[arg-type]  # any values
            differs = f"{name}={of_plant!r} of the plant must be that of the model, {of_model!r}"
            raise UsageError(f"{text}: {differs}")


def with_plant(env: str, plant: str | None, delay: int) -> str:
    """The text of an environment with a plant, itself if None, and a delay."""
    from bonspiel import envs

    if delay < 0:
        raise UsageError(f"delay={delay}: must be a whole number, at least 0")
    if plant is not None:
        parsed(envs.parse, plant)
    return str(PlantText(env, plant or env, delay))
