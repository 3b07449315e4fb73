import numpy as np

from bonspiel.curling.people.tables import set_up
from tests.curling.people.made_tables import Tables


def tables():
    """Two games of an end each, in one a power play: a draw, and a take-out that nobody judged."""
    made = Tables()
    for game, power_play in (("1", None), ("2", "right")):
        first = set_up(1, power_play)
        first[3] = 0.0, 38.0
        second = first.copy()
        second[3] = np.nan
        made.add_end([("draw", 1, 3, first), ("take-out", -1, 9, second)], power_play=power_play, game=game)
    return made


def test_the_summary_counts_games_ends_and_shots_by_type(run, tmp_path):
    status, out, _ = run("people", tables().write(tmp_path))
    assert status == 0
    assert out.splitlines()[0] == "2 games, 2 ends, 1 of them power plays"
    assert [line.split() for line in out.splitlines()[2:]] == [
        ["type", "shots", "success"],
        ["draw", "2", "75%"],
        ["take-out", "2", "-"],
        ["all", "4"],
    ]


def test_errors_and_fits_are_printed_when_asked_for(run, tmp_path):
    status, out, _ = run("people", tables().write(tmp_path), "--errors", "--fit", 2)
    assert status == 0
    assert "first draws   speed, m/s            1   too few" in out
    assert "take-outs at a lone stone that missed it: 0 of 1" in out
    assert ["draw", "1", "100%"] in [line.split() for line in out.splitlines()]


def test_games_that_are_all_left_out_together_are_too_few(run, tmp_path):
    made, rest = Tables(), set_up(1, None)
    rest[3] = 0.0, 38.0
    for game in range(6):
        made.add_end([("draw" if game in (0, 5) else "guard", 1, 3, rest)], game=str(game))
    status, out, _ = run("people", made.write(tmp_path), "--errors")
    assert status == 0 and "first draws   speed, m/s            2   too few" in out


def test_what_is_wrong_is_said_in_one_line(run, refused, tmp_path):
    made = tables()
    made.rows["Stones.csv"][1]["Handle"] = "left"
    status, out, err = run("people", made.write(tmp_path))
    assert status == 2 and not out and len(err.splitlines()) == 1
    assert "Stones.csv row 3: Handle='left': must be one of 0, 1" in err
    assert run("people", tmp_path / "none")[0] == 2
    err = refused("people", tmp_path, "--fit", 0)
    assert "--fit=0: must be a whole number from 1" in err
