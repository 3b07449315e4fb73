"""The laws of motion as functions of the speed, corrected for the reference simulators' steps of 1 ms."""

from collections.abc import Callable

import numpy as np

from bonspiel.curling.ice.physics import (
    DC2_DECELERATION,
    DC2_STOP_SPEED,
    DC2_TURN,
    FCV1_DRAG,
    FCV1_SPIN_LOSS,
    FCV1_TURN,
)
from bonspiel.planners.model import Array

TIME_STEP = 0.001  # s


def fcv1_rates(v: Array) -> tuple[Array, Array, Array]:
    """Deceleration in m/s^2, rate of turning in rad/s and loss of spin in rad/s^2 at speed v.

    Euler steps h of dv/dt = -a follow dv/dt = -a (1 + a' h / 2) up to h^2, and a rate g summed at the starts of steps
    is g + g' a h / 2.
    """
    a0, b, c = FCV1_DRAG
    factor, power = FCV1_TURN
    a, v = a0 / (v + b) + c, np.maximum(v, 1e-30)
    turn, loss = factor * v**power, FCV1_SPIN_LOSS / np.maximum(v, 0.001)
    early = np.minimum(0.5 * TIME_STEP * a / v, 0.5)
    return a * (1.0 - 0.5 * TIME_STEP * a0 / (v + b) ** 2), turn * (1.0 + power * early), loss * (1.0 - early)


def dc2_rates(v: Array) -> tuple[Array, Array, Array]:
    """The same for dc2: each step h slows the stone before turning it, and the spin is constant."""
    a, h = DC2_DECELERATION, TIME_STEP
    turn = np.arctan2(DC2_TURN * h, np.maximum(v, DC2_STOP_SPEED) - 0.5 * a * h) / h
    return np.full_like(v, a), turn, np.zeros_like(v)


RATES: dict[str, Callable[[Array], tuple[Array, Array, Array]]] = {
    "fcv1": fcv1_rates,
    "dc2": dc2_rates,
    "dc4": fcv1_rates,
}
