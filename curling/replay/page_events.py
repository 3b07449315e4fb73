"""Converts a record to the events of its page: its lines, with the tracks of the stones and the win probability."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bonspiel.curling.ice.sheet import STONES, places, stones_at
from bonspiel.curling.match.mixed_doubles import allowed_choices, is_setup_due
from bonspiel.curling.match.state import FIRST_STONE, STATE_DIM, row_of, stones_of
from bonspiel.curling.records.match_data import End, Match, Point, Record, RecordedShot, Result, Setup, Throw
from bonspiel.curling.records.umpire import first_state, outcome, set_up, turn_of
from bonspiel.curling.replay.judgement import Judged
from bonspiel.curling.replay.tracks import stone_tracks
from bonspiel.curling.win_probability import win_probability
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array

Event = dict[str, Any]
# the numbers of a judgement on a page
JUDGED = "before", "aimed", "after", "loss", "loss_error", "luck", "luck_error"
SHEET = ("hog_line", "tee", "back_line", "half_width", "house_radius")  # the parts of a sheet on a page


class PageEvents:
    """Makes the events of one match.

    Args:
        match: the match.
        judged: what a judge says of its shots; None without one.

    Attributes:
        match: as given.
        model: of the match.
        state: before the next shot.
        deviation: largest distance between a recorded stone and the simulated one, m; inf if only one of them exists.
            More than a rounding error means that the record comes from another simulator.

    Raises:
        ValueError: a match that cannot be played.
    """

    def __init__(self, match: Match, judged: Judged | None = None) -> None:
        self.match, self.model, self.deviation = match, match.model(), 0.0
        self._judged, self._thrown = judged, 0
        self.state = first_state(self.model)
        self._pace = self.model.law.pace
        self._over = False

    def match_event(self) -> Event:
        """The event of the match itself: its sheet in millimetres, and the win probability before the first shot."""
        match, sheet, model = self.match, self.model.law.sheet, self.model
        return {
            "type": "match",
            **{name: getattr(match, name) for name in ("players", "physics", "ends", "engine")},
            "allowance": _allowance(match.budgets),
            "rule": model.rule,
            "game": model.game,
            "first_shot": match.first_shot,
            "noise": model.noise if isinstance(model.noise, str) else "custom",
            "chance": self._chance(),
            "judge": self._judge(),
            "sheet": {name: round(1000.0 * getattr(sheet, name)) for name in SHEET},
        }

    def next_event(self, item: Setup | RecordedShot | End | Result) -> Event:
        """The event of the next item of the record.

        Raises:
            ValueError: a set-up or a shot that is not the next one of the match.
        """
        if isinstance(item, RecordedShot):
            return self._shot(item)
        if isinstance(item, Setup):
            self.state = set_up(self.model, self.state, item)
            return {"type": "setup", **item._asdict(), "stones": _stones_of(self.state)}
        return {"type": type(item).__name__.lower(), **item._asdict()}

    def setups(self) -> list[Event]:
        """The set-ups that the end to come allows, with their stones; none where no set-up is due."""
        if not is_setup_due(self.state):
            return []
        choices = {
            choice: self.model.begin_end(self.state, choice)
            for choice in allowed_choices(self.state, self.model.params)
        }
        return [{"choice": choice, "stones": _stones_of(state)} for choice, state in choices.items()]

    def _shot(self, shot: RecordedShot) -> Event:
        """The event of a shot: speeds in m/s of a real clock, angles in degrees, times in ms, lengths in mm."""
        turn = turn_of(self.state)
        allowed = "none, the match is over" if self._over else f"{turn}, the next shot"
        require(not self._over and turn == shot[:4], "(end, shot, team, hammer)", shot[:4], allowed)
        before = self.state
        after = outcome(self.model, before, shot.thrown, self.match.engine, trajectory=True)
        assert after.path is not None
        stones = stones_at(shot.stones)
        apart = float(np.nanmax(np.hypot(*(after.stones - stones).T), initial=0.0))
        same = np.array_equal(np.isnan(after.stones), np.isnan(stones))
        self.deviation = max(self.deviation, apart if same else math.inf)
        judged = self._judgement(before, shot.aim)
        self.state, self._over, self._thrown = after.state, after.over, self._thrown + 1
        if after.points is None:
            self.state[FIRST_STONE:STATE_DIM] = np.nan_to_num(stones).ravel()
        return {
            "type": "shot",
            **shot._asdict(),
            "aim": self._throw(shot.aim),
            "thrown": self._throw(shot.thrown),
            "turn": 1 if shot.aim[2] >= 0.0 else -1,
            "aimed": self._aimed_track(before, shot),
            "tracks": stone_tracks(after.path, self._pace),
            "length": round(1000.0 * self._pace * float(after.path.times[-1])),
            "foul": after.foul,
            "stones": _in_millimetres(shot.stones),
            "chance": after.reward if after.over else self._chance(),
            "judged": judged,
        }

    def _judge(self) -> Any:
        """The judge's name and the summaries of the teams; None without a judge."""
        if self._judged is None:
            return None
        teams = [summary and summary._asdict() for summary in map(self._judged.summary, (0, 1))]
        return {"name": self._judged.judge, "teams": teams}

    def _judgement(self, state: Array, aim: Throw) -> Any:
        """The judgement of the next shot, with the track of another choice of the judge; None without one."""
        one = self._judged and self._judged.judgements.get(self._thrown)
        if one is None:
            return None
        shares = {name: round(getattr(one, name), 6) for name in JUDGED}
        throw = *one.choice[:2], math.copysign(self.model.law.launch_spin, one.choice[2])
        track = self._track(state, throw) if one.choice != aim else None
        names = {"choice": one.choice_name, "played": one.played_name}
        return {**shares, **names, "blunder": one.is_blunder, "track": track}

    def _aimed_track(self, state: Array, shot: RecordedShot) -> Any:
        """The track of the thrown stone without its execution error; None if there is no error."""
        if shot.aim[:2] == shot.thrown[:2]:
            return None
        return self._track(state, (*shot.aim[:2], math.copysign(shot.thrown[2], shot.aim[2])))

    def _track(self, state: Array, throw: Throw) -> Any:
        """The track of the thrown stone."""
        path = outcome(self.model, state, throw, self.match.engine, trajectory=True).path
        assert path is not None
        row = int(row_of(state))
        return next((track for track in stone_tracks(path, self._pace) if track["stone"] == row), None)

    def _throw(self, throw: Throw) -> tuple[float, float]:
        """(speed, angle to the right) of a throw."""
        vx, vy = throw[:2]
        return round(math.hypot(vx, vy) / self._pace, 4), round(math.degrees(math.atan2(vx, vy)), 3)

    def _chance(self) -> float:
        return round(win_probability(self.model, self.state), 3)


def _stones_of(state: Array) -> list[list[int] | None]:
    return _in_millimetres(places(stones_of(state)))


def _in_millimetres(stones: Sequence[Point | None]) -> list[list[int] | None]:
    return [None if place is None else [round(1000.0 * x) for x in place] for place in stones]


def _allowance(budgets: Sequence[str] | None) -> str:
    """The budgets in words: they are for a shot unless they say that they are for a game; "any" is a person's."""
    given = [budget for budget in dict.fromkeys(budgets or ()) if budget != "any"]
    for_games = all(budget.endswith(" a game") for budget in given)
    return " and ".join(given) + ("" if for_games else " a shot")


def record_events(
    record: Record, advance: Callable[[], None] = lambda: None, judged: Judged | None = None
) -> tuple[list[Event], float]:
    """All events of a record, and its `PageEvents.deviation`; see `PageEvents`.

    `advance` is called after every shot; with the engine "box2d" a shot takes half a second.

    Raises:
        ValueError: a match that cannot be played, or a shot that is not the next one.
    """
    maker = PageEvents(record.match, judged)
    events, ends = [maker.match_event()], {end.end: end for end in record.ends}
    setups = {setup.end: setup for setup in record.setups}
    for shot in record.shots:
        if shot.end in setups:
            events.append(maker.next_event(setups.pop(shot.end)))
        events.append(maker.next_event(shot))
        advance()
        if shot.shot == STONES - 1 and shot.end in ends:
            events.append(maker.next_event(ends[shot.end]))
    return [*events, maker.next_event(record.result)], maker.deviation
