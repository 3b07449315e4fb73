"""A game between a person and a planner in words, and on record."""

from curling.record import End, Record, Result
from curling.sheet import STONES
from curling.state import shot_of, team_of
from envs.curling_draw import NAMES
from runs.curling.play.aim import WEIGHTS
from runs.curling.play.game import Game


def caption(game: Game) -> str:
    """Which end and stone."""
    pause = game.phase in ("end", "over")
    end, ends = len(game.ends) - pause, game.model.ends
    name = f"end {end + 1} of {ends}" if end < ends else f"extra end {end - ends + 1}"
    return f"{name} is over" if pause else f"{name}, stone {shot_of(game.state) + 1} of {STONES}"


def message(game: Game) -> str:
    """What happens, and what has just happened that nobody sees on the ice."""
    opponent, team = game.opponent, team_of(game.state)
    if game.phase == "flight":
        return "your stone" if team == game.me else f"{opponent}'s stone{_thoughts(game)}"
    if game.phase in ("aim", "think"):
        foul = "foul, the stones go back. " if game.flight is not None and game.flight.outcome.foul else ""
        return foul + (_aim(game) if game.phase == "aim" else f"{opponent} is thinking")
    points = game.ends[-1]
    scored = f"{NAMES[int(points < 0)]} scores {abs(points)}" if points else "a blank end, nobody scores"
    return f"{scored}. {result(game)}" if game.phase == "over" else f"{scored}. Enter to go on"


def result(game: Game) -> str:
    """The score as the person sees it."""
    mine, theirs = game.points[game.me], game.points[1 - game.me]
    if game.phase != "over":
        return f"you left at {mine} : {theirs} against {game.opponent}"
    if mine == theirs:
        return f"a draw, {mine} : {theirs}, against {game.opponent}"
    return f"you {'win' if mine > theirs else 'lose'} {mine} : {theirs} against {game.opponent}"


def _aim(game: Game) -> str:
    x, y = game.aim.x, game.aim.y - game.model.law.sheet.tee
    name, turn = WEIGHTS[game.aim.weight][0], "out-turn" if game.aim.side > 0.0 else "in-turn"
    across, along = "right" if x > 0.0 else "left", "behind" if y > 0.0 else "before"
    impossible = "" if game.velocity is not None else ": no such shot"
    return f"{name}, {turn}, {abs(x):.2f} m {across}, {abs(y):.2f} m {along} the tee{impossible}"


def _thoughts(game: Game) -> str:
    shot = game.shots[-1]
    return f", after {shot.simulations:,} simulations in {shot.seconds:.1f} s"


def game_record(game: Game) -> Record:
    """The game so far; the person forfeits one that is not over."""
    score, other = game.points, 1 - game.me
    if game.phase != "over" or game.flight is None:
        final = Result(score, other, float(other == 0), "forfeit", "the person left")
    elif score[0] == score[1]:
        final = Result(score, None, game.flight.outcome.reward, "draw")
    else:
        final = Result(score, int(score[1] > score[0]), game.flight.outcome.reward, "score")
    ends = tuple(End(i, (max(points, 0), max(-points, 0))) for i, points in enumerate(game.ends))
    return Record(game.match, tuple(game.shots), ends, final)
