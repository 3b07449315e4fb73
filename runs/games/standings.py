"""What the games of a tournament add up to, as tables and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from curling.record import Record
from planners.base import Rng
from runs.curling.game import Side
from runs.games.ratings import elo, elo_intervals, paired_interval, paired_test, wilson
from runs.statistics.sample import Interval

OVERRUN_SHARE, OVERRUN_SECONDS = 0.05, 0.004  # what a time budget may be exceeded by, the larger of the two


class Pairing(NamedTuple):
    """How two sides fared, seen by the first.

    Attributes:
        a: number of the first side.
        b: number of the second.
        values: what each game gave the first side, 0 to 1, in order; [2 n].
        wins: games won by the first.
        losses: games lost by the first.
        forfeits: games that a planner forfeited, with the reason.
    """

    a: int
    b: int
    values: tuple[float, ...]
    wins: int
    losses: int
    forfeits: tuple[str, ...]

    @property
    def pairs(self) -> list[float]:
        """Sum of the values of each pair of games, [n]."""
        return [first + second for first, second in zip(self.values[::2], self.values[1::2], strict=True)]


def pairing(a: int, b: int, records: Sequence[Record]) -> Pairing:
    """How two sides fared in their games, of which the first is team 0 in the even ones."""
    results = [record.result for record in records]
    values = tuple(result.value_for(k % 2) for k, result in enumerate(results))
    wins = sum(result.winner == k % 2 for k, result in enumerate(results))
    losses = sum(result.winner == 1 - k % 2 for k, result in enumerate(results))
    forfeits = tuple(str(result.detail) for result in results if result.reason == "forfeit")
    return Pairing(a, b, values, wins, losses, forfeits)


def summary(found: Pairing, sides: Sequence[Side]) -> dict[str, Any]:
    """A pairing as one JSON object."""
    games = len(found.values)
    rate = wilson(sum(found.values), games)
    total = sum(found.values)
    ratings = elo([[0.0, total], [games - total, 0.0]])
    return {
        "a": sides[found.a].planner,
        "b": sides[found.b].planner,
        "games": games,
        "wins": found.wins,
        "losses": found.losses,
        "draws": games - found.wins - found.losses,
        "win_rate": rate.value,
        "low": rate.low,
        "high": rate.high,
        "p_value": paired_test(found.pairs),
        "elo": float(ratings[0] - ratings[1]),
    }


def to_json(found: Sequence[Pairing], sides: Sequence[Side], ratings: Sequence[Interval]) -> dict[str, Any]:
    """The whole tournament: the pairing itself if there is but one, else all of them and the ratings."""
    pairs = [summary(one, sides) for one in found]
    if len(pairs) == 1:
        return pairs[0]
    rows = [
        {"planner": side.planner, "budget": side.allowance, "elo": rating.value, "low": rating.low, "high": rating.high}
        for side, rating in zip(sides, ratings, strict=True)
    ]
    return {"pairs": pairs, "elo": rows}


def ratings_of(found: Sequence[Pairing], sides: Sequence[Side], rng: Rng) -> list[Interval]:
    """Elo of every side, with 95 % bootstrap intervals."""
    return elo_intervals([(one.a, one.b, one.pairs) for one in found], len(sides), rng)


def tables(
    found: Sequence[Pairing],
    sides: Sequence[Side],
    records: Mapping[int, Sequence[tuple[int, Record]]],
    ratings: Sequence[Interval],
    rng: Rng,
) -> str:
    """The tournament as text.

    Args:
        found: every pairing.
        sides: the planners.
        records: for each side, its games with its team in them.
        ratings: from `ratings_of`.
        rng: draws the resamples of bootstrap intervals.
    """
    blocks = [_pairing_text(one, sides, rng) for one in found]
    if len(found) > 1:
        rows = zip(sides, ratings, strict=True)
        blocks.append(
            "\n".join(
                ["Elo (95 % bootstrap interval over pairs)"]
                + [
                    f"  {rating.value:+7.0f} ({rating.low:+.0f} to {rating.high:+.0f})  {_name(side)}"
                    for side, rating in sorted(rows, key=lambda row: -row[1].value)
                ]
            )
        )
    blocks.append("\n".join(["time a shot"] + [_time_text(side, records[k]) for k, side in enumerate(sides)]))
    return "\n\n".join(blocks)


def _name(side: Side) -> str:
    return f"{side.planner}, {side.allowance}"


def _pairing_text(found: Pairing, sides: Sequence[Side], rng: Rng) -> str:
    numbers = summary(found, sides)
    pairs = paired_interval(found.pairs, rng)
    without, having = np.mean(found.values[::2]), np.mean(found.values[1::2])
    lines = [
        f"{_name(sides[found.a])}  against  {_name(sides[found.b])}",
        "  {games} games: {wins} won, {lost} lost, {draws} drawn".format(lost=numbers["losses"], **numbers),
        "  win rate {win_rate:.3f} ({low:.3f} to {high:.3f}, Wilson 95 %)".format(**numbers)
        + f", over pairs {pairs.low:.3f} to {pairs.high:.3f} (bootstrap)",
        "  paired test p = {p_value:.2g}, Elo {elo:+.0f}".format(**numbers),
        f"  without the hammer in the first end {without:.3f}, with it {having:.3f}",
    ]
    if found.forfeits:
        lines.append(f"  {len(found.forfeits)} games forfeited, the first one by {found.forfeits[0]}")
    return "\n".join(lines)


def _time_text(side: Side, games: Sequence[tuple[int, Record]]) -> str:
    shots = [shot for team, record in games for shot in record.shots if shot.team == team]
    if not shots:
        return f"  {_name(side)}: no shot"
    seconds = np.array([shot.seconds for shot in shots])
    text = (
        f"  {_name(side)}: mean {1000 * seconds.mean():.1f} ms, largest {1000 * seconds.max():.1f} ms, "
        f"{np.mean([shot.simulations or 0 for shot in shots]):.0f} simulations"
    )
    if side.unit == "ms":
        limit = side.budget / 1000.0
        late = int((seconds > limit + max(OVERRUN_SHARE * limit, OVERRUN_SECONDS)).sum())
        text += f", {late} of {len(shots)} shots over time"
    return text
