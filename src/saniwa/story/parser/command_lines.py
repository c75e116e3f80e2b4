"""Read lines that begin with `[`: one or more commands, or a link on its own.

Builds the elements of the commands, and applies those that are about what follows them
(SAY, IF, ELSE, ENDIF).
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import Literal

import msgspec

from saniwa.core.suggestions import find_nearest
from saniwa.story import elements
from saniwa.story.expression_parser import Expression, parse_expression
from saniwa.story.finding_collector import TextReplacement
from saniwa.story.link_parser import parse_whole_link, warn_unbalanced_link
from saniwa.story.parser.block_stack import MOST_OPTIONS, OpenWhen, report_too_many_options
from saniwa.story.parser.commands import (
    COMMANDS,
    BracketCommand,
    CommandArgument,
    CommandArguments,
    CommandDefinition,
    check_variable_name,
    parse_arguments,
    report_missing_value,
    split_choices,
    split_parameters,
)
from saniwa.story.parser.paragraphs import ParagraphReader
from saniwa.story.parser.source_lines import SourceLines, skip_blanks, warn_wide_line
from saniwa.story.value_operations import (
    COMPARISONS,
    Evaluator,
    ExpressionScope,
    Value,
    classify_value,
    parse_literal,
)

_BuiltElement = elements.Element | None
_Operator = Literal["=", "+=", "-=", "*=", "/="]
_ASSIGNED = re.compile(r"([^=+\-*/!<>]*+)(=|\+=|-=|\*=|/=)(?!=)(.*)", re.DOTALL)


def _build_set(b: BracketCommand) -> elements.Element | None:
    """Build [SET …], in its new or old form."""
    found = _ASSIGNED.fullmatch(b.inner)
    if found is None:
        b.add("PARAMETER_MALFORMED/set", b.column)
        return None
    name = found[1].strip()
    if name in ("name", "value"):
        given = {each.key: each for each in split_parameters(b.inner, b.inner_column)}
        if given.keys() == {"name", "value"}:
            b.count_old_notation("SET name= value=")
            empty = [k for k, each in given.items() if not (each.value or each.quoted)]
            for key in empty:
                report_missing_value(b, key, given[key])
            if empty:
                return None
            return _make_assign(b, given["name"], "=", given["value"], "SET")
    at = b.inner_column + found[1].find(name)
    if not check_variable_name(b, name, at):
        return None
    at_value = b.inner_column + found.start(3)
    value = found[3]
    if (value[:1] in "+*/" or value.isspace()) and _has_wrong_value(b, found, at_value):
        return None
    worth = b.read_expression(value, at_value)
    if worth is None:
        return None
    return elements.AssignElement(*b.span, name, at, _OPERATORS[found[2]], worth)


def _has_wrong_value(b: BracketCommand, found: re.Match[str], column: int) -> bool:
    """Report a missing value, or `=+` in place of `+=`."""
    value, sign = found[3], found[3][:1]
    if not value.strip():
        values = {"name": found[1].strip(), "operator": found[2]}
        b.add("EXPRESSION_MALFORMED/no_value", column, **values)
        return True
    if found[2] == "=" and sign and sign in "+*/":
        fix = TextReplacement(column - 1, 2, f"{sign}=")
        b.add(
            "EXPRESSION_MALFORMED/turned", column - 1, fix=fix, written=f"={sign}", meant=fix.text
        )
        return True
    return False


def _make_assign(
    b: BracketCommand, name: CommandArgument, operator: str, value: CommandArgument, old: str
) -> elements.Element | None:
    worth = b.read_expression(to_expression_text(value.value, old), value.column)
    if worth is None or not check_variable_name(b, name.value, name.column):
        return None
    return elements.AssignElement(
        *b.span, name.value, name.column, _OPERATORS[operator.lower()], worth, old
    )


_MARKS: tuple[_Operator, ...] = ("=", "+=", "-=", "*=", "/=")
_WORDS = ("set", "add", "sub", "mul", "div")
_OPERATORS: dict[str, _Operator] = {
    **dict(zip(_MARKS, _MARKS, strict=True)),
    **dict(zip(_WORDS, _MARKS, strict=True)),
    **{mark[0]: mark for mark in _MARKS[1:]},
}


def _build_modify(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    b.count_old_notation()
    op = given["op"]
    if op.value.lower() not in _OPERATORS:
        near = find_nearest(op.value, _OPERATORS)
        b.add("PARAMETER_MALFORMED/operation", op.column, near=near, value=op.value)
        return None
    return _make_assign(b, given["name"], op.value, given["value"], "MODIFY")


def to_expression_text(value: str, old: str = "") -> str:
    """Write an old parameter as an expression: number, true/false or quoted text."""
    meant = parse_literal(value)
    if not isinstance(meant, str):
        return value.lower() if isinstance(meant, bool) else value
    if old == "MODIFY" and value.isidentifier():
        return value
    escaped = meant.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _build_branch(b: BracketCommand) -> elements.ChoiceElement | None:
    """Build the choice; None if it has no option."""
    b.count_old_notation()
    drafts: list[CommandArguments] = []
    for each in split_choices(b.inner, b.inner_column):
        b.check_closed(each)
        if each.key == "choice":
            drafts.append({"choice": each})
            if not each.value:
                report_missing_value(b, "choice", each)
        elif not each.key or not drafts or each.key in drafts[-1]:
            shown = f"{each.key}={each.value}" if each.key else each.value
            b.add("PARAMETER_MALFORMED/choice", each.key_column, shown=shown)
        else:
            drafts[-1][each.key] = each
    if not drafts:
        b.add("PARAMETER_MISSING/choice", b.column)
        return None
    if len(drafts) > MOST_OPTIONS:
        report_too_many_options(b.notes, b.line, drafts[MOST_OPTIONS]["choice"].key_column)
    options = tuple(_make_option(b, draft) for draft in drafts[:MOST_OPTIONS])
    return elements.ChoiceElement(*b.span, options, b.command.name)


def _make_option(b: BracketCommand, draft: CommandArguments) -> elements.ChoiceOption:
    choice = draft["choice"]
    to, only_if = draft.get("label", choice), draft.get("if")
    return elements.ChoiceOption(
        b.line,
        choice.key_column,
        b.line,
        b.read_words(choice),
        b.read_target(to),
        only_if=b.read_expression(only_if.value, only_if.column) if only_if else None,
    )


_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_COMPARED |= {mark: mark for mark in _COMPARED.values()} | {"=": "=="}


def parse_condition(b: BracketCommand, given: CommandArguments) -> Expression | None:
    """Parse the condition of IF and JUMP_IF, in either form; None if it is invalid."""
    plain = given.get("when")
    if plain is not None:
        return b.read_expression(plain.value, plain.column)
    if "var" not in given:
        b.add("PARAMETER_MISSING/condition", b.column)
        return None
    var, cmp, value = given["var"], given.get("cmp"), given.get("value")
    if not check_variable_name(b, var.value, var.column):
        return None
    if value is None:
        return b.read_expression(var.value, var.column)
    mark = _COMPARED.get(cmp.value.lower()) if cmp else "=="
    if cmp and mark is None:
        near = find_nearest(cmp.value, _COMPARED)
        b.add("PARAMETER_MALFORMED/comparison", cmp.column, near=near, value=cmp.value)
        return None
    source = f"{var.value} {mark} {to_expression_text(value.value)}"
    asked = b.read_expression(source, var.column)
    if asked is None or b.command.name != "JUMP_IF":
        return asked
    wanted = parse_literal(value.value)
    strict = _find_strict_kind(mark or "==", wanted)
    if not strict:
        return asked
    before = _make_old_test(var.value, mark or "==", wanted)
    return msgspec.structs.replace(asked, worth=before, strict=strict)


def _find_strict_kind(mark: str, wanted: Value) -> str:
    """The kind a variable must have, if the first engine's test was stricter."""
    kind = classify_value(wanted)
    if mark not in ("==", "!=") and kind != "number":
        return "never"
    return kind if mark == "!=" or COMPARISONS[mark](None, wanted) else ""


def _make_old_test(name: str, mark: str, wanted: Value) -> Evaluator:
    """Make the first engine's test: false for an unset value or another kind."""
    compare, kind = COMPARISONS[mark], classify_value(wanted)
    unordered = kind != "number" and mark not in ("==", "!=")

    def worth(scope: ExpressionScope) -> Value:
        value = scope.variables.get(name)
        if value is None or unordered or classify_value(value) != kind:
            return False
        return compare(value, wanted)

    return worth


def _build_jump_if(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    asked = parse_condition(b, given)
    if asked is None:
        return None
    if "when" not in given:
        b.count_old_notation()
    target = b.read_target(given["label"])
    jump = elements.JumpElement(*b.span, target, False, "JUMP")
    case = elements.WhenCase(*b.span, asked, (jump,))
    return elements.WhenElement(*b.span, (case,), b.command.name)


def build_elements(bracket: BracketCommand) -> tuple[elements.Element, ...]:
    """Build the elements of a command; none if it is invalid."""
    name = bracket.command.name
    if name in _OWN_READERS:
        made = _OWN_READERS[name](bracket)
    else:
        given = parse_arguments(bracket)
        made = None if given is None else _BUILDERS[name](bracket, given)
    return () if made is None else (made,)


def build_event(bracket: BracketCommand) -> elements.EventElement:
    """Build an event from a command of the host's own, with all its parameters."""
    given = split_parameters(bracket.inner, bracket.inner_column)
    values = tuple((each.key or "value", each.value) for each in given)
    return elements.EventElement(*bracket.span, bracket.command.name, values)


def _build_picture(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    file, layer = given["file"], given.get("layer")
    shown = layer.value if layer and layer.value else "main"
    return elements.PictureElement(*b.span, file.value, shown, file.column)


def _build_sound(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    (parameter,) = b.command.parameters
    kind, name = parameter.values, given[parameter.name]
    assert kind == "bgm" or kind == "se" or kind == "movie"
    return elements.SoundElement(*b.span, kind, name.value, name.column)


_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(ms|s|secs?|seconds?)?", re.I)


def _build_pause(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    said = given["seconds"]
    found = _SECONDS.fullmatch(said.value)
    seconds = float(found[1]) if found else float("inf")
    if found is None or not isfinite(seconds):
        b.add("PARAMETER_MALFORMED/seconds", said.column, value=said.value)
        return None
    if (found[2] or "").lower() == "ms":
        seconds /= 1000
    return elements.PauseElement(*b.span, seconds)


def _build_label(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    name = given["name"]
    b.count_old_notation()
    return elements.LabelElement(*b.span, name.value, "label", name.column)


def _build_jump(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    call = b.command.name == "CALL"
    if not call:
        b.count_old_notation()
    target = b.read_target(given["label"])
    return elements.JumpElement(*b.span, target, call, b.command.name)


def _build_ending(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    id, name = given.get("id"), given.get("name")
    if not (id and id.value) and not (name and name.value):
        b.add("PARAMETER_MISSING/ending", b.column)
    shown = name.value if name else ""
    return elements.EndingElement(*b.span, (id and id.value) or shown, shown, b.command.name)


def _build_event_command(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    values = tuple((key, each.value) for key, each in given.items() if key != "name")
    name = given["name"].value if "name" in given else b.command.name
    return elements.EventElement(*b.span, name, values)


def _build_ask(b: BracketCommand, given: CommandArguments) -> _BuiltElement:
    prompt, name = given.get("prompt"), given.get("name")
    words = b.read_words(prompt) if prompt else ""
    if name is None:
        return elements.AskElement(*b.span, words)
    if not check_variable_name(b, name.value, name.column):
        return None
    return elements.AskElement(*b.span, words, name.value, name.column)


_OWN_READERS: dict[str, Callable[[BracketCommand], _BuiltElement]] = {
    "BRANCH": _build_branch,
    "SET": _build_set,
    "SHOW_TEXT_EFFECT": build_event,
}
"""Commands whose arguments are not split in the usual way."""
_BUILDERS: dict[str, Callable[[BracketCommand, CommandArguments], _BuiltElement]] = {
    "SHOW_IMAGE": _build_picture,
    **dict.fromkeys(("PLAY_BGM", "PLAY_MUSIC", "PLAY_SE", "PLAY_MOVIE"), _build_sound),
    "CLEAR_LAYER": lambda b, given: elements.ClearElement(*b.span, given["layer"].value),
    "WAIT": _build_pause,
    "LABEL": _build_label,
    **dict.fromkeys(("JUMP", "CALL"), _build_jump),
    "RETURN": lambda b, _: elements.ReturnElement(*b.span),
    "MODIFY": _build_modify,
    "JUMP_IF": _build_jump_if,
    **dict.fromkeys(("ENDING", "END"), _build_ending),
    **dict.fromkeys(("EVENT", "EMIT_EVENT"), _build_event_command),
    "ASK": _build_ask,
    "DO": lambda b, given: elements.DoElement(*b.span, b.read_words(given["words"])),
}


# At least two capitals, so that `[A]` and `[X1]` stay text.
_NAMED = re.compile(r"\[([A-Z][0-9_]*+[A-Z][A-Z0-9_]*+)(?=[\s\]])").match
_CASED = re.compile(r"\[([A-Za-z_]{2,40}+)((?:[ \t][^\[\]]*+)?)\]").match
_INNER = re.compile(r'(?:[^\]"]++|"(?:[^"\\]|\\.)*+")*+\]').match
_MARK = re.compile(r'["\\\]]')
_TURNS = re.compile(r"[ \t]*+(?:(\[(?:ELSE|ENDIF)\])|#{1,6}[ \t])").match


class _CommandEnds:
    """Where commands of a line end, for any beginning: as `_INNER` would find it."""

    def __init__(self, raw: str) -> None:
        self._marks = [found.start() for found in _MARK.finditer(raw)]
        count = len(self._marks)
        self._outside, self._inside = [0] * (count + 2), [0] * (count + 2)
        for nth in reversed(range(count)):
            at = self._marks[nth]
            # The character after a backslash is not a mark.
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
        """Return the end of a command that begins there; 0 if it is not closed."""
        return self._outside[bisect_left(self._marks, begin)]


_find_ends = lru_cache(maxsize=4)(_CommandEnds)


class CommandReader:
    """Reads lines of commands, the host's own too."""

    def __init__(self, lines: SourceLines, paragraph: ParagraphReader) -> None:
        self.lines, self.paragraph = lines, paragraph
        self.stack, self.notes = paragraph.stack, paragraph.notes
        self._turns: list[tuple[int, bool]] | None = None
        self._unclosed = ""

    def read_line(self, raw: str, at: int, indent: int) -> bool:
        """Read the line; False if it neither begins with a command nor is a link."""
        jump = self._parse_jump(raw, at)
        name = "" if jump else self._find_command(raw, at)
        if not jump and not name:
            self._warn_nearly(raw, at)
            return False
        self.paragraph.flush()
        self.stack.dedent(indent, self.lines.number)
        while name:
            at = skip_blanks(raw, self._read_command(name, raw, at))
            if at >= len(raw):
                return True
            jump = self._parse_jump(raw, at)
            name = "" if jump else self._find_command(raw, at)
        if not jump and at < len(raw):
            self.paragraph.add_line(raw, at, self.lines.number)
        if jump:
            self.paragraph.flush()
            self.stack.emit(jump)
        return True

    def _parse_jump(self, raw: str, at: int) -> elements.JumpElement | None:
        """Parse the link that is the rest of the line."""
        if raw[-1] != ")" or not raw.startswith("[", at):
            return None
        number = self.lines.number
        link = parse_whole_link(raw, at, number, at + 1, self.notes)
        if link is None:
            return None
        return elements.JumpElement(number, at + 1, number, link.target, link.call)

    def _warn_nearly(self, raw: str, at: int) -> None:
        """Warn if the line looks like a command or a link, but is text."""
        number = self.lines.number
        if warn_wide_line(raw, at, number, self.notes):
            return
        if warn_unbalanced_link(raw, at, number, at + 1, self.notes):
            return
        found = _CASED(raw, at)
        if found is None or found.end() < len(raw):
            return
        name = found[1].upper()
        if name != found[1] and (name in COMMANDS or name in self.stack.events):
            fix = TextReplacement(at + 2, len(name), name)
            shown = {"written": found[0], "name": name, "rest": found[2]}
            self.lines.add("COMMAND_CASE", at + 1, fix=fix, **shown)

    def _find_command(self, raw: str, at: int) -> str:
        found = _NAMED(raw, at)
        if found is None:
            return ""
        end = raw.find("]", found.end())
        return "" if raw.startswith("](", end) else found[1]

    def _read_command(self, name: str, raw: str, at: int) -> int:
        """Read one command; return the offset of its end."""
        number, begin = self.lines.number, at + 1 + len(name)
        before = self.stack.count
        end = self._find_end(raw, begin) or raw.find("]", begin) + 1
        if not end:
            wide = next((sign for sign in "］】" if raw.find(sign, begin) >= 0), "")
            key = f"PARAMETER_MALFORMED/{'unclosed_wide' if wide else 'unclosed'}"
            self.lines.add(key, at + 1, name=name, wide=wide)
            end = raw.find(wide, begin) + 1 if wide else len(raw) + 1
        command = COMMANDS.get(name) or CommandDefinition("", name)
        inner = raw[begin : end - 1]
        bracket = BracketCommand(command, inner, number, at + 1, begin + 1, self.notes)
        if name in self.stack.events:
            self.stack.emit(build_event(bracket))
        elif name not in COMMANDS:
            self._report_unknown(name, at)
        elif name in _BLOCK_COMMANDS:
            _BLOCK_COMMANDS[name](self, bracket)
        else:
            self.stack.emit(*build_elements(bracket))
        if self.stack.count == before:
            self.stack.count += 1
        return end

    def _find_end(self, raw: str, begin: int) -> int:
        """Return the offset of a command's end; 0 if it is not closed."""
        if self._unclosed != raw:
            found = _INNER(raw, begin)
            if found:
                return found.end()
            # From here on the whole line is scanned, once for all its commands.
            self._unclosed = raw
        return _find_ends(raw).find_after(begin)

    def _report_unknown(self, name: str, at: int) -> None:
        near = "" if self.notes.is_full else find_nearest(name, (*COMMANDS, *self.stack.events))
        fix = TextReplacement(at + 2, len(name), near) if near else None
        self.lines.add("COMMAND_UNKNOWN", at + 1, fix=fix, near=near, name=name)

    def _begin_say(self, bracket: BracketCommand) -> None:
        given = parse_arguments(bracket) or {}
        bracket.count_old_notation()
        speaker = given["speaker"].value if "speaker" in given else ""
        self.paragraph.begin_say(speaker, bracket.line, bracket.column)

    def _open_if(self, bracket: BracketCommand) -> None:
        bracket.count_old_notation()
        given, place = parse_arguments(bracket), (bracket.line, bracket.column)
        asked = None if given is None else parse_condition(bracket, given)
        asked = asked or parse_expression("false", *place)
        frame = OpenWhen("[IF]", *place, asked, "IF")
        if not self._has_later_turn():
            frame.brief, frame.indent = True, self.stack.top.indent
        self.stack.push(frame)

    def _open_else(self, bracket: BracketCommand) -> None:
        top = self.stack.close_to_if() and self.stack.top
        if isinstance(top, OpenWhen) and top.when is not None:
            top.start_case(None, bracket.line, bracket.column)
            return
        self._report_unopened("[ELSE]", bracket)

    def _close_if(self, bracket: BracketCommand) -> None:
        if not self.stack.close_if(bracket.line):
            self._report_unopened("[ENDIF]", bracket)

    def _report_unopened(self, what: str, bracket: BracketCommand) -> None:
        bracket.add("BLOCK_UNOPENED/if", bracket.column, what=what)

    def _has_later_turn(self) -> bool:
        """Whether an [ELSE] or [ENDIF] follows before the next heading."""
        if self._turns is None:
            found = ((n, turn) for n, each in enumerate(self.lines.all) if (turn := _TURNS(each)))
            self._turns = [(n, bool(turn[1])) for n, turn in found]
            self._turns.reverse()
        while self._turns and self._turns[-1][0] < self.lines.number:
            self._turns.pop()
        return bool(self._turns) and self._turns[-1][1]


_BLOCK_COMMANDS: dict[str, Callable[[CommandReader, BracketCommand], None]] = {
    "SAY": CommandReader._begin_say,
    "IF": CommandReader._open_if,
    "ELSE": CommandReader._open_else,
    "ENDIF": CommandReader._close_if,
}
"""Commands that apply to what follows them."""
