"""A character's view, made from its mind alone: the variables of its prompt.

Bounded whatever the scene, sorted, without clock and without ids; the same mind gives the
same bytes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Literal, get_args

from saniwa.agent.belief.meaning import Meaning
from saniwa.agent.belief.model import Mind
from saniwa.agent.character.elsewhere import tell_beliefs
from saniwa.agent.character.fitting import fitted
from saniwa.agent.character.refused import tell_guidance
from saniwa.agent.character.remembered import tell_memories
from saniwa.agent.character.standing import tell_scene
from saniwa.agent.character.wording import word
from saniwa.agent.floor import View
from saniwa.agent.quotation import quote

Section = Literal["who", "scene", "beliefs", "memories", "goals", "guidance"]
SECTIONS: tuple[Section, ...] = get_args(Section)
"""The parts of a view, each a variable of its name."""
LARGEST = 6000
"""Letters of all sections together, where nobody says otherwise."""
_SHARES: dict[Section, int] = {
    "who": 6,
    "scene": 34,
    "beliefs": 16,
    "memories": 22,
    "goals": 8,
    "guidance": 14,
}
"""Hundredths of the room that each section may take."""


def view_of(
    mind: Mind,
    *,
    largest: int = LARGEST,
    sections: Collection[Section] = SECTIONS,
    meaning: Meaning | None = None,
) -> View:
    """What the character may know now, ready for its prompt.

    A section that is left out is empty: `sections` is for experiments that withhold
    something. `meaning` says which memories come to mind.
    """
    room = {name: largest * share // 100 for name, share in _SHARES.items()}
    tell: dict[Section, Callable[[], str]] = {
        "who": lambda: _tell_who(mind, room["who"]),
        "scene": lambda: tell_scene(mind, room["scene"]),
        "beliefs": lambda: tell_beliefs(mind, room["beliefs"]),
        "memories": lambda: tell_memories(mind, room["memories"], meaning),
        "goals": lambda: _tell_goals(mind, room["goals"]),
        "guidance": lambda: tell_guidance(
            mind.guidance, mind.language, room["guidance"]
        ),
    }
    told: dict[str, Callable[[], str]] = {
        name: tell[name] if name in sections else str for name in SECTIONS
    }
    told["language"] = lambda: word(mind.language, "language")
    return View(
        variables=Telling(told),
        facts={
            "goal_reached": mind.goal_reached,
            "place": mind.place or "",
            "turn": mind.turn,
        },
    )


class Telling(Mapping[str, str]):
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


def _tell_who(mind: Mind, largest: int) -> str:
    tongue = mind.language
    lines = [word(tongue, "who", name=quote(mind.name, tongue))]
    if mind.description:
        looks = quote(mind.description, tongue, largest // 2)
        lines.append(word(tongue, "who.looks", description=looks))
    for each in mind.status[:4]:
        lines.append(word(tongue, "who.status", status=quote(each, tongue, 30)))
    return fitted(lines, largest, tongue)


def _tell_goals(mind: Mind, largest: int) -> str:
    tongue = mind.language
    if not mind.goals:
        return word(tongue, "goals.none")
    goals = [word(tongue, "goal", goal=quote(g, tongue, 200)) for g in mind.goals]
    return fitted(goals, largest, tongue)
