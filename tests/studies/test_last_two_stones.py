"""The study of the win probability with two stones left."""

from docs.studies import last_two_stones


def test_both_estimates_are_near_the_value_played_on(capsys):
    assert last_two_stones.main(["--positions", "2", "--throws", "3"]) == 0
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()]
    errors = {row[0].strip(): float(row[1]) for row in rows[2:]}
    assert [*errors] == ["network", "shown"] and all(0.0 < error < 0.2 for error in errors.values())
