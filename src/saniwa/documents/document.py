"""Authored files, read with the place of every value.

Any bytes give a `Document` or a `DocumentError` with file, line and column, and nothing
in a file is ever executed. What the values mean is decided by the callers.
"""

import os
import re
import stat
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from saniwa.core import system_calls
from saniwa.core.errors import DocumentError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.suggestions import suggest_file
from saniwa.core.text import is_encodable, quote_value, truncate
from saniwa.documents.document_tree import (
    DEEPEST,
    LONGEST_STEP,
    MOST_NODES,
    DocumentTree,
    Offsets,
    TextError,
)
from saniwa.documents.json import parse_json

LARGEST_FILE = 64 * 1024 * 1024
"""The most bytes of a file."""

DocumentFormat = Literal["json", "yaml"]
FORMATS: dict[str, DocumentFormat] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}
"""The formats by file extension."""

PathStep = str | int
"""A key of a mapping, or an index of a list."""

_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_BARE_KEY = re.compile(r"[^\s.\[\]\"'](?:[^.\[\]\"'\x00-\x1f\x7f]*[^\s.\[\]\"'])?").fullmatch


@dataclass(frozen=True, kw_only=True)
class Document:
    """The values of a file, and the place of each."""

    plain: Any
    """The values: dict, list, str, int, float, bool, None. Never edited."""
    file: str = ""
    """The file as the user named it."""
    text: str = ""
    """The text it was read from, without a byte order mark."""
    findings: tuple[Finding, ...] = ()
    """Mistakes that do not prevent reading: `DUPLICATE_KEY`."""
    spot: Offsets = None
    """The offsets of the values; None for a document that was never a text."""

    def locate(self, path: Sequence[PathStep] = ()) -> SourceLocation:
        """Return the place of the value at `path`.

        If there is no such value, the place of the nearest value around it.
        """
        return self._locate_step(path, key=False)

    def locate_key(self, path: Sequence[PathStep]) -> SourceLocation:
        """Return the place of the key that ends `path`; for a list item, of the item."""
        return self._locate_step(path, key=True)

    def get_line(self, number: int) -> str:
        """Return a line of the text, to be shown with a finding; from 1."""
        starts = self._line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    def find_position(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character, both from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def _locate_step(self, path: Sequence[PathStep], *, key: bool) -> SourceLocation:
        shown = render_path(path)
        if self.spot is None:
            return SourceLocation(file=self.file, path=shown)
        offset, spot = _get_offset(self.spot), self.spot
        for step in path:
            found = _find_inner(spot, step)
            if found is None:
                break
            key_offset, spot = found
            offset = key_offset if key else _get_offset(spot)
        line, column = self.find_position(offset)
        return SourceLocation(file=self.file, line=line, column=column, path=shown)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_BREAK.finditer(self.text))]


def _get_offset(spot: Offsets) -> int:
    offset: int = spot[0] if isinstance(spot, tuple) else spot
    return offset


def _find_inner(spot: Offsets, step: PathStep) -> tuple[int, Offsets] | None:
    if not isinstance(spot, tuple):
        return None
    inner = spot[1]
    if isinstance(inner, dict):
        found: tuple[int, Offsets] | None = inner.get(step)
        return found
    if isinstance(step, int) and 0 <= step < len(inner):
        return _get_offset(inner[step]), inner[step]
    return None


def render_path(path: Sequence[PathStep]) -> str:
    """Render a path as people write it: `locations.キッチン.exits[1]`."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            key = truncate(step, LONGEST_STEP)
            name = key if _BARE_KEY(key) else repr(key)
            shown += f".{name}" if shown else name
    return shown


def load_document(path: str | os.PathLike[str]) -> Document:
    """Load the document in a file; the extension gives the format.

    Raises:
        DocumentError: `DOCUMENT_UNREADABLE` or `DOCUMENT_SYNTAX`, with the place.
    """
    file = os.fspath(path)
    suffix = Path(file).suffix.lower()
    if suffix not in FORMATS:
        raise _make_unreadable_error(
            file, f"{file!r} is neither JSON nor YAML", "use the extension .json, .yaml or .yml"
        )
    return parse_document_bytes(_read_bytes(file), file, FORMATS[suffix])


def parse_document_bytes(content: bytes, file: str, format: DocumentFormat) -> Document:
    """Parse bytes, which must be UTF-8, with or without a byte order mark.

    Raises:
        DocumentError: `DOCUMENT_UNREADABLE` or `DOCUMENT_SYNTAX`, with the place.
    """
    if len(content) > LARGEST_FILE:
        raise _make_unreadable_error(file, f"{file!r} is larger than {LARGEST_FILE} bytes")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        before = Document(plain=None, text=content[: problem.start].decode("utf-8"))
        line, column = before.find_position(len(before.text))
        raise DocumentError(
            "DOCUMENT_UNREADABLE",
            f"byte 0x{content[problem.start]:02x} is not UTF-8",
            where=SourceLocation(file=file, line=line, column=column),
            hint="save the file as UTF-8",
        ) from problem
    return parse_document(text, file, format)


def parse_document(text: str, file: str = "", format: DocumentFormat = "yaml") -> Document:
    """Parse a text.

    Raises:
        DocumentError: `DOCUMENT_SYNTAX`, with the place of the first mistake.
    """
    text = text.removeprefix("\ufeff")
    bare = Document(plain=None, file=file, text=text)
    try:
        _check_surrogates(text)
        tree = parse_json(text) if format == "json" else _parse_yaml(text)
    except TextError as problem:
        line, column = bare.find_position(min(problem.offset, len(text)))
        raise DocumentError(
            "DOCUMENT_SYNTAX",
            problem.message,
            where=SourceLocation(file=file, line=line, column=column),
            hint=problem.hint,
        ) from problem
    return Document(
        plain=tree.plain,
        file=file,
        text=text,
        spot=tree.spot,
        findings=_find_duplicate_keys(tree, bare),
    )


def _parse_yaml(text: str) -> DocumentTree:
    # The library takes longer to load than most files take to read.
    from saniwa.documents.yaml import parse_yaml

    return parse_yaml(text)


def make_document(value: Any, file: str = "") -> Document:
    """Make a document from values: its places have a path and no line.

    Raises:
        DocumentError: `DOCUMENT_SYNTAX`, for values that JSON cannot represent.
    """
    waiting: list[tuple[Any, tuple[PathStep, ...]]] = [(value, ())]
    count = 0
    while waiting:
        here, path = waiting.pop()
        count += 1
        inner = _list_parts(here, path, file)
        if len(path) > DEEPEST or count > MOST_NODES:
            limit = f"{DEEPEST} levels" if len(path) > DEEPEST else f"{MOST_NODES}"
            raise _make_syntax_error(f"the document has more than {limit}", path[:9], file)
        waiting.extend((part, (*path, step)) for step, part in inner)
    return Document(plain=value, file=file)


def _list_parts(value: Any, path: tuple[PathStep, ...], file: str) -> list[tuple[PathStep, Any]]:
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) or not is_encodable(key):
                raise _make_syntax_error(f"the key {quote_value(key)} is not text", path, file)
        return list(value.items())
    if isinstance(value, list):
        return list(enumerate(value))
    if isinstance(value, str) and not is_encodable(value):
        raise _make_syntax_error("the text contains half of a surrogate pair", path, file)
    if isinstance(value, float) and not -float("inf") < value < float("inf"):
        raise _make_syntax_error(f"{value!r} is not a number", path, file)
    if value is not None and not isinstance(value, str | int | float | bool):
        raise _make_syntax_error(f"a {type(value).__name__} is not JSON", path, file)
    return []


def _check_surrogates(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise TextError(problem.start, "the text contains half of a surrogate pair") from problem


def _find_duplicate_keys(tree: DocumentTree, bare: Document) -> tuple[Finding, ...]:
    found = []
    for repeat in tree.repeats:
        line, column = bare.find_position(repeat.offset)
        first, _ = bare.find_position(repeat.first)
        place = SourceLocation(
            file=bare.file, line=line, column=column, path=render_path(repeat.path)
        )
        found.append(
            Finding(
                code="DUPLICATE_KEY",
                message=f"the key {quote_value(repeat.path[-1])} is repeated here",
                where=place,
                hint=f"it is also on line {first}; remove one of them",
                details={"key": repeat.path[-1], "first_line": first},
            )
        )
    return tuple(found)


def _read_bytes(file: str) -> bytes:
    try:
        # Non-blocking, so that a pipe at this path cannot block the process.
        handle = system_calls.open_file(file, os.O_RDONLY | system_calls.NO_WAITING)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise _make_unreadable_error(file, f"{file!r} is not a regular file")
            with os.fdopen(handle, "rb", closefd=False) as stream:
                return stream.read(LARGEST_FILE + 1)
        finally:
            os.close(handle)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise _make_unreadable_error(
            file, f"cannot read {file!r}: {why}", _suggest_cure(file, problem)
        ) from problem


def _suggest_cure(file: str, problem: Exception) -> str:
    if isinstance(problem, FileNotFoundError):
        return suggest_file(file) or "check the path; the file does not exist"
    return "check its permissions" if isinstance(problem, PermissionError) else ""


def _make_unreadable_error(file: str, message: str, hint: str = "") -> DocumentError:
    return DocumentError("DOCUMENT_UNREADABLE", message, where=SourceLocation(file=file), hint=hint)


def _make_syntax_error(message: str, path: Sequence[PathStep], file: str) -> DocumentError:
    where = SourceLocation(file=file, path=render_path(path))
    return DocumentError("DOCUMENT_SYNTAX", message, where=where)
