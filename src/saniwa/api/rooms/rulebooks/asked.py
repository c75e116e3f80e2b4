"""What can be asked of rulebooks, and done to a run's own."""

import asyncio
from typing import Annotated

import msgspec

from saniwa.api.finding import FindingView, finding_views
from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.api.rooms.found import hosted_in, own_in
from saniwa.api.rooms.playing import LONGEST
from saniwa.api.rooms.rulebooks.book import BookView, book_view
from saniwa.api.rooms.rulebooks.layer import LayerText, findings_in, read_layer
from saniwa.api.rooms.rulebooks.trying import Tried, heard, tried
from saniwa.api.rooms.watching.beneath import Named, actor_in, lens_in, run_in
from saniwa.core.errors import ProtocolError
from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.rulebook.load import SHIPPED, book_from_layers, layers_of, shipped
from saniwa.run.conductor import Run
from saniwa.run.lens import Lens
from saniwa.turn.trace import Turn


class BookLine(msgspec.Struct, frozen=True, kw_only=True):
    """A book in one line."""

    name: str
    """Its name."""
    title: str = ""
    """Its title."""
    description: str = ""
    """What it is for."""
    checks: int = 0
    """How many checks it has."""


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a text."""

    passed: bool
    """Whether it could be used."""
    findings: list[FindingView] = []
    """Every mistake, with its place and its cure."""


class Trial(LayerText, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layer to be tried, and on what."""

    words: Annotated[str, msgspec.Meta(max_length=LONGEST)] = ""
    """Words to be judged by both books; empty for every admissible action alone."""
    actor: Named = ""
    """Who would act; empty for whoever the run is played as."""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """That something was done to a run."""

    run: str
    """The run."""
    revision: int
    """Its revision since."""


async def list_books(call: Call) -> Page[BookLine]:
    """List the books that come with Saniwa."""
    del call
    return Page([_line(name) for name in SHIPPED])


async def read_shipped(call: Call) -> BookView:
    """Read a book that comes with Saniwa."""
    name = call.path["name"]
    if name not in SHIPPED:
        raise ProtocolError(
            "PLACE_NOT_FOUND",
            f"there is no book {quoted(name)} among those that come with Saniwa",
            hint=f"there are: {', '.join(SHIPPED)}",
        )
    layers = layers_of(name)
    return book_view(book_from_layers(layers), layers)


async def check_book(call: Call) -> Checked:
    """Say everything that is wrong with a book."""
    return _checked(await asyncio.to_thread(findings_in, call.body))


async def read_book(call: Call) -> Answer:
    """Read the book a run is judged by now."""
    lens = await lens_in(call)
    revision = (await hosted_in(call)).revision
    view = await asyncio.to_thread(_book, lens, revision)
    return Answer(body=view, revision=revision)


def _book(lens: Lens, revision: int) -> BookView:
    return book_view(lens.run.book, lens.run.record.books, lens.run.edits, revision)


async def check_layer(call: Call) -> Checked:
    """Say everything that is wrong with a layer for a run's book."""
    lens = await lens_in(call)
    below = lens.layers(lens.run.count)
    return _checked(await asyncio.to_thread(findings_in, call.body, below))


async def try_layer(call: Call) -> Tried:
    """Weigh what can be done now by the book of now, and by the edited one."""
    lens, body = await lens_in(call), call.body
    run: Run = lens.run
    actor = actor_in(run, body.actor)
    below = lens.layers(run.count)
    _, then = await asyncio.to_thread(read_layer, body, below)
    words = None
    if body.words:
        before = await run.preview(body.words, actor)
        words = heard(before, await run.preview(body.words, actor, book=then))
    return await asyncio.to_thread(tried, run.world, actor, run.book, then, words)


async def edit_book(call: Call) -> Answer:
    """Lay a layer over a run's book; the next turn is judged by it."""
    request, hosted = call.request, await own_in(call)
    lens = call.garden.lenses.of(await run_in(call))
    below = lens.layers(lens.run.count)
    layer, _ = await asyncio.to_thread(read_layer, call.body, below)

    async def edit(run: Run) -> Turn:
        return await run.edit(layer, asked=request.asked)

    moment = await hosted.beside(request, edit)
    call.garden.bell.ring(hosted.id)
    body = Changed(run=hosted.id, revision=moment.revision)
    return Answer(body=body, revision=moment.revision)


def _line(name: str) -> BookLine:
    book = shipped(name)
    return BookLine(
        name=name,
        title=book.get("name", ""),
        description=book.get("description", ""),
        checks=sum(
            len(rule.get("checks", ()))
            for rule in (*book["rules"], *book.get("crafts", ()))
        ),
    )


def _checked(findings: tuple[Finding, ...]) -> Checked:
    passed = all(each.severity != "error" for each in findings)
    return Checked(passed=passed, findings=finding_views(findings))


_RUN = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
_CODES = ("RUN_NOT_FOUND", "WORLD_MISSING")
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
_TEXT = """\
rules:
  - actionType: take
    checks:
      - id: not_heavy
        description: Nobody carries the chest.
        condition: {not: {isKind: {role: target, kinds: [container]}}}
        failReason: MISSING_REQUIREMENT
        failMessage: {en: "The {target.name} is too heavy.", ja: "{target.name}は重すぎる。"}
"""
OPERATIONS = (
    Operation(
        name="listRulebooks",
        method="GET",
        path="/rulebooks",
        summary="List the rulebooks that come with Saniwa",
        run=list_books,
        answers=Page[BookLine],
    ),
    Operation(
        name="readRulebook",
        method="GET",
        path="/rulebooks/{name}",
        summary="Read a rulebook that comes with Saniwa",
        run=read_shipped,
        answers=BookView,
        codes=("PLACE_NOT_FOUND",),
        path_examples={"name": "default"},
    ),
    Operation(
        name="checkRulebook",
        method="POST",
        path="/check/rulebook",
        summary="Say everything that is wrong with a rulebook; nothing is kept",
        run=check_book,
        takes=LayerText,
        takes_text=True,
        answers=Checked,
        example={"text": _TEXT},
    ),
    Operation(
        name="readRunRulebook",
        method="GET",
        path="/runs/{run}/rulebook",
        summary="Read the rulebook a run is judged by, layer by layer",
        run=read_book,
        answers=BookView,
        tags=True,
        codes=_CODES,
        path_examples=_RUN,
    ),
    Operation(
        name="editRunRulebook",
        method="POST",
        path="/runs/{run}/rulebook",
        summary="Lay a layer over a run's rulebook; kept as a turn",
        run=edit_book,
        takes=LayerText,
        takes_text=True,
        answers=Changed,
        needs="change",
        changes=True,
        tags=True,
        codes=(
            *_CODES,
            *_LAYER_CODES,
            "NOT_YOURS",
            "REVISION_CONFLICT",
            "IDEMPOTENCY_CONFLICT",
        ),
        path_examples=_RUN,
        example={"text": _TEXT},
    ),
    Operation(
        name="checkRunRulebook",
        method="POST",
        path="/runs/{run}/rulebook/check",
        summary="Say everything that is wrong with a layer for a run's rulebook",
        run=check_layer,
        takes=LayerText,
        takes_text=True,
        answers=Checked,
        codes=_CODES,
        path_examples=_RUN,
        example={"text": _TEXT},
    ),
    Operation(
        name="tryRunRulebook",
        method="POST",
        path="/runs/{run}/rulebook/try",
        summary="Weigh what can be done now by a run's rulebook and by an edited one",
        run=try_layer,
        takes=Trial,
        takes_text=True,
        answers=Tried,
        codes=(*_CODES, *_LAYER_CODES, "ACTOR_UNKNOWN", "TEXT_UNREADABLE"),
        path_examples=_RUN,
        example={"text": _TEXT, "words": "take the chest"},
    ),
)
