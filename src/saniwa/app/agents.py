"""Files and connections that running agents need.

Journals and their text logs on disk, the usage of a run's agents, the webhook for
escalations, and the port through which an agent works at a gate. Agents are looked up
in `agent_catalog`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.journal import JournalSummary, MemoryJournal, read_journal, render_entry
from saniwa.app.agent_catalog import locate_shipped_agents
from saniwa.app.store import locate_beside
from saniwa.core.errors import LoopError, StoreError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.redaction import Redactor, find_environment_secrets, redact_address
from saniwa.models.oracle import AnswerHistory, Usage
from saniwa.models.recording import AgentJournal
from saniwa.store.json_lines import JsonLinesFile
from saniwa.store.lookup import LAST, pick_run_id

if TYPE_CHECKING:
    from saniwa.agent.port import AgentPort
    from saniwa.app.gate.places import GatePlaces
    from saniwa.process.gate import Gate


JOURNALS_FOLDER = "agents"
"""The folder of journals, next to the store."""
_DEFAULT = Path(".saniwa")

RunJournalOpener = Callable[[str, str], AgentJournal]
"""Opens the journal of an agent in a seat, by its character and its name."""


def locate_journals(definition: AgentDefinition) -> Path:
    """Return the folder of an agent's journals.

    It is the agent's own folder, or the project's for a shipped agent.

    Raises:
        StoreError: `TRACE_UNWRITABLE` if it is reached through a symbolic link.
    """
    if Path(definition.folder).parent == locate_shipped_agents():
        return _DEFAULT / JOURNALS_FOLDER / definition.name
    own = Path(definition.folder)
    folder = own / definition.logging.directory
    if folder.resolve() != own.resolve() / definition.logging.directory:
        raise StoreError(
            "TRACE_UNWRITABLE",
            f"{definition.logging.directory!r} leads through a link, and journals follow none",
            where=SourceLocation(file=str(folder)),
            hint="make it a folder, or name another in 'logging'",
        )
    return folder


def find_journal(folder: Path, named: str) -> Path:
    """Return the journal that the caller names.

    `named` is an agent run's id, part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    # Ids sort by time, so the last name is the newest.
    names = sorted(path.stem for path in folder.glob("agent-*.jsonl"))
    if not names:
        raise StoreError(
            "RUN_NOT_FOUND",
            "this agent has not run yet",
            hint="run it without --resume",
            details={"folder": str(folder)},
        )
    found = names[-1] if named == LAST else pick_run_id(named, names, "")
    return folder / f"{found}.jsonl"


def load_journal(path: Path) -> JournalSummary:
    """Read and summarize a journal.

    Raises:
        StoreError: It cannot be read.
    """
    return read_journal(JsonLinesFile(path).read_entries())


def prune_journals(folder: Path, most: int) -> None:
    """Delete the oldest finished journals, so that at most `most` remain.

    Journals that can be resumed and journals that cannot be read are never deleted.
    """
    paths = sorted(folder.glob("agent-*.jsonl"))
    for path in paths[: max(0, len(paths) - most)]:
        if _is_finished(path):
            path.unlink(missing_ok=True)
            path.with_suffix(".log").unlink(missing_ok=True)


def _is_finished(path: Path) -> bool:
    try:
        return load_journal(path).ended
    except StoreError:
        return False


class FileJournal:
    """A journal in a JSON Lines file, with the environment's secrets redacted."""

    def __init__(self, path: Path) -> None:
        self._lines = JsonLinesFile(path)
        self._redaction = Redactor(find_environment_secrets(os.environ))

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Write an entry.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_BUSY`.
        """
        plain = msgspec.to_builtins(entry, str_keys=True)
        # The event name is one of our constants. It stays, even if it equals a secret.
        names = {"event": plain["event"]} if "event" in plain else {}
        self._lines.append(self._redaction.redact_values(plain) | names, lasting=lasting)

    @property
    def repairs(self) -> list[Finding]:
        """Incomplete entries of an earlier crash that were cut off on opening."""
        return self._lines.repairs

    def read_entries(self) -> Iterator[dict[str, Any]]:
        """Return all entries written so far.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        # Open for writing before reading, so that no other process continues the same
        # journal.
        try:
            self._lines.open()
        except OSError as problem:
            raise StoreError(
                "TRACE_UNWRITABLE",
                f"the journal cannot be written: {problem.strerror}",
                hint="allow writing there, then go on",
                recoverable=True,
            ) from problem
        return self._lines.read_entries()

    def close(self) -> None:
        """Flush and close the file."""
        self._lines.close()


class JournalTextLog:
    """A readable text version of a journal, next to it, with secrets redacted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._redaction = Redactor(find_environment_secrets(os.environ))

    def write_entry(self, entry: Mapping[str, Any]) -> None:
        """Write an entry's lines."""
        lines = render_entry(entry)
        if lines:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as log:
                log.write(self._redaction.redact_text("\n".join(lines)) + "\n")


def make_journal_opener(store: str | Path, run_id: str) -> RunJournalOpener:
    """Return a function that opens journals of a run's agents, next to the store.

    For a store in memory the journals are in memory too; for a remote database they are
    in the current folder.
    """
    folder = _locate_run_journals(store, run_id)
    if folder is None:
        return make_memory_journal
    return lambda actor, name: FileJournal(folder / f"{_make_file_name((actor, name))}.jsonl")


def sum_run_usage(store: str | Path, run_id: str) -> Usage:
    """Add up what a run's agents have cost so far, from their journals.

    Raises:
        StoreError: A journal cannot be read.
    """
    return sum((story.total_usage for story in _read_run_journals(store, run_id)), Usage())


def read_run_past(store: str | Path, run_id: str) -> AnswerHistory:
    """Collect the questions and answers of a run's agents so far, from their journals.

    Raises:
        StoreError: A journal cannot be read.
    """
    return sum((story.past for story in _read_run_journals(store, run_id)), AnswerHistory())


def _read_run_journals(store: str | Path, run_id: str) -> list[JournalSummary]:
    folder = _locate_run_journals(store, run_id)
    if folder is None or not folder.is_dir():
        return []
    return [load_journal(path) for path in sorted(folder.glob("*.jsonl"))]


def make_memory_journal(*_: str) -> "AgentJournal":
    """Return a journal in memory, which is lost when the process ends."""
    return MemoryJournal()


def _locate_run_journals(store: str | Path, run_id: str) -> Path | None:
    folder = locate_beside(store, JOURNALS_FOLDER)
    return folder and folder / _make_file_name((run_id,))


def _make_file_name(words: Iterable[str]) -> str:
    """Return a valid file name for words that may contain any character."""
    joined = "\0".join(words)
    plain = "".join(c if c.isalnum() else "_" for c in joined[:40])
    return f"{plain}-{sha256(joined.encode()).hexdigest()[:12]}"


class WebhookEscalationNotifier:
    """Sends escalations to addresses by HTTP."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:
        """Send the message.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`.
        """
        import asyncio

        from saniwa.app.gate.adapters import HttpWebhookSender
        from saniwa.app.gate.places import locate_gate, read_webhook_hosts

        body = msgspec.json.encode(message)
        webhook = HttpWebhookSender(hosts=lambda: read_webhook_hosts(locate_gate()))
        try:
            await asyncio.to_thread(webhook.send, address, body)
        except OSError as problem:
            raise LoopError(
                "ESCALATION_UNDELIVERED",
                f"{redact_address(address)!r} could not be told about an escalation: {problem}",
                hint="see that something listens there, then go on with --resume",
                recoverable=True,
                details={"address": redact_address(address)},
            ) from problem


def make_gate_port(gate: "Gate", places: "GatePlaces", run_id: str, *, wait: bool) -> "AgentPort":
    """Return an agent's port at a gate run; with `wait`, it polls for work."""
    from saniwa.agent.gate_port import GateAgentPort
    from saniwa.app.models import SystemPause
    from saniwa.store.gate.submission_folder import DiskSubmissionFolder

    opening = gate.log.load_run(run_id).opening
    submissions = DiskSubmissionFolder(places.locate_artifacts(run_id, opening.folder))
    return GateAgentPort(gate, run_id, submissions, pause=SystemPause() if wait else None)
