"""A new scenario in the project's registry: one to begin from, or a copy of another.

A registry of one's own hides the one that comes with Saniwa. So the first scenario that is
made from afar brings the others along: nobody who adds a world should lose the rest.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from saniwa.core.document import Document, Format, read_bytes
from saniwa.core.errors import DocumentError, SaniwaError
from saniwa.core.lasting import make_folder
from saniwa.core.small_file import small_file
from saniwa.core.there import is_link, is_there
from saniwa.scenario.addition import add_scenario, add_text, check_free, check_id
from saniwa.scenario.new_file import create
from saniwa.wiring.scenario import project_registry, registry_place, shipped_registry
from saniwa.wiring.writing.scenario_source import is_shipped, plain_text, read_source
from saniwa.wiring.writing.shown import shown_error
from saniwa.wiring.writing.story_files import LARGEST
from saniwa.wiring.writing.trouble import shipped, unwritable

_BREAK: Final = re.compile(r"(\r\n|\n|\r)")
_KEPT: Final = frozenset({".yaml", ".json", ".txt"})


def new_scenarios_in(id: str, registry: str | Path | None = None) -> Path:
    """The folder in which a new scenario of this id would lie.

    Raises:
        ScenarioError: `NAME_UNUSABLE`.
        ScriptError: `READ_ONLY` where the project's registry is Saniwa's own.
    """
    check_id(id)
    return _writable(registry).parent


def new_scenario(
    id: str, language: str = "en", registry: str | Path | None = None
) -> None:
    """Make a scenario to begin from, as `saniwa scenario new` does.

    Raises:
        ScenarioError: As `add_scenario` does.
        ScriptError: `READ_ONLY` where the project's registry is Saniwa's own.
        StoreError: `FILE_UNWRITABLE`.
    """
    own = _writable(registry)
    begin_registry(id, registry)
    try:
        add_scenario(str(own), id, language)
    except SaniwaError as problem:
        raise shown_error(problem, own.parent) from problem


def copy_scenario(id: str, original: str, registry: str | Path | None = None) -> None:
    """Make a scenario that is a copy of another, under a name of its own.

    Raises:
        ScenarioError: `REGISTRY_MISSING`; as `add_scenario` does.
        DocumentError: The original is no JSON or YAML.
        ScriptError: `READ_ONLY` where the project's registry is Saniwa's own.
        StoreError: `FILE_UNWRITABLE`.
    """
    source = read_source(original, registry)
    document = read_bytes(source.text.encode(), original, source.format)
    text, suffix = renamed(document, id, source.format), f".{source.format}"
    if text is None:
        text, suffix = plain_text({**document.plain, "name": id}), ".json"
    own = _writable(registry)
    begin_registry(id, registry)
    try:
        add_text(str(own), id, text, suffix)
    except SaniwaError as problem:
        raise shown_error(problem, own.parent) from problem


def renamed(document: Document, name: str, format: Format) -> str | None:
    """The author's text with another name, and everything else as it was.

    None where that takes more than a change of one line.
    """
    plain, where = document.plain, document.where(("name",))
    old = plain.get("name") if isinstance(plain, dict) else None
    pieces = _BREAK.split(document.text)
    at, column = 2 * (where.line - 1), max(where.column - 1, 0)
    if not isinstance(old, str) or not 0 <= at < len(pieces):
        return None
    line = pieces[at]
    pieces[at] = line[:column] + line[column:].replace(old, name, 1)
    text = "".join(pieces)
    try:
        again = read_bytes(text.encode(), document.file, format).plain
    except DocumentError:
        return None
    return text if again == {**plain, "name": name} else None


def begin_registry(id: str, named: str | Path | None = None) -> None:
    """Where the project has no registry yet, begin one with all that comes with Saniwa.

    `id` is the scenario that will be added: one that cannot be leaves nothing behind.

    Raises:
        ScenarioError: `NAME_UNUSABLE`, `SCENARIO_EXISTS`.
        StoreError: `FILE_UNWRITABLE`.
    """
    check_id(id)
    own = project_registry(named)
    if is_there(own) or is_link(own) or not is_shipped(registry_place(named)):
        return
    registry = shipped_registry()
    try:
        check_free(str(registry), id)
    except SaniwaError as problem:
        raise shown_error(problem, registry.parent) from problem
    try:
        _bring_along(registry, own)
    except OSError as problem:
        raise unwritable(own.name, str(problem.strerror)) from problem


def _writable(named: str | Path | None) -> Path:
    own = project_registry(named)
    if is_shipped(own):
        raise shipped("registry", own.name)
    return own


def _bring_along(registry: Path, own: Path) -> None:
    """Copy a registry's folder; the registry itself last, so that it never names nothing."""
    top = registry.parent
    files = sorted(each for each in top.rglob("*") if each.suffix in _KEPT)
    for file in [*(each for each in files if each != registry), registry]:
        copy = own.parent / file.relative_to(top)
        make_folder(copy.parent)
        # What lies there already is the project's own.
        with suppress(FileExistsError):
            create(own if file == registry else copy, small_file(file, LARGEST))
