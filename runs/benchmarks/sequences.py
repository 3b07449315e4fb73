"""`bonspiel bench sequences`: many sequences of actions at once in MuJoCo, beside mujoco.rollout."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from bonspiel.envs.snapshot.mujoco_batch import threads_allowed
from bonspiel.planners.model import Array
from bonspiel.runs.benchmarks.measurement import Measurement, installed, only_by_name, seconds_of
from bonspiel.runs.experiment import UsageError

ENVIRONMENTS = "HalfCheetah-v5", "Hopper-v5", "Ant-v5"
SHAPE = 97, 30  # sequences and steps
PART = 0.3  # of the actions' range
THREADS = "OMP_NUM_THREADS"


@only_by_name
def sequences(_: Sequence[str]) -> Iterator[Measurement]:
    """Steps a second of 97 sequences of 30 random actions, by one thread and by all, ours and MuJoCo's own."""
    batched = [(text, model) for text, model in installed(ENVIRONMENTS) if hasattr(model, "sequence_returns")]
    if not batched:
        raise UsageError("sequences: needs MuJoCo; pip install -e '.[mujoco]'")
    for text, model in batched:
        rng = np.random.default_rng(0)
        state = model.initial_state(rng)
        actions = PART * rng.uniform(model.action_low, model.action_high, (*SHAPE, len(model.action_low)))
        played = np.count_nonzero(model.sequence_returns(state, actions, model.params, rng))  # 0 after the end
        for threads in dict.fromkeys((1, threads_allowed())):
            with allowed(threads):
                ours = seconds_of(partial(model.sequence_returns, state, actions, model.params, rng))
            theirs = seconds_of(rollout(model.storage.fresh(), actions, threads))
            where = f"{threads} thread{'s' * (threads > 1)}"
            yield Measurement("sequences", played / ours, "steps/s", f"sequence_returns, {where}", text)
            yield Measurement("sequences", actions[..., 0].size / theirs, "steps/s", f"mujoco.rollout, {where}", text)


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
