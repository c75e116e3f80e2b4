from pathlib import Path

from saniwa.core.atomic_files import write_atomically
from saniwa.http.session_tokens import CachedFile


def test_a_file_is_read_again_only_when_it_changed(tmp_path: Path) -> None:
    """A file is read once, and again after it was changed."""
    reads: list[str] = []

    def read(path: Path) -> str:
        reads.append(path.read_text() if path.exists() else "")
        return reads[-1]

    watched = CachedFile(tmp_path / "file", read)
    seen = [watched.read_current()]
    for content in (b"one", b"two"):
        write_atomically(tmp_path, "file", content)
        seen += [watched.read_current(), watched.read_current()]
    (tmp_path / "file").unlink()
    seen.append(watched.read_current())

    assert ["", "one", "one", "two", "two", ""] == seen
    assert ["", "one", "two", ""] == reads
