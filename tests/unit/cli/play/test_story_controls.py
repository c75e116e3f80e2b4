import pytest

from saniwa.cli.play.story_controls import estimate_reading_time, find_first_enabled, match_options
from saniwa.runs.playing import list_options
from saniwa.story.step_result import Branch, Next, Option, Say, StepResult

_OPTIONS = (
    Option.build("Ask", enabled=False),
    Option.build("Walk on"),
    Option.build("walk ON "),
    Option.build("7"),
)


def _make_step(*directives: Say | Branch) -> StepResult:
    return StepResult(next=Next.WAIT_BRANCH, directives=directives)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("1", (0,)),
        (" 2. ", (1,)),
        ("４", (3,)),
        ("ask", (0,)),
        ("ASK", (0,)),
        ("walk on", (1, 2)),
        ("7", ()),
        ("0", ()),
        ("5", ()),
        ("-1", ()),
        ("²", ()),
        ("9" * 5000, ()),
        ("", ()),
        (" ", ()),
        (".", ()),
        ("as", ()),
    ],
)
def test_typed_words_mean_options_or_none(words: str, found: tuple[int, ...]) -> None:
    """A number counts from 1; otherwise the words must be an option's whole text."""
    assert found == match_options(words, _OPTIONS)


_MENU = (
    Option.build("Order the cider"),
    Option.build("Order tea, no sugar", enabled=False),
    Option.build("Ask for the cider-press"),
    Option.build("灯のことを尋ねる"),
    Option.build("歩き出す"),
    Option.build("Pay for the tea"),
    Option.build("Order"),
)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("press", (2,)),
        ("The CIDER", (0, 2)),
        ("cide", ()),
        ("order", (6,)),
        ("order the", (0,)),
        ("tea", (5,)),
        ("sugar", (1,)),
        ("灯", (3,)),
        ("歩き出す。", (4,)),
        ("cider.", (0, 2)),
    ],
)
def test_a_word_means_the_open_options_it_is_part_of(words: str, found: tuple[int, ...]) -> None:
    """Words match options that contain them as whole words; open options come first."""
    assert found == match_options(words, _MENU)


def test_where_own_words_are_heard_only_an_option_as_a_whole_is_meant() -> None:
    """Where free words are accepted, only the whole text of an option chooses it."""
    assert () == match_options("press", _MENU, whole=True)
    assert (6,) == match_options("order", _MENU, whole=True)


def test_the_first_option_that_can_be_taken() -> None:
    """The first enabled option is found; without one there is none."""
    assert 1 == find_first_enabled(_OPTIONS)
    assert None is find_first_enabled(_OPTIONS[:1])
    assert None is find_first_enabled(())


def test_a_step_offers_the_same_with_and_without_details() -> None:
    """Choices with and without details give the same options; a step without a choice has none."""
    options = (Option.build("a"), Option.build("b"))

    assert options == list_options(_make_step(Branch.build("a", "b")))
    assert options == list_options(
        _make_step(Say.build("", "x"), Branch.build_from_options(options))
    )
    assert () == list_options(_make_step(Say.build("", "x")))


def test_long_and_wide_lines_take_longer_to_read() -> None:
    """Automatic pages stay longer for longer and wider text."""
    short, long, wide = (
        estimate_reading_time(_make_step(Say.build("", text))) for text in ("a", "aa", "灯灯")
    )

    assert 1 < short < long < wide
