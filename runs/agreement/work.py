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
from bonspiel.runs.results.lines import Add
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.backends import Workers

FEWEST = 200  # episodes without any position are enough to give up
MOST = 200  # episodes that are played at once

States = list[list[float]]


class Kept:
    """The content of the file.

    Attributes:
        episodes: the positions of each episode.
        searches: the decision of each search, by its position and its name.
    """

    def __init__(self) -> None:
        self.episodes: dict[int, States] = {}
        self.searches: dict[int, dict[str, list[Any]]] = {}

    def take(self, entry: Any) -> None:
        """Take an entry: an episode's positions, or a position's searches."""
        kind, index, found = entry
        if kind == "episode":
            self.episodes[index] = found
        else:
            self.searches.setdefault(index, {}).update(found)

    def decision(self, position: int, name: str) -> Decision:
        """The decision of a search."""
        return decision_of(self.searches[position][name])


class Work:
    """Does the work that is not in the file yet.

    Args:
        study: to do the work of.
        workers: connected workers.
        modules: of other packages, from which the planner or the environment come.
        kept: the content of the file.
        add: adds an entry to the file.
    """

    def __init__(self, study: Study, workers: Workers, modules: tuple[str, ...], kept: Kept, add: Add) -> None:
        self.study, self.kept = study, kept
        self._workers, self._modules, self._add = workers, modules, add

    def positions(self) -> States:
        """The first positions of the episodes, in order.

        Raises:
            RunError: an episode failed, or there are no positions.
        """
        study, episodes = self.study, self.kept.episodes
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
                    self._keep("episode", index, states)

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
            have = self.kept.searches.get(index, {})
            if pending := [one for one in searches if one.name not in have]:
                due[index] = pending
        left = total = sum(map(cost, due.values()))
        began = time.monotonic()
        given = (self.study.env, self.study.planner, self.study.seed)
        tasks = [(*given, index, states[index], searches) for index, searches in due.items()]
        with progress(len(due), f"positions searched ({counted(total, 'simulation')})") as advance:
            for index, found in self._spread(search_all, tasks):
                self._keep("searches", index, found)
                left -= cost(due[index])
                advance(1, (time.monotonic() - began) * left / (total - left))

    def _keep(self, kind: str, index: int, found: Any) -> None:
        entry = [kind, index, found]
        self._add(entry)
        self.kept.take(entry)

    def _spread(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterable[Any]:
        workers = self._workers
        given = (function, tasks, workers.jobs)
        with closing(parallel.spread(*given, backend=workers.backend, modules=self._modules)) as results:
            yield from results
