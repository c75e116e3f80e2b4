"""Recognise what an English question asks for, from the words in it.

`language.question_kinds` has the rules; this module says which features English words have.
"""

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple, Protocol

from saniwa.language.en.noun_phrases import NounReader, to_singular
from saniwa.language.en.request_wording import trim_phrase
from saniwa.language.en.words import (
    FIRST_PERSON,
    SPEECH,
    EnglishPhrase,
    EnglishToken,
    extract_phrase,
    find_leading_verb,
    restore_stem,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import GROUPS, PAIRS, SEQUENCES, WORDS
from saniwa.language.lexicon.tables import WordSequence
from saniwa.language.parser_context import Claim, ParserContext
from saniwa.language.question_kinds import (
    Features,
    FoundFeature,
    build_feature_table,
    classify_question,
    find_asked_command,
    find_features,
    is_about_scene,
)
from saniwa.world.model import Entity


class DeedReader(Protocol):
    """Reads the clause at the end of a question: "open the chest"."""

    def __call__(self, phrase: EnglishPhrase, *, whole: bool = False) -> list[Claim]:
        """The claims of one clause; with `whole`, those that a command in these words makes."""


def _collect_phrases() -> dict[WordSequence, str]:
    made: dict[WordSequence, str] = {}
    for feature, phrases in GROUPS.question_features.items():
        for words in map(tuple, map(str.split, phrases)):
            made[words] = f"{made.get(words, '')} {feature}"
    return made


_TABLE = build_feature_table(_collect_phrases())
_HINT_WORDS = frozenset(
    words[0] for words, features in _TABLE.features.items() if "hint" in features
)
_ASKING = frozenset({"what", "where", "who", "whom", "which", "how", "why", "when", "whose", "wtf"})
_BEFORE_IS = _ASKING | {"there", "it", "that", "here"}
_AUXILIARIES = WORDS.question_verbs | {"am", "not", "to"}
_INVERTED = _AUXILIARIES - {"do", "have", "will", "shall", "had", "don't", "to", "not"}
_FILLERS = WORDS.calls | WORDS.question_fillers
_HUM = frozenset("uhm")
"""The letters of "uhh" and "hmm"."""
_KNOWABLE = _ASKING | WORDS.question_knowable
"""What "tell me" asks for."""
_LONGEST_OPENING = 4
_CHANGING = frozenset(
    {"take", "drop", "put", "give", "open", "close", "lock", "unlock", "eat", "use", "move"}
)
_STATE_VERBS = frozenset({"is", "are", "was", "were", "do", "does", "did", "will", "would", "has"})
_STATE_ADVERBS = frozenset(
    {
        "all",
        "already",
        "always",
        "again",
        "been",
        "even",
        "just",
        "kept",
        "not",
        "now",
        "so",
        "still",
    }
)
_COMMANDED = frozenset({"can_i", "how", "hint"})
"""The kinds of questions that may be about a command: "how do I save the game"."""
_SHORTEST_WHY = 4
"""The fewest words of a question such as "why is it open"."""
_THINGS = frozenset({"it", "that", "this"})
_OPPOSITES = {"locked": "unlocked", "unlocked": "locked", "open": "closed", "closed": "open"}
_HAVING = frozenset({"have", "borrow", "keep"})
_DOUBTING = frozenset({"no", "not", "unsure"})
_DETERMINERS = frozenset((*en.ARTICLES, "my", "either", "each", "every"))
_ENDS_NOUN = _AUXILIARIES | _ASKING | _DETERMINERS | WORDS.question_ends_noun
_NO_CALLS = en.SELF | frozenset(en.ARTICLES) | en.PEOPLE
_LONGEST = 60
"""The most words of a question that are looked at closely."""
_LONGEST_NAME = 4
_MOST_COMMANDS = 3
"""The most places of a question from which the words are read as a command."""
_MOST_WORDS_OF_HELP = 12


class _Noun(NamedTuple):
    """A noun phrase of a question."""

    start: int
    end: int
    kind: str
    known: int = 0
    """Where the words begin that name it, after others: "that blasted silver key"."""


class EnglishQuestion:
    """A sentence that may be a question."""

    def __init__(self, phrase: EnglishPhrase, lexicon: ParserContext) -> None:
        """Split the sentence; no more than its first words are looked at."""
        self._heard = lexicon.heard
        self._lexicon = lexicon
        self._segments = _split_segments(phrase[:_LONGEST])
        self._tokens = tuple(t for segment in self._segments for t in segment)
        self._words = [t.low for t in self._tokens]
        if not WORDS.question_idle.isdisjoint(self._words):
            said = tuple(t for t in self._tokens if t.low not in WORDS.question_idle)
            self._tokens = said or self._tokens
            self._words = [t.low for t in self._tokens]
        self._phrase = phrase

    def is_asked(self, *, spoken: bool) -> bool:
        """Whether it is a question without its mark.

        Args:
            spoken: Whether it begins with a verb of speaking; only "tell me" asks then.
        """
        words = [_strip_fillers([t.low for t in segment]) for segment in self._segments]
        words = [each for each in words if not _FILLERS.issuperset(each)]
        if spoken:
            # "I say hello to everyone" asks nothing.
            return bool(words) and words[0][0] not in FIRST_PERSON and _wants_knowledge(words[0])
        words = words[self._is_condition(words) :]
        opens = any(_opens_question(each, first=n == 0) for n, each in enumerate(words))
        # "I open it, not sure what to expect" is a deed.
        wanting = words[:1] + [each for each in words[1:] if each[0] not in _DOUBTING]
        wants = any(map(_wants_knowledge, wanting)) or self._is_missing_something()
        return opens or wants or self._is_seeking_help()

    def _is_condition(self, words: list[list[str]]) -> bool:
        """“When the guest comes, open the oven”: the first clause is when to do the rest."""
        when, then = (*words[0][:2], "", "")[:2] if words else ("", "")
        if when != "when" or then in _AUXILIARIES:
            return False
        return ("i", "will") in pairwise(words[0]) or any(
            self._is_deed_phrase(trim_phrase(segment, self._lexicon))
            for segment in self._segments[1:]
        )

    def _is_missing_something(self) -> bool:
        """“I can't find the honey anywhere”, with nothing else in the sentence."""
        words = tuple(_strip_fillers(self._words))
        place = len(self._words) - len(words) + SEQUENCES.misses.count(words)
        if not SEQUENCES.misses.count(words):
            return False
        named = [noun for noun in self._find_nouns() if noun.start >= place]
        named_words = {n for noun in named for n in range(noun.start, noun.end)}
        rest = {self._words[n] for n in range(place, len(self._words)) if n not in named_words}
        return bool(named) and WORDS.question_nowhere.issuperset(rest)

    def _is_seeking_help(self) -> bool:
        """“I need a hint”, “completely lost”: words that only seek help."""
        if _HINT_WORDS.isdisjoint(self._words):
            return False
        words = _strip_fillers(self._words)
        if not 0 < len(words) <= _MOST_WORDS_OF_HELP or words[0] in WORDS.question_no_seekers:
            return False
        if _is_refused(words):
            return False
        features = {f for found in find_features(words, _TABLE, {}) for f in found.features}
        if "hint" not in features:
            return False
        acts = self._is_deed_phrase(self._tokens[-len(words) :]) or any(
            self._is_deed_phrase(trim_phrase(segment, self._lexicon)) for segment in self._segments
        )
        return not acts and all(n.kind in ("unknown", "here") for n in self._find_nouns())

    def _is_deed_phrase(self, phrase: EnglishPhrase) -> bool:
        """Whether the words begin with the verb of a deed, and not with "give me"."""
        verb = find_leading_verb(phrase)
        return (
            verb is not None
            and verb.kind != "unknown"
            and verb.word not in WORDS.question_help_verbs
        )

    def make_claim(self, read_deed: DeedReader) -> Claim:
        """The claim: its kind, its words, and what it asks about; or speech to a person."""
        called = self._find_called()
        if called is not None:
            return called
        nouns = self._find_nouns()
        state = self._find_state_claim(nouns)
        if state is not None:
            return state
        taken = {n.start: n.end for n in nouns if n.kind != "unknown"}
        found = find_features(self._words, _TABLE, taken)
        covered = {place for each in found for place in range(each.start, each.end)}
        nouns = [n for n in nouns if n.kind != "unknown" or n.end - 1 not in covered]
        deed = self._find_deed(nouns, read_deed)
        fitting = {"fits", "need"} & {f for each in found for f in each.features}
        deed = (self._find_unlocking(nouns) if fitting else []) or deed or self._find_move(nouns)
        features = self._collect_features(nouns, found, deed)
        kind = self._find_asked_kind(deed) or classify_question(features)
        words = extract_phrase(self._lexicon, self._phrase)
        claim: Claim = {"type": "question", "kind": kind, "words": words}
        command = self._find_command(nouns) if kind in _COMMANDED and not deed else ""
        if command:
            return claim | {"kind": "can_i" if kind == "can_i" else "how", "command": command}
        claim |= {"scene": True} if is_about_scene(kind, features) else {}
        target = self._choose_target(kind, nouns, found) or self._find_other_doer(kind, nouns)
        claim |= {"target": target} if target else {}
        return claim | ({"deed": deed} if kind in ("can_i", "how", "why") and deed else {})

    def _find_command(self, nouns: list[_Noun]) -> str:
        """What to say, where that is asked: "can I undo", "how do I talk"; empty if unknown."""
        words = _strip_fillers(self._words)
        begun = len(self._words) - len(words)
        opening = (n for n, w in enumerate(words) if w in WORDS.speakers or w == "to")
        start = begun + next(opening, -1 - begun) + 1
        found = find_asked_command([" ".join(self._words[start:])])
        verb = find_leading_verb(self._tokens[start:])
        if found or verb is None or not start or nouns:
            return found
        return "talk" if verb.kind in SPEECH else "look" * (verb.kind == "look")

    def _find_state_claim(self, nouns: list[_Noun]) -> Claim | None:
        """“Why is the gate locked”, “why won't it open”: what keeps a thing in a state."""
        words = _strip_fillers(self._words)
        if words[:1] != ["why"] or len(words) < _SHORTEST_WHY:
            return None
        begin = len(self._words) - len(words) + 2
        begin += self._words[begin : begin + 1] == ["not"]
        noun = next((n for n in nouns if n.start == begin and n.kind in ("thing", "way")), None)
        end = noun.end if noun else begin + 1
        if words[1] not in _STATE_VERBS or not (noun or self._words[begin] in _THINGS):
            return None
        negated = "not" in words
        rest = [w for w in self._words[end:] if w not in _STATE_ADVERBS]
        state = PAIRS.question_states.get(rest[0], "") if len(rest) == 1 else ""
        if not state:
            return None
        state = _OPPOSITES[state] if negated else state
        target = self._extract_noun(noun) if noun else self._words[begin]
        said = extract_phrase(self._lexicon, self._phrase)
        return {"type": "question", "kind": "why", "words": said, "target": target, "state": state}

    def _find_asked_kind(self, deed: list[Claim]) -> str:
        """The kind of "can I", "how do I" and "why can't I" before a deed that is a change."""
        words = _strip_fillers(self._words)[:_LONGEST_OPENING]
        opening = next((n for n, word in enumerate(words) if word in WORDS.speakers), 0)
        goals = [str(claim.get("target", "")) for claim in deed if claim["type"] == "move"]
        out = any(goal == "out" or not self._lexicon.is_destination(goal) for goal in goals)
        if not opening or out or not any(claim["type"] in _CHANGING for claim in deed):
            return ""  # "How do I get out" asks for the ways.
        if opening == 1 and words[0] in WORDS.asking_modals:
            return "can_i"
        modal = opening == 2 and words[1] in WORDS.asking_modals | {"do", "not"}
        return words[0] if modal and words[0] in ("how", "why") else ""

    def _find_called(self) -> Claim | None:
        """“Marta, where is the honey?” is said to Marta."""
        for called, said in ((self._segments[0], 1), (self._segments[-1], 0)):
            words = _strip_fillers([t.low for t in called])
            rest = self._segments[1:] if said else self._segments[:-1]
            if rest and words and " ".join(words) in self._lexicon.people:
                content = self._heard.extract_span(rest[0][0].start, rest[-1][-1].end)
                return {"type": "speak", "content": content, "to": " ".join(words)}
        words = _strip_fillers(self._words)
        named = self._lexicon.count_person_words(words[:3])
        if named and _opens_question(words[named:], first=True) and words[0] not in _NO_CALLS:
            start = self._tokens[len(self._words) - len(words) + named].start
            content = self._heard.extract_span(start, self._tokens[-1].end)
            return {"type": "speak", "content": content, "to": " ".join(words[:named])}
        return None

    def _find_nouns(self) -> list[_Noun]:
        """The noun phrases: names, and what follows an article."""
        nouns: list[_Noun] = []
        place = 0
        while place < len(self._words):
            noun = self._find_noun(place)
            if noun is not None:
                nouns.append(noun)
            place = noun.end if noun is not None else place + 1
        return nouns

    def _find_noun(self, start: int) -> _Noun | None:
        after = start + (self._words[start] in _DETERMINERS)
        before = tuple(self._words[max(0, start - 1) : start + 1])
        asked = before[0] in ("which", "what", "any") and before not in _TABLE.features
        partly = after > start or asked
        for length in range(min(_LONGEST_NAME, len(self._words) - after), 0, -1):
            words = self._words[after : after + length]
            whole = tuple(self._words[start : after + length])
            listed = {tuple(words), whole} & _TABLE.features.keys() or words[0] in _ENDS_NOUN
            # "The safe" is a thing where there is one, and "the hold" a place.
            named = after > start and words[0] not in _DETERMINERS
            if listed and not (named and self._lexicon.find_bearers(" ".join(words))):
                continue
            kind = self._classify_noun(" ".join(words), partly=partly)
            if kind:
                return _Noun(start, after + length, kind)
        return self._find_unknown_noun(start, after) if after > start else None

    def _find_unknown_noun(self, start: int, after: int) -> _Noun | None:
        """What follows an article; "that blasted silver key" ends with a known name."""
        end = after
        while end < len(self._words) and self._words[end] not in _ENDS_NOUN:
            end += 1
        part = self._words[max(0, start - 2) : start] == ["part", "of"]  # "which part of the ship"
        part = part or tuple(self._words[after:end]) in _TABLE.features  # "any other doors"
        whole = tuple(self._words[after:end])
        way = end == after + 1 and whole[0] in WORDS.climbed and self._words[0] == "where"
        if way and not self._is_told_of(whole[0]):
            return _Noun(start, end, "thing")  # "where is the ladder", where none leads up
        if end == after or part or self._words[end - 1] in WORDS.question_no_nouns:
            return None
        for place in range(after + 1, min(end, after + _LONGEST_NAME)):
            for stop in range(end, place, -1):  # "is the old chest locked"
                kind = self._classify_noun(" ".join(self._words[place:stop]), partly=True)
                if kind:
                    return _Noun(start, stop, kind, place)
        whole = tuple(self._words[start : after + 1])
        return None if whole in _TABLE.features else _Noun(start, end, "unknown")

    def _is_told_of(self, word: str) -> bool:
        """Whether the description of the place has this word."""
        room = self._lexicon.find_room()
        return room is not None and word in room.description.lower()

    def _classify_noun(self, words: str, *, partly: bool) -> str:
        """What the words name; empty if they name nothing."""
        if words in self._lexicon.people:
            return "person"
        if words in self._lexicon.here:
            return "here"
        if any(each in self._lexicon.world.locations for each in self._lexicon.find_bearers(words)):
            return "place"
        if words.removesuffix("s") in self._lexicon.own_names:
            return "self"
        for each in (words, words.removesuffix("s")):
            if self._lexicon.find_bearers(each) or (partly and self._lexicon.find_matches(each)):
                return "thing"
        return "way" if words in self._lexicon.labels and words not in en.DIRECTIONS else ""

    def _find_deed(self, nouns: list[_Noun], read_deed: DeedReader) -> list[Claim]:
        """The first clause of the question that is a deed."""
        named = {place: noun for noun in nouns for place in range(noun.start, noun.end)}
        places = [n for n in range(1, len(self._words)) if n not in named]
        commands = (read_deed(self._list_command(n, named), whole=True) for n in places)
        for claims in islice(filter(None, commands), _MOST_COMMANDS):
            if self._is_asked(claims):
                return claims
        clauses = (phrase for n in places for phrase in self._list_clauses(n, named))
        found = (claims for phrase in clauses if (claims := read_deed(phrase)))
        return next(
            (each for each in found if all(map(_is_deed, each)) and self._is_asked(each)), []
        )

    def _is_asked(self, claims: list[Claim]) -> bool:
        """Whether the claims are a deed that can be asked about."""
        if not (all(map(_is_understood, claims)) and any(map(_is_deed, claims))):
            return False
        taken = (str(c.get("target", "")) for c in claims if c["type"] == "take")
        # "How do I get upstairs" takes nothing.
        return not any(map(self._lexicon.is_way, taken)) and not _is_about_game(claims)

    def _find_unlocking(self, nouns: list[_Noun]) -> list[Claim]:
        """“Does the iron key fit the chest”, “which key is for the chest”."""
        things = [(noun, self._find_named(noun)) for noun in nouns]
        locked = [noun for noun, found in things if any(e.lockable for e in found)]
        tools = [noun for noun, found in things if any(e.takeable for e in found)]
        if len(locked) != 1:
            return []
        goal, *tool = map(self._extract_noun, (*locked, *tools))
        known = len(tool) == 1 and len(self._lexicon.find_matches(tool[0])) == 1
        return [{"type": "unlock", "target": goal} | ({"tool": tool[0]} if known else {})]

    def _find_move(self, nouns: list[_Noun]) -> list[Claim]:
        """“How do I get to the hall”, “can I have the cup”: a move or a taking without its verb."""
        had = [n for n in nouns if n.kind == "thing" and self._words[n.start - 1] in _HAVING]
        if had and self._asks_modally():
            return [{"type": "take", "target": self._extract_noun(had[0])}]
        if WORDS.question_getting.isdisjoint(self._words):
            return []
        places = [self._extract_noun(noun) for noun in nouns if noun.kind == "place"]
        goals = places or [word for word in self._words if self._lexicon.is_way(word)]
        return [{"type": "move", "target": goals[-1]}] if goals else []

    def _extract_noun(self, noun: _Noun) -> str:
        phrase = self._tokens[noun.start : noun.end]
        adorned = NounReader(self._lexicon, ()).read(phrase).words if noun.known else ""
        if adorned and self._lexicon.find_matches(adorned):
            return adorned
        first = self._tokens[noun.known or noun.start]
        said = self._heard.extract_span(first.start, phrase[-1].end)
        one = to_singular(said)
        several = self._lexicon.find_matches(one) and not self._lexicon.find_matches(said)
        return one if several else said

    def _list_command(self, number: int, named: dict[int, _Noun]) -> EnglishPhrase:
        """The words that could be a command: after "can I", "how to"; else none."""
        before = self._words[number - 1]
        if before not in WORDS.question_before_deed or number - 1 in named:
            return ()
        start = self._tokens[number].start
        said = (t for t in self._phrase[:_LONGEST] if t.start >= start)
        return tuple(t for t in said if t.low not in WORDS.question_idle)

    def _list_clauses(self, number: int, named: dict[int, _Noun]) -> Iterator[EnglishPhrase]:
        """The clauses with a verb at a place: active, in -ing, passive or without object."""
        token, before = self._tokens[number], self._words[number - 1]
        stem = restore_stem(token.low)
        follows = self._tokens[number + 1 :]
        if before in WORDS.question_before_deed or before in _ASKING or number - 1 in named:
            yield (token, *follows)
        if not stem and (before in ("to", "not", "it") or number - 1 in named):
            stem = token.low
        if stem:
            verb = token._replace(low=stem)
            yield (verb, *follows)
            subject = next((named[n] for n in range(number - 1, -1, -1) if n in named), None)
            if subject is not None:
                yield (verb, *self._tokens[subject.start : subject.end])
            elif "it" in self._words[:number]:
                yield (verb, self._tokens[self._words.index("it")])

    def _collect_features(
        self, nouns: list[_Noun], found: list[FoundFeature], deed: list[Claim]
    ) -> Features:
        begun = {noun.start for noun in nouns} | {
            each.start for each in found if each.features & {"here", "person"}
        }
        features = {noun.kind for noun in nouns}
        for each in found:
            last = self._words[each.end - 1]
            near = each.end in begun or last in ("it", "there") or _is_it(self._words, each.end)
            features |= each.features - (set() if near else {"inside"})
        if "unknown" in features:
            features = features - {"unknown"} | {"thing"}
        if any(e.kind == "door" for n in nouns for e in self._find_named(n)):
            features.add("door")
        leaves = bool(features & {"exit", "leave"}) and deed[:1] and deed[0]["type"] == "move"
        features |= {"deed"} if deed and not leaves else set()
        features |= {"need"} if self._words[-1] == "with" else set()
        told = any(
            one in ("who", "what") and two.endswith("ed") for one, two in pairwise(self._words)
        )
        features |= {"past"} if told else set()
        return frozenset(features | ({"may"} if self._asks_modally() else set()))

    def _find_named(self, noun: _Noun) -> tuple[Entity, ...]:
        return self._lexicon.find_matches(self._extract_noun(noun)) if noun.kind == "thing" else ()

    def _asks_modally(self) -> bool:
        """Whether it asks what may or can be done: "can I", "should we", "can it be"."""
        for segment in self._segments:
            words = [*_strip_fillers([t.low for t in segment]), "", ""]
            if words[0] in WORDS.asking_modals and (words[1] != "you" or "without" in words):
                return True
            if words[0] in ("will", "would", "do") and words[1] in ("i", "we") and "able" in words:
                return True
            if words[0] in ("i", "we") and words[1] in WORDS.asking_modals:
                return True
        return False

    def _find_other_doer(self, kind: str, nouns: list[_Noun]) -> str:
        """The person whose deed is asked about: "can the gardener open the gate"."""
        words = _strip_fillers(self._words)
        begin = len(self._words) - len(words) + 1
        doer = next((n for n in nouns if n.start == begin and n.kind == "person"), None)
        asks = kind == "can_i" and words[0] in WORDS.asking_modals
        return self._extract_noun(doer) if doer and asks else ""

    def _choose_target(self, kind: str, nouns: list[_Noun], found: list[FoundFeature]) -> str:
        """What the question is about, in the speaker's words."""
        if kind not in ("where_is", "what_is_in", "what_is", "exits", "who_is_here"):
            return ""
        about = [n for n in nouns if n.kind not in ("here", "way")]
        if kind in ("exits", "who_is_here"):
            about = [n for n in about if n.kind == "place"]
        if kind == "what_is_in":
            ends = {each.end for each in found if "inside" in each.features}
            about = [n for n in about if n.start in ends] or about
        known = [n for n in about if n.kind != "unknown"] or about
        if not known:
            return ""
        return self._extract_noun(known[0])


def _split_segments(phrase: EnglishPhrase) -> list[EnglishPhrase]:
    """The parts of a sentence between commas, without short forms."""
    made: list[list[EnglishToken]] = [[]]
    for token in phrase:
        if token.kind == "comma":
            made.append([])
        else:
            made[-1] += _split_short(token)
    return [tuple(segment) for segment in made if segment]


def _split_short(token: EnglishToken) -> list[EnglishToken]:
    """“What's” as two words."""
    low = PAIRS.question_short.get(token.low, token.low)
    if token.kind != "word" or not ("'" in low or " " in low):
        return [token._replace(low=low) if token.kind == "word" else token]
    head, mark, tail = low.rpartition("'")
    if mark and tail == "s" and head in _BEFORE_IS:
        low = f"{head} is"
    for ending, word in PAIRS.question_endings.items():
        low = f"{low.removesuffix(ending)} {word}" if low.endswith(ending) else low
    return [token._replace(low=word) for word in low.split()]


def _strip_fillers(words: list[str]) -> list[str]:
    """The words after "hey", "so", "please" and the like."""
    place = 0
    while place + 1 < len(words) and (words[place] in _FILLERS or set(words[place]) <= _HUM):
        if words[place + 1] in ("if", "to"):  # "OK if I eat it?"
            break
        if words[place] == "no" and words[place + 1] in ("idea", "clue", "sign", "trace"):
            break
        place += 1
    return words[place:]


def _opens_question(words: list[str], *, first: bool) -> bool:
    one, two, three, four = (*words[:4], "", "", "", "")[:4]
    if words == ["exits"]:
        return True
    if "dare" in (three, four):
        return False  # "Don't you dare open it"
    if one == "have" and two in ("a", "an", "another", "the", "my"):
        return False  # "Have a look", "have the window shut"
    if one in WORDS.courteous_modals and two == "you":
        # "Would you mind if I …", "will you let me …", "can you open it without …"
        minds = three == "mind" and four in ("if", "me", "my", "that", "us")
        minds = minds or (three == "be" and "if" in words)  # "Would you be angry if I …"
        doubts = (
            three in ("even", "actually", "really", "ever", "see", "spot") or "without" in words
        )
        return minds or doubts or (three == "let" and four in ("me", "us"))
    if one in _ASKING:
        return first or two in _AUXILIARIES
    if one in WORDS.question_before_asking and two in _ASKING:
        return True
    if one in _INVERTED:
        return first or two in WORDS.question_subjects
    if one in WORDS.question_verbs and two in WORDS.question_subjects:
        return True
    if one in ("ok", "okay", "mind", "possible", "alright"):
        return two in ("if", "to", "telling", "me")
    return one in WORDS.question_any or (one, two) == ("got", "any")


def _wants_knowledge(words: list[str]) -> bool:
    """“Tell me where …”, “I do not know how …”, “any idea who …”, “could you explain what …”."""
    if not words or words[0] not in WORDS.question_knowers or _is_refused(words):
        return False
    if words[:1] == ["i"] and "to" in words[2:4] and _DEEDS & {*words[3:5]}:
        return False  # "I would like to open it and see what is inside"
    for place, word in enumerate(words):
        later = words[place + 1 :]
        if not _KNOWABLE & {*later}:
            return False
        near = bool(_KNOWABLE & {*later[:3]})
        if (word in WORDS.question_explaining and near) or (
            word in WORDS.question_telling and later[0] in ("me", "us")
        ):
            return True
        if word in WORDS.question_knowing and WORDS.question_unknowing & {*words[:place]}:
            return True
    return False


_DEEDS = frozenset({"open", "take", "unlock", "search", "use", "put", "give", "go", "lift", "grab"})


def _is_refused(words: list[str]) -> bool:
    """“Do not tell me what to do” refuses an answer; “do not know what to do” asks."""
    telling = WORDS.question_telling | WORDS.question_explaining
    return words[:2] == ["do", "not"] and not telling.isdisjoint(words[2:3])


def _is_it(words: list[str], place: int) -> bool:
    return words[place : place + 1] in (["it"], ["there"], ["that"], ["this"], ["them"])


def _is_about_game(claims: list[Claim]) -> bool:
    """“Finish this game” is no meal."""
    words = str(claims[0].get("target", "")).split()
    return words[-1:] in (["game"], ["story"], ["quest"])


def _is_understood(claim: Claim) -> bool:
    return claim["type"] not in ("host", "question", "unrecognised")


def _is_deed(claim: Claim) -> bool:
    named = not claim.keys().isdisjoint(("target", "targetId"))
    talks = claim.keys() == {"type", "to"}
    return talks or claim["type"] == "wait" or (named and claim["type"] != "unrecognised")
