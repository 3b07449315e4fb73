"""Rewards and ends of Gymnasium's MuJoCo environments (version 5) for many sequences of actions at once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.model import Array

Bools = NDArray[np.bool_]
Seen = dict[str, Array]
Outcome = tuple[Array, Bools]


class SequenceReward(NamedTuple):
    """The rewards and ends that `step` of an environment computes from the states of its simulator.

    Attributes:
        function: takes (env, seen, actions) and returns rewards and ends, [n, steps] each. `env` is the innermost
            environment, for its parameters; seen["qpos"], [n, steps + 1, nq], has the positions before the first step
            and after every one; actions, [n, steps, nu], are as `step` takes them.
        fields: of MjData, which `seen` has.
    """

    function: Callable[[Any, Seen, Array], Outcome]
    fields: tuple[str, ...] = ("qpos", "qvel")


def _forward(env: Any, x: Array, actions: Array) -> Array:
    """The reward of the speed along x, [n, steps + 1], without the cost of the actions."""
    speed: Array = np.diff(x, axis=1) / env.dt
    return env._forward_reward_weight * speed - env._ctrl_cost_weight * np.square(actions).sum(-1)


def _within(values: Array, bounds: tuple[float, float]) -> Bools:
    within: Bools = (values > bounds[0]) & (values < bounds[1])
    return within


def _alive(env: Any, rewards: Array, healthy: Bools) -> Outcome:
    return rewards + env._healthy_reward * healthy, ~healthy & env._terminate_when_unhealthy


def _endless(env: Any, seen: Seen, actions: Array) -> Outcome:
    rewards = _forward(env, seen["qpos"][..., 0], actions)
    return rewards, np.zeros(rewards.shape, bool)


def _hopper(env: Any, seen: Seen, actions: Array) -> Outcome:
    places, speeds = seen["qpos"][:, 1:], seen["qvel"][:, 1:]
    healthy = _within(places[..., 1], env._healthy_z_range) & _within(places[..., 2], env._healthy_angle_range)
    for values in (places[..., 2:], speeds):
        healthy &= _within(values, env._healthy_state_range).all(-1)
    return _alive(env, _forward(env, seen["qpos"][..., 0], actions), healthy)


def _walker(env: Any, seen: Seen, actions: Array) -> Outcome:
    places = seen["qpos"][:, 1:]
    healthy = _within(places[..., 1], env._healthy_z_range) & _within(places[..., 2], env._healthy_angle_range)
    return _alive(env, _forward(env, seen["qpos"][..., 0], actions), healthy)


def _ant(env: Any, seen: Seen, actions: Array) -> Outcome:
    places, speeds = seen["qpos"][:, 1:], seen["qvel"][:, 1:]
    low, high = env._healthy_z_range
    healthy = np.isfinite(places).all(-1) & np.isfinite(speeds).all(-1)
    healthy &= (places[..., 2] >= low) & (places[..., 2] <= high)
    rewards = _forward(env, seen["xpos"][:, :, env.data.body(env._main_body).id, 0], actions)
    forces = np.square(np.clip(seen["cfrc_ext"][:, 1:], *env._contact_force_range)).sum((-1, -2))
    return _alive(env, rewards - env._contact_cost_weight * forces, healthy)


def _humanoid(env: Any, seen: Seen, actions: Array) -> Outcome:
    masses = env.model.body_mass
    rewards = _forward(env, seen["xipos"][..., 0] @ masses / masses.sum(), actions.astype(np.float64))
    forces = env._contact_cost_weight * np.square(seen["cfrc_ext"][:, 1:]).sum((-1, -2))
    healthy = _within(seen["qpos"][:, 1:, 2], env._healthy_z_range)
    return _alive(env, rewards - np.clip(forces, *env._contact_cost_range), healthy)


def _reacher(env: Any, seen: Seen, actions: Array) -> Outcome:
    finger, target = (seen["xpos"][:, 1:, env.data.body(name).id] for name in ("fingertip", "target"))
    rewards = -env._reward_dist_weight * np.linalg.norm(finger - target, axis=-1)
    rewards = rewards - env._reward_control_weight * np.square(actions).sum(-1)
    return rewards, np.zeros(rewards.shape, bool)


def _inverted_pendulum(env: Any, seen: Seen, actions: Array) -> Outcome:
    places, speeds = seen["qpos"][:, 1:], seen["qvel"][:, 1:]
    finite = np.isfinite(places).all(-1) & np.isfinite(speeds).all(-1)
    standing = finite & (np.abs(places[..., 1]) <= 0.2)
    return standing.astype(np.float64), ~standing


def _inverted_double_pendulum(env: Any, seen: Seen, actions: Array) -> Outcome:
    (x, y), speeds = np.moveaxis(seen["site_xpos"][:, 1:, 0, ::2], -1, 0), seen["qvel"][:, 1:]
    standing = y > 1.0
    penalty = 0.01 * x**2 + (y - 2.0) ** 2 + 1e-3 * speeds[..., 1] ** 2 + 5e-3 * speeds[..., 2] ** 2
    return env._healthy_reward * standing - penalty, ~standing


_PACKAGE = "gymnasium.envs.mujoco"

REWARDS: dict[str, SequenceReward] = {
    f"{_PACKAGE}.ant_v5:AntEnv": SequenceReward(_ant, ("qpos", "qvel", "xpos", "cfrc_ext")),
    f"{_PACKAGE}.half_cheetah_v5:HalfCheetahEnv": SequenceReward(_endless, ("qpos",)),
    f"{_PACKAGE}.hopper_v5:HopperEnv": SequenceReward(_hopper),
    f"{_PACKAGE}.humanoid_v5:HumanoidEnv": SequenceReward(_humanoid, ("qpos", "xipos", "cfrc_ext")),
    f"{_PACKAGE}.inverted_double_pendulum_v5:InvertedDoublePendulumEnv": SequenceReward(
        _inverted_double_pendulum, ("qvel", "site_xpos")
    ),
    f"{_PACKAGE}.inverted_pendulum_v5:InvertedPendulumEnv": SequenceReward(_inverted_pendulum),
    f"{_PACKAGE}.reacher_v5:ReacherEnv": SequenceReward(_reacher, ("xpos",)),
    f"{_PACKAGE}.swimmer_v5:SwimmerEnv": SequenceReward(_endless, ("qpos",)),
    f"{_PACKAGE}.walker2d_v5:Walker2dEnv": SequenceReward(_walker, ("qpos",)),
}
"""By "module:Class", subclasses not included; add yours, if its `step` only steps MuJoCo, without noise.

What they give is compared with single steps when a model is made.
"""
