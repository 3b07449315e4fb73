"""A study of `bonspiel agreement`: its settings, and the searches of every position."""

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_args

import numpy as np

from bonspiel import planners
from bonspiel.planners import Budget, Decision, Model, Planner
from bonspiel.planners.checks import missing, missing_action_bounds
from bonspiel.planners.contract.decisions import checked_plan
from bonspiel.planners.core.text import read
from bonspiel.planners.model import HasActionSd
from bonspiel.planners.planner import has_same_actions
from bonspiel.planners.registry import unknown
from bonspiel.planners.wrappers.root import Root
from bonspiel.planners.wrappers.root.planner import Combine
from bonspiel.planners.wrappers.root.similarity import Kernel, kernel_of
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import UsageError, number, planner_for
from bonspiel.runs.plants import PlantText
from bonspiel.runs.runner.episode import failures_named
from bonspiel.runs.suite import model_of

RULES = get_args(Combine)
PARAMETERS = ("bandwidth", "cells", "rounds")  # of rules
SHARED = "tries"  # the rule whose workers share their search
ALIKE = 0.1  # share of the range of actions that lies within h of one by default
LARGEST = {"budget": 1e9, "positions": 20_000, "reference": 1e6}  # the resamples of positions are held in memory
RUN, TREE, REFERENCE, VALUES = ONE_SEARCH = "run", "tree", "reference", "values"


@dataclass
class AgreementStudy:
    """Positions of a planner's episodes, each searched by many workers whose decisions are combined."""

    env: str  # NAME[:key=value,...]
    planner: str  # NAME[:key=value,...], of every worker
    budget: int = 1000  # simulations of every worker
    workers: tuple[int, ...] = (1, 4, 16, 64)  # numbers of workers, W
    # NAME[:key=value,...], values of `combine` of `planners.wrappers.root.Root` with their parameters; empty for all
    # that fit the planner and need no parameter
    rules: tuple[str, ...] = ()
    positions: int = 500
    reference: int = 100  # budgets of the search that finds the best action, where the optimum is not known
    # h, as of `Root`: actions that are sampled are alike within h, and rules take it if not given theirs; None for
    # 0.05, and more with several coordinates, so that a random action is alike as often (ALIKE)
    bandwidth: float | str | None = None
    seed: int = 0
    model: Model = field(init=False)  # of the environment
    player: Planner = field(init=False)  # the planner of every worker
    # the similarity of two actions that are sampled; None if all searches of a position have the same ones
    kernel: Kernel | None = field(init=False)

    def __post_init__(self) -> None:
        for name, most in LARGEST.items():
            setattr(self, name, number(name, getattr(self, name), 1, most, whole=True))
        number("seed", self.seed, 0, 2**32 - 1, whole=True)
        planned_in = PlantText.of(self.env).model
        if planned_in != self.env:
            raise UsageError(f"{self.env}: positions are those of the planner's own model; give {planned_in}")
        self.model = model_of(self.env)
        if self.bandwidth is None:
            self.bandwidth = float(f"{0.5 * ALIKE ** (1.0 / len(self.model.action_low)):.2g}")
        if self.bandwidth != "noise":
            number("bandwidth", self.bandwidth, 1e-9, 1e9, whole=False)
        self.workers = tuple(sorted({number("workers", w, 1, 4096, whole=True) for w in self.workers}))
        self.player = planner_for(self.planner, self.model, self.env)
        rules = self.rules or [rule for rule in RULES if rule != SHARED and self._unfit(rule) is None]
        self.rules = tuple(dict.fromkeys(rules))
        for rule in self.rules or (RULES[0],):
            if (reason := self._unfit(rule)) and (self.rules or self.most > 1):
                which = f"--combine {rule} cannot" if self.rules else "no rule can"
                raise UsageError(f"{which} combine {self.planner} in {self.env}: {reason}")
            rounds = _parts(rule)[1].get("rounds", 1)
            if rounds > self.budget:
                raise UsageError(f"--combine {rule}: rounds={rounds}, but a worker has {self.budget} simulations")
        self.kernel = None if has_same_actions(self.player, self.model) else self._similarity(self.bandwidth)

    def _similarity(self, bandwidth: float | str) -> Kernel:
        by_noise = bandwidth == "noise"
        if reason := missing(self.model, HasActionSd) if by_noise else missing_action_bounds(self.model):
            raise UsageError(f"--bandwidth {bandwidth}: {self.env} {reason}")
        return kernel_of(self.model, bandwidth)

    @property
    def most(self) -> int:
        """The largest number of workers."""
        return self.workers[-1]

    @property
    def several(self) -> list[int]:
        """The numbers of workers above 1."""
        return [workers for workers in self.workers if workers > 1]

    def root(self, rule: str, workers: int) -> Root:
        """The planner that searches a position by this number of workers and combines them by a rule."""
        return _root_of(self.root_text(rule, workers))

    def root_text(self, rule: str, workers: int) -> str:
        """That planner as text."""
        name, given = _parts(rule)
        parameters = ",".join(f"{key}={value}" for key, value in {"bandwidth": self.bandwidth, **given}.items())
        return f"root:inner=({self.planner}),workers={workers},combine={name},run=one,{parameters}"

    def is_shared(self, rule: str) -> bool:
        """True if the workers of a rule share their search."""
        return _parts(rule)[0] == SHARED

    def _unfit(self, rule: str) -> str | None:
        try:
            return planners.unsupported(self.root(rule, self.most), self.model)
        except ValueError as error:
            raise UsageError(f"--combine {rule}: {error}") from error


@functools.lru_cache(maxsize=256)  # asked at every position, and 4 ms to read
def _root_of(text: str) -> Root:
    made = planners.parse(text)
    assert isinstance(made, Root)
    return made


def _parts(rule: str) -> tuple[str, Mapping[str, Any]]:
    """The name and the parameters of a rule."""
    try:
        name, given = read(rule)
        for kind, one, allowed in (("rule", name, RULES), *(("parameter of a rule", key, PARAMETERS) for key in given)):
            if one not in allowed:
                raise unknown(kind, one, allowed)
    except ValueError as error:
        raise UsageError(f"--combine {rule}: {error}") from error
    return name, given


class PositionSearch(NamedTuple):
    """A search of a position by a planner, given as text; with `actions` they are the only ones at the root."""

    kind: str  # RUN, TREE, REFERENCE, VALUES or the rule of workers that share
    number: int  # of the worker, the tree's simulations, or the number of workers
    planner: str
    simulations: int
    actions: list[list[float]] | None = None

    @property
    def name(self) -> str:
        """Its key among the searches of a position."""
        return f"{self.kind} {self.number}" if self.actions is None else f"{self.kind} {self.number} {self.actions}"

    @property
    def cost(self) -> int:
        """Simulations of all its workers."""
        return self.simulations * (1 if self.kind in ONE_SEARCH else self.number)


def due(study: AgreementStudy, optimum_known: bool) -> Iterator[PositionSearch]:
    """The searches of every position, except those for values."""
    for index in range(study.most):
        yield PositionSearch(RUN, index, study.planner, study.budget)
    for workers in study.several:
        yield PositionSearch(TREE, workers * study.budget, study.planner, workers * study.budget)
    for rule in filter(study.is_shared, study.rules):
        for workers in study.workers:
            yield PositionSearch(rule, workers, study.root_text(rule, workers), study.budget)
    if not optimum_known:
        yield long_search(study)


def long_search(study: AgreementStudy, actions: list[list[float]] | None = None) -> PositionSearch:
    """The search that finds the best action, or the values of some actions."""
    total = study.reference * study.budget
    return PositionSearch(REFERENCE if actions is None else VALUES, total, study.planner, total, actions)


def search_all(
    env: str, planner: str, seed: int, position: int, state: list[float], searches: Sequence[PositionSearch]
) -> tuple[int, dict[str, list[Any]]]:
    """Search a position; returns its index, and by the names of the searches the entries that `decision_of` reads.

    The workers draw as those of `planners.wrappers.root.Root` do that plans with the generator of the position.
    """
    model, found = model_of(env), {}
    count = 1 + max((one.number for one in searches if one.kind == RUN), default=0)
    seeds = workers_rng(planner, seed, position).integers(2**63, size=count).tolist()
    for one in searches:
        if one.kind == RUN:
            rng = np.random.default_rng(seeds[one.number])
        elif one.kind in ONE_SEARCH:
            rng = named_rng(f"{one.kind}|{planner}|{one.simulations}", seed, position)
        else:
            rng = workers_rng(planner, seed, position)
        given = () if one.actions is None else (np.array(one.actions),)
        with failures_named(one.planner, env):
            made = planners.parse(one.planner)
            decision = checked_plan(made, model, np.array(state), Budget(one.simulations), rng, *given)
        arrays = (decision.action, decision.actions, decision.visits, decision.values)
        action, *listed = (np.asarray(array).tolist() for array in arrays)
        found[one.name] = [action, float(decision.value), int(decision.simulations), *listed]
    return position, found


def workers_rng(planner: str, seed: int, position: int) -> planners.Rng:
    """The generator that draws the seeds of a position's workers."""
    return named_rng(f"workers|{planner}", seed, position)


def decision_of(entry: Sequence[Any]) -> Decision:
    """The decision that a search has made."""
    action, value, simulations, actions, visits, values = entry
    chosen, listed = np.array(action, float), np.array(actions, float).reshape(len(actions), len(action))
    return Decision(chosen, value, simulations, math.nan, listed, np.array(visits, np.int64), np.array(values, float))
