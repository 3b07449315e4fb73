"""The refusals of a server of Digital Curling 4, as answers of HTTP."""

from http import HTTPStatus
from typing import Any

MATCH_NOT_FOUND = "Match not found."
NO_SEAT = "Invalid match data"


class Refusal(Exception):
    """A refused request: the status and the detail of its answer."""

    def __init__(self, status: int, detail: Any) -> None:
        super().__init__(f"{status} {detail}")
        self.status, self.detail = status, detail


def unauthorized(detail: str) -> Refusal:
    """The refusal of a user."""
    return Refusal(HTTPStatus.UNAUTHORIZED, detail)


def conflict(detail: str) -> Refusal:
    """The refusal of something that the match does not allow now."""
    return Refusal(HTTPStatus.CONFLICT, detail)


def invalid(kind: str, text: str, *where: str) -> Refusal:
    """The refusal of a request that names what is missing or wrong, such as ("body", "time_limit")."""
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, [{"type": kind, "loc": where, "msg": text}])
