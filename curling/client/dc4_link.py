"""The official package for Digital Curling 4, dc4client, with what it leaves out.

The package tells of trouble in its log alone: a throw that is refused, a password that is wrong and a stream that is
tried again for ever all look like success to its caller. So its log is read here, and no file of it is written.
"""

import asyncio
import importlib
import logging
import re
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from typing import Any, NamedTuple, Self
from uuid import UUID

from curling.client.log import FROM_SERVER, TO_SERVER, MessageLog
from curling.client.status import ConnectionLost, no_connection
from curling.protocols import ProtocolError
from curling.protocols.dc4 import Shot, State, decode_state

PATIENCE = 60.0  # s that a server may be out of reach
SILENCE = 75  # s without a sign of life until the stream is opened again; servers send one every 30 s
ANSWER = 20.0  # s that a request may take
QUIET = 0.25  # s without another event: the states of the past have all come
UNAUTHORIZED = 401
UNREACHED = re.compile(r"Cannot connect to host (\S+):(\d+) ssl:\S+ \[(.*)\]")


class Refused(Exception):
    """The server does not want us, or our throw; the text is one line."""


class Login(NamedTuple):
    """Where a server is, and who plays."""

    host: str
    port: int
    user: str
    password: str


class Trouble(NamedTuple):
    """What the package logged; the status of the server's answer if there was one."""

    text: str
    status: int | None


def package() -> Any:
    """The package dc4client.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    try:
        found = importlib.import_module("dc4client")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"Digital Curling 4 needs the package dc4client, and {error.name} is missing: pip install -e '.[dc4]'"
        ) from error
    logging.getLogger("aiohttp_sse_client2").addHandler(logging.NullHandler())  # the same trouble once more
    return found


def refusal(what: str, trouble: Trouble) -> Refused | ConnectionLost:
    """The error that a trouble stands for."""
    if unreached := UNREACHED.search(trouble.text):
        return no_connection(*unreached.groups())
    if trouble.status is None:
        return ConnectionLost(f"{what}: {trouble.text}")
    blame = "the user, the password or the match" if trouble.status == UNAUTHORIZED else "it"
    return Refused(f"{what}: the server refuses {blame} ({trouble.text})")


def trouble_of(what: object) -> Trouble:
    """What went wrong, in one line of reasonable length, and the status in it."""
    text = " ".join(str(what).split()) or type(what).__name__
    status = re.search(r"\b(?:status=|failed: )(\d{3})\b", text)
    return Trouble(text[:300], int(status[1]) if status else None)


class Link:
    """A match on a server, as an asynchronous context manager.

    Args:
        login: of the server.
        match_id: of the match.
        team: 0 or 1, the side to ask for.
        log: takes all messages, and the package's complaints as notes.

    Attributes:
        received: when the newest state came, as `time.monotonic` says.
    """

    def __init__(self, login: Login, match_id: UUID, team: int, log: MessageLog) -> None:
        """Nothing is sent yet."""
        self._dc4client, self._log = package(), log
        self._troubles: list[Trouble] = []
        self._poster = self._client(login, match_id, team, self._troubles.append)
        self._listener = self._client(login, match_id, team, self._stream_trouble, self._connected)
        self._listening: asyncio.Task[None] | None = None
        self._down_since: float | None = None
        self._error: Exception | None = None
        self._newest: State | None = None
        self._news = asyncio.Event()
        self.received = time.monotonic()

    async def __aenter__(self) -> Self:
        """Use `join` next."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening."""
        self._listener.logger.disabled = True
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening

    async def join(self, name: str) -> int:
        """Take a side of the match with the server's own players; the team, 0 or 1, that the server assigned.

        Raises:
            Refused: by the server.
            ConnectionLost: no server.
        """
        player = self._dc4client.PlayerModel(
            max_velocity=4.0, shot_std_dev=0.0076, angle_std_dev=0.0018, player_name=name
        )
        team = self._dc4client.TeamModel(
            use_default_config=True, team_name=name, player1=player, player2=player, player3=player, player4=player
        )
        trouble = await self._ask(self._poster.send_team_info(team))
        if trouble is not None:
            raise refusal("no seat in the match", trouble)
        return int(self._poster.match_team_name == "team1")

    async def start(self) -> State:
        """Listen from now on; the present state, which comes when both teams listen."""
        self._listening = asyncio.create_task(self._listen())
        state = await self.newer(None)
        while (later := await self.newer(state, within=QUIET)) is not None:
            state = later
        return state

    async def newer(self, state: State | None, within: float = float("inf")) -> Any:
        """The newest state as soon as it is later than the given one; None if there is none in time, s.

        Raises:
            Refused: by the server.
            ConnectionLost: the server has been out of reach for too long.
            ProtocolError: what the server sent is no state.
        """
        end = time.monotonic() + within
        while self._newest is None or (state is not None and self._newest.moment <= state.moment):
            now = time.monotonic()
            if self._error is not None:
                raise self._error
            if now >= end:
                return None
            given_up = end if self._down_since is None else min(end, self._down_since + PATIENCE)
            if now >= given_up:
                raise ConnectionLost(f"the server has been out of reach for {PATIENCE:g} s")
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), min(given_up - now, PATIENCE))
        return self._newest

    async def throw(self, shot: Shot) -> Trouble | None:
        """Send a throw; what went wrong."""
        self._log.text(TO_SERVER, shot._asdict())
        return await self._ask(
            self._poster.send_shot_info(
                translational_velocity=shot.translational_velocity,
                shot_angle=shot.shot_angle,
                angular_velocity=shot.angular_velocity,
            )
        )

    async def _ask(self, request: Any) -> Trouble | None:
        self._troubles.clear()
        try:
            await asyncio.wait_for(request, ANSWER)
        except TimeoutError:
            return Trouble(f"no answer within {ANSWER:g} s", None)
        return self._troubles[0] if self._troubles else None

    async def _listen(self) -> None:
        try:
            await self._take_states()
        except Exception as error:  # whatever the package, its client for HTTP and a strange event raise
            failure = refusal("no stream of states", trouble_of(error))
            failure.__cause__ = error
            self._fail(failure)

    async def _take_states(self) -> None:
        async with aclosing(self._listener.receive_state_data()) as states:
            async for told in states:
                data = told.model_dump_json()
                self._log.json(FROM_SERVER, data.encode())
                try:
                    state = decode_state(data)
                except ProtocolError as error:
                    self._fail(error)
                    return
                self._connected()
                if self._newest is None or state.moment > self._newest.moment:
                    self._newest, self.received = state, time.monotonic()
                    self._news.set()
        self._fail(Refused("the server has ended the stream of states"))

    def _connected(self) -> None:
        self._down_since = None

    def _stream_trouble(self, trouble: Trouble) -> None:
        if trouble.status == UNAUTHORIZED:
            self._fail(refusal("no stream of states", trouble))
        elif trouble.text.startswith("Failed to parse"):
            self._fail(ProtocolError(f"a state that dc4client cannot read: {trouble.text}"))
        elif self._down_since is None:
            self._down_since = time.monotonic()
            self._news.set()

    def _fail(self, error: Exception) -> None:
        self._error = self._error or error
        self._news.set()

    def _client(
        self,
        login: Login,
        match_id: UUID,
        team: int,
        trouble: Callable[[Trouble], None],
        connected: Callable[[], None] | None = None,
    ) -> Any:
        names = self._dc4client.MatchNameModel
        client = self._dc4client.DCClient(
            str(match_id),
            login.user,
            login.password,
            match_team_name=(names.team0, names.team1)[team],
            socket_read_timeout=SILENCE,
            enable_tcp_keepalive=False,
            auto_save_log=False,
        )
        client.set_server_address(login.host, login.port)
        client.logger = logging.Logger("dc4client", logging.DEBUG)  # of its own: the package's is shared, and keeps all
        client.logger.addHandler(_Ear(self._log, trouble, connected))
        return client


class _Ear(logging.Handler):
    """Hears what the package logs."""

    def __init__(
        self, log: MessageLog, trouble: Callable[[Trouble], None], connected: Callable[[], None] | None
    ) -> None:
        super().__init__()
        self._log, self._trouble, self._connected = log, trouble, connected

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a record on."""
        if record.levelno < logging.WARNING:
            if self._connected is not None and record.getMessage() == "SSE connection established.":
                self._connected()
            return
        cause = record.exc_info[1] if record.exc_info else None
        trouble = trouble_of(record.getMessage() if cause is None else f"{record.getMessage()}: {cause}")
        self._log.note(f"dc4client: {trouble.text}")
        self._trouble(trouble)
