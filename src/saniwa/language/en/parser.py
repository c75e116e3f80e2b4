"""Parse English sentences into untrusted claims.

Each clause is a verb phrase and what follows it; a clause without a verb uses the verb
before it. What words refer to is resolved later.
"""

from dataclasses import dataclass, field

from saniwa.language.en.clause_claims import make_clause_claims
from saniwa.language.en.clause_parts import EXCEPT
from saniwa.language.en.questions import EnglishQuestion
from saniwa.language.en.words import (
    LONGEST_VERB,
    SPEECH,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    build_craft_phrases,
    find_leading_verb,
    find_wished_state,
    is_small_talk,
    list_words,
    restore_gerund,
    tokenize_english,
    trim_phrase,
)
from saniwa.language.lexicon import en
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

_LONGEST_ASIDE = 12
_SHARING = frozenset(
    {"take", "drop", "open", "close", "lock", "unlock", "use", "eat", "inspect", "put",
     "give"}
)  # fmt: skip
_RETRACTIONS = {tuple(phrase.split()) for phrase in en.RETRACTIONS}
_EXCEPTIONS = tuple(tuple(phrase.split()) for phrase in en.EXCEPTIONS)


def parse_english(heard: PreparedText, lexicon: ParserContext) -> tuple[Claim, ...]:
    """The claims in the words, in order; words not understood become claims as well."""
    return _EnglishParser(heard, lexicon, tuple(tokenize_english(heard))).read()


@dataclass(slots=True)
class _EnglishParser:
    """One pass over the tokens."""

    heard: PreparedText
    lexicon: ParserContext
    tokens: EnglishPhrase
    claims: list[Claim] = field(default_factory=list)
    place: int = 0
    quotation: int = 0
    link: str = "stop"
    linker: str = ""
    verb: EnglishVerb | None = None
    group: list[Claim] = field(default_factory=list)
    lost: tuple[int, int] | None = None
    lost_mood: SentenceMood = COMMAND
    shared: list[EnglishVerb] = field(default_factory=list)
    joined: set[int] = field(default_factory=set)
    sentence: tuple[int, int] = (0, 0)
    mark: int = 0
    blocked: str = ""
    nearest: str = ""
    framed: bool = False
    retracted: str = ""
    addressed: str = ""

    def read(self) -> tuple[Claim, ...]:
        while self.place < len(self.tokens):
            if self.place >= self.sentence[1]:
                self._end_sentence()
                self._begin_sentence()
                continue
            token = self.tokens[self.place]
            link = self._classify_link(token)
            if link:
                self._note_link(link)
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
            words = self.heard.extract_span(self.tokens[0].start, self.tokens[-1].end)
            return (make_leftover_claim(words, self.retracted),)
        return tuple(self.claims)

    def _begin_sentence(self) -> None:
        """Read the next sentence, or withhold it if it asks for nothing."""
        end = self.place
        while end < len(self.tokens) and not _ends_sentence(self.tokens[end]):
            end += 1
        asked = end < len(self.tokens) and "?" in self.tokens[end].low
        words = self.tokens[self.place : end]
        self.sentence = (self.place, min(end + 1, len(self.tokens)))
        self.mark = len(self.claims)
        self._join_exceptions(self.place, end)
        if words:
            spoken = self._is_all_speech(words)
            question = EnglishQuestion(self.heard, words, self.lexicon)
            if question.is_asked(spoken=spoken):
                self._withhold(words, SentenceMood("question"))
            elif not spoken:
                self._withhold(words, self._find_mood(words, asked=asked))

    def _withhold(self, words: EnglishPhrase, mood: SentenceMood) -> None:
        """Turn a sentence that is no command, or leaves a choice, into its words."""
        choice = next((t.low for t in words if _is_word(t, en.CHOICES)), "")
        if mood == COMMAND and not choice:
            return
        self.quotation += sum(token.kind == "quote" for token in words)
        text = self.heard.extract_span(words[0].start, words[-1].end)
        if mood.mood in ("question", "permission"):
            lost = EnglishQuestion(self.heard, words, self.lexicon).make_claim(self._read_deed)
        elif mood == COMMAND:
            lost = make_leftover_claim(text, choice)
        else:
            lost = make_withheld_claim(text, mood)
        self.claims.append(lost)
        self.verb, self.link = None, "stop"
        self.place = self.sentence[1]

    def _read_deed(self, phrase: EnglishPhrase) -> list[Claim]:
        """The claims of a clause inside a question."""
        phrase = trim_phrase(phrase, self.lexicon)
        verb = self._find_verb(phrase)
        if verb is None or verb.kind in (*SPEECH, "unknown", "deed", "introduce"):
            return []
        return make_clause_claims(self.heard, self.lexicon, verb, phrase[verb.length :])

    def _find_mood(self, words: EnglishPhrase, *, asked: bool) -> SentenceMood:
        low_words = [t.low if t.kind == "word" else "\0" for t in words if t.kind != "comma"]
        mood = find_english_mood(low_words, asked=asked)
        apart = (t for t in words if t.start not in self.joined)
        left_out = next((t.low for t in apart if _is_word(t, en.LEAVING_OUT)), "")
        if mood == COMMAND and left_out:
            return SentenceMood("exception", left_out)
        return mood

    def _is_all_speech(self, words: EnglishPhrase) -> bool:
        """Whether all of it is said aloud, so that no word of it asks for an action."""
        first = self._find_first_clause(words)
        verb = self._find_verb(trim_phrase(first, self.lexicon)) if first else None
        return not first or (verb is not None and verb.kind == "speak")

    def _find_first_clause(self, words: EnglishPhrase) -> EnglishPhrase:
        start = 0
        while start < len(words) and self._classify_link(words[start]):
            start += 1
        end = start
        while end < len(words) and not (
            self._classify_link(words[end]) or words[end].kind == "quote"
        ):
            end += 1
        return words[start:end]

    def _join_exceptions(self, start: int, end: int) -> None:
        """Treat “all but the key and the lamp” as one clause that names exceptions."""
        place, marks, named_all = start, list[int](), False
        while place < end:
            after = self._find_exception(place, end) if named_all else 0
            if after:
                marks += range(place, after)
                place = self._join_names(place, after, end)
            if place < end:
                said = named_all or self.tokens[place].low in ("all", "everything")
                named_all = said and not self._classify_link(self.tokens[place])
            place += 1
        if marks:
            # The words of "apart from" open no role.
            tokens = list(self.tokens)
            for number in marks:
                tokens[number] = tokens[number]._replace(kind=EXCEPT)
            self.tokens = tuple(tokens)

    def _find_exception(self, place: int, end: int) -> int:
        """Where the names begin that are excluded from the "all" before `place`."""
        following = tuple(t.low for t in self.tokens[place : min(end, place + 2)])
        found = next((e for e in _EXCEPTIONS if following[: len(e)] == e), ())
        return place + len(found) if found else 0

    def _join_names(self, place: int, after: int, end: int) -> int:
        """Join the names from `after` on; return where they end."""
        self.joined.update(t.start for t in self.tokens[place:after])
        for number in range(after, end):
            if not self._classify_link(self.tokens[number]):
                continue
            follows = self.tokens[number + 1 : number + 1 + LONGEST_VERB]
            listed = self.tokens[number].low in (",", *en.AND)
            if not listed or not follows or self._find_verb(follows) is not None:
                return number
            self.joined.add(self.tokens[number].start)
        return end

    def _end_sentence(self) -> None:
        """Close a sentence.

        A sentence that was understood only in part does nothing.
        """
        if self.linker in ("but", "afterwards") and self.link == "then":
            self.blocked = self.linker
        self._end_group()
        self._flush_dropped()
        made, self.mark = self.claims[self.mark :], len(self.claims)
        blocked, self.blocked = self.blocked, ""
        acts = [c for c in made if _is_deed(c)]
        blocked = blocked or self._find_addressed()
        framed, self.framed = self.framed, False
        if not blocked or not acts or (self.lexicon.narrated and not framed):
            return
        first, last = self.sentence
        words = self.heard.extract_span(self.tokens[first].start, self.tokens[last - 1].end)
        speech = [c for c in made if c["type"] == "speak"]
        lost = make_leftover_claim(words, blocked, self.nearest)
        self.claims[-len(made) :] = [*speech, lost]

    def _find_addressed(self) -> str:
        """The person greeted in an earlier sentence, whom this one tells to act."""
        words = self.tokens[slice(*self.sentence)]
        spoken = [t.low for t in words if t.kind in ("word", "name")]
        if spoken and spoken[0] in en.GREETINGS and spoken[-1] in self.lexicon.people:
            self.addressed = spoken[-1]
            return ""
        return "" if spoken[:1] and spoken[0] in en.SPEAKERS else self.addressed

    def _classify_link(self, token: EnglishToken) -> str:
        if token.start in self.joined:
            return ""
        if token.kind in ("stop", "comma"):
            return token.kind
        if token.kind == "word" and token.low in en.AND:
            return "and"
        if token.kind == "word" and token.low in en.THEN:
            return "then"
        return ""

    def _note_link(self, link: str) -> None:
        strength = ("comma", "and", "then", "stop")
        if self.link == "" or strength.index(link) > strength.index(self.link):
            self.link = link

    def _parse_clause(self) -> None:
        end = self.place
        while end < len(self.tokens) and not (
            self._classify_link(self.tokens[end]) or self.tokens[end].kind == "quote"
        ):
            end += 1
        whole = self.tokens[self.place : end]
        self.place = end
        if list_words(whole) in _RETRACTIONS and any(map(_is_deed, (*self.claims, *self.group))):
            self.retracted = self._extract_text(whole)
        if is_small_talk(whole):
            self.link = ""
            return
        phrase = restore_gerund(trim_phrase(whole, self.lexicon))
        wished = find_wished_state(phrase)
        verb, phrase = wished or (self._find_verb(phrase), phrase)
        if verb is not None and verb.phrase == "go":  # "go take the lamp"
            inner = self._find_verb(phrase[1:])
            if inner is not None and inner.kind in _SHARING:
                verb, phrase = inner, phrase[1:]
        if verb is not None and self._is_authoring(verb, phrase):
            self._parse_authoring(verb, phrase)
        elif verb is not None and verb.kind in SPEECH:
            self._parse_speech(whole, phrase[verb.length :], verb)
        elif verb is not None and verb.kind == "unknown":
            self._drop_words(whole)
        elif self._leaves_out(phrase):
            pass
        elif phrase[0].kind == "word" and phrase[0].low in en.OTHERS and verb is None:
            self._drop_words(whole)
        elif no := next((t.low for t in whole if t.low in en.NOT and t.kind == "word"
                         and t.start not in self.joined), ""):  # fmt: skip
            mood = SentenceMood("statement" if no == "should" else "prohibition", no)
            self._drop_sentence(whole, mood)
        elif verb is None:
            self._parse_verbless(whole, phrase)
        elif len(phrase) == verb.length and self._shares_object(verb):
            self.shared.append(verb)
        elif not (
            verb.phrase in ("go", "try", "come") and len(phrase) == 1 and self._is_verb_next()
        ):
            self._end_group()
            self._accept_clause(verb, phrase[verb.length :])
        self.link = ""

    def _is_authoring(self, verb: EnglishVerb, phrase: EnglishPhrase) -> bool:
        """“Introduce Tom, a red cat”, “describe Marta as tall and old”."""
        described = verb.phrase == "describe" and any(t.low == "as" for t in phrase)
        return described or (verb.kind == "introduce" and len(phrase) > verb.length)

    def _parse_authoring(self, verb: EnglishVerb, phrase: EnglishPhrase) -> None:
        """Read to the end of the sentence: commas and "and" are part of a description."""
        end = self.sentence[1]
        words = self.tokens[self.place : end]
        tail = words[:-1] if words and _ends_sentence(words[-1]) else words
        self.place = self.place + len(tail)
        self._end_group()
        kind = "introduce" if verb.kind == "introduce" else "describe"
        self._accept_clause(verb._replace(kind=kind), (*phrase[verb.length :], *tail))

    def _find_verb(self, phrase: EnglishPhrase) -> EnglishVerb | None:
        return find_leading_verb(phrase, build_craft_phrases(self.lexicon.list_craft_verbs("en")))

    def _leaves_out(self, phrase: EnglishPhrase) -> bool:
        """“Take the glass but not the crate”: what is excluded was not asked for."""
        begun = bool(self.group or self.claims)
        if begun and self.linker == "but" and phrase[0].low in ("leave", "keep"):
            return True
        named = len(phrase) > 1 and self._find_verb(phrase[1:]) is None
        return begun and phrase[0].low == "not" and named

    def _shares_object(self, verb: EnglishVerb) -> bool:
        """“Unlock and open the gate”: whether the next verb has the object for both."""
        rest = self.tokens[self.place : self.place + 2 + LONGEST_VERB]
        if (
            verb.phrase == "try"
            or verb.kind not in _SHARING
            or not rest
            or rest[0].low not in en.AND
        ):
            return False
        following = self._find_verb(rest[1:])
        if following is None or following.kind not in _SHARING:
            return False
        after = rest[1 + following.length :]
        return bool(after) and not self._classify_link(after[0]) and after[0].kind != "quote"

    def _is_verb_next(self) -> bool:
        rest = self.tokens[self.place : self.place + 1 + LONGEST_VERB]
        return bool(rest) and rest[0].low in en.AND and self._find_verb(rest[1:]) is not None

    def _accept_clause(self, verb: EnglishVerb, rest: EnglishPhrase) -> None:
        self._flush_dropped()
        self.verb = verb
        claims = make_clause_claims(
            self.heard, self.lexicon, verb, rest, [*self.claims, *self.group]
        )
        for earlier in self.shared:
            self.claims += make_clause_claims(self.heard, self.lexicon, earlier, rest)
            # The key is used already: opening with it would unlock once more.
            if earlier.kind == "unlock":
                claims = [{k: c[k] for k in c if k != "tool"} for c in claims]
        self.shared = []
        self.group += claims
        lost = next((c for c in claims if "leftover" in c), None)
        if lost is not None:
            self.blocked, self.nearest = lost["leftover"], lost.get("nearest", "")

    def _parse_verbless(self, whole: EnglishPhrase, phrase: EnglishPhrase) -> None:
        if is_small_talk(phrase):
            return
        words = self._extract_text(phrase)
        tied = self.link in ("and", "comma") or self.linker == "then"
        inherits = self.verb is not None and tied
        inherits = inherits and bool(self.group)
        if self.lexicon.is_way(words) or (not inherits and self.lexicon.is_near(words)):
            self._end_group()
            self._flush_dropped()
            self.verb = EnglishVerb("move", "go", "go", 0)
            self.group.append({"type": "move", "target": words})
        elif inherits and self._is_called(words):
            # "Take the lamp, Marta": another person is to do it.
            self.blocked, self.nearest = words, ""
            self.framed = True
        elif inherits and self.verb is not None and not _has_unknown_verb(phrase):
            self._accept_clause(self.verb, phrase)
        else:
            self.blocked, self.nearest = self._extract_text(whole), ""
            # "The book says: eat the bun" reports an action, also in a reply.
            follows = self.tokens[self.place : self.place + 1]
            self.framed = self.framed or any(t.low == ":" for t in follows)
            self._drop_words(whole)

    def _is_called(self, words: str) -> bool:
        """Whether a person is only called by name, and is no object of the verb."""
        kinds = ("inspect", "give", "search", "speak")
        acts = self.verb is not None and self.verb.kind not in kinds
        return acts and self.linker == "," and strip_article(words) in self.lexicon.people

    def _extract_text(self, phrase: EnglishPhrase) -> str:
        return self.heard.extract_span(phrase[0].start, phrase[-1].end) if phrase else ""

    def _parse_speech(self, whole: EnglishPhrase, rest: EnglishPhrase, verb: EnglishVerb) -> None:
        self._end_group()
        after = self.place
        if after < len(self.tokens) and self.tokens[after].low in (",", ":"):
            after += 1
        if after < len(self.tokens) and self.tokens[after].kind == "quote":
            self._flush_dropped()
            self.place = after
            return
        if verb.kind == "ask" or self._asks_to_pass_on(rest, verb):
            self._drop_sentence(whole)
            return
        if self._wants_to_hear(rest, verb):
            self._accept_clause(EnglishVerb("inspect", "examine", "examine", 0), rest[2:])
            return
        self._flush_dropped()
        self.claims.append(self._parse_unquoted_speech(rest, verb))

    def _asks_to_pass_on(self, rest: EnglishPhrase, verb: EnglishVerb) -> bool:
        """“Tell Pim to go north”, “tell him about it”: no words that can be spoken."""
        hearer = self.lexicon.count_person_words([t.low for t in rest])
        if verb.word != "tell" or not hearer or self._wants_to_hear(rest, verb):
            return False
        says = [t.low for t in rest[hearer : hearer + 1]]
        return rest[0].low in en.SELF or says in (["to"], ["about"], ["of"])

    def _wants_to_hear(self, rest: EnglishPhrase, verb: EnglishVerb) -> bool:
        """“Tell me about the gate” is a question to the narrator."""
        asked = [t.low for t in rest[:2]]
        about = len(rest) > 2 and asked[0] in en.SELF and asked[1] == "about"
        return verb.word == "tell" and about

    def _parse_unquoted_speech(self, rest: EnglishPhrase, verb: EnglishVerb) -> Claim:
        """Speech without quotation marks continues to the end of its sentence."""
        end = self.place
        while end < len(self.tokens) and self.tokens[end].kind != "stop":
            end += 1
        stop = self.tokens[end].end if end < len(self.tokens) else len(self.heard.text)
        rest = (*rest, *self.tokens[self.place : end])
        self.place = min(end + 1, len(self.tokens))
        rest = self._strip_hearer(rest, verb)
        if not rest:
            return {"type": "speak"}
        closed = rest[-1].end == self.tokens[end - 1].end
        last = stop if closed else rest[-1].end
        return {"type": "speak", "content": self.heard.extract_span(rest[0].start, last)}

    def _strip_hearer(self, rest: EnglishPhrase, verb: EnglishVerb) -> EnglishPhrase:
        if verb.word == "tell":
            rest = rest[self.lexicon.count_person_words([t.low for t in rest]) :]
        if rest and rest[0].low == "to":
            hearer = self.lexicon.count_person_words([t.low for t in rest[1:]])
            rest = rest[hearer + 1 :] if hearer else rest
        for number in range(len(rest) - 1, max(0, len(rest) - 8), -1):
            if rest[number].low == "to":
                tail = [t.low for t in rest[number + 1 :]]
                if tail and self.lexicon.count_person_words(tail) == len(tail):
                    return rest[:number]
        if len(rest) > 1 and rest[0].low == "that":
            return rest[1:]
        return rest

    def _parse_quotation(self) -> None:
        self._end_group()
        self._flush_dropped()
        content = self.heard.quotes[self.quotation]
        self.claims.append({"type": "speak", "content": content})
        self.quotation += 1
        self.place += 1
        self.link = ""
        end = self.place
        longest = min(len(self.tokens), end + _LONGEST_ASIDE)
        while end < longest and not (
            self._classify_link(self.tokens[end]) or self.tokens[end].kind == "quote"
        ):
            end += 1
        tail = self.tokens[self.place : end]
        if tail and self._is_speaker_only(tail):
            self.place = end

    def _is_speaker_only(self, tail: EnglishPhrase) -> bool:
        """Whether words after a quotation only say who said it, or to whom."""
        if tail[0].low in ("to", "at"):
            return True
        verb = self._find_verb(trim_phrase(tail, self.lexicon))
        return verb is not None and verb.kind in SPEECH

    def _drop_sentence(self, whole: EnglishPhrase, mood: SentenceMood = COMMAND) -> None:
        """Withhold words that ask for nothing, with the clauses joined by "and"."""
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            if token.kind in ("stop", "comma", "quote") or token.low in en.THEN:
                break
            self.place += 1
        self._drop_words((whole[0], self.tokens[self.place - 1]), mood)

    def _drop_words(self, whole: EnglishPhrase, mood: SentenceMood = COMMAND) -> None:
        self._end_group()
        if mood != self.lost_mood:
            self._flush_dropped()
        start = self.lost[0] if self.lost else whole[0].start
        self.lost, self.lost_mood = (start, whole[-1].end), mood
        self.verb = None

    def _flush_dropped(self) -> None:
        if self.lost:
            words = self.heard.extract_span(*self.lost)
            withheld = self.lost_mood != COMMAND
            made = (
                make_withheld_claim(words, self.lost_mood)
                if withheld
                else make_unrecognised_claim(words)
            )
            self.claims.append(made)
            self.lost = None

    def _end_group(self) -> None:
        """Close a group of clauses under one verb; roles are shared within it."""
        if not self.group:
            return
        self.claims += share_group_roles(self.group)
        self.group = []


def _is_deed(claim: Claim) -> bool:
    return claim["type"] not in ("unrecognised", "speak", "question", "emote")


def _has_unknown_verb(phrase: EnglishPhrase) -> bool:
    """“… and flurb the chest”, “… and flurb it”: the first word is a verb, no name."""
    if len(phrase) < 2 or phrase[0].kind != "word":
        return False
    first, second = (t.low for t in phrase[:2])
    determines = (*en.ARTICLES, *en.MINE)
    named = first in (*determines, *en.ORDINALS, "all", "both", "of", "only", "also")
    return not named and second in (*determines, *en.THINGS, *en.PEOPLE)


def _is_word(token: EnglishToken, words: frozenset[str]) -> bool:
    return token.kind == "word" and token.low in words


def _ends_sentence(token: EnglishToken) -> bool:
    """Whether a sentence ends here; a colon or three dots only separate clauses."""
    if token.kind != "stop" or set(token.low) <= set(";:"):
        return False
    return not (set(token.low) == {"."} and len(token.low) > 1)
