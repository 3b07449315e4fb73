"""The page of a leaderboard: charts and tables of all problems together."""

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from plotly.offline import get_plotlyjs

from bonspiel.runs.reporting import charts, page, tables
from bonspiel.runs.reporting.charts import Figures, budget_choice, image, legend, numbers
from bonspiel.runs.reporting.drawing import svg
from bonspiel.runs.reporting.leaderboards import ranks_diagram
from bonspiel.runs.reporting.leaderboards.boards import MODEL_STEPS, Findings, Rows, Value, title
from bonspiel.runs.reporting.leaderboards.multiples import ROOM
from bonspiel.runs.reporting.tables import NOTHING, Cell
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.ranks import THRESHOLDS, Leaderboard
from bonspiel.runs.statistics.sample import Interval

MOST_BANDS = 6  # more hide each other
ALL = "all problems"  # where the page's scripts expect an environment


def text(store: Store, found: Findings) -> str:
    """The whole page."""
    figures = Figures()
    labels = {one.planner: one.planner for board in found.boards for one in board.standings}
    looks = charts.looks(labels)
    drawn = "".join(_charts(found, unit, figures) for unit in dict.fromkeys(board.unit for board in found.boards))
    missing = "".join(f'<p class="bad">{escape(line)}</p>' for line in found.unranked)
    sections = (
        f'<section class="env" data-env="{ALL}"><h2 id="all">All problems</h2>{missing}'
        f'<p class="muted">{escape(found.scale_sentence)} {SAID}</p>{legend(looks)}{drawn}</section>'
    )
    links = [("all", ALL)]
    for place, board in enumerate(found.boards):
        sections += f'<section><h2 id="board{place}">{escape(title(board))}</h2>{_board(found, board)}</section>'
        links.append((f"board{place}", title(board)))
    if found.runs:
        told = _table("Where the planners' runs are from", found.runs, "runs")
        sections += (
            f'<section><h2 id="runs">Runs</h2>{told}<p class="muted">Made by {escape(found.made)}.</p></section>'
        )
        links.append(("runs", "runs"))
    data = {"charts": figures.data, "looks": {ALL: looks}}
    name = f"{store.suite.name}: leaderboard"
    return page.fill(store, sections, links, list(found.problems), "", data, get_plotlyjs(), name)


SAID = (
    "Every problem has the same weight. Bars and bands are 95 % intervals of episodes resampled within each problem. "
    "Model steps were counted in first decisions of the run; a planner is left out where they cannot be counted. "
    f"Take planners out of the charts by the buttons: bands are drawn for {MOST_BANDS} planners at most."
)


def _charts(found: Findings, unit: str, figures: Figures) -> str:
    boards = [board for board in found.boards if board.unit == unit]
    labels = {one.planner: one.planner for board in boards for one in board.standings}
    budgets = [board.budget for board in boards]
    against = _steps(found) if unit == "simulations" and found.charted else None
    drawn = figures.block(ALL, unit, labels, [against, _profiles(boards)])
    choice = budget_choice(ALL, unit, budgets, budgets[-1])
    return f'<section class="unit"><h3>{page.UNITS[unit]}</h3>{choice}{drawn}</section>'


def _steps(found: Findings) -> dict[str, Any]:
    series = []
    for planner, points in found.charted.items():
        *drawn, episodes = zip(*points, strict=True)
        lines = dict(zip(("x", "y", "low", "high"), map(numbers, drawn), strict=True))
        series.append({"planner": planner, **lines, "n": episodes})
    every = [x for points in found.charted.values() for x, *_ in points]
    ends = [min(every) / ROOM, max(every) * ROOM]
    leading = (1, 1.5, 2, 3, 5, 7) if ends[1] < 10 * ends[0] else (1, 3)
    decades = range(math.floor(math.log10(ends[0])), math.ceil(math.log10(ends[1])))
    ticks = [digit * 10.0**decade for decade in decades for digit in leading]
    axes = {"x": f"{MODEL_STEPS}, mean over the problems", "y": "mean normalised score", "ticks": ticks, "range": ends}
    facts = {"kind": "curve", "title": "Score against model steps", "unit": MODEL_STEPS, "most_bands": MOST_BANDS}
    return {**facts, **axes, "series": series}


def _profiles(boards: Sequence[Leaderboard]) -> dict[str, Any]:
    budgets = {}
    for board in boards:
        series = []
        for one in board.standings:
            lines = dict(zip(("y", "low", "high"), map(numbers, one.profile), strict=True))
            series.append({"planner": one.planner, "n": one.episodes, **lines})
        budgets[f"{board.budget:g}"] = series
    tau = "\N{GREEK SMALL LETTER TAU}"
    axes = {"x": f"normalised score of an episode, {tau}", "y": f"share of episodes above {tau}"}
    facts = {
        "kind": "profile",
        "title": "Performance profile",
        "most_bands": MOST_BANDS,
        **axes,
        "at": numbers(THRESHOLDS),
    }
    return {**facts, "budgets": budgets}


def _board(found: Findings, board: Leaderboard) -> str:
    first = board.standings[0].planner
    caption = f"Normalised scores with {title(board)} [95 % interval]; P(> {first}) is the probability of improvement"
    key = f"{board.unit}|{board.budget:g}"
    shown = _table(caption, found.standings(board, bands=True), f"leaderboard|{key}")
    what, costs = found.cost_rows(board)
    said = "".join(f'<p class="muted">{escape(sentence)}</p>' for sentence in found.facts(board))
    names = {one.planner: one.planner for one in board.standings}
    chances = {pair: Interval(chance, math.nan, math.nan) for pair, chance in board.improvement.items()}
    words = f"Probability of improvement, row over column, with {title(board)}, mean over the problems"
    return (
        f"{shown}{said}{_ranks(board)}{_table(f'{what} with {title(board)}', costs, f'costs|{key}')}"
        f"{tables.of_improvement(names, chances, words, key)}"
    )


def _table(caption: str, rows: Rows, name: str) -> str:
    head, *body = rows
    return tables.table(caption, [str(one) for one in head], ([*map(_cell, row)] for row in body), name)


def _cell(value: Value) -> Cell:
    if isinstance(value, str):
        return tables.text(value)
    if isinstance(value, Interval):
        return tables.estimate(value)
    return tables.number(*value) if math.isfinite(value[0]) else NOTHING


def _ranks(board: Leaderboard) -> str:
    if math.isnan(board.critical):
        return ""
    words = "Mean ranks; bars join planners between which no difference is shown"
    return image(words, svg(ranks_diagram.draw(board)))
