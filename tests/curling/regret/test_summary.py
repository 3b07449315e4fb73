"""What is read from verdicts."""

import sys
from types import SimpleNamespace

import pytest

from bonspiel.curling.arena.clients import parse_clients
from bonspiel.curling.regret.earlier import changes
from bonspiel.curling.regret.summary import referee_of

OURS = f"mine={sys.executable} -m bonspiel client dc3 --port {{port}}"


@pytest.mark.parametrize(
    ("client", "referee"),
    [
        ("random", "network"),
        ("expectimax:plies=1", "network"),
        ("champion:threads=1", "playouts"),
        ("presearch", "playouts"),
        ("valued:inner=puct", "playouts"),
        ("process:./champion", "network"),
        (f"champion={sys.executable} x.py {{port}}", "network"),
        (f"{OURS} --planner rulebased", "network"),
        (f"{OURS} --planner champion:threads=1", "playouts"),
        (f"{OURS} --planner=rulebased", "network"),
        (OURS, "playouts"),
        ("b=sh -c 'cd x && bonspiel client dc3 --port {port}'", "playouts"),
        (f"mine={sys.executable} bonspiel/x.py {{port}}", "network"),
        ("process:python -m bonspiel.curling.players.serve champion", "playouts"),
        ("process:python -m bonspiel.curling.players.serve rulebased", "network"),
    ],
)
def test_no_client_is_judged_by_the_values_that_it_searches_with(client, referee):
    assert referee_of(parse_clients([client], "dc3", [])[0]) == referee


def test_equal_positions_are_compared_once():
    (client,) = parse_clients(["random"], "dc3", [])

    def examined(key, regret):
        verdict = SimpleNamespace(referee="network", regret=regret)
        return SimpleNamespace(key=key, verdicts={client.name: (verdict,)})

    now = [examined(key, regret) for key, regret in (("a", 0.4), ("a", 0.2), ("b", 0.4))]
    text = changes([examined("a", 0.1), examined("b", 0.1)], now, [client])
    assert "regret 0.300, was 0.100" in text and text.endswith(", 2 positions")
