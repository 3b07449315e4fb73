"""What planners are given (a model, a budget) and what they give back (a decision)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

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
    `params`. Functions of a compiled model are module-level and decorated with `planners.core.jit.compiled`.

    A model may also offer, as attributes or functions:

    - `steps_left(state) -> int`: how many steps there are from this state to the end at most, at least 1; a plan looks
      no further.
    - `time_index`: the state coordinate that counts the steps taken; a plan of a model without `steps_left` looks
      `horizon - state[time_index]` steps ahead. Without either every plan looks `horizon` steps ahead.
    - `state_low`, `state_high`: bounds of the states, float64 [state_dim]; they give a box model its default `cells`.
    - `distance_weights`: float64 [state_dim], weight of each coordinate in squared distances between states: 1 takes it
      in raw units (the default), 0 leaves it out, inf asks for exact equality (time, player to move).
    - `rollout(state, scratch, depth, params, rng) -> float`: value of the default policy over at most `depth` steps;
      both arrays, [state_dim], are copies that it may overwrite.
    - `player(state, params) -> float`: +1.0 or -1.0, whose turn it is; rewards are always player +1's.
    - `cells(state, first, last, params, out)`: writes hashes of the abstract state at depths first..last-1 into `out`,
      uint64 [last - first]. Equal hashes at a depth mean equal hashes at every smaller depth.
    - `actions(state, params, out, keys) -> int` and `max_actions`: writes the actions worth trying in this state into
      `out`, [max_actions, action_dim], and a key of each into `keys`, uint64 [max_actions]; returns how many there are,
      at least 1. The same kind of action has the same key in every state.
    - `action_sd`: standard deviation of the execution noise in each coordinate of an action, float64 [action_dim];
      0 where the action is executed as aimed.
    - `step_exact(state, action, next_state, params, rng)`: `step` without the noise of the execution; draws nothing.
    - `aim_grid(state, size)`: about `size` actions that cover what can be done, as a list of `AimBlock`.
    """

    @property
    def state_dim(self) -> int:
        """Length of a state."""
        ...

    @property
    def action_low(self) -> Array:
        """Smallest action, [action_dim]."""
        ...

    @property
    def action_high(self) -> Array:
        """Largest action, [action_dim]."""
        ...

    @property
    def discount(self) -> float:
        """Discount factor of a step, in (0, 1]."""
        ...

    @property
    def horizon(self) -> int:
        """Largest number of steps of an episode."""
        ...

    @property
    def params(self) -> Array:
        """Everything that the model functions need to know, float64 [any]."""
        ...

    @property
    def compiled(self) -> bool:
        """Whether the model functions are compiled; otherwise they are plain Python."""
        ...

    @property
    def step(self) -> Callable[[Array, Array, Array, Array, Rng], tuple[float, bool]]:
        """(state, action, next_state, params, rng): writes next_state, returns (reward, terminated)."""
        ...

    @property
    def sample_action(self) -> Callable[[Array, Array, Array, Rng], None]:
        """(state, action, params, rng): writes a candidate action."""
        ...

    def initial_state(self, rng: Rng) -> Array:
        """A state that episodes start from, [state_dim]."""
        ...


def require(ok: bool, name: str, value: Any, allowed: str) -> None:
    """Raise ValueError naming a parameter, its value and what is allowed, unless `ok`."""
    if not ok:
        raise ValueError(f"{name}={value!r}: must be {allowed}")


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def require_at_least(name: str, value: float, low: float) -> None:
    """Raise ValueError unless the parameter is finite and at least `low`."""
    require(_is_real(value) and low <= value < np.inf, name, value, f"finite and at least {low:g}")


def require_positive(name: str, value: Any, high: float = np.inf) -> None:
    """Raise ValueError unless the parameter is finite, above 0 and at most `high`."""
    require(
        _is_real(value) and 0.0 < value <= high and value < np.inf,
        name,
        value,
        "finite and above 0" if high == np.inf else f"above 0 and at most {high:g}",
    )


def require_count(name: str, value: int, low: int = 1) -> None:
    """Raise ValueError unless the parameter is a whole number of at least `low`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    require(whole and value >= low, name, value, f"a whole number of at least {low}")


def require_choice(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raise ValueError unless the parameter is one of `allowed`."""
    require(value in allowed, name, value, " or ".join(map(repr, allowed)))


@dataclass(frozen=True)
class Budget:
    """How long a decision may take: a number of simulations, or seconds of wall-clock time; exactly one is set."""

    simulations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse anything but one positive number."""
        require(
            (self.simulations is None) != (self.seconds is None),
            "Budget",
            (self.simulations, self.seconds),
            "given exactly one of simulations and seconds",
        )
        if self.simulations is not None:
            require_count("simulations", self.simulations)
        else:
            require_positive("seconds", self.seconds)


@dataclass(frozen=True, eq=False)
class Decision:
    """What a planner chose, and the statistics of the root that it chose by.

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
    """A search algorithm: its parameters and nothing else, so that it pickles, compares and prints."""

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action in `state`.

        Args:
            model: the generative model to search with.
            state: where to act, float64 [state_dim].
            budget: simulations or seconds to spend.
            rng: the source of every random draw.
            root_actions: the only actions to consider at the root, [A, action_dim]; the planner's own choice if None.

        Raises:
            ValueError: an argument is of the wrong shape, not finite, or out of range.
            TypeError: the model lacks a function that the planner needs.
        """
        ...


def check_state(model: Model, state: Array) -> Array:
    """The state as a contiguous float64 vector.

    Raises:
        ValueError: wrong shape, or a value that is not finite.
    """
    checked = np.ascontiguousarray(state, np.float64)
    require(checked.shape == (model.state_dim,), "state", state, f"a vector of {model.state_dim} numbers")
    require(bool(np.isfinite(checked).all()), "state", state, "finite")
    return checked


def check_actions(model: Model, actions: Array, name: str = "root_actions") -> Array:
    """The actions as a contiguous float64 matrix, [A, action_dim].

    Raises:
        ValueError: wrong shape, no action at all, or a value outside the model's bounds.
    """
    checked = np.ascontiguousarray(actions, np.float64)
    low, high = model.action_low, model.action_high
    require(
        checked.ndim == 2 and checked.shape[0] > 0 and checked.shape[1] == len(low),
        name,
        actions,
        f"a matrix of at least one row of {len(low)} numbers",
    )
    if not ((checked >= low) & (checked <= high)).all():  # every step of every episode comes by: no text unless needed
        require(False, name, actions, f"within {low} and {high}")
    return checked


def steps_left(model: Model, state: Array) -> int:
    """Steps from `state` to the end of the episode at most, at least 1."""
    own = getattr(model, "steps_left", None)
    if own is not None:
        return max(1, int(own(state)))
    index = getattr(model, "time_index", None)
    return max(1, model.horizon - (0 if index is None else int(state[index])))
