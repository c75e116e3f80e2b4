import asyncio

import pytest

from saniwa.core.errors import RunError
from saniwa.models.metering import CallBudget
from saniwa.runs.word_interpreter import (
    Interpretation,
    PhraseListener,
    check_encodable,
    interpret_words,
    to_json_claims,
)
from saniwa.turn.record import SpokenWords
from tests.fakes.runs import ScriptedListener
from tests.fakes.worlds import PLAYER, make_courtyard


def test_claims_are_heard_as_they_will_be_kept() -> None:
    """Claims are normalised to JSON values."""
    listener = ScriptedListener({"x": ({"type": "use", "a": (1, 2)}, {"b": 1.5})})
    words = SpokenWords(actor_id=PLAYER, text="x")
    heard = asyncio.run(interpret_words(words, make_courtyard(), None, listener, CallBudget()))

    assert (({"type": "use", "a": [1, 2]}, {"b": 1.5}), None) == heard


@pytest.mark.parametrize("claim", [object(), "\ud800", {"a": {1j}}, {("a", "b"): 1}])
def test_claims_that_cannot_be_encoded_are_refused(claim: object) -> None:
    """Claims that JSON cannot represent are refused."""
    with pytest.raises(RunError, match="TEXT_UNREADABLE"):
        to_json_claims([claim])


def test_claims_nested_without_end_are_refused() -> None:
    """Claims that are nested too deep are refused."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(RunError, match="TEXT_UNREADABLE"):
        to_json_claims(deep)
    while deep:
        deep = deep.pop()  # type: ignore[assignment]


@pytest.mark.parametrize("text", ["", "\x00", "鍵", "🗝️", "a\u2028b", "x" * 100_000])
def test_any_whole_text_is_legible(text: str) -> None:
    """Any text that can be encoded is accepted."""
    assert text == check_encodable(text)


def test_the_phrase_listener_hears_phrases() -> None:
    """The default listener is the phrase parser."""
    heard = asyncio.run(
        PhraseListener().listen("take the key", PLAYER, make_courtyard(), CallBudget())
    )

    assert ["take"] == [claim["type"] for claim in heard]  # type: ignore[index]


def _interpret_aloud(text: str) -> Interpretation:
    words = SpokenWords(actor_id=PLAYER, text=text)
    nobody = ScriptedListener({})
    return asyncio.run(
        interpret_words(words, make_courtyard(), None, nobody, CallBudget(), aloud=True)
    )


@pytest.mark.parametrize(
    "text",
    ["Good evening to you.", "Well met! Go and take it.", "いい夜ですね。",
     "Can I open the gate?", "門を開けてもいい？"],
)  # fmt: skip
def test_a_characters_plain_words_are_said_aloud(text: str) -> None:
    """A character's words without marks are speech, and are recorded as its reply."""
    claims, reply = _interpret_aloud(text)

    assert ({"type": "speak", "content": text},) == claims
    assert reply is not None
    assert (text, "FALLBACK_SPEECH") == (reply["raw_output"], reply["repair_method"])


def test_a_characters_phrases_are_deeds() -> None:
    """A character's phrase is an action, without calling a model."""
    claims, reply = _interpret_aloud("take the key")

    assert (["take"], None) == ([c["type"] for c in claims], reply)


@pytest.mark.parametrize("text", ["", " ", "x" * 20_001])
def test_nothing_and_too_much_are_not_said_aloud(text: str) -> None:
    """Empty and too long words of a character are not said aloud."""
    claims, reply = _interpret_aloud(text)

    assert reply is None
    assert "speak" not in [claim["type"] for claim in claims]
