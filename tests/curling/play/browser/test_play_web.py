"""A game in a browser, as a person plays it, and by HTTP."""

import json
import math
import re
import signal
import socket
import time
import urllib.request
from concurrent.futures import Future
from threading import Event

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.curling import players
from bonspiel.curling.ice.sheet import STONE_RADIUS, no_stones
from bonspiel.curling.match.state import state_of
from bonspiel.curling.play.aim import WEIGHTS, Aim
from bonspiel.curling.play.browser import throwing_page
from bonspiel.curling.play.browser.web import IDEAS, best_ideas, play_in_web, serve_game
from bonspiel.curling.play.game import InteractiveGame
from bonspiel.curling.play.report import game_record
from bonspiel.curling.records import record
from bonspiel.curling.records.record import Match
from bonspiel.curling.records.umpire import replay
from bonspiel.planners import Decision
from bonspiel.planners.planner import Budget
from bonspiel.runs.experiment import RunError
from tests.curling.browsing import Person, ask

PAGE_BYTES = 300_000
ROOT = "/token"
GAME = f"{ROOT}/0"


@pytest.fixture
def play():
    """A function that serves a game; the person is team 1, so that the planner throws first."""
    opened = []

    def begin(planner="random", ends=1, simulations=10, noise="none", game="standard"):
        match = Match(players=(planner, "you"), physics="fcv1", rule=None, noise=noise, ends=ends, seed=5, game=game)
        chosen = planners.make("random") if planner == "random" else players.parse(planner)
        game, ended = InteractiveGame(match, chosen, Budget(simulations=simulations), 1), Future()
        server = serve_game(game, ended, ROOT, "127.0.0.1", 0)
        opened.append((game, server, ended))
        return game, server

    yield begin
    for game, server, ended in opened:
        server.close()
        game.close()
        assert not ended.done()


@pytest.fixture
def sit_down(look):
    def sit(server, width=1400, touches=False, hurries=True):
        page = look(f"http://127.0.0.1:{server.port}{ROOT}", width, 844 if width < 500 else 900, has_touch=touches)
        person = Person(page, touches)
        if hurries:
            person.hurry()
        return person

    return sit


@pytest.mark.parametrize("width, touches", [(1400, False), (390, True)])
def test_a_person_plays_an_end_against_the_pre_search(play, sit_down, width, touches):
    game, server = play("presearch", ends=2, simulations=60, noise="normal_dist")
    person, tee = sit_down(server, width, touches), game.model.law.sheet.tee
    page = person.page
    for stone in range(8):
        person.says(f"stone {2 * stone + 2} of 16: your shot")
        target = (-1.0 + 0.3 * stone, tee - 1.5 + 0.4 * stone)
        person.drag((0.0, tee), target)
        np.testing.assert_allclose(person.target(), target, atol=0.03)
        if stone == 3:
            person.press("#spin")
            person.settle()
        spin, target = page.inner_text("#spin-name"), person.target()
        person.press("#release")
        page.wait_for_function("count => replay.count >= count", arg=2 * stone + 2)
        aim = Aim(*target, 1.0 if spin == "out-turn" else -1.0).velocity(game.model.law)
        np.testing.assert_allclose(game.shots[2 * stone + 1].aim[:2], aim, atol=0.01)
        assert spin == ("out-turn" if stone < 3 else "in-turn")
    person.says("End 1 is over")
    assert page.inner_text("#score") == "{} : {}".format(*game.points)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    thoughts = page.locator("#thoughts > li")
    assert thoughts.count() == 8
    for number in range(8):
        expected = game.shots[2 * number].value
        assert f"expected to win {math.floor(100 * expected + 0.5)} %" in thoughts.nth(number).inner_text()
        assert 1 <= thoughts.nth(number).locator("li").count() <= IDEAS
    person.press("#release")
    person.says("End 2, stone")
    person.says(": your shot")
    assert len(game.shots) == 16 + (game.hammer == 1) and len(replay(game_record(game))) == len(game.shots) + 1


def test_mixed_doubles_begin_with_the_set_up_of_one_team(play, sit_down):
    game, server = play(ends=3, game="mixed_doubles")
    person = sit_down(server)
    page = person.page
    person.says("End 1: set it up")  # as team 1 decides
    page.keyboard.press("w")
    assert page.locator("#setups [aria-pressed=true]").inner_text() == "The hammer and a power play on the left"
    person.press("#release")
    for end in (1, 2, 3):
        if end > 1:
            person.says(f"End {end - 1} is over")
            person.press("#release")
        lead = game.hammer == 0
        for stone in range(5):
            person.says(f"End {end}, stone {2 * stone + 2 - lead} of 10: your shot")
            person.press("#release")
    person.page.wait_for_function("() => /You win|random wins|A draw/.test(document.getElementById('say').textContent)")
    kept = game_record(game)
    assert len(kept.setups) == 3 and kept.setups[0] == (0, 1, "pp_left") and len(replay(kept)) == 31
    assert {setup.team for setup in kept.setups} == {0, 1}  # the planner's are shown too
    shown = page.evaluate("() => document.getElementById('score').textContent")
    assert shown == "{} : {}".format(*game.points)


def test_the_preview_is_the_path_without_noise(play, sit_down):
    game, server = play()
    person, sheet = sit_down(server), game.model.law.sheet
    person.says(": your shot")

    def is_of_the_drag(answer):
        return answer.url.endswith("/aim") and abs(answer.request.post_data_json["x"] - 0.5) < 0.1

    with person.page.expect_response(is_of_the_drag) as answered:
        person.drag((0.5, sheet.tee - 2.0), (0.5, sheet.tee - 2.0))
    tracks = answered.value.json()["tracks"]
    person.press("#release")
    person.says("stone 4 of 16: your shot")
    assert {track["stone"] for track in tracks} >= {8}
    for track in tracks:
        place = [sum(track["x"]) / 1000, sum(track["y"]) / 1000]
        np.testing.assert_allclose(game.shots[1].stones[track["stone"]], place, atol=2e-3)


def test_a_reload_in_the_middle_loses_nothing(play, sit_down):
    game, server = play("random", ends=1, noise="normal_dist")
    person, tee = sit_down(server), game.model.law.sheet.tee
    for stone in (2, 4):
        person.says(f"stone {stone} of 16: your shot")
        person.press("#release")
    person.says("stone 6 of 16: your shot")
    person.drag((0.0, tee), (0.9, tee + 0.4))
    person.press("#spin")
    person.settle()
    shown = "[...document.querySelectorAll('#house [data-stone][visibility=visible]')].map(stone => stone.outerHTML)"
    before = person.page.evaluate(shown), person.target(), person.page.inner_text("#spin-name")
    person.page.reload()
    person.says("stone 6 of 16: your shot")
    person.settle()
    assert person.page.evaluate("[replay.count, replay.position]") == [5, 5]
    assert (person.page.evaluate(shown), person.target(), person.page.inner_text("#spin-name")) == before
    person.hurry()
    person.press("#release")
    person.says("stone 8 of 16: your shot")
    assert [shot.shot for shot in game.shots] == list(range(7)) and game.shots[5].aim[2] == -1.0


def test_a_reload_while_a_stone_is_on_its_way_shows_where_it_stopped(play, sit_down):
    game, server = play()
    person = sit_down(server, hurries=False)
    person.says(": your shot")
    person.page.select_option("#speed", "1")
    person.press("#release")
    person.page.wait_for_function("() => replay.count === 3")
    assert person.page.evaluate("replay.position") < 2  # the planner's stone waits until the person's has stopped
    person.says("on its way")
    person.page.reload()
    person.says("stone 4 of 16: your shot")
    assert len(game.shots) == 3


def test_keys_and_the_wheel_aim_and_throw(play, sit_down):
    game, server = play()
    person = sit_down(server)
    page = person.page
    person.says(": your shot")
    person.settle()
    x, y = person.target()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowDown", "w", "s"):
        page.keyboard.press(key)
    person.settle()
    np.testing.assert_allclose(person.target(), (x + 0.04, y + 0.02 - 0.2), atol=1e-3)
    assert page.inner_text("#weight-name") == WEIGHTS[1][0] and page.inner_text("#spin-name") == "in-turn"
    page.mouse.move(*person.pixel(0.0, y))
    page.mouse.wheel(0, -100)
    person.settle()
    assert page.inner_text("#weight-name") == "between control hit and normal hit"
    assert page.input_value("#weight") == "1.1"
    page.keyboard.press("-")
    person.settle()
    assert page.input_value("#weight") == "1.05"
    page.fill("#weight", "0")
    person.settle()
    page.locator("#house").click(button="right")
    person.settle()
    assert page.inner_text("#weight-name") == WEIGHTS[0][0] and page.inner_text("#spin-name") == "out-turn"
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("Enter")
    person.says("stone 4 of 16: your shot")
    assert len(game.shots) == 3


@pytest.mark.parametrize("width, touches", [(1400, False), (390, True)])
def test_the_weight_is_chosen_on_a_slider_or_by_its_name(play, sit_down, width, touches):
    game, server = play()
    person = sit_down(server, width, touches)
    page, law = person.page, game.model.law
    person.says(": your shot")
    person.press("#weights button >> text=normal hit")
    person.settle()
    assert page.inner_text("#weight-name") == "normal hit" and page.input_value("#weight") == "2"
    slider = page.locator("#weight")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    place = {"x": 0.8 * box["width"], "y": box["height"] / 2}
    slider.tap(position=place) if touches else slider.click(position=place)
    person.settle()
    weight = float(page.input_value("#weight"))
    assert 2.2 < weight < 2.6 and page.inner_text("#weight-name") == "between normal hit and peel"
    (x, y), speed = person.target(), math.hypot(*law.tee_draw) * (1.3 + 0.2 * (weight - 2.0))
    person.press("#release")
    page.wait_for_function("() => replay.count >= 2")
    np.testing.assert_allclose(math.hypot(*game.shots[1].aim[:2]), speed, rtol=1e-6)
    np.testing.assert_allclose(game.shots[1].aim[:2], Aim(x, y, weight=weight).velocity(law), atol=0.01)


def test_a_weight_off_the_scale_is_clamped_and_told(play, sit_down):
    _, server = play()
    person = sit_down(server)
    person.says(": your shot")
    person.settle()
    for key, told in (("-", "Weight: -0.05 is out of range, 0 is taken"), ("+", "")):
        person.page.keyboard.press(key)
        person.settle()
        assert person.page.inner_text("#told") == told
    assert person.page.input_value("#weight") == "0.05"


def test_speeds_grow_with_the_weight_without_a_jump():
    law = Match(players=("random", "you"), physics="fcv1", rule=None, noise="none", ends=1).model().law
    for x, y in ((0.0, law.sheet.tee), (1.5, law.sheet.back_line), (-1.0, law.sheet.hog_line + 1.0)):
        weights = np.linspace(0.0, len(WEIGHTS) - 1, 301)
        speeds = [math.hypot(*Aim(x, y, weight=weight).velocity(law)) for weight in weights]
        steps = np.diff(speeds)
        assert (steps > 0.0).all() and steps.max() < 0.01
        assert math.isclose(speeds[100], 1.15 * math.hypot(*law.tee_draw))


def test_a_throw_does_not_wait_for_a_preview(play, sit_down, monkeypatch):
    computed, free = throwing_page.preview, Event()

    def slow(model, state, engine, thrown):
        if thrown[0] > 0.18:  # to the right of where the first preview goes
            free.wait()
        return computed(model, state, engine, thrown)

    monkeypatch.setattr(throwing_page, "preview", slow)
    game, server = play()
    person, tee = sit_down(server), game.model.law.sheet.tee
    person.says("stone 2 of 16: your shot")
    person.settle()
    person.page.mouse.click(*person.pixel(1.5, tee))
    person.page.wait_for_selector("#throw[aria-busy=true]")
    target = person.target()
    try:
        person.press("#release")
        person.page.wait_for_function("() => replay.count >= 2")
        assert person.page.inner_text("#told") == ""
        np.testing.assert_allclose(game.shots[1].aim[:2], Aim(*target).velocity(game.model.law), atol=0.01)
    finally:
        free.set()


def test_previews_go_on_after_one_that_a_throw_gave_up_while_it_arrived(play, sit_down):
    game, server = play()
    person, tee = sit_down(server), game.model.law.sheet.tee
    person.says("stone 2 of 16: your shot")
    person.settle()
    person.page.evaluate(
        """() => { const usual = fetch; window.fetch = async (path, { signal }) => { window.fetch = usual;
        const body = new Promise((_, fail) => { signal.onabort = () => fail(signal.reason); });
        return { ok: true, json: () => body }; }; }"""
    )
    person.page.mouse.click(*person.pixel(1.5, tee))
    person.page.wait_for_selector("#throw[aria-busy=true]")
    person.press("#release")
    person.says("stone 4 of 16: your shot")
    person.drag((1.5, tee), (0.5, tee))
    assert person.target() == pytest.approx((0.5, tee), abs=0.02)


def test_earlier_shots_can_be_looked_at_and_left_again(play, sit_down):
    game, server = play()
    person = sit_down(server)
    person.says("stone 2 of 16: your shot")
    person.press("#release")
    person.says("stone 4 of 16: your shot")
    person.press("[data-do=end-back]")
    person.says("You look at earlier shots")
    assert person.page.inner_text("#release") == "Back to the game"
    person.press("#release")
    person.says("stone 4 of 16: your shot")
    assert len(game.shots) == 3


def test_a_match_ends_on_the_page(play, sit_down):
    game, server = play()
    person = sit_down(server)
    for stone in range(2, 17, 2):
        person.says(f"stone {stone} of 16: your shot")
        person.press("#release")
    person.page.wait_for_function("() => /You win|random wins|A draw/.test(document.getElementById('say').textContent)")
    assert game.phase == "over" and person.page.locator("#release").is_disabled()
    assert person.page.locator("#banner").is_visible()


def test_a_target_off_the_sheet_is_moved_and_told(play, sit_down):
    game, server = play()
    person, sheet = sit_down(server), game.model.law.sheet
    person.says(": your shot")
    person.drag((0.0, sheet.tee), (sheet.half_width + 0.05, sheet.tee))
    assert "Target across" in person.page.inner_text("#told")
    np.testing.assert_allclose(person.target(), (sheet.half_width - STONE_RADIUS, sheet.tee), atol=0.03)
    person.drag((0.0, sheet.tee), (0.2, sheet.tee))
    assert person.page.inner_text("#told") == ""


def wait_for(game, phase):
    while game.phase != phase:
        time.sleep(0.001)


AIM = {"x": 0.0, "y": 38.0, "side": 1, "weight": 0}


def test_what_is_out_of_range_is_clamped_and_told(play):
    game, server = play()
    wait_for(game, "aim")
    status, body = ask(server, f"{GAME}/aim", {"x": 1e300, "y": -5, "side": -7, "weight": 99})
    sheet, answer = game.model.law.sheet, json.loads(body)
    assert status == 200 and len(answer["told"]) == 4
    assert answer["aim"] == {
        "x": sheet.half_width - STONE_RADIUS,
        "y": sheet.hog_line + STONE_RADIUS,
        "side": -1,
        "weight": len(WEIGHTS) - 1,
    }
    assert json.loads(ask(server, f"{GAME}/aim", AIM)[1])["told"] == []
    told = json.loads(ask(server, f"{GAME}/aim", {**AIM, "weight": 3.0001})[1])["told"]
    assert told == ["weight: 3.0001 is out of range, 3 is taken"]


def test_numbers_of_many_digits_are_refused_or_clamped(play):
    game, server = play()
    wait_for(game, "aim")
    long = json.dumps(AIM).replace('"side": 1', f'"side": {"9" * 400}')
    assert ask(server, f"{GAME}/aim", long)[0] in (200, 422)
    assert ask(server, f"{GAME}/aim", {**AIM, "side": 10**100})[0] == 200
    assert ask(server, f"{ROOT}/{'1' * 5000}/aim", AIM) == (404, "that match is over, load the page again")


@pytest.mark.parametrize(
    "message, words",
    [
        ("", "truncated"),
        ("[]", "Expected `object`"),
        ('{"x": 0, "deep": ' + "[" * 1100 + "]" * 1100 + "}", "nested too deeply"),
        ({**AIM, "x": "0"}, "Expected `float`, got `str` - at `$.x`"),
        ({**AIM, "side": "1"}, "Expected `float`, got `str` - at `$.side`"),
        ({"x": 0.0, "y": 38.0, "side": 1}, "missing required field `weight`"),
        ('{"x": NaN}', "malformed"),
    ],
)
def test_wrong_messages_are_refused_with_the_reason(play, message, words):
    game, server = play()
    wait_for(game, "aim")
    status, body = ask(server, f"{GAME}/aim", message)
    assert status == 422 and words in body and not game.shots[1:]


def test_a_shot_is_thrown_once_and_in_turn(play):
    game, server = play()
    wait_for(game, "aim")
    assert ask(server, f"{GAME}/next", {}) == (409, "no end is over")
    assert ask(server, f"{GAME}/throw", {**AIM, "shot": 0}) == (409, "shot 1 is not the next one")
    assert ask(server, f"{GAME}/throw", {**AIM, "shot": 1})[0] == 200
    assert ask(server, f"{GAME}/throw", {**AIM, "shot": 1})[0] == 409
    assert [shot.team for shot in game.shots[:2]] == [0, 1] and game.shots[1].seconds > 0.0


def test_only_who_knows_the_token_plays_and_only_from_the_page(play):
    game, server = play()
    wait_for(game, "aim")
    for path in ("/", "/toke", "/token2", "/aim", "/0/aim", "/token/aim", "/token/1/events"):
        assert ask(server, path)[0] == 404
    assert ask(server, "/0/throw", {**AIM, "shot": 1})[0] == 404
    assert ask(server, f"{GAME}/throw", {**AIM, "shot": 1}, Origin="http://evil.example")[0] == 403
    assert len(game.shots) == 1


def test_the_page_is_light(play):
    _, server = play()
    for path in (ROOT, f"{ROOT}/"):
        status, page = ask(server, path)
        assert status == 200 and len(page.encode()) < PAGE_BYTES


def test_ideas_have_different_names_and_the_choice_comes_first():
    model = Match(players=("random", "you"), physics="fcv1", rule=None, noise="none", ends=1).model()
    state, tee = state_of(no_stones(), shot=1, hammer=1), model.law.sheet.tee
    aims = [Aim(0.0, tee), Aim(0.1, tee), Aim(0.0, tee - 4.0), Aim(1.8, tee + 1.5), Aim(-1.0, tee + 1.0)]
    actions = np.array([model.aim(*aim.velocity(model.law), 1.0) for aim in aims])
    values, visits = np.array([-0.6, -0.5, -0.4, -0.3, np.nan]), np.array([9, 8, 7, 6, 0])
    found = best_ideas(model, state, Decision(actions[2], -0.4, 30, 0.1, actions, visits, values))
    assert [(idea.name, round(idea.chance, 6), idea.visits) for idea in found] == [
        ("guard", 0.6, 7),
        ("draw", 0.4, 9),
        ("draw behind the house", 0.7, 6),
    ]
    unsure = best_ideas(model, state, Decision(actions[0], np.nan, 0, 0.1, actions[:1], visits[4:], values[4:]))
    assert unsure == [("draw", None, 0)]


class Broken:
    def plan(self, *_):
        raise ValueError("no idea")


def test_a_planner_that_fails_ends_the_game_with_its_reason(capsys):
    game = InteractiveGame(
        Match(players=("broken", "you"), physics="fcv1", rule=None, noise="none", ends=1, seed=5),
        Broken(),
        Budget(simulations=1),
        1,
    )
    with pytest.raises(RunError, match="broken failed at shot 1 of end 1: no idea"):
        play_in_web(game)
    game.close()
    assert re.fullmatch(
        r"play at http://127\.0\.0\.1:\d+/[\w-]{12} \(Ctrl-C ends the game\)\n", capsys.readouterr().out
    )


def test_the_command_serves_the_page_until_ctrl_c(start, tmp_path):
    process = start("play", "--web", "--against", "random", "--record", "game.jsonl", "--hammer", "them")
    address = re.match(r"play at (http://\S+)", process.stdout.readline())[1]
    with urllib.request.urlopen(address, timeout=120) as answer:
        assert b"against random" in answer.read()
    home, _, token = address.rpartition("/")
    throw = urllib.request.Request(f"{address}/0/throw", json.dumps({**AIM, "shot": 0}).encode(), {"Origin": home})
    with urllib.request.urlopen(throw, timeout=120) as answer:
        assert answer.status == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "") and "you left at 0 : 0 against random" in out
    kept = record.read(tmp_path / "game.jsonl")
    assert kept.shots[0].team == 0 and kept.result.reason == "forfeit" and len(token) == 12


def test_a_port_that_is_taken_is_named(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, _, err = run("play", "--web", "--against", "random", "--port", port)
    assert status == 1
    assert (
        err
        == f"bonspiel play: 127.0.0.1, port {port}: cannot serve the page (Address already in use); choose another\n"
    )


@pytest.mark.parametrize(
    "line, words",
    [
        (("--web", "--port", "70000"), "--port=70000: must be a whole number from 0 to 65535"),
        (("--port", "8000"), "--bind and --port are for --web"),
        (("--bind", "0.0.0.0"), "--bind and --port are for --web"),
    ],
)
def test_wrong_options_are_refused(refused, line, words):
    err = refused("play", "--against", "random", *line)
    assert words in err


WITHOUT_WEB = """
import sys
sys.modules["starlette"] = None
from bonspiel.runs.cli import main"""


def test_a_missing_extra_is_named_with_its_command(start):
    process = start("play", "--web", "--against", "random", program=WITHOUT_WEB)
    _, err = process.communicate(timeout=120)
    needed = "--web needs Starlette and uvicorn: pip install -e '.[web]'"
    assert (process.returncode, err) == (2, f"bonspiel play: {needed}\n")
