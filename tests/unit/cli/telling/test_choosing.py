import pytest

from saniwa.cli.telling.choosing import first_open, meant, options_of, reading_time
from saniwa.script.directive import Branch, Next, Option, Say, StepResult

_OPTIONS = (
    Option.of("Ask", enabled=False),
    Option.of("Walk on"),
    Option.of("walk ON "),
    Option.of("7"),
)


def _step(*directives: Say | Branch) -> StepResult:
    return StepResult(next=Next.WAIT_BRANCH, directives=directives)


@pytest.mark.parametrize(
    ("words", "index"),
    [
        ("1", 0),
        (" 2. ", 1),
        ("４", 3),
        ("ask", 0),
        ("ASK", 0),
        ("walk on", None),
        ("7", None),
        ("0", None),
        ("5", None),
        ("-1", None),
        ("²", None),
        ("9" * 5000, None),
        ("", None),
        ("as", None),
    ],
)
def test_typed_words_mean_one_option_or_none(words: str, index: int | None) -> None:
    """A number counts from 1; words must be those of exactly one option."""
    assert index == meant(words, _OPTIONS)


def test_the_first_option_that_can_be_taken() -> None:
    """What is only shown is passed over; where nothing is open there is none."""
    assert 1 == first_open(_OPTIONS)
    assert None is first_open(_OPTIONS[:1])
    assert None is first_open(())


def test_a_step_offers_the_same_with_and_without_details() -> None:
    """Plain choices are options that can be taken; a step without a choice has none."""
    options = (Option.of("a"), Option.of("b"))

    assert options == options_of(_step(Branch.of("a", "b")))
    assert options == options_of(_step(Say.of("", "x"), Branch.offering(options)))
    assert () == options_of(_step(Say.of("", "x")))


def test_long_and_wide_lines_take_longer_to_read() -> None:
    """A page that turns by itself leaves time to read it."""
    short, long, wide = (
        reading_time(_step(Say.of("", text))) for text in ("a", "aa", "灯灯")
    )

    assert 1 < short < long < wide
