import shlex
import sys
from pathlib import Path

import pytest

from bonspiel.runs import seeding
from bonspiel.runs.archive import replay, verify
from bonspiel.runs.experiment import Entrant, Experiment
from bonspiel.runs.results import run_folder
from bonspiel.runs.results.packed import read_any
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.suite import Suite

pytestmark = pytest.mark.usefixtures("undrawn")


def of_suite(old, new):
    """Statements that change the text of the suite, and the digest that goes with it."""
    return f"UPDATE meta SET value = replace(value, '{old}', '{new}') WHERE key = 'suite'"


ROW = "WHERE setting = 1 AND episode = 2"
SEALED = "were changed after it was complete"
RETOLD = "provenance, parameters or times were changed"
FOREIGN = "its settings are not those of its suite"

# what was changed: statements, what is said of it, and what is said if the seal is taken away too
CHANGES = {
    "a return": ([f"UPDATE episode SET total = total + 0.1 {ROW}"], "episode 2: return is", "episode 2: return is"),
    "an infinite return": ([f"UPDATE episode SET total = 9e999 {ROW}"], "return inf is", "return inf is not possible"),
    "a return by the clock": (["UPDATE episode SET total = 2 WHERE setting = 3"], SEALED, None),
    "steps": ([f"UPDATE episode SET steps = 1 {ROW}"], "steps is 1 in the file and 2", "steps is 1 in the file and 2"),
    "no steps": ([f"UPDATE episode SET steps = 0 {ROW}"], "steps 0 is not possible", "steps 0 is not possible"),
    "simulations": ([f"UPDATE episode SET simulations = 5 {ROW}"], "simulations is 5", "simulations is 5 in the file"),
    "a first action": ([f"UPDATE episode SET first_action = zeroblob(8) {ROW}"], RETOLD, "first action is 0000000000"),
    "a cut first action": ([f"UPDATE episode SET first_action = x'00' {ROW}"], RETOLD, "first action is cut off"),
    "invalid rollouts": ([f"UPDATE episode SET invalid = 2 {ROW}"], "invalid is 2", "invalid is 2 in the file and 0"),
    "seconds": ([f"UPDATE episode SET seconds = 0.5 * seconds {ROW}"], RETOLD, None),
    "times": (["UPDATE episode SET times = zeroblob(8) WHERE setting = 3"], RETOLD, "do not add up to its seconds"),
    "a seed of rows": (["UPDATE setting SET seed = 8"], FOREIGN, FOREIGN),
    "a seed": (["UPDATE setting SET seed = 8", of_suite('"seed": 7', '"seed": 8')], "episode 0: return is", "--seed 7"),
    "a renamed planner": (
        ["UPDATE setting SET planner = 'pw' WHERE planner = 'uct'", of_suite('"uct"', '"pw"')],
        "the parameters of pw are missing",
        "pw in trap with 3 simulations, seed 7, episode 0",
    ),
    "another parameter": (
        ["UPDATE setting SET planner = replace(planner, '0.5', '0.9')", of_suite("=0.5", "=0.9")],
        SEALED,
        "the digest of the suite is",
    ),
    "another problem": (
        ["UPDATE setting SET env = 'trap:noise_range=0.5'", of_suite('"trap"', '"trap:noise_range=0.5"')],
        SEALED,
        "in trap:noise_range=0.5 with 3 simulations, seed 7, episode 0",
    ),
    "a budget": (["UPDATE setting SET budget = 30 WHERE budget = 9", of_suite("9]", "30]")], SEALED, "30 simulations"),
    "a label of another planner": ([of_suite('"dpw"', '"pw"')], "'pw' labels dpw:", "'pw' labels dpw:exploration=0.5"),
    "a label": ([of_suite('"dpw"', '"dpw, tuned"')], SEALED, None),
    "the order of budgets": ([of_suite("3, 9", "9, 3")], SEALED, None),
    "two episodes for each other": (
        [f"UPDATE episode SET episode = {to} WHERE episode = {of}" for of, to in ((2, 9), (3, 2), (9, 3))],
        "episode 2: ",
        "episode 2: ",
    ),
    "two planners for each other": (
        [f"UPDATE setting SET id = {to} WHERE id = {of}" for of, to in ((1, 99), (4, 1), (99, 4))],
        SEALED,
        "with 3 simulations, seed 7, episode",
    ),
    "a row is missing": ([f"DELETE FROM episode {ROW}"], "1 episode missing, the first is 2", "the first is 2"),
    "a row too many": (
        ["INSERT INTO episode SELECT setting, 4, total, steps, seconds, simulations, first_action, times, invalid "
         f"FROM episode {ROW}"],
        "1 episode too many, the first is 4",
        "1 episode too many",
    ),
    "a row twice": (["INSERT INTO failure VALUES (1, 2, 'no')"], "episode 2: is there twice", "is there twice"),
    "a row of nothing": ([f"UPDATE episode SET setting = 99 {ROW}"], "1 row of no planner", "1 row of no planner"),
    "fewer episodes": (
        ["UPDATE setting SET episodes = 3", of_suite('"episodes": 4', '"episodes": 3')],
        "1 episode too many, the first is 3",
        "1 episode too many",
    ),
    "a return that is a text": ([f"UPDATE episode SET total = 'x' {ROW}"], "total is 'x', not", "total is 'x', not"),
    "seconds that are a text": ([f"UPDATE episode SET seconds = 'x' {ROW}"], "seconds is 'x'", "seconds is 'x'"),
    "steps that are no whole number": ([f"UPDATE episode SET steps = 1.5 {ROW}"], "steps 1.5 is", "steps 1.5 is not"),
    "a first action that is a text": ([f"UPDATE episode SET first_action = 'x' {ROW}"], "times are none", "are none"),
    "times that are a number": (["UPDATE episode SET times = 5 WHERE setting = 3"], "times are none", "are none"),
    "a row of no number": ([f"UPDATE episode SET episode = 'x' {ROW}"], "'x' is no number", "'x' is no number of an"),
    "the commit": (["UPDATE meta SET value = json_set(value, '$.commit', 'a') WHERE key = 'provenance'"], RETOLD, None),
    "parameters": (
        ["UPDATE meta SET value = replace(value, 'exploration=0.5,', 'exploration=0.6,') WHERE key = 'resolved'"],
        RETOLD,
        "blind_values=0) with the same sources",
    ),
}  # fmt: skip


def test_there_are_twenty_kinds_of_changes():
    assert len(CHANGES) >= 20


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_in_the_file_is_found(run, played, change, kind):
    statements, words, unsealed = CHANGES[kind]
    change(played, *statements)
    status, out, err = run("verify", played, "--share", "1", "--jobs", "1")
    assert status != 0 and words in out + err, out + err
    change(played, "DELETE FROM meta WHERE key = 'seal'")
    status, out, err = run("verify", played, "--share", "1", "--jobs", "1")
    if unsealed is None:  # only the seal knows
        assert status == 0 and "carries no seal" in out
    else:
        assert status != 0 and unsealed in out + err, out + err


def test_what_was_not_changed_passes_and_says_what_is_vouched_for(run, played):
    status, out, err = run("verify", played, "--share", "1", "--jobs", "1")
    assert status == 0, out + err
    assert "16 of 24 rows (66.7%, drawn with seed 0) were replayed: all came out as stored" in out
    assert "left out: 8 rows of budgets by the clock" in out and "vouches for these 66.7% alone" in out
    status, out, _ = run("verify", played, "--seed", "5", "--jobs", "1")
    assert status == 0 and "2 of 24 rows (8.3%, drawn with seed 5)" in out


def test_a_small_share_says_so_and_the_same_seed_draws_the_same_rows(run, played):
    with read_any(played) as results:
        left_out = replay.unrepeatable(results)
        drawn = [replay.draw(results, 0.02, seed, left_out) for seed in (1, 1, 2, 3, 4, 5)]
        assert drawn[0] == drawn[1] and any(one != drawn[0] for one in drawn)
        for rows in drawn:  # one of each planner in the one problem, though a share of 0.02 is less than a row
            assert sorted(setting.planner for setting in rows) == ["dpw:exploration=0.5", "uct"]
            assert sum(map(len, rows.values())) == 2
        assert sum(map(len, replay.draw(results, 0.5, 1, left_out).values())) == 8


def test_dear_episodes_are_replayed_only_if_the_share_falls_on_them(run, played, change):
    change(played, "UPDATE episode SET seconds = 100 WHERE setting IN (1, 2)", "DELETE FROM meta WHERE key = 'seal'")
    with read_any(played) as results:
        drawn = [replay.draw(results, 0.02, seed, replay.unrepeatable(results)) for seed in range(9)]
    assert all("uct" in {setting.planner for setting in rows} for rows in drawn)
    assert not all("dpw:exploration=0.5" in {setting.planner for setting in rows} for rows in drawn)


def test_a_planner_that_is_not_here_is_named_and_nothing_is_vouched_for(run, played, change):
    change(
        played,
        "UPDATE setting SET planner = 'elsewhere:Planner' WHERE planner = 'uct'",
        of_suite('"uct"', '"elsewhere:Planner"'),
        "UPDATE meta SET value = replace(value, 'uct', 'elsewhere:Planner') WHERE key = 'resolved'",
        "DELETE FROM meta WHERE key IN ('seal')",
    )
    with read_any(played, sealed=False) as results:
        change(played, f"UPDATE meta SET value = '{results.suite.digest()}' WHERE key = 'digest'")
    status, out, _ = run("verify", played, "--share", "1", "--jobs", "1")
    assert status == 1 and "8 of 24 rows" in out and "all came out as stored" in out
    assert "wrong: 12 rows: what cannot be played here (elsewhere cannot be imported" in out


def test_an_unfinished_run_lacks_rows(run, played, change):
    change(played, "DELETE FROM episode WHERE setting = 2", "DELETE FROM meta WHERE key = 'seal'")
    status, out, _ = run("verify", played, "--jobs", "1")
    assert status == 1 and "4 episodes missing, the first is 0" in out


@pytest.mark.parametrize("share", ["0", "1.5", "-1", "nan"])
def test_a_share_that_is_none_is_refused(refused, share):
    err = refused("verify", "peers", "--share", share)
    assert "must be above 0 and at most 1" in err


def test_a_planner_of_another_package_that_has_changed_since_is_named(run, change, tmp_path):
    own = "from bonspiel.planners.trees.uct import UCT\n\n\nclass Own(UCT):\n    'A planner of ours.'\n"
    (tmp_path / "own_planner_of_verify.py").write_text(own)
    line = "run", "trap", "--planner", "own_planner_of_verify:Own", "--budget", "3", "--episodes", "2", "--jobs", "1"
    assert run(*line, "--out", "own")[0] == 0
    assert "note" not in run("verify", "own", "--jobs", "1")[1]
    older = "UPDATE meta SET value = replace(value, ': sources ', ': sources 0') WHERE key = 'resolved'"
    change(tmp_path / "own", older, "DELETE FROM meta WHERE key = 'seal'")
    assert "note: played with other sources of own_planner_of_verify" in run("verify", "own", "--jobs", "1")[1]


LEARNER = """from bonspiel.planners.random import RandomPlanner

class Learner(RandomPlanner):
    decisions = 0

    def plan(self, model, state, budget, rng, root_actions=None):
        Learner.decisions += 1
        found = super().plan(model, state, budget, rng, root_actions)
        found.action[:] = 0.25 if Learner.decisions < 200 else 0.75
        return found
"""


def test_a_planner_that_learns_from_episode_to_episode_does_not_come_out_again(run, tmp_path):
    (tmp_path / "learner_of_verify.py").write_text(LEARNER)
    line = "run", "trap", "--planner", "learner_of_verify:Learner", "--budget", "3", "--episodes", "150", "--jobs", "1"
    status, _, err = run(*line, "--out", "own")
    assert status == 0, err
    sys.modules["learner_of_verify"].Learner.decisions = 0  # as in a new process
    status, out, _ = run("verify", "own", "--jobs", "1", "--share", "1")
    assert status == 1 and "came out otherwise" in out


def test_what_cannot_come_out_the_same_again_is_counted_by_its_reason(tmp_path):
    shared, plain = "threads:inner=(uct),threads=2", "uct"
    experiments = [
        Experiment("trap", (Entrant(shared), Entrant(plain)), (3,), (1,), episodes=2),
        Experiment("donut", (Entrant(plain),), (3,), episodes=2),
    ]
    suite = Suite("mine", (*experiments,))
    resolved = {"trap": "", "donut": f"x; {seeding.UNSEEDED}", shared: "", plain: ""}
    with run_folder.write(tmp_path / "run", suite, resolved, {}, False) as results:
        for setting in suite.settings():
            results.add(Batch(setting, [Episode(number, 1.0, 1, 0.1) for number in range(2)], 1.0))
    with read_any(tmp_path / "run") as results:
        left_out = replay.unrepeatable(results)
        assert replay.counts(results, left_out) == {
            "planners that decide otherwise when they are run again": 2,
            "budgets by the clock": 4,
            "environments that were played unseeded": 2,
        }
        (drawn,) = replay.draw(results, 1.0, 0, left_out)
    assert drawn[:4] == ("trap", plain, 3, "simulations")


def test_the_shipped_run_comes_out_again():
    """An episode of each planner in the quickest problems; `bonspiel verify peers` replays all problems."""
    with read_any(Path("peers")) as results:
        drawn = replay.draw(results, 1e-9, 0, replay.unrepeatable(results))
        quick = {
            setting: numbers for setting, numbers in drawn.items() if setting.env in ("trap", "donut", "treasure_hunt")
        }
        assert len({setting[:2] for setting in quick}) == 3 * 36 and len(quick) < 0.4 * len(drawn)
        assert replay.differences(results, quick, jobs=1) == []


def test_a_run_of_which_nothing_can_be_replayed_is_not_said_to_have_come_out_as_stored(run):
    run("run", "trap", "--planner", "random", "--milliseconds", "0.5", "--episodes", "2", "--out", "x", "--jobs", "1")
    status, out, _ = run("verify", "x")
    assert status == 0
    assert "nothing was replayed: only the form of the file was checked" in out
    assert "as stored" not in out and "--share" not in out


@pytest.mark.parametrize(
    ("words", "seed"),
    [
        (["run", "trap", "--seed", "7"], 7),
        (["run", "trap", "--seed=1_0"], 10),
        (["run", "trap", "--out", "x --seed 5"], None),
        (["run", "trap", "--planner", "process:./ai --seed 7", "--seed", "3"], 3),
    ],
)
def test_the_seed_of_a_command_is_that_of_its_own_option(words, seed):
    assert verify._seed_in(shlex.join(words)) == seed
