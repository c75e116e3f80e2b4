"""English sentences into rough claims. Guesses; decides nothing.

Each clause is a verb phrase and what follows it; a clause without a verb takes the one
before it.
"""

from dataclasses import dataclass, field

from saniwa.turn.english_clause import clause_claims
from saniwa.turn.english_phrase import (
    LONGEST_VERB,
    SPEECH,
    Phrase,
    Token,
    Verb,
    is_small_talk,
    taught_phrases,
    tokens_of,
    trimmed,
    verb_of,
)
from saniwa.turn.languages import en
from saniwa.turn.rough import Claim, Lexicon, completed, unrecognised
from saniwa.turn.spoken import Heard

_LONGEST_ASIDE = 12
_SHARING = frozenset(
    {"take", "drop", "open", "close", "lock", "unlock", "use", "eat", "inspect", "put",
     "give"}
)  # fmt: skip


def parse_english(heard: Heard, lexicon: Lexicon) -> tuple[Claim, ...]:
    """The claims in the words, in order; what nobody understands stays as words."""
    return _Reader(heard, lexicon, tuple(tokens_of(heard))).read()


@dataclass(slots=True)
class _Reader:
    """One passage through the tokens."""

    heard: Heard
    lexicon: Lexicon
    tokens: Phrase
    claims: list[Claim] = field(default_factory=list)
    place: int = 0
    quotation: int = 0
    link: str = "stop"
    verb: Verb | None = None
    group: list[Claim] = field(default_factory=list)
    lost: tuple[int, int] | None = None
    shared: list[Verb] = field(default_factory=list)

    def read(self) -> tuple[Claim, ...]:
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            link = self._link(token)
            if link:
                self._linked(link)
                self.place += 1
            elif token.kind == "quote":
                self._quotation()
            else:
                self._clause()
            if link == "stop":
                self._end_group()
        self._end_group()
        self._flush()
        return tuple(self.claims)

    def _link(self, token: Token) -> str:
        if token.kind in ("stop", "comma"):
            return token.kind
        if token.kind == "word" and token.low in en.AND:
            return "and"
        if token.kind == "word" and token.low in en.THEN:
            return "then"
        return ""

    def _linked(self, link: str) -> None:
        strength = ("comma", "and", "then", "stop")
        if self.link == "" or strength.index(link) > strength.index(self.link):
            self.link = link

    def _clause(self) -> None:
        end = self.place
        while end < len(self.tokens) and not (
            self._link(self.tokens[end]) or self.tokens[end].kind == "quote"
        ):
            end += 1
        whole = self.tokens[self.place : end]
        self.place = end
        phrase = trimmed(whole, self.lexicon)
        verb = self._verb_of(phrase)
        if verb is not None and verb.kind in SPEECH:
            self._speech(whole, phrase[verb.length :], verb)
        elif verb is not None and verb.kind == "unknown":
            self._lose(whole)
        elif self._leaves_out(phrase):
            pass
        elif phrase[0].kind == "word" and phrase[0].low in en.OTHERS and verb is None:
            self._lose(whole)
        elif any(t.low in en.NOT and t.kind == "word" for t in whole):
            self._lose_sentence(whole)
        elif verb is None and _asks_state(phrase):
            self._accept(Verb("inspect", "examine", "examine", 0), phrase[1:-1])
        elif verb is None:
            self._verbless(whole, phrase)
        elif len(phrase) == verb.length and self._shares(verb):
            self.shared.append(verb)
        elif not (verb.phrase == "go" and len(phrase) == 1 and self._verb_follows()):
            self._end_group()
            self._accept(verb, phrase[verb.length :])
        self.link = ""

    def _verb_of(self, phrase: Phrase) -> Verb | None:
        return verb_of(phrase, taught_phrases(self.lexicon.spoken("en")))

    def _leaves_out(self, phrase: Phrase) -> bool:
        """“Take the glass but not the crate”: what is left out was never asked for."""
        begun = bool(self.group or self.claims)
        return begun and phrase[0].low == "not" and self._verb_of(phrase[1:]) is None

    def _shares(self, verb: Verb) -> bool:
        """“Unlock and open the gate”: whether the next verb brings the object for both."""
        rest = self.tokens[self.place : self.place + 2 + LONGEST_VERB]
        if verb.kind not in _SHARING or not rest or rest[0].low not in en.AND:
            return False
        following = self._verb_of(rest[1:])
        if following is None or following.kind not in _SHARING:
            return False
        after = rest[1 + following.length :]
        return bool(after) and not self._link(after[0]) and after[0].kind != "quote"

    def _verb_follows(self) -> bool:
        rest = self.tokens[self.place : self.place + 1 + LONGEST_VERB]
        return (
            bool(rest) and rest[0].low in en.AND and self._verb_of(rest[1:]) is not None
        )

    def _accept(self, verb: Verb, rest: Phrase) -> None:
        self._flush()
        self.verb = verb
        claims = clause_claims(self.heard, self.lexicon, verb, rest)
        for earlier in self.shared:
            self.claims += clause_claims(self.heard, self.lexicon, earlier, rest)
            # The key has had its say: opening with it would unlock once more.
            if earlier.kind == "unlock":
                claims = [{k: c[k] for k in c if k != "tool"} for c in claims]
        self.shared = []
        self.group += claims

    def _verbless(self, whole: Phrase, phrase: Phrase) -> None:
        if is_small_talk(phrase):
            return
        words = self._said(phrase)
        inherits = self.verb is not None and self.link in ("and", "comma")
        inherits = inherits and bool(self.group)
        if self.lexicon.is_way(words) or (not inherits and self.lexicon.is_near(words)):
            self._end_group()
            self._flush()
            self.verb = Verb("move", "go", "go", 0)
            self.group.append({"type": "move", "target": words})
        elif inherits and self.verb is not None:
            self._accept(self.verb, phrase)
        else:
            self._lose(whole)

    def _said(self, phrase: Phrase) -> str:
        return self.heard.said(phrase[0].start, phrase[-1].end) if phrase else ""

    def _speech(self, whole: Phrase, rest: Phrase, verb: Verb) -> None:
        self._end_group()
        after = self.place
        if after < len(self.tokens) and self.tokens[after].low in (",", ":"):
            after += 1
        if after < len(self.tokens) and self.tokens[after].kind == "quote":
            self._flush()
            self.place = after
            return
        if verb.kind == "ask" or self._tells_off(rest, verb):
            self._lose_sentence(whole)
            return
        if self._wants_to_hear(rest, verb):
            self._accept(Verb("inspect", "examine", "examine", 0), rest[2:])
            return
        self._flush()
        self.claims.append(self._unquoted(rest, verb))

    def _tells_off(self, rest: Phrase, verb: Verb) -> bool:
        """“Tell Pim to go north”, “tell him about it”: no words that could be said."""
        hearer = self.lexicon.person_ahead([t.low for t in rest])
        if verb.word != "tell" or not hearer or self._wants_to_hear(rest, verb):
            return False
        says = [t.low for t in rest[hearer : hearer + 1]]
        return rest[0].low in en.SELF or says in (["to"], ["about"], ["of"])

    def _wants_to_hear(self, rest: Phrase, verb: Verb) -> bool:
        """“Tell me about the gate” asks the narrator."""
        asked = [t.low for t in rest[:2]]
        about = len(rest) > 2 and asked[0] in en.SELF and asked[1] == "about"
        return verb.word == "tell" and about

    def _unquoted(self, rest: Phrase, verb: Verb) -> Claim:
        """Speech without quotation marks runs to the end of its sentence."""
        end = self.place
        while end < len(self.tokens) and self.tokens[end].kind != "stop":
            end += 1
        stop = self.tokens[end].end if end < len(self.tokens) else len(self.heard.text)
        rest = (*rest, *self.tokens[self.place : end])
        self.place = min(end + 1, len(self.tokens))
        rest = self._without_hearer(rest, verb)
        if not rest:
            return {"type": "speak"}
        closed = rest[-1].end == self.tokens[end - 1].end
        last = stop if closed else rest[-1].end
        return {"type": "speak", "content": self.heard.said(rest[0].start, last)}

    def _without_hearer(self, rest: Phrase, verb: Verb) -> Phrase:
        if verb.word == "tell":
            rest = rest[self.lexicon.person_ahead([t.low for t in rest]) :]
        if rest and rest[0].low == "to":
            hearer = self.lexicon.person_ahead([t.low for t in rest[1:]])
            rest = rest[hearer + 1 :] if hearer else rest
        for number in range(len(rest) - 1, max(0, len(rest) - 8), -1):
            if rest[number].low == "to":
                tail = [t.low for t in rest[number + 1 :]]
                if tail and self.lexicon.person_ahead(tail) == len(tail):
                    return rest[:number]
        if len(rest) > 1 and rest[0].low == "that":
            return rest[1:]
        return rest

    def _quotation(self) -> None:
        self._end_group()
        self._flush()
        content = self.heard.quotes[self.quotation]
        self.claims.append({"type": "speak", "content": content})
        self.quotation += 1
        self.place += 1
        self.link = ""
        end = self.place
        longest = min(len(self.tokens), end + _LONGEST_ASIDE)
        while end < longest and not (
            self._link(self.tokens[end]) or self.tokens[end].kind == "quote"
        ):
            end += 1
        tail = self.tokens[self.place : end]
        if tail and self._is_aside(tail):
            self.place = end

    def _is_aside(self, tail: Phrase) -> bool:
        """Whether words behind a quotation only say who said it, or to whom."""
        if tail[0].low in ("to", "at"):
            return True
        verb = self._verb_of(trimmed(tail, self.lexicon))
        return verb is not None and verb.kind in SPEECH

    def _lose_sentence(self, whole: Phrase) -> None:
        """Words that ask for nothing take what "and" ties to them along."""
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            if token.kind in ("stop", "comma", "quote") or token.low in en.THEN:
                break
            self.place += 1
        self._lose((whole[0], self.tokens[self.place - 1]))

    def _lose(self, whole: Phrase) -> None:
        self._end_group()
        start = self.lost[0] if self.lost else whole[0].start
        self.lost = (start, whole[-1].end)
        self.verb = None

    def _flush(self) -> None:
        if self.lost:
            self.claims.append(unrecognised(self.heard.said(*self.lost)))
            self.lost = None

    def _end_group(self) -> None:
        """Close a run of clauses under one verb; what one says holds for its fellows."""
        if not self.group:
            return
        self.claims += completed(self.group)
        self.group = []


def _asks_state(phrase: Phrase) -> bool:
    """Whether the words ask how a thing stands: “is the gate locked”."""
    ends = phrase[0].low in ("is", "are") and phrase[-1].low in en.STATES
    return ends and len(phrase) > 2
