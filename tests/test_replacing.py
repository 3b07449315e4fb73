import pytest

from bonspiel.replacing import replacing


def test_a_file_is_replaced_when_all_is_written_and_otherwise_stays_as_it_was(tmp_path):
    file = tmp_path / "record.jsonl"
    with replacing(file) as draft:
        draft.write_text("first")
        assert not file.exists()
    with pytest.raises(OSError, match="full"), replacing(file) as draft:
        draft.write_text("sec")
        raise OSError("full")
    assert file.read_text() == "first" and list(tmp_path.iterdir()) == [file]
    with replacing(file) as draft:
        draft.write_text("second")
        assert file.read_text() == "first"
    assert file.read_text() == "second" and list(tmp_path.iterdir()) == [file]
