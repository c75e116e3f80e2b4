"""From what somebody said to rough claims; guesses only, decided elsewhere.

Words are offered in turn to whoever may understand them: as the answer to the question
that was just asked, as a model's written reply, and to the run's listener.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from saniwa.core.errors import RunError
from saniwa.language.mood import is_withheld
from saniwa.language.parse import parse
from saniwa.models.metering import CallBudget
from saniwa.runs.ports import Listener
from saniwa.turn.clarification import complete_with_answer
from saniwa.turn.record import SpokenWords, Turn
from saniwa.turn.reply import looks_like_reply, parse_reply_claims, read_reply
from saniwa.world.model import Id, World

THREADS: Final = 2
"""Turns that are worked out in threads at the same time."""
SHORT_WORK: Final = 20_000
"""Things of a world times letters of the words, up to which no thread is used."""
_threads: Final = ThreadPoolExecutor(THREADS, "turn")

V = TypeVar("V")


async def run_in_thread(work: Callable[[], V], world: World, text: str) -> V:
    """Return what comes of pure work on a world and words, without freezing the loop.

    Without an event loop, and for short work, it is done at once.

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


_ENCODE_ERRORS = (
    msgspec.MsgspecError,
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
)


class Interpretation(NamedTuple):
    """What was made of the words."""

    claims: tuple[Any, ...]
    """Rough claims, as they will be kept."""
    reply: dict[str, Any] | None = None
    """A model's reply, with both its texts; None for ordinary words."""


class PhraseListener:
    """Listens by phrases, in English and Japanese; needs no model and no network."""

    async def listen(
        self,
        text: str,
        actor: Id,
        world: World,
        calls: CallBudget,  # noqa: ARG002 - the port's signature
    ) -> Sequence[object]:
        """The claims the phrases make."""
        return await run_in_thread(lambda: parse(text, actor, world), world, text)


async def interpret_words(
    words: SpokenWords,
    world: World,
    last: Turn | None,
    listener: Listener,
    calls: CallBudget,
    *,
    aloud: bool = False,
) -> Interpretation:
    """What was made of the words, given the turn before them.

    With `aloud` they are a character's: no listener guesses at them, and what is no
    phrase is said, not left unheard.

    Raises:
        AgentError: The listener's model could not be asked.
        RunError: `TEXT_UNREADABLE` if the listener's claims cannot be written down.
    """
    known = await run_in_thread(
        lambda: interpret_by_form(words, world, last), world, words.text
    )
    if known is not None:
        return known
    if aloud:
        return await run_in_thread(
            lambda: _interpret_aloud(words, world), world, words.text
        )
    claims = await listener.listen(words.text, words.actor_id, world, calls)
    return Interpretation(to_json_claims(claims))


def interpret_by_form(
    words: SpokenWords, world: World, last: Turn | None
) -> Interpretation | None:
    """What the words are by their form: an answer or a written reply; None for neither."""
    # Only who was asked can answer; anybody else says something new.
    asked = last is not None and last.actor_id == words.actor_id
    answered = (
        complete_with_answer(last, words.text, world)
        if last is not None and asked
        else None
    )
    if answered is not None:
        return Interpretation(to_json_claims(answered))
    return _interpret_reply(words, world) if looks_like_reply(words.text) else None


def _interpret_aloud(words: SpokenWords, world: World) -> Interpretation:
    """A character's plain words: phrases if they are nothing else, and speech if not."""
    claims = to_json_claims(parse(words.text, words.actor_id, world))
    return (
        _interpret_reply(words, world)
        if any(map(_is_not_understood, claims))
        else Interpretation(claims)
    )


def _interpret_reply(words: SpokenWords, world: World) -> Interpretation:
    """The words as a written reply; where no mark says otherwise, all of it is speech."""
    reply = read_reply(words.text)
    claims = to_json_claims(parse_reply_claims(reply, words.actor_id, world))
    return Interpretation(claims, *to_json_claims([reply]))


def _is_not_understood(claim: object) -> bool:
    """Whether a claim is words that nobody understood, and nothing is wrong with them."""
    known = claim if isinstance(claim, dict) else {}
    lost = known.get("type") == "unrecognised" and "problem" not in known
    # A character who asks "can I come in?" speaks.
    return lost or is_withheld(claim)


def check_encodable(text: str) -> str:
    """The text itself, if it is one: half characters cannot be written down.

    Raises:
        RunError: `TEXT_UNREADABLE`.
    """
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise RunError(
            "TEXT_UNREADABLE",
            f"the words break off inside a character, at letter {problem.start + 1}",
            hint="send whole characters, in UTF-8",
        ) from problem
    return text


def to_json_claims(claims: Sequence[object]) -> tuple[Any, ...]:
    """The claims as JSON says them: what is judged is exactly what is kept.

    Raises:
        RunError: `TEXT_UNREADABLE` for what JSON cannot say.
    """
    try:
        said: list[Any] = msgspec.json.decode(msgspec.json.encode(list(claims)))
    except _ENCODE_ERRORS as problem:
        raise RunError(
            "TEXT_UNREADABLE",
            f"a claim holds what JSON cannot say: {problem}",
            hint="keep to text, numbers, true, false, null, lists and maps",
        ) from problem
    return tuple(said)
