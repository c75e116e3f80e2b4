"""Words within a line, with what is wrong in them put among the findings."""

import re

from saniwa.script.language.words import (
    Mark,
    Problem,
    Show,
    Switch,
    Text,
    Trailing,
    Vary,
    Words,
    parse_trailing,
    parse_words,
)
from saniwa.script.notes import Notes

_INDENT = re.compile(r"\n[ \t]+")


def words_at(text: str, line: int, column: int, notes: Notes) -> Words:
    """The words that stand there."""
    words, problems = parse_words(text, line, column)
    if problems:
        report(problems, notes)
    return words


def lines_at(text: str, line: int, column: int, notes: Notes) -> Words:
    """The words of several lines, which still have their indents.

    The indents keep the columns of what stands in braces true; they are no part of the
    words.
    """
    if "{" not in text:
        return words_at(_INDENT.sub("\n", text), line, column, notes)
    return _flush_left(words_at(text, line, column, notes))


def trailing_at(
    text: str, line: int, column: int, notes: Notes, *, item: bool
) -> Trailing:
    """The text without the groups at its end, and what they say."""
    trailing = parse_trailing(text, line, column, item=item)
    if trailing.problems:
        report(trailing.problems, notes)
    return trailing


def report(problems: tuple[Problem, ...], notes: Notes) -> None:
    """Put problems among the findings."""
    for each in problems:
        place = (each.line, each.column)
        notes.error(each.code, each.message, *place, each.hint, each.rewrite)


def _flush_left(words: Words) -> Words:
    if isinstance(words, str):
        return _INDENT.sub("\n", words)
    parts = tuple(_part(part) for part in words.parts)
    return Text(_INDENT.sub("\n", words.source), parts)


def _part(
    part: str | Show | Switch | Vary | Mark,
) -> str | Show | Switch | Vary | Mark:
    # As deep as braces nest, which `parse_words` bounds.
    if isinstance(part, str):
        return _INDENT.sub("\n", part)
    if isinstance(part, Switch):
        return Switch(part.worth, _flush_left(part.yes), _flush_left(part.no))
    if isinstance(part, Vary):
        return Vary(part.kind, tuple(map(_flush_left, part.options)), part.nth)
    return part
