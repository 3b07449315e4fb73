"""A Go board from above."""

from typing import Any

import numpy as np

from bonspiel.envs.draw import INK
from bonspiel.go.model import Go
from bonspiel.go.state import LAST
from bonspiel.go.vertices import COLUMNS
from bonspiel.planners.model import Array

WOOD, LINE, MARK = "#e3b873", "#5d4527", "#c8372d"
STONES = {1: "#1c1f22", -1: "#fbfaf5"}
RADIUS = 0.47  # of a stone, in distances between lines


def star_points(size: int) -> list[tuple[int, int]]:
    """(row, column) of the points that boards mark."""
    edge = 2 if size < 13 else 3
    lines = [edge, size // 2, size - 1 - edge] if size % 2 else [edge, size - 1 - edge]
    if size < 8:
        return [(size // 2, size // 2)] if size % 2 else []
    middle = size // 2
    wanted = [(row, column) for row in lines for column in lines]
    return wanted if size >= 13 else [point for point in wanted if (point[0] == middle) == (point[1] == middle)]


def draw_board(figure: Any, model: Go, state: Array, title: str, caption: str) -> None:
    """Draw a position on an empty matplotlib figure; the last move is marked."""
    size = model.size
    figure.set_size_inches(6.0, 6.4)
    figure.text(0.05, 0.955, title, fontsize=15, fontweight="bold", va="center", color=INK)
    figure.text(0.95, 0.955, caption, fontsize=12, ha="right", va="center", color=INK)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.9))
    axes.set(xlim=(-1.3, size + 0.3), ylim=(size + 0.3, -1.3), aspect="equal")
    axes.axis("off")
    axes.fill([-0.6, size - 0.4, size - 0.4, -0.6], [-0.6, -0.6, size - 0.4, size - 0.4], color=WOOD)
    for line in range(size):
        axes.plot([0, size - 1], [line, line], color=LINE, linewidth=0.9, zorder=1)
        axes.plot([line, line], [0, size - 1], color=LINE, linewidth=0.9, zorder=1)
        axes.text(line, size - 0.05, COLUMNS[line], ha="center", va="center", color=INK, fontsize=9)
        axes.text(-0.95, line, str(size - line), ha="center", va="center", color=INK, fontsize=9)
    for row, column in star_points(size):
        axes.add_patch(_circle((column, row), 0.1, LINE, LINE))
    for index in np.flatnonzero(state[: model.area]):
        row, column = divmod(int(index), size)
        axes.add_patch(_circle((column, row), RADIUS, STONES[int(state[index])], STONES[1]))
    last = int(state[model.area + LAST])
    if 0 <= last < model.area:
        row, column = divmod(last, size)
        axes.add_patch(_circle((column, row), 0.16, MARK, MARK))


def _circle(centre: tuple[float, float], radius: float, colour: str, edge: str) -> Any:
    from matplotlib.patches import Circle  # when a picture is first asked for

    return Circle(centre, radius, facecolor=colour, edgecolor=edge, linewidth=0.8, zorder=2)
