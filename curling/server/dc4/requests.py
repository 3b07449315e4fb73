"""Reads requests to a server of Digital Curling 4: their user, their parameters and their body, in this order."""

import base64
import binascii
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from starlette.requests import Request

from bonspiel.curling.protocols.dc4_server import InvalidBody, content_of
from bonspiel.curling.server.dc4.refusal import invalid, unauthorized

JSON = "application/json"
T = TypeVar("T")


async def json_of(request: Request) -> Any:
    """The body of a request, decoded; None if there is none, or it is not said to be JSON.

    Raises:
        Refusal: it is not JSON.
    """
    body = await request.body()
    # other types are not read: a page of another site could send them with a password that its browser remembers
    if not body or request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        return None
    try:
        return msgspec.json.decode(body)
    except RecursionError:
        raise invalid("json_invalid", "JSON decode error: nested too deeply", "body") from None
    except ValueError as error:
        raise invalid("json_invalid", f"JSON decode error: {error}", "body") from None


def user_of(request: Request, users: Mapping[str, str]) -> str:
    """The user that a request names, with the right password; `users` are passwords by name.

    Raises:
        Refusal: no user, an unknown one, or another password.
    """
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        raise unauthorized("Not authenticated")
    try:
        user, colon, password = base64.b64decode(given.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        raise unauthorized("Invalid credentials") from None
    right = secrets.compare_digest(users.get(user, "").encode(), password.encode())
    if not (colon and right and user in users):
        raise unauthorized("Invalid credentials")
    return user


def parameter(request: Request, name: str, allowed: Sequence[str]) -> str:
    """A parameter of the query, which must be one of those allowed.

    Raises:
        Refusal: it is missing, or another one.
    """
    given = request.query_params.get(name)
    if given is None:
        raise invalid("missing", "Field required", "query", name)
    if given not in allowed:
        raise invalid("enum", f"Input should be {' or '.join(map(repr, allowed))}", "query", name)
    return given


def match_id_of(request: Request) -> UUID:
    """The id of the match, in the path of a request or in its query.

    Raises:
        Refusal: it is missing, or no UUID.
    """
    where, given = "path", request.path_params.get("match_id")
    if given is None:
        where, given = "query", request.query_params.get("match_id")
    if given is None:
        raise invalid("missing", "Field required", where, "match_id")
    try:
        return UUID(given)
    except ValueError:
        raise invalid("uuid_parsing", "Input should be a valid UUID", where, "match_id") from None


def checked(body: Any, kind: type[T]) -> T:
    """The content of a body, see `json_of`.

    Raises:
        Refusal: it is missing, or of another type.
    """
    if body is None:
        raise invalid("missing", f"Field required, with Content-Type {JSON}", "body")
    try:
        return content_of(body, kind)
    except InvalidBody as error:
        raise invalid(error.kind, str(error), "body", *error.where) from None
