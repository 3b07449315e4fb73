import json
import time
from contextlib import ExitStack

import pytest

from bonspiel.curling.client.message_log import MessageLog, new_log


def test_clients_of_the_same_second_have_logs_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "strftime", lambda _: "now")
    with ExitStack() as stack:
        logs = [stack.enter_context(new_log(tmp_path / "logs", "dc3")) for _ in range(3)]
        for number, log in enumerate(logs):
            log.write_note(str(number))
    assert [log.path.name for log in logs] == ["dc3-now.jsonl", "dc3-now-2.jsonl", "dc3-now-3.jsonl"]
    assert [json.loads(log.path.read_text())["msg"] for log in logs] == ["0", "1", "2"]


def test_a_log_that_may_not_take_the_place_of_another_leaves_it_alone(tmp_path):
    path = tmp_path / "log"
    path.write_text("kept")
    with pytest.raises(FileExistsError):
        MessageLog(path, new=True)
    assert path.read_text() == "kept"
