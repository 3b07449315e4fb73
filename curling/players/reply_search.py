"""A search of one shot and its reply with a learned value: screen, common random numbers, sequential halving.

1. Each aim of a grid is thrown once without errors, and the values that the network gives are smoothed by the errors of
   execution, as in root pre-search (`planners.wrappers.presearch`). The peaks and the rule-based candidates are kept.
2. They are thrown with the same quasi-random errors each (common random numbers), fewer and fewer with more and more.
   For the last shot of an end, which has no reply, better aims near the best of them join first
   (`curling.players.refinement`).
3. The finalists are compared a shot deeper by sequential halving (Karnin, Koren and Somekh 2013): the opponent has its
   best reply to each of their throws. What a reply is worth less what the network expected corrects the mean of 2,
   which knows more throws (a control variate).
4. Where the last stone of an end is the next one, the best of these are compared by the best last stone that a search
   finds after each of their throws (`curling.players.playing_on`).

Where the match is lost whatever is thrown, the shot that promised most before the reply is thrown.

Where no player has errors, each shot is thrown once, and replies are sought on a finer grid.
"""

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.ice.sheet import LAST_SHOT
from bonspiel.curling.match.state import shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.model_params import throwers_of
from bonspiel.curling.players.lookahead import (
    AIMS_KEPT,
    BEST_REPLIES,
    FEW,
    Scratch,
    after_throw,
    expect,
    look_further,
    new_scratch,
    screen,
)
from bonspiel.curling.players.playing_on import play_on, reserved
from bonspiel.curling.players.quasi_random import MOST_ERRORS, quasi_random_errors, sobol
from bonspiel.curling.players.refinement import MOST_REFINED, STEPS, ErrorGrid
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.core.aims import aims_of
from bonspiel.planners.core.jit import seconds_loading
from bonspiel.planners.core.search import PROGRESS_SECONDS, Stopped, reported, stopping
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget, Decision
from bonspiel.planners.wrappers.presearch.sweep import Sweep, grid_size, peaks, sweep_of

FEWEST, COARSE = 72, 256  # aims of the smallest grid, and of the one by which throws are timed
PEAKS = 16
FIRST_ERRORS = 16
REPLIES_AT_ONCE = 16  # to divide among threads; decisions are the same on however many
EXACT_SIZE = 16  # times the aims, where there are no errors: what is worth most may take an exact throw
GRIDS_SHARE = 0.8  # of what is left, for grids without errors, of last stones or of replies; candidates take the rest
SAME_HOPE = 0.0005  # of values before the replies: what differs by less is equal
CLOSING_SECONDS = 0.0005  # of a time budget, for what comes after the last throw

Shots = NDArray[np.int64]


def load_code() -> None:
    """Load all that a decision needs, before the clock of the first one starts."""
    import scipy.ndimage
    import scipy.special  # noqa: F401 - for later imports

    sobol()
    kernels: tuple[Any, ...] = screen, expect, look_further, after_throw
    for kernel in kernels:
        kernel.load()


class SearchSettings(NamedTuple):
    """Parameters; see `curling.players.champion.Champion`."""

    size: int
    screen_share: float
    finalists: int
    reply_aims: int
    reply_errors: int
    threads: int


class ReplySearch:
    """One decision. Values are those for the team to throw.

    Attributes:
        thrown: throws valued so far, replies included.
        aims: the shots compared, [A, 3].
        throws: errors of execution, [N, 4], in standard deviations.
        size: most aims in a grid.
        screen_share: of the budget.
        most_errors: with how many a shot may be thrown; 1 where no player has any.
        values: of each shot with each of them, by the network, [A or more, MOST_ERRORS]; the first `errors` of each.
        errors: with how many each was thrown, [A].
        rule_based: the number of the first of these shots that is rule-based; the simplest come first.
        corrections: for the first errors of each, what the best reply is worth less that value.
        reserved: throws of the budget that are kept for later.
    """

    aims: Array
    values: Array
    errors: NDArray[np.int64]
    rule_based: int
    corrections: list[list[float]]
    reserved = 0.0

    def __init__(
        self,
        settings: SearchSettings,
        model: Curling,
        state: Array,
        budget: Budget,
        rng: Rng,
        pool: ThreadPoolExecutor,
        start: float,
    ) -> None:
        """Begin; `start` is the clock when the budget began."""
        self.settings, self.model, self.state, self.budget, self.pool = settings, model, state, budget, pool
        self.rng, self.params, self.start, self.thrown = rng, model.params, start, 0
        bounds = (-math.inf, math.inf) if model.reward == "points" else model.return_bounds
        self.low, self.high = sorted(model.player(state, model.params) * bound for bound in bounds)
        self.shift, self.throws = rng.random(4), np.empty((0, 4))
        self.size, self.screen_share, self.most_errors = settings.size, settings.screen_share, MOST_ERRORS
        if not any(any(player.noise.sds) for player in throwers_of(model)):
            self.size, self.most_errors = EXACT_SIZE * settings.size, 1
            if shot_of(state) == LAST_SHOT:
                self.screen_share = GRIDS_SHARE
        self.reply_errors = quasi_random_errors(rng.random(4), 0, settings.reply_errors)
        grid = aims_of(model.aim_grid(state, settings.size))
        self.reply_aims = grid[rng.integers(len(grid), size=settings.reply_aims)]
        self.scratches = [new_scratch() for _ in range(settings.threads)]

    def decide(self, root_actions: Array | None) -> Decision:
        """Choose one of the actions given, or of all useful shots."""
        last, given = shot_of(self.state) == LAST_SHOT, root_actions is not None
        self.rule_based = 0
        if root_actions is None:
            screened, own = self.screened(), own_actions(self.model, self.state)
            root_actions, self.rule_based = np.concatenate([screened, own]), len(screened)
        self.values = np.empty((len(root_actions) + MOST_REFINED, MOST_ERRORS))
        self.aims, self.errors, self.corrections = root_actions[:0], np.zeros(0, np.int64), []
        self.join(root_actions)
        if self.thrown == 0 and self.budget.simulations is None:
            self.throw(np.arange(len(self.aims)), 1)  # to know the speed
        if last and not given and self.most_errors > 1:
            self.refine()
        best = self.finalists()
        if not last:
            if self.most_errors == 1:
                self.refine_replies(len(best))
            is_next_last = shot_of(self.state) == LAST_SHOT - 1 and self.most_errors > 1
            self.reserved = reserved(self.left()) if is_next_last and len(best) > 1 else 0.0
            best, is_played_on, self.reserved = self.compare_replies(best), self.reserved > 0.0, 0.0
            if is_played_on and len(self.answered) > 1:
                best = play_on(self)
        return self.decision(self.most_hopeful(best))

    def of_position(self, state: Array, budget: Budget, rng: Rng) -> "ReplySearch":
        """The search of another position, on the thread that asks for its decision."""
        return ReplySearch(
            self.settings._replace(threads=1), self.model, state, budget, rng, self.pool, time.perf_counter()
        )

    def join(self, aims: Array) -> Shots:
        """Compare these shots too; their numbers."""
        known, count = len(self.aims), len(aims)
        self.aims, self.errors = np.concatenate([self.aims, aims]), np.append(self.errors, np.zeros(count, np.int64))
        self.corrections += [[] for _ in range(count)]
        return np.arange(known, known + count)

    def left(self) -> float:
        """Throws left of the budget; of a time budget as the speed so far foretells."""
        if self.budget.simulations is not None:
            return self.budget.simulations - self.thrown - self.reserved
        elapsed = time.perf_counter() - self.start - seconds_loading(self.start)
        return ((self.budget.seconds or 0.0) - elapsed - CLOSING_SECONDS) * self.thrown / elapsed - self.reserved

    def screened(self) -> Array:
        """The peaks of the finest grid that the screen's share pays for; none where that is too small for any."""
        affordable = self.screen_share * self.left() if self.budget.simulations is not None else float(COARSE)
        if affordable < FEWEST:
            return np.empty((0, 3))
        sweep = self.screen(grid_size(int(affordable), self.size))
        if self.budget.simulations is None:
            size = grid_size(int(self.screen_share * self.left()), self.size)
            sweep = self.screen(size) if size > COARSE else sweep
        return peaks(sweep, PEAKS, self.rng)

    def screen(self, size: int) -> Sweep:
        """Throw a grid of aims without errors."""
        blocks = self.model.aim_grid(self.state, size)
        aims = aims_of(blocks)
        values = np.empty(len(aims))

        def throw(part: Shots, scratch: Scratch) -> int:
            here = slice(part[0], part[-1] + 1)
            screen(self.state, aims[here], self.params, self.rng, values[here], scratch)
            return len(part)

        self.thrown += sum(self.on_threads(throw, np.arange(len(aims))))
        return sweep_of(blocks, values, np.ones(len(aims)), len(aims))

    def on_threads(self, work: Callable[[Shots, Scratch], int], items: Shots) -> list[int]:
        """Work on parts of the items, one for each thread; the results."""
        if stopping():
            raise Stopped
        if len(self.scratches) == 1 or len(items) == 1:
            return [work(items, self.scratches[0])]
        parts = [part for part in np.array_split(items, len(self.scratches)) if len(part)]
        return list(self.pool.map(work, parts, self.scratches))

    def finalists(self) -> Shots:
        """The best shots by the network, best first: each time that their errors double, half of the shots stay."""
        last = shot_of(self.state) == LAST_SHOT
        goal, affordable = 2 if last else self.settings.finalists, max(1, int(self.left()))
        known = np.arange(len(self.aims))
        alive = (self.ranked(known) if self.errors.all() else known)[:affordable]
        upto = max(min(affordable // (2 * len(alive)), FIRST_ERRORS, self.most_errors), int(self.errors.max()), 1)
        while True:
            self.throw(alive, upto)
            alive = self.ranked(alive)
            more = min(2 * upto, self.most_errors)
            done = more == upto or (len(alive) <= goal and not last)
            alive = alive[: max(goal, -(-len(alive) // 2))]
            if done or (more - upto) * len(alive) > self.left() or reported(self.decision(alive)):
                return alive
            upto = more

    def refine(self) -> None:
        """Let better aims near the best shots join, as far as a third of what is left pays for each step."""
        shots, count = np.arange(len(self.aims)), FIRST_ERRORS * len(self.aims)
        for grid, most in STEPS:
            most = min(most, int((self.left() - count) / (3 * grid.size)))
            if most < 1:
                return
            self.throw(shots, FIRST_ERRORS)
            shots = self.join(self.refined(self.ranked(shots)[:most], grid))
            self.throw(shots, FIRST_ERRORS)

    def refined(self, shots: Shots, grid: ErrorGrid) -> Array:
        """The best aims near some shots, [shots, 3]."""
        found = np.empty((len(shots), 3))

        def work(part: Shots, scratch: Scratch) -> int:
            for at in part:
                aim, values = self.aims[shots[at]], np.empty((1, grid.size))
                errors = grid.errors(self.model, self.state, aim)
                expect(self.state, aim[None], errors, self.params, self.rng, values, scratch)
                found[at] = grid.best(self.model, self.state, aim, values[0])
            return len(part) * grid.size

        self.thrown += sum(self.on_threads(work, np.arange(len(shots))))
        return found

    def throw(self, shots: Shots, upto: int) -> None:
        """Throw each of the shots with `upto` errors in all."""
        if upto > len(self.throws):
            self.throws = np.concatenate([self.throws, quasi_random_errors(self.shift, len(self.throws), upto)])

        def work(part: Shots, scratch: Scratch) -> int:
            for i in part:
                first = self.errors[i]
                new = self.values[i : i + 1, first:upto].copy()
                expect(self.state, self.aims[i : i + 1], self.throws[first:upto], self.params, self.rng, new, scratch)
                self.values[i, first:upto], self.errors[i] = new[0], upto
            return int(len(part) * (upto - first))

        self.thrown += sum(self.on_threads(work, shots))

    def refine_replies(self, shots: int) -> None:
        """Let the opponent try the finest grid that is paid for, since without errors a throw of each says all."""
        size = grid_size(int(GRIDS_SHARE * self.left() / shots), self.size)
        self.reply_aims, self.reply_errors = aims_of(self.model.aim_grid(self.state, size)), self.reply_errors[:1]

    def compare_replies(self, alive: Shots) -> Shots:
        """The finalists, best first, by the opponent's replies: half of them stay after each part of the budget."""
        phases, cost, reported_at = max(1, math.ceil(math.log2(len(alive)))), 100.0, time.perf_counter()
        at_most = self.most_throws() if self.budget.simulations is not None else 0
        for phase in range(phases):
            left, most = self.left(), max(self.most_errors >> (phases - 1 - phase), 1)
            keep = left * (1.0 - 1.0 / (phases - phase))
            while (replied := len(self.corrections[alive[0]])) < most:
                affordable = int((self.left() - keep) / (cost * len(alive)))
                more = (
                    replied if replied == self.errors[alive].min() else 0
                )  # errors, for all replies to be thrown with
                if at_most:
                    affordable = min(affordable, int((self.left() - more * len(alive)) / (at_most * len(alive))))
                if affordable < 1:
                    break
                if more:
                    self.throw(alive, min(2 * replied, MOST_ERRORS))
                upto = replied + min(affordable, max(1, REPLIES_AT_ONCE // len(alive)))
                upto = min(upto, most, int(self.errors[alive].min()))
                before = self.thrown
                self.reply(alive, replied, upto)
                cost = (self.thrown - before) / (len(alive) * (upto - replied))
                if time.perf_counter() - reported_at > PROGRESS_SECONDS:
                    alive, reported_at = self.ranked(alive), time.perf_counter()
                    if reported(self.decision(alive)):
                        return alive
            alive = self.ranked(alive)
            if phase < phases - 1:
                alive = alive[: max(2, -(-len(alive) // 2))]
        return alive

    def most_throws(self) -> int:
        """Throws that no reply exceeds, for a budget of simulations to be kept."""
        candidates, errors = self.model.max_actions + AIMS_KEPT, len(self.reply_errors)
        return 1 + len(self.reply_aims) + candidates * min(FEW, errors) + BEST_REPLIES * max(errors - FEW, 0)

    def reply(self, shots: Shots, first: int, upto: int) -> None:
        """Value the best replies to each of the shots, thrown with errors first..upto-1."""
        thrown_with = [(i, number) for number in range(first, upto) for i in shots]
        found = np.empty(len(thrown_with))

        def work(part: Shots, scratch: Scratch) -> int:
            thrown, value = 0, np.empty((1, 1))
            for at in part:
                i, number = thrown_with[at]
                aim, error = self.aims[i : i + 1], self.throws[number : number + 1]
                replies = self.reply_aims, self.reply_errors
                thrown += look_further(self.state, aim, error, *replies, self.params, self.rng, value, scratch)
                found[at] = value[0, 0] - self.values[i, number]
            return thrown

        self.thrown += sum(self.on_threads(work, np.arange(len(found))))
        for (i, _), correction in zip(thrown_with, found.tolist(), strict=True):
            self.corrections[i].append(correction)

    def most_hopeful(self, best: Shots) -> Shots:
        """The best shots; where the best replies leave all of them lost, or all are equal, the most hopeful one.

        It is worth most before the reply. Of equals it is the simplest: the first of the rule-based shots.
        """
        tried = np.flatnonzero(self.errors)
        answered = self.answered
        hopes = np.array([self.values[i, : self.errors[i]].mean() for i in tried])
        replied = [self.values[i, : len(self.corrections[i])] + self.corrections[i] for i in answered]
        if len(answered) and max(values.mean() for values in replied) <= self.low + self.model.indifference:
            tried, hopes = answered, hopes[np.isin(tried, answered)]
        elif np.ptp(hopes) > 0.0:
            return best
        equals = tried[hopes >= hopes.max() - SAME_HOPE]
        return np.append(min(equals, key=lambda i: (i < self.rule_based, i)), best)

    @property
    def answered(self) -> Shots:
        """The shots to which replies were valued."""
        return np.array([i for i, found in enumerate(self.corrections) if found], np.int64)

    def ranked(self, shots: Shots) -> Shots:
        """The shots, best first."""
        return shots[np.argsort(-self.means(shots), kind="stable")]

    def means(self, shots: Shots) -> Array:
        """Estimates of the values of some shots."""
        network = [self.values[i, : self.errors[i]].mean() for i in shots]
        return np.array(network) + [np.mean(self.corrections[i]) if self.corrections[i] else 0.0 for i in shots]

    def decision(self, best: Shots) -> Decision:
        """The decision so far."""
        tried = self.errors > 0
        values = np.full(len(self.aims), np.nan)
        values[tried] = np.clip(self.means(np.flatnonzero(tried)), self.low, self.high)  # corrected means may be beyond
        visits = self.errors + np.array([len(corrections) for corrections in self.corrections], np.int64)
        action, value, seconds = self.aims[best[0]].copy(), float(values[best[0]]), time.perf_counter() - self.start
        return Decision(action, value, self.thrown, seconds, self.aims, visits, values)
