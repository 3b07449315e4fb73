"""Static evaluation: the distribution of end scores by features of a position, counted in ends of the default policy.

`python -m bonspiel.curling.players.static` writes the file of counts again, in about two minutes.
"""

import json
from functools import cache
from math import hypot, inf
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.curling.ice.physics import physics_of
from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.rules import score
from bonspiel.curling.match.state import FIRST_STONE, IN_HOUSE, STATE_DIM, TEE, hammer_of, shot_of
from bonspiel.curling.model import Curling
from bonspiel.planners.jit import VECTOR, kernel
from bonspiel.planners.model import Array, Rng

FILE = Path(__file__).parent / "static.json"
NOISES = {"fcv1": "normal_dist", "dc2": "gat"}  # of the counted ends
POINTS = 2 * TEAM_STONES + 1
MOST_LYING = 4  # points; more count as 4
LYING = 2 * MOST_LYING + 1
COVER_WIDTH, COVER_LENGTH = 0.35, 0.3  # m
PRIOR_COVER, PRIOR_LYING = 10.0, 3.0  # weights, in ends, of the rows that ignore cover, and that ignore the stones


@kernel(VECTOR, VECTOR)
def features(state: Array, params: Array) -> int:
    """Table index of a position: shots left, points of the hammer team if scored now, cover of the best stone."""
    stones = state[FIRST_STONE:STATE_DIM].reshape((STONES, 2))
    tee = params[TEE]
    points = score(stones, tee, params[IN_HOUSE])
    lying = min(max(points if hammer_of(state) == 0 else -points, -MOST_LYING), MOST_LYING)
    best, least = 0, inf
    for i in range(STONES):
        distance = hypot(stones[i, 0], stones[i, 1] - tee)
        if stones[i, 1] > 0.0 and distance < least:
            best, least = i, distance
    covered = 0
    for i in range(STONES):
        ahead = stones[best, 1] - stones[i, 1]
        if points != 0 and stones[i, 1] > 0.0 and ahead > COVER_LENGTH:
            if abs(stones[i, 0] - stones[best, 0]) < COVER_WIDTH:
                covered = 1
    return ((STONES - shot_of(state)) * LYING + lying + MOST_LYING) * 2 + covered


def count_outcomes(model: Curling, ends: int, rng: Rng) -> Array:
    """Count the points of the team with the hammer in ends of the default policy; the model is one end for points.

    Returns:
        Numbers of positions by features and by the points, -8..8, of their end, [features, 17].
    """
    counts = np.zeros(((STONES + 1) * LYING * 2, POINTS))
    for _ in range(ends):
        state, after, seen = model.initial_state(rng), np.empty(model.state_dim), []
        for _ in range(STONES - 1):
            model.rollout(state, after, 1, model.params, rng)
            state, after = after, state
            seen.append(features(state, model.params))
        points = model.rollout(state, after, 1, model.params, rng)
        counts[seen, TEAM_STONES - int(points)] += 1  # team 1 has the hammer
    return counts


def probabilities(counts: Array) -> Array:
    """Probabilities of -8..8 points, smoothed by those of coarser features, [features, 17]."""
    table = counts.reshape(STONES + 1, LYING, 2, POINTS) + 1e-9
    by_shot, by_lying = table.sum((1, 2), keepdims=True), table.sum(2, keepdims=True)
    by_lying = by_lying + PRIOR_LYING * by_shot / by_shot.sum(-1, keepdims=True)
    table = table + PRIOR_COVER * by_lying / by_lying.sum(-1, keepdims=True)
    result: Array = (table / table.sum(-1, keepdims=True)).reshape(-1, POINTS)
    return result


@cache
def outcome_table(physics: str) -> Array:
    """Probabilities of -8..8 points for the team with the hammer, by `features`, [features, 17]."""
    given: Any = json.loads(FILE.read_text(encoding="utf-8"))
    table = np.array(given[physics_of(physics).experience], np.float64)
    return table / table.sum(1, keepdims=True)


def write_file(path: Path, ends: int, rng: Rng) -> None:
    """Count outcomes for each physics and write their probabilities in units of 1 / 10,000."""
    tables = []
    for physics, noise in NOISES.items():
        counts = count_outcomes(Curling(physics=physics, noise=noise), ends, rng)  # type: ignore[arg-type]
        rows = (10_000.0 * probabilities(counts)).round().astype(int).tolist()
        tables.append(f'"{physics}": [\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]")
    path.write_text("{\n" + ",\n".join(tables) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write_file(FILE, 40_000, np.random.default_rng(7))
