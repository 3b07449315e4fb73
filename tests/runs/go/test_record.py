"""Records of games of Go as SGF: written, read again, from elsewhere, and broken."""

import pytest

from bonspiel.envs.go.model import Go
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.go import problem_file, record, sgf
from bonspiel.runs.go.record import GoRecord, RecordedMove
from bonspiel.runs.go.sgf import Incomplete, read_nodes, write_nodes

GAME = GoRecord(
    Go(7, 3.5, superko=True, playout="light"),
    ("uct:leaf=rollout", "a\\ program [with] marks;"),
    {"sides": [["uct", 1, "ms"]], "seed": 1, "pair": 0, "number": 0},
    (RecordedMove(0, 24, 0.25, 100, 0.5), RecordedMove(1, 3), RecordedMove(0, 49, -1.0, 7, 0.01)),
    0.0,
    "W+F",
    "it was [not] a move",
)


def test_a_record_is_read_as_it_was_written(tmp_path):
    file = tmp_path / "game.sgf"
    record.write(file, GAME)
    assert record.read(file) == GAME and [one.name for one in tmp_path.iterdir()] == ["game.sgf"]
    assert ";B[dd]C[" in file.read_text() and ";W[da]C[" in file.read_text() and ";B[]C[" in file.read_text()


def test_every_record_that_breaks_off_is_refused_or_read_in_part(tmp_path):
    file = tmp_path / "game.sgf"
    record.write(file, GAME)
    text, lengths = file.read_text().rstrip(), set()
    for length in range(len(text)):
        file.write_text(text[:length])
        with pytest.raises(ValueError, match=r"game.sgf is no record of a game of Go"):
            record.read(file)
        if text.index("\n") < length:
            found = record.read(file, partial=True)
            count = len(found.moves)
            assert [move.index for move in found.moves] == [24, 3, 49][:count] and found.names == GAME.names
            assert found.moves[: count - 1] == GAME.moves[: max(count - 1, 0)]
            lengths.add(count)
    assert lengths == {0, 1, 2, 3}


def test_a_game_from_elsewhere_is_read(tmp_path):
    file = tmp_path / "game.sgf"
    file.write_text("( ;GaMe[1] SiZe[9]KM[6.5]C[a remark]\n;B[ee];W[tt](;B[aa])(;B[bb];W[cc]))")
    found = record.read(file)
    assert found.model == Go(9, 6.5) and found.names == ("Black", "White") and found.value is None
    assert [(move.player, move.index) for move in found.moves] == [(0, 40), (1, 81), (0, 0)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not a game",
        "()",
        "(;SZ[9];B[zz])",
        "(;SZ[3])",
        "(;SZ[9:9])",
        "(;SZ[9]KM[much])",
        "(;SZ[9]KM[0.3])",
        "(;SZ[9]AB[aa])",
        "(;GM[2]SZ[9])",
        "[aa](;SZ[9])",
        '(;SZ[9]C[{"superko": 7}])',
        '(;SZ[9];B[aa]C[{"value": "high"}])',
        '(;SZ[9];B[aa]C[{"seconds": []}])',
        "\x00",
    ],
)
def test_what_is_no_record_is_refused_in_one_line(tmp_path, text):
    file = tmp_path / "game.sgf"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"game.sgf is no record of a game of Go: ") as error:
        record.read(file, partial=True)
    assert "\n" not in str(error.value)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr(sgf, "read_nodes", lambda text: pytest.fail("it is read"))
    file = tmp_path / "game.sgf"
    with file.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(ValueError, match="more than 1,000,000 bytes"):
        record.read(file)
    with pytest.raises(UsageError, match="more than 1,000,000 bytes"):
        problem_file.read_problem(file)


def test_nodes_keep_their_values():
    nodes = [{"A": ["1", "2"], "C": ["]\\[; ()"]}, {}, {"B": [""]}]
    assert read_nodes(write_nodes(nodes)) == nodes
    with pytest.raises(Incomplete) as broken:
        read_nodes("(;A[1];B[")
    assert broken.value.nodes == [{"A": ["1"]}, {"B": []}]
