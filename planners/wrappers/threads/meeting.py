"""The threads of one search: each extends the tree until it is full, then all wait while it grows."""

import math
import threading
from typing import Any

from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.search import INTERRUPT_SECONDS, Stopped, extend, stopping
from bonspiel.planners.model import Model, Rng
from bonspiel.planners.planner import Budget
from bonspiel.planners.wrappers.threads.shared_tree import STOPPED, WANTS_ROOM, SharedTree, SharedWalk, grow


class Meeting:
    """The meeting point of a search's threads when their tree is full.

    Args:
        tree: the tree that they share.
        threads: number of threads.
        steps: of a simulation, at most.
    """

    def __init__(self, tree: SharedTree, threads: int, steps: int) -> None:
        """All threads are at work."""
        self.tree = tree
        self._threads, self._steps = threads, steps
        self._working, self._waiting, self._factor, self._grown = threads, 0, math.inf, 0
        self._change = threading.Condition()

    def search(
        self,
        kernel: Any,
        model: Model,
        walk: SharedWalk,
        problem: Problem,
        settings: Any,
        budget: Budget,
        rng: Rng,
        start: float,
    ) -> int:
        """Run one thread's simulations; their number. `start` is the clock when the plan began.

        Raises:
            Stopped: see `stopped_by`; or another thread has failed.
        """
        try:
            _, done = extend(
                kernel,
                self.tree,
                walk,
                problem,
                model=model,
                settings=settings,
                budget=budget,
                rng=rng,
                grow=self._more_room,
                start=start,
            )
        except BaseException:
            self.tree.size[0, STOPPED] = 1  # others may wait for what this thread began
            raise
        finally:
            with self._change:
                self._working -= 1
                self._grow_if_all_wait()
                self._change.notify_all()
        return done

    def _more_room(self, _: SharedTree, walk: SharedWalk, factor: float) -> SharedTree:
        """The tree with more room, once all threads that are at work have come here."""
        with self._change:
            self._waiting += 1
            self._factor = min(self._factor, factor)  # a thread that has just begun predicts far too much
            turn = self._grown
            self._grow_if_all_wait()
            while not self._change.wait_for(lambda: self._grown > turn or self._is_over(), INTERRUPT_SECONDS):
                pass
            if self._is_over():
                raise Stopped
            walk.pool[WANTS_ROOM] = 0
            return self.tree

    def _is_over(self) -> bool:
        """True if the search ends without a decision; some of its threads may then never come, or not have started."""
        return bool(self.tree.size[0, STOPPED]) or stopping()

    def _grow_if_all_wait(self) -> None:
        if self._waiting > 0 and self._waiting == self._working:
            if not self._is_over():
                self.tree = grow(self.tree, self._threads, self._steps, self._factor)
            self._waiting, self._factor, self._grown = 0, math.inf, self._grown + 1
            self._change.notify_all()
