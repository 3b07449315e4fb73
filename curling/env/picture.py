"""A curling sheet from above: stones come from the left, the thrower's right is below."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bonspiel.curling.ice.sheet import STONE_RADIUS, TEAM_STONES, Sheet, present
from bonspiel.envs.draw import FAINT, INK
from bonspiel.planners.model import Array

SIZE = (9.6, 6.2)  # inches
BEFORE_HOG, BEHIND_BACK = 0.45, 0.65  # metres shown beyond the lines
ICE, LINE, GRANITE, HOG = "#eef4f8", "#8b9aa7", "#6d747b", "#c8372d"
RINGS = ((1.0, "#3f78b5"), (2.0 / 3.0, "#fbfcfd"), (1.0 / 3.0, "#d4554b"), (1.0 / 12.0, "#fbfcfd"))
TEAMS = ("#dd3d2f", "#f4bd24")
NAMES = ("red", "yellow")


@dataclass(frozen=True)
class Scene:
    """The content of a picture.

    Attributes:
        sheet: the lines.
        stones: [16, 2], NaN where absent.
        paths: places of the stones during the last shot, [T, 16, 2], or None.
        points: points of each team.
        hammer: the team with the last stone of this end.
        left: stones that each team has still to throw.
        caption: e.g. "end 2 of 8, shot 5 of 16".
    """

    sheet: Sheet
    stones: Array
    paths: Array | None
    points: tuple[int, int]
    hammer: int
    left: tuple[int, int]
    caption: str


def draw_scene(figure: Any, scene: Scene) -> None:
    """Draw a scene on an empty matplotlib figure."""
    figure.set_size_inches(*SIZE)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.82))
    draw_ice(axes, scene.sheet)
    if scene.paths is not None:
        draw_paths(axes, scene.sheet, scene.paths)
    draw_stones(axes, scene.stones)
    board = figure.add_axes((0.02, 0.85, 0.96, 0.14))
    board.set(xlim=(0.0, SIZE[0] * 0.96), ylim=(0.0, SIZE[1] * 0.14), aspect="equal")
    board.axis("off")
    _draw_board(board, scene)


def extent(sheet: Sheet) -> tuple[float, float]:
    """The y between which a sheet is shown, m."""
    return sheet.hog_line - BEFORE_HOG, sheet.back_line + BEHIND_BACK


def draw_ice(axes: Any, sheet: Sheet, pen: float = 1.0) -> None:
    """Fit empty axes to a sheet and draw its lines and rings; `pen` is a factor of all widths of lines, as below."""
    from matplotlib.patches import Circle, Rectangle

    (near, far), side = extent(sheet), sheet.half_width
    axes.set(xlim=(near - 0.02, far + 0.02), ylim=(side + 0.02, -side - 0.02), aspect="equal")
    axes.axis("off")
    ice = Rectangle((near, -side), far - near, 2.0 * side, facecolor=ICE, edgecolor=LINE, linewidth=1.2 * pen)
    axes.add_artist(ice)
    for share, colour in RINGS:
        place, radius = (sheet.tee, 0.0), share * sheet.house_radius
        axes.add_artist(Circle(place, radius, facecolor=colour, edgecolor=LINE, linewidth=0.8 * pen))
    lines = {"color": LINE, "linewidth": 1.0 * pen, "zorder": 2}
    axes.plot((near, far), (0.0, 0.0), **lines)
    axes.vlines((sheet.tee, sheet.back_line), -side, side, **lines)
    axes.plot([sheet.hog_line] * 2, (-side, side), color=HOG, linewidth=4.0 * pen, solid_capstyle="butt", zorder=2)


def moved(paths: Array) -> Iterator[tuple[int, Array]]:
    """The row and the way, [t, 2], of each stone that moved on the paths, [T, 16, 2]."""
    for i in range(paths.shape[1]):
        way = paths[~np.isnan(paths[:, i, 0]), i]
        if len(way) and np.abs(way - way[0]).max() >= 1e-3:
            yield i, way


def draw_paths(axes: Any, sheet: Sheet, paths: Array, pen: float = 1.0) -> None:
    """The way of each stone that moved, and a ring where a struck stone lay."""
    from matplotlib.patches import Circle

    near, _ = extent(sheet)
    ring = {"fill": False, "edgecolor": INK, "linestyle": ":", "linewidth": 1.2 * pen, "zorder": 3}
    for i, way in moved(paths):
        if way[0, 1] >= near:
            axes.add_artist(Circle((way[0, 1], way[0, 0]), STONE_RADIUS, **ring))
        x, y = way[way[:, 1] >= near].T
        for width, colour, alpha in ((3.6, INK, 0.35), (2.2, TEAMS[i // TEAM_STONES], 1.0)):
            axes.plot(y, x, color=colour, alpha=alpha, linewidth=width * pen, solid_capstyle="round", zorder=3)


def draw_rests(axes: Any, paths: Array, pen: float = 1.0) -> None:
    """A ring where each stone that moved comes to rest."""
    from matplotlib.patches import Circle

    for i, _ in moved(paths):
        x, y = paths[-1, i]
        for width, ink in ((4.5, INK), (2.6, TEAMS[i // TEAM_STONES])):
            ring = {"facecolor": "white", "edgecolor": ink, "linewidth": width * pen, "zorder": 6}
            axes.add_artist(Circle((y, x), STONE_RADIUS, **ring))


def draw_stones(axes: Any, stones: Array, radius: float = STONE_RADIUS, pen: float = 1.0) -> None:
    """The stones that are present of [16, 2]."""
    for i in np.flatnonzero(present(stones)):
        x, y = stones[i]
        _draw_stone(axes, (y, x), radius, TEAMS[i // TEAM_STONES], pen)


def _draw_stone(axes: Any, centre: tuple[float, float], radius: float, colour: str, pen: float = 1.0) -> None:
    """A stone at a place of the axes, which on a sheet is (y, x)."""
    from matplotlib.patches import Circle

    # add_artist, here and above: add_patch would also fit the limits of the axes, which takes half of the time
    axes.add_artist(Circle(centre, radius, facecolor=GRANITE, edgecolor=INK, linewidth=1.0 * pen, zorder=4))
    axes.add_artist(Circle(centre, 0.66 * radius, facecolor=colour, edgecolor=INK, linewidth=0.6 * pen, zorder=5))


def _draw_board(board: Any, scene: Scene) -> None:
    """Score, hammer, and the stones that are left to throw."""
    from matplotlib.patches import Circle

    (_, width), (_, height) = board.get_xlim(), board.get_ylim()
    for team, side in ((0, 1.0), (1, -1.0)):
        edge = 0.0 if team == 0 else width
        _draw_stone(board, (edge + side * 0.36, 0.52 * height), 0.3, TEAMS[team])
        has_hammer = scene.hammer == team
        name = f"team {team}, {NAMES[team]}" + ("  \N{BULLET}  hammer" if has_hammer else "")
        style = {"fontsize": 13, "fontweight": "bold" if has_hammer else "normal", "color": INK, "va": "center"}
        board.text(edge + side * 0.82, 0.72 * height, name, ha="left" if team == 0 else "right", **style)
        for k in range(TEAM_STONES):
            place, colour = (edge + side * (0.92 + 0.24 * k), 0.3 * height), TEAMS[team]
            left = colour if k < scene.left[team] else "white"
            board.add_artist(Circle(place, 0.09, edgecolor=FAINT, linewidth=0.8, facecolor=left))
        middle = {"ha": "center", "va": "center", "color": INK}
        points, x = str(scene.points[team]), width / 2.0 - side * 0.45
        board.text(x, 0.62 * height, points, fontsize=34, fontweight="bold", **middle)
    board.text(width / 2.0, 0.66 * height, ":", fontsize=28, **middle | {"color": FAINT})
    board.text(width / 2.0, 0.1 * height, scene.caption, fontsize=12, **middle)
