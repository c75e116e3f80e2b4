"""Which options of an offer a reader sees, and which of them can be taken."""

from collections.abc import Sequence
from typing import NamedTuple, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.story import stepresult
from saniwa.story.assets import Assets
from saniwa.story.memory import StoryMemory
from saniwa.story.program import (
    ClearOp,
    OfferOp,
    OfferOption,
    Program,
    ShowOp,
    SignalOp,
    SoundOp,
    SpeakOp,
)
from saniwa.story.stepresult import (
    Branch,
    Directive,
    Next,
    Option,
    Say,
    SayArgs,
    Source,
    TextSpan,
)
from saniwa.story.text import Utterance, render_words


class DirectiveBuilder:
    """Makes directives for one player; the same operation always looks the same."""

    def __init__(self, program: Program, assets: Assets, *, annotate: bool) -> None:
        """A stage; `annotate` puts ids and sources on everything."""
        self._program = program
        self._assets = assets
        self._annotate = annotate

    def build_line(self, op: SpeakOp, said: Utterance, address: int) -> Say:
        """A line of text."""
        text, marked = said
        if not (self._annotate or op.named or op.tags or op.values or marked):
            return Say(SayArgs(op.speaker, text))
        id = op.id if self._annotate or op.named else ""
        voice = dict(op.values).get("voice", "")
        spans = tuple(TextSpan(*each) for each in marked)
        source = self._make_source(address)
        return Say.build(op.speaker, text, id, op.tags, voice, source, spans)

    def build_effect(
        self, op: ShowOp | SoundOp | ClearOp | SignalOp, address: int
    ) -> Directive:
        """A picture, a sound, an emptied layer or an event."""
        source = self._make_source(address)
        match op:
            case ShowOp(name=name, layer=layer):
                path = self._assets.find("image", name)
                return stepresult.ShowImage.build(layer, path, source)
            case SoundOp():
                return _build_sound(op, self._assets.find(op.kind, op.name), source)
            case ClearOp(layer=layer):
                return stepresult.ClearLayer.build(layer, source)
            case SignalOp(name=name, values=values):
                return stepresult.Event.build(name, values, source)
            case _:
                assert_never(op)

    def build_picture(self, name: str, layer: str) -> Directive:
        """A picture that is on the stage already."""
        return stepresult.ShowImage.build(layer, self._assets.find("image", name))

    def build_music(self, name: str) -> Directive:
        """The music that plays already."""
        return stepresult.PlayBgm.build(self._assets.find("bgm", name))

    def build_pause(self, seconds: float, address: int) -> stepresult.Wait:
        """A pause."""
        return stepresult.Wait.build(seconds, self._make_source(address))

    def build_branch(
        self, shown: Sequence[tuple[OfferOption, str, bool]], address: int
    ) -> Branch:
        """The options somebody sees; with more than their texts where there is more."""
        for way, _, enabled in shown:
            if self._annotate or way.named or way.tags or not enabled:
                break
        else:
            return Branch.build(*[text for _, text, _ in shown])
        options = [self._build_option(*one) for one in shown]
        return Branch.build_from_options(tuple(options), self._make_source(address))

    def _build_option(self, way: OfferOption, text: str, enabled: bool) -> Option:
        id = way.id if self._annotate or way.named else ""
        return Option.build(text, enabled, id, way.tags)

    def build_ask(self, prompt: str, address: int) -> stepresult.Ask:
        """A question that is answered in one's own words."""
        return stepresult.Ask.build(prompt, self._make_source(address))

    def build_ending(self, id: str, name: str, address: int) -> stepresult.Ending:
        """An ending."""
        return stepresult.Ending.build(id, name, self._make_source(address))

    def _make_source(self, address: int) -> Source | UnsetType:
        if not self._annotate:
            return UNSET
        where = self._program.locate_op(address)
        return Source(where.line, where.column, where.file or UNSET)


def _build_sound(
    op: SoundOp, path: str | None, source: Source | UnsetType
) -> Directive:
    match op.kind:
        case "bgm":
            return stepresult.PlayBgm.build(path, source)
        case "se":
            return stepresult.PlaySe.build(path, source)
        case "movie":
            return stepresult.PlayMovie.build(path, source)


_GONE, _SHOWN, _OPEN = 0, 1, 2


class ShownOption(NamedTuple):
    """An option as a reader sees it."""

    way: OfferOption
    """The option."""
    text: str
    """How it reads now."""
    enabled: bool
    """Whether it can be chosen."""


class OfferQuestion(msgspec.Struct, frozen=True, gc=False):
    """What a reader is offered."""

    options: tuple[ShownOption, ...]
    """What can be chosen from."""
    own_words: OfferOption | None
    """The option that stands for the person's own words."""
    awaits: Next
    """What the host waits for."""
    directives: tuple[Directive, ...]
    """How the host is told."""


class _OfferPlan(msgspec.Struct, frozen=True, gc=False):
    """What of an offer never changes."""

    always: bool
    """Whether some option is always open."""
    asked: tuple[OfferOption, ...]
    """The options that have to be asked about whenever they are offered."""
    constant: bool
    """Whether every option always reads the same."""
    made: dict[int, OfferQuestion]
    """Then, every question that was asked, by which it was."""


class QuestionBuilder:
    """Asks the questions of one player; the same question is made once."""

    def __init__(self, stage: DirectiveBuilder) -> None:
        self._stage = stage
        self._sieves: dict[int, _OfferPlan] = {}

    def build_question(
        self, offer: OfferOp, at: int, memory: StoryMemory
    ) -> OfferQuestion | None:
        """What the reader is offered now; None where nothing of it could be taken."""
        sieve = self._sieves.get(at)
        if sieve is None:
            sieve = self._sieves[at] = _plan_offer(offer)
        # One figure to the base of three for each that is asked: which question this is.
        which, possible = 0, sieve.always
        for way in sieve.asked:
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
        known = sieve.made.get(which)
        if known is not None:
            return known
        asked = self._build_new_question(
            offer, at, _split_digits(which, len(sieve.asked)), memory
        )
        if sieve.constant:
            sieve.made[which] = asked
        return asked

    def _build_new_question(
        self, offer: OfferOp, at: int, figures: list[int], memory: StoryMemory
    ) -> OfferQuestion:
        """The question; the figures are of those that are asked, the last one first."""
        shown: list[ShownOption] = []
        own_words: OfferOption | None = None
        for way in offer.ways:
            stands = figures.pop() if _is_conditional(way) else _OPEN
            if stands == _GONE or way.fallback:
                continue
            if way.ask:
                own_words = own_words or way
            else:
                text = render_words(way.words, memory, way.id)
                shown.append(ShownOption(way, text, stands == _OPEN))
        told: list[Directive] = [self._stage.build_branch(shown, at)] if shown else []
        if own_words is not None:
            prompt = render_words(own_words.words, memory, own_words.id)
            told.append(self._stage.build_ask(prompt, at))
        awaits = Next.WAIT_BRANCH if shown else Next.WAIT_USER
        return OfferQuestion(tuple(shown), own_words, awaits, tuple(told))


def _plan_offer(offer: OfferOp) -> _OfferPlan:
    return _OfferPlan(
        any(not (way.fallback or _is_conditional(way)) for way in offer.ways),
        tuple(filter(_is_conditional, offer.ways)),
        all(isinstance(way.words, str) for way in offer.ways),
        {},
    )


def _is_conditional(way: OfferOption) -> bool:
    """Whether an option is open or not by what is remembered."""
    bound = way.once or way.only_if is not None or way.enabled_if is not None
    return bound and not way.fallback


def _split_digits(which: int, count: int) -> list[int]:
    """The figures of a number to the base of three, the last one first."""
    figures = list[int]()
    for _ in range(count):
        which, figure = divmod(which, 3)
        figures.append(figure)
    return figures


def find_fallback(offer: OfferOp, memory: StoryMemory) -> OfferOption | None:
    """The option that is taken when nothing else can be; None where there is none."""
    ways = (way for way in offer.ways if way.fallback and _is_available(way, memory))
    return next(ways, None)


def _is_available(way: OfferOption, memory: StoryMemory) -> bool:
    if way.once and memory.count_choices(way.id):
        return False
    test = way.only_if
    return test is None or bool(test.worth(memory))
