"""Programs as players: what they are asked, what they may answer, and that none is left behind."""

import json
import os
import pickle
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.curling import players
from bonspiel.curling.client.planning.planner_process import PlannerProcess
from bonspiel.curling.ice.noise import Noise, Thrower, noise_of
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.mixed_doubles import mixed_state_of
from bonspiel.curling.match.state import TIME, state_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players import process, serve
from bonspiel.curling.players.process import ProcessPlayer
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.settings import MatchSettings
from bonspiel.planners import Budget, line_process
from bonspiel.planners.line_process import LineProcess, ProcessFailure
from tests.planners.processes import is_gone, wait_until_gone

PROGRAM = """
import json, os, subprocess, sys, time

def say(answer):
    print(json.dumps(answer), flush=True)

HELLO = {{"type": "hello", "protocol": 1}}
SHOT = {{"type": "shot", "vx": 0.1, "vy": 2.4, "rotation": -1}}
with open("pids", "a") as pids:
    print(os.getpid(), file=pids)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        {hello}
    else:
        {answer}
"""
MODEL = Curling(ends=2).planning()
PLAYERS = (
    (Thrower(4.0, Noise(0.01, 0.001)), Thrower(3.0, Noise(0.02, 0.001))),
    (Thrower(3.5, Noise(0.03, 0.001)), Thrower(2.5, Noise(0.04, 0.001))),
)


@pytest.fixture
def player(tmp_path, monkeypatch):
    """A player whose program does this when it is greeted and when it is asked."""
    monkeypatch.chdir(tmp_path)

    def make(answer="say(SHOT)", hello="say(HELLO)"):
        Path("program.py").write_text(PROGRAM.format(answer=answer, hello=hello))
        return ProcessPlayer(f"{sys.executable} -IS program.py")

    return make


def pids():
    return [int(line) for line in Path("pids").read_text().split()]


def wait_for_a_line(player):
    """Until something comes that was not asked for, or the output ends."""
    deadline = time.monotonic() + 60.0
    while player._program._process._lines.empty():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def plan(player, budget=Budget(1), state=None, model=MODEL, seed=0):  # noqa: B008 - it is frozen
    return player.plan(
        model, model.initial_state(None) if state is None else state, budget, np.random.default_rng(seed)
    )


def test_a_position_is_told_in_plain_numbers(player):
    stones = no_stones()
    stones[0], stones[8] = (0.25, 38.5), (-1.0, 37.0)
    model = Curling(ends=3, extra_ends=2, tie=0.75, max_speed=3.5, rule="no_tick").planning()
    asks = player("open('asked', 'a').write(line); say(SHOT)")
    plan(asks, Budget(seconds=0.25), state_of(stones, 2, hammer=0, end=1, lead=-2), model, seed=7)
    plan(asks, Budget(20))
    first, other = (json.loads(line) for line in Path("asked").read_text().splitlines())
    assert first == {
        "type": "position",
        "stones": [[0.25, 38.5], *[None] * 7, [-1.0, 37.0], *[None] * 7],
        "shot": 2,
        "team": 1,
        "hammer": 0,
        "lead": -2,
        "end": 1,
        "ends": 3,
        "extra_ends": 2,
        "reward": "win_probability",
        "tie": 0.75,
        "physics": "fcv1",
        "rule": "no_tick",
        "noise": {"speed": 0.0076, "angle": 0.0018, "vx": 0.0, "vy": 0.0},
        "max_speed": 3.5,
        "budget": {"seconds": 0.25},
        "seed": int(np.random.default_rng(7).integers(2**53)),
    }
    assert other["budget"] == {"simulations": 20} and other["max_speed"] == 4.0
    assert len(pids()) == 1


def test_a_position_tells_the_freedom_of_errors_that_are_not_gaussian():
    human, gaussian = Thrower(4.0, noise_of("human")), Thrower(3.0, noise_of("normal_dist"))
    pair = human, gaussian
    model = Curling(ends=2, game="mixed_doubles", physics="dc4", throwers=(pair, pair))
    told = process.position(model, mixed_state_of(no_stones(), 6), Budget(1), 0)
    noises = [one["noise"] for one in told["mixed_doubles"]["throwers"][0]]
    assert [noise.get("freedom") for noise in noises] == [3.0, None]
    assert MatchPosition.from_json(json.loads(json.dumps(told))).settings.throwers == (pair, pair)


def test_a_position_of_mixed_doubles_tells_what_is_set_up(player):
    """Team 0 took the hammer in a power play to the right; team 1 throws first, its first player."""
    asks = player("open('asked', 'a').write(line); say(SHOT)")
    for throwers in (PLAYERS, None):
        model = Curling(ends=2, game="mixed_doubles", physics="dc4", pattern=3, throwers=throwers).planning()
        state = model.begin_end(mixed_state_of(no_stones(), 0, decider=0, power_plays=(True, False)), "pp_right")
        plan(asks, state=state, model=model)
    told, alike = (json.loads(line) for line in Path("asked").read_text().splitlines())
    placed = {row: place for row, place in enumerate(told["stones"]) if place is not None}
    assert placed == {2: [1.219, 38.26], 10: [1.067, 34.145]}
    assert (told["shot"], told["team"], told["hammer"], told["rule"]) == (6, 1, 0, "modified")
    numbers = [
        [(one["max_speed"], one["noise"]["speed"]) for one in pair] for pair in told["mixed_doubles"]["throwers"]
    ]
    assert numbers == [[(4.0, 0.01), (3.0, 0.02)], [(3.5, 0.03), (2.5, 0.04)]]
    assert (told["max_speed"], told["noise"]) == (3.5, {"speed": 0.03, "angle": 0.001, "vx": 0.0, "vy": 0.0})
    assert alike["mixed_doubles"] == {"pattern": 3, "decider": 0, "power_plays": [False, False], "throwers": None}
    assert alike["max_speed"] == 4.0


@pytest.mark.parametrize(
    ("model", "shot", "told", "value"),
    [
        (MODEL, 0, 0.25, 0.25),
        (MODEL, 1, 0.25, -0.75),
        (Curling(), 1, 1.5, 1.5),
        (Curling(reward="win", velocity_unit="box"), 0, None, None),
    ],
)
def test_an_answer_is_a_decision(player, model, shot, told, value):
    """Team 0 throws first; the returns of team 1, which are those of team 0 with the other sign, are below 0."""
    answer = "null" if told is None else told
    made = player(f"say(SHOT | {{'simulations': 9, 'value': json.loads('{answer}')}})")
    decision = plan(made, state=state_of(no_stones(), shot), model=model)
    np.testing.assert_allclose(decision.action, model.aim(0.1, 2.4, -1.0))
    assert decision.value == value if value is not None else np.isnan(decision.value)
    assert (decision.simulations, decision.visits.tolist(), decision.actions.shape) == (9, [9], (1, 3))


def test_the_time_is_the_program_s_own_if_it_accounts_for_all_of_it(player, monkeypatch):
    assert plan(player("time.sleep(0.05); say(SHOT | {'seconds': 0.001})")).seconds >= 0.05
    assert 0.0 < plan(player("say(SHOT | {'seconds': 900.0})")).seconds < 500.0
    assert plan(player("time.sleep(0.05); say(SHOT)")).seconds >= 0.05
    monkeypatch.setattr(process, "PIPE", 9.0)  # on a busy machine
    assert plan(player("time.sleep(0.05); say(SHOT | {'seconds': 0.001})")).seconds == 0.001


FAULTS = {
    "sys.exit(3)": r"ended \(exit status 3\)",
    "os.abort()": r"ended \(signal 6\)",
    "os.close(1); time.sleep(9)": "closed its output",
    "time.sleep(9)": r"no answer within 0\.2\d* s.*flush",
    "print('thinking', flush=True)": "answered 'thinking': JSON is malformed",
}


@pytest.mark.parametrize("answer", FAULTS)
def test_a_fault_is_one_line_and_ends_the_program_which_then_starts_again(player, monkeypatch, answer):
    faulty = player(f"{answer} if len(open('pids').readlines()) == 1 else say(SHOT)".replace("; ", " or "))
    with monkeypatch.context() as patched, pytest.raises((ProcessFailure, ValueError), match=FAULTS[answer]) as raised:
        if "no answer" in FAULTS[answer]:
            patched.setattr(process, "GRACE", 0.1)
        plan(faulty)
    assert "\n" not in str(raised.value)
    assert is_gone(pids()[0])
    assert plan(faulty).action[0] == 0.1
    assert len(pids()) == 2


SHOT = {"type": "shot", "vx": 0.1, "vy": 2.4, "rotation": -1}
WRONG = [
    ("[" * 100_000, r"answered '\[+\.\.\.'"),
    ("", "answered ''"),
    (None, "answered 'null'"),
    ({"type": "hello", "protocol": 1}, "not of the type 'shot'"),
    ({"type": "shot", "vx": 0.1, "vy": 2.4}, "missing required field `rotation`"),
    (SHOT | {"sims": 3}, "unknown field `sims`"),
    (SHOT | {"vx": "0.1"}, r"`float`.*vx"),
    (SHOT | {"vx": np.nan}, "malformed"),
    (SHOT | {"vx": 0.5}, "action=.*within"),
    (SHOT | {"rotation": 0}, "rotation=0.0.*1 or -1"),
    (SHOT | {"value": 1.5}, "value=1.5.*0 to 1"),
    (SHOT | {"simulations": -1}, "simulations"),
    ({"type": "error", "message": "no\n idea"}, "failed: no idea"),
]


@pytest.mark.parametrize(("answer", "problem"), WRONG)
def test_a_wrong_answer_is_told_in_one_line(player, monkeypatch, answer, problem):
    line = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
    process_of_it = SimpleNamespace(ask=lambda question, limit: line)
    monkeypatch.setattr(ProcessPlayer, "_program", SimpleNamespace(running=lambda: nullcontext(process_of_it)))
    with pytest.raises((ProcessFailure, ValueError), match=problem) as raised:
        plan(player())
    assert "\n" not in str(raised.value)


def test_a_second_line_is_not_taken_for_the_next_answer(player):
    chatty = player("print(json.dumps(SHOT) + '\\n' + json.dumps(SHOT), flush=True)")
    plan(chatty)
    wait_for_a_line(chatty)
    with pytest.raises(ProcessFailure, match="unasked"):
        plan(chatty)


def test_a_program_that_writes_without_end_does_not_fill_the_memory(player):
    """It writes while it is not asked, has to wait, and forfeits at the next question."""
    plan(flooding := player("say(SHOT); exec('while True: sys.stdout.write(80 * chr(120) + chr(10))')"))
    wait_for_a_line(flooding)
    lines, size = flooding._program._process._lines, -1
    while size < lines.qsize():  # until no more come
        size = lines.qsize()
        time.sleep(0.2)
    assert 0 < size <= line_process.MOST_LINES
    ending = threading.active_count()
    with pytest.raises(ProcessFailure, match="unasked"):
        plan(flooding)
    assert is_gone(pids()[0]) and threading.active_count() == ending - 1  # nobody reads any more


def test_a_program_that_ends_between_two_questions_is_told(player):
    ends = player("say(SHOT); sys.exit(4)")
    plan(ends)
    wait_for_a_line(ends)
    with pytest.raises(ProcessFailure, match=r"ended \(exit status 4\)"):
        plan(ends)


@pytest.mark.parametrize(
    ("hello", "problem"),
    [
        ("say(HELLO | {'protocol': 2})", "speaks protocol 2"),
        ("say(HELLO | {'protocol': 0})", "speaks protocol 0"),
        ("say(SHOT)", "not of the type 'hello'"),
        ("sys.exit(1)", "exit status 1"),
    ],
)
def test_a_program_must_speak_this_protocol(player, hello, problem):
    with pytest.raises(ProcessFailure, match=problem):
        plan(player(hello=hello))
    assert is_gone(pids()[0])


def test_a_program_that_hangs_at_the_start_is_waited_for_once_and_the_person_is_told(player, monkeypatch, capfd):
    monkeypatch.setattr(process, "PATIENCE", 0.3)
    monkeypatch.setattr(process, "SILENCE", 0.01)
    hangs = player(hello="time.sleep(100)")
    with pytest.raises(ProcessFailure, match=r"no answer within 0\.3 s"):
        plan(hangs)
    assert "has not answered the greeting yet; after 0.3 s its games are lost" in capfd.readouterr().err
    monkeypatch.setattr(process, "PATIENCE", 1000.0)
    with pytest.raises(ProcessFailure, match=r"no answer within 0\.3 s"):
        plan(hangs)


def test_a_program_that_hangs_forfeits_ten_seconds_after_its_budget(player, monkeypatch):
    limits = []
    monkeypatch.setattr(LineProcess, "ask", lambda self, line, limit: limits.append(limit) or b'{"type": "hello"}')
    for budget in (Budget(seconds=0.02), Budget(5)):
        with pytest.raises(ProcessFailure):
            plan(player(), budget)
    monkeypatch.setattr(
        LineProcess, "ask", lambda self, line, limit: limits.append(limit) or b'{"type": "hello", "protocol": 1}'
    )
    for budget in (Budget(seconds=0.02), Budget(5)):
        with pytest.raises(ProcessFailure):
            plan(player(), budget)
    assert limits == [300.0, 300.0, 300.0, 10.02, 300.0, 10.5]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("process", "command=''"),
        ("process:", "command=''"),
        ("process:  ", "program"),
        ("process:no-such-program --fast", "'no-such-program' is no program that can be found"),
        ("process:/etc/passwd", "is no program"),
        ("process:sh -c 'exit", "quot"),
    ],
)
def test_a_command_that_cannot_be_started_is_refused_before_play(text, problem):
    with pytest.raises(ValueError, match=problem) as raised:
        players.parse(text)
    assert "\n" not in str(raised.value)


def test_a_program_without_an_interpreter_cannot_be_started(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o700)
    with pytest.raises(ProcessFailure, match="cannot be started"):
        plan(ProcessPlayer(str(program)))


@pytest.mark.parametrize("command", ["sh -c 'a=1,b=2; x:y (' z", "sh a=1", "sh (x", "sh none", "sh x:y=1,z"])
def test_a_command_is_written_as_it_is(command):
    made = players.parse(f"process:{command}")
    assert made.command == command
    assert planners.REGISTRY.text(made) == f"process:{command}"
    assert list(planners.REGISTRY.modules(f"process:{command}")) == []


def test_within_another_planner_a_command_stands_in_parentheses():
    assert players.parse("root:inner=(process:sh a:b=1),workers=2").inner == ProcessPlayer("sh a:b=1")


def test_other_models_and_root_actions_are_refused(player):
    from bonspiel import envs

    made = player()
    assert planners.unsupported(made, envs.Trap()) == "curling only"
    with pytest.raises(ValueError, match="root_actions"):
        made.plan(MODEL, MODEL.initial_state(None), Budget(1), np.random.default_rng(0), np.array([[0.1, 2.4, 1.0]]))
    with pytest.raises(ValueError, match="over"):
        plan(made, state=state_of(no_stones(), 0, end=2, lead=1))
    assert not Path("pids").exists(), "nothing is started for it"


def test_a_copy_starts_a_program_of_its_own(player):
    made = player()
    plan(made)
    other = pickle.loads(pickle.dumps(made))
    assert other == made
    plan(other)
    assert len(set(pids())) == 2


def test_the_program_ends_with_its_player(player):
    made = player()
    plan(made)
    assert not is_gone(pids()[0])
    del made
    assert is_gone(pids()[0])


async def test_the_client_of_servers_takes_it(player):
    made = player()
    first = MatchPosition(no_stones(), 0, settings=MatchSettings(reward="win_probability"))

    async with PlannerProcess(f"process:{made.command}") as planner:
        assert await planner.warm_up(first, 0.01) is None
        assert len(pids()) == 1  # the process that waits starts no program of the user's
        choice = await planner.choose(first, 1.0, 60.0)
    assert choice.failure is None and choice.action == (0.1, 2.4, -1.0)
    wait_until_gone(pids()[0])  # its worker is killed


def test_remarks_of_the_program_are_passed_on(player, capfd):
    plan(player("print('a remark', file=sys.stderr, flush=True); say(SHOT)"))
    assert capfd.readouterr() == ("", "a remark\n")


@pytest.fixture(scope="module")
def rulebased():
    return ProcessPlayer(f"{sys.executable} {serve.__file__} rulebased:simulations=3")


@pytest.mark.parametrize("shot", [6, 7])
@pytest.mark.parametrize("model", [MODEL, Curling(physics="dc2", noise="gat", rule="none", extra_ends=1)])
def test_serve_answers_what_the_planner_decides(rulebased, model, shot):
    stones = no_stones()
    stones[[0, 1, 8]] = [(0.3, 36.5), (-0.5, 35.0), (0.1, 35.5)]
    state = state_of(stones, shot, hammer=1, lead=1 if model is MODEL else 0, end=1 if model is MODEL else 0)
    served = plan(rulebased, state=state, model=model, seed=5)
    seed = int(np.random.default_rng(5).integers(process.SEEDS))
    own = plan(players.parse("rulebased:simulations=3"), state=state, model=model, seed=seed)
    np.testing.assert_array_equal(served.action, own.action)
    assert served.value == pytest.approx(own.value, abs=1e-12)
    assert served.simulations == own.simulations
    assert 0.0 < served.seconds


@pytest.mark.parametrize("throwers", [None, PLAYERS])
def test_serve_plays_mixed_doubles(rulebased, throwers):
    model = Curling(ends=2, game="mixed_doubles", physics="dc4", pattern=3, throwers=throwers).planning()
    state = model.begin_end(mixed_state_of(no_stones(), 0, decider=0, power_plays=(True, False)), "pp_left")
    state[TIME] = 7
    told = json.loads(json.dumps(process.position(model, state, Budget(1), 0)))
    played, position = serve.position(told)
    assert played.params.tolist() == model.params.tolist()
    np.testing.assert_array_equal(position, state)
    served = plan(rulebased, state=state, model=model, seed=5)
    seed = int(np.random.default_rng(5).integers(process.SEEDS))
    own = plan(players.parse("rulebased:simulations=3"), state=state, model=model, seed=seed)
    np.testing.assert_array_equal(served.action, own.action)


def test_serve_tells_what_is_wrong_and_goes_on(capfd):
    with pytest.raises(ProcessFailure, match="failed: ValueError: unknown planner 'nobody'"):
        plan(ProcessPlayer(f"{sys.executable} {serve.__file__} nobody"))
    with pytest.raises(ProcessFailure, match="exit status 2"):
        plan(ProcessPlayer(f"{sys.executable} {serve.__file__}"))
    assert "usage: " in capfd.readouterr().err
    line = LineProcess([sys.executable, serve.__file__, "random"])
    assert json.loads(line.ask(b'{"type": "hello", "protocol": 1}', 60.0)) == {
        "type": "hello",
        "protocol": serve.PROTOCOL,
    }
    for question in (b"thinking", b"{}", b'{"type": "position"}'):
        assert json.loads(line.ask(question, 60.0))["type"] == "error"
    line.end()


def test_both_sides_speak_the_same_protocol():
    assert serve.PROTOCOL == process.PROTOCOL


def test_keys_of_the_terminal_do_not_reach_the_program(player):
    made = player()
    plan(made)
    assert os.getsid(pids()[0]) == pids()[0] != os.getsid(0)


OLD = {  # modules of a version without `curling.records.position`, as far as they are used
    "curling/players.py": """
import types, numpy
class Planner:
    def plan(self, model, state, budget, rng):
        aim = numpy.array([model.ends, state["lead"], -1.0])
        return types.SimpleNamespace(action=aim, value=0.25, simulations=budget.simulations)
def parse(text):
    return Planner()
""",
    "curling/model.py": """
class Curling:
    def __init__(self, ends=1, **others):
        self.ends = ends
    def planning(self):
        return self
    def initial_state(self, rng):
        return {"lead": 0}
""",
    "curling/noise.py": "class Noise:\n    def __init__(self, speed, angle, vx, vy): pass",
    "curling/state.py": "def state_of(stones, shot, hammer, end, lead): return {'lead': lead}",
    "planners.py": """
class Budget:
    def __init__(self, simulations=0, seconds=None):
        self.simulations, self.seconds = simulations, seconds
""",
}


@pytest.mark.parametrize("folder", ["", "bonspiel"])
def test_serve_plays_versions_whose_modules_have_other_places(tmp_path, folder):
    """As in version 0.1, where the packages were top-level, and as later, when curling had no folders."""
    (tmp_path / folder / "curling").mkdir(parents=True)
    for name, text in OLD.items():
        (tmp_path / folder / name).write_text(text)
    if not folder:
        (tmp_path / "bonspiel.py").touch()  # not the package of today
    line = LineProcess(["env", f"PYTHONPATH={tmp_path}", sys.executable, serve.__file__, "any"])
    assert json.loads(line.ask(b'{"type": "hello", "protocol": 1}', 60.0))["type"] == "hello"
    asked = process.position(Curling(5), state_of(no_stones(), 3, end=1, lead=2), Budget(7), 0)
    answer = json.loads(line.ask(json.dumps(asked).encode(), 60.0))
    assert (answer["vx"], answer["vy"], answer["rotation"], answer["simulations"]) == (5.0, 2.0, -1, 7)
    answer = json.loads(line.ask(json.dumps(asked | {"mixed_doubles": {}}).encode(), 60.0))
    assert "standard games only" in answer["message"]
    line.end()
