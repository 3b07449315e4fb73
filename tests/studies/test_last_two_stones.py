"""The study of the win probability with two stones left."""

from docs.studies import last_two_stones


def test_the_estimate_that_is_shown_is_nearer_than_the_network(capsys):
    assert last_two_stones.main(["--positions", "2", "--throws", "3"]) == 0
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()]
    errors = {row[0].strip(): float(row[1]) for row in rows[2:]}
    assert errors["shown"] < 0.6 * errors["network"]
