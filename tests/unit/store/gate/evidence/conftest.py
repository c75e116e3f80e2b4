"""For tests of evidence: the folder of a run, and a secret beside it."""

from pathlib import Path

import pytest

from tests.unit.store.gate.evidence.evidence_inspection import RUN, SECRET


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """The run's own folder; a secret lies beside it."""
    (tmp_path / "secret.md").write_bytes(SECRET)
    inner = tmp_path / "artifacts" / RUN
    inner.mkdir(parents=True)
    return inner
