"""Playing on to the next decision, for whoever plays without a reader."""

from collections.abc import Hashable, Iterator
from typing import Final, Literal, NamedTuple

from msgspec import UNSET

from saniwa.core.errors import ScriptError
from saniwa.core.quoted import cut
from saniwa.core.where import Where
from saniwa.script.desk.exploring.sameness import Sameness
from saniwa.script.desk.exploring.terrain import Terrain
from saniwa.script.directive import Branch, Ending, StepResult
from saniwa.script.playing.memory import Facts
from saniwa.script.playing.player import Outcome, Player, Request
from saniwa.script.playing.stretch import Move
from saniwa.script.program import Hear, Offer, Program

_LONGEST_DEED = 60
_DEED = 3
"""Steps that a deed counts for beside its own: a world takes longer than a line."""
SILENT: Final = 100
"""Operations that count as a step."""
MOST_DEEDS: Final = 100
"""Deeds in one step before the story is taken for endless; as when it is played."""


class Taken(NamedTuple):
    """One way on from a decision."""

    kind: Literal["begin", "choice", "answer", "deed"]
    """What the reader, or the world, decides."""
    number: int
    """The option's number from 1; 0 for words of one's own and for deeds."""
    text: str
    """The option as people read it, the answer, or the deed."""
    allowed: bool = True
    """What came of a deed."""
    id: str = ""
    """The option's id."""
    numbered: bool = True
    """Whether a trace is told of it by a number: not where there is only one way on."""
    given: tuple[str, ...] = ()
    """What was done in the world on the way, or the facts that were taken to be so."""

    def __str__(self) -> str:
        told = repr(self.text) if self.kind == "answer" else self.text
        if self.kind == "deed":
            told = f"{self.text}: {'allowed' if self.allowed else 'refused'}"
        return f"{told} [{', '.join(self.given)}]" if self.given else told


class Scout(Player):
    """A player that knows how much it has done, and does deeds by itself."""

    operations = 0
    """About how many operations it has passed."""
    terrain: Terrain | None = None
    """The world beneath; None where there is none, or where it is only guessed at."""
    deeds: tuple[str, ...] = ()
    """What came of the deeds since somebody last asked."""

    def _move(self, moves: tuple[Move, ...]) -> None:
        self.operations += len(moves) + 1
        super()._move(moves)

    def do(self, request: Request, terrain: Terrain) -> None:
        """Do a deed in the world and go by what comes of it."""
        outcome = terrain.do(request)
        came = "allowed" if outcome.allowed else "refused"
        self.deeds = (*self.deeds, f"{cut(request.words, _LONGEST_DEED)}: {came}")
        self.settle(outcome)

    def key(self, same: Sameness) -> Hashable:
        """Equal for moments of story and world that cannot be told apart later."""
        return same.key(self.address, self.memory.moment()), self._beneath()

    def sight(self, same: Sameness) -> Hashable:
        """Equal for moments that are much alike."""
        return same.sight(self.address, self.memory.moment()), self._beneath()

    def _beneath(self) -> Hashable:
        return None if self.terrain is None else self.terrain.fingerprint()


def player_of(
    program: Program, seed: int, guessed: Facts, terrain: Terrain | None = None
) -> Scout:
    """A player that names every option, on a world or on guesses at one."""
    facts = None if program.ground is None else terrain or guessed
    player = Scout(program, seed=seed, facts=facts, annotate=True)
    player.terrain = None if program.ground is None else terrain
    return player


def until_decided(
    player: Scout, same: Sameness, most: int
) -> tuple[StepResult | Request | None, int]:
    """Step on until something is to be decided or the story stops.

    The last thing shown, and how many steps it took; nothing if that many were not
    enough. Where nothing is shown for long, every `SILENT` operations are a step. On a
    world, deeds are done and are nothing to decide.

    Raises:
        ScriptError: As for a player; and `STORY_CIRCLES` where the same lines come
            again for ever and nobody is asked anything.
    """
    passed: dict[Hashable, StepResult] = {}
    taken, deeds, before = 0, 0, player.operations
    player.deeds = ()
    while taken + (player.operations - before) // SILENT < most:
        taken += 1
        came = player.advance()
        if isinstance(came, Request) and player.terrain is not None:
            deeds += 1
            taken += _DEED
            if deeds > MOST_DEEDS:
                raise _endless(player)
            player.do(came, player.terrain)
            continue
        deeds = 0
        if player.waiting != "step":
            return came, taken + (player.operations - before) // SILENT
        assert isinstance(came, StepResult)
        key = player.key(same)
        if key in passed:
            shown = list(passed.values())[list(passed).index(key) + 1 :]
            raise _circling(player.program, [*shown, came])
        passed[key] = came
    return None, max(0, most)


def _endless(player: Player) -> ScriptError:
    return ScriptError(
        "LOOP_WITHOUT_WAIT",
        f"the story does {MOST_DEEDS} deeds here and never waits",
        where=player.program.where(player.address),
        hint="put a line or a choice between the deeds",
    )


def _circling(program: Program, shown: list[StepResult]) -> ScriptError:
    sources = [
        directive.args.source
        for result in shown
        for directive in result.directives
        if directive.args.source is not UNSET
    ]
    lines = sorted({source.line for source in sources})
    told = ", ".join(str(line) for line in lines[:12])
    first = min(sources, key=lambda source: (source.line, source.column))
    file = program.files[0][1] if first.file is UNSET else first.file
    return ScriptError(
        "STORY_CIRCLES",
        f"the story comes round to line {told} again and again, and asks nothing",
        where=Where(file=file, line=first.line, column=first.column),
        hint="put a choice, a condition or an ending into the circle",
        details={"lines": lines},
    )


def ways_on(player: Player, shown: StepResult | Request) -> Iterator[Taken]:
    """Everything that can be decided now; an answer stands for all answers."""
    if isinstance(shown, Request):
        yield Taken("deed", 0, shown.words, numbered=False)
        yield Taken("deed", 0, shown.words, allowed=False, numbered=False)
        return
    options = 0
    for directive in shown.directives:
        if isinstance(directive, Branch) and directive.args.options is not UNSET:
            for number, option in enumerate(directive.args.options, start=1):
                if option.enabled:
                    options += 1
                    yield Taken("choice", number, option.text, id=option.id or "")
    if "answer" in player.waiting:
        op = player.program.ops[player.address]
        asked = op.ways if isinstance(op, Offer) else ()
        id = next((way.id for way in asked if way.ask), "")
        yield Taken("answer", 0, "", id=id, numbered=options > 0)


def take(player: Player, taken: Taken) -> None:
    """Decide.

    Raises:
        ScriptError: As for a player's `choose`, `answer` and `settle`.
    """
    match taken.kind:
        case "deed":
            player.settle(Outcome(taken.allowed))
        case "answer":
            player.answer(taken.text)
        case "choice":
            player.choose(taken.number - 1)
        case "begin":
            pass


def ending_in(shown: StepResult | Request) -> str | None:
    """The ending that is shown; None where the story merely stops."""
    if isinstance(shown, StepResult):
        for directive in shown.directives:
            if isinstance(directive, Ending):
                return directive.args.id
    return None


def asks(program: Program) -> bool:
    """Whether the story asks for its reader's own words somewhere."""
    return any(
        isinstance(op, Hear)
        or (isinstance(op, Offer) and any(way.ask for way in op.ways))
        for op in program.ops
    )
