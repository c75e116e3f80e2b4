"""Japanese sentences into rough claims. Guesses; decides nothing.

A clause ends with its verb, so verbs are looked for from the left in a table of all
their forms, and what stands before one is cut at the particles. Names of the world are
covered beforehand: nothing inside them counts as a verb or a particle.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from saniwa.turn.inflect import forms
from saniwa.turn.languages import ja
from saniwa.turn.rough import Claim, Lexicon, unrecognised
from saniwa.turn.spoken import NAMES, QUOTE, Heard, fold
from saniwa.world.view import closed

_STOPS = "。.!?;\n"
_COMMAS = "、, "
_LONGEST_WORD = 40
_TRANSITIVE = frozenset(
    {"take", "drop", "put", "give", "open", "close", "lock", "unlock", "use", "eat"}
)
_MARKS = re.compile(rf"[^\w{QUOTE}{''.join(NAMES)}]+")


class Verb(NamedTuple):
    """One form of a verb, found."""

    word: str
    """Its dictionary form."""
    asks: str
    """What it asks for: an action's wire name, or one of the words of `ja.VERBS`."""
    kind: str
    """`end`, `link` or `stem`."""


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


class Part(NamedTuple):
    """A stretch of words before a particle."""

    start: int
    """Where it begins."""
    end: int
    """Where it ends, without the particle."""
    particle: str
    """The particle, or nothing where none follows."""


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
        if closed >= end or mask[closed] in _COMMAS:
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
            if closed >= end or mask[closed] in _COMMAS:
                return closed
        return place + 2 if mask.startswith("から", place, end) else place

    def _quotation(self, start: int, place: int, end: int) -> int:
        """Take a quotation as speech, with the words around it that only frame it."""
        mask = self.heard.mask
        lead = self.heard.low[start:place].strip(_COMMAS)
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
        made = _Clause(self.heard, self.lexicon, verb, parts, self.tool).claims()
        self.tool = ""
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
            if (
                particle in ("から", "まで", "へ", "に", "で")
                and mask[place : place + 1] in "はも"
            ):
                place += 1 if place < end else 0
            begin = place
        left = self.heard.low[begin:end].strip(_COMMAS)
        if left and left not in ja.ADVERBS:
            yield Part(begin, end, "")

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
        word = low[begin:place].strip(_COMMAS)
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
        self.claims.append({"type": "speak", "content": words.strip(_COMMAS)})

    def _rest(self, start: int, end: int) -> None:
        """Words with no verb behind them: a way to go, or nothing we know."""
        start = self._skip(start, end)
        words = self.heard.said(start, end).strip(_COMMAS)
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


@dataclass(frozen=True, slots=True)
class _Clause:
    """One verb with the words before it."""

    heard: Heard
    lexicon: Lexicon
    verb: Verb
    parts: tuple[Part, ...]
    tool: str

    def claims(self) -> list[Claim]:
        """What the clause claims."""
        asks = self.verb.asks
        if asks in ("wait", "look"):
            return [{"type": asks}]
        if asks in ("move", "pass", "leave"):
            return [self._move()]
        targets = self._listed("を") or self._listed("は", "も", "が", "")
        made = [claim for target in targets for claim in self._one(asks, target)]
        return made or self._one(asks, "")

    def _texts(self, *particles: str) -> list[str]:
        said = [
            (p.particle, self.heard.said(p.start, p.end).strip(_COMMAS))
            for p in self.parts
        ]
        return [
            words
            for particle, words in said
            if particle in particles and words and not self._is_speaker(particle, words)
        ]

    def _is_speaker(self, particle: str, words: str) -> bool:
        own = fold(words) in self.lexicon.own_names or words in ja.SELF
        return particle in ja.SUBJECTS and own

    def _first(self, *particles: str) -> str:
        return next(iter(self._texts(*particles)), "")

    def _listed(self, *particles: str) -> list[str]:
        """鍵とコインを: everything joined to the object by と, や or a comma."""
        listed: list[str] = []
        waiting: list[str] = []
        for part in self.parts:
            words = self.heard.said(part.start, part.end).strip(_COMMAS)
            if part.particle in ("と", "や", "、", ","):
                waiting += [words] if words else []
            elif part.particle in particles:
                if words and not self._is_speaker(part.particle, words):
                    listed += [*waiting, words]
                waiting = []
            else:
                waiting = []
        return listed

    def _one(self, asks: str, target: str) -> list[Claim]:
        claim = getattr(self, f"_{asks}", self._plain)(target)
        if isinstance(claim, list):
            return claim
        kept = {k: v for k, v in claim.items() if v}
        return self.lexicon.settled(kept)

    def _plain(self, target: str) -> Claim:
        return {"type": self.verb.asks, "target": target}

    def _take(self, target: str) -> Claim | list[Claim]:
        claim = {"type": "take", "target": target}
        if self.verb.word in ("外す", "はずす") and (
            target in ja.KEYS or _locks(target)
        ):
            return self._locking("unlock", target)
        source = self._first("から") or (
            self._first("に") if self.verb.word in ("もらう", "貰う") else ""
        )
        if not source:
            claim["target"], source = self._located(target)
        return claim | {"source": _outside(source)}

    def _located(self, target: str) -> tuple[str, str]:
        """箱の中のコイン as the coin and the box; a name that contains it stays whole."""
        if self.lexicon.in_scope(target):
            return target, ""
        for inside in ("中の", "上の"):
            if target.startswith(inside) and len(target) > len(inside):
                return target.removeprefix(inside), ""
        for between in ja.WITHIN:
            where, found, thing = target.partition(between)
            if found and where and thing:
                return thing, where
        return target, ""

    def _lay(self, target: str) -> Claim:
        where = self._first("に", "へ")
        if not where:
            return {"type": "drop", "target": target}
        return {"type": "put", "target": target, "destination": _outside(where)}

    def _put(self, target: str) -> Claim:
        where = self._first("に", "へ")
        return {"type": "put", "target": target, "destination": _outside(where)}

    def _hang(self, target: str) -> Claim | list[Claim]:
        if target in ja.KEYS or _locks(target):
            return self._locking("lock", target)
        return self._put(target)

    def _give(self, target: str) -> Claim:
        whom = self._first("に", "へ")
        return {"type": "give", "target": target, "recipient": whom}

    def _tooled(self) -> str:
        return self.tool or self._first("で")

    def _open(self, target: str) -> Claim | list[Claim]:
        if (target in ja.KEYS and not self._openable(target)) or _locks(target):
            return self._locking("unlock", target)
        return {"type": "open", "target": target, "tool": self._tooled()}

    def _close(self, target: str) -> Claim | list[Claim]:
        if (target in ja.KEYS and not self._openable(target)) or _locks(target):
            return self._locking("lock", target)
        return {"type": "close", "target": target}

    def _openable(self, words: str) -> bool:
        return any(e.openable for e in self.lexicon.in_scope(words))

    def _locking(self, kind: str, target: str) -> list[Claim]:
        """扉の鍵を開ける, 扉に鍵をかける: the lock is the door's."""
        locked = next((target.removesuffix(s) for s in _locks(target)), "")
        claim = {
            "type": kind,
            "target": locked or self._first("に", "へ"),
            "tool": self._tooled(),
        }
        return [{k: v for k, v in claim.items() if v}]

    def _lock(self, target: str) -> Claim:
        return {"type": "lock", "target": target, "tool": self._tooled()}

    def _unlock(self, target: str) -> Claim:
        target = next((target.removesuffix(s) for s in _locks(target)), target)
        return {"type": "unlock", "target": target, "tool": self._tooled()}

    def _use(self, target: str) -> Claim:
        on = self._first("に", "へ")
        if on and self.verb.word in ja.TOOL_VERBS:
            return {"type": "use", "target": _outside(on), "tool": target}
        return {"type": "use", "target": target, "tool": self._tooled()}

    def _inspect(self, target: str) -> Claim:
        return self._see(target)

    def _see(self, target: str) -> Claim:
        inside = _outside(target)
        if not target or target in ja.HERE:
            return {"type": "look"}
        if inside != target and not self.lexicon.in_scope(target):
            return {"type": "search", "target": inside}
        return {"type": "inspect", "target": target}

    def _search(self, target: str) -> Claim:
        known = self.lexicon.in_scope(target)
        if fold(target) in self.lexicon.people or target in ja.PEOPLE | ja.SELF:
            return {"type": "inspect", "target": target}
        # 調べる is both searching and looking closely; what is shut can only be seen.
        if any(e.kind == "door" or closed(e) for e in known) and "調" in self.verb.word:
            return {"type": "inspect", "target": target}
        return {"type": "search", "target": target if known else _outside(target)}

    def _hunt(self, target: str) -> Claim:
        inside = _outside(target)
        where = self._first("で", "から")
        if target and (inside != target or self.lexicon.in_scope(target)):
            known = self.lexicon.in_scope(target)
            return {"type": "search", "target": target if known else inside}
        if where and where not in ja.HERE:
            return {"type": "search", "target": _outside(where)}
        return {"type": "search", "target": target if target in ja.HERE else "ここ"}

    def _move(self) -> Claim:
        target = self._first("へ", "に", "まで") or self._first("")
        through = self._first("を", "から", "で")
        if not target and self.verb.asks == "leave":
            target = through if through and not self._leaving(through) else "外"
        target = target or through
        upward = ja.UP_AND_DOWN.get(self.verb.word, "")
        climbs = upward in ("上", "下") and not self.lexicon.leads(_outside(target))
        if not target or climbs:
            target = upward or target
        target = target if self.lexicon.is_way(target) else _outside(target)
        return {"type": "move"} | ({"target": target} if target else {})

    def _leaving(self, words: str) -> bool:
        """Whether Xを出る leaves a place, and does not go through a door."""
        return not any(e.kind == "door" for e in self.lexicon.in_scope(words))

    def _introduce(self, target: str) -> Claim:
        return {"type": "introduce", "target": target}

    def _eat(self, target: str) -> Claim:
        return {"type": "eat", "target": target}


def _outside(words: str) -> str:
    """箱 for 箱の中, 机 for 机の上."""
    for inside in ja.INSIDE:
        if words.endswith(inside) and len(words) > len(inside):
            return words.removesuffix(inside)
    return words


def _locks(target: str) -> frozenset[str]:
    return frozenset(s for s in ja.LOCKS if target.endswith(s) and target != s)
