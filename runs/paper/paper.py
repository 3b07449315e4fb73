"""Writes the files of a paper from a run."""

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from matplotlib import rc_context, rc_params_from_file
from matplotlib.figure import Figure

from bonspiel.runs import seeding
from bonspiel.runs.experiment import Setting, UsageError
from bonspiel.runs.paper import latex, numbers, sources
from bonspiel.runs.progress import counted
from bonspiel.runs.provenance import joined_fact
from bonspiel.runs.reporting import chart, styles
from bonspiel.runs.reporting.drawing import STYLE
from bonspiel.runs.reporting.notes import notes
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics import curves, timing
from bonspiel.runs.statistics.curves import Panel
from bonspiel.runs.suites import lookup
from bonspiel.runs.tables import fold

SHAPE = 0.62  # height of the axes by the width of the figure
INCH = 72.0  # points
COMMIT = 10  # of its digits in the text
LETTER = 0.43  # mean width of a letter by its size
KEY = 5.0  # width of a line and the space around it in the legend, by the size of letters
# type 42 embeds whole letters as TrueType, which journals ask for; matplotlib has the font with it
FONTS = {"pdf.fonttype": 42, "font.family": "STIXGeneral", "mathtext.fontset": "stix"}


def write(
    store: Store, folder: Path, layout: latex.Layout, told: Sequence[str], only: Sequence[str] = (), style: str = ""
) -> list[Path]:
    """Write figures, tables, numbers, facts, sources and a document; returns their paths.

    The document tells the remarks `told`; `only` has patterns as of `lookup.only`, and `style` is a file or the name of
    a style of matplotlib, over bonspiel's.
    """
    kept = set(lookup.only(store.suite, only).settings())
    returns = {setting: sample for setting, sample in store.returns().items() if setting in kept}
    panels = curves.panels(store.suite, returns, store.values("episode"))
    if not panels:
        raise UsageError(f"{store.folder} holds no finished episode of these")
    for panel in panels:
        for text in (panel.env, *panel.labels.values()):
            latex.escaped(text)
    looks = _look(layout, style)
    folder.mkdir(parents=True, exist_ok=True)
    named, found, paths = _files(panels), [], []
    for name, panel in named.items():
        here = numbers.estimates(store, panel)
        with rc_context(looks):  # the fonts are embedded as it is saved
            draw(panel, layout).savefig(folder / f"{name}.pdf", metadata={"CreationDate": None, "Creator": "bonspiel"})
        _text(folder / f"{name}.tex", latex.table(panel, here))
        paths += [folder / f"{name}.pdf", folder / f"{name}.tex"]
        found += here
    numbers.write(folder, panels, found)
    texts: dict[str, list[str]] = {}
    for one in found:
        texts.setdefault(one.name, []).append(one.setting.planner)
    texts = {name: list(dict.fromkeys(written)) for name, written in texts.items()}
    cited = {name: sorted({key for text in of for key in sources.of_planner(text)}) for name, of in texts.items()}
    problems = sorted({key for panel in panels for key in sources.of_problem(panel.env)})
    facts = {"Failed": _failed(store, kept, found), **_facts(store, panels, found, len(texts), told)}
    nouns = {unit: f"{noun}s" for unit, noun in chart.NOUNS.items()}
    keys = [*problems, *(key for of in cited.values() for key in of)]
    written = {
        "facts.tex": latex.macros(facts),
        "planners.tex": latex.planners_table(texts, cited),
        "sources.bib": sources.bibliography(keys, store.provenance),
        "main.tex": latex.document(layout, named, nouns, problems),
    }
    for name, text in written.items():
        _text(folder / name, text)
    return [*paths, *(folder / name for name in (numbers.FILE, numbers.LEVELS, *written))]


def _text(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="\n")


def _files(panels: Sequence[Panel]) -> dict[str, Panel]:
    """The panels by the names of their files, which are short and safe for LaTeX."""
    found: dict[str, Panel] = {}
    for panel in panels:
        stem = re.sub(r"[^A-Za-z0-9]+", "-", f"{panel.env.partition(':')[0]}-{panel.unit}").strip("-")
        numbered = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        found[next(name for name in numbered if name not in found)] = panel
    return found


def _look(layout: latex.Layout, style: str) -> Any:
    """The settings of matplotlib: bonspiel's, then those of a style, then size and fonts."""
    sizes = {"font.size": layout.size, "legend.fontsize": layout.size - 1.0, "axes.labelsize": layout.size}
    given: Any = {}
    if style:
        from matplotlib.style import available, library

        if style not in library and not Path(style).is_file():
            raise UsageError(f"--style {style!r} is neither a file nor a style of matplotlib: {', '.join(available)}")
        given = library.get(style) or rc_params_from_file(style, use_default_template=False)
    return {**STYLE, **FONTS, **given, **sizes, "pdf.fonttype": 42}


def draw(panel: Panel, layout: latex.Layout) -> Figure:
    """The figure of a panel: mean return against budget, as wide as a column, with the planners below."""
    called = numbers.names(panel)
    letters = int((layout.width * INCH / (layout.size - 1.0) - KEY) / LETTER)
    lines = {text: "\n".join(fold(name, letters)) for text, name in called.items()}
    longest = LETTER * max(map(len, "\n".join(lines.values()).split("\n"))) + KEY
    columns = max(1, min(len(lines), int(layout.width * INCH / ((layout.size - 1.0) * longest))))
    rows = -(-sum(line.count("\n") + 1 for line in lines.values()) // columns)
    height = layout.width * SHAPE + 1.25 * (rows + 2) * (layout.size - 1.0) / INCH
    figure = Figure((layout.width, height), layout="constrained")
    axes = figure.subplots()
    chart.reward(axes, _near(panel), styles.of_planners(panel.curves))
    axes.set_title("", loc="left")
    chart.budget_axis(axes, panel)
    axes.set_ylabel("mean return")
    handles, _ = axes.get_legend_handles_labels()
    figure.legend(
        handles, list(lines.values()), loc="outside lower center", ncols=columns, handlelength=2.8, columnspacing=1.2
    )
    return figure


def _near(panel: Panel) -> Panel:
    """A panel without the levels of baselines that lie farther below the curves than these are high."""
    means = [summary.interval.value for curve in panel.curves.values() for _, summary in curve]
    least = min(means) - (max(means) - min(means))
    levels = {name: getattr(panel.known, name) for name in ("random", "do_nothing", "constant")}
    near = {name: None if level is None or level < least else level for name, level in levels.items()}
    return replace(panel, known=panel.known._replace(**near))


def _failed(store: Store, kept: Container[Setting], found: Sequence[numbers.Estimate]) -> str:
    """In brackets, how many episodes failed of each planner in each problem; nothing if none did."""
    settings = {one[:4]: one for one in store.suite.settings() if one in kept}
    failures = Counter(one[:2] for one in store.failures() if one[:4] in settings)
    called = {(one.setting.env, one.setting.planner): one.name for one in found}
    lines = [
        f"{counted(number, 'episode')} of {called.get(key) or store.suite.names(key[0])[key[1]]} in {key[0]}"
        for key, number in sorted(failures.items())
    ]
    return f" ({', '.join(lines)} failed, and means are over the others)" if lines else ""


def _facts(
    store: Store, panels: Sequence[Panel], found: Sequence[numbers.Estimate], planners: int, told: Sequence[str]
) -> dict[str, str]:
    """What captions say, by the names of macros."""
    episodes = sorted({one.n for one in found})
    seeds = sorted({one.setting.seed for one in found})
    budgets = []
    for unit, noun in chart.NOUNS.items():
        of_unit = sorted({one.setting.budget for one in found if one.setting.unit == unit})
        budgets += [f"{', '.join(f'{budget:g}' for budget in of_unit)} {noun}s"] * bool(of_unit)
    return {
        "Version": joined_fact(store.provenance, "version"),
        "Commit": joined_fact(store.provenance, "commit", COMMIT),
        "Command": str(store.provenance.get("command") or "unknown"),
        "Cpu": joined_fact(store.provenance, "cpu"),
        "Remarks": "".join(f" {remark[0].upper()}{remark[1:].rstrip('.')}." for remark in told),
        "Noise": "" if seeding.notes(store.resolved) else " Episodes with the same number met the same noise.",
        "Episodes": f"{episodes[0]:,}" if len(episodes) == 1 else f"{episodes[0]:,} to {episodes[-1]:,}",
        "Seeds": ", ".join(map(str, seeds)),
        "Budgets": " and ".join(budgets),
        "Problems": str(len({panel.env for panel in panels})),
        "Planners": str(planners),
    }


def remarks(store: Store) -> list[str]:
    """Warnings for readers of a run's results: its notes, and a sentence on overrun time budgets."""
    timings = timing.timing(store.times())
    if any(one.late for one in timings.values()):
        return [*notes(store), timing.verdict(timings).replace("**", "")]
    return notes(store)
