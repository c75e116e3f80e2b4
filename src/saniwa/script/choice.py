"""Items of lists: the options of a choice."""

import re

from saniwa.script import node
from saniwa.script.frame import MOST_OPTIONS, Items, Menu
from saniwa.script.inline import trailing_at, words_at
from saniwa.script.link import Link, link_at, links_in
from saniwa.script.notes import Notes
from saniwa.script.stack import Stack, too_many

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
    items.draft = _option(stack, raw[begin:], line, column, begin + 1)


def _list(stack: Stack, line: int, column: int, indent: int) -> Items:
    while True:
        top = stack.top
        if isinstance(top, Items) and indent == top.indent:
            return top
        if indent > top.indent:
            break
        stack.dedent(top.indent)
    items = Items(line, column, indent)
    if stack.push(items):
        return items
    return top if isinstance(top, Items) else items


def _option(stack: Stack, text: str, line: int, column: int, begin: int) -> node.Option:
    notes, menu = stack.notes, stack.within(Menu)
    target, call, words_column = None, False, begin
    if menu:
        text, target = _routed(text, line, begin)
    said = trailing_at(text, line, begin, notes, item=True)
    text = said.text
    if menu and target is None:
        text, target = _routed(text, line, begin)
    if target is None and (link := _whole_link(text, line, begin, notes)):
        text, words_column = link.text, link.text_column
        target, call = link.target, link.call
    elif target is None and "](" in text:
        _warn(text, line, begin, notes)
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
    if not text.startswith("[") or not text.endswith(")"):
        return None
    link = link_at(text, 0, line, column, notes)
    return link if link is not None and link.end == len(text) else None


def _warn(text: str, line: int, column: int, notes: Notes) -> None:
    for at in links_in(text):
        message = "a link among other words stays text"
        hint = "make the whole item a link: - [text](#label)"
        notes.warning("LINK_IN_SENTENCE", message, line, column + at, hint)
