"""For tests of evidence: the folder of a run, with a secret outside it."""

from pathlib import Path

import pytest

from tests.unit.store.gate.evidence.evidence_inspection import RUN, SECRET


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """The run's folder; a secret is in the folder above."""
    (tmp_path / "secret.md").write_bytes(SECRET)
    inner = tmp_path / "artifacts" / RUN
    inner.mkdir(parents=True)
    return inner
