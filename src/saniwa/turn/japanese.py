"""Japanese sentences into rough claims. Guesses; decides nothing.

A clause ends with its verb, so verbs are looked for from the left in a table of all
their forms, and what stands before one is cut at the particles. Names of the world are
covered beforehand: nothing inside them counts as a verb or a particle. No clause is
lost: what nobody can obey comes back as its words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from saniwa.turn.japanese_clause import COMMAS, Clause, Part, Verb
from saniwa.turn.japanese_parts import cut, strange_clauses
from saniwa.turn.japanese_verbs import (
    Found,
    Taught,
    saying_at,
    taught_forms,
    verb_at,
)
from saniwa.turn.languages import ja
from saniwa.turn.mood import (
    COMMAND,
    GESTURE,
    SentenceMood,
    find_japanese_mood,
    is_courteous,
    report_leftover,
    withhold,
)
from saniwa.turn.rough import Claim, Lexicon, unrecognised
from saniwa.turn.spoken import NAMES, QUOTE, Heard, fold

_STOPS = "。.!?;\n"
_TRANSITIVE = frozenset(
    {"take", "drop", "put", "give", "open", "close", "lock", "unlock", "use", "eat"}
)
_MOVES = ("move", "pass", "leave")
_MARKS = re.compile(rf"[^\w{QUOTE}{''.join(NAMES)}]+")
_BEGGING = 6
"""Letters behind a verb in which もらう may stand."""
_PARTICLE = re.compile("[へにを]")
_QUOTING = re.compile("(と|って)$")
_PIECE = re.compile("[^、,]+")
_TOWARDS = re.compile("(へ|に|まで|の方へ|の方に|のほうへ)$")
_LONGEST_FRAME = 40
_LEFT_OUT = re.compile(
    "([^、,をは]{1,60})(?:を|は)(?:残して|のこして|除いて|のぞいて|除き)(?:から)?[、, ]*"
)
"""What is left out of an "all" that follows."""


def parse_japanese(heard: Heard, lexicon: Lexicon) -> tuple[Claim, ...]:
    """The claims in the words, in order; what nobody understands stays as words."""
    return _Reader(heard, lexicon, taught_forms(lexicon.spoken("ja"))).read()


class _Waiting(NamedTuple):
    """A clause that may only serve the next one: 鍵を使って, 門を通って."""

    asks: str
    claims: list[Claim]
    tool: str = ""

    def serves(self, made: list[Claim]) -> bool:
        if self.asks == "use":
            return any(claim.get("tool") == self.tool for claim in made)
        return made[:1] != [] and made[0]["type"] == "move" and "target" in made[0]


@dataclass(slots=True)
class _Reader:
    """One passage through the words."""

    heard: Heard
    lexicon: Lexicon
    taught: Taught
    claims: list[Claim] = field(default_factory=list)
    quotation: int = 0
    waiting: _Waiting | None = None
    heading: bool = False
    mood: SentenceMood = COMMAND
    blocked: str = ""
    unfinished: bool = False
    left_out: str = ""

    def read(self) -> tuple[Claim, ...]:
        for start, end in self._sentences():
            begun = len(self.claims)
            self._sentence(start, end)
            self._waited([])
            self.heading = False
            self._judge_sentence(start, end, begun)
        return tuple(self.claims)

    def _judge_sentence(self, start: int, end: int, begun: int) -> None:
        """Take back a sentence whose verbs ask for nothing, or that lost a word."""
        mood, self.mood = self.mood, COMMAND
        blocked, self.blocked = self.blocked, ""
        unfinished, self.unfinished = self.unfinished, False
        if self.left_out:
            mood, self.left_out = SentenceMood("exception", self.left_out), ""
        made = self.claims[begun:]
        acts = any(c["type"] not in ("unrecognised", "speak") for c in made)
        said = [c for c in made if c["type"] == "speak"]
        words = self.heard.said(start, end).strip(COMMAS)
        if mood != COMMAND and (acts or not said):
            self.claims[begun:] = [*said, withhold(words, mood)]
        elif blocked and acts and (unfinished or not self.lexicon.narrated):
            self.claims[begun:] = [*said, report_leftover(words, blocked)]

    def _mood_of(self, start: int, end: int) -> SentenceMood:
        """The mood that the words show, but for the verbs' own forms."""
        mask = self.heard.mask[start:end].rstrip()
        asked = self.heard.mask[end : end + 1] == "?"
        mood = find_japanese_mood(mask, asked=asked, courteous=is_courteous(mask))
        if mood.mood == "question" and self._asks_state(start, end):
            return COMMAND
        return mood

    def _asks_state(self, start: int, end: int) -> bool:
        """Whether looking answers the question: 門は開いてる？ and the like."""
        for place in range(start, end):
            found = verb_at(self.heard, place, start, end, self.taught)
            if found is not None:
                return found.state and not _MARKS.sub(
                    "", self.heard.mask[found.after : end]
                )
        return False

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
        mood = self._mood_of(start, end)
        if mood != COMMAND:
            self.quotation += self.heard.mask.count(QUOTE, start, end)
            words = self.heard.said(start, end).strip(COMMAS)
            self.claims.append(withhold(words, mood))
            return
        place = start = self._leave_out(start, end)
        while place < end:
            if mask[place] == QUOTE:
                place = start = self._skip(self._quotation(start, place, end), end)
                continue
            found = verb_at(self.heard, place, start, end, self.taught)
            if found is None:
                place += 1
                continue
            self._clause(start, place, found)
            place = start = self._skip(found.after, end)
        self._rest(start, end)

    def _leave_out(self, start: int, end: int) -> int:
        """鍵を残して全部取る: past what is left out, which the next "all" takes note of."""
        found = _LEFT_OUT.match(self.heard.mask, start, end)
        if found is None or QUOTE in found.group():
            return start
        self.left_out = self.heard.said(start, found.end(1))
        return self._skip(found.end(), end)

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
            verb = verb_at(self.heard, place, place, end, self.taught)
            if verb is not None and opener not in ja.ADVERBS:
                return place  # はいる does not begin with はい.
            place += len(opener)
        return place

    def _quotation(self, start: int, place: int, end: int) -> int:
        """Take a quotation as speech, with the words around it that only frame it."""
        mask = self.heard.mask
        start = self._ways(self._strange(start, place), place, "")
        lead = self.heard.low[start:place].strip(COMMAS)
        frames = lead.endswith(("に", "へ", "は", "が")) and not self._way(lead)
        if lead and not frames:
            self._rest(start, place)
        self._waited([])
        content = self.heard.quotes[self.quotation]
        self.claims.append({"type": "speak", "content": content})
        self.quotation += 1
        after = place + 1
        while after < end and mask[after] in COMMAS:
            after += 1
        for particle in ("って", "と"):
            if mask.startswith(particle, after, end):
                return self._said_so(after + len(particle), end)
        return self._said_so(after, end)

    def _said_so(self, place: int, end: int) -> int:
        """Past と言う, と庭師に言って and the like."""
        for at in range(place, min(end, place + _LONGEST_FRAME)):
            if self.heard.mask[at] == QUOTE:
                return place
            whom = self.heard.low[place:at].strip(COMMAS)
            to_somebody = fold(whom.removesuffix("に")) in self.lexicon.people
            look = saying_at if not whom or to_somebody else verb_at
            found = look(self.heard, at, place, end, self.taught)
            if found is not None:
                return found.after if found.verb.asks == "speak" else place
        return place

    def _clause(self, start: int, place: int, found: Found) -> None:
        verb = found.verb
        start = self._ways(self._strange(start, place), place, verb.asks)
        if verb.asks == "speak":
            self._speech(start, place, found.after)
            return
        parts = tuple(cut(self.heard, self.lexicon, start, place))
        if Clause.of(self.lexicon, verb, parts, "").is_gesture():
            self._waited([])
            words = self.heard.said(start, found.after).strip(COMMAS)
            self.claims.append(unrecognised(words, GESTURE))
            return
        self._weigh_form(found, place)
        if verb.asks == "unknown" or (verb.asks == "stand" and not found.state):
            self._lost(start, found.after)
            return
        if found.leads_on and self._in_hand(verb, parts):
            return
        made = self._made(parts, found)
        if made is None:
            self.blocked = self.heard.said(start, found.after).strip(COMMAS)
            self._lost(start, found.after)
        elif made and "leftover" in made[0]:
            self._waited([])
            words = self.heard.said(start, found.after).strip(COMMAS)
            self.blocked = made[0]["leftover"]
            self.claims.append(made[0] | {"words": words})
        elif found.leads_on and self._may_serve(verb, parts, made):
            return
        else:
            self._add(verb, made)

    def _weigh_form(self, found: Found, place: int) -> None:
        """Note a verb that asks for nothing: 取った, 取れる, 取らなきゃ, 取っている."""
        tells = (
            found.state and found.verb.asks != "stand" and not self._asked(found.after)
        )
        mood = "statement" if tells and found.mood == "command" else found.mood
        if mood != "command" and self.mood == COMMAND:
            word = self.heard.said(place, found.after).strip(COMMAS)
            self.mood = SentenceMood(mood, word)

    def _made(self, parts: tuple[Part, ...], found: Found) -> list[Claim] | None:
        tool = self.waiting.tool if self.waiting else ""
        clause = Clause.of(self.lexicon, found.verb, parts, tool, self.left_out)
        if clause.left_out:
            self.left_out = ""
        if found.state and (found.verb.asks == "stand" or self._asked(found.after)):
            return clause.state()
        if clause.is_anothers() or self._begged(clause, found):
            return None
        lost = clause.find_unexplained()
        return [report_leftover("", lost)] if lost else clause.claims()

    def _begged(self, clause: Clause, found: Found) -> bool:
        """Whether somebody else is to do it: あゆに鍵を取ってもらう."""
        leaning = self.heard.mask[: found.after][-_BEGGING:]
        whom = (p.words for p in clause.parts if p.particle == "に")
        others = any(fold(words) in self.lexicon.people for words in whom)
        return (
            others and found.verb.word not in ("もらう", "貰う") and "ても" in leaning
        )

    def _asked(self, after: int) -> bool:
        return self.heard.mask[after : after + 1] == "?" or self.heard.mask[
            after - 1 : after
        ] in ("か", "の")

    def _add(self, verb: Verb, made: list[Claim]) -> None:
        self._waited(made)
        if self.heading and verb.word in ja.GOING and made == [{"type": "move"}]:
            return  # 北に向かって歩く goes once.
        self.heading = verb.word in ja.HEADING and "target" in made[0]
        made = self._through_door(verb, made)
        self.claims += (self._carried_on(claim) for claim in made)

    def _waited(self, made: list[Claim]) -> None:
        """Let the clause that waits serve these claims, or stand for itself."""
        waiting, self.waiting = self.waiting, None
        if waiting is not None and not waiting.serves(made):
            self.claims += waiting.claims

    def _may_serve(
        self, verb: Verb, parts: tuple[Part, ...], made: list[Claim]
    ) -> bool:
        """Whether the clause waits for the next one, which may need no more than it."""
        tool = ""
        if (
            verb.word in ja.USING
            and len(parts) == 1
            and parts[0].particle in ("を", "")
        ):
            tool = parts[0].words
        if not tool and verb.asks != "pass":
            return False
        self._waited([])
        made = self._through_door(verb, made)
        self.waiting = _Waiting(verb.asks, made, tool)
        return True

    def _through_door(self, verb: Verb, made: list[Claim]) -> list[Claim]:
        """門を開けて入る: the way is the door that was just opened."""
        before = self.claims[-1] if self.claims else {"type": ""}
        if made != [{"type": "move"}] or verb.word not in ja.ENTERING:
            return made
        if before["type"] not in ("open", "unlock") or not _has_object(before):
            return made
        opened = Clause.meant(self.lexicon, before.get("target", ""))
        if opened and not any(e.kind == "door" for e in opened):
            return made
        return [{"type": "move", "target": "それ"}]

    def _carried_on(self, claim: Claim) -> Claim:
        """本を読んで、机に戻す: an object left out is the one spoken of before."""
        before = self.claims[-1] if self.claims else {}
        spoken_of = "target" in before and before["type"] != "move"
        if claim["type"] not in _TRANSITIVE or _has_object(claim):
            return claim
        if spoken_of:
            return {"type": claim["type"], "target": "それ"} | claim
        if claim["type"] == "open":
            return {"type": "open"}  # Nobody is asked what to unlock who wants to open.
        return claim

    def _in_hand(self, verb: Verb, parts: tuple[Part, ...]) -> bool:
        """鍵を持って, before another clause, takes no key already in hand."""
        if verb.word not in ("持つ", "もつ") or len(parts) != 1:
            return False
        named = parts[0].words
        held = self.lexicon.world.holding(self.lexicon.actor)
        return any(e.id in held for e in self.lexicon.in_scope(named))

    def _strange(self, start: int, end: int) -> int:
        """Keep clauses with a verb nobody knows as words; where the rest begins."""
        for place in strange_clauses(self.heard, start, end):
            words = self.heard.said(start, place).strip(COMMAS)
            if not words.endswith(("ないで", "ずに", "なくて")):
                self.blocked = words
            self._lost(self._ways(start, place, ""), place)
            start = self._skip(place, end)
        return start

    def _ways(self, start: int, place: int, asks: str) -> int:
        """東へ、箱を開ける: a way before a comma is gone first, unless the verb takes it."""
        while True:
            comma = min(
                (
                    at
                    for c in "、,"
                    if (at := self.heard.mask.find(c, start, place)) >= 0
                ),
                default=-1,
            )
            words = self.heard.said(start, comma) if comma >= 0 else ""
            bare = _TOWARDS.sub("", words)
            rest = self.heard.low[comma + 1 : place]
            if bare == words or not self._way(words):
                return start
            if asks in _MOVES and not _PARTICLE.search(rest):
                return start
            self._waited([])
            self.claims.append({"type": "move", "target": bare})
            start = self._skip(comma, place)

    def _way(self, words: str) -> bool:
        bare = _TOWARDS.sub("", words)
        near = {ja.everyday(name) for name in self.lexicon.near}
        return self.lexicon.is_way(bare) or ja.everyday(fold(bare)) in near

    def _speech(self, start: int, place: int, after: int) -> None:
        self._waited([])
        words = self.heard.said(start, place)
        content = _QUOTING.sub("", words)
        if content == words or fold(content) in self.lexicon.people | ja.PEOPLE:
            self._lost(start, after)
            return
        hearer = max(
            (
                n
                for n in self.lexicon.people
                if fold(content).startswith((n + "に", n + "へ"))
            ),
            key=len,
            default=None,
        )
        if hearer is not None:
            content = content[len(hearer) + 1 :]
        self.claims.append({"type": "speak", "content": content.strip(COMMAS)})

    def _rest(self, start: int, end: int) -> None:
        """Words with no verb behind them: ways to go, or nothing we know."""
        lost = start = self._strange(self._skip(start, end), end)
        for piece in _PIECE.finditer(self.heard.mask[start:end]):
            begin, stop = start + piece.start(), start + piece.end()
            words = self.heard.said(begin, stop)
            bare = _TOWARDS.sub("", words)
            if self._way(words) or (bare not in ("", words) and words.endswith("へ")):
                self._lost(lost, begin)
                self._waited([])
                self.claims.append({"type": "move", "target": bare})
                lost = stop
        words = self.heard.said(lost, end).strip(COMMAS)
        if _MARKS.sub("", words):
            # The last verb says how all of it is meant, also in a reply: 食べて後悔した.
            self.blocked, self.unfinished = words, True
        self._lost(lost, end)

    def _lost(self, start: int, end: int) -> None:
        words = self.heard.said(start, end).strip(COMMAS)
        if _MARKS.sub("", words):
            self._waited([])
            self.claims.append(unrecognised(words))


def _has_object(claim: Claim) -> bool:
    return "target" in claim or "targetId" in claim
