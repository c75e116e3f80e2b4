from collections.abc import Mapping
from dataclasses import dataclass, field
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.story.expression_parser import FunctionCall, VariableReference, parse_expression
from saniwa.story.finding_collector import NotationError
from saniwa.story.value_operations import (
    FUNCTIONS,
    Value,
    assign_value,
    format_value,
    is_true,
    parse_literal,
)

LARGEST = 2**53 - 1


@dataclass
class FixedScope:
    """A scope with fixed answers."""

    variables: Mapping[str, Value] = field(default_factory=dict)

    def count_visits(self, label: str) -> int:
        """Three for the map."""
        return 3 if label == "map" else 0

    def count_choices(self, option: str) -> int:
        """One for tea."""
        return int(option == "tea")

    def roll(self, low: int, high: int) -> int:
        """Both ends, in one number."""
        return low * 100 + high

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The name and the arguments."""
        return f"{name}:{'/'.join(format_value(each) for each in given)}"


SCOPE = FixedScope({"trust": 2, "met": True, "half": 0.5, "name": "Ben", "信頼": 4})


def _evaluate_text(text: str) -> Value:
    return parse_expression(text).worth(SCOPE)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (7, "1 + 2 * 3"),
        (9, "(1 + 2) * 3"),
        (-5, "-2 - 3"),
        (1, "3 - 1 - 1"),
        (2, "8 / 2 / 2"),
        (3.5, "7 / 2"),
        (2, "-7 % 3"),
        (2.5, "trust + half"),
        (4, "信頼"),
        (True, "trust > 1"),
        (False, "trust > 2"),
        (True, "trust >= 2 and trust <= 2"),
        (False, "trust < 2 or trust != 2"),
        (False, "not trust == 2"),
        (True, "not false and true"),
        (True, "true or false and false"),
        (False, "!met"),
        (True, "!met == false"),
        (True, "met && trust > 1 || false"),
        (True, "TRUE and not FALSE"),
        ("a|b", "'a|b'"),
        ('say "x"', r'"say \"x\""'),
        ("Ben is 2", 'name + " is " + trust'),
        ("true.", "met + '.'"),
        (".", "nobody + '.'"),
        (3, 'visits("map")'),
        (1, "chosen('tea')"),
        (106, "roll(1, 6)"),
        ("flag:lit", "flag('lit')"),
        ("holds:Ben/key", "holds(name, 'key')"),
        ("state:door", "state('door')"),
    ],
)
def test_an_expression_is_worth(expected: Value, text: str) -> None:
    """Operators have the grammar's precedence, and names and functions use the scope."""
    worth = _evaluate_text(text)

    assert (expected, type(expected)) == (worth, type(worth))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (False, "1 == '1'"),
        (True, "1 != '1'"),
        (False, "1 < '2'"),
        (False, "1 >= '1'"),
        (False, "true == 1"),
        (False, "true >= 1"),
        (True, "1 == 1.0"),
        (True, "'a' < 'b'"),
        (True, "false < true"),
        (True, "nobody == 0"),
        (True, "nobody == ''"),
        (True, "nobody == false"),
        (True, "nobody == nothing"),
        (True, "nobody <= nothing"),
        (True, "nobody < 1"),
        (False, "nobody"),
    ],
)
def test_unlike_kinds_are_never_alike(expected: bool, text: str) -> None:
    """Values of different types are unequal and unordered, and nothing is 0, empty and false."""
    assert expected is is_true(_evaluate_text(text))


def test_what_is_settled_is_not_asked() -> None:
    """`and` and `or` do not evaluate a side that cannot matter."""
    assert _evaluate_text("false and 1 / nobody") is False
    assert _evaluate_text("true or 1 / nobody") is True


@pytest.mark.parametrize(
    ("column", "part", "text"),
    [
        (7, "divided by zero", "1 + 2 / nobody"),
        (7, "by zero is undefined", "trust % nobody"),
        (6, "'-' needs numbers, not the text 'Ben'", "name - 1"),
        (5, "not true", "met * 2"),
        (1, "'-' needs numbers", "-name"),
        (7, "whole numbers, not 0.5", "trust % half"),
        (1, "the smaller number first", "roll(6, nobody + 1)"),
        (1, "two whole numbers, not 'Ben' and 2", "roll(name, 2)"),
        (7, f"larger than {LARGEST}", f"trust + {LARGEST}"),
    ],
)
def test_what_cannot_be_worked_out_stops(column: int, part: str, text: str) -> None:
    """A failure during play is an error with the place of the operator or function."""
    expression = parse_expression(text, line=4)

    with pytest.raises(ScriptError) as caught:
        expression.worth(SCOPE)

    assert "EXPRESSION_FAILED" == caught.value.code
    assert SourceLocation(line=4, column=column) == caught.value.where
    assert part in caught.value.message


@pytest.mark.parametrize(
    ("column", "hint", "text"),
    [
        (7, "write ==", "x = 1"),
        (6, "write >", "x＞1"),
        (5, "did you mean 'visits'?", "visit('a')"),
        (11, "join them with 'and'", "a < b < c"),
        (7, "write and", "a AND b"),
        (5, 'add ", and write \\" for one inside the text', '"open'),
        (5, "add )", "(1 + 2"),
        (5, "add )", "visits('a'"),
        (7, "write and", "a & b"),
        (8, "something is missing after +", "1 + "),
        (7, "", "1 2"),
        (5, "", ""),
        (5, "", "and"),
        (5, "write roll(1, 6)", "roll(1)"),
        (7, "", "1 / 0"),
        (5, "", str(LARGEST + 1)),
    ],
)
def test_a_typo_is_reported_with_its_place(column: int, hint: str, text: str) -> None:
    """A malformed expression is a problem at its column, with a hint where one is known."""
    with pytest.raises(NotationError) as caught:
        parse_expression(text, 3, 5)

    problem = caught.value
    assert (3, column, hint) == (problem.line, problem.column, problem.hint)


def test_an_unknown_function_is_reported_with_all_functions() -> None:
    """The hint for an unknown function lists all functions."""
    with pytest.raises(NotationError) as caught:
        parse_expression("qqqq(1)")

    assert all(name in caught.value.hint for name in FUNCTIONS)


def test_names_and_calls_are_listed() -> None:
    """An expression lists the names it reads and calls, with places and constant arguments."""
    expression = parse_expression("  a + visits('m')\n> roll(1, b)", 2, 10)

    assert ("a + visits('m')\n> roll(1, b)", 2, 12) == (
        expression.source,
        expression.line,
        expression.column,
    )
    assert (VariableReference("a", 2, 12), VariableReference("b", 3, 11)) == expression.names
    assert (
        FunctionCall("visits", ("m",), 2, 16, (23,)),
        FunctionCall("roll", (1, None), 3, 3, (8, 11)),
    ) == expression.calls
    assert not expression.constant
    assert parse_expression("1 + 2 * 3 == 7").constant


def test_expressions_are_alike_by_what_they_say_and_where() -> None:
    """Expressions are equal if their text and place are."""
    one, same = parse_expression("a > 1", 2, 3), parse_expression("a > 1", 2, 3)

    assert one == same
    assert 1 == len({one, same})
    assert one != parse_expression("a > 1", 2, 4)
    assert "Expression('a > 1', 2, 3)" == repr(one)


@pytest.mark.parametrize("text", ["(" * 41 + "1" + ")" * 41, "-" * 41 + "x", "not " * 41 + "x"])
def test_depth_is_bounded(text: str) -> None:
    """An expression may be nested 40 deep."""
    with pytest.raises(NotationError, match="more than 40 deep"):
        parse_expression(text)
    assert parse_expression("(" * 40 + "1" + ")" * 40).constant


def test_length_is_bounded() -> None:
    """An expression may have 2,000 characters."""
    assert 0 == _evaluate_text("a+" * 999 + "a")
    with pytest.raises(NotationError, match="more than 2000"):
        parse_expression("a+" * 1000 + "a")


@given(st.text(alphabet="ab1.\"'()!&|<>=+-*/% ,\\notrue名＞\n", max_size=60) | st.text())
def test_reading_gives_an_expression_or_a_problem(text: str) -> None:
    """Any text is parsed or refused with a problem, and a parsed one gives a value or an error."""
    try:
        value = parse_expression(text).worth(SCOPE)
    except (NotationError, ScriptError) as refusal:
        outcome = str(refusal)
    else:
        outcome = format_value(value)

    assert outcome or value in ("", None)


def test_asking_is_cheap() -> None:
    """Evaluating a simple condition is fast."""
    worth, before = parse_expression("trust > 1").worth, process_time()
    for _ in range(10_000):
        worth(SCOPE)

    assert process_time() - before < 0.1


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ("true", True),
        ("false", False),
        ("3", 3),
        ("3", 3.0),
        ("0", -0.0),
        ("0.1", 0.1),
        ("1e+300", 1e300),
        ("", None),
        ("as it is", "as it is"),
    ],
)
def test_a_value_is_shown(expected: str, value: Value) -> None:
    """Booleans are in lower case, whole numbers have no decimal point, and nothing is empty."""
    assert expected == format_value(value)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (3, "3"),
        (-3, " -3 "),
        (1.5, "1.5"),
        (0.5, ".5"),
        (True, "TRUE"),
        (False, "False"),
        ("3", '"3"'),
        ("two words", '"two words"'),
        ("truer", "truer"),
        ("9" * 30, "9" * 30),
        ("9" * 5_000, "9" * 5_000),
        ("", ""),
        ('"', '"'),
        ("٣", "٣"),
    ],
)
def test_an_old_parameter_is_read(expected: Value, text: str) -> None:
    """Numbers and booleans in any case are values; anything else is text without its quotes."""
    value = parse_literal(text)

    assert (expected, type(expected)) == (value, type(value))


@pytest.mark.parametrize(
    ("expected", "before", "operator", "worth"),
    [
        (2, 1, "=", 2),
        (3, 1, "+=", 2),
        (2, None, "+=", 2),
        ("ab", "a", "+=", "b"),
        (-1, 1, "-=", 2),
        (6, 3, "*=", 2),
        (1.5, 3, "/=", 2),
    ],
)
def test_a_variable_is_given_a_value(
    expected: Value, before: Value, operator: str, worth: Value
) -> None:
    """Each operator computes the new value from the old one; an unset variable counts as 0."""
    assert expected == assign_value(before, operator, worth)


@pytest.mark.parametrize(
    ("before", "operator", "worth"),
    [
        (1, "/=", 0),
        ("a", "-=", 1),
        (LARGEST, "+=", 1),
        (-LARGEST, "-=", 1),
        (1e308, "*=", 1e308),
        (1e308, "/=", 1e-308),
        (None, "=", "x" * 10_001),
        ("x" * 10_000, "+=", "x"),
    ],
)
def test_a_value_out_of_bounds_is_refused(before: Value, operator: str, worth: Value) -> None:
    """Numbers and texts over the limits, and unsuitable types, are errors."""
    with pytest.raises(ScriptError) as caught:
        assign_value(before, operator, worth)

    assert "EXPRESSION_FAILED" == caught.value.code


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([("n", 3, 5)], "n > 3"),
        ([("n", 3, 12)], "3 <= \t n"),
        ([("n", "a", 6), ("m", True, 24)], "(n == 'a') and not m != true"),
        ([], "n + 1 > 3"),
        ([], "n > m"),
        ([], "n == -1"),
        ([], "2 > 1"),
    ],
)
def test_comparisons_with_constants_are_listed(
    expected: list[tuple[str, Value, int]], text: str
) -> None:
    """A variable compared with a constant is listed with its place."""
    noted = parse_expression(text, 1, 5).compared

    assert expected == [(each.name, each.value, each.column) for each in noted]


@pytest.mark.parametrize("text", ["n", "n > 3", "n<=3", "12", "n != 0"])
@pytest.mark.parametrize("value", [None, 0, 3, 12.0, "3", True])
def test_plain_forms_mean_what_the_grammar_says(text: str, value: Value) -> None:
    """The fast path for plain forms gives the same result as the grammar."""
    plain, whole = parse_expression(text, 1, 1), parse_expression(f"({text})", 1, 0)
    scope = FixedScope({"n": value})

    assert whole.worth(scope) == plain.worth(scope)
    assert (whole.names, whole.compared) == (plain.names, plain.compared)
