"""Means of regret over positions: of all, by part of the end, hammer and kind of shot, and between clients."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from bonspiel.curling.arena.clients import Client
from bonspiel.curling.regret.positions import TestPosition
from bonspiel.curling.regret.referee import SOURCES, ShotRegret
from bonspiel.curling.regret.results import Examined
from bonspiel.planners.model import Rng
from bonspiel.runs.games.ratings import FEW_PAIRS
from bonspiel.runs.statistics.paired import Paired, paired
from bonspiel.runs.statistics.sample import Interval, summarise

NETWORK, PLAYOUTS = (source.name for source in SOURCES)
SEARCHES_WITH_IT = re.compile(r"\b(champion|presearch|valued)\b")
OURS = re.compile(r"-m bonspiel\b|\bbonspiel client\b|\bbonspiel\.curling\.players\.serve\b")
PLANNER = re.compile(r"(?:--planner[= ]|players\.serve )['\"]?([^\s'\"]+)")  # of our client, or of our process player
THIRDS = ("first third of the end", "second third", "last third", "last stone")
CERTAIN = 3.0  # standard errors by which referees must differ to disagree
LARGE = 0.05  # of win probability, for the same


class Judged(NamedTuple):
    """A position and what the referees say of a client's shot there."""

    number: int
    place: TestPosition
    verdicts: Mapping[str, ShotRegret]


def referee_of(client: Client) -> str:
    """The referee whose values count for a client: never those with which a planner of this package has chosen."""
    text = client.planner or " ".join(client.words)
    if client.planner is None or text.startswith("process:"):  # a command, which may start a planner of this package
        named = PLANNER.search(text)
        text = (named.group(1) if named else "champion") if OURS.search(text) else ""
    return PLAYOUTS if SEARCHES_WITH_IT.search(text) else NETWORK


def judged(name: str, examined: Sequence[Examined], places: Sequence[TestPosition]) -> list[Judged]:
    """The positions in which a client gave a shot."""
    return [
        Judged(one.number, places[one.number], {verdict.referee: verdict for verdict in one.verdicts[name]})
        for one in examined
        if name in one.verdicts
    ]


def mean(found: Sequence[Judged], referee: str, quantity: Callable[[ShotRegret], float], rng: Rng) -> Interval:
    """The mean of a quantity, with a bootstrap interval over positions, which covers the referee's errors too.

    Few positions give none, as they tell nothing of what others might have given.
    """
    interval = summarise([quantity(one.verdicts[referee]) for one in found], rng).interval
    return interval if len(found) >= FEW_PAIRS else interval._replace(low=math.nan, high=math.nan)


def third(one: Judged) -> str:
    """The part of the end of a shot."""
    position = one.place.position
    first, shots = position.settings.first_shot, position.settings.end_shots
    number = position.shot - first
    return THIRDS[3] if number == shots - 1 else THIRDS[3 * number // shots]


def hammer(one: Judged) -> str:
    """With or without the hammer."""
    position = one.place.position
    return "with the hammer" if position.team == position.hammer else "without the hammer"


def kind(one: Judged) -> str:
    """The kind of the client's shot, without its target."""
    name = next(iter(one.verdicts.values())).name
    return re.sub(r" (of|to|on) (red|yellow) \d.*", "", name)


GROUPS: tuple[tuple[str, Callable[[Judged], str]], ...] = (("part", third), ("hammer", hammer), ("shot", kind))


def grouped(found: Sequence[Judged], group: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    """The positions by group, in order."""
    names = sorted({group(one) for one in found}, key=lambda name: (THIRDS.index(name) if name in THIRDS else 0, name))
    return {name: [one for one in found if group(one) == name] for name in names}


def disagree(one: Judged) -> bool:
    """Return whether the two referees certainly and clearly differ in the regret of a shot."""
    first, second = (one.verdicts[name] for name in (NETWORK, PLAYOUTS))
    apart = abs(first.regret - second.regret)
    return apart > max(LARGE, CERTAIN * float(np.hypot(first.error, second.error)))


def differences(
    names: Sequence[str], examined: Sequence[Examined], referee: str, rng: Rng
) -> dict[tuple[str, str], Paired]:
    """What the first of two clients loses more than the second, over the positions in which both gave a shot."""
    found = {}
    for one, other in combinations(names, 2):
        both = [both.verdicts for both in examined if one in both.verdicts and other in both.verdicts]
        if both:
            place = [source.name for source in SOURCES].index(referee)
            first, second = ([verdicts[name][place].regret for verdicts in both] for name in (one, other))
            found[one, other] = paired(first, second, rng)
    return found


def to_json(clients: Sequence[Client], examined: Sequence[Examined], places: Sequence[TestPosition]) -> dict[str, Any]:
    """The results as one JSON object."""
    found, rng = {}, np.random.default_rng(0)
    for client in clients:
        own = judged(client.name, examined, places)
        by = {
            source.name: {
                "regret": _numbers(mean(own, source.name, lambda one: one.regret, rng)),
                "wrong_shot": _numbers(mean(own, source.name, lambda one: one.wrong_shot, rng)),
                "lost_points": _numbers(mean(own, source.name, lambda one: one.lost_points, rng)),
            }
            for source in SOURCES
        }
        failures = [one.answers[client.name].failure for one in examined if one.answers[client.name].failure]
        found[client.name] = {"positions": len(own), "failed": failures, "referee": referee_of(client), **by}
    return {"positions": len(places), "clients": found}


def _numbers(interval: Interval) -> dict[str, float | None]:
    """An interval for JSON, which has no NaN."""
    return {name: value if math.isfinite(value) else None for name, value in interval._asdict().items()}
