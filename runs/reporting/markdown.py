"""The report of a run in Markdown: tables, chart, failures, provenance."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bonspiel.runs import provenance
from bonspiel.runs.experiment import Setting
from bonspiel.runs.reporting.notes import changes, facts, invalid_rollouts
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics import timing
from bonspiel.runs.statistics.curves import Panel, caption, table, table_of_largest


def write(store: Store, panels: Sequence[Panel], timings: Mapping[Setting, timing.Timing], chart: Path) -> Path:
    """Write report.md into the run's folder; returns its path."""
    path = store.folder / "report.md"
    path.write_text(text(store, panels, timings, chart), encoding="utf-8")
    return path


def text(store: Store, panels: Sequence[Panel], timings: Mapping[Setting, timing.Timing], chart: Path) -> str:
    """The report; curves and timings as `page.text` takes them."""
    parts = [
        f"# {store.suite.name}",
        store.suite.description,
        *changes(store),
        f"![reward against budget]({chart.name})",
    ]
    for panel in panels:
        parts += [f"## {panel.env}", table(panel), caption(panel), table_of_largest(panel)]
    if timings:
        parts += ["## Time budgets", timing.verdict(timings), timing.table(timings)]
    parts += invalid_rollouts(store)
    failures = store.failures()
    if failures:
        lines = ["- {}, {}, {} {}, episode {}: {}".format(*failure) for failure in failures]
        parts += [f"## {len(failures)} episodes failed", "\n".join(lines)]
    meanings = [f"- `{name}` is `{meaning}`" for name, meaning in store.resolved.items()]
    parts += ["## Environments and planners", "\n".join(meanings), "## Provenance"]
    own = facts(store)
    for one in provenance.of_all_parts(own):
        shown = "\n".join(f"- {name}: {value}" for name, value in provenance.texts(one).items())
        parts += ["" if one is own else f"### {one['run']}", shown]
    return "\n\n".join(filter(None, parts)) + "\n"
