"""Compares clients with their earlier versions, by their regret in the same positions."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bonspiel.curling.arena.clients import Client
from bonspiel.curling.regret.positions import TestPosition
from bonspiel.curling.regret.results import Examined, key_of, lines
from bonspiel.curling.regret.summary import referee_of
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.progress import counted
from bonspiel.runs.statistics.paired import paired
from bonspiel.runs.tables import estimate


def earlier_results(folder: Path, places: Sequence[TestPosition], clients: Sequence[Client]) -> list[Examined]:
    """The results of an earlier run in these positions.

    Raises:
        UsageError: the folder has none, or none of these clients.
    """
    keys = {key_of(place) for place in places}
    found = [one for one in lines(folder) if one.key in keys]
    if not found:
        raise UsageError(f"--against-last {folder}: no results of bonspiel regret in any of these positions")
    if not any(client.name in one.verdicts for client in clients for one in found):
        names = ", ".join(sorted({name for one in found for name in one.verdicts}))
        raise UsageError(f"--against-last {folder}: its clients are {names}; name at least one as there")
    return found


def changes(earlier: Sequence[Examined], now: Sequence[Examined], clients: Sequence[Client]) -> str:
    """The change of each client's regret as text."""
    before, texts, rng = {one.key: one.verdicts for one in earlier}, [], np.random.default_rng(0)
    for client in clients:
        referee, name = referee_of(client), client.name
        both = [
            [
                verdict.regret
                for verdicts in (one.verdicts, before[one.key])
                for verdict in verdicts[name]
                if verdict.referee == referee
            ]
            for one in now
            if name in one.verdicts and name in before.get(one.key, {})
        ]
        if both:
            new, old = np.array(both).T
            change = paired(new, old, rng)
            rates = f"regret {new.mean():.3f}, was {old.mean():.3f}, by {referee}"
            positions = counted(len(both), "position")
            texts.append(f"  {name}: {rates}: change {estimate(change.difference)}, p = {change.p:.2g}, {positions}")
    return "\n".join(texts)
