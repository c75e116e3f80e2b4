"""A story put down and taken up again, also after its author has edited it.

A saved state names its place by label, line id and neighbours, never by a number that an
edit would shift. Taken up, it stands before what was shown last, so that the next step
shows it again.
"""

from typing import Final, Literal

import msgspec
from immutables import Map

from saniwa.core.errors import ScriptError
from saniwa.script.directive import Directive
from saniwa.script.expression import Value
from saniwa.script.memory import Moment
from saniwa.script.player import Player
from saniwa.script.program import Enter, Offer, Op, Program, Speak

VERSION: Final = 1
"""The version this Saniwa writes."""
OLDEST: Final = 1
"""The oldest version it still reads."""
LARGEST: Final = 4_000_000
"""Bytes of a saved state that are read."""
_NEIGHBOURS = 3
_FARTHEST = 40

Found = Literal["exactly", "id", "neighbour", "label", "beginning"]
"""How a place was found again, best first."""


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place in a story that survives an edit."""

    label: str
    """The key of the label it stands under."""
    nth: int
    """Operations since that label; exact as long as the story is the same."""
    id: str = ""
    """The line or choice that stands here; empty where something else does."""
    before: tuple[tuple[str, int], ...] = ()
    """Lines before, nearest first, and how many operations away each is."""
    after: tuple[tuple[str, int], ...] = ()
    """Lines after, nearest first, and how many operations away each is."""


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A story put down."""

    version: int
    """The version of this form."""
    story: str
    """The fingerprint of the story it was played from."""
    seed: int
    """Where chance started."""
    position: Position
    """Where the story stands."""
    calls: tuple[Position, ...] = ()
    """Where calls return to, innermost last."""
    variables: dict[str, Value] = {}
    """The author's variables."""
    visits: dict[str, int] = {}
    """Visits by label."""
    chosen: dict[str, int] = {}
    """Choices by option id."""
    varied: dict[str, int] = {}
    """Showings by variation."""
    chance: int
    """The state of the generator."""
    layers: tuple[tuple[str, str], ...] = ()
    """The pictures on the stage: layers and logical names."""
    music: str = ""
    """The music that plays."""
    prelude: tuple[Directive, ...] = ()
    """What is shown before the line at the position."""
    choices: tuple[int | str, ...] = ()
    """Every choice so far, as made."""

    def as_json(self) -> bytes:
        """The state as JSON; the same state, the same bytes."""
        return msgspec.json.encode(self, order="deterministic")


class Resumption(msgspec.Struct, frozen=True):
    """How a saved state was taken up."""

    found: Found
    """How the place was found."""
    line: int
    """The line the story goes on from."""
    lost_calls: int = 0
    """Calls that have nowhere to return to any more."""

    def __str__(self) -> str:
        told = _TOLD[self.found].format(line=self.line)
        if self.lost_calls:
            told += f"; {self.lost_calls} calls have nowhere to return to"
        return told


_TOLD: Final[dict[Found, str]] = {
    "exactly": "the story is unchanged: going on at line {line}",
    "id": "the story was edited: found the same line again, now line {line}",
    "neighbour": "the story was edited and the line is gone: "
    "going on beside it, at line {line}",
    "label": "the story was edited and the place is gone: "
    "going on at its section, line {line}",
    "beginning": "the story was edited and the section is gone: "
    "beginning again at line {line}",
}


def save(player: Player) -> State:
    """The player's state, to be taken up by `restore`."""
    address, moment = player.standing()
    program = player.program
    return State(
        version=VERSION,
        story=program.fingerprint,
        seed=player.seed,
        position=position_of(program, address),
        calls=tuple(position_of(program, call) for call in moment.calls),
        variables=dict(moment.variables),
        visits=dict(moment.visits),
        chosen=dict(moment.chosen),
        varied=dict(moment.varied),
        chance=moment.chance,
        layers=moment.layers,
        music=moment.music,
        prelude=moment.prelude,
        choices=tuple(player.choices[: moment.choices]),
    )


def restore(player: Player, state: State) -> Resumption:
    """Let the player take up a saved state; `step` shows again what was shown last.

    The story may have been edited since: the place is found by line id, then by its
    neighbours, then by its label, and the answer says which. Variables that the story
    has gained since keep their first values.
    """
    program = player.program
    same = state.story == program.fingerprint
    found, address = _find(program, state.position, same=same)
    calls = [_find(program, call, same=same) for call in state.calls]
    kept = tuple(place for how, place in calls if how != "beginning")
    moment = Moment(
        Map({**program.first_values(), **state.variables}),
        Map(state.visits),
        Map(state.chosen),
        Map(state.varied),
        kept,
        state.chance,
        len(state.choices),
        state.layers,
        state.music,
        state.prelude,
    )
    player.memory.seed = state.seed
    player.stand(address, moment, state.choices)
    return Resumption(found, program.ops[address].line, len(calls) - len(kept))


def read_state(content: bytes) -> State:
    """A saved state from its JSON.

    Raises:
        ScriptError: `STATE_UNREADABLE` for what is none, or is from a newer Saniwa.
    """
    if len(content) > LARGEST:
        raise _unreadable(f"it has more than {LARGEST} bytes")
    try:
        state = msgspec.json.decode(content, type=State)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise _unreadable(str(problem)) from problem
    if not OLDEST <= state.version <= VERSION:
        raise _unreadable(
            f"it has version {state.version}; versions {OLDEST} to {VERSION} can be read"
        )
    return state


def position_of(program: Program, address: int) -> Position:
    """The address as a place that survives an edit."""
    label = program.label_of(address)
    start = program.labels.get(label, 0)
    before = range(address - 1, max(start, address - _FARTHEST) - 1, -1)
    after = range(address + 1, min(len(program.ops), address + _FARTHEST))
    return Position(
        label,
        address - start,
        _id(program.ops[address]),
        _neighbours(program, address, before),
        _neighbours(program, address, after),
    )


def _neighbours(
    program: Program, address: int, places: range
) -> tuple[tuple[str, int], ...]:
    """The nearest lines of the same section among these places."""
    found: list[tuple[str, int]] = []
    for place in places:
        op = program.ops[place]
        if isinstance(op, Enter) or len(found) == _NEIGHBOURS:
            break
        if name := _id(op):
            found.append((name, abs(place - address)))
    return tuple(found)


def _id(op: Op) -> str:
    if isinstance(op, Speak):
        return op.id
    if isinstance(op, Offer) and op.ways:
        return op.ways[0].id
    return ""


def _find(program: Program, position: Position, *, same: bool) -> tuple[Found, int]:
    start = program.labels.get(position.label, 0 if not position.label else None)
    if same and start is not None:
        address = start + position.nth
        if 0 <= address < len(program.ops):
            return "exactly", address
    found = program.ids.get(position.id)
    if found is not None:
        return "id", found
    beside = _beside(program, position)
    if beside is not None:
        # Where no line stood, none can be gone: its neighbours say exactly where it is.
        return "neighbour" if position.id else "id", beside
    if position.label and start is not None:
        return "label", start
    return "beginning", 0


def _beside(program: Program, position: Position) -> int | None:
    """Where a line that is gone would stand, told by those around it.

    What lies between it and a neighbour is neither skipped nor done twice.
    """
    for name, away in position.after:
        place = program.ids.get(name)
        if place is not None:
            # Another line in its place is its new wording; else it was taken out.
            there = max(place - away, 0)
            now = _id(program.ops[there])
            gone = position.id and (not now or now in dict(position.before))
            return there + 1 if gone else there
    for name, away in position.before:
        place = program.ids.get(name)
        if place is not None:
            return min(place + away, len(program.ops) - 1)
    return None


def _unreadable(why: str) -> ScriptError:
    return ScriptError(
        "STATE_UNREADABLE",
        f"this is no saved state of a story: {why}",
        hint="load another save, or begin anew",
    )
