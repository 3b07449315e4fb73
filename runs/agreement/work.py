"""The work of a study: its positions and searches, each done once on some worker and kept in a file."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any

from bonspiel.planners import Decision
from bonspiel.runs.agreement import positions
from bonspiel.runs.agreement.searches import Search, cost, decision_of, search_all
from bonspiel.runs.agreement.study import Study
from bonspiel.runs.experiment import RunError
from bonspiel.runs.progress import counted, progress
from bonspiel.runs.results.work import Work
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.backends import Workers

FEWEST = 200  # episodes without any position are enough to give up
MOST = 200  # episodes that are played at once

States = list[list[float]]
EPISODES = "episodes"


class StudyWork(Work[str | int, int | str, list[Any]]):
    """The positions of episodes (group EPISODES) by their index, and the searches of a position (its index) by name.

    Args:
        study: to do the work of.
        workers: connected workers.
        modules: of other packages, from which the planner or the environment come.
    """

    file, noun = "agreement.jsonl", "a study of agreement"

    def __init__(self, study: Study, workers: Workers, modules: tuple[str, ...]) -> None:
        super().__init__()
        self.study, self._workers, self._modules = study, workers, modules

    def entry(self, group: str | int, results: Mapping[int | str, list[Any]]) -> list[Any]:
        """Of one episode, or of searches of one position."""
        if group == EPISODES:
            ((index, states),) = results.items()
            return ["episode", index, states]
        return ["searches", group, results]

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
        began = time.monotonic()
        with progress(study.positions, "positions found") as advance:
            shown = 0
            while True:
                played = next(index for index in range(len(episodes) + 1) if index not in episodes)
                found = [state for index in range(played) for state in episodes[index]]
                if len(found) >= study.positions:
                    return found[: study.positions]
                if played >= FEWEST and not found:
                    raise RunError(f"{study.env} has no positions: {played} episodes of {study.planner} are empty")
                missing = study.positions - len(found)
                needed = missing * played / max(len(found), 1)  # if the next ones have as many
                seconds = (time.monotonic() - began) / len(found) * missing if found else None
                advance(len(found) - shown, seconds)
                shown = len(found)
                due = range(played, played + min(MOST, max(self._workers.jobs, math.ceil(needed))))
                given = (study.env, study.planner, study.budget, study.seed)
                tasks = [(*given, index) for index in due if index not in episodes]
                for index, states in self._spread(positions.of_episode, tasks):
                    self.add(EPISODES, {index: states})

    def search(self, states: States, wanted: Mapping[int, Sequence[Search]]) -> None:
        """Search positions, without the searches that are kept already.

        Args:
            states: the positions.
            wanted: their searches, by their indices.

        Raises:
            RunError: a search failed.
        """
        due: dict[int, list[Search]] = {}
        for index, searches in wanted.items():
            if pending := [one for one in searches if one.name not in self.found[index]]:
                due[index] = pending
        left = total = sum(map(cost, due.values()))
        began = time.monotonic()
        given = (self.study.env, self.study.planner, self.study.seed)
        tasks = [(*given, index, states[index], searches) for index, searches in due.items()]
        with progress(len(due), f"positions searched ({counted(total, 'simulation')})") as advance:
            for index, found in self._spread(search_all, tasks):
                self.add(index, found)
                left -= cost(due[index])
                advance(1, (time.monotonic() - began) * left / (total - left))

    def _spread(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterable[Any]:
        workers = self._workers
        given = (function, tasks, workers.jobs)
        with closing(parallel.spread(*given, backend=workers.backend, modules=self._modules)) as results:
            yield from results
