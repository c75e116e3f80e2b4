"""Items of lists: the options of a choice."""

import re

from saniwa.script import node
from saniwa.script.notes import Notes
from saniwa.script.reading.frame import MOST_OPTIONS, Items, Menu
from saniwa.script.reading.inline import trailing_at, words_at
from saniwa.script.reading.link import Link, links_in, whole_link
from saniwa.script.reading.stack import Stack, too_many
from saniwa.script.reading.wide import wide_group, wide_link

ITEM = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]++|$)").match
"""The mark before an item."""
_ROUTE = re.compile(r"@(\S+)\Z")


def add_item(
    stack: Stack, raw: str, begin: int, line: int, column: int, indent: int
) -> None:
    """Take an item, whose text begins at `raw[begin]`, into the list it belongs to."""
    items = _list(stack, line, column, indent)
    stack.end_option(items)
    if len(items.options) == MOST_OPTIONS and not items.full:
        items.full = True
        too_many(stack.notes, line, column)
    stack.count += 1
    told = stack.notes.count
    items.draft = _option(stack, raw[begin:], line, column, begin + 1)
    items.excused = stack.notes.count > told


def _list(stack: Stack, line: int, column: int, indent: int) -> Items:
    while True:
        top = stack.top
        if isinstance(top, Items):
            if indent == top.indent:
                return top
            outer = indent < top.indent and stack.is_item(indent)
            if abs(indent - top.indent) == 1 and not outer:
                _uneven(stack.notes, top, line, indent)
                return top
        if indent > top.indent:
            break
        stack.dedent(top.indent)
    items = Items(line, column, indent)
    if stack.push(items):
        return items
    return top if isinstance(top, Items) else items


def _uneven(notes: Notes, items: Items, line: int, indent: int) -> None:
    """Say once that a list's items are not indented alike."""
    if not items.uneven:
        items.uneven = True
        message = "items of one list are not indented alike"
        hint = f"indent it like the item on line {items.line}, or by two blanks or more"
        notes.warning("LIST_UNEVEN", message, line, indent + 1, hint)
    items.indent = min(items.indent, indent)


def _option(stack: Stack, text: str, line: int, column: int, begin: int) -> node.Option:
    notes, menu = stack.notes, stack.within(Menu)
    target, call, words_column = None, False, begin
    if menu:
        text, target = _routed(text, line, begin)
    said = trailing_at(text, line, begin, notes, item=True)
    text = said.text
    wide = text[-1:] == "｝" and wide_group(text, line, begin, notes, item=True)
    if menu and target is None:
        text, target = _routed(text, line, begin)
    if target is None and (link := _whole_link(text, line, begin, notes)):
        text, words_column = link.text, link.text_column
        target, call = link.target, link.call
    elif target is None and "](" in text and not wide:
        _warn(text, line, begin, notes)
    if not text and not said.fallback:
        _unnamed(line, column, notes)
    return node.Option(
        line,
        column,
        line,
        words_at(text, line, words_column, notes),
        target,
        call,
        (),
        said.once,
        said.only_if,
        said.enabled_if,
        said.fallback,
        said.ask,
        None
        if said.deed is None
        else words_at(said.deed, line, said.deed_column, notes),
        None,
        said.id,
        said.tags,
        said.values,
    )


def _routed(text: str, line: int, begin: int) -> tuple[str, node.Target | None]:
    """The text of an old item without its `@route`, and the route."""
    found = _ROUTE.search(text)
    if found is None:
        return text, None
    target = node.Target(found[1], "", line, begin + found.start(1))
    return text[: found.start()].rstrip(), target


def _whole_link(text: str, line: int, column: int, notes: Notes) -> Link | None:
    if not text or text[-1] not in ")）" or text[0] not in "[［【":
        return None
    if not text.isascii() and wide_link(text, line, column, notes):
        return None
    if text[0] != "[" or text[-1] != ")":
        return None
    return whole_link(text, 0, line, column, notes)


def _warn(text: str, line: int, column: int, notes: Notes) -> None:
    for at in links_in(text):
        message = "a link among other words stays text"
        hint = "make the whole item a link: - [text](#label)"
        notes.warning("LINK_IN_SENTENCE", message, line, column + at, hint)


def _unnamed(line: int, column: int, notes: Notes) -> None:
    message = "this option has no words that could be shown"
    hint = "write how people read it: - [text](#label)"
    notes.warning("OPTION_UNNAMED", message, line, column, hint)
