"""A request at the gate: what it must be before a run is even looked at, and its digest."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import orjson

from saniwa.core.document import of_plain
from saniwa.core.errors import DocumentError
from saniwa.process.artifact import Claim
from saniwa.process.ruling import Problem, Refused, Submission

LARGEST_PAYLOAD = 100_000
"""Bytes a payload may have as JSON."""
_KINDS: dict[str, type] = {
    "run_id": str,
    "event_name": str,
    "expected_revision": int,
    "idempotency_key": str,
    "payload": dict,
    "approval_digest": str,
}
_CALLED: dict[type, str] = {str: "text", int: "a whole number", dict: "a map"}
LONGEST_KEY = 200
"""Characters an idempotency key may have."""
KEY_PATTERN = (
    r"^[^\u0000-\u0020\u007f-\u00a0]"
    r"([^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0])?$"
)
"""The same rule as a regular expression that JSON Schemas can state: no control
characters, and no space at either end, because an HTTP header cannot carry one."""
KEY_RULE = f"1 to {LONGEST_KEY} printable characters, without a space at either end"
"""What an idempotency key may be, in words."""


def malformed(sent: Submission) -> Refused | None:
    """Why a request cannot be looked at; None if it can."""
    problem = _misfit(sent)
    if problem is not None:
        return refuse_payload(problem.path, problem.message)
    if not is_key(sent.idempotency_key):
        return refuse_payload("/idempotency_key", f"it must be {KEY_RULE}")
    problem = unwritable(sent.payload, "/payload", LARGEST_PAYLOAD)
    for number, claim in enumerate(sent.artifacts):
        problem = problem or unwritable(_parts(claim), f"/artifacts/{number}", None)
    if problem is None and not _encodes(sent.event_name + sent.run_id):
        problem = Problem("/event_name", "it has letters that are no text")
    return None if problem is None else refuse_payload(problem.path, problem.message)


def is_key(text: str) -> bool:
    """Whether a text can be an idempotency key.

    Spreadsheets may take a printable text for a formula, so `saniwa gate export`
    neutralizes keys; the log keeps them as they were sent.
    """
    fits = 0 < len(text) <= LONGEST_KEY and text.isprintable()
    return fits and not text.startswith(" ") and not text.endswith(" ")


def _misfit(sent: Submission) -> Problem | None:
    """What is of the wrong kind: types say so only to those who look."""
    for name, kind in _KINDS.items():
        if type(getattr(sent, name)) is not kind:
            return Problem(f"/{name}", f"it must be {_CALLED[kind]}")
    return None


def unwritable(value: Any, path: str, largest: int | None) -> Problem | None:
    """Why a value cannot be kept as JSON that every reader takes; None if it can."""
    if not value:
        return None
    try:
        of_plain(value)
        size = len(orjson.dumps(value))
    except DocumentError as problem:
        inner = problem.where.path if problem.where else ""
        return Problem(f"{path}/{inner}".rstrip("/"), problem.message)
    except (TypeError, ValueError, RecursionError):
        return Problem(path, "its numbers must be within 64 bits")
    if largest is not None and size > largest:
        return Problem(path, f"it has over {largest} bytes")
    return None


def refuse_payload(path: str, told: str) -> Refused:
    """The refusal of a request for one thing in it."""
    return Refused(
        code="INVALID_PAYLOAD",
        message=f"what was sent cannot be taken: {path}: {told}",
        hint="mend what is named and send it again",
        validation_errors=(Problem(path, told),),
    )


def digest_of(sent: Submission) -> str:
    """What tells one request from another."""
    claims = [_parts(claim) for claim in sent.artifacts]
    told = [sent.event_name, sent.payload, claims, sent.approval_digest]
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _parts(claim: Claim) -> list[Any]:
    """All that a claim says."""
    said = [claim.type, claim.path, claim.url, claim.hash, claim.metadata]
    return said if claim.content is msgspec.UNSET else [*said, claim.content]


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def claims_of(
    paths: Sequence[str], artifacts: Iterable[Claim | Mapping[str, Any]]
) -> tuple[Claim, ...]:
    """Claims from paths, and from claims or maps in the shape of claims.

    Raises:
        msgspec.ValidationError: One of them is nothing of the kind.
    """
    if isinstance(paths, str):
        raise msgspec.ValidationError("artifact_paths is a list of paths, not one text")
    if not paths and not artifacts:
        return ()
    named = [Claim(path=msgspec.convert(path, str)) for path in paths]
    rest = (c if isinstance(c, Claim) else msgspec.convert(c, Claim) for c in artifacts)
    return (*named, *rest)
