"""The forms of Japanese verbs and adjectives, with all their auxiliaries.

A form is read from left to right: the class of a word says which endings may follow its
body, and each ending says what may follow it (取っ・て・みたく・ない). Nothing is listed twice,
so every verb of the lexicon has every form. What a form asks for is decided in
`language.ja.predicate`.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from saniwa.language.lexicon import ja

_ROWS: dict[str, tuple[str, str, str, str, str]] = {
    # dictionary ending: a-row, i-row, e-row, o-row, て form
    "う": ("わ", "い", "え", "お", "って"),
    "つ": ("た", "ち", "て", "と", "って"),
    "る": ("ら", "り", "れ", "ろ", "って"),
    "く": ("か", "き", "け", "こ", "いて"),
    "いく": ("か", "き", "け", "こ", "って"),
    "ぐ": ("が", "ぎ", "げ", "ご", "いで"),
    "す": ("さ", "し", "せ", "そ", "して"),
    "ぬ": ("な", "に", "ね", "の", "んで"),
    "ぶ": ("ば", "び", "べ", "ぼ", "んで"),
    "む": ("ま", "み", "め", "も", "んで"),
}
ENDINGS = frozenset(_ROWS) - {"いく"}
"""The characters that a verb can end in."""
_BEFORE_RU = frozenset("えけせてねへめれげぜでべぺいきしちにひみりぎじびぴ")
_SHORT, _SHORT_KANJI = (
    frozenset({"みる", "ねる", "でる", "いる"}),
    frozenset("見視観着寝出居来得煮似"),
)
"""Verbs of two letters that drop る, and the characters of others."""
ICHIDAN, ADJECTIVE, SURU, KURU, KURU_KANJI, ARU, HONORIFIC = (
    "1", "い", "する", "くる", "来る", "ある", "ださる",
)  # fmt: skip
"""Classes that no ending names: verbs that drop る, adjectives, the irregular ones."""


class Inflection(NamedTuple):
    """One way to read the characters after the body of a verb."""

    end: int
    """The position after it."""
    form: str
    """`plain past imp vol te stem ba tara tari while purpose way` or `noun`."""
    marks: frozenset[str]
    """What its endings add: `neg past able passive caus want wish recv kure req prog` …"""


class _Step(NamedTuple):
    text: str
    then: str
    """A state, or `@` and the class whose endings follow."""
    marks: frozenset[str]


def _list_steps(lines: str) -> tuple[_Step, ...]:
    """Steps from lines of `endings > state marks`."""
    made = []
    for line in lines.strip().splitlines():
        texts, _, goal = line.partition(">")
        then, *marks = goal.split()
        made += [_Step("" if t == "-" else t, then, frozenset(marks)) for t in texts.split()]
    return tuple(sorted(made, key=lambda step: -len(step.text)))


_LINES = msgspec.convert(
    tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")), dict[str, str]
)
_NEGATIVE = _LINES["negative"]
_TABLE: dict[str, tuple[_Step, ...]] = {
    "neg5": _list_steps(_NEGATIVE + "れ > @1 passive\nせ > @1 caus\nされ > @1 caus passive\n"),
    "neg1": _list_steps(_NEGATIVE + "られ れ > @1 able\nさせ > @1 caus\n"),
    "negk": _list_steps(_NEGATIVE + "られ > @1 able\n"),
    "e5": _list_steps("ば りゃ > ba\n- > @1 able\n"),
    "stem": _list_steps(_LINES["stem"]),
    "te": _list_steps(_LINES["te"]),
    "cha": _list_steps("- > @う\n- > topic\n"),
    "chima": _list_steps("- > @う\n"),
    "toku": _list_steps("- > @く\n- > @る prog\n"),
    "topic": _list_steps(_LINES["topic"]),
    "concession": _list_steps("- > permit\n"),
    "permit": _list_steps(_LINES["permit"]),
    "ta": _list_steps("""
ら > tara
らあかん らいかん らだめ らダメ ら駄目 らいけない らいけません > plain forbid
り > tari
ほうがいい 方がいい ほうがよい 方がよい ほうが 方が > plain report
"""),
    "vol": _list_steps("""
と > @する attempt
と試み とこころみ > @1 attempt
と思 > @う
と考え > @1
っと > vol
"""),
    "taru": _list_steps("る > plain favour\nろ ろう ろか > vol favour\nれ > imp favour\n"),
    "polite": (),
}  # fmt: skip
_FINAL: Final[dict[str, str]] = {
    "plain": "plain", "past": "past", "ta": "past", "imp": "imp", "vol": "vol", "te": "te",
    "stem": "stem", "ba": "ba", "tara": "tara", "tari": "tari", "while": "while",
    "purpose": "purpose", "way": "way", "concession": "concession", "topic": "topic",
    "adverb": "adverb", "noun": "noun",
}  # fmt: skip
_TABLE["te"] = (*_TABLE["te"], *_TABLE["permit"])


def _list_te_steps(te: str) -> tuple[_Step, ...]:
    """The て form, the past, and their contractions 取っちゃう, 取っとく."""
    body, hard = te[:-1], te.endswith("で")
    none: frozenset[str] = frozenset()
    return (
        _Step(te, "te", none),
        _Step(body + ("だ" if hard else "た"), "ta", frozenset({"past"})),
        _Step(body + ("だ" if hard else "た"), "taru", none),
        _Step(body + ("じゃ" if hard else "ちゃ"), "cha", none),
        _Step(body + ("じま" if hard else "ちま"), "chima", none),
        _Step(body + ("ど" if hard else "と"), "toku", none),
    )


def _list_godan_steps(last: str) -> tuple[_Step, ...]:
    a, i, e, o, te = _ROWS[last]
    none: frozenset[str] = frozenset()
    return (
        _Step(last[-1], "plain", none),
        _Step(i, "stem", none),
        _Step(a, "neg5", none),
        _Step(e, "imp", none),
        _Step(e, "e5", none),
        _Step(o + "う", "vol", none),
        _Step(o, "vol", none),
        *_list_te_steps(te),
    )


_SURU = """
する > plain
し > stem
し > neg1
され > @1 passive
させ > @1 caus
せず せずに > te neg
しろ せよ せえ せい > imp
すれば > ba
しよう しよ > vol
でき > @1 able
いた 致 > @す
ください 下さい くだされ > imp req
"""
_CLASSES: dict[str, tuple[_Step, ...]] = {last: _list_godan_steps(last) for last in _ROWS}
_CLASSES |= {
    ICHIDAN: (
        *_list_steps("る > plain\n- > stem\n- > neg1\nろ よ > imp\nれば > ba\nよう よ > vol\n"),
        *_list_te_steps("て"),
    ),
    ADJECTIVE: _list_steps("""
い いです > plain
かった > past past
くない くありません > plain neg
くなかった > past neg past
く > adverb
くて > te state
ければ けりゃ きゃ > ba
かったら > tara
くな > @る seem
すぎ > @1 seem
そう > plain seem
がる > plain seem
がって > te seem
"""),
    SURU: (*_list_steps(_SURU), *(s._replace(text="し" + s.text) for s in _list_te_steps("て"))),
    KURU: (
        *_list_steps("くる > plain\nき > stem\nこ > negk\nこい > imp\nくれば > ba\nこよう > vol\n"),
        *(s._replace(text="き" + s.text) for s in _list_te_steps("て")),
    ),
    KURU_KANJI: (
        *_list_steps("る > plain\n- > stem\n- > neg1\nい > imp\nれば > ba\nよう > vol\n"),
        *_list_te_steps("て"),
    ),
    ARU: (
        *_list_steps("る > plain\nり > stem\nれば > ba\nろう > plain seem\n"),
        *_list_te_steps("って"),
    ),
    HONORIFIC: (
        *_list_steps("る > plain\nい > stem\nい > imp\nら > neg5\nれば > ba\n"),
        *_list_te_steps("って"),
    ),
}
_TABLE["honour"] = _list_steps("""
ください 下さい くださいませ 下さいませ くださいな > imp req
- > @する
なさい なさいな なさいませ > imp
いた 致 > @す
にな > @る respect
いただ 頂 > @く recv
くださ 下さ > @ださる kure
願 ねが > @う req
""")
_MOST_STEPS = 9
"""The most endings of one verb; no sentence has so many."""


_Steps = dict[str, tuple[_Step, ...]]


def _index_steps(steps: tuple[_Step, ...]) -> _Steps:
    """The steps for each first character; those without one are under an empty text."""
    index: dict[str, tuple[_Step, ...]] = {}
    for step in steps:
        index[step.text[:1]] = (*index.get(step.text[:1], ()), step)
    return index


_STATES = {state: _index_steps(steps) for state, steps in _TABLE.items()}
_STATES |= {f"@{kind}": _index_steps(steps) for kind, steps in _CLASSES.items()}


def find_inflections(text: str, place: int, kind: str) -> Iterator[Inflection]:
    """Every reading of what follows the body of a word of the class `kind`."""
    return _follow_state(text, place, f"@{kind}", frozenset(), 0, contracted=False)


def find_honorifics(text: str, place: int) -> Iterator[Inflection]:
    """Every reading of what follows お and a stem: ください, する, いたします."""
    return _follow_state(text, place, "honour", frozenset(), 0, contracted=False)


def _follow_state(
    text: str, place: int, state: str, marks: frozenset[str], depth: int, *, contracted: bool
) -> Iterator[Inflection]:
    steps = _STATES.get(state)
    if steps is None or depth > _MOST_STEPS:
        return
    for step in (*steps.get(text[place : place + 1], ()), *steps.get("", ())):
        if not text.startswith(step.text, place):
            continue
        end, gained, then = place + len(step.text), marks | step.marks, step.then
        # 取れ is an order, no stem of 取れる; て is no stem of てる.
        bare = contracted and not step.text
        if then in _FINAL and not bare:
            yield Inflection(end, _FINAL[then], gained)
        empty = not step.text and then.startswith("@")
        yield from _follow_state(text, end, then, gained, depth + 1, contracted=empty)


def find_verb_class(verb: str, *, ichidan: bool) -> tuple[str, str]:
    """The body of a verb and its class."""
    if verb.endswith("する"):
        return verb[:-2], SURU
    if verb == "くる":
        return "", KURU
    if verb == "来る":
        return "来", KURU_KANJI
    if ichidan:
        return verb[:-1], ICHIDAN
    if verb.endswith(("行く", "いく")):
        return verb[:-1], "いく"
    if verb.endswith(("ださる", "っしゃる", "なさる")):
        return verb[:-1], HONORIFIC
    if verb in ("ある", "有る"):
        return verb[:-1], ARU
    return verb[:-1], verb[-1]


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
    """Whether a verb drops its る: 炒める does, 切る and はいる do not."""
    if not verb.endswith("る") or verb in ja.GODAN_IN_RU:
        return False
    return (
        verb in _SHORT
        or verb[-2:-1] in _SHORT_KANJI
        or (verb[-2:-1] in _BEFORE_RU and len(verb) > 2)
    )
