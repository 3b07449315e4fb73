"""The page on sensitivity: for each family small charts of scores against its parameters, and tables."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from bonspiel.runs.reporting import chart, page, tables
from bonspiel.runs.reporting.charts import image
from bonspiel.runs.reporting.drawing import grid, save_figure, styled
from bonspiel.runs.reporting.styles import GREY, Style, of_planners
from bonspiel.runs.results.store import Count, Store
from bonspiel.runs.sensitivity.variations import Sensitivity, Variation
from bonspiel.runs.statistics.split_half import FAMILY
from bonspiel.runs.tables import estimate, markdown

COLUMNS = 4  # charts side by side
LOWEST = -1.0  # score drawn; a planner far worse than doing nothing would flatten all others
SHORT = 24  # characters of planners' names that stand side by side
SAID = (
    "Score 0 is the better of doing nothing and random actions, 1 the optimum. Every chart varies one parameter, while "
    "all others have their defaults; a dotted line marks its own. Points are means over instances. Bands are 95 % "
    "bootstrap intervals from resampled instances, the same ones for all planners; with few instances they are too "
    f"narrow. Charts end at the score {LOWEST:g}."
)


def write(store: Store, found: Sequence[Sensitivity]) -> list[Path]:
    """Write sensitivity.html, sensitivity.md and a chart of each family into the run's folder; returns their paths."""
    charts = {}
    for family, of_family in by_family(found):
        file = store.folder / f"sensitivity-{family.removeprefix(FAMILY)}"
        charts[family] = save_figure(draw(of_family), file)
    paths = [store.folder / f"sensitivity.{ending}" for ending in ("html", "md")]
    paths[0].write_text(html(store, found, {family: svg.read_bytes() for family, (_, svg) in charts.items()}), "utf-8")
    paths[1].write_text(text(store, found, {family: png.name for family, (png, _) in charts.items()}), "utf-8")
    return [*paths, *(path for of_family in charts.values() for path in of_family)]


def by_family(found: Sequence[Sensitivity]) -> Iterator[tuple[str, list[Sensitivity]]]:
    """The families with their parameters."""
    for family, group in groupby(found, lambda one: one.variation.family):
        yield family, list(group)


def draw(found: Sequence[Sensitivity]) -> Figure:
    """The figure of a family: a chart for each parameter, which share the axis of scores."""
    columns = min(COLUMNS, len(found))
    rows = -(-len(found) // columns)
    looks = of_planners(dict.fromkeys(name for one in found for name in one.scores))
    size = max(2.3 * columns, 4.0), 2.0 * rows + 0.2 * len(looks) + 0.3
    with styled(size, layout=ConstrainedLayoutEngine(w_pad=0.05, h_pad=0.05)) as figure:
        axes = grid(figure, len(found), columns, sharey=True)
        for one, panel in zip(found, axes.flat, strict=False):
            _panel(panel, one, looks)
        axes[0, 0].set_ylim(*_limits(found))
        figure.supylabel("mean score, 95 % interval", fontsize=9)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        beside = COLUMNS if max(map(len, labels)) <= SHORT else 1
        figure.legend(handles, labels, loc="outside upper left", handlelength=3.2, ncols=beside)
    return figure


def _limits(found: Sequence[Sensitivity]) -> tuple[float, float]:
    """Ends of the axis of scores, which has 0 and 1 on it."""
    every = [end for one in found for scores in one.scores.values() for score in scores.values() for end in score]
    low, high = max(np.nanmin([0.0, *every]), LOWEST), np.nanmax([1.0, *every])
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _panel(axes: Axes, found: Sensitivity, looks: dict[str, Style]) -> None:
    of = found.variation
    for name, look in looks.items():
        scores = found.scores[name]
        points = [(place, *scores[value]) for place, value in enumerate(of.values) if value in scores]
        x, y, low, high = np.array(points).reshape(-1, 4).T
        axes.plot(x, y, lw=1.3, zorder=3, label=chart.in_legend(name), gid=name, **look.look(4.2))
        axes.fill_between(x, low, high, color=look.colour, alpha=0.16, linewidth=0, zorder=2)
    if of.default in of.values:
        axes.axvline(of.values.index(of.default), color=GREY, lw=1.0, ls=(0, (1, 1.5)), zorder=1.5)
    axes.set_title(of.parameter, loc="left", fontsize=9)
    axes.set_xticks(range(len(of.values)), [f"{value:.10g}" for value in of.values])


def state(store: Store) -> str:
    """A sentence on episodes that are missing; empty if none is."""
    done, _, failed, total = Count.of(store.counts())
    return f"{done:,} of {total:,} episodes were played, {failed:,} failed." if done < total or failed else ""


def _title(of: Variation) -> str:
    return f"{of.family}: score by {of.parameter} (default {of.default:.10g}) [95 % interval]"


def text(store: Store, found: Sequence[Sensitivity], charts: dict[str, str]) -> str:
    """The page in Markdown; `charts` are the files of the families' charts."""
    parts = ["# Sensitivity", f"{store.suite.description}.", state(store), SAID]
    for family, of_family in by_family(found):
        parts += [f"## {family}", f"![scores against the parameters of {family}]({charts[family]})"]
        for one in of_family:
            rows = [["planner", *(f"{value:.10g}" for value in one.variation.values)]]
            for name, scores in one.scores.items():
                cells = (estimate(scores[value]) if value in scores else "" for value in one.variation.values)
                rows.append([name, *cells])
            parts += [_title(one.variation), markdown(rows), " ".join(one.notes)]
    return "\n\n".join(filter(None, parts)) + "\n"


def html(store: Store, found: Sequence[Sensitivity], charts: dict[str, bytes]) -> str:
    """The page in HTML; `charts` are the families' charts as SVG."""
    sections, links, shown = f'<p class="muted">{escape(SAID)}</p>', [], []
    for place, (family, of_family) in enumerate(by_family(found)):
        drawn = image(f"Scores against the parameters of {family}", charts[family], captioned=False)
        body = "".join(map(_table, of_family))
        sections += f'<section><h2 id="family{place}">{escape(family)}</h2>{drawn}{body}</section>'
        links.append((f"family{place}", family))
        shown.append(of_family[0].variation.problem(of_family[0].variation.values[0], 1))
    missing = f'<p class="bad">{escape(told)}</p>' if (told := state(store)) else ""
    return page.fill(store, sections, links, shown, missing, title="Sensitivity")


def _table(found: Sensitivity) -> str:
    of, rows = found.variation, []
    for name, scores in found.scores.items():
        cells = [tables.estimate(scores[value]) if value in scores else tables.NOTHING for value in of.values]
        rows.append([tables.text(name), *cells])
    head = ["planner", *(f"{value:.10g}" for value in of.values)]
    said = "".join(f'<p class="muted">{escape(note)}</p>' for note in found.notes)
    return tables.table(_title(of), head, rows, f"sensitivity|{of.family}|{of.parameter}") + said
