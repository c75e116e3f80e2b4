"""Evidence in files: opened once, inside its folder, and told by its hash."""

from saniwa.store.gate.evidence.folder import FolderEvidence

__all__ = ["FolderEvidence"]
