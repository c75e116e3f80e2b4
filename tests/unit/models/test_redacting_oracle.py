import asyncio
import traceback

import pytest

from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import MARK, Redactor
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import OracleAnswer
from saniwa.models.redaction import RedactingOracle
from tests.fakes.oracles import FaultyOracle, make_request

_KEY = "sk-0123456789abcdef"


def test_no_secret_comes_in_with_an_answer() -> None:
    """Secrets are replaced in an answer's text, pieces, model and earlier errors."""
    said = OracleAnswer(text=f"it is {_KEY}!", model=f"m-{_KEY}", mended=(f"no {_KEY}",))
    heard: list[str] = []

    oracle = RedactingOracle(CannedOracle([said]), Redactor([_KEY]))
    answer = asyncio.run(oracle.answer(make_request("a"), heard.append))

    assert (f"it is {MARK}!", f"m-{MARK}", (f"no {MARK}",)) == (
        answer.text,
        answer.model,
        answer.mended,
    )
    assert answer.text == "".join(heard)


def test_no_secret_comes_in_with_an_error() -> None:
    """Secrets are replaced in an error, and its cause is dropped."""
    problem = SdkBridgeError(
        "BRIDGE_REFUSED", f"no {_KEY}", hint=_KEY, details={"a": [_KEY], "status": 400}
    )

    with pytest.raises(SdkBridgeError) as caught:
        asyncio.run(
            RedactingOracle(FaultyOracle(problem), Redactor([_KEY])).answer(make_request("a"))
        )

    met = caught.value
    assert (f"no {MARK}", MARK, {"a": [MARK], "status": 400}) == (
        met.message,
        met.hint,
        met.details,
    )
    assert None is met.__context__
    assert _KEY not in "".join(traceback.format_exception(met))


def test_the_model_is_asked_what_was_asked() -> None:
    """The request to the model is unchanged."""
    inside, asked = FaultyOracle(), make_request(f"is it {_KEY}?")

    asyncio.run(RedactingOracle(inside, Redactor([_KEY])).answer(asked))

    assert [asked] == inside.asked
