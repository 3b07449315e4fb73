"""The model of a Gymnasium environment that planners search."""

import itertools
import threading
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from bonspiel.envs.snapshot.actions import TAKEN, item_of, part_item, parts_of
from bonspiel.envs.snapshot.form import FormError, flattened, reward_of, shown
from bonspiel.envs.snapshot.storage import Storage
from bonspiel.envs.snapshot.wrappers import has_begun
from bonspiel.planners.checks import require
from bonspiel.planners.kinds import placed
from bonspiel.planners.model import Array, Rng

HUGE = 1e30  # bounds from here on, such as the largest float32, stand for none


class Turns:
    """A lock by which threads take turns; a deep or pickled copy has one of its own."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        """Wait for the turn."""
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._lock.release()

    def __reduce__(self) -> tuple[type["Turns"], tuple[()]]:
        """Make another."""
        return Turns, ()


class GymnasiumModel:
    """A Python model of a Gymnasium environment; see `from_gymnasium`.

    A state is (steps taken, snapshot, observation). The snapshot is the state of the environment itself where that is a
    vector, else the number of a snapshot that `storage` keeps: a random one below 1 in a search, so that the same
    search gives the same states again, a count from 1 for observed states. Distances and cells see the observation
    alone. Threads that search it take turns, step by step, as all of them restore one environment.

    Attributes:
        storage: restores the environment, by the way `name`.
        rejected: the ways that were tried before, each with the reason why it is not faithful.
        horizon: largest number of steps.
        discount: discount factor of a step.
        action_low: lower bounds of the action space, [action_dim]; 0 for a choice, wherever its numbers start.
        action_high: upper bounds.
        action_kinds: kinds of the coordinates, [action_dim]; None where all are real.
        state_dim: 1 + snapshot + observation.
        state_low: lower bounds of the observation, -inf where it has none and for the rest, [state_dim].
        state_high: upper bounds of the observation, inf where it has none and for the rest.
        distance_weights: 1 for the observation, 0 for the rest.
        seen: the coordinates of the observation.
    """

    compiled = False
    time_index = 0
    params = np.zeros(0)

    def __init__(
        self,
        storage: Storage,
        actions: spaces.Space[Any],
        observations: spaces.Space[Any],
        horizon: int,
        discount: float,
    ) -> None:
        seen = spaces.flatten_space(observations)
        require(isinstance(seen, spaces.Box), "observation_space", observations, "of a fixed length")
        assert isinstance(seen, spaces.Box)
        self.storage, self.horizon, self.discount = storage, horizon, discount
        self.rejected: list[str] = []
        parts = parts_of(actions)
        require(parts is not None, "action_space", actions, TAKEN)
        self._actions, self._parts = actions, parts or []
        self.action_low = np.concatenate([part.low for part in self._parts])
        self.action_high = np.concatenate([part.high for part in self._parts])
        kinds = tuple(part.kind for part in self._parts for _ in part.low)
        self.action_kinds = None if set(kinds) == {"real"} else kinds
        first = 1 + storage.width
        self.state_dim = first + len(seen.low)
        self.state_low = np.full(self.state_dim, -np.inf)
        self.state_low[first:] = np.where(np.abs(seen.low) < HUGE, seen.low, -np.inf)
        self.state_high = np.full(self.state_dim, np.inf)
        self.state_high[first:] = np.where(np.abs(seen.high) < HUGE, seen.high, np.inf)
        self.distance_weights = np.zeros(self.state_dim)
        self.distance_weights[first:] = 1.0
        self._bounds = list(zip(self.action_low.tolist(), self.action_high.tolist(), strict=True))
        self._ends = list(np.cumsum([len(part.low) for part in self._parts])[:-1])
        is_plain = isinstance(actions, spaces.Box) and self.action_kinds is None
        self._dtype: Any = actions.dtype if is_plain else None  # of a Box of real numbers, which needs no parts
        self._shape = None if len(actions.shape or ()) == 1 else actions.shape
        self._observations = observations
        is_vector = isinstance(observations, spaces.Box) and len(observations.shape) == 1
        self._seen_type = observations.dtype if is_vector else None  # of observations that need no flattening
        self._seen_shape = observations.shape if is_vector else None
        self._snapshot, self.seen = slice(1, first), slice(first, None)
        self._observed = itertools.count(1)
        self._turns = Turns()

    def __repr__(self) -> str:
        """The environment with its arguments, and how it is restored; the same in every process."""
        spec = self.env.spec
        arguments = ", ".join(f"{key}={value!r}" for key, value in (spec.kwargs if spec else {}).items())
        name = f"{spec.id if spec else type(self.env.unwrapped).__name__}({arguments})"
        return f"{name}, {self.horizon} steps, discount {self.discount:g}, restored by {self.storage.name}"

    @cached_property
    def env(self) -> Any:
        """A copy of the environment that takes no steps."""
        return self.storage.fresh()

    def initial_state(self, rng: Rng) -> Array:
        """Reset a copy of the environment with a seed from `rng`."""
        env = self.storage.fresh()
        observation, _ = env.reset(seed=int(rng.integers(2**31)))
        return self._state(0, env, observation, rng.random())

    def observe(self, env: Any, observation: Any, steps: int = 0) -> Array:
        """The state of an environment, as planners take it.

        Args:
            env: the environment that is acted in; it is not changed.
            observation: returned by its last `reset` or `step`.
            steps: number taken in the episode, to whose end plans look ahead; if it stays 0, always `horizon` steps.

        Raises:
            ResetNeeded: the episode has not begun, as far as Gymnasium's wrapper OrderEnforcing knows.
            ValueError: not an observation of this environment; or it is restored by replay and cannot be replayed.
        """
        if not has_begun(env):
            raise ResetNeeded("the episode has not begun: call env.reset() before observe()")
        return self._state(steps, env, observation, float(next(self._observed)))

    def step(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """Restore, take a step with the noise of `rng`, and save; a truncation by the environment itself terminates.

        Raises:
            FormError: a ValueError; the step gave a reward that is no number, or an observation of another form.
        """
        storage, snapshot = self.storage, self._snapshot
        with self._turns:
            env = storage.load(state[snapshot], rng)
            observation, reward, terminated, truncated, _ = env.step(self.action(action))
            storage.save(env, rng, next_state[snapshot])
        next_state[0] = state[0] + 1.0
        if type(observation) is not np.ndarray or observation.shape != self._seen_shape:
            observation = self.flat(observation)
        next_state[self.seen] = np.asarray(observation, self._seen_type)
        return reward if type(reward) is float else reward_of(reward), bool(terminated or truncated)

    def sample_action(self, state: Array, action: Array, params: Array, rng: Rng) -> None:
        """Uniform within the bounds; every whole number is equally likely."""
        if self.action_kinds is None:
            action[:] = rng.uniform(self.action_low, self.action_high)
        else:
            action[:] = placed(self, rng.random(len(action)))

    def action(self, action: Array) -> Any:
        """A new item of the action space, since environments may keep it: clipped to the bounds, integers rounded."""
        if self._dtype is None:
            pieces = np.split(np.asarray(action), self._ends)
            return item_of(self._actions, map(part_item, self._parts, pieces))
        taken = action.astype(self._dtype)
        for value, (low, high) in zip(action.tolist(), self._bounds):  # noqa: B905  (np.clip takes four times as long)
            if value < low or value > high:
                taken = np.clip(action, self.action_low, self.action_high).astype(self._dtype)
                break
        return taken if self._shape is None else taken.reshape(self._shape)

    def flat(self, observation: Any, function: str = "step") -> Array:
        """An observation that a function of the environment returned, as the last part of a state.

        Raises:
            FormError: it is not of the form of the observation space.
        """
        return flattened(self._observations, observation, self.state_dim - self.seen.start, function)

    def _state(self, steps: int, env: Any, observation: Any, number: float) -> Array:
        state = np.empty(self.state_dim)
        state[0] = steps
        try:
            state[self.seen] = self.flat(observation)
        except FormError as error:
            allowed = f"the first item that reset() or step() returned, in {shown(self._observations)}"
            raise ValueError(f"observation={shown(observation)}: must be {allowed}") from error
        with self._turns:
            self.storage.observe(env, number, state[self._snapshot])
        return state
