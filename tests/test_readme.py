"""README is one page with working links; figures and names agree between README, the docs and the code."""

import re
from pathlib import Path

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs import baselines, optimal
from bonspiel.envs.optimal import do_nothing_value, optimal_value, random_value
from bonspiel.envs.references import REFERENCES
from bonspiel.runs.suites import lookup as suites

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIGURE, LINK = re.compile(r"\*\*([\d.]+(?: million| times)?)\*\*"), re.compile(r"\]\((?!http)([^)#]+)[^)]*\)")


def figures():
    """Each figure in bold with the pages of results that its paragraph links to."""
    for paragraph in re.split(r"\n\n|\n(?=- )", README):
        pages = [link for link in LINK.findall(paragraph) if "/results/" in link and link.endswith(".md")]
        yield from ((figure, pages) for figure in FIGURE.findall(paragraph))


def test_it_is_one_page():
    text = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    text = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
    assert len(text.split()) <= 500 and len(README.split()) <= 800


@pytest.mark.parametrize(("figure", "pages"), [*figures()])
def test_a_figure_in_bold_stands_in_a_page_of_results_beside_it(figure, pages):
    found = [page for page in pages if re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", (ROOT / page).read_text())]
    assert found, f"{figure} in none of {pages}"


def test_there_are_such_figures_and_every_link_leads_to_a_file():
    assert len([*figures()]) >= 5
    assert [link for link in LINK.findall(README) if not (ROOT / link).exists()] == []


def rows_of(text):
    """Cells of the rows of all tables in a text, headings and rules included."""
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_picture_of_readme_and_of_the_first_page_is_that_of_the_quick_suite():
    experiments = suites.load("quick").experiment
    assert [len(experiment.planners) for experiment in experiments] == [5, 5]
    problems = [experiment.env.partition(":")[0].replace("_", " ").title() for experiment in experiments]
    for page, picture in ((README, "docs/bench.png"), ((ROOT / "docs/index.md").read_text(), "bench.png")):
        (title,) = re.findall(rf"!\[(.*)\]\({picture}\)", page)
        assert title.startswith("Mean return of five planners") and " and ".join(problems) in title


NEEDS = {
    name: needs
    for names, needs in rows_of((ROOT / "docs/which-planner.md").read_text().split("## What each planner needs")[1])[2:]
    for name in re.findall(r"`(\w+)`", names)
}


class Unbounded:
    """A model with nothing that planners may ask for."""

    state_dim, horizon, discount, compiled = 1, 3, 1.0, False
    params = np.zeros(1)
    action_low, action_high = np.array([-np.inf]), np.array([np.inf])
    step = sample_action = initial_state = print


class TwoPlayers(Unbounded):
    action_low, action_high = -np.ones(1), np.ones(1)
    player = print


def test_the_table_of_needs_has_every_planner_of_no_game():
    assert {*NEEDS} == {*planners.names()} - {*planners.BASELINES}


def test_needs_of_the_table_are_those_by_which_a_planner_refuses_a_model():
    wrong = []
    for name in NEEDS.keys() - {"root", "threads", "valued"}:
        planner, needs = planners.make(name), NEEDS[name]
        refused = planners.unsupported(planner, Unbounded()) or ""
        two = planners.unsupported(planner, TwoPlayers())
        parts = {*re.findall(r"`(\w+)`", refused)} - {"action_low", "action_high", "max_actions", "n_regions"}
        if (
            ("bounded actions" in needs) != ("finite `action_low`" in refused)
            or ("one player" in needs) != (two == "one player only")
            or not parts <= {*re.findall(r"`(\w+)`", needs)}
        ):
            wrong.append((name, needs, refused, two))
    assert wrong == []


def test_every_planner_has_a_row_among_all_planners():
    named = [row[0].strip("`").split(":")[0] for row in rows_of((ROOT / "docs/planners.md").read_text())]
    assert [name for name in planners.REGISTRY.everything() if named.count(name) != 1] == []


PROBLEMS = [row for row in rows_of((ROOT / "docs/problems.md").read_text().split("## Which C")[0])[2:] if row[0]]
# problems whose optimum takes ten seconds or more
SLOW = {"pendulum", "mountain_car", "donut", "noisy_mountain_car", "hill_car", "navigation"}


@pytest.fixture
def simulated(monkeypatch):
    """The returns of baselines that are simulated: a twentieth of the episodes, made anew."""
    samples = []

    def keep(name, model, modules, compute):
        samples.append(compute())
        return float(samples[-1].mean())

    monkeypatch.setattr(baselines, "STEPS", baselines.STEPS // 20)
    monkeypatch.setattr(baselines, "_simulated", keep)
    monkeypatch.setattr(optimal, "_baseline", optimal._baseline.__wrapped__)  # no other test meets what it keeps
    return samples


@pytest.mark.parametrize(("name", "optimum", "random", "nothing"), [(row[0], *row[2:5]) for row in PROBLEMS])
def test_optimum_and_baselines_of_a_problem_are_those_of_the_code(name, optimum, random, nothing, simulated):
    model = envs.parse(name.strip("`"))
    mean, deviation = random.split(", ")  # rare ends may be missing among few episodes, in their deviation too
    for shown, value_of, spread in ((mean, random_value, float(deviation)), (nothing, do_nothing_value, None)):
        simulated.clear()
        value, unit = value_of(model), 10.0 ** -len(shown.partition(".")[2])
        error = 0.0
        if simulated:
            error = (np.std(simulated) if spread is None else spread) / np.size(simulated) ** 0.5
        assert abs(value - float(shown)) <= 0.5 * unit + 1e-9 + 4.0 * error
    if optimum and "300" not in optimum and name.strip("`") not in SLOW:
        highest = optimum.split(" to ")[0]
        assert f"{optimal_value(model):.{len(highest.partition('.')[2])}f}" == highest


def test_as_many_problems_have_a_known_optimum_as_readme_says():
    names = {row[0].strip("`").partition(":")[0] for row in PROBLEMS}
    solved = {row[0].strip("`").partition(":")[0] for row in PROBLEMS if row[2] and not row[2].startswith("at most")}
    assert (len(solved), len(names)) == (10, 14)
    assert re.search("ten of fourteen", " ".join(README.split()), re.IGNORECASE)


def test_the_problems_page_says_what_each_problem_tests_and_what_its_optimum_is():
    page = (ROOT / "docs/problems.md").read_text().partition("\n## Trap\n")
    cards = {card.splitlines()[0]: card for card in "".join(page[1:]).split("\n## ")[1:-1]}
    titles = {title.lower().replace(" ", "_").replace("-", "_") for title in cards}
    assert titles == {row[0].strip("`").partition(":")[0] for row in PROBLEMS}
    for said in ("Tests", "Optimum", "Reward"):
        assert [title for title, card in cards.items() if f"**{said}**" not in card] == []


def test_the_references_of_the_problems_page_are_those_of_the_code():
    rows = rows_of((ROOT / "docs/problems.md").read_text().split("## References")[1])[2:]
    assert {row[0].strip("`"): row[1:] for row in rows} == {
        name: [f"{of.mean:g} +- {of.error:g}", str(of.episodes), f"`bonspiel run {of.run}`"]
        for name, of in REFERENCES.items()
    }
