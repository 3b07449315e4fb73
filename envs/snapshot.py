"""A model of any Gymnasium environment with a Box action space, by snapshot and restore."""

import copy
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces, wrappers
from gymnasium.error import ResetNeeded

from planners.base import Array, Rng, require, require_count, require_positive

TRANSPARENT = (wrappers.OrderEnforcing, wrappers.PassiveEnvChecker, wrappers.TimeLimit)
HUGE = 1e30  # bounds from here on, such as the largest float32, stand for none


class Snapshots:
    """Deep copies by number, for environments whose state is not a vector.

    Spaces and specification are shared by all copies, since they never change. The copies used last are kept: those
    that a tree visits again stay, those of rollouts make room. Observed states, from number 1 on, are kept apart.

    Args:
        env: a copy of the environment to plan in.
        capacity: number of copies to keep of each sort.
    """

    width = 1

    def __init__(self, env: Any, capacity: int) -> None:
        base = env.unwrapped
        self.shared = {id(part): part for part in (base.action_space, base.observation_space, base.spec)}
        self.capacity = capacity
        self.searched: dict[float, Any] = {}
        self.observed: dict[float, Any] = {}

    def _kept(self, number: float) -> dict[float, Any]:
        return self.searched if number < 1.0 else self.observed

    def save(self, env: Any, number: float) -> Array:
        """Keep the environment itself under a number; steps are taken with copies of it."""
        env.unwrapped._np_random = None  # never part of a snapshot: a step's noise comes from the planner's generator
        kept = self._kept(number)
        kept[number] = env
        if len(kept) > self.capacity:
            del kept[next(iter(kept))]
        return np.array([number])

    def load(self, saved: Array) -> Any:
        """A fresh copy of a kept environment."""
        number = float(saved[0])
        kept = self._kept(number)
        require(number in kept, "state", saved, f"one of the {self.capacity} states of this model used last")
        kept[number] = kept.pop(number)
        return copy.deepcopy(kept[number], dict(self.shared))


class VectorState:
    """One environment whose whole state is a vector of fixed length, written back before each step.

    Args:
        env: a copy of the environment to plan in.
        get: the state of an environment, any shape.
        put: sets it, (environment, vector).
    """

    def __init__(self, env: Any, get: Callable[[Any], Array], put: Callable[[Any, Array], None]) -> None:
        self.env, self.get, self.put = env, get, put
        self.width = np.size(get(env))

    def save(self, env: Any, number: float) -> Array:
        """The environment's state."""
        return np.array(self.get(env), np.float64).ravel()

    def load(self, saved: Array) -> Any:
        """The environment in a given state."""
        self.put(self.env, saved)
        return self.env


def _storage(env: Any, capacity: int) -> Snapshots | VectorState:
    if env is env.unwrapped:
        if hasattr(env, "get_state") and hasattr(env, "set_state"):
            saved = np.asarray(env.get_state())
            if np.issubdtype(saved.dtype, np.number) and np.can_cast(saved.dtype, np.float64):

                def put(env: Any, vector: Array) -> None:
                    env.set_state(vector.reshape(saved.shape).astype(saved.dtype))

                return VectorState(env, lambda env: env.get_state(), put)
        if type(getattr(env, "data", None)).__name__ == "MjData":
            return _mujoco_storage(env)
    return Snapshots(env, capacity)


def _mujoco_storage(env: Any) -> VectorState:
    import mujoco

    kind = mujoco.mjtState.mjSTATE_INTEGRATION  # everything that the next step depends on

    def get(env: Any) -> Array:
        saved = np.empty(mujoco.mj_stateSize(env.model, kind))
        mujoco.mj_getState(env.model, env.data, saved, kind)
        return saved

    def put(env: Any, saved: Array) -> None:
        mujoco.mj_setState(env.model, env.data, saved, kind)
        mujoco.mj_forward(env.model, env.data)  # what rewards read before the step: positions of bodies, contact forces

    return VectorState(env, get, put)


@dataclass(frozen=True, eq=False)
class GymnasiumModel:
    """A Python model of a Gymnasium environment; see `from_gymnasium`.

    A state is (steps taken, snapshot, observation). The snapshot is the state of the environment itself where that is a
    vector, else the number of a deep copy that this object keeps: a random one below 1 in a search, so that the same
    search gives the same states again, a count from 1 for observed states. Distances and cells see the observation
    alone.
    """

    env: Any
    storage: Snapshots | VectorState
    horizon: int
    discount: float
    observed: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    compiled = False
    time_index = 0
    params = np.zeros(0)

    @cached_property
    def _seen(self) -> spaces.Box:
        box = spaces.flatten_space(self.env.observation_space)
        require(isinstance(box, spaces.Box), "observation_space", self.env.observation_space, "of a fixed length")
        return box  # type: ignore[return-value]

    @property
    def state_dim(self) -> int:
        """1 + snapshot + observation."""
        return 1 + self.storage.width + len(self._seen.low)

    @property
    def action_low(self) -> Array:
        """Lower bounds of the action space."""
        return np.asarray(self.env.action_space.low, np.float64).ravel()

    @property
    def action_high(self) -> Array:
        """Upper bounds of the action space."""
        return np.asarray(self.env.action_space.high, np.float64).ravel()

    @property
    def state_low(self) -> Array:
        """Lower bounds of the observation, -inf where it has none and for the rest."""
        return self._of_observation(-np.inf, np.where(np.abs(self._seen.low) < HUGE, self._seen.low, -np.inf))

    @property
    def state_high(self) -> Array:
        """Upper bounds of the observation, inf where it has none and for the rest."""
        return self._of_observation(np.inf, np.where(np.abs(self._seen.high) < HUGE, self._seen.high, np.inf))

    @property
    def distance_weights(self) -> Array:
        """1 for the observation, 0 for the rest."""
        return self._of_observation(0.0, np.ones(len(self._seen.low)))

    def _of_observation(self, rest: float, values: Array) -> Array:
        """A vector of the length of states: `values` for the observation, and `rest` for steps and snapshot."""
        return np.concatenate([np.full(1 + self.storage.width, rest), values], dtype=np.float64)

    def initial_state(self, rng: Rng) -> Array:
        """Reset a copy of the environment with a seed from `rng`."""
        env = copy.deepcopy(self.env)
        observation, _ = env.reset(seed=int(rng.integers(2**31)))
        return self._state(0, env, observation, rng.random())

    def observe(self, env: Any, observation: Any, steps: int = 0) -> Array:
        """The state of an environment, as planners take it.

        Args:
            env: the environment that is acted in; it is not changed.
            observation: returned by its last `reset` or `step`.
            steps: number of steps taken in the episode.

        Raises:
            ResetNeeded: the episode has not begun, as far as Gymnasium's wrapper OrderEnforcing knows.
            ValueError: not an observation of this environment.
        """
        if not _has_begun(env):
            raise ResetNeeded("the episode has not begun: call env.reset() before observe()")
        inside = _strip(env)
        if isinstance(self.storage, Snapshots):
            inside = copy.deepcopy(inside)
        return self._state(steps, inside, observation, float(next(self.observed)))

    def step(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """Restore, take a step with the noise of `rng`, and save; a truncation by the environment itself terminates."""
        env = self.storage.load(state[1 : 1 + self.storage.width])
        env.unwrapped.np_random = rng
        space = env.action_space
        taken = action.reshape(space.shape).astype(space.dtype)
        observation, reward, terminated, truncated, _ = env.step(np.clip(taken, space.low, space.high))
        next_state[:] = self._state(int(state[0]) + 1, env, observation, rng.random())
        return float(reward), bool(terminated or truncated)

    def sample_action(self, state: Array, action: Array, params: Array, rng: Rng) -> None:
        """Uniform within the bounds."""
        action[:] = rng.uniform(self.action_low, self.action_high)

    def _state(self, steps: int, env: Any, observation: Any, number: float) -> Array:
        space = self.env.observation_space
        try:
            seen = np.asarray(spaces.flatten(space, observation), np.float64).ravel()
        except (TypeError, ValueError):
            seen = np.empty(0)
        if len(seen) != len(self._seen.low):
            require(False, "observation", observation, f"the first item that reset() or step() returned, in {space}")
        return np.concatenate([[float(steps)], self.storage.save(env, number), seen])


def _has_begun(env: Any) -> bool:
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, wrappers.OrderEnforcing) and not env.has_reset:
            return False
        env = env.env
    return True


def _strip(env: Any) -> Any:
    while isinstance(env, TRANSPARENT):
        env = env.env
    return env


def from_gymnasium(
    env: gymnasium.Env[Any, Any], horizon: int | None = None, discount: float = 1.0, capacity: int = 100_000
) -> GymnasiumModel:
    """A model of a Gymnasium environment, for every planner that takes Python models.

    The state is saved and restored by the environment's own `get_state` and `set_state` if they are numeric, by
    MuJoCo's state calls, or else by deep copies (slow, and rendering environments often cannot be copied: make `env`
    without a render mode). Wrappers that change what is seen or done are kept, then always by deep copies.

    >>> import gymnasium, numpy as np, planners
    >>> env = gymnasium.make("Pendulum-v1")
    >>> model, planner, rng = from_gymnasium(env), planners.make("random"), np.random.default_rng(1)
    >>> observation, _ = env.reset(seed=1)
    >>> decision = planner.plan(model, model.observe(env, observation), planners.Budget(simulations=10), rng)
    >>> observation, reward, *_ = env.step(decision.action)

    Args:
        env: any environment with a bounded Box action space; it is copied, not used.
        horizon: largest number of steps; the environment's own time limit if None.
        discount: discount factor of a step.
        capacity: number of deep copies to keep; more than a search takes steps between two visits of a node.

    Raises:
        ValueError: not an environment, or one whose action space is not a bounded Box; or there is no horizon.
    """
    single = "one gymnasium.Env, neither an id nor a vector of environments; pass gymnasium.make(id)"
    require(isinstance(env, gymnasium.Env), "env", env, single)
    box = env.action_space
    require(isinstance(box, spaces.Box) and box.is_bounded(), "action_space", box, "a bounded Box")
    limit = env.spec.max_episode_steps if horizon is None and env.spec is not None else horizon
    require(limit is not None, "horizon", limit, "given, since the environment has no time limit")
    require_count("horizon", limit)
    require_count("capacity", capacity)
    require_positive("discount", discount, 1.0)
    own = copy.deepcopy(_strip(env))
    own.reset(seed=0)
    return GymnasiumModel(own, _storage(own, capacity), int(limit or 0), discount)
