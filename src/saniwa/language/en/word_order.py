"""Restore the order of English commands that begin with what they act on.

“Both cups, take them”, “cupboard. open.”, “umbrella onto the table” and “key -> door” are
read as if the verb came first. Only players write so; a character's reply does not.
"""

from saniwa.language.en.noun_phrases import NounReader
from saniwa.language.en.request_wording import trim_phrase
from saniwa.language.en.words import (
    ARROW,
    SPEECH,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    find_leading_verb,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.parser_context import ParserContext
from saniwa.world.model import HOLDERS, Entity

_ACTING = frozenset({"take", "drop", "open", "close", "lock", "unlock", "eat", "inspect", "search"})
"""The actions of a verb that may follow its object alone: "cupboard. open."."""
_NOT_ACTING = frozenset({*SPEECH, "unknown", "deed", "gesture", "introduce", "look", "wait"})
_INTO = frozenset({"into", "onto"})
_PRONOUNS = frozenset({"it", "them", "both"})
_LONGEST_TOPIC = 12


def restore_order(tokens: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """The tokens with the verb before its object; unchanged if it is there already."""
    tokens = _shorten_origin(tokens)
    end = next((n for n, t in enumerate(tokens) if t.kind in ("comma", "stop")), len(tokens))
    topic = tokens[:end]
    asked = any("?" in t.low for t in tokens if t.kind == "stop")
    if asked or not 0 < len(topic) <= _LONGEST_TOPIC or topic[0].kind == "quote":
        return _split_arrows(tokens)
    reader = _TopicReader(lexicon)
    if any(t.low == ARROW for t in topic):
        return reader.join_arrow(topic, tokens[end:]) or _split_arrows(tokens)
    if reader.find_verb(topic) is not None:
        return _split_arrows(tokens)
    restored = reader.add_verb(topic, tokens[end:]) or reader.move_object(topic, tokens[end:])
    if restored is None and end + 1 < len(tokens):
        restored = reader.move_topic(topic, tokens[end:])
    return _split_arrows(tokens if restored is None else restored)


def _shorten_origin(tokens: EnglishPhrase) -> EnglishPhrase:
    """“Put it back” for "put it back where it was", "return it to its place"."""
    words = list_words(tokens)
    verb = next((n for n, word in enumerate(words) if word in WORDS.replacing), len(words))
    for place in range(verb + 2, len(words)):
        length = SEQUENCES.origins.count(words, place)
        if length:
            before = tokens[verb + 1 : place]
            back = () if before[-1].low == "back" else (tokens[place]._replace(low="back"),)
            put = tokens[verb]._replace(low="put")
            return (*tokens[:verb], put, *before, *back, *tokens[place + length :])
    return tokens


def _split_arrows(tokens: EnglishPhrase) -> EnglishPhrase:
    """The tokens, with an arrow between two deeds read as "then"."""
    return tuple(
        t._replace(low="then") if t.low == ARROW and _begins_deed(tokens[n + 1 :]) else t
        for n, t in enumerate(tokens)
    )


def _begins_deed(phrase: EnglishPhrase) -> bool:
    directed = bool(phrase) and phrase[0].low in en.DIRECTIONS
    return directed or find_leading_verb(phrase) is not None


def _make_word(word: str, place: int) -> EnglishToken:
    return EnglishToken(word, place, place, "word")


class _TopicReader:
    """Reads what a command begins with, if that is no verb."""

    def __init__(self, lexicon: ParserContext) -> None:
        self._lexicon = lexicon
        self._nouns = NounReader(lexicon, ())

    def find_verb(self, phrase: EnglishPhrase) -> EnglishVerb | None:
        return find_leading_verb(trim_phrase(phrase, self._lexicon)) if phrase else None

    def _find_entities(self, phrase: EnglishPhrase) -> tuple[Entity, ...]:
        """The things that the words name, if all of them are in reach and none is a person."""
        names: list[list[EnglishToken]] = [[]]
        for token in phrase:
            if token.low in WORDS.joining:
                names.append([])
            else:
                names[-1].append(token)
        found: list[Entity] = []
        for name in names:
            things = self._find_named(tuple(name))
            if not things or any(e.kind == "character" for e in things):
                return ()
            found += things
        return tuple(found)

    def _find_named(self, name: EnglishPhrase) -> tuple[Entity, ...]:
        if not name:
            return ()
        found = self._nouns.find_entities(name)
        if found:
            return found
        ids = {claim.get("targetId") for claim in self._nouns.read(name).several}
        return tuple(e for e in self._lexicon.scope if e.id in ids)

    def move_topic(self, topic: EnglishPhrase, rest: EnglishPhrase) -> EnglishPhrase | None:
        """“Take both cups” for "both cups, take them"; “open cupboard” for "cupboard. open."."""
        stop = next((n for n in range(1, len(rest)) if rest[n].kind in ("comma", "stop")), None)
        clause, after = rest[1:stop], rest[stop:] if stop else ()
        phrase = trim_phrase(clause, self._lexicon) if clause else ()
        verb = find_leading_verb(phrase)
        all_of = topic[0].low in WORDS.all_words
        if verb is None or verb.kind in _NOT_ACTING or not (all_of or self._find_entities(topic)):
            return None
        if any(t.low == "already" for t in clause):  # "cupboard: already shut"
            return None
        begin, end = self._find_object(clause, phrase, verb)
        return (*clause[:begin], *topic, *clause[end:], *after) if begin else None

    def _find_object(
        self, clause: EnglishPhrase, phrase: EnglishPhrase, verb: EnglishVerb
    ) -> tuple[int, int]:
        """Where the topic belongs: at the only pronoun, or after a verb alone."""
        pronouns = [n for n, t in enumerate(clause) if t.low in _PRONOUNS]
        if pronouns and pronouns[-1] - pronouns[0] == len(pronouns) - 1:
            return pronouns[0], pronouns[-1] + 1
        if pronouns or verb.kind not in _ACTING or len(phrase) > verb.length:
            return 0, 0
        begin = clause.index(phrase[0]) + verb.length
        return begin, begin

    def move_object(self, topic: EnglishPhrase, after: EnglishPhrase) -> EnglishPhrase | None:
        """“I eat the bun” for "the bun I eat"."""
        place = next((n for n, t in enumerate(topic) if t.low in ("i", "i'll") and n), 0)
        asks = topic[0].low in WORDS.question_words or topic[0].low in WORDS.question_verbs
        verb = find_leading_verb(topic[place + 1 :]) if place and not asks else None
        if verb is None or verb.kind not in _ACTING | {"put", "give", "use"}:
            return None
        if verb.word in WORDS.carrying - {"take"} or not self._find_entities(topic[:place]):
            return None
        stop = place + 1 + verb.length
        return (*topic[place:stop], *topic[:place], *topic[stop:], *after)

    def add_verb(self, topic: EnglishPhrase, after: EnglishPhrase) -> EnglishPhrase | None:
        """“Put umbrella onto the table” for "umbrella onto the table"."""
        bare = trim_phrase(topic, self._lexicon)
        for place in range(1, len(bare) - 1):
            thing, word, goal = bare[:place], bare[place].low, bare[place + 1 :]
            given = word == "to" and self._lexicon.is_person(self._nouns.extract(goal))
            if word in ("off", "from"):
                named = thing[0].low in WORDS.all_words or self._find_entities(thing)
                if named and self._nouns.find_entities(goal):
                    return (_make_word("take", bare[0].start), *bare, *after)
            if not (given or word in _INTO) or len(self._find_entities(thing)) != 1:
                continue
            if given or self._nouns.find_entities(goal) or goal[-1].low in WORDS.floor:
                verb = _make_word("give" if given else "put", bare[0].start)
                return (verb, *bare, *after)
        return None

    def join_arrow(self, topic: EnglishPhrase, after: EnglishPhrase) -> EnglishPhrase | None:
        """“Unlock the door with the key” for "key -> door, unlock it"."""
        place = next(n for n, t in enumerate(topic) if t.low == ARROW)
        first, second = topic[:place], topic[place + 1 :]
        second = trim_phrase(second, self._lexicon) if second else second
        goal = self._nouns.find_entities(second) if second else ()
        if len(self._find_entities(first)) != 1 or len(goal) != 1:
            return None
        spoken = trim_phrase(after[1:], self._lexicon) if len(after) > 2 else ()
        verb = find_leading_verb(spoken)
        if verb is None:
            ordered = self._order_arrow(first, second, goal[0])
            return (*ordered, *after) if ordered else None
        pronoun = spoken[verb.length : verb.length + 1]
        if verb.kind not in WORDS.tooled or not pronoun or pronoun[0].low not in _PRONOUNS:
            return None
        means = _make_word("with", first[0].start)
        return (*spoken[: verb.length], *second, means, *first, *spoken[verb.length + 1 :])

    def _order_arrow(
        self, first: EnglishPhrase, second: EnglishPhrase, goal: Entity
    ) -> EnglishPhrase:
        """What an arrow means depends on what it points to; empty if it means nothing."""
        begin, between = first[0].start, second[0].start
        keys = {e.id for e in self._find_entities(first)}
        if goal.required_key in keys:
            verb, means = _make_word("unlock", begin), _make_word("with", begin)
            return (verb, *second, means, *first)
        if goal.kind not in HOLDERS:
            return ()
        given = goal.kind == "character"
        word = "to" if given else "onto" if goal.kind == "supporter" else "into"
        verb = _make_word("give" if given else "put", begin)
        return (verb, *first, _make_word(word, between), *second)
