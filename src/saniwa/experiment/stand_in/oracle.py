"""A character played without a model, through the same interface as a model.

A stand-in remembers nothing between requests: its answer is computed from the request
alone, so that one instance can serve many cells concurrently and in any order.
"""

from collections.abc import Callable
from typing import Final, NamedTuple
from zlib import crc32

from saniwa.experiment.plan import RETRY_STRIDE, StandInFaults
from saniwa.experiment.stand_in.decisions import (
    choose_from_facts,
    choose_from_talk,
    respond_to_card,
)
from saniwa.experiment.stand_in.deeds import (
    StandInChance,
    StandInIntention,
    StandInLanguage,
    is_sayable,
    render_deed,
)
from saniwa.experiment.stand_in.phrases import (
    write_apology,
    write_call,
    write_speech,
    write_thought,
)
from saniwa.experiment.stand_in.prompt_reader import PromptReading, read_prompt, remember_talk
from saniwa.models.metering import estimate_request_tokens
from saniwa.models.oracle import FinishReason, OracleAnswer, OracleRequest, TextListener, Usage


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
    return luck.pick_one("break", _BREAKS)(draft, language)


def _add_preamble(draft: AnswerDraft, language: StandInLanguage) -> str:
    preambles = {"en": "Sure! Here is my turn:", "ja": "はい、私の番ですね。"}
    return f"{preambles[language]}\n{write_answer(draft)}"


def _add_next_speaker(draft: AnswerDraft, language: StandInLanguage) -> str:
    more = {"en": "User: What happens next?", "ja": "User: それからどうなる？"}
    return f"{write_answer(draft)}\n{more[language]}"


def _add_stop_token(draft: AnswerDraft, language: StandInLanguage) -> str:
    del language
    return f"{write_answer(draft)}<|im_end|>"


def _drop_output_tag(draft: AnswerDraft, language: StandInLanguage) -> str:
    del language
    return f"Thought: {draft.thought}\n{draft.output}"


def _join_lines(draft: AnswerDraft, language: StandInLanguage) -> str:
    del language
    return f"Thought: {draft.thought} Output: {draft.output}"


def _drop_thought(draft: AnswerDraft, language: StandInLanguage) -> str:
    del language
    return f"Output: {draft.output}"


def _leave_deed_open(draft: AnswerDraft, language: StandInLanguage) -> str:
    if not draft.deed:
        return _add_preamble(draft, language)
    return f"Thought: {draft.thought}\nOutput: {draft.speech} *{draft.deed}"


def _drop_everything(draft: AnswerDraft, language: StandInLanguage) -> str:
    del draft, language
    return ""


_Break = Callable[[AnswerDraft, StandInLanguage], str]
_BREAKS: Final[tuple[_Break, ...]] = (
    _add_preamble,
    _add_next_speaker,
    _add_stop_token,
    _drop_output_tag,
    _join_lines,
    _drop_thought,
    _leave_deed_open,
    _drop_everything,
)


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
    luck = _make_chance(prompt, request.seed or 0)
    intention = _choose_intention(prompt, luck, faults)
    draft = _write_draft(intention, prompt, luck, faults)
    if luck.decide("garble", faults.garble):
        return garble_answer(draft, prompt.tongue, luck)
    return write_answer(draft)


def _make_chance(prompt: PromptReading, seed: int) -> StandInChance:
    """Return the random choices of a turn; they do not depend on the condition."""
    story = crc32(f"{prompt.nature}\n{prompt.prose}".encode("utf-8", "surrogatepass"))
    return StandInChance(seed, f"{prompt.name} {story} {prompt.turn}")


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
        speech = write_call(whom, prompt.tongue) + speech
    if prompt.signal is not None and luck.decide("sorry", faults.apologise):
        speech = write_apology(prompt.tongue, luck) + speech
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
