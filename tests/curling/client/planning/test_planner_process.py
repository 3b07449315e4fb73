import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from bonspiel.curling.child_process import PlannerSilent
from bonspiel.curling.client.planning import planner_process, standby
from bonspiel.curling.client.planning.best_so_far import BestSoFar, ShotSoFar
from bonspiel.curling.client.planning.planner_process import PlannerProcess
from bonspiel.curling.client.planning.planner_worker import ShotChoice, _is_clear
from bonspiel.curling.client.planning.worker_process import PlannerRefused
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.setup_value import CHOICES, setup_values
from bonspiel.curling.model import Curling
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.settings import MatchSettings
from bonspiel.planners import Decision
from tests.curling.client.fakes import LATE, TEE, FailingPlanner

ROOT = Path(__file__).parents[4]
SETTINGS = MatchSettings(extra_ends=10, reward="win_probability", rule="five_rock", noise=Noise(0.0076, 0.0018))
START = MatchPosition(no_stones(), shot=0, settings=SETTINGS)
LIMIT = 1.5


async def soon(thinker, situation):
    """A choice as soon as the planner, which may have been started again, makes one."""
    for _ in range(60):
        choice = await thinker.choose(situation, 20.0, 40.0)
        if choice.failure is None:
            return choice
    raise AssertionError(choice.failure)


@pytest.mark.parametrize("planner", ["random", "rulebased"])
async def test_a_planner_in_its_process_chooses_a_shot(planner):
    async with PlannerProcess(planner, seed=1) as thinker:
        assert await thinker.warm_up(START, 0.01) is None
        found = [await thinker.choose(replace(START, shot=shot), 0.05, 60.0) for shot in (0, 1, 15)]
    for choice in found:
        assert choice.failure is None and len(choice.action) == 3
        assert choice.chance is None if planner == "random" else 0.0 <= choice.chance <= 1.0


async def test_the_set_up_is_the_best_one_by_the_table_and_without_the_process_the_hammer(monkeypatch):
    mixed = replace(SETTINGS, ends=2, rule="modified", physics="dc4", game="mixed_doubles", pattern=2)
    position = replace(START, settings=mixed)
    model = Curling(2, game="mixed_doubles", physics="dc4", extra_ends=10, pattern=2)
    values, choices = setup_values(2, 10)
    left, lead, both = 12, 20, 3  # ends, extra ends included; no lead, and both teams have their power plays
    monkeypatch.setattr(planner_process, "SETUP_PATIENCE", 300.0)

    async with PlannerProcess("random", seed=1) as thinker:
        before = replace(position, lead=-3, decider=0, power_plays=(True, False))
        chosen = [await thinker.choose_setup(position), await thinker.choose_setup(before)]
        shot = await thinker.choose(replace(position, shot=6), 0.05, 60.0)
        died(thinker)
        monkeypatch.setattr(planner_process, "SETUP_PATIENCE", 0.0)
        even, behind = chosen
        alone = await thinker.choose_setup(position)
    assert even == (CHOICES[choices[left, both, lead]], pytest.approx(values[left, both, lead]), None)
    assert behind == (CHOICES[choices[left, 2, lead - 3]], pytest.approx(values[left, 2, lead - 3]), None)
    known = replace(position, settings=replace(mixed, noise="normal_dist"))
    assert shot.failure is None and known.model() == model.planning()
    assert alone.name == "center_house" and alone.chance is None and "not ready" in alone.failure


async def test_the_chance_is_the_own_team_s():
    board = no_stones()
    board[0] = 0.0, 38.405
    last = replace(START, stones=board, shot=15, hammer=0, lead=3)

    async with PlannerProcess("rulebased", seed=1) as thinker:
        assert await thinker.warm_up(START, 0.01) is None
        winner = (await thinker.choose(last, 0.05, 60.0)).chance
        loser = (await thinker.choose(replace(last, hammer=1, lead=9), 0.05, 60.0)).chance
    assert (winner, loser) == pytest.approx((1.0, 0.0), abs=0.001)


async def test_the_user_reads_that_the_champion_has_the_network_of_another_game(capfd):
    position = replace(START, settings=replace(SETTINGS, rule="four_rock"), shot=14)

    async with PlannerProcess("champion:threads=1", seed=1) as thinker:
        assert await thinker.warm_up(position, 0.05) is None
        assert (await thinker.choose(position, 0.05, 60.0)).failure is None
    assert capfd.readouterr().err.count("champion plays with the network of another game: rule='four_rock'") == 1


async def test_faults_cost_a_better_shot_and_not_the_planner(capfd):
    faults = ((1, "raises"), (2, "nan"), (3, "hard"), (4, "complex"), (5, "nothing"), (6, "prints"))
    expected = {
        1: "ZeroDivisionError: no shot in two lines",
        2: "must be within",
        3: "must be within",
        4: "must be a vector of 3 real numbers",
        5: "must be a planners.Decision",
    }

    async with PlannerProcess(FailingPlanner(faults)) as thinker:
        assert await thinker.warm_up(START, 0.01) is None
        process = thinker._process.pid
        for shot in range(7):
            choice = await thinker.choose(replace(START, shot=shot), 0.1, 60.0)
            if shot in expected:
                assert expected[shot] in choice.failure and "\n" not in choice.failure
                assert choice.action != TEE and choice.chance is None and choice.simulations > 0
            else:
                assert choice.action == pytest.approx(TEE)
        assert thinker._process.pid == process
    # standard output may be a server's connection
    assert tuple(capfd.readouterr()) == ("", "something\n")


@pytest.mark.parametrize("fault", ["exits", "quits", "hangs"])
async def test_a_crash_or_a_hang_is_over_in_time_and_the_planner_comes_back(fault, capfd):
    faulty, well = replace(START, shot=3), replace(START, shot=4)

    async with PlannerProcess(FailingPlanner(((3, fault),)), grace=0.5) as thinker:
        assert await thinker.warm_up(START, 0.01) is None
        first = thinker._process.pid
        start = time.monotonic()
        choice = await thinker.choose(faulty, 1.0, LIMIT)
        assert choice.action != TEE and len(choice.action) == 3 and choice.failure  # the first answer
        assert time.monotonic() - start < LIMIT + 60.0
        # perhaps too soon for another planner
        early = await thinker.choose(well, 0.01, 0.02)
        assert len(early.action) == 3
        assert (await soon(thinker, well)).action == pytest.approx(TEE)
        assert thinker._process.pid != first
        process = thinker._process
    with pytest.raises(ValueError, match="closed"):
        process.is_alive()
    assert "Traceback" not in capfd.readouterr().err


async def test_a_planner_that_is_late_throws_its_best_shot_so_far_and_is_not_started_again():
    async with PlannerProcess(FailingPlanner(((3, "late"),)), grace=60.0) as thinker:
        assert await thinker.warm_up(START, 0.01) is None
        process = thinker._process.pid
        choice = await thinker.choose(replace(START, shot=3), 0.1, LATE / 2.0)
        assert choice.action != TEE and len(choice.action) == 3 and "no answer" in choice.failure
        assert choice.simulations > 0
        assert (await soon(thinker, replace(START, shot=4))).action == pytest.approx(TEE)
        assert thinker._process.pid == process


def test_a_search_that_is_late_throws_what_it_has_found():
    """Its search knows more than the first answer, and estimates the probability to win."""

    async def ask(limit):
        async with PlannerProcess("abstraction", seed=1, grace=60.0) as thinker:
            assert await thinker.warm_up(START, 0.1) is None
            return await thinker.choose(START, 60.0, limit), await thinker.choose(START, 0.0, LIMIT)

    for limit in (0.5, 4.0, 16.0):  # other programs may take most of the first
        late, early = asyncio.run(ask(limit))
        if late.simulations > 100:
            break
    assert "no answer" in late.failure and late.simulations > 100
    assert len(late.action) == 3 and 0.1 < late.chance < 0.6
    assert len(early.action) == 3 and early.is_own and "not ready" in early.failure


def died(thinker):
    """Kill the planner's process, and wait until it is gone."""
    process = thinker._process
    os.kill(process.pid, signal.SIGKILL)
    process.join(120.0)
    assert process.exitcode == -signal.SIGKILL


async def test_a_process_that_dies_in_the_opponent_s_turn_costs_nothing(capfd):
    async with PlannerProcess(FailingPlanner(())) as thinker:
        assert await thinker.warm_up(START, 0.01) is None
        first = thinker._process.pid
        died(thinker)
        choice = await thinker.choose(replace(START, shot=2), 100.0, 600.0)
        assert choice.action == pytest.approx(TEE) and choice.failure is None and choice.seconds < 100.0
        assert thinker._process.pid != first
    told = [line for line in capfd.readouterr().err.splitlines() if "compiling" not in line]
    assert told == ["bonspiel client: the planner's process ended (exit code -9); another one takes over"]


async def test_the_process_that_waits_says_nothing_twice(capfd):
    """It plans to load its code, as the first one did twice."""

    async with PlannerProcess(FailingPlanner(((0, "prints"),))) as thinker:
        assert await thinker.warm_up(START, 0.01) is None
        died(thinker)
        assert (await thinker.choose(START, 100.0, 600.0)).action == pytest.approx(TEE)
    out, err = capfd.readouterr()
    assert (out, err.count("something\n")) == ("", 3)


class FakeWorker:
    """Stands for a `WorkerProcess`: by the order in which they are made, some cannot start or are never ready."""

    made: ClassVar[list["FakeWorker"]] = []
    hanging: ClassVar[set[int]] = set()
    unstartable: ClassVar[set[int]] = set()

    def __init__(self, planner, seed):
        number = len(self.made)
        self.hangs, self.is_alive, self.killed = number in self.hanging, True, False
        self.is_waited_for, self.end, self.process = False, "it ended", None
        self.made.append(self)
        if number in self.unstartable:
            raise BlockingIOError("no more processes")

    async def ready(self, limit):
        if self.hangs:
            await asyncio.Event().wait()

    async def ask(self, position, seconds, limit, is_quiet=False):
        return ShotChoice(TEE)

    def kill(self):
        self.is_alive, self.killed = False, True


@pytest.fixture
def fake_workers(monkeypatch):
    monkeypatch.setattr(FakeWorker, "made", [])
    for module in (planner_process, standby):
        monkeypatch.setattr(module, "WorkerProcess", FakeWorker)
    monkeypatch.setattr(standby, "PAUSE", 0.01)
    return FakeWorker.made


async def test_a_restart_that_hangs_is_ended_and_tried_again_in_the_opponent_s_turn(fake_workers, monkeypatch):
    monkeypatch.setattr(FakeWorker, "hanging", {1, 2})
    monkeypatch.setattr(FakeWorker, "unstartable", {3})

    async with asyncio.timeout(300.0), PlannerProcess("presearch", restart=0.05) as thinker:
        await thinker.warm_up(START, 0.01)
        fake_workers[0].is_alive = False
        while len(fake_workers) < 5 or thinker._worker is not fake_workers[4]:  # nobody asks
            await asyncio.sleep(0.01)
        assert await thinker.choose(START, 1.0, 600.0) == ShotChoice(TEE, seconds=pytest.approx(0.0, abs=60.0))
    assert [worker.killed for worker in fake_workers[:3]] == [True] * 3


async def test_a_first_process_that_does_not_get_ready_leaves_another_as_much_time(fake_workers, monkeypatch):
    """It may have compiled all the time: one that is ended earlier would never come to an end of that."""

    async def never(self, *_):
        raise PlannerSilent("no answer")

    monkeypatch.setattr(FakeWorker, "ask", never)

    async with PlannerProcess("presearch", patience=50.0, restart=0.05) as thinker:
        assert await thinker.warm_up(START, 0.01) == "no answer"
        assert thinker._standby.limit == 50.0 and fake_workers[0].killed


async def test_the_process_that_waits_starts_while_the_first_one_plans(fake_workers, monkeypatch):
    async def plan(self, position, seconds, limit, is_quiet=False):
        while seconds > standby.LOADING_SECONDS and len(fake_workers) < 2:
            await asyncio.sleep(0.01)
        return ShotChoice(TEE)

    monkeypatch.setattr(FakeWorker, "ask", plan)

    async with asyncio.timeout(60.0), PlannerProcess("presearch") as thinker:
        assert await thinker.warm_up(START, 3.0) is None


async def test_no_shot_is_blind_while_no_process_is_ready(fake_workers, monkeypatch):
    """The opponent's stone on the tee must go: the client itself finds a rule-based shot."""
    monkeypatch.setattr(FakeWorker, "hanging", set(range(1, 1000)))
    behind = replace(START, stones=shot_stone(), shot=15, hammer=0)

    async with PlannerProcess("presearch", restart=0.05) as thinker:
        await thinker.warm_up(START, 0.01)
        fake_workers[0].is_alive = False
        choice = await thinker.choose(behind, 0.1, 0.2)
    assert choice.is_own and choice.failure == "the planner is not ready again" and choice.chance is None
    assert choice.action[1] > 2.45 and choice.simulations > 0


async def test_the_process_that_waits_is_replaced_when_it_dies(fake_workers):
    async with asyncio.timeout(300.0), PlannerProcess("presearch") as thinker:
        await thinker.warm_up(START, 0.01)
        fake_workers[1].is_alive = False
        while len(fake_workers) < 3:
            await asyncio.sleep(0.01)
        assert thinker._worker is fake_workers[0]
    assert all(worker.killed for worker in fake_workers) and len(fake_workers) == 3


def shot_stone():
    board = no_stones()
    board[8] = 0.0, 38.405
    return board


async def test_the_best_of_a_few_candidates_is_there_in_5_ms():
    async with PlannerProcess("presearch", seed=1) as thinker:
        assert await thinker.warm_up(START, 0.1) is None
        choices = []
        while not choices or (choices[-1].seconds >= 0.005 and len(choices) < 500):
            choices.append(await thinker.choose(replace(START, settings=replace(SETTINGS, ends=10)), 0.0, 60.0))
        behind = replace(START, stones=shot_stone(), shot=15, hammer=0)
        hit = await thinker.choose(behind, 0.0, 60.0)
    assert all(choice.failure is None and choice.chance is None and choice.simulations > 5 for choice in choices)
    assert min(choice.seconds for choice in choices) < 0.005
    assert hit.action[1] > 2.45  # the opponent's stone on the tee is taken out


@pytest.mark.parametrize(
    ("visits", "seconds", "left", "clear"),
    [
        ([90, 10], 1.0, 1.0, True),  # 80 more, of 100 to come
        ([70, 30], 1.0, 1.0, False),
        ([70, 30], 1.0, 0.7, True),
        ([100], 1.0, 1.5, True),
        ([50, 50], 1.0, 0.1, False),
        ([0, 60, 40], 1.0, 0.0, True),
    ],
)
def test_a_search_is_clear_when_the_rest_would_hardly_change_it(visits, seconds, left, clear):
    visits = np.array(visits)
    nothing = np.zeros((len(visits), 3))
    decision = Decision(nothing[0], 0.5, int(visits.sum()), seconds, nothing, visits, nothing[:, 0])
    assert _is_clear(decision, left) == clear


async def test_what_is_clear_is_thrown_at_once_but_for_the_last_stone():
    """A stone must be taken out; nothing that is saved at the last stone of a match is of use."""
    board = no_stones()
    board[8] = 0.0, 38.405
    out = replace(START, stones=board, shot=15, hammer=0, lead=-1, settings=replace(SETTINGS, ends=2))

    async with PlannerProcess("abstraction", seed=1) as thinker:
        assert await thinker.warm_up(START, 0.1) is None
        for seconds in (1.0, 4.0, 16.0):  # other programs may take most of the first
            first = await thinker.choose(out, seconds, 600.0)
            if first.seconds < 0.95 * seconds:
                break
        last = await thinker.choose(replace(out, settings=SETTINGS), 1.0, 600.0)
    assert first.failure is None and first.seconds < 0.95 * seconds and first.simulations > 1_000
    assert last.failure is None and last.seconds > 0.95


def test_the_best_so_far_is_of_one_move_and_whole():
    best = BestSoFar(multiprocessing.get_context("spawn"))
    assert best.read(0) is None and best.read(1) is None
    shot = ShotSoFar(0.1, 2.4, -1.0, 0.25, 1e6)
    best.publish(7, shot)
    assert best.read(7) == shot and best.read(6) is None and best.read(8) is None
    best.publish(7, shot._replace(chance=0.5))
    assert best.read(7).chance == 0.5
    for at in range(len(best._memory.raw)):
        kept = best._memory.raw
        best._memory[at] = bytes([kept[at] ^ 1])  # as if half of it were of another shot
        assert best.read(7) is None
        best._memory.raw = kept
    assert best.read(7) is not None


def test_a_planner_that_fails_when_it_is_warmed_up_says_so():
    async def ask(fault):
        async with PlannerProcess(FailingPlanner(((0, fault),))) as thinker:
            return await thinker.warm_up(START, 0.01)

    assert "ZeroDivisionError" in asyncio.run(ask("raises"))
    assert "exit code 7" in asyncio.run(ask("exits"))


async def test_a_text_that_names_no_planner_is_refused():
    with pytest.raises(PlannerRefused, match="Did you mean 'presearch'"):
        async with PlannerProcess("presaerch"):
            raise AssertionError("it was taken")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_the_planner_dies_with_its_client_even_in_an_endless_loop():
    code = """
import asyncio
from bonspiel.curling.client.planning.planner_process import PlannerProcess
from tests.curling.client.fakes import FailingPlanner
from tests.curling.client.planning.test_planner_process import START
async def ask():
    async with PlannerProcess(FailingPlanner(((0, "hangs"),))) as thinker:
        print("started", flush=True)
        await thinker.choose(START, 600.0, 600.0)
if __name__ == "__main__":
    asyncio.run(ask())
"""
    client = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert client.stdout.readline() == b"started\n"
    time.sleep(0.5)
    client.send_signal(signal.SIGKILL)
    # its standard error is closed when nobody is left who has it
    client.communicate(timeout=120.0)
