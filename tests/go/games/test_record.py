"""Records of games of Go as SGF: written, read again, from elsewhere, and broken."""

from pathlib import Path

import pytest

from bonspiel.go import sgf
from bonspiel.go.games import record
from bonspiel.go.games.record import GoRecord, RecordedMove
from bonspiel.go.model import Go
from bonspiel.go.sgf import Incomplete, read_nodes, write_nodes
from bonspiel.go.tsumego import problem_file
from bonspiel.runs.experiment import UsageError

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


def test_comments_of_other_programs_that_hold_json_are_no_facts_of_ours(tmp_path):
    file = tmp_path / "a.sgf"
    comment = '{"value":"good","playout":"x","simulations":"many"}'
    file.write_text(f"(;GM[1]SZ[9]C[{comment}];B[aa]C[{comment}])")
    found = record.read(file)
    assert (found.facts, found.value, found.moves) == (None, None, (record.RecordedMove(0, 0),))


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
        '(;SZ[9]C[{"superko": 7, "facts": null}])',
        '(;SZ[9]C[{"facts": null}];B[aa]C[{"value": "high"}])',
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


RECORDS = Path(__file__).parent / "records"  # as programs and servers write them
OTHERS = {
    "bom": (7.5, ("Black", "White"), 4),
    "chinese_result": (0.0, ("乙", "甲"), 2),
    "gb": (6.5, ("甲", "乙"), 4),
    "kmcomma": (6.5, ("Black", "White"), 4),
    "kmempty": (0.0, ("Black", "White"), 4),
    "latin1": (6.5, ("Müller", "Jönsson"), 4),
    "mailheader": (0.0, ("Black", "White"), 4),
    "sjis": (6.5, ("山田 太郎", "佐藤 表子"), 4),
    "spacevalue": (6.5, ("Black", "White"), 2),
}


@pytest.mark.parametrize("name", OTHERS)
def test_records_of_other_programs_are_read(name):
    found = record.read(RECORDS / f"{name}.sgf")
    assert (found.model.komi, found.names, len(found.moves)) == OTHERS[name]
    assert found.result == ("白胜43.5目" if name == "chinese_result" else "")


GAME_OF_TWO = "GM[1]FF[4]SZ[9]PB[{}];B[ee];W[cc])"


@pytest.mark.parametrize(
    ("head", "charset", "name"),
    [
        ("(;CA[UTF-8]", "utf-8", "Müller"),
        ("(;CA[utf-8]", "utf-8-sig", "Müller"),
        ("(;CA[ISO-8859-1]", "latin-1", "Müller"),
        ("(;CA[ISO8859-1]", "utf-8", "MÃ¼ller"),  # true or not, it is what the file says
        ("(;CA[UTF-8]", "latin-1", "Müller"),  # not true
        ("(;CA[GBK]", "gb18030", "聶衛平"),
        ("(;CA[Big5]", "big5", "聶衛平"),
        ("(;CA[EUC-KR]", "euc-kr", "이창호"),
        ("(;CA [ Shift_JIS ]", "cp932", "表 ソ]"),  # whose second bytes are a backslash or a bracket
        ("(;", "utf-16", "Müller"),
        ("(;CA[]", "utf-8", "Müller"),
    ],
)
def test_the_character_set_is_that_of_the_mark_or_of_ca_or_utf_8_or_latin_1(tmp_path, head, charset, name):
    file = tmp_path / "game.sgf"
    written = "Müller" if name == "MÃ¼ller" else name
    file.write_bytes((head + GAME_OF_TWO.format(written.replace("]", "\\]"))).encode(charset))
    assert record.read(file).names[0] == name


@pytest.mark.parametrize("written", ["utf-8", "latin-1"])
@pytest.mark.parametrize(
    "charset", ["ANSI", "8859-1", "klingon", "hex", "undefined", "punycode", "idna", "utf-16", "cp037", "UTF 8", "x\0"]
)
def test_a_character_set_that_is_unknown_or_not_true_is_named_and_others_are_tried(tmp_path, capsys, charset, written):
    file = tmp_path / "game.sgf"
    file.write_bytes(f"(;CA[{charset}]{GAME_OF_TWO.format('Müller-Lüdenscheidt')}".encode(written))
    assert record.read(file).names[0] == "Müller-Lüdenscheidt"
    said = f"{file} says CA={charset!r}, which is not its character set: it is read as {written.title()}\n"
    assert capsys.readouterr().err.lower() == said.lower()


@pytest.mark.parametrize(
    "text",
    [
        "(;C[CA [x\\]]PB[Jöns]SZ[9];B[ee])",
        "(;PB[Jöns]SZ[9]C[CA[GBK\\] is not meant];B[ee])",
        "CA[Big5] in a mail\n(;PB[Jöns]SZ[9];B[ee])",
        "(;PB[Jöns]SZ[9];B[ee]CA[GBK])",
        "(;PB[Jöns]SZ[9];B[ee])(;CA[GBK]SZ[9])",
        "(;C[CA[Big5\\] or CA[klingon\\]]CA[UTF-8]PB[Jöns]SZ[9];B[ee])",
    ],
)
def test_a_character_set_is_that_of_the_first_node_alone(tmp_path, text):
    file = tmp_path / "game.sgf"
    file.write_text(text, encoding="utf-8")
    assert record.read(file).names[0] == "Jöns"


def test_a_character_set_is_found_behind_text_whose_bytes_are_brackets(tmp_path):
    file = tmp_path / "game.sgf"
    file.write_bytes("(;AN[表]CA[Shift_JIS]SZ[9]PB[表];B[ee])".encode("cp932"))  # the second byte is a backslash
    assert record.read(file).names[0] == "表"


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[1]\rSZ[9]\rKM[6.5]\r;B[ee]\r;W[cc]\r)",
        "(;GM [1]\tSZ\n[ 9 ]KM[6,5 ] ; B [ee] ; W[ cc ] )",
        "(;gm[1]sz[9]km[6.5];b[ee];w[cc])",
        "(;GaMe[1]SiZe[9]KoMi[6.5];Black[ee];White[cc])",
        "Subject: a game (the first) of [go]\n\n(;GM[]SZ[9]KM[+6.50];B[ee](;W[cc])(;W[dd]))\n-- \nme",
        "(;SZ[9]KM[6.5]AB[]MULTI_2[x];B[ee];W[cc]",
        "(;SZ[9]KM[6.5]C[a \\] bracket (;B[aa\\]) \\\\];B[ee];W[cc])",
    ],
)
def test_blanks_line_ends_and_earlier_names_change_nothing(tmp_path, text):
    file = tmp_path / "game.sgf"
    file.write_bytes(text.encode())
    found = record.read(file, partial=True)
    assert found.model == Go(9, 6.5) and [move.index for move in found.moves] == [40, 20]


def test_a_line_that_is_broken_for_its_length_is_one():
    assert read_nodes("(;C[one\\\nline \\\r\nof three])") == [{"C": ["oneline of three"]}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(;SZ[9]HA[2]AB[cc][gg];W[ee])", "AB in its first node"),
        ("(;SZ[9];AB[cc];W[ee])", "AB in node 1"),
        ("(;SZ[9];B[ee];AW[aa:cc])", "AW in node 2"),
        ("(;SZ[9];B[ee];AE[ee])", "AE in node 2"),
        ("(;SZ[9];B[ee]AW[aa])", "AW in node 1"),
        ("(;SZ[9];B[ee]W[aa])", "several moves in one node"),
        ("(;SZ[9];B[ee][aa])", "several moves in one node"),
    ],
)
def test_stones_that_no_move_brings_are_refused_and_not_lost(tmp_path, refused, text, words):
    file = tmp_path / "game.sgf"
    file.write_text(text)
    err = refused("replay", file, "--game", "go")
    assert words in err


def test_passes_are_read_in_each_form(tmp_path):
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[9];B[];W[tt];B[ ])")
    assert [move.index for move in record.read(file).moves] == [81, 81, 81]


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ("(;SZ[9];B[aa])", 1),
        ("\n(;SZ[9](;B[aa])(;B[bb]))\n(;SZ[9]", 2),
        ("(bye)", 0),
        ("\n\nFrom: her: (2)\n\n(;SZ[9])", 1),
        ("[(;SZ[9])]\n", 1),
        ("\n(;)" * 30_000 + "\n", 30_000),
    ],
)
def test_games_beside_the_first_are_counted(tmp_path, capsys, more, left):
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[9];B[ee](;W[cc])(;W[dd]))" + more)
    assert [move.index for move in record.read(file).moves] == [40, 20]
    said = f"{file} has {left + 1} games: the first is read, {left} left out\n"
    assert capsys.readouterr().err == (said if left else "")
