"""Figures in one style, and their files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

STYLE: Any = matplotlib.rc_params_from_file(Path(__file__).with_name("chart.mplstyle"), use_default_template=False)
PLAIN = FuncFormatter(lambda value, _: f"{value:,g}")


@contextmanager
def styled(size: tuple[float, float], style: Any = STYLE, **given: Any) -> Iterator[Figure]:
    """A figure to draw on in the block, in a style that holds there; `given` are other arguments of `Figure`."""
    with matplotlib.rc_context(style):
        figure = Figure(size, **given)
        FigureCanvasAgg(figure)
        yield figure


def grid(figure: Figure, panels: int, columns: int, **shared: Any) -> Any:
    """Axes of some panels, [rows, columns]; places that are left over stay empty."""
    axes = figure.subplots(-(-panels // columns), columns, squeeze=False, **shared)
    for unused in axes.flat[panels:]:
        unused.set_axis_off()
    return axes


def label_budgets(axes: Axes, budgets: Sequence[float]) -> None:
    """Label only these budgets, in full."""
    axes.xaxis.set(major_locator=FixedLocator(budgets), major_formatter=PLAIN, minor_locator=NullLocator())


def save_figure(figure: Figure, file: Path) -> list[Path]:
    """Write a figure as PNG and SVG, files of one name with these endings; returns their paths."""
    paths = [file.with_suffix(".png"), file.with_suffix(".svg")]
    with matplotlib.rc_context(STYLE):
        _lay_out(figure)
        figure.savefig(paths[0], metadata={"Software": "bonspiel"})
    paths[1].write_bytes(svg(figure))
    return paths


def svg(figure: Figure) -> bytes:
    """A figure as SVG, the same bytes for the same figure."""
    buffer = BytesIO()
    with matplotlib.rc_context(STYLE):
        _lay_out(figure)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "bonspiel"})
    return buffer.getvalue()


def _lay_out(figure: Figure) -> None:
    """Place everything once for all files: savefig would do so for each, and draw twice for that."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine(None)
