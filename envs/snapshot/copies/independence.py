"""Does a copy leave its original alone? It is tried out in a child process, so that the original comes to no harm.

A copy may share a simulator with its original, whose steps or end then move or close that of the original, as for
environments of PyBullet. A child process has its own memory, with a simulator in it.
"""

import copy
import faulthandler
import gc
import os
import pickle
import random
import select
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from gymnasium import spaces

from bonspiel.envs.snapshot.copies.making import headless_copy
from bonspiel.envs.snapshot.noise import of_its_modules, reseed, rewinder
from bonspiel.envs.snapshot.wrappers import action_space, layers_of, without_transparent
from bonspiel.planners.core.code.errors import error_text

STEPS = 3
PATIENCE = 0.5  # s, for the steps after the first
LIMIT = 10.0  # s, for a child that hangs
TOLERANCE = 1e-9
TRUSTED = ("gymnasium.", "bonspiel.")


class NoCopyError(Exception):
    """There is no copy."""


def harm(env: Any, copied: Callable[[Any], Any]) -> str | None:
    """Say what a copy of an environment does to it; None if nothing, or if that cannot be found out.

    Args:
        env: is not touched.
        copied: makes a copy of it.

    Raises:
        NoCopyError: `copied` raised an error, which is the message.
    """
    if not hasattr(os, "fork") or _is_trusted(env):
        return None
    beside = _in_child(lambda: _play(env, copied), 3.0 * LIMIT)  # it makes and resets copies too
    if isinstance(beside, NoCopyError):
        raise beside
    alone = _in_child(lambda: _play(env, None))
    if not isinstance(alone, list):  # it fails by itself
        return None
    if beside is None:
        return "its process ends or hangs once a copy has taken a step"
    if not isinstance(beside, list):
        return f"it fails once a copy has taken a step: {beside}"
    if _same(alone, beside) or not _same(alone, _in_child(lambda: _play(env, None))):  # the latter of unseeded ones
        return None
    return "it moves where a copy takes a step, as if they shared a simulator"


def _same(some: list[list[float]], others: Any) -> bool:
    """True if another child has seen the same; False if it failed."""
    if not isinstance(others, list):
        return False
    return all(np.allclose(one, other, TOLERANCE, TOLERANCE, True) for one, other in zip(some, others, strict=False))


def _is_trusted(env: Any) -> bool:
    return all(type(layer).__module__.startswith(TRUSTED) for layer in layers_of(env))


def _play(env: Any, copied: Callable[[Any], Any] | None) -> list[list[float]]:
    """The observations, rewards and ends of the first steps, each after some of a copy and after its end."""
    rows: list[list[float]] = []
    actions, start, other = copy.deepcopy(action_space(env)), time.perf_counter(), None
    if copied is not None:
        try:
            other = copied(env)
        except Exception as error:
            raise NoCopyError(error_text(error)) from error
    shown = env.unwrapped.render_mode == "human"
    env = headless_copy(env) if shown else without_transparent(env)  # a window is the parent's
    rewinders = [rewinder(generator) for generator in of_its_modules(env)]
    _seed(0)
    env.reset(seed=1)
    while len(rows) < STEPS and not (rows and (rows[-1][-1] or time.perf_counter() > start + PATIENCE)):
        if copied is not None:
            other = other or copied(env)
            other.reset(seed=2)
            other.step(_drawn(actions, STEPS + len(rows)))
            if not shown:
                with suppress(Exception):
                    other.close()
            other = None
            gc.collect()
        reseed(env, len(rows))
        _seed(len(rows))
        for rewind in rewinders:
            rewind()
        observation, reward, terminated, truncated, _ = env.step(_drawn(actions, len(rows)))
        seen = np.asarray(spaces.flatten(env.observation_space, observation), np.float64).ravel()
        rows.append([*seen.tolist(), float(reward), bool(terminated or truncated)])
    if not shown:
        with suppress(Exception):
            env.close()  # which ends the process where it frees what a copy has freed
    return rows


def _seed(seed: int) -> None:
    """Seed the global generators, of the child only: shared noise is no sign of a shared simulator."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def _drawn(actions: Any, seed: int) -> Any:
    actions.seed(seed)
    return actions.sample()


def _in_child(function: Callable[[], Any], limit: float | None = None) -> Any:
    """What a function returns in a child process, the error that it raises, or None if the child does not answer.

    Args:
        function: is called in the child.
        limit: s, after which a child hangs; LIMIT if None.
    """
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other threads, which the child does not have
        child = os.fork()
    if child == 0:
        _answer(function, writer)
    os.close(writer)
    try:
        with open(reader, "rb", buffering=0) as pipe:
            answer = _read(pipe, LIMIT if limit is None else limit)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return pickle.loads(answer) if answer else None


def _read(pipe: Any, limit: float) -> bytes:
    """All that a child writes, or nothing if it hangs."""
    read, until = b"", time.monotonic() + limit
    while select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
        part = pipe.read(1 << 16)
        if not part:
            return read
        read += part
    return b""


def _answer(function: Callable[[], Any], writer: int) -> None:
    """Write what a function returns or raises, and end the process, whose output nobody sees."""
    try:
        gc.freeze()  # only the copies are collected
        faulthandler.disable()  # that the process ends is an answer
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        try:
            result = pickle.dumps(function())
        except NoCopyError as error:
            result = pickle.dumps(error)
        except BaseException as error:
            result = pickle.dumps(error_text(error))
        with open(writer, "wb") as pipe:
            pipe.write(result)
    finally:
        os._exit(0)
