import json
import math

import numpy as np
import pytest

from bonspiel.runs import provenance
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.results.rows import Batch, Episode, Failure
from bonspiel.runs.statistics import compare
from bonspiel.runs.statistics.compare import needed
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import estimate, figures

pytestmark = pytest.mark.usefixtures("undrawn")

TRAP, HUNT = "trap:noise_range=0.1", "treasure_hunt:size=5"
TUNED, THESIS = "uct:exploration=0.05", "uct:exploration=1.0"
GIVEN = {
    "experiment": [
        {
            "env": TRAP,
            "simulations": [10, 100],
            "milliseconds": [1],
            "episodes": 40,
            "planners": [
                {"planner": TUNED, "label": "uct, tuned"},
                {"planner": THESIS, "label": "uct, thesis"},
                {"planner": "dpw", "max_simulations": 10},
            ],
        },
        {"env": HUNT, "simulations": [10], "episodes": 40, "planners": [{"planner": TUNED, "label": "uct"}, "dpw"]},
    ]
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A run in which dpw has 1.4 and 1.7 in turn, tuned UCT 0.1 more in every episode, thesis UCT just the same."""
    monkeypatch.chdir(tmp_path)
    suite = Suite.of("made up", GIVEN)
    returns = np.where(np.arange(40) % 2, 1.7, 1.4)
    with run_folder.write(tmp_path / "run", suite, {}, provenance.collect([]), resume=False) as results:
        for setting in suite.settings():
            more = 0.1 if setting.planner == TUNED else 0.0
            played = [Episode(number, float(total) + more, 2, 0.1) for number, total in enumerate(returns)]
            if setting.planner == "dpw" and setting.env == HUNT:
                played = [Failure(0, "broken"), *played[1:7]]
            results.add(Batch(setting, played, 1.0))
    return tmp_path / "run"


def made(folder, suite, play):
    """A run in which `play` tells the returns of a setting."""
    with run_folder.write(folder, suite, {}, provenance.collect([]), resume=False) as results:
        for setting in suite.settings():
            results.add(Batch(setting, [Episode(i, total, 2, 0.1) for i, total in enumerate(play(setting))], 1.0))
    return folder


@pytest.fixture
def between(folder):
    def call(*line, **keywords):
        with store.read(folder) as results:
            return compare.compare(results.suite, results.returns_of, *line, **keywords)

    return call


def test_every_budget_that_both_have_played_is_compared_in_every_environment(between):
    found = between("uct, tuned", "dpw")
    assert [(c.a.env, c.a.budget, c.a.unit) for c in found] == [(TRAP, 10, "simulations"), (TRAP, 1, "ms")]
    for c in found:
        assert c.a._replace(planner="dpw") == c.b
        assert c.paired.n == 40
        assert c.means == pytest.approx((1.65, 1.55))
        assert c.paired.difference == pytest.approx((0.1, 0.1, 0.1))
        assert c.paired.p < 0.001
        assert c.paired.more == 0.0
        assert c.improvement.value == 0.75  # of 1.5, 1.8 over 1.4, 1.7


def test_only_episodes_that_both_have_played_count(between):
    (found,) = between(TUNED, "dpw", environments=[HUNT])
    assert found.paired.n == 6
    assert found.paired.difference == pytest.approx((0.1, 0.1, 0.1))
    assert found.means[1] == pytest.approx(np.mean([1.7, 1.4] * 3))


def test_episodes_that_come_in_meanwhile_are_not_taken_for_others(tmp_path):
    suite = Suite.of("x", {"experiment": [{"env": TRAP, "planners": ["uct", "dpw"], "simulations": [10]}]})
    with run_folder.write(tmp_path / "run", suite, {}, provenance.collect([]), resume=False) as driver:
        first, second = suite.settings()

        def add(setting, *numbers):
            driver.add(Batch(setting, [Episode(number, float(number), 2, 0.1) for number in numbers], 1.0))

        add(first, *range(40, 60))
        add(second, *range(40, 60))
        earlier = iter(range(40))
        with store.read(tmp_path / "run") as results:
            results._connection.set_trace_callback(lambda _: add(second, next(earlier)))
            (found,) = compare.compare(results.suite, results.returns_of, "uct", "dpw")
    assert next(earlier) > 1  # some did come in
    assert found.paired.n == 20
    assert found.paired.difference == Interval(0.0, 0.0, 0.0)


def test_experiments_of_one_environment_make_one_table(tmp_path):
    suite = Suite.of(
        "x",
        {
            "experiment": [
                {
                    "env": [TRAP, HUNT],
                    "planners": ["uct", "dpw"],
                    "simulations": [100],
                    "milliseconds": [1],
                    "episodes": 3,
                },
                {"env": [TRAP, HUNT], "planners": ["uct", "dpw"], "simulations": [10], "episodes": 3},
            ]
        },
    )
    with store.read(made(tmp_path / "run", suite, lambda setting: [1.0, 2.0, 3.0])) as results:
        found = compare.compare(results.suite, results.returns_of, "uct", "dpw")
    assert [(c.a.env, c.a.budget) for c in found] == [(env, budget) for env in (TRAP, HUNT) for budget in (10, 100, 1)]
    assert compare.table(found).count("A: ") == 2


def test_episodes_by_another_seed_met_other_noise(tmp_path):
    suite = Suite.of(
        "x",
        {
            "experiment": [
                {"env": TRAP, "planners": [name], "simulations": [10], "seed": seed}
                for seed, name in enumerate(("uct", "dpw"))
            ]
        },
    )
    with (
        store.read(made(tmp_path / "run", suite, lambda setting: [1.0])) as results,
        pytest.raises(UsageError, match=r"no episode in common .* \(played with seeds 0 and 1\)"),
    ):
        compare.compare(results.suite, results.returns_of, "uct", "dpw")


def test_the_other_way_round_it_is_the_other_sign(between):
    there, back = (
        between(*names, simulations=[10], environments=[TRAP])[0] for names in ((TUNED, "dpw"), ("dpw", TUNED))
    )
    assert there.paired.difference.value == pytest.approx(-back.paired.difference.value)
    assert there.improvement.value == pytest.approx(1.0 - back.improvement.value)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"simulations": [10]}, [(10, "simulations")]),
        ({"milliseconds": [1]}, [(1, "ms")]),
        ({"simulations": [100], "milliseconds": [1]}, [(100, "simulations"), (1, "ms")]),
    ],
)
def test_budgets_can_be_chosen(between, wanted, expected):
    found = between(TUNED, THESIS, **wanted)
    assert [(c.a.budget, c.a.unit) for c in found] == expected


def test_a_name_alone_will_do_where_it_is_clear(between):
    assert [c.a.planner for c in between("uct", "dpw", environments=[HUNT])] == [TUNED]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("uct", "dpw"), ["'uct' may be one of several", TRAP, "'uct, tuned' or 'uct, thesis'"]),
        (("pw", "dpw"), ["'pw' is no planner of this run", "'uct, tuned', 'uct, thesis', 'dpw', 'uct'"]),
        (("dpw", "dpw"), ["same planner"]),
        (("uct, tuned", TUNED), ["same planner"]),
        (("uct", "dpw", "--env", "treasure_hunt"), ["environment", "Did you mean 'treasure_hunt:size=5'"]),
        (("uct, thesis", "dpw", "--env", HUNT), ["'uct, thesis' is no planner", "there", "'uct', 'dpw'"]),
        (("uct, tuned", "dpw", "--budget", "100"), ["no episode in common"]),
        (
            ("uct, tuned", "dpw", "--budget", "10,55"),
            ["budget 55 simulations", "10 simulations, 100 simulations, 1 ms"],
        ),
        (("uct, tuned", "dpw", "--milliseconds", "10"), ["budget 10 ms"]),
        (("uct, tuned", "dpw", "--budget", "nan"), ["budget nan simulations"]),
    ],
)
def test_what_cannot_be_compared_is_refused_and_the_choices_are_named(refused, folder, line, words):
    err = refused("compare", folder, *line)
    for word in words:
        assert word in err


def test_the_table(run, folder):
    status, out, err = run("compare", folder, "uct, thesis", "uct, tuned", "--budget", "10", "--env", TRAP)
    assert (status, err) == (0, "")
    env, a, b, head, _, row, *meaning = out.splitlines()
    assert [line.partition(":")[0] for line in meaning] == ["", "A - B", "p", "P(A > B)", "more episodes"]
    assert (env, a, b) == (TRAP, f"A: {THESIS}", f"B: {TUNED}")
    assert head.split(" | ")[0].strip("| ") == "budget"
    *cells, improvement, more = (cell.strip() for cell in row.strip("|").split("|"))
    assert cells == ["10 simulations", "40", "1.550", "1.650", "-0.100 [-0.100, -0.100]", "0.0001"]
    assert improvement.startswith("0.250 [0.")
    assert more == "settled"


def test_the_table_names_a_planner_that_is_not_reproducible(run, tmp_path):
    planners = ["uct", "threads:inner=uct,threads=2"]
    given = {"experiment": [{"env": TRAP, "planners": planners, "simulations": [10], "episodes": 8}]}
    made(tmp_path / "run", Suite.of("made up", given), lambda _: np.arange(8.0))
    _, out, _ = run("compare", tmp_path / "run", *planners)
    _, a, b, *_ = out.splitlines()
    assert a == "A: uct" and b.startswith(f"B: {planners[1]} (decides otherwise")


def test_json_has_the_same(run, folder):
    status, out, _ = run("compare", folder, "uct, tuned", "dpw", "--milliseconds", "1", "--json")
    (found,) = json.loads(out)["comparisons"]
    assert status == 0
    assert (found["env"], found["budget"], found["unit"], found["a"], found["b"]) == (TRAP, 1, "ms", TUNED, "dpw")
    assert (found["episodes"], found["settled"], found["more_episodes"]) == (40, True, 0)
    assert found["difference"]["value"] == pytest.approx(0.1)
    assert found["improvement"]["value"] == 0.75


def test_json_knows_no_infinity(between):
    found = between("uct, thesis", "uct, tuned", simulations=[10])[0]
    same = compare.as_json(
        compare.Comparison(
            found.a, found.b, (1.0, 1.0), found.paired._replace(more=math.inf), found.improvement._replace(low=math.nan)
        )
    )
    assert (same["settled"], same["more_episodes"], same["improvement"]["low"]) == (False, None, None)
    json.dumps(same, allow_nan=False)


@pytest.mark.parametrize(
    ("more", "expected"),
    [(0.0, "settled"), (1234.0, "1,234"), (math.inf, "no difference"), (math.nan, "too few episodes")],
)
def test_more_episodes_in_words(more, expected):
    assert needed(more) == expected


def test_the_same_run_gives_the_same_intervals(between):
    assert between("uct, thesis", "uct, tuned") == between("uct, thesis", "uct, tuned")


LABELLED = {
    "experiment": [
        {
            "env": [TRAP, HUNT],
            "simulations": [30],
            "episodes": 8,
            "planners": [
                {"label": "dpw", "planner": "dpw:exploration=0.084"},
                {"label": "dpw, defaults", "planner": "dpw"},
                "uct",
            ],
        },
        {
            "env": TRAP,
            "simulations": [100, 300],
            "episodes": 8,
            "planners": [{"label": "dpw, defaults", "planner": "dpw"}],
        },
        {"env": TRAP, "simulations": [100], "seed": 1, "episodes": 8, "planners": ["uct"]},
    ]
}


@pytest.fixture
def labelled(tmp_path):
    """A run in which the text of one planner is the label of another."""
    means = {"dpw:exploration=0.084": 2.0, "dpw": 1.0, "uct": 0.0}
    suite = Suite.of("labelled", LABELLED)
    return made(tmp_path / "run", suite, lambda setting: means[setting.planner] + np.arange(8.0))


def test_a_name_is_the_row_of_that_name_in_the_tables_whatever_the_text_of_others(refused, labelled):
    for a, b, means in (
        ("dpw", "uct", (5.5, 3.5)),
        ("dpw, defaults", "uct", (4.5, 3.5)),
        ("dpw:exploration=0.084", "dpw, defaults", (5.5, 4.5)),
        ("dpw", "dpw, defaults", (5.5, 4.5)),
    ):
        with store.read(labelled) as results:
            for found in compare.compare(results.suite, results.returns_of, a, b):
                assert found.means == pytest.approx(means)
    err = refused("compare", labelled, "dpw", "dpw:exploration=0.084")
    assert "are the same planner" in err


def test_what_is_left_out_of_a_comparison_is_named(run, labelled):
    _, out, _ = run("compare", labelled, "dpw", "dpw, defaults")
    assert f"not compared: 100 simulations in {TRAP} (not played by 'dpw')" in out
    assert f"not compared: 300 simulations in {TRAP} (not played by 'dpw')" in out
    _, out, _ = run("compare", labelled, "dpw, defaults", "uct", "--budget", "30,100")
    assert f"not compared: 100 simulations in {TRAP} (played with seeds 0 and 1)" in out
    assert f"not compared: 100 simulations in {HUNT} (not played by 'dpw, defaults' and 'uct')" in out
    _, out, _ = run("compare", labelled, "dpw", "uct", "--env", HUNT)
    assert "not compared" not in out
    _, out, _ = run("compare", labelled, "dpw", "dpw, defaults", "--json")
    assert [one["budget"] for one in json.loads(out)["left_out"]] == [100, 300]


def test_an_environment_that_one_has_not_played_is_named(run, folder):
    _, out, _ = run("compare", folder, "uct, thesis", "uct, tuned")
    assert f"not compared: {HUNT} (not played by 'uct, thesis' and 'uct, tuned')" in out
    for chosen in (("--budget", 10), ("--milliseconds", 1), ("--budget", 10, "--env", TRAP, "--env", HUNT)):
        _, out, _ = run("compare", folder, TUNED, "uct, thesis", *chosen)
        assert f"not compared: {HUNT} (not played by 'uct, thesis')" in out


def test_an_environment_that_neither_has_played_is_named_once(run, tmp_path):
    experiments = [{"env": TRAP, "planners": ["uct", "dpw"]}, {"env": HUNT, "planners": ["random"]}]
    suite = Suite.of("x", {"experiment": [one | {"simulations": [10], "episodes": 2} for one in experiments]})
    made(tmp_path / "run", suite, lambda setting: [1.0, 2.0])
    _, out, _ = run("compare", tmp_path / "run", "uct", "dpw", "--budget", "10")
    assert f"not compared: {HUNT} (not played by 'uct' and 'dpw')\n" in out


def test_where_nothing_can_be_compared_all_reasons_are_given_in_one_line(refused, tmp_path):
    experiments = [
        {"env": TRAP, "planners": ["uct"], "seed": 0},
        {"env": TRAP, "planners": ["dpw"], "seed": 1},
        {"env": HUNT, "planners": ["uct"]},
    ]
    suite = Suite.of("x", {"experiment": [one | {"simulations": [10], "episodes": 2} for one in experiments]})
    made(tmp_path / "run", suite, lambda setting: [1.0, 2.0])
    err = refused("compare", tmp_path / "run", "uct", "dpw")
    assert f"10 simulations in {TRAP} (played with seeds 0 and 1); {HUNT} (not played by 'dpw')" in err


def test_a_budget_of_which_no_episode_is_played_yet_is_named(run, tmp_path):
    given = {"experiment": [{"env": TRAP, "planners": ["uct", "dpw"], "simulations": [10, 20], "episodes": 2}]}
    suite = Suite.of("x", given)
    made(tmp_path / "run", suite, lambda setting: [1.0, 2.0][: 2 if setting.budget == 10 else 0])
    _, out, _ = run("compare", tmp_path / "run", "uct", "dpw")
    assert f"not compared: 20 simulations in {TRAP} (no finished episode in common)" in out


def test_figures_of_any_size_are_told_apart():
    assert estimate((0.1234, -0.00004, 0.2)) == "0.123 [0.000, 0.200]"
    assert estimate((1.234e-7, 1e-7, 1.5e-7)) == "1.23e-07 [1e-07, 1.5e-07]"
    assert estimate((-0.0, 0.0, 0.0)) == "0.000 [0.000, 0.000]"
    assert estimate((3e160, np.nan, np.nan)) == "3e+160"
    assert figures([1e308, -1.0]) == ["1e+308", "-1"]
