"""What a venue says of the faults of clients, which does not depend on the server's words about them."""

from types import SimpleNamespace

import pytest

from bonspiel.curling.arena.venue import LEFT, Dc3Venue
from bonspiel.curling.server.client_connection import Fault
from bonspiel.curling.server.session import TeamFault
from tests.curling.server.hosting import context_of


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("left", "went away"), LEFT),
        (Fault("limit", "left 9 messages unread"), "left 9 messages unread"),
        (Fault("turn", "left its turn"), "left its turn"),
        (Fault("protocol", "no word left"), "broke the protocol: no word left"),
    ],
)
def test_a_fault_in_the_match(fault, words):
    venue = Dc3Venue(context_of())
    session = venue._new_session()
    assert venue.fault is None
    session.referee = SimpleNamespace()
    assert venue.fault is None
    session.fault = TeamFault(1, "team1 any name", fault)
    assert venue.fault == (1, words)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        (None, "protocol", "no word left"),
        ("odd\n", "protocol", "odd?: no word left"),
        (None, "limit", "no word left"),
        ("odd", "limit", "odd no word left"),
    ],
)
def test_a_fault_before_the_match(name, kind, words):
    venue = Dc3Venue(context_of())
    venue._lobby.faults[1] = SimpleNamespace(name=name), Fault(kind, "no word left")
    assert venue.complaint(1) == words and venue.complaint(0) is None
