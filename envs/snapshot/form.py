"""The form of the results of an environment's reset and step, and the errors that name a wrong one."""

from typing import Any

import numpy as np
from gymnasium import spaces

from bonspiel.planners.model import Array

LONGEST = 200  # characters of a value in an error


class FailingError(ValueError):
    """The environment fails without any restoring."""


class FormError(FailingError):
    """A reset or a step gives something else than Gymnasium has it give."""


def reward_of(reward: Any) -> float:
    """A reward as a number.

    Raises:
        FormError: it is none.
    """
    number = reward.item() if isinstance(reward, np.ndarray) and reward.size == 1 else reward
    try:
        if not isinstance(number, str | bytes):
            return float(number)
    except (TypeError, ValueError, RuntimeError):  # the last of arrays of other libraries
        pass
    raise FormError(f"step() returned reward={shown(reward)}: must be a number")


def flattened(space: spaces.Space[Any], observation: Any, length: int, function: str) -> Array:
    """An observation as a vector, [length].

    Raises:
        FormError: it is not of the form that `space` has; the message names the `function` that returned it.
    """
    try:
        given = np.asarray(observation) if isinstance(space, spaces.Box) else np.zeros(1)
        seen = np.asarray(spaces.flatten(space, observation), np.float64)
        if seen.size == length and given.dtype.kind in "biuf":  # a Box takes None for not a number
            return seen.ravel()
    except Exception:  # whatever a space raises
        pass
    shape = f" of shape {observation.shape}" if isinstance(observation, np.ndarray) else ""
    wanted = f"of the form of observation_space={shown(space)}"
    raise FormError(f"{function}() returned observation={shown(observation)}{shape}: must be {wanted}")


def shown(value: Any) -> str:
    """A value in one line of limited length."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
