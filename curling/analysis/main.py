"""`bonspiel analyse`: every shot of a recorded match, with its loss of win probability against a judge's choice."""

import argparse
import sys
from pathlib import Path

from bonspiel.curling import players
from bonspiel.curling.analysis.match import Judge, judge_match, thrown_shots
from bonspiel.curling.analysis.report import report
from bonspiel.curling.game import CurlingGame
from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.logs import client_log, match_files
from bonspiel.curling.records.match_data import Record
from bonspiel.curling.replay.judgement import Judged
from bonspiel.planners.planner import Budget, unsupported
from bonspiel.runs.experiment import UsageError, number, parsed
from bonspiel.runs.games import record_file
from bonspiel.runs.progress import counted
from bonspiel.runs.verbs.command_line import workers

LONGEST = 600_000.0  # ms


def main(arguments: argparse.Namespace) -> int:
    """Print the analysis of a match as the arguments of `bonspiel analyse` say, and write its page.

    Raises:
        UsageError: something is unknown, out of range or cannot be read or written.
        RunError: the planner failed, or workers died.
    """
    file: Path = arguments.record
    text, out, jobs = arguments.planner, arguments.out, workers(arguments.jobs)
    budget, allowance = _budget(arguments)
    judge = Judge(text, budget, number("seed", arguments.seed, 0, 2**32 - 1, whole=True))
    planner = parsed(players.parse, text)
    with record_file.reading(file):
        found, chosen = _read(file, None if arguments.team is None else int(arguments.team[-1]))
        if out is not None:
            record_file.check_page(out, file)
        shots, model = thrown_shots(found), found.match.model().planning()
        make_engine(found.match.engine, found.match.physics)  # an unknown one is refused before the work
    if reason := unsupported(planner, model):
        raise UsageError(f"{text} cannot search curling: {reason}")
    shots = [shot for shot in shots if found.shots[shot.number].team in chosen]
    if not shots:
        raise UsageError(f"{file} holds no shot of {' or '.join(f'team{team}' for team in chosen)}: nothing to judge")
    judged = Judged(f"{text}, {allowance}", found.shots, judge_match(found, shots, judge, jobs))
    print(report(found, judged))
    if out is not None:
        page, warning = CurlingGame().picture(found, lambda: None, judged)
        if warning:
            print(f"bonspiel analyse: {file}: {warning}", file=sys.stderr)
        record_file.write_page(out, page)
        print(f"\n{out}")
    return 0


def _read(file: Path, team: int | None) -> tuple[Record, tuple[int, ...]]:
    """The match of a record or a log, and the teams whose shots are judged."""
    if not (file.is_file() and client_log.is_log(file)):
        return record_file.read_record(CurlingGame(), file), (0, 1) if team is None else (team,)
    logged = match_files.read_log(file)
    if not logged.aims:
        print(f"bonspiel analyse: {file} holds no aims, and its throws are judged as if aimed at", file=sys.stderr)
    known = logged.aims or (0, 1)
    if team is not None and team not in known:
        raise UsageError(f"{file} is the log of team{known[0]}'s client, which does not know the aims of team{team}")
    if team is None and len(known) == 1:
        unknown = f"the aims of team{1 - known[0]} are not known, and its shots are not judged"
        print(f"bonspiel analyse: {file} is the log of a client: {unknown}", file=sys.stderr)
    return logged.record, known if team is None else (team,)


def _budget(arguments: argparse.Namespace) -> tuple[Budget, str]:
    """The judge's budget for a choice, and in words."""
    if arguments.simulations is not None:
        simulations = number("simulations", arguments.simulations, 1, 1e12, whole=True)
        return Budget(simulations=simulations), counted(simulations, "simulation")
    milliseconds = number("milliseconds", arguments.milliseconds, 1, LONGEST, whole=False)
    return Budget(seconds=milliseconds / 1000.0), f"{milliseconds:,g} ms"
