"""Where the files of a gate's runs lie, and which names can be a run's."""

import re
from pathlib import Path

import msgspec

_RUN_ID = re.compile(
    r"run-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)
_HASH = re.compile(r"[0-9a-f]{64}")


class GateFolders(msgspec.Struct, frozen=True, kw_only=True):
    """The folders of one gate; those that are missing are made when they are needed."""

    runs: Path
    """The published tables, one CSV for each run."""
    metadata: Path
    """The records, one file of JSON lines for each run."""
    definitions: Path
    """Definitions by their hash."""
    index: Path
    """What only saves time; may be removed at any moment."""

    @classmethod
    def under(cls, root: Path) -> "GateFolders":
        """The folders in their usual places under one root, such as `.state_gate`."""
        return cls(
            runs=root / "runs",
            metadata=root / "metadata",
            definitions=root / "definitions",
            index=root / "index",
        )

    def table(self, run_id: str) -> Path:
        """A run's published table."""
        return self.runs / f"{run_id}.csv"

    def journal(self, run_id: str) -> Path:
        """A run's record."""
        return self.metadata / f"{run_id}.jsonl"

    def index_of(self, run_id: str) -> Path:
        """A run's index."""
        return self.index / f"{run_id}.index"

    def definition(self, hash: str) -> Path:
        """The definition with that hash."""
        return self.definitions / f"{hash}.json"


def is_run_id(text: str) -> bool:
    """Whether the text is `run-` and a UUIDv7, so that it can name a file of ours."""
    return _RUN_ID.fullmatch(text) is not None


def is_hash(text: str) -> bool:
    """Whether the text is a SHA-256 in hex."""
    return _HASH.fullmatch(text) is not None
