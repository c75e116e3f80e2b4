"""Turns in one line each, and finding those that somebody looks for."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Final, Literal

import msgspec

from saniwa.api.operation import Page
from saniwa.api.rooms.watching.beneath import Named
from saniwa.run.conductor import Run
from saniwa.turn.trace import Edit, Return, Seating, Turn
from saniwa.turn.witnessed import outward
from saniwa.world.action import type_of
from saniwa.world.model import World
from saniwa.world.view import name_of

Outcome = Literal["done", "partly", "refused", "unclear", "nothing", "aside"]
"""What came of a turn."""
TurnKind = Literal["turn", "undo", "load", "edit", "seating"]
"""What a turn is."""
Only = Literal["all", "refused", "changed", "unclear", "aside"]
"""Which turns to list."""

CHUNK: Final = 200
"""Turns read at once, from the last on."""
MOST_READ: Final = 4_000
"""Turns looked at for one answer; the search goes on with the next."""
LONGEST: Final = 300
"""Letters of the words that a line shows."""


class TurnLine(msgspec.Struct, frozen=True, kw_only=True):
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
    outcome: Outcome
    """What came of it."""
    codes: list[str] = []
    """Why something was refused or not understood, each once."""
    changed: bool = False
    """Whether the world is another afterwards."""
    at: int = 0
    """When; milliseconds since 1970."""


class Search(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which turns to list; the last first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)] | None = None
    """The turn to go on behind."""
    q: Named = ""
    """What stands somewhere in it: words, names, codes, checks."""
    only: Only = "all"
    """Turns of one outcome."""
    actor: Named = ""
    """Turns of one character, by id."""
    code: Named = ""
    """Turns that were refused or not understood for one reason."""
    type: Named = ""
    """Turns in which one kind of action was tried."""


def line_of(turn: Turn, world: World) -> TurnLine:
    """A turn in one line."""
    return TurnLine(
        number=turn.number,
        kind=kind_of(turn),
        actor=turn.actor_id,
        name=name_of(world, turn.actor_id),
        words=outward(turn)[:LONGEST],
        types=[*dict.fromkeys(type_of(action) for action in turn.normalized_actions)],
        outcome=outcome_of(turn),
        codes=[*dict.fromkeys(_codes(turn))],
        changed=turn.world_before != turn.world_after,
        at=turn.timestamp,
    )


def kind_of(turn: Turn) -> TurnKind:
    """What a turn is."""
    match turn.aside:
        case Return(why=why):
            return why
        case Edit():
            return "edit"
        case Seating():
            return "seating"
        case None:
            return "turn"


def outcome_of(turn: Turn) -> Outcome:
    """What came of it."""
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


def found(run: Run, search: Search) -> Page[TurnLine]:
    """The turns that are looked for, the last first.

    Raises:
        StoreError: The store cannot be read.
    """
    count = run.count
    end = count if search.after is None else min(search.after, count)
    lines: list[TurnLine] = []
    number = end
    for turn in islice(_backwards(run, end), MOST_READ):
        number = turn.number
        line = line_of(turn, run.world_after(number))
        if _fits(turn, line, search):
            lines.append(line)
        if len(lines) == search.limit:
            break
    return Page(lines, str(number) if number > 0 else None)


def _backwards(run: Run, end: int) -> Iterator[Turn]:
    while end > 0:
        start = max(end - CHUNK, 0)
        yield from reversed([*islice(run.turns(start), end - start)])
        end = start


def _codes(turn: Turn) -> Iterator[str]:
    for verdict in turn.validation_results:
        if not verdict.success:
            yield verdict.reason_code
    yield from (rejection.code for rejection in turn.rejections)
    if turn.clarification is not None:
        yield turn.clarification.code


def _fits(turn: Turn, line: TurnLine, search: Search) -> bool:
    return (
        _is_kind(line, search.only)
        and search.actor in ("", line.actor)
        and (not search.code or search.code in line.codes)
        and (not search.type or search.type in line.types)
        and (not search.q or _says(turn, line, search.q.casefold()))
    )


def _is_kind(line: TurnLine, only: Only) -> bool:
    match only:
        case "all":
            return True
        case "changed":
            return line.changed
        case "refused":
            return line.outcome in ("refused", "partly")
        case _:
            return line.outcome == only


def _says(turn: Turn, line: TurnLine, wanted: str) -> bool:
    return any(wanted in text.casefold() for text in _texts(turn, line))


def _texts(turn: Turn, line: TurnLine) -> Iterator[str]:
    yield from (turn.raw_text, line.actor, line.name, line.kind)
    yield from _joined(line.types, line.codes)
    for verdict in turn.validation_results:
        yield from (verdict.message, verdict.check, verdict.fail_reason)
    yield from (rejection.message for rejection in turn.rejections)
    if turn.clarification is not None:
        yield turn.clarification.question
    if turn.narration is not None:
        yield turn.narration.text


def _joined(*lists: Sequence[str]) -> Iterator[str]:
    for each in lists:
        yield from each
