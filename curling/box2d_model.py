"""The model of a curling match on the reference engine."""

from dataclasses import dataclass

import numpy as np

from bonspiel.curling.dynamics import proceed, release
from bonspiel.curling.ice.engines.box2d import Box2DEngine
from bonspiel.curling.ice.physics import BY_NAME
from bonspiel.curling.match.state import LAW, row_of, stones_of
from bonspiel.curling.model import Curling
from bonspiel.planners.model import Array, Rng

ENGINES = tuple(Box2DEngine(name) for name in BY_NAME)  # type: ignore[arg-type]  # in the order of `law_index`


def box2d_step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """As `curling.dynamics.step`, on the Box2D engine."""
    vx, vy, spin = release(state, action, params, rng)
    stones = ENGINES[int(params[LAW])].unchecked(stones_of(state), row_of(state), np.array([vx, vy]), spin)
    outcome: tuple[float, bool] = proceed(state, stones, next_state, params)
    return outcome


@dataclass(frozen=True)
class Box2DCurling(Curling):
    """`Curling` on the Box2D engine, interpreted, 0.1 to 0.2 s a shot; rollouts use the analytic engine."""

    compiled = False
    step = staticmethod(box2d_step)
