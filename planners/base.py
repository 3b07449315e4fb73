"""The interfaces of planners: model and budget go in, a decision comes out.

Optional parts of a model are the protocols `HasRollout`, `HasActions`, ...; `planners.checks.offers` looks for them.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import *  # noqa: F403  (planners find all checks here too)
from bonspiel.planners.checks import check_state, require, require_count, require_positive

Array = NDArray[np.float64]
Rng = np.random.Generator


class AimBlock(NamedTuple):
    """A grid of actions in coordinates in which the noise of the execution is a constant Gaussian.

    Attributes:
        actions: [rows, columns, action_dim].
        sd: standard deviation of the noise in grid steps, along the rows' axis and the columns' axis; 0 where the steps
            are too far apart for their values to be averaged.
    """

    actions: Array
    sd: tuple[float, float]


class Model(Protocol):
    """A generative model with flat float64 states and actions, without any state of its own.

    Every function writes into the arrays it is given, draws from the `rng` argument alone and takes its constants from
    `params`. Functions of a compiled model are module-level and decorated with `planners.jit.compiled`. Planners use
    what a model offers besides; the protocols below, from `HasTimeIndex` on, say what that may be.
    """

    @property
    def state_dim(self) -> int:
        """Length of a state."""

    @property
    def action_low(self) -> Array:
        """Smallest action, [action_dim]."""

    @property
    def action_high(self) -> Array:
        """Largest action, [action_dim]."""

    @property
    def discount(self) -> float:
        """Discount factor of a step, in (0, 1]."""

    @property
    def horizon(self) -> int:
        """Largest number of steps of an episode."""

    @property
    def params(self) -> Array:
        """Constants of the model functions, float64 [any]."""

    @property
    def compiled(self) -> bool:
        """Whether the model functions are compiled; otherwise they are plain Python."""

    @property
    def step(self) -> Callable[[Array, Array, Array, Array, Rng], tuple[float, bool]]:
        """(state, action, next_state, params, rng): writes next_state, returns (reward, terminated)."""

    @property
    def sample_action(self) -> Callable[[Array, Array, Array, Rng], None]:
        """(state, action, params, rng): writes a candidate action."""

    def initial_state(self, rng: Rng) -> Array:
        """A state that episodes start from, [state_dim]."""


class HasTimeIndex(Model, Protocol):
    """A state that counts the steps: plans look `horizon - state[time_index]` steps ahead, otherwise `horizon`."""

    @property
    def time_index(self) -> int:
        """The coordinate that counts the steps taken."""


class HasStepsLeft(Model, Protocol):
    """Episodes of a length that the state tells; takes precedence over `time_index`."""

    def steps_left(self, state: Array) -> int:
        """Most steps from this state to the end; 0 where the episode is over."""


class HasLookahead(Model, Protocol):
    """A limit of the steps that a plan looks ahead, for long episodes; it shortens none of them."""

    @property
    def lookahead(self) -> int:
        """Steps that a plan looks ahead at most, 1 or more."""


class HasStateBounds(Model, Protocol):
    """Bounds of the states, from which a model without `cells` gets its cells; infinite where they are not known."""

    @property
    def state_low(self) -> Array:
        """Smallest state, [state_dim]."""

    @property
    def state_high(self) -> Array:
        """Largest state, [state_dim]."""


class HasDistanceWeights(Model, Protocol):
    """Squared distances between states, coordinate by coordinate."""

    @property
    def distance_weights(self) -> Array:
        """[state_dim]: 1 takes a coordinate in raw units (the default), 0 leaves it out, inf asks for equality."""


class HasRollout(Model, Protocol):
    """A default policy."""

    def rollout(self, state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
        """Its return over at most `depth` steps; both arrays, [state_dim], are copies that it may overwrite."""


class HasValue(Model, Protocol):
    """An estimate of the return of good play, learned for instance; `planners.wrappers.valued` searches with it."""

    def value(self, state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
        """What it is, over at most `depth` steps; called as `rollout` is, and compiled for that role."""


class HasPlayer(Model, Protocol):
    """Two players; rewards are always player +1's."""

    def player(self, state: Array, params: Array) -> float:
        """+1.0 or -1.0, the player to move."""


class HasCells(Model, Protocol):
    """Abstract states, from coarse to fine. Equal hashes at a depth mean equal hashes at every smaller depth."""

    def cells(self, state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
        """Write hashes of the abstract state at depths first..last-1 into `out`, [last - first]."""


class HasActions(Model, Protocol):
    """Actions worth trying in a state. The same kind of action has the same key in every state.

    A model in which no others can be played has an attribute `discrete = True`: `sample_action` then draws one of them,
    and planners that make actions of their own refuse it.
    """

    @property
    def max_actions(self) -> int:
        """Most actions of a state."""

    def actions(self, state: Array, params: Array, out: Array, keys: NDArray[np.uint64]) -> int:
        """Write actions, [max_actions, action_dim], and their keys, [max_actions]; returns their number, 1 or more."""


class HasTracedRollout(Model, Protocol):
    """A default policy that tells what it played, by the keys of `actions`, and whose each region was in the end.

    Regions are parts of the playing area, such as the points of a board. The model says what owning one means, and what
    winning means: in curling to score in the end that is played.
    """

    @property
    def n_regions(self) -> int:
        """How many regions there are."""

    def traced_rollout(
        self,
        state: Array,
        scratch: Array,
        depth: int,
        params: Array,
        rng: Rng,
        keys: NDArray[np.uint64],
        movers: Array,
        owners: Array,
    ) -> float:
        """`rollout`, which also writes the actions played and the owners.

        Args:
            state: as in `rollout`, like all up to `rng`.
            scratch: [state_dim].
            depth: most steps.
            params: of the model.
            rng: the source of every random draw.
            keys: receives the keys of the actions played, in order, without those that have none, [depth + 1].
            movers: receives the player of each, +1 or -1, and 0 after the last one, [depth + 1].
            owners: receives the owner of each region in the end, from -1 to 1, and after them who won, +1, -1 or 0 for
                nobody, [n_regions + 1].
        """


class HasPriors(Model, Protocol):
    """What is known of actions before they are tried."""

    def priors(self, state: Array, params: Array, actions: Array, out: Array) -> None:
        """Write visits and mean return for the player to move that each action starts with, [A, 2]."""


class HasRegion(HasTracedRollout, Protocol):
    """Actions that are for a region."""

    def region(self, action: Array, params: Array) -> int:
        """The region of an action, of those that `traced_rollout` writes; -1 for none."""


class HasActionSd(Model, Protocol):
    """Execution noise of a known size."""

    @property
    def action_sd(self) -> Array:
        """Standard deviation in each coordinate of an action, [action_dim]; 0 where it is executed as aimed."""


class HasActionPeriod(Model, Protocol):
    """Coordinates of an action that go round, such as directions: planners take differences the short way round."""

    @property
    def action_period(self) -> Array:
        """Period of each coordinate of an action, above 0, [action_dim]; inf where it does not go round."""


class HasStepExact(Model, Protocol):
    """Execution noise that can be left out."""

    def step_exact(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """`step` without the noise of the execution; draws nothing."""


class HasTieBreaker(Model, Protocol):
    """A second reward for states where all returns are as good as equal, such as points where the match is won."""

    @property
    def return_bounds(self) -> tuple[float, float]:
        """Smallest and largest return."""

    @property
    def indifference(self) -> float:
        """Returns that differ by no more are as good as equal."""

    def tie_breaker(self, state: Array) -> Model | None:
        """The model with the second reward, of the same states and actions, to plan in `state`; None without one."""


class HasAimGrid(Model, Protocol):
    """Grids of actions in which the execution noise is a constant Gaussian."""

    def aim_grid(self, state: Array, size: int) -> list[AimBlock]:
        """About `size` actions that cover the possible ones."""


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
        else:
            require_positive("seconds", self.seconds)

    def rest(self, share: float, simulations: int, start: float) -> "Budget":
        """What is left of a share after so many simulations, or after the seconds since `start`; never nothing."""
        if self.simulations is not None:
            return Budget(simulations=max(1, int(share * self.simulations) - simulations))
        return Budget(seconds=max(1e-6, share * (self.seconds or 0.0) - (time.perf_counter() - start)))

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
        visits: simulations through each root action, [A].
        values: mean return of each root action, [A]; NaN where untried.
    """

    action: Array
    value: float
    simulations: int
    seconds: float
    actions: Array
    visits: NDArray[np.int64]
    values: Array


class Planner(Protocol):
    """A search algorithm: its parameters and nothing else, so that it pickles, compares and prints.

    A planner that cannot search every model also has `unsupported(model) -> str | None`: the line that a user reads,
    such as "needs `rollout`", or None for a model that it can search. One whose choice cannot be restricted to
    `root_actions` has a class attribute `takes_root_actions: ClassVar[bool] = False`; True is the default.
    One whose course depends on how large the budget is has `divides_budget: ClassVar[bool] = True`. One that spends a
    budget of simulations several times, because it has so many workers, says how often by `budget_multiple: int`.
    One whose searches of a model from the same state all consider the same actions at the root, equal vectors whatever
    the seed, has `same_actions(model) -> bool`. One that may decide otherwise with the same seed has
    `reproducible: bool`, False. One whose own `Decision.seconds` are the time on record in games, as it asks another
    process, has `times_itself: ClassVar[bool] = True`. One that leaves some models to another planner has
    `announce(model) -> None`, which says so on standard error, once and not in a worker, whose parent asks for it.

    `plan` knows nothing of earlier decisions. A planner that can use what it learned in them has a parameter
    `memory: float = 0.0`, in [0, 1], and `begin_episode(model) -> EpisodeSearch`: `memory` is the part of what the last
    decision learned with which the next one starts, and with 0 every decision is as `plan` makes it, bit for bit.
    Episodes are played through `planners.begin_episode(planner, model)`, which takes every planner.
    """

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action in `state`.

        Args:
            model: the generative model to search with.
            state: where to act, float64 [state_dim].
            budget: simulations or seconds to spend.
            rng: the source of every random draw.
            root_actions: the only actions to consider at the root, [A, action_dim]; the planner's own choice if None.

        Raises:
            ValueError: an argument is of the wrong shape, not finite, or out of range; or the episode is over in
                `state`, as far as the model's `steps_left` or `time_index` tells; or there are `root_actions` that the
                planner does not take.
            TypeError: the planner does not support the model, or an argument is of the wrong type.
        """


class EpisodeSearch(Protocol):
    """The decisions of one episode of a model, each of which may start from what the one before learned.

    The runner begins one for each episode; nothing is handed on from one episode to another. In games of two players
    every decision is made by `Planner.plan`.
    """

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; called once for each step of the episode, in order.

        The first call decides as `Planner.plan` does. Arguments and errors are those of `Planner.plan`.
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


def begin_episode(planner: Planner, model: Model) -> EpisodeSearch:
    """The search that makes the decisions of one episode, with the planner's memory if it has one."""
    own = getattr(planner, "begin_episode", None)
    found: EpisodeSearch = FreshSearches(planner, model) if own is None else own(model)
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


def unsupported(planner: object, model: Model) -> str | None:
    """Why a planner cannot search a model, such as "needs `rollout`"; None if it can, or does not say."""
    own = getattr(planner, "unsupported", None)
    return None if own is None else own(model)


def announce(planner: object, model: Model) -> None:
    """Let a planner say what a user should know before it decides in a model; most have nothing to say."""
    own = getattr(planner, "announce", None)
    if own is not None:
        own(model)


def budget_multiple(planner: object) -> int:
    """How often a planner spends a budget of simulations."""
    return getattr(planner, "budget_multiple", 1)


def is_reproducible(planner: object) -> bool:
    """Whether a planner's decision is the same whenever seed, state and budget are."""
    return bool(getattr(planner, "reproducible", True))


def has_same_actions(planner: object, model: Model) -> bool:
    """Whether all searches of a model from one state consider the same actions at the root."""
    own = getattr(planner, "same_actions", None)
    return own is not None and own(model)


def times_itself(planner: object) -> bool:
    """Whether the time of a planner's decisions is what they say themselves."""
    return bool(getattr(planner, "times_itself", False))


def takes_root_actions(planner: object) -> bool:
    """Whether a planner can be told the only actions to consider at the root."""
    return getattr(planner, "takes_root_actions", True)


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
        raise TypeError(f"{type(planner).__name__} cannot search {type(model).__name__}: {reason}")
    if root_actions is not None and not takes_root_actions(planner):
        require(
            False, "root_actions", root_actions, f"None; {type(planner).__name__} cannot be told the root's actions"
        )
    return checked
