import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import SdkBridgeError
from saniwa.models.canned_answers import CannedAnswer, CannedOracle
from saniwa.models.oracle import OracleAnswer, Usage
from tests.fakes.oracles import make_request


def _ask(canned: CannedOracle, *questions: str) -> list[str]:
    async def ask() -> list[str]:
        return [(await canned.answer(make_request(q))).text for q in questions]

    return asyncio.run(ask())


def _make_answer(text: str, when: str = "") -> CannedAnswer:
    return CannedAnswer(answer=OracleAnswer(text=text), when=when)


def test_answers_come_in_order() -> None:
    """Answers are given once each, in order."""
    assert ["a", "b"] == _ask(CannedOracle(["a", "b"]), "x", "y")


def test_running_out_is_an_error() -> None:
    """After the last answer, the error has their number and the question."""
    with pytest.raises(SdkBridgeError) as caught:
        _ask(CannedOracle(["a"]), "x", "where is the key?")

    assert ("CANNED_EXHAUSTED", {"given": 1, "answers": 1}) == (
        caught.value.code,
        caught.value.details,
    )
    assert "'where is the key?'" in caught.value.message


def test_repeating_begins_again() -> None:
    """With `repeat` the answers start again."""
    assert ["a", "b", "a"] == _ask(CannedOracle(["a", "b"], repeat=True), "x", "x", "x")


def test_an_answer_for_certain_words_comes_first() -> None:
    """An answer whose `when` is in the question comes before the next in order."""
    canned = CannedOracle(
        [_make_answer("plain"), _make_answer("yours", "key"), _make_answer("more")]
    )

    assert ["plain", "yours", "more"] == _ask(canned, "hello", "the key?", "the key?")


def test_an_answer_for_other_words_is_not_given() -> None:
    """An answer for other words is not given."""
    with pytest.raises(SdkBridgeError):
        _ask(CannedOracle([_make_answer("yours", "key")]), "hello")


def test_a_repeated_answer_for_certain_words_is_given_again() -> None:
    """With `repeat` an answer for certain words is given each time."""
    canned = CannedOracle([_make_answer("plain"), _make_answer("yours", "key")], repeat=True)

    assert ["yours", "plain", "yours", "plain"] == _ask(canned, "key", "a", "key", "b")


def test_a_function_may_answer() -> None:
    """A function gets the request, and may give the cost."""
    canned = CannedOracle(
        lambda asked: OracleAnswer(text=asked.system, usage=Usage(calls=1, cost=3))
    )

    answer = asyncio.run(canned.answer(make_request("x", system="be brief")))

    assert ("be brief", 3) == (answer.text, answer.usage.cost)


@given(
    plain=st.lists(st.sampled_from("abc"), min_size=1, max_size=5),
    named=st.integers(0, 3),
    asked=st.lists(st.sampled_from(["hello", "the key?"]), max_size=12),
    cut=st.integers(0, 12),
    repeat=st.booleans(),
)
def test_continuing_gets_the_answers_that_follow(
    plain: list[str], named: int, asked: list[str], cut: int, repeat: bool
) -> None:
    """An oracle that skips past answers gives the remaining ones."""
    lines = [_make_answer(text) for text in plain]
    lines += [_make_answer(f"yours {n}", "key") for n in range(named)]

    whole = _ask_while_there_are(CannedOracle(lines, repeat=repeat), asked)
    cut = min(cut, len(whole))
    resumed = CannedOracle(lines, repeat=repeat)
    resumed.skip_given(whole[:cut])

    assert whole[cut:] == _ask_while_there_are(resumed, asked[cut:])


def test_what_another_speaker_said_is_not_counted() -> None:
    """Answers of other models in the conversation do not count."""
    canned = CannedOracle(["a", "b"])
    canned.skip_given(["x", "a", "a"])

    assert ["b"] == _ask(canned, "?")


def _ask_while_there_are(canned: CannedOracle, asked: list[str]) -> list[str]:
    said: list[str] = []
    for question in asked:
        try:
            said += _ask(canned, question)
        except SdkBridgeError:
            break
    return said
