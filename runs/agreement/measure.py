"""Measurements at every position: votes, choices of rules and larger trees, how good they are; and their summary."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.optimal import solve
from bonspiel.planners import Array, Decision, Model, Rng
from bonspiel.planners.checks import offers
from bonspiel.planners.model import HasActions
from bonspiel.planners.wrappers.root import rules
from bonspiel.planners.wrappers.root.pool import Pool, pool_of
from bonspiel.planners.wrappers.root.similarity import Kernel, alike
from bonspiel.runs.agreement.study import RUN, TREE, AgreementStudy
from bonspiel.runs.statistics.sample import Interval, percentiles, resampled
from bonspiel.runs.statistics.targets import first_hits

TOLERANCE = 1e-3  # of regret: actions that lose less are best
PARTS = 1e-5, 1e-2  # of the largest value in a position, between which the tolerance is, as rewards have any size
WITHIN = math.exp(-0.5) * (1.0 - 1e-9)  # similarity of two actions that are h apart

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # of the bins of p0; the last bin has its upper edge
ROUNDING = 1e-9  # of p0


Flags = NDArray[np.bool_]
Columns = dict[tuple[Any, ...], Array]
Summary = dict[str, Any]


def like(kernel: Kernel | None, actions: Array, one: Array) -> Flags:
    """True for each action, [A, action_dim], that is `one`: equal without a kernel, else at most h from it; [A]."""
    if kernel is None:
        return np.asarray((actions == one).all(axis=1))
    return alike(kernel, actions, one[None])[:, 0] >= WITHIN


def known_optimum(model: Model) -> bool:
    """True if the optimum of a model is known."""
    try:
        solve(model)
    except TypeError:
        return False
    return True


def by_optimum(model: Model, state: Array, listed: Array | None, actions: Array) -> Array:
    """Judge actions, [A, action_dim], by the optimum: of all actions, or of those `listed`, [L, action_dim].

    Returns:
        of each action whether it is best, up to the tolerance, and its loss; [2, A].
    """
    optimum = solve(model, None if listed is not None and offers(model, HasActions) else listed)
    found = optimum.q_values(state, actions)
    best = optimum.value(state) if listed is None else float(optimum.q_values(state, listed).max())
    low, high = (part * max(abs(best), float(np.abs(found).max())) for part in PARTS)
    tolerance = min(max(TOLERANCE, low), high)
    lost = np.maximum(best - found, 0.0)  # Q has errors of interpolation
    return np.array([lost <= tolerance, lost], float)


def by_search(reference: Decision, kernel: Kernel | None, values: Decision | None, actions: Array) -> Array:
    """Judge actions, [A, action_dim], by long searches.

    Args:
        reference: its choice is the best action.
        kernel: of actions that are sampled; None for a fixed set.
        values: has the mean returns of the actions, from which losses follow; they may contradict the reference.
        actions: to judge.

    Returns:
        of each action whether it is like the best one, and its loss, NaN without its mean return; [2, A].
    """
    means = {} if values is None else dict(zip(map(bytes, values.actions), values.values.tolist(), strict=True))
    best, *found = (means.get(action.tobytes(), math.nan) for action in (reference.action, *actions))
    return np.array([like(kernel, actions, reference.action), best - np.array(found)], float)


class Measured(NamedTuple):
    """A position that was searched."""

    runs: Array  # the choices of the single workers, [W, action_dim]
    # by rule and number of workers, those of the rules; by TREE and the workers with as many simulations, those of
    # larger trees
    choices: dict[tuple[str, int], Array]
    winner: Array  # the action with most votes of all workers; where actions are sampled, with most votes like it

    @property
    def actions(self) -> Array:
        """The winner, the choices of the workers and `choices`, [A, action_dim]."""
        return np.stack([self.winner, *self.runs, *self.choices.values()])


def measured(study: AgreementStudy, found: Callable[[str], Decision], rng: Rng) -> Measured:
    """Combine the searches of a position; `found` gives the decision of a name, `rng` draws between equal actions."""
    runs = [found(f"{RUN} {index}") for index in range(study.most)]
    pools = {workers: pool_of(runs[:workers]) for workers in study.workers}
    choices: dict[tuple[str, int], Array] = {}
    for rule in study.rules:
        for workers, pool in pools.items():
            if study.is_shared(rule):
                choices[rule, workers] = found(f"{rule} {workers}").action
            else:
                choices[rule, workers] = pool.actions[study.root(rule, workers).choose(pool, study.model, rng)]
    for workers in study.several:
        choices[TREE, workers] = found(f"{TREE} {workers * study.budget}").action
    *_, winner = (_winner(study.kernel, pool, rng) for pool in pools.values())  # all draw, as in published results
    return Measured(np.stack([run.action for run in runs]), choices, winner)


def _winner(kernel: Kernel | None, pool: Pool, rng: Rng) -> Array:
    """The action with most votes; votes for sampled actions count by their similarity."""
    most = rules.most_votes(pool, rng) if kernel is None else rules.most_similar_votes(pool, kernel, rng)
    return pool.actions[most]


def columns_of(study: AgreementStudy, positions: Sequence[Measured], judged: Sequence[Array]) -> Columns:
    """The choices at n positions, with what a judge says of their `actions`; every column is [n].

    ("limit",): whether the action with most votes agrees.
    ("agrees", rule, workers): whether the choice agrees; of (TREE, 1) the share of the single workers that agree, p0.
    ("regret", rule, workers): of the choice, NaN where not known; of (TREE, 1) the mean over the single workers, or of
        the first one where not all are known.
    """
    rows = list[dict[tuple[Any, ...], float]]()
    for position, (agrees, lost) in zip(positions, judged, strict=True):
        choices, first = position.choices, 1 + len(position.runs)
        of_runs = lost[1:first]
        row: dict[tuple[Any, ...], float] = {
            ("limit",): agrees[0],
            ("agrees", TREE, 1): agrees[1:first].mean(),
            ("regret", TREE, 1): of_runs[0] if np.isnan(of_runs).any() else of_runs.mean(),
        }
        for kind, column in (("agrees", agrees), ("regret", lost)):
            row |= {(kind, *name): entry for name, entry in zip(choices, column[first:], strict=True)}
        rows.append(row)
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def by_name(columns: Columns, kind: str, show: Callable[[Array], Any]) -> dict[str, dict[str, Any]]:
    """What `show` says of the columns of a kind, by rule and number of workers."""
    found: dict[str, dict[str, Any]] = {}
    for key, column in columns.items():
        if key[0] == kind:
            found.setdefault(key[1], {})[str(key[2])] = show(column)
    return found


class Resamples:
    """The positions and resamples of them: how often each position counts, [1 + resamples, n], the first row once.

    Args:
        n: number of positions.
        rng: draws the resamples.
    """

    def __init__(self, n: int, rng: Rng) -> None:
        self._counts = np.concatenate([np.ones((1, n)), *resampled(np.arange(n), rng)])

    def means(self, values: Array, among: Flags | None = None) -> Array:
        """The mean of values, [n], over all positions or those `among` which it is taken, [n], in every row; [rows].

        Positions whose value is NaN do not count; NaN where none is left.
        """
        kept = ~np.isnan(values) if among is None else ~np.isnan(values) & among
        of = self._counts @ kept
        with np.errstate(invalid="ignore"):
            return np.asarray(self._counts @ np.where(kept, values, 0.0) / of)

    def mean(self, values: Array, among: Flags | None = None) -> Interval:
        """That of the positions with its interval."""
        return interval(self.means(values, among), values.size)


def interval(found: Array, n: int) -> Interval:
    """The first of some estimates, [rows], with the interval of the others, as far as they are numbers."""
    rest = found[1:][~np.isnan(found[1:])]
    if n < 2 or len(rest) == 0:
        return Interval(float(found[0]), np.nan, np.nan)
    low, high = percentiles(rest)
    return Interval(float(found[0]), float(low), float(high))


def equivalent(budgets: Array, levels: Array, reached: Array) -> Array:
    """The budget of one tree that agrees as often, by interpolation in the budget's logarithm; [rows].

    A curve, `levels`, [rows, m], at ascending budgets, [m], that falls is held at its largest level so far. What is not
    above the level of the smallest budget has that budget, and what is above that of the largest one has the largest.
    """
    return np.minimum(first_hits(budgets, levels, reached[:, None])[:, 0], budgets[-1])


def among(p0: Array, low: float, high: float) -> Flags:
    """True for each p0 in [low, high), or [low, 1] if high is 1."""
    above = p0 >= low - ROUNDING
    return np.asarray(above if high == EDGES[-1] else above & (p0 < high - ROUNDING))


def summarise(study: AgreementStudy, found: Columns, rng: Rng) -> Summary:
    """Everything as plain numbers, for JSON.

    Means are (value, low, high); `rng` draws the resamples. Numbers of workers are texts, as keys of JSON.
    """
    n, p0 = len(found["limit",]), found["agrees", TREE, 1]
    resamples = Resamples(n, rng)
    mean = resamples.mean
    trees = [1, *study.several]
    budgets = np.array(trees, float) * study.budget
    levels = np.stack([resamples.means(found["agrees", TREE, workers]) for workers in trees], axis=1)

    def by_workers(numbers: Iterable[int], show: Any) -> dict[str, Any]:
        return {str(workers): show(workers) for workers in numbers}

    def one_tree(rule: str, workers: int) -> Interval:
        return interval(equivalent(budgets, levels, resamples.means(found["agrees", rule, workers])), n)

    def lost(rule: str, workers: int) -> dict[str, Interval]:
        agreement = found["agrees", TREE, workers] - found["agrees", rule, workers]
        return {
            "agreement": mean(agreement),
            "regret": mean(found["regret", rule, workers] - found["regret", TREE, workers]),
        }

    def in_bin(low: float, high: float) -> dict[str, Any]:
        inside = among(p0, low, high)
        shown = {"from": low, "to": high, "positions": int(inside.sum()), "share": mean(inside.astype(float))}
        return shown | {"agreement": by_name(found, "agrees", lambda column: mean(column, inside))}

    return {
        "positions": n,
        "limit": mean(found["limit",]),
        "agreement": by_name(found, "agrees", mean),
        "regret": by_name(found, "regret", mean),
        "equivalent": {rule: by_workers(study.workers, partial(one_tree, rule)) for rule in study.rules},
        "bins": [in_bin(*edges) for edges in pairwise(EDGES)],
        "splitting": {
            rule: by_workers(study.several, partial(lost, rule)) for rule in filter(study.is_shared, study.rules)
        },
    }
