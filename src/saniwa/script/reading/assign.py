"""Commands that change variables."""

import re
from typing import Literal

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.language.value import literal
from saniwa.script.notes import Rewrite
from saniwa.script.reading.bracket import Bracket, given_in, is_missing, is_variable
from saniwa.script.reading.command import Given, parameters

_Operator = Literal["=", "+=", "-=", "*=", "/="]
_ASSIGNED = re.compile(r"([^=+\-*/!<>]*+)(=|\+=|-=|\*=|/=)(?!=)(.*)", re.DOTALL)


def set_variable(b: Bracket) -> node.Node | None:
    """What [SET …] does, in the new form or the old."""
    found = _ASSIGNED.fullmatch(b.inner)
    if found is None:
        message = "SET names no variable and value"
        hint = "write [SET name = value] or [SET name += 1]"
        b.error("PARAMETER_MALFORMED", message, b.column, hint)
        return None
    name = found[1].strip()
    if name in ("name", "value"):
        given = {each.key: each for each in parameters(b.inner, b.inner_column)}
        if given.keys() == {"name", "value"}:
            b.notes.old("SET name= value=", b.line, b.column)
            empty = [k for k, each in given.items() if not (each.value or each.quoted)]
            for key in empty:
                is_missing(b, key, given[key])
            if empty:
                return None
            return _assign(b, given["name"], "=", given["value"], "SET")
    at = b.inner_column + found[1].find(name)
    if not is_variable(b, name, at):
        return None
    at_value = b.inner_column + found.start(3)
    value = found[3]
    if (value[:1] in "+*/" or value.isspace()) and _is_wrong(b, found, at_value):
        return None
    worth = b.expression(value, at_value)
    if worth is None:
        return None
    return node.Assign(b.line, b.column, b.line, name, at, _operator(found[2]), worth)


def _is_wrong(b: Bracket, found: re.Match[str], column: int) -> bool:
    """Tell of a value that is missing, or of `=+` for `+=`."""
    value, sign = found[3], found[3][:1]
    if not value.strip():
        hint = f"a value is missing: [SET {found[1].strip()} {found[2]} 1]"
        b.error("EXPRESSION_MALFORMED", "there is no expression here", column, hint)
        return True
    if found[2] == "=" and sign and sign in "+*/":
        message = f"{'=' + sign!r} changes nothing"
        rewrite = Rewrite(column - 1, 2, f"{sign}=")
        place = (b.line, column - 1, f"did you mean {sign}=?", rewrite)
        b.notes.error("EXPRESSION_MALFORMED", message, *place)
        return True
    return False


def _assign(
    b: Bracket, name: Given, operator: str, value: Given, old: str
) -> node.Node | None:
    worth = b.expression(written(value.value, old), value.column)
    if worth is None or not is_variable(b, name.value, name.column):
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


def modify_variable(b: Bracket) -> node.Node | None:
    """What the old [MODIFY …] does."""
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


def written(value: str, old: str = "") -> str:
    """An old parameter as an expression: a number, true/false, else text in quotes."""
    meant = literal(value)
    if not isinstance(meant, str):
        return value.lower() if isinstance(meant, bool) else value
    if old == "MODIFY" and value.isidentifier():
        return value
    escaped = meant.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
