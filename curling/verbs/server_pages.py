"""The pages of `bonspiel server --watch`: of all matches, and with `--person` of the team that a person plays."""

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from bonspiel.curling.server.dc4.games import mixed_doubles
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.verbs.server_options import Options
from bonspiel.curling.web_extra import needing_web
from bonspiel.runs.experiment import RunError

if TYPE_CHECKING:
    from bonspiel.curling.server.pages.seat import Seat

LAST_NEWS = 5.0  # s for the person's page to show the end of the last match, which a slow engine has to play again


class Pages(NamedTuple):
    """Pages that are served.

    Attributes:
        lines: for people, with the addresses.
        seat: of the person, None without one.
    """

    lines: tuple[str, ...] = ()
    seat: "Seat | None" = None


@contextmanager
def served_pages(options: Options, context: ServerContext) -> Iterator[Pages]:
    """Serve the pages within this block, if there are any.

    Raises:
        UsageError: the extra is missing.
        RunError: the port is in use, or the address is not one of this machine.
    """
    port = options.watch
    if context.feed is None or port is None:
        yield Pages()
        return
    with needing_web("--watch"):
        from bonspiel.curling.play.browser.seat_page import SeatPage
        from bonspiel.curling.play.browser.throwing_page import TOKEN_BYTES
        from bonspiel.curling.replay.live_server import LiveServer
    page = None
    if options.person is not None:
        root = f"/{secrets.token_urlsafe(TOKEN_BYTES)}"
        kinds = [context.match, mixed_doubles(context.match)] if options.protocol == "dc4" else [context.match]
        page = SeatPage(options.person, context.feed, context.clock, root, kinds)
    try:
        host = options.watch_bind or "127.0.0.1"
        server = LiveServer(context.feed, host, port, () if page is None else page.routes)
    except OSError as error:
        refused = f"{host}, port {port}: cannot show the matches ({error.strerror})"
        raise RunError(f"{refused}; choose another --watch or --watch-bind") from error
    with closing(server):
        watch = f"watch the matches at {server.url}"
        if page is None:
            yield Pages((watch,))
        else:
            server.call(page.begin)
            yield Pages((watch, f"play team {page.me} at {server.url}{page.root[1:]}"), page.seat)
            server.complete(page.finish(), LAST_NEWS)
