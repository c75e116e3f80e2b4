"""Play a story: each step gives one StepResult; the same choices give the same results.

A step either happens completely or, if something in the story cannot be evaluated, not
at all. The latest steps are stored, so that the player can go back and show them again.
An author can start in the middle of a story, as if reached by the shortest path.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import msgspec
from immutables import Map

from saniwa.core.errors import ScriptError
from saniwa.core.suggestions import find_nearest
from saniwa.core.text import replace_surrogates
from saniwa.story.assets import FolderAssets
from saniwa.story.directive_builder import DirectiveBuilder, LocatedStep
from saniwa.story.elements import (
    AssignElement,
    ChoiceOption,
    ClearElement,
    PictureElement,
    SayElement,
    SoundElement,
)
from saniwa.story.finding_collector import make_story_error
from saniwa.story.flow_analysis import StoryFlow
from saniwa.story.link_parser import make_slug, to_relative
from saniwa.story.memory import MemorySnapshot, StoryFacts, StoryMemory
from saniwa.story.program import CallOp, EnterOp, FallOp, GoOp, OfferOp, Op, Program
from saniwa.story.step_builder import Batch, StepBuilder, WorldRequest
from saniwa.story.step_result import Next, Say, StepResult
from saniwa.story.value_operations import LONGEST, Value

MOST_SKIPPED: Final = 10_000
"""The most steps skipped at once."""
RECORD: Final = 1_000
"""The most steps that can be taken back."""
_PLACES: Final = 32
"""Unvisited operations that take as much memory as one visited operation."""

Waiting = Literal["step", "choice", "answer", "choice or answer", "world", "end"]
"""What has to happen next."""


class RequestOutcome(NamedTuple):
    """The outcome of a request to the world."""

    allowed: bool
    """Whether the deed was allowed."""
    reason: str = ""
    """The reason code if it was not."""
    lines: tuple[tuple[str, str], ...] = ()
    """What the world says about it: speakers and lines."""


ShownStep = tuple[LocatedStep, MemorySnapshot, MemorySnapshot]
"""A shown step, the memory before it, and the memory when its end was shown."""


class PastStep(NamedTuple):
    """A step that was shown, and from where to show it again."""

    result: StepResult
    """What was shown."""
    address: int
    """The address of its line, choice or question."""
    moment: MemorySnapshot
    """The memory there; its prelude is what was shown before the line."""


class Player(StepBuilder):
    """One playthrough of one story."""

    def __init__(
        self,
        program: Program,
        *,
        seed: int = 0,
        assets: FolderAssets | None = None,
        facts: StoryFacts | None = None,
        batch: Batch = "step",
        annotate: bool = False,
        variables: Mapping[str, Value] | None = None,
    ) -> None:
        """Start at the beginning; `annotate` adds ids and sources to directives."""
        first = {**program.make_initial_values(), **(variables or {})}
        memory = StoryMemory(first, program.aliases, seed, facts)
        stage = DirectiveBuilder(program, assets or FolderAssets(), annotate=annotate)
        super().__init__(program, memory, stage, batch)
        self._now: ShownStep | None = None
        self._record: deque[ShownStep] = deque(maxlen=RECORD)

    @property
    def seed(self) -> int:
        """The seed of the random generator."""
        return self.memory.seed

    @property
    def weight(self) -> int:
        """Its approximate size without its program, in operations."""
        # Visited operations have their results cached; the others have an empty slot.
        return self._stretches.passed + len(self.program.ops) // _PLACES

    @property
    def variables(self) -> Map[str, Value]:
        """The author's variables, as they are now."""
        return self.memory.variables

    @property
    def choices(self) -> tuple[int | str, ...]:
        """Every choice and answer so far, as made."""
        return tuple(self.memory.choices)

    @property
    def address(self) -> int:
        """The current address in the program."""
        return self._at

    @property
    def waiting(self) -> Waiting:
        """What has to happen next."""
        if self._ended:
            return "end"
        if self._request is not None:
            return "world"
        if self._offered:
            return "choice" if self._asking is None else "choice or answer"
        return "step" if self._asking is None else "answer"

    @property
    def backlog(self) -> tuple[StepResult, ...]:
        """The steps shown, oldest first, as far as they are stored."""
        return tuple(located.result for located, _, _ in list(self._record))

    def step(self) -> StepResult:
        """Advance to the next thing the host has to do.

        While a choice or an answer is awaited, the same result is returned again; after
        the end, always `Halt`.

        Raises:
            ScriptError: `LOOP_WITHOUT_WAIT`, `CALLS_TOO_DEEP`, `EXPRESSION_FAILED`,
                `WORLD_MISSING`; the story stays where it was.
        """
        # Most steps are one constant line that changes no memory on the way to it: for
        # those, this is all that is done. They are cached because they were shown
        # before, so they are already marked as seen.
        memory = self.memory
        located = self._plain[self._at]
        if located is None or memory.prelude:
            return self._step_single_line()
        before = memory.kept or memory.take_snapshot()
        self._at = located.at + 1
        self._now = shown = (located, before, before)
        self._record.append(shown)
        return located.result

    def _step_single_line(self) -> StepResult:
        """Step over one line whose text may vary; or take any other step."""
        start, memory = self._at, self.memory
        stretch = self._made[start]
        if stretch is None or stretch.line is None or memory.prelude:
            return self._step_without_world()
        before = then = memory.kept or memory.take_snapshot()
        result, props, at = stretch.result, stretch.props, stretch.at
        try:
            if stretch.moves:
                self._apply_moves(stretch.moves)
                then = memory.take_snapshot()
            if result is None:
                result = self._end_with_line(stretch.line, stretch, props)
            else:
                self._at = at + 1
        except ScriptError as problem:
            raise self._roll_back(problem, start, before) from problem
        if result is None:
            # The line's text is empty, so the step continues after it.
            self._restore(start, before)
            return self._step_without_world()
        self._now = shown = (LocatedStep(result, start, at, props), before, then)
        self._record.append(shown)
        self._seen[at] = 1
        return result

    def _step_without_world(self) -> StepResult:
        """Take a step in a story that has no world."""
        result = self.advance()
        if isinstance(result, StepResult):
            return result
        raise self._add_place(make_story_error("WORLD_MISSING/done", words=result.words))

    def advance(self) -> StepResult | WorldRequest:
        """Like `step`, for a caller with a world: it answers a request with `settle`.

        Raises:
            ScriptError: As for `step`.
        """
        if self._ended:
            return StepResult(next=Next.HALT, directives=())
        if self._request is not None:
            return self._request[1]
        if self._offered or self._asking is not None:
            return self._record[-1][0].result
        start, before = self._at, self.memory.take_snapshot()
        self._mark_position(self.memory.prelude)
        try:
            result = (
                self._build_batched_step() if self._batch == "step" else self._build_single_step()
            )
        except ScriptError as problem:
            raise self._roll_back(problem, start, before) from problem
        if isinstance(result, StepResult):
            at, then, props = self._marked
            self._now = (LocatedStep(result, start, at, props), before, then)
            self._record.append(self._now)
        return result

    def choose(self, index: int) -> None:
        """Take one of the options offered, counted from 0; `step` shows what follows.

        Raises:
            ScriptError: `CHOICE_NOT_AWAITED`, `CHOICE_OUT_OF_RANGE`, `CHOICE_DISABLED`;
                nothing has changed.
        """
        offered = self._offered
        if not offered:
            raise make_story_error("CHOICE_NOT_AWAITED")
        if not 0 <= index < len(offered):
            last = len(offered) - 1
            raise make_story_error("CHOICE_OUT_OF_RANGE", index=index, last=last)
        option = offered[index]
        if not option.enabled:
            raise make_story_error("CHOICE_DISABLED", text=option.text)
        self.memory.record_choice(index)
        self._take_option(option.way)

    def answer(self, text: str) -> None:
        """Answer with free text where the story asks for it.

        Raises:
            ScriptError: `ANSWER_NOT_AWAITED`, `TEXT_UNREADABLE`; nothing has changed.
        """
        asking = self._asking
        if asking is None:
            raise make_story_error("ANSWER_NOT_AWAITED")
        if replace_surrogates(text) != text:
            raise make_story_error("TEXT_UNREADABLE")
        words = text[:LONGEST]
        self.memory.record_choice(words)
        self.memory.set_variable("heard", words)
        if isinstance(asking, ChoiceOption):
            self._take_option(asking)
            return
        self._asking = self._now = None
        if asking.name:
            self.memory.set_variable(asking.name, words)
        self._at += 1

    def settle(self, outcome: RequestOutcome) -> None:
        """Give the story the outcome of its request; `advance` then continues.

        Raises:
            ScriptError: `ANSWER_NOT_AWAITED` if nothing was requested.
        """
        if self._request is None:
            raise make_story_error("ANSWER_NOT_AWAITED/world")
        request, _ = self._request
        self._request = self._now = None
        self.memory.set_variable("allowed", outcome.allowed)
        self.memory.set_variable("reason", outcome.reason)
        is_shown = request.tells == "always" or (request.tells == "refused" and not outcome.allowed)
        lines = outcome.lines if is_shown else ()
        self.memory.set_prelude(tuple(Say.build(speaker, text) for speaker, text in lines))
        self._at = self._at + 1 if outcome.allowed else request.otherwise

    def back(self, steps: int = 1) -> StepResult | None:
        """Go back so many steps and show that one again; None if there are not as many.

        Raises:
            ScriptError: As for `step`.
        """
        if steps < 1 or len(self._record) <= steps:
            return None
        for _ in range(steps):
            self._record.pop()
        located, before, _ = self._record.pop()
        self._restore(located.start, before)
        return self.step()

    def skip(self) -> Iterator[StepResult]:
        """Step through what was seen before; stops after a new step or at a choice.

        At most `MOST_SKIPPED` steps are skipped, in case the story loops.

        Raises:
            ScriptError: As for `step`.
        """
        for _ in range(MOST_SKIPPED):
            if self.waiting != "step":
                return
            known = self.count_seen_lines()
            yield self.step()
            if self.count_seen_lines() > known:
                return

    def count_seen_lines(self) -> int:
        """How many lines `list_seen_ids` would list; costs next to nothing."""
        return self._seen.count(1)

    def list_seen_ids(self) -> frozenset[str]:
        """The ids of all lines shown so far, including those taken back since."""
        ops = self.program.ops
        return frozenset(
            op.id
            for address, mark in enumerate(self._seen)
            if mark and isinstance(op := ops[address], SayElement)
        )

    def mark_seen(self, ids: frozenset[str]) -> None:
        """Mark these lines as seen, such as those of an earlier session."""
        for id in ids:
            address = self.program.ids.get(id)
            if address is not None:
                self._seen[address] = 1

    def build_scenery(self) -> StepResult:
        """The pictures and the music of this moment, for a host that joins here.

        After going back or restoring a saved state: clear the stage, then show this.
        """
        shown = tuple(self._stage.build_picture(name, layer) for layer, name in self.memory.layers)
        music = self.memory.music
        played = (self._stage.build_music(music),) if music else ()
        return StepResult(next=Next.NEXT, directives=(*shown, *played))

    def locate_shown(self) -> tuple[int, MemorySnapshot]:
        """Address and memory of what is shown now, from which it is shown again."""
        if self._now is None:
            return self._at, self.memory.take_snapshot()
        located, _, then = self._now
        if then.prelude == located.props:
            return located.at, then
        return located.at, msgspec.structs.replace(then, prelude=located.props)

    @property
    def history(self) -> tuple[PastStep, ...]:
        """The steps before the one shown now, oldest first, as far as stored."""
        shown = [*self._record]
        if self._now is not None:
            del shown[-1:]
        return tuple(
            PastStep(
                located.result, located.at, msgspec.structs.replace(then, prelude=located.props)
            )
            for located, _, then in shown
        )

    def extend_history(self, history: Iterable[PastStep]) -> None:
        """Let `back` lead through these steps, which another player has shown."""
        for result, at, moment in history:
            self._record.append((LocatedStep(result, at, at, ()), moment, moment))

    def move_to(self, address: int, moment: MemorySnapshot, choices: tuple[int | str, ...]) -> None:
        """Continue elsewhere, as if the story had reached that address by itself."""
        self._record.clear()
        self.memory.choices = list(choices)
        self._restore(address, moment)

    def _restore(self, address: int, moment: MemorySnapshot) -> None:
        self.memory.restore_snapshot(moment)
        self._at = address
        self._offered = ()
        self._asking = None
        self._request = self._now = None
        self._ended = False

    def _roll_back(self, problem: ScriptError, start: int, before: MemorySnapshot) -> ScriptError:
        """Return the story to before the problem; return the problem with its place."""
        placed = self._add_place(problem)
        self._restore(start, before)
        return placed

    def _take_option(self, way: ChoiceOption) -> None:
        self.memory.record_option(way.id)
        self._offered, self._asking, self._now = (), None, None
        # If each command is a step, choosing a link is the jump: none comes after it.
        linked = self._batch == "command" and way.heading
        self._at = self._follow_jump(way.to, way.line) if linked else way.to


_LINE: Final = re.compile(r"(?P<file>.*):(?P<line>[0-9]{1,9})")


def start_at(player: Player, address: int) -> None:
    """Place a player at an address, before its first step."""
    way = StoryFlow(player.program).find_path(address)
    for here, there in pairwise(way):
        _apply_passing(player.program.ops[here], here, there, player.memory)
    player.move_to(address, player.memory.take_snapshot(), ())


def resolve_address(program: Program, at: str) -> int:
    """Return the address of a label, or of the last element at or before a line.

    `at` is a label's name, or a line as findings show it, `story.md:12`; without a file
    name, the file in which the story begins.

    Raises:
        ScriptError: `LABEL_UNRESOLVED`.
    """
    line = _LINE.fullmatch(at)
    if line is not None:
        return _find_line_address(program, line["file"], int(line["line"]))
    key = program.aliases.get(at, program.aliases.get(make_slug(at)))
    if key is None:
        near = find_nearest(at, program.aliases)
        raise make_story_error("LABEL_UNRESOLVED/start", None, {"label": at}, near=near)
    return program.labels[key]


def _find_line_address(program: Program, file: str, line: int) -> int:
    first = program.files[0][1]
    known = {to_relative(name, first): start for start, name in program.files}
    start = known.get(file or to_relative(first, first))
    if start is None:
        near = find_nearest(file, known)
        raise make_story_error("LABEL_UNRESOLVED/start_file", None, {"file": file}, near=near)
    ends = [begin for begin, _ in program.files if begin > start]
    until = ends[0] if ends else len(program.ops)
    before = [
        (-written, address)
        for address in range(start, until)
        for written in _list_lines(program.ops[address])
        if written <= line
    ]
    return min(before)[1] if before else start


def _list_lines(op: Op) -> Iterator[int]:
    """Yield the lines on which an author looks for an operation."""
    if not isinstance(op, GoOp | FallOp):
        yield op.line
    if isinstance(op, OfferOp):
        yield from (way.line for way in op.ways)


def _apply_passing(op: Op, here: int, there: int, memory: StoryMemory) -> None:
    """Change the memory as passing an operation would."""
    match op:
        case PictureElement() | ClearElement() | SoundElement(kind="bgm"):
            memory.apply_scenery(op)
        case EnterOp():
            memory.record_visit(op)
        case AssignElement():
            # A variable whose expression cannot be evaluated here is unchanged.
            with suppress(ScriptError):
                memory.assign_op(op)
        case CallOp(to=to) if to == there:
            memory.push_call(here + 1)
        case OfferOp(ways=ways):
            for way in ways:
                if way.to == there:
                    memory.record_option(way.id)
                    break
