"""Build the directives of a step from the operations of a program.

`DirectiveBuilder` makes single directives; `QuestionBuilder` decides which options of
an offer the player sees and which of them can be chosen. `SpanIndex` works out straight
pieces of a program once. None of them changes the story's state.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.story import step_result
from saniwa.story.assets import FolderAssets
from saniwa.story.elements import (
    AskElement,
    AssignElement,
    ChoiceOption,
    ClearElement,
    EventElement,
    PictureElement,
    SayElement,
    SoundElement,
)
from saniwa.story.memory import StoryMemory
from saniwa.story.program import (
    EnterOp,
    FallOp,
    GoOp,
    JumpOp,
    OfferOp,
    Op,
    Program,
    list_op_expressions,
)
from saniwa.story.step_result import (
    Branch,
    Directive,
    Next,
    Option,
    Say,
    SayArgs,
    Source,
    StepResult,
    TextSpan,
)
from saniwa.story.text_template import Utterance, find_constant, render_words


class DirectiveBuilder:
    """Makes directives for one player; equal operations give equal directives."""

    def __init__(self, program: Program, assets: FolderAssets, *, annotate: bool) -> None:
        """With `annotate`, every directive carries its id and source."""
        self._program = program
        self._assets = assets
        self._annotate = annotate

    def build_line(self, op: SayElement, said: Utterance, address: int) -> Say:
        """Build a line of text."""
        text, marked = said
        if not (self._annotate or op.named or op.tags or op.values or marked):
            return Say(SayArgs(op.speaker, text))
        id = op.id if self._annotate or op.named else ""
        voice = dict(op.values).get("voice", "")
        spans = tuple(TextSpan(*each) for each in marked)
        source = self._make_source(address)
        return Say.build(op.speaker, text, id, op.tags, voice, source, spans)

    def build_effect(
        self, op: PictureElement | SoundElement | ClearElement | EventElement, address: int
    ) -> Directive:
        """Build a picture, a sound, a cleared layer or an event."""
        source = self._make_source(address)
        match op:
            case PictureElement(name=name, layer=layer):
                path = self._assets.find("image", name)
                return step_result.ShowImage.build(layer, path, source)
            case SoundElement():
                return _SOUNDS[op.kind](self._assets.find(op.kind, op.name), source)
            case ClearElement(layer=layer):
                return step_result.ClearLayer.build(layer, source)
            case EventElement(name=name, values=values):
                return step_result.Event.build(name, values, source)
            case _:
                assert_never(op)

    def build_picture(self, name: str, layer: str) -> Directive:
        """Build the directive for a picture that is already shown."""
        return step_result.ShowImage.build(layer, self._assets.find("image", name))

    def build_music(self, name: str) -> Directive:
        """Build the directive for music that is already playing."""
        return step_result.PlayBgm.build(self._assets.find("bgm", name))

    def build_pause(self, seconds: float, address: int) -> step_result.Wait:
        """Build a pause."""
        return step_result.Wait.build(seconds, self._make_source(address))

    def build_branch(self, shown: Sequence[tuple[ChoiceOption, str, bool]], address: int) -> Branch:
        """Build the options the player sees; only their texts if that is enough."""
        for way, _, enabled in shown:
            if self._annotate or way.named or way.tags or not enabled:
                break
        else:
            return Branch.build(*[text for _, text, _ in shown])
        options = [self._build_option(*one) for one in shown]
        return Branch.build_from_options(tuple(options), self._make_source(address))

    def _build_option(self, way: ChoiceOption, text: str, enabled: bool) -> Option:
        id = way.id if self._annotate or way.named else ""
        return Option.build(text, enabled, id, way.tags)

    def build_ask(self, prompt: str, address: int) -> step_result.Ask:
        """Build a question that is answered with free text."""
        return step_result.Ask.build(prompt, self._make_source(address))

    def build_ending(self, id: str, name: str, address: int) -> step_result.Ending:
        """Build an ending."""
        return step_result.Ending.build(id, name, self._make_source(address))

    def _make_source(self, address: int) -> Source | UnsetType:
        if not self._annotate:
            return UNSET
        where = self._program.locate_op(address)
        return Source(where.line, where.column, where.file or UNSET)


_SOUNDS: dict[str, Callable[[str | None, Source | UnsetType], Directive]] = {
    "bgm": step_result.PlayBgm.build,
    "se": step_result.PlaySe.build,
    "movie": step_result.PlayMovie.build,
}


_GONE, _SHOWN, _OPEN = 0, 1, 2


class ShownOption(NamedTuple):
    """An option as the player sees it."""

    way: ChoiceOption
    """The option."""
    text: str
    """Its text at this moment."""
    enabled: bool
    """Whether it can be chosen."""


class OfferQuestion(msgspec.Struct, frozen=True, gc=False):
    """What the player is offered."""

    options: tuple[ShownOption, ...]
    """The options to choose from."""
    own_words: ChoiceOption | None
    """The option that accepts free text, if there is one."""
    awaits: Next
    """What the host waits for."""
    directives: tuple[Directive, ...]
    """The directives that show it."""


class _OfferPlan(msgspec.Struct, frozen=True, gc=False):
    """The parts of an offer that never change."""

    always: bool
    """Whether at least one option is always available."""
    asked: tuple[ChoiceOption, ...]
    """The options whose conditions are evaluated each time they are offered."""
    constant: bool
    """Whether the text of every option is constant."""
    made: dict[int, OfferQuestion]
    """Questions built so far, by the state of their options; only if `constant`."""


class QuestionBuilder:
    """Builds the questions of one player, and reuses a question that is asked again."""

    def __init__(self, stage: DirectiveBuilder) -> None:
        self._stage = stage
        self._plans: dict[int, _OfferPlan] = {}

    def build_question(self, offer: OfferOp, at: int, memory: StoryMemory) -> OfferQuestion | None:
        """Build what the player is offered now; None if no option could be taken."""
        plan = self._plans.get(at)
        if plan is None:
            plan = self._plans[at] = _plan_offer(offer)
        # One base-3 digit for each conditional option; together they identify the
        # question.
        which, possible = 0, plan.always
        for way in plan.asked:
            which *= 3
            test = way.only_if
            if (test is not None and not test.worth(memory)) or (
                way.once and memory.count_choices(way.id)
            ):
                continue
            test = way.enabled_if
            if test is None or test.worth(memory):
                possible = True
                which += _OPEN
            else:
                which += _SHOWN
        if not possible:
            return None
        known = plan.made.get(which)
        if known is not None:
            return known
        asked = self._build_new_question(offer, at, _split_digits(which, len(plan.asked)), memory)
        if plan.constant:
            plan.made[which] = asked
        return asked

    def _build_new_question(
        self, offer: OfferOp, at: int, figures: list[int], memory: StoryMemory
    ) -> OfferQuestion:
        """Build the question; `figures` are the base-3 digits, the last one first."""
        shown: list[ShownOption] = []
        own_words: ChoiceOption | None = None
        for way in offer.ways:
            state = figures.pop() if _is_conditional(way) else _OPEN
            if state == _GONE or way.fallback:
                continue
            if way.ask:
                own_words = own_words or way
            else:
                text = render_words(way.words, memory, way.id)
                shown.append(ShownOption(way, text, state == _OPEN))
        directives: list[Directive] = [self._stage.build_branch(shown, at)] if shown else []
        if own_words is not None:
            prompt = render_words(own_words.words, memory, own_words.id)
            directives.append(self._stage.build_ask(prompt, at))
        awaits = Next.WAIT_BRANCH if shown else Next.WAIT_USER
        return OfferQuestion(tuple(shown), own_words, awaits, tuple(directives))


def _plan_offer(offer: OfferOp) -> _OfferPlan:
    return _OfferPlan(
        any(not (way.fallback or _is_conditional(way)) for way in offer.ways),
        tuple(filter(_is_conditional, offer.ways)),
        all(isinstance(way.words, str) for way in offer.ways),
        {},
    )


def _is_conditional(way: ChoiceOption) -> bool:
    """Whether the availability of an option depends on the story's memory."""
    bound = way.once or way.only_if is not None or way.enabled_if is not None
    return bound and not way.fallback


def _split_digits(which: int, count: int) -> list[int]:
    """Split a number into base-3 digits, the last digit first."""
    figures = list[int]()
    for _ in range(count):
        which, figure = divmod(which, 3)
        figures.append(figure)
    return figures


def find_fallback(offer: OfferOp, memory: StoryMemory) -> ChoiceOption | None:
    """Find the option taken when no other can be; None if there is none."""
    ways = (way for way in offer.ways if way.fallback and _is_available(way, memory))
    return next(ways, None)


def _is_available(way: ChoiceOption, memory: StoryMemory) -> bool:
    if way.once and memory.count_choices(way.id):
        return False
    test = way.only_if
    return test is None or bool(test.worth(memory))


_MOST = 1_000
"""The most operations in one span; the player detects endless loops."""
_LETTERS_PER_OPERATION = 16
"""The letters of an expression that take as long as an operation."""


Move = EnterOp | AssignElement | JumpOp | PictureElement | ClearElement | SoundElement
"""Operations that change the story's memory, and jumps without a label."""


class JoinedQuestion(msgspec.Struct, frozen=True, gc=False):
    """A question right after a line: nothing is shown in between."""

    moves: tuple[EnterOp | AssignElement | JumpOp, ...]
    """Changes of the memory on the way to it, in order."""
    end: OfferOp | AskElement
    """The question."""
    at: int
    """Its address."""
    falls: bool
    """Whether a section ends on the way: inside a call, flow returns there instead."""


class LocatedStep(msgspec.Struct, frozen=True, gc=False):
    """A step, and its addresses."""

    result: StepResult
    """The step."""
    start: int
    """The address before the step."""
    at: int
    """The address of what is shown last."""
    props: tuple[Directive, ...]
    """What is shown before that."""


class Span(msgspec.Struct, frozen=True, gc=False):
    """A straight piece, and the operation that ends it."""

    moves: tuple[Move, ...]
    """Changes of the memory on the way, in order."""
    props: tuple[Directive, ...]
    """What is shown on the way."""
    size: int
    """How many operations it has; a long expression counts as several."""
    at: int
    """The address of its end."""
    end: Op
    """The operation that ends it: a wait or a fork."""
    joins: JoinedQuestion | None
    """The question that follows its line and shares its step."""
    line: SayElement | None
    """Its end, if that is a line."""
    result: StepResult | None
    """The complete step, if it is the same each time."""


def _measure_work(op: Op) -> int:
    letters = sum(len(each.source) for each in list_op_expressions(op))
    return 1 + letters // _LETTERS_PER_OPERATION


class SpanIndex:
    """All spans of a program, made when they are first needed."""

    def __init__(self, program: Program, stage: DirectiveBuilder) -> None:
        self._program, self._ops = program, program.ops
        self._stage = stage
        self.made: list[Span | None] = [None] * len(program.ops)
        """The spans made so far, by first address."""
        self.plain: list[LocatedStep | None] = [None] * len(program.ops)
        """Steps of spans that are always the same and change no memory."""
        self.passed = 0
        """How many were made."""

    def get_span(self, start: int) -> Span:
        """Return the span that begins at an address."""
        made = self.made[start]
        if made is None:
            made = self.made[start] = self._build_span(start)
            self.passed += 1
        return made

    def _build_span(self, start: int) -> Span:
        moves: list[Move] = []
        props: list[Directive] = []
        at, size = start, 0
        for _ in range(_MOST):
            op = self._ops[at]
            size += _measure_work(op)
            match op:
                case JumpOp(to=None):
                    moves.append(op)
                case GoOp() | JumpOp():
                    pass
                case EnterOp() | AssignElement():
                    moves.append(op)
                case PictureElement() | ClearElement() | SoundElement(kind="bgm"):
                    moves.append(op)
                    props.append(self._stage.build_effect(op, at))
                case EventElement() | SoundElement(kind="se"):
                    props.append(self._stage.build_effect(op, at))
                case _:
                    break
            (at,) = self._program.list_successors(at)
        return self._end_span(start, tuple(moves), tuple(props), size, at)

    def _end_span(
        self, start: int, moves: tuple[Move, ...], props: tuple[Directive, ...], size: int, at: int
    ) -> Span:
        end = self._ops[at]
        joins, line, result = None, None, None
        if isinstance(end, SayElement):
            line = end
            joins = None if end.click else self.find_joined_question(at + 1)
            utterance = find_constant(end.words)
            if joins is None and utterance is not None:
                directives = (*props, self._stage.build_line(end, utterance, at))
                result = StepResult(next=Next.WAIT_USER, directives=directives)
            if result is not None and not moves:
                self.plain[start] = LocatedStep(result, start, at, props)
        return Span(moves, props, size, at, end, joins, line, result)

    def find_joined_question(self, at: int) -> JoinedQuestion | None:
        """Find the question that is asked from here with nothing shown before it."""
        moves: list[EnterOp | AssignElement | JumpOp] = []
        falls = False
        for _ in range(_MOST):
            op = self._ops[at]
            match op:
                case OfferOp() | AskElement():
                    return JoinedQuestion(tuple(moves), op, at, falls)
                case FallOp():
                    falls = True
                case EnterOp() | AssignElement() | JumpOp(to=None):
                    moves.append(op)
                case GoOp() | JumpOp():
                    pass
                case _:
                    return None
            (at,) = self._program.list_successors(at)
        return None
