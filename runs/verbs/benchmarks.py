"""The verbs that run benchmarks: `run`, `tune` and `bench`."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from bonspiel.runs.verbs import command_line, results
from bonspiel.runs.verbs.options import flag, option, repeatable

if TYPE_CHECKING:
    from bonspiel.runs.experiment import RunPart
    from bonspiel.runs.suite import Suite


def run(arguments: argparse.Namespace) -> int:
    """Run a suite, then print its tables and draw its chart."""
    from bonspiel.runs import provenance
    from bonspiel.runs.experiment import WHOLE, RunPart, UsageError
    from bonspiel.runs.runner import backends, driver
    from bonspiel.runs.suites import lookup

    place = backends.Place(arguments.backend, arguments.address)
    backends.check(place)
    part = RunPart.parse(arguments.part) if arguments.part else WHOLE
    names = "planner", "budget", "milliseconds", "episodes", "seed", "added", "steps"
    given = [getattr(arguments, name) for name in names]
    chosen = lookup.load(arguments.target, arguments.planner, arguments.added).override(*given)
    if arguments.plant is not None or arguments.delay:
        chosen = chosen.played_in(arguments.plant, arguments.delay)
    chosen = lookup.only(chosen, arguments.only)
    if arguments.dry_run:
        if arguments.keep:
            raise UsageError("--dry-run counts all episodes, those to keep as well: leave --keep out")
        return dry_run(chosen, command_line.workers(arguments.jobs), part, arguments.unseeded)
    name = chosen.name if part == WHOLE else f"{chosen.name}-{part.nth}-of-{part.of}"
    folder = arguments.out or Path("results") / re.sub(r"[^\w.=-]+", "-", name)
    facts = provenance.collect(arguments.line)
    with command_line.resumable(arguments, folder):
        driver.play(
            chosen, folder, arguments.jobs, arguments.resume, facts, part, place, arguments.unseeded, arguments.keep
        )
    return results.show(folder)


def dry_run(chosen: "Suite", jobs: int, part: "RunPart", unseeded: bool) -> int:
    """Print the episodes of a suite, or of a part of it, and the expected time."""
    from bonspiel.runs.runner import estimate

    chosen.resolve(unseeded)
    print(estimate.text(chosen, estimate.estimate(chosen, min(jobs, command_line.workers(None))), jobs, part))
    return command_line.DONE


def tune(arguments: argparse.Namespace) -> int:
    """Search for planners' parameters."""
    from bonspiel.runs.experiment import UsageError
    from bonspiel.runs.tuning import study, tune

    if arguments.resume and not arguments.out:
        raise UsageError("--resume needs --out, the folder of the tuning to continue")
    given = {name: getattr(arguments, name) for name in ("trials", "budget", "episodes", "seed", "sampler")}
    studies = study.load(arguments.target, tuple(arguments.planner), against=tuple(arguments.against) or None, **given)
    with command_line.resumable(arguments, arguments.out):
        tune.main(studies, arguments.out, arguments.resume, command_line.workers(arguments.jobs), arguments.unseeded)
    return command_line.DONE


def bench(arguments: argparse.Namespace) -> int:
    """Measure speed, start-up, memory and scaling on this machine."""
    from bonspiel.runs.experiment import UsageError

    if arguments.workers:
        from bonspiel.runs.benchmarks import clusters
        from bonspiel.runs.runner.backends import Place

        return clusters.main(Place(arguments.backend, arguments.address), arguments.jobs)
    if (arguments.backend, arguments.address, arguments.jobs) != ("loky", None, None):
        raise UsageError("--backend, --address and --jobs need --workers")
    from bonspiel.runs import bench

    return bench.main(arguments.name, arguments.planner, as_json=arguments.json)


def add_verbs(verb: command_line.Verb) -> None:
    """Add the verbs to the command line."""
    example = (
        "bonspiel run trap --planner dpw --planner abstraction:exploration=1 --budget 100,1000 --episodes 200 --seed 1 "
        "--jobs 2 --out results/x"
    )
    command = verb("run", run, "run a suite or an environment, then draw the chart", example)
    text = (
        "a suite, a TOML file, or an environment: treasure_hunt:size=15, gym:Pendulum-v1:g=9.8, my_module:MyModel (an "
        "environment's defaults: budgets 10,100,1000 and 100 episodes; in plain Python 10,30 and 5)"
    )
    option(command, "target", "SUITE|ENV", text)
    text = (
        'planner to run instead of the suite\'s, or a grid, "dpw:exploration=0.1|1"; repeatable (default for an '
        "environment: all that can search it; if it is in plain Python: dpw, cem and the baselines random, do_nothing "
        "and constant)"
    )
    command_line.add_planners(command, "--planner", text)
    command_line.add_planners(command, "--with", "planner to run in addition to the suite's; repeatable", dest="added")
    text = 'run only what matches: "trap/dpw", "*/dpw*", "trap"; by names, full texts or labels; repeatable'
    repeatable(command, "--only", "PROBLEM/PLANNER", text, type=str)
    command_line.add_budgets(command, " (default: those of SUITE|ENV)")
    command_line.add_steps(command, " (default: those of SUITE|ENV)")
    option(
        command, "--plant", "ENV", "play in this environment, while planners plan in that of the same spaces before it"
    )
    option(command, "--delay", "N", "steps from the choice of an action to its effect in the plant", 0)
    option(command, "--episodes", "N", "episodes per planner and budget (default: those of SUITE|ENV)")
    option(command, "--seed", "N", "random seed (default: that of the suite; for an environment 0)")
    command_line.add_cluster(command)
    option(command, "--out", "FOLDER", "folder for the results (default: results/NAME)")
    flag(command, "--resume", "continue the run in --out; more planners, budgets and episodes extend it")
    text = (
        "keep the episodes of another run, as for `report --beside`, that this one has too: same problem, planner, "
        "seed and simulations; also those of other sources, so play anew what has changed; repeatable, the first run "
        "that has an episode counts"
    )
    repeatable(command, "--keep", "RUN", text)
    add_unseeded(command)
    text = "only print the number of episodes and the expected time, from the first episodes of each planner and budget"
    flag(command, "--dry-run", text)
    option(command, "--part", "K/N", "run the K-th of N parts, for one of N machines; `bonspiel merge` joins the parts")
    add_tune(verb)
    add_bench(verb)


def add_bench(verb: command_line.Verb) -> None:
    """Add `bench`."""
    example = "bonspiel bench --planner dpw --json"
    command = verb("bench", bench, "measure speed, start-up time, memory and scaling on this machine", example)
    text = (
        "benchmark to run, e.g. speed, memory; a wrong name lists all (default: all except serving_dc4, which needs "
        "other packages)"
    )
    option(command, "name", "NAME", text, nargs="*")
    text = "planner to measure; repeatable (default: all planners except the baselines random, do_nothing and constant)"
    command_line.add_planners(command, "--planner", text)
    flag(command, "--json", "print one JSON object")
    text = "measure worker processes instead, here or on a cluster: start, overhead of a task, share of planning"
    flag(command, "--workers", text)
    command_line.add_cluster(command, "with --workers: ")


def add_unseeded(command: argparse.ArgumentParser) -> None:
    """Add `--unseeded`."""
    text = "allow environments that ignore reset(seed=...); the planners then play different episodes"
    flag(command, "--unseeded", text)


def add_tune(verb: command_line.Verb) -> None:
    """Add `tune`."""
    example = "bonspiel tune treasure_hunt:size=5 --planner dpw:leaf=tree --planner uct --trials 24 --budget 1000"
    text = "search for good parameters, with the same effort for each planner, or run a file of studies"
    command = verb("tune", tune, text, example)
    text = (
        "an environment, e.g. trap:noise_range=0.1; or studies: a TOML file, `published` or `peers` (the studies of "
        "our results)"
    )
    option(command, "target", "ENV|STUDIES", text)
    command_line.add_planners(command, "--planner", "planner to tune; parameters given here stay fixed; repeatable")
    command_line.add_planners(command, "--against", "planner to run in the final without tuning; repeatable")
    option(command, "--trials", "N", "candidates per planner (default: 24)")
    option(command, "--budget", "N", "simulations per decision (default: 1000)")
    text = "maximum of episodes per trial; the best few candidates play 8 times more (default: 30)"
    option(command, "--episodes", "N", text)
    option(command, "--seed", "N", "random seed (default: 1)")
    text = "method that chooses the candidates (default: tpe; without the extra `tune`: random)"
    option(command, "--sampler", ("tpe", "random"), text)
    command_line.add_jobs(command)
    option(command, "--out", "FOLDER", "folder for the results (default: do not keep them)")
    flag(command, "--resume", "continue the tuning in --out")
    add_unseeded(command)
