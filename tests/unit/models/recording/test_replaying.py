import asyncio
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import SdkBridgeError, SdkRateLimitError, StoreError
from saniwa.core.redaction import MARK, Redactor
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import Oracle, OracleRequest
from saniwa.models.recording import RecordingOracle, ReplayingOracle
from saniwa.models.retry import RetryingOracle
from saniwa.store.json_lines_file import JsonLinesFile
from tests.fakes.oracles import (
    CountedPause,
    FaultyOracle,
    make_connection_error,
    make_rate_limit_error,
    make_request,
)


def _record_tape(path: Path, oracle: Oracle, *asked: OracleRequest) -> ReplayingOracle:
    async def record() -> None:
        recording = RecordingOracle(oracle, JsonLinesFile(path), Redactor())
        for each in asked:
            try:
                await recording.answer(each)
            except SdkBridgeError:
                continue
        await recording.close()

    asyncio.run(record())
    return ReplayingOracle(JsonLinesFile(path), Redactor())


def _expect_missing(replaying: ReplayingOracle, asked: OracleRequest) -> SdkBridgeError:
    with pytest.raises(SdkBridgeError) as caught:
        asyncio.run(replaying.answer(asked))
    assert "RECORDING_MISSING" == caught.value.code
    return caught.value


def test_the_same_request_gets_its_answers_in_order(tmp_path: Path) -> None:
    """Repeated requests get their recorded answers in order, and then an error."""
    tape = _record_tape(
        tmp_path / "t", CannedOracle(["1", "2"]), make_request("a"), make_request("a")
    )

    async def ask() -> list[str]:
        return [(await tape.answer(make_request("a"))).text for _ in range(2)]

    assert ["1", "2"] == asyncio.run(ask())
    assert "was recorded 2 times" in (_expect_missing(tape, make_request("a")).message)


def test_errors_are_played_back(tmp_path: Path) -> None:
    """A recorded error is raised again, with its class and details."""
    tape = _record_tape(
        tmp_path / "t",
        FaultyOracle(make_rate_limit_error(70)),
        make_request("a"),
        make_request("a"),
    )

    with pytest.raises(SdkRateLimitError) as caught:
        asyncio.run(tape.answer(make_request("a")))

    assert (True, {"retry_after_ms": 70}) == (caught.value.recoverable, caught.value.details)
    assert "heard: a" == asyncio.run(tape.answer(make_request("a"))).text


@pytest.mark.parametrize(
    ("asked", "difference"),
    [
        (
            make_request("You see a silver key. What do you do?"),
            "differs from character 17 on: recorded 'user: You see a brass key. What do you d', "
            "asked 'user: You see a silver key. What do you '",
        ),
        (
            make_request("You see a brass key. What do you do?", temperature=0.5),
            "recorded 'okens: 8\\ntemperature: 0.0",
        ),
        (
            make_request("You see a brass key. What do you do?", system="Be brave."),
            "recorded 'user: You see a brass ke', asked 'system: Be brave.",
        ),
    ],
)
def test_a_missing_recording_shows_the_nearest_one(
    asked: OracleRequest, difference: str, tmp_path: Path
) -> None:
    """The error for a missing recording shows where the most similar request differs."""
    known = [make_request("The cat sleeps."), make_request("You see a brass key. What do you do?")]
    tape = _record_tape(tmp_path / "t", CannedOracle(["a", "b"]), *known)

    problem = _expect_missing(tape, asked)

    assert difference in problem.message
    assert known[1].key == problem.details["nearest"]


def test_an_empty_recording_has_no_nearest(tmp_path: Path) -> None:
    """With an empty recording, the error only says that nothing is recorded."""
    tape = ReplayingOracle(JsonLinesFile(tmp_path / "none"), Redactor())

    assert (
        "no answer to this request is recorded" == _expect_missing(tape, make_request("a")).message
    )


def test_a_request_with_a_secret_finds_its_recording(tmp_path: Path) -> None:
    """A request finds its recording whatever the current value of its secret."""
    path = tmp_path / "t"

    async def ask() -> str:
        old, new = "sk-old-0123456", "sk-new-6543210"
        recording = RecordingOracle(CannedOracle(["hi"]), JsonLinesFile(path), Redactor([old]))
        await recording.answer(make_request(f"use {old}"))
        await recording.close()
        replaying = ReplayingOracle(JsonLinesFile(path), Redactor([new]))
        return (await replaying.answer(make_request(f"use {new}"))).text

    assert "hi" == asyncio.run(ask())


@pytest.mark.parametrize(
    "line", [b"[1]", b"{", b'{"key": "a"}', b'{"key":"a","request":{"messages":[]}}']
)
def test_a_line_that_is_no_recording_is_an_error(line: bytes, tmp_path: Path) -> None:
    """A malformed line is reported by its number, and the recording is not used."""
    path = tmp_path / "t"
    _record_tape(path, CannedOracle(["a"]), make_request("a"))
    with path.open("ab") as stream:
        stream.write(line + b"\n")

    with pytest.raises(StoreError) as caught:
        ReplayingOracle(JsonLinesFile(path), Redactor())

    assert ("TRACE_CORRUPT", 2) == (caught.value.code, caught.value.details["line"])


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b'"text":"a"', b'"text":"b"'),
        (b'"maxTokens":8', b'"maxTokens":9'),
        (b'"model":', b'"usage":{"calls":-5},"model":'),
        (b'"model":', b'"usage":{"calls":1,"outputTokens":-900},"model":'),
    ],
    ids=["question", "length", "calls", "tokens"],
)
@pytest.mark.parametrize("has_seals", [True, False], ids=["sealed", "unsealed"])
def test_a_changed_recording_is_refused(
    was: bytes, now: bytes, has_seals: bool, tmp_path: Path
) -> None:
    """A recording with a changed request, answer or cost is refused."""
    path = tmp_path / "t"
    _record_tape(path, CannedOracle(["x", "y"]), make_request("first"), make_request("a"))
    whole = path.read_bytes()
    if not has_seals:
        whole = re.sub(rb',"seal":"\w+"}\n', b"}\n", whole)
    start = whole.index(b"\n") + 1
    assert (True, has_seals) == (was in whole[start:], b'"seal"' in whole)
    path.write_bytes(whole[:start] + whole[start:].replace(was, now, 1))

    with pytest.raises(StoreError) as caught:
        ReplayingOracle(JsonLinesFile(path), Redactor())

    assert ("TRACE_CORRUPT", 2) == (caught.value.code, caught.value.details["line"])


def test_a_recording_may_be_a_link(tmp_path: Path) -> None:
    """A recording may be a symbolic link, which is followed."""
    (tmp_path / "link").symlink_to(tmp_path / "t")

    tape = _record_tape(tmp_path / "link", CannedOracle(["x"]), make_request("a"))

    assert "x" == asyncio.run(tape.answer(make_request("a"))).text
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "t").stat().st_size > 0


def test_a_playback_says_no_secret(tmp_path: Path) -> None:
    """A recording made before a value was a secret is replayed without it."""
    key, heard = "sk-0123456789abcdef", list[str]()
    problem = SdkBridgeError("BRIDGE_REFUSED", f"no {key}")
    path = tmp_path / "t"
    _record_tape(path, FaultyOracle(problem), make_request("a"))
    _record_tape(path, CannedOracle([f"it is {key}"]), make_request("b"))
    tape = ReplayingOracle(JsonLinesFile(path), Redactor([key]))

    with pytest.raises(SdkBridgeError, match=re.escape(f"no {MARK}")):
        asyncio.run(tape.answer(make_request("a")))
    answer = asyncio.run(tape.answer(make_request("b"), heard.append))

    assert f"it is {MARK}" == answer.text == "".join(heard)


def test_equal_requests_have_one_key() -> None:
    """Equal requests have the same key, with defaults written out or omitted."""
    said = make_request("a", temperature=float("0"), seed=int("700"), system="")

    assert make_request("a", seed=int("700")).key == said.key
    assert make_request("a").key != said.key


@given(st.lists(st.sampled_from("ab"), max_size=8), st.integers(0, 8))
def test_continuing_gets_the_answers_that_follow(asked: list[str], cut: int) -> None:
    """A replay that skips past requests gives the remaining answers."""
    requests = [make_request(each) for each in asked]

    with TemporaryDirectory() as folder:
        answers = CannedOracle([f"answer {n}" for n in range(len(asked))])
        tape = _record_tape(Path(folder) / "t", answers, *requests)
    tape.skip_given([each.key for each in requests[:cut]])

    async def answer_rest() -> list[str]:
        return [(await tape.answer(each)).text for each in requests[cut:]]

    assert [f"answer {n}" for n in range(len(asked))][cut:] == asyncio.run(answer_rest())


def test_an_error_that_stopped_an_agent_does_not_stop_it_again(tmp_path: Path) -> None:
    """A recorded error that stopped an agent does not stop it again when it resumes.

    An error that comes later stops it as before.
    """
    first, then = make_request("first"), make_request("then")
    oracle = FaultyOracle(make_connection_error())
    tape = tmp_path / "t"
    _record_tape(tape, oracle, first, first)
    again = _record_tape(tape, FaultyOracle(make_connection_error()), then, then)
    again.skip_given([])

    async def ask() -> str:
        said = (await again.answer(first)).text
        with pytest.raises(SdkBridgeError):
            await again.answer(then)
        return said

    assert "heard: first" == asyncio.run(ask())


def test_an_error_that_nothing_followed_is_raised_again(tmp_path: Path) -> None:
    """An error at the end of a recording is raised again."""
    tape = _record_tape(tmp_path / "t", FaultyOracle(make_connection_error()), make_request("a"))
    tape.skip_given([])

    with pytest.raises(SdkBridgeError, match="it is gone"):
        asyncio.run(tape.answer(make_request("a")))


def test_resolved_errors_are_replayed(tmp_path: Path) -> None:
    """A replayed answer has the recorded errors of its earlier attempts."""
    retrying = RetryingOracle(FaultyOracle(make_connection_error()), CountedPause())
    tape = _record_tape(tmp_path / "t", retrying, make_request("a"))

    answer = asyncio.run(tape.answer(make_request("a")))

    assert ("BRIDGE_CONNECTION: it is gone",) == answer.mended
