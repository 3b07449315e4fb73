from planners import sources


def test_the_digest_follows_the_content_of_python_files(tmp_path):
    def digest():
        sources.digest.cache_clear()
        return sources.digest((tmp_path / "folder", tmp_path / "file.py"))

    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1")
    (tmp_path / "file.py").write_text("y = 1")
    first = digest()
    (folder / "notes.txt").write_text("nothing that runs")
    assert digest() == first
    (folder / "a.py").write_text("x = 2")
    second = digest()
    (tmp_path / "file.py").write_text("y = 2")
    assert len({first, second, digest()}) == 3
