"""The parts of a page that its scripts draw and listen to: charts, legends, and the choice of a budget."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from bonspiel.runs.progress import counted


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
