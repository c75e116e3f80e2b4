"""From what somebody said to rough claims; guesses only, decided elsewhere.

Words are offered in turn to whoever may understand them: as the answer to the question
that was just asked, as a model's written reply, and to the run's listener.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from saniwa.agent.translate.calls import Calls
from saniwa.core.errors import RunError
from saniwa.run.offload import offload
from saniwa.run.ports import Listener
from saniwa.turn.answer import answer
from saniwa.turn.mood import is_withheld
from saniwa.turn.parse import parse
from saniwa.turn.reply import claims_of, looks_like_reply, read_reply
from saniwa.turn.trace import Turn, Words
from saniwa.world.model import Id, World

_UNSAYABLE = (
    msgspec.MsgspecError,
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
)


class Understood(NamedTuple):
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
        calls: Calls,  # noqa: ARG002 - the port's signature
    ) -> Sequence[object]:
        """The claims the phrases make."""
        return await offload(lambda: parse(text, actor, world), world, text)


async def hear(
    words: Words,
    world: World,
    last: Turn | None,
    listener: Listener,
    calls: Calls,
    *,
    aloud: bool = False,
) -> Understood:
    """What was made of the words, given the turn before them.

    With `aloud` they are a character's: no listener guesses at them, and what is no
    phrase is said, not left unheard.

    Raises:
        AgentError: The listener's model could not be asked.
        RunError: `TEXT_UNREADABLE` if the listener's claims cannot be written down.
    """
    known = await offload(lambda: hear_form(words, world, last), world, words.text)
    if known is not None:
        return known
    if aloud:
        return await offload(lambda: _said(words, world), world, words.text)
    claims = await listener.listen(words.text, words.actor_id, world, calls)
    return Understood(plain(claims))


def hear_form(words: Words, world: World, last: Turn | None) -> Understood | None:
    """What the words are by their form: an answer or a written reply; None for neither."""
    # Only who was asked can answer; anybody else says something new.
    asked = last is not None and last.actor_id == words.actor_id
    answered = answer(last, words.text, world) if last is not None and asked else None
    if answered is not None:
        return Understood(plain(answered))
    return _written(words, world) if looks_like_reply(words.text) else None


def _said(words: Words, world: World) -> Understood:
    """A character's plain words: phrases if they are nothing else, and speech if not."""
    claims = plain(parse(words.text, words.actor_id, world))
    return _written(words, world) if any(map(_unheard, claims)) else Understood(claims)


def _written(words: Words, world: World) -> Understood:
    """The words as a written reply; where no mark says otherwise, all of it is speech."""
    reply = read_reply(words.text)
    claims = plain(claims_of(reply, words.actor_id, world))
    return Understood(claims, *plain([reply]))


def _unheard(claim: object) -> bool:
    """Whether a claim is words that nobody understood, and nothing is wrong with them."""
    known = claim if isinstance(claim, dict) else {}
    lost = known.get("type") == "unrecognised" and "problem" not in known
    # A character who asks "can I come in?" speaks.
    return lost or is_withheld(claim)


def legible(text: str) -> str:
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


def plain(claims: Sequence[object]) -> tuple[Any, ...]:
    """The claims as JSON says them: what is judged is exactly what is kept.

    Raises:
        RunError: `TEXT_UNREADABLE` for what JSON cannot say.
    """
    try:
        said: list[Any] = msgspec.json.decode(msgspec.json.encode(list(claims)))
    except _UNSAYABLE as problem:
        raise RunError(
            "TEXT_UNREADABLE",
            f"a claim holds what JSON cannot say: {problem}",
            hint="keep to text, numbers, true, false, null, lists and maps",
        ) from problem
    return tuple(said)
