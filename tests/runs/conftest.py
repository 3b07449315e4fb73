"""Runs without pictures, for tests that read none."""

import pytest

from bonspiel.runs.reporting import chart


@pytest.fixture
def undrawn(monkeypatch):
    """The chart of a run is two empty files: to draw it takes most of the time of a short run."""

    def save(panels, folder, regret=False):
        paths = [folder / "chart.png", folder / "chart.svg"]
        for path in paths:
            path.touch()
        return paths

    monkeypatch.setattr(chart, "save", save)
