"""The HTML page of a run: one file that needs no other and no network."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from plotly.offline import get_plotlyjs

from bonspiel.html_template import csp_hash, fill_template, json_for_html, read_cached
from bonspiel.planners.model import Array
from bonspiel.runs.counting import DECISIONS, Steps
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.progress import Advance, counted, progress
from bonspiel.runs.reporting import chart, charts, model_steps, one_episode, tables, targets_chart
from bonspiel.runs.reporting.charts import Figures, budget_choice, legend
from bonspiel.runs.reporting.notes import changes, invalid_rollouts
from bonspiel.runs.results.store import Count, Store
from bonspiel.runs.statistics import curves, timing
from bonspiel.runs.statistics import sample as statistics
from bonspiel.runs.statistics.curves import Panel
from bonspiel.runs.statistics.paired import probability_of_improvement
from bonspiel.runs.statistics.sample import Interval, grouped

FOLDER = Path(__file__).parent
UNITS = {"simulations": "Budget in simulations", "steps": "Budget in model steps", "ms": "Budget in time"}
POLICY = (  # {}: the hash of the script
    "default-src 'none'; script-src {}; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
FIRST_ACTIONS = 100  # of each setting are valued at most, if more differ


def write(
    store: Store, panels: Sequence[Panel], timings: Mapping[Setting, timing.Timing], episode: int | None = None
) -> Path:
    """Write report.html into the run's folder, with an episode as `one_episode.of_run` takes it; returns its path."""
    path = store.folder / "report.html"
    with progress(3 + len(panels), "parts of the report") as advance:
        path.write_text(text(store, panels, timings, advance, episode), encoding="utf-8")
    return path


def text(
    store: Store,
    panels: Sequence[Panel],
    timings: Mapping[Setting, timing.Timing],
    advance: Advance = lambda *_: None,
    episode: int | None = None,
) -> str:
    """The page of a run with its curves and timings; `advance` is called after each part."""
    steps: dict[str, dict[str, Steps | None]] = {}
    for env, planner, found in model_steps.of_run(store):
        steps.setdefault(env, {})[planner] = found
    advance(1, 0.0)
    simple = {
        (panel.env, panel.unit): panel
        for panel in curves.simple_regrets(store.suite, store.first_actions(), FIRST_ACTIONS)
    }
    advance(1, 0.0)
    report = _Report(store, simple, steps)
    report.episode, report.replays = episode or 0, one_episode.of_run(store, episode)
    advance(1, 0.0)
    for panel in panels:
        report.panel(panel)
        advance(1, 0.0)
    return report.page(timings)


class _Report:
    """Collects the sections and the data of their charts."""

    def __init__(
        self, store: Store, simple: Mapping[tuple[str, str], Panel], steps: Mapping[str, Mapping[str, Steps | None]]
    ) -> None:
        self.store, self.simple, self.steps = store, simple, steps
        self.samples = {setting: sample for setting, sample in store.returns().items() if len(sample)}
        self.environments: dict[str, list[str]] = {}
        self.labels: dict[str, dict[str, str]] = {}  # of the planners drawn
        self.figures = Figures()
        self.episode, self.replays = 0, dict[str, one_episode.Replays]()

    def panel(self, panel: Panel) -> None:
        """Add the charts and tables of an environment and a unit of budget."""
        key = panel.env, panel.unit
        samples = {setting: sample for setting, sample in self.samples.items() if (setting.env, setting.unit) == key}
        labels = {text: panel.label(text) for text in panel.curves}
        self.labels.setdefault(panel.env, {}).update(labels)
        simple = self.simple.get(key) if panel.known.optimum is not None else None
        lost = charts.simple_regrets(simple, chart.floor(panel)) if simple else None
        against_budget = self.figures.block(*key, labels, (charts.returns(panel), charts.regrets(panel), lost))
        spread = self.figures.block(*key, labels, (charts.profiles(panel, samples), charts.outcomes(samples)))
        played = [setting.budget for setting in samples]
        best = max(played, key=lambda budget: (played.count(budget), budget))  # the largest that most planners played
        shown = [tables.of_budgets(panel, name, column) for name, column in curves.columns(panel).items()]
        if simple:
            shown.append(tables.of_budgets(simple, "simple regret", lambda summary: summary.interval))
        matrix = ""
        if len(panel.curves) > 1:
            caption = f"Probability of improvement, row over column, with {best:,g} {panel.unit} [95 % interval]"
            found = _improvements(samples, best)
            matrix = tables.of_improvement(labels, found, caption, f"{panel.env}|{panel.unit}")
        self.environments.setdefault(panel.env, []).append(
            f'<section class="unit"><h3>{UNITS[panel.unit]}</h3>'
            f'<p class="muted">{_episodes(panel)}</p>{against_budget}<div class="choice">{"".join(shown)}</div>'
            f"{budget_choice(*key, sorted(set(played)), best)}{spread}{matrix}</section>"
        )

    def page(self, timings: Mapping[Setting, timing.Timing]) -> str:
        """The whole page."""
        store = self.store
        looks = {env: charts.looks(labels) for env, labels in self.labels.items()}
        sections = "".join(map(self._environment, self.environments, range(len(self.environments)), looks.values()))
        failures = store.failures()
        verdict = _verdict(timings) if timings else ""
        links = [(f"env{i}", env) for i, env in enumerate(self.environments)]
        if reached := targets_chart.section(store, self.steps):
            sections += reached
            links.append(("targets", "targets"))
        if timings:
            table = tables.of_timings(timings, {setting.env: store.suite.names(setting.env) for setting in timings})
            sections += f'<section><h2 id="time">Time of decisions</h2>{verdict}{table}</section>'
            links.append(("time", "time of decisions"))
        if failures:
            sections += f'<section><h2 id="failures">Failures</h2>{tables.of_failures(failures)}</section>'
            links.append(("failures", "failures"))
        data = {"charts": self.figures.data, "looks": looks}
        return fill(store, sections, links, self.environments, _state(store, verdict), data, get_plotlyjs())

    def _environment(self, env: str, place: int, looks: Mapping[str, Mapping[str, Any]]) -> str:
        found, steps = self.steps.get(env, {}), ""
        if any(found.values()):
            table = tables.of_steps(env, self.store.suite.names(env), found, _speed(self.store, env))
            steps = f'<section><h3>Model steps</h3>{table}<p class="muted">{STEPS}</p></section>'
        played = ""
        if env in self.replays:
            played = one_episode.section(self.replays[env], self.store.suite.names(env), self.episode)
        return (
            f'<section class="env" data-env="{escape(env)}"><h2 id="env{place}">{escape(env)}</h2>'
            f'<p class="muted">{escape(self.store.resolved.get(env, ""))}</p>'
            f"{legend(looks)}{''.join(self.environments[env])}{played}{steps}</section>"
        )


def fill(
    store: Store,
    sections: str,
    links: Sequence[tuple[str, str]],
    environments: Iterable[str],
    state: str = "",
    data: Mapping[str, Any] | None = None,
    plotting: str = "",
    title: str | None = None,
) -> str:
    """A page with `sections` and its `state`, in HTML, before what is said of planners, method and provenance.

    The contents have the (id, text) of `links`; `plotting` is the library that draws the charts of `data`.
    """
    style = read_cached(FOLDER / "page.css")
    script = f"\n{plotting}\n{read_cached(FOLDER / 'page.js')}\n"
    named = [*links, *((name, name) for name in ("planners", "method", "provenance"))]
    contents = "".join(f'<a href="#{name}">{escape(shown)}</a>' for name, shown in named)
    texts = {"title": escape(title or store.suite.name), "description": escape(store.suite.description)}
    policy = escape(POLICY.format(csp_hash(script)))
    embedded = json_for_html(data or {"charts": {}, "looks": {}})
    code = {"policy": policy, "style": style, "script": script, "data": embedded}
    parts = {"state": state, "contents": contents, "sections": sections}
    facts = {"planners": _planners(store, environments), "provenance": tables.provenance(store)}
    sizes = {"resamples": statistics.RESAMPLES, "many": statistics.MANY, "groups": statistics.GROUPS}
    numbers = {name: f"{size:,}" for name, size in (sizes | {"first": FIRST_ACTIONS}).items()}
    return fill_template(FOLDER / "page.html", **texts, **code, **parts, **facts, **numbers)


STEPS = (
    f"Steps were counted for this page, inside the search, in {DECISIONS} first decisions with the "
    "run's own seeds and its largest budget that is quick; each was made with and without the counter, and counts "
    "stand only where both searches were the same. The step of the episode itself is not counted. Simulations per "
    "second are those of the run, all budgets in simulations together, on its machines."
)


def _improvements(samples: Mapping[Setting, Array], budget: float) -> dict[tuple[str, str], Interval]:
    played = {setting.planner: grouped(sample) for setting, sample in samples.items() if setting.budget == budget}
    env = next(iter(samples)).env
    result = {}
    for a, b in combinations(played, 2):
        found = probability_of_improvement(played[a], played[b], named_rng(f"{env}|{a}|{b}", 0, int(budget)))
        result[a, b] = found
        result[b, a] = Interval(1.0 - found.value, 1.0 - found.high, 1.0 - found.low)
    return result


def _speed(store: Store, env: str) -> dict[str, float]:
    sums: dict[str, Array] = {}
    for setting, effort in store.efforts().items():
        if setting.env == env and setting.unit != "ms":
            both = np.array([math.nan if effort.simulations is None else effort.simulations, effort.seconds])
            sums[setting.planner] = sums.get(setting.planner, np.zeros(2)) + both
    return {planner: done / took if done * took > 0.0 else math.nan for planner, (done, took) in sums.items()}


def _episodes(panel: Panel) -> str:
    sizes = [summary.n for curve in panel.curves.values() for _, summary in curve]
    shown = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
    levels = (f", {name} <b>{value:.4f}</b>" for name, value in panel.known.levels.items())
    known = "".join(levels).replace("-", "\N{MINUS SIGN}")
    episodes = "episode" if shown == "1" else "episodes"
    return f"{shown} {episodes} a point{known}. Bands and bars are 95 % bootstrap intervals."


def _verdict(timings: Mapping[Setting, timing.Timing]) -> str:
    late = any(one.late for one in timings.values())
    said = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(timing.verdict(timings)))
    return f'<p class="{"bad" if late else "good"}">{said}</p>'


def _state(store: Store, verdict: str) -> str:
    """The lines at the top of the page: progress, failures, invalid rollouts, late decisions."""
    done, _, failed, total = Count.of(store.counts())
    state = f"<p>Complete: {done:,} episodes.</p>"
    if done < total:
        state = f'<p class="bad"><strong>Unfinished</strong>: {done:,} of {total:,} episodes were played.</p>'
    if failed:
        failures = f"<strong>{counted(failed, 'episode')} failed</strong>"
        state += f'<p class="bad">{failures}, <a href="#failures">see below</a>.</p>'
    state += "".join(f'<p class="bad">{escape(line)}.</p>' for line in changes(store))
    state += "".join(f"<p>{escape(line)}.</p>" for line in invalid_rollouts(store))
    return state + (verdict if 'class="bad"' in verdict else "")


def _planners(store: Store, environments: Iterable[str]) -> str:
    rows = []
    for env in environments:
        for planner, label in store.suite.names(env).items():
            rows.append([tables.text(one) for one in (label, env, store.resolved.get(planner, planner))])
    head = ["planner", "environment", "parameters"]
    return tables.table("Planners with all their parameters", head, rows, "planners")
