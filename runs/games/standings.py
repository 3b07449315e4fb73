"""The results of a tournament as tables and as JSON."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bonspiel.planners.model import Rng
from bonspiel.runs.games.game import GameSummary, Side
from bonspiel.runs.games.ratings import FEW_PAIRS, elo, elo_intervals, elo_of_rate, paired_interval, paired_test, wilson
from bonspiel.runs.games.tournament import Pairing, Tournament
from bonspiel.runs.progress import counted
from bonspiel.runs.statistics.sample import Interval

OVERRUN_SHARE, OVERRUN_SECONDS = 0.05, 0.004  # tolerated excess over a time budget, the larger of the two

MOST_REASONS = 8  # of forfeits, that are listed

Games = Mapping[Pairing, Mapping[int, GameSummary]]  # by pairing and index


class PairingScore(NamedTuple):
    """The score of a pairing, from its first side's point of view."""

    a: int  # number of the first side
    b: int  # number of the second
    values: tuple[float, ...]  # result of each game for the first side, 0 to 1, in order; [2 n]
    wins: int  # games won by the first
    losses: int  # games lost by the first
    forfeits: tuple[str, ...]  # reasons of the games that a player forfeited

    @property
    def pairs(self) -> list[float]:
        """Sum of the values of each pair of games, [n]."""
        return [first + second for first, second in zip(self.values[::2], self.values[1::2], strict=True)]


def score(a: int, b: int, games: Sequence[GameSummary]) -> PairingScore:
    """The score of two sides, of which the first is player 0 in even games."""
    values = tuple(game.value_for(k % 2) for k, game in enumerate(games))
    wins, losses = (sum(game.winner == (k + i) % 2 for k, game in enumerate(games)) for i in (0, 1))
    return PairingScore(a, b, values, wins, losses, tuple(game.forfeit for game in games if game.forfeit is not None))


def points(tournament: Tournament, games: Games) -> list[float]:
    """The sum of the results of every side so far."""
    totals = [0.0] * len(tournament.sides)
    for (a, b), found in games.items():
        for index, game in found.items():
            totals[a] += game.value_for(index % 2)
            totals[b] += game.value_for(1 - index % 2)
    return totals


def results(tournament: Tournament, games: Games) -> tuple[dict[str, Any], str]:
    """The results of a finished tournament as JSON and as text."""
    rng = np.random.default_rng(tournament.seed)
    scores = [score(*pairing, [found[index] for index in sorted(found)]) for pairing, found in games.items()]
    ratings = elo_intervals([(one.a, one.b, one.pairs) for one in scores], len(tournament.sides), rng)
    return to_json(scores, tournament.sides, ratings), _text(tournament, scores, games, ratings, rng)


def unplayed(tournament: Tournament, games: Games) -> list[str]:
    """A line for each pairing of which every game was forfeited, with the first reason."""
    lines = []
    for (a, b), found in games.items():
        reasons = [found[index].forfeit for index in sorted(found)]
        if reasons and all(reasons):
            first, second = _name(tournament.sides[a]), _name(tournament.sides[b])
            lines.append(f"every game of {first} against {second} was forfeited, the first one by {reasons[0]}")
    return lines


def summary(found: PairingScore, sides: Sequence[Side]) -> dict[str, Any]:
    """A pairing as one JSON object; a limit of its Elo that is infinite is None."""
    games, total = len(found.values), sum(found.values)
    rate, p = wilson(total, games), paired_test(found.pairs)
    own, others = elo([[0.0, total], [games - total, 0.0]]).tolist()
    names = {"a": sides[found.a].planner, "b": sides[found.b].planner}
    counts = {"wins": found.wins, "losses": found.losses, "draws": games - found.wins - found.losses}
    strength = {"win_rate": rate.value, "low": rate.low, "high": rate.high, "p_value": p}
    low, high = (limit if math.isfinite(limit) else None for limit in map(elo_of_rate, rate[1:]))
    return {**names, "games": games, **counts, **strength, "elo": own - others, "elo_low": low, "elo_high": high}


def to_json(scores: Sequence[PairingScore], sides: Sequence[Side], ratings: Sequence[Interval]) -> dict[str, Any]:
    """The whole tournament: the pairing itself if there is but one, else all of them and the ratings.

    Ratings of few pairs of games have no interval.
    """
    pairs = [summary(one, sides) for one in scores]
    if len(pairs) == 1:
        return pairs[0]
    rows = []
    few = _fewest(scores) < FEW_PAIRS
    for side, (value, *limits) in zip(sides, ratings, strict=True):
        low, high = (None, None) if few else limits
        rows.append({"planner": side.planner, "budget": side.allowance, "elo": value, "low": low, "high": high})
    return {"pairs": pairs, "elo": rows}


def _text(
    tournament: Tournament, scores: Sequence[PairingScore], games: Games, ratings: Sequence[Interval], rng: Rng
) -> str:
    sides = tournament.sides
    blocks = [_score_text(one, sides, tournament.game.roles, rng) for one in scores]
    if len(scores) > 1:
        ranked = sorted(zip(ratings, sides, strict=True), key=lambda row: -row[0].value)
        few = f"no interval from {counted(_fewest(scores), 'pair')}" if _fewest(scores) < FEW_PAIRS else ""
        lines = [
            f"  {one.value:+7.0f} ({few or f'{one.low:+.0f} to {one.high:+.0f}'})  {_name(side)}"
            for one, side in ranked
        ]
        blocks.append("\n".join(["Elo (95 % bootstrap interval over pairs)", *lines]))
    times = [decision_times(side, _moves(place, games)) for place, side in enumerate(sides)]
    return "\n\n".join([*blocks, "\n".join(["time of a decision", *times])])


def _moves(side: int, games: Games) -> list[tuple[float, int]]:
    """(seconds, simulations) of every move of a side."""
    mine = [(found, pairing.index(side)) for pairing, found in games.items() if side in pairing]
    played = ((game, (index + place) % 2) for found, place in mine for index, game in found.items())
    return [move[1:] for game, player in played for move in game.moves if move[0] == player]


def _name(side: Side) -> str:
    return f"{side.planner}, {side.allowance}"


SCORE = """{}  against  {}
  {games} games: {wins} won, {losses} lost, {draws} drawn
  win rate {win_rate:.3f} ({low:.3f} to {high:.3f}, Wilson 95 %), over pairs {}
  paired test p = {p_value:.2g}, Elo {elo:+.0f} ({})"""


def _score_text(found: PairingScore, sides: Sequence[Side], roles: tuple[str, str], rng: Rng) -> str:
    numbers = summary(found, sides)
    _, low, high = paired_interval(found.pairs, rng)
    few = f"no interval from {counted(len(found.pairs), 'pair')}" if len(found.pairs) < FEW_PAIRS else ""
    over_pairs = few or f"{low:.3f} to {high:.3f} (bootstrap)"
    first, second = np.mean(found.values[::2]), np.mean(found.values[1::2])
    names = _name(sides[found.a]), _name(sides[found.b])
    text = SCORE.format(*names, over_pairs, _limits(numbers["elo_low"], numbers["elo_high"]), **numbers)
    text += f"\n  {roles[0]} {first:.3f}, {roles[1]} {second:.3f}"
    if found.forfeits:
        text += f"\n  {counted(len(found.forfeits), 'game')} forfeited{_reasons(found, sides)}"
    return text


def _limits(low: float | None, high: float | None) -> str:
    """The interval of a lead in Elo in words, one of whose limits may be infinite, which is None."""
    if low is None:
        return f"at most {high:+.0f}"
    return f"at least {low:+.0f}" if high is None else f"{low:+.0f} to {high:+.0f}"


def _fewest(scores: Sequence[PairingScore]) -> int:
    """The least number of pairs of games that two sides played."""
    return min(len(one.pairs) for one in scores)


def _reasons(found: PairingScore, sides: Sequence[Side]) -> str:
    """The first reason where all are of one kind, else the kinds in lines with their numbers of games."""
    cases: dict[tuple[str, ...], list[str]] = {}
    for text in found.forfeits:
        cases.setdefault(kind_of(text, (sides[found.a], sides[found.b])), []).append(text)
    if len(cases) == 1:
        return f", the first one by {found.forfeits[0]}"
    ranked = sorted(cases.values(), key=len, reverse=True)
    lines = [f"\n    {len(alike)} by {alike[0]}" for alike in ranked[:MOST_REASONS]]
    rest = sum(map(len, ranked[MOST_REASONS:]))
    return ":" + "".join(lines) + (f"\n    {rest} for other reasons" if rest else "")


def kind_of(forfeit: str, sides: Sequence[Side]) -> tuple[str, ...]:
    """The losers and the letters of their reasons before brackets: equal where only numbers in a reason differ.

    Args:
        forfeit: LOSER: REASON, or both sides' with a semicolon.
        sides: that played.
    """
    names = "|".join(re.escape(side.planner) for side in sides)
    parts = re.split(f"(?:^|; )({names}): ", forfeit)  # losers at odd places
    return *parts[1::2], *(re.sub("[^a-z]", "", reason.partition(" (")[0].lower()) for reason in parts[::2])


def decision_times(side: Side, moves: Sequence[tuple[float, int]]) -> str:
    """Mean and largest time of a side's moves, (seconds, simulations) each, in words, and how many were over time."""
    if not moves:
        return f"  {_name(side)}: no decision"
    seconds, simulations = np.array(moves).T
    times = f"mean {1000 * seconds.mean():.1f} ms, largest {1000 * seconds.max():.1f} ms"
    text = f"  {_name(side)}: {times}"
    if simulations.any():  # else nobody counted them
        text += f", {simulations.mean():.0f} simulations"
    if side.unit == "ms":
        limit = side.budget / 1000.0
        late = int((seconds > limit + max(OVERRUN_SHARE * limit, OVERRUN_SECONDS)).sum())
        text += f", {late} of {len(moves)} over time"
    return text
