"""The objects that an environment holds, at any depth, found without copying it."""

import gc
import logging
import random
import subprocess
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from bonspiel.planners.model import Rng

DRAWING = {"pygame", "pyglet", "matplotlib", "glfw", "tkinter", "_tkinter", "cv2", "OpenGL", "moderngl"}
RENDERING = {"mujoco.renderer", "mujoco._render", "gymnasium.envs.mujoco.mujoco_rendering"}
GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
NOT_HELD = (
    *(type, types.CodeType, types.FrameType, types.BuiltinFunctionType, np.dtype, type(None)),
    *(spaces.Space, EnvSpec, logging.Logger),
)
"""Types of objects that all environments of a kind share."""
PLAIN = (int, float, complex, str, bytes, np.generic)
"""Types that hold no other object."""


def held(env: Any, left_out: tuple[type, ...] = (*NOT_HELD, *PLAIN)) -> Iterator[Any]:
    """The environment and all that it holds through attributes, containers, closures and bound methods, each once."""
    seen, waiting = {id(env)}, [env]
    while waiting:
        item = waiting.pop()
        yield item
        for part in parts_of_object(item):
            if id(part) not in seen and not isinstance(part, left_out):
                seen.add(id(part))
                waiting.append(part)


def parts_of_object(item: Any) -> list[Any]:
    """The objects that an object holds, without the globals of functions and the contents of modules."""
    if isinstance(item, types.ModuleType):
        return []
    if hasattr(type(item), "__globals__"):  # a function, of Python or Cython: not its module
        return [item.__closure__, item.__defaults__, item.__kwdefaults__]
    if isinstance(item, np.ndarray):
        objects = item.ravel().tolist() if item.dtype.hasobject else []
        return [*objects, *gc.get_referents(item)]  # the latter of subclasses, such as masks
    return gc.get_referents(item)


def generators(env: Any) -> list[Any]:
    """All random generators that an environment holds."""
    return [item for item in held(env) if is_generator(item)]


def is_generator(item: Any) -> bool:
    """True for generators with a state, of numpy and of Python."""
    return isinstance(item, GENERATORS) and not isinstance(item, random.SystemRandom)


def bit_generator(generator: Any) -> Any:
    """The BitGenerator of a generator of numpy; None for Python's."""
    return getattr(generator, "bit_generator", None) or getattr(generator, "_bit_generator", None)


def like(generator: Any, rng: Rng) -> Any:
    """`rng` itself; where `generator` is a RandomState, as in dm_control, another one with the bits of `rng`.

    Always a new one, since a RandomState keeps half of the normal numbers that it drew in pairs.
    """
    return np.random.RandomState(rng.bit_generator) if isinstance(generator, np.random.RandomState) else rng


def reaches_outside(env: Any) -> bool:
    """True if an environment holds an open file, a connection or a process."""
    return any(hasattr(type(item), "fileno") or isinstance(item, subprocess.Popen) for item in held(env))


def without_copies(env: Any) -> dict[int, Any]:
    """What stands in a copy, by id, for what cannot be copied: None for windows and surfaces, a module for itself."""
    return {id(item): None if is_drawn_with(item) else item for item in held(env) if _is_left_out(item)}


def _is_left_out(item: Any) -> bool:
    return isinstance(item, types.ModuleType) or (is_drawn_with(item) and not _can_be_copied(item))


def is_drawn_with(item: Any) -> bool:
    """Return whether an object belongs to a library that draws."""
    modules = (getattr(cls, "__module__", None) for cls in type(item).__mro__)  # a class of SWIG has none
    return any(str(module).partition(".")[0] in DRAWING or module in RENDERING for module in modules)


def _can_be_copied(item: Any) -> bool:
    try:
        return hasattr(item, "__deepcopy__") or bool(item.__reduce_ex__(4))
    except Exception:  # TypeError, or what its library raises
        return False


def size(env: Any, other: Any = None) -> int:
    """About how many bytes a copy of an environment adds to another one, with which it may share constants."""
    shared = {id(item) for item in held(other, NOT_HELD)}
    items = (item for item in held(env, NOT_HELD) if id(item) not in shared)
    return sum(map(_own_size, items))


def _own_size(item: Any) -> int:
    if is_simulator(item, "MjData") or is_simulator(item, "MjModel"):  # its stack is hardly ever touched
        return sys.getsizeof(item) + item.nbuffer + getattr(item, "maxuse_arena", 0)
    return item.nbytes if hasattr(type(item), "nbytes") else sys.getsizeof(item)


def is_simulator(item: Any, name: str) -> bool:
    """Return whether an object is MuJoCo's own of a type."""
    return type(item).__name__ == name and type(item).__module__.partition(".")[0] == "mujoco"
