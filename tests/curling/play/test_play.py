import io
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass, replace
from fcntl import ioctl
from pathlib import Path

import numpy as np
import pyte
import pytest
from rich.console import Console

from bonspiel import planners
from bonspiel.curling.env.picture import TEAMS, extent
from bonspiel.curling.ice.physics import FCV1
from bonspiel.curling.ice.sheet import STONE_RADIUS, STONES
from bonspiel.curling.match.state import stones_of, team_of
from bonspiel.curling.play import terminal as play_terminal
from bonspiel.curling.play.aim import WEIGHTS, Aim
from bonspiel.curling.play.game import InteractiveGame
from bonspiel.curling.play.report import caption, game_record, message, result
from bonspiel.curling.play.terminal import paint_view
from bonspiel.curling.play.view import View
from bonspiel.curling.records import record, umpire
from bonspiel.curling.records.record import Match
from bonspiel.planners.planner import Budget
from bonspiel.runs.experiment import RunError


def new_game(physics="fcv1", noise="none", me=1, ends=1, planner=None):
    names = ("random", "you") if me == 1 else ("you", "random")
    return InteractiveGame(
        Match(players=names, physics=physics, rule=None, noise=noise, ends=ends, seed=5),
        planner or planners.make("random"),
        Budget(simulations=10),
        me,
    )


def until(game, *phases, now=0.0):
    """Let time pass until it comes to one of the phases."""
    deadline = time.monotonic() + 60.0
    while game.phase not in phases:
        assert time.monotonic() < deadline
        now += 1.0
        game.tick(now)
        time.sleep(0.001)
    return now


@pytest.fixture
def game():
    made = new_game()
    yield made
    made.close()


@pytest.mark.parametrize("physics", ["fcv1", "dc2"])
def test_a_draw_without_noise_stops_at_the_target_and_goes_where_the_preview_went(physics):
    game = new_game(physics, me=0)
    target = 0.7, game.model.law.sheet.tee - 3.0
    game.take_aim(Aim(*target, side=-1.0))
    seen, preview = game.view(0.0), game.preview
    assert seen.target == target and np.isnan(seen.stones).all()
    game.press(0.0)
    assert game.phase == "flight"
    np.testing.assert_allclose(game.flight.positions, preview)
    halfway = game.view(1.0)
    assert 0 < len(halfway.trail) < len(preview) and halfway.preview is None
    until(game, "think")
    np.testing.assert_allclose(stones_of(game.state)[0], target, atol=1e-3)
    assert game.left == (7, 8)
    game.close()


def test_a_hit_passes_through_its_target_with_more_speed_for_more_weight(game):
    until(game, "aim")
    speeds, tee = [], game.model.law.sheet.tee
    for weight in range(len(WEIGHTS)):
        game.take_aim(Aim(0.4, tee, weight=weight))
        speeds.append(np.hypot(*game.velocity))
        way = game._fly(*game.velocity, game.model.law.launch_spin)[:, 8]
        assert np.nanmin(np.hypot(way[:, 0] - 0.4, way[:, 1] - tee)) < 0.1
    assert sorted(speeds) == speeds and speeds[-1] > 1.4 * speeds[0]
    game.weigh(1)
    assert game.aim.weight == 0
    game.weigh(-1)
    assert game.aim.weight == len(WEIGHTS) - 1


def test_a_weight_off_the_scale_is_the_nearest_on_it(game):
    for given, taken in ((-1.0, 0.0), (2.5, 2.5), (3.5, 3.0), (99.0, 3.0)):
        game.take_aim(Aim(0.0, game.model.law.sheet.tee, weight=given))
        assert game.aim.weight == taken
    assert game.aim.weight_name == WEIGHTS[-1][0]


def test_noise_moves_the_stone_off_its_target():
    game = new_game(noise="normal_dist", me=0)
    game.press(0.0)
    away = np.hypot(*(game.flight.outcome.stones[0] - (0.0, game.model.law.sheet.tee)))
    assert 0.001 < away < 2.0
    game.close()


def test_targets_stay_on_the_sheet(game):
    sheet = game.model.law.sheet
    game.take_aim(Aim(9.0, 99.0))
    assert (game.aim.x, game.aim.y) == (sheet.half_width - STONE_RADIUS, sheet.back_line)
    game.take_aim(Aim(-9.0, 0.0))
    assert (game.aim.x, game.aim.y) == (STONE_RADIUS - sheet.half_width, sheet.hog_line + STONE_RADIUS)


@pytest.mark.parametrize("me", [0, 1])
def test_a_whole_match_in_turns_with_its_score_and_record(me, tmp_path):
    game, turns = new_game(me=me, ends=2), []
    now = until(game, "aim")
    assert caption(game) == f"end 1 of 2, stone {me + 1} of 16"
    while game.phase != "over":
        if game.phase == "aim":
            assert team_of(game.state) == me
            turns.append(caption(game))
            game.tick(now)
            now += 2.0
            game.take_aim(Aim(0.3 * (len(turns) % 8) - 1.0, game.model.law.sheet.tee - 0.4))
        game.press(now)
        now = until(game, "aim", "end", "over", now=now)
    assert len(turns) == len(set(turns)) == 16
    assert len(game.ends) == 2 and game.left == (0, 0)
    assert sum(game.points) > 0 and game.points[0] - game.points[1] == sum(game.ends)
    mine, theirs = game.points[me], game.points[1 - me]
    assert f"{mine} : {theirs} against random" in result(game)
    assert ("you win" in result(game)) == (mine > theirs) and result(game) in message(game)
    kept = game_record(game)
    assert {shot.seconds for shot in kept.shots if shot.team == me} == {2.0}
    record.write(tmp_path / "game.jsonl", kept)
    assert record.read(tmp_path / "game.jsonl") == kept
    assert len(umpire.replay(kept)) == 33 and kept.result.score == game.points
    game.close()


def mixed_game(me=1, ends=1):
    names, of_game = ("random", "you") if me == 1 else ("you", "random"), {"game": "mixed_doubles", "pattern": 2}
    played = Match(players=names, physics="dc4", rule=None, noise="none", ends=ends, seed=5, **of_game)
    return InteractiveGame(played, planners.make("random"), Budget(simulations=10), me)


@pytest.mark.parametrize("me", [0, 1])
def test_a_whole_match_of_mixed_doubles_with_its_set_ups_and_record(me):
    game, turns = mixed_game(me, ends=4), []
    now = until(game, "setup", "aim")
    while game.phase != "over":
        if game.phase == "setup":
            assert caption(game).endswith(", set-up") and game.setup == "center_house" and game.left == (5, 5)
            game.weigh(1)
        elif game.phase == "aim":
            assert team_of(game.state) == me
            turns.append(caption(game))
            game.take_aim(Aim(0.3 * (len(turns) % 8) - 1.0, game.model.law.sheet.tee - 0.4))
        game.press(now)
        now = until(game, "setup", "aim", "end", "over", now=now)
    assert len(turns) == len(set(turns)) == 20 and turns[-1].startswith("end 4 of 4, stone ")
    kept = game_record(game)
    assert len(umpire.replay(kept)) == 41 and kept.result.score == game.points and kept.match.game == "mixed_doubles"
    assert [setup.end for setup in kept.setups] == [0, 1, 2, 3]
    mine = [setup.choice for setup in kept.setups if setup.team == me]
    # the choice after the hammer is a power play, and without one the first of all
    assert mine == ["pp_left", "center_guard", "center_guard", "center_guard"][: len(mine)] and mine
    game.close()


def test_the_set_up_that_is_considered_is_shown_and_the_taken_one_is_told():
    game = mixed_game()
    assert message(game) == "your set-up: the hammer. w for another one, enter to take it"
    seen = []
    for _ in range(4):
        stones = game.view(0.0).stones
        places = stones[2, 0], *stones[10]  # across of the one, and place of the other
        seen.append((game.setup, game.hammer, *(round(float(x), 3) for x in places)))
        game.weigh(1)
    assert seen == [
        ("center_house", 1, 0.0, 0.0, 38.87),
        ("pp_left", 1, -1.073, -1.219, 38.26),
        ("pp_right", 1, 1.073, 1.219, 38.26),
        ("center_guard", 0, 0.0, 0.0, 34.435),
    ]
    game.weigh(-1)
    game.press(0.0)
    assert message(game).startswith("you chose to lead. draw") and caption(game) == "end 1 of 1, stone 1 of 10"
    other = mixed_game(me=0)
    assert message(other).startswith("random chose a power play on the right. draw")
    assert other.setups == [(0, 1, "pp_right")]  # the best one in the last end
    for one in (game, other):
        one.close()


def test_the_same_seed_gives_the_same_game():
    shots = []
    for _ in range(2):
        game = new_game(noise="normal_dist")
        now = until(game, "aim")
        game.press(now)
        until(game, "aim", now=now)
        shots.append([(shot.thrown, shot.stones) for shot in game.shots])
        game.close()
    assert shots[0] == shots[1] and len(shots[0]) == 3


def test_a_protected_guard_goes_back_and_the_message_says_so():
    game = new_game(me=1)
    now, sheet = until(game, "aim"), game.model.law.sheet
    guard = 0.0, sheet.tee - 3.0
    game.state[3:5] = guard
    game.take_aim(Aim(*guard, weight=3))
    game.press(now)
    assert game.flight.outcome.foul
    now = until(game, "think", now=now)
    np.testing.assert_allclose(stones_of(game.state)[0], guard)
    assert message(game).startswith("foul")
    game.close()


def test_a_stone_that_touches_nothing_is_no_foul():
    game = new_game(me=1)
    now, sheet = until(game, "aim"), game.model.law.sheet
    game.state[3:5] = 0.0, sheet.tee - 3.0
    game.take_aim(Aim(1.9, sheet.tee, weight=3))
    game.press(now)
    assert np.isnan(game.flight.outcome.stones[8:]).all() and not game.flight.outcome.foul
    game.close()


@dataclass(frozen=True)
class Curious:
    """Random, and keeps what it was asked to plan with."""

    models: list

    def plan(self, model, state, budget, rng, root_actions=None):
        self.models.append(model)
        return planners.make("random").plan(model, state, budget, rng)


def test_the_planner_looks_to_the_end_of_the_end():
    seen = []
    game = new_game(planner=Curious(seen))
    until(game, "aim")
    assert seen == [game.model.planning()]
    game.close()


@dataclass(frozen=True)
class Sure:
    """Expects that team 0 wins 0.7 of such games."""

    def plan(self, model, state, budget, rng, root_actions=None):
        value = 0.7 * model.player(state, model.params)
        return replace(planners.make("random").plan(model, state, budget, rng), value=value)


@pytest.mark.parametrize("me", [0, 1])
def test_the_planners_expectation_for_team_0_is_on_record(me):
    game = new_game(me=me, planner=Sure())
    now = until(game, "aim")
    game.press(now)
    until(game, "aim", now=now)
    for shot in game.shots:
        assert shot.value == (None if shot.team == me else 0.7)
    game.close()


@dataclass(frozen=True)
class Broken:
    def plan(self, model, state, budget, rng, root_actions=None):
        raise OSError("no brush")


@dataclass(frozen=True)
class Lost:
    def plan(self, model, state, budget, rng, root_actions=None):
        return replace(planners.make("random").plan(model, state, budget, rng), action=np.array([0.0, np.nan, 1.0]))


def test_an_end_whose_last_stone_still_moves_counts_though_the_person_leaves():
    game, now = new_game(me=1), 0.0
    while len(game.shots) < STONES:
        now = until(game, "aim", "flight", now=now)
        game.press(now)
        now += 1.0
    assert game.phase == "flight" and not game.ends
    game.close()
    found = game_record(game)
    assert len(found.ends) == 1 and found.result.score == tuple(game.points)


@pytest.mark.parametrize(("planner", "reason"), [(Broken(), "no brush"), (Lost(), "action=")])
def test_a_planner_that_fails_ends_the_game_with_its_reason(planner, reason):
    game = new_game(planner=planner)
    with pytest.raises(RunError, match=f"random failed at shot 1 of end 1: {reason}"):
        until(game, "aim")
    assert game_record(game).result == record.Result((0, 0), 0, 1.0, "forfeit", "the person left")
    assert game_record(game, "it failed").result == record.Result((0, 0), 1, 0.0, "forfeit", "it failed")
    game.close()


# the picture


def near(pixels, colour):
    """The pixels, [..., 3], that are nearly of a colour, "#rrggbb"."""
    return np.abs(pixels - np.array(tuple(bytes.fromhex(colour[1:])))).max(axis=-1) < 60


def places(sheet, pixels):
    """The (x, y) on the sheet of the pixels of a picture, [height, width, 2]."""
    height, width, _ = pixels.shape
    start, end = extent(sheet)
    x, y = (np.arange(height) + 0.5) / height - 0.5, (np.arange(width) + 0.5) / width
    return np.stack(np.meshgrid(2.0 * sheet.half_width * x, start + (end - start) * y, indexing="ij"), axis=-1)


@pytest.mark.parametrize(("width", "height"), [(240, 120), (80, 40)])
def test_the_picture_shows_stones_where_they_lie(width, height):
    sheet = FCV1.sheet
    stones = np.full((16, 2), np.nan)
    stones[2], stones[9] = (-1.4, sheet.tee + 0.5), (1.5, sheet.hog_line + 1.5)
    pixels = paint_view(View(stones), sheet, width, height)
    for row, team in ((2, 0), (9, 1)):
        found = places(sheet, pixels)[near(pixels, TEAMS[team])]
        apart = np.hypot(*(found - stones[row]).T)
        assert np.hypot(*(found[apart < 0.4].mean(axis=0) - stones[row])) < 0.1


def test_half_blocks_show_two_pixels_a_character():
    pixels = np.zeros((4, 3, 3), np.uint8)
    pixels[1, 2] = 255
    first, second = play_terminal.half_blocks(pixels)
    assert [len(segment.text) for segment in first] == [2, 1] and [len(segment.text) for segment in second] == [3]
    assert first[1].style.bgcolor.triplet == (255, 255, 255) and first[1].style.color.triplet == (0, 0, 0)


# the terminal


class Terminal:
    """`bonspiel play` on a pseudo-terminal."""

    def __init__(self, *arguments, columns=80, lines=24, term="xterm-256color"):
        self.driver, self.port = pty.openpty()
        ioctl(self.port, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.before = termios.tcgetattr(self.port)
        self.screen = pyte.Screen(columns, lines)
        self.stream, self.output = pyte.ByteStream(self.screen), b""
        kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        code = "import sys; from bonspiel.runs.cli import main; sys.exit(main(sys.argv[1:]))"
        line = [sys.executable, "-c", code, "play", "--against", "random", "--milliseconds", "1", "--seed", "3"]
        self.process = subprocess.Popen(
            [*line, *arguments],
            stdin=self.port,
            stdout=self.port,
            stderr=self.port,
            env={**kept, "TERM": term, "COLORTERM": "truecolor"},
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        os.close(self.driver)
        os.close(self.port)

    @property
    def text(self):
        return "\n".join(self.screen.display)

    def read(self, seconds):
        end = time.monotonic() + seconds
        while select.select([self.driver], [], [], max(0.0, end - time.monotonic()))[0] and time.monotonic() < end:
            self.output += (new := os.read(self.driver, 65536))
            self.stream.feed(new)

    def type(self, keys, words):
        """Type the keys, then wait until the words are on the screen."""
        deadline = time.monotonic() + 120.0
        os.write(self.driver, keys)
        while words not in self.text:
            assert time.monotonic() < deadline, self.text
            self.read(0.1)

    def skip(self, words):
        """Throw every stone and skip its way until the words are on the screen.

        A key is typed only when the screen shows the effect of the one before: a key too many would close the game.
        """
        deadline, answered = time.monotonic() + 120.0, None
        while words not in self.text:
            assert time.monotonic() < deadline, self.text
            shown = next((now for now in ("your stone", "random's stone", "the tee") if now in self.text), answered)
            if shown != answered:
                os.write(self.driver, b" ")
                answered = shown
            self.read(0.05)

    def pixel(self, x, y):
        cell = self.screen.buffer[y // 2][x]
        return tuple(bytes.fromhex(cell.fg if y % 2 == 0 else cell.bg))

    def wait(self):
        """Read what is still written, which a process may wait for; the exit status."""
        deadline = time.monotonic() + 120.0
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.text
            self.read(0.05)
        self.read(0.05)
        return self.process.returncode

    def check_left(self, status):
        assert self.wait() == status
        assert termios.tcgetattr(self.port) == self.before
        assert self.output.count(b"\x1b[?1049h") == self.output.count(b"\x1b[?1049l") == 1
        assert self.output.rindex(b"\x1b[?25h") > self.output.rindex(b"\x1b[?25l")


def test_a_whole_end_in_the_terminal(tmp_path):
    file = tmp_path / "game.jsonl"
    with Terminal("--ends", "1", "--record", str(file)) as terminal:
        terminal.type(b"", "draw, out-turn, 0.00 m")
        terminal.type(b"s\x1b[A\x1b[1;2C", "draw, in-turn, 0.05 m left, 0.50 m behind the tee")
        terminal.type(b"w", "control hit, in-turn")
        terminal.type(b"-jH", "draw, in-turn, 0.00 m left, 0.00 m")
        terminal.type(b"?", "Any key returns")
        terminal.type(b"?", "draw, in-turn, 0.00 m")
        terminal.type(b"\r", "your stone")
        terminal.skip("end 1 of 1 is over")
        terminal.read(0.2)
        kept = record.read(file) if file.exists() else None
        assert kept is None  # it is written when the game is left
        shown = terminal.text
        height, width, _ = paint_view(View(np.full((16, 2), np.nan)), FCV1.sheet, 80, 40).shape
        pixels = np.array([[terminal.pixel(x, y + 4) for x in range(width)] for y in range(height)])
        os.write(terminal.driver, b"q")
        terminal.check_left(0)
    kept = record.read(file)
    assert len(umpire.replay(kept)) == 17 and kept.result.score != (0, 0)
    assert f"scores {max(kept.result.score)}. you " in shown and kept.result.reason == "score"
    stones = [(row, place) for row, place in enumerate(kept.shots[-1].stones) if place is not None]
    assert len(stones) > 4
    for row, place in stones:
        around = np.hypot(*np.moveaxis(places(FCV1.sheet, pixels) - place, -1, 0)) < 0.2
        assert near(pixels[around], TEAMS[row // 8]).any()


@pytest.mark.parametrize(
    ("stop", "status"),
    [
        (lambda terminal: os.write(terminal.driver, b"q"), 0),
        (lambda terminal: terminal.process.send_signal(signal.SIGINT), 130),
    ],
)
def test_leaving_in_the_middle_gives_the_terminal_back(tmp_path, stop, status):
    file = tmp_path / "game.jsonl"
    with Terminal("--hammer", "them", "--record", str(file)) as terminal:
        terminal.type(b"", "stone 1 of 16")
        terminal.type(b"\r", "your stone")
        stop(terminal)
        terminal.check_left(status)
        assert (b"you left at 0 : 0 against random (seed 3)" in terminal.output) == (status == 0)
        assert f"record  {file}".encode() in terminal.output
    assert record.read(file).result.reason == "forfeit"


def test_an_end_of_mixed_doubles_in_the_terminal(tmp_path):
    file = tmp_path / "game.jsonl"
    with Terminal("--game", "mixed_doubles", "--pattern", "3", "--ends", "1", "--record", str(file)) as terminal:
        terminal.type(b"", "your set-up: the hammer")
        terminal.type(b"w", "your set-up: a power play on the left")
        terminal.type(b"--", "your set-up: to lead")
        terminal.type(b"w\r", "random's stone")
        terminal.skip("end 1 of 1 is over")
        os.write(terminal.driver, b"q")
        terminal.check_left(0)
    kept = record.read(file)
    assert len(umpire.replay(kept)) == 11 and kept.setups == ((0, 1, "center_house"),)
    assert (kept.match.pattern, kept.match.physics) == (3, "dc4")


@pytest.mark.parametrize(
    ("size", "term", "words"),
    [((79, 24), "xterm", b"79 columns and 24 lines"), ((80, 24), "dumb", b"shows no colours")],
)
def test_a_terminal_that_will_not_do_is_refused_in_a_line(size, term, words):
    with Terminal(columns=size[0], lines=size[1], term=term) as terminal:
        assert terminal.wait() == 2
        assert words in terminal.output.replace(b"\r\n", b" ") and b"--web" in terminal.output


def test_without_a_terminal_it_says_so(refused):
    err = refused("play", "--against", "random")
    assert "not a terminal; --web plays in a browser" in err


def test_a_terminal_that_becomes_too_small_asks_for_more(game):
    console = Console(width=60, height=20, force_terminal=True, file=io.StringIO())
    lines = console.render_lines(play_terminal.Screen(game))
    assert "80 x 24 or larger" in "".join(segment.text for line in lines for segment in line).replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--against", "rndom"), "Did you mean 'random'?"),
        (("--ends", "0"), "ends"),
        (("--noise", "x"), "noise"),
        (("--milliseconds", "0"), "milliseconds"),
        (("--seed", "-1"), "seed"),
        (("--pattern", "1"), "--pattern: only for --game mixed_doubles"),
        (("--game", "mixed_doubles", "--pattern", "6"), "pattern"),
        (("--game", "mixed_doubles", "--physics", "dc2"), "physics"),
    ],
)
def test_what_cannot_be_played_is_refused(refused, arguments, words):
    err = refused("play", "--web", *arguments)
    assert words in err.splitlines()[-1] and "Traceback" not in err


def test_the_window_of_before_names_the_browser(refused):
    err = refused("play", "--window")
    assert "--window is no longer offered; --web plays" in err


@pytest.mark.parametrize(
    ("name", "words"),
    [("no/g.jsonl", "there is no folder no"), (".", "it is a folder"), ("g.jsonl", "exists already; choose another")],
)
def test_a_record_that_cannot_be_kept_is_refused_before_the_game(refused, name, words):
    Path("g.jsonl").write_text("kept")
    err = refused("play", "--against", "random", "--record", name)
    assert words in err
    assert Path("g.jsonl").read_text() == "kept"
