import hashlib
import json
import lzma
import shutil
import tarfile

import pytest

from bonspiel.runs.results import packed, store
from bonspiel.runs.results.seal import Seal
from tests.runs.archive.conftest import COMMIT

pytestmark = pytest.mark.usefixtures("undrawn")

GIVEN = "--who", "A. Author", "--where", "https://example.org/a", "--licence", "cc-by-4.0", "--jobs", "1"


def members(file):
    with tarfile.open(file) as archive:
        return {one.name: archive.extractfile(one).read() for one in archive}


def rewrite(file, contents):
    """Write a submission of other contents."""
    with tarfile.open(file, "w:xz") as archive:
        for name, content in contents.items():
            place = file.with_name("member")
            place.write_bytes(content)
            archive.add(place, name)


@pytest.fixture
def submitted(run, played, tmp_path):
    file = tmp_path / "theirs.tar.xz"
    status, out, err = run("submit", played, *GIVEN, "--out", file)
    assert status == 0, err
    assert "2 of 24 rows (8.3%, drawn with seed 0) were replayed: all came out as stored" in out
    return file


def test_a_submission_is_the_run_with_its_description_and_citation(run, played, submitted):
    found = members(submitted)
    assert [*found] == ["results.sqlite", "episodes.csv", "croissant.json", "CITATION.cff"]
    with store.read(played) as results, packed.read_any(submitted) as copy:
        digest = Seal.kept(results).results
        assert Seal.kept(copy).results == digest and copy.resolved == results.resolved
        assert copy.provenance == results.provenance
        assert copy.submission == {"who": "A. Author", "where": "https://example.org/a", "licence": "CC-BY-4.0"}
    described = json.loads(found["croissant.json"])
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0" and described["@type"] == "sc:Dataset"
    assert described["license"].endswith("/CC-BY-4.0") and described["creator"]["name"] == "A. Author"
    head, *lines = found["episodes.csv"].decode().splitlines()
    assert [one["name"] for one in described["recordSet"][0]["field"]] == head.split(",") and len(lines) == 24
    made = {one["name"]: one["value"] for one in described["variableMeasured"]}
    assert made["commit"] == COMMIT and made["digest of the results"] == digest and "cores" in made["cpu"]
    assert json.loads(made["packages"]).keys() > {"numpy", "numba"}
    assert {one["name"] for one in described["mentions"]} == {"trap", "dpw:exploration=0.5", "uct"}
    assert digest in described["citeAs"] and f'commit: "{COMMIT}"' in found["CITATION.cff"].decode()
    status, out, _ = run("verify", submitted, "--share", "1", "--jobs", "1")
    assert status == 0 and "16 of 24 rows" in out


def test_what_a_planner_of_another_package_was_is_in_the_description(run, tmp_path, monkeypatch, played):
    (tmp_path / "own_planner.py").write_text(
        "from bonspiel.planners.trees.uct import UCT\n\n\nclass Own(UCT):\n    'A planner of ours.'\n"
    )
    line = "run", "trap", "--planner", "own_planner:Own", "--planner", "uct", "--budget", "3", "--episodes", "2"
    assert run(*line, "--out", "own", "--jobs", "1")[0] == 0
    assert run("submit", "own", *GIVEN, "--out", "own.tar.xz")[0] == 0
    described = json.loads(members(tmp_path / "own.tar.xz")["croissant.json"])
    own = next(one for one in described["mentions"] if one["name"] == "own_planner:Own")
    assert "(own_planner: sources " in own["description"]


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        (["DELETE FROM episode WHERE setting = 2"], "4 of its 24 episodes are missing: continue with"),
        (["INSERT INTO failure VALUES (1, 2, 'no')"], "1 of its 24 episodes failed"),
        (["UPDATE meta SET value = '1/2' WHERE key = 'part'"], "it is part 1/2 of a run: join the parts"),
        (["UPDATE episode SET total = total + 0.1"], "return is"),
        (
            [
                "UPDATE setting SET planner = 'pw' WHERE planner = 'uct'",
                """UPDATE meta SET value = replace(value, '"uct"', '"pw"') WHERE key = 'suite'""",
            ],
            "pw in trap with ",
        ),
        (["UPDATE meta SET value = json_set(value, '$.commit', 'ab+')"], "played by commit ab with changes, which"),
        (["UPDATE meta SET value = json_set(value, '$.commit', NULL)"], "it does not say its commit"),
        (["UPDATE meta SET value = json_remove(value, '$.cpu', '$.python')"], "it does not say its python, cpu"),
    ],
)
def test_a_spoiled_a_partial_and_a_renamed_run_are_refused(run, played, change, tmp_path, statements, reason):
    placed = [one + " WHERE key = 'provenance'" if "json_" in one else one for one in statements]
    change(played, *placed, "DELETE FROM meta WHERE key = 'seal'")
    status, _, err = run("submit", played, *GIVEN, "--out", "x.tar.xz")
    assert status == 2 and f"bonspiel submit: {played} cannot be submitted: " in err and reason in err, err
    assert not (tmp_path / "x.tar.xz").exists()


def test_a_run_that_was_changed_after_it_was_complete_is_refused(refused, played, change):
    change(played, "UPDATE episode SET seconds = 0.1 WHERE setting = 3")
    err = refused("submit", played, *GIVEN, "--out", "x.tar.xz")
    assert "were changed after it was complete" in err


def test_a_run_of_the_clock_alone_is_refused(run, refused, tmp_path, played):
    line = "run", "trap", "--planner", "uct", "--planner", "pw", "--milliseconds", "0.5", "--episodes", "1"
    assert run(*line, "--out", "clock", "--jobs", "1")[0] == 0
    err = refused("submit", "clock", *GIVEN, "--out", "x.tar.xz")
    assert "none of its rows can be replayed" in err


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--who", "", "must be a name"),
        ("--who", "a|b", "must be a name"),
        ("--where", "https://a b", "must be an address"),
        ("--where", "example.org", "must be an address, http://... or https://..."),
        ("--licence", "free", "must be an identifier of https://spdx.org/licenses"),
        ("--out", "x.zip", "its name must end in .tar.xz"),
        ("--out", "nowhere/x.tar.xz", "there is no folder"),
    ],
)
def test_facts_that_are_none_are_refused_before_anything_is_replayed(refused, played, option, value, reason):
    line = ["submit", played, *GIVEN, "--out", "x.tar.xz"]
    line[line.index(option) + 1] = value
    err = refused(*line)
    assert reason in err and "replayed" not in err


@pytest.mark.parametrize(
    "kind", ["cut", "no tar", "other results", "other table", "no metadata", "other metadata", "endless metadata"]
)
def test_a_damaged_submission_is_refused(refused, submitted, tmp_path, kind):
    found, file = members(submitted), tmp_path / "spoiled.tar.xz"
    if kind == "cut":
        file.write_bytes(submitted.read_bytes()[:-100])
    elif kind == "no tar":
        file.write_bytes(lzma.compress(b"x" * 1000))
    else:
        if kind == "other results":
            found["results.sqlite"] += b"\0"
        elif kind == "other table":
            found["episodes.csv"] = found["episodes.csv"].replace(b",1.4,", b",1.7,")
            described = json.loads(found["croissant.json"])
            described["distribution"][1]["sha256"] = hashlib.sha256(found["episodes.csv"]).hexdigest()
            found["croissant.json"] = json.dumps(described).encode()
        elif kind == "no metadata":
            del found["croissant.json"]
        elif kind == "endless metadata":
            found["croissant.json"] = b" " * packed.DESCRIBED + found["croissant.json"]
        else:
            found["croissant.json"] = b"[]"
        rewrite(file, found)
    assert f"{file} is not a packed run (" in refused("verify", file)


def test_a_file_that_unpacks_to_too_much_is_refused(run, refused, played, tmp_path, monkeypatch):
    assert run("export", played, "--format", "run", "--out", "x.sqlite.xz")[0] == 0
    monkeypatch.setattr(packed, "LARGEST", 10_000)
    err = refused("verify", "x.sqlite.xz")
    assert "it unpacks to more than 10,000 bytes" in err


def test_a_submission_is_submitted_by_another(run, submitted, tmp_path):
    line = [*GIVEN]
    line[1] = "B. Bearer"
    assert run("submit", submitted, *line, "--out", "again.tar.xz")[0] == 0
    with packed.read_any(tmp_path / "again.tar.xz") as copy:
        assert copy.submission["who"] == "B. Bearer"
    shutil.rmtree(tmp_path / "x")


def test_an_accepted_submission_has_a_name_and_is_not_taken_for_ours(run, submitted, tmp_path, monkeypatch):
    folder = tmp_path / "shipped"
    folder.mkdir()
    shutil.copy(submitted, folder / "theirs.tar.xz")
    submitted.unlink()
    monkeypatch.setattr(packed, "SHIPPED", folder)
    with packed.read_any("theirs") as results:
        assert results.submission["who"] == "A. Author" and not results.ours
    assert "not shipped with bonspiel (theirs)" in run("export", "peers")[2]


def test_a_choice_of_licences_is_an_expression(run, played, tmp_path):
    line = [*GIVEN]
    line[5] = "mit or apache-2.0"
    assert run("submit", played, *line, "--out", "x.tar.xz")[0] == 0
    assert json.loads(members(tmp_path / "x.tar.xz")["croissant.json"])["license"] == "MIT OR Apache-2.0"


@pytest.mark.parametrize("facts", ["[]", "{", "3"])
def test_a_submitter_that_is_none_is_refused(refused, played, change, facts):
    change(played, f"INSERT INTO meta VALUES ('submission', '{facts}')", "DELETE FROM meta WHERE key = 'seal'")
    err = refused("export", played)
    assert "is not a readable results file" in err


def test_a_file_that_would_act_on_what_is_read_is_refused(refused, played, change):
    change(played, "CREATE TRIGGER t AFTER UPDATE ON episode BEGIN DELETE FROM episode; END")
    err = refused("export", played)
    assert "it has something that no run has, t)" in err
