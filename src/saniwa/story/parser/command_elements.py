"""Build the elements of bracket commands.

Commands that apply to what follows them (SAY, IF, ELSE, ENDIF) are read in
`command_lines`.
"""

import re
from collections.abc import Callable
from math import isfinite
from typing import Literal

import msgspec

from saniwa.core.suggestions import find_nearest
from saniwa.story import elements
from saniwa.story.evaluation import (
    COMPARISONS,
    Evaluator,
    ExpressionScope,
    Value,
    classify_value,
    parse_literal,
)
from saniwa.story.expression_parser import Expression
from saniwa.story.finding_collector import TextReplacement
from saniwa.story.parser.block_stack import MOST_OPTIONS, report_too_many_options
from saniwa.story.parser.commands import (
    BracketCommand,
    CommandArgument,
    CommandArguments,
    check_variable_name,
    parse_arguments,
    report_missing_value,
    split_choices,
    split_parameters,
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
