import asyncio

import pytest

from saniwa.agent.bridges.canned import Canned, Line
from saniwa.agent.oracle import Answer, Usage
from saniwa.core.errors import SdkBridgeError
from tests.fakes.oracles import request


def _ask(canned: Canned, *questions: str) -> list[str]:
    async def ask() -> list[str]:
        return [(await canned.answer(request(q))).text for q in questions]

    return asyncio.run(ask())


def _line(text: str, when: str = "") -> Line:
    return Line(answer=Answer(text=text), when=when)


def test_answers_come_in_order() -> None:
    """Each is given once, whatever is asked."""
    assert ["a", "b"] == _ask(Canned(["a", "b"]), "x", "y")


def test_running_out_is_an_error() -> None:
    """Nothing is made up: the error says how many there were and what was asked."""
    with pytest.raises(SdkBridgeError) as caught:
        _ask(Canned(["a"]), "x", "where is the key?")

    assert ("CANNED_EXHAUSTED", {"given": 1, "answers": 1}) == (
        caught.value.code,
        caught.value.details,
    )
    assert "'where is the key?'" in caught.value.message


def test_repeating_begins_again() -> None:
    """With `repeat` there is always an answer."""
    assert ["a", "b", "a"] == _ask(Canned(["a", "b"], repeat=True), "x", "x", "x")


def test_an_answer_for_certain_words_comes_first() -> None:
    """One whose `when` stands in the question goes before the next in turn."""
    canned = Canned([_line("plain"), _line("yours", "key"), _line("more")])

    assert ["plain", "yours", "more"] == _ask(canned, "hello", "the key?", "the key?")


def test_an_answer_for_other_words_is_not_given() -> None:
    """What is meant for another question stays where it is."""
    with pytest.raises(SdkBridgeError):
        _ask(Canned([_line("yours", "key")]), "hello")


def test_a_repeated_answer_for_certain_words_is_given_again() -> None:
    """With `repeat` the words decide every time."""
    canned = Canned([_line("plain"), _line("yours", "key")], repeat=True)

    assert ["yours", "plain", "yours", "plain"] == _ask(canned, "key", "a", "key", "b")


def test_a_function_may_answer() -> None:
    """It is given the request, and may say what the answer cost."""
    canned = Canned(
        lambda asked: Answer(text=asked.system, usage=Usage(calls=1, cost=3))
    )

    answer = asyncio.run(canned.answer(request("x", system="be brief")))

    assert ("be brief", 3) == (answer.text, answer.usage.cost)
