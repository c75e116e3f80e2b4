"""Every form of a Japanese verb, from its dictionary form.

Three kinds matter to a parser: forms that close a sentence, forms that lead on to the
next clause, and the stem, which leads on only before a comma. Each form has a mood: who
says 取った, 取れる, 取らなきゃ or 取ったら asks for nothing. Plain negative forms (取らない)
are not made.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["end", "link", "stem"]
FormMood = Literal["command", "statement", "question", "condition"]


class Form(NamedTuple):
    """One form of a verb."""

    text: str
    """How it is spelled."""
    kind: Kind
    """Whether it closes a sentence, leads on, or leads on before a comma."""
    mood: FormMood = "command"
    """What the form alone says: only a command asks for the deed."""


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
"""The letters that a verb can end in."""
_BEFORE_RU = frozenset("えけせてねへめれげぜでべぺいきしちにひみりぎじびぴ")
_POLITE = ("ます", "ましょう", "たい", "なさい", "な", "たいな", "に行く", "に行きます", "に行こう",
           "に行きたい", "にいく", "始める")  # fmt: skip
_TOLD = ("ました", "たかった", "に来た", "に行った")
"""Endings behind the stem that tell what was."""
_DUTY = ("なきゃ", "なくちゃ", "ないと", "なければ", "なければならない", "なければなりません",
         "なきゃいけない", "なきゃならない", "ないといけない", "なくてはならない")  # fmt: skip
_DARE = ("う", "おう", "え", "います", "いたい", "いましょう")
_READY = ("く", "こう", "きます", "きたい", "け")


def forms(verb: str, *, ichidan: bool) -> Iterator[Form]:
    """The forms of the verb, each with what it says; commands and others."""
    if verb.endswith("する"):
        yield from _suru(verb[:-2])
    elif verb in ("来る", "くる"):
        yield from _kuru(verb[:-1])
    elif ichidan:
        yield from _ichidan(verb[:-1])
    else:
        yield from _godan(verb)
    yield Form(verb, "end")
    yield Form(verb + "べき", "end", "statement")


def past(verb: str, *, ichidan: bool) -> str:
    """What was done: 切った for 切る."""
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
    """Whether a verb that no table lists drops its る: 炒める does, 切る does not."""
    return verb.endswith("る") and verb[-2:-1] in _BEFORE_RU and len(verb) > 2


def _around(stem: str, te: str, negative: str) -> Iterator[Form]:
    """The forms all verbs make from their stem, their て form and their negative."""
    yield Form(stem, "stem")
    yield from (Form(stem + polite, "end") for polite in _POLITE)
    yield from (Form(stem + told, "end", "statement") for told in _TOLD)
    yield Form(stem + "ませんか", "end", "question")
    yield from (Form(negative + duty, "end", "statement") for duty in _DUTY)
    past = te[:-1] + ("た" if te.endswith("て") else "だ")
    yield Form(te, "link")
    for after in ("", "ほうがいい", "方がいい", "ことがある", "ばかり", "ところ"):
        yield Form(past + after, "end", "statement")
    for after in ("ら", "後", "後で", "後に", "あと", "あとで"):
        yield Form(past + after, "link", "condition")
    yield Form(stem + "つつ", "link")
    yield from _contracted(te)


def _contracted(te: str) -> Iterator[Form]:
    """取っちゃう for 取ってしまう, 取っとく for 取っておく."""
    dare, ready = ("ちゃ", "と") if te.endswith("て") else ("じゃ", "ど")
    yield from (Form(te[:-1] + dare + ending, "end") for ending in _DARE)
    yield Form(te[:-1] + dare + "った", "end", "statement")
    yield Form(te[:-1] + dare + "って", "link")
    yield from (Form(te[:-1] + ready + ending, "end") for ending in _READY)
    yield Form(te[:-1] + ready + "いた", "end", "statement")
    yield Form(te[:-1] + ready + "いて", "link")


def _ichidan(stem: str) -> Iterator[Form]:
    yield from _around(stem, stem + "て", stem)
    yield from (
        Form(stem + after, "end") for after in ("ろ", "よ", "よう", "ようとする")
    )
    for able in ("られる", "られます", "れます", "れる", "られた", "られました"):
        yield Form(stem + able, "end", "statement")


def _godan(verb: str) -> Iterator[Form]:
    body, last = verb[:-1], verb[-1]
    a_row, i_row, e_row, o_row, te = _ROWS[last]
    if verb.endswith(("行く", "いく")):
        te = "って"
    yield from _around(body + i_row, body + te, body + a_row)
    yield from (
        Form(body + o, "end") for o in (e_row, o_row + "う", o_row + "うとする")
    )
    for able in ("る", "ます", "た", "ました"):
        yield Form(body + e_row + able, "end", "statement")
    for done in ("れる", "れた", "れます", "れました"):
        yield Form(body + a_row + done, "end", "statement")


def _suru(noun: str) -> Iterator[Form]:
    yield from _around(noun + "し", noun + "して", noun + "し")
    for ending in ("しろ", "せよ", "しよう", "しようとする"):
        yield Form(noun + ending, "end")
    for able in ("できる", "できます", "できた", "できました", "される", "された"):
        yield Form(noun + able, "end", "statement")
    if noun and not noun.endswith(("に", "と")):
        yield Form(noun, "end")


def _kuru(stem: str) -> Iterator[Form]:
    low = "き" if stem == "く" else stem
    yield from _around(low, low + "て", "こ" if stem == "く" else stem)
