"""Expressions: a closed grammar, read once into functions that ask a scope."""

import re

import msgspec

from saniwa.script.language.asking import FUNCTIONS, Function, Scope, Worth
from saniwa.script.language.grammar import (
    Called,
    Compared,
    Named,
    Reader,
    comparison,
    is_variable,
    variable,
    whole_number,
)
from saniwa.script.language.tokens import LONGEST, ExpressionProblem, place
from saniwa.script.language.value import Value, assigned, holds, literal, shown

__all__ = [
    "FUNCTIONS",
    "Called",
    "Compared",
    "Expression",
    "ExpressionProblem",
    "Function",
    "Named",
    "Scope",
    "Value",
    "assigned",
    "holds",
    "literal",
    "parse_expression",
    "shown",
]


class Expression(msgspec.Struct, frozen=True, gc=False):
    """An expression, read. Two are the same if they say the same in the same place."""

    source: str
    """As written, without blanks around it."""
    line: int
    """Where it begins."""
    column: int
    """Where it begins."""
    names: tuple[Named, ...]
    """The variables it reads, in order."""
    calls: tuple[Called, ...]
    """The functions it calls, in the order their calls end."""
    worth: Worth
    """Its value in a scope."""
    constant: bool
    """Whether it reads no variable and calls nothing."""
    compared: tuple[Compared, ...] = ()
    """The variables it compares with constants, in order."""
    strict: str = ""
    """The kind that its variable must have for it to hold, as the first engine asked.

    Empty where it asks as expressions do; `never` where nothing can satisfy it.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self._place == other._place

    def __hash__(self) -> int:
        return hash(self._place)

    def __repr__(self) -> str:
        return f"Expression({self.source!r}, {self.line}, {self.column})"

    @property
    def _place(self) -> tuple[str, int, int]:
        return (self.source, self.line, self.column)


def parse_expression(text: str, line: int = 0, column: int = 1) -> Expression:
    """The expression that `text` is; it stands at `line` and `column` of its file.

    Raises:
        ExpressionProblem: If it is not one.
    """
    bare = text.strip()
    begin = place(text, text.find(bare), line, column)
    if len(text) <= LONGEST and (plain := _plain(bare, *begin)):
        return plain
    reader = Reader(text, line, column)
    part = reader.read()
    return Expression(
        bare,
        *begin,
        tuple(reader.names),
        tuple(reader.calls),
        part.worth,
        part.constant,
        tuple(reader.compared),
    )


_COMPARISON = re.compile(
    r"([^\W\d]\w*)[ \t]*+([<>]=?|[=!]=)[ \t]*+([0-9]{1,15})"
).fullmatch
_FEW_DIGITS = 15
"""So many digits never make a number that is too large."""


def _plain(bare: str, line: int, column: int) -> Expression | None:
    """What most expressions are: a variable, a number, or one compared with the other."""
    if bare.isidentifier():
        # Other letters that identifiers may have are for the reader to judge.
        if (bare.isascii() or bare.isalnum()) and is_variable(bare):
            names = (Named(bare, line, column),)
            return Expression(bare, line, column, names, (), variable(bare), False)
    elif len(bare) <= _FEW_DIGITS and bare.isascii() and bare.isdigit():
        return Expression(bare, line, column, (), (), whole_number(bare), True)
    elif (found := _COMPARISON(bare)) and is_variable(found[1]):
        name, mark, digits = found.groups()
        names = (Named(name, line, column),)
        worth = comparison(name, mark, digits)
        compared = (Compared(name, int(digits), line, column),)
        return Expression(bare, line, column, names, (), worth, False, compared)
    return None
