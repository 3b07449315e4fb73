"""The matches of Go that docs/results/go.md reports."""

import pytest

from bonspiel import planners
from bonspiel.planners.planner import unsupported
from bonspiel.runs.games.game import GAMES
from docs.studies import go as study
from docs.studies.go import MEETINGS, PARTS, Meeting

TINY = Meeting("level10", "itself", ("rave_uct:priors=false", "uct:leaf=rollout"), 25, 2, "go:size=5")


def test_a_small_study_has_a_row_for_each_match_and_goes_on(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(study, "MEETINGS", (TINY, TINY._replace(name="with priors", sides=("rave_uct", "random"))))
    for _ in range(2):
        assert study.main(["level10", "--quick", "--out", str(tmp_path)]) == 0
        found = capsys.readouterr()
        rows = found.out.splitlines()
        assert rows[0] == "| level10 | games | wins | draws | share of points |"
        assert [row.split(" | ")[:2] for row in rows[2:4]] == [["| itself", "4"], ["| with priors", "4"]]
    assert "4 of 4 games to play" not in found.err
    study.main(["level10", "--quick", "--out", str(tmp_path), "--seed", "2"])
    assert capsys.readouterr().err.count("4 of 4 games to play") == 2


def test_an_unknown_part_is_refused(capsys):
    with pytest.raises(SystemExit):
        study.main(["leval10"])
    assert f"unknown: leval10; choose from {', '.join(PARTS)}" in capsys.readouterr().err


def test_every_match_can_be_played():
    for meeting in MEETINGS:
        model = GAMES.parse(meeting.game).model
        for side in meeting.sides:
            assert side.startswith("gtp:gnugo ") or unsupported(planners.parse(side), model) is None, side
