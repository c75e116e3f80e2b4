"""What is known while English sentences are read, and how clauses become claims."""

from collections.abc import Callable
from dataclasses import dataclass, field

from saniwa.language.en.clause_claims import make_clause_claims
from saniwa.language.en.request_wording import find_next_verb, restore_look
from saniwa.language.en.speech import name_hearer
from saniwa.language.en.words import (
    LONGEST_VERB,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    classify_link,
    extract_phrase,
    find_in_reach,
    find_leading_verb,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import WORDS
from saniwa.language.mood import COMMAND, SentenceMood, make_withheld_claim
from saniwa.language.name_match import fits_pronoun
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    make_unrecognised_claim,
    share_group_roles,
)
from saniwa.world.model import Entity

SHARING = frozenset(
    {"take", "drop", "open", "close", "lock", "unlock", "use", "eat", "inspect", "put", "give"}
)
"""The actions that can share an object with another: "unlock and open the gate"."""


@dataclass(slots=True)
class SentenceState:
    """What is known of the sentence that is being read."""

    start: int = 0
    end: int = 0
    mark: int = 0
    """How many claims were made before it."""
    blocked: str = ""
    """Words without a use, because of which nothing of it is done."""
    nearest: str = ""
    framed: bool = False
    """Whether it is also blocked in a reply."""
    other: bool = False
    """Whether another person does what it tells."""
    told: bool = False


@dataclass(slots=True)
class ParserState:
    """One pass over the tokens."""

    lexicon: ParserContext
    tokens: EnglishPhrase
    claims: list[Claim] = field(default_factory=list)
    now: SentenceState = field(default_factory=SentenceState)
    place: int = 0
    quotation: int = 0
    link: str = "stop"
    linker: str = ""
    verb: EnglishVerb | None = None
    group: list[Claim] = field(default_factory=list)
    lost: tuple[int, int] | None = None
    lost_mood: SentenceMood = COMMAND
    shared: list[EnglishVerb] = field(default_factory=list)
    paired: bool = False
    retracted: str = ""
    summoned: str = ""
    """Who was called after a deed, and is to do it."""
    wished: bool = False
    """Whether the last sentence told a wish."""
    told_past: bool = False
    """Whether its verb may be a past: "I put it there"."""
    imagined: str = ""
    """The words after which everything is only imagined."""
    addressed: str = ""
    hearer: str = ""
    speaking: bool = False
    """Whether the words before tell that the speaker said something."""
    asked: str = ""
    left_out: EnglishPhrase = ()
    said: EnglishPhrase = ()
    """What followed the last verb."""
    fronted: EnglishPhrase = ()
    spoken_of: EnglishPhrase = ()
    joined: tuple[Claim, ...] = ()
    """The claims of the last verb, if it had several things."""
    refused: EnglishVerb | None = None
    """The verb of a deed that is not to be done to a thing: "take neither of them"."""
    correcting: bool = False
    sought: bool = False

    def find_end(self, start: int, end: int, ends: Callable[[EnglishToken], object]) -> int:
        """The first place before `end` where something ends; else `end`."""
        return next((n for n in range(start, end) if ends(self.tokens[n])), end)

    def list_claims(self) -> list[Claim]:
        """The claims made so far."""
        return [*self.claims, *self.group]

    def has_deed(self) -> bool:
        """Whether something was asked for so far."""
        return any(map(is_deed, self.group)) or any(map(is_deed, self.claims))

    def block(self, phrase: EnglishPhrase) -> None:
        """Let nothing of the sentence be done, because of these words."""
        self.now.blocked, self.now.nearest = self.extract(phrase), ""

    def accept_clause(self, verb: EnglishVerb, rest: EnglishPhrase) -> None:
        """Make the claims of a verb and the words after it."""
        self.flush_dropped()
        self.verb = verb
        held = self.fronted[1:] if self.fronted and self.fronted[0].low == "with" else ()
        turned = list_words(rest[:2]) == ("it", "in") and verb.kind not in ("move", "gesture")
        if held and (turned or (rest[:1] and rest[0].low == "it" and verb.kind in _PARTING)):
            self.fronted, rest = (), (*held, *rest[1:])  # "With the key … turn it in the lock"
        # "With the key in hand, I go to the door, unlock it": it goes along until it is used.
        carried = verb.kind not in WORDS.tooled and self._is_carried(self.fronted)
        brought = bool(self.fronted) and self.fronted[0].low == "with"
        if verb.kind == "move" and brought and not carried:
            self.block(self.fronted)  # "With the jug in hand, go east", where it is not held
        rest = (*rest, *(() if carried else self.fronted), *self.left_out)
        self.fronted, self.left_out = self.fronted if carried else (), ()
        earlier = self.list_claims()
        fresh = self.sought and (not earlier or earlier[-1]["type"] == "emote")
        named = self.find_first_name(self.spoken_of) if fresh else ""
        about = [*earlier, {"type": "emote", "target": named}] if named else earlier  # "its lid"
        claims = make_clause_claims(self.lexicon, verb, rest, about)
        if self.spoken_of and (self.sought or not any(map(is_deed, earlier))):
            claims = [self._resolve_pronoun(claim) for claim in claims]
        claims = [self._resolve_door(claim) for claim in claims]
        off = _find_switching_off(verb, rest)
        if off and any(self._is_left_on(claim) for claim in claims):
            self.now.blocked, self.now.nearest = off, ""
            self.now.framed = True
        claims = [self._choose_joined(self._turn_key(claim, rest), rest) for claim in claims]
        self.sought = verb.kind == "search" and verb.phrase.endswith((" for", "find", "seek"))
        if claims and claims[0]["type"] == "emote":
            self.sought = True  # "Walks over to the cupboard and opens it"
        if self.sought:
            self.spoken_of = rest
        for other in self.shared:
            self.claims += make_clause_claims(self.lexicon, other, rest)
            # The key is used already: opening with it would unlock once more.
            if other.kind == "unlock":
                claims = [{k: c[k] for k in c if k != "tool"} for c in claims]
        self.paired, self.shared = bool(self.shared), []
        self.group += claims
        self.said = rest
        lost = next((c for c in claims if "leftover" in c), None)
        if lost is not None:
            self.now.blocked, self.now.nearest = lost["leftover"], lost.get("nearest", "")
            # Of deeds that belong together, all are done or none, also in a reply.
            self.now.framed = self.now.framed or verb.kind in _CHANGING

    def _resolve_door(self, claim: Claim) -> Claim:
        """“Its door” is the door of the place that was spoken of; else nothing is done."""
        if claim.get("target") != "its door":
            return claim
        said = self.spoken_of
        places = [self.extract(said[n : n + size]) for n in range(len(said)) for size in (1, 2)]
        doors = {self.lexicon.find_door(place) for place in places} - {""}
        if len(doors) == 1:
            return claim | {"target": doors.pop()}
        names = [
            str(c["target"]) for c in self.list_claims() if c.get("target") not in (None, "it")
        ]
        whole = (names or [self.find_first_name(self.spoken_of)])[-1]
        if any(e.openable for e in self.lexicon.find_matches(whole)):
            return claim | {"target": whole}
        # "It" after "unlock its door with the key" must not be the key.
        doorless = any(map(self.lexicon.is_near, places))
        if doorless or names or ("tool" in claim and not self.has_deed()):
            self.now.framed = True
            self.block(self.spoken_of or self.tokens[self.now.start : self.place])
        return claim

    def _is_left_on(self, claim: Claim) -> bool:
        """Whether the claim would switch a thing on, or leaves it on."""
        plain = claim["type"] == "use" and "manner" not in claim
        return plain and not self.lexicon.is_left_off(str(claim.get("target", "")))

    def _turn_key(self, claim: Claim, rest: EnglishPhrase) -> Claim:
        """“Slide the iron key into the lock”: the only lock that it fits is unlocked."""
        lock, key = ("target", "tool") if claim["type"] == "use" else ("destination", "target")
        if claim["type"] not in ("put", "use") or claim.get(lock) not in _LOCKS:
            return claim
        tool = str(claim.get(key, ""))
        if tool == "it" and (before := self.list_claims()):
            tool = str(before[-1].get("target", ""))
        keys = {e.id for e in self.lexicon.find_matches(tool)}
        fits = [e for e in self.lexicon.scope if e.required_key in keys]
        if len(fits) != 1:
            self.block(rest)
            self.now.framed = True
            return claim
        return {"type": "unlock", "targetId": fits[0].id, "tool": claim[key]}

    def _choose_joined(self, claim: Claim, rest: EnglishPhrase) -> Claim:
        """“Take the bun and the lamp and eat it”: the one thing that fits; else nothing is done."""
        roles = [r for r in ("target", "destination", "source") if claim.get(r) in _ONE]
        if not self.joined or len(roles) != 1:
            return claim
        targets = [self._find_meant(one, "target") for one in self.joined]
        holders = [self._find_meant(one, "destination") for one in self.joined]
        spoken_of = {e.id: e for found in (*targets, *holders) for e in found}
        meant = [e for e in spoken_of.values() if _fits(claim["type"], roles[0], e)]
        if len(meant) != 1 or not all(targets):  # one of them is not seen yet
            self.block(rest)
            self.now.framed = True
            return claim
        return {k: v for k, v in claim.items() if k != roles[0]} | {f"{roles[0]}Id": meant[0].id}

    def _find_meant(self, claim: Claim, role: str) -> tuple[Entity, ...]:
        """What a role of the claim names."""
        known = self.lexicon.world.entities.get(claim.get(f"{role}Id", ""))
        return (known,) if known else self.lexicon.find_matches(str(claim.get(role, "")))

    def _is_carried(self, phrase: EnglishPhrase) -> bool:
        """Whether the thing of “with the key, go east” is held already."""
        found = find_in_reach(self.lexicon, phrase[1:])
        held = bool(found) and all(e.place == self.lexicon.actor for e in found)
        return held and phrase[0].low == "with"

    def _resolve_pronoun(self, claim: Claim) -> Claim:
        """The claim, with "it" as what the sentence before was about."""
        if claim.get("recipient") in en.PEOPLE and (to := self.find_person(claim["recipient"])):
            claim = claim | {"recipient": to}
        roles = [
            r for r in ("target", "destination", "source", "tool") if claim.get(r) in _SPOKEN_OF
        ]
        name = self.find_first_name(self.spoken_of) if roles else ""
        hidden = self.sought and self.spoken_of[0].low in en.DETERMINERS
        if roles and not name and hidden and WORDS.body.isdisjoint(list_words(self.spoken_of)):
            name = self.extract(self.spoken_of)  # it may be seen by then
        if name and claim["type"] == "put" and claim.get("destination") in _LOCKS:
            return {"type": "unlock", "target": name, "tool": claim["target"]}
        return claim | dict.fromkeys(roles, name) if name else claim

    def find_person(self, pronoun: str) -> str:
        """The one person named in the sentence before who may be "her"; empty if there is none."""
        said = self.spoken_of
        names = {name_hearer(said[n:], self.lexicon) for n in range(len(said))} - {"", *en.PEOPLE}
        people = {e.id: n for n in sorted(names) for e in self.lexicon.find_matches(n)}
        meant = [i for i in people if fits_pronoun(pronoun, self.lexicon.world.entities[i])]
        return people[meant[0]] if len(meant) == 1 else ""

    def find_first_name(self, words: EnglishPhrase) -> str:
        """The first words that name one thing in reach."""
        for start, token in enumerate(words):
            for stop in range(min(len(words), start + 3), start, -1):
                idle = token.low in (*en.ARTICLES, *en.MINE) or token.kind in ("comma", "stop")
                text = "" if idle else self.extract(words[start:stop]).removesuffix("'s")
                found = self.lexicon.find_matches(text) if text else ()
                if len(found) == 1 and found[0].kind != "character":
                    return text
        return ""

    def drop_sentence(self, whole: EnglishPhrase, mood: SentenceMood = COMMAND) -> None:
        """Withhold words that ask for nothing, with the clauses joined by "and"."""
        self.place = self.find_end(
            self.place,
            len(self.tokens),
            lambda token: (
                token.kind == "quote" or classify_link(token) in ("stop", "comma", "then")
            ),
        )
        self.drop_words((whole[0], self.tokens[self.place - 1]), mood)

    def drop_words(self, whole: EnglishPhrase, mood: SentenceMood = COMMAND) -> None:
        """Withhold words; those that follow each other become one claim."""
        self.end_group()
        if mood != self.lost_mood:
            self.flush_dropped()
        first, last = min(t.start for t in whole), max(t.end for t in whole)
        self.lost, self.lost_mood = (self.lost[0] if self.lost else first, last), mood
        self.verb = None

    def flush_dropped(self) -> None:
        """Make the claim of the words that were withheld."""
        if self.lost:
            words = self.lexicon.heard.extract_span(*self.lost)
            while (head := words.rpartition(" "))[2].lower() in en.LINKS and head[0]:
                words = head[0].rstrip(" ,")  # "… the key and", before "then go back"
            known = self.lost_mood != COMMAND
            made = make_withheld_claim(words, self.lost_mood) if known else None
            self.claims.append(made or make_unrecognised_claim(words))
            self.lost = None

    def end_group(self) -> None:
        """Close a group of clauses under one verb; roles are shared within it."""
        if self.group:
            self.joined = _list_joined(self.group)
            self.claims += share_group_roles(self.group)
            self.group = []

    def is_clause_next(self) -> bool:
        """Whether a comma and a verb follow."""
        rest = self.tokens[self.place : self.now.end]
        if not rest or rest[0].kind != "comma" or len(rest) < 3:
            return False
        return find_next_verb(rest[1:], self.lexicon) is not None

    def is_verb_next(self) -> bool:
        """Whether "and" and a verb follow."""
        rest = self.tokens[self.place : self.place + 1 + LONGEST_VERB]
        if len(rest) < 2 or rest[0].low not in WORDS.joining:
            return False
        after = restore_look(rest[1:])
        return after[0].low == "see" or find_leading_verb(after, self.lexicon) is not None

    def extract(self, phrase: EnglishPhrase) -> str:
        """The words as spoken."""
        return extract_phrase(self.lexicon, phrase)


def _find_switching_off(verb: EnglishVerb, rest: EnglishPhrase) -> str:
    """The words that switch off or put out: "turn off", "blow … out", "douse"; else empty."""
    words = (*verb.phrase.split(), *list_words(rest))
    if verb.word in WORDS.switching_off:
        return verb.phrase
    particle = next((word for word in words if word in ("off", "out", "down")), "")
    return f"{verb.word} {particle}" if particle and verb.word in WORDS.switched else ""


_CHANGING = SHARING - {"inspect", "use"}
"""The actions that nothing is done without, if one of them is not understood."""
_PARTING = frozenset({"give", "put", "drop", "eat"})
_LOCKS = frozenset({"the lock", "lock", "the keyhole", "its lock", "its keyhole"})
_SPOKEN_OF = _LOCKS | {"it", "that"}
"""What may mean the thing that the sentence before was about."""


_ONE = frozenset({"it", "this", "that"})


def _list_joined(group: list[Claim]) -> tuple[Claim, ...]:
    """The claims of one verb with several things."""
    kinds = {claim["type"] for claim in group}
    return tuple(group) if len(group) > 1 and len(kinds) == 1 else ()


def _fits(kind: str, role: str, thing: Entity) -> bool:
    """Whether a thing could have the role in an action of this kind."""
    if role != "target":
        return thing.kind in ("container", "supporter")
    return {
        "eat": thing.edible,
        "use": "use" in thing.attributes,
        "open": thing.openable,
        "close": thing.openable,
        "lock": thing.lockable,
        "unlock": thing.lockable,
        "inspect": thing.name in WORDS.readable,
    }.get(kind, thing.takeable)


def is_deed(claim: Claim) -> bool:
    """Whether the claim asks for an action."""
    return claim["type"] not in ("unrecognised", "speak", "question", "emote")


def is_changing_deed(claim: Claim) -> bool:
    """Whether the claim asks for more than to look or to wait."""
    return is_deed(claim) and claim["type"] not in ("look", "inspect", "wait")
