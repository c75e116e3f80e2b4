"""Lines that begin with `[`: commands one after the other, and links alone."""

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache

from saniwa.core.near import nearest
from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.language.expression import parse_expression
from saniwa.script.notes import Rewrite
from saniwa.script.reading.bracket import Bracket, given_in
from saniwa.script.reading.command import COMMANDS, Command
from saniwa.script.reading.condition import condition
from saniwa.script.reading.direction import event, nodes_of
from saniwa.script.reading.frame import Cases
from saniwa.script.reading.lines import Lines, skip_blanks
from saniwa.script.reading.link import whole_link
from saniwa.script.reading.speech import Paragraph
from saniwa.script.reading.wide import look_alike

# Two letters at least, so that `[A]` and `[X1]` stay text.
_NAMED = re.compile(r"\[([A-Z][0-9_]*+[A-Z][A-Z0-9_]*+)(?=[\s\]])").match
_CASED = re.compile(r"\[([A-Za-z_]{2,40}+)((?:[ \t][^\[\]]*+)?)\]").match
_INNER = re.compile(r'(?:[^\]"]++|"(?:[^"\\]|\\.)*+")*+\]').match
_MARK = re.compile(r'["\\\]]')
_TURNS = re.compile(r"[ \t]*+(?:(\[(?:ELSE|ENDIF)\])|#{1,6}[ \t])").match


class _Ends:
    """Where commands of a line end, wherever they begin: what `_INNER` would find."""

    def __init__(self, raw: str) -> None:
        self._marks = [found.start() for found in _MARK.finditer(raw)]
        count = len(self._marks)
        self._outside, self._inside = [0] * (count + 2), [0] * (count + 2)
        for nth in reversed(range(count)):
            at = self._marks[nth]
            # The letter behind a backslash is no mark.
            after = nth + 1
            after += after < count and self._marks[after] == at + 1
            match raw[at]:
                case "]":
                    pair = (at + 1, self._inside[nth + 1])
                case '"':
                    pair = (self._inside[nth + 1], self._outside[nth + 1])
                case _:
                    pair = (self._outside[nth + 1], self._inside[after])
            self._outside[nth], self._inside[nth] = pair

    def find_after(self, begin: int) -> int:
        """Return where a command ends that begins there; 0 if nowhere."""
        return self._outside[bisect_left(self._marks, begin)]


@lru_cache(maxsize=4)
def _ends_in(raw: str) -> _Ends:
    return _Ends(raw)


class Orders:
    """Takes lines of commands; `events` are the host's own."""

    def __init__(
        self, lines: Lines, paragraph: Paragraph, events: frozenset[str]
    ) -> None:
        self.lines, self.paragraph, self.events = lines, paragraph, events
        self.stack, self.notes = paragraph.stack, paragraph.notes
        self._turns: list[tuple[int, bool]] | None = None
        self._unclosed = ""

    def take(self, raw: str, at: int, indent: int) -> bool:
        """Take the line, if it begins with a command or is a link."""
        jump = self._jump(raw, at)
        name = "" if jump else self._command_at(raw, at)
        if not jump and not name:
            self._nearly(raw, at)
            return False
        self.paragraph.flush()
        self.stack.dedent(indent, self.lines.number)
        while name:
            at = skip_blanks(raw, self._command(name, raw, at))
            if at >= len(raw):
                return True
            jump = self._jump(raw, at)
            name = "" if jump else self._command_at(raw, at)
        if not jump and at < len(raw):
            self.paragraph.add(raw, at, self.lines.number)
        if jump:
            self.paragraph.flush()
            self.stack.emit(jump)
        return True

    def _jump(self, raw: str, at: int) -> node.Jump | None:
        """The link that the rest of the line is."""
        if raw[-1] != ")" or not raw.startswith("[", at):
            return None
        number = self.lines.number
        link = whole_link(raw, at, number, at + 1, self.notes)
        if link is None:
            return None
        return node.Jump(number, at + 1, number, link.target, link.call)

    def _nearly(self, raw: str, at: int) -> None:
        """Warn if the line looks like a command or a link and is text."""
        number = self.lines.number
        if look_alike(raw, at, number, self.notes):
            return
        found = _CASED(raw, at)
        if found is None or found.end() < len(raw):
            return
        name = found[1].upper()
        if name != found[1] and (name in COMMANDS or name in self.events):
            message = f"{quoted(found[0])} is text: commands are written in capitals"
            hint = f"write [{name}{found[2]}]"
            rewrite = Rewrite(at + 2, len(name), name)
            place = (number, at + 1)
            self.notes.warning("COMMAND_CASE", message, *place, hint, rewrite)

    def _command_at(self, raw: str, at: int) -> str:
        found = _NAMED(raw, at)
        if found is None:
            return ""
        end = raw.find("]", found.end())
        return "" if raw.startswith("](", end) else found[1]

    def _command(self, name: str, raw: str, at: int) -> int:
        """Read one command; how many letters of the line stand before its end."""
        number, begin = self.lines.number, at + 1 + len(name)
        before = self.stack.count
        end = self._end_of(raw, begin) or raw.find("]", begin) + 1
        if not end:
            message, hint = f"{name} is not closed", "add ]"
            wide = next((sign for sign in "］】" if raw.find(sign, begin) >= 0), "")
            hint = f"write ] for {wide}" if wide else hint
            self.notes.error("PARAMETER_MALFORMED", message, number, at + 1, hint)
            end = raw.find(wide, begin) + 1 if wide else len(raw) + 1
        command = COMMANDS.get(name) or Command(name, "")
        inner = raw[begin : end - 1]
        bracket = Bracket(command, inner, number, at + 1, begin + 1, self.notes)
        if name in self.events:
            self.stack.emit(event(bracket))
        elif name not in COMMANDS:
            self._unknown(name, at)
        elif name in _HOLDING:
            _HOLDING[name](self, bracket)
        else:
            self.stack.emit(*nodes_of(bracket))
        if self.stack.count == before:
            self.stack.count += 1
        return end

    def _end_of(self, raw: str, begin: int) -> int:
        """How many letters stand before the end of a command; 0 if it is not closed."""
        if self._unclosed != raw:
            found = _INNER(raw, begin)
            if found:
                return found.end()
            # From here on the line is looked at as a whole, once for all its commands.
            self._unclosed = raw
        return _ends_in(raw).find_after(begin)

    def _unknown(self, name: str, at: int) -> None:
        near = "" if self.notes.full else nearest(name, (*COMMANDS, *self.events))
        declare = f"declare it in the front matter: events: [{name}]"
        hint = f"write \\[ for a bracket in the text, or {declare}"
        hint = f"did you mean {near!r}?" if near else hint
        message = f"there is no command {quoted(name)}"
        rewrite = Rewrite(at + 2, len(name), near) if near else None
        place = (self.lines.number, at + 1)
        self.notes.error("COMMAND_UNKNOWN", message, *place, hint, rewrite)

    def _say(self, bracket: Bracket) -> None:
        given = given_in(bracket) or {}
        self.notes.old("SAY", bracket.line, bracket.column)
        speaker = given["speaker"].value if "speaker" in given else ""
        self.paragraph.say(speaker, bracket.line, bracket.column)

    def _if(self, bracket: Bracket) -> None:
        self.notes.old("IF", bracket.line, bracket.column)
        read = condition(bracket)
        place = (bracket.line, bracket.column)
        asked = read[0] if read else parse_expression("false", *place)
        frame = Cases("[IF]", *place, asked, "IF")
        if not self._turns_later():
            frame.brief, frame.indent = True, self.stack.top.indent
        self.stack.push(frame)

    def _else(self, bracket: Bracket) -> None:
        top = self.stack.find_if() and self.stack.top
        if isinstance(top, Cases) and top.when is not None:
            top.turn(None, bracket.line, bracket.column)
            return
        self._unopened("[ELSE]", bracket)

    def _end_if(self, bracket: Bracket) -> None:
        if not self.stack.end_if(bracket.line):
            self._unopened("[ENDIF]", bracket)

    def _unopened(self, what: str, bracket: Bracket) -> None:
        message = f"this {what} belongs to no [IF]"
        hint = "open it with [IF …] before this"
        place = (bracket.line, bracket.column)
        self.notes.error("BLOCK_UNOPENED", message, *place, hint)

    def _turns_later(self) -> bool:
        """Whether an [ELSE] or [ENDIF] follows before the next heading."""
        if self._turns is None:
            found = (
                (n, turn)
                for n, each in enumerate(self.lines.all)
                if (turn := _TURNS(each))
            )
            self._turns = [(n, bool(turn[1])) for n, turn in found]
            self._turns.reverse()
        while self._turns and self._turns[-1][0] < self.lines.number:
            self._turns.pop()
        return bool(self._turns) and self._turns[-1][1]


_HOLDING: dict[str, Callable[[Orders, Bracket], None]] = {
    "SAY": Orders._say,
    "IF": Orders._if,
    "ELSE": Orders._else,
    "ENDIF": Orders._end_if,
}
"""Commands that hold what follows them."""
