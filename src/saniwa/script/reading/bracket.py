"""A bracket command as it stands in a line, and the parameters given in it."""

from typing import NamedTuple

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.script.language.expression import (
    Expression,
    ExpressionProblem,
    parse_expression,
)
from saniwa.script.notes import Notes
from saniwa.script.reading.command import Command, Given, parameters


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


def given_in(bracket: Bracket) -> dict[str, Given] | None:
    """The parameters under the names we use; None where a required one is missing."""
    command, found, empty = bracket.command, {}, False
    for each in parameters(bracket.inner, bracket.inner_column):
        name = _name(bracket, each)
        if name in found:
            message = f"{command.name} takes one {name!r}"
            bracket.error("PARAMETER_MALFORMED", message, each.key_column, "leave one")
        elif name:
            found[name] = each
        empty = empty or not each.value
        if each.value[:1] == '"' and each.unclosed:
            message = f"the quotation mark of {quoted(each.value)} is not closed"
            bracket.error("PARAMETER_MALFORMED", message, each.column, 'add "')
        if each.stray:
            message = f"{quoted(each.stray)} belongs to no parameter"
            hint = "write key=value, with quotes where a value has commas"
            bracket.error("PARAMETER_MALFORMED", message, each.column, hint)
    missing = [p.name for p in command.parameters if p.required and p.name not in found]
    for name in missing:
        message = f"{command.name} needs {name!r}"
        bracket.error("PARAMETER_MISSING", message, bracket.column, f"add {name}=…")
    if empty and _is_empty(bracket, found):
        return None
    return None if missing else found


def _is_empty(bracket: Bracket, found: dict[str, Given]) -> bool:
    """Tell of what is required and empty; `value=""` is a text without letters."""
    empty = [
        (p.name, given)
        for p in bracket.command.parameters
        if p.required and (given := found.get(p.name)) and not given.value
        if p.name != "value" or not given.quoted
    ]
    for name, given in empty:
        is_missing(bracket, name, given)
    return bool(empty)


def is_missing(bracket: Bracket, name: str, given: Given) -> None:
    """Say that a parameter has no value."""
    message = f"{name!r} of {bracket.command.name} is empty"
    hint = f"write what it is behind {given.key or name}="
    column = given.key_column if given.key else given.column
    bracket.error("PARAMETER_MISSING", message, column, hint)


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


def is_variable(b: Bracket, name: str, column: int) -> bool:
    """Whether a variable can have this name; a finding if not."""
    if name.isidentifier():
        return True
    message = f"{quoted(name)} cannot be the name of a variable"
    hint = "use letters, numbers and _, a letter first"
    b.error("PARAMETER_MALFORMED", message, column, hint)
    return False
