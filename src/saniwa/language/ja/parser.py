"""Parse Japanese sentences into untrusted claims.

A clause ends with its verb, so verbs are searched from the left in a table of all their
forms, and the text before one is split at the particles. Names of the world are masked
first: nothing inside them counts as a verb or a particle. No clause is lost: words that
are not understood become a claim.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from saniwa.language.ja.clauses import COMMAS, JapaneseClause, JapanesePart, JapaneseVerb
from saniwa.language.ja.verb_matching import (
    CraftForms,
    JapaneseVerbMatch,
    build_craft_forms,
    find_unknown_clauses,
    match_saying_verb,
    match_verb,
    split_parts,
)
from saniwa.language.lexicon import ja
from saniwa.language.mood import (
    COMMAND,
    SentenceMood,
    find_japanese_mood,
    is_courteous,
    make_leftover_claim,
    make_withheld_claim,
)
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    make_emote_claim,
    make_unrecognised_claim,
)
from saniwa.language.text import NAMES, QUOTE, PreparedText, fold_text

_STOPS = "。.!?;\n"
_TRANSITIVE = frozenset(
    {"take", "drop", "put", "give", "open", "close", "lock", "unlock", "use", "eat"}
)
_MOVES = ("move", "pass", "leave")
_MARKS = re.compile(rf"[^\w{QUOTE}{''.join(NAMES)}]+")
_BEGGING = 6
"""Characters after a verb within which もらう may follow."""
_PARTICLE = re.compile("[へにを]")
_QUOTING = re.compile("(と|って)$")
_PIECE = re.compile("[^、,]+")
_TOWARDS = re.compile("(へ|に|まで|の方へ|の方に|のほうへ)$")
_LONGEST_FRAME = 40
_LEFT_OUT = re.compile(
    "([^、,をは]{1,60})(?:を|は)(?:残して|のこして|除いて|のぞいて|除き)(?:から)?[、, ]*"
)
"""What is excluded from an "all" that follows."""


def parse_japanese(heard: PreparedText, lexicon: ParserContext) -> tuple[Claim, ...]:
    """The claims in the words, in order; words not understood become claims as well."""
    return _JapaneseParser(heard, lexicon, build_craft_forms(lexicon.list_craft_verbs("ja"))).read()


class _PendingClause(NamedTuple):
    """A clause that may only serve the next one: 鍵を使って, 門を通って."""

    asks: str
    claims: list[Claim]
    tool: str = ""

    def is_used_by(self, made: list[Claim]) -> bool:
        if self.asks == "use":
            return any(claim.get("tool") == self.tool for claim in made)
        return made[:1] != [] and made[0]["type"] == "move" and "target" in made[0]


@dataclass(slots=True)
class _JapaneseParser:
    """One pass over the text."""

    heard: PreparedText
    lexicon: ParserContext
    taught: CraftForms
    claims: list[Claim] = field(default_factory=list)
    quotation: int = 0
    waiting: _PendingClause | None = None
    heading: bool = False
    mood: SentenceMood = COMMAND
    blocked: str = ""
    unfinished: bool = False
    left_out: str = ""

    def read(self) -> tuple[Claim, ...]:
        for start, end in self._split_sentences():
            begun = len(self.claims)
            self._parse_sentence(start, end)
            self._flush_pending([])
            self.heading = False
            self._judge_sentence(start, end, begun)
        return tuple(self.claims)

    def _judge_sentence(self, start: int, end: int, begun: int) -> None:
        """Withdraw the claims of a sentence that asks for nothing or lost a word."""
        mood, self.mood = self.mood, COMMAND
        blocked, self.blocked = self.blocked, ""
        unfinished, self.unfinished = self.unfinished, False
        if self.left_out:
            mood, self.left_out = SentenceMood("exception", self.left_out), ""
        made = self.claims[begun:]
        acts = any(c["type"] not in ("unrecognised", "speak") for c in made)
        speech = [c for c in made if c["type"] == "speak"]
        words = self.heard.extract_span(start, end).strip(COMMAS)
        if mood != COMMAND and (acts or not speech):
            self.claims[begun:] = [*speech, make_withheld_claim(words, mood)]
        elif blocked and acts and (unfinished or not self.lexicon.narrated):
            self.claims[begun:] = [*speech, make_leftover_claim(words, blocked)]

    def _find_mood(self, start: int, end: int) -> SentenceMood:
        """The mood of the words, apart from the verbs' own forms."""
        mask = self.heard.mask[start:end].rstrip()
        asked = self.heard.mask[end : end + 1] == "?"
        mood = find_japanese_mood(mask, asked=asked, courteous=is_courteous(mask))
        if mood.mood == "question" and self._asks_state(start, end):
            return COMMAND
        return mood

    def _asks_state(self, start: int, end: int) -> bool:
        """Whether an inspection answers the question: 門は開いてる？ and the like."""
        for place in range(start, end):
            found = match_verb(self.heard, place, start, end, self.taught)
            if found is not None:
                return found.state and not _MARKS.sub("", self.heard.mask[found.after : end])
        return False

    def _split_sentences(self) -> Iterator[tuple[int, int]]:
        start = 0
        for place, letter in enumerate(self.heard.mask):
            if letter in _STOPS:
                yield start, place
                start = place + 1
        yield start, len(self.heard.mask)

    def _parse_sentence(self, start: int, end: int) -> None:
        mask = self.heard.mask
        place = start = self._skip_openers(start, end)
        whole = _MARKS.sub("", self.heard.low[start:end])
        if whole in ja.PHRASES or whole.rstrip("よねか") in ja.PHRASES:
            self._add_phrase(ja.PHRASES.get(whole) or ja.PHRASES[whole.rstrip("よねか")])
            return
        mood = self._find_mood(start, end)
        if mood != COMMAND:
            self.quotation += self.heard.mask.count(QUOTE, start, end)
            words = self.heard.extract_span(start, end).strip(COMMAS)
            self.claims.append(make_withheld_claim(words, mood))
            return
        place = start = self._skip_exception(start, end)
        while place < end:
            if mask[place] == QUOTE:
                place = start = self._skip_openers(self._parse_quotation(start, place, end), end)
                continue
            found = match_verb(self.heard, place, start, end, self.taught)
            if found is None:
                place += 1
                continue
            self._parse_clause(start, place, found)
            place = start = self._skip_openers(found.after, end)
        self._parse_rest(start, end)

    def _skip_exception(self, start: int, end: int) -> int:
        """鍵を残して全部取る: skip what is excluded, and apply it to the next "all"."""
        found = _LEFT_OUT.match(self.heard.mask, start, end)
        if found is None or QUOTE in found.group():
            return start
        self.left_out = self.heard.extract_span(start, found.end(1))
        return self._skip_openers(found.end(), end)

    def _add_phrase(self, asks: str) -> None:
        claim = self.lexicon.make_inventory_claim() if asks == "inventory" else {"type": asks}
        self.claims.append(claim)

    def _skip_openers(self, place: int, end: int) -> int:
        """Skip commas, marks and the small words that open a clause."""
        low, mask = self.heard.low, self.heard.mask
        while place < end:
            if mask[place] != QUOTE and _MARKS.match(mask, place, place + 1):
                place += 1
                continue
            opener = next((c for c in ja.CONJUNCTIONS if mask.startswith(c, place, end)), "")
            if not opener or low[place + len(opener) : place + len(opener) + 1] == "を":
                return place
            verb = match_verb(self.heard, place, place, end, self.taught)
            if verb is not None and opener not in ja.ADVERBS:
                return place  # はいる does not begin with はい.
            place += len(opener)
        return place

    def _parse_quotation(self, start: int, place: int, end: int) -> int:
        """Parse a quotation as speech, with the words around it that only frame it."""
        mask = self.heard.mask
        start = self._add_directions(self._drop_unknown_clauses(start, place), place, "")
        lead = self.heard.low[start:place].strip(COMMAS)
        frames = lead.endswith(("に", "へ", "は", "が")) and not self._is_direction(lead)
        if lead and not frames:
            self._parse_rest(start, place)
        self._flush_pending([])
        content = self.heard.quotes[self.quotation]
        self.claims.append({"type": "speak", "content": content})
        self.quotation += 1
        after = place + 1
        while after < end and mask[after] in COMMAS:
            after += 1
        for particle in ("って", "と"):
            if mask.startswith(particle, after, end):
                return self._skip_quoting_verb(after + len(particle), end)
        return self._skip_quoting_verb(after, end)

    def _skip_quoting_verb(self, place: int, end: int) -> int:
        """Skip と言う, と庭師に言って and the like."""
        for at in range(place, min(end, place + _LONGEST_FRAME)):
            if self.heard.mask[at] == QUOTE:
                return place
            whom = self.heard.low[place:at].strip(COMMAS)
            to_somebody = fold_text(whom.removesuffix("に")) in self.lexicon.people
            look = match_saying_verb if not whom or to_somebody else match_verb
            found = look(self.heard, at, place, end, self.taught)
            if found is not None:
                return found.after if found.verb.asks == "speak" else place
        return place

    def _parse_clause(self, start: int, place: int, found: JapaneseVerbMatch) -> None:
        verb = found.verb
        start = self._add_directions(self._drop_unknown_clauses(start, place), place, verb.asks)
        if verb.asks == "speak":
            self._parse_speech(start, place, found.after)
            return
        parts = tuple(split_parts(self.heard, self.lexicon, start, place))
        if JapaneseClause.from_parts(self.lexicon, verb, parts, "").is_gesture():
            self._flush_pending([])
            words = self.heard.extract_span(start, found.after).strip(COMMAS)
            self.claims.append(make_emote_claim(words))
            return
        self._note_form_mood(found, place)
        if verb.asks == "unknown" or (verb.asks == "stand" and not found.state):
            self._add_unrecognised(start, found.after)
            return
        if found.leads_on and self._is_in_hand(verb, parts):
            return
        made = self._make_claims(parts, found)
        if made is None:
            self.blocked = self.heard.extract_span(start, found.after).strip(COMMAS)
            self._add_unrecognised(start, found.after)
        elif made and "leftover" in made[0]:
            self._flush_pending([])
            words = self.heard.extract_span(start, found.after).strip(COMMAS)
            self.blocked = made[0]["leftover"]
            self.claims.append(made[0] | {"words": words})
        elif found.leads_on and self._hold_clause(verb, parts, made):
            return
        else:
            self._add_claims(verb, made)

    def _note_form_mood(self, found: JapaneseVerbMatch, place: int) -> None:
        """Note a verb that asks for nothing: 取った, 取れる, 取らなきゃ, 取っている."""
        tells = (
            found.state and found.verb.asks != "stand" and not self._ends_as_question(found.after)
        )
        mood = "statement" if tells and found.mood == "command" else found.mood
        if mood != "command" and self.mood == COMMAND:
            word = self.heard.extract_span(place, found.after).strip(COMMAS)
            self.mood = SentenceMood(mood, word)

    def _make_claims(
        self, parts: tuple[JapanesePart, ...], found: JapaneseVerbMatch
    ) -> list[Claim] | None:
        tool = self.waiting.tool if self.waiting else ""
        clause = JapaneseClause.from_parts(self.lexicon, found.verb, parts, tool, self.left_out)
        if clause.left_out:
            self.left_out = ""
        if found.state and (found.verb.asks == "stand" or self._ends_as_question(found.after)):
            return clause.make_state_claims()
        if clause.is_done_by_another() or self._is_asked_of_another(clause, found):
            return None
        lost = clause.find_unexplained()
        return [make_leftover_claim("", lost)] if lost else clause.make_claims()

    def _is_asked_of_another(self, clause: JapaneseClause, found: JapaneseVerbMatch) -> bool:
        """Whether another person is to do it: あゆに鍵を取ってもらう."""
        leaning = self.heard.mask[: found.after][-_BEGGING:]
        whom = (p.words for p in clause.parts if p.particle == "に")
        others = any(fold_text(words) in self.lexicon.people for words in whom)
        return others and found.verb.word not in ("もらう", "貰う") and "ても" in leaning

    def _ends_as_question(self, after: int) -> bool:
        return self.heard.mask[after : after + 1] == "?" or self.heard.mask[after - 1 : after] in (
            "か",
            "の",
        )

    def _add_claims(self, verb: JapaneseVerb, made: list[Claim]) -> None:
        self._flush_pending(made)
        if self.heading and verb.word in ja.GOING and made == [{"type": "move"}]:
            return  # 北に向かって歩く goes once.
        self.heading = verb.word in ja.HEADING and "target" in made[0]
        made = self._resolve_door(verb, made)
        self.claims += (self._carry_object(claim) for claim in made)

    def _flush_pending(self, made: list[Claim]) -> None:
        """Let the pending clause serve these claims, or make claims of its own."""
        waiting, self.waiting = self.waiting, None
        if waiting is not None and not waiting.is_used_by(made):
            self.claims += waiting.claims

    def _hold_clause(
        self, verb: JapaneseVerb, parts: tuple[JapanesePart, ...], made: list[Claim]
    ) -> bool:
        """Whether the clause has to wait for the next one, which it may only serve."""
        tool = ""
        if verb.word in ja.USING and len(parts) == 1 and parts[0].particle in ("を", ""):
            tool = parts[0].words
        if not tool and verb.asks != "pass":
            return False
        self._flush_pending([])
        made = self._resolve_door(verb, made)
        self.waiting = _PendingClause(verb.asks, made, tool)
        return True

    def _resolve_door(self, verb: JapaneseVerb, made: list[Claim]) -> list[Claim]:
        """門を開けて入る: the exit is the door that was just opened."""
        before = self.claims[-1] if self.claims else {"type": ""}
        if made != [{"type": "move"}] or verb.word not in ja.ENTERING:
            return made
        if before["type"] not in ("open", "unlock") or not _has_object(before):
            return made
        opened = JapaneseClause.find_candidates(self.lexicon, before.get("target", ""))
        if opened and not any(e.kind == "door" for e in opened):
            return made
        return [{"type": "move", "target": "それ"}]

    def _carry_object(self, claim: Claim) -> Claim:
        """本を読んで、机に戻す: an omitted object is the one mentioned before."""
        before = self.claims[-1] if self.claims else {}
        spoken_of = "target" in before and before["type"] != "move"
        if claim["type"] not in _TRANSITIVE or _has_object(claim):
            return claim
        if spoken_of:
            return {"type": claim["type"], "target": "それ"} | claim
        if claim["type"] == "open":
            return {
                "type": "open"
            }  # A player who wants to open something is not asked what to unlock.
        return claim

    def _is_in_hand(self, verb: JapaneseVerb, parts: tuple[JapanesePart, ...]) -> bool:
        """鍵を持って, before another clause, takes no key that is already held."""
        if verb.word not in ("持つ", "もつ") or len(parts) != 1:
            return False
        named = parts[0].words
        held = self.lexicon.world.list_contents(self.lexicon.actor)
        return any(e.id in held for e in self.lexicon.find_in_scope(named))

    def _drop_unknown_clauses(self, start: int, end: int) -> int:
        """Make unrecognised claims of clauses with unknown verbs.

        Return where the rest begins.
        """
        for place in find_unknown_clauses(self.heard, start, end):
            words = self.heard.extract_span(start, place).strip(COMMAS)
            if not words.endswith(("ないで", "ずに", "なくて")):
                self.blocked = words
            self._add_unrecognised(self._add_directions(start, place, ""), place)
            start = self._skip_openers(place, end)
        return start

    def _add_directions(self, start: int, place: int, asks: str) -> int:
        """東へ、箱を開ける: a direction before a comma is a move, unless the verb takes it."""
        while True:
            comma = min(
                (at for c in "、," if (at := self.heard.mask.find(c, start, place)) >= 0),
                default=-1,
            )
            words = self.heard.extract_span(start, comma) if comma >= 0 else ""
            bare = _TOWARDS.sub("", words)
            rest = self.heard.low[comma + 1 : place]
            if bare == words or not self._is_direction(words):
                return start
            if asks in _MOVES and not _PARTICLE.search(rest):
                return start
            self._flush_pending([])
            self.claims.append({"type": "move", "target": bare})
            start = self._skip_openers(comma, place)

    def _is_direction(self, words: str) -> bool:
        bare = _TOWARDS.sub("", words)
        near = {ja.to_everyday_spelling(name) for name in self.lexicon.near}
        return self.lexicon.is_way(bare) or ja.to_everyday_spelling(fold_text(bare)) in near

    def _parse_speech(self, start: int, place: int, after: int) -> None:
        self._flush_pending([])
        words = self.heard.extract_span(start, place)
        content = _QUOTING.sub("", words)
        if content == words or fold_text(content) in self.lexicon.people | ja.PEOPLE:
            self._add_unrecognised(start, after)
            return
        hearer = max(
            (n for n in self.lexicon.people if fold_text(content).startswith((n + "に", n + "へ"))),
            key=len,
            default=None,
        )
        if hearer is not None:
            content = content[len(hearer) + 1 :]
        self.claims.append({"type": "speak", "content": content.strip(COMMAS)})

    def _parse_rest(self, start: int, end: int) -> None:
        """Parse words that no verb follows: directions, or words not understood."""
        lost = start = self._drop_unknown_clauses(self._skip_openers(start, end), end)
        for piece in _PIECE.finditer(self.heard.mask[start:end]):
            begin, stop = start + piece.start(), start + piece.end()
            words = self.heard.extract_span(begin, stop)
            bare = _TOWARDS.sub("", words)
            if self._is_direction(words) or (bare not in ("", words) and words.endswith("へ")):
                self._add_unrecognised(lost, begin)
                self._flush_pending([])
                self.claims.append({"type": "move", "target": bare})
                lost = stop
        words = self.heard.extract_span(lost, end).strip(COMMAS)
        if _MARKS.sub("", words):
            # The last verb decides the mood of all of it, also in a reply: 食べて後悔した.
            self.blocked, self.unfinished = words, True
        self._add_unrecognised(lost, end)

    def _add_unrecognised(self, start: int, end: int) -> None:
        words = self.heard.extract_span(start, end).strip(COMMAS)
        if _MARKS.sub("", words):
            self._flush_pending([])
            self.claims.append(make_unrecognised_claim(words))


def _has_object(claim: Claim) -> bool:
    return "target" in claim or "targetId" in claim
