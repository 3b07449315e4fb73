"""`bonspiel value`: from match records to a table of end scores."""

from dataclasses import replace

import pytest

from bonspiel.curling.match import value
from bonspiel.curling.records.record import End, Match, Record, RecordedShot, Result, write
from bonspiel.runs import cli


def shot(end, hammer):
    return RecordedShot(end, 15, hammer, hammer, (0.0, 2.4, 1.0), (0.0, 2.4, 1.57), (None,) * 16, None, 1, 0.0)


def game(*ends):
    """A record of ends, each (hammer, points of team 0, points of team 1)."""
    return Record(
        Match(players=("dpw", "uct"), physics="fcv1", rule="five_rock", noise="none", ends=len(ends)),
        tuple(shot(number, hammer) for number, (hammer, *_) in enumerate(ends)),
        tuple(End(number, tuple(points)) for number, (_, *points) in enumerate(ends)),
        Result((0, 0), None, 0.5, "draw"),
    )


@pytest.fixture
def folder(tmp_path):
    """Two games: with the hammer team 1 scores 2, team 0 scores 1, team 1 loses 3, and a blank end."""
    (tmp_path / "records").mkdir()
    write(tmp_path / "records" / "0.jsonl", game((1, 0, 2), (0, 1, 0)))
    write(tmp_path / "records" / "1.jsonl", game((1, 3, 0), (1, 0, 0)))
    return tmp_path


def test_points_of_the_hammer_are_counted(folder, capsys):
    out = folder / "table.txt"
    for _ in range(2):  # it may be written again
        assert cli.main(["value", str(folder), "--out", str(out)]) == 0
    assert value.load_table(out) == pytest.approx(value.estimate_table([2, 1, -3, 0]))
    text = capsys.readouterr().out
    text = text[: len(text) // 2]
    assert "in 4 ends; probabilities count the thesis's table as 10 ends more" in " ".join(text.split())
    counts = {int(line.split()[0]): int(line.split()[1]) for line in text.split("thesis\n")[1].splitlines()[:17]}
    assert {points: count for points, count in counts.items() if count} == {2: 1, 1: 1, -3: 1, 0: 1}
    tied = value.win_probabilities(2, table=value.estimate_table([2, 1, -3, 0]))[2, value.MOST_LEAD]
    assert f"{tied:.3f}" in next(line for line in text.splitlines() if line.startswith(" " * 8 + "2 "))


@pytest.mark.parametrize("name", ["records/0.jsonl", "match.json"])
def test_no_file_of_the_match_is_replaced(folder, capsys, name):
    (folder / "match.json").write_text("{}")
    before = (folder / name).read_bytes()
    assert cli.main(["value", str(folder), "--out", str(folder / name)]) == 2
    assert "it is one of the files that are read" in capsys.readouterr().err
    assert (folder / name).read_bytes() == before


def test_without_records(tmp_path, capsys):
    assert cli.main(["value", str(tmp_path)]) == 2
    assert "no match record" in capsys.readouterr().err


def test_a_file_that_is_no_record_is_named(folder, capsys):
    (folder / "records" / "1.jsonl").write_text("{}\n")
    assert cli.main(["value", str(folder)]) == 2
    assert "1.jsonl, line 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"physics": "dc2", "rule": "four_rock"}, "give records of one kind"),
        ({"noise": "human"}, "human noise: give records of one kind"),
        ({"physics": "dc4", "game": "mixed_doubles", "rule": None}, "mixed doubles has another value of an end"),
    ],
)
def test_matches_of_other_kinds_are_not_counted_together(folder, capsys, other, words):
    one = game((1, 0, 2))
    write(folder / "records" / "2.jsonl", one._replace(match=replace(one.match, **other)))
    assert cli.main(["value", str(folder)]) == 2
    assert words in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("points", [(9, 0), (1, 1)])
def test_points_that_cannot_be_are_refused(folder, capsys, points):
    write(folder / "records" / "2.jsonl", game((1, *points)))
    assert cli.main(["value", str(folder)]) == 2
    assert "2.jsonl: end 1: " in capsys.readouterr().err


@pytest.mark.parametrize("kept", ["end", "shot"])
def test_an_end_twice_or_without_shots_is_refused(folder, capsys, kept):
    path = folder / "records" / "0.jsonl"
    lines = path.read_text().splitlines()
    ends = [line for line in lines if '"type":"end"' in line.replace(" ", "")]
    shots = [line for line in lines if '"type":"shot"' in line.replace(" ", "")]
    changed = [*lines, ends[0]] if kept == "end" else [line for line in lines if line not in shots[:1]]
    path.write_text("\n".join(changed) + "\n")
    assert cli.main(["value", str(folder)]) == 2
    assert "0.jsonl" in capsys.readouterr().err
