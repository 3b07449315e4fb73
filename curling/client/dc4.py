"""Plays a match on a server of Digital Curling 4."""

import asyncio
import time
from functools import partial
from uuid import UUID

from curling.client.console import count_ends, describe_shot
from curling.client.dc4_connection import ANSWER, PATIENCE, Account, Dc4Connection, error_of, failure_of, load_dc4client
from curling.client.exit_status import ConnectionLost
from curling.client.match_player import AimedShot, MatchPlayer
from curling.client.planner_worker import ClientPosition
from curling.protocols.dc4 import MOST_SPIN, StateUpdate, shot_request, stones_of_update
from curling.sheet import LAST_SHOT, STONES, no_stones

ENDS, SECONDS = 10, 219.0  # assumed for the warm-up; servers announce theirs when the match begins
RULES = {"five_rock": "fgz_rule", "no_tick": "no_tick_rule"}  # their names on the server
EXTRA_FRACTION = 0.5  # of a share of time in extra ends: they all have one clock, and there may be more of them
RESEND_SECONDS = 2.0  # until a lost throw is sent again

position_of = partial(ClientPosition, extra_ends=True, physics="dc4", noise="normal_dist")


async def create_match(account: Account, rule: str, ends: int, seconds: float, extra_seconds: float) -> UUID:
    """Create a match by one of RULES; the match's id, which both players need.

    Each team has `seconds` of thinking time for the regular ends, and `extra_seconds` for all extra ends together.

    Raises:
        ServerRefused: by the server.
        ConnectionLost: the server is unreachable.
    """
    dc4client = load_dc4client()
    tournament = dc4client.TournamentModel(tournament_name="bonspiel")
    simulator = dc4client.PhysicalSimulatorModel(simulator_name="fcv1")
    limits = {"standard_end_count": ends, "time_limit": seconds, "extra_end_time_limit": extra_seconds}
    data = dc4client.ClientDataModel(
        tournament=tournament, match_name="bonspiel", simulator=simulator, applied_rule=RULES[rule], **limits
    )
    try:
        return UUID(await asyncio.wait_for(dc4client.MatchMakerClient(*account).create_match(data), ANSWER))
    except Exception as error:  # any error of the package, of its HTTP client, or an invalid answer
        raise error_of("no match was created", failure_of(error)) from error


async def play_dc4(
    account: Account, match_id: UUID, team: int, name: str, player: MatchPlayer, rule: str = "five_rock"
) -> None:
    """Play one match as team 0 or 1, or as the other one if that side is taken.

    The rule is one of RULES; the server does not announce it. The player must not concede: there is no message for it.

    Raises:
        ServerRefused: the server refuses the client or its throw.
        ConnectionLost: the server is unreachable, or was so for too long.
        ProtocolError: an invalid state.
        ModuleNotFoundError: the package dc4client is not installed.
    """
    report, fraction = player.report, player.timing.fraction
    async with Dc4Connection(account, match_id, team, player.log) as connection:
        report("warming up")
        await player.warm_up(position_of(no_stones(), shot=0, hammer=1, lead=0, ends=ENDS, rule=rule), SECONDS)
        start = time.monotonic()
        team = await connection.join(name)
        player.timing.delay = time.monotonic() - start
        report(f"team{team} of match {match_id}; waiting for the other team")
        state = first = await connection.first_state()
        player.begun = True
        report(f"a match of {count_ends(state.ends)}, {state.remaining(team):g} s")
        while state.winner_team is None:
            player.timing.fraction = fraction * (EXTRA_FRACTION if state.is_extra_end else 1.0)
            if state.next_shot_team == f"team{team}":
                later = await _move(connection, player, state, team, rule)
            else:
                later = await connection.newer_state(state)
            comparable = state is not first and later.is_extra_end == state.is_extra_end
            player.learn_charge(later.remaining(team) if comparable else None)
            state = later
        report(_result(team, state))


async def _move(server: Dc4Connection, player: MatchPlayer, state: StateUpdate, team: int, rule: str) -> StateUpdate:
    delivery: asyncio.Task[StateUpdate] | None = None

    async def send(shot: AimedShot | None) -> None:
        nonlocal delivery
        assert shot is not None  # nobody concedes in this protocol
        delivery = asyncio.create_task(_deliver(server, state, shot))

    shot, hammer, ends = state.total_shot_number, state.hammer, max(state.ends - state.end_number, 1)
    assert hammer is not None
    position = position_of(stones_of_update(state), shot, hammer, state.lead, ends, rule=rule)
    where = describe_shot(state.end_number, shot, state.ends)
    await player.move(where, position, state.remaining(team), server.received, send)
    assert delivery is not None
    return await delivery


async def _deliver(connection: Dc4Connection, state: StateUpdate, shot: AimedShot) -> StateUpdate:
    """Send a throw until a later state confirms it; the server accepts one only, since the other team is next.

    After the last stone of an end the same team may throw next, so a lost one is sent again only after a longer wait.
    """
    request, start = shot_request(shot[:2], shot.rotation * MOST_SPIN), time.monotonic()
    wait = RESEND_SECONDS if state.total_shot_number < LAST_SHOT else ANSWER
    while True:
        failure = await connection.throw(request)
        # worth another attempt: the throw did not reach the server, or reached it at a bad moment
        lost = failure is not None and (failure.status is None or failure.status >= 500)
        later = await connection.newer_state(state, within=PATIENCE if failure is None else wait if lost else ANSWER)
        if later is not None:
            return later
        if failure is None:
            raise ConnectionLost(f"the server accepted a throw, but sent no state after it for {PATIENCE:g} s")
        if not lost or time.monotonic() - start > PATIENCE:
            raise error_of("a throw", failure)


def _result(team: int, state: StateUpdate) -> str:
    own, other = sum(state.score[team]), sum(state.score[1 - team])
    won = state.winner_team == f"team{team}"
    played_out = state.total_shot_number == STONES and (own > other if won else own < other)
    return f"{'won' if won else 'lost'} {own} : {other} ({'score' if played_out else 'time_limit'})"
