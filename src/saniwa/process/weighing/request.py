"""A request at the gate: what it must be before a run is even looked at, and its digest."""

import hashlib
import re
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
_KINDS: tuple[tuple[str, type, str], ...] = (
    ("run_id", str, "text"),
    ("event_name", str, "text"),
    ("expected_revision", int, "a whole number"),
    ("idempotency_key", str, "text"),
    ("payload", dict, "a map"),
    ("approval_digest", str, "text"),
)
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}").fullmatch


def malformed(sent: Submission) -> Refused | None:
    """Why a request cannot be looked at; None if it can."""
    for name, kind, told in _KINDS:
        value = getattr(sent, name)
        if not isinstance(value, kind) or isinstance(value, bool):
            return refuse_payload(f"/{name}", f"it must be {told}")
    if _KEY(sent.idempotency_key) is None:
        told = "1 to 200 of A-Z a-z 0-9 . _ : / @ + -, beginning with a letter or digit"
        return refuse_payload("/idempotency_key", told)
    try:
        if sent.payload:
            of_plain(sent.payload, "payload")
        for claim in sent.artifacts:
            of_plain([claim.metadata, *_content(claim)], "artifacts")
    except DocumentError as problem:
        return refuse_payload(f"/{problem.where}", problem.message)
    if sent.payload and len(orjson.dumps(sent.payload)) > LARGEST_PAYLOAD:
        return refuse_payload("/payload", f"it has over {LARGEST_PAYLOAD} bytes")
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
    claims = [
        [c.type, c.path, c.url, c.hash, c.metadata, *_content(c)]
        for c in sent.artifacts
    ]
    told = [sent.event_name, sent.payload, claims]
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _content(claim: Claim) -> list[Any]:
    return [] if claim.content is msgspec.UNSET else [claim.content]


def claims_of(
    paths: Sequence[str], artifacts: Iterable[Claim | Mapping[str, Any]]
) -> tuple[Claim, ...]:
    """Claims from paths, and from claims or maps in the shape of claims.

    Raises:
        msgspec.ValidationError: One of them is nothing of the kind.
    """
    if isinstance(paths, str):
        raise msgspec.ValidationError("artifact_paths is a list of paths, not one text")
    named = [Claim(path=msgspec.convert(path, str)) for path in paths]
    rest = (c if isinstance(c, Claim) else msgspec.convert(c, Claim) for c in artifacts)
    return (*named, *rest)
