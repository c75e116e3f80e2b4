"""Plays a program: one StepResult a step, and the same ones for the same choices.

A step is all that happens up to the next thing the host has to do. It either happens
whole or, if something in the story cannot be worked out, not at all. Nothing recurses,
and a story that runs on without ever waiting is stopped with the lines it runs through.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, Protocol

from immutables import Map

from saniwa.core.errors import ScriptError
from saniwa.core.where import Where
from saniwa.script.asset import Assets, NoAssets
from saniwa.script.chance import between, seeded
from saniwa.script.directive import (
    Directive,
    JumpTo,
    Next,
    ReachedLabel,
    Say,
    StepResult,
)
from saniwa.script.memory import Memory
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
from saniwa.script.value import LONGEST, Value, assigned, holds
from saniwa.script.words import render

MOST_SILENT: Final = 100_000
"""Operations in one step before it is taken for endless."""
MOST_CALLS: Final = 1_000
"""Calls inside calls."""
RECORD: Final = 1_000
"""Steps that can be taken back and read again."""

Batch = Literal["step", "command"]
"""One result per wait, or one per operation as the first engine gave them."""


class Facts(Protocol):
    """What conditions may ask of a world; whoever has one plays this role."""

    def fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The value of `flag`, `place`, `holds`, `here` or `state`."""
        ...


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


class Shown(NamedTuple):
    """A step that was shown, and the moment before it."""

    result: StepResult
    """What was shown."""
    address: int
    """Where the story stood before."""
    memory: Memory
    """What it remembered before."""


class _Ready(NamedTuple):
    """A step that is always the same: no condition, no count, no variable in it."""

    result: StepResult
    address: int
    said: int


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
        """A player at the beginning of the story."""
        self.program = program
        self.seed = seed
        self.variables: Map[str, Value] = Map(
            {**program.first_values(), **(variables or {})}
        )
        self.choices: list[int | str] = []
        self._ops = program.ops
        self._stage = Stage(program, assets or NoAssets(), annotate=annotate)
        self._facts = facts
        self._batch = batch
        self._visits: Map[str, int] = Map()
        self._chosen: Map[str, int] = Map()
        self._varied: Map[str, int] = Map()
        self._calls: tuple[int, ...] = ()
        self._chance = seeded(seed, "")
        self._told: tuple[tuple[str, str], ...] = ()
        self._at = 0
        self._moment: Memory | None = None
        self._offered: tuple[tuple[Way, str, bool], ...] = ()
        self._asking: Hear | Way | None = None
        self._request: tuple[Do, Request] | None = None
        self._now: Shown | None = None
        self._ended = False
        self._ready: list[_Ready | None] = [None] * len(program.ops)
        self._seen = bytearray(len(program.ops))
        self._said = -1
        self._record: deque[Shown] = deque(maxlen=RECORD)

    # What an expression may ask.

    def visits(self, label: str) -> int:
        """How often a label was passed."""
        return self._visits.get(self.program.aliases.get(label, label), 0)

    def chosen(self, option: str) -> int:
        """How often an option was chosen, by its id."""
        return self._chosen.get(option, 0)

    def roll(self, low: int, high: int) -> int:
        """A whole number between the two, from the story's own generator."""
        self._chance, rolled = between(self._chance, low, high)
        self._moment = None
        return rolled

    def fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """A fact of the world beneath.

        Raises:
            ScriptError: `WORLD_MISSING` where no world is.
        """
        if self._facts is None:
            raise _worldless(f"{name}(…) asks a world, and this story stands on none")
        return self._facts.fact(name, given)

    def seen(self, key: str) -> int:
        """How often a variation was shown before; this showing is counted."""
        count = self._varied.get(key, 0)
        self._varied = self._varied.set(key, count + 1)
        self._moment = None
        return count

    # What a host asks.

    @property
    def waiting(
        self,
    ) -> Literal["step", "choice", "answer", "choice or answer", "world", "end"]:
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
        ready = self._ready[self._at]
        if ready is None or self._told:
            came = self.advance()
            if isinstance(came, Request):
                raise self._placed(
                    _worldless(
                        f"{came.words!r} is to be done in a world; there is none"
                    )
                )
            return came
        shown = Shown(ready.result, self._at, self._moment or self._memory())
        self._record.append(shown)
        self._now = shown
        self._seen[ready.said] = 1
        self._said = ready.said
        self._at = ready.address
        return ready.result

    def advance(self) -> StepResult | Request:
        """The same as `step`, for whoever has a world: a request is answered by `settle`.

        Raises:
            ScriptError: As for `step`.
        """
        if self._ended:
            return StepResult(next=Next.HALT, directives=())
        if self._offered or self._asking is not None:
            return self._record[-1].result
        if self._request is not None:
            return self._request[1]
        start, before = self._at, self._memory()
        try:
            came = self._command() if self._batch == "command" else self._beat()
        except ScriptError as problem:
            placed = self._placed(problem)
            self._stand(start, before)
            raise placed from problem
        if isinstance(came, StepResult):
            self._now = Shown(came, start, before)
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
        way, text, enabled = self._offered[index]
        if not enabled:
            raise ScriptError(
                "CHOICE_DISABLED",
                f"{text!r} is shown and cannot be chosen now",
                hint="choose one that is enabled",
            )
        self._remember_choice(index)
        self._take(way)

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
            raise ScriptError("TEXT_UNREADABLE", "the answer is no text")
        words = text[:LONGEST]
        self._remember_choice(words)
        self._set("heard", words)
        if isinstance(asking, Way):
            self._take(asking)
            return
        self._asking = self._now = None
        if asking.name:
            self._set(asking.name, words)
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
        self._set("allowed", outcome.allowed)
        self._set("reason", outcome.reason)
        told = request.tells == "always" or (
            request.tells == "refused" and not outcome.allowed
        )
        self._told = outcome.lines if told else ()
        self._at = self._at + 1 if outcome.allowed else request.otherwise
        self._moment = None

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
        self._stand(shown.address, shown.memory)
        return self.step()

    def skip(self) -> Iterator[StepResult]:
        """Steps through what was seen before; the first new one, or a choice, is last.

        Raises:
            ScriptError: As for `step`.
        """
        while self.waiting == "step":
            before = bytes(self._seen)
            result = self.step()
            yield result
            if self._said >= 0 and not before[self._said]:
                return

    def seen_ids(self) -> frozenset[str]:
        """The ids of all lines shown so far, also those taken back since."""
        ops = self._ops
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

    # Where the story stands.

    def standing(self) -> tuple[int, Memory]:
        """The moment before what is shown now: shown again from there, it is the same."""
        if self._now is not None:
            return self._now.address, self._now.memory
        return self._at, self._memory()

    def stand(self, address: int, memory: Memory, choices: list[int | str]) -> None:
        """Stand somewhere else, as if the story had come there by itself."""
        self._record.clear()
        self.choices = list(choices)
        self._stand(address, memory)

    def _stand(self, address: int, memory: Memory) -> None:
        self.variables = memory.variables
        self._visits = memory.visits
        self._chosen = memory.chosen
        self._varied = memory.varied
        self._calls = memory.calls
        self._chance = memory.chance
        self._told = memory.told
        del self.choices[memory.choices :]
        self._moment = memory
        self._at = address
        self._offered = ()
        self._asking = None
        self._request = self._now = None
        self._ended = False
        self._said = -1

    def _memory(self) -> Memory:
        if self._moment is None:
            self._moment = Memory(
                self.variables,
                self._visits,
                self._chosen,
                self._varied,
                self._calls,
                self._chance,
                self._told,
                len(self.choices),
            )
        return self._moment

    # How a step comes about.

    def _beat(self) -> StepResult | Request:
        ops, at, start = self._ops, self._at, self._at
        out: list[Directive] = []
        plain = not self._told
        if self._told:
            out += [Say.of(speaker, words) for speaker, words in self._told]
            self._told, self._moment = (), None
            return self._spoken(out, at)
        for _ in range(MOST_SILENT):
            op = ops[at]
            sort = op.__class__
            if sort is Speak:
                assert isinstance(op, Speak)
                constant = isinstance(op.words, str)
                text = op.words if constant else render(op.words, self, op.id)
                assert isinstance(text, str)
                out.append(self._stage.line(op, text, at))
                self._seen[at] = 1
                self._said = at
                result = self._spoken(out, at + 1)
                if plain and constant and not self._offered and self._asking is None:
                    self._ready[start] = _Ready(result, self._at, at)
                return result
            flow = _FLOW.get(sort)
            if flow is not None:
                plain = plain and sort is Go
                at = flow(self, op, at)
            elif sort in _PROPS:
                assert isinstance(op, Show | Sound | Clear | Signal)
                out.append(self._stage.prop(op, at))
                at += 1
                if sort is Sound and op.kind == "movie":  # type: ignore[union-attr]
                    return self._wait(Next.WAIT_USER, out, at)
            elif sort is Offer:
                assert isinstance(op, Offer)
                branch = self._offer(op, at)
                if branch is not None:
                    return self._wait(self._awaited(), [*out, *branch], at)
                at = self._past(op)
            elif sort is End and self._calls and op.ending is None:  # type: ignore[union-attr]
                plain = False
                at = self._returned(at)
            else:
                return self._stop(op, out, at)
        raise self._endless(at)

    def _spoken(self, out: list[Directive], at: int) -> StepResult:
        """End a step whose last word is said; a choice that follows at once joins it."""
        while isinstance(op := self._ops[at], Go):
            at = op.to
        if isinstance(op, Hear):
            return self._ask(op, out, at)
        if isinstance(op, Offer):
            before = self._memory()
            branch = self._offer(op, at)
            if branch is not None:
                return self._wait(self._awaited(), [*out, *branch], at)
            said = self._said
            self._stand(at, before)
            self._said = said
        return self._wait(Next.WAIT_USER, out, at)

    def _stop(self, op: Op, out: list[Directive], at: int) -> StepResult | Request:
        """End a step at an operation that always ends one."""
        match op:
            case Pause(seconds=seconds):
                out.append(self._stage.pause(seconds, at))
                return self._wait(Next.NEXT, out, at + 1)
            case Hear():
                return self._ask(op, out, at)
            case Do():
                if out:
                    return self._wait(Next.NEXT, out, at)
                self._at = at
                self._request = (op, self._requested(op))
                return self._request[1]
            case _:
                assert isinstance(op, End)
                if op.ending is not None:
                    out.append(self._stage.ending(op.ending, op.name, at))
                self._ended = True
                return self._wait(Next.HALT, out, at)

    def _wait(self, next: Next, out: list[Directive], at: int) -> StepResult:
        self._at = at
        return StepResult(next=next, directives=tuple(out))

    def _requested(self, op: Do) -> Request:
        if op.words is None:
            return Request(str(self.variables.get("heard", "")), spoken=True)
        key = f"{self.program.label_of(self._at)}/do"
        return Request(render(op.words, self, key), spoken=False)

    def _ask(self, op: Hear, out: list[Directive], at: int) -> StepResult:
        prompt = render(op.prompt, self, f"{self.program.label_of(at)}/ask")
        self._asking = op
        return self._wait(Next.WAIT_USER, [*out, self._stage.question(prompt, at)], at)

    def _command(self) -> StepResult | Request:
        """One operation, one result, as the first engine gave them."""
        ops = self._ops
        for _ in range(MOST_SILENT):
            at = self._at
            op = ops[at]
            match op:
                case Go() | Fall():
                    self._at = _FLOW[op.__class__](self, op, at)
                case Enter(name=name):
                    return self._wait(
                        Next.NEXT,
                        [ReachedLabel.of(name)],
                        _FLOW[Enter](self, op, at),
                    )
                case Leap(label=label):
                    return self._wait(
                        Next.NEXT, [JumpTo.of(label)], _FLOW[Leap](self, op, at)
                    )
                case Put() | Test() | Call() | Back():
                    return self._wait(Next.NEXT, [], _FLOW[op.__class__](self, op, at))
                case Speak(words=words, id=id):
                    line = self._stage.line(op, render(words, self, id), at)
                    return self._wait(Next.WAIT_USER, [line], at + 1)
                case Pause(seconds=seconds):
                    pause = self._stage.pause(seconds, at)
                    return self._wait(Next.WAIT_USER, [pause], at + 1)
                case Show() | Clear() | Signal() | Sound():
                    film = isinstance(op, Sound) and op.kind == "movie"
                    next = Next.WAIT_USER if film else Next.NEXT
                    return self._wait(next, [self._stage.prop(op, at)], at + 1)
                case Offer():
                    branch = self._offer(op, at)
                    if branch is not None:
                        return self._wait(self._awaited(), list(branch), at)
                    self._at = self._past(op)
                case End(ending=None) if self._calls:
                    self._at = self._returned(at)
                case _:
                    return self._stop(op, [], at)
        raise self._endless(self._at)

    # How flow moves through silent operations: each gives the next address.

    def _enter(self, op: Enter, at: int) -> int:
        self._visits = self._visits.set(op.label, self._visits.get(op.label, 0) + 1)
        self._moment = None
        return at + 1

    def _go(self, op: Go, _: int) -> int:
        return op.to

    def _leap(self, op: Leap, at: int) -> int:
        return at + 1 if op.to is None else op.to

    def _call(self, op: Call, at: int) -> int:
        if op.to is None:
            return at + 1
        if len(self._calls) >= MOST_CALLS:
            raise ScriptError(
                "CALLS_TOO_DEEP",
                f"{MOST_CALLS} calls stand inside one another here",
                where=self.program.where(at),
                hint="let the called part return before it is called again",
            )
        self._calls = (*self._calls, at + 1)
        self._moment = None
        return op.to

    def _back(self, _: Back | Fall, at: int) -> int:
        return self._returned(at) if self._calls else at + 1

    def _returned(self, _: int) -> int:
        *outer, to = self._calls
        self._calls = tuple(outer)
        self._moment = None
        return to

    def _test(self, op: Test, at: int) -> int:
        return at + 1 if holds(op.when.worth(self)) else op.otherwise

    def _put(self, op: Put, at: int) -> int:
        before = self.variables.get(op.name)
        try:
            worth = assigned(before, op.operator, op.worth.worth(self))
        except ScriptError as problem:
            problem.where = problem.where or self.program.where(at)
            raise
        self._set(op.name, worth)
        return at + 1

    def _set(self, name: str, worth: Value) -> None:
        self.variables = self.variables.set(name, worth)
        self._moment = None

    # How choices are offered and taken.

    def _offer(self, op: Offer, at: int) -> tuple[Directive, ...] | None:
        """What is shown of an offer; None where nothing in it can be taken."""
        shown: list[tuple[Way, str, bool]] = []
        asking: Way | None = None
        open_ways = False
        for way in op.ways:
            if way.fallback or not self._available(way):
                continue
            if way.ask:
                asking = asking or way
                continue
            enabled = way.enabled_if is None or holds(way.enabled_if.worth(self))
            open_ways = open_ways or enabled
            shown.append((way, render(way.words, self, way.id), enabled))
        if not open_ways and asking is None:
            return None
        self._offered, self._asking = tuple(shown), asking
        branch = (self._stage.branch(shown, at),) if shown else ()
        if asking is None:
            return branch
        prompt = render(asking.words, self, asking.id)
        return (*branch, self._stage.question(prompt, at))

    def _awaited(self) -> Next:
        return Next.WAIT_BRANCH if self._offered else Next.WAIT_USER

    def _available(self, way: Way) -> bool:
        if way.once and self._chosen.get(way.id, 0):
            return False
        return way.only_if is None or holds(way.only_if.worth(self))

    def _past(self, op: Offer) -> int:
        """Where flow goes when nothing can be taken: to the fallback, else on."""
        for way in op.ways:
            if way.fallback and self._available(way):
                self._count(way)
                return way.to
        return op.after

    def _take(self, way: Way) -> None:
        self._count(way)
        self._offered, self._asking, self._now = (), None, None
        self._at = way.to

    def _count(self, way: Way) -> None:
        self._chosen = self._chosen.set(way.id, self._chosen.get(way.id, 0) + 1)
        self._moment = None

    def _remember_choice(self, choice: int | str) -> None:
        self.choices.append(choice)
        self._moment = None

    # What goes wrong.

    def _placed(self, problem: ScriptError) -> ScriptError:
        """The problem with its file, which an expression does not know."""
        where = problem.where
        if where is None or not where.file:
            file = self.program.file_of(self._at)
            line, column = (where.line, where.column) if where else (0, 0)
            problem.where = Where(file=file, line=line, column=column)
        return problem

    def _endless(self, at: int) -> ScriptError:
        lines: dict[int, None] = {}
        first = at
        for _ in range(len(self._ops) + 1):
            op = self._ops[at]
            lines[op.line] = None
            flow = _FLOW.get(op.__class__)
            if flow is not None:
                at = flow(self, op, at)
            else:
                at = self._past(op) if isinstance(op, Offer) else at + 1
            if at == first:
                break
        told = ", ".join(str(line) for line in sorted(lines)[:12])
        return ScriptError(
            "LOOP_WITHOUT_WAIT",
            f"the story runs in a circle through lines {told} and never waits",
            where=self.program.where(first),
            hint="put a line, a choice or a [WAIT] into the circle, or a way out of it",
            details={"lines": sorted(lines)},
        )


_FLOW: Final[dict[type, Callable[[Player, Any, int], int]]] = {
    Enter: Player._enter,
    Go: Player._go,
    Leap: Player._leap,
    Call: Player._call,
    Back: Player._back,
    Fall: Player._back,
    Test: Player._test,
    Put: Player._put,
}
_PROPS: Final = frozenset({Show, Sound, Clear, Signal})


def _legible(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _worldless(message: str) -> ScriptError:
    return ScriptError(
        "WORLD_MISSING",
        message,
        hint="name a scenario in the front matter, and play it with `saniwa play`",
    )
