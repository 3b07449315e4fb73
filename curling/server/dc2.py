"""Serves matches by the protocol of Digital Curling 2; see `curling.protocols.dc2`."""

import asyncio
from collections.abc import Sequence

from bonspiel.curling.protocols import ProtocolError, check_kind, dc2
from bonspiel.curling.protocols.dc2_codec import MAX_TEXT, decode_client, encode
from bonspiel.curling.protocols.dc2_coordinates import position_of_stones, throw_from_sheet, throw_to_sheet
from bonspiel.curling.server.client_connection import ClientConnection, ClientEvent, ClientFault
from bonspiel.curling.server.guest import Guest
from bonspiel.curling.server.lobby import ClientLimit, Lobby, listen
from bonspiel.curling.server.referee import Referee
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.server.session import Session

LOGIN_SECONDS = 60.0
READY_SECONDS = 900.0  # for a client to become ready, which may compile code and start a program of its own


async def listen_dc2(context: ServerContext, lobby: Lobby, host: str, port: int) -> Sequence[asyncio.Server]:
    """Open the port; clients play each other in the order in which they log in."""

    def connected(client: ClientConnection) -> None:
        lobby.start_task(_log_in(context, lobby, client))

    limit = ClientLimit(context, connected)
    return (await listen(host, port, lambda: ClientConnection(b"\0", MAX_TEXT, context.clock, limit)),)


async def _log_in(context: ServerContext, lobby: Lobby, client: ClientConnection) -> None:
    events: asyncio.Queue[ClientEvent] = asyncio.Queue()
    client.on_event = events.put_nowait
    try:
        client.send(encode(dc2.Connected()))
        async with asyncio.timeout(LOGIN_SECONDS):
            login = check_kind(decode_client((await events.get()).text), dc2.Login)
        client.send(encode(dc2.LoginOk()))
    except (ClientFault, ProtocolError, TimeoutError) as error:
        context.report(f"client {client.address}: {str(error) or f'no LOGIN within {LOGIN_SECONDS:g} s'}")
        client.close()
    except asyncio.CancelledError:
        client.close()
        raise
    else:
        client.id = login.id
        lobby.assign(client, name=login.name)


class Dc2Session(Session):
    """One match; the first team throws first in the first end."""

    sides = ("first", "second")

    def __init__(self, context: ServerContext) -> None:
        super().__init__(context, decode_client, encode)

    async def run_match(self) -> None:
        """Play the match to its result."""
        referee = self.begin()
        self.send(dc2.NewGame(str(self.names[0]), str(self.names[1])), *_state_messages(referee, 0))
        while referee.result is None:
            self.send(dc2.Go(*referee.remaining), teams=(referee.team,))
            await self._play_move(referee)
        self.send(dc2.TotalScore(*referee.total))
        for team in (0, 1):
            drawn, won = referee.result.winner is None, referee.result.winner == team
            game_over = dc2.GameOver("DRAW" if drawn else "WIN" if won else "LOSE")
            self.send(game_over, dc2.Disconnect(), teams=(team,))

    async def greet(self, guest: Guest) -> None:
        """See `Session.greet`; it has logged in."""
        guest.client.send(encode(dc2.IsReady()))
        check_kind(decode_client(await guest.answer("READYOK", READY_SECONDS)), dc2.ReadyOk)

    async def _play_move(self, referee: Referee) -> None:
        mover, end, first = referee.team, referee.end, 1 - referee.hammer
        answer = await self.next_move(referee)
        if answer is None:
            referee.time_up()
            self.send(dc2.Timeout(self.client(mover).id))
            return
        text, seconds = answer
        move: dc2.BestShot | dc2.Concede = self.check_message(mover, text, dc2.BestShot, dc2.Concede)
        if isinstance(move, dc2.Concede):
            referee.concede()
            return
        aim = throw_to_sheet(move)
        thrown = referee.add_error(aim)
        after = await self.context.executor.execute(referee.model, referee.state, thrown)
        referee.apply_shot(aim, thrown, after, seconds)
        self.send(dc2.RunShot(*throw_from_sheet(*thrown)), *_state_messages(referee, first))
        if referee.end > end:
            team0, team1 = referee.scores[0][end], referee.scores[1][end]
            self.send(dc2.Score((team0 or 0) - (team1 or 0)))


def _state_messages(referee: Referee, first: int) -> tuple[dc2.Position, dc2.SetState]:
    """The stones and the state, in an end in which team `first` threw first."""
    state = dc2.SetState(referee.shot, referee.end, referee.match.ends, referee.team)
    return position_of_stones(referee.stones, first), state
