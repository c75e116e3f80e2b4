"""Finds tool calls of an agent that name files of the gate, or a person's key.

The agent's host asks before each tool call. A shell can hide a name in ways that no
parser can follow, so this protects against accidents and plain attempts. It does not
replace a sandbox.
"""

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, NamedTuple

from saniwa.app.gate.configuration import GATE_FOLDER, GatePlaces, split_folded
from saniwa.app.gate.gate_opening import open_people
from saniwa.core.errors import StoreError
from saniwa.core.safe_open import read_small_file
from saniwa.core.text import quote_value
from saniwa.process.tool_permissions import is_gate_tool, list_patch_paths

_READERS: Final = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead"})
"""Tools of common hosts that only read."""
_EDITORS: Final = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
"""Tools of common hosts that write one file; path and text are separate fields."""
_PATH_FIELDS: Final = ("file_path", "notebook_path", "path")
_COMMAND_FIELDS: Final = frozenset({"command", "cmd", "script", "code"})
_EVIDENCE_FOLDER: Final = "artifacts"
"""The folder inside the gate's own in which each run's evidence is written."""
_LONGEST_PATH: Final = 4_096
_LARGEST_KEY: Final = 10_000
"""The largest file that is searched for a person's key, in bytes."""
_KEY: Final = re.compile(rb"([^\s:]+):\S+[ \t\r]*(?:\n|\Z)")
_DEEPEST: Final = 20

_OWN: Final = (
    "{} belongs to the gate, and only the gate writes there; "
    "submit evidence with emit_event or: saniwa gate emit"
)
_HOOK_FILES: Final = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".github/hooks/saniwa.json",
)
"""Files in a project that may have the hooks of an agent's host."""
_HOOK_MARK: Final = b"gate hook pre-tool-use"
_LARGEST_HOOK_FILE: Final = 1_000_000
_HOOKS: Final = "{} contains the hooks of the gate; only a person may change it"
_KEY_OF_A_PERSON: Final = (
    "{} contains a person's credential for the gate; only that person may use it"
)
_SEGMENT: Final = re.compile(r"[;&|\n()`]+")
_OWN_COMMAND: Final = re.compile(
    r"\s*(?:[A-Za-z_]\w*=\S*\s+)*+(?:\S*/)?(?:saniwa|python[\d.]*\s+-m\s+saniwa)\s"
)
_OWN_PLACE: Final = re.compile(
    r"""(?:--(?:dir|gate)(?:=|\s+)|\bSANIWA_GATE=)(?:"[^"]*"|'[^']*'|[^\s<>]+)"""
)
_WORD_END: Final = re.compile(r"[\s;&|<>()`=,:{}]+")
_QUOTES: Final = re.compile(r"[\"']")
_GLOB: Final = re.compile(r"[*?\[]")


class ProtectedFile(NamedTuple):
    """A file that a tool call names and must not touch."""

    path: str
    """The path as the call names it."""
    reason: str
    """Why not, and what to do instead."""


def find_protected_file(
    places: GatePlaces, tool: str, tool_input: Any, folder: str = ""
) -> ProtectedFile | None:
    """Return the first protected file that a tool call names; None if it names none.

    The gate's own files may be read by tools that only read; a person's key may not.
    The gate's own tools are always allowed. Relative paths start at `folder`, the
    agent's current folder. The evidence folders below `artifacts` are open: agents put
    their evidence there.
    """
    if is_gate_tool(tool):
        return None
    protected = _ProtectedPlaces(places, folder)
    if tool in _READERS | _EDITORS and isinstance(tool_input, dict):
        values = (tool_input.get(field) for field in _PATH_FIELDS)
        paths: Iterator[str] = (path for path in values if isinstance(path, str))
    else:
        paths = _iterate_paths(tool_input, "", _DEEPEST)
    for path in paths:
        if not path or len(path) > _LONGEST_PATH:
            continue
        if tool not in _READERS and protected.contains(path):
            return ProtectedFile(path, _OWN.format(quote_value(path)))
        if tool not in _READERS and protected.has_hooks(path):
            return ProtectedFile(path, _HOOKS.format(quote_value(path)))
        if protected.is_key(path):
            return ProtectedFile(path, _KEY_OF_A_PERSON.format(quote_value(path)))
    return None


class _ProtectedPlaces:
    """The gate's own files and folders."""

    def __init__(self, places: GatePlaces, folder: str) -> None:
        self._places = places
        self._folder = folder or os.getcwd()  # noqa: PTH109 - joined with texts below
        own = (
            places.root,
            places.processes,
            places.runs,
            places.metadata,
            places.people,
            places.people.with_suffix(".lock"),
        )
        self._own = {parts for path in own for parts in _iterate_spellings(str(path))}
        self._open = set(_iterate_spellings(str(places.root / _EVIDENCE_FOLDER)))

    def contains(self, named: str) -> bool:
        """Whether a path is one of the gate's, or inside one of its folders."""
        spellings = tuple(_iterate_spellings(self._join(named)))
        if any(self._is_own(parts) for parts in spellings):
            return True
        # Another gate's folder, or this one's after a shell variable. A text with
        # spaces more likely talks about a gate than names a file of it.
        one_word = len(named.split()) == 1
        return one_word and any(map(_is_in_some_gate, spellings))

    def has_hooks(self, named: str) -> bool:
        """Whether a path is a file with hooks that ask a gate."""
        spellings = tuple(_iterate_spellings(self._join(named)))
        return any(
            _is_inside(parts, own)
            for path in _list_hook_files(self._places.project)
            for own in _iterate_spellings(str(path))
            for parts in spellings
        )

    def is_key(self, named: str) -> bool:
        """Whether a path leads to a file with the key of a person of this gate."""
        full = self._join(named)
        try:
            # Opening some devices has side effects, so check the file type first.
            if not Path(full).is_file():
                return False
            found = _KEY.match(read_small_file(full, _LARGEST_KEY))
        except (OSError, ValueError):
            return False
        return found is not None and found[1].decode(errors="replace") in self._read_names()

    def _join(self, named: str) -> str:
        return os.path.join(self._folder, os.path.expanduser(named))  # noqa: PTH111, PTH118 - no error for any name

    def _read_names(self) -> set[str]:
        try:
            return {person.name for person in open_people(self._places).list_people()}
        except StoreError:
            return set()

    def _is_own(self, parts: tuple[str, ...]) -> bool:
        if any(_is_inside(parts, each) and parts != each for each in self._open):
            return False
        return any(_is_inside(parts, each) for each in self._own)


def _list_hook_files(project: Path) -> Iterator[Path]:
    for name in _HOOK_FILES:
        path = project / name
        try:
            if path.is_file() and _HOOK_MARK in read_small_file(path, _LARGEST_HOOK_FILE):
                yield path
        except (OSError, ValueError):
            continue


def _is_in_some_gate(parts: tuple[str, ...]) -> bool:
    if GATE_FOLDER not in parts:
        return False
    inner = parts[parts.index(GATE_FOLDER) + 1 :]
    return not (len(inner) > 1 and inner[0] == _EVIDENCE_FOLDER)


def _iterate_paths(value: Any, field: str, depth: int) -> Iterator[str]:
    """Yield every text in a call that may be a path, and the words of its commands."""
    if isinstance(value, str):
        yield from _iterate_words(value) if field in _COMMAND_FIELDS else (value,)
        yield from list_patch_paths(value)
    elif depth and isinstance(value, dict):
        for name, inner in value.items():
            yield from _iterate_paths(inner, name, depth - 1)
    elif depth and isinstance(value, list):
        for inner in value:
            yield from _iterate_paths(inner, field, depth - 1)


def _iterate_words(command: str) -> Iterator[str]:
    """Yield the words of a shell command, without the gate's place for `saniwa`."""
    seen: set[str] = set()
    for segment in _SEGMENT.split(command.replace("\\\n", " ").replace("\\", "")):
        text = _OWN_PLACE.sub("", segment) if _OWN_COMMAND.match(segment) else segment
        # Quotes join words in a shell, but separate them in code that a shell passes
        # on.
        for spelled in (_QUOTES.sub("", text), _QUOTES.sub(" ", text)):
            seen.update(_WORD_END.split(spelled))
    yield from sorted(seen)


def _iterate_spellings(path: str) -> Iterator[tuple[str, ...]]:
    """Yield the parts of a path as written, and with symbolic links resolved."""
    yield split_folded(os.path.abspath(path))  # noqa: PTH100 - Path keeps `..`
    try:
        yield split_folded(str(Path(path).resolve()))
    except (OSError, ValueError, RuntimeError):
        # An invalid name, or a loop of links.
        return


def _is_inside(parts: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    here = parts[: len(folder)]
    return len(here) == len(folder) and all(map(_is_match, folder, here))


def _is_match(name: str, written: str) -> bool:
    """Whether a path part, which may be a shell pattern, matches a name."""
    if name == written or not _GLOB.search(written):
        return name == written
    # A shell's `*` does not match a name that starts with a dot.
    hidden = name.startswith(".") and not written.startswith((".", "["))
    return not hidden and fnmatchcase(name, written)
