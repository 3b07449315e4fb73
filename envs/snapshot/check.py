"""Is restoring faithful? A model is compared with an environment that is never restored."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium import spaces

from bonspiel.envs.snapshot.form import FailingError, FormError, flattened, reward_of, shown
from bonspiel.envs.snapshot.model import GymnasiumModel
from bonspiel.envs.snapshot.noise import OtherNoise, of_its_spaces, reseed
from bonspiel.envs.snapshot.objects import generators
from bonspiel.planners.core.code.errors import error_place, error_text
from bonspiel.planners.model import Array, Rng

STEPS = 20  # at least these are compared, each after a step of another branch
OBSERVED_AGAIN = 5  # the step from which the model follows a snapshot of the running environment
TOLERANCE = 1e-9
PATIENCE = 0.5  # s, for what may be left out: the rest of the episode


class UnfaithfulError(Exception):
    """Restoring changes what the environment does."""


class NoiseError(Exception):
    """A step draws noise that does not follow np_random; the message names the generator."""


class UnseededError(Exception):
    """An episode depends on more than the seed of its reset and the noise of its steps."""


def check_restoring(model: GymnasiumModel) -> None:
    """Play episodes with random actions in the environment and, restored before each step, in the model.

    Before each of the first steps the model takes another one, and once as many as these. The rest of the episode shows
    parts of the state that a snapshot lacks even if they matter late, such as a count of steps. Then the model takes
    some of its first steps again, in which what changed late shows.

    Raises:
        UnfaithfulError: they differ; the message has the step and the difference.
        NoiseError: the environment draws noise from elsewhere, which is the same in all copies or replays of it.
        FailingError: a reset or a step of the environment failed.
    """
    rng, start = np.random.default_rng(0), time.perf_counter()
    compared = 0
    for seed in range(1, STEPS + 1):  # not 0: a seed of its own shows what the reset drew and the snapshot lacks
        compared += _compare_episode(model, seed, STEPS - compared, start, rng)
        if compared >= STEPS:
            return


def _compare_episode(model: GymnasiumModel, seed: int, required: int, start: float, rng: Rng) -> int:
    env = model.storage.fresh()
    observation = reset(env, seed)
    state, next_state, steps = np.empty(model.state_dim), np.empty(model.state_dim), 0
    again: list[tuple[Any, ...]] = []
    while steps < model.horizon:
        action, noise = drawn(model, rng), int(rng.integers(2**31))
        where = f"at step {steps + 1}"
        try:
            if steps in (0, 1, OBSERVED_AGAIN):
                other_noise = OtherNoise(env)
            if steps in (0, OBSERVED_AGAIN):
                state = model.observe(env, observation, steps)
                first, again = state.copy(), []
            if steps < required:
                branch(model, state, rng, STEPS if steps == OBSERVED_AGAIN else 1)
            result = model.step(state, action, next_state, model.params, np.random.default_rng(noise))
        except FormError:
            raise
        except (Exception, SystemExit) as error:
            raise UnfaithfulError(f"{where} {error_text(error)}{error_place(error)}") from error
        reseed(env, noise)
        other_noise.begin()
        observation, *expected = step(env, model.action(action))
        if (generator := other_noise.drawn_from()) is not None:
            raise NoiseError(generator)
        _compare("observation", next_state[model.seen], np.asarray(model.flat(observation), np.float64), where)
        _compare("reward", result[0], expected[0], where)
        if result[1] != expected[1]:
            raise UnfaithfulError(f"{where} the episode ends, but {'only' if result[1] else 'not'} after restoring")
        if len(again) < STEPS:
            again.append((action, noise, next_state[model.seen].copy(), *result))
        state, next_state, steps = next_state, state, steps + 1
        if expected[1] or (steps >= required and time.perf_counter() > start + PATIENCE):
            break
    try:
        _repeat(model, first, again)
        model.observe(env, observation, steps)
    except FormError:
        raise
    except (Exception, SystemExit) as error:
        raise UnfaithfulError(f"after step {steps} {error_text(error)}{error_place(error)}") from error
    return steps


def _repeat(model: GymnasiumModel, state: Array, steps: list[tuple[Any, ...]]) -> None:
    """Take the steps from a state again, and compare."""
    state, next_state = state.copy(), np.empty(model.state_dim)
    for action, noise, *expected in steps:
        result = model.step(state, action, next_state, model.params, np.random.default_rng(noise))
        given = (next_state[model.seen], *result)
        for name, one, other in zip(("observation", "reward", "end"), given, expected, strict=True):
            _compare(name, one, other, "in an early step taken again")
        state, next_state = next_state, state


def check_seeding(model: GymnasiumModel) -> None:
    """Begin an episode twice with one seed, in two copies of the environment.

    In the second copy every generator that is found has moved on, so that one which the reset should have seeded shows.

    Raises:
        UnseededError: the two differ; the message has the place.
        FailingError: a reset or a step of the environment failed.
    """
    first = list(_beginning(model, STEPS, moved=False))
    for steps, (given, expected) in enumerate(zip(_beginning(model, len(first), moved=True), first, strict=False)):
        where = f"after {steps} step{'s' * (steps > 1)} with the same actions and noise"
        for name, one, other in zip(("observation", "reward", "end"), given, expected, strict=True):
            try:
                _compare(name, one, other, where if steps else "after reset(seed=1)")
            except UnfaithfulError as error:
                raise UnseededError(f"{error} the second time") from error


def _beginning(model: GymnasiumModel, most: int, *, moved: bool) -> Iterator[tuple[Any, float, bool]]:
    """The observations, rewards and ends of at most the first `most` steps of an episode, the reset included."""
    env, rng, start, over = model.storage.fresh(), np.random.default_rng(0), time.perf_counter(), False
    for generator in (*generators(env), *of_its_spaces(env)) if moved else ():
        generator.random()
    observation, reward = reset(env, seed=1), 0.0
    for _ in range(most):
        yield np.asarray(model.flat(observation), np.float64), reward, over
        if over or time.perf_counter() > start + PATIENCE:
            return
        reseed(env, int(rng.integers(2**31)))
        observation, reward, over = step(env, model.action(drawn(model, rng)))


def drawn(model: GymnasiumModel, rng: Rng) -> Array:
    """A random action, [action_dim]."""
    action = np.empty(len(model.action_low))
    model.sample_action(action, action, model.params, rng)
    return action


def reset(env: Any, seed: int) -> Any:
    """The observation after a reset.

    Raises:
        FailingError: it failed.
        FormError: it is not as Gymnasium has it.
    """
    result = _run("reset", env.reset, seed=seed)
    if not (isinstance(result, tuple) and len(result) == 2):
        raise FormError(f"reset() returned {shown(result)}, not observation and info, a tuple of two")
    _check_observation(env, result[0], "reset")
    noise = env.unwrapped.np_random
    if not isinstance(noise, np.random.Generator | np.random.RandomState):
        raise FormError(f"reset() left np_random={shown(noise)}: must be a numpy.random.Generator")
    return result[0]


def step(env: Any, action: Any) -> tuple[Any, float, bool]:
    """The observation after a step, the reward, and whether the episode is over.

    Raises:
        FailingError: it failed.
        FormError: it is not as Gymnasium has it.
    """
    result = _run("step", env.step, action)
    if not (isinstance(result, tuple) and len(result) == 5):
        names = "observation, reward, terminated, truncated and info, a tuple of five"
        raise FormError(f"step() returned {shown(result)}, not {names}")
    observation, reward, terminated, truncated, _ = result
    _check_observation(env, observation, "step")
    return observation, reward_of(reward), bool(terminated or truncated)


def _check_observation(env: Any, observation: Any, function: str) -> None:
    flattened(env.observation_space, observation, spaces.flatdim(env.observation_space), function)


def _run(name: str, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function of the environment.

    Raises:
        FailingError: it failed.
    """
    try:
        return function(*args, **kwargs)
    except (Exception, SystemExit) as error:
        raise FailingError(f"{name}() raised {error_text(error)}{error_place(error)}") from error


def branch(model: GymnasiumModel, state: Array, rng: Rng, steps: int) -> int:
    """Take random steps from a state, as a search takes them, until the episode ends; return their number."""
    state, next_state = state.copy(), np.empty(model.state_dim)
    for taken in range(1, steps + 1):
        action = drawn(model, rng)
        _, ended = model.step(state, action, next_state, model.params, rng)
        if ended:
            return taken
        state, next_state = next_state, state
    return steps


def _compare(name: str, given: Any, expected: Any, where: str) -> None:
    difference = np.abs(np.subtract(given, expected, dtype=np.float64))
    same = np.equal(given, expected) | (np.isnan(given) & np.isnan(expected)) | (difference <= TOLERANCE)
    if not np.all(same):
        raise UnfaithfulError(f"{where} the {name} differs by {np.max(difference):.3g}")
