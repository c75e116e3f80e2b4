"""Operations on rulebooks: reading and checking them, and editing a run's own."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from saniwa.core.errors import DocumentError, ProtocolError, RulebookError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.document import Document, parse_document
from saniwa.http.contract import (
    FindingView,
    Operation,
    OperationAnswer,
    OperationCall,
    ResultPage,
    build_finding_views,
)
from saniwa.http.routes.playing import MAX_WORDS_LENGTH
from saniwa.http.routes.rulebook_views import (
    LayerTrialResult,
    RulebookView,
    build_rulebook_view,
    compare_previews,
    compare_rulebooks,
)
from saniwa.http.routes.runs import (
    ShortFilter,
    find_inspector,
    find_own_playing,
    find_playing,
    find_run,
    resolve_actor,
)
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.findings import RulebookFindings
from saniwa.rulebook.loader import (
    SHIPPED_BOOKS,
    build_rulebook,
    load_shipped_book,
    read_rulebook,
    resolve_layers,
)
from saniwa.runs.inspector import RunInspector
from saniwa.runs.run import Run
from saniwa.turn.record import Turn

MAX_LAYER_LENGTH = 200_000
"""The largest number of characters of a layer."""
LayerFormat = Literal["yaml", "json"]
"""The format of a layer."""
LowerLayers = Sequence[Mapping[str, Any]] | None
"""The layers below; None for those of the rulebook that the layer itself extends."""


class LayerRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layer, as it is typed."""

    text: Annotated[str, msgspec.Meta(max_length=MAX_LAYER_LENGTH)]
    """The text."""
    format: LayerFormat = "yaml"
    """How it is written."""


def read_layer_request(
    typed: LayerRequest, below: LowerLayers = None
) -> tuple[dict[str, Any], Rulebook]:
    """Return the layer in a request, and the rulebook it makes with those below.

    Raises:
        DocumentError: It is not valid JSON or YAML.
        RulebookError: It is not a valid layer; with every finding and its place.
    """
    return _build_book(parse_document(typed.text, "", typed.format), below)


def find_layer_findings(typed: LayerRequest, below: LowerLayers = None) -> tuple[Finding, ...]:
    """Return all findings about a layer, in reading order."""
    try:
        document = parse_document(typed.text, "", typed.format)
    except DocumentError as problem:
        return (_make_finding(problem),)
    try:
        _build_book(document, below)
    except RulebookError as problem:
        return Report.from_findings((*document.findings, *_list_findings(problem))).findings
    return document.findings


def _build_book(document: Document, below: LowerLayers) -> tuple[dict[str, Any], Rulebook]:
    if not isinstance(document.plain, Mapping):
        kind = type(document.plain).__name__
        notes = RulebookFindings(document.locate)
        notes.add_malformed((), f"a rulebook is an object, not {kind}")
        raise notes.build_error()
    layer = dict(document.plain)
    if below is None:
        return layer, read_rulebook(layer, document.locate)
    return layer, build_rulebook((*below, layer), document.locate)


def _make_finding(problem: DocumentError | RulebookError) -> Finding:
    return Finding(
        code=str(problem.code),
        message=problem.message,
        where=problem.where or SourceLocation(),
        hint=problem.hint,
    )


def _list_findings(problem: RulebookError) -> list[Finding]:
    """Return all findings that an error contains."""
    findings = problem.details.get("findings")
    if not findings:
        return [_make_finding(problem)]
    return [
        Finding(
            code=each["code"],
            severity=each["severity"],
            message=each["message"],
            where=SourceLocation(line=each["line"], column=each["column"], path=each["path"]),
            hint=each["hint"],
        )
        for each in findings
    ]


class RulebookSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A book in one line."""

    name: str
    """Its name."""
    title: str = ""
    """Its title."""
    description: str = ""
    """What it is for."""
    checks: int = 0
    """How many checks it has."""


class RulebookCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a text."""

    passed: bool
    """Whether it could be used."""
    findings: list[FindingView] = []
    """Every mistake, with its place and its cure."""


class TryLayerRequest(LayerRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layer to be tried, and on what."""

    words: Annotated[str, msgspec.Meta(max_length=MAX_WORDS_LENGTH)] = ""
    """Words to be judged by both books; empty for every admissible action alone."""
    actor: ShortFilter = ""
    """Who would act; empty for the run's own character."""


class RunChangeResult(msgspec.Struct, frozen=True, kw_only=True):
    """That something was done to a run."""

    run: str
    """The run."""
    revision: int
    """Its revision since."""


async def list_rulebooks(call: OperationCall) -> ResultPage[RulebookSummary]:
    """List the books that come with Saniwa."""
    del call
    return ResultPage([_summarize_rulebook(name) for name in SHIPPED_BOOKS])


async def read_shipped_rulebook(call: OperationCall) -> RulebookView:
    """Read a book that comes with Saniwa."""
    name = call.path["name"]
    if name not in SHIPPED_BOOKS:
        raise ProtocolError(
            "PLACE_NOT_FOUND",
            f"there is no book {quote_value(name)} among those that come with Saniwa",
            hint=f"there are: {', '.join(SHIPPED_BOOKS)}",
        )
    layers = resolve_layers(name)
    return build_rulebook_view(build_rulebook(layers), layers)


async def check_rulebook(call: OperationCall) -> RulebookCheckResult:
    """Say everything that is wrong with a book."""
    return _build_check_result(await asyncio.to_thread(find_layer_findings, call.body))


async def read_run_rulebook(call: OperationCall) -> OperationAnswer:
    """Read the book a run is judged by now."""
    inspector = await find_inspector(call)
    revision = (await find_playing(call)).revision
    view = await asyncio.to_thread(_build_run_view, inspector, revision)
    return OperationAnswer(body=view, revision=revision)


def _build_run_view(inspector: RunInspector, revision: int) -> RulebookView:
    return build_rulebook_view(
        inspector.run.book, inspector.run.record.books, inspector.run.edits, revision
    )


async def check_layer(call: OperationCall) -> RulebookCheckResult:
    """Say everything that is wrong with a layer for a run's book."""
    inspector = await find_inspector(call)
    below = inspector.list_layers(inspector.run.count)
    return _build_check_result(await asyncio.to_thread(find_layer_findings, call.body, below))


async def try_layer(call: OperationCall) -> LayerTrialResult:
    """Weigh what can be done now by the book of now, and by the edited one."""
    inspector, body = await find_inspector(call), call.body
    run: Run = inspector.run
    actor = resolve_actor(run, body.actor)
    below = inspector.list_layers(run.count)
    _, then = await asyncio.to_thread(read_layer_request, body, below)
    words = None
    if body.words:
        before = await run.preview(body.words, actor)
        words = compare_previews(before, await run.preview(body.words, actor, book=then))
    return await asyncio.to_thread(compare_rulebooks, run.world, actor, run.book, then, words)


async def edit_run_rulebook(call: OperationCall) -> OperationAnswer:
    """Lay a layer over a run's book; the next turn is judged by it."""
    request, playing = call.request, await find_own_playing(call)
    inspector = call.workspace.open_inspector(await find_run(call))
    below = inspector.list_layers(inspector.run.count)
    layer, _ = await asyncio.to_thread(read_layer_request, call.body, below)

    async def edit(run: Run) -> Turn:
        return await run.edit_rulebook(layer, asked=request.asked)

    moment = await playing.change_run(request, edit)
    call.workspace.notifier.notify(playing.id)
    body = RunChangeResult(run=playing.id, revision=moment.revision)
    return OperationAnswer(body=body, revision=moment.revision)


def _summarize_rulebook(name: str) -> RulebookSummary:
    book = load_shipped_book(name)
    return RulebookSummary(
        name=name,
        title=book.get("name", ""),
        description=book.get("description", ""),
        checks=sum(
            len(rule.get("checks", ())) for rule in (*book["rules"], *book.get("crafts", ()))
        ),
    )


def _build_check_result(findings: tuple[Finding, ...]) -> RulebookCheckResult:
    passed = all(each.severity != "error" for each in findings)
    return RulebookCheckResult(passed=passed, findings=build_finding_views(findings))


_RUN_PATH = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
_RUN_CODES = ("RUN_NOT_FOUND", "WORLD_MISSING")
_LAYER_CODES = (
    "DOCUMENT_SYNTAX",
    "RULE_BAD_FIELD",
    "RULE_DUPLICATE",
    "RULE_UNKNOWN_ACTION",
    "RULE_UNKNOWN_CHECK",
    "RULE_UNKNOWN_FIELD",
    "RULE_UNKNOWN_PLACEHOLDER",
    "RULE_UNKNOWN_PLUGIN",
    "RULE_UNKNOWN_PREDICATE",
    "RULE_UNKNOWN_REASON",
    "RULE_UNKNOWN_ROLE",
)
_EXAMPLE_LAYER = """\
rules:
  - actionType: take
    checks:
      - id: not_heavy
        description: Nobody carries the chest.
        condition: {not: {isKind: {role: target, kinds: [container]}}}
        failReason: MISSING_REQUIREMENT
        failMessage: {en: "The {target.name} is too heavy.", ja: "{target.name}は重すぎる。"}
"""
RULEBOOK_OPERATIONS = (
    Operation(
        name="listRulebooks",
        method="GET",
        path="/rulebooks",
        summary="List the rulebooks that come with Saniwa",
        run=list_rulebooks,
        answers=ResultPage[RulebookSummary],
    ),
    Operation(
        name="readRulebook",
        method="GET",
        path="/rulebooks/{name}",
        summary="Read a rulebook that comes with Saniwa",
        run=read_shipped_rulebook,
        answers=RulebookView,
        codes=("PLACE_NOT_FOUND",),
        path_examples={"name": "default"},
    ),
    Operation(
        name="checkRulebook",
        method="POST",
        path="/check/rulebook",
        summary="Say everything that is wrong with a rulebook; nothing is kept",
        run=check_rulebook,
        takes=LayerRequest,
        takes_text=True,
        answers=RulebookCheckResult,
        example={"text": _EXAMPLE_LAYER},
    ),
    Operation(
        name="readRunRulebook",
        method="GET",
        path="/runs/{run}/rulebook",
        summary="Read the rulebook a run is judged by, layer by layer",
        run=read_run_rulebook,
        answers=RulebookView,
        tags=True,
        codes=_RUN_CODES,
        path_examples=_RUN_PATH,
    ),
    Operation(
        name="editRunRulebook",
        method="POST",
        path="/runs/{run}/rulebook",
        summary="Lay a layer over a run's rulebook; kept as a turn",
        run=edit_run_rulebook,
        takes=LayerRequest,
        takes_text=True,
        answers=RunChangeResult,
        needs="change",
        changes=True,
        tags=True,
        codes=(
            *_RUN_CODES,
            *_LAYER_CODES,
            "NOT_YOURS",
            "REVISION_CONFLICT",
            "IDEMPOTENCY_CONFLICT",
        ),
        path_examples=_RUN_PATH,
        example={"text": _EXAMPLE_LAYER},
    ),
    Operation(
        name="checkRunRulebook",
        method="POST",
        path="/runs/{run}/rulebook/check",
        summary="Say everything that is wrong with a layer for a run's rulebook",
        run=check_layer,
        takes=LayerRequest,
        takes_text=True,
        answers=RulebookCheckResult,
        codes=_RUN_CODES,
        path_examples=_RUN_PATH,
        example={"text": _EXAMPLE_LAYER},
    ),
    Operation(
        name="tryRunRulebook",
        method="POST",
        path="/runs/{run}/rulebook/try",
        summary="Weigh what can be done now by a run's rulebook and by an edited one",
        run=try_layer,
        takes=TryLayerRequest,
        takes_text=True,
        answers=LayerTrialResult,
        codes=(*_RUN_CODES, *_LAYER_CODES, "ACTOR_UNKNOWN", "TEXT_UNREADABLE"),
        path_examples=_RUN_PATH,
        example={"text": _EXAMPLE_LAYER, "words": "take the chest"},
    ),
)
