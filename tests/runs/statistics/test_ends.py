import numpy as np

from bonspiel.runs.experiment import Setting
from bonspiel.runs.statistics import ends
from bonspiel.runs.statistics.ranks import mean_score
from bonspiel.runs.statistics.scale import BEST, OPTIMUM, RANDOM, Known, Scale

MEANS = {"random": 0.0, "uct": 1.0, "pw": 0.9, "dpw": 0.5}


def samples(rng, n, common=0.0, env="mine"):
    noise = rng.normal(0.0, common, n)
    return {
        (0, Setting(env, planner, 10, "simulations", 0)): noise + rng.normal(mean, 0.6, n)
        for planner, mean in MEANS.items()
    }


def scale_of(found):
    return ends.scales((setting, sample) for (_, setting), sample in found.items())["mine"]


def test_known_ends_have_no_error():
    assert ends.resampled_scores(Scale(0.0, 1.0, OPTIMUM), samples(np.random.default_rng(0), 20)) == {}


def test_an_end_that_was_played_is_resampled_with_the_same_episodes(monkeypatch):
    monkeypatch.setattr(ends, "known", lambda env: Known(optimum=3.0))
    noise = np.random.default_rng(0).normal(size=30)
    found = {(0, Setting("mine", planner, 10, "simulations", 0)): noise + mean for planner, mean in MEANS.items()}
    scale = scale_of(found)
    assert scale == Scale(float(noise.mean()), 3.0, OPTIMUM, RANDOM, zero_played=True)
    drawn = ends.resampled_scores(scale, found)
    low = 3.0 - 1.0 / drawn[0, Setting("mine", "uct", 10, "simulations", 0)]  # as (low + 1 - low) / (3 - low)
    assert abs(low.mean() - noise.mean()) < 0.02
    assert abs(low.std() - noise.std() / np.sqrt(30)) < 0.02
    for (_, setting), scores in drawn.items():
        np.testing.assert_allclose(scores, MEANS[setting.planner] / (3.0 - low), atol=1e-12)


def test_the_best_of_the_run_is_1_and_a_single_episode_has_no_interval(monkeypatch):
    monkeypatch.setattr(ends, "known", lambda env: Known())
    found = samples(np.random.default_rng(1), 40)
    found[1, Setting("mine", "voot", 10, "simulations", 0)] = np.array([0.7])
    scale, best = scale_of(found), Setting("mine", "uct", 10, "simulations", 0)
    assert (scale.top, scale.zero_played) == (BEST, True)
    drawn = ends.resampled_scores(scale, found)
    np.testing.assert_allclose(drawn[0, best], 1.0)
    np.testing.assert_allclose(drawn[0, best._replace(planner="random")], 0.0, atol=1e-12)
    assert np.isnan(drawn[1, best._replace(planner="voot")]).all()


def test_intervals_on_played_scales_contain_the_true_score_about_as_often_as_they_say(monkeypatch):
    monkeypatch.setattr(ends, "known", lambda env: Known())
    rng, inside, widths = np.random.default_rng(3), [], []
    for _ in range(100):
        strata, means = [], []
        for _ in range(4):
            found = samples(rng, 20, common=1.0)
            scale, planner = scale_of(found), next(key for key in found if key[1].planner == "dpw")
            strata.append(scale.scores(found[planner]))
            means.append(ends.resampled_scores(scale, found)[planner])
        both = [mean_score(strata, rng, known) for known in (means, ())]
        inside.append(both[0].low <= MEANS["dpw"] <= both[0].high)
        widths.append([one.high - one.low for one in both])
    assert 0.88 <= np.mean(inside)
    new, old = np.mean(widths, axis=0)
    assert new < 0.75 * old  # as noise that all planners meet moves no score
