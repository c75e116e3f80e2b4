"""All forms of a Japanese verb, from its dictionary form.

Three kinds matter to a parser: forms that end a sentence, forms that continue into the
next clause, and the stem, which continues only before a comma. Each form has a mood:
取った, 取れる, 取らなきゃ and 取ったら ask for nothing. Plain negative forms (取らない) are not made.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

FormKind = Literal["end", "link", "stem"]
FormMood = Literal["command", "statement", "question", "condition"]


class VerbForm(NamedTuple):
    """One form of a verb."""

    text: str
    """Its spelling."""
    kind: FormKind
    """Whether it ends a sentence, continues, or continues before a comma."""
    mood: FormMood = "command"
    """The mood of the form by itself: only a command asks for the action."""


_ROWS: dict[str, tuple[str, str, str, str, str]] = {
    # dictionary ending: a-row, i-row, e-row, o-row, て form
    "う": ("わ", "い", "え", "お", "って"),
    "つ": ("た", "ち", "て", "と", "って"),
    "る": ("ら", "り", "れ", "ろ", "って"),
    "く": ("か", "き", "け", "こ", "いて"),
    "ぐ": ("が", "ぎ", "げ", "ご", "いで"),
    "す": ("さ", "し", "せ", "そ", "して"),
    "ぬ": ("な", "に", "ね", "の", "んで"),
    "ぶ": ("ば", "び", "べ", "ぼ", "んで"),
    "む": ("ま", "み", "め", "も", "んで"),
}
ENDINGS = frozenset(_ROWS)
"""The characters that a verb can end in."""
_BEFORE_RU = frozenset("えけせてねへめれげぜでべぺいきしちにひみりぎじびぴ")
_STEM_ENDINGS = ("ます", "ましょう", "たい", "なさい", "な", "たいな", "に行く", "に行きます", "に行こう",
           "に行きたい", "にいく", "始める")  # fmt: skip
_STATEMENT_ENDINGS = ("ました", "たかった", "に来た", "に行った")
"""Endings after the stem that report the past."""
_DUTY_ENDINGS = ("なきゃ", "なくちゃ", "ないと", "なければ", "なければならない", "なければなりません",
         "なきゃいけない", "なきゃならない", "ないといけない", "なくてはならない")  # fmt: skip
_COMPLETIVE_ENDINGS = ("う", "おう", "え", "います", "いたい", "いましょう")
_PREPARATORY_ENDINGS = ("く", "こう", "きます", "きたい", "け")


def conjugate(verb: str, *, ichidan: bool) -> Iterator[VerbForm]:
    """The forms of the verb, each with its mood."""
    if verb.endswith("する"):
        yield from _conjugate_suru(verb[:-2])
    elif verb in ("来る", "くる"):
        yield from _conjugate_kuru(verb[:-1])
    elif ichidan:
        yield from _conjugate_ichidan(verb[:-1])
    else:
        yield from _conjugate_godan(verb)
    yield VerbForm(verb, "end")
    yield VerbForm(verb + "べき", "end", "statement")


def to_past_form(verb: str, *, ichidan: bool) -> str:
    """The past form: 切った for 切る."""
    if verb.endswith("する"):
        return verb[:-2] + "した"
    if verb in ("来る", "くる"):
        return ("き" if verb == "くる" else "来") + "た"
    if ichidan:
        return verb[:-1] + "た"
    if verb[-1:] not in _ROWS:
        return verb
    te = "って" if verb.endswith(("行く", "いく")) else _ROWS[verb[-1]][4]
    return verb[:-1] + te[:-1] + ("た" if te.endswith("て") else "だ")


def is_ichidan(verb: str) -> bool:
    """Whether a verb outside the lexicon drops its る: 炒める does, 切る does not."""
    return verb.endswith("る") and verb[-2:-1] in _BEFORE_RU and len(verb) > 2


def _conjugate_stem(stem: str, te: str, negative: str) -> Iterator[VerbForm]:
    """The forms all verbs make from their stem, their て form and their negative."""
    yield VerbForm(stem, "stem")
    yield from (VerbForm(stem + polite, "end") for polite in _STEM_ENDINGS)
    yield from (VerbForm(stem + ending, "end", "statement") for ending in _STATEMENT_ENDINGS)
    yield VerbForm(stem + "ませんか", "end", "question")
    yield from (VerbForm(negative + duty, "end", "statement") for duty in _DUTY_ENDINGS)
    past = te[:-1] + ("た" if te.endswith("て") else "だ")
    yield VerbForm(te, "link")
    for after in ("", "ほうがいい", "方がいい", "ことがある", "ばかり", "ところ"):
        yield VerbForm(past + after, "end", "statement")
    for after in ("ら", "後", "後で", "後に", "あと", "あとで"):
        yield VerbForm(past + after, "link", "condition")
    yield VerbForm(stem + "つつ", "link")
    yield from _contract_te_form(te)


def _contract_te_form(te: str) -> Iterator[VerbForm]:
    """取っちゃう for 取ってしまう, 取っとく for 取っておく."""
    dare, ready = ("ちゃ", "と") if te.endswith("て") else ("じゃ", "ど")
    yield from (VerbForm(te[:-1] + dare + ending, "end") for ending in _COMPLETIVE_ENDINGS)
    yield VerbForm(te[:-1] + dare + "った", "end", "statement")
    yield VerbForm(te[:-1] + dare + "って", "link")
    yield from (VerbForm(te[:-1] + ready + ending, "end") for ending in _PREPARATORY_ENDINGS)
    yield VerbForm(te[:-1] + ready + "いた", "end", "statement")
    yield VerbForm(te[:-1] + ready + "いて", "link")


def _conjugate_ichidan(stem: str) -> Iterator[VerbForm]:
    yield from _conjugate_stem(stem, stem + "て", stem)
    yield from (VerbForm(stem + after, "end") for after in ("ろ", "よ", "よう", "ようとする"))
    for able in ("られる", "られます", "れます", "れる", "られた", "られました"):
        yield VerbForm(stem + able, "end", "statement")


def _conjugate_godan(verb: str) -> Iterator[VerbForm]:
    body, last = verb[:-1], verb[-1]
    a_row, i_row, e_row, o_row, te = _ROWS[last]
    if verb.endswith(("行く", "いく")):
        te = "って"
    yield from _conjugate_stem(body + i_row, body + te, body + a_row)
    yield from (VerbForm(body + o, "end") for o in (e_row, o_row + "う", o_row + "うとする"))
    for able in ("る", "ます", "た", "ました"):
        yield VerbForm(body + e_row + able, "end", "statement")
    for done in ("れる", "れた", "れます", "れました"):
        yield VerbForm(body + a_row + done, "end", "statement")


def _conjugate_suru(noun: str) -> Iterator[VerbForm]:
    yield from _conjugate_stem(noun + "し", noun + "して", noun + "し")
    for ending in ("しろ", "せよ", "しよう", "しようとする"):
        yield VerbForm(noun + ending, "end")
    for able in ("できる", "できます", "できた", "できました", "される", "された"):
        yield VerbForm(noun + able, "end", "statement")
    if noun and not noun.endswith(("に", "と")):
        yield VerbForm(noun, "end")


def _conjugate_kuru(stem: str) -> Iterator[VerbForm]:
    low = "き" if stem == "く" else stem
    yield from _conjugate_stem(low, low + "て", "こ" if stem == "く" else stem)
