"""Expressions: a closed grammar, read once into functions that ask a scope."""

import msgspec

from saniwa.script.asking import FUNCTIONS, Function, Scope, Worth
from saniwa.script.grammar import Called, Named, Reader
from saniwa.script.tokens import ExpressionProblem, place
from saniwa.script.value import Value, assigned, holds, literal, shown

__all__ = [
    "FUNCTIONS",
    "Called",
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


class Expression(msgspec.Struct, frozen=True):
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
    reader = Reader(text, line, column)
    part = reader.read()
    begin = len(text) - len(text.lstrip())
    return Expression(
        text.strip(),
        *place(text, begin, line, column),
        tuple(reader.names),
        tuple(reader.calls),
        part.worth,
        part.constant,
    )
