"""No window of a display, and a cache of one's own."""

import pytest


@pytest.fixture(autouse=True)
def no_display(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory):
    """Nothing that was solved before is known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BONSPIEL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
