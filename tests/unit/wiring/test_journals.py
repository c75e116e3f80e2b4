from pathlib import Path

import pytest

from saniwa.core.redaction import MARK
from saniwa.wiring.journals import TextLog


def test_no_secret_is_in_what_people_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text beside a journal is as free of secrets as the journal."""
    monkeypatch.setenv("SMTP_PASS", "hunter2-hunter2")
    log = tmp_path / "agent.log"

    TextLog(log).hear({"event": "warning", "message": "it is hunter2-hunter2"})

    told = log.read_text(encoding="utf-8")
    assert f"it is {MARK}" in told
    assert "hunter2" not in told
