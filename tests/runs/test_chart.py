import re
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import planners
from runs import chart
from runs.curves import Panel, caption, table
from runs.statistics import Summary


def curve(*means, width=0.1, budgets=(10, 100, 1000)):
    return [(budget, Summary(20, mean, mean - width, mean + width, mean))
            for budget, mean in zip(budgets, means, strict=False)]


TRAP = Panel("trap:noise_range=0.1", "simulations",
             {"uct": curve(1.3, 1.35, 1.4), "abstraction:exploration=2": curve(1.4, 1.6, 1.7, width=0.0)}, 1.7, 1.03)
CURLING = Panel("curling", "ms", {"dpw": curve(0.1, 0.2), "dpw:exploration=2": curve(0.2, 0.3)})


def test_the_files_are_the_same_for_the_same_results(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        chart.save([TRAP, CURLING], tmp_path / name)
    for name in ("chart.png", "chart.svg"):
        content = (tmp_path / "a" / name).read_bytes()
        assert len(content) > 10_000
        assert content == (tmp_path / "b" / name).read_bytes()
    assert (tmp_path / "a" / "chart.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_svg_holds_every_series_label_and_line(tmp_path):
    chart.save([TRAP, CURLING], tmp_path)
    svg = (tmp_path / "chart.svg").read_text()
    for text in ("uct", "abstraction:exploration=2", "dpw", "dpw:exploration=2"):
        assert f'id="{text}"' in svg
    words = set(re.findall(r"<!-- (.*?) -->", svg))
    assert {"uct", "abstraction:exploration=2", "dpw:exploration=2", "optimum 1.700", "random policy 1.030",
            "simulations per decision", "milliseconds per decision", "trap:noise_range=0.1", "1,000"} <= words
    assert not any("date" in line for line in svg.lower().splitlines() if "dc:" in line)


def test_the_curves_are_the_means_and_the_regret_what_is_missing():
    figure = chart.draw([TRAP])
    reward, regret = figure.axes
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


def test_bands_are_the_intervals():
    reward = chart.draw([TRAP]).axes[0]
    path = reward.collections[0].get_paths()[0].vertices
    assert path[:, 1].min() == pytest.approx(1.2)
    assert path[:, 1].max() == pytest.approx(1.5)


def test_colour_and_marker_tell_the_planner_the_line_its_parameters():
    names = planners.names()
    looks = chart.looks(names)
    assert len({(look.colour, look.marker) for look in looks.values()}) == len(names)
    assert chart.looks(["dpw"])["dpw"] == looks["dpw"]
    both = chart.looks(["dpw:exploration=2", "dpw"])
    assert both["dpw"].colour == both["dpw:exploration=2"].colour == looks["dpw"].colour
    assert both["dpw"].line != both["dpw:exploration=2"].line


def test_colours_stay_apart_without_hue():
    # a person without colour vision sees the lightness alone: markers must then differ, or the lightness
    looks = list(chart.looks(planners.names()).values())
    for i, a in enumerate(looks):
        for b in looks[:i]:
            lightness = [np.dot([0.2126, 0.7152, 0.0722], to_rgb(look.colour)) for look in (a, b)]
            assert a.marker != b.marker or abs(lightness[0] - lightness[1]) > 0.2


def test_drawing_leaves_matplotlib_as_it_was():
    before = dict(matplotlib.rcParams)
    chart.draw([CURLING])
    assert dict(matplotlib.rcParams) == before


def test_a_single_budget_and_a_single_episode_can_be_drawn():
    lonely = Panel("trap", "simulations", {"uct": [(10, Summary(1, 1.4, np.nan, np.nan, 1.4))]}, 1.7, 1.03)
    reward, _ = chart.draw([lonely]).axes
    assert reward.lines[0].get_ydata().tolist() == [1.4]


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="nothing to draw"):
        chart.draw([])


def test_the_table_has_a_row_for_each_planner():
    assert table(CURLING).splitlines() == [
        "| planner           | 10 ms                | 100 ms               |",
        "| ----------------- | -------------------- | -------------------- |",
        "| dpw               | 0.100 [0.000, 0.200] | 0.200 [0.100, 0.300] |",
        "| dpw:exploration=2 | 0.200 [0.100, 0.300] | 0.300 [0.200, 0.400] |",
    ]
    assert caption(TRAP) == "mean return [95 % interval] over 20 episodes, optimum 1.7000, random policy 1.0300"
