"""What an environment holds, and what it only knows."""

import functools
import logging
import types
from collections import deque

import numpy as np
import pytest

from bonspiel.envs.snapshot.objects import generators, held, size
from tests.envs.snapshot.toys import Noisy


class Slotted:
    __slots__ = ("inside",)

    def __init__(self, inside):
        self.inside = inside


WAYS = {
    "an attribute": lambda item: types.SimpleNamespace(item=item),
    "slots": Slotted,
    "containers": lambda item: [{"a": ({1: deque([item])},)}],
    "a closure": lambda item: lambda: item,
    "a default": lambda item: lambda given=item: given,
    "a bound method": lambda item: item.normal,
    "a partial function": lambda item: functools.partial(print, item),
    "an array of objects": lambda item: np.array([[None, item]], object),
    "a loop": lambda item: (lambda loop: loop.append(loop) or loop)([item]),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_generator_is_found_wherever_it_is_held(way):
    env, generator = Noisy(), np.random.default_rng(0)
    assert generators(env) == []
    env.part = way(generator)
    assert generators(env) == [generator]


@pytest.mark.parametrize("known", [logging.getLogger(), np.random.default_rng(0).normal, lambda: None, logging, Noisy])
def test_what_is_shared_is_not_held(known):
    env = Noisy()
    env.part = known
    assert len(list(held(env))) < 40 and size(env) < 10_000
