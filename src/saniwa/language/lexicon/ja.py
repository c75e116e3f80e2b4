"""Japanese input: the words of `ja.yaml`, which says what each table is for."""

from pathlib import Path

from saniwa.language.lexicon.tables import read_lexicon

LISTS, WORDS, _, GROUPS, PAIRS = read_lexicon(Path(__file__).with_name("ja.yaml"))
ALL, BACK, DOORS, FLOOR = WORDS.all, WORDS.back, WORDS.doors, WORDS.floor
HANDS, HERE, OUT, PEOPLE = WORDS.hands, WORDS.here, WORDS.out, WORDS.people
SELF, THINGS = WORDS.self, WORDS.things
DETERMINERS, HONORIFICS, MINE = LISTS.determiners, LISTS.honorifics, LISTS.mine
ONE, TALK, THIS, WITHIN = LISTS.one, LISTS.talk, LISTS.this, LISTS.within
DIRECTIONS = PAIRS.directions
ORDINALS = {word: int(number) for word, number in PAIRS.ordinals.items()}


def _list_compounds() -> dict[str, str]:
    """Each first verb with each second one, and what they ask for."""
    made: dict[str, str] = {}
    for asks, lines in GROUPS.compounds.items():
        for line in lines:
            first, _, second = line.partition("+")
            made |= {one + other: asks for one in first.split() for other in second.split()}
    return made


_LISTED = [(word, asks) for asks, words in GROUPS.verbs.items() for word in words]
_COMPOUNDS = {w: asks for w, asks in _list_compounds().items() if w not in dict(_LISTED)}
VERBS = (*_LISTED, *_COMPOUNDS.items(), *((word, "unknown") for word in sorted(WORDS.idioms)))
"""Verbs and what they ask for; a verb may ask for several things."""
RUSHING = WORDS.rushing | {word for word, asks in _COMPOUNDS.items() if asks == "move"}
"""Verbs of going only where a place is named."""
TAILS: dict[str, tuple[str, ...]] = {}
"""What may follow a verb, with the moods it may give; an empty mood changes nothing."""
for _mood, _texts in GROUPS.tails.items():
    for _text in _texts:
        TAILS[_text] = (*TAILS.get(_text, ()), _mood)
KNOWN_NOUNS = WORDS.known_nouns.union(
    DIRECTIONS, THINGS, PEOPLE, HERE, SELF, ALL, FLOOR, OUT, BACK, HANDS, LISTS.others,
    WORDS.single, WORDS.keys, WORDS.its_inside, WORDS.question_words, WORDS.quantities,
    WORDS.held, WORDS.lids, WORDS.switches - {"つまみ", "ツマミ", "摘み"}, WORDS.texts, LISTS.manner_heads,
    (word for word in WORDS.inner if len(word) > 1),
    (word for word in WORDS.body if len(word) > 1 or word >= "一"),
)  # fmt: skip
"""Nouns after which a verb may follow without a particle."""


def is_in(word: str, *tables: frozenset[str]) -> bool:
    """Whether the word is in one of these tables; faster than to join them."""
    return any(word in table for table in tables)
