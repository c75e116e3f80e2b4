"""Requests to the gate: what a caller sends, who the caller is, and whether the form is right.

A request names no state. Whether its event may happen is up to `event_decision`.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import msgspec
import orjson

from saniwa.core.errors import DocumentError
from saniwa.core.text import is_encodable
from saniwa.documents.document import make_document
from saniwa.process.artifact import Author, Claim


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """An event as the caller sends it. It names no target state: the gate decides."""

    run_id: str
    """The run."""
    event_name: str
    """The event."""
    expected_revision: int
    """The revision the sender has seen."""
    idempotency_key: str
    """The sender's own name for this request; sending it again changes nothing."""
    payload: dict[str, Any] = {}
    """The data sent with it."""
    artifacts: tuple[Claim, ...] = ()
    """The evidence that comes with it."""
    approval_digest: str = ""
    """For a decision: the digest of the review that it is based on."""


class SubmissionProblem(msgspec.Struct, frozen=True):
    """One thing wrong with a request."""

    path: str
    """Where, as a JSON pointer: `/artifact_paths/0`, `/payload/title`."""
    message: str
    """What."""


LARGEST_PAYLOAD = 100_000
"""Most bytes a payload may have as JSON."""


_FIELD_TYPES: dict[str, type] = {
    "run_id": str,
    "event_name": str,
    "expected_revision": int,
    "idempotency_key": str,
    "payload": dict,
    "approval_digest": str,
}


_read_typed_fields = attrgetter(*_FIELD_TYPES)


_TYPE_NAMES: dict[type, str] = {str: "text", int: "a whole number", dict: "a map"}


LONGEST_KEY = 200
"""Most characters an idempotency key may have."""


KEY_PATTERN = (
    r"^[^\u0000-\u0020\u007f-\u00a0]"
    r"([^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0])?$"
)
"""The same rule as a regular expression that JSON Schemas can state.

No control characters, and no space at either end, because an HTTP header cannot carry
one.
"""


KEY_RULE = f"1 to {LONGEST_KEY} printable characters, without a space at either end"
"""What an idempotency key may be, in words."""


def find_form_problem(sent: Submission) -> SubmissionProblem | None:
    """Find what makes a request impossible to process; None if nothing does."""
    problem = _find_wrong_type(sent)
    if problem is not None:
        return problem
    if not is_idempotency_key(sent.idempotency_key):
        return SubmissionProblem("/idempotency_key", f"it must be {KEY_RULE}")
    problem = find_unwritable(sent.payload, "/payload", LARGEST_PAYLOAD)
    for number, claim in enumerate(sent.artifacts):
        problem = problem or find_unwritable(_list_claim_parts(claim), f"/artifacts/{number}", None)
    if problem is None and not is_encodable(sent.event_name + sent.run_id):
        problem = SubmissionProblem("/event_name", "it contains characters that are not text")
    return problem


def is_idempotency_key(text: str) -> bool:
    """Whether a text can be an idempotency key.

    Spreadsheets may take a printable text for a formula, so `saniwa gate export`
    neutralizes keys; the log stores them as they were sent.
    """
    fits = 0 < len(text) <= LONGEST_KEY and text.isprintable()
    return fits and " " not in (text[0], text[-1])


def _find_wrong_type(sent: Submission) -> SubmissionProblem | None:
    """Find a field of the wrong type: type hints are not enforced at run time."""
    if tuple(map(type, _read_typed_fields(sent))) == tuple(_FIELD_TYPES.values()):
        return None
    for name, kind in _FIELD_TYPES.items():
        if type(getattr(sent, name)) is not kind:
            return SubmissionProblem(f"/{name}", f"it must be {_TYPE_NAMES[kind]}")
    return None


def find_unwritable(value: Any, path: str, largest: int | None) -> SubmissionProblem | None:
    """Say why a value cannot be stored as portable JSON; None if it can."""
    if not value:
        return None
    try:
        make_document(value)
        size = len(orjson.dumps(value))
    except DocumentError as problem:
        inner = problem.where.path if problem.where else ""
        return SubmissionProblem(f"{path}/{inner}".rstrip("/"), problem.message)
    except (TypeError, ValueError, RecursionError):
        return SubmissionProblem(path, "its numbers must be within 64 bits")
    if largest is not None and size > largest:
        return SubmissionProblem(path, f"it has more than {largest} bytes")
    return None


def digest_request(sent: Submission) -> str:
    """Compute a digest that tells one request from another."""
    claims = [_list_claim_parts(claim) for claim in sent.artifacts]
    parts = [sent.event_name, sent.payload, claims, sent.approval_digest]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _list_claim_parts(claim: Claim) -> list[Any]:
    """List everything a claim says."""
    parts = [claim.type, claim.path, claim.url, claim.hash, claim.metadata]
    parts += [] if claim.content is msgspec.UNSET else [claim.content]
    return [*parts, {"made_by": claim.made_by, "call": claim.call}] if claim.made_by else parts


def build_claims(
    paths: Sequence[str], artifacts: Iterable[Claim | Mapping[str, Any]]
) -> tuple[Claim, ...]:
    """Build claims from paths, and from claims or mappings in the shape of claims.

    Raises:
        msgspec.ValidationError: One of them is neither.
    """
    if isinstance(paths, str):
        raise msgspec.ValidationError("artifact_paths is a list of paths, not one text")
    if not paths and not artifacts:
        return ()
    named = [Claim(path=msgspec.convert(path, str)) for path in paths]
    rest = (c if isinstance(c, Claim) else msgspec.convert(c, Claim) for c in artifacts)
    return (*named, *rest)


class Visitor(msgspec.Struct, frozen=True):
    """A role, and whether a person is known to stand behind it."""

    role: str
    """The role the gate was opened for."""
    person: bool = False
    """Whether a credential identifies a person; otherwise it is an agent."""
    name: str = ""
    """The credential's name; empty to use the role."""

    @property
    def author(self) -> Author:
        """The visitor as records name it."""
        return Author("human" if self.person else "agent", self.name or self.role)


TIMER_VISITOR = Visitor("timer", name="timer")
"""The visitor that fires due timers."""
