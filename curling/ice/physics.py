"""The physics: "fcv1" of Digital Curling 3, "dc4" of Digital Curling 4, "dc2" of Digital Curling 2 and the 2017 thesis.

A stone of speed v and spin w > 0 (counter-clockwise) slows down and turns to its left; w < 0 turns it to its right.
Impacts are elastic with Coulomb friction. "dc4" is "fcv1" but for the limits of play.
"""

import math
from dataclasses import dataclass, replace

from bonspiel.curling.ice.sheet import DC2_SHEET, DC3_SHEET, DIAMETER, Limits, Sheet
from bonspiel.planners.registry import look_up

GRAVITY = 9.80665


@dataclass(frozen=True)
class Physics:
    """Parameters of a simulator, for both engines.

    Attributes:
        name: "fcv1", "dc2" or "dc4".
        experience: the physics whose counts of self-play and learned weights serve this one.
        sheet: the lines of the sheet.
        limits: where stones are removed.
        pace: how many times too fast the clock runs.
        max_speed: largest speed of an aim, m/s.
        launch_spin: magnitude of a thrown stone's spin, rad/s.
        impact_friction: Coulomb coefficient between two stones; 12 never lets them slip.
        restitution_speed: impacts below this closing speed are perfectly inelastic, m/s.
        tee_draw: (vx, vy) of a counter-clockwise draw to the tee, m/s.
        max_vx: bound of useful aims to the side, m/s.
        min_vy: bound of useful aims: slower stones stop short of the hog line, m/s.
        hog_removes_all: whether the hog line removes every stone that rests behind it, or only the thrown one.
        rule: default rule of the simulator, see `curling.match.rules.RULES`.
        noises: names in `curling.ice.noise.NOISES` that fit its speeds; the first is the simulator's default.
    """

    name: str
    experience: str
    sheet: Sheet
    limits: Limits
    pace: float
    max_speed: float
    launch_spin: float
    impact_friction: float
    restitution_speed: float
    tee_draw: tuple[float, float]
    max_vx: float
    min_vy: float
    hog_removes_all: bool
    rule: str
    noises: tuple[str, ...]


FCV1 = Physics(
    name="fcv1",
    experience="fcv1",
    sheet=DC3_SHEET,
    limits=DC3_SHEET.limits,
    pace=1.0,
    max_speed=4.0,
    launch_spin=math.pi / 2.0,
    impact_friction=0.2,
    restitution_speed=0.0,
    tee_draw=(0.1317, 2.3997),
    max_vx=0.4,
    min_vy=2.0,
    hog_removes_all=True,
    rule="five_rock",
    noises=("normal_dist", "human", "none"),
)
DC2 = Physics(
    name="dc2",
    experience="dc2",
    sheet=DC2_SHEET,
    limits=DC2_SHEET.limits,
    pace=10.0,
    max_speed=48.79,
    launch_spin=0.066696,
    impact_friction=12.009216,
    restitution_speed=1.0,
    tee_draw=(0.990740, 29.559774),
    max_vx=4.0,
    min_vy=26.0,
    hog_removes_all=False,
    rule="four_rock",
    noises=("dc2", "gat", "none"),
)

# behind the back line stones go on until they rest, but four diameters on they can no longer touch one that stays
DC4_LIMITS = Limits(side=2.085, back=40.234 + 4.0 * DIAMETER, back_at_rest=40.234, hog=32.004)
DC4 = replace(FCV1, name="dc4", limits=DC4_LIMITS)

FCV1_DRAG = (0.00200985 * GRAVITY, 0.06385782, 0.00626286 * GRAVITY)  # a, b, c of dv/dt = -(a / (v + b) + c)
FCV1_TURN = (0.00820, -0.8)  # k, p: the heading turns at k v^p rad/s
FCV1_SPIN_LOSS = 0.025  # |w| falls at this / max(v, 0.001) rad/s^2
FCV1_STOP_SPEED = 3.45e-4  # m/s

DC2_DECELERATION = 12.009216  # m/s^2
DC2_STOP_SPEED = DC2_DECELERATION * 0.001  # m/s
DC2_TURN = 0.066696 * DC2_DECELERATION  # the heading turns at this / v rad/s while the stone spins; spin never fades

LAWS = (FCV1, DC2, DC4)
BY_NAME = {law.name: law for law in LAWS}


def physics_of(name: str) -> Physics:
    """The physics of a name.

    Raises:
        ValueError: not "fcv1", "dc2" or "dc4".
    """
    return look_up("physics", name, BY_NAME)


def law_index(name: str) -> int:
    """The number of a physics in compiled code, an index into LAWS: 0 is "fcv1", 1 is "dc2", 2 is "dc4"."""
    return tuple(BY_NAME).index(name)
