"""Authored files, read with the place of every value.

Any bytes become a `Document` or a `DocumentError` with file, line and column; nothing
else comes out, and nothing in a file is ever run. What the values mean is the business
of the rooms above.
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

from saniwa.core.errors import DocumentError
from saniwa.core.finding import Finding
from saniwa.core.json_text import read_json
from saniwa.core.quoted import cut, quoted
from saniwa.core.tree import DEEPEST, MOST_NODES, Spot, TextError, Tree
from saniwa.core.where import Where

LARGEST = 64 * 1024 * 1024
"""Bytes a file may have."""

Format = Literal["json", "yaml"]
FORMATS: dict[str, Format] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}
"""The formats by the end of a file's name."""

LONGEST_STEP = 200
"""Letters of one key that a path shows."""

Step = str | int
"""A key of a mapping, or an index of a list."""

_BREAK = re.compile(r"\r\n|\n|\r")
_BARE = re.compile(
    r"[^\s.\[\]\"'](?:[^.\[\]\"'\x00-\x1f\x7f]*[^\s.\[\]\"'])?"
).fullmatch


@dataclass(frozen=True, kw_only=True)
class Document:
    """A file's values, and where each of them stands."""

    plain: Any
    """The values: dict, list, str, int, float, bool, None. Never edited."""
    file: str = ""
    """The file as the user named it."""
    text: str = ""
    """The text it was read from, without a byte order mark."""
    findings: tuple[Finding, ...] = ()
    """What is wrong though it can be read: `DUPLICATE_KEY`."""
    spot: Spot = None
    """Where the values begin; None for a document that was never a text."""

    def where(self, path: Sequence[Step] = ()) -> Where:
        """The place of the value at `path`.

        For what is not there, the place of the nearest value around it.
        """
        return self._place(path, key=False)

    def where_key(self, path: Sequence[Step]) -> Where:
        """The place of the key that ends `path`; for a list item, of the item."""
        return self._place(path, key=True)

    def line(self, number: int) -> str:
        """A line of the text, to be shown beside a finding; from 1."""
        starts = self._starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    def place_at(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def _place(self, path: Sequence[Step], *, key: bool) -> Where:
        shown = render_path(path)
        if self.spot is None:
            return Where(file=self.file, path=shown)
        offset, spot = _offset(self.spot), self.spot
        for step in path:
            found = _inner(spot, step)
            if found is None:
                break
            key_offset, spot = found
            offset = key_offset if key else _offset(spot)
        line, column = self.place_at(offset)
        return Where(file=self.file, line=line, column=column, path=shown)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _BREAK.finditer(self.text))]


def _offset(spot: Spot) -> int:
    offset: int = spot[0] if isinstance(spot, tuple) else spot
    return offset


def _inner(spot: Spot, step: Step) -> tuple[int, Spot] | None:
    if not isinstance(spot, tuple):
        return None
    inner = spot[1]
    if isinstance(inner, dict):
        found: tuple[int, Spot] | None = inner.get(step)
        return found
    if isinstance(step, int) and 0 <= step < len(inner):
        return _offset(inner[step]), inner[step]
    return None


def render_path(path: Sequence[Step]) -> str:
    """The way through a document as people write it: `locations.キッチン.exits[1]`."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            key = cut(step, LONGEST_STEP)
            name = key if _BARE(key) else repr(key)
            shown += f".{name}" if shown else name
    return shown


def read_file(path: str | os.PathLike[str]) -> Document:
    """The document in a file; its format is told by the end of its name.

    Raises:
        DocumentError: `DOCUMENT_UNREADABLE` or `DOCUMENT_SYNTAX`, with the place.
    """
    file = os.fspath(path)
    suffix = Path(file).suffix.lower()
    if suffix not in FORMATS:
        raise _unreadable(
            file, f"{file!r} is neither JSON nor YAML", "name it .json, .yaml or .yml"
        )
    return read_bytes(_bytes_of(file), file, FORMATS[suffix])


def read_bytes(content: bytes, file: str, format: Format) -> Document:
    """The document in some bytes, which must be UTF-8; a byte order mark may lead them.

    Raises:
        DocumentError: `DOCUMENT_UNREADABLE` or `DOCUMENT_SYNTAX`, with the place.
    """
    if len(content) > LARGEST:
        raise _unreadable(file, f"{file!r} is larger than {LARGEST} bytes")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        before = Document(plain=None, text=content[: problem.start].decode("utf-8"))
        line, column = before.place_at(len(before.text))
        raise DocumentError(
            "DOCUMENT_UNREADABLE",
            f"byte 0x{content[problem.start]:02x} is not UTF-8",
            where=Where(file=file, line=line, column=column),
            hint="save the file as UTF-8",
        ) from problem
    return read_text(text, file, format)


def read_text(text: str, file: str = "", format: Format = "yaml") -> Document:
    """The document in a text.

    Raises:
        DocumentError: `DOCUMENT_SYNTAX`, with the place of the first mistake.
    """
    text = text.removeprefix("\ufeff")
    bare = Document(plain=None, file=file, text=text)
    try:
        _check_whole(text)
        tree = read_json(text) if format == "json" else _read_yaml(text)
    except TextError as problem:
        line, column = bare.place_at(min(problem.offset, len(text)))
        raise DocumentError(
            "DOCUMENT_SYNTAX",
            problem.message,
            where=Where(file=file, line=line, column=column),
            hint=problem.hint,
        ) from problem
    return Document(
        plain=tree.plain,
        file=file,
        text=text,
        spot=tree.spot,
        findings=_repeated(tree, bare),
    )


def _read_yaml(text: str) -> Tree:
    # The library takes longer to load than most files take to read.
    from saniwa.core.yaml_text import read_yaml

    return read_yaml(text)


def of_plain(value: Any, file: str = "") -> Document:
    """A document that never was a text: its places have a path and no line.

    Raises:
        DocumentError: `DOCUMENT_SYNTAX`, for what no JSON text could have said.
    """
    waiting: list[tuple[Any, tuple[Step, ...]]] = [(value, ())]
    count = 0
    while waiting:
        here, path = waiting.pop()
        count += 1
        inner = _parts(here, path, file)
        if len(path) > DEEPEST or count > MOST_NODES:
            limit = f"{DEEPEST} levels" if len(path) > DEEPEST else f"{MOST_NODES}"
            raise _no_json(f"the document holds more than {limit}", path[:9], file)
        waiting.extend((part, (*path, step)) for step, part in inner)
    return Document(plain=value, file=file)


def _parts(value: Any, path: tuple[Step, ...], file: str) -> list[tuple[Step, Any]]:
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) or not _encodes(key):
                raise _no_json(f"the key {quoted(key)} is not text", path, file)
        return list(value.items())
    if isinstance(value, list):
        return list(enumerate(value))
    if isinstance(value, str) and not _encodes(value):
        raise _no_json("the text has one half of a surrogate pair", path, file)
    if isinstance(value, float) and not -float("inf") < value < float("inf"):
        raise _no_json(f"{value!r} is no number", path, file)
    if value is not None and not isinstance(value, str | int | float | bool):
        raise _no_json(f"a {type(value).__name__} is not JSON", path, file)
    return []


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _check_whole(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise TextError(
            problem.start, "the text has one half of a surrogate pair"
        ) from problem


def _repeated(tree: Tree, bare: Document) -> tuple[Finding, ...]:
    found = []
    for repeat in tree.repeats:
        line, column = bare.place_at(repeat.offset)
        first, _ = bare.place_at(repeat.first)
        place = Where(
            file=bare.file, line=line, column=column, path=render_path(repeat.path)
        )
        found.append(
            Finding(
                code="DUPLICATE_KEY",
                message=f"the key {quoted(repeat.path[-1])} stands here a second time",
                where=place,
                hint=f"line {first} has it first; keep one of the two",
                details={"key": repeat.path[-1], "first_line": first},
            )
        )
    return tuple(found)


def _bytes_of(file: str) -> bytes:
    try:
        # Not blocking, so that a pipe somebody left there cannot hold us up.
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise _unreadable(file, f"{file!r} is not a regular file")
            with os.fdopen(handle, "rb", closefd=False) as stream:
                return stream.read(LARGEST + 1)
        finally:
            os.close(handle)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise _unreadable(file, f"cannot read {file!r}: {why}") from problem


def _unreadable(file: str, message: str, hint: str = "") -> DocumentError:
    return DocumentError(
        "DOCUMENT_UNREADABLE", message, where=Where(file=file), hint=hint
    )


def _no_json(message: str, path: Sequence[Step], file: str) -> DocumentError:
    where = Where(file=file, path=render_path(path))
    return DocumentError("DOCUMENT_SYNTAX", message, where=where)
