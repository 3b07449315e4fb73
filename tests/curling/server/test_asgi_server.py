"""The web server that the application of any server runs in: its bounds, and its end."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from bonspiel.curling.server.asgi_server import Limits, listening_socket, serving

PATIENCE = 60.0  # s, for anything that a test waits for
LIMITS = Limits(connections=4, head=2000, body=1000, request_seconds=PATIENCE, unread_seconds=0.3)
SHORT = LIMITS._replace(request_seconds=0.6)
GET = b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n"


async def echo(request):
    return JSONResponse(len(await request.body()))


async def refused(request, error):
    return JSONResponse({"detail": error.detail}, error.status_code)


async def broken(request):
    raise ValueError("a defect\nof two lines")


class Streams:
    """Answers that stream for ever; how many are open."""

    def __init__(self, piece):
        self.piece, self.open = piece, 0

    async def answer(self, request):
        async def pieces():
            self.open += 1
            try:
                while True:
                    yield self.piece
                    await asyncio.sleep(0.001)
            finally:
                self.open -= 1

        return StreamingResponse(pieces())


class Host:
    def __init__(self, port, streams, told):
        self.port, self.streams, self.told, self.writers = port, streams, told, []

    async def connect(self, data=b""):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 10)
        self.writers.append(writer)
        writer.write(data)
        return reader, writer


@asynccontextmanager
async def hosting(limits=LIMITS, piece=b"x"):
    streams, told = Streams(piece), []
    routes = [Route("/echo", echo, methods=["POST"]), Route("/broken", broken), Route("/stream", streams.answer)]
    app = Starlette(routes=routes, exception_handlers={HTTPException: refused})
    listener = listening_socket("127.0.0.1", 0)
    async with serving(app, [listener], told.append, limits):
        host = Host(listener.getsockname()[1], streams, told)
        try:
            yield host
        finally:
            for writer in host.writers:
                writer.transport.abort()


async def status_and_body(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
    length = next(int(line.split(":")[1]) for line in head if line.startswith("content-length"))
    return int(head[0].split()[1]), await reader.readexactly(length)


async def answer_to(host, data):
    """The status and the detail of the answer to a request."""
    reader, _ = await host.connect(data)
    status, body = await status_and_body(reader)
    return status, json.loads(body)


async def until(condition):
    while not condition():
        await asyncio.sleep(0.005)


def post(body, length=None):
    length = len(body) if length is None else length
    return b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (length, body)


START = b"GET /echo HTTP/1.1\r\nHost: a\r\n"
CHUNKED = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
REFUSED = {
    "no http": (b"what is this\r\n\r\n", 400, "Invalid HTTP request"),
    "two lengths": (START + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400, "Invalid HTTP request"),
    "a long head": (START + b"X: " + b"x" * 4_000_000 + b"\r\n\r\n", 400, "longer than 2000 bytes"),
    "a long body": (post(b"x" * 1001), 413, "longer than 1000 bytes"),
    "a body said to be long": (post(b"", 1 << 60), 413, "longer than 1000 bytes"),
    "a long body in chunks": (CHUNKED + b"3e9\r\n" + b"x" * 1001 + b"\r\n0\r\n\r\n", 413, "longer than 1000 bytes"),
    "an incomplete head": (b"GET /echo HTTP/1.1\r\nHost:", 408, "not complete after 0.6 s"),
    "an incomplete body": (post(b"x", 2), 408, "not complete after 0.6 s"),
    "an incomplete chunk": (CHUNKED + b"3\r\nx", 408, "not complete after 0.6 s"),
    "a broken chunk": (CHUNKED + b"zzz\r\n", 400, "Invalid HTTP request"),
}


@pytest.mark.parametrize("data, status, detail", REFUSED.values(), ids=REFUSED)
async def test_what_is_too_long_too_slow_or_not_http_is_refused_with_a_reason(data, status, detail):
    async with hosting(SHORT if status == 408 else LIMITS) as host:
        got, body = await answer_to(host, data)
        while (await answer_to(host, post(b"x" * 1000)))[0] != 200:  # it still serves, if not always within 0.6 s
            assert status == 408
        told = host.told
    assert got == status and detail in body["detail"] and not told


async def test_a_request_in_many_small_pieces_is_late_all_the_same():
    async with hosting(SHORT) as host:
        reader, writer = await host.connect()

        async def trickle():
            for byte in post(b"x" * 900):
                writer.write(bytes([byte]))
                await asyncio.sleep(0.01)

        sending = asyncio.create_task(trickle())
        status, _ = await status_and_body(reader)
        sending.cancel()
        assert status == 408


async def test_a_connection_serves_several_requests_each_with_its_own_time():
    async def answers(seconds):
        async with hosting(LIMITS._replace(request_seconds=seconds)) as host:
            reader, writer = await host.connect()
            found = []
            for _ in range(4):
                writer.write(post(b"x"))
                await asyncio.sleep(0.4 * seconds)
                writer.write(post(b"xy"))
                found += [await status_and_body(reader) for _ in range(2)]
            return found

    for seconds in (0.6, 2.4, 9.6):  # other programs may take the seconds of a request
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            if await answers(seconds) == 4 * [(200, b"1"), (200, b"2")]:
                return
    pytest.fail("no connection served several requests")


async def test_a_connection_without_a_request_is_closed():
    async with hosting(SHORT) as host:
        reader, _ = await host.connect()
        assert await reader.read() == b""


async def test_connections_beyond_the_limit_are_refused_and_places_become_free():
    async with hosting() as host:
        streams = [await host.connect(GET % b"stream") for _ in range(4)]
        await until(lambda: host.streams.open == 4)
        reader, _ = await host.connect(post(b"x"))
        refused, rest = await status_and_body(reader), await reader.read()
        streams[0][1].transport.abort()
        await until(lambda: host.streams.open == 3)
        while (answer := await status_and_body((await host.connect(post(b"x")))[0]))[0] == 503:
            await asyncio.sleep(0.05)
        assert (refused, rest, answer) == ((503, b"Service Unavailable"), b"", (200, b"1"))


async def test_connections_beyond_twice_the_limit_are_closed_without_an_answer():
    async with hosting() as host:
        open_ones = [await host.connect() for _ in range(8)]
        await asyncio.sleep(0.1)
        reader, _ = await host.connect(post(b"x"))
        with suppress(ConnectionError):
            assert await reader.read() == b""
        assert len(open_ones) == 8


async def test_a_client_that_does_not_read_loses_its_stream():
    async with hosting(piece=b"x" * 100_000) as host:
        await host.connect(GET % b"stream")
        await until(lambda: host.streams.open == 1)
        await until(lambda: host.streams.open == 0)


async def test_a_defect_of_the_application_is_told_in_one_line_and_answered():
    async with hosting() as host:
        reader, _ = await host.connect(GET % b"broken")
        assert (await status_and_body(reader))[0] == 500
        assert host.told == ["the server failed: ValueError: a defect of two lines"]


async def test_its_end_does_not_wait_for_open_streams():
    async with hosting(piece=b"x" * 100_000) as host:
        readers = [(await host.connect(GET % b"stream"))[0] for _ in range(3)]
        await until(lambda: host.streams.open == 3)
    assert host.streams.open == 0
    with pytest.raises(ConnectionRefusedError):
        await host.connect()
    assert len(readers) == 3


def test_a_port_in_use_is_an_error_that_leaves_nothing_open():
    with listening_socket("127.0.0.1", 0) as taken, pytest.raises(OSError):
        listening_socket("127.0.0.1", taken.getsockname()[1])
