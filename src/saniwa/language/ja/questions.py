"""Which question a Japanese sentence asks: its kind, and the thing it asks about."""

import re
from collections.abc import Callable
from typing import NamedTuple

from saniwa.language.ja.predicate import TokenClause
from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja

_WHERE = frozenset({"どこ", "どちら", "どっち"})
_WHO = frozenset({"誰", "だれ", "どなた"})
_SOMEBODY = frozenset(
    {"誰か", "だれか", "人", "誰も", "だれも", "相手", "一人", "ひとり", "他の人"}
)
_WHAT = frozenset({"何", "なに", "なん"})
_SOMETHING = frozenset({"何か", "なにか"})
_HOW = frozenset(
    {"どう", "どうやって", "どうやったら", "どうすれば", "どうしたら", "いかに", "どないして"}
)
_WHY = frozenset({"なぜ", "なんで", "どうして", "何故"})
_HERE = frozenset(
    {"ここ", "今", "いま", "私", "僕", "俺", "わたし", "うち", "現在地", "自分", "この場所", "今は"}
)
_WAYS = frozenset({"出口", "道", "抜け道", "入口", "行き先", "行ける場所", "逃げ道", "通路"})
_HINTS = frozenset({"ひんと", "助言", "目的", "目標", "あどばいす", "げーむ", "手がかり"})
_AROUND = ja.HERE - {"部屋", "この部屋", "室内"}
_GOING = frozenset({"move", "pass", "leave"})
_LYING = frozenset({"exist", "move", "put", "unknown", "lay"})


class AskedWords(NamedTuple):
    """A sentence that asks, as far as its kind depends on it."""

    tokens: list[Token]
    """Its tokens."""
    clauses: list[TokenClause]
    """Its clauses."""
    is_person: Callable[[str], bool]
    """Whether words name a person."""
    is_here: Callable[[str], bool]
    """Whether words mean this place."""
    is_way: Callable[[str], bool]
    """Whether words are a direction."""

    def has(self, words: frozenset[str]) -> bool:
        """Whether one of the words occurs."""
        return any(t.text in words for t in self.tokens)

    def has_deed(self) -> bool:
        """Whether a verb of the sentence is a deed."""
        return any(c.word.asks not in _NO_DEEDS for c in self.clauses)

    def find_noun(self, *particles: str) -> str:
        """The words before the first of the particles."""
        held: list[Token] = []
        for token in self.tokens:
            if token.kind == "particle" and token.text not in ja.GENITIVES:
                if ja.SAME_PARTICLES.get(token.text, token.text) in particles and held:
                    return "".join(t.text for t in held)
                held = []
            elif token.kind in ("name", "word", "title") or token.text == "の":
                held.append(token)
            else:
                held = []
        return ""

    def find_before_comma(self) -> str:
        """The words before the first comma."""
        commas = [n for n, t in enumerate(self.tokens) if t.kind == "comma"]
        return "".join(t.text for t in self.tokens[: commas[0]]) if commas else ""

    @property
    def last(self) -> TokenClause | None:
        """The last clause."""
        return self.clauses[-1] if self.clauses else None


_NO_DEEDS = frozenset(
    {"exist", "think", "stop", "light", "adjective", "be", "unknown", "speak", "stand", "gesture"}
)


_WAY_TO = re.compile("[きりみべけちしいびめえせ]方")


def find_question_kind(asked: AskedWords) -> tuple[str, str]:
    """The kind of a question and the words it asks about; `other` if it is of no known kind."""
    if asked.has(_HINTS):
        return "hint", ""
    joined = "".join(t.text for t in asked.tokens)
    if joined in ("詰まった", "詰んだ", "どうしよう", "どうしようかな"):
        return "hint", ""
    if any(t.form == "way" for t in asked.tokens) or _WAY_TO.search(joined):
        return "how", ""
    for test in (_ask_why, _ask_how, _ask_where, _ask_who, _ask_what, _ask_state, _ask_permission):
        found = test(asked)
        if found is not None:
            return found
    return "other", ""


def _ask_why(asked: AskedWords) -> tuple[str, str] | None:
    last = asked.last
    if asked.has(_WHY) and last is not None and "neg" in last.verb.marks:
        return "can_i", ""
    return None


def _ask_how(asked: AskedWords) -> tuple[str, str] | None:
    texts = {t.text for t in asked.tokens}
    needs = asked.has(_WHAT) and "必要" in "".join(texts)
    if not asked.has(_HOW) and not needs:
        return None
    aimed = any(t.text == "には" for t in asked.tokens)
    act = [c for c in asked.clauses if c.word.asks not in _NO_DEEDS or c.word.asks == "speak"]
    named = [t for t in asked.tokens if t.kind == "word" and t.text not in ("ええ", "いい")]
    act = [c for c in act if c.word.word not in ("する", "やる")]
    supposed = any(c.verb.form in ("tara", "ba") for c in act) or any(
        t.text == "と" for c in act for t in c.tails
    )
    if supposed and not aimed and not asked.has(_HOW - {"どう"}):
        return None
    return ("how", "") if act or needs or aimed or named else ("hint", "")


def _ask_where(asked: AskedWords) -> tuple[str, str] | None:
    goes = any(c.word.asks in _GOING and "able" in c.verb.marks for c in asked.clauses)
    told = any(
        t.text in ("通じ", "続い") or t.text.startswith(("通じ", "続い")) for t in asked.tokens
    )
    directed = asked.has(frozenset({"どの", "方角"})) and goes
    if directed or (asked.has(_WHERE) and (goes or told or asked.has(_WAYS))):
        return "exits", ""
    if not asked.has(_WHERE):
        return None
    subject = asked.find_noun("は", "って", "が", "も")
    if not subject:
        named = [t for t in asked.tokens if t.kind == "name" and t.text not in _WHERE | _HERE]
        subject = named[0].text if named else ""
    if not subject or subject in _HERE or asked.is_here(subject):
        return "where_am_i", ""
    if asked.has_deed() and not any("past" in c.verb.marks for c in asked.clauses):
        return None
    return "where_is", subject


def _ask_who(asked: AskedWords) -> tuple[str, str] | None:
    exists = any(c.word.asks == "exist" for c in asked.clauses) or any(
        t.verb is not None and t.verb.asks == "exist" for t in asked.tokens
    )
    talks = any(c.word.asks == "speak" and "able" in c.verb.marks for c in asked.clauses) or any(
        t.verb is not None and t.verb.asks == "speak" and "able" in t.marks for t in asked.tokens
    )
    people = asked.has(_WHO | _SOMEBODY)
    if people and (exists or talks):
        return "who_is_here", ""
    if asked.has(frozenset({"一人", "ひとり"})):
        return "who_is_here", ""
    subject = asked.find_noun("は", "って", "も")
    if exists and asked.is_person(_strip_title(subject)) and not asked.has(_WHAT):
        return "who_is_here", ""
    return None


def _ask_what(asked: AskedWords) -> tuple[str, str] | None:
    if not asked.has(_WHAT | _SOMETHING):
        return None
    last = asked.last
    holds = any(t.verb is not None and t.verb.word in ("持つ", "もつ") for t in asked.tokens)
    if holds or asked.has(frozenset({"ぽけっと"}) | ja.HELD):
        return "what_do_i_have", ""
    if any(t.text.startswith(("でき", "出来")) for t in asked.tokens):
        return "what_can_i_do", ""
    if last is not None and any(c.word.word in ("する", "いたす") for c in asked.clauses):
        return "hint", ""
    if asked.has(frozenset({"部屋", "この部屋"})) and not any(
        c.word.asks == "exist" for c in asked.clauses
    ):
        return "where_am_i", ""
    where = asked.find_noun("に", "は", "の", "で") or asked.find_before_comma()
    lies = any(t.verb is not None and t.verb.asks in _LYING for t in asked.tokens)
    if last is not None and last.word.word in ("見える", "みえる"):
        return "where_am_i", ""
    if asked.is_way(where):
        return "exits", ""
    if lies and (not where or where in _AROUND):
        return "where_am_i", ""
    if where and (lies or last is None or last.word.asks == "be"):
        return "what_is_in", _strip_inside(where)
    return None


def _ask_state(asked: AskedWords) -> tuple[str, str] | None:
    """Questions without a word that asks: 持ち物は, 箱の中身を教えて, ここは台所？."""
    text = "".join(t.text for t in asked.tokens)
    noun = asked.find_noun("は", "を", "って", "が", "も", "には", "に") or text
    head = noun.rpartition("の")[2]
    if text.startswith(("できること", "出来ること")):
        return "what_can_i_do", ""
    if noun in ja.HELD or head in ja.HELD or _has_held(asked):
        return "what_do_i_have", ""
    if noun in ("現在地", "現在位置") or (noun in ("ここ", "この部屋") and _is_named(asked)):
        return "where_am_i", ""
    if noun in _WAYS or head in ("先", "向こう") or "行ける場所" in text or "行けるところ" in text:
        return "exits", ""
    if head in ("ありか", "場所", "在り処", "居場所"):
        return "where_is", noun.rpartition("の")[0]
    if head in ja.CONTENTS or noun.endswith(("上のもの", "中のもの", "あるもの")):
        return "what_is_in", _strip_inside(noun.rpartition("の")[0])
    inside = asked.find_noun("に")
    lying = asked.last is not None and asked.last.word.word in ("入る", "載る", "乗る", "ある")
    if inside and lying and "able" not in asked.last.verb.marks:  # type: ignore[union-attr]
        return "what_is_in", _strip_inside(inside)
    return None


def _has_held(asked: AskedWords) -> bool:
    return any(c.word.word in ("持つ", "もつ") and "prog" in c.verb.marks for c in asked.clauses)


def _is_named(asked: AskedWords) -> bool:
    return all(c.word.asks == "be" for c in asked.clauses)


def _ask_permission(asked: AskedWords) -> tuple[str, str] | None:
    for clause in asked.clauses:
        if {"permit", "forbid"} & clause.verb.marks or {"able"} & clause.verb.marks:
            return "can_i", ""
        if any(t.text in ("こと", "の") for t in clause.tails) and asked.last is not None:
            text = asked.last.word.word + "".join(t.text for t in asked.last.before)
            if any(w in text for w in ("できる", "可能", "あり", "だめ", "許", "平気", "大丈夫")):
                return "can_i", ""
    return None


def _strip_title(words: str) -> str:
    return next((words.removesuffix(t) for t in ja.HONORIFICS if words.endswith(t)), words)


def _strip_inside(words: str) -> str:
    return next((words.removesuffix(s) for s in ja.INSIDE if words.endswith(s)), words)
