"""The page on which a person throws, as the person uses it, and by HTTP."""

import json
import time
from contextlib import closing
from http.client import HTTPConnection

import numpy as np

from tests.curling.server.hosting import PATIENCE


class Person:
    """Someone in front of the page, with a mouse or with a finger."""

    def __init__(self, page, touches):
        self.page, self.touches = page, touches
        self.browser = page.context.new_cdp_session(page)

    def hurry(self):
        """Show shots as fast as possible: each frame passes for 100 ms, the most that the page takes one for."""
        self.page.evaluate(
            """() => { const next = requestAnimationFrame; let now = performance.now();
            requestAnimationFrame = draw => next(() => draw(now += 100)); }"""
        )
        self.page.select_option("#speed", "20")

    def says(self, text):
        """Wait until the page says so."""
        self.page.wait_for_function("text => document.getElementById('say').textContent.includes(text)", arg=text)

    def pixel(self, x, y):
        """Where a place on the ice, m, is on the screen."""
        self.page.locator("#house").scroll_into_view_if_needed()
        return self.page.evaluate(
            """([x, y]) => { const { a, d, e, f } = document.getElementById("house").getScreenCTM();
            return [a * 100 * x + e, d * -100 * y + f]; }""",
            [x, y],
        )

    def drag(self, start, end):
        """Move the target from one place to another."""
        places = np.linspace(start, end, 8).tolist()
        with self.page.expect_response(lambda answer: answer.url.endswith("/aim")):
            if self.touches:
                self.touch("touchStart", self.pixel(*places[0]))
                for place in places[1:]:
                    self.touch("touchMove", self.pixel(*place))
                self.touch("touchEnd")
            else:
                self.page.mouse.move(*self.pixel(*places[0]))
                self.page.mouse.down()
                for place in places[1:]:
                    self.page.mouse.move(*self.pixel(*place))
                self.page.mouse.up()
        self.settle()

    def touch(self, kind, *points):
        fingers = [{"x": x, "y": y} for x, y in points]
        self.browser.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    def press(self, what):
        (self.page.tap if self.touches else self.page.click)(what)

    def settle(self):
        """Wait until the preview of the last aim is drawn."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.page.wait_for_selector("#throw[aria-busy=false]")

    def target(self):
        """The target that the page draws, m."""
        return self.page.evaluate(
            """() => { const { x, y, width, height } = document.querySelector("#house .target").getBBox();
            return [(x + width / 2) / 100, (y + height / 2) / -100]; }"""
        )


def until(condition):
    """Wait until something is true, beside the event loop of a browser."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def ask(server, path, message=None, **headers):
    """Status and body."""
    home = f"127.0.0.1:{server.port}"
    with closing(HTTPConnection(home, timeout=120)) as connection:
        if message is None:
            connection.request("GET", path)
        else:
            body = message if isinstance(message, str) else json.dumps(message)
            connection.request("POST", path, body, {"Origin": f"http://{home}", **headers})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
