"""Two threads in one tree, against two searches at the same time in trees of their own."""

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.wrappers.root.workers import run_all
from bonspiel.planners.wrappers.threads.planner import SHARED
from bonspiel.runs.benchmarks.measurement import TRAP, Measurement

# simulations of both threads together
PROBLEMS = {"treasure_hunt:size=15": 100_000, "racetrack": 20_000, TRAP: 200_000}
REPEATS = 5


def shared_tree(texts: Sequence[str]) -> Iterator[Measurement]:
    """Two threads in one tree: CPU time of a simulation, in two trees it is 1, and simulations/s, of one thread 1.

    Two trees at the same time are what these two cores can do. The least of a few repeats, in turns.
    """
    for env, simulations in PROBLEMS.items():
        model = envs.parse(env)
        state = model.initial_state(np.random.default_rng(0))
        for text in texts:
            if type(planners.parse(text)) in SHARED and not planners.unsupported(planners.parse(text), model):
                yield from _of_planner(text, model, state, env, simulations)


def _of_planner(
    text: str, model: planners.Model, state: planners.Array, env: str, simulations: int
) -> Iterator[Measurement]:
    name = f"threads:inner=({text}),threads=2"
    inner, shared = planners.parse(text), planners.parse(name)
    half, whole = Budget(simulations // 2), Budget(simulations)

    def plan(seed: int, planner: planners.Planner, budget: Budget) -> object:
        return planner.plan(model, state, budget, np.random.default_rng(seed))

    (cpu, wall), (cpu_apart, wall_apart), (_, wall_alone) = least(
        (
            lambda seed: plan(seed, shared, whole),
            lambda seed: run_all("threads", plan, [(seed, inner, half), (seed + 1, inner, half)], together=True),
            lambda seed: plan(seed, inner, whole),
        )
    )
    yield Measurement("threads", cpu / cpu_apart, "x CPU of two trees", name, env, simulations)
    yield Measurement("threads", wall_alone / wall, "x simulations/s of one thread", name, env, simulations)
    yield Measurement("two trees", wall_alone / wall_apart, "x simulations/s of one thread", text, env, simulations)


def least(ways: Sequence[Callable[[int], object]]) -> list[tuple[float, float]]:
    """The least CPU and wall-clock seconds of each of some tasks, which take turns; a first turn warms up."""
    found: list[list[tuple[float, float]]] = [[] for _ in ways]
    for turn in range(REPEATS + 1):
        for times, way in zip(found, ways, strict=True):
            cpu, wall = time.process_time(), time.perf_counter()
            way(2 * turn)
            times.append((time.process_time() - cpu, time.perf_counter() - wall))
    return [(min(cpu for cpu, _ in times[1:]), min(wall for _, wall in times[1:])) for times in found]
