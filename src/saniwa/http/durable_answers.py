"""Answers of operations, sent once everything that they report is durable."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from saniwa.app.workspace import Workspace
from saniwa.core.errors import SaniwaError
from saniwa.http.asgi import find_request_note
from saniwa.http.contract import Operation, OperationAnswer, OperationCall
from saniwa.http.problems import encode_problem


async def run_durably(operation: Operation, call: OperationCall, workspace: Workspace) -> Any:
    """Return the operation's answer, once everything it may report is durable.

    An error waits as well: a conflict names the revision that another request has just
    written.

    Raises:
        StoreError: `TRACE_UNWRITABLE`; the operation's own answer is not sent then.
        SaniwaError: The operation was refused.
    """
    try:
        given = await operation.run(call)
    except SaniwaError:
        await workspace.wait_until_durable()
        raise
    await workspace.wait_until_durable()
    return given


def build_problem_response(
    problem: SaniwaError, request: Request, status: int | None = None
) -> Response:
    """Return the answer for an error, and note its code for the log."""
    note = find_request_note(request.scope)
    note.code = str(problem.code)
    status, headers, body = encode_problem(problem, status, note.id)
    named = {name.decode(): value.decode() for name, value in headers}
    return Response(body, status, named)


def build_response(operation: Operation, given: Any) -> Response:
    """Turn what an operation returned into a response with its status and ETag."""
    if isinstance(given, Response):
        return given
    answer = given if isinstance(given, OperationAnswer) else OperationAnswer(body=given)
    headers = dict(answer.headers)
    revision = answer.revision
    if revision is None and operation.is_tagged:
        revision = answer.body.revision
    if revision is not None:
        headers["ETag"] = f'"{revision}"'
    status = operation.status
    if answer.body is None and operation.answers is None:
        return Response(None, status, headers)
    if isinstance(answer.body, bytes):
        return Response(answer.body, status, headers, answer.media)
    return Response(msgspec.json.encode(answer.body), status, headers, answer.media)
