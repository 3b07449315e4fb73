"""Execution noise: standard deviations of the differences between the aim and the throw, and players who have them."""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from statistics import fmean

import numpy as np

from bonspiel.curling.ice.physics import DC2, DC2_DECELERATION
from bonspiel.planners.checks import require, require_at_least
from bonspiel.planners.model import Array
from bonspiel.planners.registry import look_up

MOST_FREEDOM = 1000.0


@dataclass(frozen=True)
class Noise:
    """Standard deviations of independent errors: of speed, vx and vy in m/s, of the angle in rad.

    Errors are those of Student's t with `freedom` degrees of freedom, above 2 and at most 1000, or Gaussian if that
    is 0.
    """

    speed: float = 0.0
    angle: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    freedom: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            require_at_least(field.name, getattr(self, field.name), 0.0)
        good = self.freedom == 0.0 or 2.0 < self.freedom <= MOST_FREEDOM
        require(good, "freedom", self.freedom, f"0, or above 2 and at most {MOST_FREEDOM:g}")

    @property
    def sds(self) -> tuple[float, float, float, float]:
        """(speed, angle, vx, vy)."""
        return self.speed, self.angle, self.vx, self.vy

    @property
    def params(self) -> Array:
        """(speed, angle, vx, vy, freedom) as an array, for compiled functions."""
        return np.array(astuple(self))

    def times(self, scale: float) -> "Noise":
        """These errors, multiplied by a factor."""
        speed, angle, vx, vy = (scale * sd for sd in self.sds)
        return Noise(speed, angle, vx, vy, self.freedom)


@dataclass(frozen=True)
class Thrower:
    """A player with a largest speed of aims, m/s, and errors of execution."""

    max_speed: float
    noise: Noise

    def __post_init__(self) -> None:
        require_at_least("max_speed", self.max_speed, 0.0)


Pair = tuple[Thrower, Thrower]  # of a team of mixed doubles


def mean_noise(throwers: Sequence[Thrower]) -> Noise:
    """The mean standard deviations of those who make the throws of an end; Gaussian unless all have one freedom."""
    noises = [thrower.noise for thrower in throwers]
    freedom, *others = {noise.freedom for noise in noises}
    speed, angle, vx, vy = map(fmean, zip(*(noise.sds for noise in noises), strict=True))
    return Noise(speed, angle, vx, vy, 0.0 if others else freedom)


def at_the_tee(x: float, y: float) -> Noise:
    """Noise of dc2 under which a tee draw stops with standard deviations of x and y metres."""
    speed = math.hypot(*DC2.tee_draw)
    return Noise(vx=x * speed / DC2.sheet.tee, vy=y * DC2_DECELERATION / speed)


NOISES = {
    "normal_dist": Noise(speed=0.0076, angle=0.0018),  # Digital Curling 3
    "human": Noise(speed=0.0195, angle=0.0045, freedom=3.0),  # of 1,920 draws, see docs/curling/people.md
    "dc2": at_the_tee(0.145, 0.145),
    "gat": at_the_tee(0.0725, 0.29),  # the Game AI Tournaments' setting of Digital Curling 2
    "none": Noise(),
}


def is_same_noise(one: Noise, other: Noise) -> bool:
    """Compare two noises in single precision, to which servers round: 0.0076 comes as 0.007600000128149986."""
    return np.array_equal(one.params.astype(np.float32), other.params.astype(np.float32))


def noise_of(noise: str | Noise | None) -> Noise:
    """The noise of a name, or of a factor and a name: "2*normal_dist"; a `Noise` is returned unchanged.

    Raises:
        ValueError: not one of NOISES, or a factor that is no number above 0.
    """
    if isinstance(noise, Noise):
        return noise
    factor, star, name = noise.rpartition("*") if isinstance(noise, str) else ("", "", noise)
    known = look_up("noise", name, NOISES)
    if not star:
        return known
    try:
        scale = float(factor)
    except ValueError:
        scale = math.nan
    require(0.0 < scale < math.inf, "noise", noise, f"a number above 0, an asterisk and a name, 2*{name}")
    return known.times(scale)


def name_of(noise: str | Noise | None) -> str | None:
    """The name in the text of a noise, without its factor; None for a `Noise`."""
    return noise.rpartition("*")[2] if isinstance(noise, str) else None
