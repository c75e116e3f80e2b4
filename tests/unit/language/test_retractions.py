"""A sentence can take back, put off or doubt the deed before it; most sentences do not."""

from collections.abc import Callable

import pytest

from saniwa.language.en.addressees import is_permission
from saniwa.language.en.retractions import (
    find_dependence,
    find_imagined,
    find_threat,
    is_taking_back,
    is_told_as_past,
)
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
        "Pim's idea, not mine.",
        "My twin would.",
        "I couldn't possibly.",
        "I wish I could.",
    ],
)
def test_a_sentence_about_the_deed_takes_it_back(text: str) -> None:
    """It means the deed, or is no more than a refusal, a condition or a time."""
    assert is_taking_back(_split(text), asked="?" in text)


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
        "I wish it were bigger.",
        "Don't worry.",
        "When the bell rings, I leave.",
    ],
)
def test_other_sentences_leave_the_deed(text: str) -> None:
    """They tell of something else, or urge."""
    assert not is_taking_back(_split(text), asked="?" in text)


@pytest.mark.parametrize(
    ("text", "imagines"),
    [("Picture this.", True), ("The next day.", True), ("I see a picture.", False)],
)
def test_a_sentence_can_make_what_follows_imagined(text: str, imagines: bool) -> None:
    """Only a sentence that opens a thought does."""
    assert bool(find_imagined(_split(text))) is imagines


@pytest.mark.parametrize(
    ("find", "text", "found"),
    [
        (find_threat, "Open it and I'll scream.", True),
        (find_threat, "Open it and the play is ruined.", True),
        (find_threat, "I open it and I'll take the key.", False),
        (find_threat, "Take the key and the lamp.", False),
        (find_dependence, "Look around and, should she leave, take it.", True),
        (find_dependence, "Wait for Pim, then open it.", True),
        (find_dependence, "Wait for a moment, then open it.", False),
        (is_told_as_past, "I put it there because she told me to.", True),
        (is_told_as_past, "Yes, I put it there.", True),
        (is_told_as_past, "I put it there because it is heavy.", False),
        (is_permission, "You can take the key.", True),
        (is_permission, "You can now take the key.", False),
    ],
)
def test_a_sentence_can_look_like_a_command_and_be_none(
    find: Callable[[EnglishPhrase], object], text: str, found: object
) -> None:
    """A threat, a condition inside, a past without its mark and a permission are told apart."""
    assert bool(find(_split(text))) is found
