from pathlib import Path

from saniwa.cli.gate.looking import _named


def test_a_name_no_system_could_hold_is_no_file(tmp_path: Path) -> None:
    """A path of hundreds of letters gets no cure, and is no accident of ours."""
    assert "" == _named("x" * 5_000, tmp_path)
