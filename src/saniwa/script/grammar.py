"""Reads an expression by descent, and makes it ready to be asked.

From loosest to tightest: `or` · `and` · `not` · `== != < <= > >=` (one, not a chain) ·
`+ -` · `* / %` · unary `-` and `!` · numbers, texts, names, functions, parentheses.
Parts without names and calls are worked out while reading.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, cast

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.asking import (
    FUNCTIONS,
    Scope,
    Step,
    Worth,
    asked,
    both,
    chained,
    either,
    turned,
)
from saniwa.script.tokens import LONGEST, ExpressionProblem, Token, place, tokens
from saniwa.script.value import ARITHMETIC, COMPARISONS, LARGEST, Value

DEEPEST: Final = 40
"""How deep parentheses, calls and signs may stand in each other."""

_NOBODY = cast(Scope, None)
_WORDS = frozenset({"and", "or", "not"})
_TRUTHS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}


class Called(msgspec.Struct, frozen=True, gc=False):
    """A function call in an expression."""

    name: str
    """Which function."""
    given: tuple[Value, ...]
    """Its arguments; None where one is not constant."""
    line: int
    """Where the name is written."""
    column: int
    """Where the name is written."""


class Named(msgspec.Struct, frozen=True, gc=False):
    """A variable in an expression."""

    name: str
    """Which variable."""
    line: int
    """Where it is written."""
    column: int
    """Where it is written."""


class Part(NamedTuple):
    """A part, read: what it is worth, and whether that never changes."""

    worth: Worth
    """Its value in a scope."""
    constant: bool = False
    """Whether it reads no variable and calls nothing."""
    value: Value = None
    """Its value, if that never changes."""


def _constant(value: Value) -> Part:
    return Part(lambda _: value, True, value)


class Reader:
    """Reads one expression by descent, one method for each strength of binding."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self.text, self.line, self.column = text, line, column
        self.names: list[Named] = []
        """The variables read so far."""
        self.calls: list[Called] = []
        """The functions called so far."""
        self.depth = 0
        self.ahead = 0
        self.tokens: list[Token] = []

    def read(self) -> Part:
        """The whole expression; fills `names` and `calls` on the way."""
        self._cut()
        part = self._either()
        if self._next.kind != "end":
            raise self._unexpected()
        return part

    def _cut(self) -> None:
        if len(self.text) > LONGEST:
            message = f"an expression of {len(self.text)} letters is over {LONGEST}"
            raise self._problem(message, 0)
        try:
            self.tokens = list(tokens(self.text))
        except ExpressionProblem as problem:
            raise self._problem(problem.message, problem.column, problem.hint) from None
        if len(self.tokens) == 1:
            raise self._problem("there is no expression here", 0)

    # From loosest to tightest.

    def _either(self) -> Part:
        return self._joined("or", self._all, either)

    def _all(self) -> Part:
        return self._joined("and", self._not, both)

    def _joined(
        self,
        word: str,
        inner: Callable[[], Part],
        join: Callable[[tuple[Worth, ...]], Worth],
    ) -> Part:
        parts = [inner()]
        while self._take(word):
            parts.append(inner())
        if len(parts) == 1:
            return parts[0]
        return self._folded(join(tuple(part.worth for part in parts)), *parts)

    def _not(self) -> Part:
        if not self._take("not"):
            return self._compared()
        part = self._deeper(self._not)
        return self._folded(lambda scope: not part.worth(scope), part)

    def _compared(self) -> Part:
        left = self._sum()
        token = self._next
        if not self._take(*COMPARISONS):
            return left
        right = self._sum()
        if self._next.text in COMPARISONS and self._next.kind == "mark":
            raise self._problem(
                "comparisons cannot be chained", self._next.at, "join them with and"
            )
        compare, a, b = COMPARISONS[token.text], left.worth, right.worth
        return self._folded(lambda scope: compare(a(scope), b(scope)), left, right)

    def _sum(self) -> Part:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Part:
        return self._chain(self._signed, "*", "/", "%")

    def _chain(self, inner: Callable[[], Part], *marks: str) -> Part:
        parts = [inner()]
        steps: list[Step] = []
        while self._take(*marks):
            mark = self.tokens[self.ahead - 1]
            parts.append(inner())
            step = (ARITHMETIC[mark.text], parts[-1].worth, self._where(mark.at))
            steps.append(step)
        if not steps:
            return parts[0]
        return self._folded(chained(parts[0].worth, tuple(steps)), *parts)

    def _signed(self) -> Part:
        token = self._next
        if self._take("!"):
            part = self._deeper(self._signed)
            return self._folded(lambda scope: not part.worth(scope), part)
        if not self._take("-"):
            return self._single()
        part = self._deeper(self._signed)
        return self._folded(turned(part.worth, self._where(token.at)), part)

    def _single(self) -> Part:
        token = self._next
        self.ahead += 1
        if token.kind == "number":
            return _constant(self._number(token))
        if token.kind == "text":
            return _constant(token.text)
        if token.kind == "name" and token.text not in _WORDS:
            return self._called(token) if self._take("(") else self._named(token)
        self.ahead -= 1
        if not self._take("("):
            raise self._unexpected()
        part = self._deeper(self._either)
        self._close(token)
        return part

    # Leaves.

    def _number(self, token: Token) -> Value:
        value = float(token.text) if "." in token.text else int(token.text)
        if not -LARGEST <= value <= LARGEST:
            raise self._problem(f"{quoted(value)} is over {LARGEST}", token.at)
        return value

    def _named(self, token: Token) -> Part:
        name = token.text
        if name in _TRUTHS:
            return _constant(_TRUTHS[name])
        self.names.append(Named(name, *self._place(token.at)))
        return Part(lambda scope: scope.variables.get(name))

    def _called(self, token: Token) -> Part:
        function = FUNCTIONS.get(token.text)
        if function is None:
            hint = did_you_mean(token.text, FUNCTIONS)
            hint = hint or f"there are {', '.join(FUNCTIONS)}"
            message = f"there is no function {quoted(token.text)}"
            raise self._problem(message, token.at, hint)
        given = self._given(token)
        if not function.fewest <= len(given) <= function.most:
            message = f"{token.text!r} takes {function.most} values, not {len(given)}"
            raise self._problem(message, token.at)
        values = tuple(part.value for part in given)
        self.calls.append(Called(token.text, values, *self._place(token.at)))
        worths = tuple(part.worth for part in given)
        return Part(asked(token.text, worths, self._where(token.at)))

    def _given(self, token: Token) -> list[Part]:
        given: list[Part] = []
        if self._take(")"):
            return given
        given.append(self._deeper(self._either))
        while self._take(","):
            given.append(self._deeper(self._either))
        self._close(token)
        return given

    # Moving on.

    @property
    def _next(self) -> Token:
        return self.tokens[self.ahead]

    def _take(self, *texts: str) -> bool:
        token = self._next
        if token.kind in ("mark", "name") and token.text in texts:
            self.ahead += 1
            return True
        return False

    def _close(self, opened: Token) -> None:
        if self._take(")"):
            return
        if self._next.kind != "end":
            raise self._unexpected()
        raise self._problem("a parenthesis is not closed", opened.at, "add )")

    def _deeper(self, inner: Callable[[], Part]) -> Part:
        self.depth += 1
        if self.depth > DEEPEST:
            message = f"the expression is nested over {DEEPEST} deep"
            raise self._problem(message, self._next.at)
        part = inner()
        self.depth -= 1
        return part

    def _folded(self, worth: Worth, *parts: Part) -> Part:
        if not all(part.constant for part in parts):
            return Part(worth)
        try:
            return _constant(worth(_NOBODY))
        except ScriptError as failure:
            where = failure.where or Where()
            raise ExpressionProblem(
                failure.message, where.column, failure.hint, where.line
            ) from None

    # Places.

    def _place(self, at: int) -> tuple[int, int]:
        return place(self.text, at, self.line, self.column)

    def _where(self, at: int) -> Where:
        line, column = self._place(at)
        return Where(line=line, column=column)

    def _problem(self, message: str, at: int, hint: str = "") -> ExpressionProblem:
        line, column = self._place(at)
        return ExpressionProblem(message, column, hint, line)

    def _unexpected(self) -> ExpressionProblem:
        token = self._next
        if token.kind == "end":
            return self._problem("the expression ends too early", token.at)
        word = token.text.lower()
        hint = f"write {word}" if word in _WORDS and word != token.text else ""
        return self._problem(
            f"{quoted(token.text)} is not expected here", token.at, hint
        )
