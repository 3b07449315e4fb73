"""Measurements at every position: votes, choices of rules and of larger trees, and their judgement."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bonspiel.planners import Array, Decision, Rng
from bonspiel.planners.wrappers.root import rules
from bonspiel.planners.wrappers.root.pool import Pool, pool_of
from bonspiel.planners.wrappers.root.similarity import alike
from bonspiel.runs.agreement.judges import Flags, Judge, like
from bonspiel.runs.agreement.searches import RUN, TREE
from bonspiel.runs.agreement.study import Study

Choices = dict[tuple[str, int], Array]
"""Actions by rule and number of workers; those of larger trees by TREE and the workers with as many simulations."""


class Position(NamedTuple):
    """A position that was searched.

    Attributes:
        runs: the choices of the single workers, [W, action_dim].
        choices: those of the rules and the larger trees.
        winner: the action with most votes of all workers; where actions are sampled, with most votes like it.
        shares: by number of workers, the share of the votes that their winner has.
    """

    runs: Array
    choices: Choices
    winner: Array
    shares: dict[int, float]


def position_of(study: Study, found: Callable[[str], Decision], rng: Rng) -> Position:
    """Combine the searches of a position; `found` gives the decision of a name, `rng` draws between equal actions."""
    runs = [found(f"{RUN} {index}") for index in range(study.most)]
    pools = {workers: pool_of(runs[:workers]) for workers in study.workers}
    choices: Choices = {}
    for rule in study.rules:
        for workers, pool in pools.items():
            if study.is_shared(rule):
                choices[rule, workers] = found(f"{rule} {workers}").action
            else:
                choices[rule, workers] = pool.actions[study.root(rule, workers).choose(pool, study.model, rng)]
    for workers in study.workers:
        if workers > 1:
            choices[TREE, workers] = found(f"{TREE} {workers * study.budget}").action
    winners = {workers: winner(study, pool, rng) for workers, pool in pools.items()}
    shares = {workers: share for workers, (_, share) in winners.items()}
    return Position(np.stack([run.action for run in runs]), choices, winners[study.most][0], shares)


def winner(study: Study, pool: Pool, rng: Rng) -> tuple[Array, float]:
    """The action with most votes and its share of them; votes for sampled actions count by their similarity."""
    if study.same_actions:
        row = rules.most_votes(pool, rng)
        return pool.actions[row], float(np.mean(pool.choices == row))
    row = rules.most_similar_votes(pool, study.kernel, rng)
    similar = alike(study.kernel, pool.actions[row][None], pool.actions[pool.choices])
    return pool.actions[row], float(similar.mean())


class Outcome(NamedTuple):
    """The judged choices at n positions; every array is [n].

    Attributes:
        limit: whether the action with most votes agrees.
        shares: by number of workers, the winner's share of the votes.
        agrees: of every choice, whether it agrees; of (TREE, 1) the share of the single workers that agree.
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

    @property
    def p0(self) -> Array:
        """Share of the single workers that agree."""
        return self.agrees[TREE, 1]


def outcome_of(study: Study, positions: Sequence[Position], judges: Sequence[Judge]) -> Outcome:
    """The choices at the positions, judged by their judges."""
    return Outcome(**_columns([_judged(study, one, judge) for one, judge in zip(positions, judges, strict=True)]))


def _judged(study: Study, position: Position, judge: Judge) -> dict[str, Any]:
    """The fields of `Outcome`, of one position."""
    kernel = None if study.same_actions else study.kernel
    names, chosen = list(position.choices), np.stack(list(position.choices.values()))
    agrees, regrets = (np.asarray(found, float).tolist() for found in (judge.agrees(chosen), judge.regrets(chosen)))
    single = judge.regrets(position.runs)
    p0, lost = (
        float(np.mean(judge.agrees(position.runs))),
        float(single[0] if np.isnan(single).any() else single.mean()),
    )
    return {
        "limit": float(judge.agrees(position.winner[None])[0]),
        "shares": position.shares,
        "agrees": {(TREE, 1): p0, **dict(zip(names, agrees, strict=True))},
        "regrets": {(TREE, 1): lost, **dict(zip(names, regrets, strict=True))},
        "ranks": {name: judge.rank(action) for name, action in position.choices.items()},
        "differ": {
            (one, other, workers): bool(
                not like(kernel, position.choices[one, workers][None], position.choices[other, workers])[0]
            )
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
