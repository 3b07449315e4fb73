"""Searches that draw rounds of action sequences from a Gaussian and move it by what they return."""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from bonspiel.planners.checks import require_at_least, require_choice, require_count, require_positive, steps_left
from bonspiel.planners.core.passed import StepsPassed
from bonspiel.planners.kinds import kind_codes
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, check_plan
from bonspiel.planners.sequences.gaussians import Gaussian
from bonspiel.planners.sequences.plans import SequenceSearch, plan_with_sequences, round_size
from bonspiel.planners.sequences.smooth import DEGREES, Knots, Rates

ENOUGH = 3  # sequences of a round of four, so that the worst is not among the elites


@dataclass(frozen=True, kw_only=True)
class GaussianPlanner(SequenceSearch):
    """A search that draws sequences from a Gaussian, and how that begins.

    Args:
        octaves: with 0, as in the papers, all sequences of a round have one deviation, so that a box of actions wider
            than needed makes all of them too wild. With more, half of the sequences have their deviation divided by
            2^u, u uniform in [0, octaves] and drawn for each; at least 0. `Gaussian` has the details.
        start: action of all steps with which the mean begins: "middle" of the range, or "null", the one that does
            nothing (see `planners.do_nothing`).
        knots: number of points of a plan that are searched, at least 2; the actions between them are interpolated, so
            that the plan is smoother, and `beta` is the colour of the points' noise. None, or no fewer than the plan
            has steps: every action is searched.
        interpolation: of the actions between knots: "hold" repeats each for an equal part of the plan, "linear", or
            "cubic", a natural spline. Booleans and categoricals hold in any case.
        rate_cost: cost, in units of the return, of a change by the whole range of a coordinate between consecutive
            actions, and of a smaller one by the square of its part; at least 0. It counts within the search alone,
            discounted as rewards are, and also in steps of the plan after the end of the episode, which `lookahead` can
            leave out; the values of the decision are returns without it. The first change is that from the action
            played last in the episode; for `plan`, which does not know it, and in wrappers it is free.
        rate_limit: largest change of a coordinate between consecutive actions, as a part of its range, in (0, 1]; the
            first one as for `rate_cost`, and in the state of the last decision, where a model has no `time_index`, also
            from that decision's action. Of integers it is rounded down, but to no less than 1; booleans and
            categoricals have none. None: no limit.
    """

    octaves: float = 0.0
    start: Literal["middle", "null"] = "middle"
    knots: int | None = None
    interpolation: Literal["hold", "linear", "cubic"] = "linear"
    rate_cost: float = 0.0
    rate_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("octaves", self.octaves, 0.0)
        require_choice("start", self.start, ("middle", "null"))
        if self.knots is not None:
            require_count("knots", self.knots, 2)
        require_choice("interpolation", self.interpolation, tuple(DEGREES))
        require_at_least("rate_cost", self.rate_cost, 0.0)
        if self.rate_limit is not None:
            require_positive("rate_limit", self.rate_limit, 1.0)

    @property
    def needs_last_action(self) -> bool:
        """True if decisions depend on the action played last; see `planners.Planner`."""
        return self.rate_cost > 0.0 or self.rate_limit is not None


class GaussianRounds(ABC):
    """The rounds of a decision: sequences drawn from a Gaussian, which moves by what they return.

    A round moves nothing if the budget ends before half of its sequences, or before `ENOUGH`, are rolled out.

    Args:
        planner: whose parameters apply; annotated with its type where `move` is defined.
        gaussian: to draw from and to move.
        size: sequences in a round.
    """

    n_finalists: ClassVar[int] = 1

    def __init__(self, planner: Any, gaussian: Gaussian, size: int) -> None:
        self.planner, self.gaussian, self.size = planner, gaussian, size

    def resize(self, simulations: int) -> None:
        """Set the size of the rounds for a decision of this many rollouts."""
        planner, budget = self.planner, Budget(simulations)
        self.size = round_size(planner.population, planner.rounds, planner.repeats, budget, self.n_finalists)

    def propose(self) -> Array:
        """The sequences of the next round, [size, steps, action_dim]."""
        return self.gaussian.draw(self.size)

    def learn(self, actions: Array, returns: Array) -> None:
        """Move the Gaussian by the sequences that were rolled out, [n, steps, action_dim], if they are enough."""
        if len(returns) >= max(self.size / 2, min(ENOUGH, self.size)):
            self.move(actions, returns)

    @abstractmethod
    def move(self, actions: Array, returns: Array) -> None:
        """Move the Gaussian by sequences, [n, steps, action_dim], and their mean returns, [n]."""

    def finalists(self) -> Array:
        """The mean sequence, [1, steps, action_dim]."""
        return self.gaussian.sequence()[None]

    def recall(self, last: Self, passed: int) -> None:
        """Start from what the last decision's rounds learned, `passed` steps ago, as far as the memory goes."""
        self.gaussian.recall(last.gaussian, self.planner.memory, passed)


class GaussianSearch:
    """The decisions of an episode, each by as many rounds of sequences from a Gaussian as its budget allows.

    The mean starts with the planner's `start`, or nearer to that of the last decision as the planner remembers it. The
    deviation starts anew, as in the papers.

    Args:
        rounds: the rule that moves the Gaussian.
        planner: a `GaussianPlanner` with `population`, `rounds`, `sd`, `beta` and `memory`.
        model: see `planners.Planner.plan`.
        of_kinds: the distribution for a model whose actions are not all real; none for planners that refuse it.

    Attributes:
        last: the rounds of the last decision.
        before: the action of the step before the last decision, [action_dim], or None; with a cost or limit of changes.
        step: steps from the first decision to the last, with a memory.
    """

    def __init__(
        self, rounds: type[GaussianRounds], planner: Any, model: Model, of_kinds: type[Gaussian] = Gaussian
    ) -> None:
        self.rounds, self.planner, self.model = rounds, planner, model
        self.made = Gaussian if len(kind_codes(model)) == 0 else of_kinds
        self.last: GaussianRounds | None = None
        self.before: Array | None = None
        self._decided: Array | None = None
        self._told: Array | None = None
        self.passed = StepsPassed(model)
        self.step = 0

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.EpisodeSearch.plan`."""
        start = time.perf_counter()
        planner, model = self.planner, self.model
        state = check_plan(planner, model, state, budget, rng, root_actions)
        passed = self.passed.to(state) if planner.memory > 0.0 or planner.needs_last_action else 0
        before = self._action_before(passed)
        rates = self._rates(before)
        gaussian = self._gaussian(steps_left(model, state, planner.lookahead), rng, rates)
        size = round_size(planner.population, planner.rounds, planner.repeats, budget, self.rounds.n_finalists)
        rule = self.rounds(planner, gaussian, size)
        if self.last is not None and planner.memory > 0.0:
            rule.recall(self.last, passed)
        costs = rates.costs if rates is not None and planner.rate_cost > 0.0 else None
        decision = plan_with_sequences(rule, planner.repeats, model, state, budget, rng, start, planner.sight, costs)
        self.last, self.before, self._decided, self._told = rule, before, decision.plan.copy(), None
        self.step += passed
        self.passed.decided()
        return decision

    def start_from(self, plan: Array) -> None:
        """Begin with a plan, [any, action_dim], as if the last decision's mean had been that."""
        gaussian = self._gaussian(len(plan), np.random.default_rng(0), None)
        gaussian.certain(plan)
        self.last, self.passed = self.rounds(self.planner, gaussian, 1), StepsPassed(self.model)
        self.before = self._decided = None

    def played(self, action: Array) -> None:
        """Hear which action was played in the step before the next decision; see `planners.EpisodeSearch`."""
        self._told = np.clip(np.asarray(action, np.float64), self.model.action_low, self.model.action_high)

    def _action_before(self, passed: int) -> Array | None:
        """The action of the step before, as the last decision meant it if nobody told another one; None if unknown."""
        if self._told is not None or self._decided is None:
            return self._told
        return self.before if passed == 0 else self._decided[min(passed, len(self._decided)) - 1]

    def _rates(self, before: Array | None) -> Rates | None:
        planner = self.planner
        if not planner.needs_last_action:
            return None
        near = 1.0 if planner.sight is None else 1.0 - 1.0 / planner.sight
        discount = near * self.model.discount
        is_open = self._told is None and not self.passed.is_sure
        other = self._decided[0] if is_open and self._decided is not None else None
        return Rates(self.model, planner.rate_cost, planner.rate_limit, discount, before, other)

    def _gaussian(self, steps: int, rng: Rng, rates: Rates | None) -> Gaussian:
        planner = self.planner
        some = planner.knots is not None and planner.knots < steps
        knots = Knots(steps, planner.knots, planner.interpolation) if some else None
        return self.made(self.model, steps, planner.sd, planner.beta, rng, planner.octaves, planner.start, knots, rates)
