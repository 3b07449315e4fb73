"""Positions: those of the package, of files and matches, and how they are drawn."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.regret import drawing, positions
from bonspiel.runs.experiment import UsageError
from tests.curling.regret.places import file_of, last_stone


def test_those_of_the_package_are_500_of_which_any_first_part_is_stratified():
    found = positions.shipped()
    assert len(found) == 500 and positions.SHIPPED.stat().st_size < 200_000
    assert len({place.source for place in found}) > 10
    for count in (100, 500):
        strata = Counter(key for place in found[:count] for key in drawing.strata(place.state))
        shots, leads, hammers = (
            [n for (kind, _), n in strata.items() if kind == name] for name in ("shot", "lead", "hammer")
        )
        assert len(shots) == STONES and min(shots) > 0.6 * count / STONES
        assert len(leads) == 5 and min(leads) > 0.7 * count / 5 and min(hammers) > 0.4 * count


def test_a_file_has_one_position_or_several(tmp_path):
    one = last_stone(red1=(0.0, 0.0))
    (tmp_path / "one.json").write_text(json.dumps(one))
    (alone,) = positions.read_file(tmp_path / "one.json")
    both = positions.read_file(file_of(tmp_path / "two.json", one, one | {"source": "mine", "noise": {"speed": 0.01}}))
    assert [place.source for place in both] == [f"{tmp_path / 'two.json'}, position 1", "mine"]
    assert alone.match.rule == "five_rock" and alone.match.noise == "normal_dist"
    assert both[1].match.noise.speed == 0.01 and np.array_equal(alone.state, both[0].state)
    (again,) = positions.read_file(file_of(tmp_path / "three.json", both[1].to_json()))
    assert again.position.to_json() == both[1].position.to_json()
    (tmp_path / "text.json").write_text(positions.text_of(both, "by hand"))
    written = positions.read_file(tmp_path / "text.json")
    assert [place.to_json() for place in written] == [place.to_json() for place in both]


def test_a_position_of_mixed_doubles(tmp_path):
    mixed = {"pattern": 2, "decider": 0, "power_plays": [True, False], "throwers": None}
    given = last_stone() | {"mixed_doubles": mixed, "physics": "dc4", "shot": 10, "hammer": 0}
    (place,) = positions.read_file(file_of(tmp_path / "m.json", given))
    assert place.match.is_mixed and place.match.pattern == 2
    with pytest.raises(UsageError, match="must be set up"):
        positions.read_file(file_of(tmp_path / "m.json", given | {"shot": 0}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stones": None}, "position 1: stones=None: must be 16 places"),
        ({"shots": 3}, "unknown key of a position 'shots'. Did you mean 'shot'"),
        ({"shot": 0}, "stones of team"),
        ({"noise": {"spin": 1.0}}, "spin"),
        ({"lead": 100}, "lead"),
        ({"rule": "six_rock"}, "rule"),
    ],
)
def test_a_position_that_cannot_occur_is_refused_by_its_number(tmp_path, change, words):
    with pytest.raises(UsageError, match=words):
        positions.read_file(file_of(tmp_path / "p.json", last_stone(red1=(0.0, 0.0)) | change))


def test_files_that_hold_no_positions_are_refused(tmp_path):
    for text, words in (
        ("{", "must be JSON"),
        ("[]", "a position, or a list"),
        ("[1]", "must be a JSON object"),
        ("{}", "stones is missing"),
    ):
        (tmp_path / "p.json").write_text(text)
        with pytest.raises(UsageError, match=words):
            positions.read_file(tmp_path / "p.json")
    with pytest.raises(UsageError, match="cannot be read"):
        positions.read_file(tmp_path / "none.json")


def test_those_before_the_shots_of_a_match(run, tmp_path):
    line = ("match", "random", "rulebased", "--ends", "2", "--budget", "1", "--games", "2", "--jobs", "1", "--out", "m")
    assert run(*line)[0] == 0
    file = min((tmp_path / "m" / "records").glob("*.jsonl"))
    found = positions.of_match(file)
    assert [place.position.shot for place in found] == [*range(STONES)] * 2 and found[20].position.end == 1
    assert all(isinstance(place.position, MatchPosition) for place in found)
    with pytest.raises(UsageError, match=r"none\.jsonl cannot be read"):
        positions.of_match(tmp_path / "none.jsonl")


def test_those_drawn_anew_are_the_same_by_the_same_seed(monkeypatch):
    monkeypatch.setattr(drawing, "PLAYERS", {"random": 1, "rulebased": 1})
    monkeypatch.setattr(drawing, "MATCH", replace(drawing.MATCH, ends=2))
    first, second, other = (positions.drawn(12, seed) for seed in (1, 1, 2))
    texts = [positions.text_of(found, "a test") for found in (first, second, other)]
    assert texts[0] == texts[1] != texts[2]
    assert json.loads(texts[0])["made"] == "a test" and len(json.loads(texts[0])["positions"]) == 12
    assert {place.source for place in first} <= {
        "random, random",
        "random, rulebased",
        "rulebased, random",
        "rulebased, rulebased",
    }
    assert len({place.position.shot for place in first}) == 12
