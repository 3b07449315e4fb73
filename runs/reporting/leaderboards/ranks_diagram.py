"""The diagram of mean ranks with their critical difference (Demsar 2006, figure 1)."""

import math

from matplotlib.figure import Figure

from bonspiel.runs.reporting.drawing import styled
from bonspiel.runs.reporting.leaderboards.boards import title
from bonspiel.runs.reporting.styles import GREY, INK
from bonspiel.runs.statistics.ranks import Leaderboard, cliques

ROW, BAR = 0.22, 0.13  # inches for a planner's line and for a bar


def draw(board: Leaderboard) -> Figure:
    """Planners at their mean ranks, named at the sides; bars join groups within which no difference is shown."""
    order = sorted(board.standings, key=lambda one: one.rank)
    ranks, k = [one.rank for one in order], len(order)
    bars, half = cliques(ranks, board.critical), (len(order) + 1) // 2
    head, below = 0.75, BAR * len(bars) + 0.15
    height = head + below + ROW * half + 0.1
    with styled((7.5, height)) as figure:
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        margin = 0.42 * (k - 1)  # room for the names, in ranks
        axes.set_xlim(1 - margin, k + margin)
        axes.set_ylim(-(below + ROW * half + 0.1), head)  # inches below the axis of ranks
        axes.plot([1, k], [0, 0], color=INK, lw=1)
        for rank in range(1, k + 1):
            axes.plot([rank, rank], [0, 0.06], color=INK, lw=1)
            axes.text(rank, 0.09, str(rank), ha="center", va="bottom", fontsize=8)
        end = 1 + min(board.critical, k - 1)
        axes.plot(
            [1, 1, math.nan, 1, end, math.nan, end, end], [0.37, 0.47, 0, 0.42, 0.42, 0, 0.37, 0.47], color=INK, lw=1
        )
        words = f"critical difference {board.critical:.2f}, with {title(board)}"
        axes.text(1, 0.52, words, ha="left", va="bottom", fontsize=8.5)
        for place, (first, last) in enumerate(bars):
            y = -BAR * (place + 0.8)
            axes.plot([ranks[first] - 0.05, ranks[last] + 0.05], [y, y], color=INK, lw=3, solid_capstyle="butt")
        for place, one in enumerate(order):
            left = place < half
            y = -(below + ROW * (place if left else k - 1 - place) + 0.5 * ROW)
            side = 1 - 0.02 * k if left else k + 0.02 * k
            axes.plot([one.rank, one.rank, side], [0, y, y], color=GREY, lw=0.8, zorder=1)
            words = f"{one.planner}  {one.rank:.2f}" if left else f"{one.rank:.2f}  {one.planner}"
            axes.text(side, y, f" {words} ", ha="right" if left else "left", va="center", fontsize=8.5)
    return figure
