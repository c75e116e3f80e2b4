import asyncio
import traceback

import pytest

from saniwa.agent.bridges.canned import Canned
from saniwa.agent.bridges.discreet import Discreet
from saniwa.agent.oracle import Answer
from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import MARK, Redaction
from tests.fakes.oracles import Faulty, request

_KEY = "sk-0123456789abcdef"


def test_no_secret_comes_in_with_an_answer() -> None:
    """Neither in its words, its pieces, who said them, nor what was made good."""
    said = Answer(text=f"it is {_KEY}!", model=f"m-{_KEY}", mended=(f"no {_KEY}",))
    heard: list[str] = []

    oracle = Discreet(Canned([said]), Redaction([_KEY]))
    answer = asyncio.run(oracle.answer(request("a"), heard.append))

    assert (f"it is {MARK}!", f"m-{MARK}", (f"no {MARK}",)) == (
        answer.text,
        answer.model,
        answer.mended,
    )
    assert answer.text == "".join(heard)


def test_no_secret_comes_in_with_an_error() -> None:
    """Nor does the error that had it come along."""
    problem = SdkBridgeError(
        "BRIDGE_REFUSED", f"no {_KEY}", hint=_KEY, details={"a": [_KEY], "status": 400}
    )

    with pytest.raises(SdkBridgeError) as caught:
        asyncio.run(Discreet(Faulty(problem), Redaction([_KEY])).answer(request("a")))

    met = caught.value
    assert (f"no {MARK}", MARK, {"a": [MARK], "status": 400}) == (
        met.message,
        met.hint,
        met.details,
    )
    assert None is met.__context__
    assert _KEY not in "".join(traceback.format_exception(met))


def test_the_model_is_asked_what_was_asked() -> None:
    """Only what comes in is looked through."""
    inside, asked = Faulty(), request(f"is it {_KEY}?")

    asyncio.run(Discreet(inside, Redaction([_KEY])).answer(asked))

    assert [asked] == inside.asked
