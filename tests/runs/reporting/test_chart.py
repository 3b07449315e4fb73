import re
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from bonspiel import planners
from bonspiel.runs.reporting import chart, styles
from bonspiel.runs.statistics.curves import Panel, caption, table
from bonspiel.runs.statistics.sample import Summary
from bonspiel.runs.statistics.scale import Known


def curve(*means, width=0.1, budgets=(10, 100, 1000)):
    return [
        (budget, Summary(20, mean, mean - width, mean + width, mean))
        for budget, mean in zip(budgets, means, strict=False)
    ]


TRAP = Panel(
    "trap:noise_range=0.1",
    "simulations",
    {"uct": curve(1.3, 1.35, 1.4), "abstraction:exploration=2": curve(1.4, 1.6, 1.7, width=0.0)},
    Known(1.7, 1.03),
)
TRACK = Panel("racetrack", "ms", {"dpw": curve(0.1, 0.2), "dpw:exploration=2": curve(0.2, 0.3)})


def test_the_files_are_the_same_for_the_same_results(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        chart.save([TRAP, TRACK], tmp_path / name)
    for name in ("chart.png", "chart.svg"):
        content = (tmp_path / "a" / name).read_bytes()
        assert len(content) > 10_000
        assert content == (tmp_path / "b" / name).read_bytes()
    assert (tmp_path / "a" / "chart.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_svg_holds_every_series_label_and_line(tmp_path):
    chart.save([TRAP, TRACK], tmp_path)
    svg = (tmp_path / "chart.svg").read_text()
    for text in ("uct", "abstraction:exploration=2", "dpw", "dpw:exploration=2"):
        assert f'id="{text}"' in svg
    words = set(re.findall(r"<!-- (.*?) -->", svg))
    assert {
        "uct",
        "abstraction:exploration=2",
        "dpw:exploration=2",
        "optimum 1.700",
        "random policy 1.030",
        "simulations per decision",
        "milliseconds per decision",
        "trap:noise_range=0.1",
        "1,000",
    } <= words
    assert not any("date" in line for line in svg.lower().splitlines() if "dc:" in line)


def test_the_curves_are_the_means_and_the_regret_what_is_missing():
    reward, regret = chart.draw([TRAP], regret=True).axes
    lines = {line.get_label(): line for line in reward.lines}
    np.testing.assert_allclose(lines["uct"].get_xdata(), [10, 100, 1000])
    np.testing.assert_allclose(lines["uct"].get_ydata(), [1.3, 1.35, 1.4])
    assert reward.get_xscale() == regret.get_xscale() == regret.get_yscale() == "log"
    missing = {line.get_label(): line for line in regret.lines}
    np.testing.assert_allclose(missing["uct"].get_ydata(), [0.4, 0.35, 0.3])
    np.testing.assert_allclose(missing["abstraction:exploration=2"].get_ydata(), [0.3, 0.1, 0.00067])


def test_a_label_stands_for_the_text_and_is_explained():
    named = replace(TRAP, labels={"abstraction:exploration=2": "abstraction, tuned"})
    drawn, plain = ({line.get_label(): line for line in chart.draw([panel]).axes[0].lines} for panel in (named, TRAP))
    assert drawn["abstraction, tuned"].get_color() == plain["abstraction:exploration=2"].get_color()
    assert "abstraction:exploration=2" not in drawn and "uct" in drawn
    assert "| abstraction, tuned | 1.400" in table(named)
    assert caption(named).splitlines() == [caption(TRAP), "- abstraction, tuned: `abstraction:exploration=2`"]


def test_a_planner_that_is_not_reproducible_is_named():
    curves = {"threads:threads=3": curve(1.4), "threads:threads=1": curve(1.3), "nowhere:Planner": curve(1.2)}
    _, line = caption(replace(TRAP, curves=curves)).splitlines()
    assert line.startswith("- threads:threads=3 decides otherwise when it is run again with the same seed")


def test_the_caption_says_which_curves_end_early():
    panel = replace(TRAP, curves={"uct": curve(1.3, 1.4), "weighted_uct": curve(1.3)})
    _, line = caption(panel).splitlines()
    assert line.startswith("- weighted_uct ends at ") and "no episode with a larger budget" in line


def test_bands_are_the_intervals():
    reward = chart.draw([TRAP]).axes[0]
    path = reward.collections[0].get_paths()[0].vertices
    assert path[:, 1].min() == pytest.approx(1.2)
    assert path[:, 1].max() == pytest.approx(1.5)


def test_colour_and_marker_tell_the_planner_the_line_its_parameters():
    names = planners.names()
    looks = styles.of_planners(names)
    assert len({(look.colour, look.marker) for look in looks.values()}) == len(names)
    assert styles.of_planners(["dpw"])["dpw"] == looks["dpw"]
    both = styles.of_planners(["dpw:exploration=2", "dpw"])
    assert both["dpw"].colour == both["dpw:exploration=2"].colour == looks["dpw"].colour
    assert both["dpw"].line != both["dpw:exploration=2"].line


def told_apart(texts):
    """Asserts that each text has a style of its own, in colour and in print."""
    looks = styles.of_planners(texts).values()
    assert len({(look.colour, look.line, look.marker) for look in looks}) == len(texts)
    assert len({(look.line, look.marker) for look in looks}) == len(texts)
    return looks


def test_all_planners_and_six_variants_of_one_are_told_apart_in_colour_and_in_print():
    for name in planners.REGISTRY.everything():
        variants = [f"{name}:memory={number}" for number in range(6)]
        told_apart([*planners.REGISTRY.everything(), *variants])
        told_apart([*variants, *planners.REGISTRY.everything()])
        alone = told_apart([name, *variants])
        # where each is one point, lines do not show; where no point is marked, markers do not
        assert len({look.marker for look in alone}) == len({look.line for look in alone}) == 7
        assert len({look.colour for look in alone}) == 1


def test_planners_are_told_apart_by_colour_and_line_where_no_point_is_marked():
    names = planners.REGISTRY.everything()
    assert len({(look.colour, look.line) for look in styles.of_planners(names).values()}) == len(names)


@pytest.mark.parametrize(
    "texts",
    [
        [f"my_module:Planner{number}" for number in range(20)],
        [*planners.names(), *(f"{module}:P" for module in "abcdefghij")],
        [f"{name}{other}" for name in ("uct", "dpw", "icem") for other in (" (mine)", " (peers)", ", defaults")],
    ],
)
def test_planners_from_outside_and_names_in_leaderboards_are_told_apart(texts):
    told_apart(texts)


def test_every_line_and_marker_reaches_the_figures():
    texts = ["icem", *(f"icem:memory={number}" for number in range(6)), "dpw"]
    looks = styles.of_planners(texts)
    (reward,) = chart.draw([replace(TRAP, curves={text: curve(1.2, 1.5) for text in texts})]).axes
    drawn = {line.get_label(): line for line in reward.lines}
    for text, look in looks.items():
        assert drawn[text].get_marker() == look.marker and drawn[text].get_color() == look.colour
    patterns = {(drawn[text].get_linestyle(), str(drawn[text]._unscaled_dash_pattern)) for text in texts}
    assert len(patterns) == len(texts)


@pytest.mark.parametrize(
    "names",
    [
        ["uct", "pw", "dpw", "weighted_uct", "abstraction"],
        ["mppi", "icem", "cem", "random_shooting", "poly_hoot", "abstraction", "uct"],
    ],
)
def test_planners_that_are_often_compared_have_different_colours(names):
    assert len({style.colour for style in styles.of_planners(names).values()}) == len(names)


def test_a_planner_has_one_colour_and_marker_in_every_picture():
    for name in (*planners.REGISTRY.everything(), "my_module:MyPlanner"):
        alone, beside = styles.of_planners([name])[name], styles.of_planners([*planners.names(), "b:B", name])[name]
        assert alone[:2] == beside[:2]


def test_colours_stay_apart_without_hue():
    # a person without colour vision sees the lightness alone: markers must then differ, or the lightness
    looks = list(styles.of_planners(planners.names()).values())
    for i, a in enumerate(looks):
        for b in looks[:i]:
            lightness = [np.dot([0.2126, 0.7152, 0.0722], to_rgb(look.colour)) for look in (a, b)]
            assert a.marker != b.marker or abs(lightness[0] - lightness[1]) > 0.2


def test_a_planner_looks_the_same_in_all_panels_of_an_environment():
    curves = {"abstraction:exploration=2": curve(1.4, 1.5), "abstraction": curve(1.3, 1.6)}
    ms = Panel(TRAP.env, "ms", curves, Known(1.7, 1.03))
    both = replace(TRAP, curves={"abstraction": curve(1.2), **TRAP.curves})
    drawn = [{line.get_label(): line for line in axes.lines} for axes in chart.draw([both, ms], regret=True).axes]
    assert len(drawn) == 4
    for text in ("abstraction", "abstraction:exploration=2"):
        looks = {
            (lines[text].get_color(), lines[text].get_linestyle(), lines[text].get_markerfacecolor()) for lines in drawn
        }
        assert len(looks) == 1
    assert drawn[0]["abstraction"].get_linestyle() != drawn[0]["abstraction:exploration=2"].get_linestyle()


def rendered(panels):
    """The figure as it is saved, with its layout."""
    figure = chart.draw(panels, regret=True)
    figure.canvas.draw()
    return figure


def shown(axis):
    """The texts along an axis that can be seen."""
    low, high = sorted(axis.get_view_interval())
    return [
        label.get_text()
        for place, label in zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=True)
        if low <= place <= high
    ]


@pytest.mark.parametrize(
    ("budgets", "labels"),
    [
        ((30, 40), ["30", "40"]),
        ((1, 2, 5), ["1", "2", "5"]),
        ((7,), ["7"]),
        ((1, 10, 100, 1000), ["1", "10", "100", "1,000"]),
        ((30, 100, 3000, 5000), ["100", "1,000"]),
    ],
)
def test_every_axis_of_budgets_has_labels(budgets, labels):
    panel = replace(TRAP, curves={"uct": curve(*[1.4] * len(budgets), budgets=budgets)})
    assert shown(rendered([panel]).axes[1].xaxis) == labels


@pytest.mark.parametrize(
    ("means", "labels"),
    [
        ((1.3, 1.35, 1.4), ["0.3", "0.35", "0.4"]),
        ((0.7, 1.4, 1.65), ["0.05", "0.1", "0.2", "0.5", "1"]),
        ((0.7, 1.6, 1.7), ["0.001", "0.01", "0.1", "1"]),
    ],
)
def test_every_axis_of_regrets_has_numbers_in_full(means, labels):
    panel = replace(TRAP, curves={"uct": curve(*means, width=0.0)})
    assert shown(rendered([panel]).axes[1].yaxis) == labels


def test_a_single_budget_has_its_intervals_side_by_side():
    panel = Panel("trap", "simulations", {"uct": curve(1.4), "dpw": curve(1.5), "pw": curve(1.45)}, Known(1.7, 1.03))
    drawn = chart.draw([panel], regret=True).axes
    for axes, ends in zip(drawn, ([(1.3, 1.5), (1.4, 1.6)], [(0.2, 0.4), (0.1, 0.3)]), strict=True):
        bars = [line for line in axes.lines if line.get_marker() == "_"]
        np.testing.assert_allclose([line.get_ydata() for line in bars[:2]], ends)
        assert len({float(line.get_xdata()[0]) for line in bars}) == 3
        assert all(9.5 < line.get_xdata()[0] < 10.5 for line in bars)


def test_long_texts_leave_room_for_the_curves():
    long = "dpw:" + ",".join(f"parameter_{i}=0.123" for i in range(12))
    figure = rendered([replace(TRAP, curves={long: curve(1.3, 1.4), "uct": curve(1.2, 1.5)})] * 2)
    for axes in figure.axes:
        assert axes.get_window_extent().width > 0.75 * 4.8 * 160
    legend = figure.axes[-1].get_legend()
    assert legend.get_window_extent().width < 4.8 * 160
    assert legend.get_texts()[0].get_text().replace("\n", "") == long


def test_many_panels_stand_below_each_other():
    figure = chart.draw([TRAP, TRACK, TRAP])
    assert figure.get_size_inches()[0] == pytest.approx(9.6)
    assert [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left")] == [
        TRAP.env,
        TRACK.env,
        TRAP.env,
    ]


def test_regrets_are_drawn_if_wanted_and_known():
    assert len(chart.draw([TRACK], regret=True).axes) == 1
    assert len(chart.draw([TRACK, TRAP], regret=True).axes) == 4
    assert len(chart.draw([TRACK, TRAP]).axes) == 2


def test_the_foot_of_regrets_is_told_as_it_is():
    hunt = replace(TRAP, known=Known(0.991, -0.468), curves={"uct": curve(0.991, 0.9)})
    assert chart.floor(hunt) == pytest.approx(0.001459)
    assert "within 0.0015 of the optimum" in {text.get_text() for text in chart.draw([hunt], regret=True).axes[1].texts}
    assert chart.floor(replace(TRAP, known=Known(0.5, 0.5))) == chart.RESOLUTION


def test_drawing_leaves_matplotlib_as_it_was():
    before = dict(matplotlib.rcParams)
    chart.draw([TRACK])
    assert dict(matplotlib.rcParams) == before


def test_a_single_budget_and_a_single_episode_can_be_drawn():
    lonely = Panel("trap", "simulations", {"uct": [(10, Summary(1, 1.4, np.nan, np.nan, 1.4))]}, Known(1.7, 1.03))
    (reward,) = chart.draw([lonely]).axes
    assert reward.lines[0].get_ydata().tolist() == [1.4]


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="nothing to draw"):
        chart.draw([])


def test_the_table_has_a_row_for_each_planner():
    assert table(TRACK).splitlines() == [
        "| planner           | 10 ms                | 100 ms               |",
        "| ----------------- | -------------------- | -------------------- |",
        "| dpw               | 0.100 [0.000, 0.200] | 0.200 [0.100, 0.300] |",
        "| dpw:exploration=2 | 0.200 [0.100, 0.300] | 0.300 [0.200, 0.400] |",
    ]
    assert caption(TRAP) == "mean return [95 % interval] over 20 episodes, optimum 1.7000, random policy 1.0300"


def test_a_legend_shows_names_as_they_are():
    names = "_hidden", "cost $5 and $6", "a|b"
    axes = Figure().subplots()
    panel = replace(TRAP, curves={name: curve(1.0, 1.1, 1.2) for name in names}, labels={name: name for name in names})
    chart.reward(axes, panel, styles.of_planners(panel.curves))
    _, labels = axes.get_legend_handles_labels()
    shown = [label.strip().replace(r"\$", "$") for label in labels]
    assert [name for name in shown if name in names] == [*names]
