"""Reads the positions of a JSON file, for `bonspiel map` and `bonspiel regret`; see docs/curling/records.md."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from bonspiel.curling.checks import check_match_state
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.settings import MOST_ENDS
from bonspiel.planners.checks import is_real, require
from bonspiel.planners.registry import unknown
from bonspiel.runs.experiment import UsageError, number

NUMBERS = {
    "shot": (0, STONES - 1),
    "hammer": (0, 1),
    "lead": (-1_000, 1_000),
    "end": (0, 1_000),
    "ends": (1, MOST_ENDS),
    "extra_ends": (0, MOST_ENDS),
}
KEYS = ("stones", *NUMBERS, "tie", "physics", "rule", "noise", "max_speed", "mixed_doubles", "team", "reward", "source")
THROWN = f"0 to {STONES - 1}, the shots of the end before it"


def read_positions(path: Path) -> list[tuple[MatchPosition, str]]:
    """The positions of a file, each with its source: one object, a list of them, or an object with `positions`.

    Raises:
        UsageError: no such file, or one that cannot occur; the message names it.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from error
    except RecursionError:
        raise UsageError(f"{path}: nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"{path}: must be JSON ({error})") from error
    listed = given.get("positions", [given]) if isinstance(given, dict) else given
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"{path}: must hold a position, or a list of them")
    if listed is not given and len(listed) == 1:
        return [_read(listed[0], str(path))]
    return [_read(one, f"{path}, position {place}") for place, one in enumerate(listed, 1)]


def _read(given: Any, where: str) -> tuple[MatchPosition, str]:
    if not isinstance(given, dict):
        raise UsageError(f"{where}: must be a JSON object with the keys {', '.join(KEYS)}")
    try:
        for key in given:
            if key not in KEYS:
                raise unknown("key of a position", key, KEYS)
        for key, allowed in (("stones", f"{STONES} places, each [x, y] or null"), ("shot", THROWN)):
            if key not in given:
                raise UsageError(f"{key} is missing ({allowed})")
        for key, bounds in NUMBERS.items():
            if key in given:
                given[key] = number(key, given[key], *bounds, whole=True)
        position = checked(MatchPosition.from_json(given))
        team = given.get("team", position.team)
        allowed = f"{position.team}, since shot={position.shot} and hammer={position.hammer}"
        require(is_real(team) and team == position.team, "team", team, allowed)
        return position, str(given.get("source", where))
    except (KeyError, ValueError, TypeError, UsageError) as error:
        raise UsageError(f"{where}: {error}") from error


def checked(position: MatchPosition) -> MatchPosition:
    """The position, with the settings that it leaves out, if it can occur.

    Raises:
        ValueError: it cannot.
    """
    if position.is_setup_due:
        raise ValueError("shot=0: the end of mixed doubles must be set up, and shots are numbered from 6")
    model, settings = position.model(), position.settings
    most = settings.ends + settings.extra_ends
    require(0 <= position.end < most, "end", position.end, f"0 to {most - 1}, the ends before it")
    check_match_state(model.planning(), position.state())
    return replace(position, settings=replace(settings, rule=model.rule, noise=model.noise))
