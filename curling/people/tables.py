"""Ends of mixed doubles from the tables of CSAS 2026, a data challenge of the Connecticut Sports Analytics Symposium.

A folder holds Stones.csv, a row for each shot, Ends.csv and Games.csv. Places there are in hundredths of a foot on a
picture of the house, from which x grows to the thrower's right and y towards the thrower: the tee is (750, 800). A
place of zeros is that of a stone not yet thrown, 4095 in either number that of one out of play. The first six stones
are those of the first team of the game, whose first one is set up; the last six are the other team's. Handle 0 is
clockwise: draws to the centre line that stop short lie to the left of it. Rows here are as in
`curling.match.mixed_doubles`: row 2 of a team is the stone set up, rows 3 to 7 are thrown.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import numpy as np

from bonspiel.curling.ice.sheet import DC3_SHEET, SET_UP_ROW, TEAM_STONES, no_stones, present
from bonspiel.curling.people.rows import Row, rows_of
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.model import Array

UNIT = 0.003048  # m
TEE_X, TEE_Y = 750, 800
OUT = 4095
NEAR = 0.3  # m, from its place, of a stone set up that the first shot has hardly moved
TEAM_PLACES = 6  # of a team, of which the first is that of the stone set up
SHOTS = (7, 8, 9, 16, 17, 18, 19, 20, 21, 22)  # the ten numbers of an end's shots
NOT_THROWN, NO_RESULT, NOT_JUDGED = -1, 9, (9, 10)
TASKS = (
    "draw",
    "front",
    "guard",
    "raise",
    "wick",
    "freeze",
    "take-out",
    "hit and roll",
    "clearing",
    "double take-out",
    "promotion",
    "through",
    "no statistics",
)
TASK_NUMBERS = (*range(12), 13)
MOST_POINTS = 4  # of a shot made as called
POWER_PLAYS = {"": None, "1": "right", "2": "left"}
SET_UP = {  # the stone in the house and the guard, by the side of the power play
    None: ((750, 650), (750, 1916)),
    "right": ((1150, 850), (1089, 1916)),
    "left": ((350, 850), (411, 1916)),
}

GAME_KEY = ("CompetitionID", "SessionID", "GameID")
END_KEY = (*GAME_KEY, "EndID")
PLACES = tuple((f"stone_{i}_x", f"stone_{i}_y") for i in range(1, 2 * TEAM_PLACES + 1))
COLUMNS = {
    "Games.csv": (*GAME_KEY, "NOC1", "NOC2", "TeamID1", "TeamID2"),
    "Ends.csv": (*END_KEY, "TeamID", "Result", "PowerPlay"),
    "Stones.csv": (*END_KEY, "ShotID", "TeamID", "PlayerID", "Task", "Handle", "Points", *sum(PLACES, ())),
}

GameKey = tuple[str, ...]  # of GAME_KEY


@dataclass(frozen=True)
class Shot:
    """A shot of a person.

    Attributes:
        number: of the end's ten shots, from 0.
        team: 0 or 1, the first or the second team of the game.
        player: the team's first or second player, or 3, a substitute.
        task: what was called, one of TASKS.
        rotation: 1 counter-clockwise, -1 clockwise.
        points: how well it was made, 0 to 4; None where nobody judged.
        row: the row of the thrown stone; None if the table does not tell.
        before: the stones before it, [16, 2].
        after: the stones at rest after it, [16, 2].
    """

    number: int
    team: int
    player: int
    task: str
    rotation: int
    points: int | None
    row: int | None
    before: Array
    after: Array


@dataclass(frozen=True)
class End:
    """An end of a game.

    Attributes:
        game: its competition, session and number.
        number: of the end in the game, from 1.
        teams: the names of the two teams.
        hammer: the team that throws last, 0 or 1.
        power_play: the side of the stones set up, "left" or "right" of the thrower, or None.
        points: of the two teams; None where an end was not played to its last stone.
        shots: those that were thrown, up to the first that was not, at most ten.
    """

    game: GameKey
    number: int
    teams: tuple[str, str]
    hammer: int
    power_play: str | None
    points: tuple[int, int] | None
    shots: tuple[Shot, ...]


def read_ends(folder: Path) -> list[End]:
    """The ends of all games, in the order of Stones.csv.

    Points of both teams, or more than a team has stones, do not count; a line says how many ends have such points.

    Raises:
        ValueError: a file or column is missing, or a row cannot be; the message names the file and the row. Or most
            stones set up in the house are not there after the first shot: places in other units.
    """
    tables = {name: list(rows_of(folder / name, columns)) for name, columns in COLUMNS.items()}
    games: dict[GameKey, Row] = {}
    for row in tables["Games.csv"]:
        if games.setdefault(_key(row, GAME_KEY), row) is not row:
            raise row.error("this game has a row already")
    results: dict[GameKey, list[Row]] = defaultdict(list)
    for row in tables["Ends.csv"]:
        results[_key(row, END_KEY)].append(row)
    ends: dict[GameKey, list[Row]] = defaultdict(list)
    for row in tables["Stones.csv"]:
        ends[_key(row, END_KEY)].append(row)
    found = [_end(rows, games, results[key]) for key, rows in ends.items()]
    _check_places(folder, [end for end in found if end.shots])
    odd = [of_end[0] for of_end in results.values() if _is_odd([row.whole("Result", 0, NO_RESULT) for row in of_end])]
    if odd:
        said = f"{len(odd):,} of {len(results):,} ends, the first in row {odd[0].number}"
        say_once(f"{odd[0].file}: points of both teams or above {TEAM_PLACES}, which do not count: {said}")
    return found


def _is_odd(points: list[int]) -> bool:
    """True if no end can have these points; an end with NO_RESULT was not played out."""
    return NO_RESULT not in points and (min(points) > 0 or max(points) > TEAM_PLACES)


def _check_places(folder: Path, ends: list[End]) -> None:
    """Refuse places in other units: the stone set up in the house seldom moves with the first shot.

    Raises:
        ValueError: in most ends it is elsewhere after it.
    """
    houses = [TEAM_STONES * end.hammer + SET_UP_ROW for end in ends]
    moved = [end.shots[0].after[row] - end.shots[0].before[row] for end, row in zip(ends, houses, strict=True)]
    elsewhere = sum(not np.hypot(*by) < NEAR for by in moved)
    if 2 * elsewhere > len(ends):
        raise ValueError(
            f"{folder / 'Stones.csv'}: in {elsewhere:,} of {len(ends):,} ends the stone set up in the house is not at "
            f"its place, {SET_UP[None][0]} without a power play, after the first shot: must be in hundredths of a "
            f"foot, with the tee at ({TEE_X}, {TEE_Y})"
        )


def stones_of(row: Row) -> Array:
    """The stones at rest of a row of Stones.csv, [16, 2].

    Raises:
        ValueError: a place that no stone has, or that two have.
    """
    stones, names = no_stones(), dict[tuple[int, int], str]()
    for i, columns in enumerate(PLACES):
        x, y = (row.whole(column, 0, OUT) for column in columns)
        if not (0 < x < OUT and 0 < y < OUT):
            continue
        name = f"stone_{i + 1}"
        if (x, y) in names:
            raise row.error(f"{names[x, y]}, {name}: two stones lie in the same place")
        names[x, y], stones[row_of_place(i)] = name, place_of(x, y)
        across, along = stones[row_of_place(i)]
        if abs(across) > DC3_SHEET.limits.side or along > DC3_SHEET.limits.farthest:
            raise row.error(f"{name}=({x}, {y}): must be on the sheet, or out of play with {OUT}")
    return stones


def place_of(x: float, y: float) -> tuple[float, float]:
    """A place of the table in metres, in the shot frame."""
    return UNIT * (x - TEE_X), DC3_SHEET.tee - UNIT * (y - TEE_Y)


def row_of_place(i: int) -> int:
    """The row of the stone that has place `i`, from 0, in the table."""
    return TEAM_STONES * (i // TEAM_PLACES) + SET_UP_ROW + i % TEAM_PLACES


def set_up(hammer: int, power_play: str | None) -> Array:
    """The stones before the first shot, [16, 2], where the table's pictures show them."""
    stones, (house, guard) = no_stones(), SET_UP[power_play]
    stones[TEAM_STONES * hammer + SET_UP_ROW] = place_of(*house)
    stones[TEAM_STONES * (1 - hammer) + SET_UP_ROW] = place_of(*guard)
    return stones


def _key(row: Row, columns: tuple[str, ...]) -> GameKey:
    return tuple(row.text(column) for column in columns)


def _end(rows: list[Row], games: dict[GameKey, Row], results: list[Row]) -> End:
    """The end of some rows of Stones.csv."""
    rows = sorted(rows, key=lambda row: row.choice("ShotID", SHOTS))
    first, game = rows[0], games.get(_key(rows[0], GAME_KEY))
    if game is None:
        raise first.error("Games.csv has no such game")
    if tuple(int(row.text("ShotID")) for row in rows) != SHOTS:
        raise first.error(f"this end has not the shots {', '.join(map(str, SHOTS))}, each once")
    teams = [game.text("TeamID1"), game.text("TeamID2")]
    scores, power_play = _result(first, teams, results)
    hammer = 1 - _team(first, teams)
    for number, row in enumerate(rows):
        if _team(row, teams) != (number + 1 - hammer) % 2:
            raise row.error(
                f"TeamID={row.text('TeamID')!r}: must be {teams[(number + 1 - hammer) % 2]}, as teams alternate"
            )
    thrown = list(takewhile(lambda row: row.text("Task") != str(NOT_THROWN), rows))  # later places are not certain
    before = set_up(hammer, power_play)
    shots: list[Shot] = []
    for row in thrown:
        shots.append(_shot(row, _team(row, teams), shots, before))
        before = shots[-1].after
    names = game.text("NOC1"), game.text("NOC2")
    number = first.whole("EndID", 1, 99)
    return End(_key(first, GAME_KEY), number, names, hammer, power_play, scores, tuple(shots))


def _result(first: Row, teams: list[str], results: list[Row]) -> tuple[tuple[int, int] | None, str | None]:
    """The points of an end and the side of its power play, from its rows of Ends.csv."""
    if sorted(row.text("TeamID") for row in results) != sorted(teams):
        raise first.error("Ends.csv has not one row for each team of this end")
    scores, side = [0, 0], None
    for row in results:
        team = _team(row, teams)
        scores[team] = row.whole("Result", 0, NO_RESULT)
        mark = row.text("PowerPlay")
        if mark not in POWER_PLAYS:
            raise row.error(f"PowerPlay={mark!r}: must be 1, 2 or empty")
        if side and POWER_PLAYS[mark]:
            raise row.error(f"PowerPlay={mark!r}: must be empty, as the other team has the power play of this end")
        side = POWER_PLAYS[mark] or side
    return (None if NO_RESULT in scores or _is_odd(scores) else (scores[0], scores[1])), side


def _team(row: Row, teams: list[str]) -> int:
    """The team of a row, 0 or 1."""
    team = row.text("TeamID")
    if team not in teams:
        raise row.error(f"TeamID={team!r}: must be a team of the game, {' or '.join(teams)}")
    return teams.index(team)


def _shot(row: Row, team: int, earlier: list[Shot], before: Array) -> Shot:
    """The shot of a row of Stones.csv."""
    task = TASKS[TASK_NUMBERS.index(row.choice("Task", TASK_NUMBERS))]
    rotation = -1 if row.choice("Handle", (0, 1)) == 0 else 1
    points = row.choice("Points", (*range(MOST_POINTS + 1), *NOT_JUDGED))
    after = stones_of(row)
    place = team * TEAM_PLACES + 1 + sum(shot.team == team for shot in earlier)
    new = np.flatnonzero([row.text(x) != "0" or row.text(y) != "0" for x, y in PLACES])
    expected = row_of_place(place)
    known = place < (team + 1) * TEAM_PLACES and place in new and not present(before)[expected]
    return Shot(
        number=SHOTS.index(int(row.text("ShotID"))),
        team=team,
        player=row.whole("PlayerID", 1, 3),
        task=task,
        rotation=rotation,
        points=None if points in NOT_JUDGED else points,
        row=expected if known else None,
        before=before,
        after=after,
    )
