"""A character's view, made from its mind alone: the variables of its prompt.

Its size is bounded for any scene. It is sorted and has no clock or ids: the same mind
gives the same bytes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from heapq import nlargest
from operator import attrgetter
from typing import Literal, NamedTuple, get_args

from saniwa.agent.mind.mind import MemoryDigest, Mind, MindMemory, MindTally, get_known_name
from saniwa.agent.mind.rendering import (
    fit_lines,
    fit_list,
    render_age,
    render_beliefs,
    render_guidance,
    render_scene,
    render_source,
    render_wording,
)
from saniwa.agent.mind.text_similarities import FULL_SCORE, TextSimilarity, WordSimilarity
from saniwa.agent.port import AgentView
from saniwa.agent.prompt_quoting import quote
from saniwa.world.model import NOWHERE, Id

HALF_LIFE = 10
"""Turns after which a memory is half as recent."""
MEANING_WEIGHT = 2
"""The weight of meaning; recency and place have weight 1."""
_TEXT = attrgetter("text")


class RecalledMemory(NamedTuple):
    """One memory, and why it was recalled."""

    memory: MindMemory
    """The memory."""
    score: int
    """Its total score."""
    recency: int
    """Its score for being recent."""
    place: int
    """Its score for having happened here."""
    meaning: int
    """Its score for its content."""


def recall_memories(
    mind: Mind,
    query: str,
    now_place: Id | None,
    k: int,
    *,
    older_than: int = 0,
    meaning: TextSimilarity | None = None,
) -> tuple[RecalledMemory, ...]:
    """Return the `k` most relevant memories, best first.

    `older_than` leaves out that many of the latest ones, which are shown anyway.
    Memories unrelated to the query are left out, unless the query is empty.
    """
    candidates = mind.memories[: max(len(mind.memories) - older_than, 0)]
    scores = (meaning or WordSimilarity()).measure_similarity(query, [*map(_TEXT, candidates)])
    now, here, aged = mind.turn, now_place or NOWHERE, FULL_SCORE * HALF_LIFE
    ranked = [
        # How recent it is, whether it happened here, and its content.
        (
            aged // (HALF_LIFE + max(now - memory.at, 0))
            + (FULL_SCORE if memory.place == here else 0)
            + MEANING_WEIGHT * like,
            number,
        )
        for number, (memory, like) in enumerate(zip(candidates, scores, strict=True))
        if like or not query
    ]
    recalled = []
    for total, number in nlargest(max(k, 0), ranked):
        memory, like = candidates[number], scores[number]
        place = FULL_SCORE if memory.place == here else 0
        recency = total - place - MEANING_WEIGHT * like
        recalled.append(RecalledMemory(memory, total, recency, place, like))
    return tuple(recalled)


MOST_RECENT = 10
"""The most memories that are shown because they are the latest."""
MOST_RECALLED = 5
"""The most memories that are shown because they are relevant."""
_LONGEST_MEMORY_LINE = 200
_LONGEST_OLD_LINE = 100
_LONGEST_QUERY = 400


def render_memories(mind: Mind, largest: int, meaning: TextSimilarity | None = None) -> str:
    """Render what was witnessed: the latest, what is relevant here, and the digest."""
    if not mind.memories:
        return render_wording(mind.language, "memories.none")
    found = recall_memories(
        mind,
        build_recall_query(mind),
        mind.place,
        MOST_RECALLED,
        older_than=MOST_RECENT,
        meaning=meaning,
    )
    before = sorted((each.memory for each in found), key=lambda m: m.at)
    parts = (
        _render_memory_part(mind, "lately", mind.memories[-MOST_RECENT:], largest // 2),
        _render_memory_part(mind, "recalled", before, largest // 4),
        _render_digest(mind, mind.digest, largest // 4 - 2),
    )
    return "\n".join(part for part in parts if part)


def build_recall_query(mind: Mind) -> str:
    """Build the query for memories: last speech heard, goals, and things in view."""
    seen = sorted(mind.beliefs[thing].name for thing in mind.view)
    heard = [m.text for m in mind.memories[-MOST_RECENT:] if m.said][-1:]
    return " ".join((*heard, *mind.goals, *seen))[:_LONGEST_QUERY]


def _render_memory_part(
    mind: Mind, heading: str, memories: Sequence[MindMemory], largest: int
) -> str:
    head, lines = render_wording(mind.language, heading), list[str]()
    room = largest - len(head)
    # The latest matter most: if not all fit, the first ones are left out.
    for memory in reversed(memories):
        line = _render_memory_line(mind, memory, _LONGEST_MEMORY_LINE)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join((head, *reversed(lines))) if lines else ""


def _render_digest(mind: Mind, digest: MemoryDigest, largest: int) -> str:
    if not digest.count:
        return ""
    language = mind.language
    head = render_wording(
        language,
        "long.ago",
        count=str(digest.count),
        first=render_age(language, mind.turn - digest.first),
        last=render_age(language, mind.turn - digest.last),
    )
    met = tuple(t for t in digest.people if t.id != mind.who)
    lines = [
        head,
        *_render_tallies(mind, "met", "people", met, largest // 5),
        *_render_tallies(mind, "been", "places", digest.places, largest // 5),
    ]
    old = [*digest.changes[::-1], *digest.firsts]
    # Rendered only as long as there is space.
    while old and sum(map(len, lines)) < largest:
        lines.append(_render_memory_line(mind, old.pop(0), _LONGEST_OLD_LINE))
    return fit_lines(lines, largest, language, unsaid=len(old))


def _render_tallies(
    mind: Mind, line: str, field: str, tallies: tuple[MindTally, ...], largest: int
) -> list[str]:
    language = mind.language
    named = [
        render_wording(
            language,
            "times",
            name=quote(get_known_name(mind, tally.id), language, 40),
            count=str(tally.count),
        )
        for tally in tallies
        if get_known_name(mind, tally.id)
    ]
    shown = fit_list(named, largest, language)
    return [render_wording(language, line, **{field: shown})] if shown else []


def _render_memory_line(mind: Mind, memory: MindMemory, longest: int) -> str:
    language = mind.language
    text = quote(memory.text, language, longest)
    when = render_age(language, mind.turn - memory.at)
    if not memory.said:
        return render_wording(language, "memory", ago=when, text=text)
    if memory.by == mind.who:
        return render_wording(language, "memory.own", ago=when, text=text)
    who = render_source(mind, memory.by)
    return render_wording(language, "memory.said", ago=when, who=who, text=text)


ViewSection = Literal["who", "scene", "beliefs", "memories", "goals", "guidance"]
VIEW_SECTIONS: tuple[ViewSection, ...] = get_args(ViewSection)
"""The sections of a view, each a variable of its name."""
LARGEST_VIEW = 6000
"""The default size of all sections together, in characters."""


def build_view(
    mind: Mind,
    *,
    largest: int = LARGEST_VIEW,
    sections: Collection[ViewSection] = VIEW_SECTIONS,
    meaning: TextSimilarity | None = None,
) -> AgentView:
    """Build what the character may know now, ready for its prompt.

    A section that is left out is empty: `sections` is for experiments that withhold
    something. `meaning` decides which memories are relevant.
    """

    def render(name: str) -> str:
        share, renderer = _SECTIONS[name]
        if share and name not in sections:
            return ""
        return renderer(mind, largest * share // 100, meaning)

    return AgentView(
        variables=LazyTexts(render),
        facts={"goal_reached": mind.goal_reached, "place": mind.place or "", "turn": mind.turn},
    )


class LazyTexts(Mapping[str, str]):
    """The sections of a view, and its language, each rendered when it is first read.

    An agent reads its port's view several times a turn, and mostly only the facts.
    """

    def __init__(self, render: Callable[[str], str]) -> None:
        self._render = render
        self._texts = dict[str, str]()

    def __getitem__(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = self._render(name)
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_SECTIONS)

    def __len__(self) -> int:
        return len(_SECTIONS)


def _render_identity(mind: Mind, largest: int) -> str:
    language = mind.language
    lines = [render_wording(language, "who", name=quote(mind.name, language))]
    if mind.description:
        looks = quote(mind.description, language, largest // 2)
        lines.append(render_wording(language, "who.looks", description=looks))
    for each in mind.status[:4]:
        lines.append(render_wording(language, "who.status", status=quote(each, language, 30)))
    return fit_lines(lines, largest, language)


def _render_goals(mind: Mind, largest: int) -> str:
    language = mind.language
    if not mind.goals:
        return render_wording(language, "goals.none")
    goals = [render_wording(language, "goal", goal=quote(g, language, 200)) for g in mind.goals]
    return fit_lines(goals, largest, language)


_SectionRenderer = Callable[[Mind, int, TextSimilarity | None], str]
_SECTIONS: dict[str, tuple[int, _SectionRenderer]] = {
    "who": (6, lambda mind, room, _: _render_identity(mind, room)),
    "scene": (34, lambda mind, room, _: render_scene(mind, room)),
    "beliefs": (16, lambda mind, room, _: render_beliefs(mind, room)),
    "memories": (22, render_memories),
    "goals": (8, lambda mind, room, _: _render_goals(mind, room)),
    "guidance": (14, lambda mind, room, _: render_guidance(mind.guidance, mind.language, room)),
    "language": (0, lambda mind, *_: render_wording(mind.language, "language")),
}
"""The percentage of the space that each section may take, and what renders it."""
