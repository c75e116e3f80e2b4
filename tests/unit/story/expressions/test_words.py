from collections.abc import Mapping
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import ScriptError
from saniwa.story.expression_parser import parse_expression
from saniwa.story.parser.inline_text import TrailingAttributes, parse_trailing
from saniwa.story.parser.template_parser import parse_words
from saniwa.story.text_template import TextTemplate, ValuePart, find_text_expressions, render_words
from saniwa.story.value_operations import Value


class CountingScope:
    """A scope that counts what is shown."""

    def __init__(self, seed: int, **variables: Value) -> None:
        self.variables: Mapping[str, Value] = variables
        self.seed = seed
        self.counts: dict[str, int] = {}

    def count_visits(self, label: str) -> int:
        """The length of the label."""
        return len(label)

    def count_choices(self, option: str) -> int:
        """The length of the option."""
        return len(option)

    def roll(self, low: int, high: int) -> int:
        """Must not be called."""
        raise AssertionError(f"rolled {low} to {high}")

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The name and the arguments."""
        return f"{name}{given}"

    def count_showing(self, key: str) -> int:
        """How often it was shown before."""
        before = self.counts.get(key, 0)
        self.counts[key] = before + 1
        return before


def _render_times(text: str, times: int = 1, **variables: Value) -> list[str]:
    words, problems = parse_words(text, 1, 1)
    scope = CountingScope(1, **variables)

    assert () == problems
    return [render_words(words, scope, "key") for _ in range(times)]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("3 and Ben", "{n} and {name}"),
        ("", "{nobody}"),
        ("4", "{n + 1}"),
        ("true", "{n == 3}"),
        ("Still there.", "{n: Still there.|Gone.}"),
        ("Gone.", "{not n: Still there.|Gone.}"),
        ("You came back, friend.", "You came back{n > 1: , friend}."),
        ("two  blanks", "two{n:   blanks}"),
        ("", "{n > 5: many}"),
        ("yes", "{n||nobody: yes|no}"),
        ("no", "{!n: yes|no}"),
        ("3!", "{n: {n > 2: {n}!|few}|none}"),
        ("quoted", '{name == "}|:": wrong|quoted}'),
        ("5", '{visits("a:b|c")}'),
        ("it's 3", "{n: it's {n}|isn't}"),
        ("x: y", "{n: x: y|z}"),
    ],
)
def test_values_and_conditions_are_filled_in(expected: str, text: str) -> None:
    """A value is filled in, a condition selects a side, and a space after its colon is dropped."""
    assert [expected] == _render_times(text, n=3, name="Ben")


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("abbb", "{a|b}"),
        ("abab", "{&a|b}"),
        ("ab", "{!a|b}"),
        ("aaaa", "{&a}"),
        ("axyx", "{a|{&x|y}}"),
    ],
)
def test_variations_follow_their_kind(expected: str, text: str) -> None:
    """A sequence stays at its last option, a cycle repeats, `once` ends, and all can be nested."""
    assert expected == "".join(_render_times(text, 4))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["don't", "won't: x"], "{don't|won't: x}"),
        (['"Hi," she said.', '"Bye."'], '{"Hi," she said.|"Bye."}'),
        (["one", "", "three"], "{one||three}"),
        (["a|b", "c"], "{a\\|b|c}"),
        (["!a", "b"], "{\\!a|b}"),
    ],
)
def test_options_may_hold_quotes_and_bars(expected: list[str], text: str) -> None:
    """Quotes have no meaning in a text, empty options count, and escapes make text."""
    assert expected == _render_times(text, len(expected))


def test_a_shuffle_deals_every_option_each_round() -> None:
    """A shuffle shows every option once per round, in an order given by the seed."""
    words, _ = parse_words("{~a|b|c|d}", 1, 1)

    def deal_rounds(seed: int) -> list[str]:
        scope = CountingScope(seed)
        letters = "".join(render_words(words, scope, "key") for _ in range(40))
        return [letters[at : at + 4] for at in range(0, 40, 4)]

    assert all("abcd" == "".join(sorted(each)) for each in deal_rounds(1))
    assert len(set(deal_rounds(1))) > 3
    assert deal_rounds(1) == deal_rounds(1) != deal_rounds(2)


def test_variations_of_a_text_are_counted_apart() -> None:
    """Every variation of a text has its own counter."""
    words, _ = parse_words("{&a|b} {x|y}\n{n: {!p|q}}", 1, 1)
    scope = CountingScope(1, n=1)

    assert "a x\np" == render_words(words, scope, "key")
    assert {"key/0": 1, "key/1": 1, "key/2": 1} == scope.counts


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("{n} [c] a: \\", "\\{n\\} \\[c] a\\: \\\\"),
        ("- a\n# b\n< \\-", "\\- a\n\\# b\n\\< \\-"),
        ("\\n \\", "\\n \\"),
        ("a\\|b", "a\\|b"),
        ("名：x", "名\\：x"),
        ("> a\n* b\n+ c\n| d\n! e", "\\> a\n\\* b\n\\+ c\n\\| d\n\\! e"),
        ("1. a\n  12) b", "\\1. a\n  \\12) b"),
        ("\\1 a \\> b \\1.", "\\1 a \\> b \\1."),
    ],
)
def test_escapes_make_plain_text(expected: str, text: str) -> None:
    """An escaped mark is text; a backslash before anything else stays."""
    assert (expected, ()) == parse_words(text, 1, 1)


@pytest.mark.parametrize(
    ("place", "code", "hint", "text"),
    [
        ((3, 8), "EXPRESSION_MALFORMED", "write ==", "{x = 1}"),
        ((3, 9), "EXPRESSION_MALFORMED", "write \\: for a colon in the text", "{at 9:30|x}"),
        ((3, 6), "EXPRESSION_MALFORMED", "write \\{ for a brace in the text", "{}"),
        ((3, 14), "EXPRESSION_MALFORMED", "write \\| for a bar", "{met: a|b|c}"),
        ((4, 6), "BRACE_UNCLOSED", "add } or write \\{", "one\ntwo, { three"),
        ((5, 4), "EXPRESSION_MALFORMED", "write \\{ for a brace in the text", "\n\n{a b}"),
        (
            (3, 9),
            "EXPRESSION_MALFORMED",
            "write {expr: text}; only an item takes {if expr}",
            "{if met}",
        ),
    ],
)
def test_a_typo_stays_as_written_and_is_reported(
    place: tuple[int, int], code: str, hint: str, text: str
) -> None:
    """Malformed braces are shown as text, and are a problem with its place and hint."""
    words, (problem,) = parse_words(text, 3, 5)

    assert text == words
    assert (*place, code, hint) == (problem.line, problem.column, problem.code, problem.hint)


def test_what_is_right_inside_a_typo_still_works() -> None:
    """Inside malformed braces, the correct ones still work."""
    words, problems = parse_words("{a|{n}|{b c}", 1, 1)

    assert "{a|3|{b c}" == render_words(words, CountingScope(1, n=3), "key")
    assert ["BRACE_UNCLOSED", "EXPRESSION_MALFORMED"] == [p.code for p in problems]


def test_depth_and_problems_are_bounded() -> None:
    """Braces may be nested 40 deep, and the number of problems in a text is limited."""
    _, deep = parse_words("{a|" * 41 + "}" * 41, 1, 1)
    _, many = parse_words("{}" * 1_000, 1, 1)

    assert ["braces are nested more than 40 deep"] == [p.message for p in deep]
    assert 100 == len(many)


def test_a_text_may_not_grow_without_end() -> None:
    """A text that grows beyond a million characters is an error."""
    words, _ = parse_words("{n}" * 101, 1, 1)

    with pytest.raises(ScriptError, match="exceeds 1000000"):
        render_words(words, CountingScope(1, n="x" * 10_000), "key")


def test_expressions_come_in_reading_order() -> None:
    """Every expression in a text is listed with its place, including nested ones."""
    words, _ = parse_words("{a}\n{b: {c|{d}}|{e}}", 7, 3)

    assert [("a", 7, 4), ("b", 8, 2), ("d", 8, 9), ("e", 8, 14)] == [
        (each.source, each.line, each.column) for each in find_text_expressions(words)
    ]
    assert [] == list(find_text_expressions("plain"))


def test_texts_are_alike_by_what_they_say() -> None:
    """A text parsed twice is equal, and keeps its source."""
    one, same = parse_words("a {n}", 1, 1)[0], parse_words("a {n}", 1, 1)[0]

    assert TextTemplate("a {n}", ("a ", ValuePart(parse_expression("n", 1, 4)))) == one == same


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (TrailingAttributes("plain"), "plain  "),
        (TrailingAttributes("so {n}"), "so {n}"),
        (TrailingAttributes("{x==1}"), "{x==1}"),
        (TrailingAttributes("\\{#a}"), "\\{#a}"),
        (TrailingAttributes("a}"), "a}"),
        (TrailingAttributes("so {once}"), "so {once}"),
        (TrailingAttributes("so", tags=("soft",)), "so {.soft}"),
        (
            TrailingAttributes(
                "so {n}.",
                id="b-1",
                id_column=15,
                tags=("low", "slow"),
                values=(("pitch", "two words"), ("voice", "b_1")),
            ),
            'so {n}. {#b-1 voice=b_1 .low} { .slow pitch="two words" } ',
        ),
        (TrailingAttributes("so", deed="give {n}", deed_column=12), "so {do give {n}}"),
    ],
)
def test_a_line_ends_with_what_is_attached(expected: TrailingAttributes, text: str) -> None:
    """Ids, tags, values and actions at the end are removed; other braces are text."""
    assert expected == parse_trailing(text, 2, 5, item=False)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (TrailingAttributes("tea", once=True, fallback=True, ask=True), "tea {once} {else}{ask}"),
        (
            TrailingAttributes(
                "tea {n}",
                id="t",
                id_column=26,
                only_if=parse_expression("a > 1", 2, 17),
                enabled_if=parse_expression("not b", 2, 38),
            ),
            "tea {n} {if a > 1} {#t} {show if not b}",
        ),
    ],
)
def test_an_item_ends_with_conditions(expected: TrailingAttributes, text: str) -> None:
    """Items may also end with marks and conditions, in any order."""
    assert expected == parse_trailing(text, 2, 5, item=True)


@pytest.mark.parametrize(
    ("column", "message", "text"),
    [
        (13, "'=' is not allowed in an expression", "a {if x = 1}"),
        (10, "the expression is missing", "a {if}"),
        (10, "an action needs words", "a {do}"),
        (9, "a line can have only one id", "a {#x} {#y}"),
        (12, "'k' is given twice", "a {k=1 k=2}"),
        (11, "an item can have only one condition of each kind", "a {if x} {if y}"),
        (11, "a line can have only one action", "a {do x} {do y}"),
    ],
)
def test_a_typo_in_a_group_is_reported(column: int, message: str, text: str) -> None:
    """A malformed group at the end is removed, and is a problem with its place."""
    trailing = parse_trailing(text, 2, 5, item=True)
    (problem,) = trailing.problems

    assert "a" == trailing.text
    assert (2, column, message) == (problem.line, problem.column, problem.message)


_ODD = st.text(alphabet="{}|:\\\"'&!~#.=an1 \nif名", max_size=80)


@given(_ODD | st.text(), st.booleans())
def test_any_text_is_read(text: str, item: bool) -> None:
    """Any text can be parsed and rendered."""
    words, problems = parse_words(text, 1, 1)
    trailing = parse_trailing(text, 1, 1, item=item)

    assert all(p.code in ("EXPRESSION_MALFORMED", "BRACE_UNCLOSED") for p in problems)
    assert text.startswith(trailing.text)
    assert trailing == parse_trailing(text, 1, 1, item=item)
    assert (words, problems) == parse_words(text, 1, 1)


@given(st.text().filter(lambda text: "{" not in text and "\\" not in text))
def test_plain_text_is_itself(text: str) -> None:
    """A text without braces and backslashes is shown unchanged."""
    assert (text, ()) == parse_words(text, 1, 1)
    assert text == render_words(text, CountingScope(1), "key")


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "{" * 50_000 + "}" * 50_000,
        "\\" * 100_000,
        "{\"{'" * 25_000,
        '{"}{"+' * 16_000 + "}",
        "{" + "|" * 99_998 + "}",
        "{" + "a=b " * 24_000 + "}",
        "{if x}" * 16_000,
        "{n}" * 33_000,
    ],
    ids=lambda text: text[:6],
)
def test_long_lines_take_little_time(text: str) -> None:
    """The longest line is parsed in linear time."""
    before = process_time()
    parse_words(text, 1, 1)
    parse_trailing(text, 1, 1, item=True)

    assert process_time() - before < 4
