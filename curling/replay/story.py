"""A record as the page tells it: its lines in order, with the paths of the stones and the win probability."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from curling.match_data import End, Match, Record, RecordedShot, Result, Throw, stones_after
from curling.replay.curve import win_probability
from curling.replay.paths import tracks
from curling.sheet import STONES
from curling.state import FIRST_STONE, HAMMER, TIME, row_of, team_of
from curling.umpire import outcome
from planners.base import Array, require

Event = dict[str, Any]


class Story:
    """What happens in a match, for those who look on.

    Args:
        match: what is played.

    Attributes:
        apart: largest distance between a stone on record and where the throw takes it, m; inf if one of the two is not
            there. More than rounding means that the record is another simulator's.
    """

    def __init__(self, match: Match) -> None:
        """Begin with an empty sheet.

        Raises:
            ValueError: a match that cannot be played.
        """
        self.match, self.model, self.apart = match, match.model(), 0.0
        self._planning = self.model.planning()
        self._state = self.model.initial_state(np.random.default_rng(0))
        self._pace = 1.0 if self.model.physics == "fcv1" else 10.0  # dc2's clock runs ten times too fast
        self._over = False

    def begin(self) -> Event:
        """The match: its sheet in millimetres, and the win probability before the first shot."""
        match, sheet, model = self.match, self.model.law.sheet, self.model
        return {
            "type": "match",
            "players": match.players,
            "budgets": match.budgets,
            "physics": match.physics,
            "rule": model.rule,
            "noise": model.noise if isinstance(model.noise, str) else "custom",
            "ends": match.ends,
            "engine": match.engine,
            "chance": self._chance(),
            "sheet": {
                name: round(1000.0 * getattr(sheet, name))
                for name in ("hog_line", "tee", "back_line", "half_width", "house_radius")
            },
        }

    def tell(self, item: RecordedShot | End | Result) -> Event:
        """The next part of the record.

        Raises:
            ValueError: a shot that is not the next one of the match.
        """
        if isinstance(item, RecordedShot):
            return self._shot(item)
        return {"type": type(item).__name__.lower(), **item._asdict()}

    def _shot(self, shot: RecordedShot) -> Event:
        """The shot: speeds in m/s of a real clock, angles in degrees, times in milliseconds, lengths in millimetres."""
        turn = *divmod(int(self._state[TIME]), STONES), int(team_of(self._state)), int(self._state[HAMMER])
        require(
            not self._over and turn == shot[:4],
            "(end, shot, team, hammer)",
            shot[:4],
            "none, the match is over" if self._over else f"{turn}, the next shot",
        )
        before = self._state
        after = outcome(self.model, before, shot.thrown, self.match.engine, trajectory=True)
        assert after.path is not None
        stones = stones_after(shot)
        self._compare(after.stones, stones)
        self._state, self._over = after.state, after.over
        if after.points is None:
            self._state[FIRST_STONE:] = np.nan_to_num(stones).ravel()
        return {
            "type": "shot",
            **{
                name: getattr(shot, name)
                for name in ("end", "shot", "team", "hammer", "value", "simulations", "seconds")
            },
            "aim": self._throw(shot.aim),
            "thrown": self._throw(shot.thrown),
            "turn": 1 if shot.aim[2] >= 0.0 else -1,
            "aimed": self._as_aimed(before, shot),
            "tracks": tracks(after.path, self._pace),
            "length": round(1000.0 * self._pace * float(after.path.times[-1])),
            "foul": after.foul,
            "stones": [None if place is None else [round(1000.0 * x) for x in place] for place in shot.stones],
            "chance": after.reward if after.over else self._chance(),
        }

    def _as_aimed(self, state: Array, shot: RecordedShot) -> Any:
        """The track of the thrown stone without the error of execution; None if there is no error."""
        if shot.aim[:2] == shot.thrown[:2]:
            return None
        exact = outcome(self.model, state, (*shot.aim[:2], math.copysign(shot.thrown[2], shot.aim[2])), trajectory=True)
        assert exact.path is not None
        row = int(row_of(state))
        return next((track for track in tracks(exact.path, self._pace) if track["stone"] == row), None)

    def _throw(self, throw: Throw) -> tuple[float, float]:
        """(speed, angle to the right) of a throw."""
        vx, vy = throw[:2]
        return round(math.hypot(vx, vy) / self._pace, 4), round(math.degrees(math.atan2(vx, vy)), 3)

    def _chance(self) -> float:
        return round(win_probability(self._planning, self._state), 3)

    def _compare(self, played: Array, kept: Array) -> None:
        if not np.array_equal(np.isnan(played), np.isnan(kept)):
            self.apart = math.inf
        self.apart = max(self.apart, float(np.nanmax(np.hypot(*(played - kept).T), initial=0.0)))


def tell(record: Record, advance: Callable[[], None] = lambda: None) -> tuple[list[Event], float]:
    """All events of a record, and how far its stones are from where the throws take them, see `Story.apart`.

    Args:
        record: of the match.
        advance: called after every shot; with the engine "box2d" one takes half a second.

    Raises:
        ValueError: the record is of no match that can be played, or a shot is not the next one.
    """
    story = Story(record.match)
    events, ends = [story.begin()], {end.end: end for end in record.ends}
    for shot in record.shots:
        events.append(story.tell(shot))
        advance()
        if shot.shot == STONES - 1 and shot.end in ends:
            events.append(story.tell(ends[shot.end]))
    return [*events, story.tell(record.result)], story.apart
