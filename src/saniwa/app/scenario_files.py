"""Reads, writes, creates and copies scenarios and rulebooks of the project.

A project's own registry hides the one shipped with Saniwa. So the first scenario that
is created through a server copies the shipped ones too: adding a world must not hide
the rest. Rulebooks need no registry: each is a file in a folder next to it.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from json import dumps
from pathlib import Path
from typing import Final

import msgspec

from saniwa.app import authored_file_content, describe, scenario_lookup
from saniwa.app.authored_file_content import LARGEST_TEXT, compute_version, encode_text
from saniwa.core.atomic_files import make_folder, replace_file, sync_folder
from saniwa.core.errors import DocumentError, ProtocolError, ScenarioError, ScriptError
from saniwa.core.file_locks import lock_folder
from saniwa.core.path_checks import does_path_exist, is_link
from saniwa.core.redaction import redact_errors
from saniwa.core.safe_open import read_small_file
from saniwa.documents.document import FORMATS, Document, DocumentFormat, parse_document_bytes
from saniwa.rulebook.loader import SHIPPED_BOOKS, load_shipped_book
from saniwa.scenario import scaffold
from saniwa.scenario.loader import build_default_document
from saniwa.scenario.registry import ScenarioEntry, get_entry_file
from saniwa.story.files import decode_text


class ScenarioSource(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario as its author wrote it."""

    scenario: str
    """Its id in the registry."""
    text: str
    """The text as its author wrote it."""
    format: DocumentFormat
    """The format of the text."""
    version: str
    """A hash of the text; send it as `seen` with a change."""
    shipped: bool
    """Whether it is included with Saniwa, and read-only."""


def read_source(scenario: str, registry: str | Path | None = None) -> ScenarioSource:
    """Read the text of a scenario.

    Raises:
        ScenarioError: `REGISTRY_MISSING`; its file is missing or not text.
    """
    entry = scenario_lookup.find_entry(scenario, registry)
    if entry.path is None:
        return _read_builtin(entry)
    content, file = _read_content(entry)
    return ScenarioSource(
        scenario=scenario,
        text=decode_text(content, entry.path),
        format=FORMATS.get(Path(file).suffix.lower(), "yaml"),
        version=compute_version(content),
        shipped=is_shipped_registry(entry.registry),
    )


def write_source(
    scenario: str, text: str, seen: str, registry: str | Path | None = None
) -> ScenarioSource:
    """Save the text of a scenario; saving the text that it already has succeeds.

    Raises:
        ScenarioError: As `read_source` does.
        ScriptError: `READ_ONLY`, `STORY_UNREADABLE` for text that cannot be stored.
        StoreError: `REVISION_CONFLICT`, `FILE_UNWRITABLE`, `LOCK_TIMEOUT`; nothing was
            written.
    """
    if read_source(scenario, registry).shipped:
        raise authored_file_content.make_read_only_error("scenario", scenario)
    new = encode_text(text, scenario)
    with lock_folder(scenario_lookup.locate_project_registry(registry).parent):
        before = read_source(scenario, registry)
        if compute_version(new) != before.version:
            if before.version != seen:
                raise authored_file_content.make_conflict_error(scenario, seen, before.version)
            _write_content(
                get_entry_file(scenario_lookup.find_entry(scenario, registry)), new, scenario
            )
    return msgspec.structs.replace(before, text=text, version=compute_version(new))


def is_shipped_registry(registry: str | Path) -> bool:
    """Whether a registry is the one shipped with Saniwa, even if reached by a link."""
    return os.path.realpath(registry) == os.path.realpath(scenario_lookup.locate_shipped_registry())


def render_document(document: object) -> str:
    """Render a document as indented JSON, where the author's text is not available."""
    return dumps(document, ensure_ascii=False, indent=2) + "\n"


def _read_builtin(entry: ScenarioEntry) -> ScenarioSource:
    text = render_document(build_default_document())
    return ScenarioSource(
        scenario=entry.scenario_id,
        text=text,
        format="json",
        version=compute_version(text.encode()),
        shipped=True,
    )


def _read_content(entry: ScenarioEntry) -> tuple[bytes, str]:
    with redact_errors(Path(entry.registry).parent):
        file = get_entry_file(entry)
    try:
        return read_small_file(file, LARGEST_TEXT), file
    except OSError as problem:
        raise describe("DOCUMENT_UNREADABLE", path=entry.path, strerror=problem.strerror).to_error(
            ScenarioError
        ) from problem


def _write_content(file: str, content: bytes, scenario: str) -> None:
    try:
        replace_file(file, content)
    except OSError as problem:
        raise authored_file_content.make_unwritable_error(
            scenario, str(problem.strerror)
        ) from problem


_BREAK: Final = re.compile(r"(\r\n|\n|\r)")
_COPIED_SUFFIXES: Final = frozenset({".yaml", ".json", ".txt"})


def locate_new_scenario(id: str, registry: str | Path | None = None) -> Path:
    """Return the folder in which a new scenario of this id would be created.

    Raises:
        ScenarioError: `NAME_UNUSABLE`.
        ScriptError: `READ_ONLY` if the project's registry is Saniwa's own.
    """
    scaffold.check_scenario_id(id)
    return _locate_writable_registry(registry).parent


def create_scenario(id: str, language: str = "en", registry: str | Path | None = None) -> None:
    """Create a scenario from the template, as `saniwa scenario new` does.

    Raises:
        ScenarioError: As `add_scenario` does.
        ScriptError: `READ_ONLY` if the project's registry is Saniwa's own.
        StoreError: `FILE_UNWRITABLE`.
    """
    own = _locate_writable_registry(registry)
    create_registry(id, registry)
    with redact_errors(own.parent):
        scaffold.add_scenario(str(own), id, language)


def copy_scenario(id: str, original: str, registry: str | Path | None = None) -> None:
    """Create a scenario as a copy of another, under its own name.

    Raises:
        ScenarioError: `REGISTRY_MISSING`; as `add_scenario` does.
        DocumentError: The original is not valid JSON or YAML.
        ScriptError: `READ_ONLY` if the project's registry is Saniwa's own.
        StoreError: `FILE_UNWRITABLE`.
    """
    source = read_source(original, registry)
    document = parse_document_bytes(source.text.encode(), original, source.format)
    text, suffix = rename_in_text(document, id, source.format), f".{source.format}"
    if text is None:
        text, suffix = render_document({**document.plain, "name": id}), ".json"
    own = _locate_writable_registry(registry)
    create_registry(id, registry)
    with redact_errors(own.parent):
        scaffold.add_scenario_text(str(own), id, text, suffix)


def rename_in_text(document: Document, name: str, format: DocumentFormat) -> str | None:
    """Return the author's text with another name, and everything else unchanged.

    None if that takes more than a change of one line.
    """
    plain, where = document.plain, document.locate(("name",))
    old = plain.get("name") if isinstance(plain, dict) else None
    pieces = _BREAK.split(document.text)
    at, column = 2 * (where.line - 1), max(where.column - 1, 0)
    if not isinstance(old, str) or not 0 <= at < len(pieces):
        return None
    line = pieces[at]
    pieces[at] = line[:column] + line[column:].replace(old, name, 1)
    text = "".join(pieces)
    try:
        again = parse_document_bytes(text.encode(), document.file, format).plain
    except DocumentError:
        return None
    return text if again == {**plain, "name": name} else None


def create_registry(id: str, named: str | Path | None = None) -> None:
    """Create the project's registry from the shipped one, if the project has none.

    `id` is the scenario that will be added next: if it is invalid or taken, nothing is
    created.

    Raises:
        ScenarioError: `NAME_UNUSABLE`, `SCENARIO_EXISTS`.
        StoreError: `FILE_UNWRITABLE`.
    """
    scaffold.check_scenario_id(id)
    own = scenario_lookup.locate_project_registry(named)
    if (
        does_path_exist(own)
        or is_link(own)
        or not is_shipped_registry(scenario_lookup.locate_registry(named))
    ):
        return
    registry = scenario_lookup.locate_shipped_registry()
    with redact_errors(registry.parent):
        scaffold.check_id_free(str(registry), id)
    try:
        _copy_registry(registry, own)
    except OSError as problem:
        raise authored_file_content.make_unwritable_error(
            own.name, str(problem.strerror)
        ) from problem


def _locate_writable_registry(named: str | Path | None) -> Path:
    own = scenario_lookup.locate_project_registry(named)
    if is_shipped_registry(own):
        raise authored_file_content.make_read_only_error("registry", own.name)
    return own


def _copy_registry(registry: Path, own: Path) -> None:
    """Copy a registry's folder; the index last, so it never names a missing file."""
    top = registry.parent
    files = sorted(each for each in top.rglob("*") if each.suffix in _COPIED_SUFFIXES)
    for file in [*(each for each in files if each != registry), registry]:
        copy = own.parent / file.relative_to(top)
        make_folder(copy.parent)
        # Files that already exist belong to the project and are not replaced.
        with suppress(FileExistsError):
            scaffold.create_file(
                own if file == registry else copy, read_small_file(file, LARGEST_TEXT)
            )


class RulebookSource(msgspec.Struct, frozen=True, kw_only=True):
    """A rulebook as its author wrote it."""

    name: str
    """Its name."""
    text: str
    """The text as its author wrote it."""
    format: DocumentFormat
    """The format of the text."""
    version: str
    """A hash of the text; send it as `seen` with a change."""
    shipped: bool
    """Whether it is included with Saniwa, and read-only."""


def read_book_source(name: str, registry: str | Path | None = None) -> RulebookSource:
    """Read the text of a shipped rulebook, or of one of the project's own.

    Raises:
        ProtocolError: `PLACE_NOT_FOUND`.
        ScriptError: `STORY_UNREADABLE` if it is not text, or too large.
    """
    if name in SHIPPED_BOOKS:
        content = render_document(load_shipped_book(name)).encode()
        return _make_book_source(name, content, "json", shipped=True)
    file = _find_book_file(name, registry)
    try:
        content = read_small_file(file, LARGEST_TEXT)
    except FileNotFoundError as problem:
        raise _make_no_book_error(name, registry) from problem
    except OSError as problem:
        raise describe("STORY_UNREADABLE", name=file.name, why=problem.strerror).to_error(
            ScriptError
        ) from problem
    return _make_book_source(name, content, FORMATS[file.suffix.lower()])


def create_book(
    name: str, text: str, format: DocumentFormat = "yaml", registry: str | Path | None = None
) -> None:
    """Create a rulebook of the project's own; the text is not checked.

    Raises:
        ScriptError: `NAME_UNUSABLE`, `FILE_EXISTS`, `STORY_UNREADABLE`; `READ_ONLY` if
            the project's registry is Saniwa's own.
        StoreError: `FILE_UNWRITABLE`, `LOCK_TIMEOUT`; nothing was created.
    """
    folder, content = locate_new_book(name, registry), encode_text(text, name)
    with lock_folder(folder):
        if name in SHIPPED_BOOKS or name in scenario_lookup.list_own_books(registry):
            raise authored_file_content.make_exists_error("rulebook", name)
        file = folder / scenario_lookup.BOOKS_FOLDER / f"{name}.{format}"
        try:
            make_folder(file.parent)
            scaffold.create_file(file, content)
        except FileExistsError as problem:
            raise authored_file_content.make_exists_error("rulebook", name) from problem
        except OSError as problem:
            raise authored_file_content.make_unwritable_error(
                name, str(problem.strerror)
            ) from problem


def locate_new_book(name: str, registry: str | Path | None = None) -> Path:
    """Return the folder that is locked while a new rulebook of this name is created.

    Raises:
        ScriptError: `NAME_UNUSABLE`; `READ_ONLY` if the project's registry is Saniwa's
            own.
    """
    if not scaffold.is_usable_id(name):
        raise describe("NAME_UNUSABLE/rulebook", name=name).to_error(ScriptError)
    return _locate_writable_registry(registry).parent


def write_book_source(
    name: str, text: str, seen: str, registry: str | Path | None = None
) -> RulebookSource:
    """Save the text of a rulebook; saving the text that it already has succeeds.

    Raises:
        ProtocolError: `PLACE_NOT_FOUND`.
        ScriptError: `READ_ONLY`, `STORY_UNREADABLE`.
        StoreError: `REVISION_CONFLICT`, `FILE_UNWRITABLE`, `LOCK_TIMEOUT`; nothing was
            written.
    """
    new = encode_text(text, name)
    with _open_own_book(name, registry) as before:
        if compute_version(new) != before.version:
            _check_seen(before, seen)
            _write_content(str(_find_book_file(name, registry)), new, name)
    return _make_book_source(name, new, before.format)


def remove_book(name: str, seen: str, registry: str | Path | None = None) -> None:
    """Remove a rulebook; runs that began with it keep its rules.

    Raises:
        SaniwaError: As `write_book_source` does.
    """
    with _open_own_book(name, registry) as before:
        _check_seen(before, seen)
        file = _find_book_file(name, registry)
        try:
            file.unlink()
            sync_folder(file.parent)
        except OSError as problem:
            raise authored_file_content.make_unwritable_error(
                name, str(problem.strerror)
            ) from problem


@contextmanager
def _open_own_book(name: str, registry: str | Path | None) -> Iterator[RulebookSource]:
    """Yield a rulebook of the project's own that no other process changes meanwhile."""
    if read_book_source(name, registry).shipped:
        raise authored_file_content.make_read_only_error("rulebook", name)
    with lock_folder(scenario_lookup.locate_books_folder(registry).parent):
        yield read_book_source(name, registry)


def _check_seen(before: RulebookSource, seen: str) -> None:
    if before.version != seen:
        raise authored_file_content.make_conflict_error(before.name, seen, before.version)


def _find_book_file(name: str, registry: str | Path | None) -> Path:
    file = scenario_lookup.list_own_books(registry).get(name)
    if file is None:
        raise _make_no_book_error(name, registry)
    return file


def _make_no_book_error(name: str, registry: str | Path | None) -> ProtocolError:
    known = (*SHIPPED_BOOKS, *scenario_lookup.list_own_books(registry))
    return describe("PLACE_NOT_FOUND", name=name, books=", ".join(known)).to_error(ProtocolError)


def _make_book_source(
    name: str, content: bytes, format: DocumentFormat, *, shipped: bool = False
) -> RulebookSource:
    return RulebookSource(
        name=name,
        text=decode_text(content, name),
        format=format,
        version=compute_version(content),
        shipped=shipped,
    )
