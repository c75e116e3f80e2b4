"""Turn claims into artifacts: read each once, hash it, and validate it by its kind.

Nothing is stored here, and nothing is fetched from a URL.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from saniwa.core.errors import DocumentError
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.document import parse_document
from saniwa.documents.document_tree import DEEPEST
from saniwa.process.artifact import Artifact, Author, Claim, Maker, derive_maker, infer_type
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.ports import (
    CheckRunner,
    EvidenceError,
    EvidenceInspection,
    EvidenceReader,
    ToolJournal,
)
from saniwa.process.submission import SubmissionProblem

_FENCE = "---"


class FrontMatterError(Exception):
    """What is wrong with front matter; continues the name of the text: `has …`."""


def read_inline_evidence(content: Any) -> Any:
    """Return the values that inline evidence states.

    A text with front matter states its front matter. Any other content states itself.

    Raises:
        FrontMatterError: The front matter cannot be parsed, or has no end.
    """
    if not isinstance(content, str):
        return content
    matter = read_front_matter(content)
    return content if matter is msgspec.UNSET else matter


def read_front_matter(text: str) -> Any:
    """Return the values of a text's front matter; `msgspec.UNSET` if it has none.

    Raises:
        FrontMatterError: It cannot be parsed, with line and column, or has no end.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != _FENCE:
        return msgspec.UNSET
    ends = (n for n, line in enumerate(lines) if n and line.rstrip() in (_FENCE, "..."))
    end = next(ends, 0)
    if not end:
        raise FrontMatterError("has unclosed front matter: the second '---' is missing")
    # An empty line in place of the fence keeps the line numbers of the file.
    inner = "\n".join(["", *lines[1:end], ""])
    try:
        document = parse_document(inner)
    except DocumentError as problem:
        raise FrontMatterError(describe_parse_error(problem.message, problem.where)) from problem
    for finding in document.findings:
        raise FrontMatterError(describe_parse_error(finding.message, finding.where))
    return document.plain


def describe_parse_error(message: str, where: SourceLocation | None) -> str:
    """Describe a parse error with line and column, to continue the name of the text."""
    assert where is not None, "a text has lines"
    return f"cannot be read, line {where.line}, column {where.column}: {message}"


_INVISIBLE_CHARACTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\U00013441\U00013442\U0001d159")
"""Characters that Unicode classes as letters or symbols but that show nothing."""
_INVISIBLE_CATEGORIES = frozenset(
    {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}  # controls, spaces, unassigned
    | {"Mn", "Me"}  # combining marks: invisible without a letter
)


def is_blank(content: Any, known: dict[int, bool] | None = None) -> bool:
    """Whether `content` is null, a text of invisible characters, or made only of these.

    A list or mapping is blank if everything in it is, at any depth; its keys do not
    count. Zero and false are not blank. Values nested deeper than any document allows
    count as not blank.

    Args:
        content: JSON values.
        known: Results for lists and mappings already visited, by their ids. Pass the
            same one for all parts of a document, so that nothing is visited twice.
    """
    return _is_blank_within(content, {} if known is None else known, DEEPEST)


def _is_blank_within(content: Any, known: dict[int, bool], steps: int) -> bool:
    if isinstance(content, str):
        return all(_is_invisible(letter) for letter in content)
    if not isinstance(content, dict | list):
        return content is None
    found = known.get(id(content))
    if found is None:
        parts = content.values() if isinstance(content, dict) else content
        found = steps >= 0 and all(_is_blank_within(p, known, steps - 1) for p in parts)
        known[id(content)] = found
    return found


def _is_invisible(letter: str) -> bool:
    return letter in _INVISIBLE_CHARACTERS or unicodedata.category(letter) in _INVISIBLE_CATEGORIES


MOST_FIELDS = 1_000
"""Most field names listed per document, besides those a guard requires."""
DEEPEST_FIELD = 20
"""Most levels one field name may have."""
LONGEST_FIELD_NAME = 200
"""Most characters one field name may have."""


def list_fields(plain: object, required: Iterable[str] = ()) -> tuple[str, ...]:
    """List the fields a document has, sorted, as dotted names.

    Of many, those nearest to the top come first; `required` ones are never left out.
    Blank values (see `is_blank`) are left out. A key with a dot in it is skipped. A
    list is one value: no name reaches into it. A document that is not a mapping has no
    fields.
    """
    known: dict[int, bool] = {}
    names: dict[str, None] = {}
    level = [("", plain)]
    for _ in range(DEEPEST_FIELD):
        inner = [
            pair for prefix, value in level for pair in _list_named_values(prefix, value, known)
        ]
        names.update(dict.fromkeys(name for name, _ in inner))
        if not inner or len(names) >= MOST_FIELDS:
            break
        level = [(f"{name}.", value) for name, value in inner]
    found = [name for name in required if _has_field(plain, name, known)]
    return tuple(sorted({*list(names)[:MOST_FIELDS], *found}))


def _has_field(plain: object, name: str, known: dict[int, bool]) -> bool:
    for step in name.split("."):
        plain = plain.get(step) if isinstance(plain, dict) else None
    return not is_blank(plain, known)


def _list_named_values(prefix: str, value: object, known: dict[int, bool]) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return []
    longest = LONGEST_FIELD_NAME - len(prefix)
    return [
        (prefix + key, inner)
        for key, inner in value.items()
        if isinstance(key, str) and 0 < len(key) <= longest and "." not in key
        if not is_blank(inner, known)
    ]


MOST_ARTIFACTS = 100
"""Most artifacts that may come with one event."""


class EvidenceIntake(msgspec.Struct, frozen=True):
    """The result of inspecting claims."""

    artifacts: tuple[Artifact, ...] = ()
    """The claims that can be accepted."""
    problems: tuple[SubmissionProblem, ...] = ()
    """What is wrong with the others."""


class SubmissionContext(msgspec.Struct, frozen=True):
    """Where, when and by whom something is submitted."""

    run_id: str
    """The run."""
    folder: str
    """The folder its paths are relative to."""
    event_id: str
    """The event it comes with; its artifacts are named after it."""
    at: str
    """When; ISO 8601."""
    author: Author
    """Who."""


def inspect_claims(
    index: ProcessIndex,
    claims: Sequence[Claim],
    stamp: SubmissionContext,
    evidence: EvidenceReader,
    lookup: CheckRunner | None = None,
    journal: ToolJournal | None = None,
) -> EvidenceIntake:
    """Inspect every claim; store nothing.

    Without `lookup`, every artifact of a kind that requires one is refused; without
    `journal`, every artifact that is said to be made by a tool.
    """
    artifacts, problems = [], []
    if len(claims) > MOST_ARTIFACTS:
        problems.append(SubmissionProblem("/artifact_paths", f"more than {MOST_ARTIFACTS} at once"))
    seen: set[str] = set()
    for number, claim in enumerate(claims[:MOST_ARTIFACTS]):
        try:
            artifact = _build_artifact(index, number, claim, stamp, evidence, lookup)
            artifact = _record_maker(artifact, claim, journal)
            if artifact.identity in seen:
                raise EvidenceError(f"{quote_value(artifact.place)} is submitted twice")
            seen.add(artifact.identity)
            artifacts.append(artifact)
        except EvidenceError as problem:
            problems.append(SubmissionProblem(build_claim_pointer(claims, number), str(problem)))
    return EvidenceIntake(tuple(artifacts), tuple(problems))


def _build_artifact(
    index: ProcessIndex,
    number: int,
    claim: Claim,
    stamp: SubmissionContext,
    evidence: EvidenceReader,
    lookup: CheckRunner | None,
) -> Artifact:
    kind = claim.type or infer_type(claim.path or claim.url, index.kinds)
    if claim.type and claim.type not in index.kinds:
        known = ", ".join(sorted(index.kinds)) or "none"
        raise EvidenceError(f"there is no kind {quote_value(claim.type)}; there is: {known}")
    form = "path" if claim.path else "url" if claim.url else "inline"
    definition = index.get_kind(kind)
    forms, subject = definition.forms, definition.lookup
    if forms and form not in forms:
        raise EvidenceError(f"a {quote_value(kind)} must be submitted as {' or '.join(forms)}")
    checker = index.get_checker(definition.schema)
    required = index.list_required_fields(kind)
    read = checker is not None or bool(required or subject)
    sight = evidence.inspect(stamp.run_id, stamp.folder, claim, read=read)
    if checker is not None:
        problems = checker.find_problems(sight.plain)
        _check_against_schema(kind, claim, sight, problems, required)
    return Artifact(
        artifact_id=f"{stamp.event_id}-{number}",
        run_id=stamp.run_id,
        type=kind,
        content=claim.content,
        path=claim.path,
        url=claim.url,
        hash=sight.hash,
        size=sight.size,
        held_to=index.digest_schema(kind),
        fields=list_fields(sight.plain, required) if required else (),
        checked=_look_up_report(kind, subject, sight, lookup) if subject else "",
        metadata=claim.metadata,
        created_at=stamp.at,
        created_by=stamp.author,
    )


def _record_maker(artifact: Artifact, claim: Claim, journal: ToolJournal | None) -> Artifact:
    """Record who made an artifact; only a tool's work can be claimed, and is looked up."""
    maker: Maker = derive_maker(artifact.created_by)
    if claim.made_by not in ("", maker, "tool"):
        raise EvidenceError(
            f"it is said to be made by {quote_value(claim.made_by)}; the gate records "
            f"{quote_value(maker)} for submissions of this role"
        )
    if claim.made_by == "tool":
        run_id = artifact.run_id
        if journal is None or not journal.has_result(claim.call, artifact.hash, run_id):
            raise EvidenceError(
                f"no journal has a tool call {quote_value(claim.call)} that made it"
            )
        return msgspec.structs.replace(
            artifact, maker="tool", call=claim.call, journal=journal.place
        )
    return msgspec.structs.replace(artifact, maker=maker)


def _look_up_report(
    kind: str, subject: str, sight: EvidenceInspection, lookup: CheckRunner | None
) -> str:
    """Return what the gate found; refuse a report that cannot be looked up."""
    if lookup is None:
        raise EvidenceError(
            f"the gate verifies a {quote_value(kind)}, but this gate has no store of runs "
            "and no registry of scenarios"
        )
    if sight.plain is msgspec.UNSET:
        raise EvidenceError(
            f"the gate verifies a {quote_value(kind)}: submit it as JSON or YAML, "
            "as a file or inline"
        )
    return lookup.look_up(subject, sight.plain)


def _check_against_schema(
    kind: str,
    claim: Claim,
    sight: EvidenceInspection,
    problems: Sequence[SubmissionProblem],
    required: Sequence[str],
) -> None:
    if sight.plain is msgspec.UNSET and claim.url:
        raise EvidenceError(
            f"a {quote_value(kind)} has a schema: submit its content, because the gate does not fetch URLs"
        )
    if sight.plain is msgspec.UNSET:
        lines = " and ".join(f"'{name}: …'" for name in required[:3]) or "'name: value'"
        raise EvidenceError(
            f"a {quote_value(kind)} has a schema, and it is neither JSON, YAML nor Markdown "
            f"with front matter, which is {lines} between two lines '---' at the top"
        )
    if problems:
        reason = "; ".join(f"{p.path or '/'}: {p.message}" for p in problems[:3])
        raise EvidenceError(f"it is not what a {quote_value(kind)} must be: {reason}")


def build_claim_pointer(claims: Sequence[Claim], number: int) -> str:
    """Return the JSON pointer of a claim in the request: paths have their own list."""
    alike = [bool(claim.path) == bool(claims[number].path) for claim in claims[:number]]
    name = "artifact_paths" if claims[number].path else "artifacts"
    return f"/{name}/{sum(alike)}"
