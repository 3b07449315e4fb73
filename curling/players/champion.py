"""The strongest player: `curling.players.reply_search` with the value that was learned by self-play."""

import functools
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import TIME
from bonspiel.curling.model import Curling
from bonspiel.curling.model_params import why_no_weights
from bonspiel.curling.players.evaluation import with_nearest_network, with_network_table
from bonspiel.curling.players.quasi_random import MOST_ERRORS
from bonspiel.curling.players.reply_search import FIRST_ERRORS, ReplySearch, SearchSettings, load_code
from bonspiel.planners.checks import check_actions, require, require_count, require_positive, steps_left
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Traits, check_plan
from bonspiel.planners.wrappers.presearch.planner import Presearch
from bonspiel.planners.wrappers.presearch.ties import by_second_reward
from bonspiel.planners.wrappers.root.workers import is_worker
from bonspiel.planners.wrappers.valued import with_values


@dataclass(frozen=True)
class Champion:
    """The strongest player, with the network of the package that fits the game best; a line says if it is for another.

    In the physics dc2 and without a network `presearch` plays, and a line says why.

    With the same seed and a budget of simulations, which are throws valued, the decision is the same on however many
    threads.

    Args:
        threads: how many search; None is one for each core that the process may use.
        size: most aims in the grid of the screen.
        screen_share: part of the budget that the screen may take, above 0 and below 1.
        finalists: shots that are compared by the opponent's replies, at least 2.
        reply_aims: aims of the grid that join the candidates as replies.
        reply_errors: errors with which the best replies are thrown.
    """

    threads: int | None = None
    size: int = 4_284
    screen_share: float = 0.25
    finalists: int = 8
    reply_aims: int = 32
    reply_errors: int = 8

    traits: ClassVar[Traits] = Traits(rolls_out=False)

    def __post_init__(self) -> None:
        if self.threads is not None:
            require_count("threads", self.threads, 1, 1024)
        require_count("size", self.size)
        require_positive("screen_share", self.screen_share, 1.0)
        require(self.screen_share < 1.0, "screen_share", self.screen_share, "below 1")
        require_count("finalists", self.finalists, 2)
        require_count("reply_aims", self.reply_aims, 0)
        require_count("reply_errors", self.reply_errors, 1, MOST_ERRORS)

    def unsupported(self, model: Model) -> str | None:
        """The reason why a model cannot be searched, or None; see `planners.Planner`."""
        return None if isinstance(model, Curling) and model.compiled else "curling on the analytic engine only"

    def announce(self, model: Model) -> None:
        """Say once on standard error if the network is for another game, or none is there; see `planners.Planner`."""
        if not isinstance(model, Curling) or is_worker():
            return
        if (reason := why_no_weights(model)) is not None:
            other = with_nearest_network(model)
            played = "plays with the network of another game" if other else "leaves this game to presearch"
            _print_once(f"bonspiel: champion {played}: {reason}")

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose a shot; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng, root_actions)
        steps_left(model, state)
        given = None if root_actions is None else check_actions(model, root_actions)
        curling: Any = model
        if curling.reward == "win":
            curling = curling.planning()
        self.announce(curling)
        with_network = with_nearest_network(curling)
        if with_network is None:
            return Presearch().plan(curling, state, budget, rng, given)
        curling = with_network
        if curling.table is None and not curling.is_mixed:
            curling = with_network_table(curling)
        if curling.reward == "points":  # the network knows no end but this one
            curling = replace(curling, ends=int(state[TIME]) // STONES + 1, extra_ends=0)
        load_code()
        threads, start = self.threads or _cores(), time.perf_counter()
        settings = SearchSettings(
            self.size, self.screen_share, self.finalists, self.reply_aims, self.reply_errors, threads
        )
        with ThreadPoolExecutor(threads) as pool:

            def search(of: Any, part: Budget, begun: float, actions: Array | None) -> Decision:
                found = ReplySearch(settings, of, state, part, rng, pool, begun)
                return found.decide(given if actions is None else actions)

            # whether all returns tie is asked of the network too
            return by_second_reward(with_values(curling), state, budget, rng, start, search, FIRST_ERRORS)


@functools.cache
def _print_once(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _cores() -> int:
    """Those that this process may use; one for a job of several, which have the others."""
    if is_worker():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
