"""Tables in the form of CSAS 2026, with rows made here."""

import csv

import numpy as np

from bonspiel.curling.ice.sheet import DC3_SHEET
from bonspiel.curling.people.tables import (
    COLUMNS,
    OUT,
    PLACES,
    SHOTS,
    TASK_NUMBERS,
    TASKS,
    TEE_X,
    TEE_Y,
    UNIT,
    row_of_place,
    set_up,
)

TEAMS = ("11", "22")
GAME = {"CompetitionID": "7", "SessionID": "1", "GameID": "1"}
MARK = {None: "", "right": "1", "left": "2"}


def cells_of(stones, thrown):
    """The cells of the places: `stones` at rest, [16, 2]; those of the rows `thrown` that are not there are out."""
    cells = {}
    for i, columns in enumerate(PLACES):
        x, y = stones[row_of_place(i)]
        place = (0, 0) if row_of_place(i) not in thrown else (OUT, 0)
        if not np.isnan(x):
            place = round(TEE_X + x / UNIT), round(TEE_Y - (y - DC3_SHEET.tee) / UNIT)
        cells |= zip(columns, map(str, place), strict=True)
    return cells


class Tables:
    """Rows of the three tables, which a test may change before they are written."""

    def __init__(self):
        self.rows = {name: [] for name in COLUMNS}

    def add_end(self, shots, hammer=1, power_play=None, points=(0, 1), game="1"):
        """An end: `shots` are (task, rotation, points, stones after it, [16, 2]); later ones are not thrown."""
        key = GAME | {"GameID": game}
        number = 1 + sum(row["GameID"] == game for row in self.rows["Ends.csv"]) // len(TEAMS)
        if not any(row["GameID"] == game for row in self.rows["Games.csv"]):
            names = {"NOC1": "AAA", "NOC2": "BBB", "TeamID1": TEAMS[0], "TeamID2": TEAMS[1]}
            self.rows["Games.csv"].append(key | names)
        key |= {"EndID": str(number)}
        for team, name in enumerate(TEAMS):
            mark = MARK[power_play] if team == hammer else ""
            self.rows["Ends.csv"].append(key | {"TeamID": name, "Result": str(points[team]), "PowerPlay": mark})
        thrown = set(np.flatnonzero(~np.isnan(set_up(hammer, power_play)[:, 0])))
        for i, number in enumerate(SHOTS):
            team = (hammer + 1 + i) % 2
            row = key | {"ShotID": str(number), "TeamID": TEAMS[team], "PlayerID": "1" if i in (0, 1, 8, 9) else "2"}
            if i < len(shots):
                task, rotation, judged, stones = shots[i]
                thrown.add(8 * team + 3 + i // 2)
                row |= {"Task": str(TASK_NUMBERS[TASKS.index(task)]), "Handle": "0" if rotation < 0 else "1"}
                row |= {"Points": str(judged), **cells_of(stones, thrown)}
            else:
                empty = dict.fromkeys((column for columns in PLACES for column in columns), "")
                row |= {"Task": "-1", "Handle": "-1", "Points": "-1", **empty}
            self.rows["Stones.csv"].append(row)

    def write(self, folder):
        """Write the tables; the folder."""
        for name, columns in COLUMNS.items():
            with open(folder / name, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, columns)
                writer.writeheader()
                writer.writerows(self.rows[name])
        return folder
