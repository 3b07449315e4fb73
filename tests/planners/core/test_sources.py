import ast

from planners.core import sources

SERVING = {sources.ROOT / "curling" / name for name in ("client", "protocols", "replay", "server")}


def test_the_digest_follows_the_content_of_sources_and_data(tmp_path):
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
    seen = {first}
    for file, text in (
        ("folder/a.py", "x = 2"),
        ("file.py", "y = 2"),
        ("folder/table.json", "[1]"),
        ("folder/table.json", "[2]"),
    ):
        (tmp_path / file).write_text(text)
        seen.add(digest())
    assert len(seen) == 5


def test_nothing_that_models_and_players_read_is_left_out():
    """Every module and data file of planners, curling and envs lies in a folder of the digest, or serves matches."""
    files = [
        file
        for name in ("planners", "curling", "envs")
        for file in (sources.ROOT / name).rglob("*.*")
        if file.parent.name != "__pycache__" and file.parent not in SERVING
    ]
    assert {file.parent for file in files} == set(sources.FOLDERS)
    assert {file.suffix for file in files} <= set(sources.SUFFIXES)


def test_what_the_digest_covers_imports_nothing_that_serves_matches():
    names = tuple(f"curling.{folder.name}" for folder in SERVING)
    for folder in sources.FOLDERS:
        for file in folder.glob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                imported = (
                    [node.module or ""]
                    if isinstance(node, ast.ImportFrom)
                    else [alias.name for alias in node.names]
                    if isinstance(node, ast.Import)
                    else []
                )
                assert not any(name.startswith(names) for name in imported), file
