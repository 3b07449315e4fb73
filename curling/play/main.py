"""`bonspiel play`: sets up a game between a person and a planner, in the terminal or in a browser."""

import argparse
import secrets
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.play.game import InteractiveGame
from bonspiel.curling.play.report import game_record, result
from bonspiel.curling.play.separate_planner import SeparatePlanner
from bonspiel.curling.protocols.console import print_to_stderr
from bonspiel.curling.records import record
from bonspiel.curling.web_extra import needing_web
from bonspiel.planners.planner import Budget, Planner
from bonspiel.runs.experiment import RunError, UsageError, number
from bonspiel.runs.files import check_writable, unused, writing

WARM_UP_SECONDS = 0.1
LONGEST = 600_000.0  # ms


def main(arguments: argparse.Namespace) -> None:
    """Play one match as the arguments of `bonspiel play` say, and print its result.

    Raises:
        UsageError: a value is unknown or out of range, or the record cannot be written.
        RunError: the planner failed.
    """
    with ExitStack() as leaving:
        _play(arguments, leaving)


def _play(arguments: argparse.Namespace, leaving: ExitStack) -> None:
    """Play the match; `leaving` closes its resources in the end."""
    if arguments.window:
        raise UsageError("--window is no longer offered; --web plays in a browser")
    against, milliseconds, out = arguments.against, arguments.milliseconds, arguments.record
    seconds = number("milliseconds", milliseconds, 1, LONGEST, whole=False) / 1000.0
    if out is not None:
        check_writable(out)
        if out.exists():
            raise UsageError(f"{out} exists already; choose another --record")
    if not arguments.web and (arguments.bind, arguments.port) != (None, None):
        raise UsageError("--bind and --port are for --web")
    host, port = arguments.bind or "127.0.0.1", number("--port", arguments.port or 0, 0, 65535, whole=True)
    seed = secrets.randbits(32) if arguments.seed is None else number("seed", arguments.seed, 0, 2**63, whole=True)
    me, spent = int(arguments.hammer == "me"), f"{milliseconds:g} ms"
    sides, budgets = (("you", against), ("any", spent)) if me == 0 else ((against, "you"), (spent, "any"))
    is_mixed = arguments.game == "mixed_doubles"
    if arguments.pattern is not None and not is_mixed:
        raise UsageError("--pattern: only for --game mixed_doubles")
    physics = arguments.physics or ("dc4" if is_mixed else "fcv1")
    rules = {name: getattr(arguments, name) for name in ("rule", "noise", "ends", "game")}
    rules |= {"physics": physics, "pattern": arguments.pattern or 0}
    played = record.Match(players=sides, budgets=budgets, seed=seed, **rules)
    try:
        planner, model = players.parse(against), played.model()
    except ValueError as error:
        raise UsageError(str(error)) from error
    opponent: Planner = planner
    play_in: Callable[[InteractiveGame], None]
    if arguments.web:
        with needing_web("--web"):
            from bonspiel.curling.play.browser.web import play_in_web
        play_in = partial(play_in_web, host=host, port=port)
        opponent = leaving.enter_context(
            SeparatePlanner(against, lambda line: print_to_stderr(f"bonspiel play: {line}"))
        )
    else:
        from bonspiel.curling.play.terminal import check
        from bonspiel.curling.play.terminal import play_in_terminal as play_in

        check()
    rng = np.random.default_rng(0)
    try:  # an untimed warm-up, which loads or compiles the planner's code
        opponent.plan(model.planning(), model.initial_state(rng), Budget(seconds=WARM_UP_SECONDS), rng)
    except Exception as error:
        raise RunError(f"{against} cannot play: {error}") from error
    game = InteractiveGame(played, opponent, Budget(seconds=seconds), me)
    failure = ""
    try:
        play_in(game)
    except RunError as error:
        failure = str(error)
        raise
    finally:
        game.close()
        if out is not None and game.shots:
            out = unused(str(out.with_suffix("")), out.suffix)  # by now another game may have this name
            with writing(out):
                record.write(out, game_record(game, failure))
            print(f"record  {out}")
    print(f"{result(game)} (seed {seed})")
