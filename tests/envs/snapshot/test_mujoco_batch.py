"""Many sequences of actions at once in Gymnasium's environments of MuJoCo: what single steps come to."""

import copy

import cloudpickle
import gymnasium
import joblib
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.envs.mujoco.inverted_pendulum_v5 import InvertedPendulumEnv

from bonspiel import envs, planners
from bonspiel.envs.snapshot import mujoco_batch
from bonspiel.envs.snapshot.model import GymnasiumModel
from bonspiel.envs.snapshot.mujoco_batch import MujocoModel, threads_allowed, with_sequences
from bonspiel.envs.snapshot.mujoco_rewards import REWARDS, SequenceReward
from bonspiel.envs.snapshot.mujoco_state import by_mujoco, by_mujoco_and_attributes
from bonspiel.envs.snapshot.wrappers import without_transparent

ENDLESS = {"HalfCheetah", "Reacher", "Swimmer"}
ENDING = {"Ant", "Hopper", "Humanoid", "InvertedDoublePendulum", "InvertedPendulum", "Walker2d"}


def unchecked(env, cls=GymnasiumModel):
    """A model without the checks of from_gymnasium, which take a second."""

    def fresh():
        copied = without_transparent(copy.deepcopy(env))
        copied.reset(seed=0)
        return copied

    storage = by_mujoco(fresh, fresh()) or by_mujoco_and_attributes(fresh, fresh())
    return cls(storage, env.action_space, env.observation_space, 100, 1.0)


def state_after(model, steps, rng):
    """A state after random steps."""
    state, after, action = model.initial_state(rng), np.empty(model.state_dim), np.empty(len(model.action_low))
    for _ in range(steps):
        model.sample_action(state, action, model.params, rng)
        _, ended = model.step(state, action, after, model.params, rng)
        if ended:
            return state
        state[:] = after
    return state


def singly(model, state, actions, rng):
    rewards, lengths, after = np.zeros(actions.shape[:2]), [], np.empty(model.state_dim)
    for i, sequence in enumerate(actions):
        now = state.copy()
        for t, action in enumerate(sequence):
            rewards[i, t], ended = model.step(now, action, after, model.params, rng)
            now[:] = after
            if ended:
                break
        lengths.append(t + 1)
    return rewards, lengths


def sequences(model, n, steps, rng, width=1.1):
    """Some actions are beyond the bounds."""
    middle, half = (model.action_low + model.action_high) / 2, (model.action_high - model.action_low) / 2
    return middle + width * half * rng.uniform(-1.0, 1.0, (n, steps, len(half)))


def make(name, **parameters):
    return gymnasium.make(f"{name}-v5", **parameters)


@pytest.mark.parametrize("name", sorted(ENDLESS | ENDING))
def test_rewards_are_those_of_single_steps(name):
    model, rng, lengths = unchecked(make(name), MujocoModel), np.random.default_rng(0), []
    for steps in (0, 7):
        state, actions = state_after(model, steps, rng), sequences(model, 6, 31, rng)
        first, second = np.random.default_rng(1), np.random.default_rng(1)
        found = model.sequence_returns(state, actions, model.params, first)
        expected, taken = singly(model, state, actions, second)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        assert first.random() == second.random(), "searches go on with the same random numbers"
        lengths += taken
    assert (min(lengths) < 31) == (name in ENDING)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("Ant", {"healthy_z_range": (0.5, 0.8), "contact_force_range": (-3.0, 0.5), "main_body": "torso"}),
        ("Hopper", {"healthy_state_range": (-2.0, 2.0), "healthy_reward": 3.0}),
        ("Humanoid", {"contact_cost_weight": 1e-3, "contact_cost_range": (0.5, 2.0)}),
        ("Reacher", {"reward_dist_weight": 2.0, "reward_control_weight": 0.3, "frame_skip": 3}),
        ("Walker2d", {"terminate_when_unhealthy": False, "healthy_z_range": (1.2, 1.25)}),
    ],
)
def test_parameters_of_an_environment_count(name, parameters):
    model, rng = unchecked(make(name, **parameters), MujocoModel), np.random.default_rng(3)
    state, actions = state_after(model, 2, rng), sequences(model, 4, 12, rng)
    found, (expected, _) = model.sequence_returns(state, actions, model.params, rng), singly(model, state, actions, rng)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    plain = unchecked(make(name), MujocoModel)
    assert np.abs(plain.sequence_returns(state, actions, plain.params, rng) - found).max() > 1e-3


def test_threads_and_their_shares_change_nothing(monkeypatch):
    model, rng = unchecked(make("Hopper"), MujocoModel), np.random.default_rng(0)
    state, actions, found = state_after(model, 5, rng), sequences(model, 11, 40, rng), []
    for threads, rows in ((1, 256), (3, 256), (2, 2), (16, 1)):
        monkeypatch.setattr(mujoco_batch, "threads_allowed", lambda threads=threads: threads)
        monkeypatch.setattr(mujoco_batch, "ROWS", rows)
        found.append(model.sequence_returns(state, actions, model.params, rng))
        assert len(model._data) >= min(threads, 11)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize(("limit", "threads"), [(None, 6), ("", 6), ("2", 2), ("64", 6), ("0", 1), ("4,2", 6)])
def test_threads_are_the_cores_of_the_job(limit, threads, monkeypatch):
    monkeypatch.setattr(joblib, "cpu_count", lambda: 6)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if limit is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert threads_allowed() == threads


def test_planners_decide_as_by_single_steps():
    env, decisions = make("HalfCheetah"), []
    batched = envs.from_gymnasium(env)
    assert isinstance(batched, MujocoModel) and batched.rejected == []
    state = batched.initial_state(np.random.default_rng(1))
    for model in (batched, unchecked(env)):
        planner, rng = planners.parse("icem:lookahead=8,population=10,rounds=2"), np.random.default_rng(2)
        decisions.append(planner.plan(model, state, planners.Budget(simulations=25), rng))
    np.testing.assert_array_equal(decisions[0].action, decisions[1].action)
    assert decisions[0].value == decisions[1].value


class Doubled(InvertedPendulumEnv):
    """Another reward."""

    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, 2.0 * reward, *rest


def doubled(env, seen, actions):
    standing = np.abs(seen["qpos"][:, 1:, 1]) <= 0.2
    return 2.0 * standing, ~standing


KEY = f"{__name__}:Doubled"
KNOWN = {
    "an observation": (lambda: wrappers.FlattenObservation(make("Reacher")), True),
    "another action": (lambda: wrappers.RescaleAction(make("Reacher"), np.float32(-0.5), np.float32(0.5)), False),
    "another reward": (lambda: wrappers.TransformReward(make("Reacher"), abs), False),
    "a subclass": (Doubled, False),
}


@pytest.mark.parametrize(("env", "known"), KNOWN.values(), ids=KNOWN)
def test_only_a_known_reward_is_taken(env, known):
    model = with_sequences(unchecked(env()))
    assert (getattr(model, "sequence_returns", None) is not None) == known and model.rejected == []


def test_own_rewards_can_be_added(monkeypatch):
    monkeypatch.setitem(REWARDS, KEY, SequenceReward(doubled, ("qpos",)))
    model, rng = with_sequences(unchecked(Doubled())), np.random.default_rng(0)
    assert model.sequence_returns(model.initial_state(rng), np.zeros((1, 2, 1)), model.params, rng).tolist() == [[2, 2]]


@pytest.mark.parametrize(
    ("function", "reason"),
    [(lambda env, seen, actions: (1.0 / 0.0, seen), "ZeroDivisionError"), (doubled, "as the mean of single steps")],
)
def test_a_wrong_reward_is_not_taken_and_named(function, reason, monkeypatch):
    key = "gymnasium.envs.mujoco.inverted_pendulum_v5:InvertedPendulumEnv"
    monkeypatch.setitem(REWARDS, key, SequenceReward(function))
    model = with_sequences(unchecked(make("InvertedPendulum")))
    assert not hasattr(model, "sequence_returns") and len(model.rejected) == 1
    assert reason in model.rejected[0]


def test_copies_for_workers_leave_simulators_out():
    model, rng = unchecked(make("InvertedPendulum"), MujocoModel), np.random.default_rng(0)
    state, actions = model.initial_state(rng), sequences(model, 3, 5, rng)
    found = model.sequence_returns(state, actions, model.params, rng)
    assert len(model._data) > 0
    for other in (cloudpickle.loads(cloudpickle.dumps(model)), copy.deepcopy(model)):
        assert other._data is None
        np.testing.assert_array_equal(other.sequence_returns(state, actions, model.params, rng), found)
