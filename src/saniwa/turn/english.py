"""English sentences into rough claims. Guesses; decides nothing.

Works on tokens: words, covered names, quotations, stops. Each clause is a verb phrase
and what follows it; a clause without a verb takes the one before it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from saniwa.turn.languages import en
from saniwa.turn.rough import Claim, Lexicon, completed, unrecognised
from saniwa.turn.spoken import NAMES, QUOTE, Heard

_TOKEN = re.compile(
    rf"{QUOTE}|{NAMES[0]}+|{NAMES[1]}+|[^\W]+(?:['’\-][^\W]+)*|[.!?;:\n]+|,|&"
)


class Token(NamedTuple):
    """One word, name, quotation or stop."""

    low: str
    """What it says, in lower case."""
    start: int
    """Where it begins."""
    end: int
    """Where it ends."""
    kind: str
    """`word`, `name`, `quote`, `stop` (ends a sentence) or `comma`."""


Phrase = tuple[Token, ...]


def parse_english(heard: Heard, lexicon: Lexicon) -> tuple[Claim, ...]:
    """The claims in the words, in order; what nobody understands stays as words."""
    return _Reader(heard, lexicon, tuple(_tokens(heard))).read()


def _tokens(heard: Heard) -> Iterator[Token]:
    for found in _TOKEN.finditer(heard.mask):
        start, end = found.span()
        first = heard.mask[start]
        kind = "word"
        if first == QUOTE:
            kind = "quote"
        elif first in NAMES:
            kind = "name"
        elif first in ".!?;:\n":
            kind = "stop"
        elif first == ",":
            kind = "comma"
        yield Token(heard.low[start:end].replace("’", "'"), start, end, kind)


def _third(word: str) -> str:
    """The form for "she": takes, carries, pushes."""
    if word.endswith(("s", "sh", "ch", "x", "z", "o")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _verb_table() -> dict[tuple[str, ...], str]:
    table: dict[tuple[str, ...], str] = {}
    for kind, phrases in en.VERBS.items():
        for phrase in phrases:
            words = tuple(phrase.split())
            table[words] = kind
            if len(words[0]) > 1:
                table.setdefault((_third(words[0]), *words[1:]), kind)
    return table


_VERBS = _verb_table()
_STEMS = {_third(words[0]): words[0] for words in _VERBS}
_LONGEST_VERB = max(map(len, _VERBS))
_OPENINGS = {tuple(p.split()) for p in en.OPENINGS}
_CLOSINGS = {tuple(p.split()) for p in en.CLOSINGS}
_PLACE_PREPOSITIONS = {tuple(p.split()) for p in en.TO_PLACE}
_LONGEST_ASIDE = 12
_SPEECH = ("speak", "ask")


class Verb(NamedTuple):
    """The verb a clause begins with."""

    kind: str
    """An action's wire name, `ask` or `inventory`."""
    word: str
    """Its first word, as in the table."""
    phrase: str
    """All of it."""
    length: int
    """How many tokens it takes."""


def _words(phrase: Phrase) -> tuple[str, ...]:
    return tuple(t.low if t.kind == "word" else "\0" for t in phrase)


def _verb(phrase: Phrase) -> Verb | None:
    said = _words(phrase[:_LONGEST_VERB])
    for length in range(len(said), 0, -1):
        kind = _VERBS.get(said[:length])
        if kind is not None:
            word = _STEMS.get(said[0], said[0])
            return Verb(kind, word, " ".join((word, *said[1:length])), length)
    return None


def _trimmed(phrase: Phrase, lexicon: Lexicon) -> Phrase:
    """Without "please", "I want to", and the speaker's own name in front."""
    changed = True
    while changed and len(phrase) > 1:
        changed = False
        for length in range(min(5, len(phrase) - 1), 0, -1):
            if _words(phrase[:length]) in _OPENINGS or (
                length == 1 and phrase[0].low in lexicon.own_names
            ):
                phrase, changed = phrase[length:], True
                break
    changed = True
    while changed and len(phrase) > 1:
        changed = False
        for length in (3, 2, 1):
            if length < len(phrase) and _words(phrase[-length:]) in _CLOSINGS:
                phrase, changed = phrase[:-length], True
                break
    return phrase


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
        phrase = _trimmed(whole, self.lexicon)
        verb = _verb(phrase)
        if verb is not None and verb.kind in _SPEECH:
            self._speech(whole, phrase[verb.length :], verb)
        elif any(t.low in en.NOT and t.kind == "word" for t in whole):
            self._lose_sentence(whole)
        elif verb is None:
            self._verbless(whole, phrase)
        elif not (verb.phrase == "go" and len(phrase) == 1 and self._verb_follows()):
            self._end_group()
            self._accept(verb, phrase[verb.length :], whole)
        self.link = ""

    def _verb_follows(self) -> bool:
        rest = self.tokens[self.place : self.place + 1 + _LONGEST_VERB]
        return bool(rest) and rest[0].low in en.AND and _verb(rest[1:]) is not None

    def _accept(self, verb: Verb, rest: Phrase, whole: Phrase) -> None:
        made = _claims(self.heard, self.lexicon, verb, rest)
        if made is None:
            self._lose(whole)
            return
        self._flush()
        self.verb = verb
        self.group += made

    def _verbless(self, whole: Phrase, phrase: Phrase) -> None:
        words = self._said(phrase)
        inherits = self.verb is not None and self.link in ("and", "comma")
        inherits = inherits and bool(self.group)
        if self.lexicon.is_way(words) or (not inherits and self.lexicon.is_near(words)):
            self._end_group()
            self._flush()
            self.verb = Verb("move", "go", "go", 0)
            self.group.append({"type": "move", "target": words})
        elif inherits and self.verb is not None:
            self._accept(self.verb, phrase, whole)
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
        if verb.kind == "ask":
            self._lose_sentence(whole)
            return
        self._flush()
        self.claims.append(self._unquoted(rest, verb))

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
        verb = _verb(_trimmed(tail, self.lexicon))
        return verb is not None and verb.kind in _SPEECH

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


def _claims(
    heard: Heard, lexicon: Lexicon, verb: Verb, rest: Phrase
) -> list[Claim] | None:
    """The claims of one clause; None if the words after the verb fit nothing."""
    rest = _undo_split(verb, rest) if rest else rest
    split = _split_kind(verb, rest)
    kind = split or verb.kind
    rest = rest[:-1] if split else rest
    if kind in ("wait", "inventory"):
        kinds = {"wait": {"type": "wait"}, "inventory": lexicon.inventory()}
        return [kinds[kind]]
    if kind == "move":
        return [_move(heard, lexicon, verb, rest)]
    if kind == "look":
        return [_look(heard, rest)]
    if kind == "use":
        return _use(heard, lexicon, verb, rest)
    if kind == "give" and verb.word == "return" and rest and rest[0].low == "to":
        return [_move(heard, lexicon, verb, rest)]
    if kind == "search" and (
        not rest or rest[0].low == "for" or verb.phrase.endswith(" for")
    ):
        return [_search_for(heard, rest)]
    claim = _roles(heard, kind, rest)
    if kind == "give" and "recipient" not in claim:
        claim = _dative(heard, lexicon, rest)
    return lexicon.settled(claim)


def _undo_split(verb: Verb, rest: Phrase) -> Phrase:
    """Drop an "up" or "down" that the verb has already said."""
    if verb.length == 1 and len(rest) > 1 and rest[0].kind == "word":
        pair = (verb.word, rest[0].low)
        if en.SPLIT_VERBS.get(pair) == verb.kind:
            return rest[1:]
    return rest


def _split_kind(verb: Verb, rest: Phrase) -> str:
    if verb.length == 1 and rest and rest[-1].kind == "word":
        return en.SPLIT_VERBS.get((verb.word, rest[-1].low), "")
    return ""


def _cut(phrase: Phrase, openers: set[tuple[str, ...]]) -> tuple[int, int] | None:
    """Where the first of the prepositions stands, and how long it is."""
    words = _words(phrase)
    for start in range(len(words)):
        for length in (4, 3, 2, 1):
            if words[start : start + length] in openers and start + length <= len(
                words
            ):
                return start, length
    return None


def _text(heard: Heard, phrase: Phrase) -> str:
    return heard.said(phrase[0].start, phrase[-1].end) if phrase else ""


def _roles(heard: Heard, kind: str, rest: Phrase) -> Claim:
    roles = en.ROLES.get(kind, {})
    openers = {tuple(p.split()) for p in roles}
    claim: Claim = {"type": kind}
    cut = _cut(rest, openers)
    head = rest if cut is None else rest[: cut[0]]
    if head:
        claim["target"] = _text(heard, head)
    while cut is not None:
        opener = " ".join(_words(rest[cut[0] : cut[0] + cut[1]]))
        rest = rest[cut[0] + cut[1] :]
        role = roles[opener]
        others = {tuple(p.split()) for p, r in roles.items() if r != role}
        cut = _cut(rest, others)
        named = rest if cut is None else rest[: cut[0]]
        if role and named:
            claim[role] = _text(heard, named)
    return claim


def _dative(heard: Heard, lexicon: Lexicon, rest: Phrase) -> Claim:
    """“Give the keeper the coin”: who gets it stands first."""
    cut = lexicon.person_ahead([t.low for t in rest])
    if cut == 0 or cut == len(rest):
        articles = [i for i, t in enumerate(rest) if t.low in (*en.ARTICLES, *en.MINE)]
        cut = articles[-1] if articles else 0
    if cut == 0:
        return {"type": "give"} | ({"target": _text(heard, rest)} if rest else {})
    whom, what = _text(heard, rest[:cut]), _text(heard, rest[cut:])
    return {"type": "give", "target": what, "recipient": whom}


def _move(heard: Heard, lexicon: Lexicon, verb: Verb, rest: Phrase) -> Claim:
    upward = en.UP_AND_DOWN.get(verb.phrase, "")
    if not rest:
        way = {"exit": "out", "leave": "out", "get out": "out", "enter": "in",
               "get in": "in"}.get(verb.phrase, upward)  # fmt: skip
        way = "back" if verb.phrase.endswith(" back") else way
        return {"type": "move", "target": way} if way else {"type": "move"}
    words = _text(heard, rest)
    if verb.word in ("leave", "exit") and rest[0].low not in (
        "through",
        "by",
        "via",
        "to",
    ):
        if lexicon.is_here(words):
            return {"type": "move", "target": "out"}
        if verb.word == "leave" and not lexicon.is_way(words):
            return {"type": "drop", "target": words}
    if lexicon.is_way(words):
        return {"type": "move", "target": words}
    target = _text(heard, _after_preposition(_last_to(rest))) or words
    if upward and not lexicon.leads(target):
        target = upward
    return {"type": "move", "target": target}


def _last_to(rest: Phrase) -> Phrase:
    """“through the gate to the orchard”: where it ends is where one goes."""
    for number in range(len(rest) - 1, 0, -1):
        if rest[number].kind == "word" and rest[number].low in ("to", "into"):
            return rest[number:]
    return rest


def _after_preposition(rest: Phrase) -> Phrase:
    words = _words(rest)
    for length in (2, 1):
        if len(rest) > length and words[:length] in _PLACE_PREPOSITIONS:
            return rest[length:]
    return rest


def _look(heard: Heard, rest: Phrase) -> Claim:
    words = _text(heard, rest).lower()
    for article in en.ARTICLES:
        words = words.removeprefix(article + " ")
    if not words or words in en.HERE or words in en.DIRECTIONS:
        return {"type": "look"}
    return {"type": "inspect", "target": _text(heard, rest)}


def _search_for(heard: Heard, rest: Phrase) -> Claim:
    cut = _cut(rest, {("in",), ("inside",), ("under",), ("behind",), ("on",)})
    if cut is not None and rest[cut[0] + cut[1] :]:
        return {"type": "search", "target": _text(heard, rest[cut[0] + cut[1] :])}
    return {"type": "search", "target": "here"}


def _use(
    heard: Heard, lexicon: Lexicon, verb: Verb, rest: Phrase
) -> list[Claim] | None:
    if verb.phrase not in en.TOOL_VERBS:
        return [_roles(heard, "use", rest)]
    to = _cut(rest, {("to",)})
    if to is not None:
        doing = _verb(rest[to[0] + 1 :])
        if doing is not None and doing.kind not in ("use", "move", *_SPEECH):
            inner = _claims(heard, lexicon, doing, rest[to[0] + 1 + doing.length :])
            means = _text(heard, rest[: to[0]])
            return [_with_tool(claim, means) for claim in inner or ()] or None
    cut = _cut(rest, {(p,) for p in en.USE_ON})
    if cut is None or not rest[cut[0] + cut[1] :] or not cut[0]:
        return [_roles(heard, "use", rest)]
    tool, on = rest[: cut[0]], rest[cut[0] + cut[1] :]
    return [{"type": "use", "target": _text(heard, on), "tool": _text(heard, tool)}]


def _with_tool(claim: Claim, tool: str) -> Claim:
    if claim["type"] in ("open", "lock", "unlock", "use"):
        return claim | {"tool": tool}
    return claim
