import csv
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.runs import provenance, seeding
from bonspiel.runs.paper import latex, numbers, paper, sources
from bonspiel.runs.results import run_folder
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.statistics import curves
from bonspiel.runs.statistics.curves import Panel
from bonspiel.runs.statistics.sample import summarise
from bonspiel.runs.statistics.scale import Known
from bonspiel.runs.suite import REMARK, Suite

TRAP, HUNT = "trap:noise_range=0.1", "treasure_hunt:size=5"
MEANS = {"dpw:exploration=1": 1.7, "uct": 1.2, "pw:k_action=2": 1.695, "presearch:inner=voot": 0.5}
GIVEN = {
    "experiment": [
        {
            "env": [TRAP, HUNT],
            "simulations": [10, 1000],
            "episodes": 40,
            "seed": 3,
            "planners": [{"planner": "dpw:exploration=1", "label": "dpw_tuned & β≤é"}, *[*MEANS][1:]],
        }
    ]
}
FACTS = {"version": "1.2", "commit": "0123456789abcdef+", "started": "2026-01-02", "command": "bonspiel run my_suite"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run in which dpw is best; with the smaller budget pw differs from it only by noise."""
    folder = tmp_path_factory.mktemp("paper") / "run"
    suite = Suite.of("made up", GIVEN)
    with run_folder.write(folder, suite, {}, provenance.collect([]) | FACTS, resume=False) as results:
        for place, setting in enumerate(suite.settings()):
            noise = np.random.default_rng(place).normal(size=40)
            returns = MEANS[setting.planner] + 0.1 * (noise - noise.mean())
            returns += setting.planner.startswith("dpw") and setting.budget == 1000
            results.add(Batch(setting, [Episode(i, float(total), 2, 0.1) for i, total in enumerate(returns)], 1.0))
    return folder


@pytest.fixture
def written(run, folder, tmp_path):
    status, out, err = run("paper", folder, "--out", tmp_path / "out", "--layout", "ieee")
    assert (status, err) == (0, "")
    assert sorted(out.split()) == sorted(str(file) for file in (tmp_path / "out").iterdir())
    return tmp_path / "out"


def test_the_best_are_bold_with_those_that_do_not_differ(written):
    rows = [*csv.DictReader((written / "numbers.csv").read_text().splitlines())]
    best = {(row["budget"], row["name"]) for row in rows if row["env"] == TRAP and row["best"] == "1"}
    assert best == {("10", "dpw_tuned & β≤é"), ("10", "pw"), ("1000", "dpw_tuned & β≤é")}
    p = {(row["budget"], row["name"]): float(row["p_holm"] or 1) for row in rows if row["env"] == TRAP}
    assert p["10", "pw"] > 0.05 and max(p["10", "uct"], p["1000", "pw"]) < 0.05
    lines = (written / "trap-simulations.tex").read_text().splitlines()
    shown = {line.partition(" & ")[0]: line for line in lines if "&" in line}
    assert shown["pw"] == r"pw & $\bonspielBest{1.695}$ & $1.695$ \\"
    assert shown[r"dpw\_tuned \& $\beta$$\leq$é"].count("bonspielBest") == 2


def test_equal_planners_are_mostly_all_bold(tmp_path):
    names, unbold = [f"uct:exploration={c}" for c in range(1, 9)], 0
    for seed in range(20):
        suite = Suite.of("s", {"experiment": [{"env": TRAP, "simulations": [10], "episodes": 20, "planners": names}]})
        with run_folder.write(tmp_path / str(seed), suite, {}, provenance.collect([]), resume=False) as results:
            drawn = np.random.default_rng(seed).normal(size=(8, 20))
            for setting, returns in zip(suite.settings(), drawn, strict=True):
                results.add(Batch(setting, [Episode(i, float(one), 2, 0.1) for i, one in enumerate(returns)], 1.0))
            (panel,) = curves.panels(suite, results.returns(), results.values("episode"))
            unbold += not all(one.best for one in numbers.estimates(results, panel))
    assert unbold <= 8  # 13 if each interval of a difference to the best decided alone


def test_what_readers_have_to_know_is_in_the_text(run, tmp_path):
    suite = Suite.of(
        "s", {"experiment": [{"env": TRAP, "milliseconds": [1], "episodes": 4, "planners": ["uct", "pw"]}]}
    )
    facts = FACTS | {"merged": [{"commit": "fedcba9876543210", "cpu": "another"}, {"commit": FACTS["commit"]}]}
    resolved = {TRAP: f"Trap(); {seeding.UNSEEDED}{REMARK}one rule is left out"}
    with run_folder.write(tmp_path / "r", suite, resolved, provenance.collect([]) | facts, resume=False) as results:
        for setting in suite.settings():
            times = np.full(2, 0.03, "<f4").tobytes()
            found = [Episode(i, 1e-6 * (i + 1), 2, 0.1, times=times) for i in range(4)]
            results.add(Batch(setting, found, 1.0))
    status, _, err = run("paper", tmp_path / "r", "--out", tmp_path / "out")
    told = (tmp_path / "out/facts.tex").read_text()
    assert status == 0
    for words in ("pairs of them say nothing", "one rule is left out", "Time budgets were overrun"):
        assert words in err and words in told
    assert "same noise" not in told and r"\newcommand{\bonspielCommit}{0123456789+, fedcba9876}" in told
    assert "commit 0123456789abcdef+, fedcba9876543210" in (tmp_path / "out/sources.bib").read_text()
    table = (tmp_path / "out/trap-ms.tex").read_text()
    assert r"\bonspielBest{2.5{\times}10^{-6}}" in table and r"\bonspielInterval{1.5{\times}10^{-6}}" in table


def test_one_episode_shows_nothing_and_a_planner_that_failed_in_some_is_not_the_best(run, tmp_path):
    suite = Suite.of("made up", {"experiment": [GIVEN["experiment"][0] | {"env": TRAP, "simulations": [10, 1000]}]})
    folder, returns = tmp_path / "r", {"dpw:exploration=1": [3.0] * 30, "uct": [2.0] * 36 + [1.0] * 4}
    with run_folder.write(folder, suite, {}, provenance.collect([]) | FACTS, resume=False) as results:
        for setting in suite.settings():
            of_planner = returns.get(setting.planner, [1.0 + 0.01 * i for i in range(40)])
            of_budget = of_planner if setting.budget == 1000 else of_planner[:1]
            results.add(Batch(setting, [Episode(i, float(one), 2, 0.1) for i, one in enumerate(of_budget)], 1.0))
    assert run("paper", folder, "--out", tmp_path / "out", "--layout", "ieee")[0] == 0
    rows = [*csv.DictReader((tmp_path / "out/numbers.csv").read_text().splitlines())]
    best = [(row["budget"], row["planner"]) for row in rows if row["best"] == "1"]
    assert [one for one in best if one[0] == "10"] == []
    assert ("1000", "uct") in best and ("1000", "pw:k_action=2") not in best
    (ahead,) = (row for row in rows if row["planner"].startswith("dpw") and row["budget"] == "1000")
    assert float(ahead["behind"]) == -1.0 and ahead["best"] == "1"  # in 30 of 40 episodes


def test_the_numbers_are_all_there_with_seed_and_text(written):
    rows = [*csv.DictReader((written / "numbers.csv").read_text().splitlines())]
    assert len(rows) == 2 * 4 * 2
    (row,) = (row for row in rows if (row["env"], row["planner"], row["budget"]) == (TRAP, "uct", "10"))
    assert (row["seed"], row["episodes"], row["unit"]) == ("3", "40", "simulations")
    assert float(row["mean"]) == pytest.approx(1.2)
    assert float(row["behind"]) == pytest.approx(0.5)
    assert float(row["behind_low"]) < 0.5 < float(row["behind_high"])
    levels = [*csv.reader((written / "levels.csv").read_text().splitlines())]
    assert [TRAP, "optimum", "1.7"] in [[env, name, f"{float(value):.2g}"] for env, name, value in levels[1:]]


def test_captions_have_the_facts_as_macros(written):
    facts = (written / "facts.tex").read_text()
    assert r"\newcommand{\bonspielCommit}{0123456789+}" in facts
    assert r"\newcommand{\bonspielEpisodes}{40}" in facts
    assert r"\newcommand{\bonspielSeeds}{3}" in facts
    assert r"\newcommand{\bonspielBudgets}{10, 1000 simulations}" in facts
    assert r"my\_suite" in facts


def test_what_is_used_is_cited(written):
    found = (written / "sources.bib").read_text()
    keys = re.findall(r"^@\w+\{(\w+),", found, re.MULTILINE)
    assert keys == ["bonspiel", "couetoux2011", "couetoux2013", "kim2020", "kocsis2006"]
    assert "Version 1.2, commit 0123456789abcdef+" in found and "year = {2026}" in found
    assert r"presearch~\cite{kim2020}" in (written / "planners.tex").read_text()


def test_figures_have_the_width_and_embedded_outlines(run, folder, tmp_path):
    line = ("paper", folder, "--only", "trap/uct", "--width", "88mm")
    for out in ("one", "two"):
        assert run(*line, "--out", tmp_path / out)[0] == 0
    content = (tmp_path / "one" / "trap-simulations.pdf").read_bytes()
    (width,) = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+)", content)
    assert float(width) == pytest.approx(88 / 25.4 * 72, abs=0.01)
    assert b"/Type3" not in content and b"/CIDFontType2" in content
    assert not (tmp_path / "one" / "treasure-hunt-simulations.pdf").exists()
    assert content == (tmp_path / "two" / "trap-simulations.pdf").read_bytes()


def test_baselines_far_below_the_curves_do_not_squash_them():
    rng = np.random.default_rng(0)
    summaries = [(budget, summarise(np.full(3, value), rng)) for budget, value in ((1.0, 1.0), (10.0, 2.0))]
    panel = Panel(
        "trap", "simulations", {"uct": summaries}, Known(optimum=9.0, random=-0.1, do_nothing=0.1, constant=1.5)
    )
    (axes,) = paper.draw(panel, latex.LAYOUTS["ieee"]).axes
    texts = [text.get_text() for text in axes.texts]
    assert [text for text in texts if text.startswith("random")] == []
    assert {text.rpartition(" ")[0] for text in texts} == {"optimum", "do nothing", "constant action"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--width", "3"], "must be a length from 1in to 20in"),
        (["--font-size", "2"], "must be from 4 to 24 points"),
        (["--style", "nice"], "neither a file nor a style of matplotlib"),
        (["--only", "donut"], "'donut' matches nothing"),
    ],
)
def test_bad_options_are_refused(refused, folder, tmp_path, line, words):
    err = refused("paper", folder, "--out", tmp_path / "out", *line)
    assert words in err and not (tmp_path / "out").exists()


def test_texts_are_printed_as_they_are():
    assert latex.escaped("50%_a^b{c}~\\") == r"50\%\_a\textasciicircum{}b\{c\}\textasciitilde{}\textbackslash{}"
    assert latex.escaped("dpw:k=1") == r"dpw:\allowbreak k=\allowbreak 1"
    assert latex.escaped("λ ≥ Ω, µß") == r"$\lambda$ $\geq$ $\Omega$, µß"


@pytest.mark.parametrize("letter", ["カ", "đ", "Я", "🥌"])
def test_letters_that_pdflatex_has_not_are_named_before_anything_is_written(refused, tmp_path, letter):
    (entrant, *_) = GIVEN["experiment"][0]["planners"]
    labelled = {"env": TRAP, "simulations": [10], "episodes": 2, "planners": [entrant | {"label": f"my {letter}"}]}
    suite = Suite.of("made up", {"experiment": [labelled]})
    with run_folder.write(tmp_path / "run", suite, {}, provenance.collect([]) | FACTS, resume=False) as results:
        (setting,) = suite.settings()
        results.add(Batch(setting, [Episode(i, float(i), 2, 0.1) for i in range(2)], 1.0))
    err = refused("paper", tmp_path / "run", "--out", tmp_path / "out")
    assert f"no {letter!r}, which 'my {letter}' holds" in err and not (tmp_path / "out").exists()


def test_every_planner_and_problem_has_sources_or_says_that_it_has_none():
    assert sources.PLANNERS.keys() == {*planners.names()}
    assert sources.PROBLEMS.keys() == {*envs.ENVIRONMENTS, "gym", "rddl"}
    cited = {
        key
        for text in (*sources.PLANNERS.values(), *sources.PROBLEMS.values())
        for key in filter(None, text.split(","))
    }
    assert cited | {sources.OWN} == sources.entries().keys()


def missing(layout):
    """What the document of a layout needs and is not installed."""
    needs = {"article": [], "ieee": ["IEEEtran.cls", "ptmr7t.tfm"], "acm": ["acmart.cls", "xstring.sty"]}[layout]
    tools = [tool for tool in ("pdflatex", "bibtex", "pdffonts") if not shutil.which(tool)]
    found = {file for file in needs if not tools and subprocess.run(["kpsewhich", file], capture_output=True).stdout}
    return [*tools, *(file for file in needs if file not in found)]


@pytest.mark.parametrize("layout", latex.LAYOUTS)
def test_the_document_compiles_and_embeds_all_fonts(run, folder, tmp_path, layout):
    if absent := missing(layout):
        assert os.environ.get("BONSPIEL_LATEX") != "required", absent
        pytest.skip(f"not installed: {', '.join(absent)}; apt-get install texlive-publishers texlive-latex-extra")
    assert run("paper", folder, "--out", tmp_path / "out", "--layout", layout)[0] == 0
    for command in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
        halt = ["-interaction=nonstopmode", "-halt-on-error"] if command == "pdflatex" else []
        done = subprocess.run(
            [command, *halt, "main"], cwd=tmp_path / "out", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
    assert not re.findall(r"Overfull|undefined", done.stdout)
    fonts = subprocess.run(
        ["pdffonts", tmp_path / "out" / "main.pdf"], capture_output=True, text=True, check=True
    ).stdout
    embedded = [line.split()[-5] for line in fonts.splitlines()[2:]]
    assert len(embedded) > 5 and {*embedded} == {"yes"} and "Type 3" not in fonts
