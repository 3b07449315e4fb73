"""`bonspiel strength`: a chart of a planner's win rate against its time a shot, from the folders of matches."""

import json
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from curling import record
from runs.curling.game import Side
from runs.experiment import UsageError
from runs.files import check_writable, writing
from runs.games.ratings import wilson
from runs.games.standings import pairing
from runs.games.tournament import FILE, RECORDS
from runs.progress import counted
from runs.reporting.chart import COLOURS, GREY, MARKERS, STYLE, UNITS, apart
from runs.statistics.curves import Panel, table
from runs.statistics.sample import Summary


def against(folder: Path, opponent: int) -> Summary:
    """How the first planner of a match fared against another, over all pairs of games that are over.

    Raises:
        ValueError: a file is no record.
    """

    def file(index: int) -> Path:
        return folder / RECORDS / f"1-{opponent + 1}-{index:05d}.jsonl"

    indices = sorted(int(path.stem[-5:]) for path in (folder / RECORDS).glob(f"1-{opponent + 1}-*.jsonl"))
    paired = [index for index in indices if index ^ 1 in indices]
    values = pairing(0, opponent, [record.read(file(index)) for index in paired]).values
    if not values:
        return Summary(0, *[float("nan")] * 4)
    rate = wilson(sum(values), len(values))
    return Summary(len(values), *rate, float("nan"))


def panel(folders: Sequence[Path]) -> Panel:
    """The curves of the first planner, one for each opponent and kind of match.

    Raises:
        UsageError: a folder holds no match, or the matches do not belong in one chart.
    """
    found = [(folder, *_match(folder)) for folder in folders]
    first, unit = found[0][1][0].planner, found[0][1][0].unit
    kinds = {_kind(match) for _, _, match in found}
    curves: dict[str, list[tuple[float, Summary]]] = {}
    for folder, sides, match in found:
        if (sides[0].planner, sides[0].unit) != (first, unit):
            raise UsageError(
                f"{folder} is about {sides[0].planner} by {sides[0].unit}, {folders[0]} about {first} by "
                f"{unit}: give matches of the same first planner"
            )
        for number, side in enumerate(sides[1:], 1):
            label = side.planner if side[1:] == sides[0][1:] else f"{side.planner}, {side.allowance}"
            curve = curves.setdefault(f"{label} ({_kind(match)})" if len(kinds) > 1 else label, [])
            if sides[0].budget in dict(curve):
                raise UsageError(f"{folder} is the second match against {label} at {sides[0].allowance}: give one")
            try:
                summary = against(folder, number)
            except (ValueError, OSError) as error:
                raise UsageError(str(error)) from error
            if summary.n:
                curve.append((sides[0].budget, summary))
    full = {label: sorted(curve, key=lambda point: point[0]) for label, curve in curves.items() if curve}
    if not full:
        raise UsageError(f"{folders[0]} holds no pair of games that is over; go on with `bonspiel match ... --resume`")
    return Panel(f"{first}, {kinds.pop()}" if len(kinds) == 1 else first, unit, full)


def _match(folder: Path) -> tuple[list[Side], dict[str, Any]]:
    """The planners and the match of a folder."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return [Side(*side) for side in found["sides"]], dict(found["match"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        damaged = (folder / FILE).exists()
        reason = f"{FILE} cannot be read as one" if damaged else f"no {FILE}"
        raise UsageError(f"{folder} holds no match ({reason}); bonspiel match writes them") from error


def _kind(match: dict[str, Any]) -> str:
    """What is played, in short."""
    noise = match["noise"] if isinstance(match["noise"], str) else "custom"
    return f"{counted(match['ends'], 'end')}, {match['physics']}, {noise} noise"


def draw(curves: Panel) -> Figure:
    """The chart: win rate with Wilson's 95 % interval against budget."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.axhline(0.5, color=GREY, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1.5)
        budgets = curves.budgets
        for place, ((label, curve), colour, marker) in enumerate(
            zip(curves.curves.items(), cycle(COLOURS[1:]), cycle(MARKERS[1:]), strict=False)
        ):
            shift = apart(place, len(curves.curves))
            means = [summary.mean for _, summary in curve]
            reach = [
                [summary.mean - summary.low for _, summary in curve],
                [summary.high - summary.mean for _, summary in curve],
            ]
            axes.errorbar(
                [budget * shift for budget, _ in curve],
                means,
                reach,
                label=label,
                color=colour,
                marker=marker,
                markersize=6,
                linewidth=1.5,
                capsize=3.5,
                elinewidth=1.2,
                zorder=3,
            )
        axes.set(
            xscale="log",
            xlabel=UNITS[curves.unit].replace("decision", "shot"),
            ylabel="win rate, 95 % interval",
            ylim=(-0.02, 1.02),
        )
        axes.set_title(curves.env, loc="left")
        axes.xaxis.set_major_locator(FixedLocator(budgets))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda budget, _: f"{budget:,g}"))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlim(budgets[0] / 1.5, budgets[-1] * 1.5)
        figure.legend(
            title="against",
            loc="outside lower left",
            alignment="left",
            ncols=3 if max(map(len, curves.curves)) < 30 else 1,
        )
    return figure


def main(folders: Sequence[Path], out: Path) -> int:
    """Print the table of some matches and draw their chart as PNG and as SVG.

    Args:
        folders: of `bonspiel match`, with the same first planner.
        out: the chart's file; the SVG has the same name with .svg.

    Raises:
        UsageError: as for `panel`, or the chart cannot be written.
    """
    check_writable(out, (".png", ".svg"))
    found = panel(folders)
    games = [summary.n for curve in found.curves.values() for _, summary in curve]
    print(
        f"{found.env}: win rate [Wilson's 95 % interval], {min(games)} to {max(games)} games each\n\n"
        f"{table(found).replace('| planner', '| against', 1)}\n"
    )
    figure, paths = draw(found), (out.with_suffix(".png"), out.with_suffix(".svg"))
    with writing(out), matplotlib.rc_context(STYLE):
        figure.savefig(paths[0], metadata={"Software": "bonspiel"})
        figure.savefig(paths[1], metadata={"Date": None, "Creator": "bonspiel"})
    print(*paths, sep="\n")
    return 0
