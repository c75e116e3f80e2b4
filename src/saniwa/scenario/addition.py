"""A new scenario: a file to begin from, and its line in the registry.

Either both are there in the end or neither is. The registry is added to and never
rewritten, so its author's comments and order stay.
"""

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.core.alone import alone
from saniwa.core.document import read_bytes
from saniwa.core.errors import DocumentError, ScenarioError
from saniwa.core.lasting import begun, sync_folder
from saniwa.core.there import is_link, is_there
from saniwa.core.where import Where
from saniwa.scenario.code import Code
from saniwa.scenario.new_file import create, usable_id
from saniwa.scenario.registry import Registry
from saniwa.scenario.template import TEMPLATES

FIRST = b"# Every scenario of this project, by id.\nscenarios:\n"
"""What a registry begins with."""
_EMPTY = re.compile(
    # Every blank line is matched in one way only, or the time would double with each.
    rb"((?:#[^\n]*\n|[ \t\r]*\n)*)"
    rb"scenarios:[ ]*+(?:\[[ ]*+\])?+[ ]*+((?:#[^\n]*)?)\s*"
)


class Added(NamedTuple):
    """What a new scenario consists of."""

    scenario_id: str
    """Its id."""
    file: str
    """Its file."""
    registry: str
    """The registry that names it now."""


def add_scenario(registry: str, scenario_id: str, language: str = "en") -> Added:
    """Write a scenario to begin from beside the registry, and name it there.

    Raises:
        ScenarioError: As `add_text` does.
    """
    text = TEMPLATES[language].replace("<id>", scenario_id)
    return add_text(registry, scenario_id, text)


def add_text(
    registry: str, scenario_id: str, text: str, suffix: str = ".yaml"
) -> Added:
    """Write a scenario beside the registry, and name it there.

    Raises:
        ScenarioError: `NAME_UNUSABLE`, `SCENARIO_EXISTS`, or `REGISTRY_LOAD_ERROR` if
            the registry cannot be read, added to or written.
        StoreError: `LOCK_TIMEOUT`, `FILE_UNWRITABLE`.
    """
    check_id(scenario_id)
    with alone(Path(registry).parent):
        return _added(registry, scenario_id, text, suffix)


def check_id(scenario_id: str) -> None:
    """Go on if a new scenario may go by this.

    Raises:
        ScenarioError: `NAME_UNUSABLE`.
    """
    if not usable_id(scenario_id):
        raise ScenarioError(
            Code.NAME_UNUSABLE,
            f"{scenario_id!r} cannot be the id of a scenario",
            hint="use letters, digits, '_' and '-', and begin with a letter or digit",
        )


def check_free(registry: str, scenario_id: str) -> None:
    """Go on if a registry has no scenario of this id.

    Raises:
        ScenarioError: `SCENARIO_EXISTS`, `REGISTRY_LOAD_ERROR`.
    """
    known = Registry.open(registry)
    if any(entry.scenario_id == scenario_id for entry in known.entries):
        told = f"the registry has a scenario {scenario_id!r} already"
        raise _exists(told, registry)


def _added(registry: str, scenario_id: str, text: str, suffix: str) -> Added:
    before = _begun(registry)
    file = Path(registry).parent / f"{scenario_id}{suffix}"
    if before != FIRST:
        check_free(registry, scenario_id)
    if is_there(file) or is_link(file):
        raise _exists(f"the file {file.name!r} exists already", str(file))
    longer = _with_entry(registry, before, scenario_id, file.name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        create(file, text.encode())
        try:
            _register(Path(registry), longer)
        except OSError:
            file.unlink()
            raise
    except FileExistsError as problem:
        raise _exists(f"the file {file.name!r} exists already", str(file)) from problem
    except OSError as problem:
        raise _cannot_add(registry, str(problem.strerror)) from problem
    return Added(scenario_id, str(file), registry)


def _begun(registry: str) -> bytes:
    """The registry's text; the first lines of one where there is none yet."""
    path = Path(registry)
    if not is_there(path) and not is_link(path):
        return FIRST
    text = path.read_bytes() if path.is_file() else b""
    empty = _EMPTY.fullmatch(text)
    if empty is None:
        return text
    above, comment = empty.groups()
    return bytes(above) + b"scenarios:" + (b"  " + comment if comment else b"") + b"\n"


def _with_entry(registry: str, before: bytes, scenario_id: str, path: str) -> bytes:
    """The registry's text with one more entry, read again to be sure of it."""
    document = read_bytes(before, registry, "yaml")
    column = 3
    if document.plain["scenarios"]:
        column = max(document.where(("scenarios", 0)).column - 2, 1)
    indent = " " * (column - 1)
    lines = [
        "",
        f"{indent}- scenario_id: {scenario_id}",
        f"{indent}  path: {path}",
        f"{indent}  tags: []",
        f"{indent}  recommended_profile: dev",
        f'{indent}  description: ""',
        "",
    ]
    break_ = b"" if not before or before.endswith(b"\n") else b"\n"
    after = before + break_ + "\n".join(lines).encode()
    _check_addition(registry, document.plain, after, scenario_id)
    return after


def _check_addition(
    registry: str, before: dict[str, Any], after: bytes, scenario_id: str
) -> None:
    why = "its entries are not the last thing in the file, one to a line"
    try:
        plain = read_bytes(after, registry, "yaml").plain
    except DocumentError as problem:
        raise _cannot_add(registry, why) from problem
    *old, new = plain["scenarios"]
    if old != (before["scenarios"] or []) or new.get("scenario_id") != scenario_id:
        raise _cannot_add(registry, why)


def _register(registry: Path, text: bytes) -> None:
    if is_there(registry):
        _replace(registry, text)
    else:
        create(registry, text)


def _replace(file: Path, text: bytes) -> None:
    """Put the text in the place of a file's, whole or not at all."""
    real = file.resolve()
    with begun(real.parent) as new:
        new.write(text)
        os.fchmod(new.file.fileno(), real.stat().st_mode & 0o777)
        new.sync()
        new.replace(real.name)
    sync_folder(real.parent)


def _exists(message: str, file: str) -> ScenarioError:
    return ScenarioError(
        Code.SCENARIO_EXISTS,
        message,
        where=Where(file=file),
        hint="choose another id; nothing is ever written over",
    )


def _cannot_add(registry: str, why: str) -> ScenarioError:
    return ScenarioError(
        Code.REGISTRY_LOAD_ERROR,
        f"cannot add to the registry: {why}",
        where=Where(file=registry),
        hint="add the entry by hand",
    )
