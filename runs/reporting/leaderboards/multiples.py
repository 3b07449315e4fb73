"""Small multiples: a panel for each planner, with its own curve before those of all others in grey."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import LogLocator, NullLocator

from bonspiel.planners.model import Array
from bonspiel.runs.reporting.drawing import PLAIN, grid, styled
from bonspiel.runs.reporting.styles import BLUE, GREY
from bonspiel.runs.tables import fold

COLUMNS = 6
BEHIND, BEFORE = "#c4c4c4", BLUE
TITLE = 26  # characters in a line of a panel's title
ROOM = 1.6  # factor left and right of the points of a logarithmic axis, so that small differences do not look large


class Curve(NamedTuple):
    """A planner's curve with its band; every array is [points]."""

    x: Array
    y: Array
    low: Array
    high: Array


def draw(curves: Mapping[str, Curve], x: str, y: str, note: str, *, log: bool) -> Figure:
    """The figure of the curves, whose panels share their axes; with a band, or markers and bars if x is `log`."""
    columns = min(COLUMNS, len(curves))
    rows = -(-len(curves) // columns)
    layout = ConstrainedLayoutEngine(w_pad=0.04, h_pad=0.05)
    with styled((max(1.75 * columns, 5.0), 1.75 * rows + 0.7), layout=layout) as figure:
        axes = grid(figure, len(curves), columns, sharex=True, sharey=True)
        for name, panel in zip(curves, axes.flat, strict=False):
            _panel(panel, name, curves, log=log)
        for panel in axes.flat[max(0, len(curves) - columns) : len(curves)]:
            panel.tick_params(labelbottom=True)
        if log:
            axes[0, 0].set_xscale("log")
            least, most = (
                extreme(np.concatenate([curve.x for curve in curves.values()])) for extreme in (np.min, np.max)
            )
            axes[0, 0].set_xlim(least / ROOM, most * ROOM)
            subs = (1.0,) if most > 10.0 * least else (1.0, 2.0, 5.0)
            axes[0, 0].xaxis.set(
                major_locator=LogLocator(subs=subs), major_formatter=PLAIN, minor_locator=NullLocator()
            )
        figure.supylabel(y, fontsize=9)
        figure.supxlabel(f"{x}\n{note}", fontsize=9)
    return figure


def _panel(axes: Axes, name: str, curves: Mapping[str, Curve], *, log: bool) -> None:
    for other, curve in curves.items():
        if other != name:
            axes.plot(curve.x, curve.y, color=BEHIND, lw=0.7, zorder=2, **_marks(log, 2.0))
    x, y, low, high = curves[name]
    axes.plot(x, y, color=BEFORE, lw=1.6, zorder=4, gid=name, **_marks(log, 4.2))
    if log:
        axes.vlines(x, low, high, color=BEFORE, lw=1.0, zorder=3)
    else:
        axes.fill_between(x, low, high, color=BEFORE, alpha=0.25, linewidth=0, zorder=3)
    axes.set_title("\n".join(fold(name, TITLE)), loc="left", fontsize=9)
    axes.tick_params(labelsize=8, labelcolor=GREY)


def _marks(shown: bool, size: float) -> dict[str, Any]:
    return {"marker": "o", "ms": size} if shown else {}
