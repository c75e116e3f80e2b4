"""Every form of a Japanese verb, from its dictionary form.

Three kinds matter to a parser: forms that close a sentence, forms that lead on to the
next clause, and the stem, which leads on only before a comma. Negative forms are not
made: who says 取らない asks for nothing.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["end", "link", "stem"]


class Form(NamedTuple):
    """One form of a verb."""

    text: str
    """How it is spelled."""
    kind: Kind
    """Whether it closes a sentence, leads on, or leads on before a comma."""


_ROWS: dict[str, tuple[str, str, str, str]] = {
    # dictionary ending: i-row, e-row, o-row, て form
    "う": ("い", "え", "お", "って"),
    "つ": ("ち", "て", "と", "って"),
    "る": ("り", "れ", "ろ", "って"),
    "く": ("き", "け", "こ", "いて"),
    "ぐ": ("ぎ", "げ", "ご", "いで"),
    "す": ("し", "せ", "そ", "して"),
    "ぬ": ("に", "ね", "の", "んで"),
    "ぶ": ("び", "べ", "ぼ", "んで"),
    "む": ("み", "め", "も", "んで"),
}
_POLITE = ("ます", "ました", "ましょう", "ますか", "ましょうか", "たい", "たいです", "なさい",
           "たいと思います", "な", "に行く", "に行きます", "始める", "たいんだ", "たいな")  # fmt: skip


def forms(verb: str, *, ichidan: bool) -> Iterator[Form]:
    """All forms of the verb that ask for something to be done."""
    if verb.endswith("する"):
        yield from _suru(verb[:-2])
    elif verb in ("来る", "くる"):
        yield from _kuru(verb[:-1])
    elif ichidan:
        yield from _ichidan(verb[:-1])
    else:
        yield from _godan(verb)
    yield Form(verb, "end")


def _around(stem: str, te: str) -> Iterator[Form]:
    """The forms all verbs make from their stem and their て form."""
    yield Form(stem, "stem")
    yield from (Form(stem + polite, "end") for polite in _POLITE)
    past = te[:-1] + ("た" if te.endswith("て") else "だ")
    yield Form(te, "link")
    yield Form(past, "end")
    yield Form(past + "ら", "link")
    yield from (
        Form(past + after, "link") for after in ("後", "後で", "後に", "あと", "あとで")
    )
    yield Form(stem + "つつ", "link")


def _ichidan(stem: str) -> Iterator[Form]:
    yield from _around(stem, stem + "て")
    for ending in (
        "ろ",
        "よ",
        "よう",
        "ようか",
        "られる",
        "ようとする",
        "ようと思う",
        "れる",
    ):
        yield Form(stem + ending, "end")


def _godan(verb: str) -> Iterator[Form]:
    body, last = verb[:-1], verb[-1]
    i_row, e_row, o_row, te = _ROWS[last]
    if verb.endswith(("行く", "いく")):
        te = "って"
    yield from _around(body + i_row, body + te)
    for ending in (
        e_row,
        o_row + "う",
        o_row + "うか",
        e_row + "る",
        o_row + "うと思う",
    ):
        yield Form(body + ending, "end")
    yield Form(body + o_row + "うとする", "end")


def _suru(noun: str) -> Iterator[Form]:
    yield from _around(noun + "し", noun + "して")
    for ending in ("しろ", "せよ", "しよう", "しようか", "できる", "しようと思う"):
        yield Form(noun + ending, "end")
    if noun and not noun.endswith(("に", "と")):
        yield Form(noun, "end")


def _kuru(stem: str) -> Iterator[Form]:
    stem = "き" if stem == "く" else stem
    yield from _around(stem, stem + "て")
