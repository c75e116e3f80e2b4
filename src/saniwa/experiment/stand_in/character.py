"""A character played without a model, through the same interface as a model.

A stand-in remembers nothing between requests: its answer is computed from the request
alone, so that one instance can serve many cells concurrently and in any order. A
thought names the reason, so that a trace shows why a turn went wrong.
"""

from typing import Final, NamedTuple
from zlib import crc32

from saniwa.experiment.plan import RETRY_STRIDE, StandInFaults
from saniwa.experiment.stand_in.decisions import (
    choose_from_facts,
    choose_from_talk,
    respond_to_card,
)
from saniwa.experiment.stand_in.deeds import (
    WORDS,
    IntentionReason,
    StandInChance,
    StandInIntention,
    StandInLanguage,
    add_article,
    is_sayable,
    render_deed,
)
from saniwa.experiment.stand_in.prompt_reader import PromptReading, read_prompt, remember_talk
from saniwa.models.metering import estimate_request_tokens
from saniwa.models.oracle import FinishReason, OracleAnswer, OracleRequest, TextListener, Usage

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
