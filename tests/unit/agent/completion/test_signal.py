import asyncio
from typing import Any

import pytest

from saniwa.agent.completion_conditions import build_completion
from saniwa.agent.definition import StructuredSignal
from tests.fakes.completion import make_case


def _complete(*messages: str, **fields: Any) -> bool:
    wanted = StructuredSignal(signal_type="report", required_fields=fields)
    return asyncio.run(build_completion(wanted).check(make_case(*messages))).complete


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "report"}',
        'Here:\n```json\n{"type": "report", "more": [1]}\n```\nDone.',
        '```\n{"type": "report"}\n```',
        '```signal\n{"type": "report"}\n```',
        '[{"type": "other"}, {"type": "report"}]',
        '```json\n{"type": "x"}\n```\n```json\n{"type": "report"}\n```',
    ],
)
def test_the_object_is_the_reply_or_a_block_of_it(text: str) -> None:
    """The signal may be the whole reply, a code block, or one of several objects."""
    assert _complete(text)


@pytest.mark.parametrize(
    "text",
    [
        'I say {"type": "report"}.',
        '{"type": "Report"}',
        '{"kind": "report"}',
        '"report"',
        '{"deeper": {"type": "report"}}',
        '[[{"type": "report"}]]',
        '{"type": "report"',
        "[" * 50_000,
        "",
    ],
)
def test_anything_else_is_no_signal(text: str) -> None:
    """Plain words, another type and invalid JSON are not a signal."""
    assert not _complete(text)


def test_any_text_of_the_answer_may_hold_it() -> None:
    """Every message is searched for the signal."""
    assert _complete("first", '{"type": "report"}', "last")


def test_every_required_field_must_be_equal() -> None:
    """All required fields must have exactly these values."""
    text = '{"type": "report", "ok": true, "tags": ["a", {"n": 1}]}'

    assert _complete(text, ok=True)
    assert _complete(text, ok=True, tags=["a", {"n": 1.0}])
    assert not _complete(text, ok=True, tags=["a"])
    assert not _complete(text, ok=True, count=0)
    assert not _complete(text, absent=None)


def test_true_is_not_one() -> None:
    """Values are compared as JSON: `1` is not `true`."""
    assert not _complete('{"type": "report", "ok": 1}', ok=True)
    assert not _complete('{"type": "report", "ok": [1]}', ok=[True])


def test_one_object_must_have_them_all() -> None:
    """The required fields must be in one object."""
    text = '[{"type": "report", "a": 1}, {"type": "report", "b": 2}]'

    assert not _complete(text, a=1, b=2)


def test_a_required_field_takes_nothing_from_the_type() -> None:
    """A required `type` is an additional condition."""
    for kind in ("report", "other"):
        assert not _complete(f'{{"type": "{kind}"}}', type="other")
