"""A model's answer into rough claims, such as a phrase would make.

Names stay words, to be looked for like anybody's; an id given for one is a word too.
What is no claim becomes words nobody understood: the turn goes on, and nothing happens.
"""

from typing import Any

from saniwa.agent.spoken import said_object
from saniwa.agent.translate.asking import LONGEST_ANSWER, MOST_CLAIMS, roles_of
from saniwa.turn.parse import LONGEST_WORDS
from saniwa.turn.rough import Claim, Lexicon, names_of, unrecognised
from saniwa.turn.shape import LONGEST_REFERENCE, SPOKEN, WIRE
from saniwa.turn.spoken import blank, fold
from saniwa.world.action import ACTIONS
from saniwa.world.law import LONGEST_TEXT

_SHOWN = 80
_WORDS_FOR = {WIRE[role]: SPOKEN[role] for role in SPOKEN} | {
    r: SPOKEN[r] for r in SPOKEN
}
"""The field for words, for each spelling of the field for an id."""
_ACTOR = ("actorId", "actor_id", "actor")


def claims_in(answer: str, words: str, lexicon: Lexicon) -> tuple[Claim, ...]:
    """The claims of an answer about these words. Total: every text is some answer."""
    if len(answer) > LONGEST_ANSWER:
        return (_lost(words, "answer too long"),)
    said = _read(answer)
    if said is None:
        return (_lost(words, "answer unreadable"),)
    if len(said) > MOST_CLAIMS:
        return (_lost(words, "too many claims"),)
    if not said:
        return (_lost(words, "no claim"),)
    made = [one for each in said for one in _made(each, words, lexicon)]
    return tuple(one for n, one in enumerate(made) if not _again(one, made[:n]))


def _again(claim: Claim, before: list[Claim]) -> bool:
    """Whether the same words were not understood before; once is enough to say so."""
    return claim["type"] == "unrecognised" and claim in before


def _lost(words: str, problem: str) -> Claim:
    return unrecognised(" ".join(words[:LONGEST_WORDS].split())[:_SHOWN], problem)


def _read(answer: str) -> list[Any] | None:
    """The claims of the object in the answer, whatever stands around it."""
    start, end = answer.find("{"), answer.rfind("}")
    said = said_object(answer[start : end + 1])
    claims = said["claims"] if said is not None and set(said) == {"claims"} else None
    return claims if isinstance(claims, list) else None


def _made(claim: object, words: str, lexicon: Lexicon) -> list[Claim]:
    plain = _plain(claim, lexicon)
    if plain is None:
        return [_lost(words, "no such claim")]
    if plain["type"] == "speak" and blank(plain.get("content", "-")):
        return [unrecognised("“”", "nothing said")]
    return [one for each in lexicon.settled(plain) for one in lexicon.opened(each)]


def _plain(claim: object, lexicon: Lexicon) -> Claim | None:
    """The claim in words alone; None for what is none, or speaks for somebody else."""
    if not isinstance(claim, dict) or claim.get("type") not in _TYPES:
        return None
    kind = str(claim["type"])
    fields: Claim = {
        _WORDS_FOR.get(str(key), str(key)): v for key, v in claim.items() if _given(v)
    }
    if len(fields) < sum(_given(value) for value in claim.values()):
        return None
    for key in _ACTOR:
        if key in fields and not _own(fields.pop(key), lexicon):
            return None
    known = {"type", *roles_of(kind)}
    # Only what an author opens up takes a tool; `opened` makes two claims of it.
    known |= {"tool"} if kind == "open" else set()
    known |= {"manner"} if kind == "use" else set()
    fits = all(key in known and _fits(key, value) for key, value in fields.items())
    return fields if fits else None


_TYPES = tuple(ACTIONS)


def _given(value: object) -> bool:
    """Whether anything is said: a schema makes models fill in fields with nothing."""
    return value is not None and value != ""


def _own(name: object, lexicon: Lexicon) -> bool:
    me = lexicon.world.entities.get(lexicon.actor)
    return isinstance(name, str) and me is not None and fold(name) in names_of(me)


def _fits(key: str, value: object) -> bool:
    longest = LONGEST_TEXT if key == "content" else LONGEST_REFERENCE
    return isinstance(value, str) and len(value) <= longest
