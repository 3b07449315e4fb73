"""`bonspiel strength`: a chart of a planner's win rate against its budget, from the folders of matches."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import check_writable, writing
from bonspiel.runs.games.game import CLOCK
from bonspiel.runs.games.match import read_pairs
from bonspiel.runs.games.ratings import wilson
from bonspiel.runs.games.standings import score
from bonspiel.runs.games.tournament import Tournament, read_tournament
from bonspiel.runs.reporting.chart import UNITS, apart, in_legend
from bonspiel.runs.reporting.drawing import label_budgets, save_figure, styled
from bonspiel.runs.reporting.styles import GREY, of_planners
from bonspiel.runs.statistics.curves import Panel, table
from bonspiel.runs.statistics.sample import Summary

NAN = float("nan")
BUDGETS = UNITS | {CLOCK: "clock of a game in seconds"}
PICTURES = ".png", ".svg"
BARS: Any = {"linewidth": 1.5, "capsize": 3.5, "elinewidth": 1.2, "zorder": 3}


def against(folder: Path, tournament: Tournament, opponent: int) -> Summary:
    """The win rate of a match's first planner against another, over all complete pairs of games."""
    try:
        games = [game for _, game in read_pairs(folder, tournament, (0, opponent))]
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error
    values = score(0, opponent, games).values
    rate = wilson(sum(values), len(values)) if values else (NAN, NAN, NAN)
    return Summary(len(values), *rate, NAN)


def panel(folders: Sequence[Path]) -> Panel:
    """The curves of the first planner, one for each opponent and kind of game."""
    found = [(folder, read_tournament(folder)) for folder in folders]
    first, _, unit = found[0][1].sides[0]
    titles = {repr(tournament.game): tournament.game.title for _, tournament in found}
    if len(set(titles.values())) < len(titles):  # what differs is in their texts
        titles = {repr(tournament.game): tournament.name for _, tournament in found}
    curves: dict[str, list[tuple[float, Summary]]] = {}
    for folder, tournament in found:
        planner, budget, of = tournament.sides[0]
        if (planner, of) != (first, unit):
            other = f"{folders[0]} about {first} by {unit}: give matches of the same first planner"
            raise UsageError(f"{folder} is about {planner} by {of}, {other}")
        for number, side in enumerate(tournament.sides[1:], 1):
            label = side.planner if side[1:] == (budget, of) else f"{side.planner}, {side.allowance}"
            if len(titles) > 1:
                label += f" ({titles[repr(tournament.game)]})"
            curve = curves.setdefault(label, [])
            if budget in dict(curve):
                raise UsageError(f"{folder} is the second match against {label} at {budget:g} {unit}: give one")
            summary = against(folder, tournament, number)
            if summary.n:
                curve.append((budget, summary))
    full = {label: sorted(curve, key=lambda point: point[0]) for label, curve in curves.items() if curve}
    if not full:
        raise UsageError(f"{folders[0]} holds no finished pair of games; continue with `bonspiel match ... --resume`")
    return Panel(f"{first}, {found[0][1].game.title}" if len(titles) == 1 else first, unit, full)


def draw(curves: Panel) -> Figure:
    """The chart: win rate with Wilson's 95 % interval against budget."""
    with styled((7.2, 4.8), layout="constrained") as figure:
        axes = figure.add_subplot()
        axes.axhline(0.5, color=GREY, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1.5)
        budgets = curves.budgets
        styles = of_planners(curves.curves)
        for place, (label, curve) in enumerate(curves.curves.items()):
            shift = apart(place, len(curves.curves))
            x = [shift * budget for budget, _ in curve]
            low, mean, high = np.array([(found.low, found.mean, found.high) for _, found in curve]).T
            look = styles[label].look(6) | BARS
            axes.errorbar(x, mean, (mean - low, high - mean), label=in_legend(label), **look)
        axes.set(xscale="log", xlabel=BUDGETS[curves.unit], ylabel="win rate, 95 % interval", ylim=(-0.02, 1.02))
        axes.set_title(curves.env, loc="left")
        label_budgets(axes, budgets)
        axes.set_xlim(budgets[0] / 1.5, budgets[-1] * 1.5)
        columns = 3 if max(map(len, curves.curves)) < 30 else 1
        figure.legend(title="against", loc="outside lower left", alignment="left", ncols=columns)
    return figure


def main(folders: Sequence[Path], out: Path) -> int:
    """Print the table of matches with the same first planner, draw their chart as PNG and as SVG."""
    check_writable(out, PICTURES)
    found = panel(folders)
    games = [summary.n for curve in found.curves.values() for _, summary in curve]
    print(f"{found.env}: win rate [Wilson's 95 % interval], {min(games)} to {max(games)} games each\n")
    print(f"{table(found).replace('| planner', '| against', 1)}\n")
    figure = draw(found)
    with writing(out):
        paths = save_figure(figure, out)
    print(*paths, sep="\n")
    return 0
