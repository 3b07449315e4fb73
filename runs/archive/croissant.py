"""Metadata of a submitted run: Croissant 1.0 (https://docs.mlcommons.org/croissant) in JSON-LD, and a citation."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.provenance import joined_fact
from bonspiel.runs.results.export import COLUMNS
from bonspiel.runs.results.packed import is_address
from bonspiel.runs.results.store import Store

STANDARD = "http://mlcommons.org/croissant/1.0"
TERMS = (  # of Croissant; other names are schema.org's
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset "
    "jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator source "
    "subField transform"
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in TERMS.split()},
}
LONGEST = 100  # characters of a name
FORMATS = {".csv": "text/csv", ".sqlite": "application/vnd.sqlite3"}
KINDS = {"String": "sc:Text", "Float64": "sc:Float", "Int64": "sc:Integer"}
MEANINGS = {
    "env": "problem with its parameters",
    "planner": "planner with its parameters",
    "budget": "of a decision",
    "unit": "of the budget: simulations, steps of the model, or ms for milliseconds",
    "episode": "index; all planners meet the same noise in the episode of an index",
    "return": "discounted sum of the rewards",
    "steps": "decisions made",
    "seconds": "planning time, sum over all decisions",
    "simulations": "sum over all decisions",
    "first_action": "coordinates of the first action, separated by spaces",
    "mean_ms": "mean time per decision; of time budgets",
    "max_ms": "longest time per decision; of time budgets",
    "invalid": "simulations that met a reward or a state that is not finite",
    "seed": "of the run",
    "label": "name of the planner in the tables of the run",
    "commit": "of the sources that made the run",
}


class Submission(NamedTuple):
    """The authors of a run, their address and the licence of the results."""

    who: str  # name of the authors, which labels their planners in tables
    where: str  # address at which they, or the code of their planners, are found
    licence: str  # of the results, an expression of SPDX

    @classmethod
    def of(cls, who: str, where: str, licence: str) -> "Submission":
        """Check the facts."""
        if not re.fullmatch(rf"[^\W_][^|<>`\n]{{0,{LONGEST - 1}}}", who):
            raise UsageError(
                f"--who {who!r}: must be a name of at most {LONGEST} characters, in a line without | < > `"
            )
        if not (is_address(where) and re.fullmatch(r"[^\s|<>`]+", where)):
            raise UsageError(f"--where {where!r}: must be an address, http://... or https://...")
        try:
            return cls(who.strip(), where, canonicalize_license_expression(licence))
        except InvalidLicenseExpression as error:
            known = "an identifier of https://spdx.org/licenses, such as CC-BY-4.0 or MIT"
            raise UsageError(f"--licence {licence!r}: must be {known} ({error})") from error


def describe(store: Store, given: Submission, digest: str, files: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    """The metadata of a run and its `files`, by name their bytes and SHA-256; one is the table of episodes."""
    suite, facts = store.suite, store.provenance
    distribution = [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "contentUrl": name,
            "contentSize": f"{size} B",
            "encodingFormat": FORMATS[name[name.rindex(".") :]],
            "sha256": sha256,
        }
        for name, (size, sha256) in files.items()
    ]
    table = next(name for name in files if name.endswith(".csv"))
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": STANDARD,
        "name": suite.name,
        "description": f"{suite.description or f'Run of {suite.name}'}. Returns of planners, an episode a row.",
        "url": given.where,
        "license": given.licence if " " in given.licence else f"https://spdx.org/licenses/{given.licence}",
        "creator": {"@type": "sc:Organization", "name": given.who, "url": given.where},
        "datePublished": str(facts["started"])[:10],
        "version": "1.0.0",
        "citeAs": sentence(store, given, digest),
        "keywords": ["planning", "continuous actions", "benchmark", "bonspiel"],
        "variableMeasured": [
            {"@type": "sc:PropertyValue", "name": name, "value": value}
            for name, value in {**_made(facts), "digest of the results": digest}.items()
        ],
        "mentions": [
            {"@type": "sc:Thing", "name": text, "description": meaning} for text, meaning in store.resolved.items()
        ],
        "distribution": distribution,
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "episodes",
                "name": "episodes",
                "description": "Every episode of the run.",
                "field": [_field(name, kind, table) for name, kind in COLUMNS.items()],
            }
        ],
    }


def _made(facts: Mapping[str, Any]) -> dict[str, str]:
    """How a run was made, a text for each fact."""
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in facts.items()}


def _field(name: str, kind: str, table: str) -> dict[str, Any]:
    source = {"fileObject": {"@id": table}, "extract": {"column": name}}
    about = {"@id": f"episodes/{name}", "name": name, "description": MEANINGS[name]}
    return {"@type": "cr:Field", **about, "dataType": KINDS[kind], "source": source}


def sentence(store: Store, given: Submission, digest: str) -> str:
    """How to cite a run, in a sentence."""
    facts = store.provenance
    made = f"bonspiel {joined_fact(facts, 'version')}, commit {joined_fact(facts, 'commit')}, digest {digest}"
    return f"{given.who} ({str(facts['started'])[:4]}): results of {store.suite.name}. {made}. {given.where}"


def citation(store: Store, given: Submission, digest: str) -> str:
    """The content of CITATION.cff (https://citation-file-format.github.io, 1.2.0)."""
    quoted = json.dumps  # a JSON text is one of YAML
    lines = [
        "cff-version: 1.2.0",
        f"message: {quoted('Please cite these results so, and bonspiel with its version and commit.')}",
        "type: dataset",
        f"title: {quoted(f'Results of {store.suite.name}')}",
        "authors:",
        f"  - name: {quoted(given.who)}",
        f"url: {quoted(given.where)}",
        f"license: {quoted(given.licence)}",
        f"version: {quoted(joined_fact(store.provenance, 'version'))}",
        f"commit: {quoted(joined_fact(store.provenance, 'commit'))}",
        f"date-released: {str(store.provenance['started'])[:10]}",
        f"abstract: {quoted(sentence(store, given, digest))}",
    ]
    return "\n".join(lines) + "\n"
