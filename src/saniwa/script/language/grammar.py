"""Reads an expression by descent, and makes it ready to be asked.

From loosest to tightest: `or` · `and` · `not` · `== != < <= > >=` (one, not a chain) ·
`+ -` · `* / %` · unary `-` and `!` · numbers, texts, names, functions, parentheses.
Parts without names and calls are worked out while reading.
"""

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, cast

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.language.asking import (
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
from saniwa.script.language.tokens import (
    LONGEST,
    ExpressionProblem,
    Token,
    place,
    tokens,
)
from saniwa.script.language.value import ARITHMETIC, COMPARISONS, LARGEST, Value

DEEPEST: Final = 40
"""How deep parentheses, calls and signs may stand in each other."""

_NOBODY = cast(Scope, None)
_AMONG_WHOLE: Final = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""What `COMPARISONS` are between two whole numbers, which most are."""
_WORDS = frozenset({"and", "or", "not"})
_EXAMPLES = {"roll": "1, 6", "holds": '"…", "…"'}
"""What functions of more than one value are called with."""
_SIGNS = frozenset({"mark", "name"})
_SUMS = frozenset({"+", "-"})
_PRODUCTS = frozenset({"*", "/", "%"})
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
    given_columns: tuple[int, ...] = ()
    """Where its arguments are written, if all stand on the line of the name."""


class Named(msgspec.Struct, frozen=True, gc=False):
    """A variable in an expression."""

    name: str
    """Which variable."""
    line: int
    """Where it is written."""
    column: int
    """Where it is written."""


class Compared(msgspec.Struct, frozen=True, gc=False):
    """A variable that is compared with a constant."""

    name: str
    """Which variable."""
    value: Value
    """The constant."""
    line: int
    """Where the variable is written."""
    column: int
    """Where the variable is written."""


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


@lru_cache(1_000)
def variable(name: str) -> Worth:
    """The value of a variable."""
    return lambda scope: scope.variables.get(name)


@lru_cache(1_000)
def whole_number(digits: str) -> Worth:
    """A number, always the same."""
    value = int(digits)
    return lambda _: value


@lru_cache(1_000)
def comparison(name: str, mark: str, digits: str) -> Worth:
    """Whether a variable compares so with a number."""
    compare, value = COMPARISONS[mark], int(digits)
    quick = _AMONG_WHOLE[mark]

    def worth(scope: Scope) -> bool:
        held = scope.variables.get(name)
        return quick(held, value) if type(held) is int else compare(held, value)

    return worth


def is_variable(word: str) -> bool:
    """Whether a name is that of a variable and no word of the grammar."""
    return word not in _WORDS and word not in _TRUTHS


class Reader:
    """Reads one expression by descent, one method for each strength of binding."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self.text, self.line, self.column = text, line, column
        self.names: list[Named] = []
        """The variables read so far."""
        self.calls: list[Called] = []
        """The functions called so far."""
        self.compared: list[Compared] = []
        """The comparisons of a variable with a constant so far."""
        self.depth = 0
        self.tokens = self._cut()
        self.ahead = -1
        self._go_on()

    def read(self) -> Part:
        """The whole expression; fills `names`, `calls` and `compared` on the way."""
        part = self._either()
        if self._next.kind != "end":
            raise self._unexpected()
        return part

    def _cut(self) -> list[Token]:
        if len(self.text) > LONGEST:
            message = f"an expression of {len(self.text)} letters is over {LONGEST}"
            raise self._problem(message, 0)
        try:
            found = tokens(self.text)
        except ExpressionProblem as problem:
            raise self._problem(problem.message, problem.column, problem.hint) from None
        if len(found) == 1:
            raise self._problem("there is no expression here", 0)
        return found

    # From loosest to tightest.

    def _either(self) -> Part:
        part = self._all()
        return (
            self._joined(part, "or", self._all, either) if self.sign == "or" else part
        )

    def _all(self) -> Part:
        part = self._not()
        return (
            self._joined(part, "and", self._not, both) if self.sign == "and" else part
        )

    def _joined(
        self,
        first: Part,
        word: str,
        inner: Callable[[], Part],
        join: Callable[[tuple[Worth, ...]], Worth],
    ) -> Part:
        parts = [first]
        while self._take(word):
            parts.append(inner())
        return self._folded(join(tuple(part.worth for part in parts)), *parts)

    def _not(self) -> Part:
        if not self._take("not"):
            return self._compared()
        part = self._deeper(self._not)
        return self._folded(lambda scope: not part.worth(scope), part)

    def _compared(self) -> Part:
        begin = self.ahead
        left = self._sum()
        if self.sign not in COMPARISONS:
            return left
        compare, mark = COMPARISONS[self.sign], self.ahead
        self._go_on()
        right = self._sum()
        if self.sign in COMPARISONS:
            raise self._problem(
                "comparisons cannot be chained", self._next.at, "join them with and"
            )
        if mark - begin == self.ahead - mark - 1 == 1:
            self._note(begin, left, right)
        a, b, known = left.worth, right.worth, right.value
        if right.constant:
            return self._folded(lambda scope: compare(a(scope), known), left, right)
        return self._folded(lambda scope: compare(a(scope), b(scope)), left, right)

    def _note(self, begin: int, left: Part, right: Part) -> None:
        """Remember a comparison of two single tokens, if one of them is constant."""
        if left.constant != right.constant:
            token = self.tokens[begin + 2 if left.constant else begin]
            value = left.value if left.constant else right.value
            self.compared.append(Compared(token.text, value, *self._place(token.at)))

    def _sum(self) -> Part:
        part = self._product()
        return self._chain(part, self._product, _SUMS) if self.sign in _SUMS else part

    def _product(self) -> Part:
        part = self._signed()
        if self.sign not in _PRODUCTS:
            return part
        return self._chain(part, self._signed, _PRODUCTS)

    def _chain(
        self, first: Part, inner: Callable[[], Part], marks: frozenset[str]
    ) -> Part:
        parts = [first]
        steps: list[Step] = []
        while self.sign in marks:
            mark = self._next
            self._go_on()
            parts.append(inner())
            step = (ARITHMETIC[mark.text], parts[-1].worth, self._where(mark.at))
            steps.append(step)
        return self._folded(chained(first.worth, tuple(steps)), *parts)

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
        if token.kind == "name" and token.text not in _WORDS:
            self._go_on()
            return self._called(token) if self._take("(") else self._named(token)
        if token.kind == "number":
            self._go_on()
            return _constant(self._number(token))
        if token.kind == "text":
            self._go_on()
            return _constant(token.text)
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
        return Part(variable(name))

    def _called(self, token: Token) -> Part:
        function = FUNCTIONS.get(token.text)
        if function is None:
            hint = did_you_mean(token.text, FUNCTIONS)
            hint = hint or f"there are {', '.join(FUNCTIONS)}"
            message = f"there is no function {quoted(token.text)}"
            raise self._problem(message, token.at, hint)
        given, begins = self._given(token)
        if not function.fewest <= len(given) <= function.most:
            message = f"{token.text!r} takes {function.most} values, not {len(given)}"
            example = _EXAMPLES.get(token.text, '"…"')
            raise self._problem(message, token.at, f"write {token.text}({example})")
        values = tuple(part.value for part in given)
        if token.text == "roll" and all(part.constant for part in given):
            self._check_roll(token, *values)
        line, column = self._place(token.at)
        places = [self._place(at) for at in begins]
        columns = tuple(at for on, at in places if on == line)
        columns = columns if len(columns) == len(given) else ()
        self.calls.append(Called(token.text, values, line, column, columns))
        worths = tuple(part.worth for part in given)
        return Part(asked(token.text, worths, self._where(token.at)))

    def _given(self, token: Token) -> tuple[list[Part], list[int]]:
        """The arguments of a call, and how many letters stand before each."""
        given: list[Part] = []
        begins = [self._next.at]
        if self._take(")"):
            return given, []
        given.append(self._deeper(self._either))
        while self._take(","):
            begins.append(self._next.at)
            given.append(self._deeper(self._either))
        self._close(token)
        return given, begins

    def _check_roll(self, token: Token, low: Value, high: Value) -> None:
        """Refuse two constants between which nothing can be rolled."""
        if type(low) is not int or type(high) is not int:
            message = (
                f"'roll' needs two whole numbers, not {quoted(low)} and {quoted(high)}"
            )
            raise self._problem(message, token.at, "write roll(1, 6)")
        if low > high:
            message = f"'roll' goes from the smaller to the larger, not {low} to {high}"
            raise self._problem(message, token.at, f"write roll({high}, {low})")

    # Moving on.

    @property
    def _next(self) -> Token:
        return self.tokens[self.ahead]

    def _go_on(self) -> None:
        self.ahead += 1
        kind, text, _ = self.tokens[self.ahead]
        self.sign = text if kind in _SIGNS else ""
        """The next token, if it is a mark or a word."""

    def _take(self, sign: str) -> bool:
        if self.sign != sign:
            return False
        self._go_on()
        return True

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
            before = self.tokens[self.ahead - 1].text
            hint = f"something is missing after {before}"
            return self._problem("the expression ends too early", token.at, hint)
        word = token.text.lower()
        hint = f"write {word}" if word in _WORDS and word != token.text else ""
        hint = hint or ("write ==" if word == "is" else "")
        message = f"{quoted(token.text)} is not expected here"
        return self._problem(message, token.at, hint or self._cure(token))

    def _cure(self, token: Token) -> str:
        """What to do about a sign that follows another; empty for other tokens."""
        before = self.tokens[self.ahead - 1].text if self.ahead else ""
        if token.text == before == "+" and self.tokens[self.ahead + 1].kind == "end":
            name = self.tokens[self.ahead - 2].text
            return f"set it on a line of its own: [SET {name} += 1]"
        if token.text not in COMPARISONS or before not in COMPARISONS:
            return ""
        many = f"write one of {' '.join(COMPARISONS)}"
        return "write !=" if before + token.text == "<>" else many
