"""What a listener believes of statements it hears; stored apart from what it saw.

Words are understood by the listener's own names for things, never by the world's: what
it has never perceived it can know only by the name it heard. What is in view is never
overruled. Everything that was said is remembered as said, believed or not.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

import msgspec

from saniwa.agent.mind.mind import MindEditor, Rumour
from saniwa.core.text import truncate
from saniwa.language.lexicon import en, ja
from saniwa.language.name_match import list_spellings, parse_noun_phrase
from saniwa.language.text import fold_text
from saniwa.world.model import Id

_LONGEST_SPEECH = 1000
_MOST_SENTENCES = 8
_SENTENCE = re.compile(r"[^.!?;。！？；\n]{1,300}+(?:[.!?;。！？；\n]|$)")
_QUESTION_MARKS = ("?", "？")
_LONGEST_NAME = 40
_COVER = 0xE000
"""The first private-use character; they replace names while a sentence is parsed."""
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_LATIN = "[^\\W_\u2e80-\U0010ffff]"
_WORD_EDGE = re.compile(f"(?<!{_LATIN})|(?!{_LATIN})")
"""Every position that no Latin word spans."""

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
_PUT_JA = r"(?:入れた|入れました|置いた|置きました|隠した|隠しました|しまった|しまいました)"
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
_STATE_WORDS: tuple[tuple[str, dict[str, bool]], ...] = (
    ("locked 鍵がかかっている 鍵がかかってる", {"closed": True, "locked": True}),
    ("unlocked", {"locked": False}),
    ("open 開いている 開いてる", {"closed": False, "locked": False}),
    ("closed shut 閉まっている 閉まってる 閉じている", {"closed": True}),
)
STATE_EFFECTS = {word: effect for words, effect in _STATE_WORDS for word in words.split()}
"""The effect of each word for a state."""


class SpokenStatement(NamedTuple):
    """The statement that something is somewhere, or in some state."""

    thing: str
    """The thing, as said."""
    where: str = ""
    """Where it is, as said."""
    state: str = ""
    """The word for its state."""


def find_statements(speech: str, names: Collection[str] = ()) -> Iterator[SpokenStatement]:
    """Find what is plainly stated in a speech, in order.

    `names` are folded names that the listener knows: no particle or preposition inside
    one of them is taken for one of the sentence.
    """
    pieces = _SENTENCE.findall(_PRIVATE.sub(" ", speech[:_LONGEST_SPEECH]))
    for sentence in pieces[:_MOST_SENTENCES]:
        if not sentence.endswith(_QUESTION_MARKS):
            found = _parse_statement(sentence.strip(" .!;。！；\n\t\"'“”「」"), names)
            if found is not None:
                yield found


def _parse_statement(sentence: str, names: Collection[str]) -> SpokenStatement | None:
    folded, covered = _cover_names(_ANSWER.sub("", fold_text(sentence)), names)
    if not folded or _HEDGED.search(folded) or folded.startswith(_UNSURE_JA):
        return None
    plain = _LEAD.sub("", folded)
    found = _match_first(_ENGLISH, plain) or _match_first(_JAPANESE, folded.replace(" ", ""))
    if found is None:
        return None
    parts = {
        name: _PRIVATE.sub(lambda mark: covered[ord(mark[0]) - _COVER], text or "")
        for name, text in found.groupdict().items()
    }
    return SpokenStatement(parts["x"], parts.get("y", ""), parts.get("s", ""))


def _match_first(patterns: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next((m for p in patterns if (m := p.match(text))), None)


def _cover_names(text: str, names: Collection[str]) -> tuple[str, list[str]]:
    """Replace each known name by one private-use character; also return the names."""
    covered: list[str] = []
    edges = [found.start() for found in _WORD_EDGE.finditer(text)]
    out, reached = "", 0
    for number, (start, end) in enumerate(pairwise(edges), start=1):
        if start < reached:
            continue
        # The longest known name that begins here and ends at the edge of a word.
        ends = edges[number : bisect_right(edges, start + _LONGEST_NAME)]
        named = (text[start:to] for to in reversed(ends) if text[start:to] in names)
        name = next(named, "") if text[start] != " " else ""
        name = name if len(name) > 1 else ""
        if name:
            out += chr(_COVER + len(covered))
            covered.append(name)
        out += "" if name else text[start:end]
        reached = start + len(name)
    return out, covered


_LONGEST_RUMOUR_NAME = 80
_SPEAKER_WORDS = frozenset({"i", "私", "わたし", "僕", "ぼく", "俺", "あたし", "自分"})
_POINTING_WORDS = (
    frozenset({"you", "we", "here", "there", "あなた", "君", "ここ", "そこ", "あそこ"})
    | (en.THINGS | en.PEOPLE | en.WORDS.here)
    | (ja.THINGS | ja.PEOPLE | ja.HERE)
)
"""Words that name nothing by themselves; what they refer to is not guessed."""


def believe_statements(notes: MindEditor, speech: str, by: Id | None) -> None:
    """Believe what a speech plainly states about things that are not in view now."""
    for statement in find_statements(speech, notes.named):
        if _is_pointing(statement.thing) or _is_pointing(statement.where):
            continue
        thing = _find_referent(notes, statement.thing, by)
        if thing is None:
            _add_rumour(notes, statement, by)
        elif thing in notes.beliefs and thing in notes.view:
            _believe_lock(notes, thing, statement)
        elif thing in notes.beliefs and thing != notes.who:
            _believe_place(notes, thing, statement, by)


def _is_pointing(words: str) -> bool:
    return parse_noun_phrase(words).bare in _POINTING_WORDS


def _believe_lock(notes: MindEditor, thing: Id, statement: SpokenStatement) -> None:
    """Believe what is said of a lock: of a thing in view, only that is not visible."""
    facts = STATE_EFFECTS.get(statement.state, {})
    shut = notes.beliefs[thing].closed
    if "locked" in facts and shut and facts.get("closed", shut):
        notes.set_lock(thing, facts["locked"])


def _believe_place(notes: MindEditor, thing: Id, statement: SpokenStatement, by: Id | None) -> None:
    known = notes.beliefs[thing]
    belief = msgspec.structs.replace(known, how="told", since=notes.now, by=by)
    if statement.state:
        facts = STATE_EFFECTS[statement.state]
        notes.set_belief(msgspec.structs.replace(belief, **facts))
        return
    place = _find_referent(notes, statement.where, by)
    # Not what the eyes disprove; but "in this room" may mean inside a closed thing
    # there.
    if place == thing or (place != notes.place and notes.is_fully_visible(place)):
        return
    # Where it was last seen, unless it has been missed there since.
    last_seen = {"seen": known.place, "told": known.seen_place}.get(known.how)
    notes.set_belief(
        msgspec.structs.replace(
            belief,
            place=place,
            words="" if place else _to_bare_name(statement.where),
            seen_place=last_seen,
        )
    )


def _add_rumour(notes: MindEditor, statement: SpokenStatement, by: Id | None) -> None:
    """Store the name of something never seen, and where it is said to be."""
    bare = parse_noun_phrase(statement.thing).bare
    if statement.where and bare not in _SPEAKER_WORDS and notes.named.get(bare) is None:
        where = _find_referent(notes, statement.where, by)
        words = _to_bare_name(statement.where)
        known = notes.beliefs.get(where) or notes.places.get(where) if where else None
        notes.add_rumour(
            Rumour(
                name=_to_bare_name(statement.thing),
                words=known.name if known is not None else words,
                by=by,
                since=notes.now,
            )
        )


def _to_bare_name(words: str) -> str:
    return truncate(parse_noun_phrase(words).bare, _LONGEST_RUMOUR_NAME)


def _find_referent(notes: MindEditor, words: str, by: Id | None) -> Id | None:
    """Find the one thing, person or place that the listener knows by these words."""
    phrase = parse_noun_phrase(words)
    if phrase.bare in _SPEAKER_WORDS:
        return by
    found = {thing for name in list_spellings(phrase) for thing in notes.named.get(name, ())}
    return next(iter(found)) if len(found) == 1 else None
