"""A sentence can take back, put off or doubt the deed before it; most sentences do not."""

import pytest

from saniwa.language.en.afterthoughts import find_imagined, undoes_deed
from saniwa.language.en.words import EnglishPhrase, merge_tokens, tokenize_english
from saniwa.language.text import prepare_text


def _split(text: str) -> EnglishPhrase:
    tokens = merge_tokens(tuple(tokenize_english(prepare_text(text, ()))))
    return tuple(token for token in tokens if token.kind != "stop")


@pytest.mark.parametrize(
    "text",
    [
        "Nah.",
        "Lol no.",
        "No I won't.",
        "But I shouldn't.",
        "Or maybe I won't.",
        "Should I?",
        "Why would I do that?",
        "Is that wise?",
        "Is it allowed?",
        "That's my sister's advice.",
        "It was all a dream.",
        "But only if Pim agrees.",
        "After the show.",
        "Just not today.",
        "Too risky.",
        "Her exact words.",
    ],
)
def test_a_sentence_about_the_deed_takes_it_back(text: str) -> None:
    """It stands for the deed, or is no more than a refusal, a condition or a time."""
    assert undoes_deed(_split(text), asked="?" in text)


@pytest.mark.parametrize(
    "text",
    [
        "No one is looking.",
        "I won't be long.",
        "I'm cold.",
        "It has always fascinated me.",
        "That's better.",
        "What's inside?",
        "What does it mean?",
        "Is it heavy?",
        "Do it now!",
        "Slowly.",
        "Don't worry.",
        "When the bell rings, I leave.",
    ],
)
def test_other_sentences_leave_the_deed(text: str) -> None:
    """They tell of something else, or urge."""
    assert not undoes_deed(_split(text), asked="?" in text)


@pytest.mark.parametrize(
    ("text", "imagines"),
    [("Picture this.", True), ("The next day.", True), ("I see a picture.", False)],
)
def test_a_sentence_can_make_what_follows_imagined(text: str, imagines: bool) -> None:
    """Only a sentence that opens a thought does."""
    assert bool(find_imagined(_split(text))) is imagines
