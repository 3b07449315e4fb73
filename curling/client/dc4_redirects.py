"""Redirects of a server of Digital Curling 4, which the package dc4client would follow with user and password."""

import functools
import importlib
import types
from typing import Any


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
