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
from typing import Any

from bonspiel.runs.experiment import UsageError, number
from bonspiel.runs.files import check_apart, check_writable, writing
from bonspiel.runs.verbs.command_line import DONE, FAILED, Verb, add_budgets, add_steps
from bonspiel.runs.verbs.options import flag, option, repeatable, run_of

CLEAR = "\x1b[H\x1b[2J"
BINARY = "parquet", "run"  # formats that need a file


def nothing_played(folder: Path) -> UsageError:
    """The error of a run without a result."""
    return UsageError(f"{folder} holds no finished episode yet; continue with `bonspiel run ... --resume`")


def show(folder: Path, episode: int | None = None) -> int:
    """Print a run's tables, draw its chart and write its report, with one episode; FAILED if episodes failed."""
    from bonspiel.runs.reporting import chart, markdown, one_episode, page
    from bonspiel.runs.reporting.notes import DIGEST, changes, facts, notes
    from bonspiel.runs.results import store
    from bonspiel.runs.results.store import Count
    from bonspiel.runs.statistics import curves, timing

    with store.read(folder) as results:
        if Count.of(results.counts()).total == 0:  # of a part beyond the episodes of a small run
            print(f"part {results.part} has no episodes")
            return DONE
        panels = curves.panels(results.suite, results.returns(), results.values("episode"))
        failures = results.failures()
        if not (panels or failures):
            raise nothing_played(folder)
        if episode is not None:
            one_episode.check_episode(results, episode)
        timings = timing.timing(results.times())
        for panel in panels:
            print(f"{panel.env}\n{curves.table(panel)}\n{curves.caption(panel)}\n\n{curves.table_of_largest(panel)}\n")
        for note in notes(results):
            print(f"note: {note}\n")
        if panels:
            with writing(folder):
                png, svg = chart.save(panels, folder)
                text = markdown.write(results, panels, timings, png)
                html = page.write(results, panels, timings, episode)
            if timings:
                print(f"{timing.verdict(timings).replace('**', '')}\n")
            print(f"chart   {png}\n        {svg}\nreport  {html}\n        {text}")
        print(f"digest  {facts(results)[DIGEST]}")
        changed = changes(results)
    print_failures(failures)
    return FAILED if failures or changed else DONE


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
        for name in ("beside", "planner"):
            if getattr(arguments, name):
                raise UsageError(f"--{name} tells whose planners are ranked: give --leaderboard too")
        episode = arguments.episode
        return show(arguments.run, None if episode is None else number("episode", episode, 0, 1e9, whole=True))
    if arguments.episode is not None:
        raise UsageError("--episode is drawn in the report, not in the leaderboard: leave one of them out")
    check_beside(arguments)
    from bonspiel.runs import provenance
    from bonspiel.runs.reporting.leaderboards import leaderboard
    from bonspiel.runs.results import packed, seal, store

    with ExitStack() as stack:
        results = stack.enter_context(store.read(arguments.run))
        seal.check(results)
        beside = [stack.enter_context(packed.read_any(given)) for given in arguments.beside]
        with writing(arguments.run):
            html, text, *figures = leaderboard.write(
                results, beside, arguments.planner, provenance.made_by(arguments.line)
            )
        failures = [one for store in (results, *beside) for one in store.failures()]
    paths = "\n            ".join(map(str, (html, text, *figures)))
    print(f"{text.read_text(encoding='utf-8')}\nleaderboard {paths}")
    print_failures(failures)
    return DONE


def check_beside(arguments: argparse.Namespace) -> None:
    """Refuse a run that is given twice."""
    given = [arguments.run, *arguments.beside]
    if len({one.resolve() if isinstance(one, Path) else one for one in given}) < len(given):
        raise UsageError("--beside takes other runs, and each of them once")


def chart(arguments: argparse.Namespace) -> int:
    """Draw a run's chart."""
    from bonspiel.runs.reporting import chart
    from bonspiel.runs.results import packed
    from bonspiel.runs.statistics import curves

    folder = arguments.out or arguments.run
    with packed.read_any(arguments.run) as results:
        if not (isinstance(folder, Path) and (arguments.out or folder.is_dir())):
            raise UsageError(f"{arguments.run} is no folder: give one for the pictures with --out")
        panels = curves.panels(results.suite, results.returns(), results.values("episode"))
        failures = results.failures()
    if not panels:
        raise nothing_played(arguments.run)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        paths = chart.save(panels, folder, regret=arguments.regret)
    print(*paths, sep="\n")
    if arguments.regret and all(panel.known.optimum is None for panel in panels):
        print("no regret is drawn: the optimum is known in none of these problems", file=sys.stderr)
    print_failures(failures)
    return DONE


def export(arguments: argparse.Namespace) -> int:
    """Write every episode as CSV or Parquet, or the run as one file."""
    from bonspiel.runs.results import export, packed

    if arguments.format in BINARY and arguments.out is None:
        example = f"results{packed.ENDING if arguments.format == 'run' else '.parquet'}"
        raise UsageError(f"--format {arguments.format} writes a file: give its name with --out, e.g. --out {example}")
    if arguments.out is not None:
        check_writable(arguments.out)
        check_apart(arguments.out, arguments.run)
        if (ending := arguments.out.suffix) in (".csv", ".parquet") and ending != f".{arguments.format}":
            raise UsageError(f"--out {arguments.out}: the format is {arguments.format}; give --format {ending[1:]}")
    with packed.read_any(arguments.run, matches=True) as results:
        if arguments.format != "run":  # which holds them
            print_failures(results.failures())
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
    from bonspiel.runs.results import packed, status

    while True:
        with packed.read_any(arguments.run, matches=True, sealed=False) as results:
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
    """Print paired differences of planners of one or two runs, or one JSON object."""
    from bonspiel.runs import seeding
    from bonspiel.runs.results import packed
    from bonspiel.runs.statistics import compare, multiple

    names, several = arguments.names, arguments.all or len(arguments.names) != 2
    if len(names) > 3 or arguments.all == bool(names):
        with packed.read_any(arguments.run):  # says if there is no run
            pass
        raise UsageError("give two planners, A B; or another run, OTHER or OTHER A B; or --all instead of these")
    if arguments.holm and not arguments.all:
        raise UsageError("--holm corrects p for the number of all pairs: give --all instead of names")
    budgets = {"simulations": arguments.budget, "milliseconds": arguments.milliseconds, "steps": arguments.steps}
    where: dict[str, Any] = {"environments": arguments.env, **budgets}
    with ExitStack() as stack:
        runs = [
            stack.enter_context(packed.read_any(run)) for run in (arguments.run, *map(run_of, names[: len(names) % 2]))
        ]
        suites = runs[0].suite, runs[-1].suite
        if arguments.all:
            found = multiple.all_pairs(runs[0].suite, runs[0].returns_of, **where, by_holm=arguments.holm)
        elif several:
            ours, theirs = (multiple.Played(str(one.folder), one.suite, one.resolved, one.returns_of) for one in runs)
            found = multiple.across(ours, theirs, tuple(names[1:]), **where)
        else:
            found = compare.compare(runs[0].suite, runs[0].returns_of, *names, **where)
        notes = list(dict.fromkeys(note for one in runs for note in seeding.notes(one.resolved)))
        compared = {setting[:2] for one in found for setting in (one.a, one.b)}
        print_failures([one for store in runs for one in store.failures() if one[:2] in compared])
    if arguments.json:
        left_out = [one._asdict() for one in found.left_out]
        comparisons = {"comparisons": multiple.all_as_json(found, arguments.holm), "left_out": left_out}
        other = {"other": names[0]} if several and names else {}
        print(json.dumps({"run": str(arguments.run), **other, **comparisons, "notes": notes}, indent=1))
    else:
        print(multiple.table(found, suites, arguments.holm) if several else compare.table(found))
        for note in notes:
            print(f"note: {note}")
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
    add_run(command, ANY)
    option(command, "--out", "FOLDER", "folder for the pictures (default: RUN)")
    flag(command, "--regret", "draw the regret, optimum less mean return, below each panel")
    command = verb(
        "report", report, "print a run's tables, write its chart and report", "bonspiel report results/quick"
    )
    add_run(command)
    text = (
        "episode whose states, actions, plans and rewards are drawn, played again however long it takes (default: "
        "episode 0, with budgets for which that was quick)"
    )
    option(command, "--episode", "N", text, type=int)
    text = (
        "rank the planners over all problems instead: write leaderboard.html, leaderboard.md and leaderboard*.svg "
        "(scores against model steps, performance profiles, ranks)"
    )
    flag(command, "--leaderboard", text)
    text = (
        "with --leaderboard: another run, whose planners are ranked among RUN's own: a folder, a file of `bonspiel "
        "export --format run` or `bonspiel submit`, the address of one (http://, https://), or `peers`, the run of our "
        "leaderboard; may be given several times"
    )
    repeatable(command, "--beside", "RUN", text)
    text = "with --leaderboard: rank only this planner, by its name in the tables of its run, in all runs; repeatable"
    repeatable(command, "--planner", "NAME", text)
    example = "bonspiel export results/quick --format csv > quick.csv"
    command = verb("export", export, "write all episodes as a table, or a run as one small file for others", example)
    add_run(command, ANY)
    what = "a table, or `run`: a file *.sqlite.xz that `bonspiel report --beside` reads"
    option(command, "--format", ("csv", *BINARY), what, "csv")
    option(command, "--out", "FILE", "file to write (default: standard output, only for csv)")
    command = verb("status", status, "print the progress of a run", "bonspiel status results/quick --watch")
    add_run(command, ANY)
    text = "refresh until the run ends, every SECONDS (default: 2)"
    option(command, "--watch", "SECONDS", text, type=seconds, nargs="?", const=2.0)
    flag(command, "--json", "print one JSON object, or with --watch one per line")
    example = "bonspiel merge results/all results/quick-1-of-2 results/quick-2-of-2"
    command = verb("merge", merge, "merge the runs of one suite from several machines", example)
    option(command, "out", "OUT", "folder for the merged run")
    option(command, "run", "RUN", "folders of the runs", nargs="+", type=Path)
    example = "bonspiel compare results/quick abstraction dpw --budget 1000"
    text = "compare planners of a run or of two runs by pairs of episodes, and print the episodes needed to settle it"
    command = verb("compare", compare, text, example)
    add_run(command, ANY)
    what = (
        "two planners, A B, by their names in the tables or full texts; or another run, OTHER, with the same seeds: "
        "every planner that both have is compared with itself, or A of RUN with B of OTHER; the difference is A - B"
    )
    option(command, "names", "[OTHER] A B", what, nargs="*")
    flag(command, "--all", "compare all pairs of planners, instead of A and B")
    flag(command, "--holm", "with --all: add p corrected for the number of pairs of a problem and budget (Holm)")
    repeatable(command, "--env", "ENV", "environment of the run; repeatable (default: all)")
    add_budgets(command, " (default: all budgets)")
    add_steps(command, " (default: all budgets)")
    flag(command, "--json", "print one JSON object")


def add_run(command: argparse.ArgumentParser, text: str = "folder of a run") -> None:
    """Add the run that a verb reads."""
    option(command, "run", "RUN", text, **({} if text == ANY else {"type": Path}))


ANY = "a run: a folder, a file *.sqlite.xz or *.tar.xz, the address of one, or `peers`, the run of our leaderboard"
