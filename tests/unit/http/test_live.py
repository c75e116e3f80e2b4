import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import StreamingResponse

from saniwa.app.caller import LOCAL_CALLER
from saniwa.app.game_tables import ChangeNotifier
from saniwa.app.operations.operation import OperationCall, RevisionStream
from saniwa.core.errors import StoreError
from saniwa.http.authenticator import TOKEN_HOURS
from saniwa.http.event_stream import (
    EVENT_STREAM_MEDIA,
    HEARTBEAT_POLLS,
    RECHECK_POLLS,
    stream_revisions,
)
from tests.fakes.workspaces import make_workspace
from tests.unit.http.middleware.guarded_requests import SECRET
from tests.unit.http.middleware.guarded_requests import GuardedServer as Guarded


class _ImpatientNotifier(ChangeNotifier):
    """A notifier whose waits end at once."""

    async def wait(self, name: str, seconds: float) -> None:
        """Let other tasks run."""
        del name, seconds
        await asyncio.sleep(0)


@pytest.fixture
def operation_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OperationCall:
    """A call of a local client that listens."""
    garden = make_workspace(tmp_path)
    monkeypatch.setattr(garden, "notifier", _ImpatientNotifier())
    return OperationCall(workspace=garden, caller=LOCAL_CALLER, path={}, query=None, body=None)


async def _read_stream(
    call: OperationCall, look: Callable[[], Awaitable[int]], pieces: int
) -> list[str]:
    told: list[str] = []
    answer = stream_revisions(call, RevisionStream("run-1", look))
    assert isinstance(answer, StreamingResponse)
    assert isinstance(answer.body_iterator, AsyncIterator)
    async for piece in answer.body_iterator:
        told.append(str(piece))
        if len(told) == pieces:
            break
    return told


def _listen_to_numbers(
    call: OperationCall, numbers: list[int | StoreError], pieces: int
) -> list[str]:
    left = iter(numbers)

    async def look() -> int:
        number = next(left)
        if isinstance(number, StoreError):
            raise number
        return number

    return asyncio.run(_read_stream(call, look, pieces))


def test_a_listener_receives_the_newest_revision_and_no_queue(
    operation_call: OperationCall,
) -> None:
    """Several changes between two polls are one event with the latest revision."""
    told = _listen_to_numbers(operation_call, [3, 3, 3, 9], 3)

    assert "retry: 2000\n\n" == told[0]
    assert ["id: 3\nevent: revision\ndata: 3\n\n", "id: 9\nevent: revision\ndata: 9\n\n"] == told[
        1:
    ]


def test_a_silent_line_says_now_and_then_that_it_is_there(operation_call: OperationCall) -> None:
    """A silent stream sends a comment now and then."""
    told = _listen_to_numbers(operation_call, [1] * (HEARTBEAT_POLLS + 1), 3)

    assert ": still here\n\n" == told[2]


def test_a_line_that_can_no_longer_look_says_why_and_ends(operation_call: OperationCall) -> None:
    """If polling fails, the stream ends with the error's code."""
    told = _listen_to_numbers(operation_call, [1, StoreError("STORE_UNREACHABLE", "away")], 9)

    assert "event: problem\ndata: STORE_UNREACHABLE\n\n" == told[-1]
    assert 3 == len(told)


def test_a_head_request_gets_the_head_and_no_more(operation_call: OperationCall) -> None:
    """HEAD on a stream returns the headers only."""

    async def refuse_look() -> int:
        raise AssertionError("nobody listens")

    operation_call.scope["method"] = "HEAD"
    answer = stream_revisions(operation_call, RevisionStream("run-1", refuse_look))

    assert not isinstance(answer, StreamingResponse)
    assert answer.headers["content-type"].startswith(EVENT_STREAM_MEDIA)


def _sign_out(people: Guarded, shown: dict[str, Any]) -> None:
    asyncio.run(people.app.authenticator.sign_out(shown))


def _remove(people: Guarded, shown: dict[str, Any]) -> None:
    del shown
    people.people.remove("bot", by=f"ann:{SECRET}")


def _let_hours_pass(people: Guarded, shown: dict[str, Any]) -> None:
    del shown
    people.watch.seconds += TOKEN_HOURS * 3_600


@pytest.mark.parametrize("leave", [_sign_out, _remove, _let_hours_pass])
def test_a_stream_ends_with_the_session_that_opened_it(
    operation_call: OperationCall, tmp_path: Path, leave: Callable[[Guarded, dict[str, Any]], None]
) -> None:
    """A stream ends when its session does."""
    people = Guarded(tmp_path)
    cookie, _ = people.sign_in("bot")
    people.ask(path="/", cookie=cookie)
    operation_call.scope.update(people.inside.scopes[-1])
    before = _listen_to_numbers(operation_call, list(range(RECHECK_POLLS + 3)), RECHECK_POLLS + 3)
    leave(people, dict(operation_call.scope))
    after = _listen_to_numbers(operation_call, list(range(RECHECK_POLLS + 3)), RECHECK_POLLS + 3)

    assert f"id: {RECHECK_POLLS + 1}" == before[-1].partition("\n")[0]
    assert "event: problem\ndata: SIGN_IN_NEEDED\n\n" == after[-1]
    assert RECHECK_POLLS + 1 == len(after)
