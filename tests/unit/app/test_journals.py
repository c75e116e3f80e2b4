from pathlib import Path

import pytest

from saniwa.app.agent_journals import JournalTextLog
from saniwa.core.redaction import MARK


def test_no_secret_is_in_what_people_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of a journal is redacted like the journal."""
    monkeypatch.setenv("SMTP_PASS", "hunter2-hunter2")
    log = tmp_path / "agent.log"

    JournalTextLog(log).write_entry({"event": "warning", "message": "it is hunter2-hunter2"})

    told = log.read_text(encoding="utf-8")
    assert f"it is {MARK}" in told
    assert "hunter2" not in told
