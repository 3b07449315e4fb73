"""Whatever arrives, the decoders return a message or raise a ProtocolError of one short line."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bonspiel.curling.protocols import ProtocolError, dc2_codec, dc3_codec
from tests.curling.protocols.corpus import CORPUS, Nasty
from tests.curling.protocols.transcripts import lines

DECODERS: dict[tuple[str, str], Callable[[bytes], Any]] = {
    ("dc3", "client"): dc3_codec.decode_client,
    ("dc3", "server"): dc3_codec.decode_server,
    ("dc2", "client"): dc2_codec.decode_client,
    ("dc2", "server"): dc2_codec.decode_server,
}
ENCODERS: dict[str, Callable[[Any], bytes]] = {"dc3": dc3_codec.encode, "dc2": dc2_codec.encode}
SENDERS = sorted(DECODERS)
RECORDED = {
    (protocol, sender): sorted(
        {line.text for line in lines(protocol) if line.from_server == (sender == "server")}, key=len
    )
    for protocol, sender in SENDERS
}


def outcome(key: tuple[str, str], text: bytes) -> Any:
    """The message, checked to survive another round, or the error, checked to be one short line."""
    try:
        message = DECODERS[key](text)
    except ProtocolError as error:
        assert len(str(error)) <= 300
        assert str(error).isascii() and str(error).isprintable()
        return error
    assert DECODERS[key](ENCODERS[key[0]](message)) is not None
    return message


@pytest.mark.parametrize("key", SENDERS, ids="-".join)
def test_the_corpus_is_refused_where_it_is_broken_and_only_there(key):
    texts = [nasty.text for nasty in CORPUS[key]]
    assert len(texts) >= 60
    separators = {"dc3": b"\n", "dc2": b"\0"}
    for nasty in CORPUS[key]:
        parts = [nasty.text] if nasty.broken else nasty.text.split(separators[key[0]])
        for part in parts:
            refused = isinstance(outcome(key, part), ProtocolError)
            assert refused == nasty.broken, nasty.name


@pytest.mark.parametrize("key", SENDERS, ids="-".join)
def test_names_in_the_corpus_differ(key):
    names = [nasty.name for nasty in CORPUS[key]]
    assert len(set(names)) == len(names)


def test_a_nasty_message_goes_over_the_wire_with_its_terminator():
    assert Nasty("", b"x", True).wire("dc3") == b"x\n"
    assert Nasty("", b"x", True).wire("dc2") == b"x\0"


@pytest.mark.parametrize(
    ("key", "limit"),
    [
        (("dc3", "client"), dc3_codec.MAX_CLIENT_LINE),
        (("dc3", "server"), dc3_codec.MAX_SERVER_LINE),
        (("dc2", "client"), dc2_codec.MAX_TEXT),
        (("dc2", "server"), dc2_codec.MAX_TEXT),
    ],
)
def test_a_message_has_a_longest_length(key, limit):
    text = RECORDED[key][0]
    assert not isinstance(outcome(key, text + b" " * (limit - len(text))), ProtocolError)
    error = outcome(key, text + b" " * (limit - len(text) + 1))
    assert str(error).startswith(f"a message of {limit + 1} bytes, at most {limit} are allowed: ")


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"a":' * 100_000, b'{"cmd":"game_over","z":' + b"[" * 100_000])
def test_deep_nesting_is_refused(text):
    assert isinstance(outcome(("dc3", "server"), text), ProtocolError)


@pytest.mark.parametrize("key", SENDERS, ids="-".join)
@given(text=st.binary(max_size=300))
@example(text=b"")
@settings(max_examples=150)
def test_any_bytes(key, text):
    outcome(key, text)


@pytest.mark.parametrize("key", SENDERS, ids="-".join)
@given(data=st.data())
@settings(max_examples=150)
def test_recorded_messages_with_a_few_bytes_changed(key, data):
    text = bytearray(data.draw(st.sampled_from(RECORDED[key][:60])))
    snippets = st.sampled_from(
        [b"", b"\0", b"\xff", b"[", b"{", b'"', b"null", b"-1", b"1e400", b"NaN", b"9" * 400, b"team0"]
    )
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 8)))
        text[start:end] = data.draw(snippets | st.binary(max_size=4))
    outcome(key, bytes(text))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["team0", "cw", "shot", 10**400]),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


def paths(message: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a parsed message."""
    items = message.items() if isinstance(message, dict) else enumerate(message) if isinstance(message, list) else ()
    return [path] * bool(path) + [found for key, value in items for found in paths(value, (*path, key))]


@pytest.mark.parametrize("sender", ["client", "server"])
@given(data=st.data())
@settings(max_examples=200)
def test_recorded_json_with_another_value_somewhere(sender, data):
    text = data.draw(st.sampled_from(RECORDED["dc3", sender][:60]))
    message = json.loads(text)
    *parents, last = data.draw(st.sampled_from(paths(message)))
    inner = message
    for key in parents:
        inner = inner[key]
    inner[last] = data.draw(JSON)
    outcome(("dc3", sender), json.dumps(message).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("key", SENDERS, ids="-".join)
def test_a_message_cut_anywhere(key):
    rng = random.Random(0)
    for text in rng.sample(RECORDED[key], min(20, len(RECORDED[key]))):
        for end in {0, 1, len(text) - 1, *(rng.randrange(len(text)) for _ in range(20))}:
            outcome(key, text[:end])
            if key[0] == "dc3":
                assert isinstance(outcome(key, text[:end]), ProtocolError)
