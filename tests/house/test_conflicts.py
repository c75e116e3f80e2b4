"""No file of the repository has the marks of an unresolved merge conflict."""

import re
import subprocess

from tests.house.pages import ROOT

_MARK = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)


def test_no_file_has_marks_of_a_conflict() -> None:
    """No file has conflict marks; other tests would not find them in prose."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]

    assert [] == [path for path in paths if path.is_file() and _MARK.search(path.read_bytes())]
