import sys

import pytest

from saniwa.cli.main import main


def test_without_its_library_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the extra, the error names the command that installs it."""
    gone = ("saniwa.lsp", "pygls.")
    for name in [n for n in sys.modules if n.startswith(gone)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)

    with pytest.raises(SystemExit) as left:
        main(["lsp"])

    told = capsys.readouterr().err
    assert 3 == left.value.code
    assert "[EXTRA_MISSING]" in told
    assert "pip install 'saniwa[lsp]'" in told
