"""The long check of a planner: its decisions in a model show whether it keeps each promise of the contract."""

import gc
import io
import itertools
import math
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from typing import Any, NamedTuple, TextIO

import numpy as np

from bonspiel.planners.checks import require
from bonspiel.planners.contract.counting import counting
from bonspiel.planners.contract.decisions import BrokenContract, CheckedSearch
from bonspiel.planners.core.code.errors import error_place, error_text
from bonspiel.planners.core.jit.validity import MOST_TRIALS
from bonspiel.planners.core.returns import InvalidRollouts
from bonspiel.planners.kinds import valid
from bonspiel.planners.model import Array, Model
from bonspiel.planners.planner import Budget, Decision, FreshSearches, Planner, traits_of


class ModelAlone(NamedTuple):
    """A plan of random actions.

    Attributes:
        seconds: that it takes.
        draws: whether it changes `shared_state`.
        prints: whether it prints to standard output.
    """

    seconds: float
    draws: bool
    prints: bool

    @classmethod
    def of(cls, model: Model, start: Array, printed: TextIO) -> "ModelAlone":
        """Of a model in a state, while standard output is `printed`."""
        state, length, begun = shared_state(), printed.tell(), time.perf_counter()
        rollout(model, start)
        seconds = time.perf_counter() - begun
        return cls(seconds, shared_state() != state, printed.tell() > length)


def rollout(model: Model, start: Array) -> None:
    """Play random actions from a state to the end."""
    state, rng = start.copy(), np.random.default_rng(0)
    action, following = np.empty(len(model.action_low)), np.empty_like(state)
    for _ in range(model.horizon):
        model.sample_action(state, action, model.params, rng)
        if model.step(state, action, following, model.params, rng)[1]:
            break
        state[:] = following


def shared_state() -> str:
    """The state of the generator of `numpy.random`, which all code of a process shares."""
    return repr(np.random.get_state(legacy=False))  # noqa: NPY002


ALLOWANCE = 100  # steps of a decision beside its simulations


def most_steps(planner: Planner, model: Model, simulations: float, invalid: int) -> float:
    """Model steps that so many simulations may take: each one plan to the end of the longest episode, and its rollouts.

    Of these `invalid` were invalid; after the first a search may make trials. Planners that run several rollouts from a
    leaf have their number as an attribute `leaf_playouts`.
    """
    playouts = getattr(planner, "leaf_playouts", 1)
    playouts = playouts if isinstance(playouts, int) else 1
    trials = MOST_TRIALS if invalid > 0 else 0
    return simulations * (1 + model.horizon) * max(1, playouts) + (1 + trials) * model.horizon + ALLOWANCE


SIMULATIONS = 50
EPISODE_STEPS = 3
SECONDS, TRIES = 0.05, 5  # other programs may take the time of some tries
GRACE, ROLLOUTS = 0.25, 10  # s, and plans of random actions, that a decision may take beyond its time
KEPT, LEAKS = 1 << 20, 3  # bytes, and decisions in a row after which a planner has kept more than that of each
DECISIONS, MORE_SECONDS = 64, 1.0  # which are made in all, if there is time
BRIEF_SECONDS = 0.05  # of a decision in a brief check, if one simulation takes no longer


class ContractCheck:
    """The check of a planner in a model.

    Args:
        planner: to check.
        model: to plan in.
        seed: of the states and decisions.
        name: of the planner in messages.
        is_brief: whether to leave out what no episode shows, and to decide with as few simulations as are quick.
        begins: called before each decision with its number and budget in words.
    """

    def __init__(
        self,
        planner: Planner,
        model: Model,
        seed: int,
        name: str = "",
        is_brief: bool = False,
        begins: Callable[[str], None] = lambda decision: None,
    ) -> None:
        self._planner, self._model, self._seed = planner, model, seed
        self._name, self._begins, self._is_brief = name or type(planner).__name__, begins, is_brief
        self._traits = traits_of(planner)
        self._simulations, self._made = SIMULATIONS, 0
        self._start = model.initial_state(np.random.default_rng(seed))

    def run(self) -> None:
        """Check everything, what matters most first.

        Raises:
            BrokenContract: names the planner, and what it did.
        """
        checks = [self._twice, self._steps, self._memory, self._time, self._episodes]
        if not self._is_brief:
            checks += [self._root_actions, self._wrong_arguments]
        printed = io.StringIO()
        try:
            with redirect_stdout(printed):
                self._first()
                self._alone = ModelAlone.of(self._model, self._start, printed)
                printed.seek(0)
                printed.truncate()  # a package that it loads may print a greeting
                for check in [*checks, self._more]:
                    check()
                    text = "" if self._alone.prints else printed.getvalue()[:40]
                    require(not text, "standard output", text, "left to tables and JSON; print to sys.stderr")
        except BrokenContract:
            raise
        except InvalidRollouts:  # the model's fault, of which a run tells
            return
        except ValueError as error:
            raise BrokenContract.of(self._name, error) from error

    @contextmanager
    def _deciding(self, budget: Budget) -> Iterator[None]:
        """Announce a decision, and turn an error in it into the planner's."""
        one = "simulation" if budget.simulations == 1 else "simulations"
        amount = f"{budget.seconds} s" if budget.simulations is None else f"{budget.simulations} {one}"
        self._made += 1
        self._begins(f"decision {self._made}, of {amount}")
        try:
            yield
        except (BrokenContract, InvalidRollouts):
            raise
        except (Exception, SystemExit) as error:
            raise BrokenContract.of(self._name, f"plan() raised {error_text(error)}{error_place(error)}") from error

    def _plan(self, budget: Budget, model: Model | None = None, root_actions: Array | None = None) -> Decision:
        """A decision in the first state, always with the same seed, whose draws are kept."""
        planner, rng, model = self._planner, np.random.default_rng(self._seed), model or self._model
        search = CheckedSearch(planner, model, FreshSearches(planner, model), self._name)
        try:
            with self._deciding(budget):
                return search.plan(self._start, budget, rng, root_actions)
        finally:
            self._drawn = rng.bit_generator.state

    def _first(self) -> None:
        """What a planner loads or compiles at first is no part of its times."""
        self._single()
        drawn, start = self._drawn, time.perf_counter()
        self._single()
        one = time.perf_counter() - start
        self._draws_again(drawn)
        if self._is_brief:
            self._simulations = int(min(SIMULATIONS, max(1.0, BRIEF_SECONDS / one)))

    def _single(self) -> None:
        with suppress(InvalidRollouts):  # a model of which many are may give one alone
            self._plan(Budget(simulations=1))

    def _draws_again(self, drawn: Any) -> None:
        """A decision that is looked up, where it was made before, draws less, and no longer depends on its seed."""
        same = not self._traits.reproducible or self._drawn == drawn
        what = "the same number again, since seed, state and budget are the same: is an earlier decision looked up?"
        require(same, "draws from rng", "another number", what)

    def _twice(self) -> None:
        """The same seed, state and budget give the same decision, and no other source of randomness is touched."""
        np.random.random()  # noqa: NPY002 - a planner that seeds it is told from one that leaves it alone
        before = shared_state()
        first, drawn = self._plan(Budget(simulations=self._simulations)), self._drawn
        again = self._plan(Budget(simulations=self._simulations))
        same = self._alone.draws or shared_state() == before
        require(same, "state of numpy.random", "changed", "left as it is: draw from rng alone")
        others = (first.action, self._model.action_low, self._model.action_high)
        own = not any(np.shares_memory(again.action, other) for other in others)
        require(own, "action", again.action, "a new array in every decision")
        if self._traits.reproducible:
            for name in ("action", "value", "simulations"):
                one, other = getattr(first, name), getattr(again, name)
                same = np.array_equal(one, other, equal_nan=True)
                require(same, name, other, f"{one} again, since seed, state and budget are the same")
        self._draws_again(drawn)

    def _steps(self) -> None:
        """Simulations say how often the model is asked, which is what budgets compare."""
        horizon, asked_for = self._model.horizon, self._simulations
        if not self._is_brief:  # enough to find twice the steps in short episodes, in spite of the allowance
            asked_for = max(asked_for, 2 * (ALLOWANCE + horizon) // max(horizon - 1, 1))
        try:
            counted, counter = counting(self._model)
            made = self._plan(Budget(simulations=asked_for), counted)
        except (TypeError, AttributeError, BrokenContract):  # no such copy, or the planner compiles `step`
            return
        steps, simulations = int(np.nan_to_num(counter.steps)), asked_for * self._traits.budget_multiple
        asked, told = (most_steps(self._planner, self._model, n, made.invalid) for n in (simulations, made.simulations))
        wrong = f"at most {asked} for {asked_for} simulations of at most {horizon} steps"
        require(steps <= asked, "model steps", steps, wrong)
        taken = f"the number made: {steps} model steps are more than their {told}"
        require(steps <= told, "simulations", made.simulations, taken)

    def _time(self) -> None:
        """A budget in seconds is kept but for a rollout: the best of some decisions, on a machine that others share."""
        limit = SECONDS + GRACE + ROLLOUTS * self._alone.seconds
        best = math.inf
        for _ in range(TRIES):
            start = time.perf_counter()
            self._plan(Budget(seconds=SECONDS))
            best = min(best, time.perf_counter() - start)
            if best <= limit:
                return
        require(False, "seconds", round(best, 3), f"near the budget of {SECONDS} s, at most {limit:.2g} s here")

    def _episodes(self) -> None:
        """Decisions depend on nothing that was decided in another episode; without memory, on no earlier one."""
        first, _, again = (self._episode(shift) for shift in (0, 1, 0))
        if self._traits.reproducible:
            what = f"{first} again, in an episode with the same seed"
            require(first == again, "actions", again, what)
            fresh = self._episode(0, with_plan=True)
            alike = getattr(self._planner, "memory", 0.0) == 0.0
            count = len(fresh) if alike and not getattr(self._planner, "needs_last_action", False) else 1
            what = f"the same by plan() and begin_episode(), which gives {first[:count]}"
            require(first[:count] == fresh[:count], "actions", fresh[:count], what)

    def _episode(self, shift: int, with_plan: bool = False, steps: int = EPISODE_STEPS) -> list[list[float]]:
        """The actions of the first steps of an episode."""
        planner, model, seed = self._planner, self._model, self._seed + shift
        search = CheckedSearch(planner, model, FreshSearches(planner, model) if with_plan else None, self._name)
        budget, actions = Budget(simulations=self._simulations), list[list[float]]()
        rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
        state, over = model.initial_state(noise), False
        while not over and len(actions) < min(steps, model.horizon):
            with self._deciding(budget):
                action = np.array(search.plan(state, budget, rng).action, np.float64)
            actions.append(action.tolist())
            following = np.empty_like(state)
            _, over = model.step(state, action, following, model.params, noise)
            state = following
        return actions

    def _memory(self) -> None:
        """Nothing large is kept of a decision that was made before."""
        tracemalloc.start()
        try:
            play = partial(rollout, self._model, self._start)
            before = self._traced(play)
            if self._traced(play, ROLLOUTS) - before > KEPT // 16:
                return  # the model keeps states, and who asked for them cannot be told
            plan = partial(self._plan, Budget(simulations=self._simulations))
            kept = [self._traced(plan) for _ in range(1 + LEAKS)]
        finally:
            tracemalloc.stop()
        least = min(after - before for before, after in itertools.pairwise(kept))
        require(least <= KEPT, "memory kept of each decision", f"{least / 2**20:.1f} MB", "at most 1 MB")

    def _traced(self, work: Callable[[], object], times: int = 1) -> int:
        """Bytes in use after some work."""
        for _ in range(times):
            work()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    def _root_actions(self) -> None:
        """A choice that is restricted is kept to."""
        low, high = self._model.action_low, self._model.action_high
        given = valid(self._model, np.array([low + share * (high - low) for share in (0.3, 0.8)]))
        if self._traits.takes_root_actions:
            chosen = self._plan(Budget(simulations=self._simulations), root_actions=given.copy()).action
            require((given == chosen).all(1).any(), "action", chosen, f"one of root_actions={given.tolist()}")

    def _wrong_arguments(self) -> None:
        """Wrong arguments are refused before they do harm."""
        budget, rng = Budget(simulations=1), np.random.default_rng(self._seed)
        for wrong in ({"budget": 1}, {"rng": 0}):
            given: dict[str, Any] = {"budget": budget, "rng": rng} | wrong
            try:
                self._planner.plan(self._model, self._start.copy(), **given)
            except TypeError:
                continue
            except Exception as error:
                require(False, f"plan() with {wrong}", error_text(error), "a TypeError: call planner.check_plan first")
            require(False, f"plan() with {wrong}", "accepted", "a TypeError: call planners.planner.check_plan first")

    def _more(self) -> None:
        """Faults of later decisions."""
        begun = time.perf_counter()
        for shift in itertools.count(2):
            if self._made >= DECISIONS or time.perf_counter() - begun > MORE_SECONDS:
                return
            self._episode(shift, steps=DECISIONS - self._made)
