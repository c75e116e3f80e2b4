import pytest

from saniwa.story.story import parse_story
from saniwa.story.tools.overview import StoryStatistics, TextSize, measure_story

_STORY = """\
---
id: x
vars: {n: 0}
---
Rain, and {n} more - rain.
## one
Ann: 雨が降る。OK
- Go {once}
  [SET m = 1]
- Stay
## two
Ann: {n: Yes|Not at all}.
[ASK prompt="?" name=who]
<!-- ending: wet -->
"""


def _measure_text(text: str = _STORY) -> StoryStatistics:
    return measure_story(parse_story(text).program)


@pytest.mark.parametrize(
    ("text", "words", "letters", "characters"),
    [
        ("One two, three.", 3, 0, 13),
        ("It's - well - 2 o'clock", 4, 0, 18),
        ("雨が降る。", 0, 4, 5),
        ("カタカナー々漢字", 0, 8, 8),
        ("雨 rain 雨rain", 2, 2, 10),
        ("한국어 말", 2, 0, 4),
        ("{n|two words}", 2 + 1, 0, 9),
        ("…… !", 0, 0, 3),
    ],
)
def test_words_and_letters_are_counted_apart(
    text: str, words: int, letters: int, characters: int
) -> None:
    """Japanese and Chinese are counted by character, everything else by words."""
    size = _measure_text(text).size

    assert (words, letters, characters) == (size.words, size.letters, size.characters)


def test_everything_in_a_story_is_counted() -> None:
    """Sections, choices, options, endings and variables are counted."""
    found = _measure_text()

    assert (2, 1, 2) == (found.sections, found.choices, found.options)
    assert ("wet",) == found.endings
    assert ("m", "n", "who") == found.variables


def test_speakers_are_counted_one_by_one() -> None:
    """Lines and words are counted per speaker, and options for none."""
    speakers = {part.name: part.size for part in _measure_text().speakers}

    assert (1, 4, 0) == _list_sizes(speakers[""])
    assert (2, 5, 4) == _list_sizes(speakers["Ann"])
    assert (3, 11, 4) == _list_sizes(_measure_text().size)


def _list_sizes(size: TextSize) -> tuple[int, int, int]:
    return size.lines, size.words, size.letters


def test_reading_takes_its_time() -> None:
    """Two hundred words or five hundred Japanese characters take a minute to read."""
    assert 60 == TextSize(words=200).seconds
    assert 60 == TextSize(letters=500).seconds
    assert 90 == TextSize(words=200, letters=250).seconds


def test_the_longest_section_is_named() -> None:
    """The section that takes longest to read is named."""
    found = _measure_text("short\n## a\nsome more words here\n## b\nlittle\n").longest

    assert found is not None
    assert "a" == found.name


def test_an_empty_story_has_nothing() -> None:
    """An empty story has zero counts."""
    assert TextSize() == _measure_text("").size
