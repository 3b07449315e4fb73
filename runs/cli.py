"""The command line, one small function a verb; what a verb needs is imported when it runs, so --help is instant."""

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from runs import interrupts
from runs.experiment import RunError, UsageError
from runs.files import writing

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message and where help is, and exit."""
        self.exit(USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def numbers(text: str) -> list[float]:
    """Numbers separated by commas."""
    try:
        return [float(item) for item in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be numbers separated by commas, e.g. 100,1000") from None


def show_list(arguments: argparse.Namespace) -> int:
    """Print what there is to choose from."""
    from dataclasses import fields

    import envs
    import planners
    from curling import players
    from runs import suite

    for title, registry, names in (
        ("planners", planners.REGISTRY, planners.names()),
        ("players of curling alone", players.REGISTRY, list(players.PLAYERS)),
        ("environments", envs.REGISTRY, envs.REGISTRY.names()),
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
        print(f"  {name:<14} {found.description} ({len(counts)} curve points, {sum(counts.values())} episodes)")
    return DONE


def workers(jobs: int | None) -> int:
    """How many worker processes were asked for: all cores if nothing was.

    Raises:
        UsageError: out of range.
    """
    import joblib

    from runs.experiment import number

    return joblib.cpu_count() if jobs is None else number("jobs", jobs, 1, 1024, whole=True)


def run(arguments: argparse.Namespace) -> int:
    """Play a suite, then print its tables and draw its chart."""
    from runs import driver, provenance, suite

    jobs = workers(arguments.jobs)
    chosen = suite.load(arguments.target).override(arguments.planner, arguments.budget, arguments.milliseconds,
                                                   arguments.episodes, arguments.seed)
    folder = arguments.out or Path("results") / re.sub(r"[^\w.=-]+", "-", chosen.name)
    try:
        driver.play(chosen, folder, jobs, arguments.resume, provenance.collect(arguments.line))
    except KeyboardInterrupt:
        return stopped(arguments, folder)
    return show(folder)


def stopped(arguments: argparse.Namespace, folder: Path) -> int:
    """Say how an interrupted run goes on."""
    again = arguments.line if arguments.resume else [*arguments.line, "--resume"]
    print(f"\nstopped; the results so far are in {folder}. Go on with: {shlex.join(['bonspiel', *again])}",
          file=sys.stderr)
    return INTERRUPTED


def show(folder: Path) -> int:
    """Print a run's tables, draw its chart and write its report; FAILED if episodes failed."""
    from runs import chart, curves, report, store

    with store.read(folder) as results:
        panels = curves.panels(results)
        failures = results.failures()
        for panel in panels:
            print(f"{panel.env}\n{curves.table(panel)}\n{curves.caption(panel)}\n")
        if panels:
            with writing(folder):
                png, svg = chart.save(panels, folder)
                text = report.write(results, panels, png)
            print(f"chart   {png}\n        {svg}\nreport  {text}")
    if failures:
        env, planner, budget, unit, episode, error = failures[0]
        print(f"bonspiel: {len(failures)} episodes failed, the first one {planner} in {env} with {budget} {unit}, "
              f"episode {episode}: {error}", file=sys.stderr)
        return FAILED
    return DONE


def report(arguments: argparse.Namespace) -> int:
    """Print a finished or unfinished run's tables again, and write its chart and report."""
    return show(arguments.run)


def chart(arguments: argparse.Namespace) -> int:
    """Draw a run's chart."""
    from runs import chart, curves, store

    with store.read(arguments.run) as results:
        panels = curves.panels(results)
    if not panels:
        raise UsageError(f"{arguments.run} holds no finished episode yet; go on with `bonspiel run ... --resume`")
    folder = arguments.out or arguments.run
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        paths = chart.save(panels, folder)
    print(*paths, sep="\n")
    return DONE


def export(arguments: argparse.Namespace) -> int:
    """Write every episode as CSV or Parquet."""
    from runs import export, store

    if arguments.format == "parquet" and arguments.out is None:
        raise UsageError("--format parquet writes a file: give its name with --out, e.g. --out results.parquet")
    with store.read(arguments.run) as results:
        if arguments.out is None:
            export.to_csv(results, sys.stdout)
            return DONE
        with writing(arguments.out):
            if arguments.format == "parquet":
                export.to_parquet(results, arguments.out)
            else:
                with arguments.out.open("w", encoding="utf-8", newline="") as stream:
                    export.to_csv(results, stream)
    return DONE


def bench(arguments: argparse.Namespace) -> int:
    """Measure speed, start-up, memory and scaling on this machine."""
    from runs import bench

    return bench.main(arguments.planner, as_json=arguments.json)


def tune(arguments: argparse.Namespace) -> int:
    """Search for a planner's parameters."""
    from runs import tune

    return tune.main(arguments.env, arguments.planner, arguments.trials, arguments.budget, arguments.episodes,
                     arguments.seed, workers(arguments.jobs))


def match(arguments: argparse.Namespace) -> int:
    """Play a tournament of curling, then print who is better."""
    import json

    from runs import match, provenance, tournament

    jobs = workers(arguments.jobs)
    chosen = tournament.tournament(
        arguments.planners, ends=arguments.ends, physics=arguments.physics, noise=arguments.noise,
        extra_ends=arguments.extra_ends, ties=arguments.ties, seed=arguments.seed, simulations=arguments.budget,
        milliseconds=arguments.milliseconds)
    folder = arguments.out or Path("results") / re.sub(r"[^\w.=-]+", "-", "-vs-".join(arguments.planners))
    made = provenance.collect(arguments.line, tournament.PLAYED)
    try:
        results, text = match.play(chosen, arguments.games, folder, jobs, arguments.resume, made)
    except KeyboardInterrupt:
        return stopped(arguments, folder)
    print(f"{text}\n\nrecords {folder / tournament.RECORDS}", file=sys.stderr if arguments.json else sys.stdout)
    if arguments.json:
        print(json.dumps(results))
    return DONE


def play(arguments: argparse.Namespace) -> int:
    """Play curling against a planner."""
    from runs import play_main

    match = {name: getattr(arguments, name) for name in ("ends", "physics", "noise", "rule")}
    play_main.main(arguments.against, arguments.milliseconds, match, arguments.hammer, arguments.seed, arguments.record,
                   arguments.window)
    return DONE


def value(arguments: argparse.Namespace) -> int:
    """Estimate how ends of curling are scored from match records."""
    from runs import value

    return value.main(arguments.match, arguments.out)


def value_map(arguments: argparse.Namespace) -> int:
    """Draw a position of curling, the shot that a planner chooses, and the values of all aims."""
    from runs import value_map

    return value_map.main(arguments.position, arguments.end, arguments.shot, arguments.planner, arguments.milliseconds,
                          arguments.budget, arguments.seed, arguments.out)


def strength(arguments: argparse.Namespace) -> int:
    """Chart a planner's win rate against its time."""
    from runs import strength

    return strength.main(arguments.runs, arguments.out)


def parser() -> Parser:
    """The whole command line."""
    root = Parser(prog="bonspiel", description="Benchmarks of planning with continuous actions.",
                  epilog="example: bonspiel run quick | exit status: 0 done, 1 a run failed, 2 bad usage")
    verbs = root.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=Parser)

    def verb(name: str, function: object, summary: str, example: str) -> argparse.ArgumentParser:
        command = verbs.add_parser(name, help=summary, description=f"{summary}.", epilog=f"example: {example}")
        command.set_defaults(function=function)
        return command

    verb("list", show_list, "planners, environments and suites with their parameters", "bonspiel list")
    command = verb("run", run, "play a suite or an environment, then draw the chart",
                   "bonspiel run trap --planner dpw --planner abstraction:exploration=1 --budget 100,1000 "
                   "--episodes 200 --seed 1 --jobs 2 --out results/x")
    command.add_argument("target", metavar="SUITE|ENV", help="a suite, a TOML file, or e.g. treasure_hunt:size=15")
    command.add_argument("--planner", action="append", default=[], metavar="NAME[:key=value,...]",
                         help="a planner to play instead of the suite's; may be given several times")
    command.add_argument("--budget", type=numbers, default=[], metavar="N,...", help="simulations a decision")
    command.add_argument("--milliseconds", type=numbers, default=[], metavar="T,...", help="time a decision")
    command.add_argument("--episodes", type=int, metavar="N", help="episodes for each planner and budget")
    command.add_argument("--seed", type=int, metavar="N", help="root of all randomness")
    command.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: all cores)")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where results go (default: results/NAME)")
    command.add_argument("--resume", action="store_true", help="go on where a run in --out stopped")
    command = verb("chart", chart, "draw a run's chart as PNG and SVG", "bonspiel chart results/quick")
    command.add_argument("run", type=Path, metavar="RUN", help="a run's folder")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: the run's folder)")
    command = verb("report", report, "print a run's tables, write its chart and report",
                   "bonspiel report results/quick")
    command.add_argument("run", type=Path, metavar="RUN", help="a run's folder")
    command = verb("export", export, "write every episode as a table",
                   "bonspiel export results/quick --format csv > quick.csv")
    command.add_argument("run", type=Path, metavar="RUN", help="a run's folder")
    command.add_argument("--format", choices=("csv", "parquet"), default="csv", help="default: csv")
    command.add_argument("--out", type=Path, metavar="FILE", help="default: standard output (CSV only)")
    command = verb("bench", bench, "measure speed, start-up, memory and scaling here",
                   "bonspiel bench --planner dpw --json")
    command.add_argument("--planner", action="append", default=[], metavar="NAME[:key=value,...]",
                         help="what to measure (default: every planner but random)")
    command.add_argument("--json", action="store_true", help="print JSON")
    command = verb("tune", tune, "search for a planner's parameters in an environment",
                   "bonspiel tune treasure_hunt:size=5 --planner dpw:leaf=tree --trials 24 --budget 1000")
    command.add_argument("env", metavar="ENV", help="e.g. trap:noise_range=0.1")
    command.add_argument("--planner", required=True, action="append", metavar="NAME[:key=value,...]",
                         help="what to tune; parameters given here stay as they are. Further ones take part in both "
                         "rounds, e.g. known good parameters")
    command.add_argument("--trials", type=int, default=24, metavar="N", help="draws of parameters (default: 24)")
    command.add_argument("--budget", type=int, default=1000, metavar="N", help="simulations a decision (default: 1000)")
    command.add_argument("--episodes", type=int, default=30, metavar="N",
                         help="episodes of a trial; the best few are played for 8 times as many (default: 30)")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="root of all randomness (default: 1)")
    command.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: all cores)")
    command = verb("match", match, "play planners against each other at curling",
                   "bonspiel match abstraction dpw --ends 2 --games 400 --milliseconds 100 --jobs 2 --out results/m")
    command.add_argument("planners", nargs="+", metavar="PLANNER", help="NAME[:key=value,...]; two, or more for a "
                         "round robin")
    command.add_argument("--ends", type=int, default=2, metavar="N", help="ends of a game (default: 2)")
    command.add_argument("--extra-ends", type=int, default=0, metavar="N",
                         help="most extra ends after a tie (default: 0)")
    command.add_argument("--games", type=int, default=100, metavar="N",
                         help="for each two planners, in pairs with the hammer swapped (default: 100)")
    command.add_argument("--milliseconds", type=numbers, default=[], metavar="T[,...]",
                         help="time a shot, for all planners or for each")
    command.add_argument("--budget", type=numbers, default=[], metavar="N[,...]",
                         help="simulations a shot, for all planners or for each")
    command.add_argument("--physics", default="fcv1", metavar="NAME", help="fcv1 (default) or dc2")
    command.add_argument("--noise", metavar="NAME",
                         help="normal_dist (default) or none; for dc2: dc2 (default), gat or none")
    command.add_argument("--ties", choices=("half", "thesis"), default="half",
                         help="a draw counts 1/2, or 0.781 for the team that would have the hammer next")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="root of all randomness (default: 1)")
    command.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: all cores)")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where records go (default: results/A-vs-B)")
    command.add_argument("--resume", action="store_true", help="go on where a match in --out stopped")
    command.add_argument("--json", action="store_true", help="end with one JSON object on standard output")
    command = verb("value", value, "estimate how ends are scored, and what a lead is worth, from match records",
                   "bonspiel value results/match --out table.json")
    command.add_argument("match", type=Path, metavar="MATCH", help="a match's folder")
    command.add_argument("--out", type=Path, metavar="FILE",
                         help="write the table here, e.g. for curling:reward=win_probability,table=FILE")
    command = verb("play", play, "play curling against a planner, in the terminal or in a window",
                   "bonspiel play --against expectimax --window")
    command.add_argument("--against", default="presearch", metavar="NAME[:key=value,...]",
                         help="the planner (default: presearch)")
    command.add_argument("--milliseconds", type=float, default=500.0, metavar="T",
                         help="its time for a shot (default: 500)")
    command.add_argument("--ends", type=int, default=2, metavar="N", help="ends of the match (default: 2)")
    command.add_argument("--physics", default="fcv1", metavar="NAME", help="fcv1 (the default) or dc2")
    command.add_argument("--noise", metavar="NAME",
                         help="normal_dist (default) or none; for dc2: dc2 (default), gat or none")
    command.add_argument("--rule", metavar="NAME", help="five_rock, four_rock, no_tick or none (default: likewise)")
    command.add_argument("--hammer", choices=("me", "them"), default="me",
                         help="who throws the last stone of the first end (default: me)")
    command.add_argument("--seed", type=int, metavar="N", help="root of all randomness (default: a new one)")
    command.add_argument("--record", type=Path, metavar="FILE", help="keep the game in a file")
    face = command.add_mutually_exclusive_group()
    face.add_argument("--window", action="store_true", help="in a window, with the mouse")
    face.add_argument("--terminal", action="store_true", help="in this terminal, with the keys (the default)")
    command = verb("map", value_map, "draw a position of curling, the chosen shot, and the values of all aims",
                   "bonspiel map results/m/records/1-2-00000.jsonl --end 2 --shot 14 --out map.png")
    command.add_argument("position", type=Path, metavar="FILE",
                         help="a game on record, or a position as in docs/results/positions/1.json")
    command.add_argument("--end", type=int, metavar="N", help="end of the game on record, from 1")
    command.add_argument("--shot", type=int, metavar="N", help="the shot of that end to be chosen, from 1 to 16")
    command.add_argument("--planner", default="presearch", metavar="presearch[:key=value,...]",
                         help="who chooses (default: presearch)")
    command.add_argument("--milliseconds", type=float, default=2000.0, metavar="T", help="its time (default: 2000)")
    command.add_argument("--budget", type=int, metavar="N", help="simulations instead, for the same picture every time")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="root of all randomness (default: 1)")
    command.add_argument("--out", type=Path, default=Path("map.png"), metavar="FILE", help="default: map.png")
    command = verb("strength", strength, "chart a planner's win rate against its time a shot, from matches",
                   "bonspiel strength results/50ms results/200ms results/1s --out strength.png")
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a match's folder")
    command.add_argument("--out", type=Path, default=Path("strength.png"), metavar="FILE",
                         help="the SVG is written beside it (default: strength.png)")
    return root


def main(line: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    Args:
        line: arguments without the program's name; sys.argv's if None.
    """
    given = list(sys.argv[1:] if line is None else line)
    arguments = parser().parse_args(given)
    arguments.line = given
    function: Callable[[argparse.Namespace], int] = arguments.function
    try:
        with interrupts.safe():
            status = function(arguments)
        sys.stdout.flush()
    except UsageError as error:
        print(f"bonspiel {arguments.verb}: {error}", file=sys.stderr)
        return USAGE
    except RunError as error:
        print(f"bonspiel {arguments.verb}: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    return status
