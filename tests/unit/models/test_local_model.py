import asyncio
import sys
from pathlib import Path

import msgspec
import pytest

from saniwa.core.errors import ConfigurationError, SdkBridgeError
from saniwa.models.local_model import LocalOracle, find_weights
from saniwa.models.oracle import OracleAnswer
from saniwa.models.provider_oracle import ProviderOracle
from tests.fakes.oracles import make_request

_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package, the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    with pytest.raises(ConfigurationError) as caught:
        LocalOracle(Path("a.gguf"))

    assert ("EXTRA_MISSING", "pip install 'saniwa[local]'") == (
        caught.value.code,
        caught.value.hint,
    )


def test_no_model_is_loaded_where_calls_are_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where model calls are forbidden, neither a question nor serving loads a model."""
    monkeypatch.setenv("SANIWA_MODEL_CALLS", "forbid")

    async def ask() -> list[str]:
        oracle = LocalOracle(find_weights("smollm2"))
        with pytest.raises(SdkBridgeError) as asked:
            await oracle.answer(make_request("a"))
        with pytest.raises(SdkBridgeError) as served:
            await oracle.start_server()
        await oracle.close()
        return [asked.value.code, served.value.code]

    assert ["MODEL_CALLS_FORBIDDEN"] * 2 == asyncio.run(ask())


def test_weights_that_are_invalid_are_an_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file that is not a model is refused with a message, and its library prints nothing."""
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF" + bytes(500))

    async def ask() -> SdkBridgeError:
        oracle = LocalOracle(path)
        with pytest.raises(SdkBridgeError) as caught:
            await oracle.answer(make_request("a"))
        await oracle.close()
        return caught.value

    problem = asyncio.run(ask())

    assert "BRIDGE_REFUSED" == problem.code
    assert "'local:bad' did not answer" in problem.message
    assert ("", "") == capfd.readouterr()


@pytest.mark.slow
def test_the_model_prints_nothing_and_follows_a_schema(capfd: pytest.CaptureFixture[str]) -> None:
    """The model follows a schema, refuses an unsupported one, and its library prints nothing."""

    async def ask() -> tuple[OracleAnswer, SdkBridgeError]:
        oracle = LocalOracle(find_weights("smollm2"), name="smollm2")
        asked = make_request("Is water wet?", schema=_SCHEMA)
        said = await oracle.answer(msgspec.structs.replace(asked, max_tokens=16))
        with pytest.raises(SdkBridgeError) as caught:
            await oracle.answer(make_request("a", schema={"type": "nonsense"}))
        await oracle.close()
        return said, caught.value

    answer, problem = asyncio.run(ask())

    said = "".join(answer.text.split())
    assert "" != said
    assert any(whole.startswith(said) for whole in ('{"ok":true}', '{"ok":false}'))
    assert "BRIDGE_REFUSED" == problem.code
    assert ("", "") == capfd.readouterr()


@pytest.mark.slow
def test_only_a_caller_with_the_key_may_ask_over_loopback() -> None:
    """The local server refuses callers without its key."""

    async def ask() -> SdkBridgeError:
        local = LocalOracle(find_weights("smollm2"), name="smollm2")
        url, _ = await local.start_server()
        stranger = ProviderOracle("openai-compatible", "x", url=url, key="not-the-key")
        with pytest.raises(SdkBridgeError) as caught:
            await stranger.answer(make_request("a"))
        await stranger.close()
        await local.close()
        return caught.value

    assert 401 == asyncio.run(ask()).details["status"]


@pytest.mark.slow
def test_closing_ends_an_answer_that_is_under_way() -> None:
    """Closing the oracle ends an answer under way with an error."""

    async def ask() -> str:
        oracle = LocalOracle(find_weights("smollm2"), name="smollm2")
        begun = asyncio.Event()
        long = msgspec.structs.replace(make_request("Tell a story."), max_tokens=2000)
        task = asyncio.create_task(oracle.answer(long, lambda _: begun.set()))
        await begun.wait()
        await oracle.close()
        with pytest.raises(SdkBridgeError) as caught:
            await task
        return caught.value.code

    assert "BRIDGE_REFUSED" == asyncio.run(ask())
