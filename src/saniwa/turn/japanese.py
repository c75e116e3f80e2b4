"""Japanese sentences into rough claims. Guesses; decides nothing.

A clause ends with its verb, so verbs are looked for from the left in a table of all
their forms, and what stands before one is cut at the particles. Names of the world are
covered beforehand: nothing inside them counts as a verb or a particle.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from saniwa.turn.inflect import forms
from saniwa.turn.japanese_clause import COMMAS, Clause, Part, Verb
from saniwa.turn.languages import ja
from saniwa.turn.rough import Claim, Lexicon, unrecognised
from saniwa.turn.spoken import NAMES, QUOTE, Heard, fold

_STOPS = "。.!?;\n"
_LONGEST_WORD = 40
_TRANSITIVE = frozenset(
    {"take", "drop", "put", "give", "open", "close", "lock", "unlock", "use", "eat"}
)
_MARKS = re.compile(rf"[^\w{QUOTE}{''.join(NAMES)}]+")


def _table() -> dict[str, Verb]:
    table: dict[str, Verb] = {}
    for spellings, asks in ja.VERBS:
        for word in spellings.split():
            for form in forms(word, ichidan=word in ja.ICHIDAN):
                made = Verb(word, asks, form.kind)
                known = table.get(form.text)
                # A stem that is also an order (開け) is the order, unless a comma
                # follows; both readings ask for the same.
                if known is None or (known.kind == "stem" and form.kind == "end"):
                    table[form.text] = made
    return table


def _leaning() -> dict[str, str]:
    made: dict[str, str] = {}
    for word in ja.AUXILIARIES:
        for form in forms(word, ichidan=word in ("みる", "いる")):
            if form.kind != "stem":
                made[form.text] = form.kind
    made.update(dict.fromkeys(ja.REQUESTS, "end"))
    return made


_VERBS = _table()
_LONGEST = max(map(len, _VERBS))
_LEANING = _leaning()
_LONGEST_LEANING = max(map(len, _LEANING))
_ENDING = re.compile("(?:" + "|".join(sorted(ja.ENDINGS, key=len, reverse=True)) + ")*")


def parse_japanese(heard: Heard, lexicon: Lexicon) -> tuple[Claim, ...]:
    """The claims in the words, in order; what nobody understands stays as words."""
    return _Reader(heard, lexicon).read()


@dataclass(slots=True)
class _Reader:
    """One passage through the words."""

    heard: Heard
    lexicon: Lexicon
    claims: list[Claim] = field(default_factory=list)
    quotation: int = 0
    tool: str = ""

    def read(self) -> tuple[Claim, ...]:
        for start, end in self._sentences():
            self._sentence(start, end)
        return tuple(self.claims)

    def _sentences(self) -> Iterator[tuple[int, int]]:
        start = 0
        for place, letter in enumerate(self.heard.mask):
            if letter in _STOPS:
                yield start, place
                start = place + 1
        yield start, len(self.heard.mask)

    def _sentence(self, start: int, end: int) -> None:
        mask = self.heard.mask
        place = start = self._skip(start, end)
        whole = _MARKS.sub("", self.heard.low[start:end])
        if whole in ja.PHRASES or whole.rstrip("よねか") in ja.PHRASES:
            self._phrase(ja.PHRASES.get(whole) or ja.PHRASES[whole.rstrip("よねか")])
            return
        while place < end:
            if mask[place] == QUOTE:
                place = start = self._skip(self._quotation(start, place, end), end)
                continue
            found = self._verb_at(place, start, end)
            if found is None:
                place += 1
                continue
            verb, after, leads_on = found
            self._clause(start, place, after, verb, leads_on)
            place = start = self._skip(after, end)
        self._rest(start, end)

    def _phrase(self, asks: str) -> None:
        claim = self.lexicon.inventory() if asks == "inventory" else {"type": asks}
        self.claims.append(claim)

    def _skip(self, place: int, end: int) -> int:
        """Past commas, marks and the small words that open a clause."""
        low, mask = self.heard.low, self.heard.mask
        while place < end:
            if mask[place] != QUOTE and _MARKS.match(mask, place, place + 1):
                place += 1
                continue
            opener = next(
                (c for c in ja.CONJUNCTIONS if mask.startswith(c, place, end)), ""
            )
            if not opener or low[place + len(opener) : place + len(opener) + 1] == "を":
                return place
            place += len(opener)
        return place

    def _verb_at(
        self, place: int, start: int, end: int
    ) -> tuple[Verb, int, bool] | None:
        """The verb that begins here, the place after it, and whether more follows."""
        mask = self.heard.mask
        if not self._may_begin(place, start):
            return None
        for length in range(min(_LONGEST, end - place), 0, -1):
            verb = _VERBS.get(mask[place : place + length])
            if verb is None:
                continue
            after = self._closes(verb, place, place + length, end, start)
            if after is not None:
                return verb, after, verb.kind != "end" and after < end
        return None

    def _may_begin(self, place: int, start: int) -> bool:
        """A verb in kana begins only where a word can: とって in とってを引く is none."""
        mask = self.heard.mask
        if place == start or not _is_hiragana(mask[place]):
            return True
        before = mask[place - 1]
        return before in "をにへではがもと" or not _is_hiragana(before)

    def _closes(
        self, verb: Verb, begin: int, place: int, end: int, start: int
    ) -> int | None:
        mask = self.heard.mask
        if verb.kind == "stem":
            return place if mask[place : place + 1] in ("、", ",") else None
        if verb.kind == "link":
            if begin == start and mask[place : place + 1] == "を":
                return None
            return self._leaned(place, end)
        after = _ENDING.match(mask, place, end)
        closed = after.end() if after else place
        if closed >= end or mask[closed] in COMMAS:
            return closed
        return None

    def _leaned(self, place: int, end: int) -> int:
        mask = self.heard.mask
        for length in range(min(_LONGEST_LEANING, end - place), 0, -1):
            kind = _LEANING.get(mask[place : place + length])
            if kind is None:
                continue
            after = place + length
            if kind == "link":
                return after
            ending = _ENDING.match(mask, after, end)
            closed = ending.end() if ending else after
            if closed >= end or mask[closed] in COMMAS:
                return closed
        return place + 2 if mask.startswith("から", place, end) else place

    def _quotation(self, start: int, place: int, end: int) -> int:
        """Take a quotation as speech, with the words around it that only frame it."""
        mask = self.heard.mask
        lead = self.heard.low[start:place].strip(COMMAS)
        if lead and not lead.endswith(("に", "へ", "は", "が")):
            self._rest(start, place)
        content = self.heard.quotes[self.quotation]
        self.claims.append({"type": "speak", "content": content})
        self.quotation += 1
        after = place + 1
        while after < end and mask[after] == " ":
            after += 1
        if mask.startswith("と", after, end):
            return self._said_so(after + 1, end)
        return after

    def _said_so(self, place: int, end: int) -> int:
        """Past と言う, と庭師に言って and the like."""
        for verb_at in range(place, min(end, place + 40)):
            found = self._verb_at(verb_at, place, end)
            if found is not None:
                asks = found[0].asks
                return found[1] if asks == "speak" else place
        return place

    def _clause(
        self, start: int, place: int, after: int, verb: Verb, leads_on: bool
    ) -> None:
        parts = tuple(self._parts(start, place))
        if verb.asks == "speak":
            self._speech(start, place, after)
            return
        if verb.asks == "use" and leads_on and self._means(parts):
            return
        if leads_on and self._goes_along(verb, parts, after):
            return
        made = Clause(self.heard, self.lexicon, verb, parts, self.tool).claims()
        self.tool = ""
        last = self.claims[-1]["type"] if self.claims else ""
        if last == "move" and made == [{"type": "move"}]:
            return  # 北に向かって歩く goes once.
        self.claims += (self._carried_on(claim) for claim in made)

    def _carried_on(self, claim: Claim) -> Claim:
        """本を読んで、机に戻す: an object left out is the one spoken of before."""
        before = self.claims[-1] if self.claims else {}
        spoken_of = "target" in before and before["type"] != "move"
        if claim["type"] in _TRANSITIVE and spoken_of and not _has_object(claim):
            return {"type": claim["type"], "target": "それ"} | claim
        return claim

    def _means(self, parts: tuple[Part, ...]) -> bool:
        """Xを使って, before another verb, names its tool."""
        if len(parts) == 1 and parts[0].particle in ("を", ""):
            self.tool = self.heard.said(parts[0].start, parts[0].end)
            return bool(self.tool)
        return False

    def _goes_along(self, verb: Verb, parts: tuple[Part, ...], after: int) -> bool:
        """Whether the clause only sets the scene for the next one.

        門を通って庭へ行く goes once, and 鍵を持って takes no key already in hand.
        """
        if verb.asks == "pass":
            return self.heard.low.find("行", after) >= 0 or any(
                p in self.heard.low[after:] for p in ("へ", "に")
            )
        if verb.word in ("持つ", "もつ") and len(parts) == 1:
            named = self.heard.said(parts[0].start, parts[0].end)
            held = self.lexicon.world.holding(self.lexicon.actor)
            return any(e.id in held for e in self.lexicon.in_scope(named))
        return False

    def _parts(self, start: int, end: int) -> Iterator[Part]:
        mask, low = self.heard.mask, self.heard.low
        begin = place = start
        while place < end:
            particle = self._particle(mask, low, begin, place, end)
            if not particle:
                place += 1
                continue
            yield Part(begin, place, particle)
            place += len(particle)
            begin = place = place + self._topic(particle, mask, place, end)
        left = self.heard.low[begin:end].strip(COMMAS)
        if left and left not in ja.ADVERBS:
            yield Part(begin, end, "")

    def _topic(self, particle: str, mask: str, place: int, end: int) -> int:
        """How long a は or も behind the particle is: 北には行く, but not にはさみを."""
        if particle not in ("から", "まで", "へ", "に", "で") or place >= end:
            return 0
        follows = mask[place + 1 : place + 2]
        return int(mask[place] in "はも" and not _is_hiragana(follows or "あ"))

    def _particle(self, mask: str, low: str, begin: int, place: int, end: int) -> str:
        letter = mask[place]
        if letter == "を":
            return "を" if place > begin else ""
        if letter == "、" or letter == ",":
            return letter
        if place == begin or letter in NAMES:
            return ""
        if not self._can_end(mask, low, begin, place):
            return ""
        return next((p for p in ja.PARTICLES if mask.startswith(p, place, end)), "")

    def _can_end(self, mask: str, low: str, begin: int, place: int) -> bool:
        """Whether a noun may end here: particles also occur inside words in kana."""
        before = mask[place - 1]
        if not _is_hiragana(before):
            return True
        if place - begin > _LONGEST_WORD:
            return False
        word = low[begin:place].strip(COMMAS)
        return (
            word in ja.THINGS | ja.PEOPLE | ja.HERE | ja.SELF | ja.ALL
            or word in ja.DIRECTIONS
            or word.endswith((*ja.INSIDE, *ja.HONORIFICS))
            or fold(word) in self.lexicon.people
        )

    def _speech(self, start: int, place: int, after: int) -> None:
        words = self.heard.said(start, place)
        if not words.endswith("と"):
            self._lost(start, after)
            return
        words = words[:-1]
        for name in sorted(self.lexicon.people, key=len, reverse=True):
            for particle in ("に", "へ"):
                if fold(words).startswith(name + particle):
                    words = words[len(name) + 1 :]
                    break
        self.claims.append({"type": "speak", "content": words.strip(COMMAS)})

    def _rest(self, start: int, end: int) -> None:
        """Words with no verb behind them: a way to go, or nothing we know."""
        start = self._skip(start, end)
        words = self.heard.said(start, end).strip(COMMAS)
        if not _MARKS.sub("", words):
            return
        bare = re.sub("(へ|に|まで|の方へ|の方に|のほうへ)$", "", words)
        ways = self.lexicon
        is_way = ways.is_way(bare) or ways.is_near(bare)
        if is_way or (bare != words and words.endswith("へ")):
            self.claims.append({"type": "move", "target": bare})
        else:
            self._lost(start, end)

    def _lost(self, start: int, end: int) -> None:
        self.claims.append(unrecognised(self.heard.said(start, end)))


def _has_object(claim: Claim) -> bool:
    return "target" in claim or "targetId" in claim


def _is_hiragana(letter: str) -> bool:
    return "ぁ" <= letter <= "ゖ"
