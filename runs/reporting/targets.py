"""Runtimes to targets of the planners of runs: what is computed, its text and its JSON."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bonspiel.planners import BASELINES
from bonspiel.planners.model import Array
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.reporting import model_steps
from bonspiel.runs.reporting.origins import left_out_problems, names, returns
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.ends import scales
from bonspiel.runs.statistics.scale import BEST, OPTIMUM, Scale
from bonspiel.runs.statistics.targets import (
    TARGETS,
    MeanScores,
    Ratio,
    Reached,
    Runtime,
    first_hits,
    ratios,
    reached,
    resampled_means,
    runtimes,
    share_reached,
)
from bonspiel.runs.tables import markdown, without_nan

SIMULATIONS, STEPS, TIME = "simulations", "model steps", "milliseconds"  # of a decision
POINTS = 200  # of the axis of budgets
RULE = (
    "A target is reached at the first budget at which the running maximum of the mean score does, as COCO counts first "
    "hits: a mean that falls with more budget takes no target back"
)


@dataclass(frozen=True)
class Targets:
    """The runtimes of planners to the targets of some problems."""

    cost: str  # of a decision, that runtimes are counted in
    problems: Mapping[str, Scale]  # scales of the scores
    runtimes: Mapping[str, Mapping[str, list[Runtime]]]  # by problem and planner, to each of TARGETS
    budgets: Array  # of the shares, [budgets], ascending
    shares: Mapping[str, Reached]  # of targets reached, by planner, the largest first
    best: Array  # of targets reached by any planner, [budgets]
    notes: Sequence[str]  # on what is missing, and how costs were measured, a line each

    @property
    def pairs(self) -> int:
        """The number of (problem, target) pairs."""
        return len(self.runtimes) * len(TARGETS)

    def ratios(self, problem: str) -> dict[str, list[Ratio | None]]:
        """Each planner's ratios to the best one, by TARGETS."""
        found = self.runtimes[problem]
        columns = [ratios({name: of[place] for name, of in found.items()}) for place in range(len(TARGETS))]
        return {name: [column[name] for column in columns] for name in found}

    def head(self, problem: str) -> str:
        """The problem; a scale whose top is not the optimum is marked."""
        top = self.problems[problem].top
        return problem if top == OPTIMUM else f"{problem} ({top})"


def default_cost(store: Store) -> str:
    """Simulations; model steps, or milliseconds, if no budget is in simulations."""
    units = {one.unit for one in store.suite.settings()}
    return SIMULATIONS if "simulations" in units else STEPS if "steps" in units else TIME


def targets(
    stores: Sequence[Store], cost: str, per_simulation: Mapping[tuple[str, str], float] | None = None
) -> Targets:
    """The runtimes, in SIMULATIONS, STEPS or TIME, of the planners of runs; the first one's problems count.

    Model steps go by environment and planner's text, and are counted for each setting if None.
    """
    played = returns(stores)
    own = {setting.env for setting in played[0]}
    found = scales(pair for of_run in played for pair in of_run.items() if pair[0].env in own)
    problems = {env: scale for env, scale in found.items() if scale.top != BEST}
    lines = [_without_scale(env for env in sorted(own) if env not in problems)] if own - problems.keys() else []
    lines += left_out_problems(stores)
    curves: dict[str, dict[str, MeanScores]] = {}
    everyone: dict[str, dict[str, None]] = {}
    timed = any(setting.unit == "ms" for setting in played[0])
    for store, of_run, called in zip(stores, played, names(stores), strict=True):
        counted = {
            setting: sample
            for setting, sample in of_run.items()
            if setting.env in problems and setting.planner not in BASELINES
        }
        costs = _costs(store, cost, counted, per_simulation, timed=timed)
        drawn = _resampled(store, problems, {setting: counted[setting] for setting in costs})
        points: dict[tuple[str, str], list[tuple[float, float, Array]]] = {}
        for setting in counted:
            name = called[setting.env, setting.planner]
            everyone.setdefault(setting.env, {})[name] = None
            budget = costs.get(setting, math.nan)
            if math.isfinite(budget) and budget > 0.0:
                points.setdefault((setting.env, name), []).append((budget, *drawn[setting]))
        for (env, name), of_planner in points.items():
            curves.setdefault(env, {})[name] = MeanScores.of(of_planner)
    if cost == TIME and curves and not timed:
        lines.append("milliseconds are the mean time of a decision in each run, on its machine")
    for env, planners in everyone.items():
        if missing := [name for name in planners if name not in curves.get(env, {})]:
            lines.append(f"no {cost} known in {env} of {', '.join(missing)}")
    return _of_curves(cost, problems, {env: curves[env] for env in problems if env in curves}, lines)


def _without_scale(envs: Iterator[str]) -> str:
    return (
        f"no targets in {', '.join(envs)}: neither the optimum nor a reference is known there, or no return of random "
        "actions and of doing nothing (play --planner random --planner do_nothing), or the optimum is hardly above the "
        "better of these"
    )


def _costs(
    store: Store,
    cost: str,
    counted: Mapping[Setting, Array],
    per_simulation: Mapping[tuple[str, str], float] | None,
    *,
    timed: bool,
) -> dict[Setting, float]:
    """The cost of a decision of each setting with such budgets; NaN where it could not be counted."""
    if cost == TIME and timed:
        return {setting: setting.budget for setting in counted if setting.unit == "ms"}
    simulated = [setting for setting in counted if setting.unit == "simulations"]
    if cost == SIMULATIONS:
        return {setting: setting.budget for setting in simulated}
    given = {setting: setting.budget for setting in counted if setting.unit == "steps"}
    efforts = {
        setting: effort for setting, effort in store.efforts().items() if setting in simulated or setting in given
    }
    if cost == TIME:
        return {setting: 1e3 * effort.seconds / effort.steps for setting, effort in efforts.items()}
    exact = {(setting.env, setting.planner) for setting in given}  # not beside what first decisions tell of others
    efforts = {setting: effort for setting, effort in efforts.items() if (setting.env, setting.planner) not in exact}
    if per_simulation is None:
        steps = model_steps.of_settings(efforts, store.model_steps)
    else:
        steps = {setting: per_simulation.get((setting.env, setting.planner), math.nan) for setting in efforts}
    return given | {
        setting: math.nan if effort.simulations is None else steps[setting] * effort.simulations / effort.steps
        for setting, effort in efforts.items()
    }


def _resampled(
    store: Store, problems: Mapping[str, Scale], samples: Mapping[Setting, Array]
) -> dict[Setting, tuple[float, Array]]:
    """Mean scores, and those of resampled episodes: settings that played the same ones are resampled together."""
    alike: dict[tuple[str, int, bytes], list[Setting]] = {}
    numbers = store.values("episode")
    for setting in samples:
        alike.setdefault((setting.env, setting.seed, numbers[setting].tobytes()), []).append(setting)
    found = {}
    for (env, seed, _), settings in alike.items():
        scores = np.stack([problems[env].scores(samples[setting]) for setting in settings])
        drawn = resampled_means(scores, named_rng(f"targets|{env}", seed, scores.shape[1]))
        for setting, mean, column in zip(settings, scores.mean(axis=1), drawn.T, strict=True):
            found[setting] = float(mean), column
    return found


def _of_curves(
    cost: str, problems: Mapping[str, Scale], curves: Mapping[str, Mapping[str, MeanScores]], lines: list[str]
) -> Targets:
    found = {env: {name: runtimes(scores) for name, scores in of.items()} for env, of in curves.items()}
    everyone = dict.fromkeys(name for of in curves.values() for name in of)
    complete = [name for name in everyone if all(name in of for of in curves.values())]
    if some := [name for name in everyone if name not in complete]:
        lines.append(f"not in the shares of targets, as they have not played all problems: {', '.join(some)}")
    played = {float(budget) for of in curves.values() for one in of.values() for budget in one.budgets}
    if not played:
        return Targets(cost, problems, {}, np.zeros(0), {}, np.zeros(0), lines)
    budgets = np.array(sorted({*np.geomspace(min(played), max(played), POINTS).tolist(), *played}))
    budgets = budgets[(budgets >= min(played)) & (budgets <= max(played))]
    shares = {name: reached([of[name] for of in curves.values()], budgets) for name in complete}
    order = sorted(shares, key=lambda name: (-shares[name].share[-1], -shares[name].share.mean()))
    hits = [np.min([first_hits(one.budgets, one.means) for one in of.values()], axis=0) for of in curves.values()]
    best = share_reached(np.concatenate(hits), budgets)
    return Targets(cost, problems, found, budgets, {name: shares[name] for name in order}, best, lines)


def amount(budget: float) -> str:
    """A budget in three digits, or in full."""
    return f"{budget:,.0f}" if budget >= 100.0 else f"{budget:.3g}"


def signed(sign: str, value: float, digits: str = "") -> str:
    """A number with a sign before it."""
    text = f"{value:{digits}}" if digits else amount(value)
    return f"{sign} {text}" if sign else text


def runtime_text(runtime: Runtime) -> str:
    """`45 [40, > 300]`: a runtime with its interval, which is left out where it says no more."""
    shown, low, high = (signed(*runtime.shown(one)) for one in runtime[:3])
    return shown if math.isnan(runtime.low) or shown == low == high else f"{shown} [{low}, {high}]"


def ratio_text(ratio: Ratio | None) -> str:
    """The ratio to the best planner in three digits; nothing where no planner reaches the target."""
    return "" if ratio is None else signed(*ratio, ".3g")


def text(found: Targets) -> str:
    """Tables in Markdown: runtimes of each problem, shares at the largest budgets, notes."""
    parts = [legend(found)]
    for problem, of_planners in found.runtimes.items():
        rows, times = [["planner", *(f"{target:g}" for target in TARGETS)]], found.ratios(problem)
        for name, of in of_planners.items():
            both = zip(of, times[name], strict=True)
            rows.append(
                [name, *(runtime_text(one) + f" ({ratio_text(ratio)})" * (ratio is not None) for one, ratio in both)]
            )
        parts.append(f"{found.head(problem)}\n{markdown(rows)}")
    if found.shares:
        rows = [["planner", "share of the targets", f"{found.cost} up to"]]
        rows += [[name, share_text(one), amount(one.largest)] for name, one in found.shares.items()]
        rows.append(["best known", f"{found.best[-1]:.3f}", amount(float(found.budgets[-1]))])
        parts.append(f"share of the {found.pairs} (problem, target) pairs reached [95 %]\n{markdown(rows)}")
    return "\n\n".join([*parts, *found.notes])


def share_text(of: Reached) -> str:
    """The share at the largest budget with its interval."""
    band = "" if math.isnan(of.low[-1]) else f" [{of.low[-1]:.3f}, {of.high[-1]:.3f}]"
    return f"{of.share[-1]:.3f}{band}"


def legend(found: Targets) -> str:
    """How to read the tables."""
    return (
        f"{found.cost} of a decision at which the mean score reaches a target [95 %], and in brackets the ratio to the "
        f"best planner's. {RULE}."
    )


def as_json(found: Targets) -> dict[str, Any]:
    """The runtimes, ratios and shares as JSON has them; null for a number that is not known."""
    rows = []
    for problem, of_planners in found.runtimes.items():
        times = found.ratios(problem)
        for name, of in of_planners.items():
            for target, one, ratio in zip(TARGETS, of, times[name], strict=True):
                ends = zip(("budget", "low", "high"), one[:3], strict=True)
                shown = {key: None if math.isnan(value) else _bound(*one.shown(value)) for key, value in ends}
                to_best = None if ratio is None else _bound(*ratio)
                rows.append({"env": problem, "planner": name, "target": target, **shown, "ratio": to_best})
    shares = {
        name: {key: without_nan(getattr(of, key).tolist()) for key in of._fields[:3]}
        | {"smallest": of.smallest, "largest": of.largest}
        for name, of in found.shares.items()
    }
    reached_by = {"pairs": found.pairs, "budgets": found.budgets.tolist(), "planners": shares}
    reached_by["best_known"] = found.best.tolist()
    scales = {env: found.problems[env]._asdict() for env in found.runtimes}
    return {"cost": found.cost, "scales": scales, "runtimes": rows, "shares": reached_by, "notes": [*found.notes]}


def _bound(sign: str, value: float) -> dict[str, Any]:
    return {"sign": sign or "=", "value": value}
