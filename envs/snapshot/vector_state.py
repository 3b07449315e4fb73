"""The whole state of an environment as a vector of fixed length, written back where a step begins elsewhere."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bonspiel.planners.model import Array, Rng

Read = Callable[[Any], Any]
Write = Callable[[Any, Array], None]

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "gymnasium.envs.classic_control.acrobot:AcrobotEnv": ("state",),
    "gymnasium.envs.classic_control.cartpole:CartPoleEnv": ("state", "steps_beyond_terminated"),
    "gymnasium.envs.classic_control.continuous_mountain_car:Continuous_MountainCarEnv": ("state",),
    "gymnasium.envs.classic_control.mountain_car:MountainCarEnv": ("state",),
    "gymnasium.envs.classic_control.pendulum:PendulumEnv": ("state",),
}
"""Attributes that are the whole state of an environment, by "module:Class", subclasses not included; add yours.

Each is a number, an array of constant shape, or None. What a picture alone shows, such as Pendulum's `last_u`, is left
out.
"""

BODY_POSITIONS = ("xpos", "xipos")  # of MjData: rewards read them before a step, one substep older than the state


class VectorState:
    """See `Storage`; a step from the state that the step before led to needs no restoring.

    Args:
        name: see `Storage`.
        fresh: makes copies of the environment.
        env: a copy after a reset, to take steps with.
        read: the state of the innermost environment, one dimension.
        write: sets it, (innermost environment, state).
    """

    def __init__(self, name: str, fresh: Callable[[], Any], env: Any, read: Read, write: Write) -> None:
        self.name, self.fresh, self.read, self.write = name, fresh, read, write
        self.env, self.base = env, env.unwrapped
        self.width = len(read(self.base))
        self.current = b""

    def observe(self, env: Any, number: float, out: Array) -> None:
        """See `Storage`."""
        out[:] = self.read(env.unwrapped)

    def load(self, snapshot: Array, rng: Rng) -> Any:
        """See `Storage`."""
        if snapshot.tobytes() != self.current:
            self.write(self.base, snapshot)
        self.current = b""
        self.base.np_random = rng
        return self.env

    def save(self, env: Any, rng: Rng, out: Array) -> None:
        """See `Storage`."""
        rng.random()  # the number of a snapshot in the other ways, which thus give the same decisions
        out[:] = self.read(self.base)
        self.current = out.tobytes()


def by_get_state(fresh: Callable[[], Any], env: Any) -> VectorState | None:
    """By the environment's own `get_state` and `set_state`, if it has both and its states are numeric."""
    base = env.unwrapped
    if not (hasattr(base, "get_state") and hasattr(base, "set_state")):
        return None
    try:
        example = np.asarray(base.get_state())
    except Exception:  # a method of another purpose, or one that is not implemented
        return None
    if not (np.issubdtype(example.dtype, np.number) and np.can_cast(example.dtype, np.float64)):
        return None

    def read(base: Any) -> list[float]:
        return _coded(base.get_state())

    def write(base: Any, state: Array) -> None:
        base.set_state(_decoded(state, example.shape))

    return VectorState("get_state", fresh, env, read, write)


def by_mujoco(fresh: Callable[[], Any], env: Any) -> VectorState | None:
    """By MuJoCo's state calls, for environments whose state is that of `base.data`."""
    base = env.unwrapped
    if type(getattr(base, "data", None)).__name__ != "MjData":
        return None
    import mujoco

    kind = mujoco.mjtState.mjSTATE_INTEGRATION  # everything that the next step depends on, warm starts included
    size = mujoco.mj_stateSize(base.model, kind)
    parts, last = {}, size
    for name in BODY_POSITIONS:
        first, last = last, last + getattr(base.data, name).size
        parts[name] = slice(first, last)
    state = np.empty(last)

    def read(base: Any) -> Array:
        mujoco.mj_getState(base.model, base.data, state[:size], kind)
        for name, part in parts.items():
            state[part] = getattr(base.data, name).ravel()
        return state

    def write(base: Any, saved: Array) -> None:
        data = base.data
        mujoco.mj_setState(base.model, data, saved[:size], kind)
        mujoco.mj_forward(base.model, data)  # what rewards read besides before a step, such as contact forces
        for name, part in parts.items():
            field = getattr(data, name)
            field[:] = saved[part].reshape(field.shape)

    return VectorState("MuJoCo", fresh, env, read, write)


def by_attributes(fresh: Callable[[], Any], env: Any) -> VectorState | None:
    """By the attributes that ATTRIBUTES names."""
    base = env.unwrapped
    names = ATTRIBUTES.get(f"{type(base).__module__}:{type(base).__qualname__}")
    if names is None:
        return None
    shapes = {name: np.shape(getattr(base, name)) for name in names}

    def read(base: Any) -> list[float]:
        values: list[float] = []
        for name in names:
            values += _coded(getattr(base, name))
        return values

    def write(base: Any, state: Array) -> None:
        first = 0
        for name, shape in shapes.items():
            last = first + 1 + math.prod(shape)
            setattr(base, name, _decoded(state[first:last], shape))
            first = last

    return VectorState("attributes", fresh, env, read, write)


def _coded(value: Any) -> list[float]:
    """A number, an array or None as a vector: its number type in front, since some environments change it."""
    if value is None:
        return [0.0, 0.0]
    array = np.asarray(value)
    return [ord(array.dtype.char), *(array if array.ndim == 1 else array.ravel()).tolist()]


def _decoded(coded: Array, shape: tuple[int, ...]) -> Any:
    code = int(coded[0])
    if code == 0:
        return None
    values = coded[1:].astype(chr(code))
    return values if len(shape) == 1 else values.reshape(shape)[()]
