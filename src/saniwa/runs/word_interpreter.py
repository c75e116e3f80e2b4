"""Turn a player's or a character's words into untrusted claims.

Words are tried in this order: as the answer to the open question, as a model's written
reply, as a wish to repeat the last line, and by the run's listener. Nothing here judges a claim.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, TypeVar

import msgspec

from saniwa.core.errors import RunError
from saniwa.language.host_commands import is_repetition
from saniwa.language.mood import is_withheld
from saniwa.language.parse import parse
from saniwa.models.metering import CallBudget
from saniwa.runs import describe
from saniwa.runs.ports import Listener
from saniwa.turn.claim_form import classify_question
from saniwa.turn.clarification import complete_with_answer
from saniwa.turn.model_reply import looks_like_reply, parse_reply_claims, read_reply
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.model import Id, World

THREADS: Final = 2
"""Turns that are computed in threads at the same time."""
SHORT_WORK: Final = 20_000
"""Entities of the world times characters of the text, up to which no thread is used."""
_threads: Final = ThreadPoolExecutor(THREADS, "turn")

V = TypeVar("V")


async def run_in_thread(work: Callable[[], V], world: World, text: str) -> V:
    """Run pure work on a world and a text without blocking the event loop.

    Without an event loop, and for short work, it runs in the calling thread.

    Raises:
        Exception: Whatever the work raises.
    """
    if len(world.entities) * len(text) <= SHORT_WORK:
        return work()
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return work()
    return await loop.run_in_executor(_threads, copy_context().run, work)


_ENCODE_ERRORS = (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError)


Interpretation = tuple[tuple[Any, ...], dict[str, Any] | None]
"""The untrusted claims found in the words, as they will be stored; and, where the words
are a model's reply, that reply with its thought and its output."""


class PhraseListener:
    """Parses phrases in English and Japanese; needs no model and no network."""

    async def listen(
        self, text: str, actor: Id, world: World, calls: CallBudget
    ) -> Sequence[object]:
        """The claims that the phrases make."""
        del calls
        return await run_in_thread(lambda: parse(text, actor, world), world, text)


async def interpret_words(
    words: SpokenWords,
    world: World,
    last: Turn | None,
    listener: Listener,
    calls: CallBudget,
    *,
    aloud: bool = False,
    find_attempt: Callable[[Id], Turn | None] = lambda _: None,
) -> Interpretation:
    """Find the claims in the words, given the turn before them.

    `find_attempt` finds the last turn in which a character's own words tried something: its
    claims are made again if the words ask for that.

    With `aloud` they are a character's words: the listener is not used, and words that
    match no phrase are spoken instead of being reported as not understood.

    Raises:
        AgentError: The listener's model could not be called.
        RunError: `TEXT_UNREADABLE` if the listener's claims cannot be encoded.
    """
    known = await run_in_thread(lambda: interpret_by_form(words, world, last), world, words.text)
    if known is not None:
        return known
    if aloud:
        return await run_in_thread(lambda: _interpret_aloud(words, world), world, words.text)
    if is_repetition(words.text):
        earlier = find_attempt(words.actor_id)
        if earlier is not None:
            return earlier.parsed_actions, None
        return to_json_claims(parse(words.text, words.actor_id, world)), None
    claims = await listener.listen(words.text, words.actor_id, world, calls)
    return to_json_claims(claims), None


def interpret_by_form(words: SpokenWords, world: World, last: Turn | None) -> Interpretation | None:
    """Interpret an answer or a written reply by its form; None if it is neither."""
    # Only the actor who was asked can answer; other actors say something new.
    if last is not None and last.clarification and last.actor_id == words.actor_id:
        answered = complete_with_answer(last, words.text, world)
        if answered is not None:
            return to_json_claims(answered), None
    return _interpret_reply(words, world) if looks_like_reply(words.text) else None


def interpret_phrases(words: SpokenWords, world: World, last: Turn | None) -> Interpretation:
    """Interpret words by their form, else as phrases: without a run, and without a model.

    Raises:
        RunError: `TEXT_UNREADABLE` if the claims cannot be encoded.
    """
    known = interpret_by_form(words, world, last)
    if known is not None:
        return known
    return to_json_claims(parse(words.text, words.actor_id, world)), None


def _interpret_aloud(words: SpokenWords, world: World) -> Interpretation:
    """Interpret a character's words: as phrases if all match, else as speech."""
    claims = to_json_claims(parse(words.text, words.actor_id, world))
    if any(map(_is_not_understood, claims)):
        return _interpret_reply(words, world)
    return claims, None


def _interpret_reply(words: SpokenWords, world: World) -> Interpretation:
    """Interpret the words as a written reply; without a marker, all of it is speech."""
    reply = read_reply(words.text)
    claims = to_json_claims(parse_reply_claims(reply, words.actor_id, world))
    return claims, *to_json_claims([reply])


def _is_not_understood(claim: object) -> bool:
    """Whether a claim is words that match no phrase but are otherwise valid."""
    known = claim if isinstance(claim, dict) else {}
    lost = known.get("type") == "unrecognised" and "problem" not in known
    # A character who asks "can I come in?" speaks.
    return lost or is_withheld(claim) or bool(classify_question(claim))


def check_encodable(text: str) -> str:
    """Return the text if it can be encoded; it cannot with an unpaired surrogate.

    Raises:
        RunError: `TEXT_UNREADABLE`.
    """
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        said = describe("TEXT_UNREADABLE/text", position=problem.start + 1)
        raise said.to_error(RunError) from problem
    return text


def to_json_claims(claims: Sequence[object]) -> tuple[Any, ...]:
    """The claims after a JSON round trip: what is judged is exactly what is stored.

    Raises:
        RunError: `TEXT_UNREADABLE` for a value that JSON cannot represent.
    """
    try:
        decoded: list[Any] = msgspec.json.decode(msgspec.json.encode(list(claims)))
    except _ENCODE_ERRORS as problem:
        raise describe("TEXT_UNREADABLE/claim", problem=problem).to_error(RunError) from problem
    return tuple(decoded)
