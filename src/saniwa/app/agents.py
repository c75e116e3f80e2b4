"""Agents: finding them by path or name, and their journals.

A project's own agents and those shipped with Saniwa; journals and text logs on disk, and
the usage of a run's agents.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.loader import read_agent, require_valid
from saniwa.agent.journal import JournalSummary, MemoryJournal, read_journal, render_entry
from saniwa.agent.value_kinds import is_agent_name
from saniwa.app import describe
from saniwa.app.run_stores import locate_beside
from saniwa.core.errors import ConfigurationNotFoundError, StoreError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.path_checks import is_file
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.core.suggestions import suggest_nearest
from saniwa.documents.document import FORMATS
from saniwa.models.oracle import AnswerHistory, Usage
from saniwa.models.recording import AgentJournal
from saniwa.store.json_lines import JsonLinesFile
from saniwa.store.lookup import LAST, pick_run_id

if TYPE_CHECKING:
    pass


PROJECT_AGENTS = Path(".agent")
"""The folder of a project's agents, relative to the project."""


_AGENT_FILES = tuple(f"agent{ending}" for ending in FORMATS)


class KnownAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that can be named."""

    name: str
    """Its name."""
    folder: str
    """The path of its folder."""
    origin: Literal["project", "shipped"]
    """Whether it belongs to the project or is shipped with Saniwa."""


def locate_shipped_agents() -> Path:
    """Return the folder of the agents that are shipped with Saniwa."""
    from saniwa import agent

    return Path(str(agent.__file__)).parent / "shipped"


def find_agent(named: str | os.PathLike[str]) -> Path:
    """Return the folder of the agent that the caller names by path or by name.

    A name is looked up in the project's own agents, then in those shipped with Saniwa.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
    """
    text = os.fspath(named)
    path = Path(text)
    if path.name in _AGENT_FILES:
        return path.parent
    if is_agent_folder(path) or "/" in text or os.sep in text:
        return path
    if is_agent_name(text):
        for folder in (PROJECT_AGENTS / text, locate_shipped_agents() / text):
            if is_agent_folder(folder):
                return folder
    names = [each.name for each in list_agents()]
    raise describe(
        "CONFIG_NOT_FOUND/find_agent",
        agent=text,
        names=", ".join(names[:20]),
        hint=suggest_nearest(text, names),
    ).to_error(ConfigurationNotFoundError)


def open_agent(named: str | os.PathLike[str]) -> AgentDefinition:
    """Load the agent that the caller names, and check it.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
        ConfigurationParseError: `CONFIG_PARSE`.
        ConfigurationValidationError: The first finding's code; all are in `details`.
    """
    return require_valid(*read_agent(find_agent(named)))


def list_agents() -> tuple[KnownAgent, ...]:
    """List every named agent, sorted; a project's agent hides a shipped one."""
    found = {each.name: each for each in _list_agents_in(locate_shipped_agents(), "shipped")}
    found |= {each.name: each for each in _list_agents_in(PROJECT_AGENTS, "project")}
    return tuple(found[name] for name in sorted(found))


def _list_agents_in(folder: Path, origin: Literal["project", "shipped"]) -> Iterator[KnownAgent]:
    try:
        entries = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if is_agent_name(entry.name) and is_agent_folder(entry):
            yield KnownAgent(name=entry.name, folder=str(entry), origin=origin)


def is_agent_folder(folder: Path) -> bool:
    """Whether a folder has an agent's definition."""
    return any(is_file(folder / name) for name in _AGENT_FILES)


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
        raise describe(
            "TRACE_UNWRITABLE/locate_journals", directory=definition.logging.directory
        ).to_error(StoreError, where=SourceLocation(file=str(folder)))
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
        raise describe("RUN_NOT_FOUND/find_journal", folder=str(folder)).to_error(StoreError)
    found = names[-1] if named == LAST else pick_run_id(named, names, "")
    return folder / f"{found}.jsonl"


_match_agent_run = re.compile(r"agent-[0-9a-f-]{36}").fullmatch
_JOURNAL_PATTERNS = (
    f"{_DEFAULT}/{JOURNALS_FOLDER}/*/{{}}.jsonl",
    ".agent/*/*/{}.jsonl",
    "*/*/{}.jsonl",
)


def find_project_journals(project: Path, agent_run: str = "") -> dict[str, list[tuple[str, ...]]]:
    """Return where a project's journals are, by the ids of their agents' runs.

    They are those of agents in `.agent`, in a folder of the project, and of those shipped
    with Saniwa. With `agent_run`, only its journal is looked for. An id with two places
    belongs to one of them, and the other is a copy.
    """
    found = defaultdict[str, list[tuple[str, ...]]](list)
    if agent_run and _match_agent_run(agent_run) is None:
        return found
    top = project.absolute()
    for pattern in _JOURNAL_PATTERNS:
        for path in sorted(top.glob(pattern.format(agent_run or "agent-*"))):
            shipped = pattern == _JOURNAL_PATTERNS[0]
            if _match_agent_run(path.stem) and (shipped or is_agent_folder(path.parents[1])):
                found[path.stem].append(path.relative_to(top).parts)
    return found


def load_journal(path: Path) -> JournalSummary:
    """Read and summarize a journal.

    Raises:
        StoreError: It cannot be read.
    """
    return read_journal(read_entries(path))


def read_entries(path: Path) -> Iterator[dict[str, Any]]:
    """Read the entries of a journal.

    Raises:
        StoreError: It cannot be read.
    """
    return JsonLinesFile(path).read_entries()


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
            raise describe("TRACE_UNWRITABLE/read_entries", strerror=problem.strerror).to_error(
                StoreError
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
