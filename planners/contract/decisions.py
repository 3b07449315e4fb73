"""The decisions of a planner, each checked before it is used: what it is made of, and what it left as it was."""

import math
import pickle
import time
from typing import Any

import numpy as np

from bonspiel.planners.checks import check_action, is_real, require, require_at_least, require_count
from bonspiel.planners.contract.model_fields import ModelFields
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, EpisodeSearch, FreshSearches, Planner, begin_episode, traits_of

LONGEST = 300  # characters of a message, which may hold an array of any size


class BrokenContract(ValueError):
    """A planner did what `planners.Planner` forbids; the message is one line that names the planner and the field."""

    @classmethod
    def of(cls, planner: str, wrong: object) -> "BrokenContract":
        """The error of a planner by its name, and what is wrong."""
        text = " ".join(f"{planner} breaks the contract of planners: {wrong}".split())
        return cls(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


class CheckedSearch:
    """The decisions of one episode, or single ones, as of `EpisodeSearch`; one that breaks the contract is an error.

    The planner is handed a copy of the state. What it may not change is compared after each decision: the state and the
    fields of the model. This takes 5 microseconds.

    Args:
        planner: decides.
        model: to search.
        search: makes the decisions: `begin_episode(planner, model)` if None.
        name: of the planner in messages; that of its class if empty.

    Attributes:
        seconds: wall-clock time of the last decision, without its check.
    """

    def __init__(self, planner: Planner, model: Model, search: EpisodeSearch | None = None, name: str = "") -> None:
        self._fields = ModelFields(model)
        self._search = begin_episode(planner, model) if search is None else search
        self._name, self._model = name or type(planner).__name__, model
        self._multiple = traits_of(planner).budget_multiple
        self.seconds = 0.0

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `EpisodeSearch.plan`.

        Raises:
            BrokenContract: the planner broke the contract; or it failed after it had changed the state or the model.
        """
        given = state.copy()
        arguments = (given, budget, rng) if root_actions is None else (given, budget, rng, root_actions)
        start = time.perf_counter()
        try:
            decision = self._search.plan(*arguments)
        except Exception as error:
            self._check_unchanged(state, given, error)
            raise
        self.seconds = time.perf_counter() - start
        self._check_unchanged(state, given)
        try:
            most = None if budget.simulations is None else self._multiple * budget.simulations
            check_decision(self._model, decision, most)
        except ValueError as error:
            raise BrokenContract.of(self._name, error) from error
        return decision

    def _check_unchanged(self, state: Array, given: Array, failure: Exception | None = None) -> None:
        try:
            self._fields.check()
            if given.tobytes() != state.tobytes():
                require(False, "state", given, f"left as it was, {state}; plan with state.copy()")
        except ValueError as error:
            raise BrokenContract.of(self._name, error) from failure or error


def checked_plan(
    planner: Planner, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None
) -> Decision:
    """The decision of `planner.plan`, checked as those of a `CheckedSearch` are.

    Raises:
        BrokenContract: see `CheckedSearch.plan`.
    """
    search = CheckedSearch(planner, model, FreshSearches(planner, model))
    return search.plan(state, budget, rng, root_actions)


def check_pickles(planner: Planner, name: str = "") -> None:
    """Check that a planner is its parameters alone, so that processes can be sent one and results name it.

    Raises:
        BrokenContract: it cannot be pickled, or is another one then; names it, by its class if `name` is empty.
    """
    name = name or type(planner).__name__
    try:
        equal = pickle.loads(pickle.dumps(planner)) == planner
    except Exception as error:
        raise BrokenContract.of(name, f"it cannot be pickled: {error}") from error
    if not equal:
        raise BrokenContract.of(name, "it is another one after pickling: make it a frozen dataclass of its parameters")


def check_decision(model: Model, decision: Any, most: float | None = None) -> None:
    """Check the fields of a decision.

    Args:
        model: with the bounds of the action.
        decision: as a planner returned it.
        most: simulations that it may have run; None for any number.

    Raises:
        ValueError: one is not as `planners.Decision` says.
    """
    if not isinstance(decision, Decision):
        require(False, "plan(...)", decision, "a planners.Decision")
    _check_action(model, decision.action)
    simulations, value, seconds = decision.simulations, decision.value, decision.seconds
    if not (type(simulations) is int and 0 <= simulations and (most is None or simulations <= most)):
        require_count("simulations", simulations, 0, np.inf if most is None else most)
    if not (type(value) is float and math.isfinite(value)):
        require(is_real(value) and not math.isinf(value), "value", value, "a finite number, or NaN")
    if not (type(seconds) is float and 0.0 <= seconds < math.inf):
        require_at_least("seconds", seconds, 0.0)
    _check_statistics(decision, len(model.action_low))


def _check_action(model: Model, given: Any) -> None:
    action = np.asarray(given)
    fits = action.shape == model.action_low.shape and action.dtype.kind in "fiu"
    bounds = model.action_low.tolist(), model.action_high.tolist()
    if not (fits and all(low <= value <= high for value, low, high in zip(action.tolist(), *bounds, strict=True))):
        require(action.dtype.kind in "fiu", "action", given, f"a vector of {len(bounds[0])} real numbers")
        check_action(model, given)


def _check_statistics(decision: Decision, dim: int) -> None:
    values = np.asarray(decision.values)
    shapes = np.shape(decision.actions), np.shape(decision.visits), values.shape
    if shapes != ((values.size, dim), (values.size,), (values.size,)):
        require(False, "shapes of actions, visits and values", shapes, f"[A, {dim}], [A] and [A]")
    if values.dtype.kind not in "fiu" or np.isinf(values).any():
        require(False, "values", decision.values, "finite, or NaN where an action is untried")
