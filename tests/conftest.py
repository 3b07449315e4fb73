"""A browser for the pages that this project writes."""

import io
import os
import shutil
from importlib.util import find_spec

import matplotlib.image
import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
MISSING = "; ".join(
    said
    for said, there in (
        ("no Chromium: apt-get install chromium", CHROMIUM),
        ("no Playwright: pip install -e '.[dev]'", find_spec("playwright")),
    )
    if not there
)
REQUIRED = os.environ.get("BONSPIEL_BROWSER") == "required"


def pytest_collection_modifyitems(items):
    for item in items:
        if MISSING and not REQUIRED and "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=f"{item.name} needs a browser ({MISSING})"))


@pytest.fixture(scope="module")
def browser():
    """One for each module: while it is there, Playwright's event loop runs, and no other can."""
    assert not MISSING, MISSING
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def look(browser, tmp_path):
    """Opens HTML, or an address; fails if a page reports an error or asks for anything else."""
    contexts, troubles = [], []

    def opened(content, width=1280, height=800, **context):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **context))
        page = contexts[-1].new_page()
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        if content.startswith("http://"):
            allowed = content
        else:
            file = tmp_path / f"{len(contexts)}.html"
            file.write_text(content, encoding="utf-8")
            allowed = file.as_uri()
        home = "/".join(allowed.split("/")[:3]) if allowed.startswith("http") else allowed
        page.on(
            "request",
            lambda request: request.url.startswith((home, "data:")) or troubles.append(f"request: {request.url}"),
        )
        page.goto(allowed)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []


def screen(page):
    """The page's pixels, [height, width, 3], 0 to 1."""
    return matplotlib.image.imread(io.BytesIO(page.screenshot()))[..., :3]


@pytest.fixture
def pixels():
    return screen
