"""Play a story without a person: run to the next decision, then apply one.

Used to explore and test stories, on a real world or on guessed facts.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, Protocol

from immutables import Map
from msgspec import UNSET

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.core.random import derive_state
from saniwa.core.text import quote_value, truncate
from saniwa.story.directive_builder import Move
from saniwa.story.elements import AskElement, AssignElement
from saniwa.story.expression_parser import Expression, FunctionCall
from saniwa.story.finding_collector import make_story_error
from saniwa.story.memory import MemorySnapshot, StoryFacts
from saniwa.story.player import Player, RequestOutcome
from saniwa.story.program import IfOp, OfferOp, Program
from saniwa.story.step_builder import WorldRequest
from saniwa.story.step_result import Branch, Ending, StepResult
from saniwa.story.value_operations import Value

_NAMING: Final = frozenset({"place", "state"})
"""Facts that are names, which conditions compare with others."""


class GuessedName(str):
    """An unknown name: it equals everything it is compared with, or nothing."""

    __slots__ = ("so",)
    so: bool

    @classmethod
    def build(cls, so: bool) -> "GuessedName":
        """Make a name that equals everything if `so` is true, else nothing."""
        guess = cls("?" if so else "")
        guess.so = so
        return guess

    def __eq__(self, _: object) -> bool:
        return self.so

    def __ne__(self, _: object) -> bool:
        return not self.so

    def __hash__(self) -> int:
        return hash(self.so)


class GuessedFacts:
    """Answers every question about a world from the facts assumed at present."""

    def __init__(self) -> None:
        self.asked: dict[str, bool] = {}
        """Every fact asked for since the last `assume`, and its answer."""
        self._taken: Mapping[str, bool] = {}

    def assume(self, taken: Mapping[str, bool]) -> None:
        """Assume these facts to be true or false; all others are false."""
        self.asked, self._taken = {}, taken

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """Return the fact as assumed."""
        fact = f"{name}({', '.join(quote_value(each) for each in given)})"
        so = self.asked[fact] = self.is_true(fact)
        return GuessedName.build(so) if name in _NAMING else so

    def is_true(self, fact: str) -> bool:
        """Whether a fact is true."""
        return self._taken.get(fact, False)


class RandomFacts(GuessedFacts):
    """Facts that are randomly true or false, drawn again after every decision."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed
        self._decisions = 0

    def start_decision(self) -> None:
        """Note that a decision was made: from now on facts may differ."""
        self._decisions += 1

    def is_true(self, fact: str) -> bool:
        """Whether a fact is true, at random."""
        return derive_state(self._seed, f"{fact}/{self._decisions}") % 2 == 1


class MomentComparer:
    """Compares moments of one program by what its conditions read."""

    def __init__(self, program: Program) -> None:
        read = tuple(_list_conditions(program))
        self.names = tuple(sorted({n.name for e in read for n in e.names}))
        """The variables that some condition depends on."""
        calls = [call for expression in read for call in expression.calls]
        self.rolls = any(call.name == "roll" for call in calls)
        """Whether some condition depends on randomness."""
        self._labels = _list_arguments(calls, "visits", program.aliases.get)
        self._options = _list_arguments(calls, "chosen", lambda id, _: id)
        self._once = tuple(
            way.id for op in program.ops if isinstance(op, OfferOp) for way in op.ways if way.once
        )

    def make_rough_key(self, address: int, moment: MemorySnapshot) -> Hashable:
        """Equal for similar moments: the same address and the same values."""
        return address, tuple([repr(moment.variables.get(n)) for n in self.names])

    def make_key(self, address: int, moment: MemorySnapshot) -> Hashable:
        """Equal for moments after which the story continues identically."""
        values = [moment.variables.get(name) for name in self.names]
        return (
            address,
            moment.calls,
            tuple([(value.__class__, value) for value in values]),
            _make_counts_key(moment.visits, self._labels),
            _make_counts_key(moment.chosen, self._options),
            tuple([id for id in self._once if id in moment.chosen]),
            moment.chance if self.rolls else 0,
            repr(moment.prelude),
        )


def _list_conditions(program: Program) -> Iterator[Expression]:
    """Yield what decides where flow goes, and the expressions that depends on."""
    assignments = defaultdict(list)
    for op in program.ops:
        if isinstance(op, AssignElement):
            assignments[op.name].append(op.worth)
    waiting, known = list(_list_tests(program)), set[str]()
    while waiting:
        expression = waiting.pop()
        yield expression
        for named in expression.names:
            if named.name not in known:
                known.add(named.name)
                waiting += assignments[named.name]


def _list_tests(program: Program) -> Iterator[Expression]:
    for op in program.ops:
        if isinstance(op, IfOp):
            yield op.when
        elif isinstance(op, OfferOp):
            for way in op.ways:
                yield from (e for e in (way.only_if, way.enabled_if) if e is not None)


def _list_arguments(
    calls: Iterable[FunctionCall], name: str, key: Callable[[str, str], str]
) -> tuple[str, ...] | None:
    """List the arguments a function is called with; None if they can be anything."""
    given = [call.given[0] for call in calls if call.name == name]
    if any(value is None for value in given):
        return None
    named = {str(value) for value in given}
    return tuple(sorted(key(each, each) for each in named))


def _make_counts_key(counts: Map[str, int], names: tuple[str, ...] | None) -> Hashable:
    if names is None:
        return frozenset(counts.items())
    return tuple([counts.get(name, 0) for name in names])


class ExplorableWorld(StoryFacts, Protocol):
    """A world that can return to an earlier moment; implemented by its owner."""

    def do(self, request: WorldRequest) -> RequestOutcome:
        """Do what a request asks, and return its outcome."""

    def mark(self) -> Any:
        """Return a mark of this moment for `go_back`."""

    def go_back(self, mark: Any) -> None:
        """Return the world to the marked moment."""

    def fingerprint(self) -> Hashable:
        """Equal for worlds in which the same deeds have the same outcomes."""


_LONGEST_DEED = 60
_DEED = 3
"""Extra steps that a deed counts for: a world takes longer than a line."""
SILENT: Final = 100
"""Operations that count as one step."""
MOST_DEEDS: Final = 100
"""Deeds in one step after which the story counts as endless, as in play."""


class StoryDecision(NamedTuple):
    """One possible decision."""

    kind: Literal["begin", "choice", "answer", "deed"]
    """What is decided, by the player or by the world."""
    number: int
    """The option's number from 1; 0 for free text and deeds."""
    text: str
    """The option's text, the answer, or the deed."""
    allowed: bool = True
    """Whether a deed was allowed."""
    id: str = ""
    """The option's id."""
    numbered: bool = True
    """Whether a trace gives it by number: not if it is the only decision."""
    given: tuple[str, ...] = ()
    """The deeds done on the way, or the facts assumed to be true."""

    def __str__(self) -> str:
        described = repr(self.text) if self.kind == "answer" else self.text
        if self.kind == "deed":
            described = f"{self.text}: {'allowed' if self.allowed else 'refused'}"
        return f"{described} [{', '.join(self.given)}]" if self.given else described


class AutoPlayer(Player):
    """A player that counts its operations and does deeds by itself."""

    operations = 0
    """About how many operations it has executed."""
    terrain: ExplorableWorld | None = None
    """The story's world; None if there is none, or if facts are only guessed."""
    deeds: tuple[str, ...] = ()
    """The outcomes of deeds since the last decision."""

    def _apply_moves(self, moves: tuple[Move, ...]) -> None:
        self.operations += len(moves) + 1
        super()._apply_moves(moves)

    def perform_request(self, request: WorldRequest, terrain: ExplorableWorld) -> None:
        """Do a deed in the world and settle its outcome."""
        outcome = terrain.do(request)
        verdict = "allowed" if outcome.allowed else "refused"
        self.deeds = (*self.deeds, f"{truncate(request.words, _LONGEST_DEED)}: {verdict}")
        self.settle(outcome)

    def make_key(self, same: MomentComparer) -> Hashable:
        """Equal for moments of story and world with the same future."""
        return same.make_key(self.address, self.memory.take_snapshot()), self._fingerprint_world()

    def make_rough_key(self, same: MomentComparer) -> Hashable:
        """Equal for similar moments of story and world."""
        return same.make_rough_key(
            self.address, self.memory.take_snapshot()
        ), self._fingerprint_world()

    def _fingerprint_world(self) -> Hashable:
        return None if self.terrain is None else self.terrain.fingerprint()


def make_player(
    program: Program, seed: int, guessed: StoryFacts, terrain: ExplorableWorld | None = None
) -> AutoPlayer:
    """Make a player that annotates every option, on a world or on guessed facts."""
    facts = None if program.ground is None else terrain or guessed
    player = AutoPlayer(program, seed=seed, facts=facts, annotate=True)
    player.terrain = None if program.ground is None else terrain
    return player


def play_until_decision(
    player: AutoPlayer, same: MomentComparer, most: int
) -> tuple[StepResult | WorldRequest | None, int]:
    """Advance until something is to be decided or the story stops.

    Returns the last thing shown and how many steps it took; None if `most` steps were
    not enough. If nothing is shown for long, every `SILENT` operations count as a step.
    With a world, deeds are done at once and are not decisions.

    Raises:
        ScriptError: As for a player; and `STORY_CIRCLES` if the same lines repeat
            forever without a question.
    """
    passed: dict[Hashable, StepResult] = {}
    taken, deeds, before = 0, 0, player.operations
    player.deeds = ()
    while taken + (player.operations - before) // SILENT < most:
        taken += 1
        shown_now = player.advance()
        if isinstance(shown_now, WorldRequest) and player.terrain is not None:
            deeds += 1
            taken += _DEED
            if deeds > MOST_DEEDS:
                where = player.program.locate_op(player.address)
                raise make_story_error("LOOP_WITHOUT_WAIT/deeds", where, most=MOST_DEEDS)
            player.perform_request(shown_now, player.terrain)
            continue
        deeds = 0
        if player.waiting != "step":
            return shown_now, taken + (player.operations - before) // SILENT
        assert isinstance(shown_now, StepResult)
        key = player.make_key(same)
        if key in passed:
            shown = list(passed.values())[list(passed).index(key) + 1 :]
            raise _make_circling_error(player.program, [*shown, shown_now])
        passed[key] = shown_now
    return None, max(0, most)


def _make_circling_error(program: Program, shown: list[StepResult]) -> ScriptError:
    sources = [
        directive.args.source
        for result in shown
        for directive in result.directives
        if directive.args.source is not UNSET
    ]
    lines = sorted({source.line for source in sources})
    listed = ", ".join(str(line) for line in lines[:12])
    first = min(sources, key=lambda source: (source.line, source.column))
    file = program.files[0][1] if first.file is UNSET else first.file
    where = SourceLocation(file=file, line=first.line, column=first.column)
    return make_story_error("STORY_CIRCLES", where, {"lines": lines}, listed=listed)


def list_decisions(player: Player, shown: StepResult | WorldRequest) -> Iterator[StoryDecision]:
    """Yield everything that can be decided now; one answer represents all answers."""
    if isinstance(shown, WorldRequest):
        yield StoryDecision("deed", 0, shown.words, numbered=False)
        yield StoryDecision("deed", 0, shown.words, allowed=False, numbered=False)
        return
    options = 0
    for directive in shown.directives:
        if isinstance(directive, Branch) and directive.args.options is not UNSET:
            for number, option in enumerate(directive.args.options, start=1):
                if option.enabled:
                    options += 1
                    yield StoryDecision("choice", number, option.text, id=option.id or "")
    if "answer" in player.waiting:
        op = player.program.ops[player.address]
        asked = op.ways if isinstance(op, OfferOp) else ()
        id = next((way.id for way in asked if way.ask), "")
        yield StoryDecision("answer", 0, "", id=id, numbered=options > 0)


def apply_decision(player: Player, taken: StoryDecision) -> None:
    """Apply a decision.

    Raises:
        ScriptError: As for a player's `choose`, `answer` and `settle`.
    """
    match taken.kind:
        case "deed":
            player.settle(RequestOutcome(taken.allowed))
        case "answer":
            player.answer(taken.text)
        case "choice":
            player.choose(taken.number - 1)
        case "begin":
            pass


def find_ending(shown: StepResult | WorldRequest) -> str | None:
    """Return the id of the ending that is shown; None if the story merely stops."""
    if isinstance(shown, StepResult):
        for directive in shown.directives:
            if isinstance(directive, Ending):
                return directive.args.id
    return None


def has_questions(program: Program) -> bool:
    """Whether the story asks for free text somewhere."""
    return any(
        isinstance(op, AskElement) or (isinstance(op, OfferOp) and any(way.ask for way in op.ways))
        for op in program.ops
    )
