"""Parse English sentences into untrusted claims.

Each clause is a verb phrase and what follows it; a clause without a verb uses the verb
before it. What words refer to is resolved later.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from saniwa.language.en.clause_claims import make_clause_claims
from saniwa.language.en.clause_parts import count_manner, count_preposition
from saniwa.language.en.exclusions import ExclusionReader
from saniwa.language.en.frames import (
    count_filler,
    find_contents_search,
    find_next_verb,
    find_wished_state,
    is_already_so,
    is_body_aside,
    is_sequence,
    is_small_talk,
    restore_gerund,
    restore_look,
    trim_phrase,
)
from saniwa.language.en.questions import EnglishQuestion
from saniwa.language.en.speech import name_hearer, read_speech
from saniwa.language.en.word_order import restore_order
from saniwa.language.en.words import (
    GERUNDS,
    LONGEST_VERB,
    SPEECH,
    THIRD_PERSONS,
    VERB_FORMS,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    classify_link,
    extract_phrase,
    find_in_reach,
    find_leading_verb,
    is_adverb,
    list_words,
    merge_tokens,
    to_stem,
    tokenize_english,
)
from saniwa.language.host_words import find_host_command
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.mood import (
    COMMAND,
    SentenceMood,
    find_english_mood,
    make_leftover_claim,
    make_withheld_claim,
)
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    make_unrecognised_claim,
    share_group_roles,
    strip_article,
)
from saniwa.language.text import PreparedText
from saniwa.world.model import Id

_LONGEST_ASIDE = 12
_REPORT = SentenceMood("report")
_SHARING = frozenset(
    {"take", "drop", "open", "close", "lock", "unlock", "use", "eat", "inspect", "put",
     "give"}
)  # fmt: skip
_LISTING = _SHARING | {"search", "look"}
_DOING = _SHARING | {"search", "look", "move", "wait"}
_DETERMINERS = en.DETERMINERS | {"both", "all", "every", "each"}
_STRENGTH = ("", "comma", "and", "then", "stop")
"""The links between clauses, the weakest first."""


def parse_english(heard: PreparedText, lexicon: ParserContext) -> tuple[Claim, ...]:
    """The claims in the words, in order; words not understood become claims as well."""
    tokens = merge_tokens(tuple(tokenize_english(heard)))
    if not lexicon.narrated:
        command = find_host_command(heard.text)
        if command is not None and not command.argument and command.name != "inventory":
            return ({"type": "host", "command": command.name, "words": heard.text.strip()},)
        tokens = restore_order(tokens, lexicon)
    return _EnglishParser(lexicon, tokens).read()


@dataclass(slots=True)
class _SentenceState:
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
class _EnglishParser:
    """One pass over the tokens."""

    lexicon: ParserContext
    tokens: EnglishPhrase
    claims: list[Claim] = field(default_factory=list)
    now: _SentenceState = field(default_factory=_SentenceState)
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
    addressed: str = ""
    hearer: str = ""
    asked: str = ""
    left_out: EnglishPhrase = ()
    fronted: EnglishPhrase = ()
    spoken_of: EnglishPhrase = ()
    correcting: bool = False
    sought: bool = False

    def read(self) -> tuple[Claim, ...]:
        while self.place < len(self.tokens):
            if self.place >= self.now.end:
                self._end_sentence()
                self._begin_sentence()
                continue
            token = self.tokens[self.place]
            link = classify_link(token)
            if link:
                self.link = max(self.link, link, key=_STRENGTH.index)
                self.linker = token.low
                self.place += 1
            elif token.kind == "quote":
                self._parse_quotation()
            else:
                self._parse_clause()
            if link == "stop":
                self._end_group()
        self._end_sentence()
        if self.retracted and any(map(_is_deed, self.claims)):
            return (make_leftover_claim(self._extract_text(self.tokens), self.retracted),)
        return tuple(self.claims)

    def _begin_sentence(self) -> None:
        """Read the next sentence, or withhold it if it asks for nothing."""
        end = self._find_end(self.place, len(self.tokens), _ends_sentence)
        asked = end < len(self.tokens) and "?" in self.tokens[end].low
        after = min(end + 1, len(self.tokens))
        self.now = _SentenceState(self.place, after, len(self.claims))
        if not WORDS.all_words.isdisjoint(t.low for t in self.tokens[self.place : end]):
            marker = ExclusionReader(self.lexicon, self.tokens)
            self.tokens, left_out, self.place = marker.mark(self.place, end)
            self.left_out = left_out or self.left_out
        self.place = self._skip_sequence(self.place, end)
        words = self.tokens[self.place : end]
        if words:
            spoken = self._is_all_speech(words)
            question = EnglishQuestion(words, self.lexicon)
            if question.is_asked(spoken=spoken):
                self._withhold(words, SentenceMood("question"))
            elif not spoken:
                self._withhold(words, _find_mood(words, asked=asked))

    def _find_end(self, start: int, end: int, ends: Callable[[EnglishToken], object]) -> int:
        """The first place before `end` where something ends; else `end`."""
        return next((n for n in range(start, end) if ends(self.tokens[n])), end)

    def _skip_sequence(self, start: int, end: int) -> int:
        """Where the sentence goes on after "once you have done that," or "having the key,"."""
        stop = self._find_end(start, end, lambda token: token.kind == "comma")
        clause = self.tokens[start:stop] if stop < end else ()
        while clause and clause[0].low in en.LINKS:
            clause = clause[1:]
        if not clause:
            return start
        if is_already_so(self.lexicon, clause):
            self.spoken_of = clause
            return stop + 1
        return stop + 1 if is_sequence(list_words(clause)) else start

    def _withhold(self, words: EnglishPhrase, mood: SentenceMood) -> None:
        """Turn a sentence that is no command, or leaves a choice, into its words."""
        choice = next((t.low for t in words if _is_word(t, WORDS.choices)), "")
        if mood == COMMAND and not choice:
            return
        self.quotation += sum(token.kind == "quote" for token in words)
        if mood.mood == "exception" and any(map(_is_deed, self.claims)):
            self.retracted = mood.word
        text = self._extract_text(words)
        if mood.mood in ("question", "permission"):
            lost = EnglishQuestion(words, self.lexicon).make_claim(self._read_deed)
        elif mood == COMMAND:
            lost = make_leftover_claim(text, choice)
        else:
            lost = make_withheld_claim(text, mood)
        self.claims.append(lost)
        self.verb, self.link = None, "stop"
        self.place = self.now.end

    def _read_deed(self, phrase: EnglishPhrase) -> list[Claim]:
        """The claims of a clause inside a question."""
        phrase = trim_phrase(phrase, self.lexicon)
        verb = find_leading_verb(phrase, self.lexicon)
        if verb is None or verb.kind in (*SPEECH, "unknown", "deed", "introduce"):
            return []
        return make_clause_claims(self.lexicon, verb, phrase[verb.length :])

    def _is_all_speech(self, words: EnglishPhrase) -> bool:
        """Whether all of it is said aloud, so that no word of it asks for an action."""
        start = next((n for n, t in enumerate(words) if not classify_link(t)), len(words))
        stop = next((n for n in range(start, len(words)) if _ends_clause(words[n])), len(words))
        verb = find_next_verb(words[start:stop], self.lexicon) if start < stop else None
        return start == stop or (verb is not None and verb.kind == "speak")

    def _end_sentence(self) -> None:
        """Close a sentence.

        A sentence that was understood only in part does nothing.
        """
        now = self.now
        if self.linker in ("but", "afterwards") and self.link == "then":
            now.blocked = self.linker
        self._end_group()
        self._flush_dropped()
        made = self.claims[now.mark :]
        acts = any(map(_is_deed, made))
        blocked = self._find_addressed() or now.blocked
        tokens = self.tokens[now.start : now.end]
        if not acts and not any(c.get("problem") == "prohibition" for c in made):
            self.spoken_of = tokens
        if not blocked or not acts or (self.lexicon.narrated and not now.framed):
            return
        words = self._extract_text(tokens)
        lost = make_leftover_claim(words, blocked, now.nearest)
        if self.asked or blocked == self.addressed:
            to = self.asked or self.addressed
            lost = {"type": "speak", "to": to, "content": words, "request": True}
            self.asked = ""
        elif now.told:
            lost = make_withheld_claim(words, SentenceMood("report", blocked))
        self.claims[now.mark :] = [*(c for c in made if c["type"] == "speak"), lost]

    def _find_addressed(self) -> str:
        """The person greeted in an earlier sentence, whom this one tells to act."""
        words = self.tokens[self.now.start : self.now.end]
        spoken = [t.low for t in words if t.kind in ("word", "name")]
        if spoken and spoken[0] in WORDS.greetings and spoken[-1] in self.lexicon.people:
            self.addressed = spoken[-1]
            if self.claims and self.claims[-1].get("type") == "unrecognised":
                said = {"type": "speak", "content": self._extract_text(words)}
                self.claims[-1] = said | {"to": self.addressed}
            return ""
        return "" if spoken[:1] and spoken[0] in WORDS.speakers else self.addressed

    def _parse_clause(self) -> None:
        end = self._find_end(self.place, len(self.tokens), _ends_clause)
        whole, self.place = self.tokens[self.place : end], end
        narrowed = self._find_narrowed(whole)
        if narrowed is not None:
            claim, thing = narrowed
            del claim["target"]
            claim["targetId"] = thing
        else:
            if self._takes_back(whole):
                self.retracted = self._extract_text(whole)
            self._read_clause(whole)
        self.link = ""

    def _read_clause(self, whole: EnglishPhrase) -> None:
        if is_small_talk(whole) or self._is_halting(whole):
            self.correcting = any(t.low in WORDS.correcting for t in whole)
        elif self._is_about_other(whole):
            self._block(whole)
            self.now.told = True
            self._drop_words(whole, _REPORT)
        elif not (is_body_aside(list_words(whole)) or self._is_announcement(whole)):
            phrase = trim_phrase(whole, self.lexicon)
            moved = self._move_phrase(phrase)
            phrase = phrase if moved is None else moved
            if phrase:
                self._parse_verb_phrase(whole, restore_look(restore_gerund(phrase)))

    def _block(self, phrase: EnglishPhrase) -> None:
        """Let nothing of the sentence be done, because of these words."""
        self.now.blocked, self.now.nearest = self._extract_text(phrase), ""

    def _list_claims(self) -> list[Claim]:
        """The claims made so far."""
        return [*self.claims, *self.group]

    def _has_deed(self) -> bool:
        return any(map(_is_deed, self.group)) or any(map(_is_deed, self.claims))

    def _find_narrowed(self, whole: EnglishPhrase) -> tuple[Claim, Id] | None:
        """The last claim, and which of its things a clause such as "the brass one" names."""
        last = next(reversed(self._list_claims()), None)
        if last is None or not _is_deed(last) or "target" not in last:
            return None
        if self.link in ("then", "and") or find_next_verb(whole, self.lexicon) is not None:
            return None
        meant = {e.id for e in self.lexicon.find_matches(str(last["target"]))}
        text = self._extract_text(trim_phrase(whole, self.lexicon))
        named = {e.id for e in self.lexicon.find_matches(text)} & meant
        return (last, named.pop()) if len(meant) > 1 and len(named) == 1 else None

    def _is_halting(self, whole: EnglishPhrase) -> bool:
        """“Oh wait”, “no wait”: it is no deed, but corrects the one before."""
        words = list_words(whole)
        begun = len(words) > 1 and self._has_deed()
        return begun and "wait" in words and is_small_talk(_drop_word(whole, "wait"))

    def _is_announcement(self, whole: EnglishPhrase) -> bool:
        """“First stop, go north”, “as the guest, I go north”; no deed of its own."""
        called = whole[0].low == "as" and strip_article(self._extract_text(whole[1:]))
        announced = called in self.lexicon.own_names or list_words(whole) in SEQUENCES.announcing
        return announced and self._is_clause_next()

    def _is_about_other(self, whole: EnglishPhrase) -> bool:
        """Whether somebody else does it: "she opens it", and then "takes the gear"."""
        first, second = (*(t.low for t in whole[:2]), "", "")[:2]
        if self._is_reason(whole):
            return False
        if first in WORDS.speakers or first in self.lexicon.own_names:
            self.now.other = False
        elif first in WORDS.others:
            # "It would be great if you could" opens a request.
            self.now.other = trim_phrase(whole, self.lexicon)[0].low in WORDS.others
        else:
            named = self.lexicon.count_person_words([t.low for t in whole])
            after = whole[named].low if 0 < named < len(whole) else ""
            self.now.other = self.now.other or (after in THIRD_PERSONS and first not in en.SELF)
            self.now.other = self.now.other and (bool(named) or first in VERB_FORMS or second == "")
        return self.now.other

    def _parse_verb_phrase(self, whole: EnglishPhrase, phrase: EnglishPhrase) -> None:
        """Parse a clause without what only accompanies it."""
        if self._is_prelude(phrase):
            return
        wished = find_contents_search(phrase) or find_wished_state(phrase)
        verb, phrase = wished or self._find_inner_verb(phrase)
        if verb is None:
            if not (self._leaves_out(phrase) or self._drop_negated(whole)):
                self._parse_verbless(whole, phrase)
        elif self._is_authoring(verb, phrase):
            self._parse_authoring(verb, phrase)
        elif verb.kind in SPEECH:
            self._parse_speech(whole, phrase[verb.length :], verb)
        elif verb.kind == "unknown":
            self.spoken_of = phrase[verb.length :]
            self._drop_words(whole)
        elif not (self._leaves_out(phrase) or self._drop_negated(whole)):
            self._parse_deed(verb, phrase)

    def _drop_negated(self, whole: EnglishPhrase) -> bool:
        """Whether a word such as "not" withholds the clause; then it is dropped."""
        words = list_words(whole)
        place = 0
        while place < len(words):
            idle = count_filler(words, place) or count_manner(words, place)
            if not idle and words[place] in WORDS.negating:
                no = words[place]
                mood = SentenceMood("statement" if no == "should" else "prohibition", no)
                self.spoken_of = whole
                self._drop_sentence(whole, mood)
                return True
            place += idle or 1
        return False

    def _parse_deed(self, verb: EnglishVerb, phrase: EnglishPhrase) -> None:
        if len(phrase) == verb.length and self._shares_object(verb):
            self.shared.append(verb)
        else:
            self._end_group()
            self._accept_clause(verb, phrase[verb.length :])

    def _find_inner_verb(self, phrase: EnglishPhrase) -> tuple[EnglishVerb | None, EnglishPhrase]:
        """The verb of the phrase; of "go take the lamp" the second."""
        verb = find_leading_verb(phrase, self.lexicon)
        if verb is not None and len(phrase) > 1 and phrase[0].low in WORDS.going:
            inner = find_leading_verb(phrase[1:], self.lexicon)
            if inner is not None and inner.kind in _DOING and inner.length > verb.length - 1:
                return inner, phrase[1:]
        return verb, phrase

    def _is_prelude(self, phrase: EnglishPhrase) -> bool:
        """“Hurry up and take it”, “reach out and grab it”: only the second is a deed."""
        words = list_words(phrase)
        words = (to_stem(words[0]), *words[1:])
        if words[0] not in (WORDS.going | WORDS.leading) or not self._is_verb_next():
            return False
        if words[0] == "reach" and words[1:2] in (("for",), ("toward",), ("towards",)):
            self.spoken_of = phrase[2:]
            return True
        leads = words[0] in WORDS.going and words[0] != "hurry"
        return (WORDS.along if leads else WORDS.prelude_particles).issuperset(words[1:])

    def _takes_back(self, whole: EnglishPhrase) -> bool:
        """Whether the clause takes back or corrects what was said before it."""
        if not self._has_deed():
            return False
        words = list_words(whole)
        if (
            words in SEQUENCES.retractions
            or words[:2] in SEQUENCES.corrections
            or _is_bare_refusal(words)
        ):
            return True
        if words[:3] in SEQUENCES.second_thoughts:
            return True
        if self.correcting and self.link != "and":
            self.correcting = False
            verb = find_next_verb(whole, self.lexicon)
            return verb is None or (self.verb is not None and verb.kind == self.verb.kind)
        return self.link == "stop" and not self.lexicon.narrated and self._is_fragment(whole)

    def _is_fragment(self, whole: EnglishPhrase) -> bool:
        """A sentence that is only a name or "not the milk": it corrects the last one."""
        end = self.now.end - 1 if self.now.end > self.place else self.place
        if self.place < end or self.place > self.now.end or is_small_talk(whole):
            return False
        words = [t.low for t in whole]
        if words[0] == "not":
            return True
        if words[0] in ("with", "using", "from", "in", "on"):
            return bool(find_in_reach(self.lexicon, whole[1:]))
        text = self._extract_text(trim_phrase(whole, self.lexicon))
        verb = find_next_verb(whole, self.lexicon)
        plain = verb is None and not (self.lexicon.is_way(text) or self.lexicon.is_near(text))
        return plain and bool(self.lexicon.find_matches(text))

    def _move_phrase(self, phrase: EnglishPhrase) -> EnglishPhrase | None:
        """Set "with the key" before a verb apart; return what follows it.

        Empty if the verb is in the next clause; None if there is no such phrase.
        """
        words = list_words(phrase)
        if self.group or self.fronted or self.link not in ("stop", "then", "and"):
            return None
        if words[-2:] == ("in", "hand") and len(words) > 2:
            self.fronted = (phrase[-2]._replace(low="with"), *phrase[:-2])
            return ()
        start = count_preposition(words, 0)
        if " ".join(words[:start]) not in WORDS.fronted:
            return None
        for stop in range(start + 1, min(len(phrase), start + 7) + 1):
            noun = self._extract_text(phrase[start:stop])
            if self.lexicon.find_matches(noun) or self.lexicon.is_here(noun):
                after = phrase[stop:]
                ready = after and (
                    after[0].low in ("i", "we")
                    or find_leading_verb(after, self.lexicon) is not None
                )
                if ready or (not after and self._is_clause_next()):
                    self.fronted = phrase[:stop]
                    return trim_phrase(after, self.lexicon) if after else ()
        return None

    def _is_clause_next(self) -> bool:
        """Whether a comma and a verb follow."""
        rest = self.tokens[self.place : self.now.end]
        if not rest or rest[0].kind != "comma" or len(rest) < 3:
            return False
        return find_next_verb(rest[1:], self.lexicon) is not None

    def _is_authoring(self, verb: EnglishVerb, phrase: EnglishPhrase) -> bool:
        """“Introduce Tom, a red cat”, “describe Marta as tall and old”."""
        described = verb.phrase == "describe" and any(t.low == "as" for t in phrase)
        return described or (verb.kind == "introduce" and len(phrase) > verb.length)

    def _parse_authoring(self, verb: EnglishVerb, phrase: EnglishPhrase) -> None:
        """Read to the end of the sentence: commas and "and" are part of a description."""
        words = self.tokens[self.place : self.now.end]
        tail = words[:-1] if words and _ends_sentence(words[-1]) else words
        self.place = self.place + len(tail)
        self._end_group()
        kind = "introduce" if verb.kind == "introduce" else "describe"
        self._accept_clause(verb._replace(kind=kind), (*phrase[verb.length :], *tail))

    def _leaves_out(self, phrase: EnglishPhrase) -> bool:
        """“Take the glass but not the crate”: what is excluded was not asked for."""
        begun = bool(self.group or self.claims)
        if begun and self.linker == "but" and phrase[0].low in ("leave", "keep"):
            return True
        named = len(phrase) > 1 and find_leading_verb(phrase[1:], self.lexicon) is None
        if not (begun and phrase[0].low == "not" and named):
            return False
        excluded = {e.id for e in find_in_reach(self.lexicon, phrase[1:])}
        last = str(self._list_claims()[-1].get("target", ""))
        meant = {e.id for e in self.lexicon.find_matches(last)}
        if excluded & meant or phrase[-1].low in WORDS.one:
            # "Take the hat, not the straw one": which one is left is not known.
            self._block(phrase)
        return True

    def _shares_object(self, verb: EnglishVerb) -> bool:
        """“Unlock and open the gate”: whether the next verb has the object for both."""
        rest = self.tokens[self.place : self.place + 2 + LONGEST_VERB]
        if (
            verb.phrase == "try"
            or verb.kind not in _SHARING
            or not rest
            or rest[0].low not in WORDS.joining
        ):
            return False
        following = find_leading_verb(rest[1:], self.lexicon)
        if following is None or following.kind not in _SHARING:
            return False
        after = rest[1 + following.length :]
        return bool(after) and not classify_link(after[0]) and after[0].kind != "quote"

    def _is_verb_next(self) -> bool:
        rest = self.tokens[self.place : self.place + 1 + LONGEST_VERB]
        if len(rest) < 2 or rest[0].low not in WORDS.joining:
            return False
        return rest[1].low == "see" or find_leading_verb(rest[1:], self.lexicon) is not None

    def _accept_clause(self, verb: EnglishVerb, rest: EnglishPhrase) -> None:
        self._flush_dropped()
        self.verb = verb
        if verb.kind == "move" and self._is_carried(self.fronted):
            self.fronted = ()
        rest = (*rest, *self.fronted, *self.left_out)
        self.fronted = self.left_out = ()
        earlier = self._list_claims()
        claims = make_clause_claims(self.lexicon, verb, rest, earlier)
        if self.spoken_of and (self.sought or not any(map(_is_deed, earlier))):
            claims = [self._resolve_pronoun(claim) for claim in claims]
        self.sought = verb.kind == "search" and verb.phrase.endswith((" for", "find", "seek"))
        if verb.kind == "move" and claims and claims[0]["type"] == "emote":
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
        lost = next((c for c in claims if "leftover" in c), None)
        if lost is not None:
            self.now.blocked, self.now.nearest = lost["leftover"], lost.get("nearest", "")

    def _is_carried(self, phrase: EnglishPhrase) -> bool:
        """“With the key, go east”: it is held already, and goes along."""
        found = find_in_reach(self.lexicon, phrase[1:])
        held = bool(found) and all(e.place == self.lexicon.actor for e in found)
        return held and phrase[0].low == "with"

    def _resolve_pronoun(self, claim: Claim) -> Claim:
        """The claim, with "it" as what the sentence before was about."""
        if claim.get("recipient") in en.PEOPLE and (
            to := name_hearer(self.spoken_of, self.lexicon)
        ):
            claim = claim | {"recipient": to}
        roles = [r for r in ("target", "destination", "source") if claim.get(r) in ("it", "that")]
        name = self._find_first_name(self.spoken_of) if roles else ""
        return claim | dict.fromkeys(roles, name) if name else claim

    def _find_first_name(self, words: EnglishPhrase) -> str:
        """The first words that name one thing in reach."""
        for start, token in enumerate(words):
            for stop in range(min(len(words), start + 3), start, -1):
                idle = token.low in (*en.ARTICLES, *en.MINE) or token.kind in ("comma", "stop")
                text = "" if idle else self._extract_text(words[start:stop]).removesuffix("'s")
                if text and len(self.lexicon.find_matches(text)) == 1:
                    return text
        return ""

    def _parse_verbless(self, whole: EnglishPhrase, phrase: EnglishPhrase) -> None:
        if is_small_talk(phrase):
            return
        words = self._extract_text(phrase)
        tied = self.link in ("and", "comma") or self.linker == "then"
        inherits = self.verb is not None and tied and bool(self.group)
        words = self._strip_preposition(phrase) or words
        if self._leads_on(words, inherits=inherits):
            self._add_move(words)
        elif self._is_participle(phrase) or (inherits and self._parse_inherited(phrase, words)):
            return
        elif self._is_reason(whole) or self._is_topic(whole):
            self.spoken_of = whole
        else:
            if strip_article(words) in self.lexicon.people:
                self.asked = words
            self._block(whole)
            # "The book says: eat the bun" reports an action, also in a reply.
            follows = self.tokens[self.place : self.place + 1]
            self.now.framed = self.now.framed or any(t.low == ":" for t in follows)
            self._drop_words(whole)

    def _leads_on(self, words: str, *, inherits: bool) -> bool:
        """Whether the words alone are a move: "north", "the hall", "up the stairs"."""
        ahead = self.link == "stop" and self._has_moved() and self._is_exit_label(words)
        moving = self.verb is not None and self.verb.kind == "move"
        near = (moving or not inherits) and self.lexicon.is_near(words)
        return ahead or near or self.lexicon.is_way(words)

    def _add_move(self, words: str) -> None:
        """Move there; after "out of the kitchen" it says where to."""
        left = bool(self.group) and self.group[-1] == {"type": "move", "target": "out"}
        if left and self.link in ("and", "comma") and "out" not in self.lexicon.labels:
            self.group.pop()
        self._end_group()
        self._flush_dropped()
        self.verb = EnglishVerb("move", "go", "go", 0)
        self.group.append({"type": "move", "target": words})

    def _parse_inherited(self, phrase: EnglishPhrase, words: str) -> bool:
        """Read a clause that has the verb of the clause before it; whether it is one."""
        verb = self.verb
        which = self.linker == "," and phrase[-1].low in WORDS.one and len(phrase) > 1
        if verb is None or self._is_called(words):
            # "Take the lamp, Marta": another person is to do it.
            self.asked, self.now.framed = words, True
        elif not (which or self._names_recipient(phrase)):
            if _has_unknown_verb(phrase, self.lexicon):
                return False
            if self._is_list_item(verb, phrase):
                # "Look at the chest and then at the cupboard".
                again = phrase[0].low == verb.phrase.split(" ")[-1] and len(phrase) > 1
                self._accept_clause(verb, phrase[again:])
                return True
            if self._add_key(words):
                return True
        # "Open the cupboard, the tall one": which one is not known.
        self.now.blocked, self.now.nearest = words, ""
        return True

    def _is_list_item(self, verb: EnglishVerb, phrase: EnglishPhrase) -> bool:
        """Whether a noun after a comma is one more object: "take the cup, the bun".

        After a clause that is complete it is not: "unlock the chest, brass key".
        """
        if self.linker != "," or any(count_preposition((t.low,), 0) for t in phrase):
            return True
        last, found = self.group[-1], find_in_reach(self.lexicon, phrase)
        if not found and phrase[0].low not in _DETERMINERS:
            return False  # "Open the cupboard, honey"
        if phrase[-1].low in self.lexicon.here | self.lexicon.near:
            return False  # "Eat the bun, the whole kitchen"
        complete = self.paired or not {"type", "target", "targetId", "relation"}.issuperset(last)
        if verb.kind in ("open", "close", "lock", "unlock"):
            complete = complete or any(e.takeable and not e.openable for e in found)
        return not complete and verb.kind in _LISTING

    def _add_key(self, words: str) -> bool:
        """Use a key that is named after a complete clause; whether it is one that fits."""
        keys = {e.id for e in self.lexicon.find_matches(words)}
        for claim in (*self.claims[self.now.mark :], *self.group):
            found = self.lexicon.find_matches(str(claim.get("target", "")))
            fits = len(keys) == 1 and [e.required_key for e in found] == [*keys]
            if fits and claim["type"] in ("lock", "unlock", "open") and "tool" not in claim:
                claim["tool"] = words
                return True
        return False

    def _is_reason(self, whole: EnglishPhrase) -> bool:
        """“The umbrella is broken, so I drop it”: the first clause asks for nothing."""
        rest = self.tokens[self.place : self.place + 2]
        return (
            len(rest) > 1
            and rest[0].kind == "comma"
            and rest[1].low == "so"
            and any(t.low in WORDS.copulas or t.low.endswith(("'s", "'m", "'re")) for t in whole)
        )

    def _is_topic(self, whole: EnglishPhrase) -> bool:
        """“The letter on the table, pick it up”."""
        rest = self.tokens[self.place : self.now.end]
        named = (
            self.link == "stop"
            and bool(rest)
            and rest[0].kind == "comma"
            and whole[0].low in ("the", "my", "that", "this")
        )
        return named and any(t.low == "it" for t in rest) and bool(self._find_first_name(whole))

    def _is_participle(self, phrase: EnglishPhrase) -> bool:
        """“Chewing slowly”, “wiping my hands”: it accompanies the deed before it."""
        words = list_words(phrase)
        if not phrase[0].low.endswith("ing") or self.lexicon.is_known(words[0]):
            return False
        if not (self.group or self.claims):
            return False
        # "Taking the lamp with me" would be a deed of its own.
        return not (words[0] in GERUNDS and self._find_first_name(phrase[1:]))

    def _names_recipient(self, phrase: EnglishPhrase) -> bool:
        """“Give the apple to Nell and Marta”, “give Marta and Nell the apple”."""
        if self.verb is None or self.verb.kind != "give" or not self.group:
            return False
        people = self.lexicon.count_person_words([t.low for t in phrase])
        last = self.group[-1]
        if people == len(phrase):
            return "recipient" in last
        return people > 0 and self.lexicon.is_person(str(last.get("target", "")))

    def _strip_preposition(self, phrase: EnglishPhrase) -> str:
        """The place in "to the hall", "along the path"; empty if it is none."""
        place = self._extract_text(phrase[1:])
        if len(phrase) > 1 and phrase[0].low in ("up", "down") and _is_stairs(phrase[1:]):
            return phrase[0].low
        if len(phrase) < 2 or phrase[0].low not in ("to", "into", "along", "through"):
            return ""
        moved = self._has_moved() and self._is_exit_label(place)
        known = self.lexicon.is_way(place) or self.lexicon.is_near(place) or moved
        return place if known else ""

    def _has_moved(self) -> bool:
        return any(c["type"] == "move" for c in self._list_claims())

    def _is_exit_label(self, words: str) -> bool:
        """Whether an exit of another place has this label."""
        bare = strip_article(words)
        rooms = self.lexicon.world.locations.values()
        return any(way.label.lower() == bare for room in rooms for way in room.exits)

    def _is_called(self, words: str) -> bool:
        """Whether a person is only called by name, and is no object of the verb."""
        kinds = ("inspect", "search", "speak")
        acts = self.verb is not None and self.verb.kind not in kinds
        if self.verb is not None and self.verb.kind == "give":
            acts = any("recipient" in claim for claim in self.group)
        return acts and self.linker == "," and strip_article(words) in self.lexicon.people

    def _extract_text(self, phrase: EnglishPhrase) -> str:
        return extract_phrase(self.lexicon, phrase)

    def _parse_speech(self, whole: EnglishPhrase, rest: EnglishPhrase, verb: EnglishVerb) -> None:
        self._end_group()
        after = self.place
        if after < len(self.tokens) and self.tokens[after].low in (",", ":"):
            after += 1
        if after < len(self.tokens) and self.tokens[after].kind == "quote":
            self._flush_dropped()
            self.hearer = name_hearer(rest, self.lexicon)
            self.place = after
            return
        first, second = (*(t.low for t in rest[:2]), "", "")[:2]
        if verb.word == "tell" and first in en.SELF and second == "about" and len(rest) > 2:
            # “Tell me about the gate” is a question to the narrator.
            self._accept_clause(EnglishVerb("inspect", "examine", "examine", 0), rest[2:])
            return
        made = read_speech(verb, rest, self.tokens, self.place, self.lexicon)
        if made is None:
            self._drop_sentence(whole)
            return
        self._flush_dropped()
        self.claims.append(made.claim)
        self.place = made.place

    def _parse_quotation(self) -> None:
        self._end_group()
        self._flush_dropped()
        content = self.lexicon.heard.quotes[self.quotation]
        to = {"to": self.hearer} if self.hearer else {}
        self.claims.append({"type": "speak", "content": content} | to)
        self.hearer = ""
        self.quotation += 1
        self.place += 1
        self.link = ""
        longest = min(len(self.tokens), self.place + _LONGEST_ASIDE)
        end = self._find_end(self.place, longest, _ends_clause)
        tail = self.tokens[self.place : end]
        if tail and self._is_speaker_only(tail):
            self.place = end
            hearer = name_hearer(tail, self.lexicon)
            if hearer and any(t.low in ("to", "tell", "ask", "tells", "asks") for t in tail):
                self.claims[-1] = {"to": hearer} | self.claims[-1]

    def _is_speaker_only(self, tail: EnglishPhrase) -> bool:
        """Whether words after a quotation only say who said it, or to whom."""
        if tail[0].low in ("to", "at"):
            return True
        verb = find_next_verb(tail, self.lexicon)
        return verb is not None and verb.kind in SPEECH

    def _drop_sentence(self, whole: EnglishPhrase, mood: SentenceMood = COMMAND) -> None:
        """Withhold words that ask for nothing, with the clauses joined by "and"."""
        self.place = self._find_end(
            self.place,
            len(self.tokens),
            lambda token: (
                token.kind == "quote" or classify_link(token) in ("stop", "comma", "then")
            ),
        )
        self._drop_words((whole[0], self.tokens[self.place - 1]), mood)

    def _drop_words(self, whole: EnglishPhrase, mood: SentenceMood = COMMAND) -> None:
        self._end_group()
        if mood != self.lost_mood:
            self._flush_dropped()
        first, last = min(t.start for t in whole), max(t.end for t in whole)
        self.lost, self.lost_mood = (self.lost[0] if self.lost else first, last), mood
        self.verb = None

    def _flush_dropped(self) -> None:
        if self.lost:
            words = self.lexicon.heard.extract_span(*self.lost)
            known = self.lost_mood != COMMAND
            made = make_withheld_claim(words, self.lost_mood) if known else None
            self.claims.append(made or make_unrecognised_claim(words))
            self.lost = None

    def _end_group(self) -> None:
        """Close a group of clauses under one verb; roles are shared within it."""
        if self.group:
            self.claims += share_group_roles(self.group)
            self.group = []


def _find_mood(words: EnglishPhrase, *, asked: bool) -> SentenceMood:
    low_words = [t.low if t.kind == "word" else "\0" for t in words if t.kind != "comma"]
    mood = find_english_mood(low_words, asked=asked)
    left_out = next((t.low for t in words if _is_word(t, WORDS.leaving_out)), "")
    return SentenceMood("exception", left_out) if mood == COMMAND and left_out else mood


def _ends_clause(token: EnglishToken) -> bool:
    return token.kind == "quote" or bool(classify_link(token))


def _is_deed(claim: Claim) -> bool:
    return claim["type"] not in ("unrecognised", "speak", "question", "emote")


def _has_unknown_verb(phrase: EnglishPhrase, lexicon: ParserContext) -> bool:
    """“… and flurb the chest”, “… and flurb it”: the first word is a verb, no name."""
    if len(phrase) < 2 or phrase[0].kind != "word" or lexicon.is_person(phrase[0].low):
        return False
    first, second = (t.low for t in phrase[:2])
    determines = (*en.ARTICLES, *en.MINE)
    named = first in (*determines, *en.ORDINALS, "all", "both", "of", "only", "also")
    return not named and second in (*determines, *en.THINGS, *en.PEOPLE)


def _is_stairs(phrase: EnglishPhrase) -> bool:
    idle = (*en.ARTICLES, *en.MINE, *WORDS.way_adjectives)
    return phrase[-1].low in WORDS.climbed and all(t.low in idle for t in phrase[:-1])


def _drop_word(phrase: EnglishPhrase, word: str) -> EnglishPhrase:
    return tuple(token for token in phrase if token.low != word) or phrase


def _is_bare_refusal(words: tuple[str, ...]) -> bool:
    """“Actually no”, “don't”, “no, stop”: it refuses, and says no more."""
    left = [word for word in words if not is_adverb(word)]
    return (WORDS.negating | WORDS.halting).issuperset(left) and not WORDS.negating.isdisjoint(left)


def _is_word(token: EnglishToken, words: frozenset[str]) -> bool:
    return token.kind == "word" and token.low in words


def _ends_sentence(token: EnglishToken) -> bool:
    """Whether a sentence ends here; a colon or dots only separate clauses."""
    if token.kind != "stop" or set(token.low) <= {":"}:
        return False
    return not (set(token.low) == {"."} and len(token.low) > 1)
