"""Rulebooks: keeping and checking them, editing a run's own, and comparing verdicts.

Each check of a rulebook is shown with the layer it comes from.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec.structs import replace

from saniwa.app import scenario_files
from saniwa.app.creation_requests import create_once
from saniwa.app.operations import operation, runs
from saniwa.app.operations.operation import (
    OperationAnswer,
    OperationCall,
    ResultPage,
    build_view,
    define,
)
from saniwa.app.operations.playing import PlayerWords
from saniwa.app.operations.runs import RUN_CODES, find_inspector
from saniwa.app.scenario_files import RulebookSource
from saniwa.app.scenario_lookup import list_own_books
from saniwa.core.errors import DocumentError, RulebookError, SaniwaError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.documents.document import Document, parse_document
from saniwa.rulebook import loader
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.finding_collector import RulebookFindings
from saniwa.rulebook.judge import find_admissible_actions, judge
from saniwa.rulebook.loader import SHIPPED_BOOKS, build_rulebook, load_shipped_book
from saniwa.rulebook.verdict import Verdict, find_reason_code
from saniwa.runs.run import Run
from saniwa.runs.timeline import TimelineEdit
from saniwa.turn.narration import render_action
from saniwa.turn.preview import TurnPreview
from saniwa.world.actions import Action
from saniwa.world.model import Id, World

LayerKind = Literal["shipped", "scenario", "edit"]
"""Where a layer comes from."""


class CheckView(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that must be true for an action to pass."""

    id: str
    """Its id within the rule."""
    description: str = ""
    """The author's description."""
    enabled: bool = True
    """Whether it is active."""
    condition: Any = None
    """The condition, as data."""
    fail_reason: str = ""
    """The reason it gives for a refusal."""
    reason_code: str = ""
    """The reason code of that reason."""
    fail_message: dict[str, str] = {}
    """The message of a refusal, by language."""
    hint: dict[str, str] = {}
    """The hint of a refusal, by language."""
    layer: int = 0
    """The number of the topmost layer that changes it, from 0."""


class RuleView(msgspec.Struct, frozen=True, kw_only=True):
    """The checks that one type of action must pass."""

    action_type: str
    """The type of action; `*` for all types."""
    enabled: bool = True
    """Whether it is active."""
    checks: list[CheckView] = []
    """The checks, in the order in which they are evaluated."""


class CraftView(msgspec.Struct, frozen=True, kw_only=True):
    """A way to use things, defined by a rulebook."""

    name: str
    """Its name, as in the field `manner` of `use`."""
    description: str = ""
    """The author's description."""
    enabled: bool = True
    """Whether it is active."""
    words: dict[str, list[str]] = {}
    """Its verbs, by language."""
    checks: list[CheckView] = []
    """The checks after those for every action, in order."""
    effects: list[dict[str, Any]] = []
    """Its effects, as data."""


class LayerView(msgspec.Struct, frozen=True, kw_only=True):
    """One layer of a rulebook."""

    number: int
    """Its position, from 0; a higher layer overrides a lower one."""
    kind: LayerKind
    """Its origin."""
    id: str = ""
    """Its id, if it has one."""
    name: str = ""
    """Its title."""
    description: str = ""
    """The author's description."""
    turn: int = -1
    """The turn that added it; -1 if the run started with it."""
    at: int = 0
    """The time when it was added, in milliseconds since 1970; 0 if the run started with it."""
    touches: list[str] = []
    """The checks that it changes, such as `take.in_scope`."""
    document: dict[str, Any] = {}
    """The layer itself."""


class RulebookView(msgspec.Struct, frozen=True, kw_only=True):
    """A rulebook in force."""

    id: str
    """Its name."""
    fingerprint: str
    """The fingerprint: 16 hex digits that change whenever a verdict could change."""
    revision: int = 0
    """The run's revision; an edit must name it."""
    layers: list[LayerView] = []
    """Its layers, lowest first."""
    rules: list[RuleView] = []
    """Its rules, those for every action first."""
    crafts: list[CraftView] = []
    """Its crafts."""
    reasons: dict[str, str] = {}
    """The reasons it adds for refusals, each with its reason code."""
    plugins: list[str] = []
    """The predicates it uses from plugins."""


def build_rulebook_view(
    book: Rulebook,
    opening: Sequence[Mapping[str, Any]],
    edits: Sequence[TimelineEdit] = (),
    revision: int = 0,
) -> RulebookView:
    """Return the view of a rulebook, from a run's first layers and later edits."""
    layers = [_build_layer(number, layer) for number, layer in enumerate(opening)]
    for edit in edits:
        layer = _build_layer(len(layers), edit.layer)
        layers.append(replace(layer, kind="edit", turn=edit.turn, at=edit.at))
    document = book.document

    def build_checks(name: str, rule: Mapping[str, Any]) -> list[CheckView]:
        return [_build_check(name, check, document, layers) for check in rule["checks"]]

    return build_view(
        RulebookView,
        book,
        revision=revision,
        layers=layers,
        rules=[
            RuleView(action_type=name, enabled=rule["enabled"], checks=build_checks(name, rule))
            for rule in document["rules"]
            for name in [rule["actionType"]]
        ],
        crafts=[
            {**craft, "checks": build_checks(craft["name"], craft)}
            for craft in document.get("crafts", ())
        ],
        reasons=document["reasons"],
        plugins=[*document["plugins"]],
    )


def _build_layer(number: int, layer: Mapping[str, Any]) -> LayerView:
    name = layer.get("id")
    shipped = name in SHIPPED_BOOKS and load_shipped_book(str(name)) == layer
    return LayerView(
        number=number,
        kind="shipped" if shipped else "scenario",
        id=str(name or ""),
        name=str(layer.get("name") or ""),
        description=str(layer.get("description") or ""),
        touches=[*list_touched_checks(layer)],
        document=dict(layer),
    )


def list_touched_checks(layer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the checks that a layer changes."""
    for rule in (*(layer.get("rules") or ()), *(layer.get("crafts") or ())):
        kind = rule.get("actionType", rule.get("action_type", rule.get("name")))
        for check in rule.get("checks") or ():
            yield f"{kind}.{check.get('id')}"


def _build_check(
    rule: str, check: Mapping[str, Any], document: Mapping[str, Any], layers: list[LayerView]
) -> CheckView:
    word, name = check.get("failReason", ""), f"{rule}.{check['id']}"
    return CheckView(
        id=check["id"],
        description=check.get("description", ""),
        enabled=check.get("enabled", True),
        condition=check.get("condition"),
        fail_reason=word,
        reason_code=find_reason_code(word, document["reasons"]) or "",
        fail_message=_read_texts(check.get("failMessage")),
        hint=_read_texts(check.get("hint")),
        layer=max((each.number for each in layers if name in each.touches), default=0),
    )


def _read_texts(message: str | Mapping[str, str] | None) -> dict[str, str]:
    return {"en": message} if isinstance(message, str) else dict(message or {})


MAX_TRIED_ACTIONS: Final = 200
"""The largest number of actions in an answer."""


class ActionVerdictChange(msgspec.Struct, frozen=True, kw_only=True):
    """An action that would be judged differently."""

    action: Action
    """The action."""
    sentence: str
    """The action as a short sentence in the world's language."""
    before: Verdict
    """The decision of the current rulebook."""
    after: Verdict
    """The decision of the edited rulebook."""


class WordsTrialResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the same words under both rulebooks."""

    before: list[str]
    """The results under the current rulebook, one sentence each."""
    after: list[str]
    """The results under the edited rulebook, one sentence each."""
    verdicts_before: list[Verdict] = []
    """The decisions of the current rulebook, one for each action."""
    verdicts_after: list[Verdict] = []
    """The decisions of the edited rulebook, one for each action."""
    same: bool = True
    """Whether both rulebooks decide the same."""


class LayerTrialResult(msgspec.Struct, frozen=True, kw_only=True):
    """What would change under an edited rulebook."""

    actor: str
    """The character whose actions were judged."""
    allowed_before: int
    """The number of actions that the current rulebook allows."""
    allowed_after: int
    """The number of actions that the edited rulebook would allow."""
    newly_allowed: list[ActionVerdictChange] = []
    """The actions that only the edited rulebook would allow."""
    newly_refused: list[ActionVerdictChange] = []
    """The actions that only the current rulebook allows."""
    words: WordsTrialResult | None = None
    """The result for the words to try, if there were any."""


def compare_rulebooks(
    world: World, actor: Id, now: Rulebook, then: Rulebook, words: WordsTrialResult | None = None
) -> LayerTrialResult:
    """Return every action of an actor that only one of two rulebooks allows."""
    before = find_admissible_actions(world, actor, now)
    after = find_admissible_actions(world, actor, then)
    old, new = set(before), set(after)

    def judge_actions(actions: Iterator[Action], by: Rulebook) -> list[ActionVerdictChange]:
        speaking = add_manners(world, by)
        return [
            ActionVerdictChange(
                action=action,
                sentence=render_action(action, speaking),
                before=judge(action, world, now),
                after=judge(action, world, then),
            )
            for action in islice(actions, MAX_TRIED_ACTIONS)
        ]

    return LayerTrialResult(
        actor=actor,
        allowed_before=len(before),
        allowed_after=len(after),
        newly_allowed=judge_actions((each for each in after if each not in old), then),
        newly_refused=judge_actions((each for each in before if each not in new), now),
        words=words,
    )


def compare_previews(before: TurnPreview, after: TurnPreview) -> WordsTrialResult:
    """Return the results of the same words under both rulebooks."""
    old, new = before.turn.validation_results, after.turn.validation_results
    return WordsTrialResult(
        before=[*before.sentences],
        after=[*after.sentences],
        verdicts_before=[*old],
        verdicts_after=[*new],
        same=old == new and before.sentences == after.sentences,
    )


_LAYER_CODES = (
    "DOCUMENT_SYNTAX RULE_BAD_FIELD RULE_DUPLICATE RULE_UNKNOWN_ACTION RULE_UNKNOWN_CHECK "
    "RULE_UNKNOWN_FIELD RULE_UNKNOWN_PLACEHOLDER RULE_UNKNOWN_PLUGIN RULE_UNKNOWN_PREDICATE "
    "RULE_UNKNOWN_REASON RULE_UNKNOWN_ROLE"
)


MAX_LAYER_LENGTH = 200_000
"""The largest number of characters of a layer."""
LayerText = Annotated[str, msgspec.Meta(max_length=MAX_LAYER_LENGTH)]
"""The text of a layer."""
LayerFormat = Literal["yaml", "json"]
"""The format of a layer."""
LowerLayers = Sequence[Mapping[str, Any]] | None
"""The layers below; None for those of the rulebook that the layer itself extends."""


class LayerRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """The text of a rulebook layer."""

    text: LayerText
    """The text."""
    format: LayerFormat = "yaml"
    """The format of the text."""


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
    return layer, loader.build_edited_book(below, layer, document.locate)


def _make_finding(problem: DocumentError | RulebookError) -> Finding:
    return operation.build_view(
        Finding, problem, where=problem.where or SourceLocation(), details={}
    )


def _list_findings(problem: RulebookError) -> list[Finding]:
    """Return all findings that an error contains."""
    findings = problem.details.get("findings")
    if not findings:
        return [_make_finding(problem)]
    return [msgspec.convert({**each, "where": each}, Finding) for each in findings]


class RulebookSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A rulebook in a list."""

    name: str
    """Its name."""
    title: str = ""
    """Its title."""
    description: str = ""
    """The author's description."""
    checks: int = 0
    """The number of its checks."""
    shipped: bool = True
    """Whether it is included with Saniwa, and read-only."""
    fault: str = ""
    """Why no run can start with it; empty if one can."""


class RulebookCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of a rulebook's text."""

    passed: bool
    """Whether it can be used."""
    findings: list[operation.FindingView] = []
    """All findings."""


class TryLayerRequest(LayerRequest, frozen=True, kw_only=True):
    """A layer to try, and the words to try it with."""

    words: PlayerWords = ""
    """Words to judge under both rulebooks; empty to compare only the possible actions."""
    actor: operation.ShortName = ""
    """The character who acts; empty for the run's own character."""


class CreateRulebookRequest(LayerRequest, frozen=True, kw_only=True):
    """A rulebook to create."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    """The name: letters, digits, `_` and `-`."""


VersionSeen = Annotated[str, msgspec.Meta(max_length=64)]


class KeepRulebookRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """The new text of a rulebook."""

    text: LayerText
    """The text, in the rulebook's own format."""
    seen: VersionSeen
    """The version that you read."""


class RemoveRulebookQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which version is to go."""

    seen: VersionSeen
    """The version that you read."""


_BOOK_EXAMPLE = {"name": "default"}
_BOOK_CODES = "PLACE_NOT_FOUND STORY_UNREADABLE"
_WRITE_CODES = "READ_ONLY FILE_UNWRITABLE LOCK_TIMEOUT"


@define("GET /rulebooks")
def list_rulebooks(call: OperationCall) -> ResultPage[RulebookSummary]:
    """List the rulebooks: those included with Saniwa and your own."""
    registry = call.workspace.runs.registry
    names = (*SHIPPED_BOOKS, *list_own_books(registry))
    return ResultPage([_summarize_rulebook(name, registry) for name in names])


@define(
    "POST /rulebooks",
    f"NAME_UNUSABLE FILE_EXISTS STORY_UNREADABLE {_WRITE_CODES} IDEMPOTENCY_CONFLICT",
    needs="change",
    creates=True,
    takes_text=True,
)
def make_rulebook(
    call: OperationCall, body: CreateRulebookRequest
) -> OperationAnswer[RulebookSource]:
    """Create a rulebook; it may have errors."""
    registry, workspace = call.workspace.runs.registry, call.workspace
    made = create_once(
        workspace.creations,
        scenario_files.locate_new_book(body.name, registry),
        call.caller.name,
        call.asked,
        body.name,
        lambda: scenario_files.create_book(body.name, body.text, body.format, registry),
    )
    source = scenario_files.read_book_source(made, registry)
    header = operation.build_location_header("rulebooks", made)
    return OperationAnswer(body=source, headers=(header,))


@define(
    "GET /rulebooks/{name}",
    f"{_BOOK_CODES} RULE_UNKNOWN_BOOK {_LAYER_CODES}",
    path_examples=_BOOK_EXAMPLE,
)
def read_rulebook(call: OperationCall) -> RulebookView:
    """Get a rulebook, with those it extends."""
    source = scenario_files.read_book_source(call.path["name"], call.workspace.runs.registry)
    if source.shipped:
        layers = loader.resolve_layers(source.name)
        return build_rulebook_view(build_rulebook(layers), layers)
    layer, book = _read_book(source)
    return build_rulebook_view(book, loader.resolve_layers(layer))


@define("GET /rulebooks/{name}/source", _BOOK_CODES, path_examples=_BOOK_EXAMPLE)
def read_rulebook_source(call: OperationCall) -> RulebookSource:
    """Get the source text of a rulebook."""
    return scenario_files.read_book_source(call.path["name"], call.workspace.runs.registry)


@define(
    "PUT /rulebooks/{name}/source",
    f"{_BOOK_CODES} REVISION_CONFLICT {_WRITE_CODES}",
    path_examples=_BOOK_EXAMPLE,
    needs="change",
    takes_text=True,
)
def keep_rulebook_source(call: OperationCall, body: KeepRulebookRequest) -> RulebookSource:
    """Save the source text of a rulebook, unless it was changed in the meantime."""
    name, registry = call.path["name"], call.workspace.runs.registry
    return scenario_files.write_book_source(name, body.text, body.seen, registry)


@define(
    "DELETE /rulebooks/{name}",
    f"{_BOOK_CODES} REVISION_CONFLICT {_WRITE_CODES}",
    path_examples=_BOOK_EXAMPLE,
    needs="change",
)
def remove_rulebook(call: OperationCall, query: RemoveRulebookQuery) -> None:
    """Delete your own rulebook; runs started with it keep its rules."""
    scenario_files.remove_book(call.path["name"], query.seen, call.workspace.runs.registry)


@define("POST /check/rulebook", takes_text=True)
def check_rulebook(_: OperationCall, body: LayerRequest) -> RulebookCheckResult:
    """Check a rulebook; nothing is saved."""
    return _build_check_result(find_layer_findings(body))


@define("GET /runs/{run}/rulebook", RUN_CODES, tags=True)
async def read_run_rulebook(call: OperationCall) -> RulebookView:
    """Get the rulebook of a run, layer by layer."""
    run, revision = await runs.find_run(call), (await call.find_playing()).revision
    layers = run.record.books
    return await asyncio.to_thread(build_rulebook_view, run.book, layers, run.edits, revision)


@define(
    "POST /runs/{run}/rulebook",
    f"{RUN_CODES} {_LAYER_CODES} NOT_YOURS REVISION_CONFLICT IDEMPOTENCY_CONFLICT",
    needs="change",
    changes=True,
    takes_text=True,
)
async def edit_run_rulebook(call: OperationCall, body: LayerRequest) -> runs.RunChangeResult:
    """Add a layer to a run's rulebook; recorded as a turn."""
    request, playing = call.request, await call.find_own_playing()
    inspector = await find_inspector(call)
    below = inspector.list_layers(inspector.run.count)
    layer, _ = await asyncio.to_thread(read_layer_request, body, below)
    moment = await playing.change_run(
        request, lambda run: run.edit_rulebook(layer, asked=request.asked)
    )
    return runs.answer_run_change(call, playing, moment.revision)


@define("POST /runs/{run}/rulebook/check", RUN_CODES, takes_text=True)
async def check_run_rulebook(call: OperationCall, body: LayerRequest) -> RulebookCheckResult:
    """Check a layer for a run's rulebook."""
    inspector = await find_inspector(call)
    below = inspector.list_layers(inspector.run.count)
    return _build_check_result(await asyncio.to_thread(find_layer_findings, body, below))


@define(
    "POST /runs/{run}/rulebook/try",
    f"{RUN_CODES} {_LAYER_CODES} ACTOR_UNKNOWN TEXT_UNREADABLE",
    takes_text=True,
)
async def try_run_rulebook(call: OperationCall, body: TryLayerRequest) -> LayerTrialResult:
    """Compare the actions possible now under a run's rulebook and under an edited one."""
    inspector = await find_inspector(call)
    run: Run = inspector.run
    actor = runs.resolve_actor(run, body.actor)
    below = inspector.list_layers(run.count)
    _, then = await asyncio.to_thread(read_layer_request, body, below)
    words = None
    if body.words:
        before = await run.preview(body.words, actor)
        words = compare_previews(before, await run.preview(body.words, actor, book=then))
    return await asyncio.to_thread(compare_rulebooks, run.world, actor, run.book, then, words)


def _summarize_rulebook(name: str, registry: str | Path | None) -> RulebookSummary:
    if name in SHIPPED_BOOKS:
        return _summarize_layer(name, loader.load_shipped_book(name))
    try:
        layer, _ = _read_book(scenario_files.read_book_source(name, registry))
    except SaniwaError as problem:
        fault = f"{problem.where}: {problem.message}" if problem.where else problem.message
        return RulebookSummary(name=name, shipped=False, fault=fault)
    return replace(_summarize_layer(name, layer), shipped=False)


def _summarize_layer(name: str, layer: Mapping[str, Any]) -> RulebookSummary:
    return RulebookSummary(
        name=name,
        title=layer.get("name") or "",
        description=layer.get("description") or "",
        checks=len([*list_touched_checks(layer)]),
    )


def _read_book(source: RulebookSource) -> tuple[dict[str, Any], Rulebook]:
    file = f"{source.name}.{source.format}"
    return _build_book(parse_document(source.text, file, source.format), None)


def _build_check_result(findings: tuple[Finding, ...]) -> RulebookCheckResult:
    passed = all(each.severity != "error" for each in findings)
    return RulebookCheckResult(passed=passed, findings=operation.build_finding_views(findings))
