"""Judges the shots of clients in a position: what each is worth less than the best shot of all, and of its own kind.

Shots are compared by successive halving with the same errors of execution (common random numbers), until the standard
errors of their differences tell the best one apart. Those that remain meet new errors, so that the best one, which was
chosen for its luck too, is not judged by that luck; they meet more of them where shots are hard to tell apart.
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
FEWEST_THROWS = 64  # of each of them
SURE = 2.0  # standard errors of a difference that tell two shots apart
UNSEEN = 0.25  # added to squares of differences, for what rarely happens

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
        self._values, self._throws = np.empty((len(aims), self.first.most)), np.zeros(len(aims), np.int64)
        self.kinds = [np.array([i for i, name in enumerate(names) if name == names[shot]]) for shot in range(count)]

    def verdicts(self, alive: Shots) -> tuple[ShotRegret, ...]:
        """What the referee says of each shot of a client, where these shots are compared."""
        best, alike = self._select(alive)
        self.needed = np.unique([best, *alike, *range(self.count)])
        thrown = self._evaluate(best, alike)
        found = []
        for shot in range(self.count):
            kind = alike[shot]
            n = min(thrown[one].shape[1] for one in (shot, kind))
            of_best, own, of_kind = (all_of[:, :n] for all_of in (thrown[best], thrown[shot], thrown[kind]))
            lost, lost_points = of_best - own
            found.append(
                ShotRegret(
                    self.first.name,
                    _throw_of(self.aims[shot]),
                    self.names[shot],
                    float(own[0].mean()),
                    float(own[1].mean()),
                    _throw_of(self.aims[best]),
                    self.names[best],
                    float(of_best[0].mean()),
                    float(of_best[1].mean()),
                    float(lost.mean()),
                    _error(lost),
                    float((of_best - of_kind)[0].mean()),
                    float(lost_points.mean()),
                    _error(lost_points),
                    n,
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
        groups = [alive, *(alive[np.isin(alive, kind)] for kind in self.kinds)]
        while True:
            self._values[alive, done:upto] = source.throw(self.aims[alive], done, upto)[0]
            total += len(alive) * (upto - done)
            self._throws[alive] = upto
            self.means[alive] = self._values[alive, :upto].mean(1)
            groups = [self._rivals(group) for group in groups]
            alive = np.unique(np.concatenate([alive[:0], *(group for group in groups if len(group) > 1)]))
            done, upto = upto, 2 * upto
            cost = source.thrown / total * len(alive) * (upto - done)
            spent = source.thrown + cost > (1.0 - EVALUATION_SHARE) * source.budget
            if len(alive) == 0 or upto > source.most or spent:
                best, *alike = (int(group[0]) for group in groups)
                return best, alike

    def _rivals(self, group: Shots) -> Shots:
        """The better half of shots that were thrown alike, without those that are surely no better than the first."""
        ranked = group[np.argsort(-self.means[group], kind="stable")]
        best, others = int(ranked[0]), ranked[1 : -(-len(ranked) // 2)].tolist()
        behind = {shot: self._behind(best, shot) for shot in others}
        kept = [shot for shot, (lost, sd, n) in behind.items() if SURE * sd / math.sqrt(n) - lost > self.first.fine]
        return np.array([best, *kept])

    def _behind(self, best: int, shot: int) -> tuple[float, float, int]:
        """The mean loss of a shot to the best in the selection, its standard deviation, and the common throws."""
        n = int(min(self._throws[best], self._throws[shot]))
        lost = self._values[best, :n] - self._values[shot, :n]
        return float(lost.mean()), math.sqrt(float(lost.var()) + UNSEEN / n), n

    def _evaluate(self, best: int, alike: Sequence[int]) -> dict[int, Array]:
        """Values and points of the shots that are needed with new errors, by shot, [2, throws].

        How many throws, only the selection decides: what decided when to stop would be biased by that.
        """
        source, wanted = self.second, dict.fromkeys(self.needed.tolist(), 0.0)
        for shot in range(self.count):
            lost, sd, _ = self._behind(best, shot)
            throws = (sd / np.clip(abs(lost) / SURE, source.fine, source.coarse)) ** 2
            for one in (best, alike[shot], shot):
                wanted[one] = max(wanted[one], throws)
        first = source.throw(self.aims[self.needed], 0, FEWEST_THROWS)
        affordable = EVALUATION_SHARE * source.budget * FEWEST_THROWS * len(wanted) / source.thrown
        share, found = min(affordable / sum(wanted.values()), 1.0), {}
        for place, (shot, throws) in enumerate(wanted.items()):
            upto = min(max(math.ceil(share * throws), FEWEST_THROWS), source.most)
            more = source.throw(self.aims[[shot]], FEWEST_THROWS, upto)
            found[shot] = np.array([np.append(few[place], rest) for few, rest in zip(first, more, strict=True)])
        return found


def _error(differences: Array) -> float:
    return float(differences.std(ddof=1)) / math.sqrt(len(differences))


def _throw_of(aim: Array) -> Throw:
    vx, vy, side = aim.tolist()
    return vx, vy, 1.0 if side >= 0.0 else -1.0
