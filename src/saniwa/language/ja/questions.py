"""Which question a Japanese sentence asks, from the words in it.

`language.question_kinds` has the rules; this module says which features Japanese words have.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from saniwa.language.ja.clause_claims import make_claims
from saniwa.language.ja.clause_moods import TokenClause
from saniwa.language.ja.clause_roles import JapaneseClause
from saniwa.language.ja.particle_phrases import extract_words, split_parts
from saniwa.language.ja.speech import find_hearer
from saniwa.language.ja.tokens import JapaneseVerb, Token
from saniwa.language.ja.unused_words import find_unexplained
from saniwa.language.lexicon import ja, readings
from saniwa.language.mood import COMMAND, SentenceMood
from saniwa.language.name_match import strip_honorific
from saniwa.language.parser_context import Claim, ParserContext
from saniwa.language.question_kinds import (
    Features,
    build_feature_table,
    classify_question,
    find_asked_command,
    find_features,
    is_about_scene,
)
from saniwa.language.text import PreparedText, fold_text


def _collect_phrases() -> dict[tuple[str, ...], str]:
    made: dict[tuple[str, ...], str] = {}
    for feature, phrases in (*ja.GROUPS.question_features.items(), ("owned", ja.WORDS.held)):
        for phrase in phrases:
            letters = tuple(readings.fold_kana(phrase))
            made[letters] = f"{made.get(letters, '')} {feature}"
    return made


_TABLE = build_feature_table(_collect_phrases())
_NO_DEEDS = ja.WORDS.no_deeds | {"see", "look", "inspect", "search", "hunt", "wait"}
_NO_DEED_VERBS = frozenset({"持つ", "もつ", "手にする", "しまう"})
_LASTING = frozenset({"result", "prog", "passive"})
_WITHIN = frozenset(
    {"中", "上", "下", "なか", "うえ", "した", "裏", "奥", "内側", "内部", "後ろ", "陰", "前", "横", "隣", "底", "中身"}
)  # fmt: skip
_LOCKING = ja.WORDS.keys | {"ロック", "ろっく", "錠"}
_TOPICS = frozenset({"は", "が", "って"})
"""Particles of an object in a question: 門は開けられる？"""
_AT = frozenset({"に", "には", "にも", "にわ"})
_IDIOMATIC = frozenset({"hint", "options", "begin", "inside", "see", "hold"})
"""Features of words whose verb is no deed: お手上げ."""
_KNOWN = frozenset({"thing", "person", "place", "here", "self", "exit", "go", "lead", "begin"})
_MARKS = {"able": "able", "permit": "permit", "forbid": "permit", "neg": "not", "past": "past"}
_SEEKING = re.compile("わから|分から|知りたい|教え|おしえ|説明|全部言|挙げ|列挙|一覧|リストアップ")
"""Words that ask for information."""
_ASKING = re.compile("(?:ます|です|でしょう|ません|やろ|だろう|ない)か[ねな]?$")
"""Endings that ask."""
_SHOWING = re.compile("見せ|見たい|確認|表示|ほしい|欲しい|ちょうだい|頂戴|ください|下さい|お願い")
_SHOWN_KINDS = frozenset({"what_do_i_have", "exits", "what_can_i_do", "hint"})
"""Information to give, not a thing to look at: 出口を見せて."""
_KANA = re.compile("[ぁ-ゖ]{1,20}")
_ASKED = frozenset({"where", "who", "what", "how", "why", "when"})
_LONGEST_COMMAND = 8
_LONGEST = 80
"""The most tokens of a question that are looked at closely."""


def is_asking_word(tokens: list[Token], place: int) -> bool:
    """Whether the word asks; 誰にも and 何か do not."""
    follows = tokens[place + 1].text if place + 1 < len(tokens) else ""
    any_one = follows in ("も", "にも", "からも", "とも", "へも", "でも", "か", "かに", "かが")
    return tokens[place].text in ja.WORDS.question_words and not any_one


_STATES = {"open": "open", "close": "closed", "lock": "locked", "unlock": "unlocked"}
_OPPOSITES = {"locked": "unlocked", "unlocked": "locked", "open": "closed", "closed": "open"}
_CHANGES = frozenset({"開く", "ひらく", "あく", "閉まる", "しまる", "閉じる", "とじる"})
"""Verbs for what a thing does: 門が開かない."""


def _find_state(clause: TokenClause) -> str:
    """The state that a clause tells of a thing; empty if it tells none."""
    marks, keyed = clause.verb.marks, any(t.text in _LOCKING for t in clause.before)
    changes = clause.word.word in _CHANGES and "able" not in marks and marks & {"neg", "past"}
    if not (marks & _LASTING or changes):
        return ""
    stands = "locked" if keyed else "closed"
    state = stands if clause.word.asks == "stand" else _STATES.get(clause.word.asks, "")
    return _OPPOSITES.get(state, "") if "neg" in marks else state


class _Noun(NamedTuple):
    """Words of a question that name something of the world."""

    start: int
    end: int
    kind: str


class JapaneseQuestion:
    """A sentence that may be a question."""

    def __init__(
        self,
        heard: PreparedText,
        lexicon: ParserContext,
        tokens: list[Token],
        clauses: list[TokenClause],
        mood: SentenceMood,
    ) -> None:
        """Find the features of the words, and the kind of the question."""
        self._heard = heard
        self._lexicon = lexicon
        self._words = extract_words(heard, tokens)
        self._ends_open = tokens[-1].text in ("は", "って", "が")
        self._hearer = find_hearer(heard, lexicon, tokens)
        self._clauses = clauses
        self._mood = mood
        self._tokens = tokens[:_LONGEST]
        self._nouns = self._find_nouns()
        self.features = self._collect_features()
        self.kind = classify_question(self.features)
        self.target = self._choose_target()

    def make_claim(self, topic: str, *, asked: bool) -> Claim | None:
        """The claim of the question; None if the sentence asks for no answer.

        Args:
            topic: What was spoken of last.
            asked: Whether it ends with a question mark.
        """
        kind, about = self.kind, self.target
        last = self._clauses[-1] if self._clauses else None
        told = last is not None and last.word.asks == "speak" and not self._hearer
        wanted = self._is_wanted()
        named = self._ends_open and len(self._tokens) > 1
        named = named and (last is None or kind in _SHOWN_KINDS)
        asks = asked or wanted or named or self._mood.mood in ("question", "permission")
        courteous = self._mood == COMMAND and last is not None and not last.tells_state
        if not asks or (courteous and not told and not wanted):
            return None
        kept = self._find_state_claim(topic)
        if kept is not None:
            return kept
        if self._mood.mood == "permission" and kind in ("other", "what_is_in"):
            kind = "can_i"
        command = self._find_command(kind)
        if command:
            kind = "how" if "how" in self.features else "can_i"
            return {"type": "question", "kind": kind, "words": self._words, "command": command}
        if kind == "other" and (asked or _ASKING.search(self._words)) and self._is_doubting():
            kind = "can_i"
        looked = kind == "what_is" and last is not None and last.tells_state
        if kind == "other" or looked or (courteous and kind == "can_i" and not told):
            return None
        if kind == "where_am_i" and topic and not self.features & {"here", "self"}:
            kind, about = "where_is", topic  # 傘が見当たらないんだけど、どこ？
        deed = self._make_asked_deed() if kind in ("can_i", "how", "why") else []
        claim: Claim = {"type": "question", "kind": kind, "words": self._words}
        claim |= {"scene": True} if is_about_scene(kind, self.features) else {}
        return claim | ({"target": about} if about else {}) | ({"deed": deed} if deed else {})

    def _find_command(self, kind: str) -> str:
        """What to say, where that is asked: 保存できる, 話すには; empty if it is not known."""
        first = self._clauses[0] if self._clauses else None
        if first and first.word.asks == "speak" and not first.before and "how" in self.features:
            return "talk"
        if kind not in ("can_i", "how") and "able" not in self.features:
            return ""
        told = [t for t in self._tokens if t.text not in ja.WORDS.question_words]
        said = extract_words(self._heard, told) if told else ""
        verb = "".join(t.text for t in self.list_command())
        return find_asked_command([verb, *(said[:n] for n in range(_LONGEST_COMMAND, 1, -1))])

    def _is_doubting(self) -> bool:
        """Whether a verb that is not known asks whether something can be done: 泳げる, 割れますか."""
        last = self._clauses[-1] if self._clauses else None
        unknown = last is not None and last.word.asks == "unknown" and not last.tails[1:]
        return (unknown or "able" in self.features) and self.features.isdisjoint(_ASKED)

    def _find_state_claim(self, topic: str) -> Claim | None:
        """なぜ門は閉まっているの, なぜ門は開かないの: what keeps a thing in a state."""
        things = [n for n in self._nouns if n.kind in ("thing", "way")]
        named = [self._extract(n.start, n.end) for n in things]
        target = next((words for words in named if words not in ja.WORDS.keys), topic)
        told = [clause for clause in self._clauses if clause.word.asks != "be"][-1:]
        state = _find_state(told[0]) if told and "why" in self.features else ""
        if not state or not target:
            return None
        about: Claim = {"type": "question", "kind": "why", "words": self._words}
        return about | {"target": target, "state": state}

    def _is_wanted(self) -> bool:
        """Whether the words ask for information, without a question mark."""
        told = self._mood != COMMAND
        loose = told or not self._clauses
        if any(is_asking_word(self._tokens, n) for n in range(len(self._tokens))):
            return True
        if any(c.has_tail("question") and (told or c.tells_state) for c in self._clauses[-1:]):
            return True  # But not くれますか, which is a courtesy.
        if "how" in self.features and self._ends_open:
            return True
        if "seen" in self.features and loose:
            return self.kind == "where_is"
        if _ASKING.search(self._words) and loose:
            return True
        if _SEEKING.search(self._words):
            return self.kind not in ("other", "can_i", "what_is") and not self._hearer
        if _SHOWING.search(self._words) and not (loose is False and self._clauses[-1].word.goes):
            return self.kind in _SHOWN_KINDS
        return "hint" in self.features and not self.features & {"deed", "thing", "person"}

    def _make_asked_deed(self) -> list[Claim]:
        """The claims that a question is about: 箱を開けてもいい？ and 箱の開け方は？ ask about opening."""
        for clause in self._list_asked_clauses():
            shut = clause.word.asks == "stand"
            verb = JapaneseVerb("開ける", "open") if shut else clause.word
            parts = [
                p._replace(particle="を")
                if p.particle in ("は", "が", "って", "の", "") or (shut and p.particle in _AT)
                else p
                for p in split_parts(self._heard, clause.before)
                if p.words not in ja.WORDS.question_words
                and not (shut and p.words in ja.WORDS.keys)
            ]
            made = JapaneseClause.from_parts(self._lexicon, verb, tuple(parts))
            return [] if find_unexplained(made) else make_claims(made)
        return []

    def _list_asked_clauses(self) -> Iterator[TokenClause]:
        """The clauses that may be the deed that a question is about, the likeliest first."""
        tokens = self._tokens
        way = next((n for n, t in enumerate(tokens) if t.form == "way"), 0)
        named = tokens[: way - 1] if tokens[way - 1].text == "の" else tokens[:way]
        ways = [TokenClause(named, tokens[way], [])] if way else []
        for clause in (*ways, *reversed(self._clauses)):
            shut = clause.word.asks == "stand" and clause.tells_state and self.kind == "why"
            if clause.word.asks not in ja.WORDS.no_deeds or shut:
                yield clause

    def list_command(self) -> list[Token]:
        """The words up to the deed that the question is about, as a command; none if it has none."""
        clause = next(self._list_asked_clauses(), None)
        if clause is None or clause.word.asks == "stand":
            return []
        objects = {t.text for t in clause.before if t.kind == "particle"}
        first = clause.before[0].start if clause.before else clause.verb.start
        told = [
            t._replace(text="を")
            if t.start >= first
            and t.text in _TOPICS
            and t.kind == "particle"
            and "を" not in objects
            else t
            for t in self._tokens
            if t.start < clause.verb.start and t.text not in ja.WORDS.question_words
        ]
        told = (
            told[:-1] if clause.verb.form == "way" and told[-1:] and told[-1].text == "の" else told
        )
        return [*told, clause.verb._replace(text=clause.word.word, form="plain", marks=frozenset())]

    def _find_nouns(self) -> list[_Noun]:
        nouns: list[_Noun] = []
        for place, token in enumerate(self._tokens):
            if token.kind not in ("name", "word") or tuple(token.text) in _TABLE.features:
                continue
            of, where, at = (self._get_text(place + n) for n in (1, 2, 3))
            within = of == "の" and where in _WITHIN - {"前"} and at in _AT  # 机の上に何がある
            kind = self._classify_noun(self._extract(place, place + 1)) or "thing" * within
            side = kind == "way" and self._get_text(place - 1) == "の"  # 目の前
            if kind and not side:
                nouns.append(_Noun(place, place + 1, kind))
        return nouns

    def _classify_noun(self, words: str) -> str:
        """What the words name; empty if they name nothing."""
        bare = strip_honorific(fold_text(words))
        if {bare, fold_text(words)} & self._lexicon.people:
            return "person"
        if bare in self._lexicon.here:
            return "here"
        if bare in self._lexicon.own_names:
            return "self"
        bearers = self._lexicon.find_bearers(words)
        if any(each in self._lexicon.world.locations for each in bearers):
            return "here" if self._lexicon.is_here(words) else "place"
        if bearers or (
            (len(words) > 2 or not _KANA.fullmatch(words)) and self._lexicon.find_matches(words)
        ):
            return "thing"
        return "way" if self._lexicon.is_way(words) and bare not in ("中", "先", "奥") else ""

    def _collect_features(self) -> Features:
        features = {noun.kind for noun in self._nouns}
        covered = self._add_word_features(features)
        for place, token in enumerate(self._tokens):
            found = self._find_verb_features(token)
            if token.text.startswith("はい") and self._get_text(place - 1) not in _AT | {"へ"}:
                found = {"exist"}  # 千代さんはいる？
            idle = token in covered and "able" not in token.marks
            features |= found - ({"deed"} if idle else set())
        features |= self._find_place_features(features)
        if features & {"where", "locate"} and not features & _KNOWN and self._find_topic():
            features.add("thing")
        if "hold" in features and "person" not in features:
            features.add("self")
        if "exist" in features and "person" in features and not features & {"place", "where"}:
            features.add("here")
        asks = features & {"where", "what", "who"} or features & {"exit", "lead"}
        if "going" in features and not asks and features & {"place", "way", "here", "thing"}:
            features.add("deed")
        if "going" in features and features & {"where", "what"}:
            features.add("go")
        return frozenset(features)

    def _add_word_features(self, features: set[str]) -> list[Token]:
        """Add the features of all that is no name; the tokens that are part of an idiom."""
        text, taken, starts = "", dict[int, int](), list[int]()
        named = {noun.start for noun in self._nouns if noun.kind != "way"}
        for place, token in enumerate(self._tokens):
            starts.append(len(text))
            text += token.text
            if place in named:
                taken[starts[-1]] = len(text)
        found = find_features(text, _TABLE, taken)
        features.update(f for each in found for f in each.features)
        idioms = [each for each in found if each.features & _IDIOMATIC]
        return [
            token
            for token, start in zip(self._tokens, starts, strict=True)
            if any(each.start <= start < each.end for each in idioms)
        ]

    def _find_verb_features(self, token: Token) -> set[str]:
        if token.verb is None:
            return set()
        features = {_MARKS[mark] for mark in token.marks if mark in _MARKS}
        asks = token.verb.asks
        if token.form == "way":
            features |= {"how"}
        if asks == "exist":
            features |= {"exist"}
        if (token.verb.goes or asks == "approach") and not token.marks & _LASTING:
            features |= {"going"}
        if token.verb.word in ("入れる", "いれる") and all(t.text != "を" for t in self._tokens):
            return {"able", "going"}  # 地下室に入れますか
        if token.verb.word == "開く":
            features |= {"able"}  # 木箱は開きますか
        lasting = bool(token.marks & _LASTING) and not token.marks & {"permit", "forbid"}
        idle = token.verb.word in _NO_DEED_VERBS and "able" not in token.marks
        if asks not in _NO_DEEDS and not token.verb.goes and not lasting and not idle:
            features |= {"deed"}
        return features

    def _find_place_features(self, features: set[str]) -> set[str]:
        """`inside` for 棚に and 棚の中, where something lies."""
        lies = bool(features & {"exist", "inside", "what"})
        for noun in self._nouns:
            after = [t.text for t in self._tokens[noun.end : noun.end + 2]]
            if noun.kind not in ("thing", "place", "here"):
                continue
            if (after[:1] and after[0] in _AT and lies) or (
                after[:1] in (["の"], ["ん"]) and after[1:] and after[1] in _WITHIN
            ):
                return {"inside"}
        return set()

    def _choose_target(self) -> str:
        """What the question is about, in the speaker's words."""
        if self.kind not in ("where_is", "what_is_in", "what_is"):
            return ""
        about = [n for n in self._nouns if n.kind in ("thing", "person", "place")]
        if self.kind == "what_is_in":
            follows = _AT | {"の"}
            held = [n for n in about if self._get_text(n.end) in follows]
            about = held or [n for n in about if n.kind != "person"]
        return self._extract(about[0].start, about[0].end) if about else self._find_topic()

    def _find_topic(self) -> str:
        """The words before the first は, が or を, for a thing that is not known."""
        begun = 0
        for place, token in enumerate(self._tokens):
            if token.kind == "particle" and token.text in ("は", "って", "が", "も", "を", "の"):
                words = self._extract(begun, place) if place > begun else ""
                return "" if tuple(readings.fold_kana(words)) in _TABLE.features else words
            if token.kind not in ("name", "word", "title"):
                begun = place + 1
        return ""

    def _get_text(self, place: int) -> str:
        return self._tokens[place].text if 0 <= place < len(self._tokens) else ""

    def _extract(self, start: int, end: int) -> str:
        return self._heard.extract_span(self._tokens[start].start, self._tokens[end - 1].end)
