"""How a step comes about: flow is followed to the next thing a host has to do.

Nothing here recurses, and a story that runs on without ever waiting is stopped with the
lines it runs through. What goes wrong half-way is left half-way: the player sees to it
that a step happens whole or not at all.
"""

from typing import Final, Literal, NamedTuple

from saniwa.core.errors import ScriptError
from saniwa.core.where import Where
from saniwa.script.directive import (
    Directive,
    JumpTo,
    Next,
    ReachedLabel,
    Say,
    StepResult,
)
from saniwa.script.language.value import holds
from saniwa.script.language.words import Utterance, render, spoken
from saniwa.script.playing.memory import Memory, Moment
from saniwa.script.playing.offer import Offered, Offers, Question, fallback
from saniwa.script.playing.stage import Stage
from saniwa.script.playing.stretch import Joint, Move, Stretch, Stretches
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

MOST_SILENT: Final = 100_000
"""Operations in one step before it is taken for endless."""
MOST_CALLS: Final = 1_000
"""Calls inside calls."""

_USER: Final = Next.WAIT_USER
"""Looked up once: asking an enumeration for a member takes longer than making a step."""

Batch = Literal["step", "command"]
"""One result per wait, or one per operation as the first engine gave them."""


class Request(NamedTuple):
    """What is to be done in the world before the story can go on."""

    words: str
    """In a player's words."""
    spoken: bool
    """Whether the person said them; else the author wrote them."""


class Teller:
    """Follows a program from wait to wait."""

    def __init__(
        self, program: Program, memory: Memory, stage: Stage, batch: Batch
    ) -> None:
        """At the beginning of the program."""
        self.program = program
        self.memory = memory
        self._batch = batch
        self._stage = stage
        self._stretches = Stretches(program, self._stage)
        self._made = self._stretches.made
        self._plain = self._stretches.plain
        self._offers = Offers(self._stage)
        self._at = 0
        self._offered: tuple[Offered, ...] = ()
        self._asking: Hear | Way | None = None
        self._request: tuple[Do, Request] | None = None
        self._ended = False
        self._marked: tuple[int, Moment, tuple[Directive, ...]]
        self._seen = bytearray(len(program.ops))

    def _tell(self) -> StepResult | Request:
        """The next step, or what has to be done in the world before it."""
        self._mark(())
        return self._beat() if self._batch == "step" else self._single()

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
            self._move(stretch.moves)
            out += stretch.props
            end, self._at = stretch.end, stretch.at
            if isinstance(end, Speak):
                self._seen[stretch.at] = 1
                props = tuple(out)
                self._mark(props)
                told = self._speak(end, stretch, props)
                if told is not None:
                    return told
            elif isinstance(end, Test):
                passed = holds(end.when.worth(memory))
                self._at = stretch.at + 1 if passed else end.otherwise
            elif isinstance(end, Offer):
                self._mark(tuple(out))
                question = self._offer(end)
                if question is not None:
                    return self._wait(question.awaits, [*out, *question.directives])
                self._at = self._past(end)
            elif not self._forked(end):
                self._mark(tuple(out))
                return self._stop(end, out)
        raise self._endless()

    def _mark(self, props: tuple[Directive, ...]) -> None:
        """Keep where the story stands and what it has shown: a save begins there."""
        self._marked = (self._at, self.memory.moment(), props)

    def _move(self, moves: tuple[Move, ...]) -> None:
        memory = self.memory
        for move in moves:
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

    def _speak(
        self, op: Speak, stretch: Stretch, shown: tuple[Directive, ...]
    ) -> StepResult | None:
        """End a step with a line; None, and go on, where it comes to nothing."""
        at, words = stretch.at, op.words
        said = (
            Utterance(words)
            if isinstance(words, str)
            else spoken(words, self.memory, op.id)
        )
        self._at = at + 1
        if not said.text and not isinstance(words, str):
            return None
        line = self._stage.line(op, said, at)
        out = (*shown, line) if shown else (line,)
        if stretch.joins is None:
            return StepResult(next=_USER, directives=out)
        return self._joined(stretch.joins, out)

    def _told(self, out: list[Directive]) -> StepResult:
        """End a step in which the world has told something."""
        return self._joined(self._stretches.joint(self._at), tuple(out))

    def _joined(self, joint: Joint | None, out: tuple[Directive, ...]) -> StepResult:
        """End a step whose last word is said; a question that follows at once joins it."""
        if joint is None or (joint.falls and self.memory.calls):
            return StepResult(next=_USER, directives=out)
        memory = self.memory
        at, moment = self._at, memory.kept or memory.moment()
        question = None
        try:
            if joint.moves:
                self._move(joint.moves)
            self._at = joint.at
            if isinstance(joint.end, Hear):
                return self._ask(joint.end, list(out))
            question = self._offer(joint.end)
        except ScriptError:
            # The line itself can be told; the next step comes to this again, and says so.
            pass
        if question is not None:
            told = (*out, *question.directives)
            return StepResult(next=question.awaits, directives=told)
        # What was drawn, counted or set in looking ahead must not count twice.
        memory.recall(moment)
        self._at = at
        return StepResult(next=_USER, directives=out)

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
                if out:
                    return self._wait(Next.NEXT, out)
                self._ended = True
                if op.ending is not None:
                    out = [self._stage.ending(op.ending, op.name, at)]
                return self._wait(Next.HALT, out)

    def _wait(self, next: Next, out: list[Directive]) -> StepResult:
        return StepResult(next=next, directives=tuple(out))

    def _requested(self, op: Do) -> Request:
        if op.words is None:
            return Request(str(self.memory.variables.get("heard", "")), spoken=True)
        key = f"{self.program.label_of(self._at)}/do"
        return Request(render(op.words, self.memory, key), spoken=False)

    def _ask(self, op: Hear, out: list[Directive]) -> StepResult:
        key = f"{self.program.label_of(self._at)}/ask"
        prompt = self._stage.question(render(op.prompt, self.memory, key), self._at)
        self._asking = op
        return self._wait(Next.WAIT_USER, [*out, prompt])

    def _offer(self, op: Offer) -> Question | None:
        """What is asked by an offer; nothing where nothing in it can be taken."""
        question = self._offers.question(op, self._at, self.memory)
        if question is not None:
            self._offered, self._asking = question.options, question.own_words
        return question

    def _past(self, op: Offer) -> int:
        """Where flow goes when nothing can be taken: to the fallback, else on."""
        way = fallback(op, self.memory)
        if way is None:
            return op.after
        self.memory.count(way.id)
        return way.to

    def _led(self, at: int, line: int) -> int:
        """Where a jump on this very line leads; the address itself if none is there."""
        op = self.program.ops[at]
        if isinstance(op, Leap) and op.line == line and op.to is not None:
            return op.to
        return at

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
                    if isinstance(words, str):
                        said = Utterance(words)
                    else:
                        said = spoken(words, memory, id)
                        if not said.text:
                            return self._wait(Next.NEXT, [])
                    line = self._stage.line(op, said, at)
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
                    question = self._offer(op)
                    if question is not None:
                        return self._wait(question.awaits, list(question.directives))
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
