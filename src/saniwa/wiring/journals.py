"""Where agents' journals lie, and how one is found again; no secret stands in any."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from saniwa.agent.bridges.past import Past
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.journal.story import MemoryJournal, Story, read_story
from saniwa.agent.journal.telling import lines_of
from saniwa.agent.oracle import Usage
from saniwa.agent.ports import Journal
from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.core.redaction import Redaction, environment_secrets
from saniwa.core.where import Where
from saniwa.store.lines import Lines
from saniwa.store.lookup import pick
from saniwa.wiring.agents import shipped_agents
from saniwa.wiring.store import is_address, is_memory

AGENTS = "agents"
"""The folder of journals, beside the store."""
LAST = "last"
"""What stands for the newest journal."""
_DEFAULT = Path(".saniwa")

Journals = Callable[[str, str], Journal]
"""The journal of an agent in a seat: by its character and its name."""


def journals_of(definition: AgentDefinition) -> Path:
    """The folder of an agent's journals: its own, or the project's for a shipped agent.

    Raises:
        StoreError: `TRACE_UNWRITABLE` where it leads elsewhere.
    """
    if Path(definition.folder).parent == shipped_agents():
        return _DEFAULT / AGENTS / definition.name
    own = Path(definition.folder)
    folder = own / definition.logging.directory
    if folder.resolve() != own.resolve() / definition.logging.directory:
        raise StoreError(
            "TRACE_UNWRITABLE",
            f"{definition.logging.directory!r} leads through a link, and journals follow none",
            where=Where(file=str(folder)),
            hint="make it a folder, or name another in 'logging'",
        )
    return folder


def journal_named(folder: Path, named: str) -> Path:
    """The journal somebody means: its agent run's id, a part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    # Ids are in the order of time, so the last name is the newest.
    names = sorted(path.stem for path in folder.glob("agent-*.jsonl"))
    if not names:
        raise StoreError(
            "RUN_NOT_FOUND",
            "this agent has not run yet",
            hint="run it without --resume",
            details={"folder": str(folder)},
        )
    found = names[-1] if named == LAST else pick(named, names, "")
    return folder / f"{found}.jsonl"


def story_in(path: Path) -> Story:
    """What a journal tells.

    Raises:
        StoreError: It cannot be read.
    """
    return read_story(Lines(path).entries())


def prune(folder: Path, most: int) -> None:
    """Let the oldest finished journals go, so that no more than `most` are there.

    One that can be taken up again stays, and so does one that cannot be read.
    """
    paths = sorted(folder.glob("agent-*.jsonl"))
    for path in paths[: max(0, len(paths) - most)]:
        if _ended(path):
            path.unlink(missing_ok=True)
            path.with_suffix(".log").unlink(missing_ok=True)


def _ended(path: Path) -> bool:
    try:
        return story_in(path).ended
    except StoreError:
        return False


class FileJournal:
    """A file of JSON lines in which no secret of the environment stands."""

    def __init__(self, path: Path) -> None:
        self._lines = Lines(path)
        self._redaction = Redaction(environment_secrets(os.environ))

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Keep an entry.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_BUSY`.
        """
        plain = msgspec.to_builtins(entry, str_keys=True)
        # What happened is told by a word of ours, whatever somebody has for a secret.
        names = {"event": plain["event"]} if "event" in plain else {}
        self._lines.append(self._redaction.values(plain) | names, lasting=lasting)

    @property
    def mended(self) -> list[Finding]:
        """What a crash had left unfinished, and was cut off on opening."""
        return self._lines.mended

    def entries(self) -> Iterator[dict[str, Any]]:
        """Everything kept so far.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        # Taken before it is read: nobody else goes on with what is read here.
        try:
            self._lines.open()
        except OSError as problem:
            raise StoreError(
                "TRACE_UNWRITABLE",
                f"the journal cannot be written: {problem.strerror}",
                hint="allow writing there, then go on",
                recoverable=True,
            ) from problem
        return self._lines.entries()

    def close(self) -> None:
        """Flush and let go."""
        self._lines.close()


class TextLog:
    """What people read of a journal, as lines of text beside it; no secret is in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._redaction = Redaction(environment_secrets(os.environ))

    def hear(self, entry: Mapping[str, Any]) -> None:
        """Write an entry's lines."""
        lines = lines_of(entry)
        if lines:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as log:
                log.write(self._redaction.text("\n".join(lines)) + "\n")


def journals_beside(store: str | Path, run_id: str) -> Journals:
    """Journals of a run's agents, in a folder beside the store.

    For a store in memory they last as long as we do; for a database elsewhere they lie in
    the current folder.
    """
    folder = _folder(store, run_id)
    if folder is None:
        return forgotten
    return lambda actor, name: FileJournal(folder / f"{_safe((actor, name))}.jsonl")


def spent_by(store: str | Path, run_id: str) -> Usage:
    """What a run's agents have cost so far, by their journals.

    Raises:
        StoreError: A journal cannot be read.
    """
    return sum((story.spent for story in _stories(store, run_id)), Usage())


def past_of(store: str | Path, run_id: str) -> Past:
    """What a run's agents have asked and were answered so far, by their journals.

    Raises:
        StoreError: A journal cannot be read.
    """
    return sum((story.past for story in _stories(store, run_id)), Past())


def _stories(store: str | Path, run_id: str) -> list[Story]:
    folder = _folder(store, run_id)
    if folder is None or not folder.is_dir():
        return []
    return [story_in(path) for path in sorted(folder.glob("*.jsonl"))]


def forgotten(*_: str) -> "Journal":
    """A journal that lasts as long as we do."""
    return MemoryJournal()


def _folder(store: str | Path, run_id: str) -> Path | None:
    if is_memory(store):
        return None
    beside = _DEFAULT if is_address(store) else Path(store).parent
    return beside / AGENTS / _safe((run_id,))


def _safe(words: Iterable[str]) -> str:
    """A file name for words that may be anything."""
    whole = "\0".join(words)
    plain = "".join(c if c.isalnum() else "_" for c in whole[:40])
    return f"{plain}-{sha256(whole.encode()).hexdigest()[:12]}"
