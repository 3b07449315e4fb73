"""Runs a study: finds positions, searches them, and prints, draws and writes the result."""

import json
import math
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel import planners
from bonspiel.planners.planner import traits_of
from bonspiel.runs.agreement.measure import (
    ActionJudge,
    AgreementOutcome,
    by_optimum,
    by_search,
    known_optimum,
    measured,
    outcome_of,
)
from bonspiel.runs.agreement.report import draw, tables
from bonspiel.runs.agreement.study import RUN, TREE, AgreementStudy, PositionSearch, due, long_search
from bonspiel.runs.agreement.summary import Summary, summarise
from bonspiel.runs.agreement.work import States, StudyWork, refuse_one_position
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.files import writing
from bonspiel.runs.planner_check import refuse_broken
from bonspiel.runs.progress import counted
from bonspiel.runs.reporting.drawing import save_figure
from bonspiel.runs.runner import backends
from bonspiel.runs.runner.backends import HERE, Place, Workers
from bonspiel.runs.suite import model_of, modules

RESULT, CHART = "agreement.json", "agreement.png"
SAME = ("env", "planner", "budget", "seed")  # of a study that is resumed


def main(study: AgreementStudy, folder: Path, resume: bool, jobs: int | None, place: Place = HERE) -> None:
    """Run a study and print its tables; the folder receives the searches, the result as JSON, and a chart.

    Args:
        study: to run.
        folder: receives the searches, RESULT and CHART.
        resume: whether to continue the study in the folder; positions, workers and rules may be others.
        jobs: number of workers; 1 searches in this process, None takes all cores, or all workers of a cluster.
        place: the workers' machine or cluster.

    Raises:
        UsageError: the study, the folder or the place is refused.
        RunError: a search failed, or workers died repeatedly; what was searched before is kept.
    """
    refuse_one_position(study.env, study.model)
    known = known_optimum(study.model)
    with backends.connect(place, jobs) as workers:
        many = f"{counted(study.positions, 'position')}, each searched by {counted(study.most, 'worker')}"
        where = f"with {counted(workers.jobs, 'job')}, into {folder}"
        print(f"{study.planner} in {study.env}: {many} and larger trees, {where}", file=sys.stderr)
        states, outcome = searched(study, known, folder, resume, workers)
    summary = summarise(study, outcome, np.random.default_rng(study.seed))
    for table in tables(study, summary, known):
        print(f"{table}\n")
    with writing(folder):
        text = json.dumps(_plain(_report(study, known, summary, states, outcome)), allow_nan=False)
        (folder / RESULT).write_text(f"{text}\n", encoding="utf-8")
        paths = save_figure(draw(study, summary), folder / CHART)
    print(folder / RESULT, *paths, sep="\n")


def searched(
    study: AgreementStudy, known: bool, folder: Path, resume: bool, workers: Workers
) -> tuple[States, AgreementOutcome]:
    """The positions of a study and their outcome; arguments and errors are those of `main`."""
    refuse_broken(study.planner, study.env, planners.parse, partial(model_of, study.env))
    outside = modules([Setting(study.env, study.planner, study.budget, "simulations", study.seed)])
    work = StudyWork(study, workers, outside)
    with work.kept(folder, resume, outside, **{name: getattr(study, name) for name in SAME}):
        states = work.positions()
        everywhere = list(due(study, known))
        work.search(states, {index: everywhere for index in range(len(states))})
        rngs = [named_rng(f"choices|{study.planner}", study.seed, index) for index in range(len(states))]
        found = [measured(study, partial(work.decision, index), rng) for index, rng in enumerate(rngs)]
        wanted: dict[int, list[PositionSearch]] = {}
        if not known and traits_of(study.player).takes_root_actions:
            for index, one in enumerate(found):
                best = work.decision(index, long_search(study).name).action
                wanted[index] = [long_search(study, [best, one.runs[0], *one.choices.values()])]
            work.search(states, wanted)
    judges = [_judge(study, known, work, index, state, wanted.get(index, [])) for index, state in enumerate(states)]
    return states, outcome_of(study, found, judges)


def _judge(
    study: AgreementStudy,
    known: bool,
    work: StudyWork,
    index: int,
    state: list[float],
    for_values: list[PositionSearch],
) -> ActionJudge:
    if known:
        listed = work.decision(index, f"{RUN} 0").actions if study.kernel is None else None
        return by_optimum(study.model, np.array(state), listed)
    values = work.decision(index, for_values[0].name) if for_values else None
    return by_search(work.decision(index, long_search(study).name), study.kernel, values)


def _report(
    study: AgreementStudy, known: bool, summary: Summary, states: States, outcome: AgreementOutcome
) -> dict[str, Any]:
    """All of the result: the study, the summary, and the outcome at every position."""
    given = {name: getattr(study, name) for name in (*SAME, "workers", "rules", "reference", "bandwidth")}
    each = {
        "state": states,
        "p0": outcome.agrees[TREE, 1].tolist(),
        "limit": outcome.limit.tolist(),
        "shares": {str(workers): column.tolist() for workers, column in outcome.shares.items()},
        "agrees": _by_name(outcome.agrees),
        "regret": _by_name(outcome.regrets),
    }
    return {"study": given | {"optimum_known": known}, "summary": summary, "each": each}


def _by_name(columns: dict[tuple[str, int], Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for (name, workers), column in columns.items():
        found.setdefault(name, {})[str(workers)] = column.tolist()
    return found


def _plain(value: Any) -> Any:
    """The same with null for NaN."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
