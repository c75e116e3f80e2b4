"""Front matter: what a story says about itself between two lines of `---`."""

from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple

from saniwa.core.document import Document, read_text
from saniwa.core.errors import DocumentError
from saniwa.core.finding import Finding
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.language.value import LARGEST, LONGEST
from saniwa.script.node import Declared, Front, Ground
from saniwa.script.notes import Notes
from saniwa.script.reading.plainly import plainly

RULE = "---"
"""The line before and the line after front matter."""


def read_front(lines: list[str], notes: Notes) -> Front:
    """What stands before the story; an empty one where nothing does."""
    if not lines or lines[0].rstrip() != RULE:
        return Front()
    last = next((n for n, line in enumerate(lines[1:], 2) if line.rstrip() == RULE), 0)
    if not last:
        hint = "end it with a line of ---, or begin the file without one"
        notes.error(
            "FRONT_MATTER_MALFORMED", "the front matter does not end", 1, 1, hint
        )
        return Front(unread=True)
    # YAML takes a full-width blank at the end of a line for part of a value.
    text = "\n".join(line.rstrip() for line in lines[1 : last - 1])
    document = _document(text, notes)
    if document is None:
        return Front(last=last, unread=True)
    return _front(document, last, notes)


def in_file(text: str) -> str:
    """The YAML of front matter, moved down to the lines where it stands in its file."""
    return "\n" + text


def _document(text: str, notes: Notes) -> Document | None:
    try:
        document = read_text(in_file(text), notes.file)
    except DocumentError as problem:
        where = problem.where or Where(file=notes.file, line=1, column=1)
        _unreadable(notes, where, problem, in_file(text).split("\n"))
        return None
    for finding in document.findings:
        notes.take(finding)
    if document.plain is None or isinstance(document.plain, dict):
        return document
    message = f"the front matter is {_kind(document.plain)}, not a mapping"
    _malformed(notes, document.where(), message, "write one `key: value` a line")
    return None


def _unreadable(
    notes: Notes, where: Where, problem: DocumentError, lines: list[str]
) -> None:
    line = lines[where.line - 1] if 0 < where.line <= len(lines) else ""
    muddle = plainly(problem.message, line, where.column)
    message = f"the front matter cannot be read: {muddle.message}"
    place = Where(file=notes.file, line=where.line, column=muddle.column)
    _malformed(notes, place, message, muddle.hint or problem.hint)


class _Key(NamedTuple):
    """What may stand under one key."""

    wanted: str
    """What people call it."""
    fits: Callable[[Any], bool]
    """Whether a value is one."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


_TEXT = _Key("text", _is_text)
KEYS: dict[str, _Key] = {
    "id": _TEXT,
    "title": _TEXT,
    "language": _TEXT,
    "background": _TEXT,
    "bgm": _TEXT,
    "vars": _Key(
        "a mapping of names and first values", lambda value: isinstance(value, dict)
    ),
    "cast": _Key(
        "a list of names", lambda value: isinstance(value, dict) or _is_names(value)
    ),
    "assets": _TEXT,
    "events": _Key("a list of names", _is_names),
    "scenario": _TEXT,
    "as": _TEXT,
    "book": _TEXT,
}
"""All keys of front matter."""


def _front(document: Document, last: int, notes: Notes) -> Front:
    said = _said(document, notes)
    return Front(
        id=said.get("id", ""),
        title=said.get("title", ""),
        language=said.get("language", ""),
        background=said.get("background", ""),
        bgm=said.get("bgm", ""),
        variables=_variables(document, said.get("vars", {}), notes),
        cast=_cast(document, said.get("cast")),
        events=tuple(said.get("events", ())),
        assets=said.get("assets", ""),
        ground=_ground(document, said, notes),
        document=document,
        last=last,
    )


def _said(document: Document, notes: Notes) -> dict[str, Any]:
    """The known keys that hold what they should; findings for the rest."""
    said = {}
    for key, value in (document.plain or {}).items():
        shape = KEYS.get(key)
        if shape is None:
            if not key.startswith("_"):
                _unknown(document, key, notes)
        elif value is None:
            continue
        elif shape.fits(value):
            said[key] = value
        else:
            _wrong(document, [key], repr(key), shape.wanted, value, notes)
    return said


def _variables(
    document: Document, given: dict[str, Any], notes: Notes
) -> tuple[Declared, ...]:
    declared = []
    for name, value in given.items():
        where = document.where_key(["vars", name])
        if not name.isidentifier():
            message = f"{quoted(name)} cannot be the name of a variable"
            hint = "use letters, numbers and _, a letter first"
            if ":" in name:
                hint = f"write a blank behind the colon: {name.replace(':', ': ', 1)}"
            _malformed(notes, where, message, hint)
        elif not _is_value(value):
            wanted = f"a number up to {LARGEST}, text, true or false"
            _wrong(document, ["vars", name], quoted(name), wanted, value, notes)
        else:
            declared.append(Declared(name, value, where.line, where.column))
    return tuple(declared)


def _is_value(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST
    if isinstance(value, int):
        return abs(value) <= LARGEST
    return value is None or (isinstance(value, float) and isfinite(value))


def _cast(document: Document, given: Any) -> tuple[Declared, ...] | None:
    if given is None:
        return None
    declared = []
    for at, name in enumerate(given):
        where = document.where_key(["cast", name if isinstance(given, dict) else at])
        declared.append(Declared(name.strip(), None, where.line, where.column))
    return tuple(declared)


def _ground(document: Document, said: dict[str, Any], notes: Notes) -> Ground | None:
    if "scenario" in said:
        return Ground(
            scenario=said["scenario"],
            actor=said.get("as", ""),
            book=said.get("book", ""),
        )
    for key in ("as", "book"):
        if key in said:
            message = f"{key!r} means nothing without 'scenario'"
            hint = "name the world the story stands on with scenario:"
            _malformed(notes, document.where_key([key]), message, hint)
    return None


def _unknown(document: Document, key: str, notes: Notes) -> None:
    hint = "" if notes.full else did_you_mean(key, KEYS)
    notes.take(
        Finding(
            code="UNKNOWN_KEY",
            severity="warning",
            message=f"the front matter has no key {quoted(key)}",
            where=document.where_key([key]),
            hint=hint or "begin it with '_' to keep it as a note of your own",
        )
    )


def _wrong(
    document: Document,
    path: list[str | int],
    what: str,
    wanted: str,
    value: Any,
    notes: Notes,
) -> None:
    hint = ""
    if wanted == "text" and isinstance(value, int | float):
        hint = "put it in quotes"
    elif wanted == "a list of names" and isinstance(value, str):
        hint = f"write {path[-1]}: [{value}]"
    notes.take(
        Finding(
            code="WRONG_TYPE",
            message=f"{what} must be {wanted}, not {_kind(value)}",
            where=document.where(path),
            hint=hint,
        )
    )


def _malformed(notes: Notes, where: Where, message: str, hint: str) -> None:
    notes.take(
        Finding(code="FRONT_MATTER_MALFORMED", message=message, where=where, hint=hint)
    )


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a decimal"),
    (str, "text"),
    (list, "a list"),
    (dict, "a mapping"),
)


def _kind(value: Any) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "nothing")
