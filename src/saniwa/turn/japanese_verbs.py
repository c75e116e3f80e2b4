"""Where a Japanese verb begins and ends in what was said. Knows no meaning.

Every form of every verb stands in one table; a verb is the longest form that begins
where a word can begin and ends where a clause can end.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from saniwa.turn.inflect import ENDINGS as _ENDINGS
from saniwa.turn.inflect import Form, FormMood, forms, is_ichidan
from saniwa.turn.japanese_clause import COMMAS, Verb
from saniwa.turn.languages import ja
from saniwa.turn.spoken import Heard

_STEM_TAIL = re.compile(
    "[一-鿿々][ぁ-ゖ]{0,2}[いきしちにひみりぎじびえけせねめれげぜべ]$"
)
_LONGEST_KANA_WORD = 8
_STATE = frozenset({"る", "いる", "ます", "います"})
_RELATIVE = ("いる", "ある", "いた", "あった", "る")
_KANA_WORDS = (
    ja.ALL | ja.THINGS | ja.PEOPLE | ja.HERE | ja.ADVERBS | frozenset(ja.READINGS)
)
"""Words that may end in kana right before a verb."""


_TOPIC = re.compile(
    "は(?!い[るっりろれ])|も(?![どっつちらとぐう])|[、, ]?と(?=[^ぁ-ゖ]|い[うっい]|たの)"
)
"""Behind a て form it talks about the deed: 食べてはいけない, 食べても, 食べてと頼む."""


class Found(NamedTuple):
    """A verb in its place."""

    verb: Verb
    """The verb."""
    after: int
    """The place behind it and all that leans on it."""
    leads_on: bool
    """Whether another clause may follow it."""
    state: bool
    """Whether it tells or asks how things are: 開いている, 持ってる."""
    mood: FormMood = "command"
    """What its form, with all that leans on it, says."""


def _table(only: str = "") -> dict[str, Verb]:
    table: dict[str, Verb] = {}
    for spellings, asks in ja.VERBS:
        for word in spellings.split() if only in ("", asks) else ():
            for form in forms(word, ichidan=word in ja.ICHIDAN):
                made = Verb(word, asks, form.kind, mood=form.mood)
                known = table.get(form.text)
                # A stem that is also an order (開け) is the order, unless a comma
                # follows; both readings ask for the same. An order comes before what
                # only tells something (開ける is also "can open").
                stem = known is not None and known.kind == "stem" and form.kind == "end"
                if (
                    known is None
                    or (stem and form.mood == "command")
                    or (known.mood != "command" and form.mood == "command")
                ):
                    table[form.text] = made
    return table


class _Leaning(NamedTuple):
    """What may lean on a て form."""

    kind: str
    mood: FormMood = "command"


def _leaning() -> dict[str, _Leaning]:
    made: dict[str, _Leaning] = {}
    for word in (*ja.AUXILIARIES, *ja.BEGGING):
        ichidan = word in ("みる", "いる", "あげる", "くれる")
        for form in forms(word, ichidan=ichidan):
            mood = "statement" if word in ja.BEGGING else form.mood
            if form.kind != "stem":
                made[form.text] = _Leaning(form.kind, mood)
    made.update(dict.fromkeys(ja.WISHES, _Leaning("end", "statement")))
    made.update(dict.fromkeys((*ja.COURTESIES, *_STATE), _Leaning("end")))
    made["って"] = _Leaning("link")
    return made


_VERBS = _table()
_STEMS = frozenset(
    form.text
    for spellings, _ in ja.VERBS
    for word in spellings.split()
    for form in forms(word, ichidan=word in ja.ICHIDAN)
    if form.kind == "stem"
)
_SAYING = _table("speak")
_LONGEST = max(map(len, _VERBS))
_LEANING = _leaning()
_LONGEST_LEANING = max(map(len, _LEANING))
_ENDING = re.compile(
    "(?:" + "|".join(sorted(ja.ENDINGS, key=len, reverse=True)) + ")*+"
)


Taught = Mapping[str, Verb]
"""Every form of every verb for a craft."""


@lru_cache(maxsize=64)
def taught_forms(spoken: tuple[tuple[str, str], ...]) -> Taught:
    """The forms of verbs for crafts, from pairs of a craft and a verb; the first wins."""
    table: dict[str, Verb] = {}
    for manner, word in spoken:
        for form in _forms(word):
            made = Verb(word, "use", form.kind, manner, form.mood)
            known = table.get(form.text)
            if known is None or (known.mood != "command" == form.mood):
                table[form.text] = made
    return table


def _forms(word: str) -> Iterator[Form]:
    """All forms of a verb that no table lists; of one in kanji and る, both ways."""
    if word[-1:] not in _ENDINGS:
        yield Form(word, "end")
        return
    yield from forms(word, ichidan=is_ichidan(word))
    if word.endswith("る") and len(word) > 1 and not is_hiragana(word[-2]):
        yield from forms(word, ichidan=True)


def verb_at(
    heard: Heard, place: int, start: int, end: int, taught: Taught
) -> Found | None:
    """The verb that begins here, in a clause that begins at `start`."""
    if not _may_begin(heard, place, start):
        return None
    said_so = place > start and heard.mask[place - 1] in "とて"
    return _longest(heard, place, start, end, taught, said_so=said_so)


def saying_at(
    heard: Heard, place: int, start: int, end: int, taught: Taught
) -> Found | None:
    """The same, where a verb that can be one of saying is one: いって."""
    if not _may_begin(heard, place, start):
        return None
    return _longest(heard, place, start, end, taught, said_so=True)


def _longest(
    heard: Heard, place: int, start: int, end: int, taught: Taught, *, said_so: bool
) -> Found | None:
    mask = heard.mask
    longest = max(_LONGEST, *map(len, taught)) if taught else _LONGEST
    for length in range(min(longest, end - place), 0, -1):
        form = mask[place : place + length]
        verb = taught.get(form) or _VERBS.get(form)
        if verb is None:
            continue
        verb = _SAYING.get(form, verb) if said_so else verb
        closed = _closes(mask, verb, (place, place + length), start, end)
        if closed is not None:
            after, state, leaning = closed
            leads_on = verb.kind != "end" and after < end
            mood = verb.mood if verb.mood != "command" else leaning
            return Found(verb, after, leads_on, state, mood)
    return None


def _may_begin(heard: Heard, place: int, start: int) -> bool:
    """A verb begins only where a word can: no とって in とってを, no 消す in 取り消す."""
    mask = heard.mask
    if place > start and mask[place - 1] == "見":
        return False  # 見返す returns nothing.
    if place == start or not is_hiragana(mask[place - 1]):
        return True
    if _behind_word(heard.low, place, start):
        return True
    if not is_hiragana(mask[place]):
        particle = mask[place - 1] in "にへ" and not is_hiragana(mask[place - 2])
        return particle or not _STEM_TAIL.search(mask, max(start, place - 4), place)
    # A particle stands behind a noun: と in とどける is none.
    first = place - 1 == start or mask[place - 2] in "を" + COMMAS
    return mask[place - 1] == "を" or (
        mask[place - 1] in "にへではがもと" and not first
    )


def _behind_word(low: str, place: int, start: int) -> bool:
    shortest = max(start, place - _LONGEST_KANA_WORD)
    return any(low[begin:place] in _KANA_WORDS for begin in range(shortest, place - 1))


def _closes(
    mask: str, verb: Verb, span: tuple[int, int], start: int, end: int
) -> tuple[int, bool, FormMood] | None:
    """The place behind the verb, if its form can stand there; state; what leans says."""
    begin, place = span
    if verb.kind == "stem":
        return (place, False, "command") if _stem_leads(mask, begin, place) else None
    if verb.kind == "link":
        if begin == start and mask[place : place + 1] == "を":
            return None
        return _leaned(mask, place, end)
    closed = _ended(mask, place, end)
    if (
        closed is None
        and mask[begin:place] in _STEMS
        and _stem_leads(mask, begin, place)
    ):
        closed = place
    return None if closed is None else (closed, False, "command")


_NOUN_AND_PARTICLE = re.compile(
    "[^ぁ-ゖ、,]{1,40}(?:の[^ぁ-ゖ、,]{1,40}){0,4}[をにへでがはから]"
)


def _stem_leads(mask: str, begin: int, place: int) -> bool:
    """Before a comma; between an object and a noun too: 鍵を取り門を開ける."""
    follows = mask[place : place + 1]
    if follows in ("、", ","):
        return True
    # 食べ忘れる is one verb: only a noun with its particle begins another clause.
    noun = _NOUN_AND_PARTICLE.match(mask, place) is not None
    return bool(follows) and noun and place - begin > 1 and mask[begin - 1] == "を"


def _ended(mask: str, place: int, end: int) -> int | None:
    after = _ENDING.match(mask, place, end)
    closed = after.end() if after else place
    return closed if closed >= end or mask[closed] in COMMAS else None


def _leaned(mask: str, place: int, end: int) -> tuple[int, bool, FormMood] | None:
    """Past what leans on a て form; None where it only describes a noun."""
    mood: FormMood = "command"
    while True:
        leaned, leaning = _next_leaning(mask, place, end)
        if leaning is not None and mood == "command":
            mood = leaning.mood
        if leaning is not None and leaning.kind == "link":
            place = leaned
            continue
        if leaning is not None:
            state = any(mask.startswith(s, place, leaned) for s in _STATE)
            return leaned, state, mood
        if mask.startswith(_RELATIVE, place, end) or _TOPIC.match(mask, place, end):
            return None
        after = place + 2 if mask.startswith("から", place, end) else place
        return after, False, mood


def _next_leaning(mask: str, place: int, end: int) -> tuple[int, _Leaning | None]:
    for length in range(min(_LONGEST_LEANING, end - place), 0, -1):
        leaning = _LEANING.get(mask[place : place + length])
        if leaning is None:
            continue
        if leaning.kind == "link":
            return place + length, leaning
        closed = _ended(mask, place + length, end)
        if closed is not None:
            return closed, leaning
    return place, None


def is_hiragana(letter: str) -> bool:
    """Whether the letter is one of hiragana."""
    return "ぁ" <= letter <= "ゖ"
