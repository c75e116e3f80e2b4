"""Japanese input: verbs, particles and small words, read from `ja.toml`."""

import tomllib
from pathlib import Path

import msgspec

_TABLES = msgspec.convert(
    tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")),
    dict[str, dict[str, str]],
)
"""Lists of words, verbs by what they ask for, compounds, and words by what they mean."""


def _read_words(name: str) -> tuple[str, ...]:
    return tuple(_TABLES["words"][name].split())


def _read_set(name: str) -> frozenset[str]:
    return frozenset(_TABLES["words"][name].split())


def _read_map(name: str) -> dict[str, str]:
    return {word: key for key, words in _TABLES[name].items() for word in words.split()}


_LISTED = tuple((word, asks) for asks, words in _TABLES["verbs"].items() for word in words.split())


def _list_compounds() -> dict[str, str]:
    """Each first verb with each second one; a compound in the list of verbs is left out."""
    made: dict[str, str] = {}
    for asks, lines in _TABLES["compounds"].items():
        for line in lines.strip().splitlines():
            first, _, second = line.partition("+")
            made |= {one + other: asks for one in first.split() for other in second.split()}
    return {word: asks for word, asks in made.items() if word not in dict(_LISTED)}


COMPOUNDS = _list_compounds()
"""Verbs made of two, such as 走り出る, and what they ask for."""
IDIOMS = _read_words("idioms")
"""Verbs whose object is no thing: 道草を食う."""
VERBS = (*_LISTED, *COMPOUNDS.items(), *((word, "unknown") for word in IDIOMS))
"""Verbs and what they ask for; `language.ja.conjugation` makes every form.

The words that are no action say how their particles are read: `lay` puts where a place
is named and drops where none is; `hang` locks if a key is hung and puts otherwise;
`gesture` expresses something and does nothing; `hunt` searches what is there or looks
around for what is not; `see` inspects a thing and looks around if none is named; `pass`
and `leave` are ways of moving; `bring` takes out of one thing or puts on another;
`stand` states how a thing is. A verb that is `unknown` cannot be obeyed: it is listed
so that no other verb is found in its tail.
"""
GODAN_IN_RU = _read_set("godan_in_ru")
"""Verbs in kana that look as if they dropped る."""
PHRASES = _read_map("phrases")
"""Complete sentences with a fixed meaning."""
SAME_PARTICLES = _read_map("same_particles")
"""Particles that mean the same as another one here."""
COPULAS = _read_map("copulas")
"""Forms of "to be" after a noun, with what they are; see `language.ja.conjugation`."""
TAILS: dict[str, tuple[str, ...]] = {}
for _mood, _texts in _TABLES["tails"].items():
    for _text in _texts.split():
        TAILS[_text] = (*TAILS.get(_text, ()), _mood)
"""What may follow a verb, with the moods it may give; an empty mood changes nothing."""
WISHED = _read_map("wished")
"""What brings about that something opens, is lit, lies somewhere."""
OPPOSITES = _read_map("opposites")
"""What brings about that something is not so."""
DIRECTIONS = _read_map("directions")
"""Words for a direction, with the English exit label they mean."""
UP_AND_DOWN = _read_map("up_and_down")
"""The direction of climbing without an object, or something that is not itself an
exit."""
OLD_SPELLINGS = _read_map("old_spellings")
"""Small words in kanji, with the same number of kana: 何処 is どこ."""
ORDINALS = {word: int(number) for word, number in _read_map("ordinals").items()}
PARTICLES = _read_words("particles")
"""Words after a noun that say how it belongs to the sentence."""
GENITIVES = _read_set("genitives")
"""Particles between two nouns."""
LAST_TAILS = _read_set("last_tails")
"""Endings that are only read as such where a sentence or a part of it ends."""
NOMINAL_ENDS = _read_set("nominal_ends")
"""Endings that make a noun of the verb."""
ADJECTIVES = _read_words("adjectives")
"""Adjectives in kana, and those that the pattern for kanji does not match."""
OTHER_TIMES = _read_words("other_times")
"""Words that put a deed at another time, or make it a guess or a condition."""
ITS_INSIDE = _read_set("its_inside")
"""The inside of what was mentioned."""
ROLES_AFTER = _TABLES["roles_after"]
"""Particles whose words may follow each verb."""
LAST_WORDS = _read_set("last_words")
"""Adverbs that may follow the verb."""
ABSTRACT = _read_set("abstract")
"""Nouns that name no thing, unless the world has one of that name."""
ACCEPTING = _read_set("accepting")
"""Humble verbs for eating food, and for taking anything else."""
INSIDE = _read_words("inside")
"""Suffixes of a thing after which still the thing itself is meant."""
WITHIN = _read_words("within")
"""Words between a place and a thing in it: 箱の中のコイン."""
UNDOING = _read_set("undoing")
"""Verbs that unlock what they are done to, if it is a lock."""
LOCKS = _read_words("locks")
"""Opening or closing one of these unlocks or locks what precedes it."""
KEYS = _read_set("keys")
LYING = _read_set("lying")
"""Verbs that say where a thing is: 棚に並んだカップ."""
HOLDING = _read_set("holding")
"""Verbs that say that a thing is held: 手に持った傘."""
STAIRS = _read_set("stairs")
"""What is climbed without being a way itself."""
TAKING_NI = _read_set("taking_ni")
"""Verbs whose object is marked by に."""
TURNING = _read_set("turning")
"""Verbs for a key in its lock."""
IN_HAND = _read_set("in_hand")
TOOL_VERBS = _read_set("tool_verbs")
"""AをBに and one of these: A is the tool, B is the target."""
USING = _read_set("using")
"""Before another verb, what is used is the tool of that verb."""
OUT = _read_set("out")
BACK = _read_set("back")
"""Words for the place the speaker last left."""
SELF = _read_set("self")
MINE = _read_words("mine")
HANDS = _read_set("hands")
"""Words for doing something without a tool."""
ANYTHING = _read_set("anything")
"""An object that names nothing."""
THINGS = _read_set("things")
PEOPLE = _read_set("people")
HERE = _read_set("here")
FLOOR = _read_set("floor")
ALL = _read_set("all")
DETERMINERS = _read_words("determiners")
THIS = _read_words("this")
"""Words before the name of the place the speaker is in."""
HONORIFICS = _read_words("honorifics")
ONE = _read_words("one")
"""Words that do not say which: 真鍮のほう."""
TALK = _read_words("talk")
"""Characters that show, in words not understood, that the player wants to talk."""
SUBJECTS = _read_set("subjects")
FIRST_WORDS = _read_words("first_words")
"""Conjunctions that only begin a sentence."""
CONJUNCTIONS = _read_words("conjunctions")
"""Words that introduce a request."""
ADVERBS = _read_set("adverbs")
"""Words before a verb that change nothing."""
SOUND_ROOTS = _read_words("sound_roots")
"""Roots of sound-words that may end in り, ん or っ before と."""
MANNER_STEMS = _read_words("manner_stems")
"""What に or と makes an adverb of manner of."""
MANNER_HEADS = _read_words("manner_heads")
"""Nouns that で makes an adverb of manner of, whatever describes them."""
MANNER_NOUNS = _read_set("manner_nouns")
"""Nouns that で makes an adverb of manner of by themselves."""
TELLING = _read_set("telling")
"""Verbs of speaking that ask to be told."""
QUESTION_WORDS = _read_set("question_words")
"""Words that ask."""
PORTIONS = _read_set("portions")
"""Adverbs for a part of a thing."""
SOFTENERS = _read_set("softeners")
"""Adverbs for a part of a thing if they follow its name; before it they soften a request."""
EXALTED = _read_set("exalted")
"""Verbs for what others do."""
ANYONE = _read_set("anyone")
POCKETS = _read_set("pockets")
"""Where a thing is put that is taken."""
QUANTITIES = _read_set("quantities")
"""Words for all of the things that a name may mean."""
SINGLE = _read_set("single")
"""Words for one of a thing, after its name."""
HELD = _read_set("held")
"""Words for everything that the speaker holds."""
BODY = _read_set("body")
"""What a gesture is made with, if nothing in reach has that name."""
BREAKING = _read_set("breaking")
"""Verbs that are no gesture even with a part of the body."""
GAZING = _read_set("gazing")
"""In a character's reply these inspect a thing in reach; otherwise they are
gestures."""
CLOSELY = _read_set("closely")
"""Adverbs with which a look examines a thing."""
TOWARDS = _read_words("towards")
"""Follows the target of a gaze; looking there is a gesture."""
TOPICS = _read_set("topics")
"""Words before は that name nothing."""
SET_PHRASES = _read_set("set_phrases")
"""Verbs without an object that are said and not done."""
ERRANDS = _read_set("errands")
"""Verbs of going after a purpose: 取りに行く."""
GOING = _read_set("going")
"""Verbs of going that repeat a direction already given: 北に向かって歩く."""
HEADING = _read_set("heading")
RUSHING = _read_set("rushing") | {word for word, asks in COMPOUNDS.items() if asks == "move"}
"""Verbs of going only where a place is named."""
ENTERING = _read_set("entering")
"""Verbs for going through a door that was just opened."""
LOOKING_CLOSELY = _read_set("looking_closely")
"""Verbs that search, or inspect what can only be seen."""
STARTED = _read_words("started")
"""What 入れる makes or switches on instead of putting it anywhere."""
BESIDE = _read_words("beside")
"""Places at a thing where nothing can be put."""
BEARINGS = _read_words("bearings")
"""Words after a direction or a place that add nothing to it."""
STICKING = _read_set("sticking")
"""Verbs that put a key into the lock of a thing."""
KEYHOLES = _read_words("keyholes")
"""Parts of a lock that a key is put into."""
OFF = _read_words("off")
"""Beginnings of the words for a thing that is switched off."""
SWITCHING_OFF = _read_set("switching_off")
CONTENTS = _read_set("contents")
"""Words for everything in or on a thing."""
REST = _read_words("rest")
"""Words for everything but what was named."""
LIDS = _read_set("lids")
"""Parts that stand for the whole when it is opened or closed."""
SWITCHES = _read_set("switches")
"""Parts that stand for the whole when it is used."""
TEXTS = _read_set("texts")
"""Parts that stand for the whole when it is looked at."""
OTHERS = _read_words("others")
"""Words for some of several things that nobody has named."""
CALLED = _read_set("called")
"""Who is called when no name is given."""
ORIGIN = _read_set("origin")
"""Where a thing was before."""
OUTCOMES = BREAKING | _read_set("outcomes")
"""Verbs for what comes of a deed: 飲んでお腹を壊す only tells."""
BODY_NOUNS = frozenset(word for word in BODY if len(word) > 1 or word >= "一")
DOORS = frozenset({"扉", "ドア", "とびら", "戸"})
"""Words that can mean any door."""
KNOWN_NOUNS = (
    *THINGS, *OTHERS, *SINGLE, *PEOPLE, *HERE, *SELF, *ALL, *DIRECTIONS, *FLOOR, *BODY_NOUNS, *OUT,
    *BACK, *KEYS, *HANDS, *ITS_INSIDE, *QUESTION_WORDS, *QUANTITIES, *HELD, *LIDS, *SWITCHES,
    *TEXTS, *_read_words("nouns"),
)  # fmt: skip
"""Nouns after which a verb may follow without a particle."""
