"""Plays a program: one StepResult a step, and the same ones for the same choices.

A step is all that happens up to the next thing the host has to do. It either happens
whole or, if something in the story cannot be worked out, not at all. Nothing recurses,
and a story that runs on without ever waiting is stopped with the lines it runs through.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

import msgspec
from immutables import Map

from saniwa.core.errors import ScriptError
from saniwa.core.where import Where
from saniwa.script.asset import Assets, NoAssets
from saniwa.script.directive import (
    Directive,
    JumpTo,
    Next,
    ReachedLabel,
    Say,
    StepResult,
)
from saniwa.script.memory import Facts, Memory, Moment, worldless
from saniwa.script.offer import Offered, Offers, fallback
from saniwa.script.program import (
    Back,
    Call,
    Clear,
    Do,
    End,
    Enter,
    Fall,
    Go,
    Hear,
    Leap,
    Offer,
    Op,
    Pause,
    Program,
    Put,
    Show,
    Signal,
    Sound,
    Speak,
    Test,
    Way,
)
from saniwa.script.stage import Stage
from saniwa.script.stretch import Stretch, Stretches
from saniwa.script.value import LONGEST, Value, holds
from saniwa.script.words import render

MOST_SILENT: Final = 100_000
"""Operations in one step before it is taken for endless."""
MOST_CALLS: Final = 1_000
"""Calls inside calls."""
RECORD: Final = 1_000
"""Steps that can be taken back and read again."""

Batch = Literal["step", "command"]
"""One result per wait, or one per operation as the first engine gave them."""
Waiting = Literal["step", "choice", "answer", "choice or answer", "world", "end"]
"""What has to happen next."""


class Request(NamedTuple):
    """What is to be done in the world before the story can go on."""

    words: str
    """In a player's words."""
    spoken: bool
    """Whether the person said them; else the author wrote them."""


class Outcome(NamedTuple):
    """What came of a request."""

    allowed: bool
    """Whether it came true."""
    reason: str = ""
    """Why not, as a code."""
    lines: tuple[tuple[str, str], ...] = ()
    """What the world tells of it: speakers and words."""


class Shown(msgspec.Struct, frozen=True, gc=False):
    """A step that was shown, and two moments of it."""

    result: StepResult
    """What was shown."""
    start: int
    """Where the story stood before it."""
    before: Moment
    """What it remembered before it."""
    at: int
    """Where what was shown last of it is written."""
    then: Moment
    """What was remembered when that was shown."""
    props: tuple[Directive, ...]
    """What was shown before that."""


class Player:
    """One playing of one story."""

    def __init__(
        self,
        program: Program,
        *,
        seed: int = 0,
        assets: Assets | None = None,
        facts: Facts | None = None,
        batch: Batch = "step",
        annotate: bool = False,
        variables: Mapping[str, Value] | None = None,
    ) -> None:
        """A player at the beginning; `annotate` puts ids and sources on everything."""
        first = {**program.first_values(), **(variables or {})}
        self.program = program
        self.memory = Memory(first, program.aliases, seed, facts)
        self._batch = batch
        self._stage = Stage(program, assets or NoAssets(), annotate=annotate)
        self._stretches = Stretches(program, self._stage)
        self._offers = Offers(self._stage)
        self._made = self._stretches.made
        self._at = 0
        self._offered: tuple[Offered, ...] = ()
        self._asking: Hear | Way | None = None
        self._request: tuple[Do, Request] | None = None
        self._ended = False
        self._now: Shown | None = None
        self._marked: tuple[int, Moment, tuple[Directive, ...]]
        self._record: deque[Shown] = deque(maxlen=RECORD)
        self._seen = bytearray(len(program.ops))

    @property
    def seed(self) -> int:
        """What chance began with."""
        return self.memory.seed

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
        """Where the story stands in its program."""
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
        """What was shown, oldest first, as far as it is kept."""
        return tuple(shown.result for shown in self._record)

    def step(self) -> StepResult:
        """Go on to the next thing the host has to do.

        While a choice or an answer is awaited, the same result again; after the end,
        `Halt` for ever.

        Raises:
            ScriptError: `LOOP_WITHOUT_WAIT`, `CALLS_TOO_DEEP`, `EXPRESSION_FAILED`,
                `WORLD_MISSING`; then the story stands where it stood.
        """
        # Most steps are one line, and most lines are always the same: for those, no more
        # than this is done.
        stretch = self._made[self._at]
        memory = self.memory
        if stretch is not None and stretch.line is not None and not memory.prelude:
            start, before = self._at, memory.moment()
            then, result = before, stretch.result
            if result is None or stretch.moves:
                then, result = self._whole(stretch, stretch.line, start, before)
            else:
                self._at = stretch.after
            shown = Shown(result, start, before, stretch.at, then, stretch.props)
            self._now = shown
            self._record.append(shown)
            self._seen[stretch.at] = 1
            return result
        came = self.advance()
        if isinstance(came, Request):
            problem = worldless(
                f"{came.words!r} is to be done in a world; here is none"
            )
            raise self._placed(problem)
        return came

    def advance(self) -> StepResult | Request:
        """The same as `step`, for whoever has a world: a request is answered by `settle`.

        Raises:
            ScriptError: As for `step`.
        """
        if self._ended:
            return StepResult(next=Next.HALT, directives=())
        if self._request is not None:
            return self._request[1]
        if self._offered or self._asking is not None:
            return self._record[-1].result
        start, before = self._at, self.memory.moment()
        self._mark(self.memory.prelude)
        try:
            came = self._beat() if self._batch == "step" else self._single()
        except ScriptError as problem:
            placed = self._placed(problem)
            self._stand(start, before)
            raise placed from problem
        if isinstance(came, StepResult):
            self._now = Shown(came, start, before, *self._marked)
            self._record.append(self._now)
        return came

    def choose(self, index: int) -> None:
        """Take one of the options offered, counted from 0; `step` then shows what follows.

        Raises:
            ScriptError: `CHOICE_NOT_AWAITED`, `CHOICE_OUT_OF_RANGE`, `CHOICE_DISABLED`;
                nothing has changed.
        """
        if not self._offered:
            raise ScriptError(
                "CHOICE_NOT_AWAITED",
                "No choices available",
                hint="choose only after WaitBranch",
            )
        if not 0 <= index < len(self._offered):
            last = len(self._offered) - 1
            raise ScriptError(
                "CHOICE_OUT_OF_RANGE",
                f"Choice index {index} out of range (0-{last})",
                hint=f"choose from 0 to {last}",
            )
        option = self._offered[index]
        if not option.enabled:
            raise ScriptError(
                "CHOICE_DISABLED",
                f"{option.text!r} is shown and cannot be chosen now",
                hint="choose one that is enabled",
            )
        self.memory.chose(index)
        self._take(option.way)

    def answer(self, text: str) -> None:
        """Answer in one's own words where the story asks for them.

        Raises:
            ScriptError: `ANSWER_NOT_AWAITED`, `TEXT_UNREADABLE`; nothing has changed.
        """
        asking = self._asking
        if asking is None:
            raise ScriptError(
                "ANSWER_NOT_AWAITED",
                "the story has not asked for words",
                hint="answer only where an Ask was shown",
            )
        if not _legible(text):
            raise ScriptError(
                "TEXT_UNREADABLE",
                "the answer has one half of a surrogate pair",
                hint="send whole letters",
            )
        words = text[:LONGEST]
        self.memory.chose(words)
        self.memory.set("heard", words)
        if isinstance(asking, Way):
            self._take(asking)
            return
        self._asking = self._now = None
        if asking.name:
            self.memory.set(asking.name, words)
        self._at += 1

    def settle(self, outcome: Outcome) -> None:
        """Tell the story what came of its request; `advance` then goes on.

        Raises:
            ScriptError: `ANSWER_NOT_AWAITED` where nothing was requested.
        """
        if self._request is None:
            raise ScriptError(
                "ANSWER_NOT_AWAITED", "the story has requested nothing of its world"
            )
        request, _ = self._request
        self._request = self._now = None
        self.memory.set("allowed", outcome.allowed)
        self.memory.set("reason", outcome.reason)
        told = request.tells == "always" or (
            request.tells == "refused" and not outcome.allowed
        )
        lines = outcome.lines if told else ()
        self.memory.first(tuple(Say.of(speaker, text) for speaker, text in lines))
        self._at = self._at + 1 if outcome.allowed else request.otherwise

    def back(self, steps: int = 1) -> StepResult | None:
        """Go back so many steps and show that one again; None where none is left.

        Raises:
            ScriptError: As for `step`.
        """
        if steps < 1 or len(self._record) <= steps:
            return None
        for _ in range(steps):
            self._record.pop()
        shown = self._record.pop()
        self._stand(shown.start, shown.before)
        return self.step()

    def skip(self) -> Iterator[StepResult]:
        """Steps through what was seen before; the first new one, or a choice, is last.

        Raises:
            ScriptError: As for `step`.
        """
        while self.waiting == "step":
            known = self._seen.count(1)
            yield self.step()
            if self._seen.count(1) > known:
                return

    def seen_ids(self) -> frozenset[str]:
        """The ids of all lines shown so far, also those taken back since."""
        ops = self.program.ops
        return frozenset(
            op.id
            for address, mark in enumerate(self._seen)
            if mark and isinstance(op := ops[address], Speak)
        )

    def mark_seen(self, ids: frozenset[str]) -> None:
        """Count these lines as seen, such as those of an earlier evening."""
        for id in ids:
            address = self.program.ids.get(id)
            if address is not None:
                self._seen[address] = 1

    def scenery(self) -> StepResult:
        """The pictures and the music of this moment, for a host that comes in here.

        After going back or taking up a saved state: empty the stage, then show this.
        """
        shown = tuple(
            self._stage.picture(name, layer) for layer, name in self.memory.layers
        )
        music = self.memory.music
        played = (self._stage.music(music),) if music else ()
        return StepResult(next=Next.NEXT, directives=(*shown, *played))

    def standing(self) -> tuple[int, Moment]:
        """Place and moment of what is shown now: shown again from there, it is the same."""
        now = self._now
        if now is None:
            return self._at, self.memory.moment()
        if now.then.prelude == now.props:
            return now.at, now.then
        return now.at, msgspec.structs.replace(now.then, prelude=now.props)

    def stand(
        self, address: int, moment: Moment, choices: tuple[int | str, ...]
    ) -> None:
        """Stand somewhere else, as if the story had come there by itself."""
        self._record.clear()
        self.memory.choices = list(choices)
        self._stand(address, moment)

    def _stand(self, address: int, moment: Moment) -> None:
        self.memory.recall(moment)
        self._at = address
        self._offered = ()
        self._asking = None
        self._request = self._now = None
        self._ended = False

    def _beat(self) -> StepResult | Request:
        """Follow stretches and forks up to the next wait."""
        memory = self.memory
        out = list(memory.prelude)
        if out:
            memory.first(())
            if isinstance(out[-1], Say):
                return self._told(out)
        silent = 0
        while silent < MOST_SILENT:
            stretch = self._made[self._at] or self._stretches.at(self._at)
            silent += stretch.size
            self._move(stretch)
            out += stretch.props
            end, self._at = stretch.end, stretch.at
            if isinstance(end, Speak):
                self._seen[stretch.at] = 1
                self._mark(tuple(out))
                return self._speak(end, stretch, out)
            if isinstance(end, Test):
                passed = holds(end.when.worth(memory))
                self._at = stretch.at + 1 if passed else end.otherwise
            elif isinstance(end, Offer):
                self._mark(tuple(out))
                offered = self._offer(end)
                if offered:
                    return self._wait(self._awaited(), [*out, *offered])
                self._at = self._past(end)
            elif not self._forked(end):
                self._mark(tuple(out))
                return self._stop(end, out)
        raise self._endless()

    def _mark(self, props: tuple[Directive, ...]) -> None:
        """Keep where the story stands and what it has shown: a save begins there."""
        self._marked = (self._at, self.memory.moment(), props)

    def _move(self, stretch: Stretch) -> None:
        memory = self.memory
        for move in stretch.moves:
            if isinstance(move, Put):
                memory.put(move)
            elif isinstance(move, Enter):
                memory.enter(move)
            else:
                self._set_up(move)

    def _set_up(self, op: Show | Clear | Sound) -> None:
        match op:
            case Show(name=name, layer=layer):
                self.memory.show(layer, name)
            case Clear(layer=layer):
                self.memory.show(layer, "")
            case Sound(name=name):
                self.memory.play(name)

    def _whole(
        self, stretch: Stretch, op: Speak, start: int, before: Moment
    ) -> tuple[Moment, StepResult]:
        """The step of a stretch that ends with a line; all of it or nothing."""
        try:
            self._move(stretch)
            then = self.memory.moment()
            if stretch.result is not None:
                self._at = stretch.after
                return then, stretch.result
            return then, self._speak(op, stretch, list(stretch.props))
        except ScriptError as problem:
            placed = self._placed(problem)
            self._stand(start, before)
            raise placed from problem

    def _forked(self, op: Op) -> bool:
        """Whether flow goes on at once, and if so, where to."""
        memory = self.memory
        if isinstance(op, Call):
            self._call(op)
            return True
        if isinstance(op, Back | Fall):
            self._at = memory.returned() if memory.calls else self._at + 1
            return True
        if isinstance(op, End) and op.ending is None and memory.calls:
            self._at = memory.returned()
            return True
        # Else a stretch ends here because it grew long, or because something waits.
        return not isinstance(op, Pause | Sound | Hear | Do | End)

    def _call(self, op: Call) -> None:
        if op.to is None:
            self._at += 1
            return
        if len(self.memory.calls) >= MOST_CALLS:
            raise ScriptError(
                "CALLS_TOO_DEEP",
                f"{MOST_CALLS} calls stand inside one another here",
                where=self.program.where(self._at),
                hint="let the called part return before it is called again",
            )
        self.memory.call(self._at + 1)
        self._at = op.to

    def _speak(self, op: Speak, stretch: Stretch, out: list[Directive]) -> StepResult:
        words = op.words
        text = words if isinstance(words, str) else render(words, self.memory, op.id)
        out.append(self._stage.line(op, text, stretch.at))
        self._at = stretch.after
        return self._joined(stretch.joins, out)

    def _told(self, out: list[Directive]) -> StepResult:
        """End a step in which the world has told something."""
        op = self.program.ops[self._at]
        return self._joined(op if isinstance(op, Offer | Hear) else None, out)

    def _joined(self, follows: Offer | Hear | None, out: list[Directive]) -> StepResult:
        """End a step whose last word is said; a choice that follows at once joins it."""
        if follows is None:
            return self._wait(Next.WAIT_USER, out)
        if isinstance(follows, Hear):
            return self._ask(follows, out)
        moment = self.memory.moment()
        offered = self._offer(follows)
        if offered:
            out += offered
            return self._wait(self._awaited(), out)
        # Nothing can be taken there; the next step will find that out again, so what
        # was drawn or counted in finding out must not count twice.
        self.memory.recall(moment)
        return self._wait(Next.WAIT_USER, out)

    def _stop(self, op: Op, out: list[Directive]) -> StepResult | Request:
        """End a step at an operation that always ends one."""
        at = self._at
        match op:
            case Pause(seconds=seconds):
                self._at += 1
                return self._wait(Next.NEXT, [*out, self._stage.pause(seconds, at)])
            case Sound():
                self._at += 1
                return self._wait(Next.WAIT_USER, [*out, self._stage.prop(op, at)])
            case Hear():
                return self._ask(op, out)
            case Do():
                if out:
                    return self._wait(Next.NEXT, out)
                self._request = (op, self._requested(op))
                return self._request[1]
            case _:
                assert isinstance(op, End)
                self._ended = True
                if op.ending is not None:
                    out = [*out, self._stage.ending(op.ending, op.name, at)]
                return self._wait(Next.HALT, out)

    def _wait(self, next: Next, out: list[Directive]) -> StepResult:
        return StepResult(next=next, directives=tuple(out))

    def _requested(self, op: Do) -> Request:
        if op.words is None:
            return Request(str(self.variables.get("heard", "")), spoken=True)
        key = f"{self.program.label_of(self._at)}/do"
        return Request(render(op.words, self.memory, key), spoken=False)

    def _ask(self, op: Hear, out: list[Directive]) -> StepResult:
        key = f"{self.program.label_of(self._at)}/ask"
        prompt = self._stage.question(render(op.prompt, self.memory, key), self._at)
        self._asking = op
        return self._wait(Next.WAIT_USER, [*out, prompt])

    def _offer(self, op: Offer) -> tuple[Directive, ...]:
        """What is shown of an offer; nothing where nothing in it can be taken."""
        question = self._offers.question(op, self._at, self.memory)
        if question is None:
            return ()
        self._offered, self._asking = question.options, question.own_words
        return question.directives

    def _awaited(self) -> Next:
        return Next.WAIT_BRANCH if self._offered else Next.WAIT_USER

    def _past(self, op: Offer) -> int:
        """Where flow goes when nothing can be taken: to the fallback, else on."""
        way = fallback(op, self.memory)
        if way is None:
            return op.after
        self._count(way)
        return way.to

    def _take(self, way: Way) -> None:
        self._count(way)
        self._offered, self._asking, self._now = (), None, None
        # Where each command is a step, choosing a link is the jump: none comes after it.
        linked = self._batch == "command" and way.heading
        self._at = self._led(way.to, way.line) if linked else way.to

    def _led(self, at: int, line: int) -> int:
        """Where a jump on this very line leads; the address itself if none is there."""
        op = self.program.ops[at]
        if isinstance(op, Leap) and op.line == line and op.to is not None:
            return op.to
        return at

    def _count(self, way: Way) -> None:
        if self.program.counts(way.id):
            self.memory.count(way.id)

    def _single(self) -> StepResult | Request:
        """One operation, one result, as the first engine gave them."""
        memory = self.memory
        if memory.prelude:
            out = list(memory.prelude)
            memory.first(())
            return self._told(out)
        for _ in range(MOST_SILENT):
            at = self._at
            op = self.program.ops[at]
            match op:
                case Go(to=to):
                    self._at = to
                case Enter(name=name):
                    if self.program.counts(op.label):
                        memory.enter(op)
                    self._at += 1
                    return self._wait(Next.NEXT, [ReachedLabel.of(name)])
                case Leap(label=label, to=to):
                    self._at = at + 1 if to is None else to
                    return self._wait(Next.NEXT, [JumpTo.of(label)])
                case Put():
                    memory.put(op)
                    self._at += 1
                    return self._wait(Next.NEXT, [])
                case Test(when=when, otherwise=otherwise):
                    passed = holds(when.worth(memory))
                    self._at = self._led(at + 1, op.line) if passed else otherwise
                    return self._wait(Next.NEXT, [])
                case Speak(words=words, id=id):
                    self._at += 1
                    line = self._stage.line(op, render(words, memory, id), at)
                    return self._wait(Next.WAIT_USER, [line])
                case Pause(seconds=seconds):
                    self._at += 1
                    pause = self._stage.pause(seconds, at)
                    return self._wait(Next.WAIT_USER, [pause])
                case Show() | Clear() | Signal() | Sound(kind="bgm" | "se"):
                    if isinstance(op, Show | Clear) or (
                        isinstance(op, Sound) and op.kind == "bgm"
                    ):
                        self._set_up(op)
                    self._at += 1
                    return self._wait(Next.NEXT, [self._stage.prop(op, at)])
                case Offer():
                    offered = self._offer(op)
                    if offered:
                        return self._wait(self._awaited(), list(offered))
                    self._at = self._past(op)
                case _:
                    if not self._forked(op):
                        return self._stop(op, [])
        raise self._endless()

    def _placed(self, problem: ScriptError) -> ScriptError:
        """The problem with its file, which an expression does not know."""
        where = problem.where
        if where is None or not where.file:
            file = self.program.file_of(self._at)
            line, column = (where.line, where.column) if where else (0, 0)
            problem.where = Where(file=file, line=line, column=column)
        return problem

    def _endless(self) -> ScriptError:
        """The error of a story that never waits, with the lines it runs through."""
        lines = self._circle()
        told = ", ".join(str(line) for line in lines[:12])
        return ScriptError(
            "LOOP_WITHOUT_WAIT",
            f"the story runs in a circle through lines {told} and never waits",
            where=self.program.where(self._at),
            hint="put a line, a choice or a [WAIT] into the circle, or a way out of it",
            details={"lines": lines},
        )

    def _circle(self) -> list[int]:
        ops, lines, at = self.program.ops, set[int](), self._at
        for _ in range(len(ops)):
            lines.add(ops[at].line)
            match ops[at]:
                case Test(when=when, otherwise=otherwise):
                    at = at + 1 if holds(when.worth(self.memory)) else otherwise
                case Offer() as offer:
                    at = self._past(offer)
                case _:
                    at = next(iter(self.program.following(at)), at)
            if at == self._at:
                break
        return sorted(lines)


def _legible(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
