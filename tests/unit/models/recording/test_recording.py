import asyncio
import os
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from saniwa.core.errors import SdkBridgeError, StoreError
from saniwa.core.redaction import MARK, Redactor
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import OracleAnswer, OracleRequest
from saniwa.models.recording import RecordingOracle, ReplayingOracle
from saniwa.store.json_lines_file import JsonLinesFile
from tests.fakes.oracles import FaultyOracle, make_connection_error, make_request

_KEY = "sk-0123456789abcdef"


def _record_answer(
    oracle: object, path: Path, asked: OracleRequest, known: str = _KEY
) -> OracleAnswer:
    async def ask() -> OracleAnswer:
        recording = RecordingOracle(oracle, JsonLinesFile(path), Redactor([known]))  # type: ignore[arg-type]
        try:
            return await recording.answer(asked)
        finally:
            await recording.close()

    return asyncio.run(ask())


def test_a_line_has_the_request_and_the_answer(tmp_path: Path) -> None:
    """A recorded line has the request, the answer and the request's key."""
    path = tmp_path / "t.jsonl"
    asked = make_request("hello", system="be brief")

    _record_answer(CannedOracle(["hi"]), path, asked)

    line = msgspec.json.decode(path.read_bytes())
    assert asked.key == line["key"]
    assert asked == msgspec.convert(line["request"], OracleRequest)
    assert {"text": "hi", "model": "canned"} == line["answer"]


def test_no_secret_is_kept_and_none_is_handed_on(tmp_path: Path) -> None:
    """Secrets are replaced in the recording and in the answer."""
    path = tmp_path / "t.jsonl"
    asked = make_request(f"is it {_KEY}?", system=_KEY, schema={"const": _KEY})

    answer = _record_answer(CannedOracle([f"it is {_KEY}"]), path, asked)

    assert f"it is {MARK}" == answer.text
    assert _KEY.encode() not in path.read_bytes()


def test_the_oracle_is_asked_what_was_asked(tmp_path: Path) -> None:
    """The model gets the request with its secrets; only the recording is without them."""
    inside = FaultyOracle()
    asked = make_request(f"is it {_KEY}?")

    _record_answer(inside, tmp_path / "t.jsonl", asked)

    assert [asked] == inside.asked


def test_an_error_is_kept_without_its_secrets(tmp_path: Path) -> None:
    """An error is recorded and raised without its secrets."""
    path = tmp_path / "t.jsonl"
    problem = SdkBridgeError("BRIDGE_REFUSED", f"no {_KEY}", details={"key": _KEY})

    with pytest.raises(SdkBridgeError) as caught:
        _record_answer(FaultyOracle(problem), path, make_request("a"))

    assert (f"no {MARK}", {"key": MARK}) == (caught.value.message, caught.value.details)
    assert None is caught.value.__cause__
    assert _KEY.encode() not in path.read_bytes()


def test_an_answer_that_cannot_be_kept_is_not_handed_on(tmp_path: Path) -> None:
    """An answer that cannot be recorded is not returned."""
    (tmp_path / "taken").write_text("no folder", encoding="utf-8")

    with pytest.raises(StoreError) as caught:
        _record_answer(CannedOracle(["hi"]), tmp_path / "taken" / "t.jsonl", make_request("a"))

    assert "TRACE_UNWRITABLE" == caught.value.code


def test_being_cancelled_is_not_kept(tmp_path: Path) -> None:
    """A cancelled request is not recorded."""
    path = tmp_path / "t.jsonl"

    class SilentOracle(FaultyOracle):
        """Never answers."""

        async def answer(self, *_: object) -> OracleAnswer:
            """Wait forever."""
            await asyncio.Event().wait()
            raise AssertionError

    async def ask() -> None:
        recording = RecordingOracle(SilentOracle(), JsonLinesFile(path), Redactor())
        task = asyncio.create_task(recording.answer(make_request("a")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await recording.close()

    asyncio.run(ask())

    assert not path.exists()


def test_halves_of_letters_are_recorded_as_they_are_used(tmp_path: Path) -> None:
    """Unpaired surrogates are replaced in the recording and in the answer."""
    path = tmp_path / "t.jsonl"

    answer = _record_answer(CannedOracle(["a \ud83d key"]), path, make_request("a"))
    replayed = asyncio.run(
        ReplayingOracle(JsonLinesFile(path), Redactor()).answer(make_request("a"))
    )

    assert "a \ufffd key" == answer.text
    assert answer == replayed


def test_an_answer_would_survive_a_power_cut_before_anyone_uses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer or an error is synced to disk before it is returned."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)

    async def ask() -> list[int]:
        oracle = FaultyOracle(make_connection_error())
        recording = RecordingOracle(oracle, JsonLinesFile(tmp_path / "t"), Redactor())
        counts = []
        for _ in range(2):
            with suppress(SdkBridgeError):
                await recording.answer(make_request("a"))
            counts.append(len(synced))
        await recording.close()
        return counts

    assert [1, 2] == asyncio.run(ask())
