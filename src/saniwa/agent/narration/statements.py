"""Splits a text into statements, and tells whether a ground supports one.

A statement has the words it uses and what they are about; both come from `tokens`.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from saniwa.world.model import Id

YOU_TOKEN: Final = "you"
THEY_TOKEN: Final = "they"
QUOTED_TOKEN: Final = "“”"
"""The token that stands for a quotation."""


class NarrationToken(NamedTuple):
    """A word, a name or a punctuation mark."""

    word: str
    """The lemma of the word, or the kind of token."""
    text: str
    """As it is in the text, in lower case."""
    ids: frozenset[Id] = frozenset()
    """The perceived things it names, if it is a name."""
    person: bool = False
    """Whether it is a person."""
    kind: str = "word"
    """One of: word, free, verb, denial, doubt, name, it, break, end."""
    subject: bool = False
    """Whether a person is the actor here, if the language shows it."""


class NarrationStatement(NamedTuple):
    """What one part of a text says."""

    text: str
    """Its text, to quote."""
    words: frozenset[str]
    """The words that need a ground."""
    names: tuple[frozenset[Id], ...]
    """What is named, in order."""
    marks: int
    """The number of denials, doubts and attempts."""
    first: frozenset[str]
    """Who is named first and so acts: ids, `you` or `they`; empty if none is named."""
    its: tuple[frozenset[Id], ...] = ()
    """What "it" may refer to, if it occurs."""
    spelled: tuple[tuple[str, str], ...] = ()
    """The same words in order, each with its spelling in the text."""
    seen: frozenset[str] = frozenset()
    """The verbs and marks in it that need no ground."""


def split_statements(tokens: Sequence[NarrationToken]) -> Iterator[NarrationStatement]:
    """Split a text into statements. Each inherits what it omits from the one before."""
    last: tuple[frozenset[Id], ...] = ()
    for sentence in _split_tokens(tokens, "end"):
        first: frozenset[str] = frozenset()
        for whole, part in _complete_parts([p for p in _split_tokens(sentence, "break") if p]):
            made = _make_statement(whole, part, last)
            if not made.first and not _starts_with_entity(part):
                made = made._replace(first=first)
            first = made.first
            last = tuple(t.ids for t in part if t.ids and not t.person) or last
            yield made


def _complete_parts(
    parts: list[list[NarrationToken]],
) -> Iterator[tuple[list[NarrationToken], list[NarrationToken]]]:
    """Complete each part with what it omits.

    In a list, what is said of one item holds for all.
    """
    last_full: list[NarrationToken] = []
    for place, part in enumerate(parts):
        if not _is_bare(part):
            last_full = part
            yield part, part
            continue
        later = (other for other in parts[place:] if not _is_bare(other))
        about = last_full or next(later, [])
        people = any(t.person for t in part)
        # The next item of a list shares everything but the names.
        shared = [t for t in about if not t.ids or (t.person and not people)]
        yield shared + part, part


def _split_tokens(tokens: Sequence[NarrationToken], kind: str) -> Iterator[list[NarrationToken]]:
    part: list[NarrationToken] = []
    for token in tokens:
        if token.kind == kind:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _is_bare(part: Sequence[NarrationToken]) -> bool:
    """Whether it names something and says nothing about it."""
    quiet = all(t.kind in ("free", "name") for t in part)
    return quiet and any(t.ids for t in part)


def _starts_with_entity(part: Sequence[NarrationToken]) -> bool:
    first = next((token for token in part if token.kind != "free"), None)
    return first is not None and (first.kind == "it" or bool(first.ids))


def _make_statement(
    tokens: Sequence[NarrationToken],
    part: Sequence[NarrationToken],
    last: tuple[frozenset[Id], ...],
) -> NarrationStatement:
    people = [t for t in tokens if t.subject]
    first: frozenset[str] = frozenset()
    if people:
        first = frozenset(people[0].ids) or frozenset({people[0].word})
    return NarrationStatement(
        text=" ".join(t.text for t in part),
        words=frozenset(t.word for t in tokens if t.kind in ("word", "doubt")),
        names=tuple(t.ids for t in tokens if t.ids),
        marks=sum(t.kind in ("denial", "doubt") for t in tokens),
        first=first,
        its=last if any(t.kind == "it" for t in part) else (),
        spelled=tuple((t.word, t.text) for t in part if t.kind == "word"),
        seen=frozenset(t.word for t in tokens if t.kind in ("verb", "denial")),
    )


class StatementGround(NamedTuple):
    """One thing that is true."""

    words: frozenset[str]
    """Words that may express it."""
    things: frozenset[Id] = frozenset()
    """What may be named."""
    needs: frozenset[str] = frozenset()
    """One of these words must occur, if there are any."""
    about: frozenset[Id] = frozenset()
    """One of these must be among the things that are named, if any is."""
    actor: str = ""
    """The actor: an id or `you`; no other may be named first."""
    named: bool = False
    """Whether the actor must be named."""
    marks: int = 0
    """The most denials; if it is not 0, there must be at least one."""
    whole: bool = False
    """Whether all of its words must be used."""
    least: int = 0
    """How many of its words and names must be used: one alone may mean anything."""
    tells: bool = False
    """Whether this is what happened in the turn."""


def supports_statement(ground: StatementGround, said: NarrationStatement) -> bool:
    """Whether everything in the statement is supported by this ground."""
    return (
        said.words <= ground.words
        and (not ground.whole or said.words >= ground.words)
        and len(said.words) + len(said.names) + len(said.its) >= ground.least
        and (not ground.needs or not ground.needs.isdisjoint(said.words | said.seen))
        and min(1, ground.marks) <= said.marks <= ground.marks
        and _matches_actor(ground, said)
        and _matches_names(ground, said)
    )


def _matches_actor(ground: StatementGround, statement: NarrationStatement) -> bool:
    if not statement.first:
        return not ground.named
    if not ground.actor or ground.actor in statement.first:
        return True
    return THEY_TOKEN in statement.first and ground.actor != YOU_TOKEN


def _matches_names(ground: StatementGround, statement: NarrationStatement) -> bool:
    named = statement.names
    if any(ids.isdisjoint(ground.things) for ids in named):
        return False
    if statement.its and not any(ids & ground.things and ids not in named for ids in statement.its):
        return False
    meant = (*named, *statement.its)
    aimed = not ground.about or not meant
    return aimed or not all(ids.isdisjoint(ground.about) for ids in meant)
