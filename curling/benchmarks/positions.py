"""Positions and shots of benchmarks and studies of curling."""

import numpy as np

from bonspiel.curling.choice.policy import default_shot
from bonspiel.curling.ice.physics import FCV1
from bonspiel.curling.ice.sheet import STONE_RADIUS, no_stones
from bonspiel.curling.match.state import FREE_GUARD, stones_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.planners.model import Array, Rng

DRAWS_AND_HITS = ((-0.15, 2.3), (0.25, 2.8))  # m/s, lowest and highest (vx, vy)
SPIN = FCV1.launch_spin


def random_board(count: int, rng: Rng) -> Array:
    """Non-overlapping stones in rows 0..count - 1, uniform between hog line and back line of fcv1, [16, 2]."""
    stones = no_stones()
    placed = 0
    while placed < count:
        place = rng.uniform((-2.2, 32.2), (2.2, 40.3))
        if not (np.hypot(*(stones[:placed] - place).T) < 2.0 * STONE_RADIUS).any():
            stones[placed] = place
            placed += 1
    return stones


def random_shots(n: int, rng: Rng) -> tuple[Array, Array]:
    """Velocities [n, 2] of draws and hits of fcv1, and spins [n] of both signs."""
    return rng.uniform(*DRAWS_AND_HITS, (n, 2)), rng.choice([-1.0, 1.0], n) * SPIN


def state_after(seed: int, shots: int) -> Array:
    """The state of a single end after a number of noisy shots of the default policy."""
    model, rng = Curling(), np.random.default_rng(seed)
    state, following, aim = model.initial_state(rng), np.empty(model.state_dim), np.empty(3)
    for shot in range(shots):
        free_guard = int(model.params[FREE_GUARD])
        default_shot(0, stones_of(state), shot, team_of(state), free_guard, False, aim, rng)
        model.step(state, model.aim(*aim), following, model.params, rng)
        state, following = following, state
    return state
