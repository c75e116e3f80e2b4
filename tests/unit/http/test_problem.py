import pytest

from saniwa.core.errors import ProtocolError, RunError, SaniwaError, StoreError
from saniwa.core.findings import SourceLocation
from saniwa.http.problem_details import build_problem, find_code_status, find_error_status
from saniwa.http.responses import build_problem_response


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (StoreError("REVISION_CONFLICT", "late", recoverable=True), 412),
        (StoreError("RUN_NOT_FOUND", "none"), 404),
        (StoreError("STORE_BUSY", "busy", recoverable=True), 503),
        (StoreError("TRACE_CORRUPT", "torn"), 500),
        (StoreError("IDEMPOTENCY_CONFLICT", "another"), 422),
        (ProtocolError("PROTOCOL_SYNTAX", "no JSON"), 400),
        (ProtocolError("TOO_MANY_REQUESTS", "often", recoverable=True), 429),
        (RunError("ACTOR_UNKNOWN", "who"), 422),
        (RunError("CHOICE_NOT_AWAITED", "not now"), 409),
        (SaniwaError("EXTRA_MISSING", "absent"), 501),
    ],
)
def test_every_error_has_the_status_of_its_kind(problem: SaniwaError, status: int) -> None:
    """The status is 4xx for a client's mistake, 503 if a retry may help, 500 for a failure."""
    assert status == find_error_status(problem)


def test_a_code_with_one_status_decides_the_status() -> None:
    """The status of a code that always has the same one is known without an error."""
    assert [404, 400, 428, 422] == [
        find_code_status("RUN_NOT_FOUND"),
        find_code_status("PROTOCOL_BAD_FIELD"),
        find_code_status("REVISION_NEEDED"),
        find_code_status("ACTOR_UNKNOWN"),
    ]


def test_a_problem_has_code_place_and_hint() -> None:
    """A problem has the code, place, message and hint of its error."""
    told = build_problem(
        RunError(
            "ACTOR_UNKNOWN",
            "there is no 'pan'",
            where=SourceLocation(path="body.actor"),
            hint="did you mean 'pam'?",
            details={"actor": "pan", "odd": {1, 2}.__class__},
        )
    )

    assert (422, "ACTOR_UNKNOWN", "urn:saniwa:error:ACTOR_UNKNOWN") == (
        told.status,
        told.code,
        told.type,
    )
    assert ("there is no 'pan'", "did you mean 'pam'?") == (told.detail, told.hint)
    assert "body.actor" in told.where
    assert "pan" == told.details["actor"]


def test_a_temporary_failure_says_when_to_retry() -> None:
    """Only a 503 has a Retry-After header."""
    busy = StoreError("STORE_BUSY", "busy", recoverable=True)
    away = build_problem_response(busy, {}).headers
    wrong = build_problem_response(RunError("ACTOR_UNKNOWN", "who"), {}).headers

    assert "retry-after" in away
    assert "retry-after" not in wrong
    assert "application/problem+json" == away["content-type"]


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("/home/ann/stories/tale/story.md", "story.md:3"),
        ("stories/tale/story.md", "stories/tale/story.md:3"),
    ],
)
def test_a_place_names_no_folder_of_this_machine(file: str, shown: str) -> None:
    """A place does not show the server's folders."""
    problem = SaniwaError("X_Y", "odd", where=SourceLocation(file=file, line=3))

    assert shown == build_problem(problem).where
