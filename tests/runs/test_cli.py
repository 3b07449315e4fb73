import argparse
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import polars
import pytest

import bonspiel
from bonspiel import envs
from bonspiel.runs import cli, provenance
from bonspiel.runs.cli import parser
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.suites import lookup
from bonspiel.runs.verbs.command_line import PrintAndExit
from bonspiel.runs.verbs.options import numbers

LONG = "a" * 300
TINY = ("run", "trap:noise_range=0.1", "--planner", "random", "--budget", "10,100", "--episodes", "4", "--jobs", "1")


@pytest.fixture(scope="module")
def finished_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "done"
    assert cli.main([*TINY, "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def finished(run, finished_once):
    return Path(shutil.copytree(finished_once, "done"))


def contents():
    return {path: path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def test_list_compiles_nothing(tmp_path):
    own = os.environ | {"BONSPIEL_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-m", "bonspiel", "list"], env=own, stdout=subprocess.DEVNULL, check=True)
    assert not list(tmp_path.rglob("*.nbi"))


def test_a_run_prints_its_table_and_the_paths_of_chart_and_report(run):
    status, out, err = run(*TINY)
    folder = Path("results/trap-noise_range=0.1")
    assert status == 0
    assert "| random " in out and "over 4 episodes, optimum 1.7000" in out
    assert "now called" not in run("run", "trap", *TINY[2:], "--out", "y")[2]
    for name in ("chart.png", "chart.svg", "report.html", "report.md"):
        assert str(folder / name) in out
        assert (folder / name).stat().st_size > 300
    assert "8 of 8 episodes to play with 1 job," in err
    report = (folder / "report.md").read_text()
    for words in ("| random ", "(chart.png)", "`RandomPlanner()`", "seed: 0", "numpy ", "bonspiel run trap:"):
        assert words in report


def test_both_units_of_budget(run, table):
    assert run(*TINY, "--milliseconds", "1,0.5", "--out", "x")[0] == 0
    found = table(run("export", "x")[1])
    assert {(row["budget"], row["unit"]) for row in found} == {
        ("10", "simulations"),
        ("100", "simulations"),
        ("1", "ms"),
        ("0.5", "ms"),
    }
    for row in found:
        if row["unit"] == "ms":
            assert 0.0 < float(row["mean_ms"]) <= float(row["max_ms"]) < 1e4
            assert float(row["mean_ms"]) * int(row["steps"]) == pytest.approx(1e3 * float(row["seconds"]), rel=1e-3)


def test_budgets_that_are_given_again_add_up(run, table):
    line = "run", "trap", "--planner", "random", "--episodes", "2", "--jobs", "1", "--out", "x"
    assert run(*line, "--budget", "10", "--budget", "20,30", "--milliseconds", "1", "--milliseconds", "2")[0] == 0
    found = {(row["budget"], row["unit"]) for row in table(run("export", "x")[1])}
    assert found == {("10", "simulations"), ("20", "simulations"), ("30", "simulations"), ("1", "ms"), ("2", "ms")}
    table_of = run("compare", "peers", "uct", "pw", "--env", "trap", "--budget", "30", "--budget", "300")[1]
    assert [budget in table_of for budget in ("| 30 sim", "| 100 sim", "| 300 sim")] == [True, False, True]


def options_of(command):
    """The options with a value of a verb and of those below it, by the line that leads there."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from options_of(below)
        elif action.option_strings and action.nargs != 0 and not isinstance(action, PrintAndExit):
            yield command.prog, action


def test_every_option_with_several_values_adds_up_when_it_is_given_again():
    several = [(prog, action) for prog, action in options_of(parser()) if isinstance(action.default, list)]
    wrong = []
    for prog, action in several:
        namespace = argparse.Namespace(**{action.dest: action.default})
        single = action.type is not numbers
        for values in ("a", "b") if single else ([1.0, 2.0], [3.0]):
            action(None, namespace, values, action.option_strings[0])
        if getattr(namespace, action.dest) != (["a", "b"] if single else [1.0, 2.0, 3.0]):
            wrong.append(f"{prog} {action.dest}")
    assert wrong == [] and len(several) > 20


def test_planners_play_the_problems_and_budgets_of_a_suite(run):
    status, out, _ = run("run", "peers", "--planner", "random", "--episodes", "1", "--dry-run", "--jobs", "1")
    assert status == 0 and "peers: 40 episodes of 40 settings" in out and out.count("300 simulations") == 8
    assert lookup.load("peers").override(["random"]).episodes().keys() == {
        setting._replace(planner="random") for setting in lookup.load("peers").settings()
    }
    for name, words in (("dwp", ["unknown planner 'dwp'", "Did you mean 'dpw'"]), ("nowhere:P", ["nowhere"])):
        for given in (["--planner", name], ["--with", name]):
            status, out, err = run("run", "peers", *given)
            assert (status, out) == (2, "") and err.count("\n") == 1
            assert "twice" not in err
            for word in words:
                assert word in err


def test_csv_has_every_episode(run, finished, table):
    status, out, err = run("export", finished, "--format", "csv")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == (
        "env,planner,budget,unit,episode,return,steps,seconds,simulations,first_action,mean_ms,max_ms,invalid,seed,label,commit"
    )
    found = table(out)
    assert [(row["budget"], row["episode"]) for row in found] == [(b, e) for b in ("10", "100") for e in "0123"]
    assert all(row["env"] == "trap:noise_range=0.1" and row["planner"] == "random" for row in found)
    assert all(0.0 <= float(row["return"]) <= 2.0 and float(row["seconds"]) > 0.0 for row in found)
    facts = {(row["steps"], row["simulations"], row["mean_ms"], row["max_ms"], row["invalid"]) for row in found}
    assert facts == {("2", "0", "", "", "0")}
    assert all(-1.0 <= float(row["first_action"]) <= 1.0 for row in found)
    with store.read(finished) as results:
        commit = results.provenance["commit"]
    assert {(row["seed"], row["label"], row["commit"]) for row in found} == {("0", "random", commit)}
    assert run("export", finished, "--out", "x.csv")[:2] == (0, "")
    assert Path("x.csv").read_text() == out


def test_parquet_holds_the_same(run, finished, table):
    assert run("export", finished, "--format", "parquet", "--out", "x.parquet")[0] == 0
    frame = polars.read_parquet("x.parquet")
    rows = table(run("export", finished)[1])
    assert frame.columns == list(rows[0])
    assert frame["return"].to_list() == [float(row["return"]) for row in rows]
    assert frame["first_action"].to_list() == [row["first_action"] for row in rows]
    assert frame["max_ms"].null_count() == len(rows)


def test_a_format_and_an_ending_that_differ_are_refused(run, finished):
    for form, name in (("parquet", "x.csv"), ("run", "x.csv"), ("csv", "x.parquet")):
        status, _, err = run("export", finished, "--format", form, "--out", name)
        assert status == 2 and f"the format is {form}" in err and not Path(name).exists()


def test_parquet_that_finds_no_room_is_told_in_one_line(run, finished, monkeypatch):
    def full(*_):
        raise polars.exceptions.ComputeError("No space left on device")

    monkeypatch.setattr(polars.DataFrame, "write_parquet", full)
    status, _, err = run("export", finished, "--format", "parquet", "--out", "x")
    assert (status, err) == (
        2,
        "bonspiel export: x cannot be written (No space left on device); make room there, or choose another place\n",
    )


def test_parquet_without_polars_says_what_to_install(refused, finished, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    err = refused("export", finished, "--format", "parquet", "--out", "x.parquet")
    assert "pip install -e '.[parquet]'" in err


def test_status_and_chart_take_a_packed_run(run, refused, finished, tmp_path):
    file = tmp_path / "mine.sqlite.xz"
    assert run("export", finished, "--format", "run", "--out", file)[0] == 0
    assert run("status", file)[1].splitlines()[1:] == run("status", finished)[1].splitlines()[1:]
    err = refused("chart", file)
    assert "is no folder: give one for the pictures with --out" in err
    assert run("chart", file, "--out", tmp_path / "pictures")[0] == 0
    assert (tmp_path / "pictures" / "chart.svg").read_bytes() == (finished / "chart.svg").read_bytes()


def test_chart_and_report_are_made_again(run, finished):
    before = (finished / "chart.svg").read_bytes()
    (finished / "chart.svg").unlink()
    assert run("chart", finished)[:2] == (0, f"{finished / 'chart.png'}\n{finished / 'chart.svg'}\n")
    assert (finished / "chart.svg").read_bytes() == before
    assert run("chart", finished, "--out", "elsewhere")[0] == 0
    assert Path("elsewhere/chart.svg").read_bytes() == before
    assert b"regret" not in before
    assert run("chart", finished, "--regret", "--out", "elsewhere")[0] == 0
    assert b"regret" in Path("elsewhere/chart.svg").read_bytes()
    (finished / "report.md").unlink()
    assert run("report", finished)[0] == 0
    assert (finished / "report.md").exists()


def test_resuming_a_finished_run_plays_nothing(run, finished, rows):
    before = rows(finished)
    status, out, err = run(*TINY, "--out", finished, "--resume")
    assert status == 0
    assert "0 of 8 episodes to play" in err and "| random " in out
    assert rows(finished) == before


def test_resuming_where_nothing_is_begins(run, rows):
    assert run(*TINY, "--out", "fresh", "--resume")[0] == 0
    assert len(rows(Path("fresh"))) == 8


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run trap --planner dpv", ["unknown planner 'dpv'", "Did you mean 'dpw'", "uct"]),
        ("run trap --planner dpw:exploratio=1", ["'exploratio'", "Did you mean 'exploration'"]),
        ("run trap --planner refined_abstraction:spread=1", ["'refined_abstraction': it was removed; take 'adaptive'"]),
        ("run removed.toml", ["'refined_abstraction': it was removed; take 'adaptive'"]),
        ("run trap --planner dpw:exploration", ["key=value"]),
        ("run trap --planner dpw:exploration=nan", ["exploration=", "nan"]),
        ("run trap --planner dpw:exploration=-1", ["exploration=-1"]),
        ("run trap --planner random --planner random", ["twice"]),
        ("run tarp", ["'tarp'", "Did you mean 'trap'", "treasure_hunt", "quick"]),
        ("run trap:noise=loud", ["noise='loud'", "'positive' or 'centred'"]),
        ("run trap:noise_rang=1", ["'noise_rang'", "Did you mean 'noise_range'"]),
        ("run trap:noise_range=nan", ["noise_range=", "nan"]),
        ("run trap:noise_range=0", ["noise_range=0", "above 0"]),
        (
            "run my_module",
            ["unknown suite or environment 'my_module'", "my_module:MyModel for a class in my_module.py"],
        ),
        ("run ./my_module.py:MyModel", ["'./my_module.py' is a file", "my_module:MyModel for a class in my_module.py"]),
        ("run my_module.py:MyModel", ["'my_module.py' is a file"]),
        ("run missing.toml", ["missing.toml", "cannot be read"]),
        ("run trap --budget 0", ["budget=0", "from 1"]),
        ("run trap --budget 1.5", ["budget=1.5", "whole"]),
        ("run trap --budget nan", ["budget=nan"]),
        ("run trap --budget 10;20", ["10;20", "separated by commas"]),
        ("run trap --milliseconds 0", ["milliseconds=0"]),
        ("run trap --episodes 0", ["episodes=0"]),
        ("run trap --episodes many", ["argument --episodes: 'many' must be a whole number"]),
        ("status done --watch soon", ["argument --watch: soon must be from 0.1 to 86400 seconds"]),
        ("tree trap --budget 1e3", ["argument --budget: '1e3' must be a whole number (see bonspiel tree --help)"]),
        ("run trap --seed -1", ["seed=-1"]),
        ("run trap --jobs 0", ["jobs=0"]),
        ("run", ["SUITE|ENV"]),
        ("run trap --bugdet 3", ["--bugdet"]),
        ("dance", ["dance", "run"]),
        ("", ["VERB"]),
        ("chart nowhere", ["nowhere holds no run"]),
        ("report nowhere", ["nowhere holds no run"]),
        ("export nowhere", ["nowhere holds no run"]),
        ("export done --format xml", ["xml", "csv", "parquet"]),
        ("export done --format parquet", ["--out"]),
        ("chart broken", ["broken/results.sqlite", "not a readable results file"]),
        ("export broken", ["broken/results.sqlite", "not a readable results file"]),
        ("run trap --planner random --out broken --resume", ["broken/results.sqlite", "not a readable results file"]),
        (
            "run trap:noise_range=0.1 --planner random --seed 9 --out done --resume",
            ["done holds another run", "seed is"],
        ),
        ("run trap:noise_range=0.1 --planner random --budget 10,100 --episodes 4 --out done", ["--resume"]),
        ("bench --planner dpv", ["Did you mean 'dpw'"]),
        ("run trap:noise_range=abc", ["noise_range='abc': must be above 0 and at most 1"]),
        ("run trap:noise_range=true", ["noise_range=True: must be above 0 and at most 1"]),
        ("run treasure_hunt:size=abc", ["size='abc': must be finite and at least 4"]),
        ("run treasure_hunt:angle_unit=[1]", ["angle_unit=[1]: must be 'radian' or 'half_turn'"]),
        ("run keys.toml", ["unknown key of a suite 'planer'. Did you mean 'planners'?"]),
        ("tune keys.toml", ["unknown key of a file of studies 'planer'. Did you mean 'planners'?"]),
        (f"run trap --planner random --out {LONG}", ["name of a file or folder is too long", "'aaaa"]),
        (f"report {LONG}", ["name of a file or folder is too long"]),
        (f"tree trap --out {LONG}.png", ["name of a file or folder is too long"]),
        ("run empty.toml", ["empty: nothing to play", "[[experiment]]"]),
        ("export done --out nowhere/x.csv", ["nowhere/x.csv cannot be written: there is no folder nowhere"]),
        ("export done --format parquet --out nowhere/x", ["nowhere/x cannot be written: there is no folder"]),
        (
            "run trap --planner presearch",
            ["presearch cannot play trap: needs `aim_grid`, `step_exact`", "these can: uct, "],
        ),
        (
            "run gym:CartPole-v1 --planner mppi",
            ["mppi cannot play gym:CartPole-v1: takes no categorical actions; these can: uct, pw, "],
        ),
        ("tree trap --planner presearch", ["presearch cannot search trap: needs `aim_grid`", "these can: uct, "]),
        ("export done --out done", ["done cannot be written: it is a folder"]),
        (
            "export done --out done/results.sqlite",
            ["results.sqlite cannot be written: it is one of the files that are"],
        ),
        ("export done --format parquet --out done/results.sqlite", ["it is one of the files that are read"]),
        ("compare done https://nowhere.invalid/x.sqlite.xz", ["https://nowhere.invalid/x.sqlite.xz cannot be fetched"]),
        ("chart done --out empty.toml", ["empty.toml cannot be written (File exists)"]),
        ("chart done --out empty.toml/x", ["empty.toml/x cannot be written (Not a directory)"]),
    ],
)
def test_bad_usage_is_one_line_and_changes_nothing(refused, finished, line, words):
    Path("keys.toml").write_text("[planer]\nmine = ['uct']\n")
    Path("removed.toml").write_text("[[experiment]]\nenv='trap'\nplanners=['refined_abstraction']\nsimulations=[3]\n")
    Path("broken").mkdir()
    Path("broken/results.sqlite").write_bytes(b"no database " * 1000)
    Path("empty.toml").touch()
    before = contents()
    err = refused(*line.split())
    assert err.startswith("bonspiel")
    for word in words:
        assert word in err
    assert contents() == before


def test_a_run_of_a_planner_that_was_removed_since_is_read_and_reported(run):
    line = "run", "trap", "--planner", "uct", "--planner", "pw", "--budget", "10", "--episodes", "4", "--jobs", "1"
    assert run(*line, "--out", "old")[0] == 0
    with closing(sqlite3.connect("old/results.sqlite")) as connection, connection:
        connection.execute("UPDATE setting SET planner = 'refined_abstraction' WHERE planner = 'pw'")
        connection.execute("""UPDATE meta SET value = replace(value, '"pw"', '"refined_abstraction"')""")
        connection.execute("DELETE FROM meta WHERE key = 'seal'")
    packed = Path("old.sqlite.xz")
    assert run("export", "old", "--format", "run", "--out", packed)[0] == 0
    for verb in (
        ("report", "old"),
        ("report", "old", "--leaderboard"),
        ("report", "old", "--leaderboard", "--beside", packed),
        ("export", "old"),
        ("compare", "old", "uct", "refined_abstraction"),
    ):
        status, out, err = run(*verb)
        assert status == 0, err
        assert "refined_abstraction" in out
    assert run("chart", "old")[0] == run("status", "old")[0] == 0


@pytest.mark.parametrize("file", ["chart.png", "report.html", "report.md"])
def test_a_report_that_cannot_be_written_is_one_line(run, finished, file):
    (finished / file).unlink()
    (finished / file).mkdir()
    status, out, err = run("report", finished)
    assert status == 2
    assert "| random " in out
    assert err.startswith("bonspiel report: done cannot be written (Is a directory)") and err.count("\n") == 1


def test_what_is_known_is_named_once(run):
    _, _, err = run("run", "tarp")
    assert err.count(" trap,") == 1


def test_a_run_is_not_resumed_with_other_sources(refused, finished, monkeypatch):
    from bonspiel.planners.core.code import sources

    monkeypatch.setattr(sources, "digest", lambda places: "other")
    before = contents()
    err = refused(*TINY, "--out", finished, "--resume")
    assert "done was begun with other sources (commit " in err and "choose another --out" in err
    assert contents() == before


def test_failed_episodes_make_the_status_1_and_the_rest_is_kept(run, fakes, rows):
    status, out, err = run(
        *"run trap --planner clumsy --planner constant --budget 1 --episodes 20 --jobs 1 --out x".split()
    )
    assert status == 1
    assert "episodes of clumsy in trap failed, the first one with 1 simulation," in err
    assert "RuntimeError: dropped the stone" in err
    assert "| constant " in out
    kept = rows(Path("x"))
    assert sum(row[1] == "constant" for row in kept) == 20
    assert 0 < sum(row[1] == "clumsy" for row in kept) < 20
    assert "RuntimeError: dropped the stone" in Path("x/report.md").read_text()


def test_every_planner_that_fails_is_named_with_its_error(run, fakes):
    planners = ("--planner", "clumsy", "--planner", "constant:action=1.5", "--planner", "constant")
    _, _, err = run("run", "trap", *planners, "--budget", "1,2", "--episodes", "20", "--jobs", "1", "--out", "x")
    lines = [line for line in err.splitlines() if " failed, " in line]
    assert len(lines) == 2
    assert "of clumsy in trap" in lines[0]
    assert "40 episodes of constant:action=1.5 in trap" in lines[1]
    assert "must be within" in lines[1]


def test_list_shows_everything_with_its_defaults(run):
    status, out, _ = run("list")
    assert status == 0
    for words in (
        "dpw ",
        "exploration=1.0",
        "abstraction",
        "trap ",
        "noise_range=0.1",
        "treasure_hunt",
        "size=5.0",
        "quick",
        "episodes)",
        "inner=(abstraction:",
    ):
        assert words in out
    assert max(map(len, out.splitlines())) < 330


def test_every_verb_explains_itself_with_an_example(run):
    status, out, _ = run("--help")
    assert status == 0 and "example: bonspiel" in out
    verbs = {
        title: [line.split()[0] for line in lines.splitlines()]
        for title, lines in re.findall(r"^(.+):\n((?:  [a-z].*\n)+)", out, re.MULTILINE)
    }
    assert list(verbs)[:2] == ["benchmarks", "games"]
    assert "run" in verbs["benchmarks"] and "match" in verbs["games"]
    for verb in (one for group in verbs.values() for one in group):
        status, out, _ = run(verb, "--help")
        assert status == 0
        assert f"example: bonspiel {verb}" in " ".join(out.split())


def test_the_version_is_that_of_the_package(run):
    assert run("--version")[:2] == (0, f"bonspiel {bonspiel.__version__}\n")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("bonspiel st", ["status", "strength"]),
        ("bonspiel run qu", ["quick"]),
        ("bonspiel run tra", ["trap", "trap-curves"]),
        ("bonspiel tune publ", ["published"]),
        ("bonspiel tune trap --planner weigh", ["weighted_uct"]),
        ("bonspiel status --wa", ["--watch"]),
        ("bonspiel match champ", ["champion"]),
    ],
)
def test_bash_completes_verbs_options_and_names(complete, words, completed):
    assert complete(words) == completed


def test_no_suite_has_the_name_of_an_environment():
    assert not set(lookup.names()) & set(envs.names())


def test_a_dry_run_refuses_a_backend_that_is_not_installed(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    err = refused(*TINY, "--backend", "dask", "--dry-run")
    assert "pip install" in err and "dask" in err


def test_help_imports_nothing_heavy():
    program = """if True:
        import sys
        from bonspiel.runs import cli

        cli.parser()
        print({'numpy', 'numba', 'scipy', 'joblib'} & set(sys.modules))"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_ctrl_c_before_the_command_line_is_read_leaves_no_traceback(monkeypatch):
    program = """
import sys
from importlib.abc import MetaPathFinder

class Stopped(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "bonspiel.runs.verbs.results":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stopped())
from bonspiel.runs.cli import main
sys.exit(main())"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "")

    def stopped(verb):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "parser", stopped)
    assert cli.main(["list"]) == 130


@pytest.mark.parametrize(("line", "verb"), [("list --colour", "list"), ("run trap treasure_hunt", "run")])
def test_what_a_verb_does_not_know_is_refused_by_it(refused, line, verb):
    err = refused(*line.split())
    assert err.startswith(f"bonspiel {verb}: unrecognized arguments: ") and f"(see bonspiel {verb} --help)" in err


def test_the_installed_command_is_this_one():
    command = Path(sys.executable).with_name("bonspiel")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout == cli.parser().format_help()


def test_a_reader_that_has_seen_enough_is_no_error(finished):
    program = "import sys; from bonspiel.runs.cli import main; sys.exit(main(['export', 'done']))"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("verb", ["report", "chart"])
def test_a_run_without_an_episode_has_nothing_to_show(tmp_path, capsys, verb):
    tiny = lookup.load("trap-curves").override(("random",), (10,), episodes=1)
    with run_folder.write(tmp_path, tiny, tiny.resolve(), provenance.collect([]), False):
        pass
    assert cli.main([verb, str(tmp_path)]) == 2
    assert "holds no finished episode yet; continue with `bonspiel run ... --resume`" in capsys.readouterr().err


def test_a_run_by_time_says_whether_decisions_were_late(tmp_path, capsys):
    line = "run trap --planner random --milliseconds 50 --episodes 2 --jobs 1 --out".split()
    assert cli.main([*line, str(tmp_path)]) == 0
    assert "decisions took over 5% more than" in capsys.readouterr().out
