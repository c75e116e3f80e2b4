"""A character that is played without a model, and can be asked like one.

A stand-in remembers nothing between questions: its answer is made from the request
alone, so that one may serve many cells at once and in any order.
"""

from typing import Final
from zlib import crc32

from saniwa.agent.bridges.metered import tokens_told
from saniwa.agent.oracle import Answer, Finish, Hear, Request, Usage
from saniwa.experiment.plan import RETRY_STRIDE, Faults
from saniwa.experiment.standin.again import after_card
from saniwa.experiment.standin.deed import sayable, told
from saniwa.experiment.standin.form import Draft, garbled, written
from saniwa.experiment.standin.hearing import Heard, hear
from saniwa.experiment.standin.intention import Intention
from saniwa.experiment.standin.luck import Luck
from saniwa.experiment.standin.memory import remember
from saniwa.experiment.standin.told import from_facts
from saniwa.experiment.standin.untold import from_hearsay
from saniwa.experiment.standin.words import apology, call, speech, thought

NAME: Final = "stand-in"
"""What an answer says about who gave it."""
_BYTES_A_TOKEN: Final = 3
_READING: Final = 50
"""Tokens that are read while one is said."""
_CALLING: Final = 35
"""Hundredths of speeches that begin with somebody's name."""


class StandIn:
    """Plays whatever character a prompt says it is."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The character's turn. Never fails, and never waits: the time is simulated."""
        text, finish = _within(answer_to(request, self._faults), request.max_tokens)
        if hear is not None:
            hear(text)
        read, said = tokens_told(request), _tokens(text)
        usage = Usage(calls=1, input_tokens=read, output_tokens=said)
        took = self._faults.pace_ms * (said + read // _READING)
        return Answer(text=text, finish=finish, usage=usage, model=NAME, took_ms=took)

    async def close(self) -> None:
        """Nothing is held."""


def answer_to(request: Request, faults: Faults) -> str:
    """What a stand-in with these faults says to a request."""
    heard = hear(request)
    luck = _luck(heard, request.seed or 0)
    intention = _intention(heard, luck, faults)
    draft = _draft(intention, heard, luck, faults)
    if luck.strikes("garble", faults.garble):
        return garbled(draft, heard.tongue, luck)
    return written(draft)


def _luck(heard: Heard, seed: int) -> Luck:
    """The luck of a turn: nothing that a condition changes has a part in it."""
    story = crc32(f"{heard.nature}\n{heard.prose}".encode("utf-8", "surrogatepass"))
    return Luck(seed, f"{heard.name} {story} {heard.turn}")


def _intention(heard: Heard, luck: Luck, faults: Faults) -> Intention:
    signal = heard.signal
    if signal is None:
        return _first(heard, luck, faults)
    begun = luck._replace(seed=luck.seed - RETRY_STRIDE * signal.made)
    return after_card(heard, signal, _first(heard, begun, faults), luck, faults)


def _first(heard: Heard, luck: Luck, faults: Faults) -> Intention:
    """What it means to do before anybody has said anything to it."""
    trusting = heard.facts is not None and luck.strikes("trust", faults.trust)
    if luck.strikes("repeat", faults.repeat):
        again = _own_words(heard, deeds=not trusting)
        if again:
            return Intention("repeat", again=again)
    memory = remember(heard)
    if heard.facts is None or not trusting:
        return from_hearsay(heard, memory, luck, faults)
    reckless = luck.strikes("force", faults.force)
    return from_facts(heard.facts, luck, memory, heard.prose, reckless=reckless)


def _own_words(heard: Heard, *, deeds: bool) -> str:
    """What it said last; with what it did, unless it knows better."""
    last = heard.own[-1:]
    if not last or deeds:
        return last[0] if last else ""
    return " ".join("".join(last[0].split("*")[::2]).split())


def _draft(intention: Intention, heard: Heard, luck: Luck, faults: Faults) -> Draft:
    why = thought(intention, heard)
    if intention.again:
        return Draft(why, "", intention.again)
    said = speech(intention, heard, luck)
    whom = _whom(heard, luck)
    if whom and luck.strikes("call", _CALLING):
        said = call(whom, heard.tongue) + said
    if heard.signal is not None and luck.strikes("sorry", faults.apologise):
        said = apology(heard.tongue, luck) + said
    deed = told(intention.deed, heard.tongue) if intention.deed else ""
    return Draft(why, deed, said)


def _whom(heard: Heard, luck: Luck) -> str:
    """Somebody who is here, where that is told; else whoever spoke last."""
    if heard.facts is not None:
        people = [name for name in heard.facts.people if sayable(name)]
        return luck.pick("whom", people) if people else ""
    others = [who for who, _ in heard.talk[-3:] if who != heard.name and sayable(who)]
    return others[-1] if others else ""


def _within(text: str, tokens: int) -> tuple[str, Finish]:
    """The answer, cut where it would be longer than allowed."""
    if _tokens(text) <= max(tokens, 1):
        return text, "stop"
    kept = text.encode("utf-8", "surrogatepass")[: max(tokens, 1) * _BYTES_A_TOKEN]
    return kept.decode("utf-8", "ignore"), "length"


def _tokens(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN + 1
