"""Speed of curling on one core; `bonspiel bench` prints the other figures.

python -m bonspiel.curling.bench                                    print the time of a shot by number of stones
python -m bonspiel.curling.bench docs/results/curling-speed.svg     also save a chart
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bonspiel.curling.choice.policy import default_shot
from bonspiel.curling.ice.engines import Engine, make_engine
from bonspiel.curling.ice.engines.analytic import WORKSPACE, shoot
from bonspiel.curling.ice.execution import noisy_velocity
from bonspiel.curling.ice.noise import noise_of
from bonspiel.curling.ice.physics import FCV1
from bonspiel.curling.ice.sheet import STONE_RADIUS, STONES, no_stones
from bonspiel.curling.match.state import FREE_GUARD, stones_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.planners.core.tree.nodes import copy
from bonspiel.planners.jit import MATRIX, PROBLEM, RNG, VECTOR, Problem, int64, kernel, problem_of, rollout
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget
from bonspiel.planners.wrappers.presearch import Presearch

DRAWS_AND_HITS = ((-0.15, 2.3), (0.25, 2.8))  # m/s, lowest and highest (vx, vy)
DRAWS = ((-0.05, 2.3), (0.2, 2.45))  # the same; most of these stones stay in play
SPIN, CAP = FCV1.launch_spin, FCV1.max_speed


def random_board(count: int, rng: Rng) -> Array:
    """Non-overlapping stones in rows 0..count - 1, uniform between hog line and back line of fcv1, [16, 2]."""
    stones = no_stones()
    placed = 0
    while placed < count:
        place = rng.uniform((-2.2, 32.2), (2.2, 40.3))
        if not (np.hypot(*(stones[:placed] - place).T) < 2.0 * STONE_RADIUS).any():
            stones[placed] = place
            placed += 1
    return stones


def random_shots(n: int, rng: Rng) -> tuple[Array, Array]:
    """Velocities [n, 2] of draws and hits of fcv1, and spins [n] of both signs."""
    return rng.uniform(*DRAWS_AND_HITS, (n, 2)), rng.choice([-1.0, 1.0], n) * SPIN


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


def state_after(seed: int, shots: int) -> Array:
    """The state of a single end after a number of noisy shots of the default policy."""
    model, rng = Curling(), np.random.default_rng(seed)
    state, following, aim = model.initial_state(rng), np.empty(model.state_dim), np.empty(3)
    for shot in range(shots):
        free_guard = int(model.params[FREE_GUARD])
        default_shot(0, stones_of(state), shot, team_of(state), free_guard, False, aim, rng)
        model.step(state, model.aim(*aim), following, model.params, rng)
        state, following = following, state
    return state


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
    problem, scratch = problem_of(model, state), np.empty((2, model.state_dim))
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


def print_times(counts: range, rng: Rng) -> Iterator[tuple[int, Array]]:
    """Print and yield the analytic engine's microseconds per shot for each number of stones."""
    engine = make_engine("analytic")
    for count in counts:
        times = microseconds(engine, count, 100, 2000, rng)
        median = np.median(times)
        print(f"analytic, {count:2d} stones on the sheet: {median:5.2f} us a shot, {1e6 / median:10,.0f} shots/s")
        yield count, times


def save_chart(figures: dict[int, Array], file: Path) -> None:
    """Save a chart of the time per shot by number of stones: the median and the middle 80 % of boards."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 3.6), layout="constrained")
    axes = figure.add_subplot()
    low, middle, high = np.quantile(list(figures.values()), (0.1, 0.5, 0.9), axis=1)
    axes.fill_between(list(figures), low, high, color="#0072B2", alpha=0.2, linewidth=0, label="80 % of boards")
    axes.plot(list(figures), middle, color="#0072B2", marker="o", markersize=4, label="median board")
    axes.set(xlabel="stones on the sheet", ylabel="µs per shot, one core", xlim=(0, max(figures)), ylim=(0, None))
    axes.set_title("Analytic engine: draws and hits, vy 2.3 to 2.8 m/s")
    axes.grid(color="#e6e6e6")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    with rc_context({"svg.hashsalt": "bonspiel"}):
        figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    measured = dict(print_times(range(STONES), np.random.default_rng(0)))
    if len(sys.argv) > 1:
        save_chart(measured, Path(sys.argv[1]))
