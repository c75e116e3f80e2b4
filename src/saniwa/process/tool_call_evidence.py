"""Evidence that a tool has made, looked up again in the journal of its call."""

from saniwa.process.artifact import Artifact
from saniwa.process.ports import CallFinding, EvidenceReader, ToolCallLookup


def find_tool_call(piece: Artifact, calls: ToolCallLookup | None) -> CallFinding | None:
    """Look up the tool call that made a piece of evidence; None if no tool made it."""
    if piece.made_by != "tool":
        return None
    if calls is None:
        return CallFinding("claimed", "was not verified: this gate has no journals")
    return calls.look_up_call(piece)


class JournalCheckedEvidence:
    """Checks evidence as another checker does, and a tool's in its journal too."""

    def __init__(self, evidence: EvidenceReader, calls: ToolCallLookup | None) -> None:
        """Use a checker; without `calls`, no journal is looked in."""
        self._evidence = evidence
        self._calls = calls

    def locate_folder(self, run_id: str, folder: str) -> str:
        """Return the folder a run's paths are relative to, as a user would write it."""
        return self._evidence.locate_folder(run_id, folder)

    def find_evidence_change(self, folder: str, artifact: Artifact) -> str:
        """Say what happened to an artifact or its journal since; empty if nothing did."""
        fault = self._evidence.find_evidence_change(folder, artifact)
        found = None if fault else find_tool_call(artifact, self._calls)
        return found.why if found is not None and found.standing == "contradicted" else fault
