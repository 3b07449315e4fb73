"""The verbs that run benchmarks: `list`, `run`, `tune` and `bench`."""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bonspiel.runs.verbs import results
from bonspiel.runs.verbs.command_line import (
    ALL_CORES,
    CLUSTER_JOBS,
    DONE,
    ENVIRONMENT,
    GROUP,
    PLANNER,
    Verb,
    add_budgets,
    add_place,
    resumable,
    workers,
)

if TYPE_CHECKING:
    from bonspiel.planners.core.code.packages import Extension
    from bonspiel.planners.registry import Registry
    from bonspiel.runs.part import Part
    from bonspiel.runs.suite import Suite


def show_list(arguments: argparse.Namespace) -> int:
    """Print planners, environments, games and suites, and what installed packages add."""
    from bonspiel import envs, planners
    from bonspiel.planners.core.code.packages import extensions
    from bonspiel.runs import bench
    from bonspiel.runs.games.game import GAMES
    from bonspiel.runs.suites import lookup

    for registry in (planners.REGISTRY, envs.REGISTRY, GAMES):
        kind = f"{registry.kind}s"
        for title, names in (
            (kind, registry.names()),
            *((f"{kind} of {game} alone", added) for game, added in registry.extensions.items()),
            *((f"{kind} of {package}", added) for package, added in by_package(registry.installed())),
        ):
            print(f"{title}, written NAME or NAME:key=value,...")
            for name in names:
                print(f"  {name:<14} {defaults(registry, name)}")
            print()
    for kind, group in ("verbs", GROUP), ("benchmarks", bench.GROUP):
        for package, names in by_package(extensions(group)):
            print(f"{kind} of {package}: {', '.join(names)}\n")
    print("suites")
    for name in lookup.names():
        found = lookup.load(name)
        counts = found.episodes()
        print(f"  {name:<18} {found.description} ({len(counts)} curve points, {sum(counts.values())} episodes)")
    return DONE


def by_package(installed: Mapping[str, Sequence["Extension"]]) -> Iterator[tuple[str, list[str]]]:
    """The names that each installed package adds."""
    for package in sorted({extension.package for added in installed.values() for extension in added}):
        yield package, [name for name, added in installed.items() if package in {of.package for of in added}]


def defaults(registry: "Registry", name: str) -> str:
    """The parameters of an entry with their defaults, or why it cannot be used."""
    from dataclasses import is_dataclass

    from bonspiel.planners.registry import fields_of, parameters_of, verbatim

    try:
        cls = registry.cls(name)
    except ValueError as error:
        return f"unusable: {error}"
    if parameter := verbatim(cls):
        return f"written {name}:{parameter.upper()}"
    if is_dataclass(cls):
        given = [f"{of.name}={registry.value_text(of, of.default)}" for of in fields_of(cls)]
    else:
        given = parameters_of(cls) or []
    return ", ".join(given) or "(no parameters)"


def run(arguments: argparse.Namespace) -> int:
    """Run a suite, then print its tables and draw its chart."""
    from bonspiel.runs import provenance
    from bonspiel.runs.part import WHOLE, Part
    from bonspiel.runs.runner import backends, driver
    from bonspiel.runs.suites import lookup

    place = backends.Place(arguments.backend, arguments.address)
    backends.check(place)
    part = Part.parse(arguments.part) if arguments.part else WHOLE
    given = [getattr(arguments, name) for name in ("planner", "budget", "milliseconds", "episodes", "seed", "added")]
    chosen = lookup.load(arguments.target, [*arguments.planner, *arguments.added]).override(*given)
    if arguments.dry_run:
        return dry_run(chosen, workers(arguments.jobs), part, arguments.unseeded)
    name = chosen.name if part == WHOLE else f"{chosen.name}-{part.nth}-of-{part.of}"
    folder = arguments.out or Path("results") / re.sub(r"[^\w.=-]+", "-", name)
    facts = provenance.collect(arguments.line)
    with resumable(arguments, folder):
        driver.play(chosen, folder, arguments.jobs, arguments.resume, facts, part, place, arguments.unseeded)
    return results.show(folder)


def dry_run(chosen: "Suite", jobs: int, part: "Part", unseeded: bool) -> int:
    """Print the episodes of a suite, or of a part of it, and the expected time."""
    from bonspiel.runs.runner import estimate

    chosen.resolve(unseeded)
    print(estimate.text(chosen, estimate.estimate(chosen, min(jobs, workers(None))), jobs, part))
    return DONE


def tune(arguments: argparse.Namespace) -> int:
    """Search for planners' parameters."""
    from bonspiel.runs.experiment import UsageError
    from bonspiel.runs.tuning import study, tune

    if arguments.resume and not arguments.out:
        raise UsageError("--resume needs --out, the folder of the tuning to continue")
    given = {name: getattr(arguments, name) for name in ("trials", "budget", "episodes", "seed", "sampler")}
    studies = study.load(arguments.target, tuple(arguments.planner), against=tuple(arguments.against) or None, **given)
    with resumable(arguments, arguments.out):
        tune.main(studies, arguments.out, arguments.resume, workers(arguments.jobs), arguments.unseeded)
    return DONE


def bench(arguments: argparse.Namespace) -> int:
    """Measure speed, start-up, memory and scaling on this machine."""
    from bonspiel.runs.experiment import UsageError

    if arguments.stress:
        from bonspiel.runs.benchmarks import stress

        return stress.main()
    if arguments.workers:
        from bonspiel.runs.benchmarks import clusters
        from bonspiel.runs.runner.backends import Place

        return clusters.main(Place(arguments.backend, arguments.address), arguments.jobs)
    if (arguments.backend, arguments.address, arguments.jobs) != ("loky", None, None):
        raise UsageError("--backend, --address and --jobs need --workers")
    from bonspiel.runs import bench

    return bench.main(arguments.name, arguments.planner, as_json=arguments.json)


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    verb("list", show_list, "show planners, environments, games and suites with their parameters", "bonspiel list")
    command = verb(
        "run",
        run,
        "run a suite or an environment, then draw the chart",
        "bonspiel run trap --planner dpw --planner abstraction:exploration=1 --budget 100,1000 "
        "--episodes 200 --seed 1 --jobs 2 --out results/x",
    )
    command.add_argument(
        "target",
        metavar="SUITE|ENV",
        help="a suite, a TOML file, or an environment: treasure_hunt:size=15, gym:Pendulum-v1:g=9.8, my_module:MyModel "
        "(an environment's defaults: budgets 10,100,1000 and 100 episodes; in plain Python 10,30 and 5)",
    )
    replacing = (
        "planner to run instead of the suite's; repeatable (default for an environment: all that can search it; if it "
        "is in plain Python: dpw, cem and random)"
    )
    command.add_argument("--planner", action="append", default=[], metavar=PLANNER, help=replacing)
    beside = "planner to run in addition to the suite's; repeatable"
    command.add_argument("--with", dest="added", action="append", default=[], metavar=PLANNER, help=beside)
    add_budgets(command, " (default: those of SUITE|ENV)")
    episodes = "episodes per planner and budget (default: those of SUITE|ENV)"
    command.add_argument("--episodes", type=int, metavar="N", help=episodes)
    command.add_argument(
        "--seed", type=int, metavar="N", help="random seed (default: that of the suite; for an environment 0)"
    )
    command.add_argument("--jobs", type=int, metavar="N", help=CLUSTER_JOBS)
    add_place(command)
    command.add_argument("--out", type=Path, metavar="FOLDER", help="folder for the results (default: results/NAME)")
    resume = "continue the run in --out; more planners, budgets and episodes extend it"
    command.add_argument("--resume", action="store_true", help=resume)
    add_unseeded(command)
    dry = "only print the number of episodes and the expected time, after a short trial of each planner"
    command.add_argument("--dry-run", action="store_true", help=dry)
    part = "run the K-th of N parts, for one of N machines; `bonspiel merge` joins the parts"
    command.add_argument("--part", metavar="K/N", help=part)
    add_tune(verb)
    add_bench(verb)


def add_bench(verb: Verb) -> None:
    """Add `bench`."""
    summary = "measure speed, start-up time, memory and scaling on this machine"
    command = verb("bench", bench, summary, "bonspiel bench --planner dpw --json")
    names = (
        "benchmark to run, e.g. speed, memory, curling_engines, go_playouts; a wrong name lists all (default: all but "
        "serving_dc4, which needs the extra web)"
    )
    command.add_argument("name", nargs="*", metavar="NAME", help=names)
    measured = "planner to measure; repeatable (default: all planners except random)"
    command.add_argument("--planner", action="append", default=[], metavar=PLANNER, help=measured)
    command.add_argument("--json", action="store_true", help="print one JSON object")
    stress = "test the tree that threads share instead: 100 searches by 4 threads, no visit may be lost (some minutes)"
    command.add_argument("--stress", action="store_true", help=stress)
    overhead = "measure worker processes instead, here or on a cluster: start, overhead of a task, share of planning"
    command.add_argument("--workers", action="store_true", help=overhead)
    command.add_argument("--jobs", type=int, metavar="N", help=f"with --workers: {CLUSTER_JOBS}")
    add_place(command)


def add_unseeded(command: argparse.ArgumentParser) -> None:
    """Add `--unseeded`."""
    anyway = "allow environments that ignore reset(seed=...); the planners then play different episodes"
    command.add_argument("--unseeded", action="store_true", help=anyway)


def add_tune(verb: Verb) -> None:
    """Add `tune`."""
    command = verb(
        "tune",
        tune,
        "search for good parameters, with the same effort for each planner, or run a file of studies",
        "bonspiel tune treasure_hunt:size=5 --planner dpw:leaf=tree --planner uct --trials 24 --budget 1000",
    )
    target = f"{ENVIRONMENT}; or studies: a TOML file, `published` or `peers` (the studies of our results)"
    command.add_argument("target", metavar="ENV|STUDIES", help=target)
    tuned = "planner to tune; parameters given here stay fixed; repeatable"
    command.add_argument("--planner", action="append", default=[], metavar=PLANNER, help=tuned)
    against = "planner to run in the final without tuning; repeatable"
    command.add_argument("--against", action="append", default=[], metavar=PLANNER, help=against)
    trials = "candidates per planner (default: 24)"
    command.add_argument("--trials", type=int, metavar="N", help=trials)
    command.add_argument("--budget", type=int, metavar="N", help="simulations per decision (default: 1000)")
    episodes = "maximum of episodes per trial; the best few candidates play 8 times more (default: 30)"
    command.add_argument("--episodes", type=int, metavar="N", help=episodes)
    command.add_argument("--seed", type=int, metavar="N", help="random seed (default: 1)")
    sampler = "method that chooses the candidates (default: tpe; without the extra `tune`: random)"
    command.add_argument("--sampler", choices=("tpe", "random"), help=sampler)
    command.add_argument("--jobs", type=int, metavar="N", help=ALL_CORES)
    command.add_argument(
        "--out", type=Path, metavar="FOLDER", help="folder for the results (default: do not keep them)"
    )
    command.add_argument("--resume", action="store_true", help="continue the tuning in --out")
    add_unseeded(command)
