"""The noise of an environment: what follows its np_random, and what a plan would know beforehand."""

import functools
import pickle
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bonspiel.envs.snapshot.objects import bit_generator, generators, is_generator, like
from bonspiel.envs.snapshot.wrappers import layers_of
from bonspiel.planners.model import Rng


def reseed(env: Any, seed: int) -> None:
    """Let the noise of the next step follow a seed."""
    set_noise(env, np.random.default_rng(seed).bit_generator.state)


def set_noise(env: Any, state: Any) -> None:
    """Bring np_random into a state: the generator itself, since parts of the environment may hold it."""
    base = env.unwrapped
    name = state["bit_generator"]
    if type(bit_generator(base.np_random)).__name__ != name or isinstance(base.np_random, np.random.RandomState):
        base.np_random = like(base.np_random, np.random.Generator(getattr(np.random, name)()))
    bit_generator(base.np_random).state = state


def take_noise(env: Any, rng: Rng) -> None:
    """Bring `rng` to where np_random is."""
    own = bit_generator(env.unwrapped.np_random)
    if own is not rng.bit_generator:
        rng.bit_generator.state = own.state


def rewinder(generator: Any) -> Callable[[], Any]:
    """Brings a generator back to where it is now."""
    if isinstance(generator, np.random.Generator):
        return functools.partial(setattr, generator.bit_generator, "state", generator.bit_generator.state)
    if isinstance(generator, np.random.RandomState):
        return functools.partial(generator.set_state, generator.get_state())
    return functools.partial(generator.setstate, generator.getstate())


class OtherNoise:
    """The generators that a step of an environment may draw from in addition to np_random, and whether it does.

    Args:
        env: after a reset.
    """

    def __init__(self, env: Any) -> None:
        own = bit_generator(env.unwrapped.np_random)
        self.reads: list[tuple[str, Callable[[], Any]]] = [
            ("a generator of its own", functools.partial(pickle.dumps, generator))
            for generator in (*generators(env), *of_its_modules(env))
            if bit_generator(generator) is not own
        ]
        self.reads += [("a space, by sample()", functools.partial(pickle.dumps, one)) for one in of_its_spaces(env)]
        self.reads.append(("the global generator of numpy.random", _numpys_state))
        self.reads.append(("the global generator of random", random.getstate))
        self.before: list[Any] = []

    def begin(self) -> None:
        """Note the states before a step."""
        self.before = [read() for _, read in self.reads]

    def drawn_from(self) -> str | None:
        """Name a generator that has moved since; None if none has."""
        moved = [name for (name, read), before in zip(self.reads, self.before, strict=True) if read() != before]
        return moved[0] if moved else None


def _numpys_state() -> tuple[Any, ...]:
    _, key, *rest = np.random.get_state()  # noqa: NPY002 - it is only read
    return np.asarray(key).tobytes(), *rest


def of_its_spaces(env: Any) -> list[Any]:
    """The generators of the spaces of an environment and of its wrappers, and of their parts."""
    found: dict[int, Any] = {}
    waiting = [space for layer in layers_of(env) for space in (layer.action_space, layer.observation_space)]
    while waiting:
        space = waiting.pop()
        found[id(space)] = space.np_random
        parts = getattr(space, "spaces", ())
        waiting += parts.values() if isinstance(parts, Mapping) else parts
    return list(found.values())


def of_its_modules(env: Any) -> list[Any]:
    """The generators that belong to the classes of an environment and of its wrappers, or to their modules."""
    found: dict[int, Any] = {}
    for cls in {cls: None for layer in layers_of(env) for cls in type(layer).__mro__}:
        own = vars(cls)
        module = getattr(own.get("step"), "__globals__", {})
        found |= {id(item): item for item in (*own.values(), *module.values()) if is_generator(item)}
    return list(found.values())
