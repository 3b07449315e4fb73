import dataclasses

import numpy as np
import pytest

import envs
import planners
from runs import tune
from runs.experiment import Setting, UsageError

QUICK = ("tune", "trap:noise_range=0.1", "--budget", "3", "--trials", "6", "--episodes", "5", "--seed", "3")


def candidates(start, trials=40, seed=1):
    return tune.candidates(start, trials, np.random.default_rng(seed), envs.parse("trap"))


def parameters(text):
    return dict(item.split("=") for item in text.partition(":")[2].split(","))


@pytest.mark.parametrize("name", tune.SPACES)
def test_every_draw_is_a_planner_within_its_space(name):
    start, *drawn = candidates(name)
    assert start == name
    for text in drawn:
        planners.parse(text)
        for key, value in parameters(text).items():
            space = tune.SPACES[name][key]
            if isinstance(space, tune.Choice):
                assert value in space.values
            else:
                assert space.low <= float(value) <= space.high
                assert float(value) == float(f"{float(value):.2g}")


@pytest.mark.parametrize("name", tune.SPACES)
def test_a_space_holds_parameters_of_its_planner_and_all_their_values_are_drawn(name):
    assert tune.SPACES[name].keys() <= {field.name for field in dataclasses.fields(planners.REGISTRY.cls(name))}
    drawn = [parameters(text) for text in candidates(name)[1:]]
    for key, space in tune.SPACES[name].items():
        values = {each[key] for each in drawn}
        assert values == set(space.values) if isinstance(space, tune.Choice) else len(values) > 10


def test_values_that_a_planner_does_not_support_on_the_model_are_not_drawn(monkeypatch):
    monkeypatch.setattr(
        planners, "unsupported", lambda planner, model: "needs `rollout`" if planner.leaf == "rollout" else None
    )
    assert {parameters(text)["leaf"] for text in candidates("dpw")[1:]} == {"tree"}


def test_every_space_is_of_a_planner():
    assert set(tune.SPACES) <= set(planners.names())


def test_a_logarithm_is_uniform_where_asked_for():
    rng = np.random.default_rng(0)
    drawn = [float(tune.Uniform(0.01, 1.0, log=True).draw(rng)) for _ in range(4000)]
    assert np.mean(np.array(drawn) < 0.1) == pytest.approx(0.5, abs=0.03)
    even = [float(tune.Uniform(0.01, 1.0).draw(rng)) for _ in range(4000)]
    assert np.mean(np.array(even) < 0.5) == pytest.approx(0.5, abs=0.03)


def test_more_trials_go_on_where_fewer_stopped():
    assert candidates("dpw", 5) == candidates("dpw", 9)[:6]
    assert candidates("dpw", 5) != candidates("dpw", 5, seed=2)


def test_what_the_start_gives_stays():
    for text in candidates("dpw:leaf=tree,exploration=0.5")[1:]:
        assert text.startswith("dpw:leaf=tree,exploration=0.5,")
        assert parameters(text).keys() == tune.SPACES["dpw"].keys()
        assert planners.parse(text).exploration == 0.5
    assert "bandwidth=" in candidates("wuct")[1]


def test_the_same_candidate_is_tried_once():
    assert sorted(candidates("uct:exploration=1,leaf=tree")) == [
        "uct:exploration=1,leaf=tree",
        *(f"uct:exploration=1,leaf=tree,n_actions={n}" for n in (16, 4, 8)),
    ]


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("random", "unknown planner to tune 'random'"),
        ("presearch", "presearch cannot search Trap: needs `aim_grid`"),
        ("dwp", "Did you mean 'dpw'"),
        ("uct:exploration=-1", "exploration=-1"),
        ("uct:exploration=1,n_actions=8,leaf=tree", "leaves nothing to tune"),
    ],
)
def test_what_cannot_be_tuned_is_refused(start, words):
    with pytest.raises(UsageError, match=words):
        candidates(start)


def test_bad_numbers_and_environments_end_with_one_line(run):
    for wrong in (("--trials", "0"), ("--episodes", "0"), ("--budget", "0"), ("--seed", "-1"), ("--jobs", "0")):
        status, out, err = run(*QUICK, "--planner", "uct", *wrong)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert wrong[0][2:] in err and "must be" in err
    status, out, err = run("tune", "trop", "--planner", "uct")
    assert (status, out) == (2, "") and "Did you mean 'trap'" in err


def test_a_tuning_prints_both_rounds_and_the_best_of_the_second(run):
    status, out, _ = run(*QUICK, "--planner", "uct", "--jobs", "1")
    assert status == 0
    first, final, best = out.split("\n\n")
    assert first.count("| uct") == 7 and "over 5 episodes" in first
    assert 4 <= final.count("| uct") <= 5 and "over 40 episodes, optimum 1.7000" in final
    assert "| uct " in final  # the start, whatever became of it in the first round
    assert best.splitlines()[1] == final.splitlines()[3].split()[1]
    assert f"ahead of {final.splitlines()[4].split()[1]} " in best
    assert run(*QUICK, "--planner", "uct", "--jobs", "2")[1] == out


def test_known_parameters_take_part_in_both_rounds(fakes, monkeypatch, run):
    monkeypatch.setitem(tune.SPACES, "constant", {"draws": tune.Choice(tuple("123456789"))})
    known = ("--planner", "constant:action=0.1", "--planner", "constant:action=0.99")
    status, out, _ = run(*QUICK, *known, "--trials", "20", "--jobs", "1")
    assert status == 0
    first, final, _ = out.split("\n\n")
    assert first.count("| constant:action=0.99 ") == final.count("| constant:action=0.99 ") == 1
    assert "constant:action=0.99,draws" not in out


def test_the_best_of_fresh_draws_wins(fakes, monkeypatch, run):
    monkeypatch.setitem(tune.SPACES, "constant", {"action": tune.Choice(("0.1", "0.85", "0.3", "0.99"))})
    status, out, _ = run(*QUICK, "--planner", "constant:draws=1", "--trials", "40", "--jobs", "1")
    assert status == 0
    *_, title, winner, lead = out.splitlines()
    assert (title, winner) == ("winner", "constant:draws=1,action=0.85")
    assert " ahead of constant" in lead and "needed" not in lead


def test_the_best_within_noise_of_the_next_is_no_winner():
    def setting(name):
        return Setting("trap", name, 1, "simulations", 0)

    rng = np.random.default_rng(0)
    base = rng.normal(size=200)
    ahead = tune.verdict({setting("a"): base + 0.1 + 0.01 * rng.normal(size=200), setting("b"): base})
    assert ahead.startswith("winner\na\n0.099 [0.09") and "ahead of b" in ahead and "needed" not in ahead
    tied = tune.verdict({setting("a"): rng.normal(size=200) + 0.01, setting("b"): base})
    assert tied.startswith("no clear winner: the best is within noise of the next\na\n")
    assert "episodes needed to settle it" in tied
    assert tune.verdict({setting("a"): base}) == "winner\na"


def test_rounds_share_no_draw_and_candidates_share_all(fakes, monkeypatch, run):
    played = []

    def spy(settings, episodes, jobs):
        played.append((settings, episodes))
        return dict.fromkeys(settings, np.ones(1))

    monkeypatch.setattr(tune, "play", spy)
    run(*QUICK, "--planner", "dpw")
    (first, trial), (final, fresh) = played
    assert (len(first), len(final)) == (7, 4)
    assert (trial, fresh) == (range(5), range(5, 45))
    assert {setting[:1] + setting[2:] for setting in first + final} == {("trap:noise_range=0.1", 3, "simulations", 3)}


def test_returns_are_of_the_episodes_asked_for_the_best_first(fakes):
    settings = [Setting("trap", f"constant:action={action}", 1, "simulations", 0) for action in (0.1, 0.85)]
    returns = tune.play(settings, range(2, 5), 1)
    assert list(returns) == settings[::-1]
    assert returns[settings[0]] == pytest.approx([1.4, 1.4, 1.4])


def test_a_failing_candidate_ends_the_search_by_name(fakes, monkeypatch, run):
    monkeypatch.setitem(tune.SPACES, "clumsy", {})
    monkeypatch.setattr(tune, "candidates", lambda start, trials, rng, model: [start])
    status, _, err = run(*QUICK, "--planner", "clumsy", "--episodes", "30", "--jobs", "1")
    assert status == 1
    assert "clumsy, episode " in err and "dropped the stone" in err
