"""A thought is never said aloud, however a model tags it."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from saniwa.turn.model_reply import looks_like_reply, read_reply

_DRESSED = [
    "## Thought\nI hide it\n## Output\n*wait* Hello.",
    '{"thought": "I hide it", "output": "*wait* Hello."}',
    "<thought>I hide it</thought>\n<output>*wait* Hello.</output>",
    "思考: I hide it\n出力: *wait* Hello.",
    "心の声：I hide it\n発話：*wait* Hello.",
    "thought I hide it\noutput *wait* Hello.",
    "Thought: I hide it\nOutput: *wait* Hello. (Thought: I hide it)",
    "Output: *wait* Hello. 【思考：I hide it】",
    "<think>I hide it</think>\n*wait* Hello.",
    "I hide it</think>\nOutput: *wait* Hello.",
    "<reasoning>I hide it</reasoning>Thought: no\nOutput: *wait* Hello.",
    "[Thought] I hide it\n[Output] *wait* Hello.",
    "```thought\nI hide it\n```\nOutput: *wait* Hello.",
    "Output: *wait* Hello. Thought: I hide it",
    "<|channel|>analysis<|message|>I hide it<|end|><|channel|>final<|message|>Output: *wait* Hello.",
    "〈思考〉I hide it〈出力〉*wait* Hello.",
    "Ｔｈｏｕｇｈｔ: I hide it\nＯｕｔｐｕｔ: *wait* Hello.",
]


@pytest.mark.parametrize("text", _DRESSED)
def test_a_thought_in_another_dress_is_still_a_thought(text: str) -> None:
    """Speech and actions are read as usual, and the thought is in neither."""
    reply = read_reply(text)

    assert looks_like_reply(text)
    assert (("wait",), "Hello.") == (reply.actions, reply.speech)
    assert "hide" not in f"{reply.parts}"
    assert "NONE" != reply.break_type


@pytest.mark.parametrize(
    "text",
    [
        "<thought>I hide it",
        '{"thought": "I hide it"}',
        "## Thought\nI hide it",
        "<think>I hide it",
        "[Thought] I hide it",
    ],
)
def test_a_thought_alone_says_nothing(text: str) -> None:
    """A thought without an output gives no speech and no action."""
    assert () == read_reply(text).parts


@pytest.mark.parametrize(
    "text",
    [
        "I thought about it",
        "output the key",
        "thought and output",
        '{"type": "take"}',
        "a < thought > b",
        "Hello (what a thought)",
    ],
)
def test_words_about_thoughts_are_words(text: str) -> None:
    """Speech that mentions thoughts is not split."""
    assert not looks_like_reply(text)


@given(some.text(max_size=200))
def test_any_text_is_some_reply(text: str) -> None:
    """Any text can be read as a reply."""
    assert text == read_reply(text).raw_output
