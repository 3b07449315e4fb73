"""The provenance of a run as HTML, of each part if several were merged."""

from collections.abc import Mapping
from html import escape
from typing import Any

from runs.part import WHOLE
from runs.provenance import texts
from runs.results.store import Store


def provenance(store: Store) -> str:
    """The facts of a run and of all its parts."""
    seeds = sorted({experiment.seed for experiment in store.suite.experiment})
    own = {} if store.part == WHOLE else {"part": store.part}
    parts = [_facts({"seed": ", ".join(map(str, seeds)), **own, **store.provenance})]
    for one in store.provenance.get("merged", []):
        parts.append(f"<h3>{escape(str(one.get('run', 'a part')))}</h3>{_facts(one)}")
    return "".join(parts)


def _facts(facts: Mapping[str, Any]) -> str:
    rows = [f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in texts(facts).items() if name != "run"]
    return f"<dl>{''.join(rows)}</dl>"
