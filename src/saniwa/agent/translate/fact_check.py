"""The check a model's narration must pass before it is shown.

It only finds mistakes; `narrator` decides what to do about them.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from msgspec.structs import replace

from saniwa.agent.translate.grounds import GroundCollector, NarrationReader
from saniwa.agent.translate.narration_facts import NarrationFacts, fold_text
from saniwa.agent.translate.statements import NarrationStatement, supports_statement
from saniwa.agent.translate.tokens import NameMention, ParsedNarration, parse_narration
from saniwa.core.text import quote_value
from saniwa.language.text import QUOTE, is_blank
from saniwa.turn.record import NarrationFlag, Turn
from saniwa.world.changes import TurnChange
from saniwa.world.model import Id, World

_LOCK_PHRASE_JA = re.compile("(?:が|は|も)?(?:かか|掛か)|を(?:かけ|掛け)|(?:が|は)(?:開|外)|穴")
"""After 鍵 these make it a lock, not a key."""


def flag_absent(telling: ParsedNarration, facts: NarrationFacts) -> Iterator[NarrationFlag]:
    """Flag each name whose bearers cannot be perceived."""
    for mention in telling.mentions:
        if not facts.perceived_ids.isdisjoint(mention.ids):
            continue
        # The plain narrator names it too if the player asked for it in vain.
        asked_for = mention.name in fold_text(facts.plain_text)
        if not asked_for and not _is_lock_phrase(mention, telling):
            message = f"{mention.name!r} is not here to be perceived"
            yield NarrationFlag(kind="absent", words=mention.name, message=message)


def _is_lock_phrase(mention: NameMention, telling: ParsedNarration) -> bool:
    rest = telling.low[mention.end :]
    return mention.name == "鍵" and bool(_LOCK_PHRASE_JA.match(rest))


def flag_ungrounded(telling: ParsedNarration, facts: NarrationFacts) -> Iterator[NarrationFlag]:
    """Flag each statement without a ground, or a narration that omits what happened."""
    reader = NarrationReader(facts)
    known = tuple(GroundCollector(facts, reader).collect())
    is_told, wrong = False, False
    for statement in reader.read_statements(telling):
        if not (statement.words or statement.names or statement.marks or statement.its):
            continue
        supporting = [ground for ground in known if supports_statement(ground, statement)]
        is_told = is_told or any(ground.tells for ground in supporting)
        if not supporting:
            wrong = True
            somewhere = frozenset().union(*(ground.words for ground in known))
            yield _make_ungrounded_flag(statement, somewhere)
    changed = any(not isinstance(change, TurnChange) for change in facts.turn.changes)
    if not is_told and not wrong and (changed or facts.has_no_effect):
        message = "this does not tell what happened"
        yield NarrationFlag(kind="contradiction", words=telling.text.strip(), message=message)


def _make_ungrounded_flag(said: NarrationStatement, somewhere: frozenset[str]) -> NarrationFlag:
    strange = [text for word, text in said.spelled if word not in somewhere]
    if strange:
        message = f"nothing here stands behind these words: {quote_value(' '.join(strange))}"
        return NarrationFlag(kind="unknown", words=said.text, message=message)
    message = "the words are known, but this is not so"
    return NarrationFlag(kind="contradiction", words=said.text, message=message)


_ECHO_LABEL: Final = re.compile(
    r"(?m)^[^\S\n]*+(?:here|look|ways|things|people|holding|time|what happened|what can be seen"
    r"|wished for style|起きたこと|見えるもの|望まれる文体)\s*:"
    r"|\byou(?:'re| are) given\b.*"
)
"""What the lines of a question begin with; folding has made all colons the same."""


def flag_echoes(telling: ParsedNarration, facts: NarrationFacts) -> Iterator[NarrationFlag]:
    """Flag each line that repeats the question and is not in the plain narration."""
    for found in _ECHO_LABEL.finditer(telling.low):
        end = telling.low.find("\n", found.end())
        line = telling.text[found.start() : end if end >= 0 else None].strip()
        if line not in facts.plain_text:
            message = "this is a line of the question, and no story"
            yield NarrationFlag(kind="unknown", words=line[:80], message=message)


_QUOTE_PUNCTUATION: Final = " \t\n.,;:!?…、。！？"


def flag_unspoken(telling: ParsedNarration, facts: NarrationFacts) -> Iterator[NarrationFlag]:
    """Flag each quotation of a text that the viewer could not have heard or read."""
    for quote in telling.quotes:
        words = fold_text(quote).strip(_QUOTE_PUNCTUATION)
        if words and words not in facts.corpus:
            message = f"nobody said {quote_value(quote)}"
            yield NarrationFlag(kind="contradiction", words=quote.strip(), message=message)


LONGEST_NARRATION: Final = 2000
"""The longest narration in characters; a longer one is not read."""
_QUOTE_MARK: Final = re.compile(rf"(?:(?<!\s)\s++)?(?:{QUOTE}|{re.escape(repr(QUOTE)[1:-1])})\s*+")
"""The quotation mark character, as it is and as a message quotes it."""
LONGEST_WORDS: Final = 80
"""The most characters of the words a flag quotes."""
MOST_FLAGS: Final = 12
"""The most flags of one narration; one is enough to reject it."""
_CHECKS: Final[tuple[Callable[[ParsedNarration, NarrationFacts], Iterator[NarrationFlag]], ...]] = (
    flag_echoes,
    flag_absent,
    flag_unspoken,
    flag_ungrounded,
)


def check_narration(
    text: str, turn: Turn, before: World, after: World, viewer: Id
) -> tuple[NarrationFlag, ...]:
    """Return everything that is wrong with a narration; empty if it may be shown.

    Pure and total. Takes time in the length of the text and the size of the scene.
    """
    if is_blank(text):
        return (NarrationFlag(kind="empty", words="", message="nothing is told"),)
    if len(text) > LONGEST_NARRATION:
        message = f"{len(text)} letters are more than {LONGEST_NARRATION}"
        return (NarrationFlag(kind="too long", words=text[:LONGEST_WORDS], message=message),)
    facts = NarrationFacts(turn, before, after, viewer)
    telling = parse_narration(text, facts)
    found = (flag for part in _CHECKS for flag in part(telling, facts))
    return tuple(islice(dict.fromkeys(map(_clean_flag, found)), MOST_FLAGS))


def _clean_flag(flag: NarrationFlag) -> NarrationFlag:
    """Replace the marks that stood for quotations while the text was read."""
    words = _strip_marks(flag.words)[:LONGEST_WORDS]
    return replace(flag, words=words, message=_strip_marks(flag.message))


def _strip_marks(text: str) -> str:
    return _QUOTE_MARK.sub(" “…” ", text).strip()
