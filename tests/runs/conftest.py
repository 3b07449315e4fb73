"""Runs without pictures, for tests that look at none."""

import pytest

from bonspiel.runs.reporting import chart, one_episode


@pytest.fixture(autouse=True)
def no_episode(monkeypatch):
    """Reports show no episode: to play and draw it again takes longer than a short run."""
    monkeypatch.setattr(one_episode, "of_run", lambda store, episode=None: {})


@pytest.fixture
def undrawn(monkeypatch):
    """The chart of a run is two empty files: to draw it takes most of the time of a short run."""

    def save(panels, folder, regret=False):
        paths = [folder / "chart.png", folder / "chart.svg"]
        for path in paths:
            path.touch()
        return paths

    monkeypatch.setattr(chart, "save", save)
