"""Compares clients with their earlier versions, by their regret in the same positions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.curling.arena.clients import Client
from bonspiel.curling.regret.positions import TestPosition
from bonspiel.curling.regret.results import Examined, key_of, lines, settings_of
from bonspiel.curling.regret.summary import referee_of
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.progress import counted
from bonspiel.runs.statistics.paired import paired
from bonspiel.runs.tables import estimate

ALIKE = "protocol", "a shot"  # settings of runs that compare


def earlier_results(
    folder: Path, places: Sequence[TestPosition], clients: Sequence[Client], settings: Mapping[str, Any]
) -> list[Examined]:
    """The results of an earlier run in these positions.

    Args:
        folder: of the earlier run.
        places: of this run.
        clients: of this run.
        settings: of this run, as its folder keeps them.

    Raises:
        UsageError: the folder has none, none of these clients, or was played by other settings.
    """
    keys = {key_of(place) for place in places}
    found = [one for one in lines(folder) if one.key in keys]
    if not found:
        raise UsageError(f"--against-last {folder}: no results of bonspiel regret in any of these positions")
    if not any(client.name in one.verdicts for client in clients for one in found):
        names = ", ".join(sorted({name for one in found for name in one.verdicts}))
        raise UsageError(f"--against-last {folder}: its clients are {names}; name at least one as there")
    last = settings_of(folder)
    for name in ALIKE:
        if last.get(name) != settings[name]:
            theirs, ours = last.get(name), settings[name]
            raise UsageError(f"--against-last {folder}: its {name} is {theirs}, not {ours}; only equals compare")
    return found


def changes(earlier: Sequence[Examined], now: Sequence[Examined], clients: Sequence[Client]) -> str:
    """The change of each client's regret as text; of equal positions the last counts."""
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
            for one in {one.key: one for one in now}.values()
            if name in one.verdicts and name in before.get(one.key, {})
        ]
        if both:
            new, old = np.array(both).T
            change = paired(new, old, rng)
            rates = f"regret {new.mean():.3f}, was {old.mean():.3f}, by {referee}"
            positions = counted(len(both), "position")
            texts.append(f"  {name}: {rates}: change {estimate(change.difference)}, p = {change.p:.2g}, {positions}")
    return "\n".join(texts)
