"""Plain statements in what somebody says: where a thing is, or that a door is locked.

Questions, hedges, denials and everything that is not plainly stated are no statements.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from saniwa.turn.spoken import fold

_LONGEST_SPEECH = 1000
_MOST_SENTENCES = 8
_SENTENCE = re.compile(r"[^.!?;。！？；\n]{1,300}+(?:[.!?;。！？；\n]|$)")
_ASKED = ("?", "？")
_LONGEST_NAME = 40
_COVER = 0xE000
"""Where the private letters begin that stand for names while a sentence is read."""
_PRIVATE = re.compile("[\ue000-\uf8ff]")

_HEDGED = re.compile(
    r"\b(?:if|unless|maybe|perhaps|might|may|could|would|should|whether|when|where|who|"
    r"what|not|never|no|nobody|isn't|aren't|wish|hope|suppose|pretend|imagine|guess)\b"
)
_ANSWER = re.compile(r"^(?:yes|no|oh|well|hey|look|listen)\b[,: ]+")
_LEAD = re.compile(
    r"^(?:(?:[^\s,:]{1,30} ?){1,3}[,:] +)?"
    r"(?:(?:i|we) (?:know|saw|see|heard|think|believe) (?:that )?)?"
)
_WITHIN = r"(?:in|inside|into|within|on|onto|on top of|under|beneath|behind|at|with|by)"
_X, _Y = r"(?P<x>\S.{0,79}?)", r"(?P<y>\S.{0,79}?)"
_ENGLISH = tuple(
    re.compile(f"^{pattern}$")
    for pattern in (
        rf"{_Y} (?:has|have|holds|hold|carries|is holding|is carrying|am holding) {_X}",
        rf"{_Y} have got {_X}",
        rf"{_X} (?:is|are)(?: now| still| hidden| lying| kept)? {_WITHIN} {_Y}",
        rf"(?:i|we) (?:have )?(?:put|placed|left|hid|kept) {_X} {_WITHIN} {_Y}",
        rf"{_X} (?:is|are)(?: now| still)? (?P<s>locked|unlocked|open|closed|shut)",
    )
)
_TAIL_JA = r"(?:んだ|のだ|んです|のです|です)?(?:よ|ね|わ|ぞ|ぜ|さ|よね)?"
_HOLDER_JA = r"(?P<y>[^はがをに、]{1,80}?)(?:の(?:中|なか|上|うえ|下|した|裏|奥))?"
_THING_JA = r"(?P<x>[^はがをに、]{1,80}?)"
_IS_JA = (
    r"(?:ある|あります|いる|います|入っている|入ってる|入っています|置いてある|"
    r"置いてあります|しまってある|隠してある|隠れている)"
)
_PUT_JA = (
    r"(?:入れた|入れました|置いた|置きました|隠した|隠しました|しまった|しまいました)"
)
_HAS_JA = r"(?:持っている|持ってる|持っています|持ってます)"
_JAPANESE = tuple(
    re.compile(rf"^(?:[^、]{{1,12}}、)?{pattern}{_TAIL_JA}$")
    for pattern in (
        rf"{_THING_JA}[はが](?:今|まだ)?{_HOLDER_JA}に{_IS_JA}",
        rf"{_HOLDER_JA}に(?:は)?{_THING_JA}が{_IS_JA}",
        rf"{_HOLDER_JA}[はが]{_THING_JA}を{_HAS_JA}",
        rf"(?:[^はがをに、]{{1,12}}[はが])?{_THING_JA}を{_HOLDER_JA}に{_PUT_JA}",
        rf"{_THING_JA}[はが](?P<s>開いている|開いてる|閉まっている|閉まってる|閉じている)",
        rf"{_THING_JA}(?:に|は|には)(?P<s>鍵がかかっている|鍵がかかってる)",
    )
)
_UNSURE_JA = ("もし", "たぶん", "多分", "おそらく")
STATES: dict[str, dict[str, bool]] = {
    "locked": {"closed": True, "locked": True},
    "unlocked": {"locked": False},
    "open": {"closed": False, "locked": False},
    "closed": {"closed": True},
    "shut": {"closed": True},
    "開いている": {"closed": False, "locked": False},
    "開いてる": {"closed": False, "locked": False},
    "閉まっている": {"closed": True},
    "閉まってる": {"closed": True},
    "閉じている": {"closed": True},
    "鍵がかかっている": {"closed": True, "locked": True},
    "鍵がかかってる": {"closed": True, "locked": True},
}
"""What each word for a state says."""


class Statement(NamedTuple):
    """That something is somewhere, or in some state."""

    thing: str
    """What is spoken of, as said."""
    where: str = ""
    """Where it is, as said."""
    state: str = ""
    """The word for its state."""


def statements(speech: str, names: Collection[str] = ()) -> Iterator[Statement]:
    """What is plainly stated in the words, in order.

    `names` are folded names the listener knows: no particle or preposition inside one of
    them is taken for the sentence's own.
    """
    pieces = _SENTENCE.findall(_PRIVATE.sub(" ", speech[:_LONGEST_SPEECH]))
    for sentence in pieces[:_MOST_SENTENCES]:
        if not sentence.endswith(_ASKED):
            found = _stated(sentence.strip(" .!;。！；\n\t\"'“”「」"), names)
            if found is not None:
                yield found


def _stated(sentence: str, names: Collection[str]) -> Statement | None:
    whole, covered = _cover(_ANSWER.sub("", fold(sentence)), names)
    if not whole or _HEDGED.search(whole) or whole.startswith(_UNSURE_JA):
        return None
    plain = _LEAD.sub("", whole)
    found = _first(_ENGLISH, plain) or _first(_JAPANESE, whole.replace(" ", ""))
    if found is None:
        return None
    parts = {k: _uncover(v or "", covered) for k, v in found.groupdict().items()}
    return Statement(parts["x"], parts.get("y", ""), parts.get("s", ""))


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next((m for p in patterns if (m := p.match(text))), None)


def _cover(text: str, names: Collection[str]) -> tuple[str, list[str]]:
    """The text with one private letter for each known name in it, and those names."""
    covered: list[str] = []
    out, edges, reached = "", _edges(text), 0
    for number, (start, end) in enumerate(pairwise(edges), start=1):
        if start < reached:
            continue
        ends = edges[number : bisect_right(edges, start + _LONGEST_NAME)]
        name = _longest(text, start, ends, names)
        if name:
            out += chr(_COVER + len(covered))
            covered.append(name)
        out += "" if name else text[start:end]
        reached = start + len(name)
    return out, covered


def _longest(text: str, start: int, ends: list[int], names: Collection[str]) -> str:
    """The longest known name that begins here and ends at one of the places."""
    parts = (text[start:end] for end in reversed(ends) if end - start > 1)
    return next((part for part in parts if part in names), "")


def _edges(text: str) -> list[int]:
    """The places in a text across which no Latin word runs; its beginning and its end."""
    latin = [c.isalnum() and ord(c) < 0x2E80 for c in text]
    inner = (n for n, both in enumerate(pairwise(latin), 1) if both != (True, True))
    return [0, *inner, len(text)]


def _uncover(text: str, covered: list[str]) -> str:
    return "".join(covered[ord(c) - _COVER] if _PRIVATE.match(c) else c for c in text)
