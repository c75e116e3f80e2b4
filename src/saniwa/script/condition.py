"""Commands that ask before they do something: IF and JUMP_IF."""

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.assign import written
from saniwa.script.bracket import Bracket, given_in, is_variable
from saniwa.script.command import Given
from saniwa.script.expression import Expression
from saniwa.script.link import command_target

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
    if not is_variable(b, var.value, var.column):
        return None
    if value is None:
        return b.expression(var.value, var.column)
    mark = _COMPARED.get(cmp.value.lower()) if cmp else "=="
    if cmp and mark is None:
        message = f"there is no comparison {quoted(cmp.value)}"
        hint = did_you_mean(cmp.value, _COMPARED) or "write eq, ne, lt, le, gt or ge"
        b.error("PARAMETER_MALFORMED", message, cmp.column, hint)
        return None
    return b.expression(f"{var.value} {mark} {written(value.value)}", var.column)


def jump_if(b: Bracket) -> node.Node | None:
    """What [JUMP_IF …] does."""
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
