from bonspiel.curling.server.record_feed import RecordFeed

MATCH, SHOT, RESULT = {"type": "match"}, {"type": "shot"}, {"type": "result"}


def test_subscribers_get_every_line_until_they_leave():
    feed, seen = RecordFeed(), []
    leave = feed.subscribe(lambda *news: seen.append(news))
    feed.publish("a", MATCH)
    feed.publish("b", MATCH)
    leave()
    leave()
    feed.publish("a", SHOT)
    assert seen == [("a", MATCH), ("b", MATCH)]
    assert feed.matches() == [("a", [MATCH, SHOT]), ("b", [MATCH])]


def test_a_failing_subscriber_is_removed():
    feed, seen, failed = RecordFeed(), [], []

    def fail(match_id, line):
        failed.append(line)
        raise RuntimeError("gone")

    feed.subscribe(fail)
    feed.subscribe(lambda *news: seen.append(news))
    feed.publish("a", MATCH)
    feed.publish("a", SHOT)
    assert (failed, seen) == ([MATCH], [("a", MATCH), ("a", SHOT)])


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
    feed.matches()[0][1].append(SHOT)
    assert feed.matches() == [("a", [MATCH])]
