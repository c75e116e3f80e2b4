"""From an entry, a file or a document to a scenario ready to be played.

A scenario with any mistake in it is not loaded: one error is raised that carries them
all. There is no default to fall back on.
"""

import gc
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from saniwa.core.beside import near_file
from saniwa.core.document import Document, of_plain, read_file
from saniwa.core.errors import DocumentError, SchemaValidationError
from saniwa.core.finding import Report
from saniwa.core.fingerprint import short_hash
from saniwa.core.where import Where
from saniwa.scenario.builtin import default_document
from saniwa.scenario.code import Code
from saniwa.scenario.entry import BUILT_IN, ScenarioEntry
from saniwa.scenario.inspect import Inspected, error_of, inspect
from saniwa.scenario.registry import file_of
from saniwa.scenario.summary import Summary, shown_path, summarise, summary_document
from saniwa.world.canonical import world_hash
from saniwa.world.model import World

Source = ScenarioEntry | str | os.PathLike[str] | Mapping[str, Any] | Document | None
"""What a scenario can be loaded from: an entry of a registry, a file, a document, or
None for the built-in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """An authored starting position, checked whole."""

    id: str
    """Its name."""
    document: dict[str, Any]
    """What the author wrote, as plain values; never edited."""
    world: World
    """The world it opens with."""
    scenario_hash: str
    """16 hex digits of the document."""
    world_hash: str
    """16 hex digits of the world."""
    summary: Summary
    """What it holds, in a few lines."""
    report: Report
    """What an author may want to mend; never an error."""
    entry: ScenarioEntry | None = None
    """The registry's entry, if it came from one."""
    resolved_path: str = ""
    """The file it came from, `built-in`, or empty for a bare document."""

    @property
    def rulebook(self) -> str | dict[str, Any] | None:
        """The book it plays by: a name, a file or a document; not read here."""
        found: str | dict[str, Any] | None = self.document.get("rulebook")
        return found

    @property
    def script(self) -> str | dict[str, Any] | None:
        """The story that stands on it: kept for hosts, followed by nobody here."""
        found: str | dict[str, Any] | None = self.document.get("script")
        return found

    @property
    def process(self) -> str | dict[str, Any] | None:
        """The process a run of it passes through: kept for hosts, followed by nobody here."""
        found: str | dict[str, Any] | None = self.document.get("process")
        return found

    @property
    def opening(self) -> str:
        """The first words to the player; empty if there are none."""
        for key in ("gm_opening_message", "gmOpeningMessage"):
            if self.document.get(key):
                return str(self.document[key])
        return ""

    def as_meta(self) -> dict[str, Any]:
        """The scenario's entry in `run_meta`, as the contract writes it."""
        entry = self.entry
        resolved = self.resolved_path or self.id
        return {
            "scenario_id": entry.scenario_id if entry is not None else self.id,
            "scenario_path": shown_path((entry and entry.path) or self.id),
            "scenario_resolved_path": shown_path(resolved),
            "registry_path": shown_path(entry.registry) if entry is not None else None,
            "scenario_hash": self.scenario_hash,
            "world_hash": self.world_hash,
            "world_summary": summary_document(self.summary),
            "validation_passed": self.report.passed,
            "validation_errors": [f.as_document() for f in self.report.errors],
        }


def load(source: Source) -> Scenario:
    """The scenario, or one error that says everything that is wrong with it.

    Raises:
        SchemaValidationError: with the code of the first mistake; all of them are in
            `details["findings"]`.
        DocumentError: the file is no JSON or YAML.
    """
    with _collector_resting():
        document = document_of(source)
        inspected = inspect(document, expected_name(source))
        if inspected.world is None:
            raise _broken(document, inspected.report)
        return _scenario(source, document, inspected, inspected.world)


@contextmanager
def _collector_resting() -> Iterator[None]:
    """No garbage collection meanwhile: of a large world it takes half the time.

    Everything read is kept, so there is nothing to collect.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _broken(document: Document, report: Report) -> SchemaValidationError:
    """The first mistake, with the number of the others and how to see them."""
    error = error_of(report.errors[0], report)
    others = len(report.errors) - 1
    rest = f"{others} more mistake{'s' if others > 1 else ''}" if others else ""
    if document.file:
        command = f"saniwa scenario check {shlex.quote(document.file)}"
        rest = f"{rest or 'check it'}: {command}"
    error.hint = "; ".join(part for part in (error.hint, rest) if part)
    return error


def world_of(document: Mapping[str, Any]) -> World:
    """The world of a document that was kept with a run.

    Raises:
        SchemaValidationError: as `load` does.
    """
    return load(document).world


def document_of(source: Source) -> Document:
    """The document behind a source, not yet looked at.

    Raises:
        SchemaValidationError: `SCENARIO_FILE_NOT_FOUND`, `SCENARIO_PATH_OUTSIDE`.
        DocumentError: the file is no JSON or YAML.
    """
    if isinstance(source, Document):
        return source
    if is_built_in(source):
        return of_plain(default_document(), BUILT_IN)
    if isinstance(source, ScenarioEntry):
        return read_file(file_of(source))
    if isinstance(source, str | os.PathLike):
        return _file(source)
    return of_plain(dict(source) if isinstance(source, Mapping) else source)


def expected_name(source: Source) -> str | None:
    """The name a scenario's file must have; None where nothing says so."""
    if isinstance(source, ScenarioEntry) and source.path is not None:
        return source.scenario_id
    return None


def is_built_in(source: Source) -> bool:
    """Whether this is the scenario without a file."""
    return source is None or (isinstance(source, ScenarioEntry) and source.path is None)


def _file(path: str | os.PathLike[str]) -> Document:
    try:
        return read_file(path)
    except DocumentError as problem:
        if not isinstance(problem.__cause__, FileNotFoundError):
            raise
        raise SchemaValidationError(
            Code.SCENARIO_FILE_NOT_FOUND,
            f"the file {os.fspath(path)!r} does not exist",
            where=Where(file=os.fspath(path)),
            hint=near_file(os.fspath(path)),
            details={"path": os.fspath(path)},
        ) from problem


def _scenario(
    source: Source, document: Document, inspected: Inspected, world: World
) -> Scenario:
    plain = document.plain
    hash_of_world = world_hash(world)
    # There is no file whose text could be hashed, so the world stands for both.
    built_in = is_built_in(source)
    entry = source if isinstance(source, ScenarioEntry) else None
    return Scenario(
        id=entry.scenario_id if entry is not None else plain["name"],
        document=plain,
        world=world,
        scenario_hash=hash_of_world if built_in else short_hash(plain),
        world_hash=hash_of_world,
        summary=summarise(world, inspected.order),
        report=inspected.report,
        entry=entry,
        resolved_path=document.file,
    )
