"""A game between a person and a planner in words, and its record."""

from bonspiel.curling.env.picture import NAMES
from bonspiel.curling.game import final_result
from bonspiel.curling.match.state import shot_of, team_of
from bonspiel.curling.play.game import InteractiveGame
from bonspiel.curling.records.record import LONGEST_REASON, End, Record, Result

SETUPS = {
    "center_guard": "to lead",
    "center_house": "the hammer",
    "pp_left": "a power play on the left",
    "pp_right": "a power play on the right",
}


def caption(game: InteractiveGame) -> str:
    """The end and the stone."""
    pause = game.phase in ("end", "over")
    end, ends = len(game.ends) - pause, game.model.ends
    name = f"end {end + 1} of {ends}" if end < ends else f"extra end {end - ends + 1}"
    if pause or game.phase == "setup":
        return f"{name} is over" if pause else f"{name}, set-up"
    return f"{name}, stone {shot_of(game.state) - game.model.first_shot + 1} of {game.model.end_shots}"


def message(game: InteractiveGame) -> str:
    """The line about the game's state and the last shot, for facts that the picture does not show."""
    opponent, team = game.opponent, team_of(game.state)
    if game.phase == "flight":
        shot = game.shots[-1]
        spent = f"{shot.simulations:,} simulations in {shot.seconds:.1f} s"
        return "your stone" if team == game.me else f"{opponent}'s stone, after {spent}"
    if game.phase in ("aim", "think"):
        foul = "foul, the stones go back. " if game.flight is not None and game.flight.outcome.foul else ""
        return _setup(game) + foul + (_aim(game) if game.phase == "aim" else f"{opponent} is thinking")
    if game.phase == "setup":
        return f"your set-up: {SETUPS[game.setup]}. w for another one, enter to take it"
    points = game.ends[-1]
    scored = f"{NAMES[int(points < 0)]} scores {abs(points)}" if points else "a blank end, nobody scores"
    return f"{scored}. {result(game)}" if game.phase == "over" else f"{scored}. Enter to continue"


def _setup(game: InteractiveGame) -> str:
    """The team that set up the end, and its choice; empty after the first stone."""
    if not game.setups or shot_of(game.state) != game.model.first_shot:
        return ""
    setup = game.setups[-1]
    return f"{'you' if setup.team == game.me else game.opponent} chose {SETUPS[setup.choice]}. "


def result(game: InteractiveGame) -> str:
    """The score as the person sees it."""
    mine, theirs = game.points[game.me], game.points[1 - game.me]
    if game.phase != "over":
        return f"you left at {mine} : {theirs} against {game.opponent}"
    if mine == theirs:
        return f"a draw, {mine} : {theirs}, against {game.opponent}"
    return f"you {'win' if mine > theirs else 'lose'} {mine} : {theirs} against {game.opponent}"


def _aim(game: InteractiveGame) -> str:
    x, y = game.aim.x, game.aim.y - game.model.law.sheet.tee
    name, turn = game.aim.weight_name, "out-turn" if game.aim.side > 0.0 else "in-turn"
    across, along = "right" if x > 0.0 else "left", "behind" if y > 0.0 else "before"
    impossible = "" if game.velocity is not None else ": no such shot"
    return f"{name}, {turn}, {abs(x):.2f} m {across}, {abs(y):.2f} m {along} the tee{impossible}"


def game_record(game: InteractiveGame, failure: str = "") -> Record:
    """The game so far; the person forfeits one that is not over, but the planner does after its failure."""
    score, winner = game.points, game.me if failure else 1 - game.me
    if game.phase != "over" or game.flight is None:
        final = Result(score, winner, float(winner == 0), "forfeit", failure[:LONGEST_REASON] or "the person left")
    else:
        final = final_result(score, game.flight.outcome.reward)
    ends = tuple(End(i, (max(points, 0), max(-points, 0))) for i, points in enumerate(game.ends))
    return Record(game.match, tuple(game.shots), ends, final, tuple(game.setups))
