import asyncio
from pathlib import Path

import pytest

from saniwa.agent.bridges.canned import Canned
from saniwa.agent.bridges.tape.recording import Recording
from saniwa.agent.bridges.tape.replaying import Replaying
from saniwa.agent.oracle import Oracle, Request
from saniwa.core.errors import SdkBridgeError, SdkRateLimitError, StoreError
from saniwa.core.redaction import Redaction
from saniwa.store.lines import Lines
from tests.fakes.oracles import Faulty, impatient, request


def _tape(path: Path, oracle: Oracle, *asked: Request) -> Replaying:
    async def record() -> None:
        recording = Recording(oracle, Lines(path), Redaction())
        for each in asked:
            try:
                await recording.answer(each)
            except SdkBridgeError:
                continue
        await recording.close()

    asyncio.run(record())
    return Replaying(Lines(path), Redaction())


def _missing(replaying: Replaying, asked: Request) -> SdkBridgeError:
    with pytest.raises(SdkBridgeError) as caught:
        asyncio.run(replaying.answer(asked))
    assert "RECORDING_MISSING" == caught.value.code
    return caught.value


def test_the_same_request_gets_its_answers_in_order(tmp_path: Path) -> None:
    """As often as it was asked, and then the error that says so."""
    tape = _tape(tmp_path / "t", Canned(["1", "2"]), request("a"), request("a"))

    async def ask() -> list[str]:
        return [(await tape.answer(request("a"))).text for _ in range(2)]

    assert ["1", "2"] == asyncio.run(ask())
    assert "was answered 2 times when it was recorded" in (
        _missing(tape, request("a")).message
    )


def test_errors_are_played_back(tmp_path: Path) -> None:
    """An error that was recorded comes again, of the same kind, with its details."""
    tape = _tape(tmp_path / "t", Faulty(impatient(70)), request("a"), request("a"))

    with pytest.raises(SdkRateLimitError) as caught:
        asyncio.run(tape.answer(request("a")))

    assert (True, {"retry_after_ms": 70}) == (
        caught.value.recoverable,
        caught.value.details,
    )
    assert "heard: a" == asyncio.run(tape.answer(request("a"))).text


@pytest.mark.parametrize(
    ("asked", "difference"),
    [
        (
            request("You see a silver key. What do you do?"),
            "differs from letter 17 on: recorded 'user: You see a brass key. What do you d', "
            "asked 'user: You see a silver key. What do you '",
        ),
        (
            request("You see a brass key. What do you do?", temperature=0.5),
            "recorded 'okens: 8\\ntemperature: 0.0",
        ),
        (
            request("You see a brass key. What do you do?", system="Be brave."),
            "recorded 'user: You see a brass ke', asked 'system: Be brave.",
        ),
    ],
)
def test_a_missing_recording_shows_the_nearest_one(
    asked: Request, difference: str, tmp_path: Path
) -> None:
    """Where a request and the most similar recorded one first differ is shown."""
    known = [
        request("The cat sleeps."),
        request("You see a brass key. What do you do?"),
    ]
    tape = _tape(tmp_path / "t", Canned(["a", "b"]), *known)

    problem = _missing(tape, asked)

    assert difference in problem.message
    assert known[1].key == problem.details["nearest"]


def test_an_empty_tape_has_no_nearest(tmp_path: Path) -> None:
    """There is nothing to show, and the error says only that it is missing."""
    tape = Replaying(Lines(tmp_path / "none"), Redaction())

    assert (
        "no answer to this request is recorded" == _missing(tape, request("a")).message
    )


def test_a_request_with_a_secret_finds_its_recording(tmp_path: Path) -> None:
    """A tape knows a request without its secret, whatever the secret is today."""
    path = tmp_path / "t"

    async def ask() -> str:
        old, new = "sk-old-0123456", "sk-new-6543210"
        recording = Recording(Canned(["hi"]), Lines(path), Redaction([old]))
        await recording.answer(request(f"use {old}"))
        await recording.close()
        replaying = Replaying(Lines(path), Redaction([new]))
        return (await replaying.answer(request(f"use {new}"))).text

    assert "hi" == asyncio.run(ask())


@pytest.mark.parametrize(
    "line",
    [b"[1]", b"{", b'{"key": "a"}', b'{"key":"a","request":{"messages":[]}}'],
)
def test_a_line_that_is_no_recording_is_an_error(line: bytes, tmp_path: Path) -> None:
    """A tape that somebody changed is told by its line, and nothing of it is used."""
    path = tmp_path / "t"
    _tape(path, Canned(["a"]), request("a"))
    with path.open("ab") as stream:
        stream.write(line + b"\n")

    with pytest.raises(StoreError) as caught:
        Replaying(Lines(path), Redaction())

    assert ("TRACE_CORRUPT", 2) == (caught.value.code, caught.value.details["line"])


def test_equal_requests_have_one_key() -> None:
    """However their values came about, and whether they were said or left out."""
    said = request("a", temperature=float("0"), seed=int("700"), system="")

    assert request("a", seed=int("700")).key == said.key
    assert request("a").key != said.key
