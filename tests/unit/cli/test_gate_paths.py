from pathlib import Path

from saniwa.cli.gate.events import _suggest_path


def test_a_name_no_system_could_hold_is_no_file(tmp_path: Path) -> None:
    """A path too long for the system gets no suggestion, and causes no error."""
    assert "" == _suggest_path("x" * 5_000, tmp_path)
