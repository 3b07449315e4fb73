"""The interface of models: what a planner is given to search with.

Optional parts of a model are the protocols `HasRollout`, `HasActions`, ...; `planners.checks.offers` looks for them.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

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
        """True if the model functions are compiled; otherwise they are plain Python."""

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
    """Episodes whose remaining length follows from the state; takes precedence over `time_index`."""

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
        """The estimate over at most `depth` steps; called as `rollout` is, and compiled for that role."""


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


class HasNullAction(Model, Protocol):
    """An action that does nothing, the no-op of a domain; without it a coordinate is 0, or the bound nearest to 0."""

    @property
    def null_action(self) -> Array:
        """[action_dim], within the bounds."""


class HasTracedRollout(Model, Protocol):
    """A default policy that reports the actions played, by their keys, and the owner of each region at the end.

    Regions are parts of the playing area, such as the points of a board. The model says what owning one means, and what
    winning means: in a game that is won by points, to score.
    """

    @property
    def n_regions(self) -> int:
        """Number of regions."""

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
            owners: receives the owner of each region in the end, from -1 to 1, and after them the winner, +1 or -1,
                or 0 for none, [n_regions + 1].
        """


class HasPriors(Model, Protocol):
    """Knowledge of actions before they are tried."""

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


class HasActionKinds(Model, Protocol):
    """Coordinates of an action that hold whole numbers; without it all are real.

    Actions stay float64 vectors. A coordinate that is not real holds a whole number within `action_low` and
    `action_high`, which are whole too: of a boolean 0 or 1, of a categorical one of 0..n-1, whose order means nothing.
    `step` is given no other actions, `sample_action` and `actions` write no others.
    """

    @property
    def action_kinds(self) -> tuple[str, ...]:
        """Of each coordinate "real", "integer", "boolean" or "categorical", [action_dim]."""


class HasStepExact(Model, Protocol):
    """Execution noise that can be left out."""

    def step_exact(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """`step` without the noise of the execution; draws nothing."""


class HasSequenceReturns(Model, Protocol):
    """Many sequences of actions at once, as a simulator of many worlds or arrays of numpy, torch or JAX are faster.

    Planners over sequences call it instead of `step` if the model is not compiled. A sequence counts as one simulation,
    each of its actions as a model step.
    """

    def sequence_returns(self, state: Array, actions: Array, params: Array, rng: Rng) -> Array:
        """Roll out sequences of actions, [n, steps, action_dim], from one state, with the same results as `step`.

        Returns:
            Rewards, [n, steps], 0 after the end of the episode; or their sums discounted by `discount`, [n], by which a
            planner cannot discount otherwise (`sight`). NaN where a step is invalid.
        """


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
