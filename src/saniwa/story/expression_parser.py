"""Recursive-descent parser that compiles an expression to a function of a scope.

From loosest to tightest: `or` · `and` · `not` · `== != < <= > >=` (one, not a chain) ·
`+ -` · `* / %` · unary `-` and `!` · numbers, texts, names, functions, parentheses.
Parts without names and calls are evaluated while parsing.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal, NamedTuple, cast

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.core.suggestions import find_nearest
from saniwa.story.finding_collector import NotationError
from saniwa.story.value_operations import (
    ARITHMETIC,
    COMPARISONS,
    FUNCTIONS,
    LARGEST,
    WHOLE_COMPARISONS,
    ChainStep,
    Evaluator,
    ExpressionScope,
    Value,
    find_roll_problem,
    make_and,
    make_call,
    make_chain,
    make_or,
    negate_value,
)

LONGEST = 2_000
"""The most characters an expression may have."""

_CODE = "EXPRESSION_MALFORMED"

TokenKind = Literal["name", "number", "text", "mark", "end"]
"""The kind of a token; `end` comes after the last."""


class ExpressionToken(NamedTuple):
    """One token, with its place."""

    kind: TokenKind
    """Its kind."""
    text: str
    """As written, but old operators in their new spelling and texts without quotes."""
    at: int
    """Its offset in the expression, in characters."""


def locate_character(text: str, at: int, line: int, column: int) -> tuple[int, int]:
    """Line and column of a character in a text that begins at `line` and `column`."""
    before = text.count("\n", 0, at)
    if not before:
        return line, column + at
    return line + before, at - text.rfind("\n", 0, at)


class PlaceFinder:
    """Finds lines and columns in a text; quick if they are asked for from left to right."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self._text, self._first = text, (0, line, column)
        self._known = self._first

    def locate(self, at: int) -> tuple[int, int]:
        """Line and column of a character."""
        known, line, column = self._known if at >= self._known[0] else self._first
        breaks = self._text.count("\n", known, at)
        column = at - self._text.rfind("\n", known, at) if breaks else column + at - known
        self._known = (at, line + breaks, column)
        return line + breaks, column


_TOKEN = re.compile(
    r"""\s*+(?:
    (?P<name>[^\W\d]\w*)
  | (?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
  | (?P<mark>&&|\|\||[=!<>]=|[-+*/%()<>,!])
  | (?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')
  | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
).match
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NEW = {"&&": "and", "||": "or"}
_SMART = "“”„‟‘’‚‛«»＂＇「」『』"
_CURES = {"=": "write ==", "&": "write and", "|": "write or", "?": "write {expr: yes|no}"}
_TURNED = {"=>": "write >=", "=<": "write <="}
"""Operators written the wrong way round."""


def tokenize(source: str) -> list[ExpressionToken]:
    """Split into tokens, followed by `end`.

    Raises:
        NotationError: A character that belongs to no token; line 0, columns from 0.
    """
    found, at = [], 0
    while (match := _TOKEN(source, at)) is not None:
        kind = cast(TokenKind, match.lastgroup)
        begin, at = match.span(kind)
        if kind == "end":
            found.append(ExpressionToken("end", "", len(source.rstrip())))
            return found
        if kind == "name":
            at = _find_name_end(source, at)
        text = source[begin:at]
        if kind == "mark":
            text = _NEW.get(text, text)
        elif kind == "text":
            text = _ESCAPED.sub(r"\1", text[1:-1])
        found.append(ExpressionToken(kind, text, begin))
    raise _make_stray_error(source, len(source) - len(source[at:].lstrip()))


def _find_name_end(source: str, end: int) -> int:
    # Combining characters belong to a name, but `\w` does not match them.
    while end < len(source) and f"_{source[end]}".isidentifier():
        end += 1
    return end


def _make_stray_error(source: str, at: int) -> NotationError:
    character = source[at]
    if character in "\"'":
        return NotationError("EXPRESSION_MALFORMED/text", 0, at, quote=character)
    narrow = unicodedata.normalize("NFKC", character)
    hint = f"write {narrow}" if narrow != character and narrow.isascii() else ""
    hint = _TURNED.get(source[at : at + 2], "") or _CURES.get(character, hint)
    if character in _SMART:
        hint = 'use straight quotes: "…"'
    elif character == "=" and source[at : at + 2] not in _TURNED:
        hint = _suggest_equals_fix(source, at) or hint
    return NotationError("EXPRESSION_MALFORMED/stray", 0, at, character=character, hint=hint)


def _suggest_equals_fix(source: str, at: int) -> str:
    """Suggest a fix for a stray `=`; empty if another `=` is missing."""
    if source[max(at - 2, 0) : at] in ("==", "!="):
        return f"write {source[at - 2 : at]} in place of {source[at - 2 : at + 1]}"
    if source[max(at - 1, 0) : at] in ("+", "-", "*", "/"):
        return f"set it on a line of its own: [SET {source.strip()}]"
    return ""


DEEPEST: Final = 40
"""How deep parentheses, calls and signs may be nested."""

_NO_SCOPE = cast(ExpressionScope, None)
_WORDS = frozenset({"and", "or", "not"})
_EXAMPLES = {"roll": "1, 6", "holds": '"…", "…"'}
"""Example arguments of the functions that take more than one."""
_SIGNS = frozenset({"mark", "name"})
_SUMS = frozenset({"+", "-"})
_PRODUCTS = frozenset({"*", "/", "%"})
_TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


class FunctionCall(msgspec.Struct, frozen=True, gc=False):
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
    """Where its arguments are written, if all are on the line of the name."""


class VariableReference(msgspec.Struct, frozen=True, gc=False):
    """A variable in an expression."""

    name: str
    """Which variable."""
    line: int
    """Where it is written."""
    column: int
    """Where it is written."""


class ConstantComparison(msgspec.Struct, frozen=True, gc=False):
    """A comparison of a variable with a constant."""

    name: str
    """Which variable."""
    value: Value
    """The constant."""
    line: int
    """Where the variable is written."""
    column: int
    """Where the variable is written."""


class ParsedExpression(NamedTuple):
    """A parsed part: its evaluator, and its value if that is constant."""

    worth: Evaluator
    """Its value in a scope."""
    constant: bool = False
    """Whether it reads no variable and calls nothing."""
    value: Value = None
    """Its value, if it is constant."""


def _make_constant(value: Value) -> ParsedExpression:
    return ParsedExpression(lambda _: value, True, value)


@lru_cache(1_000)
def make_variable(name: str) -> Evaluator:
    """An evaluator of a variable."""
    return lambda scope: scope.variables.get(name)


@lru_cache(1_000)
def make_number(digits: str) -> Evaluator:
    """An evaluator of a constant number."""
    value = int(digits)
    return lambda _: value


@lru_cache(1_000)
def make_comparison(name: str, mark: str, digits: str) -> Evaluator:
    """An evaluator that compares a variable with a number."""
    compare, value = COMPARISONS[mark], int(digits)
    quick = WHOLE_COMPARISONS[mark]

    def worth(scope: ExpressionScope) -> bool:
        current = scope.variables.get(name)
        return quick(current, value) if type(current) is int else compare(current, value)

    return worth


def is_variable_name(word: str) -> bool:
    """Whether a name can be a variable: it is not a keyword."""
    return word not in _WORDS and word not in _TRUTHS


class ExpressionParser:
    """Parses one expression, with one method for each level of precedence."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self.text, self.line, self.column = text, line, column
        self.names: list[VariableReference] = []
        """The variables read so far."""
        self.calls: list[FunctionCall] = []
        """The functions called so far."""
        self.compared: list[ConstantComparison] = []
        """The comparisons of a variable with a constant so far."""
        self.depth = 0
        self.tokens = self._split_tokens()
        self.ahead = -1
        self._advance()

    def parse(self) -> ParsedExpression:
        """Parse the whole expression; fills `names`, `calls` and `compared`.

        Raises:
            NotationError: If it is invalid.
        """
        part = self._parse_or()
        if self._next_token.kind != "end":
            raise self._make_unexpected_error()
        return part

    def _split_tokens(self) -> list[ExpressionToken]:
        if len(self.text) > LONGEST:
            raise self._make_error("long", 0, count=len(self.text), longest=LONGEST)
        try:
            found = tokenize(self.text)
        except NotationError as problem:
            problem.line, problem.column = self._locate(problem.column)
            raise
        if len(found) == 1:
            raise self._make_error("none", 0)
        return found

    # From loosest to tightest.

    def _parse_or(self) -> ParsedExpression:
        return self._parse_joined("or", self._parse_and, make_or)

    def _parse_and(self) -> ParsedExpression:
        return self._parse_joined("and", self._parse_not, make_and)

    def _parse_joined(
        self,
        word: str,
        inner: Callable[[], ParsedExpression],
        join: Callable[[tuple[Evaluator, ...]], Evaluator],
    ) -> ParsedExpression:
        first = inner()
        if self.sign != word:
            return first
        parts = [first]
        while self._accept(word):
            parts.append(inner())
        return self._fold_constants(join(tuple(part.worth for part in parts)), *parts)

    def _parse_not(self) -> ParsedExpression:
        if not self._accept("not"):
            return self._parse_comparison()
        part = self._parse_nested(self._parse_not)
        return self._fold_constants(lambda scope: not part.worth(scope), part)

    def _parse_comparison(self) -> ParsedExpression:
        begin = self.ahead
        left = self._parse_sum()
        if self.sign not in COMPARISONS:
            return left
        compare, mark = COMPARISONS[self.sign], self.ahead
        self._advance()
        right = self._parse_sum()
        if self.sign in COMPARISONS:
            raise self._make_error("chain", self._next_token.at)
        if mark - begin == self.ahead - mark - 1 == 1:
            self._note_comparison(begin, left, right)
        a, b, known = left.worth, right.worth, right.value
        if right.constant:
            return self._fold_constants(lambda scope: compare(a(scope), known), left, right)
        return self._fold_constants(lambda scope: compare(a(scope), b(scope)), left, right)

    def _note_comparison(self, begin: int, left: ParsedExpression, right: ParsedExpression) -> None:
        """Record a comparison of two single tokens, if one of them is constant."""
        if left.constant != right.constant:
            token = self.tokens[begin + 2 if left.constant else begin]
            value = left.value if left.constant else right.value
            self.compared.append(ConstantComparison(token.text, value, *self._locate(token.at)))

    def _parse_sum(self) -> ParsedExpression:
        return self._parse_chain(self._parse_product, _SUMS)

    def _parse_product(self) -> ParsedExpression:
        return self._parse_chain(self._parse_unary, _PRODUCTS)

    def _parse_chain(
        self, inner: Callable[[], ParsedExpression], marks: frozenset[str]
    ) -> ParsedExpression:
        first = inner()
        if self.sign not in marks:
            return first
        parts, steps = [first], list[ChainStep]()
        while self.sign in marks:
            mark = self._next_token
            self._advance()
            parts.append(inner())
            steps.append((ARITHMETIC[mark.text], parts[-1].worth, self._make_where(mark.at)))
        return self._fold_constants(make_chain(first.worth, tuple(steps)), *parts)

    def _parse_unary(self) -> ParsedExpression:
        token = self._next_token
        if self._accept("!"):
            part = self._parse_nested(self._parse_unary)
            return self._fold_constants(lambda scope: not part.worth(scope), part)
        if not self._accept("-"):
            return self._parse_operand()
        part = self._parse_nested(self._parse_unary)
        step = (negate_value, make_number("0"), self._make_where(token.at))
        return self._fold_constants(make_chain(part.worth, (step,)), part)

    def _parse_operand(self) -> ParsedExpression:
        token = self._next_token
        if token.kind == "name" and token.text not in _WORDS:
            self._advance()
            return self._parse_call(token) if self._accept("(") else self._parse_name(token)
        if token.kind == "number":
            self._advance()
            return _make_constant(self._parse_number(token))
        if token.kind == "text":
            self._advance()
            return _make_constant(token.text)
        if not self._accept("("):
            raise self._make_unexpected_error()
        part = self._parse_nested(self._parse_or)
        self._expect_close(token)
        return part

    # Operands.

    def _parse_number(self, token: ExpressionToken) -> Value:
        value = float(token.text) if "." in token.text else int(token.text)
        if not -LARGEST <= value <= LARGEST:
            raise self._make_error("number", token.at, value=value, largest=LARGEST)
        return value

    def _parse_name(self, token: ExpressionToken) -> ParsedExpression:
        name = token.text
        if name in _TRUTHS:
            return _make_constant(_TRUTHS[name])
        self.names.append(VariableReference(name, *self._locate(token.at)))
        return ParsedExpression(make_variable(name))

    def _parse_call(self, token: ExpressionToken) -> ParsedExpression:
        function = FUNCTIONS.get(token.text)
        name = token.text
        if function is None:
            near, known = find_nearest(name, FUNCTIONS), ", ".join(FUNCTIONS)
            raise self._make_error("function", token.at, near=near, name=name, functions=known)
        given, begins = self._parse_arguments(token)
        if len(given) != function.arity:
            shown = {"arity": function.arity, "count": len(given)}
            example = _EXAMPLES.get(name, '"…"')
            raise self._make_error("arguments", token.at, name=name, example=example, **shown)
        values = tuple(part.value for part in given)
        if name == "roll" and all(part.constant for part in given):
            low, high = values
            if case := find_roll_problem(low, high):
                raise self._make_error(case, token.at, low=low, high=high)
        line, column = self._locate(token.at)
        places = [self._locate(at) for at in begins]
        columns = tuple(at for on, at in places if on == line)
        columns = columns if len(columns) == len(given) else ()
        self.calls.append(FunctionCall(token.text, values, line, column, columns))
        worths = tuple(part.worth for part in given)
        return ParsedExpression(make_call(token.text, worths, self._make_where(token.at)))

    def _parse_arguments(self, token: ExpressionToken) -> tuple[list[ParsedExpression], list[int]]:
        """Parse a call's arguments; also return the offset of each."""
        given: list[ParsedExpression] = []
        begins = [self._next_token.at]
        if self._accept(")"):
            return given, []
        given.append(self._parse_nested(self._parse_or))
        while self._accept(","):
            begins.append(self._next_token.at)
            given.append(self._parse_nested(self._parse_or))
        self._expect_close(token)
        return given, begins

    # Token stream.

    @property
    def _next_token(self) -> ExpressionToken:
        return self.tokens[self.ahead]

    def _advance(self) -> None:
        self.ahead += 1
        kind, text, _ = self.tokens[self.ahead]
        self.sign = text if kind in _SIGNS else ""
        """The next token's text, if it is an operator or a word; else empty."""

    def _accept(self, sign: str) -> bool:
        if self.sign != sign:
            return False
        self._advance()
        return True

    def _expect_close(self, opened: ExpressionToken) -> None:
        if self._accept(")"):
            return
        if self._next_token.kind != "end":
            raise self._make_unexpected_error()
        raise self._make_error("parenthesis", opened.at)

    def _parse_nested(self, inner: Callable[[], ParsedExpression]) -> ParsedExpression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._make_error("deep", self._next_token.at, deepest=DEEPEST)
        part = inner()
        self.depth -= 1
        return part

    def _fold_constants(self, worth: Evaluator, *parts: ParsedExpression) -> ParsedExpression:
        if not all(part.constant for part in parts):
            return ParsedExpression(worth)
        try:
            return _make_constant(worth(_NO_SCOPE))
        except ScriptError as failure:
            where = failure.where or SourceLocation()
            place, shown = (where.line, where.column), {"message": failure.message}
            raise NotationError(_CODE, *place, hint=failure.hint, **shown) from None

    # Places.

    def _locate(self, at: int) -> tuple[int, int]:
        return locate_character(self.text, at, self.line, self.column)

    def _make_where(self, at: int) -> SourceLocation:
        line, column = self._locate(at)
        return SourceLocation(line=line, column=column)

    def _make_error(self, case: str, at: int, /, **values: object) -> NotationError:
        return NotationError(f"{_CODE}/{case}", *self._locate(at), **values)

    def _make_unexpected_error(self) -> NotationError:
        token = self._next_token
        if token.kind == "end":
            before = self.tokens[self.ahead - 1].text
            return self._make_error("end", token.at, before=before)
        word = token.text.lower()
        hint = f"write {word}" if word in _WORDS and word != token.text else ""
        hint = hint or ("write ==" if word == "is" else "")
        hint = hint or self._suggest_fix(token)
        return self._make_error("unexpected", token.at, text=token.text, hint=hint)

    def _suggest_fix(self, token: ExpressionToken) -> str:
        """Suggest a fix for an operator after another; empty for other tokens."""
        before = self.tokens[self.ahead - 1].text if self.ahead else ""
        if token.text == before == "+" and self.tokens[self.ahead + 1].kind == "end":
            name = self.tokens[self.ahead - 2].text
            return f"set it on a line of its own: [SET {name} += 1]"
        if token.text not in COMPARISONS or before not in COMPARISONS:
            return ""
        many = f"write one of {' '.join(COMPARISONS)}"
        return "write !=" if before + token.text == "<>" else many


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
        NotationError: If it is invalid.
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
