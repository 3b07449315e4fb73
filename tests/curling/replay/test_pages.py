"""The file itself, without a browser."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest

from bonspiel.curling.replay import pages
from bonspiel.curling.replay.page_events import record_events

EVIL = "</script><img src=x onerror=alert(1)>${script}<!--&amp;\u2028"


@pytest.fixture(scope="module")
def events(played):
    return record_events(played._replace(match=replace(played.match, players=(EVIL, "b"))))[0]


def test_names_are_text_everywhere(events):
    text = pages.replay_page(events)
    assert "<img" not in text and "onerror=alert(1)>" not in text.replace("onerror=alert(1)&gt;", "")
    (data,) = re.findall(r'<script type="application/json" id="match">(.*?)</script>', text, re.S)
    assert json.loads(data)["events"][0]["players"] == [EVIL, "b"]
    assert text.count("<script") == text.count("</script>") == 2


@pytest.mark.parametrize(("text", "times"), [(pages.live_page(EVIL, f"/events/{EVIL}"), 2), (pages.index_page(), 0)])
def test_ids_on_live_pages_are_text_too(text, times):
    assert "<img" not in text and text.count("${script}") == times


def test_the_page_loads_and_runs_nothing_else(events):
    text = pages.replay_page(events)
    assert set(re.findall(r"\w+://[\w./]+", text)) == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert not re.search(r"\b(?:src|href)=\"(?!data:)", text) and "@import" not in text and "url(" not in text
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ") and "connect-src 'none'" in policy and "unsafe" not in policy
    for kind, pattern in (("style", r"<style>(.*?)</style>"), ("script", r'<script type="module">(.*?)</script>')):
        (inside,) = re.findall(pattern, text, re.S)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "connect-src 'self'" in pages.live_page("x", "/events/x")
