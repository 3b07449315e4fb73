"""Runs a study: finds positions, searches them on workers, and prints, draws and writes the result.

Every position and search is found once and kept in a file.
"""

import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel import planners
from bonspiel.envs.optimal import starts_differ
from bonspiel.planners import Decision
from bonspiel.planners.contract.decisions import CheckedSearch
from bonspiel.planners.planner import traits_of
from bonspiel.runs.agreement import measure
from bonspiel.runs.agreement import study as studies
from bonspiel.runs.agreement.report import draw, tables
from bonspiel.runs.agreement.study import RUN, TREE, AgreementStudy, PositionSearch
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import RunError, Setting, UsageError
from bonspiel.runs.files import writing
from bonspiel.runs.progress import counted, progress
from bonspiel.runs.reporting.drawing import save_figure
from bonspiel.runs.results.work import Work
from bonspiel.runs.runner import backends, parallel
from bonspiel.runs.runner.backends import HERE, Place, Workers
from bonspiel.runs.runner.episode import failures_named
from bonspiel.runs.suite import model_of, modules, refuse_broken
from bonspiel.runs.tables import without_nan

RESULT, CHART = "agreement.json", "agreement.png"
SAME = ("env", "planner", "budget", "seed")  # of a study that is resumed
SPACING = 4  # steps between two positions of an episode
RANDOM = 0.2  # of the decisions are replaced by a random action
FEWEST = 200  # episodes without any position are enough to give up
MOST = 200  # episodes that are played at once
EPISODES = "episodes"

States = list[list[float]]


def main(study: AgreementStudy, folder: Path, resume: bool, jobs: int | None, place: Place = HERE) -> None:
    """Run a study and print its tables; the folder receives the searches, the result as JSON, and a chart.

    A study that is resumed may have other positions, workers and rules. All cores, or workers of a cluster, if `jobs`
    is None.
    """
    if study.model.horizon == 1 and not starts_differ(study.model):
        reason = "has one step and always starts alike, so that there is one position; bonspiel tree fits"
        raise UsageError(f"{study.env} {reason}")
    known = measure.known_optimum(study.model)
    with backends.connect(place, jobs) as workers:
        many = f"{counted(study.positions, 'position')}, each searched by {counted(study.most, 'worker')}"
        where = f"with {counted(workers.jobs, 'job')}, into {folder}"
        print(f"{study.planner} in {study.env}: {many} and larger trees, {where}", file=sys.stderr)
        states, columns = _searched(study, known, folder, resume, workers)
    summary = measure.summarise(study, columns, np.random.default_rng(study.seed))
    for table in tables(study, summary, known):
        print(f"{table}\n")
    given = {name: getattr(study, name) for name in (*SAME, "workers", "rules", "reference", "bandwidth")}
    each = {
        "state": states,
        "p0": columns["agrees", TREE, 1].tolist(),
        "limit": columns["limit",].tolist(),
        **{kind: measure.by_name(columns, kind, np.ndarray.tolist) for kind in ("agrees", "regret")},
    }
    result = {"study": given | {"optimum_known": known}, "summary": summary, "each": each}
    with writing(folder):
        (folder / RESULT).write_text(f"{json.dumps(without_nan(result), allow_nan=False)}\n", encoding="utf-8")
        paths = save_figure(draw(study, summary), folder / CHART)
    print(folder / RESULT, *paths, sep="\n")


def _searched(
    study: AgreementStudy, known: bool, folder: Path, resume: bool, workers: Workers
) -> tuple[States, measure.Columns]:
    """The positions of a study and their judged choices."""
    refuse_broken(study.planner, study.env, planners.parse, partial(model_of, study.env))
    outside = modules([Setting(study.env, study.planner, study.budget, "simulations", study.seed)])
    work = StudyWork(study, workers, outside)
    with work.kept(folder, resume, outside, **{name: getattr(study, name) for name in SAME}):
        states = work.positions()
        everywhere = list(studies.due(study, known))
        work.search(states, {index: everywhere for index in range(len(states))})
        rngs = (named_rng(f"choices|{study.planner}", study.seed, index) for index in range(len(states)))
        found = [measure.measured(study, partial(work.decision, index), rng) for index, rng in enumerate(rngs)]
        reference, for_values = studies.long_search(study).name, dict[int, list[PositionSearch]]()
        if not known and traits_of(study.player).takes_root_actions:
            for index, one in enumerate(found):
                best = work.decision(index, reference).action
                actions = np.unique(np.stack([best, one.runs[0], *one.choices.values()]), axis=0).tolist()
                for_values[index] = [studies.long_search(study, actions)]
            work.search(states, for_values)
    judged = []
    for index, (state, one) in enumerate(zip(states, found, strict=True)):
        if known:
            listed = work.decision(index, f"{RUN} 0").actions if study.kernel is None else None
            judged.append(measure.by_optimum(study.model, np.array(state), listed, one.actions))
        else:
            values = work.decision(index, for_values[index][0].name) if index in for_values else None
            judged.append(measure.by_search(work.decision(index, reference), study.kernel, values, one.actions))
    return states, measure.columns_of(study, found, judged)


def positions_of(env: str, planner: str, budget: int, seed: int, index: int) -> tuple[int, States]:
    """The index of an episode and its positions, each a state.

    The planner plays, and every decision is replaced by a random action with probability RANDOM; one position is taken
    in SPACING steps. Episodes of at most SPACING steps give one, at a step drawn at random, that random actions lead
    to. A start that is the same in all episodes is none.
    """
    model, player = model_of(env), planners.parse(planner)
    rng = named_rng(f"positions|{planner}|{budget}", seed, index)
    first, short = int(not starts_differ(model)), model.horizon <= SPACING
    if short:
        due = {int(rng.integers(first, model.horizon))}
    else:
        due = set(range(first + int(rng.integers(SPACING)), model.horizon, SPACING))
    found: States = []
    with failures_named(planner, env):
        search = CheckedSearch(player, model)
        state = model.initial_state(rng)
        for step in range(model.horizon):
            if step in due:
                found.append(state.tolist())
                if step == max(due):
                    break
            if short or rng.random() < RANDOM:
                action = np.empty(len(model.action_low))
                model.sample_action(state, action, model.params, rng)
            else:
                action = np.ascontiguousarray(search.plan(state, planners.Budget(budget), rng).action, np.float64)
            search.played(action)
            following = np.empty_like(state)
            if model.step(state, action, following, model.params, rng)[1]:
                break
            state = following
    return index, found


class StudyWork(Work[str | int, int | str, list[Any]]):
    """The positions of episodes (group EPISODES) by their index, and the searches of a position (its index) by name.

    Args:
        study: to do the work of.
        workers: connected workers.
        modules: of other packages, from which the planner or the environment come.
    """

    file, noun = "agreement.jsonl", "a study of agreement"

    def __init__(self, study: AgreementStudy, workers: Workers, modules: tuple[str, ...]) -> None:
        super().__init__()
        self.study, self._workers, self._modules = study, workers, modules

    def entry(self, group: str | int, results: Mapping[int | str, list[Any]]) -> list[Any]:
        """Of one episode, or of searches of one position."""
        return ["episode", *next(iter(results.items()))] if group == EPISODES else ["searches", group, results]

    def results(self, entry: Any) -> tuple[str | int, Mapping[int | str, list[Any]]]:
        """Of one episode, or of searches of one position."""
        kind, index, found = entry
        return (EPISODES, {index: found}) if kind == "episode" else (index, found)

    def decision(self, position: int, name: str) -> Decision:
        """The decision of a search."""
        return studies.decision_of(self.found[position][name])

    def positions(self) -> States:
        """The first positions of the episodes, in order; a RunError if there are none."""
        study, episodes = self.study, self.found[EPISODES]
        began, shown = time.monotonic(), 0
        with progress(study.positions, "positions found") as advance:
            while True:
                played = next(index for index in range(len(episodes) + 1) if index not in episodes)
                found = [state for index in range(played) for state in episodes[index]]
                if len(found) >= study.positions:
                    return found[: study.positions]
                if played >= FEWEST and not found:
                    raise RunError(f"{study.env} has no positions: {played} episodes of {study.planner} are empty")
                missing = study.positions - len(found)
                needed = missing * played / max(len(found), 1)  # if the next ones have as many
                advance(len(found) - shown, (time.monotonic() - began) / len(found) * missing if found else None)
                shown = len(found)
                due = range(played, played + min(MOST, max(self._workers.jobs, math.ceil(needed))))
                given = (study.env, study.planner, study.budget, study.seed)
                tasks = [(*given, index) for index in due if index not in episodes]
                for index, states in self._spread(positions_of, tasks):
                    self.add(EPISODES, {index: states})

    def search(self, states: States, wanted: Mapping[int, Sequence[PositionSearch]]) -> None:
        """Search positions, without the searches that are kept already; `wanted` are those of each index."""
        pending = {index: [one for one in wanted[index] if one.name not in self.found[index]] for index in wanted}
        due = {index: searches for index, searches in pending.items() if searches}
        costs = {index: sum(one.cost for one in searches) for index, searches in due.items()}
        left = total = sum(costs.values())
        began = time.monotonic()
        given = (self.study.env, self.study.planner, self.study.seed)
        tasks = [(*given, index, states[index], searches) for index, searches in due.items()]
        with progress(len(due), f"positions searched ({counted(total, 'simulation')})") as advance:
            for index, found in self._spread(studies.search_all, tasks):
                self.add(index, found)
                left -= costs[index]
                advance(1, (time.monotonic() - began) * left / (total - left))

    def _spread(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        given = (function, tasks, self._workers.jobs)
        with closing(parallel.spread(*given, backend=self._workers.backend, modules=self._modules)) as results:
            yield from results
