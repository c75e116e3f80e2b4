"""Views of turns: one line each, one in detail, and searching for them."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Final, Literal

import msgspec

from saniwa.app.operations.contract import RequestRecord, ResultPage, ShortName, build_view
from saniwa.app.operations.world_views import WorldDifference, find_differences
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.verdict import Verdict
from saniwa.runs.inspector import RunInspector
from saniwa.runs.run import Run
from saniwa.story.step_result import Say
from saniwa.turn.narration import find_own_words, render_action
from saniwa.turn.play import list_attempts
from saniwa.turn.record import RulebookEdit, RunReturn, Seating, Turn, render_public_words
from saniwa.world.actions import Action, get_action_type
from saniwa.world.model import World
from saniwa.world.view import get_name

TurnOutcomeName = Literal["done", "partly", "refused", "unclear", "nothing", "aside"]
"""The result of a turn."""
TurnKind = Literal["turn", "undo", "load", "edit", "seating"]
"""What a turn is."""
TurnOutcomeFilter = Literal["all", "refused", "changed", "unclear", "aside"]
"""Which turns to list."""

TURNS_PER_READ: Final = 200
"""Turns that are read at once, from the last backwards."""
MAX_TURNS_READ: Final = 4_000
"""Turns that are read for one answer; the next page continues the search."""
MAX_SHOWN_WORDS: Final = 300
"""The largest number of characters of the words in a line."""


class TurnSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A turn in one line."""

    number: int
    """Its place in the run; from 0."""
    kind: TurnKind
    """A turn of the story, or something done to the run itself."""
    actor: str
    """Who spoke."""
    name: str
    """What they are called."""
    words: str
    """What was said, without what a model thought; cut where it is long."""
    types: list[str] = []
    """The kinds of actions that were tried, each once."""
    outcome: TurnOutcomeName
    """What came of it."""
    codes: list[str] = []
    """Why something was refused or not understood, each once."""
    changed: bool = False
    """Whether the world is another afterwards."""
    at: int = 0
    """When; milliseconds since 1970."""


class TurnSearchQuery(RequestRecord, frozen=True, kw_only=True):
    """Which turns to list; the last first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)] | None = None
    """The turn to go on behind."""
    q: ShortName = ""
    """What stands somewhere in it: words, names, codes, checks."""
    only: TurnOutcomeFilter = "all"
    """Turns of one outcome."""
    actor: ShortName = ""
    """Turns of one character, by id."""
    code: ShortName = ""
    """Turns that were refused or not understood for one reason."""
    type: ShortName = ""
    """Turns in which one kind of action was tried."""


def summarize_turn(turn: Turn, world: World) -> TurnSummary:
    """Summarize a turn in one line."""
    return TurnSummary(
        number=turn.number,
        kind=find_turn_kind(turn),
        actor=turn.actor_id,
        name=get_name(world, turn.actor_id),
        words=render_public_words(turn)[:MAX_SHOWN_WORDS],
        types=[*dict.fromkeys(get_action_type(action) for action in turn.normalized_actions)],
        outcome=find_turn_outcome(turn),
        codes=[*dict.fromkeys(_find_codes(turn))],
        changed=turn.world_before != turn.world_after,
        at=turn.timestamp,
    )


def find_turn_kind(turn: Turn) -> TurnKind:
    """Return what a turn is."""
    match turn.aside:
        case RunReturn(why=why):
            return why
        case RulebookEdit():
            return "edit"
        case Seating():
            return "seating"
        case None:
            return "turn"


def find_turn_outcome(turn: Turn) -> TurnOutcomeName:
    """Return the result of a turn."""
    if turn.aside is not None:
        return "aside"
    if turn.clarification is not None:
        return "unclear"
    refused = any(not verdict.success for verdict in turn.validation_results)
    if turn.applied_actions:
        return "partly" if refused or turn.rejections else "done"
    if refused:
        return "refused"
    return "unclear" if turn.rejections else "nothing"


def search_turns(run: Run, search: TurnSearchQuery) -> ResultPage[TurnSummary]:
    """Return the turns that match, the last first.

    Raises:
        StoreError: The store cannot be read.
    """
    count = run.count
    end = count if search.after is None else min(search.after, count)
    lines: list[TurnSummary] = []
    number = end
    for turn in islice(_iterate_backwards(run, end), MAX_TURNS_READ):
        number = turn.number
        line = summarize_turn(turn, run.find_world_after(number))
        if _matches_search(turn, line, search):
            lines.append(line)
        if len(lines) == search.limit:
            break
    return ResultPage(lines, str(number) if number > 0 else None)


def _iterate_backwards(run: Run, end: int) -> Iterator[Turn]:
    while end > 0:
        start = max(end - TURNS_PER_READ, 0)
        yield from reversed([*islice(run.read_turns(start), end - start)])
        end = start


def _find_codes(turn: Turn) -> Iterator[str]:
    for verdict in turn.validation_results:
        if not verdict.success:
            yield verdict.reason_code
    yield from (rejection.code for rejection in turn.rejections)
    if turn.clarification is not None:
        yield turn.clarification.code


def _matches_search(turn: Turn, line: TurnSummary, search: TurnSearchQuery) -> bool:
    return (
        _matches_filter(line, search.only)
        and search.actor in ("", line.actor)
        and (not search.code or search.code in line.codes)
        and (not search.type or search.type in line.types)
        and any(search.q.casefold() in text.casefold() for text in _find_texts(turn, line))
    )


def _matches_filter(line: TurnSummary, only: TurnOutcomeFilter) -> bool:
    if only == "changed":
        return line.changed
    return only == "all" or line.outcome == only or (only, line.outcome) == ("refused", "partly")


def _find_texts(turn: Turn, line: TurnSummary) -> Iterator[str]:
    yield from (turn.raw_text, line.actor, line.name, line.kind)
    yield from (*line.types, *line.codes)
    for verdict in turn.validation_results:
        yield from (verdict.message, verdict.check, verdict.fail_reason)
    yield from (rejection.message for rejection in turn.rejections)
    if turn.clarification is not None:
        yield turn.clarification.question
    if turn.narration is not None:
        yield turn.narration.text


class DecidingCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The check that decided, as the book of its time has it."""

    action_type: str
    """The rule it belongs to; `*` for one that holds for every action."""
    check: str
    """Its id within the rule."""
    description: str = ""
    """What it asks, in the author's words."""
    condition: Any = None
    """What must hold, as data."""
    fail_reason: str = ""
    """The word for a refusal by it."""


class JudgedAction(msgspec.Struct, frozen=True, kw_only=True):
    """One action that was tried, and how it was judged."""

    claim: Any
    """What the parser heard."""
    action: Action
    """What was understood."""
    sentence: str
    """The same in a few words of the world's language."""
    verdict: Verdict
    """What the rulebook said."""
    rule: DecidingCheck | None = None
    """The check that refused it; None for what passed, and for a law of the world."""


class NarratedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of story."""

    speaker: str
    """Who says it; empty for the narrator."""
    text: str
    """The line."""


class TurnView(msgspec.Struct, frozen=True, kw_only=True):
    """A turn, taken apart."""

    line: TurnSummary
    """It in one line."""
    turn: Turn
    """It as it is kept."""
    deeds: list[JudgedAction] = []
    """What was tried, in order."""
    differs: list[WorldDifference] = []
    """What is otherwise than before."""
    told: list[NarratedLine] = []
    """What the actor was told."""
    book: str = ""
    """The name of the book that judged."""
    turns: int = 0
    """How many turns the run has."""


def build_turn_view(inspector: RunInspector, number: int) -> TurnView:
    """Return a turn of a run in detail.

    Raises:
        SaniwaError: The store or the rulebook cannot be read.
    """
    run = inspector.run
    turn = next(run.read_turns(number))
    before, after = run.find_world_after(number - 1), run.find_world_after(number)
    book = inspector.find_book(number)
    return TurnView(
        line=summarize_turn(turn, after),
        turn=turn,
        deeds=[*_build_judged_actions(turn, before, book)],
        differs=find_differences(before, after),
        told=_list_narration(run, turn),
        book=book.id,
        turns=run.count,
    )


def _build_judged_actions(turn: Turn, before: World, book: Rulebook) -> Iterator[JudgedAction]:
    for action, verdict, claim, world, _ in list_attempts(turn, before):
        yield JudgedAction(
            claim=claim,
            action=action,
            sentence=render_action(action, world, find_own_words(action, claim, world)),
            verdict=verdict,
            rule=None if verdict.success else find_deciding_check(verdict.check, book),
        )


def find_deciding_check(name: str, book: Rulebook) -> DecidingCheck | None:
    """Return the check of a rulebook with this name, such as `take.in_scope`."""
    rule, _, check = name.partition(".")
    for each in book.document["rules"]:
        known = [own for own in each["checks"] if own["id"] == check]
        if each["actionType"] == rule and known:
            return DecidingCheck(
                action_type=rule,
                check=check,
                description=known[0].get("description", ""),
                condition=known[0].get("condition"),
                fail_reason=known[0].get("failReason", ""),
            )
    return None


def _list_narration(run: Run, turn: Turn) -> list[NarratedLine]:
    if turn.aside is not None:
        return []
    shown = run.present_turn(turn.number).step.directives
    return [build_view(NarratedLine, each.args) for each in shown if isinstance(each, Say)]
