"""The dynamics of the classic problems against Gymnasium's own, and known answers."""

import math

import gymnasium
import numpy as np
import pytest

from envs import Pendulum


def after(model, state, action):
    """The next state, the reward and whether the episode is over."""
    following = np.full(model.state_dim, np.nan)
    result = model.step(np.array(state), np.array(action), following, model.params, np.random.default_rng(1))
    return following, *result


@pytest.mark.parametrize("g", [10.0, 3.7])
def test_pendulum_steps_as_gymnasium_does(g):
    theirs, ours, rng = gymnasium.make("Pendulum-v1", g=g).unwrapped, Pendulum(g=g), np.random.default_rng(1)
    theirs.reset(seed=1)
    for _ in range(500):
        state, torque = rng.uniform([-20.0, -8.0], [20.0, 8.0]), rng.uniform(-2.0, 2.0, 1)
        theirs.state = state
        _, reward, *_ = theirs.step(torque)
        following, earned, terminated = after(ours, [*state, 5.0], torque)
        np.testing.assert_allclose(following, [*theirs.state, 6.0], rtol=0, atol=1e-9)
        assert abs(earned - reward) < 1e-9 and not terminated


def test_mass_and_length_of_a_pendulum_by_the_equation_of_motion():
    for mass, length in ((2.0, 1.0), (1.0, 0.5)):
        (_, speed, _), *_ = after(Pendulum(mass=mass, length=length), [math.pi / 2, 0.0, 0.0], [1.0])
        inertia = mass * length**2 / 3.0  # of a rod about its end
        assert speed == pytest.approx(0.05 * (mass * 10.0 * length / 2.0 + 1.0) / inertia)


def test_pendulum_starts_as_gymnasium_does():
    states = np.array([Pendulum().initial_state(np.random.default_rng(seed)) for seed in range(300)])
    theirs = np.array([start(gymnasium.make("Pendulum-v1").unwrapped, seed) for seed in range(300)])
    np.testing.assert_allclose(states[:, :2], theirs, rtol=0, atol=1e-9)


def start(env, seed):
    env.reset(seed=seed)
    return env.state


def test_cells_of_a_pendulum_do_not_count_its_turns():
    model, hashes = Pendulum(), np.empty((3, 8), np.uint64)
    for row, angle in zip(hashes, (0.5, 0.5 + 4 * math.pi, 0.5 + math.pi), strict=True):
        model.cells(np.array([angle, 1.0, 3.0]), 0, 8, model.params, row)
    assert (hashes[0] == hashes[1]).all() and (hashes[0] != hashes[2]).sum() == 7


@pytest.mark.parametrize(
    ("make", "parameters"),
    [(Pendulum, {"g": -1.0}), (Pendulum, {"g": "abc"}), (Pendulum, {"mass": 0.0}), (Pendulum, {"length": math.inf})],
)
def test_parameters_out_of_range_are_named(make, parameters):
    ((name, _),) = parameters.items()
    with pytest.raises(ValueError, match=f"^{name}="):
        make(**parameters)
