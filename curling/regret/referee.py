"""Judges the shots of clients in a position: what each is worth less than the best shot of all, and of its own kind.

Shots are compared by successive halving with the same errors of execution (common random numbers). Those that remain
meet new errors, so that the best one, which was chosen for its luck too, is not judged by that luck.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.analysis.shot_names import shot_name
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.regret.candidates import candidate_aims
from bonspiel.curling.regret.sources import NetworkSource, PlayoutSource, ThrowSource
from bonspiel.planners.model import Array

SOURCES: tuple[type[ThrowSource], ...] = (NetworkSource, PlayoutSource)
MOST_PLAYED_OUT = 8  # shots, of different names, that are compared by playouts, beside those of clients
EVALUATION_SHARE = 0.5  # of the budget, for the shots that remain
FEWEST_THROWS = 128  # of each of them

Shots = NDArray[np.int64]


@dataclass(frozen=True)
class ShotRegret:
    """What a referee says of a shot; for the team that throws.

    Attributes:
        referee: "network" or "playouts".
        shot: the aim, (vx, vy, rotation), m/s.
        name: of the shot.
        value: the probability to win after it.
        points: expected in this end.
        best: the best aim that the referee found.
        best_name: its name.
        best_value: see `value`.
        best_points: see `points`.
        regret: what the shot is worth less than the best, a probability; below 0 by chance only.
        error: standard error of the regret.
        wrong_shot: the part of the regret that is due to the kind: what the best shot with the same name is worth less.
        lost_points: the points that the best shot makes more.
        points_error: standard error of these.
        throws: with which both were compared.
    """

    referee: str
    shot: Throw
    name: str
    value: float
    points: float
    best: Throw
    best_name: str
    best_value: float
    best_points: float
    regret: float
    error: float
    wrong_shot: float
    lost_points: float
    points_error: float
    throws: int

    @property
    def wrong_weight(self) -> float:
        """The part of the regret that a better throw of the same kind would save."""
        return self.regret - self.wrong_shot


def judge(model: Curling, state: Array, shots: Sequence[Throw], seed: int) -> list[tuple[ShotRegret, ...]]:
    """Judge the shots of clients in a position: for each shot what the referees of SOURCES say.

    Args:
        model: from `curling.regret.sources.judging`.
        state: the position, [state_dim].
        shots: the aims.
        seed: of all draws.
    """
    given = np.array(shots, float).reshape(-1, 3)
    aims = candidate_aims(model, state, model.aim(*given.T), np.random.default_rng((seed, 0)))
    names = [shot_name(model, state, _throw_of(aim)) for aim in aims]
    known, verdicts = np.arange(len(aims)), []
    for number, kind in enumerate(SOURCES, 1):
        found = Comparison(kind, model, state, aims, names, len(shots), (seed, number))
        verdicts.append(found.verdicts(known))
        known = np.unique(np.append(found.needed, found.leaders(MOST_PLAYED_OUT)))
    return list(zip(*verdicts, strict=True))


class Comparison:
    """The comparison of aims by one referee.

    Args:
        kind: of the referee.
        model: see `judge`.
        state: see `judge`.
        aims: all, [aims, 3].
        names: of these shots.
        count: of the shots of clients, which come first.
        seed: of all draws.

    Attributes:
        needed: the shots of clients, the best one, and the best with the name of each of them.
    """

    needed: Shots

    def __init__(
        self,
        kind: type[ThrowSource],
        model: Curling,
        state: Array,
        aims: Array,
        names: Sequence[str],
        count: int,
        seed: tuple[int, ...],
    ) -> None:
        self.first = kind(model, state, (*seed, 0))
        self.second = kind(model, state, (*seed, 1))
        self.aims, self.names, self.count = aims, names, count
        self.means = np.full(len(aims), -np.inf)
        self.kinds = [np.array([i for i, name in enumerate(names) if name == names[shot]]) for shot in range(count)]

    def verdicts(self, alive: Shots) -> tuple[ShotRegret, ...]:
        """What the referee says of each shot of a client, where these shots are compared."""
        best, alike = self._select(alive)
        self.needed = np.unique([best, *alike, *range(self.count)])
        values, points = self._evaluate()
        at = {int(shot): place for place, shot in enumerate(self.needed)}
        found = []
        for shot in range(self.count):
            lost, lost_points = (all_of[at[best]] - all_of[at[shot]] for all_of in (values, points))
            wrong_shot = float((values[at[best]] - values[at[alike[shot]]]).mean())
            found.append(
                ShotRegret(
                    self.first.name,
                    _throw_of(self.aims[shot]),
                    self.names[shot],
                    float(values[at[shot]].mean()),
                    float(points[at[shot]].mean()),
                    _throw_of(self.aims[best]),
                    self.names[best],
                    float(values[at[best]].mean()),
                    float(points[at[best]].mean()),
                    float(lost.mean()),
                    _error(lost),
                    wrong_shot,
                    float(lost_points.mean()),
                    _error(lost_points),
                    len(lost),
                )
            )
        return tuple(found)

    def leaders(self, most: int) -> list[int]:
        """The best shot of each of the best names, of those that were compared."""
        found: dict[str, int] = {}
        for shot in np.argsort(-self.means, kind="stable").tolist():
            if self.means[shot] > -np.inf:
                found.setdefault(self.names[shot], shot)
        return list(found.values())[:most]

    def _select(self, alive: Shots) -> tuple[int, list[int]]:
        """The best shot, and the best one with the name of each client's shot."""
        source, upto, done, total = self.first, self.first.first, 0, 0
        sums = np.zeros(len(self.aims))
        while True:
            sums[alive] += source.throw(self.aims[alive], done, upto)[0].sum(1)
            total += len(alive) * (upto - done)
            self.means[alive] = sums[alive] / upto
            ranked = alive[np.argsort(-sums[alive], kind="stable")]
            kinds = [ranked[np.isin(ranked, kind)] for kind in self.kinds]
            halves = [half[: -(-len(half) // 2)] for half in (ranked, *kinds)]
            settled = all(len(half) == 1 for half in halves)
            alive = np.unique(np.concatenate([*halves, np.arange(self.count)]))
            done, upto = upto, 2 * upto
            cost = source.thrown / total * len(alive) * done
            if settled or upto > source.most or source.thrown + cost > (1.0 - EVALUATION_SHARE) * source.budget:
                return int(ranked[0]), [int(kind[0]) for kind in kinds]

    def _evaluate(self) -> tuple[Array, Array]:
        """Values and points of the shots that are needed, with new errors, [needed, throws]."""
        source, aims = self.second, self.aims[self.needed]
        first = source.throw(aims, 0, FEWEST_THROWS)
        affordable = EVALUATION_SHARE * source.budget * FEWEST_THROWS / source.thrown
        upto = min(max(int(affordable), FEWEST_THROWS), source.most)
        more = source.throw(aims, FEWEST_THROWS, upto)
        return np.hstack([first[0], more[0]]), np.hstack([first[1], more[1]])


def _error(differences: Array) -> float:
    return float(differences.std(ddof=1)) / math.sqrt(len(differences))


def _throw_of(aim: Array) -> Throw:
    vx, vy, side = aim.tolist()
    return vx, vy, 1.0 if side >= 0.0 else -1.0
