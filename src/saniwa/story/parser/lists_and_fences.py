"""Parse list items, and lines that begin with `:::`.

`:::` lines open and close conditions, choices, routes and deeds, and declare variables.
"""

import re

from saniwa.core.suggestions import find_nearest, find_typo_correction
from saniwa.story import elements
from saniwa.story.expression_parser import Expression, parse_expression
from saniwa.story.finding_collector import FindingCollector, TextReplacement
from saniwa.story.link_parser import (
    MarkdownLink,
    find_links,
    parse_whole_link,
    warn_unbalanced_link,
)
from saniwa.story.parser.block_stack import (
    MOST_OPTIONS,
    BlockStack,
    OpenBlock,
    OpenChoices,
    OpenDo,
    OpenList,
    OpenRefusal,
    OpenRoute,
    OpenWhen,
    report_too_many_options,
)
from saniwa.story.parser.commands import find_inline_commands, parse_expression_at
from saniwa.story.parser.inline_text import parse_trailing_at, parse_words_at
from saniwa.story.parser.source_lines import SourceLines, warn_wide_group, warn_wide_link
from saniwa.story.value_operations import Value, parse_literal

ITEM = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]++|$)").match
"""Matches the marker of a list item."""
_ROUTE = re.compile(r"@(\S+)\Z")
_GIVEN = ("once", "only_if", "enabled_if", "fallback", "ask", "id", "tags", "values")
"""Attributes at the end of an item that become those of its option."""


def add_item(stack: BlockStack, raw: str, begin: int, line: int, column: int, indent: int) -> None:
    """Add an item, whose text begins at `raw[begin]`, to the list it belongs to."""
    items = _find_list(stack, line, column, indent)
    stack.end_option(items)
    if len(items.options) == MOST_OPTIONS and not items.full:
        items.full = True
        report_too_many_options(stack.notes, line, column)
    stack.count += 1
    before = stack.notes.count
    items.draft = _parse_option(stack, raw[begin:], line, column, begin + 1)
    items.excused = stack.notes.count > before


def _find_list(stack: BlockStack, line: int, column: int, indent: int) -> OpenList:
    while True:
        top = stack.top
        if isinstance(top, OpenList):
            if indent == top.indent:
                return top
            outer = indent < top.indent and stack.is_item(indent)
            if abs(indent - top.indent) == 1 and not outer:
                _report_uneven(stack.notes, top, line, indent)
                return top
        if indent > top.indent:
            break
        stack.dedent(top.indent)
    items = OpenList(line, column, indent)
    if stack.push(items):
        return items
    return top if isinstance(top, OpenList) else items


def _report_uneven(notes: FindingCollector, items: OpenList, line: int, indent: int) -> None:
    """Report once that a list's items have different indents."""
    if not items.uneven:
        items.uneven = True
        notes.add("LIST_UNEVEN", line, indent + 1, line=items.line)
    items.indent = min(items.indent, indent)


def _parse_option(
    stack: BlockStack, text: str, line: int, column: int, begin: int
) -> elements.ChoiceOption:
    notes, menu = stack.notes, stack.is_within(OpenChoices)
    target, call, words_column = None, False, begin
    if menu:
        text, target = _split_route(text, line, begin)
    attributes = parse_trailing_at(text, line, begin, notes, item=True)
    text = attributes.text
    wide = text[-1:] == "｝" and warn_wide_group(text, line, begin, notes, item=True)
    if menu and target is None:
        text, target = _split_route(text, line, begin)
    if target is None and (link := _parse_item_link(text, line, begin, notes)):
        text, words_column = link.text, link.text_column
        target, call = link.target, link.call
    elif target is None and not wide and not warn_unbalanced_link(text, 0, line, begin, notes):
        _warn_inner_links(text, line, begin, notes)
    for at, written in find_inline_commands(text, stack.events) if "[" in text else ():
        notes.add("COMMAND_IN_SENTENCE/item", line, words_column + at, written=written)
    if not text and not attributes.fallback:
        notes.add("OPTION_UNNAMED", line, column)
    words, deed = parse_words_at(text, line, words_column, notes), None
    if attributes.deed is not None:
        deed = parse_words_at(attributes.deed, line, attributes.deed_column, notes)
    given = {name: getattr(attributes, name) for name in _GIVEN}
    return elements.ChoiceOption(line, column, line, words, target, call, deed=deed, **given)


def _split_route(text: str, line: int, begin: int) -> tuple[str, elements.LinkTarget | None]:
    """Split an old item's text from its `@route`; return both."""
    found = _ROUTE.search(text)
    if found is None:
        return text, None
    target = elements.LinkTarget(found[1], "", line, begin + found.start(1))
    return text[: found.start()].rstrip(), target


def _parse_item_link(
    text: str, line: int, column: int, notes: FindingCollector
) -> MarkdownLink | None:
    if not text or text[-1] not in ")）" or text[0] not in "[［【":
        return None
    if not text.isascii() and warn_wide_link(text, line, column, notes):
        return None
    if text[0] != "[" or text[-1] != ")":
        return None
    return parse_whole_link(text, 0, line, column, notes)


def _warn_inner_links(text: str, line: int, column: int, notes: FindingCollector) -> None:
    for at in find_links(text):
        notes.add("LINK_IN_SENTENCE/item", line, column + at)


FENCES = ("when", "else", "choices", "route", "flag", "vars", "do", "refused")
"""The words that may follow `:::`."""
_MEANT = {"if": "when", "choice": "choices", "routes": "route"}
"""Words of other languages, and ours for them."""
_ELSE_IF = frozenset({"elseif", "elif", "elsif", "elsewhen", "elwhen"})
_FENCE = re.compile(r":{3,}+[ \t]*+(\w*+)[ \t]*+(.*)").match
_PART = re.compile(r"[^,]+")
_ELSE_WHEN = re.compile(r"(?:when|if)[ \t]++(.*)").match
_DECLARED = re.compile(r"(?:[-*+][ \t]++)?([^\s:=,]++)[ \t]*+(?:[:=][ \t]*+(.*))?").match


class FenceReader:
    """Reads `:::` lines and opens and closes blocks on the stack."""

    def __init__(self, lines: SourceLines, stack: BlockStack) -> None:
        self.lines, self.stack, self.notes = lines, stack, stack.notes
        self.declared: list[elements.Declaration] = []
        """The variables that `:::flag` and `:::vars` declare."""

    def read_line(self, raw: str, at: int, indent: int) -> None:
        """Read a line whose `:::` begins at `raw[at]`."""
        found = _FENCE(raw, at)
        if found is None:
            return
        word, rest = found[1].lower(), found[2]
        line, column, begin = self.lines.number, at + 1, found.start(2) + 1
        if not word and not rest:
            if not self.stack.close_block(line):
                self.lines.add("BLOCK_UNOPENED/fence", column)
        elif word == "else" or self._is_else(word):
            if word != "else":
                rest, begin = self._report_misspelt_else(word, rest, column, begin)
            self._open_else(rest, column, begin)
        else:
            self.stack.dedent(indent)
            self._open_block(word, rest, column, begin)

    def _open_block(self, word: str, rest: str, column: int, begin: int) -> None:
        line = self.lines.number
        self.stack.count += 1
        if self.stack.is_too_deep and word != "refused":
            self.stack.report_too_deep(line, column, fence=True)
        elif word == "when":
            asked = self._parse_condition(rest, begin)
            self.stack.push(OpenWhen(":::when", line, column, asked))
        elif word == "choices":
            self.notes.count_old_notation(":::choices", line, column)
            self.stack.push(OpenChoices(":::choices", line, column))
        elif word == "route":
            self._open_route(rest, column, begin)
        elif word in ("flag", "flags", "vars", "var"):
            self._declare(word, rest, column, begin)
        elif word == "do":
            self._open_do(rest, column, begin)
        elif word == "refused":
            self._open_refused(column)
        else:
            self._report_unknown(word, rest, column, begin)

    def _report_unknown(self, word: str, rest: str, column: int, begin: int) -> None:
        """Report an unknown block, and continue with the one that may be meant."""
        near = _MEANT.get(word) or ("" if self.notes.is_full else find_nearest(word, FENCES))
        if near:
            self._report_misspelt(word, near, column, f"did you mean :::{near}?")
            self.stack.count -= 1
            self._open_block(near, rest, column, begin)
            return
        self._report_misspelt(word, "", column, f"there are {', '.join(FENCES)}")
        self.stack.push(OpenBlock(":::" + word[:40], self.lines.number, column))

    def _report_misspelt(self, word: str, near: str, column: int, hint: str) -> None:
        raw = self.lines.all[self.lines.number - 1]
        at = raw.lower().find(word, column)
        fix = TextReplacement(at + 1, len(word), near) if near and at >= 0 else None
        self.lines.add("COMMAND_UNKNOWN/block", column, fix=fix, block=f":::{word}", hint=hint)

    def _is_else(self, word: str) -> bool:
        """Whether a word is a misspelling, or another language's spelling, of else."""
        if word in _ELSE_IF:
            return True
        return word not in FENCES and find_typo_correction(word, ("else",)) == "else"

    def _report_misspelt_else(
        self, word: str, rest: str, column: int, begin: int
    ) -> tuple[str, int]:
        """Report the spelling; return the rest of the line as `:::else` has it."""
        if word not in _ELSE_IF:
            self._report_misspelt(word, "else", column, "did you mean :::else?")
            return rest, begin
        hint = f"write :::else when {rest or '…'}"
        self._report_misspelt(word, "else when", column, hint)
        return f"when {rest}", begin - len("when ")

    def _open_else(self, rest: str, column: int, begin: int) -> None:
        self.stack.count += 1
        self.stack.close_lists()
        top = self.stack.top
        if not isinstance(top, OpenWhen) or top.old or top.when is None:
            self.lines.add("BLOCK_UNOPENED/else", column)
            return
        found = _ELSE_WHEN(rest)
        asked = self._parse_condition(found[1], begin + found.start(1)) if found else None
        if rest and not found:
            self.lines.add("PARAMETER_MALFORMED/else", begin, rest=rest)
        top.start_case(asked, self.lines.number, column)

    def _parse_condition(self, text: str, column: int) -> Expression:
        """Parse a condition; an invalid one is never true."""
        line = self.lines.number
        asked = parse_expression_at(text, line, column, self.notes)
        return asked or parse_expression("false", line, column)

    def _open_route(self, name: str, column: int, begin: int) -> None:
        line = self.lines.number
        self.notes.count_old_notation(":::route", line, column)
        if not name:
            self.lines.add("PARAMETER_MISSING/route", column)
        label = elements.LabelElement(line, column, line, name, "route", begin)
        self.stack.push(OpenRoute(label))

    def _open_do(self, text: str, column: int, begin: int) -> None:
        line = self.lines.number
        if not text:
            self.lines.add("PARAMETER_MISSING/do", column)
        self.stack.push(OpenDo(line, column, parse_words_at(text, line, begin, self.notes)))

    def _open_refused(self, column: int) -> None:
        top, line = self.stack.top, self.lines.number
        if isinstance(top, OpenDo) and top.done is None:
            top.start_refusal()
            return
        before = top.nodes[-1] if top.nodes else None
        after = isinstance(before, elements.DoElement) and before.refused is None
        if after or (isinstance(top, OpenList) and _has_open_deed(top)):
            self.stack.push(OpenRefusal(line, column, top, item=not after))
            return
        self.lines.add("BLOCK_UNOPENED/refused", column)
        self.stack.push(OpenBlock(":::refused", line, column))

    # Declarations.

    def _declare(self, word: str, rest: str, column: int, begin: int) -> None:
        first = False if word.startswith("flag") else None
        kind = ":::vars" if first is None else ":::flag"
        self.notes.count_old_notation(kind, self.lines.number, column)
        if rest:
            for found in _PART.finditer(rest):
                self._declare_name(found[0], begin + found.start(), first)
            if self._find_next_line() == ":::":
                self.lines.number += 1
            return
        opened = self.lines.number
        while self.lines.number < len(self.lines.all):
            raw = self.lines.all[self.lines.number]
            bare = raw.strip()
            if bare.startswith("#"):
                break
            self.lines.number += 1
            if bare == ":::":
                return
            if "<!--" in raw:
                raw = self.lines.uncomment(raw)[0]
            if raw.strip():
                self._declare_name(raw, 1, first)
        shown = {"opener": f":::{word}", "closer": OpenBlock.closer}
        self.notes.add("BLOCK_UNCLOSED", opened, column, **shown)

    def _find_next_line(self) -> str:
        lines = self.lines
        return lines.all[lines.number].strip() if lines.number < len(lines.all) else ""

    def _declare_name(self, text: str, column: int, first: Value) -> None:
        bare = text.strip()
        column += len(text) - len(text.lstrip())
        found = _DECLARED(bare)
        line = self.lines.number
        if found is None or found.end() < len(bare) or not found[1].isidentifier():
            self.lines.add("PARAMETER_MALFORMED/declaration", column, text=bare)
            return
        value = parse_literal(found[2]) if found[2] else first
        at = column + found.start(1)
        self.declared.append(elements.Declaration(found[1], value, line, at))


def _has_open_deed(items: OpenList) -> bool:
    """Whether the open item has a deed without a `:::refused` block yet."""
    option = items.draft
    return option is not None and option.deed is not None and items.refused is None
