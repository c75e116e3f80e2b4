"""Asks a model to narrate a turn, and checks its words before they are shown.

If its words are not true, the plain narration is used.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from msgspec.structs import replace

from saniwa.agent.layer_contracts import QueryOptions, QueryResult, SdkBridge
from saniwa.agent.narration.ground_collector import GroundCollector
from saniwa.agent.narration.narration_facts import NarrationFacts, fold_text
from saniwa.agent.narration.narration_reader import NarrationReader
from saniwa.agent.narration.statements import NarrationStatement, supports_statement
from saniwa.agent.narration.tokens import NameMention, ParsedNarration, parse_narration
from saniwa.agent.prompt_quoting import flatten_line, read_prompt
from saniwa.agent.surroundings import describe_sight
from saniwa.core.errors import AgentError
from saniwa.core.text import quote_value, truncate
from saniwa.language.text import QUOTE, is_blank
from saniwa.models.metering import CallBudget
from saniwa.models.oracle import FinishReason, describe_finish
from saniwa.turn.description import NarrationLine
from saniwa.turn.narration import narrate
from saniwa.turn.record import Narration, NarrationFlag, Turn
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
        message = "this does not describe what happened"
        yield NarrationFlag(kind="contradiction", words=telling.text.strip(), message=message)


def _make_ungrounded_flag(said: NarrationStatement, somewhere: frozenset[str]) -> NarrationFlag:
    strange = [text for word, text in said.spelled if word not in somewhere]
    if strange:
        message = f"nothing in the world supports these words: {quote_value(' '.join(strange))}"
        return NarrationFlag(kind="unknown", words=said.text, message=message)
    message = "the words are known, but this is not true"
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
            message = "this is a line of the prompt, not of the story"
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
        return (NarrationFlag(kind="empty", words="", message="the text is empty"),)
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


MOST_SENTENCES: Final = 6
"""The most sentences used of one answer; a turn is a moment, not a chapter."""
_ESCAPE = re.compile(r"\\([nrt\"'\\/]|u[0-9a-fA-F]{4})")
_ESCAPES = {"n": "\n", "r": " ", "t": " "}
_BULLET = re.compile(r"(?m)^[-*•>]+ +")
"""The marks before each line of the question, which do not belong in a story."""
_BREAKS = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?。！？]+[\"”’」』)）]*[ \n]*|\n|$)")
_WRAPPED = re.compile(r'^(?:"(?P<a>[^"]*)"?|“(?P<b>[^“”]*)”?|「(?P<c>[^「」]*)」?)$')


def clean_narration(text: str) -> str:
    """Clean a narration: no control characters, surrogates or empty lines.

    Written escapes, such as a backslash and an n, become what they mean. Quotation
    marks around the whole text are removed, and so is everything from the first
    repeated sentence on: small models do not know when to stop.
    """
    legible = "".join(
        _filter_character(character) for character in _ESCAPE.sub(_resolve_escape, text)
    )
    lines = _BULLET.sub("", _BREAKS.sub("\n", legible).strip())
    wrapped = _WRAPPED.match(lines)
    bare = wrapped[wrapped.lastindex or 0] if wrapped else lines
    return _drop_repeats(bare.strip()).strip()


def _resolve_escape(found: re.Match[str]) -> str:
    """Return what an escape means; the model has imitated program text."""
    escape = found.group(1)
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    return _ESCAPES.get(escape, escape)


def _drop_repeats(text: str) -> str:
    """Return the sentences up to the first repeated one, and at most a few."""
    sentences: list[str] = []
    seen: set[str] = set()
    for sentence in _SENTENCE.findall(text):
        words = sentence.strip()
        if words in seen or len(seen) == MOST_SENTENCES:
            break
        seen |= {words} if words else set()
        sentences.append(sentence)
    return "".join(sentences)


def _filter_character(character: str) -> str:
    """Return the character if a host can show it and it cannot move a cursor."""
    if character == "\n":
        return character
    kind = unicodedata.category(character)
    if kind in ("Zl", "Zp") or character in "\r\t\x0b\x0c\x85":
        return " "
    return "" if kind in ("Cc", "Cf", "Cs", "Co", "Cn") else character


LONGEST_PLAIN: Final = 4000
"""The most characters of the plain narration in a prompt."""
LONGEST_STYLE: Final = 400
"""The most characters of an author's style."""
_NARRATION_TOKENS: Final = 200
_NARRATION_SYSTEM_PROMPTS: Final = {
    language: read_prompt(__file__, f"narration.{language}.md") for language in ("en", "ja")
}
_REQUEST_WORDS: Final = {
    "happened": ("What happened:", "起きたこと："),
    "seen": ("What can be seen:", "見えるもの："),
    "style": ("Wished for style:", "望まれる文体："),
    "again": (
        "This was not so, tell it without:",
        "次の言葉は事実と違います。使わずに語ってください：",
    ),
}
"""The headings of a question, in English and in Japanese."""


def build_narration_options(language: str) -> QueryOptions:
    """Return how the question is asked: each time in a new conversation."""
    system = _NARRATION_SYSTEM_PROMPTS.get(language, _NARRATION_SYSTEM_PROMPTS["en"])
    return QueryOptions(system=system, max_tokens=_NARRATION_TOKENS)


def build_narration_request(
    plain: Sequence[NarrationLine],
    after: World,
    viewer: Id,
    style: str = "",
    flags: Sequence[NarrationFlag] = (),
) -> str:
    """Build the question; the same turn in the same world gives the same bytes.

    Line by line: a small model that is shown JSON answers with its escapes.
    """
    wrong = sorted({flag.words for flag in flags})
    parts = {
        "happened": truncate("\n".join(_list_events(plain)), LONGEST_PLAIN).split("\n"),
        "seen": _list_sights(after, viewer),
        "style": [flatten_line(truncate(style, LONGEST_STYLE))] if style else [],
        "again": [flatten_line(each) for each in wrong],
    }
    return "\n".join(
        f"{_REQUEST_WORDS[name][after.language == 'ja']}\n"
        + "\n".join(f"- {line}" for line in lines)
        for name, lines in parts.items()
        if lines
    )


def _list_events(plain: Sequence[NarrationLine]) -> Iterator[str]:
    for line in plain:
        for text in line.text.split("\n"):
            event = f"{line.speaker}: {text}" if line.speaker else text
            if event.strip():
                yield flatten_line(event)


def _list_sights(after: World, viewer: Id) -> list[str]:
    """List what can be seen, one line for each kind."""
    seen = describe_sight(after, viewer)
    rows = ((k, "; ".join(v) if isinstance(v, list) else v) for k, v in seen.items())
    return [f"{name}: {flatten_line(row)}" for name, row in rows if row]


_MOST_ATTEMPTS: Final = 2
_MOST_CHARACTERS_READ: Final = 4 * LONGEST_NARRATION
"""The most characters of an answer that are read; a megabyte is too long in any case.
"""


_FINISH_CODES: Final[dict[FinishReason, str]] = {
    "refused": "MODEL_REFUSED",
    "filtered": "MODEL_FILTERED",
}
_LONGEST_SHOWN: Final = 80


class ModelNarrator:
    """Asks a model to narrate a turn, checks its words, and asks again if needed."""

    def __init__(self, bridge: SdkBridge, style: str = "") -> None:
        """Use this bridge to ask, with the author's style if any."""
        self._bridge = bridge
        self._style = style

    async def narrate(
        self, turn: Turn, before: World, after: World, viewer: Id, calls: CallBudget
    ) -> Narration:
        """Return the model's words if one of two attempts passes the check; else none.

        If the model cannot be asked, no turn is lost: the error's code is recorded.
        """
        watcher = viewer if viewer != turn.actor_id else Id("")
        narration = Narration(by="plain", attempts=0, viewer=watcher)
        plain = narrate(turn, before, after, viewer)
        while plain and narration.attempts < _MOST_ATTEMPTS and calls.take():
            question = build_narration_request(plain, after, viewer, self._style, narration.flags)
            check = partial(check_narration, turn=turn, before=before, after=after, viewer=viewer)
            narration = await self._attempt_narration(narration, question, after.language, check)
            if narration.by == "model" or narration.error:
                break
        return narration

    async def _attempt_narration(
        self,
        narration: Narration,
        question: str,
        language: str,
        check: Callable[[str], tuple[NarrationFlag, ...]],
    ) -> Narration:
        """Return the narration after one more attempt."""
        narration = replace(narration, attempts=narration.attempts + 1)
        try:
            answer = await self._bridge.query(question, build_narration_options(language))
        except AgentError as problem:
            return replace(narration, error=str(problem.code))
        narration = replace(narration, model=answer.model)
        if answer.finish in _FINISH_CODES:
            return replace(narration, error=_FINISH_CODES[answer.finish])
        if not answer.is_whole:
            return replace(narration, flags=(*narration.flags, _make_partial_flag(answer)))
        text = clean_narration(answer.text[:_MOST_CHARACTERS_READ])
        flags = check(text)
        if flags:
            return replace(narration, flags=(*narration.flags, *flags))
        return replace(narration, by="model", text=text)


def _make_partial_flag(answer: QueryResult) -> NarrationFlag:
    """Return the flag for a partial answer."""
    return NarrationFlag(
        kind="too long" if answer.finish == "length" else "empty",
        words=truncate(clean_narration(answer.text[:_MOST_CHARACTERS_READ]), _LONGEST_SHOWN),
        message=describe_finish(answer.finish, answer.reason),
    )
