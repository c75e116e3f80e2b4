"""No file of the repository has the marks of an unsolved merge conflict."""

import re
import subprocess

from tests.house.pages import ROOT

_MARK = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)


def test_no_file_has_marks_of_a_conflict() -> None:
    """A conflict in prose breaks no test of the code, so it is looked for by itself."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]

    assert [] == [path for path in paths if path.is_file() and _MARK.search(path.read_bytes())]
