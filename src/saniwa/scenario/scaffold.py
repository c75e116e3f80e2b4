"""Creates a new scenario: a file to start from, and its entry in the registry.

Either both are created or neither. The registry is only appended to, so its author's
comments and order stay.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.core.atomic_files import open_pending_file, replace_file, sync_folder
from saniwa.core.errors import DocumentError, ScenarioError
from saniwa.core.file_locks import lock_folder
from saniwa.core.findings import SourceLocation
from saniwa.core.path_checks import does_path_exist, is_link
from saniwa.documents.document import parse_document_bytes
from saniwa.scenario.registry import Registry

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}").fullmatch


def is_usable_id(name: str) -> bool:
    """Whether the name can be a new scenario's id and file name."""
    return _ID(name) is not None


def create_file(file: Path, text: bytes) -> None:
    """Write a new file completely or not at all.

    Raises:
        FileExistsError: The file exists.
        OSError: It cannot be written.
    """
    with open_pending_file(file.parent) as new:
        new.write(text)
        new.sync()
        # A link fails where a rename would silently replace an existing file.
        new.link(file.name)
    sync_folder(file.parent)


_ENGLISH = """\
# Check it:   saniwa scenario check <id>
# Play it:    saniwa play <id>
# Every key:  docs/reference/scenario-format.md
name: <id>
description: A room, a drawer and a locked door.
language: en
time_of_day: morning          # morning, afternoon, evening, night
gm_opening_message: You wake up in a study that is not yours.

# Places. An exit is a direction and a place, or {to: place, door: door}.
locations:
  study:
    name: Study
    description: Books, dust and a desk.
    exits:
      north: {to: terrace, door: glass_door}
  terrace:
    name: Terrace
    description: Fresh air at last.
    is_goal: true             # being here ends the story well
    exits:
      south: {to: study, door: glass_door}

# Things. kind: item (the default), container, supporter, door, fixture.
props:
  glass_door:
    name: glass door
    kind: door
    connects: [study, terrace]
    locked: true
    required_key: small_key
    hint: There must be a key in the desk.
  desk:
    name: desk
    kind: container           # closed, unless you add open: true
    location: study
  small_key:
    name: small key
    location: desk
    aliases: [key]

# People. The first one is the player's.
characters:
  player:
    name: visitor
    location: study
"""

_JAPANESE = """\
# 検査:     saniwa scenario check <id>
# 遊ぶ:     saniwa play <id>
# 全項目:   docs/reference/scenario-format.md
name: <id>
description: 部屋と、引き出しと、鍵のかかった扉。
language: ja
time_of_day: morning          # morning, afternoon, evening, night
gm_opening_message: 見知らぬ書斎で目が覚めた。

# 場所。出口は「方角: 場所」、または「方角: {to: 場所, door: 扉}」。
locations:
  書斎:
    description: 本と埃と机。
    exits:
      北: {to: テラス, door: 硝子の扉}
  テラス:
    description: やっと外の空気だ。
    is_goal: true             # ここに着けば終わり
    exits:
      南: {to: 書斎, door: 硝子の扉}

# 物。kind は item（省略時）, container, supporter, door, fixture。
props:
  硝子の扉:
    kind: door
    connects: [書斎, テラス]
    locked: true
    required_key: 小さな鍵
    hint: 机のどこかに鍵があるはずだ。
  机:
    kind: container           # open: true と書かなければ閉じている
    location: 書斎
  小さな鍵:
    location: 机
    aliases: [鍵]

# 人物。最初の一人を遊ぶ人が演じる。
characters:
  旅人:
    location: 書斎
"""

TEMPLATES = {"en": _ENGLISH, "ja": _JAPANESE}
"""The text by language; `<id>` is replaced by the id."""


EMPTY_REGISTRY = b"# Every scenario of this project, by id.\nscenarios:\n"
"""The text of a new registry."""
_EMPTY_REGISTRY_PATTERN = re.compile(
    # Every empty line is matched in one way only, or the time would double with each.
    rb"((?:#[^\n]*\n|[ \t\r]*\n)*)"
    rb"scenarios:[ ]*+(?:\[[ ]*+\])?+[ ]*+((?:#[^\n]*)?)\s*"
)


class AddedScenario(NamedTuple):
    """A new scenario and where it was added."""

    scenario_id: str
    """Its id."""
    file: str
    """Its file."""
    registry: str
    """The registry that names it now."""


def add_scenario(registry: str, scenario_id: str, language: str = "en") -> AddedScenario:
    """Write a template scenario next to the registry, and register it.

    Raises:
        ScenarioError: As `add_scenario_text` does.
    """
    text = TEMPLATES[language].replace("<id>", scenario_id)
    return add_scenario_text(registry, scenario_id, text)


def add_scenario_text(
    registry: str, scenario_id: str, text: str, suffix: str = ".yaml"
) -> AddedScenario:
    """Write a scenario next to the registry, and register it.

    Raises:
        ScenarioError: `NAME_UNUSABLE`, `SCENARIO_EXISTS`, or `REGISTRY_LOAD_ERROR` if
            the registry cannot be read, added to or written.
        StoreError: `LOCK_TIMEOUT`, `FILE_UNWRITABLE`.
    """
    check_scenario_id(scenario_id)
    with lock_folder(Path(registry).parent):
        return _add_files(registry, scenario_id, text, suffix)


def check_scenario_id(scenario_id: str) -> None:
    """Check that a new scenario may have this id.

    Raises:
        ScenarioError: `NAME_UNUSABLE`.
    """
    if not is_usable_id(scenario_id):
        raise ScenarioError(
            "NAME_UNUSABLE",
            f"{scenario_id!r} cannot be the id of a scenario",
            hint="use letters, digits, '_' and '-', starting with a letter or digit",
        )


def check_id_free(registry: str, scenario_id: str) -> None:
    """Check that a registry has no scenario of this id.

    Raises:
        ScenarioError: `SCENARIO_EXISTS`, `REGISTRY_LOAD_ERROR`.
    """
    known = Registry.open(registry)
    if any(entry.scenario_id == scenario_id for entry in known.entries):
        message = f"the registry already has a scenario {scenario_id!r}"
        raise _make_exists_error(message, registry)


def _add_files(registry: str, scenario_id: str, text: str, suffix: str) -> AddedScenario:
    before = _read_or_start_registry(registry)
    file = Path(registry).parent / f"{scenario_id}{suffix}"
    if before != EMPTY_REGISTRY:
        check_id_free(registry, scenario_id)
    if does_path_exist(file) or is_link(file):
        raise _make_exists_error(f"the file {file.name!r} already exists", str(file))
    longer = _append_entry(registry, before, scenario_id, file.name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        create_file(file, text.encode())
        try:
            _write_registry(Path(registry), longer)
        except OSError:
            file.unlink()
            raise
    except FileExistsError as problem:
        raise _make_exists_error(f"the file {file.name!r} already exists", str(file)) from problem
    except OSError as problem:
        raise _make_registry_error(registry, str(problem.strerror)) from problem
    return AddedScenario(scenario_id, str(file), registry)


def _read_or_start_registry(registry: str) -> bytes:
    """Return the registry's text, or that of a new one if there is none."""
    path = Path(registry)
    if not does_path_exist(path) and not is_link(path):
        return EMPTY_REGISTRY
    text = path.read_bytes() if path.is_file() else b""
    empty = _EMPTY_REGISTRY_PATTERN.fullmatch(text)
    if empty is None:
        return text
    above, comment = empty.groups()
    return bytes(above) + b"scenarios:" + (b"  " + comment if comment else b"") + b"\n"


def _append_entry(registry: str, before: bytes, scenario_id: str, path: str) -> bytes:
    """Append an entry to the registry's text, and parse the result to verify it."""
    document = parse_document_bytes(before, registry, "yaml")
    column = 3
    if document.plain["scenarios"]:
        column = max(document.locate(("scenarios", 0)).column - 2, 1)
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


def _check_addition(registry: str, before: dict[str, Any], after: bytes, scenario_id: str) -> None:
    why = "its entries are not the last thing in the file, one to a line"
    try:
        plain = parse_document_bytes(after, registry, "yaml").plain
    except DocumentError as problem:
        raise _make_registry_error(registry, why) from problem
    *old, new = plain["scenarios"]
    if old != (before["scenarios"] or []) or new.get("scenario_id") != scenario_id:
        raise _make_registry_error(registry, why)


def _write_registry(registry: Path, text: bytes) -> None:
    if does_path_exist(registry):
        replace_file(registry, text)
    else:
        create_file(registry, text)


def _make_exists_error(message: str, file: str) -> ScenarioError:
    return ScenarioError(
        "SCENARIO_EXISTS",
        message,
        where=SourceLocation(file=file),
        hint="choose another id; existing files are never overwritten",
    )


def _make_registry_error(registry: str, why: str) -> ScenarioError:
    return ScenarioError(
        "REGISTRY_LOAD_ERROR",
        f"cannot add to the registry: {why}",
        where=SourceLocation(file=registry),
        hint="add the entry by hand",
    )
