"""Lines that begin with `:::`: conditions, choices, routes, deeds, declarations."""

import re

from saniwa.core.near import nearest, slipped
from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.language.expression import Expression, parse_expression
from saniwa.script.language.value import Value, literal
from saniwa.script.notes import Rewrite
from saniwa.script.reading.bracket import expression_at
from saniwa.script.reading.frame import Act, Cases, Frame, Items, Menu, Passage, Refusal
from saniwa.script.reading.inline import words_at
from saniwa.script.reading.lines import Lines
from saniwa.script.reading.stack import Stack

FENCES = ("when", "else", "choices", "route", "flag", "vars", "do", "refused")
"""The words that may stand behind `:::`."""
_MEANT = {"if": "when", "choice": "choices", "routes": "route"}
"""Words that other languages have for ours."""
_ELSE_IF = frozenset({"elseif", "elif", "elsif", "elsewhen", "elwhen"})
_FENCE = re.compile(r":{3,}+[ \t]*+(\w*+)[ \t]*+(.*)").match
_PART = re.compile(r"[^,]+")
_ELSE_WHEN = re.compile(r"(?:when|if)[ \t]++(.*)").match
_DECLARED = re.compile(
    r"(?:[-*+][ \t]++)?([^\s:=,]++)[ \t]*+(?:[:=][ \t]*+(.*))?"
).match


class Fences:
    """Takes `:::` lines into the stack."""

    def __init__(self, lines: Lines, stack: Stack) -> None:
        self.lines, self.stack, self.notes = lines, stack, stack.notes
        self.declared: list[node.Declared] = []
        """What `:::flag` and `:::vars` declare."""

    def take(self, raw: str, at: int, indent: int) -> None:
        """Take the line, whose `:::` begins at `raw[at]`."""
        found = _FENCE(raw, at)
        if found is None:
            return
        word, rest = found[1].lower(), found[2]
        line, column, begin = self.lines.number, at + 1, found.start(2) + 1
        if not word and not rest:
            if not self.stack.end(line):
                hint = "take it out, or open a block before it"
                self._unopened("this ::: closes nothing", column, hint)
        elif word == "else" or self._is_else(word):
            if word != "else":
                rest, begin = self._misspelt_else(word, rest, column, begin)
            self._otherwise(rest, column, begin)
        else:
            self.stack.dedent(indent)
            self._open(word, rest, column, begin)

    def _open(self, word: str, rest: str, column: int, begin: int) -> None:
        line = self.lines.number
        self.stack.count += 1
        if self.stack.deep and word != "refused":
            self.stack.refuse(line, column, fence=True)
        elif word == "when":
            asked = self._asked(rest, begin)
            self.stack.push(Cases(":::when", line, column, asked))
        elif word == "choices":
            self.notes.old(":::choices", line, column)
            self.stack.push(Menu(":::choices", line, column))
        elif word == "route":
            self._route(rest, column, begin)
        elif word in ("flag", "flags", "vars", "var"):
            self._declare(word, rest, column, begin)
        elif word == "do":
            self._do(rest, column, begin)
        elif word == "refused":
            self._refused(column)
        else:
            self._unknown(word, rest, column, begin)

    def _unknown(self, word: str, rest: str, column: int, begin: int) -> None:
        """Tell of a block there is not, and go on with the one that may be meant."""
        near = _MEANT.get(word) or ("" if self.notes.full else nearest(word, FENCES))
        if near:
            self._misspelt(word, near, column, f"did you mean :::{near}?")
            self.stack.count -= 1
            self._open(near, rest, column, begin)
            return
        self._misspelt(word, "", column, f"there are {', '.join(FENCES)}")
        self.stack.push(Frame(":::" + word[:40], self.lines.number, column))

    def _misspelt(self, word: str, near: str, column: int, hint: str) -> None:
        message = f"there is no block {quoted(':::' + word)}"
        raw = self.lines.all[self.lines.number - 1]
        at = raw.lower().find(word, column)
        rewrite = Rewrite(at + 1, len(word), near) if near and at >= 0 else None
        place = (self.lines.number, column)
        self.notes.error("COMMAND_UNKNOWN", message, *place, hint, rewrite)

    def _is_else(self, word: str) -> bool:
        """Whether a word is a way to write else that others have."""
        if word in _ELSE_IF:
            return True
        return word not in FENCES and slipped(word, ("else",)) == "else"

    def _misspelt_else(
        self, word: str, rest: str, column: int, begin: int
    ) -> tuple[str, int]:
        """Tell of it, and what stands behind it as `:::else` has it."""
        if word not in _ELSE_IF:
            self._misspelt(word, "else", column, "did you mean :::else?")
            return rest, begin
        hint = f"write :::else when {rest or '…'}"
        self._misspelt(word, "else when", column, hint)
        return f"when {rest}", begin - len("when ")

    def _otherwise(self, rest: str, column: int, begin: int) -> None:
        self.stack.count += 1
        self.stack.leave_lists()
        top = self.stack.top
        if not isinstance(top, Cases) or top.old or top.when is None:
            hint = "open it with :::when before this"
            self._unopened("this :::else belongs to no :::when", column, hint)
            return
        found = _ELSE_WHEN(rest)
        asked = self._asked(found[1], begin + found.start(1)) if found else None
        if rest and not found:
            message = f"{quoted(rest)} says nothing behind :::else"
            hint = f"write :::else when {rest}"
            self.notes.error(
                "PARAMETER_MALFORMED", message, self.lines.number, begin, hint
            )
        top.turn(asked, self.lines.number, column)

    def _asked(self, text: str, column: int) -> Expression:
        """The condition; one that never holds where it cannot be read."""
        line = self.lines.number
        asked = expression_at(text, line, column, self.notes)
        return asked or parse_expression("false", line, column)

    def _route(self, name: str, column: int, begin: int) -> None:
        line = self.lines.number
        self.notes.old(":::route", line, column)
        if not name:
            message, hint = ":::route has no name", "write :::route name"
            self.notes.error("PARAMETER_MISSING", message, line, column, hint)
        label = node.Label(line, column, line, name, "route", begin)
        self.stack.push(Passage(label))

    def _do(self, text: str, column: int, begin: int) -> None:
        line = self.lines.number
        if not text:
            message, hint = ":::do does not say what", "write :::do take key"
            self.notes.error("PARAMETER_MISSING", message, line, column, hint)
        self.stack.push(Act(line, column, words_at(text, line, begin, self.notes)))

    def _refused(self, column: int) -> None:
        top, line = self.stack.top, self.lines.number
        if isinstance(top, Act) and top.done is None:
            top.turn()
            return
        before = top.nodes[-1] if top.nodes else None
        after = isinstance(before, node.Deed) and before.refused is None
        if after or (isinstance(top, Items) and _does(top)):
            self.stack.push(Refusal(line, column, top, item=not after))
            return
        hint = "put it into a :::do block, or below a line with {do …}"
        self._unopened("this :::refused belongs to no deed", column, hint)
        self.stack.push(Frame(":::refused", line, column))

    def _unopened(self, message: str, column: int, hint: str) -> None:
        self.notes.error("BLOCK_UNOPENED", message, self.lines.number, column, hint)

    # Declarations.

    def _declare(self, word: str, rest: str, column: int, begin: int) -> None:
        first = False if word.startswith("flag") else None
        kind = ":::vars" if first is None else ":::flag"
        self.notes.old(kind, self.lines.number, column)
        if rest:
            for found in _PART.finditer(rest):
                self._name(found[0], begin + found.start(), first)
            if self._following() == ":::":
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
                self._name(raw, 1, first)
        message, hint = f":::{word} is not closed", "end it with a line of :::"
        self.notes.error("BLOCK_UNCLOSED", message, opened, column, hint)

    def _following(self) -> str:
        lines = self.lines
        return lines.all[lines.number].strip() if lines.number < len(lines.all) else ""

    def _name(self, text: str, column: int, first: Value) -> None:
        bare = text.strip()
        column += len(text) - len(text.lstrip())
        found = _DECLARED(bare)
        line = self.lines.number
        if found is None or found.end() < len(bare) or not found[1].isidentifier():
            message = f"{quoted(bare)} declares no variable"
            hint = "write name = value, one a line"
            self.notes.error("PARAMETER_MALFORMED", message, line, column, hint)
            return
        value = literal(found[2]) if found[2] else first
        at = column + found.start(1)
        self.declared.append(node.Declared(found[1], value, line, at))


def _does(items: Items) -> bool:
    """Whether the open item has a deed that nobody has refused yet."""
    option = items.draft
    return option is not None and option.deed is not None and items.refused is None
