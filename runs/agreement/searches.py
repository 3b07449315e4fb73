"""The searches of a position: single workers, larger trees, workers that share, and the reference search."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bonspiel import planners
from bonspiel.planners import Array, Budget, Decision
from bonspiel.planners.contract.decisions import checked_plan
from bonspiel.runs.agreement.study import Study
from bonspiel.runs.draws import named_rng
from bonspiel.runs.runner.episode import failures_named
from bonspiel.runs.suite import model_of

RUN, TREE, REFERENCE, VALUES = "run", "tree", "reference", "values"


class Search(NamedTuple):
    """A search of a position; its first two fields are its name.

    Attributes:
        kind: RUN, TREE, REFERENCE, VALUES or the rule of workers that share.
        number: of the worker, the tree's simulations, or the number of workers.
        planner: as text.
        simulations: the budget.
        actions: the only ones at the root; the planner's own if None.
    """

    kind: str
    number: int
    planner: str
    simulations: int
    actions: list[list[float]] | None = None

    @property
    def name(self) -> str:
        """Its key among the searches of a position."""
        return f"{self.kind} {self.number}" if self.actions is None else f"{self.kind} {self.number} {self.actions}"


def due(study: Study, optimum_known: bool) -> Iterator[Search]:
    """The searches of every position but those for values."""
    for index in range(study.most):
        yield Search(RUN, index, study.planner, study.budget)
    for workers in study.workers:
        if workers > 1:
            total = workers * study.budget
            yield Search(TREE, total, study.planner, total)
    for rule in filter(study.is_shared, study.rules):
        for workers in study.workers:
            yield Search(rule, workers, study.root_text(rule, workers), study.budget)
    if not optimum_known:
        total = study.reference * study.budget
        yield Search(REFERENCE, total, study.planner, total)


def for_values(study: Study, actions: Iterable[Array]) -> Search:
    """The search for the values of some actions."""
    listed = np.unique(np.stack(list(actions)), axis=0).tolist()
    total = study.reference * study.budget
    return Search(VALUES, total, study.planner, total, listed)


def cost(searches: Sequence[Search]) -> int:
    """Simulations of all of them."""
    return sum(one.simulations * (1 if one.kind in (RUN, TREE, REFERENCE, VALUES) else one.number) for one in searches)


def search_all(
    env: str, planner: str, seed: int, position: int, state: list[float], searches: Sequence[Search]
) -> tuple[int, dict[str, list[Any]]]:
    """Search a position; returns its index, and by the names of the searches the entries that `decision_of` reads.

    The workers draw as those of `planners.wrappers.root.Root` do that plans with the generator of the position.

    Raises:
        RunError: a planner failed.
    """
    model, found = model_of(env), {}
    count = 1 + max((one.number for one in searches if one.kind == RUN), default=0)
    seeds = workers_rng(planner, seed, position).integers(2**63, size=count).tolist()
    for one in searches:
        if one.kind == RUN:
            rng = np.random.default_rng(seeds[one.number])
        elif one.kind in (TREE, REFERENCE, VALUES):
            rng = named_rng(f"{one.kind}|{planner}|{one.simulations}", seed, position)
        else:
            rng = workers_rng(planner, seed, position)
        given = () if one.actions is None else (np.array(one.actions),)
        with failures_named(one.planner, env):
            player, budget = planners.parse(one.planner), Budget(one.simulations)
            decision = checked_plan(player, model, np.array(state), budget, rng, *given)
            found[one.name] = _listed(decision)
    return position, found


def workers_rng(planner: str, seed: int, position: int) -> planners.Rng:
    """The generator that draws the seeds of a position's workers."""
    return named_rng(f"workers|{planner}", seed, position)


def _listed(decision: Decision) -> list[Any]:
    arrays = (decision.action, decision.actions, decision.visits, decision.values)
    action, actions, visits, values = (np.asarray(array).tolist() for array in arrays)
    return [action, float(decision.value), int(decision.simulations), actions, visits, values]


def decision_of(entry: Sequence[Any]) -> Decision:
    """The decision that a search has made."""
    action, value, simulations, actions, visits, values = entry
    chosen = np.array(action, np.float64)
    listed = np.array(actions, np.float64).reshape(len(actions), len(chosen))
    counts, means = np.array(visits, np.int64), np.array(values, np.float64)
    return Decision(chosen, value, simulations, math.nan, listed, counts, means)
