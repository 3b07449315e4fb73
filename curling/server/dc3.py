"""Serves matches by the protocol of Digital Curling 3, as the reference server does; see `curling.protocols.dc3`."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from bonspiel.curling.match.state import row_of
from bonspiel.curling.protocols import check_kind, dc3
from bonspiel.curling.protocols.dc3_codec import MAX_CLIENT_LINE, decode_client, encode
from bonspiel.curling.records.umpire import Outcome
from bonspiel.curling.server.client_connection import ClientConnection
from bonspiel.curling.server.dc3_messages import game_info, shot_move, trajectory_message, update_message
from bonspiel.curling.server.guest import Guest
from bonspiel.curling.server.lobby import ClientLimit, Lobby, listen
from bonspiel.curling.server.referee import Referee
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.server.session import Session
from bonspiel.planners.model import Array

GREETING_SECONDS = 5.0  # for a client to answer the server's greeting
READY_SECONDS = 900.0  # for it to become ready, which may compile code and start a program of its own
VERSION = dc3.Version(1, 0)


async def listen_dc3(context: ServerContext, lobby: Lobby, host: str, port: int) -> Sequence[asyncio.Server]:
    """Open the ports of team 0 and, one number higher, of team 1."""

    def door_of(team: int) -> Callable[[], ClientConnection]:
        limit = ClientLimit(context, lambda client: lobby.assign(client, team))
        return lambda: ClientConnection(b"\n", MAX_CLIENT_LINE, context.clock, limit)

    first = await listen(host, port, door_of(0))
    try:
        return first, await listen(host, port and port + 1, door_of(1))
    except OSError:
        first.close()
        raise


class Dc3Session(Session):
    """One match, with `steps` of the reference simulator between two frames of a trajectory; None sends none."""

    def __init__(self, context: ServerContext, steps: int | None) -> None:
        super().__init__(context, decode_client, encode)
        self._steps = steps
        self._game = game_info(context.match, context.times)
        match_id = str(uuid.UUID(bytes=context.ids.bytes(16), version=4))
        self._greeting = dc3.Dc(VERSION, match_id, datetime.now(UTC).isoformat(timespec="seconds"))

    async def run_match(self) -> None:
        """Play the match to its result."""
        referee = self.begin()
        self.send(dc3.NewGame(dc3.PerTeam(str(self.names[0]), str(self.names[1]))))
        self.send(update_message(referee, None))
        while referee.result is None:
            last_move = await self._play_move(referee)
            self.send(update_message(referee, last_move))
        self.send(dc3.GameOver())

    async def greet(self, guest: Guest) -> None:
        """See `Session.greet`."""
        guest.client.send(encode(self._greeting))
        guest.name = check_kind(decode_client(await guest.answer("dc_ok", GREETING_SECONDS)), dc3.DcOk).name
        guest.client.send(encode(dc3.IsReady("team1" if guest.side else "team0", self._game)))
        check_kind(decode_client(await guest.answer("ready_ok", READY_SECONDS)), dc3.ReadyOk)

    async def _play_move(self, referee: Referee) -> dc3.LastMove:
        start, mover = referee.next_stones, referee.team
        answer = await self.next_move(referee)
        if answer is None:
            referee.time_up()
            return self._last_move(dc3.Concede(), start)
        message, seconds = answer
        move = self.check_message(mover, message, dc3.Move).move
        if isinstance(move, dc3.Concede):
            referee.concede()
            return self._last_move(move, start)
        aim = move.velocity.x, move.velocity.y, 1.0 if move.rotation == "ccw" else -1.0
        thrown = referee.add_error(aim)
        after = await self.context.executor.execute(referee.model, referee.state, thrown)
        start = referee.next_stones
        start[row_of(referee.state)] = 0.0  # the release point
        referee.apply_shot(aim, thrown, after, seconds)
        return self._last_move(shot_move(thrown), start, after)

    def _last_move(self, move: dc3.ShotMove | dc3.Concede, start: Array, after: Outcome | None = None) -> dc3.LastMove:
        foul = after is not None and after.foul
        if self._steps is None:
            return dc3.LastMove(move, foul)
        return dc3.LastMove(move, foul, trajectory_message(start, after, self._steps))
