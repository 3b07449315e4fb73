"""Cost of restoring in models of Gymnasium environments, the table of docs/results/restore.md.

python docs/studies/restore.py
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import wrappers

from bonspiel import envs
from bonspiel.envs.snapshot import GymnasiumModel
from bonspiel.envs.snapshot.copies.making import deep_copy
from bonspiel.envs.snapshot.deep_copies import DeepCopies
from bonspiel.envs.snapshot.replay import Replay
from bonspiel.envs.snapshot.wrappers import without_transparent
from bonspiel.planners.model import Array
from bonspiel.runs.tables import markdown

STEPS = 5  # timed together; few, as the shortest episodes end soon after them
DEPTH = 6  # steps from the reset to the first of them
SECONDS = 2.0  # of repeats, of which the fastest counts: other processes only ever slow one down
HALF = np.float32(-0.5), np.float32(0.5)

WRAPPED: dict[str, Callable[[Any], Any]] = {
    "RescaleAction": lambda env: wrappers.RescaleAction(env, *HALF),
    "FrameStackObservation": lambda env: wrappers.FrameStackObservation(env, 3),
}
CASES = (
    ("Pendulum-v1", ""),
    ("Pendulum-v1", "RescaleAction"),
    ("Pendulum-v1", "deep copies"),
    ("Pendulum-v1", "FrameStackObservation"),
    ("MountainCarContinuous-v0", ""),
    ("InvertedPendulum-v5", ""),
    ("Reacher-v5", ""),
    ("HalfCheetah-v5", ""),
    ("HalfCheetah-v5", "RescaleAction"),
    ("Ant-v5", ""),
    ("LunarLanderContinuous-v3", ""),
    ("BipedalWalker-v3", ""),
)
HEAD = ("environment", "way", "check, s", "bare", "going on", "overhead", "snapshot", "elsewhere", "overhead, less it")


def fastest(task: Callable[[], object], steps: int) -> float:
    """Seconds of processor time of a step, in one run of the task."""
    start = time.process_time()
    task()
    return (time.process_time() - start) / steps


class Walks:
    """The same actions in an environment and in its model.

    Args:
        bare: the environment, never restored.
        model: its model.
    """

    def __init__(self, bare: Any, model: GymnasiumModel) -> None:
        self.bare, self.model = bare, model
        self.rng = np.random.default_rng(0)
        shape = STEPS + DEPTH, len(model.action_low)
        self.actions = self.rng.uniform(model.action_low, model.action_high, shape)
        self.taken = [model.action(action) for action in self.actions]
        self.scratch = np.empty(model.state_dim)
        self.root = model.initial_state(self.rng)
        self.states = [self.root]
        for action in self.actions:
            self.states.append(np.empty(model.state_dim))
            self._step(self.states[-2], action, self.states[-1])

    def _step(self, state: Array, action: Array, next_state: Array) -> None:
        self.model.step(state, action, next_state, self.model.params, self.rng)

    def alone(self) -> None:
        """Steps of the environment itself."""
        for action in self.taken[DEPTH:]:
            self.bare.step(action)

    def going_on(self) -> None:
        """Steps of the model from the state that the step before led to."""
        state, next_state = self.scratch, np.empty(self.model.state_dim)
        for action in self.actions[DEPTH:]:
            self._step(state, action, next_state)
            state, next_state = next_state, state

    def elsewhere(self) -> None:
        """The same steps of the model in reverse order, each from a state that is not where the step before led to."""
        next_state = np.empty(self.model.state_dim)
        for state, action in reversed(list(zip(self.states[DEPTH:-1], self.actions[DEPTH:], strict=True))):
            self._step(state, action, next_state)

    def snapshots(self) -> None:
        """Loading and saving alone."""
        storage, part = self.model.storage, slice(1, 1 + self.model.storage.width)
        for number in range(STEPS):
            env = storage.load(self.states[DEPTH - number][part], self.rng)
            storage.save(env, self.rng, self.scratch[part])

    def measure(self) -> tuple[float, float, float, float]:
        """Seconds of a step: bare, going on, of a snapshot, elsewhere."""
        best = [np.inf] * 4
        start = time.process_time()
        while time.process_time() < start + SECONDS:
            self.bare.reset(seed=1)
            for action in self.taken[:DEPTH]:
                self.bare.step(action)
            self._step(self.states[DEPTH - 1], self.actions[DEPTH - 1], self.scratch)
            tasks = self.alone, self.going_on, self.snapshots, self.elsewhere
            best = [min(least, fastest(task, STEPS)) for least, task in zip(best, tasks, strict=True)]
        return best[0], best[1], best[2], best[3]


def rows(cases: Any = CASES) -> Iterator[tuple[str, ...]]:
    """A row for each case."""
    for name, change in cases:
        wrap = WRAPPED.get(change, lambda env: env)
        env, bare = wrap(gymnasium.make(name)), without_transparent(wrap(gymnasium.make(name)))
        start = time.perf_counter()
        model = envs.from_gymnasium(env)
        check = time.perf_counter() - start
        if change == "deep copies":
            copies = DeepCopies(partial(deep_copy, without_transparent(env)), 100_000)
            model = GymnasiumModel(copies, env.action_space, env.observation_space, model.horizon, 1.0)
        alone, on, snapshot, elsewhere = Walks(bare, model).measure()
        replayed = type(model.storage) is Replay  # from states at several depths, so that differences say nothing
        rest = "" if replayed else f"{(elsewhere - snapshot) / alone - 1.0:.0%}"
        yield (
            f"{change}({name})" if change in WRAPPED else name,
            model.storage.name,
            "" if change == "deep copies" else f"{check:.2f}",
            *(f"{1.0 / alone:,.0f}/s", f"{1.0 / on:,.0f}/s", f"{on / alone - 1.0:.0%}"),
            *(f"{1e6 * snapshot:.1f} µs", f"{1.0 / elsewhere:,.0f}/s", rest),
        )


def main() -> None:
    """Measure, and print."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print(markdown([HEAD, *rows()]))


if __name__ == "__main__":
    main()
