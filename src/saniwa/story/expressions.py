"""Expressions of a story: a closed grammar, compiled once to functions of a scope.

Nothing written in a story is ever run as code.
"""

import re
from typing import cast

import msgspec

from saniwa.story.evaluation import Evaluator, ExpressionScope, Value
from saniwa.story.expression_parser import (
    LONGEST,
    ConstantComparison,
    ExpressionParser,
    FunctionCall,
    VariableReference,
    is_variable_name,
    locate_character,
    make_comparison,
    make_number,
    make_variable,
)


class Expression(msgspec.Struct, frozen=True, gc=False):
    """A parsed expression. Two are equal if source text and place are equal."""

    source: str
    """As written, without surrounding spaces."""
    line: int
    """Where it begins."""
    column: int
    """Where it begins."""
    names: tuple[VariableReference, ...]
    """The variables it reads, in order."""
    calls: tuple[FunctionCall, ...]
    """The functions it calls, in the order in which their calls end."""
    worth: Evaluator
    """Its value in a scope."""
    constant: bool
    """Whether it reads no variable and calls nothing."""
    compared: tuple[ConstantComparison, ...] = ()
    """The variables it compares with constants, in order."""
    strict: str = ""
    """The kind its variable must have for it to be true, as in the first engine.

    Empty for ordinary expressions; `never` if nothing can satisfy it.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self._location == other._location

    def __hash__(self) -> int:
        return hash(self._location)

    def __repr__(self) -> str:
        return f"Expression({self.source!r}, {self.line}, {self.column})"

    @property
    def constant_value(self) -> Value:
        """Its value, if it is constant: such an expression reads no scope."""
        return self.worth(cast(ExpressionScope, None))

    @property
    def _location(self) -> tuple[str, int, int]:
        return (self.source, self.line, self.column)


def parse_expression(text: str, line: int = 0, column: int = 1) -> Expression:
    """Parse an expression that begins at `line` and `column` of its file.

    Raises:
        ExpressionSyntaxError: If it is invalid.
    """
    bare = text.strip()
    begin = locate_character(text, text.find(bare), line, column)
    if len(text) <= LONGEST and (plain := _parse_simple(bare, *begin)):
        return plain
    reader = ExpressionParser(text, line, column)
    part = reader.parse()
    return Expression(
        bare,
        *begin,
        tuple(reader.names),
        tuple(reader.calls),
        part.worth,
        part.constant,
        tuple(reader.compared),
    )


_COMPARISON = re.compile(r"([^\W\d]\w*)[ \t]*+([<>]=?|[=!]=)[ \t]*+([0-9]{1,15})").fullmatch
_FEW_DIGITS = 15
"""A number of so many digits is never too large."""


def _parse_simple(bare: str, line: int, column: int) -> Expression | None:
    """Parse the common cases: a variable, a number, or one compared with the other."""
    if bare.isidentifier():
        # The parser decides on other characters that identifiers may have.
        if (bare.isascii() or bare.isalnum()) and is_variable_name(bare):
            names = (VariableReference(bare, line, column),)
            return Expression(bare, line, column, names, (), make_variable(bare), False)
    elif len(bare) <= _FEW_DIGITS and bare.isascii() and bare.isdigit():
        return Expression(bare, line, column, (), (), make_number(bare), True)
    elif (found := _COMPARISON(bare)) and is_variable_name(found[1]):
        name, mark, digits = found.groups()
        names = (VariableReference(name, line, column),)
        worth = make_comparison(name, mark, digits)
        compared = (ConstantComparison(name, int(digits), line, column),)
        return Expression(bare, line, column, names, (), worth, False, compared)
    return None
