"""Names in a text, as tokens."""

from typing import NamedTuple

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.statements import YOU, Token
from saniwa.world.model import Entity, Id


class Mention(NamedTuple):
    """A name in the text."""

    start: int
    """Where it begins."""
    end: int
    """Where it has ended."""
    name: str
    """The name, folded."""
    ids: tuple[Id, ...]
    """Whoever bears it, in order of id."""


def name_token(mention: Mention, facts: Facts, *, subject: bool = True) -> Token:
    """The token for a name: whoever bears it and is perceived."""
    if facts.viewer in mention.ids:
        return Token(YOU, mention.name, person=True, subject=subject)
    known = frozenset(mention.ids)
    ids = known & facts.perceived or known
    person = any(_is_person(who, facts) for who in ids)
    return Token(
        mention.name, mention.name, ids, person, "name", subject=person and subject
    )


def _is_person(who: Id, facts: Facts) -> bool:
    found = facts.thing(who)
    return isinstance(found, Entity) and found.kind == "character"
