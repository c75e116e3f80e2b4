"""What a story's findings and errors say, and the findings of one file while it is parsed.

The words are in `findings.json`, those in Japanese in `texts.ja.json`: findings are made
in English, and translated where they are shown. The collector limits how many findings are stored,
counts the rest, and converts columns to those of the file where comments were removed
before parsing. It does not decide what is a finding.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.messages import MessageTemplate, fill_template, read_catalog
from saniwa.core.translations import LANGUAGE, open_translator

MOST = 1_000
"""The most findings stored for one file; a note says how many more there were."""


def read_templates() -> dict[str, MessageTemplate]:
    """Read the words of all findings and errors, by code, or by code and case."""
    return read_catalog(__file__, "findings.json")


def format_message(key: str, values: Mapping[str, object]) -> tuple[str, str]:
    """Return a message and its hint; a similar name, `near`, takes the place of the hint."""
    template, near = read_templates()[key], values.get("near")
    hint = f"did you mean {near!r}?" if near else fill_template(template.hint, values)
    return fill_template(template.message, values), hint


_Details = Mapping[str, Any] | None


def make_finding(
    key: str, where: SourceLocation, details: _Details = None, /, **values: object
) -> Finding:
    """Make a finding; its words are filled in with the details and the values."""
    details = dict(details or {})
    message, hint = format_message(key, {**details, **values})
    severity = read_templates()[key].severity
    code = key.partition("/")[0]
    return Finding(
        code=code, severity=severity, message=message, where=where, hint=hint, details=details
    )


def make_story_error(
    key: str, where: SourceLocation | None = None, details: _Details = None, /, **values: object
) -> ScriptError:
    """Make an error; its words are filled in like those of a finding."""
    message, hint = format_message(key, {**(details or {}), **values})
    code = key.partition("/")[0]
    return ScriptError(code, message, where=where, hint=hint, details=details)


_SHARED: Final = frozenset(("UNKNOWN_KEY", "WRONG_TYPE"))
"""Codes of findings about front matter, which are those of all documents."""


@cache
def _list_codes() -> frozenset[str]:
    return _SHARED.union(key.partition("/")[0] for key in read_templates())


def translate_finding(finding: Finding) -> Finding:
    """Return a finding of a story in the language in use; any other is returned unchanged."""
    language = LANGUAGE.get()
    if language == "en" or finding.code not in _list_codes():
        return finding
    translate = open_translator(language, "story").translate_message
    return msgspec.structs.replace(
        finding, message=translate(finding.message), hint=translate(finding.hint)
    )


_CURRENT: Final = {
    "SAY": "Name: text; a name with spaces needs cast: in the front matter",
    "LABEL": "## name, where no list or block is open",
    "JUMP": "[text](#label)",
    "# scene:": "## name",
}
"""Commands that are still good, and the plain Markdown that does the same."""


class TextReplacement(NamedTuple):
    """A correction of the characters at one place of the finding's line."""

    column: int
    """The column of the first character to replace."""
    length: int
    """How many characters to replace."""
    text: str
    """What to write instead."""


class NotationError(ValueError):
    """Invalid notation in an expression or in words; its reader makes it a finding."""

    def __init__(self, key: str, line: int, column: int, /, **values: object) -> None:
        super().__init__(key)
        self.key, self.line, self.column, self.values = key, line, column, values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NotationError) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.key, self.line, self.column))

    def __str__(self) -> str:
        return self.message

    @property
    def code(self) -> str:
        """The code of the finding."""
        return self.key.partition("/")[0]

    @property
    def message(self) -> str:
        """What is wrong, in one plain sentence."""
        return format_message(self.key, self.values)[0]

    @property
    def hint(self) -> str:
        """What to do; may be empty."""
        return format_message(self.key, self.values)[1]


def make_more_finding(file: str, more: int) -> Finding:
    """Make the note that says how many more findings a file has."""
    return make_finding("FINDINGS_MANY", SourceLocation(file=file), {"more": more})


class FindingCollector:
    """Collects the findings of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[Finding] = []
        self.count = 0
        """How many findings were added so far."""
        self._noted: set[str] = set()
        self.excused: set[tuple[str, int]] = set()
        """Findings that `lint` must not add, by code and line."""
        self._old: dict[str, list[int]] = {}
        self._cuts: dict[int, list[tuple[int, int]]] = {}

    def add(self, key: str, line: int, column: int, /, **values: Any) -> None:
        """Add a finding at a column of the text without comments.

        The values fill in its words; `fix`, a `TextReplacement`, corrects it.
        """
        moved, fix = self.to_file_column(line, column), values.get("fix")
        if fix is not None and moved != column:
            values["fix"] = self._move_replacement(line, fix)
        self.add_at(key, line, moved, **values)

    def add_at(self, key: str, line: int, column: int, /, **values: Any) -> None:
        """Add a finding at a column of the file; a note only once per file."""
        if read_templates()[key].severity == "note":
            if key in self._noted:
                return
            self._noted.add(key)
        if self.is_full:
            self.count += 1
            return
        where, fix = SourceLocation(file=self.file, line=line, column=column), values.get("fix")
        details = {} if fix is None else {"rewrite": {"line": line, **fix._asdict()}}
        self.add_finding(make_finding(key, where, details, **values))

    def add_problem(self, problem: NotationError) -> None:
        """Add invalid notation."""
        self.add(problem.key, problem.line, problem.column, **problem.values)

    def excuse_lines(self, code: str, *lines: int) -> None:
        """Mark lines where a finding of `lint` would add nothing to one made here."""
        self.excused.update((code, line) for line in lines)

    def add_finding(self, finding: Finding) -> None:
        """Add a finding whose columns are already those of the file."""
        self.count += 1
        if not self.is_full:
            self._found.append(finding)

    @property
    def is_full(self) -> bool:
        """Whether further findings are only counted, so that hints need not be made."""
        return len(self._found) >= MOST

    def count_old_notation(self, kind: str, line: int, column: int) -> None:
        """Count one use of an old notation; the finding names the first place."""
        self._old.setdefault(kind, [0, line, column])[0] += 1

    def record_cut(self, line: int, at: int, length: int) -> None:
        """Record that a comment was removed from a line, before it is read."""
        self._cuts.setdefault(line, []).append((at, length))

    @property
    def has_cuts(self) -> bool:
        """Whether a comment with text after it was removed from any line."""
        return bool(self._cuts)

    def to_file_column(self, line: int, column: int) -> int:
        """Convert a column of the text without comments to a column of the file."""
        cuts = self._cuts.get(line, ())
        return column + sum(length for at, length in cuts if column > at)

    def has_cut_between(self, first: int, last: int) -> bool:
        """Whether a comment with text after it was removed from one of these lines."""
        lines = self._cut_lines
        return bisect_left(lines, first) < bisect_right(lines, last)

    @cached_property
    def _cut_lines(self) -> list[int]:
        return sorted(self._cuts)

    def list_findings(self) -> tuple[Finding, ...]:
        """Return all findings in reading order."""
        found = [*self._found]
        found += [self._make_old_notation_finding(kind, *seen) for kind, seen in self._old.items()]
        found.sort(key=lambda each: (each.where.line, each.where.column))
        more = self.count - len(self._found)
        return (*found, make_more_finding(self.file, more)) if more else tuple(found)

    def _move_replacement(self, line: int, fix: TextReplacement) -> TextReplacement | None:
        """Convert an edit to the file's columns; None if a comment is inside it."""
        begin, last = self.to_file_column(line, fix.column), fix.column + fix.length - 1
        if fix.length and self.to_file_column(line, last) != begin + fix.length - 1:
            return None
        return fix._replace(column=begin)

    def _make_old_notation_finding(self, kind: str, count: int, line: int, column: int) -> Finding:
        times = "once" if count == 1 else f"{count} times"
        today = _CURRENT.get(kind)
        key = "OLD_NOTATION/current" if today else "OLD_NOTATION"
        where = SourceLocation(file=self.file, line=line, column=column)
        return make_finding(key, where, {"kind": kind, "count": count}, times=times, today=today)
