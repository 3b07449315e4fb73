"""Copies of an environment that show and film nothing: deep copies, and others that gymnasium.make makes."""

import copy
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import gymnasium
from gymnasium.envs.registration import load_env_creator

from bonspiel.envs.snapshot.copies.objects import without_copies
from bonspiel.envs.snapshot.wrappers import DRAWING, left_out, without_transparent
from bonspiel.planners.core.code.packages import error_text


def deep_copy(env: Any, memo: dict[int, Any] | None = None) -> Any:
    """A deep copy that shares spaces and specification, since they never change; `memo` as for copy.deepcopy."""
    base, memo = env.unwrapped, {} if memo is None else memo
    memo.update((id(part), part) for part in (base.action_space, base.observation_space, base.spec))
    return copy.deepcopy(env, memo)


def headless_copy(env: Any) -> Any:
    """A deep copy without windows and without the wrappers that change neither actions nor results."""
    memo = without_copies(env)
    for layer in reversed(left_out(env)):
        memo[id(layer)] = deep_copy(layer.env, memo)
    copied = deep_copy(env, memo)
    stop_drawing(copied)
    return copied


def stop_drawing(env: Any) -> None:
    """Let a copy of an environment that is shown in a window draw nothing; its other pictures may be observed."""
    base = env.unwrapped
    if base.render_mode != "human":
        return
    base.render = _draw_nothing
    with suppress(AttributeError):  # a property
        base.render_mode = None
    arguments = getattr(base, "_ezpickle_kwargs", {})  # by which its copies are made
    if "render_mode" in arguments:
        base._ezpickle_kwargs = arguments | {"render_mode": None}


def _draw_nothing() -> None:
    return None


def by_make(env: Any) -> Callable[[], Any]:
    """Makes others by the specification of an environment, as `headless_copy` copies it.

    Raises:
        ValueError: when it is called, since gymnasium.make fails.
    """
    spec = copy.copy(env.spec)
    spec.kwargs = {key: value for key, value in spec.kwargs.items() if (key, value) != ("render_mode", "human")}
    spec.additional_wrappers = tuple(
        wrapper for wrapper in spec.additional_wrappers if load_env_creator(wrapper.entry_point) not in DRAWING
    )

    def make() -> Any:
        try:
            return without_transparent(gymnasium.make(spec))
        except Exception as error:
            raise ValueError(f"env={env}: must be one that gymnasium.make() makes ({error_text(error)})") from error

    return make
