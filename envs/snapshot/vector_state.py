"""The whole state of an environment as a vector of fixed length, written back where a step begins elsewhere."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bonspiel.envs.snapshot.form import shown
from bonspiel.envs.snapshot.objects import like
from bonspiel.envs.snapshot.places import fits
from bonspiel.envs.snapshot.wrappers import is_stateless, layers_of
from bonspiel.planners.model import Array, Rng

Read = Callable[[Any], Any]
Write = Callable[[Any, Array], None]
Check = Callable[[Any], None]
PartOf = Callable[[Any], Any]

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


def innermost(env: Any) -> Any:
    """The environment inside of all wrappers."""
    return env.unwrapped


class VectorState:
    """See `Storage`; a step from the state that the step before led to needs no restoring.

    Args:
        name: see `Storage`.
        fresh: makes copies of the environment.
        env: a copy after a reset, to take steps with.
        read: the state of a part, one dimension.
        write: sets it, (part, state).
        part: what `read` and `write` take of an environment.
        check: raises a ValueError if an environment holds a state that `read` lacks.
    """

    def __init__(
        self,
        name: str,
        fresh: Callable[[], Any],
        env: Any,
        read: Read,
        write: Write,
        part: PartOf = innermost,
        check: Check | None = None,
    ) -> None:
        self.name, self.fresh, self.read, self.write, self.part_of, self.check = name, fresh, read, write, part, check
        self.env, self.base, self.part = env, env.unwrapped, part(env)
        self.is_legacy = isinstance(self.base.np_random, np.random.RandomState)
        self.width = len(read(self.part))
        self.current = b""

    def __getstate__(self) -> dict[str, Any]:
        """Without the part, which is found again in the copy of the environment."""
        return {name: value for name, value in vars(self).items() if name != "part"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Find it."""
        vars(self).update(state)
        self.part = self.part_of(self.env)

    def observe(self, env: Any, number: float, out: Array) -> None:
        """See `Storage`."""
        if self.check is not None:
            self.check(self.env)  # in which searches took steps
            self.check(env)
        out[:] = self.read(self.part_of(env))

    def load(self, snapshot: Array, rng: Rng) -> Any:
        """See `Storage`."""
        if snapshot.tobytes() != self.current:
            self.write(self.part, snapshot)
        self.current = b""
        self.base.np_random = like(self.base.np_random, rng) if self.is_legacy else rng
        return self.env

    def save(self, env: Any, rng: Rng, out: Array) -> None:
        """See `Storage`."""
        rng.random()  # the number of a snapshot in the other ways, which thus give the same decisions
        out[:] = self.read(self.part)
        self.current = out.tobytes()


def by_get_state(fresh: Callable[[], Any], env: Any) -> VectorState | None:
    """By the `get_state` and `set_state` of the outermost layer that has both, if its states are numeric.

    The layers around it must be known to have no state.
    """
    base = _keeper(env)
    if base is None or not is_stateless(env, base):
        return None
    try:
        example = np.asarray(base.get_state())
    except Exception:  # a method of another purpose, or one that is not implemented
        return None
    if not (np.issubdtype(example.dtype, np.number) and np.can_cast(example.dtype, np.float64) and fits(example)):
        return None

    def read(base: Any) -> list[float]:
        value = np.asarray(base.get_state())
        if not fits(value):
            raise ValueError(f"get_state()={shown(value)}: must be numbers that float64 holds exactly, or none at all")
        return _coded(value)

    def write(base: Any, state: Array) -> None:
        base.set_state(_decoded(state, example.shape))

    return VectorState("get_state", fresh, env, read, write, _keeper)


def _keeper(env: Any) -> Any:
    keeps = (layer for layer in layers_of(env) if hasattr(layer, "get_state") and hasattr(layer, "set_state"))
    return next(keeps, None)


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
