"""The forms of Japanese verbs and adjectives, with all their auxiliaries.

A form is read from left to right: the class of a word says which endings may follow its
body, and each ending says what may follow it (取っ・て・みたく・ない). Nothing is listed twice,
so every verb of the lexicon has every form. What a form asks for is decided in
`language.ja.clause_moods`.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

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
    frozenset({"みる", "ねる", "でる", "いる", "もろる"}),
    frozenset("見視観着寝出居来得煮似"),
)
"""Short verbs that drop る, with もろて for もらって, and the characters of others."""
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


def _list_steps(lines: Iterable[str]) -> Iterator[_Step]:
    """Steps from lines of `endings > state marks` and `body = table`."""
    for line in lines:
        body, sign, table = line.partition("=")
        if sign:
            steps = _list_steps(ja.GROUPS.endings[table.strip()])
            yield from (step._replace(text=body.strip() + step.text) for step in steps)
            continue
        texts, _, goal = line.partition(">")
        then, *marks = goal.split()
        yield from (_Step(t.strip("-"), then, frozenset(marks)) for t in texts.split())


def _list_godan_lines(last: str) -> tuple[str, ...]:
    a, i, e, o, te = _ROWS[last]
    table = "hard" if te.endswith("で") else "soft"
    return (
        *((f"{last} = soft",) if last == "う" else ()),  # 食うて
        f"{last[-1]} > plain",
        f"{i} > stem",
        f"{a} > neg5",
        f"{e} > imp",
        f"{e} > e5",
        f"{o}う {o} > vol",
        f"{te[:-1]} = {table}",
    )


_FORMS = ja.WORDS.verb_forms
_MOST_STEPS = 9
"""The most endings of one verb; no sentence has so many."""


def _index_steps(lines: Iterable[str]) -> dict[str, tuple[_Step, ...]]:
    """The steps for each first character; those without one are under an empty text."""
    index: dict[str, tuple[_Step, ...]] = {}
    for step in sorted(_list_steps(lines), key=lambda step: -len(step.text)):
        index[step.text[:1]] = (*index.get(step.text[:1], ()), step)
    return index


_STATES = {state: _index_steps(lines) for state, lines in ja.GROUPS.endings.items()}
_STATES |= {f"@{last}": _index_steps(_list_godan_lines(last)) for last in _ROWS}


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
        form = "past" if then == "ta" else then
        if form in _FORMS and not bare:
            yield Inflection(end, form, gained)
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
    return verb[:-1], verb[-1:]


def to_past_form(verb: str, *, ichidan: bool) -> str:
    """The past form: 切った for 切る."""
    body, kind = find_verb_class(verb, ichidan=ichidan)
    steps = (step for each in _STATES.get(f"@{kind}", {}).values() for step in each)
    return next((body + step.text for step in steps if step.then == "ta"), verb)


def is_ichidan(verb: str) -> bool:
    """Whether a verb drops its る: 炒める does, 切る and はいる do not."""
    if not verb.endswith("る") or verb in ja.WORDS.godan_in_ru:
        return False
    return (
        verb in _SHORT
        or verb[-2:-1] in _SHORT_KANJI
        or (verb[-2:-1] in _BEFORE_RU and len(verb) > 2)
    )
