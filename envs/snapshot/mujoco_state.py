"""The state of an environment of MuJoCo: that of the simulator, and the numbers beside it."""

import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from bonspiel.envs.snapshot.leaves import followed
from bonspiel.envs.snapshot.objects import held, is_simulator
from bonspiel.envs.snapshot.places import REMEDY, Found, Places, UnknownStateError, is_number, moments
from bonspiel.envs.snapshot.vector_state import VectorState
from bonspiel.planners.model import Array

RESETS = 20  # tried, since some change a thing in a few episodes only
BODY_POSITIONS = ("xpos", "xipos")  # of MjData: rewards read them before a step, one substep older than the state


class MujocoState:
    """Reads and writes all of MuJoCo that the next step depends on, warm starts included.

    Args:
        data: MuJoCo's MjData, or another one of the same model.
    """

    def __init__(self, data: Any) -> None:
        import mujoco

        self.kind = mujoco.mjtState.mjSTATE_INTEGRATION
        self.size = last = mujoco.mj_stateSize(data.model, self.kind)
        self.parts = []
        for name in BODY_POSITIONS:
            first, last = last, last + getattr(data, name).size
            self.parts.append((name, slice(first, last)))
        self.state = np.empty(last)

    def read(self, data: Any) -> Array:
        """The state, valid until the next call."""
        import mujoco

        mujoco.mj_getState(data.model, data, self.state[: self.size], self.kind)
        for name, part in self.parts:
            self.state[part] = getattr(data, name).ravel()
        return self.state

    def write(self, data: Any, saved: Array) -> None:
        """Write back what `read` returned."""
        import mujoco

        model = data.model
        mujoco.mj_setState(model, data, saved[: self.size], self.kind)
        mujoco.mj_forward(model, data)  # what rewards read besides before a step, such as contact forces
        for name, part in self.parts:
            field = getattr(data, name)
            field[:] = saved[part].reshape(field.shape)


class StateParts(NamedTuple):
    """The places in one environment from which a state is read, and to which it is written.

    Attributes:
        data: MuJoCo's MjData.
        fields: arrays of its model that resets change.
        found: the numbers beside them.
    """

    data: Any
    fields: list[Array]
    found: list[Found]


def by_mujoco(fresh: Callable[[], Any], env: Any) -> VectorState | None:
    """By MuJoCo's state calls alone, for Gymnasium's own environments, whose state is that of `base.data`.

    Others may change their model, or attributes that few episodes reach: see `by_mujoco_and_attributes`.
    """
    data = getattr(env.unwrapped, "data", None)
    if not (is_simulator(data, "MjData") and type(env.unwrapped).__module__.startswith("gymnasium.envs.")):
        return None
    physics = MujocoState(data)
    return VectorState("MuJoCo", fresh, env, physics.read, physics.write, lambda env: env.unwrapped.data)


def by_mujoco_and_attributes(fresh: Callable[[], Any], env: Any) -> VectorState | None:
    """By MuJoCo's state calls, its model and attributes, wherever the environment and its wrappers hold them.

    Raises:
        UnknownStateError: something else changes.
        FailingError: a reset or a step failed.
    """
    if not any(is_simulator(item, "MjData") for item in held(env)):
        return None
    played, seen, changed = fresh(), [], set[str]()
    simulators, first = dict[int, Any](), dict[str, bytes]()
    for moment in moments(played, resets=RESETS):
        seen.append(moment)
        found = [leaf.value for leaf in moment.values() if is_simulator(leaf.value, "MjData")]
        simulators |= {id(item): item for item in found}
        if len(simulators) != 1 or not found:
            return None
        now = contents(found[0].model, first or fields_of(found[0].model))
        first = first or now
        changed |= {name for name, content in now.items() if content != first[name]}
    [data], names = simulators.values(), sorted(changed)
    first = {name: content for name, content in first.items() if name not in changed}
    if not all(isinstance(field_of(data.model, name), np.ndarray) for name in names):
        raise UnknownStateError(f"{', '.join(names)} of MuJoCo's model change, and are not all arrays")
    place = next(path for path, leaf in seen[0].items() if leaf.value is data)
    places, physics = Places(seen, next(moments(fresh()))), MujocoState(data)

    def part(env: Any) -> StateParts:
        [(container, key)] = followed(env, [place])
        data = container[key]
        return StateParts(data, [field_of(data.model, name) for name in names], places.find(env))

    def check(env: Any) -> None:
        [(container, key)] = followed(env, [place])
        _compare(env, container[key].model, first)
        places.check(env)

    def read(parts: StateParts) -> Array:
        beside = [field.ravel() for field in parts.fields]
        return np.concatenate([physics.read(parts.data), *beside, places.read(parts.found)])

    def write(parts: StateParts, state: Array) -> None:
        first = len(physics.state)
        for field in parts.fields:
            last = first + field.size
            field[...] = state[first:last].reshape(field.shape)
            first = last
        physics.write(parts.data, state)
        places.write(parts.found, state[first:].tolist())

    return VectorState("MuJoCo and attributes", fresh, env, read, write, part, check)


def field_of(model: Any, name: str) -> Any:
    """A field of a model, which may be one of its options, such as "opt.gravity"."""
    return operator.attrgetter(name)(model)


def contents(model: Any, names: Iterable[str]) -> dict[str, bytes]:
    """The bytes of some arrays and options of a model."""
    return {name: np.asarray(field_of(model, name)).tobytes() for name in names}


def _compare(env: Any, model: Any, first: dict[str, bytes]) -> None:
    """Compare fields of a model with what they were first.

    Raises:
        ValueError: one is another.
    """
    now = contents(model, first)
    if now != first:
        name = next(name for name, content in now.items() if content != first[name])
        was = "as in the first episodes, since only fields that change in these are restored"
        raise ValueError(f"env={env}: {name} of MuJoCo's model must be {was}; {REMEDY}")


def fields_of(model: Any) -> list[str]:
    """The arrays and options of a model, without its pictures, which may be large."""
    names = [name for name in dir(model) if not name.startswith("_") and name != "tex_data"]
    names += [f"opt.{name}" for name in dir(model.opt) if not name.startswith("_")]
    fields = {name: field_of(model, name) for name in names}
    return [
        name
        for name, field in fields.items()
        if (isinstance(field, np.ndarray) and field.size > 0) or (name.startswith("opt.") and is_number(field))
    ]
