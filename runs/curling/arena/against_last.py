"""Compares clients of an arena with their earlier versions, by their games against the same opponents."""

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bonspiel.runs.curling.arena.tournament import Arena
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.games.match import read_pairs
from bonspiel.runs.games.ratings import paired_interval, paired_test
from bonspiel.runs.games.standings import score
from bonspiel.runs.games.tournament import Tournament, read_tournament
from bonspiel.runs.progress import counted


class Last(NamedTuple):
    """An earlier arena: its folder and its tournament."""

    folder: Path
    tournament: Tournament


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
        UsageError: it is none, or it was played by other settings.
    """
    last = read_tournament(folder)
    for option, ours, theirs in (
        ("game", arena.name, last.name),
        ("--seed", arena.seed, last.seed),
        ("--clock", arena.sides[0].allowance, last.sides[0].allowance),
    ):
        if ours != theirs:
            raise UsageError(f"--against-last {folder}: its {option} is {theirs}, not {ours}; only equals compare")
    shared = {side.planner for side in last.sides} & {side.planner for side in arena.sides}
    if len(shared) < 2:
        names = ", ".join(side.planner for side in last.sides)
        raise UsageError(f"--against-last {folder}: played by {names}; name at least two clients as there")
    return Last(folder, last)


def compare(last: Last, folder: Path, arena: Arena) -> list[Change]:
    """The changes of all commands, or else planners, against all opponents that played in both arenas."""
    changes = []
    commands = [client for client in arena.clients if client.planner is None]
    for one, other in permutations(arena.clients, 2):
        if commands and one not in commands:
            continue
        now, before = (_pairs(*given, one.name, other.name) for given in (Last(folder, arena), last))
        common = min(len(now), len(before))
        if common:
            now, before = now[:common], before[:common]
            moves = [new - old for new, old in zip(now, before, strict=True)]
            _, low, high = paired_interval(moves, np.random.default_rng(arena.seed))
            p_value = paired_test([1.0 + move for move in moves])
            rates = float(np.mean(now)) / 2.0, float(np.mean(before)) / 2.0
            changes.append(Change(one.name, other.name, common, *rates, low, high, p_value))
    return changes


def _pairs(folder: Path, tournament: Tournament, client: str, opponent: str) -> list[float]:
    """The sums of the client's results of each pair of games against an opponent, in order."""
    names = [side.planner for side in tournament.sides]
    if not {client, opponent} <= set(names):
        return []
    a, b = names.index(client), names.index(opponent)
    found = score(min(a, b), max(a, b), list(read_pairs(folder, tournament, (min(a, b), max(a, b))))).pairs
    return found if a < b else [2.0 - value for value in found]


def text_of(changes: Sequence[Change], last: Last) -> str:
    """The changes as text."""
    lines = [f"since {last.folder}, by pairs of games with the same errors of execution"]
    for one in changes:
        rates = f"win rate {one.now:.3f}, was {one.last:.3f}"
        change = f"{one.now - one.last:+.3f} ({one.low:+.3f} to {one.high:+.3f}, bootstrap)"
        test = f"p = {one.p_value:.2g}, {counted(one.pairs, 'pair')}"
        lines.append(f"  {one.client} against {one.against}: {rates}: {change}, {test}")
    return "\n".join(lines)
