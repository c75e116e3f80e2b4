from pathlib import Path

from saniwa.api.guard.badges.watched import Watched
from saniwa.core.lasting import put


def test_a_file_is_read_again_only_when_it_changed(tmp_path: Path) -> None:
    """The same file is read once; a new one in its place is seen at once."""
    reads: list[str] = []

    def read(path: Path) -> str:
        reads.append(path.read_text() if path.exists() else "")
        return reads[-1]

    watched = Watched(tmp_path / "file", read)
    seen = [watched.now()]
    for content in (b"one", b"two"):
        put(tmp_path, "file", content)
        seen += [watched.now(), watched.now()]
    (tmp_path / "file").unlink()
    seen.append(watched.now())

    assert ["", "one", "one", "two", "two", ""] == seen
    assert ["", "one", "two", ""] == reads
