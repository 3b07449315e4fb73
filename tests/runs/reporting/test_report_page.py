"""The page of a run in a browser: what it shows, and what its buttons do."""

import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel.runs import provenance
from bonspiel.runs.experiment import WHOLE
from bonspiel.runs.reporting import charts, page, styles, tables
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.results.rows import Batch, Episode, Failure
from bonspiel.runs.statistics import curves, timing
from bonspiel.runs.statistics import sample as statistics
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import estimate

TRAP = "trap:noise_range=0.1"
EVIL = '<script>evil = 1</script> & <b>"co"\'</b>${data}'
SUITE = {
    "description": EVIL,
    "experiment": [
        {
            "env": TRAP,
            "planners": ["uct", {"planner": "uct:n_actions=4", "label": EVIL}, "dpw"],
            "simulations": [10, 100],
            "milliseconds": [1],
            "episodes": 20,
        }
    ],
}
LATE = 2e-3  # s, for budgets of 1 ms
CHARTS = "[...document.querySelectorAll('.chart')]"
TITLES = ["Mean return", "Regret", "Simple regret of the first action", "Performance profile", "Outcomes"]


def episode(setting, number, rng):
    total = float(rng.choice([0.7, 1.4, 1.7]))
    times = np.full(2, LATE if setting.planner == "dpw" else 1e-3, "<f4").tobytes() if setting.unit == "ms" else None
    return Episode(number, total, 2, 0.001, 20, rng.random(1).astype("<f8").tobytes(), times)


@pytest.fixture
def no_episode():
    """The page that all tests share shows one."""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A made-up run: dpw is late with time budgets and failed once."""
    rng = np.random.default_rng(5)
    suite = Suite.of("evil & co", SUITE)
    folder = tmp_path_factory.mktemp("run")
    with run_folder.write(folder, suite, suite.resolve(), provenance.collect(["run", "x"]), False) as run:
        for setting in suite.settings():
            played = [episode(setting, number, rng) for number in range(20)]
            if setting[1:3] == ("dpw", 100):
                played[3] = Failure(3, f"ValueError: {EVIL}")
            run.add(Batch(setting, played, 1.0))
    with store.read(folder) as run:
        yield run


@pytest.fixture(scope="module")
def panels(results):
    return curves.panels(results.suite, results.returns(), results.values("episode"))


@pytest.fixture(scope="module")
def text(results, panels):
    return page.text(results, panels, timing.timing(results.times()))


@pytest.fixture
def opened(look, text):
    def call(**context):
        shown = look(text, **context)
        shown.wait_for_selector("html[data-drawn]")
        return shown

    return call


@pytest.fixture(scope="module")
def shown(look_once, text):
    """The page as it opens, for tests that change nothing in it or undo what they change."""
    page = look_once(text)
    page.wait_for_selector("html[data-drawn]")
    return page


def test_the_page_is_one_small_enough_file_beside_the_results(results, panels, text):
    path = page.write(results, panels, timing.timing(results.times()))
    assert path == results.folder / "report.html"
    assert path.read_text(encoding="utf-8") == text  # and the same for the same results
    assert 4e6 < path.stat().st_size < 6e6


def test_the_charts_hold_the_values_of_the_run(shown, results, panels):
    assert shown.evaluate(f"{CHARTS}.map(one => one.closest('figure').querySelector('figcaption').textContent)") == (
        TITLES * 2
    )
    assert shown.evaluate(f"{CHARTS}.map(one => one.data.length)") == [9, 9, 9, 9, 3] * 2  # a curve and a band's edges
    assert shown.evaluate(f"{CHARTS}.map(one => one.querySelectorAll('.main-svg').length > 0)") == [True] * 10
    drawn = shown.evaluate(f"{CHARTS}[0].data.filter(one => one.meta).map(one => [one.meta, one.x, one.y])")
    for planner, x, y in drawn:
        curve = panels[0].curves[planner]
        assert x == [10, 100] == [budget for budget, _ in curve]
        np.testing.assert_allclose(y, [summary.mean for _, summary in curve], rtol=1e-5)
    low, high = (shown.evaluate(f"{CHARTS}[0].data[{i}].y") for i in (0, 1))
    uct = panels[0].curves["uct"]
    np.testing.assert_allclose([low, high], [[s.low for _, s in uct], [s.high for _, s in uct]], rtol=1e-5)
    missing = shown.evaluate(f"{CHARTS}[1].data[2].y")
    np.testing.assert_allclose(missing, [1.7 - summary.mean for _, summary in uct], rtol=1e-5)
    assert shown.evaluate(f"{CHARTS}[1].layout.yaxis.type") == shown.evaluate(f"{CHARTS}[0].layout.xaxis.type") == "log"
    levels = shown.evaluate(f"{CHARTS}[0].layout.annotations.map(one => one.text)")
    assert levels == ["optimum 1.700", "constant action 1.699", "random policy 1.030", "do nothing 1.400"]
    setting, sample = next((s, values) for s, values in results.returns().items() if s.budget == 100)
    outcomes = shown.evaluate(f"{CHARTS}[4].data[0]")
    assert (outcomes["meta"], outcomes["x"]) == (setting.planner, ["0.7", "1.4", "1.7"])
    assert outcomes["y"] == pytest.approx([(sample == value).mean() for value in (0.7, 1.4, 1.7)])
    profile = shown.evaluate(f"{CHARTS}[3].data[2]")
    known = panels[0].known
    scores = (sample - known.do_nothing) / (known.optimum - known.do_nothing)
    np.testing.assert_allclose(profile["y"], [(scores > t).mean() for t in profile["x"]], atol=1e-5)


def cells(shown, name):
    return shown.evaluate(
        """name => [...document.querySelector(`table[data-name="${name}"]`).rows]
        .map(row => [...row.cells].map(cell => cell.textContent))""",
        name,
    )


def test_the_tables_tell_what_the_run_found(shown, panels):
    for name, column in curves.columns(panels[0]).items():
        head, *rows = cells(shown, f"{name}|{TRAP}|simulations")
        assert head == ["planner", "10", "100"]
        for row, (planner, curve) in zip(rows, panels[0].curves.items(), strict=True):
            told = [estimate(column(summary)) for _, summary in curve]
            assert row == [panels[0].label(planner), *(one.replace("-", "\N{MINUS SIGN}") for one in told)]
        caption = shown.text_content(f'table[data-name="{name}|{TRAP}|simulations"] caption')
        assert caption == f"{name.capitalize()}{' [95 % interval]' * (name != 'median')} by simulations per decision"
    matrix = [[cell.split(" ")[0] for cell in row[1:]] for row in cells(shown, f"improvement|{TRAP}|simulations")[1:]]
    for i in range(3):
        assert matrix[i][i] == "\N{EN DASH}"
        for j in range(i):
            assert float(matrix[i][j]) + float(matrix[j][i]) == pytest.approx(1.0, abs=0.0011)
    steps = {row[0]: row for row in cells(shown, f"steps|{TRAP}")[1:]}
    assert steps["uct"] == ["uct", "100", "2.000", "200", "20,000"]


def test_the_probability_of_improvement_is_that_of_all_pairs(results):
    samples = {s: values for s, values in results.returns().items() if s.budget == 10}
    found = page._improvements(samples, 10)
    a, b = (next(v for s, v in samples.items() if s.planner == name) for name in ("uct", "dpw"))
    share = np.mean((a[:, None] > b) + 0.5 * (a[:, None] == b))
    assert found["uct", "dpw"].value == pytest.approx(share)
    assert found["uct", "dpw"].low < share < found["uct", "dpw"].high
    assert found["dpw", "uct"] == pytest.approx((1 - share, 1 - found["uct", "dpw"].high, 1 - found["uct", "dpw"].low))


def test_late_decisions_and_failures_are_told_in_red_at_the_top(shown):
    said = shown.evaluate(
        "[...document.querySelectorAll('header .bad')].filter(one => !one.closest('noscript'))"
        ".map(one => [one.textContent, getComputedStyle(one).color])"
    )
    assert [colour for _, colour in said] == ["rgb(179, 38, 30)"] * 3
    unfinished, failed, late = (words for words, _ in said)
    assert "Unfinished: 179 of 180" in unfinished and "1 episode failed" in failed
    assert "Time budgets were overrun: 40 of 120 decisions" in late
    rows = {row[0]: row for row in cells(shown, "timing")[1:]}
    assert rows["dpw"] == ["dpw", TRAP, "1", "40", "2.000", "2.000", "2.000", "100.00"]
    assert rows["uct"][-1] == "0.00"


def test_texts_of_others_are_shown_and_never_run(shown, text):
    assert shown.evaluate("typeof evil") == "undefined"
    assert shown.locator("header p").first.text_content() == EVIL
    assert shown.locator(".legend button").nth(1).text_content().strip() == EVIL
    assert cells(shown, "failures")[1][4] == f"ValueError: {EVIL}"
    assert "<script>evil" not in text
    assert "evil = 1" in shown.evaluate(f"{CHARTS}[0].data[5].name") and "<" not in shown.evaluate(
        f"{CHARTS}[0].data[5].name"
    )


def test_a_planner_is_taken_out_of_all_charts(shown):
    button = shown.locator(".legend button").nth(2)
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert shown.evaluate(f"{CHARTS}.map(one => one.data.length)") == [6, 6, 6, 6, 2] * 2
    assert shown.evaluate(f"{CHARTS}.every(one => one.data.every(trace => trace.meta !== 'dpw'))")
    button.click()
    assert shown.evaluate(f"{CHARTS}[0].data.length") == 9


def test_another_budget_for_profile_and_outcomes(shown, results):
    before = shown.evaluate(f"{CHARTS}[4].data[0].y")
    shown.locator("select").first.select_option("10")
    sample = next(values for s, values in results.returns().items() if s.budget == 10)
    after = shown.evaluate(f"{CHARTS}[4].data[0].y")
    assert after != before
    assert after == pytest.approx([(sample == value).mean() for value in (0.7, 1.4, 1.7)])
    shown.locator("select").first.select_option("100")
    assert shown.evaluate(f"{CHARTS}[4].data[0].y") == before


def test_tables_are_chosen_and_sorted(opened):
    shown = opened()
    tables = shown.locator(".choice").first
    tables.locator(".tabs button", has_text="regret").first.click()
    assert tables.locator("table:visible").get_attribute("data-name") == f"regret|{TRAP}|simulations"
    head = tables.locator("table:visible thead th").nth(1)
    for order in (-1, 1):
        head.locator("button").click()
        values = tables.locator("table:visible tbody tr").evaluate_all(
            "rows => rows.map(row => Number(row.cells[1].dataset.value))"
        )
        assert values == sorted(values, reverse=order < 0)
        assert head.get_attribute("aria-sort") == {-1: "descending", 1: "ascending"}[order]


def test_hovering_tells_the_value(shown):
    x, y = shown.evaluate(f"""() => {{
        const chart = {CHARTS}[0], {{ xaxis, yaxis }} = chart._fullLayout, box = chart.getBoundingClientRect();
        return [box.x + xaxis._offset + xaxis.d2p(100), box.y + yaxis._offset + yaxis.d2p(chart.data[2].y[1])];
    }}""")
    shown.mouse.move(x, y)
    shown.wait_for_selector(".hoverlayer text")
    told = shown.locator(".hoverlayer").first.text_content()
    assert re.search(r"100 simulations1\.\d+ \[1\.\d+, 1\.\d+\](19|20) episodes", told)
    shown.mouse.move(0, 0)


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_no_width_makes_the_page_scroll_sideways(opened, shown, width):
    shown = shown if width == shown.viewport_size["width"] else opened(width=width)
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    for box in shown.evaluate(f"{CHARTS}.map(one => one.querySelector('.main-svg').getBoundingClientRect().toJSON())"):
        assert 0 <= box["left"] < box["right"] <= width
        assert box["width"] > min(300, width / 4)


def test_dark_and_light(opened, shown):
    grounds = [
        shown.evaluate(
            f"[getComputedStyle(document.body).backgroundColor, {CHARTS}[0].layout.paper_bgcolor,"
            "document.querySelector('.legend path').getAttribute('stroke')]"
        )
        for shown in (shown, opened(color_scheme="dark"))
    ]
    assert grounds == [["rgb(255, 255, 255)", "#ffffff", "#0072B2"], ["rgb(18, 24, 31)", "#12181f", "#4a9fe0"]]


def test_print_has_all_tables_light_charts_and_no_controls(opened):
    shown = opened(color_scheme="dark", width=720)
    assert shown.locator("table:visible").count() == 9
    shown.locator(".legend button").nth(2).click()
    shown.emulate_media(media="print", color_scheme="dark")
    shown.wait_for_selector("html[data-drawn=print]")
    keys = shown.locator(".charts").evaluate_all("all => all.map(one => one.previousElementSibling.innerText.trim())")
    assert len(keys) == 4 and all("uct" in key and "dpw" not in key for key in keys)  # on every page, what colours mean
    assert shown.evaluate(f"{CHARTS}.every(one => one.layout.paper_bgcolor === '#ffffff')")
    assert shown.locator("table:visible").count() == 21
    assert shown.locator("nav:visible, select:visible, .tabs:visible").count() == 0
    assert set(shown.evaluate(f"{CHARTS}.map(one => one.querySelector('.main-svg').clientWidth)")) == {330}
    style = shown.evaluate(
        "(s => [s.display, s.breakInside, s.breakAfter])(getComputedStyle(document.querySelector('.key')))"
    )
    assert style == ["flex", "avoid", "avoid"]  # a legend is printed on the page of its charts
    shown.emulate_media(media="screen", color_scheme="dark")
    shown.wait_for_selector("html[data-drawn=dark]")
    assert shown.evaluate(f"{CHARTS}.every(one => one.layout.paper_bgcolor === '#12181f')")
    assert len(re.findall(rb"/Type */Page\b", shown.pdf(prefer_css_page_size=True))) > 1


def test_the_toolbar_of_a_chart_covers_nothing_of_it(shown):
    from playwright.sync_api import expect

    toolbar = shown.locator(".modebar-group").first
    expect(toolbar).to_have_css("opacity", "0")
    shown.locator(".chart").first.hover()
    expect(toolbar).to_have_css("opacity", "1")
    bar, label = (shown.locator(place).first.bounding_box() for place in (".modebar-group", ".annotation"))
    assert bar["width"] > 40 and bar["y"] + bar["height"] <= label["y"]
    title = shown.evaluate(
        "(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('figcaption'));"
        "return range.getBoundingClientRect().right; })()"
    )
    assert bar["x"] > title
    shown.mouse.move(0, 0)


def test_everything_has_a_name_for_those_who_do_not_see_it(shown):
    assert shown.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].map(one => Number(one.tagName[1]))"
        ".every((level, i, all) => i === 0 ? level === 1 : level <= all[i - 1] + 1)"
    )
    assert shown.evaluate(f"{CHARTS}.every(one => one.getAttribute('role') === 'img' && one.ariaLabel.length > 20)")
    assert shown.evaluate(
        "[...document.querySelectorAll('table')].every(one => one.caption && one.tHead.rows.length"
        " && [...one.tBodies[0].rows].every(row => row.cells[0].scope === 'row'))"
    )
    assert shown.evaluate(
        "[...document.querySelectorAll('button')].every(one => one.textContent.trim() || one.ariaLabel)"
    )


def test_a_planner_looks_the_same_in_the_page_and_in_the_chart():
    texts = ["dpw", "uct", "dpw:k_action=2", "abstraction"]
    drawn = charts.looks({text: text for text in texts})
    for text, look in styles.of_planners(texts).items():
        assert drawn[text]["colour"] == look.colour
        assert charts.SYMBOLS[look.marker] == drawn[text]["symbol"].removesuffix("-open")
    assert set(charts.SYMBOLS) == set(styles.MARKERS)
    script = Path(page.__file__).with_name("page.js").read_text(encoding="utf-8")
    legend = script[script.index("const MARKS") : script.index("function paintLegends")]
    assert set(re.findall(r'"?([\w-]+)"?: "M', legend)) == set(charts.SYMBOLS.values())
    patterns = script[script.index("const PATTERNS") : script.index("let printing")]
    found = dict(re.findall(r'"([\w,]+)": "(.*?)"', patterns))
    assert set(found) == set(charts.DASHES.values()) and len({*found.values()}) == len(styles.LINES)
    assert drawn["dpw"]["dash"] != drawn["dpw:k_action=2"]["dash"]
    assert charts.looks({"dpw": "dpw"})["dpw"] == drawn["dpw"]


NARROW = "trap:noise_range=0.01"


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """A made-up run that has just begun: one budget or two, returns that all differ."""
    rng = np.random.default_rng(6)
    suite = Suite.of(
        "few",
        {
            "experiment": [
                {"env": env, "planners": ["random", "dpw"], "simulations": budgets, "episodes": 30}
                for env, budgets in ((TRAP, [7]), (NARROW, [20, 30]))
            ]
        },
    )
    folder = tmp_path_factory.mktemp("few")
    with run_folder.write(folder, suite, suite.resolve(), provenance.collect(["run", "x"]), False) as run:
        for setting in suite.settings():
            if (setting.budget, setting.planner) != (30, "random"):
                played = [
                    Episode(
                        n,
                        float(rng.normal()),
                        2,
                        0.001,
                        0 if setting.planner == "random" else 20,
                        rng.random(1).astype("<f8").tobytes(),
                        None,
                    )
                    for n in range(30)
                ]
                run.add(Batch(setting, played, 1.0))
    with store.read(folder) as run:
        panels = curves.panels(run.suite, run.returns(), run.values("episode"))
        yield run, panels, page.text(run, panels, timing.timing(run.times()))


@pytest.fixture(scope="module")
def few_shown(look_once, few):
    page = look_once(few[-1])
    page.wait_for_selector("html[data-drawn]")
    return page


def test_a_single_budget_has_its_intervals_and_its_label(few_shown, few):
    shown, (_, panels, _) = few_shown, few
    for planner, place in (("random", 0), ("dpw", 1)):
        trace = shown.evaluate(f"{CHARTS}[0].data.filter(one => one.meta)[{place}]")
        summary = panels[0].curves[planner][0][1]
        bar = trace["error_y"]
        assert (trace["y"][0] - bar["arrayminus"][0], trace["y"][0] + bar["array"][0]) == pytest.approx(
            (summary.low, summary.high), rel=1e-4
        )
        assert trace["x"][0] == pytest.approx(7, rel=0.02) and trace["customdata"][0][4] == "7"
    ticks = shown.locator(".xaxislayer-above").evaluate_all("all => all.map(one => one.textContent)")
    assert ticks[:3] == ["7"] * 3 and ticks[5:8] == ["2030"] * 3


def test_returns_that_all_differ_have_a_histogram(few_shown, few):
    run, *_ = few
    drawn = few_shown.evaluate(f"{CHARTS}.at(-1).data")
    samples = {s: values for s, values in run.returns().items() if s.env == NARROW}
    every = np.concatenate(list(samples.values()))
    for trace in drawn:
        sample = next(v for s, v in samples.items() if (s.planner, s.budget) == (trace["meta"], 20))
        expected = np.histogram(sample, 12, (every.min(), every.max()))[0] / len(sample)
        np.testing.assert_allclose(trace["y"], expected, atol=1e-5)
        assert sum(trace["y"]) == pytest.approx(1.0, abs=1e-4) and len(trace["x"]) == 12


def test_what_a_planner_that_does_not_simulate_did_in_a_second_is_left_open(few):
    run, _, text = few
    assert math.isnan(page._speed(run, TRAP)["random"]) and page._speed(run, TRAP)["dpw"] == pytest.approx(20_000)
    assert "Trap(noise_range=0.1" in text


def test_method_says_what_is_computed(text):
    words = " ".join(text.partition('id="method"')[2].partition("</section>")[0].split())
    for constant in (
        f"{statistics.RESAMPLES:,} resamples",
        f"more than {statistics.MANY:,} different",
        f"in {statistics.GROUPS} groups",
        f"its first {page.FIRST_ACTIONS} episodes",
    ):
        assert constant in words


def test_numbers_for_json_are_finite():
    assert charts.numbers([1.23456789, math.nan, -math.inf]) == [1.23457, None, None]


def test_an_environment_that_nobody_has_solved_has_its_charts(results, panels):
    alone = [curves.Panel(TRAP, "ms", panels[1].curves, labels=panels[1].labels)]
    text = page.text(results, alone, timing.timing(results.times()))
    assert "Mean return</figcaption>" in text
    assert "Regret</figcaption>" not in text and f'data-name="regret|{TRAP}' not in text


def test_provenance_is_told_of_every_part():
    facts = {"version": "1.2", "commit": "abc", "packages": {"numpy": "2.4", "numba": "0.66"}}
    merged = {"command": "bonspiel merge", "merged": [{"run": "a<b", "part": "1/2", **facts}, {"run": "c", **facts}]}
    suite = Suite.of("x", {"experiment": [{"env": "trap", "planners": ["uct"], "simulations": [1], "seed": 7}]})
    sealed = {"seal": '{"results": "12ab", "rest": "34cd"}'}
    told = tables.provenance(SimpleNamespace(suite=suite, part=WHOLE, provenance=merged, entries=lambda: sealed))
    assert re.findall("<h3>(.*?)</h3>", told) == ["a&lt;b", "c"]
    assert told.count("<dt>commit</dt><dd>abc</dd>") == told.count("numpy 2.4, numba 0.66") == 2
    assert "<dt>digest of the results</dt><dd>12ab</dd>" in told
    assert "<dt>seed</dt><dd>7</dd>" in told and "<dt>part</dt><dd>1/2</dd>" in told


def test_a_run_by_time_alone_has_no_table_of_steps(tmp_path, text):
    suite = Suite.of("timed", {"experiment": [{"env": TRAP, "planners": ["uct"], "milliseconds": [1], "episodes": 2}]})
    with run_folder.write(tmp_path, suite, suite.resolve(), provenance.collect([]), False) as run:
        for setting in suite.settings():
            run.add(Batch(setting, [episode(setting, number, np.random.default_rng(5)) for number in range(2)], 1.0))
        timed = page.text(
            run, curves.panels(run.suite, run.returns(), run.values("episode")), timing.timing(run.times())
        )
    assert "Model steps</h3>" in text
    assert "Model steps</h3>" not in timed
