"""The report of a run in Markdown: tables, chart, failures, provenance."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from runs import provenance
from runs.experiment import Setting
from runs.results.store import Store
from runs.statistics import timing
from runs.statistics.curves import Panel, caption, table, table_of_largest


def write(store: Store, panels: Sequence[Panel], timings: Mapping[Setting, timing.Timing], chart: Path) -> Path:
    """Write report.md beside the results; returns its path."""
    path = store.folder / "report.md"
    path.write_text(text(store, panels, timings, chart), encoding="utf-8")
    return path


def text(store: Store, panels: Sequence[Panel], timings: Mapping[Setting, timing.Timing], chart: Path) -> str:
    """The report; curves and timings as `page.text` takes them."""
    parts = [f"# {store.suite.name}", store.suite.description, f"![reward against budget]({chart.name})"]
    for panel in panels:
        parts += [f"## {panel.env}", table(panel), caption(panel), table_of_largest(panel)]
    if timings:
        parts += ["## Time budgets", timing.verdict(timings), timing.table(timings)]
    failures = store.failures()
    if failures:
        lines = [
            f"- {env}, {planner}, {budget} {unit}, episode {episode}: {error}"
            for env, planner, budget, unit, episode, error in failures
        ]
        parts += [f"## {len(failures)} episodes failed", "\n".join(lines)]
    parts += [
        "## Environments and planners",
        "\n".join(f"- `{name}` is `{meaning}`" for name, meaning in store.resolved.items()),
    ]
    seeds = sorted({experiment.seed for experiment in store.suite.experiment})
    parts += ["## Provenance", _facts({"seed": ", ".join(map(str, seeds)), **store.provenance})]
    for one in store.provenance.get("merged", []):
        parts += [f"### {one['run']}", _facts(one)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _facts(facts: Mapping[str, Any]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in provenance.texts(facts).items())
