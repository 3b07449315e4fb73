"""The page in a browser: what it shows, and what buttons, keys and the slider do."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.match.state import stones_of
from bonspiel.curling.records import umpire
from bonspiel.curling.records.record import Result
from bonspiel.curling.replay.judgement import Judged, Judgement
from bonspiel.curling.replay.page_events import record_events
from bonspiel.curling.replay.pages import replay_page

COLOURS = np.array([[0xDD, 0x3D, 0x2F], [0xF4, 0xBD, 0x24]]) / 255.0
BESIDE = -0.075  # m, on a stone but not on its number
SCALE = """places => places.map(([x, y]) => {
  const matrix = document.getElementById("house").getScreenCTM();
  return [matrix.a * 100 * x + matrix.e, matrix.d * -100 * y + matrix.f];
})"""
SHOWN = """() => [...document.querySelectorAll("#house [data-stone]")]
  .filter(stone => stone.getAttribute("visibility") === "visible").map(stone => Number(stone.dataset.stone))"""


@pytest.fixture(scope="module")
def page_text(played):
    return replay_page(record_events(played)[0])


def state(page):
    return page.evaluate("({p: replay.position, count: replay.count, playing: replay.playing, speed: replay.speed})")


def place(page):
    return page.evaluate("replay.position")


def settled(page):
    """Wait until what was asked for is drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def check_stones(page, pixels, stones, sheet):
    """The stones [16, 2] are where they should be, in their colours, and there are no others."""
    settled(page)
    rows = [row for row in range(STONES) if not np.isnan(stones[row, 0])]
    inside = [row for row in rows if sheet.hog_line - 0.25 < stones[row, 1] < sheet.back_line + 0.25]
    assert page.evaluate(SHOWN) == rows
    image = pixels(page)
    if inside:
        spots = page.evaluate(SCALE, [[stones[row, 0] + BESIDE, stones[row, 1]] for row in inside])
        for row, (x, y) in zip(inside, spots, strict=True):
            found = image[round(y), round(x)]
            assert np.abs(found - COLOURS[row // 8]).max() < 0.12, (row, found)
    return len(inside)


def test_after_every_shot_the_stones_lie_where_the_record_has_them(look, pixels, page_text, played):
    page, sheet = look(page_text), played.match.model().law.sheet
    assert page.evaluate("replay.count") == len(played.shots)
    seen = 0
    for number in (0, 3, 9, 14, 15, 16, 30, 31):
        page.evaluate(f"replay.go({number + 1})")
        stones = np.array([spot or (np.nan, np.nan) for spot in played.shots[number].stones])
        seen += check_stones(page, pixels, stones, sheet)
    assert seen > 10
    page.evaluate("replay.go(0)")
    assert check_stones(page, pixels, no_stones(), sheet) == 0


def test_on_their_way_they_are_where_the_engine_has_them(look, pixels, page_text, played):
    page, engine = look(page_text), make_engine()
    seen, hits = 0, 0
    for number in range(5, 16):
        before, shot = played.shots[number - 1], played.shots[number]
        row = 8 * shot.team + shot.shot // 2
        lying = np.array([spot or (np.nan, np.nan) for spot in before.stones])
        path = engine.shot(lying, row, shot.thrown[:2], shot.thrown[2], trajectory=True)[1]
        near = int(np.argmax(path.positions[:, row, 1] > 35.0)) or len(path.times) // 2
        frame = near + (len(path.times) - near) // 4
        page.evaluate(f"replay.go({number} + {path.times[frame] / path.times[-1]})")
        seen += check_stones(page, pixels, path.positions[frame], engine.law.sheet)
        hits += bool((path.positions[frame] != path.positions[0])[lying[:, 0] > -9].any())
    assert seen > 20 and hits > 0


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_a_phone_shows_everything_without_horizontal_scrolling(look, pixels, page_text, played, scheme):
    page = look(page_text, width=390, height=844, color_scheme=scheme, has_touch=True, device_scale_factor=2)
    page.evaluate("replay.go(14)")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert (
        page.evaluate("""[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll") &&
      e.getBoundingClientRect().right > 391).map(e => e.id || e.tagName)""")
        == []
    )
    stage = page.locator("#controls").bounding_box()
    assert stage["y"] + stage["height"] < 1000  # the ice and the buttons come before the rest
    page.tap("#play")
    assert state(page)["playing"]
    background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (background == "rgb(13, 19, 24)") == (scheme == "dark")


@pytest.mark.parametrize("width", [360, 375, 1280])
def test_buttons_stand_in_one_row_and_names_have_two(look, played, width):
    names = "presearch:inner=uct", "Sapporo Curling Club"
    page = look(replay_page(record_events(played._replace(match=replace(played.match, players=names)))[0]), width=width)
    page.evaluate("document.getElementById('live').hidden = replay.go(20)")  # as on the page of a match that goes on
    boxes = page.evaluate("""[...document.querySelectorAll(".buttons button, .buttons select")].map(button => {
      const box = button.getBoundingClientRect();
      return [box.top, box.left, box.right, button.scrollWidth - button.clientWidth]; })""")
    assert len(boxes) == 8 and len({top for top, *_ in boxes}) == 1 and max(cut for *_, cut in boxes) <= 0
    assert all(one[2] <= other[1] for one, other in pairwise(boxes)) and boxes[-1][2] < width
    cut = page.evaluate("""[...document.querySelectorAll(".name")].filter(name =>
      name.scrollHeight > name.clientHeight || name.scrollWidth > name.clientWidth).map(name => name.textContent)""")
    assert cut == []


def test_play_moves_on_by_itself_and_pause_stops_it(look, page_text):
    page = look(page_text)
    assert state(page) == {"p": 0, "count": 32, "playing": False, "speed": 8}
    page.select_option("#speed", "20")
    page.click("#start")
    assert state(page)["playing"] and page.get_attribute("#play", "aria-label") == "Pause"
    page.evaluate("replay.go(0.9)")
    while place(page) <= 1:  # over the rest between two shots
        page.wait_for_timeout(20)
    page.click("#play")
    stopped = place(page)
    page.wait_for_timeout(300)
    assert place(page) == stopped and not state(page)["playing"]
    assert page.get_attribute("#play", "aria-label") == "Play"


def test_play_stops_at_the_end_and_begins_again_from_there(look, page_text):
    page = look(page_text)
    page.evaluate("replay.go(replay.count - 0.02)")
    page.keyboard.press("Space")
    while state(page)["playing"]:
        page.wait_for_timeout(20)
    assert place(page) == 32 and page.locator("#banner").is_visible()
    page.keyboard.press("Space")
    assert place(page) < 32 and state(page)["playing"]


def test_keys(look, page_text):
    page = look(page_text)
    for key, expected in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("ArrowDown", 16),
        ("ArrowRight", 17),
        ("ArrowUp", 16),
        ("ArrowUp", 0),
        ("ArrowLeft", 0),
        ("End", 32),
        ("ArrowRight", 32),
        ("ArrowUp", 16),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        assert place(page) == expected, key
    for key, expected in [("+", 12), ("+", 16), ("-", 12), *[("-", None)] * 9, ("-", 1), *[("+", None)] * 9, ("+", 20)]:
        page.keyboard.press(key)
        assert expected is None or state(page)["speed"] == expected
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("ArrowRight")
    assert place(page) == 0  # the help is read first
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    page.keyboard.press("?")
    page.click("#help button")
    assert not page.locator("#help").is_visible()


@pytest.fixture(scope="module")
def long_page(make_game):
    return replay_page(record_events(make_game(("random", "random"), budget=1, ends=4))[0])


def test_keys_step_from_end_to_end_through_a_whole_match(look, long_page):
    page = look(long_page)
    for key, expected in [("ArrowDown", (16, 32, 48, 64, 64)), ("ArrowUp", (48, 32, 16, 0, 0))]:
        for to in expected:
            page.keyboard.press(key)
            assert place(page) == to
    page.evaluate("replay.go(20.5)")
    page.keyboard.press("ArrowDown")
    assert place(page) == 32


def test_the_scoreboard_marks_the_end_that_is_played(look, long_page):
    page = look(long_page)
    for at, end in [(0.5, 0), (15.5, 0), (16, 0), (16.5, 1), (17.5, 1), (48.5, 3)]:
        page.evaluate(f"replay.go({at})")
        marked = page.evaluate("[...document.querySelectorAll('#scoreboard td.now button')].map(b => b.dataset.cell)")
        assert marked == [f"0-{end}", f"1-{end}"], at
        filled = page.evaluate("[...document.querySelectorAll('#scoreboard button')].map(b => b.textContent)")
        assert sum(text != "" for text in filled) == 2 * int(at // 16), at


def test_buttons_slider_curve_and_scoreboard_go_to_a_place(look, page_text):
    page = look(page_text)
    for name, expected in [("Next shot", 1), ("Next end", 16), ("Previous shot", 15), ("Previous end", 0)]:
        page.get_by_role("button", name=name, exact=True).click()
        assert place(page) == expected
    box = page.locator("#slider").bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert 15 < place(page) < 17
    page.keyboard.press("ArrowRight")  # the slider has the focus; keys mean the same as elsewhere
    assert place(page) in (16, 17)
    assert "of 16" in page.get_attribute("#slider", "aria-valuetext")
    curve = page.locator("#curve").bounding_box()
    page.mouse.click(curve["x"] + curve["width"] - 9, curve["y"] + 30)
    assert place(page) == 32
    page.locator("#scoreboard button").nth(1).click()
    assert 16 < place(page) < 16.01 and page.inner_text("#status") == "End 2 of 2"


def test_the_score_shown_is_that_at_the_current_position(look, page_text, played):
    page = look(page_text)
    told = []
    for shots in (15, 16, 32):
        page.evaluate(f"replay.go({shots})")
        told.append(page.inner_text("#score"))
    first = played.ends[0].points
    assert told == ["0 : 0", "{} : {}".format(*first), "{} : {}".format(*played.result.score)]
    assert page.locator("#scoreboard .hammer").count() == 2
    page.evaluate("replay.go(7)")
    said = page.inner_text("#description")
    assert "stone" in said.lower() and page.get_attribute("#description", "aria-live") == "polite"
    assert "shot 7" in page.inner_text("#where")
    numbers = page.inner_text("#numbers")
    speed = np.hypot(*played.shots[6].thrown[:2])
    assert f"{speed:.3f} m/s" in numbers and "Thinking time" in numbers and "Chance to win" in numbers


def test_the_chance_after_the_last_shot_is_the_result_of_a_match_that_was_played_out_alone(look, played):
    """A team that leaves loses the match, but not by its last shot."""
    cut = played._replace(shots=played.shots[:20], ends=played.ends[:1])
    result = Result(cut.ends[0].points, 0, 1.0, "forfeit", "left the match")
    last = [event for event in record_events(cut._replace(result=result))[0] if event["type"] == "shot"][-1]["chance"]
    page = look(replay_page(record_events(cut._replace(result=result))[0]))
    page.evaluate("replay.go(20)")
    settled(page)
    assert 0.0 < last < 0.99 and page.inner_text("#chance0") == f"{math.floor(100 * last + 0.5)} %"


def test_everything_that_can_be_pressed_has_a_name_and_shows_the_focus(look, page_text):
    page = look(page_text)
    page.evaluate("replay.go(20)")
    unnamed = page.evaluate("""[...document.querySelectorAll("button, select, input")].filter(e =>
      !(e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim())).map(e => e.outerHTML)""")
    assert unnamed == []
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


def test_less_motion_is_respected(look, page_text):
    page = look(page_text, reduced_motion="reduce")
    page.keyboard.press("Space")
    places = set()
    while max(places, default=0) < 2:
        page.wait_for_timeout(20)
        places.add(place(page))
    assert all(float(one).is_integer() for one in places)  # from rest to rest, no stone is seen moving


EVIL = "</script><img src=x onerror=document.title='owned'>"


def test_names_do_nothing_but_stand_there(look, played):
    evil = played._replace(
        match=replace(played.match, players=(EVIL, EVIL * 40)),
        result=played.result._replace(reason="forfeit", detail=EVIL),
    )
    page = look(replay_page(record_events(evil)[0]), width=390)
    page.keyboard.press("End")
    assert page.inner_text("#name0") == EVIL and page.locator("img").count() == 0
    assert EVIL in page.inner_text("#banner")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    "reason, winner, said",
    [
        ("concede", 0, "b concedes, a wins"),
        ("time_limit", 1, "a is out of time, b wins"),
        ("abandoned", None, "Abandoned"),
        ("unfinished", None, "Unfinished"),
    ],
)
def test_a_match_that_was_cut_short(look, played, reason, winner, said):
    result = played.result._replace(
        score=played.ends[0].points,
        winner=winner,
        reason=reason,
        detail=None,
        value=None if winner is None else 1.0 - winner,
    )
    cut = played._replace(
        match=replace(played.match, players=("a", "b")), shots=played.shots[:20], ends=played.ends[:1], result=result
    )
    page = look(replay_page(record_events(cut)[0]))
    page.keyboard.press("End")
    assert place(page) == 20 and page.inner_text("#banner") == said == page.inner_text("#status")


@pytest.mark.parametrize("shots", [0, 1])
def test_a_match_of_hardly_any_shot(look, played, shots):
    cut = played._replace(
        shots=played.shots[:shots],
        ends=(),
        result=played.result._replace(score=(0, 0), winner=None, value=None, reason="unfinished", detail=None),
    )
    page = look(replay_page(record_events(cut)[0]))
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "Space", "Space", "End", "Home"):
        page.keyboard.press(key)
    assert page.evaluate("replay.count") == shots


def test_digital_curling_2_and_extra_ends(look, pixels, make_game):
    games = (
        make_game(physics="dc2", ends=1, extra_ends=4, seed=seed, players=("random", "random"), budget=1)
        for seed in range(100)
    )
    found = next(one for one in games if len(one.ends) > 1)
    extra = len(found.ends) - 1
    page = look(replay_page(record_events(found)[0]))
    page.keyboard.press("End")
    stones = np.array([spot or (np.nan, np.nan) for spot in found.shots[-1].stones])
    check_stones(page, pixels, stones, found.match.model().law.sheet)
    assert page.inner_text("#scoreboard thead").split()[-2] == f"E{extra}"
    assert f"Extra end {extra}, shot 16" in page.inner_text("#where")
    # a draw takes some twenty seconds, whatever the clock of the physics says
    assert 15_000 < record_events(found)[0][1]["length"] < 30_000


@pytest.fixture(scope="module")
def judged_page(played):
    """Shot 6 is a blunder, shot 10 better than the judge's choice, shot 1 the judge's own."""
    losses = {number: 0.01 for number in range(len(played.shots))} | {5: 0.13, 9: -0.04, 0: 0.0}
    found = {}
    for number, loss in losses.items():
        choice = played.shots[number].aim if loss == 0.0 else (0.2, 2.45, -1.0)
        found[number] = Judgement(choice, "draw", "guard", 0.6, 0.6 - loss, 0.65 - loss, 0.012, 0.02)
    return replay_page(record_events(played, judged=Judged("presearch, 1,000 ms", played.shots, found))[0])


def test_judgements_stand_beside_the_shots(look, judged_page):
    page = look(judged_page)
    page.evaluate("replay.go(6)")
    settled(page)
    assert page.inner_text("#where .blunder") == "?? Blunder"
    numbers = page.inner_text("#numbers").replace("\n", " ")
    for said in ("Shot guard wins 47 %", "Judge's choice draw wins 60 %, dotted line", "Loss 13.0 % \u00b1 1.2"):
        assert said in numbers, numbers
    assert "Luck of the throw +5.0 % \u00b1 2.0" in numbers and "Chance to win" in numbers
    assert page.locator("#house polyline[stroke='#7a2fa0']").count() == 1
    page.evaluate("replay.go(5.5)")  # its luck is not known before the stone stops
    assert "Luck" not in page.inner_text("#numbers") and page.locator("#where .blunder").count() == 1
    page.evaluate("replay.go(10)")
    assert "Loss not worse than the judge's choice" in page.inner_text("#numbers").replace("\n", " ")
    assert page.locator("#where .blunder").count() == 0
    page.evaluate("replay.go(1)")
    assert "dotted line" not in page.inner_text("#numbers")
    assert page.locator("#house polyline[stroke='#7a2fa0']").count() == 0


@pytest.mark.parametrize("width", [390, 1400])
def test_blunders_are_marked_on_the_curve_and_listed(look, judged_page, played, width):
    page = look(judged_page, width=width)
    assert page.locator("#judged li").first.inner_text() == "Judge: presearch, 1,000 ms"
    assert page.locator("#marks").is_visible() and page.text_content("#curve .mark text") == "??"
    team = played.shots[5].team
    assert f"Blunder: End 1, shot 6, {played.match.players[team]}, 13.0 %" in page.text_content("#curve .mark title")
    own = page.locator("#judged li").nth(1 + team)
    assert "16 shots, mean loss" in own.inner_text() and "1 blunder, luck of the throws +" in own.inner_text()
    assert page.locator("#judged li").count() == 3 and "0 blunders" in page.inner_text("#judged")
    page.get_by_role("button", name="End 1, shot 6: 13.0 % ??").click()
    assert place(page) == 6
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_without_a_judge_speaks_of_none(look, page_text):
    page = look(page_text)
    assert not page.locator("#marks").is_visible() and not page.locator("#judged").is_visible()
    page.evaluate("replay.go(6)")
    assert "Judge" not in page.inner_text("#numbers") and page.locator(".mark").count() == 0


def test_an_end_of_mixed_doubles_begins_with_the_stones_set_up(look, pixels, make_game):
    record = make_game(game="mixed_doubles", physics="dc4")
    page, states = look(replay_page(record_events(record)[0])), umpire.replay(record)
    page.evaluate("replay.go(0)")
    assert check_stones(page, pixels, stones_of(states[0]), record.match.model().law.sheet) == 2
    numbers = page.locator("#house [data-stone='2'] text, #house [data-stone='3'] text").all_text_contents()
    assert numbers == ["0", "1"]
    page.evaluate("replay.go(11)")
    settled(page)
    assert "shot 1:" in page.inner_text("#where") and " took the " in page.inner_text("#description")
    page.evaluate("replay.go(20)")
    settled(page)
    assert page.get_attribute("#slider", "aria-valuetext").endswith("shot 10 of 10")
    assert page.inner_text("#setting").startswith("mixed doubles")
