import asyncio

import pytest

from saniwa.core.errors import SdkBridgeError
from saniwa.models.oracle import MODEL_CALLS_VARIABLE, check_calls_allowed
from tests.fakes.model_server import ModelServer
from tests.fakes.oracles import make_provider_oracle, make_request


@pytest.mark.parametrize("said", ["", "allow"])
def test_calls_are_allowed_unless_they_are_forbidden(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls are allowed without the variable, and with `allow`."""
    monkeypatch.setenv(MODEL_CALLS_VARIABLE, said)

    async def ask() -> str:
        with ModelServer() as server:
            oracle = make_provider_oracle("openai", server)
            answer = await oracle.answer(make_request("a"))
            await oracle.close()
            return answer.text

    assert "heard: a" == asyncio.run(ask())


@pytest.mark.parametrize("said", ["forbid", "FORBID", "frobid"])
def test_calls_are_forbidden_by_the_environment(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`forbid` and any unknown value forbid calls."""
    monkeypatch.setenv(MODEL_CALLS_VARIABLE, said)

    with pytest.raises(SdkBridgeError) as caught:
        check_calls_allowed("openai:x")

    assert ("MODEL_CALLS_FORBIDDEN", False) == (caught.value.code, caught.value.recoverable)
