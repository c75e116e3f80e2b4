"""A process that uses every feature, and a gate in memory to try it at."""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from saniwa.core.ids import CountingIds
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.definition import (
    AllGuard,
    ArtifactDefinition,
    ArtifactGuard,
    EventDefinition,
    NotGuard,
    NotifyHook,
    Process,
    RoleDefinition,
    SetVariableHook,
    StateDefinition,
    TransitionDefinition,
    VariableGuard,
    WriteArtifactHook,
)
from saniwa.process.gate import Gate
from saniwa.process.ports import EvidenceError, EvidenceInspection
from saniwa.process.submission import Visitor
from saniwa.store.gate.sealed_gate_log import MemoryGateLog

AGENT = Visitor("agent")
REVIEWER = Visitor("reviewer", person=True, name="ann")
HOUR = 3_600_000


def make_paper_process(**changes: Any) -> Process:
    """A process in which a paper is drafted, reviewed, and published or thrown away."""
    process = Process(
        process_id="paper",
        version="1",
        name="A paper",
        initial_state="draft",
        initial_variables={"rounds": 0},
        states=(
            StateDefinition(
                name="draft",
                prompt="Write about {context.topic}, {context.rounds}.",
                required_artifacts=("text",),
                on_exit=(NotifyHook(message="leaving the desk"),),
            ),
            StateDefinition(
                name="review",
                on_enter=(
                    SetVariableHook(variable="seen", value=True),
                    WriteArtifactHook(artifact_type="receipt", content={"ok": True}),
                    NotifyHook(via="webhook", url="http://127.0.0.1:9/paper"),
                ),
            ),
            StateDefinition(name="published", is_final=True),
            StateDefinition(name="thrown_away", is_final=True),
        ),
        events=(
            EventDefinition(name="jot", allowed_roles=("*",)),
            EventDefinition(
                name="submit",
                allowed_roles=("agent",),
                payload_schema={
                    "type": "object",
                    "properties": {"title": {"type": "string"}, "topic": {}},
                    "additionalProperties": True,
                },
            ),
            EventDefinition(name="approve", allowed_roles=("*",)),
            EventDefinition(name="reject", allowed_roles=("*",)),
            EventDefinition(name="override_guard", allowed_roles=("*",)),
        ),
        transitions=(
            TransitionDefinition(source="draft", event="jot", to="draft"),
            TransitionDefinition(source="draft", event="submit", to="review", guard="ready"),
            TransitionDefinition(
                source="review", event="approve", to="published", allowed_roles=("reviewer",)
            ),
            TransitionDefinition(source="review", event="reject", to="draft"),
            TransitionDefinition(source="review", event="timeout", to="thrown_away", after=HOUR),
        ),
        guards={
            "ready": AllGuard(guards=("sourced", "not_secret"), description="to show"),
            "sourced": ArtifactGuard(artifact_type="source", condition="count", min_count=2),
            "secret": VariableGuard(variable="secret", condition="equals", value=True),
            "not_secret": NotGuard(guard="secret"),
        },
        artifacts=(
            ArtifactDefinition(type="text", description="what it says"),
            ArtifactDefinition(type="source"),
            ArtifactDefinition(type="receipt"),
        ),
        roles=(
            RoleDefinition(name="agent", allowed_events=("*",)),
            RoleDefinition(
                name="reviewer",
                allowed_events=("approve", "reject", "override_guard"),
                can_approve=True,
                can_reject=True,
            ),
        ),
    )
    return msgspec.structs.replace(process, **changes)


class EvidenceFiles:
    """Evidence in a dictionary: paths and the contents of the files."""

    def __init__(self, files: Mapping[str, Any]) -> None:
        self.files: dict[str, Any] = dict(files)

    def inspect(
        self,
        run_id: str,  # noqa: ARG002 - the port's signature
        folder: str,  # noqa: ARG002 - the port's signature
        claim: Claim,
        *,
        read: bool,  # noqa: ARG002 - the port's signature
    ) -> EvidenceInspection:
        """Inspect the claimed piece of evidence."""
        if claim.url:
            return EvidenceInspection(claim.hash, 0, msgspec.UNSET)
        if not claim.path:
            return self._see_file(claim.content)
        if claim.path.removeprefix("./") not in self.files:
            raise EvidenceError(f"there is no file {claim.path!r}")
        return self._see_file(self.files[claim.path.removeprefix("./")])

    def locate_folder(self, run_id: str, folder: str) -> str:
        """The folder of the run's evidence."""
        return f"desk/{folder or run_id}"

    def find_evidence_change(self, folder: str, artifact: Artifact) -> str:  # noqa: ARG002 - the port's signature
        """Whether the piece is missing or has changed; empty if neither."""
        if not artifact.path:
            return ""
        said = self.files.get(artifact.path.removeprefix("./"))
        if said is None:
            return "is gone"
        return "" if self._see_file(said).hash == artifact.hash else "has changed"

    def _see_file(self, said: Any) -> EvidenceInspection:
        content = b"?" if said is msgspec.UNSET else msgspec.json.encode(said)
        return EvidenceInspection(hashlib.sha256(content).hexdigest(), len(content), said)


class ProcessCollection:
    """A library of the given processes."""

    def __init__(self, *processes: Process) -> None:
        self.processes = {each.process_id: each for each in processes}

    def find(self, process_id: str) -> Process:
        """The process with that id."""
        return self.processes[process_id]

    def list_ids(self) -> tuple[str, ...]:
        """The ids of all processes."""
        return tuple(sorted(self.processes))


class MemoryNotifier:
    """Records what is sent; fails while `broken` is set."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.broken = False

    def send(self, url: str, body: bytes) -> None:
        """Record the message, or fail."""
        if self.broken:
            raise OSError("nobody answers")
        self.sent.append((url, body))


class SteppingClock:
    """A clock that moves on by a second at each reading, and can be set."""

    def __init__(self) -> None:
        self.moment = 1_767_225_600_000

    def now(self) -> int:
        """A second later than the last reading."""
        self.moment += 1000
        return self.moment


class PaperGates:
    """A gate for each visitor, which share one log, one set of evidence and one clock."""

    def __init__(
        self, process: Process | None = None, files: Mapping[str, Any] | None = None
    ) -> None:
        self.log = MemoryGateLog()
        self.desk = EvidenceFiles(files or {})
        self.library = ProcessCollection(process or make_paper_process())
        self.clock = SteppingClock()
        self.ids = CountingIds()
        self.post = MemoryNotifier()
        self._count = 0

    def make_gate(self, visitor: Visitor = AGENT) -> Gate:
        """The gate for a visitor."""
        return Gate(
            self.log,
            self.library,
            self.desk,
            visitor,
            clock=self.clock,
            ids=self.ids,
            messenger=self.post,
        )

    def begin(self, **variables: Any) -> str:
        """A new run of the library's first process."""
        first = self.library.list_ids()[0]
        return self.make_gate().create_run(first, variables).run_id

    def send(
        self, run_id: str, event: str, *, visitor: Visitor = AGENT, **more: Any
    ) -> dict[str, Any]:
        """Send an event at the current revision, with a new key."""
        self._count += 1
        asked: dict[str, Any] = {
            "expected_revision": self.log.load_run(run_id).revision,
            "idempotency_key": f"key-{self._count}",
            **more,
        }
        return self.make_gate(visitor).emit_event(run_id=run_id, event_name=event, **asked)

    def decide(
        self, run_id: str, event: str, visitor: Visitor = REVIEWER, **more: Any
    ) -> dict[str, Any]:
        """Send a decision on what a review shows now."""
        shown = self.make_gate(visitor).review_run(run_id)
        return self.send(run_id, event, visitor=visitor, approval_digest=shown.digest, **more)

    def begin_reviewed(self, **variables: Any) -> str:
        """A run in the state `review`, with its evidence submitted."""
        self.desk.files |= {"text.md": "t", "source-1.md": "1", "source-2.md": "2"}
        run_id = self.begin(**variables)
        paths = ("text.md", "source-1.md", "source-2.md")
        answer = self.send(run_id, "submit", artifact_paths=paths)
        assert answer["success"], answer
        return run_id


PILE = {"text.md": "t", "source-1.md": "1", "source-2.md": "2"}
"""The files that a review needs."""


def read_refusal(answer: dict[str, Any]) -> str:
    """The error code of a refusal."""
    assert answer["success"] is False, answer
    return str(answer["error"]["code"])
