import numpy as np
import pytest

from bonspiel.runs import provenance
from bonspiel.runs.experiment import Entrant, Experiment, Setting
from bonspiel.runs.reporting import markdown
from bonspiel.runs.results import run_folder
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.runner import driver
from bonspiel.runs.statistics import timing
from bonspiel.runs.statistics.curves import panels
from bonspiel.runs.suite import Suite

SUITE = Suite("mine", (Experiment("trap", (Entrant("random"),), (10,), (1, 10, 100), episodes=3),))


def timed(number, *milliseconds):
    times = np.array(milliseconds, "<f4") / 1e3
    return Episode(number, 1.0, len(times), float(times.sum()), 9, np.zeros(1).tobytes(), times.tobytes())


def setting(budget):
    return Setting("trap", "random", budget, "ms", 0)


@pytest.fixture
def results(tmp_path):
    facts = provenance.collect([])
    with run_folder.write(tmp_path, SUITE, {"trap": "Trap()"}, facts, False) as opened:
        yield opened


def test_the_times_of_all_decisions_of_a_setting(results):
    results.add(Batch(setting(10), [timed(0, 9.9, 10.4), timed(1, 10.6, 30.0, 10.0)], 1.0))
    results.add(Batch(Setting("trap", "random", 10, "simulations", 0), [Episode(0, 1.0, 2, 5.0)], 1.0))
    found = timing.timing(results.times())
    assert set(found) == {setting(10)}
    of_ten = found[setting(10)]
    assert of_ten[:1] + of_ten[4:] == (5, 2)
    assert of_ten[1:4] == pytest.approx((10.4, 29.224, 30.0), rel=1e-6)
    assert of_ten.share == 0.4


def test_the_report_says_plainly_whether_decisions_overran(results, tmp_path):
    results.add(Batch(setting(10), [timed(0, 9.9, 10.4)], 1.0))
    kept = markdown.text(
        results,
        panels(results.suite, results.returns(), results.values("episode")),
        timing.timing(results.times()),
        tmp_path,
    )
    assert "None of the 2 decisions took over 5% more than its time budget." in kept
    results.add(Batch(setting(1), [timed(0, 1.0, 1.2, 2.5)], 1.0))
    overrun = markdown.text(
        results,
        panels(results.suite, results.returns(), results.values("episode")),
        timing.timing(results.times()),
        tmp_path,
    )
    assert "**Time budgets were overrun**: 2 of 5 decisions (40.00%) took over 5% more than their budget" in overrun
    assert "their budget. With 1 of 2 time budgets more than half of a planner's decisions were late. The " in overrun
    assert "The longest beyond its budget was of random in trap: 2.5 ms instead of 1 ms." in overrun
    assert ["trap", "random", "1", "3", "1.200", "2.474", "2.500", "66.67%"] in [
        [cell.strip() for cell in line.strip("|").split("|")] for line in overrun.splitlines()
    ]


def test_a_few_late_decisions_are_told_as_such(results):
    results.add(Batch(setting(10), [timed(0, 9.9, 10.4, 10.6)], 1.0))
    results.add(Batch(setting(100), [timed(0, 99.0, 110.0)], 1.0))
    found = timing.verdict(timing.timing(results.times()))
    assert "No planner was late in more than half of its decisions with a budget." in found
    assert "none of" not in found and "below" not in found


def test_a_run_without_time_budgets_says_nothing_of_them(results, tmp_path):
    results.add(Batch(Setting("trap", "random", 10, "simulations", 0), [Episode(0, 1.0, 2, 5.0)], 1.0))
    assert "ime budget" not in markdown.text(
        results,
        panels(results.suite, results.returns(), results.values("episode")),
        timing.timing(results.times()),
        tmp_path,
    )


@pytest.mark.parametrize(("units", "warned"), [({"milliseconds": [1]}, True), ({"simulations": [10]}, False)])
def test_more_jobs_than_cores_falsify_time_budgets(tmp_path, monkeypatch, capsys, units, warned):
    monkeypatch.setattr(driver.joblib, "cpu_count", lambda: 0)
    suite = SUITE.override(**units)
    driver.play(suite, tmp_path / "run", 1, False, provenance.collect([]))
    assert ("1 job share 0 cores" in capsys.readouterr().err) == warned


@pytest.mark.parametrize(
    ("allowed", "taken", "warned"),
    [(3, 3, "1 job share 0 cores, as another run with time budgets has 3, which"), (3, 2, ""), (9, 6, "")],
)
def test_cores_of_another_run_are_taken_into_account(tmp_path, monkeypatch, capsys, allowed, taken, warned):
    monkeypatch.setattr(driver.joblib, "cpu_count", lambda: 3)
    monkeypatch.setattr(driver.cores, "taken", lambda: taken)
    monkeypatch.setattr(driver.cores, "untaken", lambda: allowed - taken)
    driver.play(SUITE.override(milliseconds=[1]), tmp_path / "run", 1, False, provenance.collect([]))
    said = capsys.readouterr().err
    assert warned in said and ("warning" in said) == bool(warned)
