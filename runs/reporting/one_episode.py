"""One episode of each planner over its steps: states, actions with plans, and rewards, played again for the report."""

import base64
from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from bonspiel.planners.model import Array
from bonspiel.runs.experiment import Setting, amount
from bonspiel.runs.reporting.drawing import styled, svg
from bonspiel.runs.reporting.styles import BLUE, GREEN, GREY, INK, ORANGE, VERMILION
from bonspiel.runs.results.rows import Episode
from bonspiel.runs.results.store import Store
from bonspiel.runs.runner.episode import play_one
from bonspiel.runs.suite import model_of

LONGEST, ALL = 2.0, 10.0  # s, in which an episode, and those of all planners in all problems, were played
MOST = 8  # planners in one picture, those of the largest mean return
COORDINATES = 3  # of states and of actions that are drawn, the first ones
PLANS = 3  # drawn in an episode, at equal distances
COLOURS = (BLUE, VERMILION, GREEN)
LABEL = 34  # characters of a planner's name
WIDTH, HEIGHT = 9.6, 1.35  # inches, the latter of a planner


def shorten(text: str, longest: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


class Course(NamedTuple):
    """An episode over its steps.

    Attributes:
        setting: of the episode.
        states: before each step, the first coordinates that tell states apart, [steps, coordinates].
        actions: that were chosen, [steps, action_dim].
        rewards: of the steps, [steps].
        plans: by step, each [length, action_dim]; none of a planner that has none.
        effort: mean change of the action, as part of its range.
    """

    setting: Setting
    states: Array
    actions: Array
    rewards: Array
    plans: Mapping[int, Array]
    effort: float


def of_run(store: Store, episode: int | None = None) -> dict[str, dict[str, Course]]:
    """The episodes that are drawn, by environment and planner; those that come out otherwise now are left out.

    Args:
        store: the run.
        episode: its number, however long it takes; if None, 0 with each planner's largest budget that is quick.
    """
    returns = {one: sample for one, sample in store.returns().items() if len(sample) and one.unit == "simulations"}
    longest = min(LONGEST, ALL / max(1, len({one[:2] for one in returns}))) if episode is None else np.inf
    found: dict[str, dict[str, Course]] = {}
    for setting in sorted(returns, key=lambda one: (-one.budget, -float(np.mean(returns[one])))):
        drawn = found.setdefault(setting.env, {})
        row = next((one for one in store.episodes(setting) if one.number == (episode or 0)), None)
        if setting.planner in drawn or len(drawn) == MOST or row is None or row.seconds > longest:
            continue
        if course := again(setting, row):
            drawn[setting.planner] = course
    return found


def again(setting: Setting, row: Episode) -> Course | None:
    """An episode played again by its row; None if it comes out otherwise, or cannot be played here."""
    states, decisions, rewards = [], [], []

    def watch(state: Array, decision: Any, reward: float) -> None:
        states.append(state)
        decisions.append(decision)
        rewards.append(reward)

    try:
        model: Any = model_of(setting.env)
        if play_one(setting, row.number, watch).total != row.total:
            return None
    except Exception:  # of another version, or of a package that is not installed
        return None
    weights = getattr(model, "distance_weights", np.ones(model.state_dim))
    shown = [i for i in np.flatnonzero(weights) if i != getattr(model, "time_index", None)][:COORDINATES]
    actions = np.array([decision.action for decision in decisions])
    spread = np.asarray(model.action_high) - np.asarray(model.action_low)
    changes = np.abs(np.diff(actions, axis=0)) / np.where(spread > 0.0, spread, 1.0)
    at = np.unique(np.linspace(0, len(actions), PLANS, endpoint=False).astype(int))
    plans = {int(step): decisions[step].plan for step in at if len(decisions[step].plan) > 1}
    effort = float(changes.mean()) if len(changes) else 0.0
    return Course(setting, np.array(states)[:, shown], actions, np.array(rewards), plans, effort)


def draw(courses: Mapping[str, Course], labels: Mapping[str, str]) -> Figure:
    """A row for each planner, whose labels are given: states, actions with plans as dashed lines, rewards."""
    height = HEIGHT * len(courses) + 0.75
    with styled((WIDTH, height), layout="constrained") as figure:
        rows = figure.subplots(len(courses), 3, squeeze=False, sharex=True, sharey="col")
        for (x, u, r), (planner, course) in zip(rows, courses.items(), strict=True):
            steps = np.arange(len(course.rewards))
            for values, colour in zip(course.states.T, COLOURS, strict=False):
                x.plot(steps, values, color=colour, lw=1.1)
            for values, colour in zip(course.actions.T, COLOURS, strict=False):
                u.plot(steps, values, color=colour, lw=1.1, drawstyle="steps-post")
            for step, plan in course.plans.items():
                drawn = plan[: -(-len(steps) // PLANS), 0]
                u.plot(step + np.arange(len(drawn)), drawn, color=ORANGE, lw=1.1, ls="--", drawstyle="steps-post")
                u.axvline(step, color=GREY, lw=0.4)
            r.plot(steps, course.rewards, color=INK, lw=1.1, drawstyle="steps-post")
            title = f"{shorten(labels[planner], LABEL)}, {amount(course.setting.budget, course.setting.unit)}"
            x.set_title(title, loc="left", fontsize=8)
            u.set_title(f"effort {course.effort:.3f}", loc="right", fontsize=8)
            r.set_title(f"sum {course.rewards.sum():.4g}", loc="right", fontsize=8)
        first = rows[0]
        for axes, name in zip(first, ("states", "actions", "reward"), strict=True):
            axes.annotate(name, (0.5, 1.28), xycoords="axes fraction", ha="center", fontsize=9, fontweight="bold")
        for axes in rows[-1]:
            axes.set_xlabel("step")
    return figure


def section(courses: Mapping[str, Course], labels: Mapping[str, str], episode: int) -> str:
    """The part of a page on an environment; empty without episodes."""
    if not courses:
        return ""
    data = base64.b64encode(svg(draw(courses, labels))).decode()
    words = f"States, actions and rewards of episode {episode}"
    return (
        f'<section><h3>One episode</h3><figure><figcaption>{escape(words)}</figcaption><img alt="{escape(words)}" '
        f'src="data:image/svg+xml;base64,{data}"></figure><p class="muted">{SAID}</p></section>'
    )


SAID = (
    f"Played again for this page, with the same result. The first {COORDINATES} coordinates are blue, red and "
    "green; dashed is what the planner meant to play of the first one from some steps on, if it has a plan. Effort is "
    "the mean change of the action from step to step, as part of its range."
)
