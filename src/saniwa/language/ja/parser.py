"""Parse Japanese sentences into untrusted claims.

A sentence is split into tokens, and the tokens into clauses: a verb with the words before
it and the endings after it. The form of each verb says whether its clause is a command
(`language.ja.predicate`). No clause is lost: words that are not understood become a claim.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from saniwa.language.ja.clause_claims import make_claims, make_state_claims
from saniwa.language.ja.clauses import JapaneseClause, JapanesePart
from saniwa.language.ja.leftovers import find_unexplained
from saniwa.language.ja.nouns import COMMAS, is_noun_known, is_person
from saniwa.language.ja.parts import restore_order, split_parts
from saniwa.language.ja.predicate import TokenClause, find_clause_mood, split_clauses
from saniwa.language.ja.questions import JapaneseQuestion
from saniwa.language.ja.tokens import PORTION, JapaneseVerb, Token, Tokenizer
from saniwa.language.lexicon import ja, readings
from saniwa.language.mood import COMMAND, SentenceMood, make_leftover_claim, make_withheld_claim
from saniwa.language.names import is_same_direction
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    make_emote_claim,
    make_unrecognised_claim,
)
from saniwa.language.questions import is_about_scene
from saniwa.language.text import QUOTE, PreparedText, fold_text
from saniwa.world.model import Id
from saniwa.world.view import find_room

_LATER = re.compile("(?:分|時間|日|秒|週間|年|か月)後")
_SEEKING = re.compile("わから|分から|知りたい|教え|おしえ|説明|全部言|挙げ|列挙|一覧|リストアップ")
"""Words that ask to be told something."""
_ASKING = re.compile("(?:ます|です|でしょう|ません|やろ|だろう|ない)か[ねな]?$")
"""Endings that ask."""
_SHOWING = re.compile("見せ|見たい|確認|表示|ほしい|欲しい|ちょうだい|頂戴|ください|下さい|お願い")
_SHOWN_KINDS = frozenset({"what_do_i_have", "exits", "what_can_i_do", "hint"})
"""What is told, not looked at: 出口を見せて."""
_NO_DEED = frozenset(
    {"exist", "think", "stop", "light", "adjective", "be", "unknown", "speak", "stand", "gesture"}
)
_NO_ACTION = frozenset({"unknown", "exist", "think", "stop", "light", "adjective", "be"})
_STOPS = "。.!?;\n"
_LIST_MARK = re.compile(r"\s*(?:>+|[-+●○■◆▶►]\s|[0-9]{1,2}[.)]\s)\s*")
"""A mark before a line that quotes it or makes it part of a list."""
_PAUSE = re.compile(
    r"\.{1,12}(?=の[はをがも]|と(?:思|言|見せ)|って|なん?か?て|こと[はをがも]|わけ|はず|つもり|ふり|もの?か)"
)
"""A pause in the middle of a phrase: 閉める……のはやめて."""
_ASIDE = re.compile(r"\([^()]*\)(?=\w)")
"""What is done, in brackets before what is said."""
_TRANSITIVE = frozenset(
    {"take", "drop", "put", "give", "open", "close", "lock", "unlock", "use", "eat"}
)
_DIVIDING = frozenset({"take", "drop", "put", "give", "eat", "lay", "bring", "use"})
"""Verbs that may be done to a part of a thing."""
_MOVES = ("move", "pass", "leave")
_MARKS = re.compile(rf"[^\w{QUOTE}]+")
_WITHDRAWN = re.compile(
    "(?:やっぱり|やはり|なんて)?(?:やめ|やめた|冗談|なんちゃって|うそ|嘘|取り消し|中止|撤回)(?:だよ|です|だ|よ|ね)*"
)
"""A sentence that takes back what was said before it."""
_ABOUT_WORDS = re.compile(
    "(?:次|以下|今|上|この|前)の(?:文|命令|言葉|指示|発言|台詞|行動(?!として))|(?:今|さっき)のは?(?:なし|無し|取り消)"
)
"""Words about what is said, which is then not meant."""
_DOUBTS = (
    "でも",
    "いや",
    "やっぱ",
    "やはり",
    "嘘",
    "うそ",
    "しかし",
    "だが",
    "待って",
    "けど",
    "ただし",
)
"""Words before a sentence that takes back the one before it."""
_HARMLESS = frozenset({"unrecognised", "speak", "question", "emote", "look", "inspect"})
_LEAVE = re.compile(
    "(?:それで|別に)?(?:いい|良い|よい|ええ|よろしい|大丈夫|だいじょうぶ|かまわない|構わない|平気|問題ない|おk|ok)"
    "(?:です|っす|でしょう|だろう)?(?:か|かな|よね|よな|ね|の|や|やんな|やろ)*"
)
"""A part of a sentence that asks whether something may be done."""
_NOUN_ROLES = ("destination", "recipient", "tool", "source")
_EXCEPTED = re.compile(
    "(?:ただし|但し)?、?(?P<left>[^、はを]{1,30}?)(?:だけ)?(?:は(?:別|例外|抜き|なし|除く|残す)|以外)(?:で|だ|です|ね|よ|な|として)*"
)
"""A sentence that leaves something out of the "all" before it."""
_TOWARDS = re.compile("(へ|に|まで|の方へ|の方に|のほうへ)$")


def parse_japanese(heard: PreparedText, lexicon: ParserContext) -> tuple[Claim, ...]:
    """The claims in the words, in order; words not understood become claims as well."""
    return _JapaneseParser(heard, lexicon, Tokenizer(heard, lexicon)).read()


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
    tokenizer: Tokenizer
    claims: list[Claim] = field(default_factory=list)
    waiting: _PendingClause | None = None
    heading: bool = False
    mood: SentenceMood = COMMAND
    blocked: str = ""
    unfinished: bool = False
    left_out: str = ""
    followed: bool = False
    topic: str = ""
    carried: tuple[JapanesePart, ...] = ()
    lost: str = ""

    def read(self) -> tuple[Claim, ...]:
        for start, end in self._split_sentences():
            asked = self.heard.low[end : end + 1] == "?"
            tokens = self.tokenizer.split(start, end)
            if self._add_exception(tokens):
                continue
            if self._is_withdrawn(start, end, tokens):
                mood = SentenceMood("statement", self._extract(start, end))
                self.claims[:] = [make_withheld_claim(self._extract(0, end), mood)]
                if _ABOUT_WORDS.search(self.heard.low, start, end):
                    break
                continue
            first = len(self.claims)
            for part in _split_at_contrast(tokens):
                begun = len(self.claims)
                if begun > first and self._asks_leave(part):
                    self.claims[first:] = [
                        make_withheld_claim(
                            self._extract(start, end), SentenceMood("permission", part[0].text)
                        )
                    ]
                    break
                last = part[-1:] == tokens[-1:]
                self._parse_sentence(part, asked=asked and last, contrasted=not last)
                self._flush_pending([])
                self.heading = False
                if part:
                    self._judge_sentence(part[0].start, part[-1].end, begun)
        return tuple(self.claims)

    def _is_withdrawn(self, start: int, end: int, tokens: list[Token]) -> bool:
        """Whether the sentence takes back the others, or says that they are not meant."""
        if _ABOUT_WORDS.search(self.heard.low, start, end):
            return True
        if not any(c["type"] not in _HARMLESS for c in self.claims):
            return False
        if _WITHDRAWN.fullmatch(_MARKS.sub("", self.heard.low[start:end])):
            return True
        clauses, rest = split_clauses(_strip_openers(tokens))
        moods = [find_clause_mood(c, last=c is clauses[-1], asked=False) for c in clauses]
        if clauses and all(_is_stopping(clause) for clause in clauses):
            return True
        forbids = any(m.mood == "prohibition" for m in moods) and not clauses[0].before
        doubts = self.heard.low[start:end].lstrip(" 、").startswith(_DOUBTS)
        obeyed = moods != [] and all(m == COMMAND for m in moods) and not rest
        known = obeyed and not any(c.word.asks in _NO_DEED for c in clauses)
        return forbids or (doubts and not known)

    def _asks_leave(self, tokens: list[Token]) -> bool:
        """Whether it asks if what was said before is all right: 飲むけどいいよね."""
        words = _MARKS.sub("", self._extract(tokens[0].start, tokens[-1].end)) if tokens else ""
        return _LEAVE.fullmatch(words) is not None

    def _add_exception(self, tokens: list[Token]) -> bool:
        """Leave out 傘 of all things named before: 傘は別ね."""
        tokens = _strip_openers(tokens)
        words = self._extract(tokens[0].start, tokens[-1].end) if tokens else ""
        found = _EXCEPTED.fullmatch(words)
        return found is not None and self._remove_from_all(found["left"])

    def _judge_sentence(self, start: int, end: int, begun: int) -> None:
        """Withdraw the claims of a sentence that asks for nothing or lost a word."""
        mood, self.mood = self.mood, COMMAND
        blocked, self.blocked = self.blocked, ""
        unfinished, self.unfinished = self.unfinished, False
        if self.left_out:
            mood, self.left_out = SentenceMood("exception", self.left_out), ""
        made = self.claims[begun:]
        acts = any(c["type"] not in ("unrecognised", "speak", "question") for c in made)
        speech = [c for c in made if c["type"] == "speak"]
        words = self._extract(start, end)
        lost, self.lost = self.lost, ""
        if acts and len(made) > 1 and not blocked:
            blocked = self._find_unknown_noun(made)
        if not blocked and any(c["type"] not in _HARMLESS | {"move"} for c in made):
            blocked = lost
        if mood != COMMAND and (acts or not speech):
            self.claims[begun:] = [*speech, make_withheld_claim(words, mood)]
        elif blocked and acts and (unfinished or not self.lexicon.narrated):
            self.claims[begun:] = [*speech, make_leftover_claim(words, blocked)]

    def _find_unknown_noun(self, made: list[Claim]) -> str:
        """A word that names nothing in the world, beside a deed that could be done."""
        deeds = [c for c in made if c["type"] not in _HARMLESS | {"introduce", "describe", "move"}]
        lost = [
            next((w for w in nouns if not is_noun_known(self.lexicon, w)), "")
            for claim in deeds
            for nouns in [[claim[role] for role in _NOUN_ROLES if role in claim]]
        ]
        return next(filter(None, lost), "") if "" in lost else ""

    def _split_sentences(self) -> Iterator[tuple[int, int]]:
        low = self.heard.low
        start = _skip_mark(low, 0)
        aside = _ASIDE.match(low)
        for place, letter in enumerate(low):
            if place < start:
                continue
            if letter in _STOPS and not _PAUSE.match(low, place):
                yield start, place
                start = _skip_mark(low, place + 1) if letter == "\n" else place + 1
            elif aside and place == aside.end():
                yield start, place
                start = place
        yield start, len(low)

    def _extract(self, start: int, end: int) -> str:
        return self.heard.extract_span(start, end).strip(COMMAS)

    def _parse_sentence(
        self, tokens: list[Token], *, asked: bool, contrasted: bool = False
    ) -> None:
        aside = bool(tokens) and tokens[0].text == "("
        tokens = _strip_openers(tokens)
        if not tokens or self._parse_address(tokens, asked=asked):
            return
        whole = _MARKS.sub("", self.heard.low[tokens[0].start : tokens[-1].end])
        if whole in ja.PAIRS.phrases or whole.rstrip("よねか") in ja.PAIRS.phrases:
            self._add_phrase(
                ja.PAIRS.phrases.get(whole) or ja.PAIRS.phrases[whole.rstrip("よねか")]
            )
            return
        if self._parse_description(tokens):
            return
        clauses, rest = restore_order(self.heard, self.lexicon, *split_clauses(tokens))
        if self._parse_check(clauses, rest) or self._parse_way(clauses, rest):
            return
        self._note_mood(clauses, rest, tokens, asked=asked)
        speaking = self._is_speaking(clauses, tokens, asked=asked)
        if not speaking and self._parse_question(tokens, clauses, asked=asked):
            return
        mood, self.mood = self.mood, COMMAND
        reported = self._parse_reported_speech(tokens)
        if reported is not None:
            self._parse_sentence(reported, asked=asked)
            return
        self.mood = mood
        self.followed = bool(rest)
        wishes = [c.verb.text for c in clauses if "want" in c.verb.marks]
        if wishes and (aside or (contrasted and wishes[-1] == clauses[-1].verb.text)):
            self.mood = SentenceMood("statement", wishes[-1])  # 食べたいけど、…
        after = _strip_openers(rest) if rest and rest[0].kind == "comma" else rest
        if clauses and any(t.kind == "adverb" and t.text not in ja.WORDS.last_words for t in after):
            self.blocked, self.unfinished = rest[0].text, True
        for number, clause in enumerate(clauses):
            self._parse_clause(clause, clauses[number + 1 :], asked=asked)
        self._parse_rest(rest)

    def _asks_presence(self, clauses: list[TokenClause], *, asked: bool) -> bool:
        """Whether it asks if the person named before the comma is here: ナナ、まだいるか."""
        if len(clauses) != 1 or clauses[0].word.word not in ("いる", "おる", "居る"):
            return False
        subjects = any(t.text in ("が", "は", "も") for t in clauses[0].before)
        return not subjects and (asked or clauses[0].has_tail("question"))

    def _parse_address(self, tokens: list[Token], *, asked: bool) -> bool:
        """Parse ナナ、箱を開けて as words to a person, who is the one to act."""
        commas = [n for n, t in enumerate(tokens) if t.kind == "comma"]
        if not commas or any(t.kind == "quote" for t in tokens):
            return False
        for called, said in (
            (tokens[: commas[0]], tokens[commas[0] + 1 :]),
            (tokens[commas[-1] + 1 :], tokens[: commas[-1]]),
        ):
            words = self._extract(called[0].start, called[-1].end) if called and said else ""
            name = words.removesuffix("よ")
            person = self._find_called(called) if said else ""
            name = person or name
            if name and (is_person(self.lexicon, name) or name in ja.WORDS.called):
                break
        else:
            return False
        content = self._extract(said[0].start, said[-1].end)
        clauses, _ = split_clauses(said)
        if called[-1].end < said[0].start and self._asks_presence(clauses, asked=asked):
            return False
        claim: Claim = {"type": "speak", "content": content}
        if is_person(self.lexicon, name):
            claim["to"] = name
        if clauses and find_clause_mood(clauses[-1], last=True, asked=False) == COMMAND:
            claim["request"] = True
        self.claims.append(claim)
        return True

    def _find_called(self, tokens: list[Token]) -> str:
        """The person whose name ends words such as おーいナナ; empty if there is none."""
        named = [n for n, t in enumerate(tokens) if t.kind == "name"]
        if len(named) != 1 or any(
            t.kind not in ("name", "title", "adverb", "word") for t in tokens
        ):
            return ""
        words = self._extract(tokens[named[0]].start, tokens[-1].end)
        return words if is_person(self.lexicon, words) else ""

    def _note_mood(
        self, clauses: list[TokenClause], rest: list[Token], tokens: list[Token], *, asked: bool
    ) -> None:
        """Note the mood of the sentence, if it is no command."""
        for number, clause in enumerate(clauses):
            last = number == len(clauses) - 1 and not rest
            kept = clause.has_tail("state") and clause.word.word in ja.WORDS.holding
            aside = clause.has_tail("reason") or self._is_remark(clause, clauses[number + 1 :])
            if not last and (aside or kept):
                continue
            told = clause.verb.marks <= {"past", "prog", "polite"} and not clause.tails
            told = told and clause.verb.form not in ("ba", "tara")
            alone = all(c.word.asks == "gesture" for c in clauses[:number])
            if clause.word.asks == "gesture" and told and alone:
                continue
            mood = find_clause_mood(clause, last=last, asked=asked)
            if mood != COMMAND and not (asked and self._asks_state(clause)):
                self.mood = mood
                return
        quoted = [c for c in clauses[1:] if _is_quoted_before(c)]
        if quoted:
            self.mood = SentenceMood("statement", "と")
            return
        if any(t.text in ("いや", "いやいや", "いいえ") for t in tokens[1:]):
            self.blocked, self.unfinished = "いや", True
        times = [t for t in tokens if t.kind == "time" or _LATER.search(t.text)]
        words = [t for t in tokens if t.text in ja.WORDS.question_words]
        if times:
            self.mood = SentenceMood("condition", times[0].text)
        elif words and not any(t.kind == "quote" for t in tokens):
            self.mood = SentenceMood("question", words[0].text)
        elif asked and not clauses:
            self.mood = SentenceMood("question", "?")

    def _asks_state(self, clause: TokenClause) -> bool:
        """Whether an inspection answers the question: 門は開いてる？ and the like."""
        return "prog" in clause.verb.marks and "past" not in clause.verb.marks

    def _add_phrase(self, asks: str) -> None:
        claim = self.lexicon.make_inventory_claim() if asks == "inventory" else {"type": asks}
        self.claims.append(claim)

    def _parse_clause(self, clause: TokenClause, later: list[TokenClause], *, asked: bool) -> None:
        before = self._parse_quotations(clause.before, clause.word)
        if before is None:
            return
        before = self._add_directions(before, clause.word.asks)
        if clause.word.asks == "speak":
            self._parse_speech(clause, before)
            return
        carried, self.carried = self.carried, ()
        parts = (*carried, *split_parts(self.heard, before))
        while parts and not parts[0].words:
            parts = parts[1:]
        if later and clause.word.word in ja.WORDS.using and parts and parts[0].particle == "は":
            self.carried, parts = parts[:1], parts[1:]
        begun = min(t.start for t in (*before, clause.verb))
        words = self._extract(begun, max(t.end for t in (*before, clause.verb, *clause.tails)))
        closely = any(t.text in ja.WORDS.closely for t in before)
        made = JapaneseClause.from_parts(self.lexicon, clause.word, parts)
        if made.is_gesture(closely=closely):
            self._flush_pending([])
            self.claims.append(make_emote_claim(words))
        elif not self._skip_clause(clause, parts, later, words):
            self._parse_deed(clause, parts, words, later=later, asked=asked)
        self._note_topic(parts)

    def _skip_clause(
        self,
        clause: TokenClause,
        parts: tuple[JapanesePart, ...],
        later: list[TokenClause],
        words: str,
    ) -> bool:
        """Whether the clause asks for nothing by itself."""
        asks, marks = clause.word.asks, clause.verb.marks
        if self._is_mere_step(clause, parts, later) or self._is_remark(clause, later):
            return True
        if self._leaves_out(clause, parts, later, words):
            return True
        if not later and not parts and clause.verb.text in ja.WORDS.set_phrases:
            self._add_unrecognised_words(words)
            return True
        if later and "neg" in marks:
            self._add_unrecognised_words(words)
            if later[0].word.asks == "lay" and not later[0].before:
                # 取らずに置いておく leaves it where it is.
                self.blocked = words
            return True
        rushes = asks == "move" and not parts and clause.word.word in ja.RUSHING
        if asks in _NO_ACTION or rushes or (asks == "stand" and "prog" not in marks):
            self._add_unrecognised_words(words)
            if asks not in ("exist", "unknown", "stand"):
                self.blocked = words
            tells = not later and clause.word.word in ja.WORDS.outcomes
            if tells or self._has_person(clause.before):
                self.lost = self.lost or words
            return True
        return bool(later) and self._is_in_hand(clause.word, parts)

    def _is_mere_step(
        self, clause: TokenClause, parts: tuple[JapanesePart, ...], later: list[TokenClause]
    ) -> bool:
        """Whether the clause only leads to what follows: 行って取る, 台所を出て東へ行く."""
        asks, word = clause.word.asks, clause.word.word
        if later and asks == "move" and not parts and word in ("行く", "いく"):
            return True
        leaves = asks == "leave" and (later or self.followed)
        if leaves and parts and self.lexicon.is_here(parts[-1].words):
            return True
        turns = word in ja.WORDS.turning and not parts and self._has_key_in_lock()
        return turns or (bool(later) and clause.has_tail("reason"))

    def _is_remark(self, clause: TokenClause, later: list[TokenClause]) -> bool:
        """Whether the clause only says how it is, before a comma: 腹減った、パンを食べる."""
        if not later or [t.kind for t in later[0].before[:1]] != ["comma"]:
            return False
        verb, tails = clause.verb, [ja.TAILS.get(t.text, ()) for t in clause.tails]
        told = verb.form in ("plain", "past") and verb.marks <= {"past", "polite", "neg"}
        if clause.word.asks not in ("unknown", "adjective") or not told:
            return False
        named = [t for t in clause.before if t.kind == "name" and self.lexicon.is_known(t.text)]
        joined = {t.text for t in clause.before if t.kind == "particle"} <= {"が", "は", "も", "の"}
        plain = all(t.kind in ("name", "word", "particle", "adverb") for t in clause.before)
        return not named and joined and plain and all("" in moods for moods in tails)

    def _has_person(self, tokens: list[Token]) -> bool:
        return any(t.kind == "name" and is_person(self.lexicon, t.text) for t in tokens)

    def _leaves_out(
        self,
        clause: TokenClause,
        parts: tuple[JapanesePart, ...],
        later: list[TokenClause],
        words: str,
    ) -> bool:
        """Whether the clause only says what is left out: 傘を残して, 傘は持ったまま."""
        asks = clause.word.asks
        if (
            (later or self.followed)
            and clause.has_tail("state")
            and clause.word.word in ja.WORDS.holding
        ):
            others = any(t.text in ja.LISTS.rest for c in later for t in c.before)
            return not others or self._note_exception(parts)
        if not parts:
            return False
        only = any(t.text.startswith(("だけ", "のみ")) for t in clause.before)
        if only and asks in ("except", "lay") and self._remove_from_all(parts[-1].words):
            return True
        if asks == "except" or (later and only and "neg" in clause.verb.marks):
            return self._note_exception(parts)
        aside = asks == "lay" and clause.verb.text.endswith(("といて", "ておいて"))
        return (
            bool(later) and aside and parts[-1].particle == "は" and self._set_aside(parts, words)
        )

    def _remove_from_all(self, words: str) -> bool:
        """Leave something out of the "all" of the last claim; false if it names no such."""
        last = self.claims[-1] if self.claims else {}
        if last.get("target") != "全部":
            return False
        self.claims[-1] = last | {"target": f"{words.removesuffix('だけ')}以外全部"}
        return True

    def _note_exception(self, parts: tuple[JapanesePart, ...]) -> bool:
        """Note what "all" in the next clause leaves out; the other words belong to that clause."""
        parts = tuple(p for p in parts if p.words and p.words not in ja.WORDS.in_hand)
        first = len(parts) - 1
        while first > 0 and parts[first - 1].particle in ("と", "や"):
            first -= 1
        self.left_out = "と".join(p.words.removesuffix("だけ") for p in parts[first:])
        self.carried = parts[:first]
        return True

    def _set_aside(self, parts: tuple[JapanesePart, ...], words: str) -> bool:
        """牛乳は置いといて asks nothing; of a thing in hand it could mean putting it down."""
        held = self.lexicon.world.list_contents(self.lexicon.actor)
        if any(e.id in held for e in self.lexicon.find_matches(parts[-1].words)):
            self.blocked = words
        return True

    def _has_put(self) -> bool:
        return bool(self.claims) and self.claims[-1]["type"] in ("drop", "put")

    def _has_key_in_lock(self) -> bool:
        return self.waiting is not None or (
            bool(self.claims) and self.claims[-1]["type"] == "unlock"
        )

    def _note_topic(self, parts: tuple[JapanesePart, ...]) -> None:
        """Note the thing that was spoken of last, for a verb without an object."""
        for part in parts:
            own = fold_text(part.words) in self.lexicon.own_names
            if not own and self.lexicon.find_matches(part.words):
                self.topic = part.words

    def _parse_check(self, clauses: list[TokenClause], rest: list[Token]) -> bool:
        """Parse 箱が開いているか確かめる as a look at the box."""
        if len(clauses) < 2 or rest or clauses[-1].word.asks not in ("inspect", "search", "see"):
            return False
        checked, looks = clauses[-2], clauses[-1]
        marks = {t.text for t in checked.tails} & {"か", "かどうか", "こと"}
        if (
            not marks
            or len(clauses) > 2
            or find_clause_mood(looks, last=True, asked=False) != COMMAND
        ):
            return False
        for part in split_parts(self.heard, checked.before):
            if part.particle in ("は", "が", "に") and part.words not in ja.WORDS.keys:
                self.claims.append({"type": "inspect", "target": part.words})
                return True
        return False

    def _parse_way(self, clauses: list[TokenClause], rest: list[Token]) -> bool:
        """Parse 庭行く, where the particle is left out."""
        if len(clauses) != 1 or rest or clauses[0].word.asks not in _MOVES:
            return False
        named = [t for t in clauses[0].before if t.kind not in ("adverb", "comma")]
        bare = len(named) == 1 and named[0].kind == "name" and self._is_way(named)
        if not bare or find_clause_mood(clauses[0], last=True, asked=False) != COMMAND:
            return False
        self.claims.append({"type": "move", "target": self._extract(named[0].start, named[0].end)})
        return True

    def _parse_question(
        self, tokens: list[Token], clauses: list[TokenClause], *, asked: bool
    ) -> bool:
        """Add the claim of a question; false for anything else."""
        whole = self._extract(tokens[0].start, tokens[-1].end)
        if any(t.kind == "quote" for t in tokens):
            return False
        question = JapaneseQuestion(self.heard, tokens, self.lexicon)
        kind, about = question.kind, question.target
        told = bool(clauses) and clauses[-1].word.asks == "speak" and not self._find_hearer(tokens)
        wanted = self._is_wanted(tokens, clauses, question)
        topic = tokens[-1].text in ("は", "って", "が") and len(tokens) > 1
        topic = topic and (not clauses or kind in _SHOWN_KINDS)
        asks = asked or wanted or topic or self.mood.mood in ("question", "permission")
        courteous = self.mood == COMMAND and bool(clauses) and not self._asks_state(clauses[-1])
        if not asks or (courteous and not told and not wanted):
            return False
        if self.mood.mood == "permission" and kind in ("other", "what_is_in"):
            kind = "can_i"
        looked = kind == "what_is" and bool(clauses) and self._asks_state(clauses[-1])
        if kind == "other" or looked or (courteous and kind == "can_i" and not told):
            return False
        if kind == "where_am_i" and self.topic and not question.features & {"here", "self"}:
            kind, about = "where_is", self.topic  # 傘が見当たらないんだけど、どこ？
        claim: Claim = {"type": "question", "kind": kind, "words": whole}
        claim |= {"scene": True} if is_about_scene(kind, question.features) else {}
        if about:
            claim["target"] = about
        deed = self._make_asked_deed(clauses, tokens) if kind in ("can_i", "how") else []
        if deed:
            claim["deed"] = deed
        self.claims.append(claim)
        self.mood = COMMAND
        self._note_topic(tuple(split_parts(self.heard, [t for t in tokens if t.kind != "verb"])))
        return True

    def _is_speaking(self, clauses: list[TokenClause], tokens: list[Token], *, asked: bool) -> bool:
        """Whether the sentence is about words to a person, and not told to the speaker."""
        last = clauses[-1] if clauses and not asked else None
        if last is None or last.word.asks != "speak" or last.word.word in ja.WORDS.telling:
            return False
        if last.verb.form == "stem" or "able" in last.verb.marks or last.has_tail("question"):
            return False
        return bool(self._find_hearer(tokens)) or any(map(_is_quoting, tokens))

    def _ends_asking(self, clause: TokenClause) -> bool:
        """Whether an ending asks, and is no courtesy: not くれますか."""
        return clause.has_tail("question") and (self.mood != COMMAND or self._asks_state(clause))

    def _is_wanted(
        self, tokens: list[Token], clauses: list[TokenClause], question: JapaneseQuestion
    ) -> bool:
        """Whether the words ask to be told something, without a question mark."""
        whole = self._extract(tokens[0].start, tokens[-1].end)
        if any(t.text in ja.WORDS.question_words for t in tokens):
            return True
        if any(self._ends_asking(c) for c in clauses[-1:]):
            return True
        if "how" in question.features and tokens[-1].text in ("は", "が", "って"):
            return True
        if "seen" in question.features and (self.mood != COMMAND or not clauses):
            return question.kind == "where_is"
        if _ASKING.search(whole) and (self.mood != COMMAND or not clauses):
            return True
        if _SEEKING.search(whole):
            return question.kind not in ("other", "can_i", "what_is") and not self._find_hearer(
                tokens
            )
        if _SHOWING.search(whole):
            return question.kind in _SHOWN_KINDS
        return "hint" in question.features and not question.features & {"deed", "thing", "person"}

    def _make_asked_deed(self, clauses: list[TokenClause], tokens: list[Token]) -> list[Claim]:
        """The claims that a question is about: 箱を開けてもいい？ and 箱の開け方は？ ask about opening."""
        way = next((n for n, t in enumerate(tokens) if t.form == "way"), 0)
        named = tokens[: way - 1] if tokens[way - 1].text == "の" else tokens[:way]
        ways = [TokenClause(named, tokens[way], [])] if way else []
        for clause in (*ways, *reversed(clauses)):
            if clause.word.asks in _NO_DEED:
                continue
            parts = [
                p._replace(particle="を") if p.particle in ("は", "が", "って", "の", "") else p
                for p in split_parts(self.heard, clause.before)
                if p.words not in ja.WORDS.question_words
            ]
            made = JapaneseClause.from_parts(self.lexicon, clause.word, tuple(parts))
            return [] if find_unexplained(made) else make_claims(made)
        return []

    def _parse_deed(
        self,
        clause: TokenClause,
        parts: tuple[JapanesePart, ...],
        words: str,
        *,
        later: list[TokenClause],
        asked: bool,
    ) -> None:
        portion = _find_portion(clause)
        if portion:
            self.blocked = portion
            self.claims.append(make_leftover_claim(words, portion))
            return
        made = self._make_pairs(parts, clause, asked=asked)
        if made is None:
            self.blocked = words
            self._add_unrecognised_words(words)
        elif (
            later
            and made
            and made[0].get("leftover", "") in ja.LISTS.keyholes
            and self._hold_clause(clause.word, parts, made)
        ):
            return
        elif made and "leftover" in made[0]:
            self._flush_pending([])
            self.blocked = made[0]["leftover"]
            self.claims.append(made[0] | {"words": words})
        elif not parts and made == [{"type": "drop"}] and self._has_put():
            return  # 床に並べて置く puts it down once.
        elif not (later and self._hold_clause(clause.word, parts, made)):
            self._add_claims(clause.word, made)

    def _make_pairs(
        self, parts: tuple[JapanesePart, ...], found: TokenClause, *, asked: bool
    ) -> list[Claim] | None:
        """千代さんにりんごを、ナナに傘を渡す: each side of the comma is a claim of its own."""
        pieces: list[list[JapanesePart]] = [[]]
        for part in parts:
            if part.particle == "、" and not (part.words and len(pieces[-1]) != 1):
                other = "に" if pieces[-1] and pieces[-1][0].particle != "に" else "を"
                pieces[-1] += [part._replace(particle=other)] if part.words else []
                pieces.append([])
            else:
                pieces[-1].append(part)
        pieces = [piece for piece in pieces if piece]
        paired = all(
            {p.particle for p in piece} in ({"に", "を"}, {"に", "は"}) for piece in pieces
        )
        if len(pieces) < 2 or not paired:
            return self._make_claims(parts, found, asked=asked)
        made = [self._make_claims(tuple(piece), found, asked=asked) for piece in pieces]
        if any(one is None or (one and "leftover" in one[0]) for one in made):
            return next(one for one in made if one is None or "leftover" in one[0])
        return [claim for one in made if one for claim in one]

    def _make_claims(
        self, parts: tuple[JapanesePart, ...], found: TokenClause, *, asked: bool
    ) -> list[Claim] | None:
        tool = self.waiting.tool if self.waiting else ""
        verb = found.word
        if verb.asks == "bring" and "caus" in found.verb.marks and _find_goal(parts):
            verb = JapaneseVerb("出る", "leave")  # 庭へ出させていただきます
        clause = JapaneseClause.from_parts(self.lexicon, verb, parts, tool, self.left_out)
        if clause.left_out:
            self.left_out = ""
        state = "prog" in found.verb.marks and "past" not in found.verb.marks
        if state and (found.word.asks == "stand" or asked or found.has_tail("question")):
            return make_state_claims(clause)
        if clause.is_done_by_another() or self._is_asked_of_another(clause, found):
            return None
        lost = find_unexplained(clause)
        return [make_leftover_claim("", lost)] if lost else make_claims(clause)

    def _is_asked_of_another(self, clause: JapaneseClause, found: TokenClause) -> bool:
        """Whether another person is to do it: あゆに鍵を取ってもらう."""
        whom = (p.words for p in clause.parts if p.particle == "に")
        others = any(is_person(self.lexicon, words) for words in whom)
        given = found.word.asks == "give" and "able" in found.verb.marks  # 渡してもらえますか
        return others and "recv" in found.verb.marks and not given

    def _add_claims(self, verb: JapaneseVerb, made: list[Claim]) -> None:
        self._flush_pending(made)
        bare = made in ([{"type": "move"}], [{"type": "move", "target": "外"}])
        if self.heading and bare and (verb.word in ja.WORDS.going or verb.asks == "leave"):
            return  # 北に向かって歩く and 庭へ歩いて出る go once.
        self.heading = verb.word in ja.WORDS.heading and "target" in made[0]
        made = self._resolve_door(verb, made)
        if made == [{"type": "look"}] and verb.word in ("読む", "よむ") and self.claims:
            made = [{"type": "inspect", "target": "それ"}]
        if len(made) == 1 and made[0]["type"] == "move":
            self._add_move(made[0])
            return
        made = [one for claim in made for one in self._expand_pronoun(claim)]
        self.claims += (self._restore_place(self._carry_object(claim)) for claim in made)

    def _add_move(self, claim: Claim) -> None:
        """Add a move; 下に降りて地下室に入る goes once."""
        before = self.claims[-1] if self.claims else {}
        first, then = before.get("target", ""), claim.get("target", "")
        if before.get("type") == "move" and self._is_same_way(first, then):
            self.claims[-1] = claim
        else:
            self.claims.append(claim)

    def _is_same_way(self, first: str, then: str) -> bool:
        """Whether an exit of this place is called by the first words and leads to the others."""
        room = self.lexicon.world.locations.get(
            find_room(self.lexicon.world, self.lexicon.actor) or Id("")
        )
        places = self.lexicon.find_bearers(then) if then else ()
        return (first == then and self.lexicon.is_near(then)) or any(
            way.to in places and is_same_direction(fold_text(first), way.label)
            for way in (room.exits if room else ())
        )

    def _expand_pronoun(self, claim: Claim) -> list[Claim]:
        """それら: one claim for each thing that was named just before."""
        if claim.get("target") != "それら":
            return [claim]
        before = [c["target"] for c in self.claims if "target" in c and c["type"] != "move"]
        return [claim | {"target": target} for target in before] or [claim]

    def _restore_place(self, claim: Claim) -> Claim:
        """元の場所に戻す: where the thing was when the words were spoken."""
        if claim["type"] == "give" and "recipient" not in claim:
            return claim | self._find_recipient()
        if claim["type"] == "put" and claim.get("destination", "") in ja.WORDS.its_inside:
            opened = [c["target"] for c in self.claims if c["type"] == "open" and "target" in c]
            return claim | ({"destination": opened[-1]} if opened else {})
        if claim["type"] != "put" or claim.get("destination", "") not in ja.WORDS.origin:
            return claim
        named = next(
            (
                c["target"]
                for c in reversed(self.claims)
                if c.get("target") and c["target"] != "それ"
            ),
            "",
        )
        words = claim.get("target", "") if claim.get("target") != "それ" else named
        meant = self.lexicon.find_matches(words)
        holder = (
            self.lexicon.world.entities.get(meant[0].place)
            if len(meant) == 1 and meant[0].place
            else None
        )
        if holder is None:
            return claim
        return claim | {"destination": holder.name}

    def _find_recipient(self) -> Claim:
        """The person whom the clause before went up to: ナナのところへ行って渡す."""
        before = self.claims[-1] if self.claims else {}
        met = before.get("type") == "inspect" and is_person(self.lexicon, before.get("target", ""))
        return {"recipient": before["target"]} if met else {}

    def _flush_pending(self, made: list[Claim]) -> None:
        """Let the pending clause serve these claims, or make claims of its own."""
        waiting, self.waiting = self.waiting, None
        crossed = waiting is not None and waiting.asks == "pass" and self._is_crossed(waiting)
        if waiting is not None and (crossed or not waiting.is_used_by(made)):
            self.claims += waiting.claims
            held = any(e.takeable for e in self.lexicon.find_matches(waiting.tool))
            if waiting.tool and made and held and not self.blocked:
                self.blocked = waiting.tool  # 傘を使って取る: no verb uses the umbrella.

    def _is_crossed(self, waiting: _PendingClause) -> bool:
        """Whether it is a place, and no door, that one goes through to another place."""
        words = waiting.claims[0].get("target", "") if waiting.claims else ""
        return self.lexicon.is_near(words) and not self.lexicon.find_in_scope(words)

    def _hold_clause(
        self, verb: JapaneseVerb, parts: tuple[JapanesePart, ...], made: list[Claim]
    ) -> bool:
        """Whether the clause has to wait for the next one, which it may only serve."""
        tool = ""
        named = [p.words for p in parts if p.particle in ("を", "")]
        into = [p.words for p in parts if p.particle in ("に", "へ")]
        if len(named) == 1 and len(parts) == len(named + into):
            fits = ja.is_in(verb.word, ja.WORDS.using, ja.WORDS.turning) and not into
            tool = named[0] if fits or (into and into[0] in ja.LISTS.keyholes) else ""
        if not tool and verb.asks != "pass":
            return False
        self._flush_pending([])
        made = self._resolve_door(verb, made)
        self.waiting = _PendingClause(verb.asks, made, tool)
        return True

    def _resolve_door(self, verb: JapaneseVerb, made: list[Claim]) -> list[Claim]:
        """門を開けて入る: the exit is the door that was just opened."""
        before = self.claims[-1] if self.claims else {"type": ""}
        if made != [{"type": "move"}] or verb.word not in ja.WORDS.entering:
            return made
        if before["type"] not in ("open", "unlock") or not _has_object(before):
            return made
        opened = self.lexicon.find_matches(before.get("target", ""))
        if opened and not any(e.kind == "door" for e in opened):
            return made
        return [{"type": "move", "target": "それ"}]

    def _carry_object(self, claim: Claim) -> Claim:
        """本を読んで、机に戻す: an omitted object is the one mentioned before."""
        before = self.claims[-1] if self.claims else {}
        spoken_of = "target" in before and before["type"] not in ("move", "question")
        if claim["type"] not in _TRANSITIVE or _has_object(claim):
            return claim
        if spoken_of:
            return {"type": claim["type"], "target": "それ"} | claim
        if self.topic and not self.lexicon.is_person(self.topic):
            return {"type": claim["type"], "target": self.topic} | claim
        if claim["type"] == "open":
            # A player who wants to open something is not asked what to unlock.
            return {"type": "open"}
        return claim

    def _is_in_hand(self, verb: JapaneseVerb, parts: tuple[JapanesePart, ...]) -> bool:
        """鍵を持って, before another clause, takes no key that is already held."""
        if verb.word not in ("持つ", "もつ", "出す", "だす", "取り出す") or len(parts) != 1:
            return False
        named = parts[0].words
        held = self.lexicon.world.list_contents(self.lexicon.actor)
        return any(e.id in held for e in self.lexicon.find_in_scope(named))

    def _parse_quotations(
        self, tokens: list[Token], verb: JapaneseVerb | None
    ) -> list[Token] | None:
        """Add the quotations as speech; the tokens after them, or None if the verb is used up."""
        places = [place for place, token in enumerate(tokens) if token.kind == "quote"]
        if not places:
            return tokens
        begun = 0
        for place in places:
            lead = _strip_openers(tokens[begun:place])
            frame = (
                bool(lead) and lead[-1].text in ("に", "へ", "は", "が") and not self._is_way(lead)
            )
            if lead and not frame:
                self._parse_rest(lead)
            self._flush_pending([])
            content = self.heard.quotes[self.heard.text.count(QUOTE, 0, tokens[place].start)]
            self.claims.append({"type": "speak", "content": content})
            begun = place + 1
        after = _strip_openers(tokens[begun:])
        quoting = bool(after) and after[0].text in ("と", "って")
        after = after[1:] if quoting else after
        says = verb is not None and (
            verb.asks == "speak" or (quoting and not after and verb.word in ("いく", "行く"))
        )
        if says and all(t.kind != "particle" or t.text in ("に", "へ", "で", "は") for t in after):
            return None
        return after

    def _find_hearer(self, tokens: list[Token]) -> str:
        """The person who is spoken to: 庭師に."""
        for place, token in enumerate(tokens[1:], 1):
            if token.text in ("に", "へ", "と"):
                words = self._extract(tokens[0].start, tokens[place - 1].end)
                if is_person(self.lexicon, words):
                    return words
        return ""

    def _add_directions(self, tokens: list[Token], asks: str) -> list[Token]:
        """東へ、箱を開ける: a direction before a comma is a move, unless the verb takes it."""
        while True:
            comma = next((n for n, t in enumerate(tokens) if t.kind == "comma"), -1)
            rest = tokens[comma + 1 :]
            towards = comma > 1 and tokens[comma - 1].text in ("へ", "に", "まで")
            if not towards or not self._is_way(tokens[:comma]):
                return tokens
            if asks in _MOVES and not any(t.text in ("へ", "に", "を") for t in rest):
                return tokens
            self._flush_pending([])
            bare = _TOWARDS.sub("", self._extract(tokens[0].start, tokens[comma - 1].end))
            self.claims.append({"type": "move", "target": bare})
            tokens = _strip_openers(rest)

    def _is_way(self, tokens: list[Token]) -> bool:
        return bool(tokens) and self._is_direction(self._extract(tokens[0].start, tokens[-1].end))

    def _is_direction(self, words: str) -> bool:
        bare = _TOWARDS.sub("", words)
        near = {readings.to_reading(name) for name in self.lexicon.near}
        return self.lexicon.is_way(bare) or readings.to_reading(fold_text(bare)) in near

    def _parse_description(self, tokens: list[Token]) -> bool:
        """Parse 箱を古いと描写する."""
        last = next((n for n, t in enumerate(tokens) if t.verb and t.verb.asks == "describe"), 0)
        marks = [n for n in range(last) if tokens[n].text in ("と", "として", "だと")]
        objects = [n for n in range(last) if tokens[n].text == "を" and n]
        if not marks or not objects or marks[-1] <= objects[0] + 1 or last != len(tokens) - 1:
            return False
        if find_clause_mood(TokenClause([], tokens[last], []), last=True, asked=False) != COMMAND:
            return False
        target = self._extract(tokens[0].start, tokens[objects[0] - 1].end)
        content = self._extract(tokens[objects[0] + 1].start, tokens[marks[-1] - 1].end)
        claim = {"type": "describe", "target": target, "content": content.removesuffix("だ")}
        self.claims.append(claim)
        return True

    def _parse_reported_speech(self, tokens: list[Token]) -> list[Token] | None:
        """Add 箱を開けてと庭師に頼む as speech; the tokens after it, or None if there is none."""
        for place, token in enumerate(tokens):
            if token.verb is None or not (
                token.verb.asks == "speak" or token.text.startswith(("いっ", "いう", "いい"))
            ):
                continue
            mark = place - 1
            while mark > 0 and not _is_quoting(tokens[mark]) and _is_frame(tokens[mark]):
                mark -= 1
            if mark < 1 or not _is_quoting(tokens[mark]) or token.form in ("ba", "tara"):
                continue
            if any("condition" in ja.TAILS.get(t.text, ()) for t in tokens[place + 1 : place + 2]):
                return None
            if not any(t.kind == "quote" for t in tokens[:place]):
                self._add_reported(tokens[:mark], tokens[mark:place])
                after = place + 1
                while after < len(tokens) and tokens[after].kind == "tail":
                    after += 1
                return tokens[after:]
        return None

    def _add_reported(self, said: list[Token], frame: list[Token]) -> None:
        self._flush_pending([])
        hearer = self._find_hearer(said) or self._find_hearer(frame[1:])
        content = self._extract(said[0].start, said[-1].end)
        bare = content[len(hearer) + 1 :] if hearer and content.startswith(hearer) else content
        claim = {"type": "speak", "content": bare.strip(COMMAS)}
        if is_person(self.lexicon, content) or fold_text(content) in ja.WORDS.people:
            self._add_unrecognised_words(self._extract(said[0].start, frame[-1].end))
        else:
            self.claims.append(claim)

    def _parse_speech(self, clause: TokenClause, before: list[Token]) -> None:
        """Talk without what is said: ナナに話しかける, ナナに地下室のことを聞く."""
        self._flush_pending([])
        parts = [part for part in split_parts(self.heard, before) if part.words]
        hearers = [
            p for p in parts if p.particle in ("に", "へ") and is_person(self.lexicon, p.words)
        ]
        topics = [part for part in parts if part not in hearers]
        wanted = (
            self.mood == COMMAND and find_clause_mood(clause, last=True, asked=False) == COMMAND
        )
        if wanted and len(hearers) == 1 and [p.particle for p in topics] in ([], ["を"]):
            claim: Claim = {"type": "speak", "to": hearers[0].words}
            if topics:
                claim["about"] = topics[0].words.removesuffix("のこと")
            self.claims.append(claim)
        else:
            words = self._extract((before or [clause.verb])[0].start, clause.end)
            self._add_unrecognised_words(words)

    def _parse_rest(self, tokens: list[Token]) -> None:
        """Parse words that no verb follows: directions, or words not understood."""
        if self._add_exception(tokens) or self._parse_placing(tokens):
            return
        left = self._parse_quotations(tokens, None)
        lost: list[Token] = []
        for piece in _split_at_commas(_strip_openers(left or [])):
            words = self._extract(piece[0].start, piece[-1].end)
            bare = _TOWARDS.sub("", words)
            named = all(t.kind != "particle" or t.text in ja.WORDS.genitives for t in piece[:-1])
            towards = words.endswith("へ") and bare != "" and named
            if self._is_direction(words) or towards:
                self._add_lost(lost)
                lost = []
                self._flush_pending([])
                self._add_move({"type": "move", "target": bare})
            elif self._is_added(words):
                self.claims.append(self.claims[-1] | {"target": words.removesuffix("も")})
            else:
                lost += piece
        if lost:
            # The last verb decides the mood of all of it, also in a reply: 食べて後悔した.
            self.blocked, self.unfinished = self._extract(lost[0].start, lost[-1].end), True
        self._add_lost(lost)

    def _parse_placing(self, tokens: list[Token]) -> bool:
        """Parse 傘を籠へ, without a verb, as putting or giving what is held."""
        parts = tuple(p for p in split_parts(self.heard, tokens) if p.words)
        if "".join(p.particle for p in parts) not in ("をへ", "をに", "はへ"):
            return False
        thing, goal = parts[0].words, parts[1].words
        held = self.lexicon.world.list_contents(self.lexicon.actor)
        meant = self.lexicon.find_matches(thing)
        person = is_person(self.lexicon, goal)
        known = person or goal in ja.WORDS.floor or not self.lexicon.is_way(goal)
        known = known and is_noun_known(self.lexicon, goal)
        if not known or not meant or any(e.id not in held for e in meant):
            return False
        verb = JapaneseVerb("渡す", "give") if person else JapaneseVerb("置く", "lay")
        clause = JapaneseClause.from_parts(self.lexicon, verb, parts)
        if find_unexplained(clause):
            return False
        self._add_claims(verb, make_claims(clause))
        return True

    def _is_added(self, words: str) -> bool:
        """Whether the words name another thing for the last deed: 手紙を取る、鍵も."""
        again = bool(self.claims) and self.claims[-1]["type"] in _TRANSITIVE
        named = words.removesuffix("も")
        return again and named != words and is_noun_known(self.lexicon, named)

    def _add_lost(self, tokens: list[Token]) -> None:
        if tokens:
            self._add_unrecognised_words(self._extract(tokens[0].start, tokens[-1].end))

    def _add_unrecognised_words(self, words: str) -> None:
        if _MARKS.sub("", words):
            self._flush_pending([])
            self.claims.append(make_unrecognised_claim(words))


def _skip_mark(text: str, place: int) -> int:
    """The position after a mark of quoted or listed lines, or the same one."""
    found = _LIST_MARK.match(text, place)
    return found.end() if found else place


def _find_goal(parts: tuple[JapanesePart, ...]) -> str:
    """Where something is done, if nothing is named that it is done to."""
    if any(p.particle == "を" for p in parts):
        return ""
    return next((p.words for p in parts if p.particle in ("に", "へ")), "")


def _is_stopping(clause: TokenClause) -> bool:
    """Whether it says that what was said is not to be done: やめておこう."""
    named = any(t.text == "を" for t in clause.before)
    return clause.word.asks == "stop" and not named and "neg" not in clause.verb.marks


def _find_portion(clause: TokenClause) -> str:
    """The word that asks for only a part of a thing: パンを少し食べる, but not ちょっとパンを取る."""
    if clause.word.asks not in _DIVIDING:
        return ""
    named = False
    for token in clause.before:
        named = named or token.kind == "particle"
        if token.kind != "adverb":
            continue
        if token.text in ja.WORDS.portions or (named and token.text in ja.WORDS.softeners):
            return token.text
        if PORTION.fullmatch(token.text):
            return token.text
    return ""


def _is_quoting(token: Token) -> bool:
    """Whether the words before it are what is said."""
    return token.text in ("と", "って", "よう", "ように", "とか", "か", "かどうか")


def _is_quoted_before(clause: TokenClause) -> bool:
    """Whether what precedes the clause is only what is thought or written: 開ける、と書く."""
    first = next((t for t in clause.before if t.kind != "comma"), None)
    if first is None:
        return False
    unknown = first.kind == "word" and first.text.startswith("と")
    return unknown or first.text in ("と", "って", "などと", "なんて")


def _is_frame(token: Token) -> bool:
    """Whether it only says who is spoken to, or how."""
    if token.kind == "particle":
        return token.text in ("に", "へ", "は", "が", "で")
    return token.kind in ("name", "title", "adverb", "comma")


def _split_at_contrast(tokens: list[Token]) -> list[list[Token]]:
    """Split a sentence after けど and が, whose two sides stand for themselves."""
    made: list[list[Token]] = [[]]
    for place, token in enumerate(tokens):
        made[-1].append(token)
        links = token.kind == "tail" and "link" in ja.TAILS.get(token.text, ())
        links = links and not (place and tokens[place - 1].text in ja.WORDS.nominal_ends)
        if links and place + 1 < len(tokens):
            made.append([])
    return made


def _strip_openers(tokens: list[Token]) -> list[Token]:
    """The tokens without the commas and small words at their beginning."""
    place = 0
    while place < len(tokens) and tokens[place].kind in ("comma", "adverb", "call"):
        place += 1
    return tokens[place:]


def _split_at_commas(tokens: list[Token]) -> Iterator[list[Token]]:
    piece: list[Token] = []
    for token in tokens:
        if token.kind != "comma":
            piece.append(token)
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def _has_object(claim: Claim) -> bool:
    return "target" in claim or "targetId" in claim
