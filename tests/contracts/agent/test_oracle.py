"""What every oracle that Saniwa ships promises; each provider is tested by its wire format."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, TypeVar, get_args

import pytest

from saniwa import app, integrations, models
from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import AgentLimits
from saniwa.agent.layer_contracts import QueryOptions
from saniwa.app.experiments.cell_models import SecretFreeOracle
from saniwa.app.model_factory import CountedOracle, SharedOracle
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SdkBridgeError, SdkConnectionError, SdkRateLimitError
from saniwa.core.redaction import Redactor
from saniwa.experiment import stand_in
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.fuzzing_oracle import FuzzingOracle
from saniwa.models.local_model import LocalOracle, find_weights
from saniwa.models.metering import MeteredOracle, TimedOracle
from saniwa.models.oracle import FinishReason, Oracle, OracleAnswer
from saniwa.models.provider_oracle import ProviderOracle
from saniwa.models.recording import RecordingOracle, ReplayingOracle
from saniwa.models.redaction import RedactingOracle
from saniwa.models.retry import RetryingOracle
from saniwa.store.json_lines_file import JsonLinesFile
from tests.fakes.model_server import ModelServer
from tests.fakes.oracles import (
    MODELS,
    ORACLES,
    QUESTIONS,
    CountedPause,
    FaultyOracle,
    make_connection_error,
    make_provider_oracle,
    make_rate_limit_error,
    make_refusal_error,
    make_request,
    open_named_oracle,
)

T = TypeVar("T")
every = pytest.mark.parametrize("name", ORACLES)
# The fuzzing oracle answers differently each time on purpose, and the stand-in plays a part.
earnest = pytest.mark.parametrize(
    "name", [n for n in ORACLES if "fuzzing" not in n and n != "stand-in"]
)


def _run_with_oracle(name: str, folder: Path, act: Callable[[Oracle], Awaitable[T]]) -> T:
    async def run() -> T:
        async with open_named_oracle(name, folder) as oracle:
            return await act(oracle)

    return asyncio.run(run())


def test_every_oracle_we_ship_is_held_to_this(tmp_path: Path) -> None:
    """Every oracle class that Saniwa ships is in this suite."""
    modules = [
        import_module(found.name)
        for package in (app, integrations, models, stand_in)
        for found in walk_packages(package.__path__, f"{package.__name__}.")
    ]
    shipped = {
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type)
        # A private class is part of the module that uses it.
        and not each.__name__.startswith("_")
        and each.__module__ == module.__name__
        and hasattr(each, "answer")
        and hasattr(each, "close")
    } - {Oracle}

    async def list_oracle_types() -> set[type]:
        types: set[type] = {LocalOracle}
        for name in ORACLES:
            (tmp_path / name).mkdir()
            async with open_named_oracle(name, tmp_path / name) as oracle:
                types.add(type(oracle))
        return types

    assert shipped == asyncio.run(list_oracle_types())


@every
def test_a_request_is_answered(name: str, tmp_path: Path) -> None:
    """An answer has a text, a finish reason, a count of its calls, and the name of the model."""
    answer = _run_with_oracle(name, tmp_path, lambda oracle: oracle.answer(QUESTIONS[0]))

    assert isinstance(answer.text, str)
    assert answer.finish in get_args(FinishReason)
    assert 1 + len(answer.mended) == answer.usage.calls
    assert "" != answer.model


@every
def test_the_pieces_heard_are_the_answer(name: str, tmp_path: Path) -> None:
    """The streamed pieces are not empty and together are the answer."""
    heard: list[str] = []

    answer = _run_with_oracle(
        name, tmp_path, lambda oracle: oracle.answer(QUESTIONS[0], heard.append)
    )

    assert answer.text == "".join(heard)
    assert "" not in heard


@earnest
def test_an_oracle_remembers_nothing(name: str, tmp_path: Path) -> None:
    """Earlier questions do not change an answer."""

    async def ask(oracle: Oracle) -> tuple[str, str]:
        first = await oracle.answer(QUESTIONS[1])
        await oracle.answer(QUESTIONS[2])
        return first.text, (await oracle.answer(QUESTIONS[1])).text

    first, again = _run_with_oracle(name, tmp_path, ask)

    assert first == again


@earnest
def test_two_may_ask_at_once(name: str, tmp_path: Path) -> None:
    """Each of several questions asked at the same time gets its own answer."""

    async def ask(oracle: Oracle) -> list[OracleAnswer]:
        return await asyncio.gather(*(oracle.answer(q) for q in QUESTIONS))

    answers = _run_with_oracle(name, tmp_path, ask)

    asked = [f"heard: {q.messages[-1].text}" for q in QUESTIONS]
    assert asked == [answer.text for answer in answers]


@every
def test_closing_twice_is_no_mistake(name: str, tmp_path: Path) -> None:
    """Closing an oracle twice is not an error."""

    async def close(oracle: Oracle) -> None:
        await oracle.answer(QUESTIONS[0])
        await oracle.close()
        await oracle.close()
        closed.append(oracle)

    closed: list[Oracle] = []
    _run_with_oracle(name, tmp_path, close)

    assert 1 == len(closed)


def _fail(piece: str) -> None:
    raise ZeroDivisionError(piece)


@every
def test_a_listener_that_fails_is_not_blamed_on_the_model(name: str, tmp_path: Path) -> None:
    """An error of the listener is raised to the caller unchanged."""

    async def ask(oracle: Oracle) -> None:
        with pytest.raises(ZeroDivisionError):
            await oracle.answer(QUESTIONS[0], _fail)

    _run_with_oracle(name, tmp_path, ask)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("plan", "kind"),
    [
        ("drop", SdkConnectionError),
        ("error", SdkConnectionError),
        ("overloaded", SdkConnectionError),
        ("limit", SdkRateLimitError),
        ("refuse", SdkBridgeError),
        ("echo_key", SdkBridgeError),
    ],
)
def test_a_provider_fails_in_saniwas_words(
    name: str, streamed: bool, plan: str, kind: type[SdkBridgeError]
) -> None:
    """A failure of a provider is one of three errors, and only temporary ones are recoverable."""
    heard: list[str] = []
    hear = heard.append if streamed else None

    async def ask() -> SdkBridgeError:
        with ModelServer() as server:
            server.plan(plan)
            oracle = make_provider_oracle(name, server)
            with pytest.raises(SdkBridgeError) as caught:
                await oracle.answer(QUESTIONS[0], hear)
            assert 1 == len(server.heard), "the library tried again by itself"
            await oracle.close()
            return caught.value

    problem = asyncio.run(ask())

    assert kind is type(problem)
    assert (kind is not SdkBridgeError) == problem.recoverable
    assert ({"retry_after_ms": 2000} if plan == "limit" else {}).items() <= (
        problem.details.items()
    )


@pytest.mark.parametrize("plan", ["cut", "no_end"])
@pytest.mark.parametrize("name", MODELS)
def test_an_answer_that_breaks_off_is_no_answer(name: str, plan: str) -> None:
    """A stream that stops early is an error and not a short answer."""
    heard: list[str] = []

    async def ask() -> None:
        with ModelServer() as server:
            server.plan(plan)
            oracle = make_provider_oracle(name, server)
            with pytest.raises(SdkConnectionError):
                await oracle.answer(QUESTIONS[0], heard.append)
            await oracle.close()

    asyncio.run(ask())

    assert "heard: one".startswith("".join(heard))


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (make_connection_error, SdkConnectionError),
        (make_rate_limit_error, SdkRateLimitError),
        (make_refusal_error, SdkBridgeError),
    ],
)
@pytest.mark.parametrize(
    "wrapper", ["retrying", "metered", "discreet", "recording", "counted", "timed", "unblotted"]
)
def test_a_wrapper_passes_errors_on(
    wrapper: str, problem: Callable[[], SdkBridgeError], kind: type[SdkBridgeError], tmp_path: Path
) -> None:
    """A wrapper raises the error of the oracle inside with its code, and closes that oracle."""
    inside = FaultyOracle(*(problem() for _ in range(9)))
    tape = JsonLinesFile(tmp_path / "t.jsonl")
    wrapped: dict[str, Oracle] = {
        "retrying": RetryingOracle(inside, CountedPause()),
        "metered": MeteredOracle(inside, AgentLimits()),
        "discreet": RedactingOracle(inside, Redactor(["sk-0123456789"])),
        "recording": RecordingOracle(inside, tape, Redactor()),
        "counted": CountedOracle(inside),
        "timed": TimedOracle(inside, FixedClock()),
        "unblotted": SecretFreeOracle(inside, Redactor(["sk-0123456789"])),
    }
    oracle = wrapped[wrapper]

    async def ask() -> SdkBridgeError:
        with pytest.raises(SdkBridgeError) as caught:
            await oracle.answer(QUESTIONS[0])
        await oracle.close()
        return caught.value

    met = asyncio.run(ask())

    assert kind is type(met)
    assert (problem().code, problem().recoverable) == (met.code, met.recoverable)
    assert 1 == inside.closed


def test_what_is_lent_is_not_closed() -> None:
    """A shared oracle raises errors unchanged and does not close the model."""
    inside = FaultyOracle(make_refusal_error())
    oracle = SharedOracle(inside)

    async def ask() -> str:
        with pytest.raises(SdkBridgeError) as caught:
            await oracle.answer(QUESTIONS[0])
        await oracle.close()
        return caught.value.code

    assert "BRIDGE_REFUSED" == asyncio.run(ask())
    assert 0 == inside.closed


@pytest.mark.parametrize(
    "oracle", [CannedOracle([]), FuzzingOracle(1, only=("unreachable",))], ids=["canned", "fuzzing"]
)
def test_what_has_no_answer_says_so(oracle: Oracle) -> None:
    """An oracle without an answer raises an error instead of making one up."""
    with pytest.raises(SdkBridgeError):
        asyncio.run(oracle.answer(QUESTIONS[0]))


def test_a_fuzzing_oracle_fails_with_saniwas_errors_alone() -> None:
    """A fuzzing oracle gives an answer or a recoverable error, and nothing else."""
    oracle = FuzzingOracle(3)

    async def ask() -> list[OracleAnswer | BaseException]:
        asked = [oracle.answer(QUESTIONS[0], lambda _: None) for _ in range(300)]
        return await asyncio.gather(*asked, return_exceptions=True)

    came = asyncio.run(ask())
    errors = [each for each in came if isinstance(each, SdkBridgeError)]

    assert {OracleAnswer, SdkConnectionError, SdkRateLimitError} == set(map(type, came))
    assert all(each.recoverable for each in errors)


@pytest.mark.slow
def test_a_real_model_in_this_process_keeps_the_promises() -> None:
    """A real model answers, streams, survives a cancelled question, and is refused when closed."""
    heard: list[str] = []

    async def ask() -> tuple[OracleAnswer, OracleAnswer]:
        oracle = LocalOracle(find_weights("smollm2"), name="smollm2")
        answer = await oracle.answer(make_request("Say hi."), heard.append)
        dropped = asyncio.create_task(oracle.answer(make_request("Tell me all.")))
        await asyncio.sleep(0)
        dropped.cancel()
        after = await oracle.answer(make_request("Say hi."))
        with pytest.raises(SdkBridgeError):
            await oracle.answer(make_request("word " * 6000))
        with pytest.raises(ZeroDivisionError):
            await oracle.answer(make_request("Say hi."), _fail)
        await oracle.close()
        await oracle.close()
        with pytest.raises(SdkBridgeError):
            await oracle.answer(make_request("Say hi."))
        return answer, after

    answer, after = asyncio.run(ask())

    assert answer.text == "".join(heard)
    assert ("local:smollm2", "length", 1, 8) == (
        answer.model,
        answer.finish,
        answer.usage.calls,
        answer.usage.output_tokens,
    )
    assert "" != after.text


@pytest.mark.slow
def test_a_run_with_a_real_model_replays_without_it(tmp_path: Path) -> None:
    """What a real model answered, in this process and over HTTP, is replayed without it."""
    tape = tmp_path / "tape.jsonl"
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    }

    async def talk(bridge: OracleBridge) -> list[Any]:
        first = await bridge.query("Say hi.", QueryOptions(max_tokens=8))
        more = QueryOptions(max_tokens=8, conversation_id=first.conversation_id)
        last = QueryOptions(max_tokens=12, schema=schema)
        return [
            first,
            await bridge.query("And again.", more),
            await bridge.query("Is water wet?", last),
        ]

    async def record_run() -> list[Any]:
        local = LocalOracle(find_weights("smollm2"), name="smollm2")
        url, key = await local.start_server()
        served = ProviderOracle("openai-compatible", "smollm2", url=url, key=key)
        lines = JsonLinesFile(tape)
        doors = [RecordingOracle(each, lines, Redactor([key])) for each in (local, served)]
        said = [answer for door in doors for answer in await talk(OracleBridge(door))]
        for door in reversed(doors):
            await door.close()
        return said

    async def replay_run() -> list[Any]:
        playback = ReplayingOracle(JsonLinesFile(tape), Redactor())
        said = await talk(OracleBridge(playback))
        return said + await talk(OracleBridge(playback))

    assert asyncio.run(record_run()) == asyncio.run(replay_run())
