"""Measurements at every position: votes, choices of rules and of larger trees, and how good they are."""

import math
from collections.abc import Callable, Mapping, Sequence
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

TOLERANCE = 1e-3  # of regret: actions that lose less are best
WITHIN = math.exp(-0.5) * (1.0 - 1e-9)  # similarity of two actions that are h apart

Flags = NDArray[np.bool_]


def like(kernel: Kernel | None, actions: Array, one: Array) -> Flags:
    """True for each action, [A, action_dim], that is `one`: equal without a kernel, else at most h from it; [A]."""
    if kernel is None:
        return np.asarray((actions == one).all(axis=1))
    return alike(kernel, actions, one[None])[:, 0] >= WITHIN


class ActionJudge(NamedTuple):
    """Judges the actions of one position.

    Attributes:
        best: return of the best action; NaN where that is not known.
        agrees: of actions, [A, action_dim]: whether each agrees with the best one, [A].
        regrets: of actions: the loss of each against the best one, [A]; NaN where that is not known.
        rank: of an action, [action_dim]: the number of better ones; NaN where actions are sampled.
    """

    best: float
    agrees: Callable[[Array], Flags]
    regrets: Callable[[Array], Array]
    rank: Callable[[Array], float]


def known_optimum(model: Model) -> bool:
    """True if the optimum of a model is known."""
    try:
        solve(model)
    except TypeError:
        return False
    return True


def by_optimum(model: Model, state: Array, listed: Array | None) -> ActionJudge:
    """Judge by the optimum: the best policy that takes these actions only, [A, action_dim], or all if None.

    A difference of at most TOLERANCE is none.
    """
    own = listed is not None and offers(model, HasActions)
    optimum = solve(model, None if own else listed)
    values = None if listed is None else optimum.q_values(state, listed)
    best = optimum.value(state) if values is None else float(values.max())

    def regrets(actions: Array) -> Array:
        return np.maximum(best - optimum.q_values(state, actions), 0.0)  # Q has errors of interpolation

    def rank(action: Array) -> float:
        if values is None:
            return math.nan
        return float((values > optimum.q_values(state, action[None])[0] + TOLERANCE).sum())

    return ActionJudge(best, lambda actions: regrets(actions) <= TOLERANCE, regrets, rank)


def by_search(reference: Decision, kernel: Kernel | None, values: Decision | None) -> ActionJudge:
    """Judge by long searches.

    Args:
        reference: its choice is the best action, and its visits give the ranks.
        kernel: of actions that are sampled; None for a fixed set.
        values: has the mean returns of the actions, from which regrets follow; they may contradict the reference.
    """
    means = {} if values is None else dict(zip(map(bytes, values.actions), values.values.tolist(), strict=True))
    best = means.get(reference.action.tobytes(), math.nan)

    def rank(action: Array) -> float:
        if kernel is not None:
            return math.nan
        return float((reference.visits > reference.visits[like(None, reference.actions, action)].sum()).sum())

    return ActionJudge(
        best,
        lambda actions: like(kernel, actions, reference.action),
        lambda actions: best - np.array([means.get(action.tobytes(), math.nan) for action in actions]),
        rank,
    )


class Measured(NamedTuple):
    """A position that was searched.

    Attributes:
        runs: the choices of the single workers, [W, action_dim].
        choices: by rule and number of workers, those of the rules; by TREE and the workers with as many simulations,
            those of larger trees.
        winner: the action with most votes of all workers; where actions are sampled, with most votes like it.
        shares: by number of workers, the share of the votes that their winner has.
    """

    runs: Array
    choices: dict[tuple[str, int], Array]
    winner: Array
    shares: dict[int, float]


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
    for workers in study.workers:
        if workers > 1:
            choices[TREE, workers] = found(f"{TREE} {workers * study.budget}").action
    winners = {workers: _winner(study.kernel, pool, rng) for workers, pool in pools.items()}
    shares = {workers: share for workers, (_, share) in winners.items()}
    return Measured(np.stack([run.action for run in runs]), choices, winners[study.most][0], shares)


def _winner(kernel: Kernel | None, pool: Pool, rng: Rng) -> tuple[Array, float]:
    """The action with most votes and its share of them; votes for sampled actions count by their similarity."""
    if kernel is None:
        row = rules.most_votes(pool, rng)
        return pool.actions[row], float(np.mean(pool.choices == row))
    row = rules.most_similar_votes(pool, kernel, rng)
    return pool.actions[row], float(alike(kernel, pool.actions[row][None], pool.actions[pool.choices]).mean())


class AgreementOutcome(NamedTuple):
    """The judged choices at n positions; every array is [n].

    Attributes:
        limit: whether the action with most votes agrees.
        shares: by number of workers, the winner's share of the votes.
        agrees: of every choice, whether it agrees; of (TREE, 1) the share of the single workers that agree, p0.
        regrets: of every choice; of (TREE, 1) the mean over the single workers, of the first one where not all are
            known. NaN where not known.
        ranks: of every choice, the number of better actions; NaN where actions are sampled.
        differ: by two rules and a number of workers, whether they choose differently.
    """

    limit: Array
    shares: dict[int, Array]
    agrees: dict[tuple[str, int], Array]
    regrets: dict[tuple[str, int], Array]
    ranks: dict[tuple[str, int], Array]
    differ: dict[tuple[str, str, int], Flags]


def outcome_of(study: AgreementStudy, positions: Sequence[Measured], judges: Sequence[ActionJudge]) -> AgreementOutcome:
    """The choices at the positions, judged by their judges."""
    return AgreementOutcome(
        **_columns([_judged(study, one, judge) for one, judge in zip(positions, judges, strict=True)])
    )


def _judged(study: AgreementStudy, position: Measured, judge: ActionJudge) -> dict[str, Any]:
    """The fields of `AgreementOutcome`, of one position."""
    choices, single = position.choices, judge.regrets(position.runs)
    chosen = np.stack(list(choices.values()))
    agrees, regrets = (np.asarray(found, float).tolist() for found in (judge.agrees(chosen), judge.regrets(chosen)))
    lost = float(single[0] if np.isnan(single).any() else single.mean())
    return {
        "limit": float(judge.agrees(position.winner[None])[0]),
        "shares": position.shares,
        "agrees": {(TREE, 1): float(np.mean(judge.agrees(position.runs))), **dict(zip(choices, agrees, strict=True))},
        "regrets": {(TREE, 1): lost, **dict(zip(choices, regrets, strict=True))},
        "ranks": {name: judge.rank(action) for name, action in choices.items()},
        "differ": {
            (one, other, workers): bool(not like(study.kernel, choices[one, workers][None], choices[other, workers])[0])
            for index, one in enumerate(study.rules)
            for other in study.rules[index + 1 :]
            for workers in study.workers
        },
    }


def _columns(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, Any]:
    """The rows turned into arrays, field by field."""
    found = {}
    for key, value in rows[0].items():
        column = [row[key] for row in rows]
        found[key] = _columns(column) if isinstance(value, Mapping) else np.array(column)
    return found
