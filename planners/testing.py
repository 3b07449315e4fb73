"""A check for authors of planners: does the planner keep the contract that benchmarks rely on?"""

import math
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bonspiel.planners.checks import require
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Planner, begin_episode, traits_of, unsupported

SIMULATIONS = 50
EPISODE_STEPS = 3
SECONDS, LATEST_SECONDS, TRIES = 0.05, 1.0, 5


def check_planner(planner: Planner, rng: Rng, model: Model | None = None) -> None:
    """Let a planner decide a few times and check the contract of `planners.Planner`.

    Args:
        planner: the planner.
        rng: chooses the state and the seeds.
        model: to plan with; a small one in plain Python if None.

    Raises:
        ValueError: the planner breaks the contract; names what is wrong.
    """
    model = Walk() if model is None else model
    name = type(planner).__name__
    require(
        not isinstance(planner, type), "planner", planner, f"an instance: pass {getattr(planner, '__name__', '')}()"
    )
    require(callable(getattr(planner, "plan", None)), "plan", name, "a method of the planner")
    if reason := unsupported(planner, model):
        raise ValueError(f"{name} cannot search {type(model).__name__}: {reason}; pass a model that it can search")
    _check_pickles(planner)
    state, seed = model.initial_state(rng), int(rng.integers(2**31))
    before = state.copy()

    def plan(budget: Any, rng: Any = None, root_actions: Array | None = None) -> Decision:
        own = np.random.default_rng(seed) if rng is None else rng
        return planner.plan(model, state, budget, own, *([] if root_actions is None else [root_actions]))

    budget = Budget(simulations=SIMULATIONS)
    first, again = plan(budget), plan(budget)
    _check_decision(model, first)
    require((state == before).all(), "state", state, "left as it is by plan()")
    same = not traits_of(planner).reproducible or bool((first.action == again.action).all())
    require(same, "action", again.action, f"{first.action} again, since seed and state are the same")
    most = SIMULATIONS * traits_of(planner).budget_multiple
    require(first.simulations <= most, "simulations", first.simulations, f"at most the budget, {most}")
    for _ in range(TRIES):  # other programs may take the time of some
        start = time.perf_counter()
        _check_decision(model, plan(Budget(seconds=SECONDS)))
        took = time.perf_counter() - start
        if took <= LATEST_SECONDS:
            break
    require(took <= LATEST_SECONDS, "seconds", took, f"near the budget of {SECONDS} s")
    given = np.array([model.action_low + share * (model.action_high - model.action_low) for share in (0.3, 0.8)])
    if traits_of(planner).takes_root_actions:
        chosen = plan(budget, root_actions=given).action
        require((given == chosen).all(1).any(), "action", chosen, f"one of root_actions={given.tolist()}")
    if traits_of(planner).reproducible:
        _check_episodes(planner, model, seed)
    for wrong in ({"budget": SIMULATIONS}, {"budget": budget, "rng": 0}):
        try:
            plan(**wrong)
        except TypeError:
            continue
        raise ValueError(f"plan() accepted {wrong}: call planners.planner.check_plan first, which refuses it in a line")


def _check_episodes(planner: Planner, model: Model, seed: int) -> None:
    """Through `begin_episode` decisions are as by `plan`; with a memory, the first ones of episodes are."""
    first, again = (_first_actions(begin_episode(planner, model).plan, model, seed) for _ in range(2))
    require(first == again, "actions", again, f"{first} again, in an episode with the same seed")
    fresh = _first_actions(partial(planner.plan, model), model, seed)
    count = len(fresh) if getattr(planner, "memory", 0.0) == 0.0 else 1
    what = f"the same by plan() and begin_episode(), which gives {first[:count]}"
    require(first[:count] == fresh[:count], "actions", fresh[:count], what)


def _first_actions(plan: Callable[[Array, Budget, Rng], Decision], model: Model, seed: int) -> list[list[float]]:
    """The actions of the first steps of an episode."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    state, over = model.initial_state(noise), False
    actions: list[list[float]] = []
    while not over and len(actions) < min(EPISODE_STEPS, model.horizon):
        decision = plan(state, Budget(simulations=SIMULATIONS), rng)
        _check_decision(model, decision)
        actions.append(np.asarray(decision.action).tolist())
        next_state = np.empty_like(state)
        _, over = model.step(state, decision.action, next_state, model.params, noise)
        state = next_state
    return actions


def _check_pickles(planner: Planner) -> None:
    """Workers receive planners as text, but users send them to processes of their own."""
    try:
        equal = pickle.loads(pickle.dumps(planner)) == planner
    except Exception as error:
        raise ValueError(f"{type(planner).__name__} cannot be pickled: {error}") from error
    require(equal, "planner", planner, "equal to itself after pickling; make it a frozen dataclass of its parameters")


def _check_decision(model: Model, decision: Any) -> None:
    """Shapes, bounds and statistics of the root."""
    require(isinstance(decision, Decision), "plan(...)", decision, "a planners.Decision")
    low, high, action = model.action_low, model.action_high, np.asarray(decision.action)
    require(action.shape == low.shape, "action", decision.action, f"a vector of {len(low)} numbers")
    require(bool(((low <= action) & (action <= high)).all()), "action", action, f"within {low} and {high}")
    require(decision.simulations >= 0, "simulations", decision.simulations, "0 or more")
    require(decision.seconds >= 0.0 and math.isfinite(decision.seconds), "seconds", decision.seconds, "0 or more")
    count = len(decision.visits)
    shapes = np.shape(decision.actions), np.shape(decision.values)
    require(shapes == ((count, len(low)), (count,)), "actions and values", shapes, f"of {count} actions, as visits")


@dataclass(frozen=True)
class Walk:
    """A model for checks: four noisy steps on a line, each of which costs the distance to 1."""

    state_dim = 2
    horizon = 4
    time_index = 1
    discount = 1.0
    compiled = False
    action_low, action_high = -np.ones(1), np.ones(1)
    state_low, state_high = np.array([-5.0, 0.0]), np.array([5.0, 4.0])
    params = np.array([0.1])

    def initial_state(self, rng: Rng) -> Array:
        """The origin."""
        return np.zeros(2)

    def step(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """Move by the action and by noise."""
        next_state[0] = state[0] + action[0] + params[0] * rng.normal()
        next_state[1] = state[1] + 1.0
        return -abs(1.0 - next_state[0]), False

    def sample_action(self, state: Array, action: Array, params: Array, rng: Rng) -> None:
        """Uniform within the bounds."""
        action[0] = rng.uniform(-1.0, 1.0)
