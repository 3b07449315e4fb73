"""Speed of the engines of curling, of playouts, candidates and the pre-search."""

import statistics
import time
from collections.abc import Iterator, Sequence

import numpy as np

from bonspiel.curling import make_engine
from bonspiel.curling.benchmarks.positions import SPIN, random_board, random_shots, state_after
from bonspiel.curling.ice.engines import Engine
from bonspiel.curling.ice.engines.analytic import WORKSPACE, shoot
from bonspiel.curling.ice.execution import noisy_velocity
from bonspiel.curling.ice.noise import noise_of
from bonspiel.curling.ice.physics import FCV1
from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.model import Curling
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import MATRIX, PROBLEM, RNG, VECTOR, Problem, int64, kernel, problem_of, rollout
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget
from bonspiel.planners.wrappers.presearch import Presearch
from bonspiel.runs.benchmarks.measurement import Measurement

STONES_ON_SHEET = 5
DRAWS = ((-0.05, 2.3), (0.2, 2.45))  # m/s, lowest and highest (vx, vy); most of these stones stay in play
CAP = FCV1.max_speed


def microseconds(engine: Engine, count: int, boards: int, shots: int, rng: Rng) -> Array:
    """CPU time per shot with `count` stones on the sheet, from one call of `shots` shots on each of the boards."""
    times = np.empty(boards)
    for n in range(boards):
        board, (velocities, spins) = random_board(count, rng), random_shots(shots, rng)
        start = time.process_time()
        engine.shots(board, STONES - 1, velocities, spins)
        times[n] = 1e6 * (time.process_time() - start) / shots
    return times


@kernel(int64(int64, MATRIX, MATRIX, MATRIX, VECTOR, RNG))
def _play_ends(ends: int, stones: Array, workspace: Array, aims: Array, noise: Array, rng: Rng) -> int:
    """Play ends of 16 noisy draws each; the total number of stones left."""
    left = 0
    for _ in range(ends):
        stones[:] = np.nan
        for shot in range(STONES):
            vx = aims[0, 0] + (aims[1, 0] - aims[0, 0]) * rng.random()
            vy = aims[0, 1] + (aims[1, 1] - aims[0, 1]) * rng.random()
            side = 1.0 if rng.random() < 0.5 else -1.0
            vx, vy = noisy_velocity(side * vx, vy, CAP, noise, rng)
            shoot(stones, shot, vx, vy, side * SPIN, 0, workspace)
        for shot in range(STONES):
            left += not np.isnan(stones[shot, 0])
    return left


def ends_of_draws(ends: int, rng: Rng) -> tuple[float, float]:
    """Ends of 16 noisy draws per second of CPU time, and the mean number of stones left."""
    stones, workspace, noise = no_stones(), np.empty(WORKSPACE), noise_of("normal_dist").params
    start = time.process_time()
    left = _play_ends(ends, stones, workspace, np.array(DRAWS), noise, rng)
    return ends / (time.process_time() - start), left / ends


@kernel(PROBLEM, MATRIX, int64, RNG)
def _play_out(problem: Problem, scratch: Array, ends: int, rng: Rng) -> float:
    """The mean return of playouts, called as from a search."""
    total = 0.0
    for _ in range(ends):
        copy(problem.state, scratch[0])
        total += rollout(problem, scratch[0], scratch[1], STONES, rng)
    return total / ends


def playout_rate(state: Array, ends: int, rng: Rng) -> float:
    """Playouts of the default policy per second of CPU time, from a state to the end of the end."""
    model = Curling()
    problem, scratch = problem_of(model, state, strict=True), np.empty((2, model.state_dim))
    start = time.process_time()
    _play_out(problem, scratch, ends, rng)
    return ends / (time.process_time() - start)


def candidate_microseconds(state: Array, repeats: int) -> float:
    """CPU time to find the candidate shots of a state."""
    model = Curling()
    out, keys = np.empty((model.max_actions, 3)), np.empty(model.max_actions, np.uint64)
    start = time.process_time()
    for _ in range(repeats):
        model.actions(state, model.params, out, keys)
    return 1e6 * (time.process_time() - start) / repeats


def policy_figures(rng: Rng) -> tuple[float, float, float]:
    """Playouts/s from the empty sheet; playouts/s and us for all candidates, medians of 9 states after 12 shots."""
    late = [state_after(seed, STONES - 4) for seed in range(9)]
    whole = playout_rate(Curling().initial_state(rng), 20_000, rng)
    last = float(np.median([playout_rate(state, 20_000, rng) for state in late]))
    return whole, last, float(np.median([candidate_microseconds(state, 20_000) for state in late]))


def presearch_seconds() -> float:
    """CPU time of a pre-search of 4,284 aims x 47 rounds; median of 6 states after 8 shots."""
    model, planner, times = Curling().planning(), Presearch(), []
    evaluations = 47 * planner.size
    for seed in range(6):
        for simulations in (planner.size, evaluations):  # the first run builds the grid
            start = time.process_time()
            budget = Budget(simulations=round(simulations / planner.share))
            planner.sweep(model, state_after(seed, STONES // 2), budget, np.random.default_rng(seed))
        times.append(time.process_time() - start)
    return float(np.median(times))


def curling_engines(texts: Sequence[str]) -> Iterator[Measurement]:
    """Shots with 5 stones, noisy ends, playouts, candidates and the pre-search."""
    rng = np.random.default_rng(0)
    for name, boards, shots in (("analytic", 50, 2_000), ("box2d", 5, 2)):
        micros = microseconds(make_engine(name), STONES_ON_SHEET, boards, shots, rng)
        yield Measurement("curling", 1e6 / statistics.median(micros), "shots/s", "(none)", f"{name} engine, fcv1")
    ends, _ = ends_of_draws(20_000, rng)
    yield Measurement("curling", ends, "ends/s", "(none)", "16 noisy draws, analytic engine")
    whole, last, a_position = policy_figures(rng)
    yield Measurement("curling", whole, "playouts/s", "(none)", "default policy, from the empty sheet")
    yield Measurement("curling", last, "playouts/s", "(none)", "default policy, last 4 shots, median of 9 positions")
    yield Measurement("curling", a_position, "us", "(none)", "all candidates, median of 9 positions after 12 shots")
    yield Measurement("curling", presearch_seconds(), "s", "presearch", "4,284 aims x 47 rounds, median of 6")
