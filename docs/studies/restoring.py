"""Steps of Gymnasium's environments in a search, beside those of an episode, where their packages are installed.

python docs/studies/restoring.py

Steps a second in sequences of 20 actions from the state after 30 steps, restored, and bare; without a planner.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from bonspiel import envs
from bonspiel.envs.snapshot.check import branch, drawn
from bonspiel.planners.model import Rng

ENVIRONMENTS = (
    *("Pendulum-v1", "HalfCheetah-v5", "LunarLander-v3", "BipedalWalker-v3"),
    *("dm_control/cartpole-swingup-v0", "dm_control/humanoid-walk-v0"),
    *("gymnasium_robotics:PointMaze_UMaze-v3", "pybullet_envs_gymnasium:HopperBulletEnv-v0"),
)
PLAYED, SEQUENCE = 30, 20  # steps of an episode, and of a sequence of actions from its end
SECONDS = 2.0  # of the processor, that a measurement takes


def installed(names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Names and models of Gymnasium's environments, without those whose packages are not installed."""
    for name in names:
        try:
            yield name, envs.parse(f"gym:{name}:horizon=1000")
        except ValueError:
            continue


def restoring() -> Iterator[tuple[str, str, float]]:
    """Environment, way of restoring or "bare", and steps a second."""
    for text, model in installed(ENVIRONMENTS):
        rng = np.random.default_rng(0)
        env = model.storage.fresh()
        steps, observation = episode(model, env, rng)
        observed = model.observe(env, observation, steps)
        way = model.storage.name
        yield text, way, rate(partial(branch, model, observed, rng, SEQUENCE))
        yield text, "bare", rate(partial(length, model, env, rng))


def rate(task: Callable[[], int]) -> float:
    """Steps per second of the processor of a task that returns its number of steps, after one run to warm up."""
    task()
    start, steps = time.process_time(), 0
    while (took := time.process_time() - start) < SECONDS:
        steps += task()
    return steps / took


def episode(model: Any, env: Any, rng: Rng) -> tuple[int, Any]:
    """Begin an episode and take random steps; returns their number and the last observation."""
    observation, _ = env.reset(seed=int(rng.integers(2**31)))
    steps, ended = 0, False
    while steps < PLAYED and not ended:
        observation, _, terminated, truncated, _ = env.step(model.action(drawn(model, rng)))
        steps, ended = steps + 1, terminated or truncated
    return steps, observation


def length(model: Any, env: Any, rng: Rng) -> int:
    """The number of steps of an episode that is played."""
    return episode(model, env, rng)[0]


def main() -> None:
    """Print the table."""
    for environment, way, steps in restoring():
        print(f"{environment:<50} {way:<30} {steps:>12,.4g} steps/s", flush=True)


if __name__ == "__main__":
    main()
