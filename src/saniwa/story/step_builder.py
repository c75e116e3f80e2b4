"""Build a step: follow the flow to the next thing a host has to do.

Nothing here recurses, and a story that never waits is stopped with an error that names
the lines it runs through. A failed step is not undone here: the player makes sure that
a step happens completely or not at all.
"""

from collections import deque
from typing import Final, Literal, NamedTuple

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.story import elements
from saniwa.story.directive_builder import (
    DirectiveBuilder,
    JoinedQuestion,
    Move,
    OfferQuestion,
    QuestionBuilder,
    ShownOption,
    Span,
    SpanIndex,
    find_fallback,
)
from saniwa.story.finding_collector import make_story_error
from saniwa.story.memory import MemorySnapshot, StoryMemory
from saniwa.story.program import (
    CallOp,
    DoOp,
    EndOp,
    EnterOp,
    FallOp,
    GoOp,
    IfOp,
    JumpOp,
    OfferOp,
    Op,
    Program,
)
from saniwa.story.step_result import Directive, JumpTo, Next, ReachedLabel, Say, StepResult
from saniwa.story.text_template import Utterance, render_utterance, render_words
from saniwa.story.value_operations import is_true

MOST_SILENT: Final = 100_000
"""Operations in one step after which it counts as endless; long expressions count more."""
MOST_CALLS: Final = 1_000
"""The most nested calls."""

_USER: Final = Next.WAIT_USER
"""Cached: looking up an enumeration member takes longer than making a step."""

MOST_SKIPPED_JUMPS: Final = 10
"""The most jumps without a label that are reported at once."""

Batch = Literal["step", "command"]
"""One result per wait, or one per operation as in the first engine."""


class WorldRequest(NamedTuple):
    """A deed to do in the world before the story can continue."""

    words: str
    """The deed, in a player's words."""
    spoken: bool
    """Whether the player said them; else the author wrote them."""


class StepBuilder:
    """Follows a program from wait to wait."""

    def __init__(
        self, program: Program, memory: StoryMemory, stage: DirectiveBuilder, batch: Batch
    ) -> None:
        """Start at the beginning of the program."""
        self.program = program
        self.memory = memory
        self._batch = batch
        self._stage = stage
        self._stretches = SpanIndex(program, self._stage)
        self._made = self._stretches.made
        self._plain = self._stretches.plain
        self._offers = QuestionBuilder(self._stage)
        self._at = 0
        self._offered: tuple[ShownOption, ...] = ()
        self._asking: elements.AskElement | elements.ChoiceOption | None = None
        self._request: tuple[DoOp, WorldRequest] | None = None
        self._ended = False
        self._skipped: deque[JumpOp | CallOp] = deque(maxlen=MOST_SKIPPED_JUMPS)
        self._marked: tuple[int, MemorySnapshot, tuple[Directive, ...]]
        self._seen = bytearray(len(program.ops))
        self.most_silent = MOST_SILENT
        """Operations after which a step fails; fewer for a caller that cannot wait."""

    def take_skipped_jumps(self) -> tuple[tuple[str, int], ...]:
        """Return the latest jumps to labels that do not exist, with their lines, once."""
        skipped = tuple((each.label, each.line) for each in self._skipped)
        self._skipped.clear()
        return skipped

    def _build_batched_step(self) -> StepResult | WorldRequest:
        """Follow spans and forks up to the next wait."""
        memory = self.memory
        out = list(memory.prelude)
        if out:
            memory.set_prelude(())
            if isinstance(out[-1], Say):
                return self._end_with_prelude(out)
        silent = 0
        while silent < self.most_silent:
            stretch = self._made[self._at] or self._stretches.get_span(self._at)
            silent += stretch.size
            self._apply_moves(stretch.moves)
            out += stretch.props
            end, self._at = stretch.end, stretch.at
            if isinstance(end, elements.SayElement):
                self._seen[stretch.at] = 1
                props = tuple(out)
                self._mark_position(props)
                result = self._end_with_line(end, stretch, props)
                if result is not None:
                    return result
            elif isinstance(end, IfOp):
                passed = is_true(end.when.worth(memory))
                self._at = stretch.at + 1 if passed else end.otherwise
            elif isinstance(end, OfferOp):
                self._mark_position(tuple(out))
                question = self._offer_choices(end)
                if question is not None:
                    return self._make_result(question.awaits, [*out, *question.directives])
                self._at = self._skip_offer(end)
            elif not self._follow_fork(end):
                self._mark_position(tuple(out))
                return self._end_at_wait(end, out)
        raise self._make_endless_error()

    def _mark_position(self, props: tuple[Directive, ...]) -> None:
        """Mark where the story is and what it has shown: a save begins there."""
        self._marked = (self._at, self.memory.take_snapshot(), props)

    def _apply_moves(self, moves: tuple[Move, ...]) -> None:
        memory = self.memory
        for move in moves:
            if isinstance(move, elements.AssignElement):
                memory.assign_op(move)
            elif isinstance(move, EnterOp):
                memory.record_visit(move)
            elif isinstance(move, JumpOp):
                self._skipped.append(move)
            else:
                memory.apply_scenery(move)

    def _follow_fork(self, op: Op) -> bool:
        """Move past a fork; return whether flow continues without a wait."""
        memory = self.memory
        if isinstance(op, CallOp):
            self._enter_call(op)
            return True
        if isinstance(op, elements.ReturnElement | FallOp):
            self._at = memory.pop_call() if memory.calls else self._at + 1
            return True
        if isinstance(op, EndOp) and op.ending is None and memory.calls:
            self._at = memory.pop_call()
            return True
        # Otherwise the span ends here because of its length, or because of a wait.
        return not isinstance(
            op, elements.PauseElement | elements.SoundElement | elements.AskElement | DoOp | EndOp
        )

    def _enter_call(self, op: CallOp) -> None:
        if op.to is None:
            self._skipped.append(op)
            self._at += 1
            return
        if len(self.memory.calls) >= MOST_CALLS:
            where = self.program.locate_op(self._at)
            raise make_story_error("CALLS_TOO_DEEP", where, most=MOST_CALLS)
        self.memory.push_call(self._at + 1)
        self._at = op.to

    def _end_with_line(
        self, op: elements.SayElement, stretch: Span, shown: tuple[Directive, ...]
    ) -> StepResult | None:
        """End a step with a line; if its text is empty, move on and return None."""
        at, words = stretch.at, op.words
        # Not `_render_line`: this is done for every line whose text varies.
        utterance = (
            Utterance(words)
            if isinstance(words, str)
            else render_utterance(words, self.memory, op.id)
        )
        self._at = at + 1
        if not utterance.text and not isinstance(words, str):
            return None
        line = self._stage.build_line(op, utterance, at)
        out = (*shown, line) if shown else (line,)
        if stretch.joins is None:
            return StepResult(next=_USER, directives=out)
        return self._join_question(stretch.joins, out)

    def _render_line(self, op: elements.SayElement) -> Utterance | None:
        """Render a line; None if its text turns out empty."""
        if isinstance(op.words, str):
            return Utterance(op.words)
        utterance = render_utterance(op.words, self.memory, op.id)
        return utterance if utterance.text else None

    def _end_with_prelude(self, out: list[Directive]) -> StepResult:
        """End a step with what the world says."""
        return self._join_question(self._stretches.find_joined_question(self._at), tuple(out))

    def _join_question(
        self, joint: JoinedQuestion | None, out: tuple[Directive, ...]
    ) -> StepResult:
        """End a step after its last line; a question right after it joins the step."""
        if joint is None or (joint.falls and self.memory.calls):
            return StepResult(next=_USER, directives=out)
        memory = self.memory
        at, moment = self._at, memory.kept or memory.take_snapshot()
        question = None
        try:
            if joint.moves:
                self._apply_moves(joint.moves)
            self._at = joint.at
            if isinstance(joint.end, elements.AskElement):
                return self._ask_question(joint.end, list(out))
            question = self._offer_choices(joint.end)
        except ScriptError:
            # The line itself can be shown; the next step fails here again and reports
            # it.
            pass
        if question is not None:
            directives = (*out, *question.directives)
            return StepResult(next=question.awaits, directives=directives)
        # What was drawn, counted or set in looking ahead must not count twice.
        memory.restore_snapshot(moment)
        self._at = at
        return StepResult(next=_USER, directives=out)

    def _end_at_wait(self, op: Op, out: list[Directive]) -> StepResult | WorldRequest:
        """End a step at an operation that always ends one."""
        at = self._at
        match op:
            case elements.PauseElement(seconds=seconds):
                self._at += 1
                return self._make_result(Next.NEXT, [*out, self._stage.build_pause(seconds, at)])
            case elements.SoundElement():
                self._at += 1
                return self._make_result(Next.WAIT_USER, [*out, self._stage.build_effect(op, at)])
            case elements.AskElement():
                return self._ask_question(op, out)
            case DoOp():
                if out:
                    return self._make_result(Next.NEXT, out)
                self._request = (op, self._make_request(op))
                return self._request[1]
            case _:
                assert isinstance(op, EndOp)
                if out:
                    return self._make_result(Next.NEXT, out)
                self._ended = True
                if op.ending is not None:
                    out = [self._stage.build_ending(op.ending, op.name, at)]
                return self._make_result(Next.HALT, out)

    def _make_result(self, next: Next, out: list[Directive]) -> StepResult:
        return StepResult(next=next, directives=tuple(out))

    def _make_request(self, op: DoOp) -> WorldRequest:
        if op.words is None:
            return WorldRequest(str(self.memory.variables.get("heard", "")), spoken=True)
        key = f"{self.program.find_label(self._at)}/do"
        return WorldRequest(render_words(op.words, self.memory, key), spoken=False)

    def _ask_question(self, op: elements.AskElement, out: list[Directive]) -> StepResult:
        key = f"{self.program.find_label(self._at)}/ask"
        prompt = self._stage.build_ask(render_words(op.prompt, self.memory, key), self._at)
        self._asking = op
        return self._make_result(Next.WAIT_USER, [*out, prompt])

    def _offer_choices(self, op: OfferOp) -> OfferQuestion | None:
        """Build the question of an offer; None if no option can be taken."""
        question = self._offers.build_question(op, self._at, self.memory)
        if question is not None:
            self._offered, self._asking = question.options, question.own_words
        return question

    def _skip_offer(self, op: OfferOp) -> int:
        """Return where flow goes if no option can be taken: the fallback, else on."""
        way = find_fallback(op, self.memory)
        if way is None:
            return op.after
        self.memory.record_option(way.id)
        return way.to

    def _follow_jump(self, at: int, line: int) -> int:
        """Return the target of a jump on this very line, else the address itself."""
        op = self.program.ops[at]
        if isinstance(op, JumpOp) and op.line == line and op.to is not None:
            return op.to
        return at

    def _build_single_step(self) -> StepResult | WorldRequest:
        """Build one result for one operation, as the first engine did."""
        memory = self.memory
        if memory.prelude:
            out = list(memory.prelude)
            memory.set_prelude(())
            return self._end_with_prelude(out)
        for _ in range(self.most_silent):
            at = self._at
            op = self.program.ops[at]
            match op:
                case GoOp(to=to):
                    self._at = to
                case EnterOp(name=name):
                    memory.record_visit(op)
                    self._at += 1
                    return self._make_result(Next.NEXT, [ReachedLabel.build(name)])
                case JumpOp(label=label, to=to):
                    if to is None:
                        self._skipped.append(op)
                    self._at = at + 1 if to is None else to
                    return self._make_result(Next.NEXT, [JumpTo.build(label)])
                case elements.AssignElement():
                    memory.assign_op(op)
                    self._at += 1
                    return self._make_result(Next.NEXT, [])
                case IfOp(when=when, otherwise=otherwise):
                    passed = is_true(when.worth(memory))
                    self._at = self._follow_jump(at + 1, op.line) if passed else otherwise
                    return self._make_result(Next.NEXT, [])
                case elements.SayElement():
                    self._at += 1
                    utterance = self._render_line(op)
                    if utterance is None:
                        return self._make_result(Next.NEXT, [])
                    line = self._stage.build_line(op, utterance, at)
                    return self._make_result(Next.WAIT_USER, [line])
                case elements.PauseElement(seconds=seconds):
                    self._at += 1
                    pause = self._stage.build_pause(seconds, at)
                    return self._make_result(Next.WAIT_USER, [pause])
                case (
                    elements.PictureElement()
                    | elements.ClearElement()
                    | elements.EventElement()
                    | elements.SoundElement(kind="bgm" | "se")
                ):
                    if isinstance(op, elements.PictureElement | elements.ClearElement) or (
                        isinstance(op, elements.SoundElement) and op.kind == "bgm"
                    ):
                        self.memory.apply_scenery(op)
                    self._at += 1
                    return self._make_result(Next.NEXT, [self._stage.build_effect(op, at)])
                case OfferOp():
                    question = self._offer_choices(op)
                    if question is not None:
                        return self._make_result(question.awaits, list(question.directives))
                    self._at = self._skip_offer(op)
                case _:
                    if not self._follow_fork(op):
                        return self._end_at_wait(op, [])
        raise self._make_endless_error()

    def _add_place(self, problem: ScriptError) -> ScriptError:
        """Add the file to a problem, which an expression does not know."""
        where = problem.where
        if where is None or not where.file:
            file = self.program.find_file(self._at)
            line, column = (where.line, where.column) if where else (0, 0)
            problem.where = SourceLocation(file=file, line=line, column=column)
        return problem

    def _make_endless_error(self) -> ScriptError:
        """Make the error for a story that never waits, with the lines of the loop."""
        lines = self._find_circle_lines() if self.most_silent == MOST_SILENT else []
        where, listed = self.program.locate_op(self._at), ", ".join(map(str, lines[:12]))
        return make_story_error(
            "LOOP_WITHOUT_WAIT", where, {"lines": lines}, listed=f"lines {listed}"
        )

    def _find_circle_lines(self) -> list[int]:
        ops, lines, at = self.program.ops, set[int](), self._at
        for _ in range(len(ops)):
            lines.add(ops[at].line)
            match ops[at]:
                case IfOp(when=when, otherwise=otherwise):
                    at = at + 1 if is_true(when.worth(self.memory)) else otherwise
                case OfferOp() as offer:
                    at = self._skip_offer(offer)
                case _:
                    at = next(iter(self.program.list_successors(at)), at)
            if at == self._at:
                break
        return sorted(lines)
