"""Wrappers that a model leaves out, those that a snapshot need not contain, and the recorder of an episode."""

import math
from collections.abc import Iterator
from typing import Any

import gymnasium
from gymnasium import spaces, wrappers

from bonspiel.envs.snapshot.recorded import Recorded

TRANSPARENT = {
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.TimeLimit,
    wrappers.RecordEpisodeStatistics,  # only in the information
    wrappers.RecordVideo,
    wrappers.HumanRendering,
    Recorded,
}

PICTURES = {wrappers.RenderCollection, wrappers.AddWhiteNoise, wrappers.ObstructView}
"""Wrappers that change only pictures, and so the observations of AddRenderObservation."""

DRAWING = {wrappers.RecordVideo, wrappers.HumanRendering, *PICTURES}

STATELESS: set[type] = {
    wrappers.ClipAction,
    wrappers.RescaleAction,
    wrappers.TransformAction,
    wrappers.DtypeObservation,
    wrappers.FilterObservation,
    wrappers.FlattenObservation,
    wrappers.RescaleObservation,
    wrappers.ReshapeObservation,
    wrappers.TransformObservation,
    wrappers.ClipReward,
    wrappers.TransformReward,
}
"""Wrappers without a state of their own, subclasses not included; add yours if none of its attributes ever changes."""


def layers_of(env: Any) -> Iterator[Any]:
    """The wrappers, the outermost first, and the environment inside."""
    while env is not env.unwrapped:
        yield env
        env = env.env
    yield env


def left_out(env: Any) -> list[Any]:
    """The wrappers, the outermost first, that change neither actions nor results before the time limit.

    A TimeLimit stays if a wrapper above it may take several steps at once, or look at the end.
    """
    found, without, by_step = [], TRANSPARENT | PICTURES, True
    for layer in layers_of(env):
        if isinstance(layer, wrappers.AddRenderObservation):
            without = TRANSPARENT
        if type(layer) in without and (by_step or type(layer) is not wrappers.TimeLimit):
            found.append(layer)
        by_step = by_step and type(layer) in TRANSPARENT | PICTURES | STATELESS
    return found


def without_transparent(env: Any) -> Any:
    """The environment without the wrappers that are left out, in place."""
    unwanted = set(map(id, left_out(env)))
    while id(env) in unwanted:
        env = env.env
    outer = env
    while isinstance(outer, gymnasium.Wrapper):
        while id(outer.env) in unwanted:
            outer.env = outer.env.env  # type: ignore[attr-defined]
        outer = outer.env
    return env


def is_stateless(env: Any, inner: Any = None) -> bool:
    """Return whether all wrappers around an environment, or around an inner layer of it, are known to have no state."""
    while isinstance(env, gymnasium.Wrapper) and env is not inner:
        if type(env) not in STATELESS:
            return False
        env = env.env
    return True


def has_begun(env: Any) -> bool:
    """Return whether the environment was reset, as far as OrderEnforcing knows."""
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, wrappers.OrderEnforcing) and not env.has_reset:
            return False
        env = env.env
    return True


def action_space(env: Any) -> spaces.Space[Any]:
    """The action space without ClipAction, which says that everything is allowed."""
    while isinstance(env, gymnasium.Wrapper):
        if type(env) is not wrappers.ClipAction and env.action_space is not env.env.action_space:
            break
        env = env.env
    return env.action_space


def inner_limit(env: Any) -> int | None:
    """The largest number of steps that the environment inside all wrappers has itself; None if unknown."""
    model = getattr(env.unwrapped, "model", None)
    if model is not None and hasattr(model, "state_dim"):  # of one of ours
        return int(model.horizon)
    own = getattr(env.unwrapped, "_step_limit", None)  # of dm_control, in steps, infinite where it has none
    return math.ceil(own - 1e-6) if isinstance(own, float) and math.isfinite(own) else None


def time_limit(env: Any) -> int | None:
    """The largest number of steps, by the environment's specification or by a TimeLimit around it; None if unknown."""
    limits = [] if env.spec is None else [env.spec.max_episode_steps]
    limits.append(inner_limit(env))
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, wrappers.TimeLimit):
            limits.append(env._max_episode_steps)
        env = env.env
    return min((limit for limit in limits if limit is not None), default=None)


def recorder(env: Any) -> Recorded | None:
    """The recorder of an environment, beneath all outer wrappers without a state."""
    found = None
    while _passes_on(env):
        if type(env) in STATELESS:
            found = None  # the one above it records other actions
        elif isinstance(env, Recorded):
            found = env
        env = env.env
    return found


def with_recorder(env: Any) -> Any:
    """The environment with a recorder, put in place beneath outer wrappers without a state, else around it."""
    if recorder(env) is not None:
        return env
    outer, inner = None, env
    while _passes_on(inner):
        outer, inner = inner, inner.env
    if outer is None:
        return Recorded(env)
    outer.env = Recorded(inner)
    return env


def _passes_on(env: Any) -> bool:
    return type(env) in TRANSPARENT or type(env) in PICTURES or type(env) in STATELESS
