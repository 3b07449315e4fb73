"""Impacts of equal elastic discs with Coulomb friction at the rims; compiled."""

from math import sqrt

import numpy as np

from bonspiel.curling.ice.engines.board import ABSENT, SPEED_X, SPEED_Y, STATE, TURNING, X, Y
from bonspiel.curling.ice.physics import LAWS
from bonspiel.curling.ice.sheet import DIAMETER, STONE_RADIUS, STONES
from bonspiel.planners.jit import helper
from bonspiel.planners.model import Array

ITERATIONS = 8  # of the reference's solver over touching stones
BISECTIONS = 20
FRICTION = np.array([law.impact_friction for law in LAWS])
RESTITUTION_SPEED = np.array([law.restitution_speed for law in LAWS])  # m/s, slower impacts are inelastic
TOUCH = 1e-9  # m, tolerance of touching for rounding errors
CONTACT_ROWS = STONES * (STONES - 1) // 2  # of a board, below the stones


@helper
def impulses(law: int, closing: float, slip: float, arm: float) -> tuple[float, float]:
    """Impulses over mass along the line of centres and against the slip of the rims, m/s; `arm` in radii.

    Friction acts half way between the centres. With that arm d and moment of inertia m r^2 / 2, a tangential impulse of
    m slip / (2 + 4 d^2 / r^2) stops the slip.
    """
    normal = closing if closing > RESTITUTION_SPEED[law] else 0.5 * closing
    most = FRICTION[law] * normal
    return normal, min(max(slip / (2.0 + 4.0 * arm * arm), -most), most)


@helper
def impact(law: int, board: Array, i: int, j: int) -> None:
    """Impact of stones i and j: updates SPEED_X, SPEED_Y and TURNING of both."""
    dx, dy = board[j, X] - board[i, X], board[j, Y] - board[i, Y]
    distance = max(sqrt(dx * dx + dy * dy), 1e-12)
    nx, ny = dx / distance, dy / distance
    vx, vy = board[i, SPEED_X] - board[j, SPEED_X], board[i, SPEED_Y] - board[j, SPEED_Y]
    closing = vx * nx + vy * ny
    if closing <= 0.0 or distance > DIAMETER + TOUCH:  # grazing discs may already have passed
        return
    slip = vy * nx - vx * ny + 0.5 * distance * (board[i, TURNING] + board[j, TURNING])
    arm = 0.5 * distance / STONE_RADIUS
    normal, tangential = impulses(law, closing, slip, arm)
    _push(board, i, j, nx, ny, arm, normal, tangential)


@helper
def _push(board: Array, i: int, j: int, nx: float, ny: float, arm: float, normal: float, tangential: float) -> None:
    """Apply impulses over mass, m/s: `normal` along (nx, ny), `tangential` against the slip; `arm` in radii."""
    board[i, SPEED_X] += tangential * ny - normal * nx
    board[i, SPEED_Y] -= tangential * nx + normal * ny
    board[j, SPEED_X] -= tangential * ny - normal * nx
    board[j, SPEED_Y] += tangential * nx + normal * ny
    board[i, TURNING] -= 2.0 * arm * tangential / STONE_RADIUS
    board[j, TURNING] -= 2.0 * arm * tangential / STONE_RADIUS


@helper
def _contacts(law: int, board: Array) -> int:
    """Write touching pairs to the contact rows; their number.

    Fields: both rows, the normal (x, y), the speed of the bounce, impulses along the normal and the rim, arm in radii.
    """
    count = STONES
    for j in range(STONES):
        for i in range(j):
            dx, dy = board[j, X] - board[i, X], board[j, Y] - board[i, Y]
            d2 = dx * dx + dy * dy
            here = board[i, STATE] != ABSENT and board[j, STATE] != ABSENT
            if here and 0.0 < d2 <= DIAMETER * DIAMETER:
                nx, ny = dx / sqrt(d2), dy / sqrt(d2)
                closing = (board[i, SPEED_X] - board[j, SPEED_X]) * nx + (board[i, SPEED_Y] - board[j, SPEED_Y]) * ny
                board[count, 0], board[count, 1], board[count, 2], board[count, 3] = i, j, nx, ny
                board[count, 4] = closing if closing > RESTITUTION_SPEED[law] else 0.0
                board[count, 5], board[count, 6], board[count, 7] = 0.0, 0.0, 0.5 * sqrt(d2) / STONE_RADIUS
                count += 1
    return count - STONES


@helper
def _solve(law: int, board: Array, contacts: Array, share: float) -> None:
    """Replace the impulses of the contacts by sequential impulses for a share of their bounce."""
    for contact in contacts:
        i, j = int(contact[0]), int(contact[1])
        _push(board, i, j, contact[2], contact[3], contact[7], -contact[5], -contact[6])
        contact[5], contact[6] = 0.0, 0.0
    for _ in range(ITERATIONS):
        for contact in contacts:
            i, j, nx, ny, arm = int(contact[0]), int(contact[1]), contact[2], contact[3], contact[7]
            vx, vy = board[i, SPEED_X] - board[j, SPEED_X], board[i, SPEED_Y] - board[j, SPEED_Y]
            slip = vy * nx - vx * ny + arm * STONE_RADIUS * (board[i, TURNING] + board[j, TURNING])
            most = FRICTION[law] * contact[5]
            tangential = min(max(contact[6] + slip / (2.0 + 4.0 * arm * arm), -most), most)
            normal = max(contact[5] + 0.5 * (vx * nx + vy * ny + share * contact[4]), 0.0)
            _push(board, i, j, nx, ny, arm, normal - contact[5], tangential - contact[6])
            contact[5], contact[6] = normal, tangential


@helper
def energy(board: Array) -> float:
    """Kinetic energy over mass of the stones, from SPEED_X, SPEED_Y and TURNING, in J/kg."""
    total = 0.0
    for i in range(STONES):
        if board[i, STATE] != ABSENT:
            rim = STONE_RADIUS * board[i, TURNING]
            total += board[i, SPEED_X] ** 2 + board[i, SPEED_Y] ** 2 + 0.5 * rim * rim
    return 0.5 * total


@helper
def impact_of_many(law: int, board: Array) -> None:
    """Simultaneous impacts of all touching stones: updates SPEED_X, SPEED_Y and TURNING.

    The result depends on the order of impacts, which physics leaves open. Like the reference this uses the sequential
    impulses of Box2D: a contact bounces with its initial closing speed, so stones that touched at rest leave together.
    If that would increase the energy, all bounce by the largest share that does not.
    """
    contacts = board[STONES : STONES + _contacts(law, board)]
    most = energy(board) * (1.0 + 1e-9)
    _solve(law, board, contacts, 1.0)
    if energy(board) > most:
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            share = 0.5 * (low + high)
            _solve(law, board, contacts, share)
            if energy(board) > most:
                high = share
            else:
                low = share
        _solve(law, board, contacts, low)
