"""A character played without a model, through the same interface as a model.

A stand-in remembers nothing between requests: its answer is computed from the request
alone, so that one instance can serve many cells concurrently and in any order. A
thought names the reason, so that a trace shows why a turn went wrong.

What it does is chosen from facts, a guidance card, or only the transcript. From facts,
only what is listed and not shut is chosen. What facts do not say is left to common
sense: furniture is not carried, keys open locks. If that is wrong, the rulebook refuses
it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from zlib import crc32

import msgspec

from saniwa.experiment.plan import RETRY_STRIDE, StandInFaults
from saniwa.experiment.prompts import GuidanceSignal, SpeakerFacts
from saniwa.experiment.stand_in.deeds import (
    WORDS,
    DeedKind,
    IntentionReason,
    StandInChance,
    StandInDeed,
    StandInIntention,
    StandInLanguage,
    add_article,
    find_everyday_names,
    is_fixed,
    is_key,
    is_sayable,
    is_shutting,
    render_deed,
    strip_article,
)
from saniwa.experiment.stand_in.prompt_reader import (
    PromptReading,
    TalkMemory,
    read_prompt,
    remember_talk,
)
from saniwa.models.metering import estimate_request_tokens
from saniwa.models.oracle import FinishReason, OracleAnswer, OracleRequest, TextListener, Usage

_WORD: Final = re.compile(r"[^\W\d_]{4,}")


def rank_leading_deeds(
    deeds: dict[str, list[StandInDeed]], prose: str
) -> Iterator[list[StandInDeed]]:
    """Yield groups of deeds that lead on, the most promising first.

    Args:
        deeds: What can be done, by kind.
        prose: The author's text.
    """
    yield deeds["unlock"]
    yield [d for d in deeds["take"] if is_key(d.target) or is_mentioned(prose, d.target)]
    yield [
        d for d in deeds["give"] if is_mentioned(prose, d.target) and is_mentioned(prose, d.other)
    ]
    yield deeds["open"]
    yield [d for d in deeds["go"] if is_mentioned(prose, d.target)]
    yield [*deeds["go"], *deeds["search"]]


@lru_cache(maxsize=4096)
def is_mentioned(prose: str, name: str) -> bool:
    """Return whether a text contains a name, or one of the words of it."""
    if name in prose:
        return True
    words = _WORD.findall(name.casefold()) if name.isascii() else []
    return any(word in _split_words(prose) for word in words)


@lru_cache(maxsize=256)
def _split_words(prose: str) -> frozenset[str]:
    return frozenset(_WORD.findall(prose.casefold()))


_WISHES: Final[tuple[tuple[DeedKind, ...], ...]] = (
    ("take", "open", "search", "go"),
    ("take", "search", "go"),
    ("open", "take", "go", "search"),
    ("open", "search", "take"),
    ("go", "take", "search"),
    ("go", "open", "search"),
    ("go", "study"),
    ("search", "take", "go"),
    ("study", "take", "go"),
    ("give", "take", "go", "study"),
    (),
)
"""What a stand-in prefers, and what instead; an empty entry means talking."""
_PURPOSEFUL: Final = 60
"""Percentage of turns in which it tries to make progress."""


def choose_from_facts(
    facts: SpeakerFacts,
    luck: StandInChance,
    memory: TalkMemory,
    prose: str,
    *,
    reckless: bool = False,
) -> StandInIntention:
    """Choose what to do when the facts are known.

    Args:
        facts: The facts in the prompt.
        luck: The random choices of this turn.
        memory: What was done before; a thing that was taken stays with its taker.
        prose: The author's text, which may mention what matters.
        reckless: Whether shut things are tried as if they were open.
    """
    fresh = _list_possible(facts, memory, reckless)
    for deeds in _list_inclinations(fresh, luck, prose):
        if deeds:
            deed = luck.pick_one("which", deeds)
            rash = reckless and _is_rash(deed, facts)
            return StandInIntention("force" if rash else "told", deed)
    ways = _list_ways(facts, reckless)["go"]
    if ways and luck.decide("back", 50):
        # Going back is possible; repeating any other deed leads nowhere.
        deed = luck.pick_one("which", ways)
        return StandInIntention("force" if reckless and _is_rash(deed, facts) else "told", deed)
    return StandInIntention("talk")


def _list_inclinations(
    fresh: dict[str, list[StandInDeed]], luck: StandInChance, prose: str
) -> Iterator[list[StandInDeed]]:
    if luck.decide("purpose", _PURPOSEFUL):
        yield from rank_leading_deeds(fresh, prose)
    for kind in luck.pick_one("wish", _WISHES):
        yield fresh[kind]


def _list_possible(
    facts: SpeakerFacts, memory: TalkMemory, reckless: bool
) -> dict[str, list[StandInDeed]]:
    """List everything that can be done and was not done before, by kind."""
    fresh = {
        kind: [deed for deed in deeds if deed not in memory.done]
        for kind, deeds in _list_ways(facts, reckless).items()
    }
    fresh["take"] = [d for d in fresh["take"] if d.target not in memory.taken]
    return fresh


@lru_cache(maxsize=256)
def _list_ways(facts: SpeakerFacts, reckless: bool) -> dict[str, list[StandInDeed]]:
    """List the deeds that the facts allow, by kind; small things hide nothing."""
    objects, held, exits, people = (
        list_single_names(names)
        for names in (facts.objects, facts.holding, facts.exits, facts.people)
    )
    shut = (*facts.closed, *facts.locked)
    barred = () if reckless else shut
    openable = [n for n in objects if n in shut and (reckless or n not in facts.locked)]
    loose = [n for n in objects if not is_fixed(n) and n not in (*shut, *facts.holding)]
    keys = [name for name in held if is_key(name)]
    here = [facts.place] if is_sayable(facts.place) else []
    furniture = [name for name in objects if is_fixed(name) and name not in barred]
    locks = [name for name in objects if name in facts.locked]
    gifts = [name for name in held if not is_key(name)]
    return {
        "unlock": [StandInDeed("unlock", lock, key) for lock in locks for key in keys],
        "take": [StandInDeed("take", n) for n in filter(is_key, loose)]
        or [StandInDeed("take", n) for n in loose],
        "open": [StandInDeed("open", name) for name in openable],
        "search": [StandInDeed("search", name) for name in (*here, *furniture)],
        "study": [StandInDeed("study", name) for name in objects],
        "go": [StandInDeed("go", name) for name in exits if name not in barred],
        "give": [StandInDeed("give", thing, who) for thing in gifts for who in people],
    }


def list_single_names(names: Sequence[str]) -> list[str]:
    """List the names that can be said and are unique; others would be ambiguous."""
    return [name for name in names if is_sayable(name) and names.count(name) == 1]


def _is_rash(deed: StandInDeed, facts: SpeakerFacts) -> bool:
    """Return whether a deed ignores that its target is shut, as opening would not."""
    if deed.target in facts.locked:
        return deed.kind in ("go", "search", "open")
    return deed.target in facts.closed and deed.kind in ("go", "search")


def respond_to_card(
    prompt: PromptReading,
    signal: GuidanceSignal,
    first: StandInIntention,
    luck: StandInChance,
    faults: StandInFaults,
) -> StandInIntention:
    """Choose what to do after a guidance card.

    Args:
        prompt: The prompt.
        signal: The card in it.
        first: What the stand-in intended at the first attempt.
        luck: The random choices of this attempt.
        faults: Whether it follows cards.
    """
    if not luck.decide("heed", faults.heed):
        return _insist_on_deed(signal, first)
    offered = _choose_offered(prompt, signal, luck)
    return StandInIntention("heed", offered) if offered else StandInIntention("quiet")


def _insist_on_deed(signal: GuidanceSignal, first: StandInIntention) -> StandInIntention:
    """Repeat the intention; take the blocked target from the card if need be."""
    blocked = strip_article(signal.target)
    same = first.deed is not None and blocked in (first.deed.target, first.deed.other)
    if same or first.again or not is_sayable(blocked):
        return first._replace(why="insist")
    return StandInIntention("insist", StandInDeed("take", blocked))


def _choose_offered(
    prompt: PromptReading, signal: GuidanceSignal, luck: StandInChance
) -> StandInDeed | None:
    """Choose a deed on something that is listed and was not blocked.

    The last card asks for something that cannot fail: looking at something cannot.
    """
    blocked = strip_article(signal.target)
    if not signal.last and prompt.facts is not None:
        facts = _remove_name(prompt.facts, blocked)
        intention = choose_from_facts(facts, luck, remember_talk(prompt), prompt.prose)
        return intention.deed or _choose_listed(facts, luck, safe=True)
    return _choose_listed(_remove_name(signal.facts, blocked), luck, safe=signal.last)


def _choose_listed(facts: SpeakerFacts, luck: StandInChance, *, safe: bool) -> StandInDeed | None:
    """Choose one of the card's own patterns; None if nothing is listed."""
    objects = list_single_names(facts.objects)
    deeds = [StandInDeed("study", name) for name in objects]
    if not safe:
        deeds += [StandInDeed("take", name) for name in objects if not is_fixed(name)]
        deeds += [StandInDeed("go", name) for name in list_single_names(facts.exits)]
    return luck.pick_one("offer", deeds) if deeds else None


def _remove_name(facts: SpeakerFacts, name: str) -> SpeakerFacts:
    return msgspec.structs.replace(
        facts,
        objects=tuple(each for each in facts.objects if each != name),
        exits=tuple(each for each in facts.exits if each != name),
    )


_INVENTED_KINDS: Final[tuple[DeedKind, ...]] = ("take", "take", "take", "search", "open")


def choose_from_talk(
    prompt: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention:
    """Choose what to do if there are no facts, or they are ignored."""
    return (
        _invent_deed(prompt, luck, faults)
        or _misplace_deed(prompt, memory, luck, faults)
        or _force_deed(prompt, memory, luck, faults)
        or _act_carefully(memory, luck)
    )


def _invent_deed(
    prompt: PromptReading, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    if not luck.decide("invent", faults.invent):
        return None
    lured = _find_lure(prompt) if luck.decide("lure", 70) else ""
    thing = lured or luck.pick_one("thing", WORDS[prompt.tongue].everyday_items)
    return StandInIntention("invent", StandInDeed(luck.pick_one("meddle", _INVENTED_KINDS), thing))


def _find_lure(prompt: PromptReading) -> str:
    """Return the thing that something in the prompt suggests."""
    read = [prompt.prose, *(text for _, text in prompt.talk)]
    read += prompt.facts.objects if prompt.facts else ()
    for lure, thing in WORDS[prompt.tongue].lures:
        if any(lure in text for text in read):
            return thing
    return ""


def _misplace_deed(
    prompt: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    if not luck.decide("misplace", faults.misplace):
        return None
    things, places = find_everyday_names(prompt.prose, prompt.tongue)
    things = tuple(t for t in (*memory.elsewhere, *things) if not is_shutting(t))
    if things and luck.decide("thing or place", 50):
        return StandInIntention("misplace", StandInDeed("take", luck.pick_one("thing", things)))
    if places := tuple(p for p in places if p not in memory.places):
        return StandInIntention("misplace", StandInDeed("go", luck.pick_one("place", places)))
    return StandInIntention(
        "stray", StandInDeed("go", luck.pick_one("place", WORDS[prompt.tongue].everyday_places))
    )


def _force_deed(
    prompt: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    """Try a shut thing; only what the story or a character mentioned."""
    things = (*memory.here, *find_everyday_names(prompt.prose, prompt.tongue)[0])
    shut = [t for t in things if is_shutting(t) and t not in memory.fruitless]
    inclined = luck.decide("door", 40) and luck.decide("force", faults.force)
    if not shut or not inclined:
        return None
    return StandInIntention("try", StandInDeed("open", luck.pick_one("thing", shut)))


def _act_carefully(memory: TalkMemory, luck: StandInChance) -> StandInIntention:
    """Act on what others did here; else ask, look or talk."""
    known = [name for name in memory.here if name not in memory.fruitless]
    deeds = [StandInDeed("study", name) for name in known]
    deeds += [
        StandInDeed("take", name)
        for name in known
        if name not in memory.taken and not is_fixed(name)
    ]
    deeds += [StandInDeed("go", place) for place in memory.places[-1:]]
    fresh = [deed for deed in deeds if deed not in memory.done]
    if fresh and luck.decide("go by it", 50):
        return StandInIntention("careful", luck.pick_one("which", fresh))
    if luck.decide("look", 50):
        return StandInIntention("ask", StandInDeed("look"))
    return StandInIntention("talk")


_GUESSES: Final[frozenset[IntentionReason]] = frozenset(
    ("invent", "misplace", "stray", "try", "careful", "ask")
)
"""Reasons of a stand-in that does not know what is here."""


def write_thought(intention: StandInIntention, prompt: PromptReading) -> str:
    """Write why it does what it does, in a sentence or two."""
    words, about = WORDS[prompt.tongue], intention.target_name
    indefinite = f"an {about}" if about[:1].lower() in "aeiou" else f"a {about}"
    because = words.thoughts[intention.why].format(
        add_article(about, prompt.tongue), about if about.endswith("s") else indefinite
    )
    if intention.why not in _GUESSES:
        return because
    return (words.uninformed if prompt.facts is None else words.doubting) + because


def write_speech(intention: StandInIntention, prompt: PromptReading, luck: StandInChance) -> str:
    """Write what it says; avoids lines still in the transcript if it can."""
    words, deed = WORDS[prompt.tongue], intention.deed
    known = words.talk_speeches if deed is None else words.deed_speeches[deed.kind]
    transcript = "\n".join(text for _, text in prompt.talk)
    about = add_article(intention.target_name, prompt.tongue)
    filled = [line.format(about) for line in known]
    lines = [line[:1].upper() + line[1:] for line in filled]
    return luck.pick_one("say", [line for line in lines if line not in transcript] or lines)


class AnswerDraft(NamedTuple):
    """The parts of an answer."""

    thought: str
    """The thought."""
    deed: str
    """The deed, without asterisks; empty for none."""
    speech: str
    """The speech."""

    @property
    def output(self) -> str:
        """Deed and speech on one line."""
        done = f"*{self.deed}*" if self.deed else ""
        return f"{done} {self.speech}".strip()


def write_answer(draft: AnswerDraft) -> str:
    """Write an answer in the requested format of two lines."""
    return f"Thought: {draft.thought}\nOutput: {draft.output}"


def garble_answer(draft: AnswerDraft, language: StandInLanguage, luck: StandInChance) -> str:
    """Write an answer in a broken format."""
    words, written = WORDS[language], write_answer(draft)
    preceded = f"{words.preamble}\n{written}"
    unclosed = f"Thought: {draft.thought}\nOutput: {draft.speech} *{draft.deed}"
    broken = (
        preceded,
        f"{written}\n{words.next_speaker}",
        f"{written}<|im_end|>",
        f"Thought: {draft.thought}\n{draft.output}",
        f"Thought: {draft.thought} Output: {draft.output}",
        f"Output: {draft.output}",
        unclosed if draft.deed else preceded,
        "",
    )
    return luck.pick_one("break", broken)


MODEL_NAME: Final = "stand-in"
"""The model name in answers."""
_BYTES_A_TOKEN: Final = 3
_TOKENS_READ_PER_SAID: Final = 50
"""Tokens read in the time of writing one."""
_CALL_PERCENT: Final = 35
"""Percentage of speeches that begin with a listener's name."""


class StandIn:
    """Plays the character that a prompt describes."""

    def __init__(self, faults: StandInFaults) -> None:
        self._faults = faults

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the character's turn. Never fails or waits: time is simulated."""
        text, finish = _truncate_answer(answer_request(request, self._faults), request.max_tokens)
        if hear is not None:
            hear(text)
        input_tokens, output_tokens = (estimate_request_tokens(request), _count_tokens(text))
        usage = Usage(calls=1, input_tokens=input_tokens, output_tokens=output_tokens)
        took = self._faults.pace_ms * (output_tokens + input_tokens // _TOKENS_READ_PER_SAID)
        return OracleAnswer(text=text, finish=finish, usage=usage, model=MODEL_NAME, took_ms=took)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def answer_request(request: OracleRequest, faults: StandInFaults) -> str:
    """Return the answer of a stand-in with these faults."""
    prompt = read_prompt(request)
    story = crc32(f"{prompt.nature}\n{prompt.prose}".encode("utf-8", "surrogatepass"))
    # The random choices of a turn do not depend on the condition.
    luck = StandInChance(request.seed or 0, f"{prompt.name} {story} {prompt.turn}")
    intention = _choose_intention(prompt, luck, faults)
    draft = _write_draft(intention, prompt, luck, faults)
    if luck.decide("garble", faults.garble):
        return garble_answer(draft, prompt.tongue, luck)
    return write_answer(draft)


def _choose_intention(
    prompt: PromptReading, luck: StandInChance, faults: StandInFaults
) -> StandInIntention:
    signal = prompt.signal
    if signal is None:
        return _choose_first_intention(prompt, luck, faults)
    first_luck = luck._replace(seed=luck.seed - RETRY_STRIDE * signal.made)
    return respond_to_card(
        prompt, signal, _choose_first_intention(prompt, first_luck, faults), luck, faults
    )


def _choose_first_intention(
    prompt: PromptReading, luck: StandInChance, faults: StandInFaults
) -> StandInIntention:
    """Choose what to do at the first attempt, before any guidance."""
    trusting = prompt.facts is not None and luck.decide("trust", faults.trust)
    if luck.decide("repeat", faults.repeat):
        repeated = _repeat_own_words(prompt, deeds=not trusting)
        if repeated:
            return StandInIntention("repeat", again=repeated)
    memory = remember_talk(prompt)
    if prompt.facts is None or not trusting:
        return choose_from_talk(prompt, memory, luck, faults)
    reckless = luck.decide("force", faults.force)
    return choose_from_facts(prompt.facts, luck, memory, prompt.prose, reckless=reckless)


def _repeat_own_words(prompt: PromptReading, *, deeds: bool) -> str:
    """Return its last line; without the deeds if it trusts the facts."""
    last = prompt.own_lines[-1:]
    if not last or deeds:
        return last[0] if last else ""
    return " ".join("".join(last[0].split("*")[::2]).split())


def _write_draft(
    intention: StandInIntention, prompt: PromptReading, luck: StandInChance, faults: StandInFaults
) -> AnswerDraft:
    why = write_thought(intention, prompt)
    if intention.again:
        return AnswerDraft(why, "", intention.again)
    speech = write_speech(intention, prompt, luck)
    whom = _choose_listener(prompt, luck)
    if whom and luck.decide("call", _CALL_PERCENT):
        speech = WORDS[prompt.tongue].call.format(whom) + speech
    if prompt.signal is not None and luck.decide("sorry", faults.apologise):
        speech = luck.pick_one("sorry", WORDS[prompt.tongue].apologies) + speech
    deed = render_deed(intention.deed, prompt.tongue) if intention.deed else ""
    return AnswerDraft(why, deed, speech)


def _choose_listener(prompt: PromptReading, luck: StandInChance) -> str:
    """Return a character who is here, if that is known; else the last speaker."""
    if prompt.facts is not None:
        people = [name for name in prompt.facts.people if is_sayable(name)]
        return luck.pick_one("whom", people) if people else ""
    others = [who for who, _ in prompt.talk[-3:] if who != prompt.name and is_sayable(who)]
    return others[-1] if others else ""


def _truncate_answer(text: str, tokens: int) -> tuple[str, FinishReason]:
    """Truncate an answer to the allowed number of tokens."""
    if _count_tokens(text) <= max(tokens, 1):
        return text, "stop"
    truncated = text.encode("utf-8", "surrogatepass")[: max(tokens, 1) * _BYTES_A_TOKEN]
    return truncated.decode("utf-8", "ignore"), "length"


def _count_tokens(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN + 1
