"""People in front of the pages of practice servers."""

import pytest

from tests.curling.browsing import Person


@pytest.fixture
def sit_down(look):
    """A function that opens the page of a practice server's seat."""

    def person(practice, width=1400, touches=False):
        address = f"http://127.0.0.1:{practice.port}{practice.page.root}"
        return Person(look(address, width, 844 if width < 500 else 900, has_touch=touches), touches)

    return person
