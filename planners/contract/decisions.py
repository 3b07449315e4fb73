"""The decisions of a planner, each checked before it is used: what it is made of, and what it left as it was."""

import functools
import inspect
import math
import pickle
import time
from dataclasses import fields
from typing import Any

import numpy as np

from bonspiel.planners import model as parts
from bonspiel.planners.checks import check_action, is_real, require, require_at_least, require_count
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, EpisodeSearch, FreshSearches, Planner, begin_episode, traits_of

PARTS = [part for part in vars(parts).values() if inspect.isclass(part) and part.__module__ == parts.__name__]
NAMES = {name for part in PARTS for name in vars(part) if not name.startswith("_")}
"""The members of `planners.Model` and of its optional parts."""

ABSENT: Any = object()


@functools.cache
def _of_class(cls: type[Any]) -> dict[str, Any]:
    """The members that a class has, as they are defined; none that it makes anew when asked, as a classmethod is."""
    found = ((name, getattr(cls, name, ABSENT)) for name in sorted(NAMES))
    names = (name for name, value in found if value is not ABSENT and getattr(cls, name) is value)
    return {name: inspect.getattr_static(cls, name) for name in names}


class ModelFields:
    """The members of a model as they are now, and the parameters of a frozen one, to be compared after decisions.

    What was changed is set again, so that other planners of this process meet the right model.

    Args:
        model: with members of its own or of its class.
    """

    def __init__(self, model: Model) -> None:
        self._class, self._own = type(model), getattr(model, "__dict__", {})
        inherited = _of_class(self._class)
        values = {name: getattr(model, name, None) for name in {*inherited, *(self._own.keys() & NAMES)}}
        self._inherited = [(name, getattr(self._class, name)) for name in inherited]
        self._members = [(name, self._own[name]) for name in values if name in self._own]  # cached properties too
        self._others, self._size = NAMES - dict(self._members).keys(), len(self._own)
        kind: Any = self._class
        frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
        names = [field.name for field in fields(kind)] if frozen else []
        parameters = {name: getattr(model, name, ABSENT) for name in names}
        self._parameters = [(name, value) for name, value in parameters.items() if name not in NAMES]
        arrays = {name: value for name, value in (parameters | values).items() if isinstance(value, np.ndarray)}
        made = {name for name in arrays if isinstance(inspect.getattr_static(self._class, name, None), property)}
        self._arrays = [(name, array, array.tobytes()) for name, array in arrays.items() if name not in made]
        self._made = [(name, arrays[name].tobytes()) for name in sorted(made)]
        self._model, self._kept = model, dict(self._own)

    def check(self) -> None:
        """Compare them.

        Raises:
            ValueError: one was changed; names it, with its new and its old value.
        """
        own, cls = self._own, self._class
        for name, array, content in self._arrays:  # hot path
            if array.tobytes() != content:
                changed, before = array.copy(), np.frombuffer(content, array.dtype).reshape(array.shape)
                array[...] = before
                _refuse(name, changed, before)
        for name, value in self._parameters:
            if (given := getattr(self._model, name, ABSENT)) is not value:
                object.__setattr__(self._model, name, value)
                _refuse(name, given, value)
        for name, content in self._made:
            if (made := getattr(self._model, name)).tobytes() != content:
                own.update(self._kept)
                _refuse(name, made, np.frombuffer(content, made.dtype))
        for name, value in self._members:
            if (given := own.get(name)) is not value:
                own[name] = value
                _refuse(name, given, value)
        if len(own) != self._size:
            for name in own.keys() & self._others:
                _refuse(name, own.pop(name), getattr(cls, name, None))
            self._size = len(own)
        for name, value in self._inherited:
            if (given := getattr(cls, name, None)) is not value:
                setattr(cls, name, _of_class(cls)[name])
                _refuse(name, given, value)


def _refuse(name: str, changed: Any, before: Any) -> None:
    require(False, f"model.{name}", changed, f"left as it was, {before!r}")


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
        others_change: whether others may change the model's fields at any time, which are not compared then.

    Attributes:
        seconds: wall-clock time of the last decision, without its check.
    """

    def __init__(
        self,
        planner: Planner,
        model: Model,
        search: EpisodeSearch | None = None,
        name: str = "",
        others_change: bool = False,
    ) -> None:
        self._fields = None if others_change else ModelFields(model)
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

    def played(self, action: Array) -> None:
        """Tell the search which action was played; see `EpisodeSearch`."""
        if callable(tell := getattr(self._search, "played", None)):
            tell(action.copy())

    def _check_unchanged(self, state: Array, given: Array, failure: Exception | None = None) -> None:
        try:
            if self._fields is not None:
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
    if getattr(model, "action_kinds", None) is not None:
        check_action(model, given)


def _check_statistics(decision: Decision, dim: int) -> None:
    if np.shape(decision.plan)[1:] != (dim,):
        require(False, "plan", decision.plan, f"a matrix of actions, [steps, {dim}]")
    values = np.asarray(decision.values)
    shapes = np.shape(decision.actions), np.shape(decision.visits), values.shape
    if shapes != ((values.size, dim), (values.size,), (values.size,)):
        require(False, "shapes of actions, visits and values", shapes, f"[A, {dim}], [A] and [A]")
    visits = np.asarray(decision.visits)
    if visits.dtype.kind not in "fiu" or not (visits >= 0).all():
        require(False, "visits", decision.visits, "numbers of at least 0")
    if values.dtype.kind not in "fiu" or np.isinf(values).any():
        require(False, "values", decision.values, "finite, or NaN where an action is untried")
