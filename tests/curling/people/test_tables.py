import numpy as np
import pytest

from bonspiel.curling.ice.sheet import DC3_SHEET
from bonspiel.curling.match import mixed_doubles
from bonspiel.curling.people.tables import PLACES, read_ends, set_up
from bonspiel.planners.core.code.cache import SAID
from tests.curling.people.made_tables import TEAMS, Tables


def two_shots(hammer=1, power_play=None, points=(0, 1)):
    """The tables of an end of two shots: a draw, and a take-out of it after which the thrown stone is out too."""
    tables, before = Tables(), set_up(hammer, power_play)
    first, second = before.copy(), before.copy()
    first[8 * (1 - hammer) + 3] = 0.3048, 38.0
    tables.add_end([("draw", -1, 3, first), ("take-out", 1, 9, second)], hammer, power_play, points)
    return tables


def test_an_end_comes_out_as_it_is_written(tmp_path):
    (end,) = read_ends(two_shots(power_play="left", points=(9, 9)).write(tmp_path))
    assert (end.game, end.number, end.teams) == (("7", "1", "1"), 1, ("AAA", "BBB"))
    assert (end.hammer, end.power_play, end.points) == (1, "left", None)
    draw, take_out = end.shots
    assert (draw.number, draw.team, draw.player, draw.task, draw.rotation, draw.points, draw.row) == (
        *(0, 0, 1, "draw", -1, 3, 3),
    )
    assert (take_out.number, take_out.team, take_out.rotation, take_out.points, take_out.row) == (1, 1, 1, None, 11)
    np.testing.assert_array_equal(draw.before, set_up(1, "left"))
    np.testing.assert_allclose(draw.after[3], (0.3048, 38.0), atol=0.0016)
    np.testing.assert_array_equal(take_out.before, draw.after)
    assert np.isnan(take_out.after[[3, 11]]).all()


def test_the_first_team_has_the_first_six_places_whoever_begins(tmp_path):
    (end,) = read_ends(two_shots(hammer=0, points=(2, 0)).write(tmp_path))
    assert (end.hammer, end.points) == (0, (2, 0))
    assert [(shot.team, shot.row) for shot in end.shots] == [(1, 11), (0, 3)]
    assert end.shots[0].before[2, 1] > DC3_SHEET.tee > end.shots[0].before[10, 1]


@pytest.mark.parametrize(("power_play", "side"), [(None, 0.0), ("right", 1.0), ("left", -1.0)])
def test_stones_are_set_up_where_the_rules_have_them(power_play, side):
    house, guard = set_up(1, power_play)[[10, 2]]
    rule = (0.0, mixed_doubles.HOUSE_Y)
    if power_play is not None:
        rule = side * mixed_doubles.POWER_HOUSE_X, mixed_doubles.POWER_HOUSE_Y
    np.testing.assert_allclose(house, rule, atol=0.01)
    assert mixed_doubles.GUARD_Y.min() < guard[1] < mixed_doubles.GUARD_Y.max()
    assert abs(guard[0] - side * mixed_doubles.POWER_GUARD_X.mean()) < 0.05


@pytest.mark.parametrize("cells", [("4095", "4095"), ("4095", "155"), ("43", "0"), ("0", "2957")])
def test_a_stone_at_an_edge_of_the_picture_is_out(tmp_path, cells):
    tables = two_shots()
    tables.rows["Stones.csv"][0] |= {"stone_2_x": cells[0], "stone_2_y": cells[1]}
    (end,) = read_ends(tables.write(tmp_path))
    assert np.isnan(end.shots[0].after[3]).all() and end.shots[0].row == 3


def test_shots_after_one_that_was_not_thrown_are_left_out(tmp_path):
    tables = two_shots()
    tables.rows["Stones.csv"][0]["Task"] = "-1"
    assert read_ends(tables.write(tmp_path))[0].shots == ()


def test_teams_that_do_not_alternate_are_refused(tmp_path):
    tables = two_shots()
    rows = tables.rows["Stones.csv"]
    rows[1]["TeamID"] = rows[0]["TeamID"]
    with pytest.raises(ValueError, match="as teams alternate"):
        read_ends(tables.write(tmp_path))


def test_the_row_of_a_thrown_stone_that_has_another_place_is_unknown(tmp_path):
    tables = two_shots()
    row = tables.rows["Stones.csv"][0]
    row |= {"stone_3_x": row["stone_2_x"], "stone_3_y": row["stone_2_y"], "stone_2_x": "0", "stone_2_y": "0"}
    (end,) = read_ends(tables.write(tmp_path))
    assert end.shots[0].row is None


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("1600", "800"), "stone_2=(1600, 800): must be on the sheet, or out of play with 4095"),
        (("750", "100"), "stone_2=(750, 100): must be on the sheet"),
        (("750", "650"), "stone_2, stone_7: two stones lie in the same place"),
    ],
)
def test_places_that_no_stone_can_have_are_named(tmp_path, place, words):
    tables = two_shots()
    tables.rows["Stones.csv"][0] |= dict(zip(("stone_2_x", "stone_2_y"), place, strict=True))
    with pytest.raises(ValueError, match="row 2") as refused:
        read_ends(tables.write(tmp_path))
    assert words in str(refused.value)


def test_a_game_with_two_rows_is_refused(tmp_path):
    tables = two_shots()
    tables.rows["Games.csv"].append(tables.rows["Games.csv"][0] | {"TeamID1": "22", "TeamID2": "11"})
    with pytest.raises(ValueError, match=r"Games\.csv row 3: this game has a row already"):
        read_ends(tables.write(tmp_path))


def test_a_quote_that_is_never_closed_is_refused(tmp_path):
    stones = two_shots().write(tmp_path) / "Stones.csv"
    head, rows = stones.read_text().split("\n", 1)
    stones.write_text(f'{head}\n"{rows * 300}')
    with pytest.raises(ValueError, match=r"Stones\.csv row [0-9]+: field larger than field limit") as refused:
        read_ends(tmp_path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("file", "column", "cell", "words"),
    [
        ("Stones.csv", "Task", "12", "row 2: Task='12': must be one of 0, 1"),
        ("Stones.csv", "Handle", "2", "row 2: Handle='2': must be one of 0, 1"),
        ("Stones.csv", "Points", "5", "row 2: Points='5': must be one of 0, 1, 2, 3, 4, 9, 10"),
        ("Stones.csv", "ShotID", "15", "row 2: ShotID='15': must be one of 7, 8"),
        ("Stones.csv", "ShotID", "8", "row 2: this end has not the shots 7, 8, 9"),
        ("Stones.csv", "stone_2_x", "-3", "row 2: stone_2_x='-3': must be a whole number from 0 to 4095"),
        ("Stones.csv", "stone_2_y", "", "row 2: stone_2_y='': must be a whole number"),
        ("Stones.csv", "PlayerID", "x", "row 2: PlayerID='x': must be a whole number from 1 to 3"),
        ("Stones.csv", "TeamID", "33", "row 2: TeamID='33': must be a team of the game, 11 or 22"),
        ("Stones.csv", "GameID", "5", "row 2: Games.csv has no such game"),
        ("Ends.csv", "PowerPlay", "3", "row 2: PowerPlay='3': must be 1, 2 or empty"),
        ("Ends.csv", "Result", "two", "row 2: Result='two': must be a whole number from 0 to 9"),
        ("Ends.csv", "TeamID", "22", "row 2: Ends.csv has not one row for each team"),
    ],
)
def test_a_row_that_cannot_be_is_named(tmp_path, file, column, cell, words):
    tables = two_shots()
    tables.rows[file][0][column] = cell
    with pytest.raises(ValueError, match="csv row") as refused:
        read_ends(tables.write(tmp_path))
    text = str(refused.value)
    assert words in text and str(tmp_path) in text and "\n" not in text


def test_a_missing_column_a_missing_file_and_a_short_row_are_named(tmp_path):
    folder = two_shots().write(tmp_path)
    stones = folder / "Stones.csv"
    text = stones.read_text()
    stones.write_text(text.replace("Handle", "Turn"))
    with pytest.raises(ValueError, match=r"Stones.csv: has no column 'Handle'"):
        read_ends(folder)
    stones.write_text(text.replace(f",{TEAMS[1]},", ",", 1))
    with pytest.raises(ValueError, match=r"Stones.csv row 3: has 33 cells, the header 34"):
        read_ends(folder)
    stones.unlink()
    with pytest.raises(ValueError, match=r"Stones.csv: No such file"):
        read_ends(folder)


@pytest.mark.parametrize("points", [(3, 2), (7, 0)])
def test_points_that_cannot_be_do_not_count_and_are_said(tmp_path, points, monkeypatch, capfd):
    monkeypatch.delenv(SAID, raising=False)
    (end,) = read_ends(two_shots(points=points).write(tmp_path))
    assert end.points is None
    assert "which do not count: 1 of 1 ends, the first in row 2" in capfd.readouterr().err


def test_places_in_other_units_and_two_power_plays_are_refused(tmp_path):
    tables = two_shots()
    for row in tables.rows["Stones.csv"][:2]:
        row |= {name: str(int(row[name]) // 3) for pair in PLACES for name in pair if row[name] != "4095"}
    with pytest.raises(ValueError, match=r"in 1 of 1 ends the stone set up in the house is not at its place"):
        read_ends(tables.write(tmp_path))
    tables = two_shots(power_play="left")
    for row in tables.rows["Ends.csv"]:
        row["PowerPlay"] = "1"
    with pytest.raises(ValueError, match="row 3: PowerPlay='1': must be empty, as the other team has the power play"):
        read_ends(tables.write(tmp_path))


def test_a_cell_may_hold_a_separator_of_lines(tmp_path):
    tables = two_shots()
    tables.rows["Games.csv"][0]["NOC1"] = "A\u2028B"
    assert read_ends(tables.write(tmp_path))[0].teams[0] == "A\u2028B"
