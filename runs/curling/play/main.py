"""`bonspiel play`: sets up a game between a person and a planner, in the terminal or in a window."""

import secrets
from pathlib import Path
from typing import Any

import numpy as np

from curling import players, record
from curling.model import Curling
from planners.base import Budget, Planner
from runs.curling.play.game import InteractiveGame
from runs.curling.play.report import game_record, result
from runs.experiment import RunError, UsageError, number
from runs.files import check_writable, writing

WARM_UP_SECONDS = 0.1
LONGEST = 600_000.0  # ms


def main(
    against: str,
    milliseconds: float,
    match: dict[str, Any],
    hammer: str,
    seed: int | None,
    out: Path | None,
    window: bool,
) -> None:
    """Play one match and print its result.

    Args:
        against: the planner, NAME[:key=value,...].
        milliseconds: its time for a shot.
        match: ends, physics, rule and noise, as of `curling.model.Curling`.
        hammer: "me" or "them": who throws the last stone of the first end.
        seed: of the noise and of the planner; None is a new one.
        out: file for the record, or None.
        window: in a window rather than in the terminal.

    Raises:
        UsageError: a value is unknown or out of range, or the record cannot be written.
        RunError: the planner failed.
    """
    seconds = number("milliseconds", milliseconds, 1, LONGEST, whole=False) / 1000.0
    if out is not None:
        check_writable(out)
        if out.exists():
            raise UsageError(f"{out} exists already; choose another --record")
    chosen = secrets.randbits(32) if seed is None else number("seed", seed, 0, 2**63, whole=True)
    me, spent = int(hammer == "me"), f"{milliseconds:g} ms"
    sides, budgets = (("you", against), ("any", spent)) if me == 0 else ((against, "you"), (spent, "any"))
    played = record.Match(sides, **match, budgets=budgets, seed=chosen)
    try:
        planner, model = players.parse(against), played.model()
    except ValueError as error:
        raise UsageError(str(error)) from error
    if window:
        from runs.curling.play.window import check_display
        from runs.curling.play.window import play_in_window as play_in

        check_display()
    else:
        from runs.curling.play.terminal import check
        from runs.curling.play.terminal import play_in_terminal as play_in

        check()
    _warm_up(planner, against, model)
    game = InteractiveGame(played, planner, Budget(seconds=seconds), me)
    try:
        play_in(game)
    finally:
        game.close()
        if out is not None and game.shots:
            with writing(out):
                record.write(out, game_record(game))
            print(f"record  {out}")
    print(f"{result(game)} (seed {chosen})")


def _warm_up(planner: Planner, name: str, model: Curling) -> None:
    """An untimed warm-up: it loads or compiles the planner's code."""
    rng = np.random.default_rng(0)
    try:
        planner.plan(model.planning(), model.initial_state(rng), Budget(seconds=WARM_UP_SECONDS), rng)
    except Exception as error:
        raise RunError(f"{name} cannot play: {error}") from error
