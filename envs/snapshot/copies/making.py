"""Copies of an environment that show and film nothing: deep copies, and others that gymnasium.make makes."""

import copy
import types
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import load_env_creator
from gymnasium.utils import EzPickle

from bonspiel.envs.snapshot.objects import held, without_copies
from bonspiel.envs.snapshot.wrappers import DRAWING, layers_of, left_out, without_transparent
from bonspiel.planners.core.code.errors import error_text


def deep_copy(env: Any, memo: dict[int, Any] | None = None) -> Any:
    """A deep copy that shares spaces and specification with another copy, and has no windows or surfaces.

    Args:
        env: the environment.
        memo: by id, what stands for other parts of it in the copy.
    """
    memo = _shared(env) | (memo or {})
    try:
        return _copied(env, memo.copy())
    except TypeError:  # surfaces, unless something else cannot be copied
        return _copied(env, memo | without_copies(env))


def headless_copy(env: Any) -> Any:
    """A deep copy that neither shows nor films, without the wrappers that change neither actions nor results.

    It has spaces of its own, since some environments draw from theirs.
    """
    memo = {id(env.unwrapped.spec): env.unwrapped.spec} | without_copies(env) | with_views(sharing(env))
    copied = _copied(env, memo, left_out(env))
    _stop_drawing(copied)
    return copied


def sharing(env: Any) -> list[list[Any]]:
    """The arrays of numpy that show the memory of one, which comes first, wherever an environment holds several."""
    groups: dict[int, list[Any]] = {}
    for item in held(env):
        if type(item) is np.ndarray and not item.dtype.hasobject:
            root = item
            while isinstance(root.base, np.ndarray):
                root = root.base
            if root.base is None:
                groups.setdefault(id(root), [root]).append(item)
    return [group for group in groups.values() if len(group) > 2]


def with_views(groups: list[list[Any]]) -> dict[int, Any]:
    """Copies of arrays that share memory, by the id of the original: they share a copy of that memory."""
    memo = {}
    for root, *views in groups:
        memory = root.ravel(order="K").view(np.uint8).copy()
        for view in views:
            first = view.ctypes.data - root.ctypes.data
            memo[id(view)] = np.ndarray(view.shape, view.dtype, memory, first, view.strides)
            memo[id(view)].flags.writeable = view.flags.writeable
    return memo


def _shared(env: Any) -> dict[int, Any]:
    base = env.unwrapped
    return {id(part): part for part in (base.action_space, base.observation_space, base.spec)}


def _copied(env: Any, memo: dict[int, Any], without: Sequence[Any] = ()) -> Any:
    """A deep copy without some wrappers, in which functions that use the environment itself use the copy.

    Copies share functions, so that `lambda observation: self.render()` would go on with the original.
    """
    layers, cells = {id(layer): layer for layer in layers_of(env)}, []
    for layer in layers.values():
        for function in vars(layer).values():
            if isinstance(function, types.FunctionType) and function.__closure__:
                own = [_content(cell) for cell in function.__closure__]
                closure = [
                    types.CellType() if number in layers else cell
                    for number, cell in zip(own, function.__closure__, strict=True)
                ]
                cells += [(cell, number) for cell, number in zip(closure, own, strict=True) if number in layers]
                memo[id(function)] = _with_closure(function, closure)
    for layer in reversed(without):
        memo[id(layer)] = copy.deepcopy(layer.env, memo)
    copied = copy.deepcopy(env, memo)
    for cell, number in cells:
        cell.cell_contents = memo[number]
    if copied.unwrapped.spec is None:  # made anew by its arguments, as EzPickle does
        copied.unwrapped.spec = env.unwrapped.spec
    return copied


def _content(cell: types.CellType) -> int | None:
    try:
        return id(cell.cell_contents)
    except ValueError:  # it is empty
        return None


def _with_closure(function: types.FunctionType, closure: Sequence[types.CellType]) -> types.FunctionType:
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, tuple(closure)
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _stop_drawing(env: Any) -> None:
    """Let a copy of an environment that is shown in a window neither draw nor close it.

    Pictures in other modes stay, since they may be observed.
    """
    base = env.unwrapped
    if base.render_mode != "human":
        return
    base.render = base.close = _do_nothing
    with suppress(AttributeError):  # a property
        base.render_mode = None
    if isinstance(base, EzPickle):  # whose copies are made by the arguments
        base._ezpickle_args = tuple(map(_not_human, base._ezpickle_args))
        base._ezpickle_kwargs = {key: _not_human(value) for key, value in base._ezpickle_kwargs.items()}


def _do_nothing() -> None:
    return None


def _not_human(argument: Any) -> Any:
    return None if isinstance(argument, str) and argument == "human" else argument


def by_make(env: Any) -> Callable[[], Any]:
    """Makes others by the specification of an environment, as `headless_copy` copies it.

    Raises:
        ValueError: when it is called, since gymnasium.make fails.
    """
    spec = copy.copy(env.spec)
    spec.kwargs = {key: value for key, value in spec.kwargs.items() if (key, value) != ("render_mode", "human")}
    drawing: Container[Any] = DRAWING
    spec.additional_wrappers = tuple(
        wrapper for wrapper in spec.additional_wrappers if load_env_creator(wrapper.entry_point) not in drawing
    )

    def make() -> Any:
        try:
            return without_transparent(gymnasium.make(spec))
        except Exception as error:
            raise ValueError(f"env={env}: must be one that gymnasium.make() makes ({error_text(error)})") from error

    return make
