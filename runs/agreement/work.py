"""The work of a study: its positions and their searches, each done once on some worker and kept in a file."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from bonspiel import planners
from bonspiel.planners import Decision, Model
from bonspiel.planners.contract.decisions import CheckedSearch
from bonspiel.runs.agreement.study import AgreementStudy, PositionSearch, decision_of, search_all
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import RunError, UsageError
from bonspiel.runs.progress import counted, progress
from bonspiel.runs.results.work import Work
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.backends import Workers
from bonspiel.runs.runner.episode import failures_named
from bonspiel.runs.statistics.regret import starts_differ
from bonspiel.runs.suite import model_of

SPACING = 4  # steps between two positions of an episode
RANDOM = 0.2  # of the decisions are replaced by a random action
FEWEST = 200  # episodes without any position are enough to give up
MOST = 200  # episodes that are played at once
EPISODES = "episodes"

States = list[list[float]]


def refuse_one_position(env: str, model: Model) -> None:
    """Refuse an environment with a single position.

    Raises:
        UsageError: it has a single step and a single start.
    """
    if model.horizon == 1 and not starts_differ(model):
        raise UsageError(
            f"{env} has one step and always starts alike, so that there is one position; bonspiel tree fits"
        )


def positions_of(env: str, planner: str, budget: int, seed: int, index: int) -> tuple[int, States]:
    """The index of an episode and its positions, each a state.

    The planner plays, and every decision is replaced by a random action with probability RANDOM; one position is taken
    in SPACING steps. Episodes of at most SPACING steps give one, at a step drawn at random, that random actions lead
    to. A start that is the same in all episodes is none.

    Raises:
        RunError: the planner or the environment failed.
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
        return decision_of(self.found[position][name])

    def positions(self) -> States:
        """The first positions of the episodes, in order.

        Raises:
            RunError: an episode failed, or there are no positions.
        """
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
        """Search positions, without the searches that are kept already.

        Args:
            states: the positions.
            wanted: their searches, by their indices.

        Raises:
            RunError: a search failed.
        """
        due: dict[int, list[PositionSearch]] = {}
        for index, searches in wanted.items():
            if pending := [one for one in searches if one.name not in self.found[index]]:
                due[index] = pending
        costs = {index: sum(one.cost for one in searches) for index, searches in due.items()}
        left = total = sum(costs.values())
        began = time.monotonic()
        given = (self.study.env, self.study.planner, self.study.seed)
        tasks = [(*given, index, states[index], searches) for index, searches in due.items()]
        with progress(len(due), f"positions searched ({counted(total, 'simulation')})") as advance:
            for index, found in self._spread(search_all, tasks):
                self.add(index, found)
                left -= costs[index]
                advance(1, (time.monotonic() - began) * left / (total - left))

    def _spread(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterable[Any]:
        given = (function, tasks, self._workers.jobs)
        with closing(parallel.spread(*given, backend=self._workers.backend, modules=self._modules)) as results:
            yield from results
