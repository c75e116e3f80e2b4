"""A text as statements: what each says, word by word, and about what."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from saniwa.world.model import Id

YOU: Final = "you"
THEY: Final = "they"
QUOTED: Final = "“”"
"""What stands for a quotation."""


class Token(NamedTuple):
    """A word, a name or a mark of punctuation."""

    word: str
    """The word without its ending, or what kind of token it is."""
    text: str
    """As it stands in the text, in lower case."""
    ids: frozenset[Id] = frozenset()
    """Whoever is named by it and perceived, if it is a name."""
    person: bool = False
    """Whether that is a person."""
    kind: str = "word"
    """One of: word, free, verb, denial, doubt, name, it, break, end."""
    subject: bool = False
    """Whether a person here is who acts, where the language shows it."""


class Statement(NamedTuple):
    """What one stretch of a text says."""

    text: str
    """Its words, to be quoted."""
    words: frozenset[str]
    """The words that need a ground."""
    names: tuple[frozenset[Id], ...]
    """What is named, in order."""
    marks: int
    """How often it denies, doubts or attempts."""
    first: frozenset[str]
    """Who is named first and so acts: ids, `you` or `they`; nothing where nobody is."""
    its: tuple[frozenset[Id], ...] = ()
    """What "it" may stand for, where it is said."""
    spelled: tuple[tuple[str, str], ...] = ()
    """The same words in order, each with how it is spelled in the text."""
    seen: frozenset[str] = frozenset()
    """The verbs and marks in it that need no ground."""


def statements(tokens: Sequence[Token]) -> Iterator[Statement]:
    """The statements of a text. What one leaves out it has from the one before."""
    last: tuple[frozenset[Id], ...] = ()
    for sentence in _split(tokens, "end"):
        first: frozenset[str] = frozenset()
        for whole, part in _completed([p for p in _split(sentence, "break") if p]):
            made = _statement(whole, part, last)
            if not made.first and not _begins_with_thing(part):
                made = made._replace(first=first)
            first = made.first
            last = tuple(t.ids for t in part if t.ids and not t.person) or last
            yield made


def _completed(
    parts: list[list[Token]],
) -> Iterator[tuple[list[Token], list[Token]]]:
    """Each part with what it leaves out: in a list, what is said of one is said of all."""
    said: list[Token] = []
    for place, part in enumerate(parts):
        if not _bare(part):
            said = part
            yield part, part
            continue
        behind = (other for other in parts[place:] if not _bare(other))
        about = said or next(behind, [])
        people = any(t.person for t in part)
        yield [t for t in about if _shared(t, people=people)] + part, part


def _split(tokens: Sequence[Token], kind: str) -> Iterator[list[Token]]:
    part: list[Token] = []
    for token in tokens:
        if token.kind == kind:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _shared(token: Token, *, people: bool) -> bool:
    """Whether the next in a list shares it: all but who or what is named."""
    return not token.ids or (token.person and not people)


def _bare(part: Sequence[Token]) -> bool:
    """Whether it names something and says nothing about it."""
    quiet = all(t.kind in ("free", "name") for t in part)
    return quiet and any(t.ids for t in part)


def _begins_with_thing(part: Sequence[Token]) -> bool:
    for token in part:
        if token.kind == "free":
            continue
        return token.kind == "it" or bool(token.ids)
    return False


def _statement(
    tokens: Sequence[Token], part: Sequence[Token], last: tuple[frozenset[Id], ...]
) -> Statement:
    people = [t for t in tokens if t.subject]
    first: frozenset[str] = frozenset()
    if people:
        first = frozenset(people[0].ids) or frozenset({people[0].word})
    return Statement(
        text=" ".join(t.text for t in part),
        words=frozenset(t.word for t in tokens if t.kind in ("word", "doubt")),
        names=tuple(t.ids for t in tokens if t.ids),
        marks=sum(t.kind in ("denial", "doubt") for t in tokens),
        first=first,
        its=last if any(t.kind == "it" for t in part) else (),
        spelled=tuple((t.word, t.text) for t in part if t.kind == "word"),
        seen=frozenset(t.word for t in tokens if t.kind in ("verb", "denial")),
    )
