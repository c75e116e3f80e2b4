"""A character's view, made from its mind alone: the variables of its prompt.

Bounded whatever the scene, sorted, without clock and without ids; the same mind gives the
same bytes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from saniwa.agent.mind.model import (
    MemoryDigest,
    Mind,
    MindMemory,
    MindTally,
    get_known_name,
)
from saniwa.agent.mind.scene import render_beliefs, render_scene
from saniwa.agent.mind.similarity import FULL_SCORE, TextSimilarity, WordSimilarity
from saniwa.agent.mind.wording import (
    fit_lines,
    fit_list,
    render_age,
    render_guidance,
    render_wording,
)
from saniwa.agent.port import AgentView
from saniwa.agent.quotation import quote
from saniwa.world.model import Id

HALF_LIFE = 10
"""Turns after which a memory is half as recent."""
MEANING_WEIGHT = 2
"""How much more meaning counts than recency and place."""


class RecalledMemory(NamedTuple):
    """One memory, and why it came to mind."""

    memory: MindMemory
    """What is remembered."""
    score: int
    """All its points."""
    recency: int
    """Those for being recent."""
    place: int
    """Those for having been here."""
    meaning: int
    """Those for what it is about."""


def recall_memories(
    mind: Mind,
    query: str,
    now_place: Id | None,
    k: int,
    *,
    older_than: int = 0,
    meaning: TextSimilarity | None = None,
) -> tuple[RecalledMemory, ...]:
    """The `k` memories that come to mind first, best first.

    `older_than` leaves out that many of the latest ones, which are at hand anyway. What
    has nothing to do with the query does not come to mind, unless the query is empty.
    """
    kept = mind.memories[: max(len(mind.memories) - older_than, 0)]
    near = (meaning or WordSimilarity()).measure_similarity(
        query, [m.text for m in kept]
    )
    ranked = [
        (sum(_score_memory(memory, mind.turn, now_place, like)), number)
        for number, (memory, like) in enumerate(zip(kept, near, strict=True))
        if like or not query
    ]
    ranked.sort(reverse=True)
    return tuple(
        _make_recalled(kept[number], mind.turn, now_place, near[number])
        for _, number in ranked[: max(k, 0)]
    )


def _score_memory(
    memory: MindMemory, now: int, here: Id | None, like: int
) -> tuple[int, int, int]:
    """For being recent, for having been here, for what it is about."""
    past = now - memory.at
    return (
        FULL_SCORE * HALF_LIFE // (HALF_LIFE + past) if past > 0 else FULL_SCORE,
        FULL_SCORE if here is not None and memory.place == here else 0,
        MEANING_WEIGHT * like,
    )


def _make_recalled(
    memory: MindMemory, now: int, here: Id | None, like: int
) -> RecalledMemory:
    points = _score_memory(memory, now, here, like)
    recency, place, _ = points
    return RecalledMemory(memory, sum(points), recency, place, like)


MOST_RECENT = 10
"""Memories told because they are the latest."""
MOST_RECALLED = 5
"""Memories told because they come to mind."""
_LONGEST_MEMORY_LINE = 200
_LONGEST_OLD_LINE = 100
_LONGEST_QUERY = 400


def render_memories(
    mind: Mind, largest: int, meaning: TextSimilarity | None = None
) -> str:
    """What was witnessed: the latest, what comes to mind here, and the digest."""
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
    """What a character has on its mind: its goals, what it sees, what it last heard."""
    seen = sorted(mind.beliefs[thing].name for thing in mind.view)
    heard = [m.text for m in mind.memories[-MOST_RECENT:] if m.said][-1:]
    return " ".join((*heard, *mind.goals, *seen))[:_LONGEST_QUERY]


def _render_memory_part(
    mind: Mind, heading: str, memories: Sequence[MindMemory], largest: int
) -> str:
    head, lines = render_wording(mind.language, heading), list[str]()
    room = largest - len(head)
    # The latest tell the most: where not all fit, the first ones go.
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
    tongue = mind.language
    head = render_wording(
        tongue,
        "long.ago",
        count=str(digest.count),
        first=render_age(tongue, mind.turn - digest.first),
        last=render_age(tongue, mind.turn - digest.last),
    )
    met = tuple(t for t in digest.people if t.id != mind.who)
    lines = [
        head,
        *_render_tallies(mind, "met", "people", met, largest // 5),
        *_render_tallies(mind, "been", "places", digest.places, largest // 5),
    ]
    old = [*digest.changes[::-1], *digest.firsts]
    # Put into words only as far as there is room.
    while old and sum(map(len, lines)) < largest:
        lines.append(_render_memory_line(mind, old.pop(0), _LONGEST_OLD_LINE))
    return fit_lines(lines, largest, tongue, unsaid=len(old))


def _render_tallies(
    mind: Mind, line: str, field: str, tallies: tuple[MindTally, ...], largest: int
) -> list[str]:
    tongue = mind.language
    named = [
        render_wording(
            tongue,
            "times",
            name=quote(get_known_name(mind, tally.id), tongue, 40),
            count=str(tally.count),
        )
        for tally in tallies
        if get_known_name(mind, tally.id)
    ]
    shown = fit_list(named, largest, tongue)
    return [render_wording(tongue, line, **{field: shown})] if shown else []


def _render_memory_line(mind: Mind, memory: MindMemory, longest: int) -> str:
    tongue = mind.language
    text = quote(memory.text, tongue, longest)
    when = render_age(tongue, mind.turn - memory.at)
    if not memory.said:
        return render_wording(tongue, "memory", ago=when, text=text)
    if memory.by == mind.who:
        return render_wording(tongue, "memory.own", ago=when, text=text)
    named = get_known_name(mind, memory.by)
    who = quote(named, tongue) if named else render_wording(tongue, "somebody")
    return render_wording(tongue, "memory.said", ago=when, who=who, text=text)


ViewSection = Literal["who", "scene", "beliefs", "memories", "goals", "guidance"]
VIEW_SECTIONS: tuple[ViewSection, ...] = get_args(ViewSection)
"""The parts of a view, each a variable of its name."""
LARGEST_VIEW = 6000
"""Letters of all sections together, where nobody says otherwise."""
_SECTION_SHARES: dict[ViewSection, int] = {
    "who": 6,
    "scene": 34,
    "beliefs": 16,
    "memories": 22,
    "goals": 8,
    "guidance": 14,
}
"""Hundredths of the room that each section may take."""


def build_view(
    mind: Mind,
    *,
    largest: int = LARGEST_VIEW,
    sections: Collection[ViewSection] = VIEW_SECTIONS,
    meaning: TextSimilarity | None = None,
) -> AgentView:
    """What the character may know now, ready for its prompt.

    A section that is left out is empty: `sections` is for experiments that withhold
    something. `meaning` says which memories come to mind.
    """
    room = {name: largest * share // 100 for name, share in _SECTION_SHARES.items()}
    tell: dict[ViewSection, Callable[[], str]] = {
        "who": lambda: _render_identity(mind, room["who"]),
        "scene": lambda: render_scene(mind, room["scene"]),
        "beliefs": lambda: render_beliefs(mind, room["beliefs"]),
        "memories": lambda: render_memories(mind, room["memories"], meaning),
        "goals": lambda: _render_goals(mind, room["goals"]),
        "guidance": lambda: render_guidance(
            mind.guidance, mind.language, room["guidance"]
        ),
    }
    told: dict[str, Callable[[], str]] = {
        name: tell[name] if name in sections else str for name in VIEW_SECTIONS
    }
    told["language"] = lambda: render_wording(mind.language, "language")
    return AgentView(
        variables=LazyTexts(told),
        facts={
            "goal_reached": mind.goal_reached,
            "place": mind.place or "",
            "turn": mind.turn,
        },
    )


class LazyTexts(Mapping[str, str]):
    """Texts that are written when they are first asked for.

    An agent looks at its floor several times a turn, and mostly for the facts alone.
    """

    def __init__(self, tell: Mapping[str, Callable[[], str]]) -> None:
        self._tell = tell
        self._told = dict[str, str]()

    def __getitem__(self, name: str) -> str:
        if name not in self._told:
            self._told[name] = self._tell[name]()
        return self._told[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tell)

    def __len__(self) -> int:
        return len(self._tell)


def _render_identity(mind: Mind, largest: int) -> str:
    tongue = mind.language
    lines = [render_wording(tongue, "who", name=quote(mind.name, tongue))]
    if mind.description:
        looks = quote(mind.description, tongue, largest // 2)
        lines.append(render_wording(tongue, "who.looks", description=looks))
    for each in mind.status[:4]:
        lines.append(
            render_wording(tongue, "who.status", status=quote(each, tongue, 30))
        )
    return fit_lines(lines, largest, tongue)


def _render_goals(mind: Mind, largest: int) -> str:
    tongue = mind.language
    if not mind.goals:
        return render_wording(tongue, "goals.none")
    goals = [
        render_wording(tongue, "goal", goal=quote(g, tongue, 200)) for g in mind.goals
    ]
    return fit_lines(goals, largest, tongue)
