"""Environments that are slow to plan in are named, with what helps."""

import gymnasium
import pytest

from bonspiel import envs
from bonspiel.envs.snapshot.advice import advice
from tests.envs.snapshot import toys


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (lambda: envs.parse("gym:BipedalWalker-v3"), ["again", "every step of up to 1,600", "lookahead=30"]),
        (lambda: envs.parse("gym:Pendulum-v1"), ["'pendulum'", "compiled"]),
        (lambda: envs.from_gymnasium(toys.Noisy(), horizon=20), ["deep copies", "get_state()", "lookahead=20"]),
    ],
)
def test_what_is_slow_is_named_with_what_helps(model, words):
    advised = advice(model())
    for word in words:
        assert word in advised
    assert "\n" not in advised


def test_a_look_ahead_that_is_given_is_not_advised():
    assert "lookahead" not in advice(envs.parse("gym:BipedalWalker-v3:lookahead=15"))


@pytest.mark.parametrize(
    "model",
    [
        lambda: envs.parse("trap"),
        lambda: envs.parse("gym:LunarLanderContinuous-v3"),
        lambda: envs.parse("gym:Pendulum-v1:g=5.0"),
        lambda: envs.parse("gym:Pendulum-v1:horizon=50"),
        lambda: envs.from_gymnasium(toys.Restorable(), horizon=20),
        lambda: envs.from_gymnasium(gymnasium.make("InvertedPendulum-v5")),
    ],
)
def test_what_is_fast_or_has_no_twin_needs_no_advice(model):
    assert advice(model()) is None
