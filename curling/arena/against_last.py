"""Compares clients of an arena with their earlier versions, by their games against the same opponents."""

import json
from collections.abc import Sequence
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bonspiel.curling.arena.tournament import Arena
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.games.match import read_pairs
from bonspiel.runs.games.ratings import paired_interval, paired_test
from bonspiel.runs.games.tournament import Tournament, read_tournament
from bonspiel.runs.progress import counted
from bonspiel.runs.results.store import MATCH

Pairs = dict[tuple[str, str], dict[int, float]]
"""Sums of a client's results against an opponent in pairs of games: by both names, then by the number of the pair."""


class Last(NamedTuple):
    """An earlier arena: its folder and its pairs of games."""

    folder: Path
    pairs: Pairs


class Change(NamedTuple):
    """The change of a client's win rate against an opponent since an earlier arena.

    Attributes:
        client: its name.
        against: the opponent's.
        pairs: of games, played in both arenas with the same errors of execution.
        now: win rate.
        last: win rate in the earlier arena.
        low: of the 95 % interval of the difference.
        high: of the same.
        p_value: of the sign-flip test on pairs.
    """

    client: str
    against: str
    pairs: int
    now: float
    last: float
    low: float
    high: float
    p_value: float

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
        return self._asdict()


def read(folder: Path, arena: Arena) -> Last:
    """An earlier arena, which has two clients of this one.

    Raises:
        UsageError: it is none, it was played by other settings, or a record is damaged.
    """
    last = read_tournament(folder)
    played = json.loads((folder / MATCH).read_text(encoding="utf-8")).get("arena", {})
    for option, ours, theirs in (
        ("game", arena.name, last.name),
        ("--seed", arena.seed, last.seed),
        ("--clock", arena.sides[0].allowance, last.sides[0].allowance),
        ("--extra-clock", arena.extra_clock, played.get("extra_clock")),
    ):
        if ours != theirs:
            raise UsageError(f"--against-last {folder}: its {option} is {theirs}, not {ours}; only equals compare")
    shared = {side.planner for side in last.sides} & {side.planner for side in arena.sides}
    if len(shared) < 2:
        names = ", ".join(side.planner for side in last.sides)
        raise UsageError(f"--against-last {folder}: played by {names}; name at least two clients as there")
    try:
        return Last(folder, _pairs(folder, last))
    except (ValueError, OSError) as error:
        raise UsageError(f"--against-last {folder}: {error}") from error


def compare(last: Last, folder: Path, arena: Arena) -> list[Change]:
    """The changes of all commands, or else planners, against all opponents that played in both arenas."""
    changes, played = [], _pairs(folder, arena)
    commands = [client for client in arena.clients if client.planner is None]
    for one, other in permutations(arena.clients, 2):
        if commands and one not in commands:
            continue
        ours, theirs = (pairs.get((one.name, other.name), {}) for pairs in (played, last.pairs))
        common = sorted(ours.keys() & theirs.keys())
        if common:
            now, before = ([sums[number] for number in common] for sums in (ours, theirs))
            moves = [new - old for new, old in zip(now, before, strict=True)]
            _, low, high = paired_interval(moves, np.random.default_rng(arena.seed))
            p_value = paired_test([1.0 + move for move in moves])
            rates = float(np.mean(now)) / 2.0, float(np.mean(before)) / 2.0
            changes.append(Change(one.name, other.name, len(common), *rates, low, high, p_value))
    return changes


def _pairs(folder: Path, tournament: Tournament) -> Pairs:
    """All finished pairs of games; a ValueError or OSError for a file that is no record."""
    found: Pairs = {}
    for (a, one), (b, other) in combinations(enumerate(side.planner for side in tournament.sides), 2):
        games = dict(read_pairs(folder, tournament, (a, b)))
        sums = {index // 2: games[index].value_for(0) + games[index + 1].value_for(1) for index in sorted(games)[::2]}
        found[one, other] = sums
        found[other, one] = {number: 2.0 - total for number, total in sums.items()}
    return found


def text_of(changes: Sequence[Change], last: Last) -> str:
    """The changes as text."""
    lines = [f"since {last.folder}, by pairs of games with the same errors of execution"]
    for one in changes:
        rates = f"win rate {one.now:.3f}, was {one.last:.3f}"
        change = f"{one.now - one.last:+.3f} ({one.low:+.3f} to {one.high:+.3f}, bootstrap)"
        test = f"p = {one.p_value:.2g}, {counted(one.pairs, 'pair')}"
        lines.append(f"  {one.client} against {one.against}: {rates}: {change}, {test}")
    return "\n".join(lines)
