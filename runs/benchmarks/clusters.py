"""`bonspiel bench --workers`: overhead and gain of worker processes, here or on a cluster."""

import time
from contextlib import closing

from bonspiel.runs.experiment import Setting
from bonspiel.runs.progress import counted
from bonspiel.runs.runner import backends, parallel
from bonspiel.runs.runner.backends import Place, Workers
from bonspiel.runs.runner.schedule import Schedule

WARM_UP = 20  # tasks a worker, before anything is measured
LEARNING = 5.0  # s, of what an episode costs
TASKS = 2_000  # empty ones
SECONDS = 20.0  # of planning
EPISODES = 200_000  # more than are played while it is measured
SETTING = Setting("trap", "dpw", 1_000, "simulations", 0)


def nothing(number: int) -> int:
    """The shortest task."""
    return number


def empty(workers: Workers, tasks: int) -> tuple[float, float]:
    """Seconds, and the driver's seconds of processor, that an empty task takes."""
    first = WARM_UP * workers.jobs
    calls = ((n,) for n in range(tasks + first))
    with closing(parallel.spread(nothing, calls, workers.jobs, backend=workers.backend)) as results:
        for _ in range(first):
            next(results)
        wall, processor = time.perf_counter(), time.process_time()
        done = sum(1 for _ in results)
    return (time.perf_counter() - wall) / done, (time.process_time() - processor) / done


def steady(workers: Workers, seconds: float) -> tuple[float, float]:
    """Play batches of a second, as in a long run, and measure for some seconds after LEARNING.

    Returns:
        Episodes a second, and the share of the workers' time that they play.
    """
    schedule = Schedule({SETTING: range(EPISODES)}, workers.jobs)
    episodes, playing, wall, begin = 0, 0.0, 0.0, None
    learnt = time.perf_counter() + LEARNING
    with closing(parallel.run(schedule, workers)) as batches:
        for batch in batches:
            now = time.perf_counter()
            if begin is not None:
                episodes, playing, wall = episodes + len(batch.results), playing + batch.seconds, now - begin
            elif now > learnt:
                begin = now
            if wall > seconds:
                break
    return episodes / wall, playing / (workers.jobs * wall)


def main(place: Place, jobs: int | None) -> int:
    """Measure and print; all cores, or all workers of the cluster, if `jobs` is None."""
    start = time.perf_counter()
    with backends.connect(place, jobs) as workers:
        list(parallel.spread(nothing, [(n,) for n in range(workers.jobs)], workers.jobs, backend=workers.backend))
        print(f"{place.backend}, {counted(workers.jobs, 'worker')}: {time.perf_counter() - start:.1f} s to start")
        wall, processor = empty(workers, TASKS)
        print(f"an empty task: {1e3 * wall:.2f} ms, {1e3 * processor:.2f} ms of the driver's processor")
        rate, share = steady(workers, SECONDS)
        print(f"steady state: {rate:.0f} episodes a second, workers play {share:.1%} of the time")
    return 0
