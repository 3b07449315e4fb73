import asyncio
import json
import math
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

pytest.importorskip("dc4client", reason="dc4client is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.client import dc4, dc4_connection
from bonspiel.curling.client.dc4_connection import Account, ServerRefused
from bonspiel.curling.client.exit_status import ConnectionLost
from bonspiel.curling.client.match_player import MatchPlayer
from bonspiel.curling.client.message_log import MessageLog
from bonspiel.curling.client.planning.planner_worker import ShotChoice
from bonspiel.curling.client.planning.setup_choice import SetupChoice
from bonspiel.curling.client.planning.time_manager import Allowance, TimeManager, slices_left
from bonspiel.curling.ice.noise import Pair
from bonspiel.curling.match.state import HAMMER, PATTERN, POWER, TIME, team_of
from bonspiel.curling.protocols import ProtocolError
from bonspiel.curling.protocols.dc4 import DEFAULT_PLAYERS, EXAMPLE_PLAYERS, decode_state
from bonspiel.curling.records.match_data import End, Match, Record, RecordedShot, Result, Setup
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.records.umpire import replay
from tests.curling.client.faulty_dc4 import FaultyServer

USERS = (("user0", "pass0"), ("user1", "pass1"))


class Stopwatch(TimeManager):
    """Keeps what it is taught and what it allows."""

    def __init__(self) -> None:
        super().__init__()
        self.taught: list[float] = []
        self.limits: list[float] = []
        self.spent: list[float] = []

    def allowance(self, remaining: float, shots: int, spent: float = 0.0) -> Allowance:
        given = super().allowance(remaining, shots, spent)
        self.limits.append(given.limit)
        self.spent.append(spent)
        return given

    def learn_move(self, charged: float, own: float) -> None:
        self.taught.append(charged)


class Draws:
    """Stands for a planner: draws to either side of the tee, decided at once."""

    def __init__(self) -> None:
        self.seen: list[MatchPosition] = []
        self.setups: list[MatchPosition] = []
        self.before_setup: Callable[[], Any] = lambda: None
        self.before_shot: dict[int, Callable[[], Any]] = {}  # what else happens, by the number of the shot

    async def warm_up(self, position: MatchPosition, seconds: float) -> None:
        assert seconds > 0.0

    async def choose_setup(self, position: MatchPosition) -> SetupChoice:
        self.setups.append(position)
        self.before_setup()
        return SetupChoice("pp_right", 0.6)

    async def choose(self, position: MatchPosition, seconds: float, limit: float) -> ShotChoice:
        self.seen.append(position)
        happening = self.before_shot.pop(position.shot, lambda: None)()
        if isinstance(happening, Awaitable):
            await happening
        side = 1.0 if position.shot % 4 < 2 else -1.0
        return ShotChoice((0.1317 * side + 0.02 * position.shot / 16.0, 2.3997, side), 0.5, 1, 0.0)

    async def rule_based(self, position: MatchPosition, limit: float, failure: str | None) -> ShotChoice:
        return replace(await self.choose(position, 0.0, limit), failure=failure, is_own=True)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (dc4, dc4_connection):
        monkeypatch.setattr(module, "PATIENCE", 4.0)
        monkeypatch.setattr(module, "ANSWER", 2.0)
    monkeypatch.setattr(dc4, "RESEND_SECONDS", 1.5)
    monkeypatch.setattr(dc4_connection, "QUIET", 0.2)


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    return [tmp_path / "0.jsonl", tmp_path / "1.jsonl"]


async def play(
    server: FaultyServer,
    match_id: str,
    team: int,
    planner: Any,
    log: Path,
    lines: list[str] | None = None,
    password: str | None = None,
    clock: TimeManager | None = None,
    rule: str = "five_rock",
    throwers: tuple[Pair, Pair] | None = None,
) -> None:
    account = Account("127.0.0.1", server.port, USERS[team][0], password or USERS[team][1])
    with MessageLog(log) as messages:
        player = MatchPlayer(
            planner, clock or TimeManager(longest=5.0), messages, (lines if lines is not None else []).append
        )
        await dc4.play_dc4(account, UUID(match_id), team, f"player {team}", player, rule, throwers)


@asynccontextmanager
async def match(
    logs: list[Path], planners: list[Any], lines: tuple[list[str], list[str]] = ([], []), **settings: Any
) -> AsyncIterator[tuple[FaultyServer, str, list[asyncio.Task[None]]]]:
    """A server, a match on it, and two clients that play it."""
    async with FaultyServer() as server:
        match_id = server.open(**settings)
        rule = "five_rock" if settings.get("pattern") is None else "modified"
        tasks = [
            asyncio.create_task(play(server, match_id, team, planners[team], logs[team], lines[team], rule=rule))
            for team in (0, 1)
        ]
        try:
            yield server, match_id, tasks
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def messages(log: Path, direction: str) -> list[Any]:
    return [line["msg"] for line in map(json.loads, log.read_text().splitlines()) if line["dir"] == direction]


def check_thrown(server: FaultyServer) -> int:
    """Whether each shot of the match was thrown once, and none was refused; their number."""
    moments = [16 * shot.end + shot.shot for shot in server.items(RecordedShot)]
    assert moments == list(range(len(moments))) and server.refused == 0
    assert server.items(Result)[0].reason == "score"
    return len(moments)


async def test_a_match_with_extra_ends_is_played_with_correct_positions(logs: list[Path]) -> None:
    planners, lines = [Draws(), Draws()], ([], [])

    async with match(logs, planners, lines, ends=2) as (server, _, tasks):
        await asyncio.gather(*tasks)
    thrown, (result,) = check_thrown(server), server.items(Result)
    winner = result.winner
    assert {len(planner.seen) for planner in planners} == {thrown // 2}
    own = result.score[winner], result.score[1 - winner]
    assert lines[winner][-1] == f"won {own[0]} : {own[1]} (score)"
    assert lines[1 - winner][-1] == f"lost {own[1]} : {own[0]} (score)"
    for team, planner in enumerate(planners):
        assert all(position.team == team for position in planner.seen)
        assert [position.settings.ends for position in planner.seen[:9]] == [2] * 8 + [1]
        # every stone thrown so far lies on the sheet, among the own ones in the order thrown
        second = planner.seen[1]
        assert (abs(second.stones[8 * team] - (0.0, 38.405)) < 3.0).all()
        sent, states = messages(logs[team], "client->server"), messages(logs[team], "server->client")
        assert len(sent) == thrown // 2 and states[-1]["winner_team"] == f"team{winner}"


def check_mixed(server: FaultyServer) -> Record:
    """Whether each set-up and each shot of the match was played once, and none was refused; its record."""
    (match,), (result,) = server.items(Match), server.items(Result)
    record = Record(match, server.items(RecordedShot), server.items(End), result, server.items(Setup))
    ends = range(len(record.ends))
    assert [setup.end for setup in record.setups] == [*ends] and server.refused == 0
    assert [shot[:2] for shot in record.shots] == [(end, shot) for end in ends for shot in range(6, 16)]
    assert record.result.reason == "score"
    return record


async def test_a_match_of_mixed_doubles_is_played_with_correct_positions(logs: list[Path]) -> None:
    planners, lines = [Draws(), Draws()], ([], [])

    async with match(logs, planners, lines, ends=3, pattern=4) as (server, _, tasks):
        await asyncio.gather(*tasks)
    record = check_mixed(server)
    states, winner = replay(record)[:-1], record.result.winner
    assert lines[winner][-1].startswith("won ") and lines[1 - winner][-1].startswith("lost ")
    assert {setup.choice for setup in record.setups} == {"pp_right", "center_house"}
    for team, planner in enumerate(planners):
        own = [state for state in states if team_of(state) == team]
        for position, state in zip(planner.seen, own, strict=True):
            regular, seen = state[TIME] < 16 * 3, position.state()
            assert seen[TIME] == state[TIME] % 16 and position.settings.ends == max(3 - state[TIME] // 16, 1)
            np.testing.assert_allclose(seen[HAMMER:POWER], state[HAMMER:POWER], atol=1e-5)
            assert (seen[POWER:] == (state[POWER:] if regular else 0.0)).all()
            assert position.model().params[PATTERN] == 4 and position.model().is_mixed
        decided = [setup for setup in record.setups if setup.team == team]
        assert [position.decider for position in planner.setups] == [team] * len(decided)
        assert all(position.is_setup_due for position in planner.setups)
        for setup in decided:
            name = f"end {setup.end + 1}" if setup.end < 3 else f"extra end {setup.end - 2}"
            assert f"{name}, set-up: pp_right, expects to win 60.0%" in lines[team]
        assert sum(line.startswith("end 1, shot 1: ") for line in lines[team]) == (team_of(states[0]) == team)
    told = messages(logs[0], "server->client")[0]
    for end, left in ((2, True), (3, False)):  # a power play that was not used is lost in extra ends
        later = decode_state(json.dumps(told | {"end_number": end}))
        assert dc4._position(later, "modified").power_plays == (left, left)


async def test_time_is_shared_among_the_five_shots_of_a_team_in_each_end(logs: list[Path]) -> None:
    clocks = [Stopwatch(), Stopwatch()]

    async with FaultyServer() as server:
        match_id, mixed = server.open(ends=2, seconds=500.0, pattern=0), {"rule": "modified"}
        await asyncio.gather(
            play(server, match_id, 0, Draws(), logs[0], clock=clocks[0], **mixed),
            play(server, match_id, 1, Draws(), logs[1], clock=clocks[1], **mixed),
        )
    for team, clock in enumerate(clocks):  # team 1 has the hammer; the first limit is that of the warm-up
        given = clock.limits[1] + clock.spent[1]
        assert 500.0 / slices_left(6 + team, 2) < given < 500.0 / slices_left(6 + team, 2, first_shot=6)


async def test_planners_reckon_with_the_numbers_of_all_who_throw(logs: list[Path]) -> None:
    planners = [Draws(), Draws()]

    async with FaultyServer() as server:
        match_id = server.open(pattern=0)
        known = (EXAMPLE_PLAYERS, DEFAULT_PLAYERS), (DEFAULT_PLAYERS, EXAMPLE_PLAYERS)  # own, then the other's
        await asyncio.gather(
            *(
                play(server, match_id, team, planners[team], logs[team], rule="modified", throwers=known[team])
                for team in (0, 1)
            )
        )
    teams = EXAMPLE_PLAYERS, DEFAULT_PLAYERS
    for team, planner in enumerate(planners):
        for position, number in zip(planner.seen[:5], (0, 1, 1, 1, 0), strict=True):
            model = position.model()
            assert model.thrower(position.state()) == teams[team][number]
            assert model.throwers == teams


@pytest.mark.parametrize("fault", ["hang up", "deaf", 503])
async def test_a_set_up_whose_answer_is_lost_counts_once(logs: list[Path], fault: int | str) -> None:
    async with match(logs, [Draws(), Draws()], pattern=0) as (server, _, tasks):
        server.setup_faults.append(fault)
        await asyncio.gather(*tasks)
    check_mixed(server)


async def test_after_a_reconnection_no_end_is_set_up_twice(logs: list[Path]) -> None:
    planners = [Draws(), Draws()]

    async with match(logs, planners, pattern=0) as (server, match_id, tasks):
        planners[1].before_setup = partial(server.hang_up, match_id)
        planners[0].before_shot[8] = partial(server.hang_up, match_id)
        await asyncio.gather(*tasks)
    check_mixed(server)
    assert server.connections >= 6


async def test_a_refused_set_up_ends_the_client(logs: list[Path]) -> None:
    with pytest.raises(ServerRefused, match=r"a set-up: the server refuses it .*409.*not today"):
        async with match(logs, [Draws(), Draws()], pattern=0) as (server, _, tasks):
            server.setup_faults.append(409)
            await tasks[1]


@pytest.mark.parametrize(
    ("pattern", "rule", "error", "message"),
    [(0, "five_rock", ServerRefused, "player3 and player4"), (None, "modified", ProtocolError, "of another game")],
)
async def test_a_match_of_the_other_game_is_refused(
    logs: list[Path], pattern: int | None, rule: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        async with FaultyServer() as server:
            match_id = server.open(pattern=pattern)
            await asyncio.gather(*(play(server, match_id, team, Draws(), logs[team], rule=rule) for team in (0, 1)))


async def test_our_positive_spin_is_counter_clockwise_on_the_server(logs: list[Path]) -> None:
    async with match(logs, [Draws(), Draws()]) as (_, _, tasks):
        await asyncio.gather(*tasks)
    state = next(state for state in messages(logs[0], "server->client") if state["total_shot_number"] == 1)
    stone = state["stone_coordinate"]["data"]["team0"][0]
    assert math.hypot(stone["x"], stone["y"] - 38.405) < 0.3  # the tee draw of Draws, which curls to -x


async def test_waiting_for_earlier_states_counts_for_the_first_move(logs: list[Path]) -> None:
    clock = Stopwatch()

    async with FaultyServer() as server:
        match_id = server.open()
        await asyncio.gather(
            play(server, match_id, 0, Draws(), logs[0], clock=clock), play(server, match_id, 1, Draws(), logs[1])
        )
    assert clock.spent[1] >= 0.9 * dc4_connection.QUIET  # the first one is that of the warm-up


async def test_a_wrong_password_is_reported(logs: list[Path]) -> None:
    with pytest.raises(ServerRefused, match=r"the user, the password or the match .*401.*Invalid credentials"):
        async with FaultyServer() as server:
            await play(server, server.open(), 0, Draws(), logs[0], password="wrong")


async def test_an_unknown_match_and_a_full_one_are_reported(logs: list[Path]) -> None:
    async with FaultyServer() as server:
        full = server.open()
        server.match(full).seats._users = ["a", "b"]
        for match_id in (str(uuid4()), full):
            with pytest.raises(ServerRefused, match=r"the user, the password or the match .*Invalid match data"):
                await play(server, match_id, 0, Draws(), logs[0])


async def test_no_server_is_a_lost_connection(logs: list[Path]) -> None:
    with pytest.raises(ConnectionLost, match=r"no connection to 127\.0\.0\.1 port"):
        server = FaultyServer()
        async with server:
            match_id = server.open()
        await play(server, match_id, 0, Draws(), logs[0])


async def test_a_server_that_goes_in_the_middle_is_a_lost_connection(logs: list[Path]) -> None:
    planners = [Draws(), Draws()]

    start = time.monotonic()
    async with match(logs, planners) as (server, _, tasks):
        planners[0].before_shot[4] = server.stop
        found = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in found] == [ConnectionLost, ConnectionLost]
    assert time.monotonic() - start < 120.0


@pytest.mark.parametrize("shot", [2, 5, 15])
async def test_after_a_reconnection_no_shot_is_thrown_twice(logs: list[Path], shot: int) -> None:
    planners = [Draws(), Draws()]

    async with match(logs, planners) as (server, match_id, tasks):
        planners[shot % 2].before_shot[shot] = partial(server.hang_up, match_id)
        await asyncio.gather(*tasks)
    check_thrown(server)
    assert server.connections == 4


async def test_patience_starts_again_after_a_reconnection(logs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    planners = [Draws(), Draws()]

    async with match(logs, planners) as (server, match_id, tasks):

        async def impatient() -> None:
            assert server.connections == 4
            monkeypatch.setattr(dc4_connection, "PATIENCE", 0.2)
            await asyncio.sleep(0.5)

        planners[0].before_shot.update({2: partial(server.hang_up, match_id), 6: impatient})
        await asyncio.gather(*tasks)


@pytest.mark.parametrize("fault", ["hang up", "deaf", 503])
async def test_a_throw_whose_answer_is_lost_counts_once(logs: list[Path], fault: int | str) -> None:
    async with match(logs, [Draws(), Draws()]) as (server, _, tasks):
        server.faults += [None] * 3 + [fault]
        await asyncio.gather(*tasks)
    check_thrown(server)


async def test_a_refused_throw_ends_the_client(logs: list[Path]) -> None:
    with pytest.raises(ServerRefused, match=r"a throw: the server refuses it .*422.*not today"):
        async with match(logs, [Draws(), Draws()]) as (server, _, tasks):
            server.faults += [None, None, 422]
            await tasks[0]
    assert any("422" in note for note in messages(logs[0], "note"))


async def test_a_restarted_client_continues_from_the_current_state(logs: list[Path]) -> None:
    planners, again = [Draws(), Draws()], Draws()

    async with FaultyServer() as server:
        match_id = server.open()
        tasks = [asyncio.create_task(play(server, match_id, team, planners[team], logs[team])) for team in (0, 1)]
        planners[0].before_shot[6] = tasks[0].cancel
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]
        server.hang_up(match_id)
        await asyncio.gather(tasks[1], play(server, match_id, 0, again, logs[0]))
    check_thrown(server)
    assert again.seen[0].shot == 6


@pytest.mark.parametrize(("text", "message"), [('{"end_number": "no"}', "cannot parse"), ("nonsense", "cannot parse")])
async def test_nonsense_from_the_server_ends_the_client(logs: list[Path], text: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        async with match(logs, [Draws(), Draws()]) as (server, _, tasks):
            server.bad_events.append(text)
            await tasks[0]


async def test_a_stream_that_breaks_unexpectedly_ends_the_client(
    logs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(text: str) -> Any:
        raise KeyError("surprise")

    monkeypatch.setattr(dc4_connection, "decode_state", broken)

    with pytest.raises(ConnectionLost, match="no stream of states: 'surprise'"):
        async with match(logs, [Draws(), Draws()]) as (_, _, tasks):
            await tasks[0]


async def test_a_team_that_runs_out_of_time_loses(logs: list[Path]) -> None:
    planners, lines = [Draws(), Draws()], ([], [])

    async with match(logs, planners, lines, seconds=4.0) as (_, _, tasks):
        planners[1].before_shot[3] = lambda: asyncio.sleep(4.5)
        await asyncio.gather(*tasks)
    assert lines[0][-1] == "won 0 : 0 (time_limit)" and lines[1][-1] == "lost 0 : 0 (time_limit)"


async def test_extra_ends_reserve_time_for_more_and_delays_are_learned_on_one_clock(logs: list[Path]) -> None:
    class Through(Draws):
        """Throws all stones away until the second extra end."""

        async def choose(self, position: MatchPosition, seconds: float, limit: float) -> ShotChoice:
            self.seen.append(position)
            return ShotChoice((0.0, 4.0 if len(self.seen) <= 16 else 2.4, 1.0), 0.5, 1, 0.0)

    clocks = [Stopwatch(), Stopwatch()]

    async with FaultyServer() as server:
        match_id = server.open(seconds=100.0, extra_seconds=50.0)
        await asyncio.gather(
            *(play(server, match_id, team, Through(), logs[team], clock=clocks[team]) for team in (0, 1))
        )
    for team, clock in enumerate(clocks):
        regular, extra = clock.limits[1:9], clock.limits[9:]  # the first is that of the warm-up
        slices = slices_left(team, 1)
        assert regular[0] > 0.8 * 100.0 / slices and len(extra) >= 16
        assert 0.3 * 50.0 / slices < extra[0] < 0.6 * 50.0 / slices
        # neither the wait before the first move nor the change of clocks tells of delays
        assert len(regular) + len(extra) - 2 <= len(clock.taught) <= len(regular) + len(extra) - 1
        assert all(0.0 <= seconds < 10.0 for seconds in clock.taught)


async def test_a_match_can_be_created() -> None:
    async with FaultyServer() as server:
        account = Account("127.0.0.1", server.port, *USERS[0])
        match_id = await dc4.create_match(account, "no_tick", 3, 100.0, 10.0)
        with pytest.raises(ServerRefused, match="Invalid credentials"):
            await dc4.create_match(account._replace(user="nobody"), "five_rock", 3, 100.0, 10.0)
        created = server.match(str(match_id)).new
        port = server.port
    assert (created.standard_end_count, created.applied_rule) == (3, "no_tick_rule")
    assert (created.time_limit, created.extra_end_time_limit) == (100.0, 10.0)
    assert created.game_mode == "standard"
    with pytest.raises(ConnectionLost, match=r"no connection to 127\.0\.0\.1 port"):
        await dc4.create_match(Account("127.0.0.1", port, *USERS[0]), "five_rock", 3, 100.0, 10.0)


async def test_a_match_of_mixed_doubles_can_be_created() -> None:
    async with FaultyServer() as server:
        account = Account("127.0.0.1", server.port, *USERS[0])
        match_id = await dc4.create_match(account, "modified", 8, 100.0, 10.0, 3)
        created = server.match(str(match_id)).new
    assert (created.game_mode, created.applied_rule) == ("mixed_doubles", "modified_fgz_rule")
    assert (created.positioned_stones_pattern, created.standard_end_count) == (3, 8)


def test_without_the_package_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dc4client", None)
    with pytest.raises(ModuleNotFoundError, match=r"^Digital Curling 4 needs the package dc4client.*\.\[dc4\]'$"):
        dc4_connection.load_dc4client()


@pytest.mark.parametrize("rule", ["five_rock", "modified"])
def test_the_player_plans_for_the_errors_that_it_is_told(rule):
    """The server does not announce them."""
    assert dc4._first_position(rule, None, "human").model().noise == "human"
    assert dc4._first_position(rule, None, dc4.NOISE).model().noise == "normal_dist"
