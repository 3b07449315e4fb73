"""The command line, one small function a verb; what a verb needs is imported when it runs, so --help is instant."""

try:  # Ctrl-C may come before there is anything to stop
    import argparse
    import errno
    import os
    import re
    import sys
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import TYPE_CHECKING

    from runs import interrupts
    from runs.curling.verbs import client, curling, replay, server
    from runs.experiment import RunError, UsageError
    from runs.verbs import compare, results
    from runs.verbs.command_line import DONE, FAILED, INTERRUPTED, USAGE, Parser, add_place, numbers, stopped, workers
except KeyboardInterrupt:
    raise SystemExit(130) from None

if TYPE_CHECKING:
    from runs.part import Part
    from runs.suite import Suite


FULL = (errno.ENOSPC, errno.EDQUOT)


def show_list(arguments: argparse.Namespace) -> int:
    """Print what there is to choose from."""
    from dataclasses import fields

    import envs
    import planners
    from runs import suite

    for title, registry, names in (
        ("planners", planners.REGISTRY, planners.names()),
        *((f"planners of {of} alone", planners.REGISTRY, added) for of, added in planners.REGISTRY.extensions.items()),
        ("environments", envs.REGISTRY, envs.names()),
    ):
        print(f"{title}, written NAME or NAME:key=value,...")
        for name in names:
            defaults = [f"{f.name}={registry.value_text(f, f.default)}" for f in fields(registry.cls(name))]
            print(f"  {name:<14} {', '.join(defaults) or '(no parameters)'}")
        print()
    print("suites")
    for name in suite.names():
        found = suite.load(name)
        counts = found.episodes()
        print(f"  {name:<18} {found.description} ({len(counts)} curve points, {sum(counts.values())} episodes)")
    return DONE


def run(arguments: argparse.Namespace) -> int:
    """Play a suite, then print its tables and draw its chart."""
    from runs import provenance, suite
    from runs.part import WHOLE, Part
    from runs.runner import driver
    from runs.runner.backends import Place

    place = Place(arguments.backend, arguments.address)
    part = Part.parse(arguments.part) if arguments.part else WHOLE
    chosen = suite.load(arguments.target).override(
        arguments.planner, arguments.budget, arguments.milliseconds, arguments.episodes, arguments.seed
    )
    if arguments.dry_run:
        return dry_run(chosen, workers(arguments.jobs), part)
    name = chosen.name if part == WHOLE else f"{chosen.name}-{part.nth}-of-{part.of}"
    folder = arguments.out or Path("results") / re.sub(r"[^\w.=-]+", "-", name)
    try:
        driver.play(chosen, folder, arguments.jobs, arguments.resume, provenance.collect(arguments.line), part, place)
    except KeyboardInterrupt:
        return stopped(arguments, folder)
    return results.show(folder)


def dry_run(chosen: "Suite", jobs: int, part: "Part") -> int:
    """Print what a suite, or a part of it, plays and how long it will take."""
    from runs.runner import estimate

    chosen.resolve()
    print(estimate.text(chosen, estimate.estimate(chosen, min(jobs, workers(None))), jobs, part))
    return DONE


def bench(arguments: argparse.Namespace) -> int:
    """Measure speed, start-up, memory and scaling on this machine."""
    from runs import bench

    return bench.main(arguments.planner, as_json=arguments.json)


def tune(arguments: argparse.Namespace) -> int:
    """Search for a planner's parameters."""
    from runs import tune

    return tune.main(
        arguments.env,
        arguments.planner,
        arguments.trials,
        arguments.budget,
        arguments.episodes,
        arguments.seed,
        workers(arguments.jobs),
    )


def parser() -> Parser:
    """The whole command line."""
    root = Parser(
        prog="bonspiel",
        description="Benchmarks of planning with continuous actions.",
        epilog="example: bonspiel run quick | exit status: 0 done, 1 a run failed, 2 bad usage, 130 stopped",
    )
    verbs = root.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=Parser)

    def verb(
        name: str, function: Callable[[argparse.Namespace], int], summary: str, example: str
    ) -> argparse.ArgumentParser:
        command = verbs.add_parser(name, help=summary, description=f"{summary}.", epilog=f"example: {example}")
        command.set_defaults(function=function)
        return command

    verb("list", show_list, "planners, environments and suites with their parameters", "bonspiel list")
    command = verb(
        "run",
        run,
        "play a suite or an environment, then draw the chart",
        "bonspiel run trap --planner dpw --planner abstraction:exploration=1 --budget 100,1000 "
        "--episodes 200 --seed 1 --jobs 2 --out results/x",
    )
    command.add_argument("target", metavar="SUITE|ENV", help="a suite, a TOML file, or e.g. treasure_hunt:size=15")
    command.add_argument(
        "--planner",
        action="append",
        default=[],
        metavar="NAME[:key=value,...]",
        help="a planner to play instead of the suite's; may be given several times",
    )
    command.add_argument("--budget", type=numbers, default=[], metavar="N,...", help="simulations a decision")
    command.add_argument("--milliseconds", type=numbers, default=[], metavar="T,...", help="time a decision")
    command.add_argument("--episodes", type=int, metavar="N", help="episodes for each planner and budget")
    command.add_argument("--seed", type=int, metavar="N", help="root of all randomness")
    command.add_argument(
        "--jobs", type=int, metavar="N", help="workers (default: all cores, or all workers of the cluster at --address)"
    )
    add_place(command)
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where results go (default: results/NAME)")
    command.add_argument("--resume", action="store_true", help="go on where a run in --out stopped")
    command.add_argument(
        "--dry-run",
        action="store_true",
        help="print the jobs and the expected time, measured within a minute, and play nothing",
    )
    command.add_argument(
        "--part",
        metavar="K/N",
        help="play every N-th episode, from the K-th on: one machine's share "
        "of a run; `bonspiel merge` brings them together",
    )
    results.add_verbs(verb)
    command = verb(
        "bench", bench, "measure speed, start-up, memory and scaling here", "bonspiel bench --planner dpw --json"
    )
    command.add_argument(
        "--planner",
        action="append",
        default=[],
        metavar="NAME[:key=value,...]",
        help="what to measure (default: every planner but random)",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command = verb(
        "tune",
        tune,
        "search for a planner's parameters in an environment",
        "bonspiel tune treasure_hunt:size=5 --planner dpw:leaf=tree --trials 24 --budget 1000",
    )
    command.add_argument("env", metavar="ENV", help="e.g. trap:noise_range=0.1")
    command.add_argument(
        "--planner",
        required=True,
        action="append",
        metavar="NAME[:key=value,...]",
        help="what to tune; parameters given here stay as they are. Further ones take part in both "
        "rounds, e.g. known good parameters",
    )
    command.add_argument("--trials", type=int, default=24, metavar="N", help="draws of parameters (default: 24)")
    command.add_argument("--budget", type=int, default=1000, metavar="N", help="simulations a decision (default: 1000)")
    command.add_argument(
        "--episodes",
        type=int,
        default=30,
        metavar="N",
        help="episodes of a trial; the best few are played for 8 times as many (default: 30)",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="root of all randomness (default: 1)")
    command.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: all cores)")
    curling.add_verbs(verb)
    compare.add_verbs(verb)
    client.add_verbs(verb)
    server.add_verbs(verb)
    replay.add_verbs(verb)
    return root


def _drop_output() -> None:
    """What is still in standard output's buffer would fail once more when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(line: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    Args:
        line: arguments without the program's name; sys.argv's if None.
    """
    given = list(sys.argv[1:] if line is None else line)
    name = "bonspiel"
    try:
        arguments = parser().parse_args(given)
        arguments.line = given
        function: Callable[[argparse.Namespace], int] = arguments.function
        name = " ".join(["bonspiel", arguments.verb, *filter(None, [getattr(arguments, "protocol", None)])])
        with interrupts.safe():
            status = function(arguments)
        sys.stdout.flush()
    except UsageError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return USAGE
    except RunError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        _drop_output()
        return DONE
    except OSError as error:
        if error.errno not in FULL:
            raise
        _drop_output()
        print(f"{name}: the output cannot be written ({error.strerror}); make room for it", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    return status
