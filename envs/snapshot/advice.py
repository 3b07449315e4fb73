"""Say which environments of Gymnasium are slow to plan in, and what makes them faster."""

from typing import Any

import gymnasium

from bonspiel.envs.snapshot.deep_copies import DeepCopies
from bonspiel.envs.snapshot.model import GymnasiumModel
from bonspiel.envs.snapshot.replay import Replay

TWINS = {"Pendulum-v1": "pendulum", "MountainCarContinuous-v0": "mountain_car"}
"""Environments of Gymnasium that this project has compiled, step by step the same, with their names here."""


def advice(model: Any) -> str | None:
    """Name the way in which a model restores its environment and what would be faster; None where it is not slow."""
    if not isinstance(model, GymnasiumModel):
        return None
    spec = model.env.spec
    is_plain = spec is not None and not spec.kwargs and model.env is model.env.unwrapped and model.discount == 1.0
    if is_plain and spec.id in TWINS and model.horizon == gymnasium.spec(spec.id).max_episode_steps:
        return f"searches of {TWINS[spec.id]!r}, the same problem compiled, are much faster"
    ways: dict[type, str] = {
        Replay: f"by playing its episode again, which takes longer with every step of up to {model.horizon:,}"
    }
    meaning = (ways | {DeepCopies: "by deep copies, which take long"}).get(type(model.storage))
    if meaning is None:
        return None
    faster = "get_state() and set_state() for all of its state"
    if not hasattr(model, "lookahead"):
        faster += f", or lookahead={min(30, model.horizon)}, so that plans are short,"
    return f"it is restored before the steps of a search {meaning}; {faster} would be faster"
