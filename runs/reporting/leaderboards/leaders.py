"""Score against simulations: a panel for each problem, with the leaders in colour before all others in grey."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from bonspiel.runs.reporting.chart import UNITS
from bonspiel.runs.reporting.drawing import grid, label_budgets, styled
from bonspiel.runs.reporting.leaderboards.boards import Findings
from bonspiel.runs.reporting.leaderboards.multiples import BEHIND, TITLE
from bonspiel.runs.reporting.styles import GREY, Style, of_planners
from bonspiel.runs.statistics.ranks import Leaderboard
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.statistics.scale import CONSTANT
from bonspiel.runs.tables import fold

COLUMNS = 4, 3  # of panels: the number that leaves fewer places empty
LEADERS = 3  # at each budget
ALL = "mean of the problems"
MOST_IN_A_ROW = 5  # names in the legend
LOWEST = -0.1  # scores below it lie outside the panels

Points = list[tuple[float, Interval]]  # (simulations, score)


def leaders(boards: Sequence[Leaderboard]) -> list[str]:
    """Planners among the first LEADERS in the mean score at any budget, the best at the largest first."""
    found = {one.planner for board in boards for one in board.standings[:LEADERS]}
    return [one.planner for one in boards[-1].standings if one.planner in found]


def draw(found: Findings) -> Figure:
    """The figure of the leaderboards in simulations, of which there must be one."""
    boards = [board for board in found.boards if board.unit == "simulations"]
    panels = {ALL: _points(boards)} | {env: _points(boards, env) for env in found.problems}
    constants = _constants(found)
    ahead = leaders(boards)
    styles = of_planners(ahead)
    columns = min(len(panels), min(COLUMNS, key=lambda count: -len(panels) % count))
    rows = -(-len(panels) // columns)
    layout = ConstrainedLayoutEngine(w_pad=0.05, h_pad=0.05)
    with styled((2.6 * columns, 2.2 * rows + 0.9), layout=layout) as figure:
        axes = grid(figure, len(panels), columns, sharex=True, sharey=True)
        for (name, curves), panel in zip(panels.items(), axes.flat, strict=False):
            _panel(panel, found.heads.get(name, name), curves, styles)
            if name in constants:
                panel.axhline(
                    constants[name], color=GREY, lw=0.9, ls=(0, (4, 1, 1, 1)), zorder=1, label=f"best {CONSTANT}"
                )
        first = axes[0, 0]
        first.set(xscale="log", ylim=(LOWEST, 1.08))
        label_budgets(first, [board.budget for board in boards])
        figure.supylabel("mean score, 95 % interval", fontsize=9)
        figure.supxlabel(UNITS["simulations"], fontsize=9)
        handles = dict(zip(*reversed(first.get_legend_handles_labels()), strict=True))
        shown = [name for name in (*ahead, f"best {CONSTANT}") if name in handles]
        wide = len(shown) if len(shown) <= MOST_IN_A_ROW else -(-len(shown) // 2)
        figure.legend(
            [handles[name] for name in shown], shown, loc="outside upper center", ncols=wide, handlelength=3.2
        )
    return figure


def _constants(found: Findings) -> dict[str, float]:
    """The scores of the best constant action in the problems where it is known, and their mean if it is in all."""
    known = {
        env: float(scale.scores(scale.constant)) for env, scale in found.problems.items() if scale.constant is not None
    }
    return known | ({ALL: float(np.mean([*known.values()]))} if len(known) == len(found.problems) else {})


def _points(boards: Sequence[Leaderboard], env: str | None = None) -> Mapping[str, Points]:
    """The curve of each planner in a problem, or in the mean of all."""
    curves: dict[str, Points] = {}
    for board in boards:
        for one in board.standings:
            score = one.score if env is None else one.scores[env]
            curves.setdefault(one.planner, []).append((board.budget, score))
    return curves


def _panel(axes: Axes, title: str, curves: Mapping[str, Points], styles: Mapping[str, Style]) -> None:
    for name, points in curves.items():
        budgets, scores = zip(*points, strict=True)
        values, low, high = zip(*scores, strict=True)
        if name in styles:
            style = styles[name]
            look = style.look(6.5 if style.marker == "*" else 4.2)
            axes.plot(budgets, values, lw=1.4, zorder=4, label=name, gid=name, **look)
            axes.vlines(budgets, low, high, color=style.colour, lw=1.0, zorder=3)
        else:
            axes.plot(budgets, values, color=BEHIND, lw=0.7, marker="o", ms=1.8, zorder=2)
    axes.set_title("\n".join(fold(title, TITLE)), loc="left", fontsize=9)
    axes.tick_params(labelsize=8, labelcolor=GREY)
