from bonspiel.curling.records.match_data import Match, Result, Setup
from bonspiel.curling.server.record_feed import RecordFeed

MATCH, SETUP, RESULT = (
    Match(players=("a", "b"), physics="fcv1", rule=None, noise=None, ends=1),
    Setup(0, 1, "pp_left"),
    Result((0, 0), None, 0.5, "draw"),
)


def test_subscribers_get_every_item_until_they_leave():
    feed, seen = RecordFeed(), []
    leave = feed.subscribe(lambda *news: seen.append(news))
    feed.publish("a", MATCH)
    feed.publish("b", MATCH)
    leave()
    leave()
    feed.publish("a", SETUP)
    assert seen == [("a", MATCH), ("b", MATCH)]
    assert feed.matches() == [("a", [MATCH, SETUP]), ("b", [MATCH])]


def test_a_failing_subscriber_is_removed():
    feed, seen, failed = RecordFeed(), [], []

    def fail(match_id, item):
        failed.append(item)
        raise RuntimeError("gone")

    feed.subscribe(fail)
    feed.subscribe(lambda *news: seen.append(news))
    feed.publish("a", MATCH)
    feed.publish("a", SETUP)
    assert (failed, seen) == ([MATCH], [("a", MATCH), ("a", SETUP)])


def test_finished_matches_are_forgotten_before_those_in_play():
    feed = RecordFeed(keep=2)
    feed.publish("long", MATCH)
    for name in ("first", "second", "third"):
        feed.publish(name, MATCH)
        feed.publish(name, RESULT)
    assert [name for name, _ in feed.matches()] == ["long", "third"]


def test_matches_are_copies():
    feed = RecordFeed()
    feed.publish("a", MATCH)
    feed.matches()[0][1].append(SETUP)
    assert feed.matches() == [("a", [MATCH])]
