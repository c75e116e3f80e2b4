"""Commands that ask before they do something: IF and JUMP_IF."""

import msgspec

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.language.asking import Scope, Worth
from saniwa.script.language.expression import Expression
from saniwa.script.language.value import COMPARISONS, Value, kind_of, literal
from saniwa.script.reading.assign import written
from saniwa.script.reading.bracket import Bracket, given_in, is_variable
from saniwa.script.reading.command import Given
from saniwa.script.reading.link import command_target

_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_COMPARED |= {mark: mark for mark in _COMPARED.values()} | {"=": "=="}


def condition(b: Bracket) -> tuple[Expression, dict[str, Given]] | None:
    """The condition of IF and JUMP_IF, written either way, and all that was given.

    Written in parameters, a JUMP_IF asks as it did in the first engine.
    """
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
    source = f"{var.value} {mark} {written(value.value)}"
    asked = b.expression(source, var.column)
    if asked is None or b.command.name != "JUMP_IF":
        return asked
    wanted = literal(value.value)
    strict = _strict(mark or "==", wanted)
    if not strict:
        return asked
    before = _as_before(var.value, mark or "==", wanted)
    return msgspec.structs.replace(asked, worth=before, strict=strict)


def _strict(mark: str, wanted: Value) -> str:
    """The kind a variable must have, if the first engine said no where we say yes."""
    kind = kind_of(wanted)
    if mark not in ("==", "!=") and kind != "number":
        return "never"
    return kind if mark == "!=" or COMPARISONS[mark](None, wanted) else ""


def _as_before(name: str, mark: str, wanted: Value) -> Worth:
    """What the first engine asked: nothing holds of what is unset or of another kind."""
    compare, kind = COMPARISONS[mark], kind_of(wanted)
    unordered = kind != "number" and mark not in ("==", "!=")

    def worth(scope: Scope) -> Value:
        value = scope.variables.get(name)
        if value is None or unordered or kind_of(value) != kind:
            return False
        return compare(value, wanted)

    return worth


def jump_if(b: Bracket) -> node.Node | None:
    """What [JUMP_IF …] does."""
    read = condition(b)
    if read is None:
        return None
    asked, given = read
    if "when" not in given:
        b.notes.old(b.command.name, b.line, b.column)
    label = given["label"]
    target = command_target(label.value, b.line, label.column)
    jump = node.Jump(b.line, b.column, b.line, target, False, "JUMP")
    case = node.Case(b.line, b.column, b.line, asked, (jump,))
    return node.When(b.line, b.column, b.line, (case,), b.command.name)
