"""The aim of a person, and the throw that it needs."""

import math
from dataclasses import dataclass, replace

import numpy as np

from bonspiel.curling.ice.physics import Physics, law_index
from bonspiel.curling.ice.sheet import STONE_RADIUS, Sheet
from bonspiel.curling.ice.shots import draw, launched

# name, and the speed at the release as a share of a tee draw's; None is the speed that stops at the target
WEIGHTS = (("draw", None), ("control hit", 1.15), ("normal hit", 1.3), ("peel", 1.5))


@dataclass(frozen=True)
class Aim:
    """The target, spin and weight of a shot.

    Attributes:
        x: target, m to the thrower's right of the centre line.
        y: target, m from the release.
        side: 1 counter-clockwise, -1 clockwise.
        weight: place on the scale of WEIGHTS, from 0; between two of them the speed at the release is between theirs.
    """

    x: float
    y: float
    side: float = 1.0
    weight: float = 0.0

    @property
    def weight_name(self) -> str:
        """The weight in words."""
        lower, rest = divmod(self.weight, 1.0)
        name = WEIGHTS[int(lower)][0]
        return f"between {name} and {WEIGHTS[int(lower) + 1][0]}" if rest else name

    def on(self, sheet: Sheet) -> "Aim":
        """The same with the nearest target on the sheet, and the nearest weight of the scale."""
        side = sheet.half_width - STONE_RADIUS
        x, y = min(max(self.x, -side), side), min(max(self.y, sheet.hog_line + STONE_RADIUS), sheet.back_line)
        return replace(self, x=x, y=y, weight=min(max(self.weight, 0.0), len(WEIGHTS) - 1.0))

    def velocity(self, law: Physics) -> tuple[float, float] | None:
        """(vx, vy) of the throw, m/s; None where none reaches the target."""
        index, tee = law_index(law.name), math.hypot(*law.tee_draw)
        vx, vy = draw(index, self.x, self.y, self.side)
        if self.weight > 0.0:
            speeds = [math.hypot(vx, vy) if share is None else share * tee for _, share in WEIGHTS]
            speed = float(np.interp(self.weight, range(len(WEIGHTS)), speeds))
            vx, vy = launched(index, self.x, self.y, speed, self.side)
        return None if math.isnan(vx) else (vx, vy)
