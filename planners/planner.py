"""The interface of planners: a model and a budget go in, a decision comes out."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import check_actions, check_state, require, require_count, require_positive
from bonspiel.planners.kinds import ONLY_REAL, refused_kinds
from bonspiel.planners.model import Array, Model, Rng


@dataclass(frozen=True)
class Budget:
    """Limit of a decision: a number of simulations, or seconds of wall-clock time; exactly one is set."""

    simulations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse anything but one positive number."""
        given = self.simulations, self.seconds
        require(given.count(None) == 1, "Budget", given, "given exactly one of simulations and seconds")
        if self.simulations is not None:
            require_count("simulations", self.simulations)
            object.__setattr__(self, "simulations", int(self.simulations))  # numpy's have other methods
        if self.seconds is not None:
            require_positive("seconds", self.seconds)
            object.__setattr__(self, "seconds", float(self.seconds))

    def rest(self, share: float, simulations: int, start: float) -> "Budget":
        """The rest of a share after these simulations, or after the seconds since `start`; never nothing."""
        if self.simulations is not None:
            return Budget(simulations=max(1, int(share * self.simulations) - simulations))
        return Budget(seconds=max(1e-6, share * (self.seconds or 0.0) - (time.perf_counter() - start)))

    def is_out(self, share: float, start: float) -> bool:
        """True if a share of the seconds has passed since `start`; never with simulations."""
        return self.seconds is not None and time.perf_counter() - start >= share * self.seconds

    def split(self, parts: int) -> list["Budget"]:
        """The simulations in equal parts, of which the first ones have the rest; or the same seconds for each."""
        if self.simulations is None:
            return [self] * parts
        part, rest = divmod(self.simulations, parts)
        return [Budget(simulations=part + (number < rest)) for number in range(parts)]


@dataclass(frozen=True, eq=False)
class Decision:
    """The action that a planner chose, and the statistics of the root.

    Attributes:
        action: the chosen action, [action_dim].
        value: estimated return of the chosen action for the player to move (NaN where the planner estimates none).
        simulations: simulations run.
        seconds: wall-clock time taken.
        actions: the root's actions, [A, action_dim].
        visits: simulations through each root action, [A]; a tree kept from the last decision adds its own.
        values: mean return of each root action, [A]; NaN where untried.
        invalid: rollouts that met a reward or a state that is not finite, or an exception of the model. Each ended
            there and counts as the worst of the valid ones, or as -1e9 where the first and many random ones after it
            are invalid. Where all are invalid, `plan` raises ValueError.
        plan: the actions that it means to play from here on, as far as it knows them, [steps, action_dim]; the first
            is `action`, and the only one where none are given.
    """

    action: Array
    value: float
    simulations: int
    seconds: float
    actions: Array
    visits: NDArray[np.int64]
    values: Array
    invalid: int = 0
    plan: Array = None  # type: ignore[assignment]  # an array from the start, as follows

    def __post_init__(self) -> None:
        """Plan the action alone where no plan is given, or that of another action, as by `dataclasses.replace`."""
        if self.plan is None or self.plan[0].tolist() != np.asarray(self.action).tolist():
            object.__setattr__(self, "plan", np.array(self.action, ndmin=2))


@dataclass(frozen=True)
class Traits:
    """The properties of a planner that other code relies on.

    Attributes:
        takes_root_actions: its choice can be restricted to `root_actions`.
        divides_budget: its course depends on the size of the budget.
        budget_multiple: number of times that it spends a budget of simulations, for one with several workers; inf for
            one whose work is of a fixed size at least.
        reproducible: the same seed, state and budget give the same decision.
        converges: choices and values tend to the optimal ones with the number of simulations.
        times_itself: `Decision.seconds` are the time on record in games, as it asks another process.
        action_kinds: kinds of coordinates of an action that it takes; models with others are refused for it.
        rolls_out: it values states by the model's `rollout`, unless it has `leaf="tree"`.
    """

    takes_root_actions: bool = True
    divides_budget: bool = False
    budget_multiple: float = 1
    reproducible: bool = True
    converges: bool = True
    times_itself: bool = False
    action_kinds: tuple[str, ...] = ONLY_REAL
    rolls_out: bool = True


def traits_of(planner: object) -> Traits:
    """The traits of a planner; those of one written for 0.1 are attributes of its own."""
    own = getattr(planner, "traits", None)
    if own is None:
        own = Traits(**{one.name: getattr(planner, one.name) for one in fields(Traits) if hasattr(planner, one.name)})
    return own


class Planner(Protocol):
    """A search algorithm: its parameters and nothing else, so that it pickles, compares and prints.

    `traits`, a class attribute or a property, says what differs from the defaults of `Traits`. Methods that a planner
    may have besides: `unsupported(model) -> str | None`, the line that a user reads, such as "needs `rollout`", or None
    for a model that it can search; `same_actions(model) -> bool`, whether its searches of a model from one state all
    consider the same actions at the root, equal vectors whatever the seed; `announce(model) -> None`, which says on
    standard error that it leaves the model to another planner, once and not in a worker, whose parent asks for it.

    `plan` forgets: it knows nothing of earlier decisions. A planner that can use what it learned in them has a
    parameter `memory: float`, in [0, 1], and `begin_episode(model) -> EpisodeSearch`: `memory` says how far the next
    decision goes by what the last one learned, and with 0 every decision is as `plan` makes it, bit for bit, unless
    `needs_last_action: bool` says that decisions depend on the action played last, which `plan` does not know.
    Episodes are played through `planners.begin_episode(planner, model)`, which takes every planner.
    """

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action in `state`, and forget; `begin_episode` remembers.

        Args:
            model: the generative model to search with.
            state: where to act, float64 [state_dim].
            budget: simulations or seconds to spend.
            rng: the source of every random draw.
            root_actions: the only actions to consider at the root, [A, action_dim]; the planner's own choice if None.

        Raises:
            ValueError: an argument is of the wrong shape, not finite, or out of range; or the episode is over in
                `state`, by the model's `steps_left` or `time_index`; or there are `root_actions` that the
                planner does not take.
            TypeError: the planner does not support the model, or an argument is of the wrong type.
        """


class EpisodeSearch(Protocol):
    """The decisions of one episode of a model, each of which may start from what the one before learned.

    The runner begins one for each episode; nothing is handed on from one episode to another. In games of two players
    each has one, which is not told of the other's steps. One that remembers a sequence may have
    `start_from(plan) -> None`; see `begin_episode`. One that depends on the action played last takes it to be what its
    last decision means for that step, and may have `played(action) -> None`, called before `plan` to say otherwise.
    """

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; called for the steps of the episode in order, of which some may be left out.

        The first call decides as `Planner.plan` does. Arguments and errors are those of `Planner.plan`. A call in the
        same state is for the same step again. Other calls are one step later, unless the model has a `time_index`.
        """


@dataclass(frozen=True)
class FreshSearches:
    """The decisions of a planner without memory."""

    planner: Planner
    model: Model

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `EpisodeSearch.plan`."""
        given = () if root_actions is None else (root_actions,)
        return self.planner.plan(self.model, state, budget, rng, *given)


class _WithinBounds:
    """A search with memory that begins anew when the bounds of the actions change: what it knows is of the old ones.

    Its other members, such as `played`, are those of the search.

    Args:
        begin: makes the search of a model.
        model: whose bounds others may change between decisions.
    """

    def __init__(self, begin: Callable[[Model], EpisodeSearch], model: Model) -> None:
        self._begin, self._model, self._bounds = begin, model, _bounds(model)
        self._search = begin(model)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._search, name)

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `EpisodeSearch.plan`."""
        if (now := _bounds(self._model)) != self._bounds:
            changed = "the bounds of the actions changed within an episode: the search forgets what it learned before"
            warnings.warn(changed, stacklevel=2)
            self._bounds, self._search = now, self._begin(self._model)
        given = () if root_actions is None else (root_actions,)
        return self._search.plan(state, budget, rng, *given)


def _bounds(model: Model) -> tuple[bytes, ...]:
    return tuple(np.asarray(getattr(model, name, None)).tobytes() for name in ("action_low", "action_high"))


def begin_episode(planner: Planner, model: Model, plan: Array | None = None) -> EpisodeSearch:
    """The search that makes the decisions of one episode, with the planner's memory if it has one.

    Bounds of the model's actions may change between decisions; a search with memory begins anew then.

    Args:
        planner: decides.
        model: to search.
        plan: what the first decision starts from as if an earlier one had left it, for planners that remember a
            sequence (`EpisodeSearch.start_from`): actions from the first decision's step on, [any, action_dim], such as
            the rest of a `Decision.plan`.

    Raises:
        ValueError: the planner does not start from a plan; or the plan is not of actions of the model.
    """
    own = getattr(planner, "begin_episode", None)
    found: EpisodeSearch = FreshSearches(planner, model) if own is None else _WithinBounds(own, model)
    if plan is not None:
        start = getattr(found, "start_from", None)
        able = start is not None and getattr(planner, "memory", 0.0) > 0.0
        require(able, "plan", "given", f"None for {planner}: cem, icem, mppi and adaptive with a memory start from one")
        found.start_from(check_actions(model, plan, "plan").copy())  # type: ignore[attr-defined]
    return found


class ResumableSearch(Protocol):
    """A search that keeps its statistics from call to call.

    A planner that offers one for models with `actions` has `begin(model, state, budget, rng) -> ResumableSearch`.
    """

    def evaluate(self, states: Array, order: NDArray[np.int64], sums: Array, budget: Budget) -> int:
        """Add returns of simulations to `sums`, [n], from `states`, [n, state_dim], one step ahead of the root.

        Args:
            states: where simulations start.
            order: indices of the states to start from, one after the other, again and again.
            sums: receives the returns of player +1.
            budget: simulations or seconds.

        Returns:
            The number of simulations.
        """

    def decide(self, actions: Array, budget: Budget, start: float) -> Decision:
        """Choose one of the actions, [A, action_dim], by simulations; `start` is the clock when the plan began."""


class MergeableSearch(Protocol):
    """A search that several workers extend, each in a copy, and whose statistics are added up again.

    A planner that offers one for models without `actions` has
    `begin_mergeable(model, state, budget, rng, root_actions) -> MergeableSearch`. It can be sent to another process.
    """

    def extended(self, budget: Budget, rng: Rng) -> Self:
        """A copy with more simulations."""

    def merged(self, parts: Sequence[Self]) -> Self:
        """This search with all simulations that the parts, each extended from it, have added."""

    def decide(self, start: float, rng: Rng) -> Decision:
        """The decision by all simulations so far; `start` is the clock when the plan began, `rng` draws from equals."""


def unsupported(planner: object, model: Model) -> str | None:
    """Say why a planner cannot search a model, such as "needs `rollout`"; None if it can, or does not say."""
    if getattr(model, "action_kinds", None) is not None and (
        reason := refused_kinds(model, traits_of(planner).action_kinds)
    ):
        return reason
    own = getattr(planner, "unsupported", None)
    return None if own is None else own(model)


def announce(planner: object, model: Model) -> None:
    """Let a planner say what a user should know before it decides in a model; most have nothing to say."""
    own = getattr(planner, "announce", None)
    if own is not None:
        own(model)


def has_same_actions(planner: object, model: Model) -> bool:
    """True if all searches of a model from one state consider the same actions at the root."""
    own = getattr(planner, "same_actions", None)
    return own is not None and own(model)


def check_plan(planner: Planner, model: Model, state: Any, budget: Any, rng: Any, root_actions: Any = None) -> Array:
    """Check the arguments of `Planner.plan`; returns the state as a contiguous float64 vector.

    Of `root_actions` it is checked only whether the planner takes any.

    Raises:
        TypeError: the planner does not support the model, or an argument is of the wrong type.
        ValueError: the state is of the wrong shape or not finite, or there are `root_actions` that the planner does
            not take.
    """
    checked = check_state(model, state)
    if not isinstance(budget, Budget):
        raise TypeError(f"budget={budget!r}: must be a Budget; pass planners.Budget(simulations=...) or (seconds=...)")
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng={rng!r}: must be a numpy.random.Generator; pass numpy.random.default_rng(seed)")
    if reason := unsupported(planner, model):
        able = "planners.names_for(model) names those that can"
        raise TypeError(f"{type(planner).__name__} cannot search {type(model).__name__}: {reason}; {able}")
    if root_actions is not None and not traits_of(planner).takes_root_actions:
        require(False, "root_actions", root_actions, f"None; {type(planner).__name__} does not take the root's actions")
    return checked
