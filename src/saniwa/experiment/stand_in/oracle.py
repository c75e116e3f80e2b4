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
from saniwa.experiment.stand_in.prompt_reader import (
    PromptReading,
    read_prompt,
    remember_talk,
)
from saniwa.models.metering import estimate_request_tokens
from saniwa.models.oracle import (
    FinishReason,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
)


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


def garble_answer(
    draft: AnswerDraft, tongue: StandInLanguage, luck: StandInChance
) -> str:
    """Write an answer in a broken format."""
    return luck.pick_one("break", _BREAKS)(draft, tongue)


def _add_preamble(draft: AnswerDraft, tongue: StandInLanguage) -> str:
    begun = {"en": "Sure! Here is my turn:", "ja": "はい、私の番ですね。"}
    return f"{begun[tongue]}\n{write_answer(draft)}"


def _add_next_speaker(draft: AnswerDraft, tongue: StandInLanguage) -> str:
    more = {"en": "User: What happens next?", "ja": "User: それからどうなる？"}
    return f"{write_answer(draft)}\n{more[tongue]}"


def _add_stop_token(draft: AnswerDraft, tongue: StandInLanguage) -> str:
    del tongue
    return f"{write_answer(draft)}<|im_end|>"


def _drop_output_tag(draft: AnswerDraft, tongue: StandInLanguage) -> str:
    del tongue
    return f"Thought: {draft.thought}\n{draft.output}"


def _join_lines(draft: AnswerDraft, tongue: StandInLanguage) -> str:
    del tongue
    return f"Thought: {draft.thought} Output: {draft.output}"


def _drop_thought(draft: AnswerDraft, tongue: StandInLanguage) -> str:
    del tongue
    return f"Output: {draft.output}"


def _leave_deed_open(draft: AnswerDraft, tongue: StandInLanguage) -> str:
    if not draft.deed:
        return _add_preamble(draft, tongue)
    return f"Thought: {draft.thought}\nOutput: {draft.speech} *{draft.deed}"


def _drop_everything(draft: AnswerDraft, tongue: StandInLanguage) -> str:
    del draft, tongue
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
        text, finish = _truncate_answer(
            answer_request(request, self._faults), request.max_tokens
        )
        if hear is not None:
            hear(text)
        read, said = estimate_request_tokens(request), _count_tokens(text)
        usage = Usage(calls=1, input_tokens=read, output_tokens=said)
        took = self._faults.pace_ms * (said + read // _TOKENS_READ_PER_SAID)
        return OracleAnswer(
            text=text, finish=finish, usage=usage, model=MODEL_NAME, took_ms=took
        )

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def answer_request(request: OracleRequest, faults: StandInFaults) -> str:
    """Return the answer of a stand-in with these faults."""
    heard = read_prompt(request)
    luck = _make_chance(heard, request.seed or 0)
    intention = _choose_intention(heard, luck, faults)
    draft = _write_draft(intention, heard, luck, faults)
    if luck.decide("garble", faults.garble):
        return garble_answer(draft, heard.tongue, luck)
    return write_answer(draft)


def _make_chance(heard: PromptReading, seed: int) -> StandInChance:
    """Return the random choices of a turn; they do not depend on the condition."""
    story = crc32(f"{heard.nature}\n{heard.prose}".encode("utf-8", "surrogatepass"))
    return StandInChance(seed, f"{heard.name} {story} {heard.turn}")


def _choose_intention(
    heard: PromptReading, luck: StandInChance, faults: StandInFaults
) -> StandInIntention:
    signal = heard.signal
    if signal is None:
        return _choose_first_intention(heard, luck, faults)
    begun = luck._replace(seed=luck.seed - RETRY_STRIDE * signal.made)
    return respond_to_card(
        heard, signal, _choose_first_intention(heard, begun, faults), luck, faults
    )


def _choose_first_intention(
    heard: PromptReading, luck: StandInChance, faults: StandInFaults
) -> StandInIntention:
    """Choose what to do at the first attempt, before any guidance."""
    trusting = heard.facts is not None and luck.decide("trust", faults.trust)
    if luck.decide("repeat", faults.repeat):
        again = _repeat_own_words(heard, deeds=not trusting)
        if again:
            return StandInIntention("repeat", again=again)
    memory = remember_talk(heard)
    if heard.facts is None or not trusting:
        return choose_from_talk(heard, memory, luck, faults)
    reckless = luck.decide("force", faults.force)
    return choose_from_facts(heard.facts, luck, memory, heard.prose, reckless=reckless)


def _repeat_own_words(heard: PromptReading, *, deeds: bool) -> str:
    """Return its last line; without the deeds if it trusts the facts."""
    last = heard.own_lines[-1:]
    if not last or deeds:
        return last[0] if last else ""
    return " ".join("".join(last[0].split("*")[::2]).split())


def _write_draft(
    intention: StandInIntention,
    heard: PromptReading,
    luck: StandInChance,
    faults: StandInFaults,
) -> AnswerDraft:
    why = write_thought(intention, heard)
    if intention.again:
        return AnswerDraft(why, "", intention.again)
    said = write_speech(intention, heard, luck)
    whom = _choose_listener(heard, luck)
    if whom and luck.decide("call", _CALL_PERCENT):
        said = write_call(whom, heard.tongue) + said
    if heard.signal is not None and luck.decide("sorry", faults.apologise):
        said = write_apology(heard.tongue, luck) + said
    deed = render_deed(intention.deed, heard.tongue) if intention.deed else ""
    return AnswerDraft(why, deed, said)


def _choose_listener(heard: PromptReading, luck: StandInChance) -> str:
    """Return a character who is here, if that is known; else the last speaker."""
    if heard.facts is not None:
        people = [name for name in heard.facts.people if is_sayable(name)]
        return luck.pick_one("whom", people) if people else ""
    others = [
        who for who, _ in heard.talk[-3:] if who != heard.name and is_sayable(who)
    ]
    return others[-1] if others else ""


def _truncate_answer(text: str, tokens: int) -> tuple[str, FinishReason]:
    """Truncate an answer to the allowed number of tokens."""
    if _count_tokens(text) <= max(tokens, 1):
        return text, "stop"
    kept = text.encode("utf-8", "surrogatepass")[: max(tokens, 1) * _BYTES_A_TOKEN]
    return kept.decode("utf-8", "ignore"), "length"


def _count_tokens(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN + 1
