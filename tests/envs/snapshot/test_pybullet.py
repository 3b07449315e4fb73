"""Environments of PyBullet go back to states that the simulator saved."""

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from tests.envs.snapshot.test_mujoco_state import assert_restored_to_the_bit

pybullet = pytest.importorskip("pybullet")


class Rolling(gymnasium.Env):
    """A robot on wheels that touches the ground, with a goal and a count of steps beside the simulator."""

    action_space = gymnasium.spaces.Box(-1.0, 1.0, (4,))
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (10,), np.float64)

    def __init__(self):
        import pybullet_data

        self.client = -1
        self.data = pybullet_data.getDataPath()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.client < 0:
            self.client = pybullet.connect(pybullet.DIRECT)
        pybullet.resetSimulation(physicsClientId=self.client)
        pybullet.setGravity(0.0, 0.0, -9.8, physicsClientId=self.client)
        pybullet.loadURDF(f"{self.data}/plane.urdf", physicsClientId=self.client)
        self.robot = pybullet.loadURDF(f"{self.data}/r2d2.urdf", [0.0, 0.0, 0.5], physicsClientId=self.client)
        self.goal, self.steps = self.np_random.normal(size=2), 0
        return self.seen(), {}

    def step(self, action):
        for joint, value in zip((2, 3, 6, 7), action, strict=True):
            pybullet.setJointMotorControl2(
                self.robot, joint, pybullet.VELOCITY_CONTROL, targetVelocity=20.0 * value, physicsClientId=self.client
            )
        pybullet.stepSimulation(physicsClientId=self.client)
        self.steps += 1
        seen = self.seen()
        return seen, -float(np.abs(seen[:2] - self.goal).sum()) - self.steps, False, False, {}

    def seen(self):
        place, turn = pybullet.getBasePositionAndOrientation(self.robot, physicsClientId=self.client)
        return np.array([*place, *turn, *pybullet.getBaseVelocity(self.robot, physicsClientId=self.client)[0]])

    def close(self):
        if self.client >= 0:
            pybullet.disconnect(self.client)


class Logged(Rolling):
    """Keeps texts, which cannot be written back."""

    def step(self, action):
        self.log = f"{getattr(self, 'log', '')}."
        return super().step(action)


@pytest.fixture
def make(monkeypatch):
    monkeypatch.setattr(gymnasium.envs.registration, "registry", {})

    def made(cls):
        gymnasium.register("Some-v0", cls, max_episode_steps=100)
        return gymnasium.make("Some-v0")

    return made


def test_states_are_restored_to_the_bit_and_only_the_way_from_the_observed_one_is_replayed(make, monkeypatch):
    env = make(Rolling)  # gets a recorder
    model = envs.from_gymnasium(env)
    assert (model.storage.name, model.rejected) == ("PyBullet", [])
    taken = []
    step = Rolling.step
    monkeypatch.setattr(Rolling, "step", lambda self, action: taken.append(self.steps) or step(self, action))
    assert_restored_to_the_bit(model, 11)
    observation, _ = env.reset(seed=3)
    for _ in range(80):
        observation, *_ = env.step(env.action_space.sample())
    state = model.observe(env, observation, 80)
    taken.clear()
    planners.parse("icem:lookahead=5").plan(model, state, planners.Budget(10), np.random.default_rng(0))
    assert min(taken) == 80 and len(taken) == 50


def test_what_cannot_be_written_back_is_replayed(make):
    model = envs.from_gymnasium(make(Logged))
    assert model.storage.name == "replay"
    assert model.rejected[0].startswith("PyBullet: env.log")


def test_saved_states_are_few(make):
    env = make(Rolling)
    model = envs.from_gymnasium(env)
    observation, _ = env.reset(seed=3)
    for steps in range(20):
        model.observe(env, observation, steps)
        observation, *_ = env.step(env.action_space.sample())
    assert len(model.storage.saved) == 16
