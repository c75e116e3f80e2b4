"""Operations on rulebooks: reading and checking them, and editing a run's own."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from saniwa.app.operations import contract, rulebook_views, runs
from saniwa.app.operations.contract import OperationCall, ResultPage, define
from saniwa.app.operations.playing import PlayerWords
from saniwa.app.operations.runs import RUN_CODES, find_inspector
from saniwa.core.errors import DocumentError, ProtocolError, RulebookError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.document import Document, parse_document
from saniwa.rulebook import loader
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.findings import RulebookFindings
from saniwa.rulebook.loader import SHIPPED_BOOKS, build_rulebook
from saniwa.runs.run import Run

_LAYER_CODES = (
    "DOCUMENT_SYNTAX RULE_BAD_FIELD RULE_DUPLICATE RULE_UNKNOWN_ACTION RULE_UNKNOWN_CHECK "
    "RULE_UNKNOWN_FIELD RULE_UNKNOWN_PLACEHOLDER RULE_UNKNOWN_PLUGIN RULE_UNKNOWN_PREDICATE "
    "RULE_UNKNOWN_REASON RULE_UNKNOWN_ROLE"
)


MAX_LAYER_LENGTH = 200_000
"""The largest number of characters of a layer."""
LayerFormat = Literal["yaml", "json"]
"""The format of a layer."""
LowerLayers = Sequence[Mapping[str, Any]] | None
"""The layers below; None for those of the rulebook that the layer itself extends."""


class LayerRequest(contract.RequestRecord, frozen=True, kw_only=True):
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
        return layer, loader.read_rulebook(layer, document.locate)
    return layer, build_rulebook((*below, layer), document.locate)


def _make_finding(problem: DocumentError | RulebookError) -> Finding:
    return contract.build_view(
        Finding, problem, where=problem.where or SourceLocation(), details={}
    )


def _list_findings(problem: RulebookError) -> list[Finding]:
    """Return all findings that an error contains."""
    findings = problem.details.get("findings")
    if not findings:
        return [_make_finding(problem)]
    return [msgspec.convert({**each, "where": each}, Finding) for each in findings]


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
    findings: list[contract.FindingView] = []
    """Every mistake, with its place and its cure."""


class TryLayerRequest(LayerRequest, frozen=True, kw_only=True):
    """A layer to be tried, and on what."""

    words: PlayerWords = ""
    """Words to be judged by both books; empty for every admissible action alone."""
    actor: contract.ShortName = ""
    """Who would act; empty for the run's own character."""


@define("GET /rulebooks")
async def list_rulebooks(_: OperationCall) -> ResultPage[RulebookSummary]:
    """List the rulebooks that come with Saniwa."""
    return ResultPage([_summarize_rulebook(name) for name in SHIPPED_BOOKS])


@define("GET /rulebooks/{name}", "PLACE_NOT_FOUND", path_examples={"name": "default"})
async def read_rulebook(call: OperationCall) -> rulebook_views.RulebookView:
    """Read a rulebook that comes with Saniwa."""
    name = call.path["name"]
    if name not in SHIPPED_BOOKS:
        raise ProtocolError(
            "PLACE_NOT_FOUND",
            f"there is no book {quote_value(name)} among those that come with Saniwa",
            hint=f"there are: {', '.join(SHIPPED_BOOKS)}",
        )
    layers = loader.resolve_layers(name)
    return rulebook_views.build_rulebook_view(build_rulebook(layers), layers)


@define("POST /check/rulebook", takes_text=True)
def check_rulebook(_: OperationCall, body: LayerRequest) -> RulebookCheckResult:
    """Say everything that is wrong with a rulebook; nothing is kept."""
    return _build_check_result(find_layer_findings(body))


@define("GET /runs/{run}/rulebook", RUN_CODES, tags=True)
async def read_run_rulebook(call: OperationCall) -> rulebook_views.RulebookView:
    """Read the rulebook a run is judged by, layer by layer."""
    run, revision = await runs.find_run(call), (await runs.find_playing(call)).revision
    layers = run.record.books
    return await asyncio.to_thread(
        rulebook_views.build_rulebook_view, run.book, layers, run.edits, revision
    )


@define(
    "POST /runs/{run}/rulebook",
    f"{RUN_CODES} {_LAYER_CODES} NOT_YOURS REVISION_CONFLICT IDEMPOTENCY_CONFLICT",
    needs="change",
    changes=True,
    takes_text=True,
)
async def edit_run_rulebook(call: OperationCall, body: LayerRequest) -> runs.RunChangeResult:
    """Lay a layer over a run's rulebook; kept as a turn."""
    request, playing = call.request, await runs.find_own_playing(call)
    inspector = await find_inspector(call)
    below = inspector.list_layers(inspector.run.count)
    layer, _ = await asyncio.to_thread(read_layer_request, body, below)
    moment = await playing.change_run(
        request, lambda run: run.edit_rulebook(layer, asked=request.asked)
    )
    return runs.answer_run_change(call, playing, moment.revision)


@define("POST /runs/{run}/rulebook/check", RUN_CODES, takes_text=True)
async def check_run_rulebook(call: OperationCall, body: LayerRequest) -> RulebookCheckResult:
    """Say everything that is wrong with a layer for a run's rulebook."""
    inspector = await find_inspector(call)
    below = inspector.list_layers(inspector.run.count)
    return _build_check_result(await asyncio.to_thread(find_layer_findings, body, below))


@define(
    "POST /runs/{run}/rulebook/try",
    f"{RUN_CODES} {_LAYER_CODES} ACTOR_UNKNOWN TEXT_UNREADABLE",
    takes_text=True,
)
async def try_run_rulebook(
    call: OperationCall, body: TryLayerRequest
) -> rulebook_views.LayerTrialResult:
    """Weigh what can be done now by a run's rulebook and by an edited one."""
    inspector = await find_inspector(call)
    run: Run = inspector.run
    actor = runs.resolve_actor(run, body.actor)
    below = inspector.list_layers(run.count)
    _, then = await asyncio.to_thread(read_layer_request, body, below)
    words = None
    if body.words:
        before = await run.preview(body.words, actor)
        words = rulebook_views.compare_previews(
            before, await run.preview(body.words, actor, book=then)
        )
    return await asyncio.to_thread(
        rulebook_views.compare_rulebooks, run.world, actor, run.book, then, words
    )


def _summarize_rulebook(name: str) -> RulebookSummary:
    book = loader.load_shipped_book(name)
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
    return RulebookCheckResult(passed=passed, findings=contract.build_finding_views(findings))
