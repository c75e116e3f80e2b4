"""What a bracket command becomes in the tree.

Commands that hold what follows them (SAY, IF, ELSE, ENDIF) are read in `markdown`.
"""

import re
from collections.abc import Callable
from math import isfinite
from typing import Literal, NamedTuple

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.command import Command, Given, choices, parameters
from saniwa.script.expression import Expression, ExpressionProblem, parse_expression
from saniwa.script.frame import MOST_OPTIONS
from saniwa.script.inline import words_at
from saniwa.script.link import command_target
from saniwa.script.notes import Notes
from saniwa.script.stack import too_many
from saniwa.script.value import literal

_Operator = Literal["=", "+=", "-=", "*=", "/="]
_Heard = Literal["bgm", "se", "movie"]


class Bracket(NamedTuple):
    """A command as it stands in a line."""

    command: Command
    """Which."""
    inner: str
    """What stands behind its name."""
    line: int
    """Where it stands."""
    column: int
    """Where its `[` stands."""
    inner_column: int
    """Where `inner` begins."""
    notes: Notes
    """Takes what is wrong with it."""

    def error(self, code: str, message: str, column: int, hint: str = "") -> None:
        """Keep what must be put right."""
        self.notes.error(code, message, self.line, column, hint)

    def expression(self, text: str, column: int) -> Expression | None:
        """The expression; None and a finding if it is none."""
        return expression_at(text, self.line, column, self.notes)


def expression_at(text: str, line: int, column: int, notes: Notes) -> Expression | None:
    """The expression that stands there; None and a finding if it is none."""
    try:
        return parse_expression(text, line, column)
    except ExpressionProblem as problem:
        notes.error(
            "EXPRESSION_MALFORMED", problem.message, line, problem.column, problem.hint
        )
        return None


def nodes_of(bracket: Bracket) -> tuple[node.Node, ...]:
    """The elements a command stands for; none where it cannot be read."""
    made = _MAKERS[bracket.command.name](bracket)
    if made is None:
        return ()
    return made if isinstance(made, tuple) else (made,)


def event(bracket: Bracket) -> node.Event:
    """A command of the host's own, with everything that stands in it."""
    given = parameters(bracket.inner, bracket.inner_column)
    values = tuple((each.key or "value", each.value) for each in given)
    return node.Event(
        bracket.line, bracket.column, bracket.line, bracket.command.name, values
    )


def given_in(bracket: Bracket) -> dict[str, Given] | None:
    """The parameters under the names we use; None where a required one is missing."""
    command, found = bracket.command, {}
    for each in parameters(bracket.inner, bracket.inner_column):
        name = _name(bracket, each)
        if name in found:
            message = f"{command.name} takes one {name!r}"
            bracket.error("PARAMETER_MALFORMED", message, each.key_column, "leave one")
        elif name:
            found[name] = each
        if each.stray:
            message = f"{quoted(each.stray)} belongs to no parameter"
            hint = "write key=value, with quotes where a value has commas"
            bracket.error("PARAMETER_MALFORMED", message, each.column, hint)
    missing = [p.name for p in command.parameters if p.required and p.name not in found]
    for name in missing:
        message = f"{command.name} needs {name!r}"
        bracket.error("PARAMETER_MISSING", message, bracket.column, f"add {name}=…")
    return None if missing else found


def _name(bracket: Bracket, each: Given) -> str:
    """The parameter's own name; empty, with a finding, if the command has no such."""
    command = bracket.command
    if not each.key:
        if not command.bare:
            message = f"{quoted(each.value)} is no parameter of {command.name}"
            bracket.error("PARAMETER_MALFORMED", message, each.column, _usual(command))
        return command.bare
    known = command.parameter(each.key)
    if known is not None:
        return known.name
    if command.open:
        return each.key
    names = [p.name for p in command.parameters]
    bracket.notes.warning(
        "PARAMETER_MALFORMED",
        f"{command.name} has no parameter {quoted(each.key)}",
        bracket.line,
        each.key_column,
        (not bracket.notes.full and did_you_mean(each.key, names)) or _usual(command),
    )
    return ""


def _usual(command: Command) -> str:
    names = ", ".join(p.name for p in command.parameters)
    return f"it takes {names}" if names else "it takes none"


_Made = node.Node | tuple[node.Node, ...] | None
_Maker = Callable[[Bracket], _Made]


def _picture(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    file, layer = given["file"], given.get("layer")
    shown = layer.value if layer and layer.value else "main"
    return node.Picture(b.line, b.column, b.line, file.value, shown, file.column)


def _sound(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    kind = _SOUNDS[b.command.name]
    name = given["file" if kind == "movie" else "name"]
    return node.Sound(b.line, b.column, b.line, kind, name.value, name.column)


def _clear(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    return node.Clear(b.line, b.column, b.line, given["layer"].value)


_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(ms|s|secs?|seconds?)?", re.I)


def _pause(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    said = given["seconds"]
    found = _SECONDS.fullmatch(said.value)
    seconds = float(found[1]) if found else float("inf")
    if found is None or not isfinite(seconds):
        message = f"{quoted(said.value)} is no time to wait"
        hint = "write seconds, such as [WAIT 1.5s]"
        b.error("PARAMETER_MALFORMED", message, said.column, hint)
        return None
    if (found[2] or "").lower() == "ms":
        seconds /= 1000
    return node.Pause(b.line, b.column, b.line, seconds)


def _label(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    name = given["name"]
    b.notes.old(b.command.name, b.line, b.column)
    return node.Label(b.line, b.column, b.line, name.value, "label", name.column)


def _jump(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    call = b.command.name == "CALL"
    if not call:
        b.notes.old(b.command.name, b.line, b.column)
    label = given["label"]
    target = command_target(label.value, b.line, label.column)
    return node.Jump(b.line, b.column, b.line, target, call, b.command.name)


def _return(b: Bracket) -> _Made:
    given_in(b)
    return node.Return(b.line, b.column, b.line)


def _ending(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    id, name = given.get("id"), given.get("name")
    if id is None and name is None:
        message = f"{b.command.name} does not say which ending"
        b.notes.warning("PARAMETER_MISSING", message, b.line, b.column, "add id=…")
    b.notes.old(b.command.name, b.line, b.column)
    shown = name.value if name else ""
    return node.Ending(
        b.line, b.column, b.line, id.value if id else shown, shown, b.command.name
    )


def _event(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    values = tuple((key, each.value) for key, each in given.items() if key != "name")
    name = given["name"].value if "name" in given else b.command.name
    return node.Event(b.line, b.column, b.line, name, values)


def _ask(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    prompt, name = given.get("prompt"), given.get("name")
    words = words_at(prompt.value, b.line, prompt.column, b.notes) if prompt else ""
    if name is None:
        return node.Ask(b.line, b.column, b.line, words)
    if not _is_variable(b, name.value, name.column):
        return None
    return node.Ask(b.line, b.column, b.line, words, name.value, name.column)


def _deed(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    said = given["words"]
    words = words_at(said.value, b.line, said.column, b.notes)
    return node.Deed(b.line, b.column, b.line, words)


_ASSIGNED = re.compile(r"([^=+\-*/!<>]*+)(=|\+=|-=|\*=|/=)(?!=)(.*)", re.DOTALL)


def _set(b: Bracket) -> _Made:
    found = _ASSIGNED.fullmatch(b.inner)
    if found is None:
        message = "SET names no variable and value"
        hint = "write [SET name = value] or [SET name += 1]"
        b.error("PARAMETER_MALFORMED", message, b.column, hint)
        return None
    if found[1].strip() in ("name", "value"):
        given = {each.key: each for each in parameters(b.inner, b.inner_column)}
        if given.keys() == {"name", "value"}:
            b.notes.old("SET name= value=", b.line, b.column)
            return _assign(b, given["name"], "=", given["value"], "SET")
    name = found[1].strip()
    at = b.inner_column + len(found[1]) - len(found[1].lstrip())
    if not _is_variable(b, name, at):
        return None
    worth = b.expression(found[3], b.inner_column + found.start(3))
    if worth is None:
        return None
    return node.Assign(b.line, b.column, b.line, name, at, _operator(found[2]), worth)


def _assign(b: Bracket, name: Given, operator: str, value: Given, old: str) -> _Made:
    worth = b.expression(_written(value.value, old), value.column)
    if worth is None or not _is_variable(b, name.value, name.column):
        return None
    return node.Assign(
        b.line,
        b.column,
        b.line,
        name.value,
        name.column,
        _operator(operator),
        worth,
        old,
    )


def _operator(text: str) -> _Operator:
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


def _modify(b: Bracket) -> _Made:
    given = given_in(b)
    if given is None:
        return None
    b.notes.old(b.command.name, b.line, b.column)
    op = given["op"]
    if op.value.lower() not in _OPERATORS:
        message = f"there is no operation {quoted(op.value)}"
        hint = did_you_mean(op.value, _OPERATORS) or "write add, sub, mul or div"
        b.error("PARAMETER_MALFORMED", message, op.column, hint)
        return None
    return _assign(b, given["name"], op.value, given["value"], "MODIFY")


def _written(value: str, old: str = "") -> str:
    """An old parameter as an expression: a number, true/false, else text in quotes."""
    meant = literal(value)
    if not isinstance(meant, str):
        return value.lower() if isinstance(meant, bool) else value
    if old == "MODIFY" and value.isidentifier():
        return value
    escaped = meant.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_variable(b: Bracket, name: str, column: int) -> bool:
    if name.isidentifier():
        return True
    message = f"{quoted(name)} cannot be the name of a variable"
    hint = "use letters, numbers and _, a letter first"
    b.error("PARAMETER_MALFORMED", message, column, hint)
    return False


_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_COMPARED |= {mark: mark for mark in _COMPARED.values()} | {"=": "=="}


def condition(b: Bracket) -> tuple[Expression, dict[str, Given]] | None:
    """The condition of IF and JUMP_IF, written either way, and all that was given."""
    given = given_in(b)
    if given is None:
        return None
    asked = _asked(b, given)
    return None if asked is None else (asked, given)


def _asked(b: Bracket, given: dict[str, Given]) -> Expression | None:
    plain = given.get("when")
    if plain is not None:
        return b.expression(plain.value, plain.column)
    if "var" not in given:
        message = f"{b.command.name} has no condition"
        b.error("PARAMETER_MISSING", message, b.column, "write it behind the name")
        return None
    var, cmp, value = given["var"], given.get("cmp"), given.get("value")
    if not _is_variable(b, var.value, var.column):
        return None
    if value is None:
        return b.expression(var.value, var.column)
    mark = _COMPARED.get(cmp.value.lower()) if cmp else "=="
    if cmp and mark is None:
        message = f"there is no comparison {quoted(cmp.value)}"
        hint = did_you_mean(cmp.value, _COMPARED) or "write eq, ne, lt, le, gt or ge"
        b.error("PARAMETER_MALFORMED", message, cmp.column, hint)
        return None
    return b.expression(f"{var.value} {mark} {_written(value.value)}", var.column)


def _jump_if(b: Bracket) -> _Made:
    b.notes.old(b.command.name, b.line, b.column)
    read = condition(b)
    if read is None:
        return None
    asked, given = read
    label = given["label"]
    target = command_target(label.value, b.line, label.column)
    jump = node.Jump(b.line, b.column, b.line, target, False, "JUMP")
    case = node.Case(b.line, b.column, b.line, asked, (jump,))
    return node.When(b.line, b.column, b.line, (case,), b.command.name)


def _branch(b: Bracket) -> _Made:
    b.notes.old(b.command.name, b.line, b.column)
    drafts: list[dict[str, Given]] = []
    for each in choices(b.inner, b.inner_column):
        if each.key == "choice":
            drafts.append({"choice": each})
        elif not each.key or not drafts or each.key in drafts[-1]:
            shown = quoted(f"{each.key}={each.value}" if each.key else each.value)
            hint = "write choice=… label=…, choice=… label=…"
            message = f"{shown} belongs to no choice"
            b.error("PARAMETER_MALFORMED", message, each.key_column, hint)
        else:
            drafts[-1][each.key] = each
    if not drafts:
        hint = "write choice=… label=…, choice=… label=…"
        b.error("PARAMETER_MISSING", "BRANCH has no choice", b.column, hint)
        return None
    if len(drafts) > MOST_OPTIONS:
        too_many(b.notes, b.line, drafts[MOST_OPTIONS]["choice"].key_column)
    options = tuple(_option(b, draft) for draft in drafts[:MOST_OPTIONS])
    return node.Choice(b.line, b.column, b.line, options, b.command.name)


def _option(b: Bracket, draft: dict[str, Given]) -> node.Option:
    choice = draft["choice"]
    to, only_if = draft.get("label", choice), draft.get("if")
    return node.Option(
        b.line,
        choice.key_column,
        b.line,
        words_at(choice.value, b.line, choice.column, b.notes),
        command_target(to.value, b.line, to.column),
        only_if=b.expression(only_if.value, only_if.column) if only_if else None,
    )


_SOUNDS: dict[str, _Heard] = {
    "PLAY_BGM": "bgm",
    "PLAY_MUSIC": "bgm",
    "PLAY_SE": "se",
    "PLAY_MOVIE": "movie",
}
_MAKERS: dict[str, _Maker] = {
    "SHOW_IMAGE": _picture,
    **dict.fromkeys(_SOUNDS, _sound),
    "CLEAR_LAYER": _clear,
    "WAIT": _pause,
    "BRANCH": _branch,
    "LABEL": _label,
    "JUMP": _jump,
    "CALL": _jump,
    "RETURN": _return,
    "SET": _set,
    "MODIFY": _modify,
    "JUMP_IF": _jump_if,
    "ENDING": _ending,
    "END": _ending,
    "EVENT": _event,
    "EMIT_EVENT": _event,
    "SHOW_TEXT_EFFECT": event,
    "ASK": _ask,
    "DO": _deed,
}
