"""A story put down and taken up again, also after its author has edited it.

A saved state names its place by label, line id and neighbours, never by a number that an
edit would shift. Taken up, it stands before what was shown last, so that the next step
shows it again.
"""

from functools import cache
from typing import Annotated, Final

import msgspec
from immutables import Map

from saniwa.core.errors import ScriptError
from saniwa.script.directive import Directive
from saniwa.script.language.expression import Value
from saniwa.script.playing.memory import Moment
from saniwa.script.playing.player import PastStep, Player
from saniwa.script.playing.position import Found, Position, find, position_of
from saniwa.script.program import Program

Count = Annotated[int, msgspec.Meta(ge=0)]
"""How often something was."""
VERSION: Final = 1
"""The version this Saniwa writes."""
OLDEST: Final = 1
"""The oldest version it still reads."""
LARGEST: Final = 4_000_000
"""Bytes of a saved state that are read."""


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
    visits: dict[str, Count] = {}
    """Visits by label."""
    chosen: dict[str, Count] = {}
    """Choices by option id."""
    varied: dict[str, Count] = {}
    """Showings by variation."""
    chance: Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
    """The state of the generator."""
    layers: tuple[tuple[str, str], ...] = ()
    """The pictures on the stage: layers and logical names."""
    music: str = ""
    """The music that plays."""
    prelude: tuple[Directive, ...] = ()
    """What is shown before the line at the position."""
    choices: tuple[int | str, ...] = ()
    """Every choice so far, as made."""
    forgotten: Count = 0
    """How many older ones are left out."""

    def as_json(self) -> bytes:
        """The state as JSON; the same state, the same bytes.

        Raises:
            ScriptError: `STATE_TOO_LARGE` for more than could be read again.
        """
        content = msgspec.json.encode(self, order="deterministic")
        if len(content) > LARGEST:
            raise ScriptError(
                "STATE_TOO_LARGE",
                f"the story remembers more than {LARGEST} bytes",
                hint="let its variables hold less text",
            )
        return content


class Resumption(msgspec.Struct, frozen=True):
    """How a saved state was taken up."""

    found: Found
    """How the place was found."""
    line: int
    """The line the story goes on from."""
    calls: tuple[Found, ...] = ()
    """How the places that calls return to were found, innermost last."""

    @property
    def lost_calls(self) -> int:
        """How many calls have nowhere to return to any more."""
        return sum(how in _LOST for how in self.calls)

    def __str__(self) -> str:
        told = _TOLD[self.found].format(line=self.line)
        if self.lost_calls:
            told += f"; {self.lost_calls} calls have nowhere to return to"
        return told


_LOST: Final = frozenset({"label", "beginning"})
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


def put_down(player: Player) -> State:
    """The player's state, to be taken up by `take_up`."""
    address, moment = player.standing()
    program = player.program
    return State(
        version=VERSION,
        story=program.fingerprint,
        seed=player.seed,
        position=position_of(program, address),
        # A call is found again by itself, and returns to whatever follows it then.
        calls=tuple(position_of(program, call - 1) for call in moment.calls),
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


def take_up(player: Player, state: State) -> Resumption:
    """Let the player take up a saved state; `step` shows again what was shown last.

    The story may have been edited since: the place is found by line id, then by its
    neighbours, then by its label, and the answer says which. Variables that the story
    has gained since keep their first values.
    """
    program = player.program
    same = state.story == program.fingerprint
    found, address = find(program, state.position, same=same)
    calls = [find(program, call, same=same) for call in state.calls]
    kept = tuple(_after(program, *call) for call in calls if call[0] not in _LOST)
    moment = Moment(
        Map({**program.first_values(), **state.variables}),
        Map(state.visits),
        Map(state.chosen),
        Map(state.varied),
        kept,
        state.chance,
        state.forgotten + len(state.choices),
        state.layers,
        state.music,
        state.prelude,
    )
    player.memory.seed = state.seed
    player.memory.forgotten = state.forgotten
    player.stand(address, moment, state.choices)
    return Resumption(found, program.ops[address].line, tuple(how for how, _ in calls))


def carry_history(before: Player, after: Player) -> int:
    """Let `back` of a player lead through what another one has shown; how many steps.

    The story may have been edited in between: each step is found again as in `take_up`.
    Where one is gone, the way back ends there.
    """
    old, new = before.program, after.program
    same, first = old.fingerprint == new.fingerprint, new.first_values()

    @cache
    def moved(address: int) -> tuple[Found, int]:
        return find(new, position_of(old, address), same=same)

    kept: list[PastStep] = []
    for step in before.history:
        how, address = moved(step.address)
        calls = [moved(call - 1) for call in step.moment.calls]
        if how == "beginning" or any(each in _LOST for each, _ in calls):
            kept.clear()
            continue
        moment = msgspec.structs.replace(
            step.moment,
            variables=Map({**first, **step.moment.variables}),
            calls=tuple(_after(new, *call) for call in calls),
        )
        kept.append(PastStep(step.result, address, moment))
    after.remember(kept)
    return len(kept)


def _after(program: Program, how: Found, call: int) -> int:
    """Where a call returns to: after it; where it is gone, to what stands there now."""
    return min(call + (how != "neighbour"), len(program.ops) - 1)


def read_state(content: bytes) -> State:
    """A saved state from its JSON.

    Raises:
        ScriptError: `STATE_UNREADABLE` for what is none, or is from a newer Saniwa.
    """
    if len(content) > LARGEST:
        raise _unreadable(f"it has more than {LARGEST} bytes")
    try:
        state = _decoder().decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise _unreadable(str(problem)) from problem
    if not OLDEST <= state.version <= VERSION:
        raise _unreadable(
            f"it has version {state.version}; versions {OLDEST} to {VERSION} can be read"
        )
    return state


@cache
def _decoder() -> msgspec.json.Decoder[State]:
    return msgspec.json.Decoder(State)


def _unreadable(why: str) -> ScriptError:
    return ScriptError(
        "STATE_UNREADABLE",
        f"this is no saved state of a story: {why}",
        hint="load another save, or begin anew",
    )
