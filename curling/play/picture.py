"""The ice in few pixels, as in a terminal: stones are larger than they are, and the rings pale behind them."""

from functools import partial
from typing import Any

import numpy as np
from matplotlib.patches import Circle
from numpy.typing import NDArray

from bonspiel.curling.env.picture import ICE, draw_ice, draw_paths, draw_rests, draw_stones, extent, moved
from bonspiel.curling.ice.sheet import STONE_RADIUS, Sheet
from bonspiel.curling.play.view import View
from bonspiel.envs.draw import paint

AIM = "#0f8a5f"
DPI = 64  # a power of two: pixels are then whole in inches, too
PEN = 0.7
PALE = 0.45
RADIUS = 1.5 * STONE_RADIUS


def paint_view(view: View, sheet: Sheet, width: int, height: int) -> NDArray[np.uint8]:
    """The largest picture within `width` and `height` in pixels, uint8 [height, width, 3].

    Stones come from the left, the thrower's right is at the bottom.
    """
    near, far = extent(sheet)
    scale = min(width / (far - near), height / (2.0 * sheet.half_width))
    size = round(scale * (far - near)), round(scale * 2.0 * sheet.half_width)
    return paint(partial(_draw, view=view, sheet=sheet, size=size))


def _draw(figure: Any, view: View, sheet: Sheet, size: tuple[int, int]) -> None:
    figure.set_dpi(DPI)
    figure.set_size_inches(size[0] / DPI, size[1] / DPI)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    draw_ice(axes, sheet, PEN)
    axes.add_artist(Circle((sheet.tee, 0.0), sheet.house_radius, facecolor=ICE, alpha=PALE))
    if view.trail is not None:
        draw_paths(axes, sheet, view.trail, PEN)
    draw_stones(axes, view.stones, RADIUS, PEN)
    if view.preview is not None:
        for _, way in moved(view.preview):
            axes.plot(way[:, 1], way[:, 0], color=AIM, linestyle=":", linewidth=2.0 * PEN, zorder=3)
        draw_rests(axes, view.preview, 0.5 * PEN)
    if view.target is not None:
        x, y = view.target
        for width, colour in ((4.0, "white"), (2.0, AIM)):
            cross = {"color": colour, "linewidth": width * PEN, "zorder": 7}
            axes.plot((y - RADIUS, y + RADIUS), (x, x), **cross)
            axes.plot((y, y), (x - RADIUS, x + RADIUS), **cross)
