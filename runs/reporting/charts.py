"""Charts of a page: their data by environment and unit of budget, and the HTML that its scripts draw on."""

import base64
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from operator import attrgetter
from typing import Any

import numpy as np

from bonspiel.planners.model import Array
from bonspiel.runs.draws import planner_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.progress import counted
from bonspiel.runs.reporting import chart, styles
from bonspiel.runs.statistics.curves import Column, Panel, columns
from bonspiel.runs.statistics.sample import histogram, performance_profile
from bonspiel.runs.statistics.scale import Scale

THRESHOLDS = 61
_NAMES = (
    "x-thin circle square triangle-up diamond star triangle-down cross x triangle-left triangle-right "
    "pentagon hexagon2 diamond-tall octagon cross-thin y-down y-up y-left y-right line-ns star-diamond "
    "star-triangle-up hexagram star-square star-triangle-down"
)
SYMBOLS = dict(zip(styles.MARKERS, _NAMES.split(), strict=True))
_DASHES = (
    *("solid", "8px,3px", "2px,2px", "8px,3px,2px,3px", "18px,5px"),
    *("8px,3px,2px,3px,2px,3px", "4px,4px", "16px,3px,5px,3px"),
)
DASHES = dict(zip(styles.LINES, _DASHES, strict=True))
ON_DARK = {"#000000": "#f2f2f2", "#0072B2": "#4a9fe0", styles.GREY: "#a5a5a5"}  # of the same hue, for a dark ground


def looks(planners: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The style of each planner, as in the chart for papers: colour, marker and line, and its label."""
    found = {}
    for text, look in styles.of_planners(planners).items():
        colours = {"colour": look.colour, "dark": ON_DARK.get(look.colour, look.colour)}
        symbol = SYMBOLS[look.marker] + ("" if look.filled else "-open")
        found[text] = {"label": planners[text], **colours, "symbol": symbol, "dash": DASHES[look.line]}
    return found


def numbers(values: Any) -> list[float | None]:
    """For JSON, with 6 digits, None for a number that is not finite."""
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values]


def returns(panel: Panel) -> dict[str, Any]:
    """Mean return against budget."""
    levels = [{"name": name, "value": value} for name, value in panel.known.levels.items()]
    return {**_curves(panel, "Mean return", "mean return"), "levels": levels}


def regrets(panel: Panel) -> dict[str, Any] | None:
    """Regret against budget, None without an optimum."""
    if panel.known.optimum is None:
        return None
    curves = _curves(panel, "Regret", "optimum \N{MINUS SIGN} mean return", columns(panel)["regret"])
    return {**curves, "floor": chart.floor(panel)}


def simple_regrets(panel: Panel, floor: float) -> dict[str, Any]:
    """Simple regret of the first action against budget; regrets below `floor` are drawn as this."""
    curves = _curves(panel, "Simple regret of the first action", "V* \N{MINUS SIGN} Q*(first action)")
    return {**curves, "floor": floor}


def _curves(panel: Panel, title: str, value: str, column: Column = attrgetter("interval")) -> dict[str, Any]:
    series = []
    for planner, curve in panel.curves.items():
        budgets, summaries = zip(*curve, strict=True)
        y, low, high = map(numbers, zip(*map(column, summaries), strict=True))
        n = [summary.n for summary in summaries]
        series.append({"planner": planner, "x": budgets, "y": y, "low": low, "high": high, "n": n})
    axes = {"x": chart.UNITS[panel.unit], "y": value, "ticks": chart.ticks(panel)}
    return {"kind": "curve", "title": title, **axes, "series": series}


def _by_budget(samples: Mapping[Setting, Array], series: Callable[[Setting, Array], dict[str, Any]]) -> dict[str, Any]:
    budgets: dict[str, list[dict[str, Any]]] = {}
    for setting, sample in sorted(samples.items(), key=lambda item: item[0].budget):
        point = {"planner": setting.planner, "n": len(sample), **series(setting, sample)}
        budgets.setdefault(f"{setting.budget:g}", []).append(point)
    return budgets


def profiles(panel: Panel, samples: Mapping[Setting, Array]) -> dict[str, Any]:
    """Performance profiles for each budget; returns are normalised where their scale is known."""
    scale = panel.known.scale or Scale(0.0, 1.0, "")
    name = f"{scale.name} of an episode" if scale.top else "return"
    least = min(scale.scores(float(sample.min())) for sample in samples.values())
    most = max(scale.scores(float(sample.max())) for sample in samples.values())
    room = 0.03 * (most - least or 1.0)
    thresholds = np.linspace(least - room, most + room, THRESHOLDS)

    def profile(setting: Setting, sample: Array) -> dict[str, Any]:
        found = performance_profile([scale.scores(sample)], thresholds, planner_rng(setting, len(sample)))
        return dict(zip(("y", "low", "high"), map(numbers, found), strict=True))

    axes = {"x": f"{name}, \N{GREEK SMALL LETTER TAU}", "y": "share of episodes above \N{GREEK SMALL LETTER TAU}"}
    facts = {"kind": "profile", "title": "Performance profile", **axes, "at": numbers(thresholds)}
    return {**facts, "budgets": _by_budget(samples, profile)}


def outcomes(samples: Mapping[Setting, Array]) -> dict[str, Any]:
    """Shares of the outcomes for each budget; classes of equal width if there are many outcomes."""
    shown = histogram(np.concatenate(list(samples.values())))
    named = bool((shown.low == shown.high).all())

    def shares(_: Setting, sample: Array) -> dict[str, Any]:
        if named:
            return {"y": numbers((np.round(sample, 6)[:, None] == shown.low).mean(axis=0))}
        return {"y": numbers(np.histogram(sample, [*shown.low, shown.high[-1]])[0] / len(sample))}

    returns = "return of an episode" + ("" if named else f", in {len(shown.low)} classes")
    facts = {"kind": "outcomes", "title": "Outcomes", "x": returns, "y": "share of the episodes"}
    classes = {"named": named, "low": numbers(shown.low), "high": numbers(shown.high)}
    return {**facts, **classes, "budgets": _by_budget(samples, shares)}


class Figures:
    """Collects the data of the charts of a page.

    Attributes:
        data: of each chart, by its id.
    """

    def __init__(self) -> None:
        self.data: dict[str, dict[str, Any]] = {}

    def block(self, env: str, unit: str, labels: Mapping[str, str], shown: Iterable[dict[str, Any] | None]) -> str:
        """Charts side by side, those that are not None, with the key of their planners; data may name another unit."""
        names = [(escape(planner), escape(label)) for planner, label in labels.items()]
        key = "".join(f'<span data-planner="{planner}"><svg></svg>{label}</span>' for planner, label in names)
        charts = "".join(self._figure(env, unit, len(labels), one) for one in shown if one)
        return f'<div class="key" aria-hidden="true">{key}</div><div class="charts">{charts}</div>'

    def _figure(self, env: str, unit: str, planners: int, shown: dict[str, Any]) -> str:
        name = f"chart{len(self.data)}"
        self.data[name] = {"env": env, "unit": unit, **shown}
        label = f"{shown['title']}: {shown['y']} against {shown['x']}, {counted(planners, 'planner')}"
        return (
            f"<figure><figcaption>{escape(shown['title'])}</figcaption>"
            f'<div class="chart" id="{name}" role="img" aria-label="{escape(label)}"></div></figure>'
        )


def image(words: str, drawn: bytes, *, captioned: bool = True) -> str:
    """A picture in SVG within a page; `words` say what it shows, as its caption too."""
    data, words = base64.b64encode(drawn).decode(), escape(words)
    caption = f"<figcaption>{words}</figcaption>" * captioned
    return f'<figure>{caption}<img alt="{words}" src="data:image/svg+xml;base64,{data}"></figure>'


def legend(looks: Mapping[str, Mapping[str, Any]]) -> str:
    """Buttons that take planners out of the charts and bring them back."""
    buttons = ""
    for planner, look in looks.items():
        button = f'<button type="button" aria-pressed="true" data-planner="{escape(planner)}">'
        buttons += f"{button}<svg></svg>{escape(look['label'])}</button>"
    return f'<div class="legend" role="group" aria-label="Planners shown">{buttons}</div>'


def budget_choice(env: str, unit: str, budgets: Sequence[float], chosen: float) -> str:
    """The choice of the budget for charts of single episodes, in an environment and a unit."""
    options = ""
    for budget in budgets:
        options += f'<option value="{budget:g}"{" selected" * (budget == chosen)}>{budget:,g}</option>'
    label = f'<label class="budget" data-panel="{escape(f"{env}|{unit}")}">'
    return f"{label}Single episodes, with a budget of <select>{options}</select></label>"
