"""The text of a scenario: read, and kept whole or not at all."""

import os
from json import dumps
from pathlib import Path

import msgspec

from saniwa.core.alone import alone
from saniwa.core.document import FORMATS, Format
from saniwa.core.errors import SaniwaError, ScenarioError
from saniwa.core.small_file import small_file
from saniwa.scenario.builtin import default_document
from saniwa.scenario.entry import ScenarioEntry
from saniwa.scenario.registry import file_of
from saniwa.script.desk.writing import write_whole
from saniwa.script.files import text_of_bytes
from saniwa.wiring.scenario import find_entry, project_registry, shipped_registry
from saniwa.wiring.writing.shown import shown_error
from saniwa.wiring.writing.story_files import LARGEST, encoded, version_of
from saniwa.wiring.writing.trouble import changed, shipped, unwritable


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario as its author wrote it."""

    scenario: str
    """Its id in the registry."""
    text: str
    """What was written."""
    format: Format
    """What it is written in."""
    version: str
    """Stands for the text; to be sent back as `seen` with a change."""
    shipped: bool
    """Whether it comes with Saniwa, and is only read."""


def read_source(scenario: str, registry: str | Path | None = None) -> Source:
    """The text of a scenario.

    Raises:
        ScenarioError: `REGISTRY_MISSING`; its file is not there, or is no text.
    """
    entry = find_entry(scenario, registry)
    if entry.path is None:
        return _built_in(entry)
    content, file = _content(entry)
    return Source(
        scenario=scenario,
        text=text_of_bytes(content, entry.path),
        format=FORMATS.get(Path(file).suffix.lower(), "yaml"),
        version=version_of(content),
        shipped=is_shipped(entry.registry),
    )


def write_source(
    scenario: str, text: str, seen: str, registry: str | Path | None = None
) -> Source:
    """Keep the text of a scenario; one that says so already counts as kept.

    Raises:
        ScenarioError: As `read_source` does.
        ScriptError: `READ_ONLY`, `STORY_UNREADABLE` for what no file could hold.
        StoreError: `REVISION_CONFLICT`, `FILE_UNWRITABLE`, `LOCK_TIMEOUT`; then nothing was
            written.
    """
    if read_source(scenario, registry).shipped:
        raise shipped("scenario", scenario)
    new = encoded(text, scenario)
    with alone(project_registry(registry).parent):
        before = read_source(scenario, registry)
        if version_of(new) != before.version:
            if before.version != seen:
                raise changed(scenario, seen, before.version)
            _write(file_of(find_entry(scenario, registry)), new, scenario)
    return msgspec.structs.replace(before, text=text, version=version_of(new))


def is_shipped(registry: str | Path) -> bool:
    """Whether a registry is the one that comes with Saniwa, by whatever name."""
    return os.path.realpath(registry) == os.path.realpath(shipped_registry())


def plain_text(document: object) -> str:
    """A document as text, where its author's own cannot be had: JSON, over several lines."""
    return dumps(document, ensure_ascii=False, indent=2) + "\n"


def _built_in(entry: ScenarioEntry) -> Source:
    text = plain_text(default_document())
    return Source(
        scenario=entry.scenario_id,
        text=text,
        format="json",
        version=version_of(text.encode()),
        shipped=True,
    )


def _content(entry: ScenarioEntry) -> tuple[bytes, str]:
    folder = Path(entry.registry).parent
    try:
        file = file_of(entry)
        return small_file(file, LARGEST), file
    except SaniwaError as problem:
        raise shown_error(problem, folder) from problem
    except OSError as problem:
        raise ScenarioError(
            "DOCUMENT_UNREADABLE",
            f"{entry.path!r} cannot be read: {problem.strerror}",
            hint="change it with an editor of your own",
        ) from problem


def _write(file: str, content: bytes, scenario: str) -> None:
    try:
        write_whole(file, content)
    except OSError as problem:
        raise unwritable(scenario, str(problem.strerror)) from problem
