"""Save a story and restore it, even after its author has edited it.

A save names its position by label, line id and neighbours, never by a number that an
edit would shift. A restored player is placed before what was shown last, so that the
next step shows it again. Writing saves to disk is done elsewhere.
"""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Final, Literal

import msgspec
from immutables import Map

from saniwa.story.finding_collector import make_story_error
from saniwa.story.memory import MemorySnapshot
from saniwa.story.player import PastStep, Player
from saniwa.story.program import EndOp, EnterOp, Op, Program, describe_effect, get_line_id
from saniwa.story.step_result import Directive
from saniwa.story.value_operations import Value

_NEIGHBOURS: Final = 3
_FARTHEST: Final = 200
"""The most operations searched for neighbours."""

PositionMatch = Literal["exactly", "id", "neighbour", "label", "beginning"]
"""How a position was found again, best first."""


class StoryPosition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A position in a story that survives an edit."""

    label: str
    """The key of the label it is under."""
    nth: Annotated[int, msgspec.Meta(ge=0)]
    """Operations since that label; exact as long as the story is unchanged."""
    id: str = ""
    """The id of the line or choice at the position; empty for other operations."""
    deed: str = ""
    """The other operation, and its number among equal ones in the section."""
    before: tuple[str, ...] = ()
    """Ids of lines before, nearest first."""
    since: tuple[str, ...] = ()
    """Operations between the nearest line before and the position."""
    after: tuple[str, ...] = ()
    """Ids of lines after, nearest first."""


def make_position(program: Program, address: int) -> StoryPosition:
    """Make a position from an address."""
    label = program.find_label(address)
    start = program.labels.get(label, 0)
    id = get_line_id(program.ops[address])
    before, since = list[str](), list[str]()
    for op in _walk_back(program, address, start):
        if name := get_line_id(op):
            before.append(name)
        elif not before and (done := describe_effect(op)):
            since.append(done)
        if len(before) == _NEIGHBOURS:
            break
    after = [name for op in _walk_on(program, address) if (name := get_line_id(op))]
    return StoryPosition(
        label,
        address - start,
        id,
        "" if id else _number_effect(program, address, start),
        tuple(before),
        tuple(reversed(since)),
        tuple(after[:_NEIGHBOURS]),
    )


def find_position(
    program: Program, position: StoryPosition, *, same: bool
) -> tuple[PositionMatch, int]:
    """Return how a position was found, and its address now."""
    start = program.labels.get(position.label, 0 if not position.label else None)
    if same and start is not None and start + position.nth < len(program.ops):
        return "exactly", start + position.nth
    if position.id in program.ids:
        return "id", program.ids[position.id]
    if start is not None and position.deed:
        address = _find_effect(program, start, position.deed)
        if address is not None:
            return "id", address
    beside = _find_neighbour(program, position)
    if beside is not None:
        return "neighbour", beside
    if position.label and start is not None:
        return "label", start
    return "beginning", 0


def _find_neighbour(program: Program, position: StoryPosition) -> int | None:
    """Find where a removed operation would be, judging by the lines around it."""
    for name in position.after:
        end = program.ids.get(name)
        if end is not None:
            start = _find_silent_start(program, end)
            before = get_line_id(program.ops[start - 1]) if start else ""
            if position.id and before and before not in position.before:
                return start - 1  # another line in its place: its new wording
            return _skip_done(program, start, end, position.since)
    for name in position.before:
        last = program.ids.get(name)
        if last is not None:
            end = _find_next_line(program, last + 1)
            return _skip_done(program, last + 1, end, position.since)
    return None


def _skip_done(program: Program, start: int, end: int, since: tuple[str, ...]) -> int:
    """Return the address after the operations of a span that were already done."""
    remaining, first = list(since), start
    for address in range(start, end):
        if remaining and describe_effect(program.ops[address]) == remaining[0]:
            remaining.pop(0)
            first = address + 1
    return first


def _find_silent_start(program: Program, address: int) -> int:
    while address and _is_silent(program.ops[address - 1]):
        address -= 1
    return address


def _find_next_line(program: Program, address: int) -> int:
    while address < len(program.ops) - 1 and _is_silent(program.ops[address]):
        address += 1
    return address


def _is_silent(op: Op) -> bool:
    return not get_line_id(op) and not isinstance(op, EnterOp | EndOp)


def _walk_back(program: Program, address: int, start: int) -> Iterator[Op]:
    for at in range(address - 1, max(start, address - _FARTHEST) - 1, -1):
        if isinstance(op := program.ops[at], EnterOp):
            return
        yield op


def _walk_on(program: Program, address: int) -> Iterator[Op]:
    for op in program.ops[address + 1 : address + _FARTHEST]:
        if isinstance(op, EnterOp):
            return
        yield op


def _find_effect(program: Program, start: int, numbered: str) -> int | None:
    """Find the numbered operation in the section that begins at `start`."""
    done, _, number = numbered.rpartition(" #")
    times = 0
    for at in range(start, len(program.ops)):
        op = program.ops[at]
        if at > start and isinstance(op, EnterOp):
            return None
        if describe_effect(op) == done:
            times += 1
            if str(times) == number:
                return at
    return None


def _number_effect(program: Program, address: int, start: int) -> str:
    """Describe the operation at an address, with its number in the section."""
    done = describe_effect(program.ops[address])
    if not done:
        return ""
    count = sum(describe_effect(op) == done for op in program.ops[start:address])
    return f"{done} #{count + 1}"


Count = Annotated[int, msgspec.Meta(ge=0)]
"""How often something happened."""
VERSION: Final = 1
"""The format version that this release writes."""
OLDEST: Final = 1
"""The oldest format version that can be read."""
LARGEST: Final = 4_000_000
"""The most bytes of a saved state."""


class StorySave(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The saved state of a story."""

    version: int
    """The format version."""
    story: str
    """The fingerprint of the story it was played from."""
    seed: int
    """The seed of the random generator."""
    position: StoryPosition
    """The current position."""
    calls: tuple[StoryPosition, ...] = ()
    """Positions of the open calls, innermost last."""
    variables: dict[str, Value] = {}
    """The author's variables."""
    visits: dict[str, Count] = {}
    """Visits by label."""
    chosen: dict[str, Count] = {}
    """Choices by option id."""
    varied: dict[str, Count] = {}
    """Showings by variation."""
    chance: Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
    """The state of the random generator."""
    layers: tuple[tuple[str, str], ...] = ()
    """The pictures shown: layers and logical names."""
    music: str = ""
    """The music that is playing."""
    prelude: tuple[Directive, ...] = ()
    """What is shown before the line at the position."""
    choices: tuple[int | str, ...] = ()
    """Every choice so far, as made."""
    forgotten: Count = 0
    """How many older choices are no longer stored."""

    def to_json(self) -> bytes:
        """Encode as JSON; equal states give equal bytes.

        Raises:
            ScriptError: `STATE_TOO_LARGE` for more than `read_save` accepts.
        """
        content = msgspec.json.encode(self, order="deterministic")
        if len(content) > LARGEST:
            raise make_story_error("STATE_TOO_LARGE", largest=LARGEST)
        return content


class Resumption(msgspec.Struct, frozen=True):
    """How a saved state was restored."""

    found: PositionMatch
    """How the position was found."""
    line: int
    """The line where the story continues."""
    calls: tuple[PositionMatch, ...] = ()
    """How the positions of the open calls were found, innermost last."""

    @property
    def lost_calls(self) -> int:
        """How many calls can no longer return."""
        return sum(how in _LOST for how in self.calls)

    def __str__(self) -> str:
        message = _MESSAGES[self.found].format(line=self.line)
        if self.lost_calls:
            message += f"; {self.lost_calls} calls have nowhere to return to"
        return message


_LOST: Final = frozenset({"label", "beginning"})
_MESSAGES: Final[dict[PositionMatch, str]] = {
    "exactly": "the story is unchanged: continuing at line {line}",
    "id": "the story was edited: found the same line, now line {line}",
    "neighbour": "the story was edited and the line is gone: continuing next to it, at line {line}",
    "label": "the story was edited and the place is gone: continuing at its section, line {line}",
    "beginning": "the story was edited and the section is gone: restarting at line {line}",
}


def save_player(player: Player) -> StorySave:
    """Save the player's state, for `restore_player`."""
    address, moment = player.locate_shown()
    program = player.program
    return StorySave(
        version=VERSION,
        story=program.fingerprint,
        seed=player.seed,
        position=make_position(program, address),
        # The position of the call itself: it returns to what follows it after an edit.
        calls=tuple(make_position(program, call - 1) for call in moment.calls),
        variables=dict(moment.variables),
        visits=dict(moment.visits),
        chosen=dict(moment.chosen),
        varied=dict(moment.varied),
        chance=moment.chance,
        layers=moment.layers,
        music=moment.music,
        prelude=moment.prelude,
        choices=player.choices[: moment.choices - player.memory.forgotten],
        forgotten=player.memory.forgotten,
    )


def restore_player(player: Player, state: StorySave) -> Resumption:
    """Restore a saved state; `step` shows again what was shown last.

    The story may have been edited since: the position is found by line id, then by its
    neighbours, then by its label, and the result says which. Variables the story has
    gained since have their initial values.
    """
    program = player.program
    same = state.story == program.fingerprint
    found, address = find_position(program, state.position, same=same)
    calls = [find_position(program, call, same=same) for call in state.calls]
    returns = tuple(_find_return(program, *call) for call in calls if call[0] not in _LOST)
    moment = MemorySnapshot(
        Map({**program.make_initial_values(), **state.variables}),
        Map(state.visits),
        Map(state.chosen),
        Map(state.varied),
        returns,
        state.chance,
        state.forgotten + len(state.choices),
        state.layers,
        state.music,
        state.prelude,
    )
    player.memory.seed = state.seed
    player.memory.forgotten = state.forgotten
    player.move_to(address, moment, state.choices)
    return Resumption(found, program.ops[address].line, tuple(how for how, _ in calls))


def carry_history(before: Player, after: Player) -> int:
    """Let `back` of one player lead through another's steps; return how many.

    The story may have been edited in between: each step is found as in
    `restore_player`. Where one is gone, the history begins after it.
    """
    old, new = before.program, after.program
    same, first = old.fingerprint == new.fingerprint, new.make_initial_values()

    @cache
    def find_moved(address: int) -> tuple[PositionMatch, int]:
        return find_position(new, make_position(old, address), same=same)

    steps: list[PastStep] = []
    for step in before.history:
        how, address = find_moved(step.address)
        calls = [find_moved(call - 1) for call in step.moment.calls]
        if how == "beginning" or any(each in _LOST for each, _ in calls):
            steps.clear()
            continue
        moment = msgspec.structs.replace(
            step.moment,
            variables=Map({**first, **step.moment.variables}),
            calls=tuple(_find_return(new, *call) for call in calls),
        )
        steps.append(PastStep(step.result, address, moment))
    after.extend_history(steps)
    return len(steps)


def _find_return(program: Program, how: PositionMatch, call: int) -> int:
    """Return where a call returns to: after it, or to what replaces a removed call."""
    return min(call + (how != "neighbour"), len(program.ops) - 1)


def read_save(content: bytes) -> StorySave:
    """Read a saved state from its JSON.

    Raises:
        ScriptError: `STATE_UNREADABLE` if it is invalid or from a newer release.
    """
    if len(content) > LARGEST:
        raise make_story_error("STATE_UNREADABLE", why=f"it has more than {LARGEST} bytes")
    try:
        state = _make_decoder().decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise make_story_error("STATE_UNREADABLE", why=str(problem)) from problem
    if not OLDEST <= state.version <= VERSION:
        why = f"it has version {state.version}; versions {OLDEST} to {VERSION} can be read"
        raise make_story_error("STATE_UNREADABLE", why=why)
    return state


@cache
def _make_decoder() -> msgspec.json.Decoder[StorySave]:
    return msgspec.json.Decoder(StorySave)
