"""Steps a second of many sequences of actions at once in MuJoCo, ours and MuJoCo's own, by one thread and by all.

python docs/studies/sequences.py
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from bonspiel import envs
from bonspiel.envs.snapshot.mujoco_batch import threads_allowed
from bonspiel.planners.model import Array
from bonspiel.runs.benchmarks.measurement import seconds_of

ENVIRONMENTS = "HalfCheetah-v5", "Hopper-v5", "Ant-v5"
SHAPE = 97, 30  # sequences and steps
PART = 0.3  # of the actions' range
THREADS = "OMP_NUM_THREADS"


def sequences() -> Iterator[tuple[str, str, float]]:
    """Environment, function with its threads, and steps a second."""
    for text in ENVIRONMENTS:
        model: Any = envs.parse(f"gym:{text}:horizon=1000")
        rng = np.random.default_rng(0)
        state = model.initial_state(rng)
        actions = PART * rng.uniform(model.action_low, model.action_high, (*SHAPE, len(model.action_low)))
        played = np.count_nonzero(model.sequence_returns(state, actions, model.params, rng))  # 0 after the end
        for threads in dict.fromkeys((1, threads_allowed())):
            with allowed(threads):
                ours = seconds_of(partial(model.sequence_returns, state, actions, model.params, rng))
            theirs = seconds_of(rollout(model.storage.fresh(), actions, threads))
            where = f"{threads} thread{'s' * (threads > 1)}"
            yield text, f"sequence_returns, {where}", played / ours
            yield text, f"mujoco.rollout, {where}", actions[..., 0].size / theirs


@contextmanager
def allowed(threads: int) -> Iterator[None]:
    """Let models use this many threads."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = str(threads)
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = before


def rollout(env: Any, actions: Array, threads: int) -> "partial[Any]":
    """A call of mujoco.rollout with these actions, [n, steps, action_dim], from the beginning of an episode."""
    import mujoco
    from mujoco.rollout import rollout

    env.reset(seed=0)
    base, kind = env.unwrapped, mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(mujoco.mj_stateSize(base.model, kind))
    mujoco.mj_getState(base.model, base.data, state, kind)
    data = [mujoco.MjData(base.model) for _ in range(threads)]
    controls = np.repeat(actions, base.frame_skip, axis=1)
    return partial(rollout, base.model, data, np.tile(state, (len(actions), 1)), controls)


def main() -> None:
    """Print the table."""
    for environment, way, steps in sequences():
        print(f"{environment:<50} {way:<30} {steps:>12,.4g} steps/s", flush=True)


if __name__ == "__main__":
    main()
