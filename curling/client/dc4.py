"""Plays a match on a server of Digital Curling 4."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from bonspiel.curling.client.dc4_connection import (
    ANSWER,
    PATIENCE,
    Account,
    Dc4Connection,
    PackageFailure,
    error_of,
    failure_of,
    load_dc4client,
)
from bonspiel.curling.client.exit_status import ConnectionLost
from bonspiel.curling.client.match_player import AimedShot, MatchPlayer
from bonspiel.curling.ice.noise import Pair
from bonspiel.curling.ice.sheet import LAST_SHOT, STONES, no_stones
from bonspiel.curling.protocols import ProtocolError
from bonspiel.curling.protocols.console import count_ends, describe_end, describe_shot
from bonspiel.curling.protocols.dc4 import MOST_SPIN, StateUpdate, shot_request, stones_of_update
from bonspiel.curling.records.position import EXTRA_ENDS, MatchPosition
from bonspiel.curling.settings import MatchSettings

NOISE = "normal_dist"  # of the players; see `curling.ice.noise`
ENDS, SECONDS = 10, 219.0  # assumed for the warm-up; servers announce theirs when the match begins
MODIFIED = "modified"  # the rule of mixed doubles; `curling.match.rules`, which names it too, is compiled code
RULES = {"five_rock": "fgz_rule", "no_tick": "no_tick_rule", MODIFIED: "modified_fgz_rule"}  # their names on the server
EXTRA_FRACTION = 0.5  # of a share of time in extra ends: they all have one clock, and there may be more of them
RESEND_SECONDS = 2.0  # until a lost throw is sent again

settings_of = partial(MatchSettings, extra_ends=EXTRA_ENDS, reward="win_probability", physics="dc4")


async def create_match(
    account: Account, rule: str, ends: int, seconds: float, extra_seconds: float, pattern: int = 0
) -> UUID:
    """Create a match by one of RULES; the match's id, which both players need.

    Each team has `seconds` of thinking time for the regular ends, and `extra_seconds` for all extra ends together.
    `pattern` is the place of the guards in mixed doubles.

    Raises:
        ServerRefused: by the server.
        ConnectionLost: the server is unreachable.
    """
    dc4client = load_dc4client()
    tournament = dc4client.TournamentModel(tournament_name="bonspiel")
    simulator = dc4client.PhysicalSimulatorModel(simulator_name="fcv1")
    limits = {"standard_end_count": ends, "time_limit": seconds, "extra_end_time_limit": extra_seconds}
    game: dict[str, Any] = {"game_mode": dc4client.GameMode.standard}
    if rule == MODIFIED:
        game = {"game_mode": dc4client.GameMode.mixed_doubles, "positioned_stones_pattern": pattern}
    data = dc4client.ClientDataModel(
        tournament=tournament, match_name="bonspiel", simulator=simulator, applied_rule=RULES[rule], **limits, **game
    )
    try:
        return UUID(await asyncio.wait_for(dc4client.MatchMakerClient(*account).create_match(data), ANSWER))
    except Exception as error:  # any error of the package, of its HTTP client, or an invalid answer
        raise error_of("no match was created", failure_of(error)) from error


async def play_dc4(
    account: Account,
    match_id: UUID,
    team: int,
    name: str,
    player: MatchPlayer,
    rule: str = "five_rock",
    throwers: tuple[Pair, Pair] | None = None,
    noise: str = NOISE,
) -> None:
    """Play one match as team 0 or 1, or as the other one if that side is taken.

    The rule is one of RULES, which also says which game it is; the server does not announce it. The player must not
    concede: there is no message for it. `throwers` are the own team's and the other's players of mixed doubles; None:
    as in standard games, where all have the errors `noise`. No server announces them.

    Raises:
        ServerRefused: the server refuses the client or its throw.
        ConnectionLost: the server is unreachable, or was so for too long.
        ProtocolError: an invalid state, or one of the other game.
        ModuleNotFoundError: the package dc4client is not installed.
    """
    report, fraction = player.report, player.timing.fraction
    async with Dc4Connection(account, match_id, team, player.log) as connection:
        report("warming up")
        await player.warm_up(_first_position(rule, throwers, noise), SECONDS)
        start, patience = time.monotonic(), player.patience
        team = await patience.server(connection.join(name, 2 if rule == MODIFIED else 4), "a place in the match")
        player.timing.delay = time.monotonic() - start
        await patience.server(connection.listen(), "the stream of states")
        patience.answered = True
        by_team = throwers if throwers is None or team == 0 else (throwers[1], throwers[0])
        report(f"team{team} of match {match_id}; waiting for the other team")
        state = first = await patience.others(connection.first_state(), "the other team")
        if (state.mixed_doubles_settings is not None) != (rule == MODIFIED):
            raise ProtocolError(f"the match is of another game than the one with the rule {rule}")
        player.begun = True
        report(f"a match of {count_ends(state.ends)}, {state.remaining(team):g} s")
        while state.winner_team is None:
            player.timing.fraction = fraction * (EXTRA_FRACTION if state.is_extra_end else 1.0)
            if state.setup_team == f"team{team}":
                later = await _set_up(connection, player, state)
            elif state.next_shot_team == f"team{team}":
                later = await _move(connection, player, state, _position(state, rule, by_team, noise))
            else:
                later = await connection.newer_state(state)
            comparable = state is not first and later.is_extra_end == state.is_extra_end
            player.learn_charge(later.remaining(team) if comparable else None)
            state = later
        report(_result(team, state))


def _first_position(rule: str, throwers: tuple[Pair, Pair] | None, noise: str) -> MatchPosition:
    """A position to warm up with."""
    settings = _settings(rule, ENDS, throwers, noise)
    return MatchPosition(no_stones(), settings.first_shot, settings=settings)


def _position(
    state: StateUpdate, rule: str, throwers: tuple[Pair, Pair] | None = None, noise: str = NOISE
) -> MatchPosition:
    """The position in which a team throws, or sets up the end; `throwers` are those of team 0 and of team 1."""
    settings = _settings(rule, max(state.ends - state.end_number, 1), throwers, noise)
    hammer, mixed, setup = state.hammer, state.mixed_doubles_settings, dict[str, Any]()
    if mixed is not None:
        decider, used = int(mixed.end_setup_team == "team1"), mixed.power_play_end
        first, second = (used[team] is None and not state.is_extra_end for team in (0, 1))
        settings = replace(settings, pattern=mixed.positioned_stones_pattern)
        setup = {"decider": decider, "power_plays": (first, second)}
        hammer = decider if hammer is None else hammer
    assert hammer is not None
    return MatchPosition(stones_of_update(state), state.shot, hammer, state.lead, settings=settings, **setup)


def _settings(rule: str, ends: int, throwers: tuple[Pair, Pair] | None, noise: str) -> MatchSettings:
    """The settings of a match by its rule, which also says which game it is."""
    if rule == MODIFIED:
        return settings_of(ends=ends, rule=rule, noise=noise, game="mixed_doubles", throwers=throwers)
    return settings_of(ends=ends, rule=rule, noise=noise)


async def _move(server: Dc4Connection, player: MatchPlayer, state: StateUpdate, position: MatchPosition) -> StateUpdate:
    delivery: asyncio.Task[StateUpdate] | None = None

    async def send(shot: AimedShot | None) -> None:
        nonlocal delivery
        assert shot is not None  # nobody concedes in this protocol
        request = shot_request(shot[:2], shot.rotation * MOST_SPIN)
        delivery = asyncio.create_task(_deliver(server, state, lambda: server.throw(request), "a throw"))

    assert state.total_shot_number is not None
    where = describe_shot(state.end_number, state.total_shot_number, state.ends)
    await player.move(where, position, state.remaining(position.team), server.received, send)
    assert delivery is not None
    return await delivery


async def _set_up(server: Dc4Connection, player: MatchPlayer, state: StateUpdate) -> StateUpdate:
    later = state

    async def send(choice: str) -> None:
        nonlocal later
        later = await _deliver(server, state, lambda: server.set_up_end(choice), "a set-up")

    where = f"{describe_end(state.end_number, state.ends)}, set-up"
    await player.set_up(where, _position(state, MODIFIED), send)
    return later


async def _deliver(
    connection: Dc4Connection, state: StateUpdate, send: Callable[[], Awaitable[PackageFailure | None]], what: str
) -> StateUpdate:
    """Send a throw or a set-up until a later state confirms it; the server accepts one only.

    After the last stone of an end the same team may throw next, so a lost one is sent again only after a longer wait.
    """
    start = time.monotonic()
    wait = RESEND_SECONDS if state.shot < LAST_SHOT else ANSWER
    while True:
        failure = await send()
        # worth another attempt: the request did not reach the server, or reached it at a bad moment
        lost = failure is not None and (failure.status is None or failure.status >= 500)
        later = await connection.newer_state(state, within=PATIENCE if failure is None else wait if lost else ANSWER)
        if later is not None:
            return later
        if failure is None:
            raise ConnectionLost(f"the server accepted {what}, but sent no state after it for {PATIENCE:g} s")
        if not lost or time.monotonic() - start > PATIENCE:
            raise error_of(what, failure)


def _result(team: int, state: StateUpdate) -> str:
    own, other = sum(state.score[team]), sum(state.score[1 - team])
    won = state.winner_team == f"team{team}"
    played_out = state.shot == STONES and (own > other if won else own < other)
    return f"{'won' if won else 'lost'} {own} : {other} ({'score' if played_out else 'time_limit'})"
