"""A connection to a server of Digital Curling 4 by the official package dc4client, with error handling added.

The package reports failures in its log only: to its caller a refused throw, a wrong password and a stream that is
retried for ever look like success. So this module reads that log, and turns off the package's own log file.
"""

import asyncio
import functools
import importlib
import logging
import re
import time
import types
from collections.abc import Callable
from contextlib import aclosing, suppress
from typing import Any, NamedTuple, Self
from uuid import UUID

from bonspiel.curling.client.exit_status import ConnectionLost, no_connection
from bonspiel.curling.client.message_log import FROM_SERVER, TO_SERVER, MessageLog
from bonspiel.curling.protocols import ProtocolError
from bonspiel.curling.protocols.dc4 import ShotRequest, StateUpdate, decode_state

PATIENCE = 60.0  # s that a server may be unreachable
SILENCE = 75  # s without data until the stream is reopened; servers send something every 30 s
ANSWER = 20.0  # s that a request may take
QUIET = 0.25  # s without another event: all earlier states of the end have arrived
UNAUTHORIZED = 401
REDIRECTS = range(300, 400)
UNREACHABLE = re.compile(r"Cannot connect to host (\S+):(\d+) ssl:\S+ \[(.*)\]")


class ServerRefused(Exception):
    """The server refuses the client or its throw; the text is one line."""


class Account(NamedTuple):
    """A user's account on a server."""

    host: str
    port: int
    user: str
    password: str


class PackageFailure(NamedTuple):
    """A failure logged by the package, and the HTTP status if the server answered."""

    text: str
    status: int | None


def load_dc4client() -> Any:
    """The package dc4client.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    try:
        package = importlib.import_module("dc4client")
    except ModuleNotFoundError as error:
        hint = f"Digital Curling 4 needs the package dc4client, and {error.name} is missing: pip install -e '.[dc4]'"
        raise ModuleNotFoundError(hint) from error
    logging.getLogger("aiohttp_sse_client2").addHandler(logging.NullHandler())  # it repeats the same failures
    refuse_redirects()
    return package


def error_of(what: str, failure: PackageFailure) -> ServerRefused | ConnectionLost:
    """The exception for a failure."""
    if unreachable := UNREACHABLE.search(failure.text):
        return no_connection(*unreachable.groups())
    if failure.status is None:
        return ConnectionLost(f"{what}: {failure.text}")
    if failure.status in REDIRECTS:
        return ServerRefused(f"{what}: redirects are not followed ({failure.text})")
    refused = "the user, the password or the match" if failure.status == UNAUTHORIZED else "it"
    return ServerRefused(f"{what}: the server refuses {refused} ({failure.text})")


def failure_of(error: object) -> PackageFailure:
    """A failure from an exception or a log message: one line of at most 300 characters, and its HTTP status."""
    text = " ".join(str(error).split()) or type(error).__name__
    status = re.search(r"\b(?:status=|failed: )(\d{3})\b", text)
    return PackageFailure(text[:300], int(status[1]) if status else None)


class Dc4Connection:
    """A match on a server, as an asynchronous context manager; call `join` for a side, `listen`, then `first_state`.

    The log takes all messages, and the package's failures as notes.

    Attributes:
        received: when the newest state arrived, in `time.monotonic` seconds.
    """

    def __init__(self, account: Account, match_id: UUID, team: int, log: MessageLog) -> None:
        self._dc4client, self._log = load_dc4client(), log
        self._failures: list[PackageFailure] = []
        self._sender = self._client(account, match_id, team, self._failures.append)
        self._listener = self._client(account, match_id, team, self._stream_failed)
        self._listening: asyncio.Task[None] | None = None
        self._down_since: float | None = None
        self._error: Exception | None = None
        self._newest: StateUpdate | None = None
        self._changed, self._is_open = asyncio.Event(), False
        self.received = time.monotonic()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.logger.disabled = True
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    async def join(self, name: str, members: int = 4) -> int:
        """Take a side of the match with `members` of the server's default players; return the assigned team, 0 or 1.

        Raises:
            ServerRefused: by the server.
            ConnectionLost: the server is unreachable.
        """
        models = self._dc4client
        player = models.PlayerModel(max_velocity=4.0, shot_std_dev=0.0076, angle_std_dev=0.0018, player_name=name)
        players = {f"player{number}": player for number in range(1, members + 1)}
        team = models.TeamModel(use_default_config=True, team_name=name, **players)
        failure = await self._send(self._sender.send_team_info(team))
        if failure is not None:
            raise error_of("no place in the match", failure)
        return int(self._sender.match_team_name == "team1")

    async def listen(self) -> None:
        """Start to listen, and wait until the server sends the stream of states.

        Raises:
            ServerRefused: by the server.
        """
        self._listening = asyncio.create_task(self._listen())
        while not self._is_open:
            if self._error is not None:
                raise self._error
            self._changed.clear()
            await self._changed.wait()

    async def first_state(self) -> StateUpdate:
        """The current state, which arrives when both teams listen."""
        state = await self.newer_state(None)
        while (later := await self.newer_state(state, within=QUIET)) is not None:
            state = later
        return state

    async def newer_state(self, state: StateUpdate | None, within: float = float("inf")) -> Any:
        """The newest state as soon as it is later than the given one; None if none arrives in time, s.

        Raises:
            ServerRefused: by the server.
            ConnectionLost: the server was unreachable for too long.
            ProtocolError: the server sent an invalid state.
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
                raise ConnectionLost(f"the server has been unreachable for {PATIENCE:g} s")
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), min(given_up - now, PATIENCE))
        return self._newest

    async def throw(self, shot: ShotRequest) -> PackageFailure | None:
        """Send a throw; the failure, if any."""
        self._log.write_value(TO_SERVER, shot._asdict())
        return await self._send(self._sender.send_shot_info(**shot._asdict()))

    async def set_up_end(self, choice: str) -> PackageFailure | None:
        """Send the set-up of an end, one of `curling.match.setup_value.CHOICES`; the failure, if any."""
        self._log.write_value(TO_SERVER, {"request": choice})
        positioned = self._dc4client.PositionedStonesModel(choice)
        return await self._send(self._sender.send_positioned_stones_info(positioned))

    async def _send(self, request: Any) -> PackageFailure | None:
        self._failures.clear()
        try:
            await asyncio.wait_for(request, ANSWER)
        except TimeoutError:
            return PackageFailure(f"no answer within {ANSWER:g} s", None)
        return self._failures[0] if self._failures else None

    async def _listen(self) -> None:
        try:
            async with aclosing(self._listener.receive_state_data()) as states:
                async for received in states:
                    self._receive(received.model_dump_json())
            self._fail(ServerRefused("the server has ended the stream of states"))
        except ProtocolError as error:
            self._fail(error)
        except Exception as error:  # any error of the package, of its HTTP client, or an invalid event
            failure = error_of("no stream of states", failure_of(error))
            failure.__cause__ = error
            self._fail(failure)

    def _receive(self, data: str) -> None:
        self._log.write_json(FROM_SERVER, data.encode())
        state = decode_state(data)
        self._down_since = None
        if self._newest is None or state.moment > self._newest.moment:
            self._newest, self.received = state, time.monotonic()
            self._changed.set()

    def _stream_failed(self, failure: PackageFailure) -> None:
        if failure.status == UNAUTHORIZED or failure.status in REDIRECTS:
            self._fail(error_of("no stream of states", failure))
        elif failure.text.startswith("Failed to parse"):
            self._fail(ProtocolError(f"dc4client cannot parse a state: {failure.text}"))
        elif self._down_since is None:
            self._down_since = time.monotonic()
            self._changed.set()

    def _fail(self, error: Exception) -> None:
        self._error = self._error or error
        self._changed.set()

    def _client(self, account: Account, match_id: UUID, team: int, failed: Callable[[PackageFailure], None]) -> Any:
        def observe(record: logging.LogRecord) -> bool:
            if record.levelno >= logging.WARNING:
                cause = record.exc_info[1] if record.exc_info else None
                failure = failure_of(record.getMessage() if cause is None else f"{record.getMessage()}: {cause}")
                self._log.write_note(f"dc4client: {failure.text}")
                failed(failure)
            elif record.getMessage() == "SSE connection established.":
                self._down_since, self._is_open = None, True
                self._changed.set()
            return False

        names = self._dc4client.MatchNameModel
        options = {"socket_read_timeout": SILENCE, "enable_tcp_keepalive": False, "auto_save_log": False}
        options["match_team_name"] = (names.team0, names.team1)[team]
        client = self._dc4client.DCClient(str(match_id), account.user, account.password, **options)
        client.set_server_address(account.host, account.port)
        client.logger = logging.Logger("dc4client", logging.DEBUG)  # not the package's, which all clients share
        client.logger.addFilter(observe)
        return client


@functools.cache
def refuse_redirects() -> None:
    """Let the package follow no redirect: it would give the password to whatever address a server names."""
    import aiohttp

    async def refuse(session: Any, context: Any, redirect: Any) -> None:
        status, place = redirect.response.status, ascii(redirect.response.headers.get("Location", ""))[:100]
        raise aiohttp.ClientError(
            f"status={status}: it sends the client on to {place}, which would get the password; "
            "if that is right, give its --host and --port"
        )

    trace: Any = aiohttp.TraceConfig()
    trace.on_request_redirect.append(refuse)
    session = functools.partial(aiohttp.ClientSession, trace_configs=[trace])
    for name in ("dc_client", "match_maker_client"):
        module: Any = importlib.import_module(f"dc4client.{name}")
        module.aiohttp = types.SimpleNamespace(**vars(aiohttp) | {"ClientSession": session})
