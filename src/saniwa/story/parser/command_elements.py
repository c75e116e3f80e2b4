"""Build the elements of bracket commands.

Commands that apply to what follows them (SAY, IF, ELSE, ENDIF) are read in
`command_lines`.
"""

import re
from collections.abc import Callable
from math import isfinite
from typing import Literal

import msgspec

from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.story import elements
from saniwa.story.evaluation import (
    COMPARISONS,
    Evaluator,
    ExpressionScope,
    Value,
    classify_value,
    parse_literal,
)
from saniwa.story.expressions import Expression
from saniwa.story.finding_collector import TextReplacement
from saniwa.story.links import parse_command_target
from saniwa.story.parser.block_stack import MOST_OPTIONS, report_too_many_options
from saniwa.story.parser.commands import (
    BracketCommand,
    CommandArgument,
    check_variable_name,
    parse_arguments,
    report_missing_value,
    split_choices,
    split_parameters,
)
from saniwa.story.parser.inline_text import parse_words_at

_Operator = Literal["=", "+=", "-=", "*=", "/="]
_ASSIGNED = re.compile(r"([^=+\-*/!<>]*+)(=|\+=|-=|\*=|/=)(?!=)(.*)", re.DOTALL)


def build_set(b: BracketCommand) -> elements.Element | None:
    """Build [SET …], in its new or old form."""
    found = _ASSIGNED.fullmatch(b.inner)
    if found is None:
        message = "SET names no variable and value"
        hint = "write [SET name = value] or [SET name += 1]"
        b.add_error("PARAMETER_MALFORMED", message, b.column, hint)
        return None
    name = found[1].strip()
    if name in ("name", "value"):
        given = {each.key: each for each in split_parameters(b.inner, b.inner_column)}
        if given.keys() == {"name", "value"}:
            b.notes.count_old_notation("SET name= value=", b.line, b.column)
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
    return elements.AssignElement(
        b.line, b.column, b.line, name, at, _parse_operator(found[2]), worth
    )


def _has_wrong_value(b: BracketCommand, found: re.Match[str], column: int) -> bool:
    """Report a missing value, or `=+` in place of `+=`."""
    value, sign = found[3], found[3][:1]
    if not value.strip():
        hint = f"a value is missing: [SET {found[1].strip()} {found[2]} 1]"
        b.add_error("EXPRESSION_MALFORMED", "there is no expression here", column, hint)
        return True
    if found[2] == "=" and sign and sign in "+*/":
        message = f"{'=' + sign!r} changes nothing"
        rewrite = TextReplacement(column - 1, 2, f"{sign}=")
        place = (b.line, column - 1, f"did you mean {sign}=?", rewrite)
        b.notes.add_error("EXPRESSION_MALFORMED", message, *place)
        return True
    return False


def _make_assign(
    b: BracketCommand, name: CommandArgument, operator: str, value: CommandArgument, old: str
) -> elements.Element | None:
    worth = b.read_expression(to_expression_text(value.value, old), value.column)
    if worth is None or not check_variable_name(b, name.value, name.column):
        return None
    return elements.AssignElement(
        b.line, b.column, b.line, name.value, name.column, _parse_operator(operator), worth, old
    )


def _parse_operator(text: str) -> _Operator:
    return _OPERATORS[text.lower()]


_OPERATORS: dict[str, _Operator] = {
    "=": "=",
    "+=": "+=",
    "-=": "-=",
    "*=": "*=",
    "/=": "/=",
    "set": "=",
    "add": "+=",
    "sub": "-=",
    "mul": "*=",
    "div": "/=",
    "+": "+=",
    "-": "-=",
    "*": "*=",
    "/": "/=",
}


def build_modify(b: BracketCommand) -> elements.Element | None:
    """Build the old [MODIFY …]."""
    given = parse_arguments(b)
    if given is None:
        return None
    b.notes.count_old_notation(b.command.name, b.line, b.column)
    op = given["op"]
    if op.value.lower() not in _OPERATORS:
        message = f"there is no operation {quote_value(op.value)}"
        hint = suggest_nearest(op.value, _OPERATORS) or "write add, sub, mul or div"
        b.add_error("PARAMETER_MALFORMED", message, op.column, hint)
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


def build_branch(b: BracketCommand) -> elements.ChoiceElement | None:
    """Build the choice; None if it has no option."""
    b.notes.count_old_notation(b.command.name, b.line, b.column)
    drafts: list[dict[str, CommandArgument]] = []
    for each in split_choices(b.inner, b.inner_column):
        if each.is_unclosed:
            message = f"the quotation mark of {quote_value(each.value)} is not closed"
            b.add_error("PARAMETER_MALFORMED", message, each.column, 'add "')
        if each.key == "choice":
            drafts.append({"choice": each})
            if not each.value:
                report_missing_value(b, "choice", each)
        elif not each.key or not drafts or each.key in drafts[-1]:
            shown = quote_value(f"{each.key}={each.value}" if each.key else each.value)
            hint = "write choice=… label=…, choice=… label=…"
            message = f"{shown} belongs to no choice"
            b.add_error("PARAMETER_MALFORMED", message, each.key_column, hint)
        else:
            drafts[-1][each.key] = each
    if not drafts:
        hint = "write choice=… label=…, choice=… label=…"
        b.add_error("PARAMETER_MISSING", "BRANCH has no choice", b.column, hint)
        return None
    if len(drafts) > MOST_OPTIONS:
        report_too_many_options(b.notes, b.line, drafts[MOST_OPTIONS]["choice"].key_column)
    options = tuple(_make_option(b, draft) for draft in drafts[:MOST_OPTIONS])
    return elements.ChoiceElement(b.line, b.column, b.line, options, b.command.name)


def _make_option(b: BracketCommand, draft: dict[str, CommandArgument]) -> elements.ChoiceOption:
    choice = draft["choice"]
    to, only_if = draft.get("label", choice), draft.get("if")
    return elements.ChoiceOption(
        b.line,
        choice.key_column,
        b.line,
        parse_words_at(choice.value, b.line, choice.column, b.notes),
        parse_command_target(to.value, b.line, to.column),
        only_if=b.read_expression(only_if.value, only_if.column) if only_if else None,
    )


_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_COMPARED |= {mark: mark for mark in _COMPARED.values()} | {"=": "=="}


def parse_condition(b: BracketCommand) -> tuple[Expression, dict[str, CommandArgument]] | None:
    """Parse the condition of IF and JUMP_IF, in either form; return all arguments too.

    A JUMP_IF with parameters is evaluated as in the first engine.
    """
    given = parse_arguments(b)
    if given is None:
        return None
    asked = _parse_test(b, given)
    return None if asked is None else (asked, given)


def _parse_test(b: BracketCommand, given: dict[str, CommandArgument]) -> Expression | None:
    plain = given.get("when")
    if plain is not None:
        return b.read_expression(plain.value, plain.column)
    if "var" not in given:
        message = f"{b.command.name} has no condition"
        b.add_error("PARAMETER_MISSING", message, b.column, "write it behind the name")
        return None
    var, cmp, value = given["var"], given.get("cmp"), given.get("value")
    if not check_variable_name(b, var.value, var.column):
        return None
    if value is None:
        return b.read_expression(var.value, var.column)
    mark = _COMPARED.get(cmp.value.lower()) if cmp else "=="
    if cmp and mark is None:
        message = f"there is no comparison {quote_value(cmp.value)}"
        hint = suggest_nearest(cmp.value, _COMPARED) or "write eq, ne, lt, le, gt or ge"
        b.add_error("PARAMETER_MALFORMED", message, cmp.column, hint)
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


def build_jump_if(b: BracketCommand) -> elements.Element | None:
    """Build [JUMP_IF …]."""
    read = parse_condition(b)
    if read is None:
        return None
    asked, given = read
    if "when" not in given:
        b.notes.count_old_notation(b.command.name, b.line, b.column)
    label = given["label"]
    target = parse_command_target(label.value, b.line, label.column)
    jump = elements.JumpElement(b.line, b.column, b.line, target, False, "JUMP")
    case = elements.WhenCase(b.line, b.column, b.line, asked, (jump,))
    return elements.WhenElement(b.line, b.column, b.line, (case,), b.command.name)


_SoundKind = Literal["bgm", "se", "movie"]
_BuiltElement = elements.Element | None
_Builder = Callable[[BracketCommand], _BuiltElement]


def build_elements(bracket: BracketCommand) -> tuple[elements.Element, ...]:
    """Build the elements of a command; none if it is invalid."""
    made = _BUILDERS[bracket.command.name](bracket)
    return () if made is None else (made,)


def build_event(bracket: BracketCommand) -> elements.EventElement:
    """Build an event from a command of the host's own, with all its parameters."""
    given = split_parameters(bracket.inner, bracket.inner_column)
    values = tuple((each.key or "value", each.value) for each in given)
    return elements.EventElement(
        bracket.line, bracket.column, bracket.line, bracket.command.name, values
    )


def _build_picture(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    file, layer = given["file"], given.get("layer")
    shown = layer.value if layer and layer.value else "main"
    return elements.PictureElement(b.line, b.column, b.line, file.value, shown, file.column)


def _build_sound(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    kind = _SOUNDS[b.command.name]
    name = given["file" if kind == "movie" else "name"]
    return elements.SoundElement(b.line, b.column, b.line, kind, name.value, name.column)


def _build_clear(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    return elements.ClearElement(b.line, b.column, b.line, given["layer"].value)


_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(ms|s|secs?|seconds?)?", re.I)


def _build_pause(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    said = given["seconds"]
    found = _SECONDS.fullmatch(said.value)
    seconds = float(found[1]) if found else float("inf")
    if found is None or not isfinite(seconds):
        message = f"{quote_value(said.value)} is no time to wait"
        hint = "write seconds, such as [WAIT 1.5s]"
        b.add_error("PARAMETER_MALFORMED", message, said.column, hint)
        return None
    if (found[2] or "").lower() == "ms":
        seconds /= 1000
    return elements.PauseElement(b.line, b.column, b.line, seconds)


def _build_label(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    name = given["name"]
    b.notes.count_old_notation(b.command.name, b.line, b.column)
    return elements.LabelElement(b.line, b.column, b.line, name.value, "label", name.column)


def _build_jump(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    call = b.command.name == "CALL"
    if not call:
        b.notes.count_old_notation(b.command.name, b.line, b.column)
    label = given["label"]
    target = parse_command_target(label.value, b.line, label.column)
    return elements.JumpElement(b.line, b.column, b.line, target, call, b.command.name)


def _build_return(b: BracketCommand) -> _BuiltElement:
    parse_arguments(b)
    return elements.ReturnElement(b.line, b.column, b.line)


def _build_ending(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    id, name = given.get("id"), given.get("name")
    if not (id and id.value) and not (name and name.value):
        message = f"{b.command.name} does not say which ending"
        b.notes.add_warning("PARAMETER_MISSING", message, b.line, b.column, "add id=…")
    shown = name.value if name else ""
    return elements.EndingElement(
        b.line, b.column, b.line, (id and id.value) or shown, shown, b.command.name
    )


def _build_event_command(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    values = tuple((key, each.value) for key, each in given.items() if key != "name")
    name = given["name"].value if "name" in given else b.command.name
    return elements.EventElement(b.line, b.column, b.line, name, values)


def _build_ask(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    prompt, name = given.get("prompt"), given.get("name")
    words = parse_words_at(prompt.value, b.line, prompt.column, b.notes) if prompt else ""
    if name is None:
        return elements.AskElement(b.line, b.column, b.line, words)
    if not check_variable_name(b, name.value, name.column):
        return None
    return elements.AskElement(b.line, b.column, b.line, words, name.value, name.column)


def _build_do(b: BracketCommand) -> _BuiltElement:
    given = parse_arguments(b)
    if given is None:
        return None
    said = given["words"]
    words = parse_words_at(said.value, b.line, said.column, b.notes)
    return elements.DoElement(b.line, b.column, b.line, words)


_SOUNDS: dict[str, _SoundKind] = {
    "PLAY_BGM": "bgm",
    "PLAY_MUSIC": "bgm",
    "PLAY_SE": "se",
    "PLAY_MOVIE": "movie",
}
_BUILDERS: dict[str, _Builder] = {
    "SHOW_IMAGE": _build_picture,
    **dict.fromkeys(_SOUNDS, _build_sound),
    "CLEAR_LAYER": _build_clear,
    "WAIT": _build_pause,
    "BRANCH": build_branch,
    "LABEL": _build_label,
    "JUMP": _build_jump,
    "CALL": _build_jump,
    "RETURN": _build_return,
    "SET": build_set,
    "MODIFY": build_modify,
    "JUMP_IF": build_jump_if,
    "ENDING": _build_ending,
    "END": _build_ending,
    "EVENT": _build_event_command,
    "EMIT_EVENT": _build_event_command,
    "SHOW_TEXT_EFFECT": build_event,
    "ASK": _build_ask,
    "DO": _build_do,
}
