"""The verbs that read results: `chart`, `report`, `export`, `status`, `merge` and `compare`."""

import argparse
import json
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import writing
from bonspiel.runs.verbs.command_line import DONE, FAILED, Verb, add_budgets
from bonspiel.runs.verbs.options import flag, option, repeatable

CLEAR = "\x1b[H\x1b[2J"
BINARY = "parquet", "run"  # formats that need a file


def nothing_played(folder: Path) -> UsageError:
    """The error of a run without a result."""
    return UsageError(f"{folder} holds no finished episode yet; continue with `bonspiel run ... --resume`")


def show(folder: Path) -> int:
    """Print a run's tables, draw its chart and write its report; FAILED if episodes failed."""
    from bonspiel.runs.reporting import chart, markdown, page
    from bonspiel.runs.reporting.notes import notes
    from bonspiel.runs.results import store
    from bonspiel.runs.statistics import curves, timing

    with store.read(folder) as results:
        panels = curves.panels(results.suite, results.returns(), results.values("episode"))
        failures = results.failures()
        if not (panels or failures):
            raise nothing_played(folder)
        timings = timing.timing(results.times())
        for panel in panels:
            print(f"{panel.env}\n{curves.table(panel)}\n{curves.caption(panel)}\n\n{curves.table_of_largest(panel)}\n")
        for note in notes(results):
            print(f"note: {note}\n")
        if panels:
            with writing(folder):
                png, svg = chart.save(panels, folder)
                text = markdown.write(results, panels, timings, png)
                html = page.write(results, panels, timings)
            if timings:
                print(f"{timing.verdict(timings).replace('**', '')}\n")
            print(f"chart   {png}\n        {svg}\nreport  {html}\n        {text}")
    if failures:
        print_failures(failures)
        return FAILED
    return DONE


def print_failures(failures: Sequence[tuple[str, str, int | float, str, int, str]]) -> None:
    """Print a line for each planner and environment whose episodes failed, with the first error."""
    from bonspiel.runs.experiment import amount
    from bonspiel.runs.progress import counted

    for (env, planner), found in groupby(sorted(failures), itemgetter(0, 1)):
        alike = list(found)
        *_, budget, unit, episode, error = alike[0]
        first = f"the first one with {amount(budget, unit)}, episode {episode}: {error}"
        print(f"bonspiel: {counted(len(alike), 'episode')} of {planner} in {env} failed, {first}", file=sys.stderr)


def report(arguments: argparse.Namespace) -> int:
    """Print a finished or unfinished run's tables again, draw its chart and write its report, or its leaderboard."""
    if not arguments.leaderboard:
        if arguments.beside:
            raise UsageError("--beside ranks planners of several runs: give --leaderboard too")
        return show(arguments.run)
    check_beside(arguments)
    from bonspiel.runs.reporting.leaderboards import leaderboard
    from bonspiel.runs.results import packed, store

    with ExitStack() as stack:
        results = stack.enter_context(store.read(arguments.run))
        beside = [stack.enter_context(packed.read_any(given)) for given in arguments.beside]
        with writing(arguments.run):
            html, text, *figures = leaderboard.write(results, beside)
    paths = "\n            ".join(map(str, (html, text, *figures)))
    print(f"{text.read_text(encoding='utf-8')}\nleaderboard {paths}")
    return DONE


def check_beside(arguments: argparse.Namespace) -> None:
    """Refuse a run that is given twice."""
    folders = [arguments.run, *arguments.beside]
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise UsageError("--beside takes other runs, and each of them once")


def chart(arguments: argparse.Namespace) -> int:
    """Draw a run's chart."""
    from bonspiel.runs.reporting import chart
    from bonspiel.runs.results import store
    from bonspiel.runs.statistics import curves

    with store.read(arguments.run) as results:
        panels = curves.panels(results.suite, results.returns(), results.values("episode"))
    if not panels:
        raise nothing_played(arguments.run)
    folder = arguments.out or arguments.run
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        paths = chart.save(panels, folder, regret=arguments.regret)
    print(*paths, sep="\n")
    return DONE


def export(arguments: argparse.Namespace) -> int:
    """Write every episode as CSV or Parquet, or the run as one file."""
    from bonspiel.runs.results import export, packed

    if arguments.format in BINARY and arguments.out is None:
        example = f"results{packed.ENDING if arguments.format == 'run' else '.parquet'}"
        raise UsageError(f"--format {arguments.format} writes a file: give its name with --out, e.g. --out {example}")
    with packed.read_any(arguments.run, matches=True) as results:
        if arguments.out is None:
            export.to_csv(results, sys.stdout)
            return DONE
        if arguments.format == "run":
            from bonspiel.runs.reporting import model_steps

            packed.pack(results, arguments.out, model_steps.by_key(results))
            return DONE
        with writing(arguments.out):
            if arguments.format == "parquet":
                export.to_parquet(results, arguments.out)
            else:
                with arguments.out.open("w", encoding="utf-8", newline="") as stream:
                    export.to_csv(results, stream)
    return DONE


def status(arguments: argparse.Namespace) -> int:
    """Print the progress of a run, once or until it is finished or its driver ends."""
    from bonspiel.runs.results import status, store

    while True:
        with store.read(arguments.run, matches=True) as results:
            found, suite = status.status(results), results.suite
        if arguments.json:
            print(json.dumps(found.as_json()), flush=True)
        else:
            width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
            clear = CLEAR if arguments.watch and width else ""
            print(f"{clear}{status.text(found, suite, width)}", flush=True)
        if arguments.watch is None or not found.running:
            return DONE
        time.sleep(arguments.watch)


def merge(arguments: argparse.Namespace) -> int:
    """Merge runs."""
    from bonspiel.runs.results import merge

    done, total = merge.merge(arguments.out, arguments.run, shlex.join(["bonspiel", *arguments.line]))
    print(f"{done:,} of {total:,} episodes are in {arguments.out}; draw them with: bonspiel report {arguments.out}")
    return DONE


def compare(arguments: argparse.Namespace) -> int:
    """Print the paired difference of two planners, or one JSON object."""
    from bonspiel.runs import seeding
    from bonspiel.runs.results import packed
    from bonspiel.runs.statistics import compare

    given = [getattr(arguments, name) for name in ("a", "b", "env", "budget", "milliseconds")]
    with packed.read_any(arguments.run) as results:
        found = compare.compare(results.suite, results.returns_of, *given)
        for note in seeding.notes(results.resolved):
            print(f"note: {note}", file=sys.stderr)
    if arguments.json:
        left_out = [one._asdict() for one in found.left_out]
        comparisons = {"comparisons": [compare.as_json(one) for one in found], "left_out": left_out}
        print(json.dumps({"run": str(arguments.run), **comparisons}, indent=1))
    else:
        print(compare.table(found))
    return DONE


def seconds(text: str) -> float:
    """The time between two refreshes."""
    with suppress(ValueError):
        if 0.1 <= (found := float(text)) <= 86_400.0:
            return found
    raise argparse.ArgumentTypeError(f"{text} must be from 0.1 to 86400 seconds")


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    command = verb("chart", chart, "draw a run's chart as PNG and SVG", "bonspiel chart results/quick")
    _add_run(command)
    option(command, "--out", "FOLDER", "folder for the pictures (default: RUN)")
    flag(command, "--regret", "draw the regret, optimum less mean return, below each panel")
    command = verb(
        "report", report, "print a run's tables, write its chart and report", "bonspiel report results/quick"
    )
    _add_run(command)
    flag(
        command,
        "--leaderboard",
        (
            "rank the planners over all problems instead: write leaderboard.html, leaderboard.md and leaderboard*.svg "
            "(scores against model steps, performance profiles, ranks)"
        ),
    )
    repeatable(
        command,
        "--beside",
        "RUN",
        (
            "with --leaderboard: another run, whose planners are ranked among RUN's own: a folder, a file of `bonspiel "
            "export --format run`, or `peers`, the run of our leaderboard; may be given several times"
        ),
    )
    command = verb(
        "export",
        export,
        "write all episodes as a table, or a run as one small file for others",
        "bonspiel export results/quick --format csv > quick.csv",
    )
    _add_run(command, ANY)
    what = "a table, or `run`: a file *.sqlite.xz that `bonspiel report --beside` reads"
    option(command, "--format", ("csv", *BINARY), what, "csv")
    option(command, "--out", "FILE", "file to write (default: standard output, only for csv)")
    command = verb("status", status, "print the progress of a run", "bonspiel status results/quick --watch")
    _add_run(command)
    option(
        command,
        "--watch",
        "SECONDS",
        "refresh until the run ends, every SECONDS (default: 2)",
        type=seconds,
        nargs="?",
        const=2.0,
    )
    flag(command, "--json", "print one JSON object, or with --watch one per line")
    command = verb(
        "merge",
        merge,
        "merge the runs of one suite from several machines",
        "bonspiel merge results/all results/quick-1-of-2 results/quick-2-of-2",
    )
    option(command, "out", "OUT", "folder for the merged run")
    option(command, "run", "RUN", "folders of the runs", nargs="+")
    command = verb(
        "compare",
        compare,
        "compare two planners of a run by pairs of episodes, and print the episodes needed to settle it",
        "bonspiel compare results/quick abstraction dpw --budget 1000",
    )
    _add_run(command, ANY)
    option(command, "a", "A", "first planner, by its name in the tables or its full text")
    option(command, "b", "B", "second planner; the difference is A - B")
    repeatable(command, "--env", "ENV", "environment of the run; repeatable (default: all)")
    add_budgets(command, " (default: all budgets)")
    flag(command, "--json", "print one JSON object")


def _add_run(command: argparse.ArgumentParser, text: str = "folder of a run") -> None:
    """Add the run that a verb reads."""
    option(command, "run", "RUN", text)


ANY = "a run: a folder, a file *.sqlite.xz, or `peers`, the run of our leaderboard"
