"""`bonspiel map`: the picture of a position with the values of its aims."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bonspiel.curling.analysis import value_map_picture
from bonspiel.curling.analysis.position import analyse, stopping_places, sweep_aims
from bonspiel.curling.analysis.value_map import read_position
from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.physics import law_index
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.ice.shots import draw, launched
from bonspiel.curling.match.state import state_of, stones_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records import record, umpire
from bonspiel.planners.planner import Budget
from bonspiel.planners.wrappers.presearch import Presearch

MIXED = {"pattern": 2, "decider": 0, "power_plays": [True, False], "throwers": None}
HIT = {"stones": [[0.0, 38.405]] + [None] * 15, "shot": 15, "hammer": 1, "end": 1, "lead": 0, "ends": 2}


@pytest.fixture
def file(tmp_path):
    def write(**change):
        path = tmp_path / "position.json"
        path.write_text(json.dumps(HIT | change))
        return path

    return write


@pytest.fixture(scope="module")
def match_folder(tmp_path_factory):
    from bonspiel.runs.cli import main

    folder = tmp_path_factory.mktemp("match") / "m"
    line = "match random random --ends 2 --games 2 --budget 1 --jobs 1 --out"
    assert main([*line.split(), str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def last_stone():
    """Yellow throws last at a red stone on the tee in a tied match."""
    stones = no_stones()
    stones[0] = HIT["stones"][0]
    model = Curling(ends=2)
    state = state_of(stones, 15, hammer=1, end=1)
    planner = Presearch(size=400)
    return analyse(model, state, planner, "presearch", Budget(simulations=2_000), np.random.default_rng(1))


def refused(result, message):
    """Bad usage, told in one line; another may say that something is compiled."""
    status, out, err = result
    lines = [line for line in err.splitlines() if "compiling" not in line]
    assert (status, out, len(lines)) == (2, "", 1) and message in lines[0]


@pytest.mark.parametrize("physics", ["fcv1", "dc2"])
def test_stops_are_where_the_engine_stops_the_stones(physics):
    model, engine = Curling(physics=physics), make_engine("analytic", physics)
    draws = model.aim_grid(model.initial_state(np.random.default_rng(0)), 400)[0].actions
    places = stopping_places(model, draws)
    inside = draws[1:-1, 3:-3].reshape(-1, 3)
    ends = engine.shots(no_stones(), 0, inside[:, :2].copy(), model.law.launch_spin * inside[:, 2])[:, 0]
    np.testing.assert_allclose(places[1:-1, 3:-3].reshape(-1, 2), ends, atol=2e-3)


def test_probabilities_are_the_mover_s(last_stone):
    values = np.concatenate(
        [block.ravel() for side in value_map_picture.aims_by_spin(last_stone).values() for _, block in side]
    )
    assert values.min() == pytest.approx(0.0, abs=1e-9) and 0.5 < values.max() <= 1.0
    assert last_stone.exact == 1.0 and 0.5 < last_stone.after <= 1.0
    assert last_stone.after == pytest.approx(np.mean([_yellow_wins(stones) for stones in last_stone.throws]))
    assert np.isnan(last_stone.exactly[0]).all() or np.hypot(*(last_stone.exactly[0] - (0.0, 38.405))) > 0.1


def _yellow_wins(stones):
    distances = np.nan_to_num(np.hypot(*(stones - (0.0, 38.405)).T), nan=np.inf)
    best = [distances[:8].min(), distances[8:].min()]
    return 0.5 if min(best) > 1.974 else float(best[1] < best[0])


def test_a_draw_at_the_end_of_the_match_is_worth_what_its_settings_say():
    model = Curling(ends=1, tie=0.781)
    state = state_of(no_stones(), 15)
    sweep = sweep_aims(model, state, Budget(simulations=1), np.random.default_rng(0))
    raw = np.unique(np.concatenate([block.ravel() for block in sweep.raw]))
    np.testing.assert_allclose(raw, [0.781, 1.0], atol=1e-12)  # nobody scores, or yellow does


def test_the_picture_shows_both_spins_and_the_choice(last_stone, tmp_path):
    figure = value_map_picture.draw(last_stone)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert sum("counter-clockwise" in title for title in titles) == 1 and titles.count("Hit weight") == 2
    stars = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "*"]
    assert len(stars) == 1
    text = " ".join(text.get_text() for text in figure.texts)
    assert "End 2 of 2, stone 16 of 16: yellow to throw, level, yellow has the hammer" in text
    assert (
        "Win probability of yellow: 100% before it" in text and "the search expects" in text and "simulations" in text
    )
    figure.draw_without_rendering()
    edge = figure.bbox.padded(-0.1 * figure.dpi)  # nothing touches it
    for box in (*(text.get_window_extent() for text in figure.texts), *(axes.get_tightbbox() for axes in figure.axes)):
        assert edge.x0 <= box.x0 and box.x1 <= edge.x1 and edge.y0 <= box.y0 and box.y1 <= edge.y1, box
    panels = max(axes.get_position().x1 for axes in figure.axes) * figure.bbox.width
    assert all(text.get_window_extent().x1 <= panels + 1.0 for text in figure.texts)  # headlines are no wider
    for name in ("a.png", "b.png"):
        value_map_picture.save(last_stone, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(("y", "speed", "words"), [(38.6, None, "draw weight, "), (38.405, 3.2, "hit weight, ")])
def test_the_star_is_in_the_panel_of_the_weight_that_the_words_name(last_stone, y, speed, words):
    """A shot of draw weight that hits a stone is still one of draw weight."""
    law = law_index("fcv1")
    vx, vy = draw(law, 0.0, y, 1.0) if speed is None else launched(law, 0.0, y, speed, 1.0)
    decision = replace(last_stone.decision, action=last_stone.model.aim(vx, vy, 1.0))
    path = make_engine("analytic").unchecked_path(
        stones_of(last_stone.state), 8, np.array([vx, vy]), last_stone.model.law.launch_spin
    )[1]
    found = last_stone._replace(decision=decision, paths=path.positions)
    text = value_map_picture.choice(found)
    assert f"counter-clockwise, {words}" in text and "moves 1 stone" in text
    (panel,) = [
        axes.get_title(loc="left")
        for axes in value_map_picture.draw(found).axes
        for line in axes.lines
        if line.get_marker() == "*"
    ]
    assert panel.lower().startswith(words.split(",")[0])


def test_the_position_of_a_record_is_that_before_the_shot(match_folder):
    file = match_folder / "records" / "1-2-00000.jsonl"
    states = umpire.replay(record.read(file))
    for end, shot in ((1, 1), (1, 16), (2, 5)):
        match, state = read_position(file, end, shot)
        np.testing.assert_array_equal(state, states[16 * (end - 1) + shot - 1])
        assert match.ends == 2


@pytest.mark.parametrize("thrown", [0, 6, 16, 22, 32])
def test_the_position_to_be_decided_is_that_after_the_last_shot_on_record(run, match_folder, thrown):
    whole = record.read(match_folder / "records" / "1-2-00000.jsonl")
    lines = (match_folder / "records" / "1-2-00000.jsonl").read_text().splitlines()
    shots = [at for at, line in enumerate(lines) if '"type":"shot"' in line.replace(" ", "")]
    Path("part.jsonl").write_text("\n".join(lines[: shots[thrown] if thrown < 32 else len(lines)]) + "\n")
    end, shot = divmod(thrown, 16)
    if thrown == 32:
        refused(run("map", "part.jsonl", "--end", 3, "--shot", 1), "end=3: must be from 1 to 2")
        return
    _, state = read_position(Path("part.jsonl"), end + 1, shot + 1)
    np.testing.assert_array_equal(state, umpire.replay(whole)[thrown])
    if shot < 15:
        refused(run("map", "part.jsonl", "--end", end + 1, "--shot", shot + 2), f"at most {shot + 1}, the last one")


def test_a_position_has_the_rule_errors_and_players_of_its_file(file):
    match, _ = read_position(file(rule="four_rock", noise={"speed": 0.01}, extra_ends=1), None, None)
    assert (match.rule, match.noise.speed, match.extra_ends) == ("four_rock", 0.01, 1)
    pair = [{"max_speed": 4.0, "noise": {"speed": 0.01, "angle": 0.002}}, {"max_speed": 3.0, "noise": {"speed": 0.02}}]
    mixed = MIXED | {"throwers": [pair, pair]}
    stones = [None] * 2 + [[0.0, 38.87]] + [None] * 7 + [[0.0, 34.435]] + [None] * 5
    match, state = read_position(file(mixed_doubles=mixed, physics="dc4", shot=7, stones=stones, team=1), None, None)
    assert match.is_mixed and match.pattern == 2 and match.thrower(state).max_speed == 4.0


def test_a_file_of_several_positions_is_refused(run, tmp_path):
    Path("two.json").write_text(json.dumps([HIT, HIT]))
    refused(run("map", "two.json"), "two.json holds 2 positions: must be one")


def test_the_champion_chooses_and_its_values_are_those_of_the_sweep(run, file):
    line = ("map", file(), "--budget", 6_000, "--out", "p.png")
    status, out, _ = run(*line)
    assert status == 0 and "Win probability of yellow" in out and "the search expects" in out


def test_from_the_command_line(run, file):
    line = ("map", file(), "--budget", 200, "--planner", "presearch:size=100", "--out", "p.png")
    status, out, _ = run(*line)
    assert status == 0 and Path("p.png").stat().st_size > 10_000
    assert out.startswith("End 2 of 2, stone 16 of 16: yellow to throw") and out.endswith("p.png\n")
    assert run(*line)[1] == out
    Path("map.png").write_text("mine")
    assert run(*line[:-2])[1].endswith("map-2.png\n") and Path("map.png").read_text() == "mine"


@pytest.mark.parametrize("change", [{"lead": 8}, {"shot": 3}])
def test_a_hopeless_position_and_few_simulations_have_a_picture_too(run, file, change):
    status, out, _ = run("map", file(**change), "--budget", 1, "--planner", "presearch:size=100", "--out", "p.png")
    assert status == 0 and Path("p.png").stat().st_size > 10_000
    assert "Win probability of yellow: 0% before it, 0% after it" in out or change == {"shot": 3}


def test_a_file_of_arrays_within_each_other_is_refused_in_one_line(run):
    Path("deep.json").write_text("[" * 100_000)
    refused(run("map", "deep.json"), "deep.json: nested too deeply")


def test_a_record_needs_an_end_and_a_shot(run, match_folder):
    file = match_folder / "records" / "1-2-00000.jsonl"
    for chosen, message in (
        ((), "choose a position with --end N --shot N"),
        (("--end", 3, "--shot", 1), "end=3: must"),
        (("--end", 1, "--shot", 17), "shot=17: must be from 1 to 16"),
    ):
        refused(run("map", file, *chosen), message)
    refused(run("map", "none.jsonl"), "none.jsonl cannot be read")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"stones": [None] * 3}, "stones=[None, None, None]: must be 16 places"),
        ({"shot": None}, "shot=None: must be"),
        ({"shot": 0}, "stones of team 0=1: must be at most 0"),
        ({"hammer": 2}, "hammer=2: must be a whole number from 0 to 1"),
        ({"lead": 9}, "lead=9"),
        ({"ends": 0}, "ends=0: must be"),
        ({"physics": "executor"}, "physics"),
        ({"stones": [[0.0, 38.405], [0.1, 38.405], *[None] * 14]}, "clear of all other stones"),
        ({"stones": [[0.0], *[None] * 15]}, "must be 16 places, each [x, y] or null"),
        ({"stones": [None] * 3 + [[float("nan"), 38.5]] + [None] * 12}, "stones[3]=[nan, 38.5]: must be two finite"),
        ({"stones": [[True, 38.5]] + [None] * 15}, "stones[0]=[True, 38.5]: must be two finite numbers or null"),
        ({"lead": 1.5}, "position.json: lead=1.5: must be a whole"),
        ({"end": 2}, "position.json: end=2: must be 0 to 1, the ends before it"),
        ({"team": 0}, "position.json: team=0: must be 1, since shot=15 and hammer=1"),
        ({"team": "x"}, "position.json: team='x': must be 1"),
        ({"team": True}, "position.json: team=True: must be 1"),
        ({"stones": [None] * 16, "shot": 6, "physics": "dc4", "mixed_doubles": MIXED}, "placed stones=0: must be 2"),
        ({"stone": 1}, "unknown key of a position 'stone'. Did you mean 'stones'?"),
    ],
)
def test_impossible_positions_are_refused_in_one_line(run, file, change, message):
    refused(run("map", file(**change)), message)
    assert not Path("map.png").exists()


@pytest.mark.parametrize(
    "line, message",
    [
        (("--planner", "life_and_death"), "unknown planner"),
        (("--planner", "presearch:share=2"), "share=2"),
        (("--budget", 0), "budget=0: must be"),
        (("--milliseconds", 0), "milliseconds=0: must be"),
        (("--seed", -1), "seed=-1"),
        (("--shot", 3), "for records only"),
    ],
)
def test_wrong_options_are_refused_in_one_line(run, file, line, message):
    refused(run("map", file(), *line), message)


def test_a_planner_that_fails_is_named_in_one_line(run, file):
    status, out, err = run("map", file(), "--planner", "process:false", "--budget", 10)
    last = err.splitlines()[-1]
    assert (status, out) == (1, "") and "Traceback" not in err and not Path("map.png").exists()
    assert last.startswith("bonspiel map: process:false fails in this position: ") and "exit status 1" in last


def test_files_that_cannot_be_read_or_written(run, file):
    refused(run("map", "nothing.json"), "cannot be read (No such file")
    Path("x.json").write_text("{")
    refused(run("map", "x.json"), "x.json: ")
    Path("x.json").write_text('{"stones": []}')
    refused(run("map", "x.json"), "x.json: shot is missing (0 to 15, the shots of the end before it)")
    Path("x.jsonl").write_text("{}")
    refused(run("map", "x.jsonl", "--end", 1, "--shot", 1), "map: x.jsonl, line 1: not a line")
    for out, reason in (("no/p.png", "no folder no"), ("p.what", "must end in .png or"), ("p", "must end in .png or")):
        refused(run("map", "nothing.json", "--out", out), f"{out} cannot be written: ")
        refused(run("map", "nothing.json", "--out", out), reason)
