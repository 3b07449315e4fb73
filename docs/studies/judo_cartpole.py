"""Planners of judo beside ours on its cart-pole in MuJoCo, at equal sequences; needs judo-rai 0.1.0.

python docs/studies/judo_cartpole.py --episodes 10

For each: mean return and its standard error, mean and 99th percentile of a decision's time, mean change of the action.
"""

import argparse
import math
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import judo.tasks.base
import mujoco
import numpy as np
from judo.controller.controller import Controller, ControllerConfig
from judo.optimizers import get_registered_optimizers
from mujoco.rollout import Rollout

from bonspiel import planners
from bonspiel.planners import Array, Budget, Rng

STEPS, LOOKAHEAD, KNOTS = 100, 25, 4  # of an episode and of a plan, 0.04 s each; as judo's own settings of this task
OURS = ["mppi", "cem", "icem"]
PARAMETERS = f"memory=1,lookahead={LOOKAHEAD},knots={KNOTS},interpolation=hold"
judo.tasks.base.download_and_extract_meshes = lambda **given: None  # this task has no meshes


class CartPole:
    """judo's task as a model, whose sequences MuJoCo rolls out at once; a state is place, angle, and their speeds."""

    state_dim, horizon, discount, compiled = 4, STEPS, 1.0, False
    params = np.zeros(0)

    def __init__(self) -> None:
        from judo.tasks.cartpole import Cartpole

        self.task: Any = Cartpole()
        self.simulator: Any = self.task.model
        self.action_low, self.action_high = self.simulator.actuator_ctrlrange.T.copy()
        self.pool = Rollout(nthread=os.cpu_count() or 1)
        self.data = [mujoco.MjData(self.simulator) for _ in range(os.cpu_count() or 1)]

    def initial_state(self, rng: Rng) -> Array:
        """As the task's: anywhere about the place 1, hanging or not."""
        return np.array([1.0, np.pi, 0.0, 0.0]) + [1.0, 1.0, 0.1, 0.1] * rng.standard_normal(4)

    def sample_action(self, state: Array, action: Array, params: Array, rng: Rng) -> None:
        """Any action."""
        action[:] = rng.uniform(self.action_low, self.action_high)

    def step(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """One step of MuJoCo; nothing ends an episode."""
        states = self._states(state, action[None, None])
        next_state[:] = states[0, 0]
        return float(self.task.reward(states, None, action[None, None])[0]), False

    def sequence_returns(self, state: Array, actions: Array, params: Array, rng: Rng) -> Array:
        """Rewards, [n, steps], of actions, [n, steps, 1]."""
        n, steps, _ = actions.shape
        states = self._states(state, actions)
        rewards: Array = self.task.reward(states.reshape(-1, 1, 4), None, actions.reshape(-1, 1, 1))
        return rewards.reshape(n, steps)

    def _states(self, state: Array, actions: Array) -> Array:
        """The states, [n, steps, 4], after actions."""
        starts = np.tile(np.append(0.0, state), (len(actions), 1))
        states, _ = self.pool.rollout([self.simulator] * len(actions), self.data, starts, actions)
        found: Array = states[..., 1:]
        return found


def of_judo(name: str, model: CartPole, sequences: int, seed: int) -> Callable[[Array, int], Array]:
    """The decisions of an episode by a planner of judo, by its settings for the task."""
    np.random.seed(seed)  # noqa: NPY002 - judo draws from it
    optimizer, config = get_registered_optimizers()[name]
    settings, control = config(), ControllerConfig()
    settings.set_override("cartpole")
    control.set_override("cartpole")
    settings.num_rollouts, control.max_num_traces = sequences, 1
    controller = Controller(control, model.task, optimizer(settings, 1))

    def decide(state: Array, step: int) -> Array:
        controller.current_state, controller.time = state, step * model.task.dt
        controller.update_action()
        return np.array(controller.action(step * model.task.dt))

    return decide


def of_ours(name: str, model: CartPole, sequences: int, seed: int) -> Callable[[Array, int], Array]:
    """The decisions of an episode by a planner of ours."""
    search, rng = planners.begin_episode(planners.parse(f"{name}:{PARAMETERS}"), model), np.random.default_rng(seed)
    return lambda state, step: search.plan(state, Budget(sequences), rng).action


def row(whose: str, name: str, model: CartPole, sequences: int, episodes: int) -> str:
    """A line of the table: the same starts for all planners."""
    begin = of_judo if whose == "judo" else of_ours
    returns, seconds, changes = [], list[float](), list[float]()
    for episode in range(episodes):
        rng = np.random.default_rng(episode)
        state, total, actions = model.initial_state(rng), 0.0, list[Array]()
        decide = begin(name, model, sequences, episode)
        for step in range(STEPS):
            start = time.perf_counter()
            action = np.clip(decide(state.copy(), step), model.action_low, model.action_high)
            seconds.append(time.perf_counter() - start)
            following = np.empty(4)
            total += model.step(state, action, following, model.params, rng)[0]
            actions.append(action)
            state = following
        returns.append(total)
        changes.append(float(np.abs(np.diff(actions, axis=0)).mean()))
    error = np.std(returns, ddof=1) / math.sqrt(episodes)
    times = f"{1e3 * np.mean(seconds):.2f} | {1e3 * np.quantile(seconds, 0.99):.2f}"
    return (
        f"| {sequences} | {whose} `{name}` | {np.mean(returns):.0f} ± {error:.0f} | {times} | {np.mean(changes):.3f} |"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, action="append", help="of a decision (default: 32 and 300)")
    parser.add_argument("--episodes", type=int, default=10)
    given = parser.parse_args(arguments)
    print("| sequences | planner | return | ms | p99 ms | mean change |\n|---|---|---|---|---|---|")
    model = CartPole()
    for sequences in given.sequences or (32, 300):
        for whose, names in (("judo", get_registered_optimizers()), ("bonspiel", OURS)):
            for name in names:
                print(row(whose, name, model, sequences, given.episodes), flush=True)


if __name__ == "__main__":
    main()
