"""The world and what is in it: immutable values, replaced and never edited.

Every thing has one `place`: a location, a container, a supporter, a character who holds
it, or nowhere. So a held thing cannot also be somewhere else.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NewType, cast, get_args

import msgspec
from immutables import Map


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """The words of one craft; its effects are in the rulebook."""

    name: str
    """The craft's name, the `manner` of a `use`."""
    words: dict[str, tuple[str, ...]] = {}
    """The verbs for it, by language; the narrator uses the first."""
    told: dict[str, str] = {}
    """The sentence for what has happened, by language, if the book has its own."""

    def get_verbs(self, language: str) -> tuple[str, ...]:
        """Return the verbs for it in a language; empty if the book has none."""
        return self.words.get(language) or self.words.get(language[:2]) or ()


Id = NewType("Id", str)
"""The id of one location or entity; both share one namespace."""

Kind = Literal["character", "item", "container", "supporter", "door", "fixture"]
"""What an entity is."""

KINDS: tuple[Kind, ...] = get_args(Kind)
HOLDERS: frozenset[str] = frozenset({"container", "supporter", "character"})
"""The kinds that things can be in, on or held by."""


def copy_written_kind(kind: str) -> Kind:
    """Copy a kind that an author wrote, so that it appears in the entity's record.

    A record omits a default only if its value is the identical object, and the
    fingerprint is made of the record. So a written `item` and an omitted one count as
    different, as they always have; without this, the result would depend on where the
    text came from. `kind` must be one of `KINDS`.
    """
    return cast(Kind, "".join([*kind]))


NOWHERE = Id("")
"""The key in `World.contents` of everything that has no place."""


_COMPASS = ("north", "south", "east", "west")
_BETWEEN = ("northeast", "northwest", "southeast", "southwest", "up", "down", "in", "out")
_COMPASS_JA = ("北", "南", "東", "西", "北東", "北西", "南東", "南西", "上", "下", "中", "外")
DIRECTIONS: frozenset[str] = frozenset((*_COMPASS, *_BETWEEN, *_COMPASS_JA))
"""Words for a way that need no place: an exit may have one as its label."""


class _Record(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Records of a world use camelCase on the wire and omit defaults."""


class Exit(_Record, frozen=True):
    """One way out of a location."""

    to: Id
    """The location it leads to."""
    label: str = ""
    """A direction or a name for the way; empty if the author gave none."""
    door: Id | None = None
    """The door in it."""


class Location(_Record, frozen=True):
    """A place that characters can be in."""

    id: Id
    """Its id."""
    name: str
    """The name that is shown."""
    description: str = ""
    """What a character sees on entering."""
    exits: tuple[Exit, ...] = ()
    """The ways out, in the author's order."""
    is_goal: bool = False
    """Whether being here can reach the goal."""
    aliases: tuple[str, ...] = ()
    """Other names for it."""


EntityCondition = Literal["open", "closed", "locked", "gone"]
"""The condition of a thing: closed is not locked, and gone is no longer in the world.
"""
ENTITY_CONDITIONS: tuple[EntityCondition, ...] = get_args(EntityCondition)


class Fact(_Record, frozen=True):
    """A condition on an entity, a flag or both. All parts must be true."""

    entity: Id = NOWHERE
    """The entity; empty if only a flag counts."""
    place: Id | None = None
    """What it must be directly in, on or held by."""
    condition: EntityCondition | Literal[""] = ""
    """The condition it must be in."""
    attribute: str = ""
    """One of the author's attributes of it that must be true."""
    flag: str = ""
    """A flag of the world that must have the value."""
    value: bool = True
    """The value of the flag; a flag that was never set is false."""


AuthoredLine = str | dict[str, str]
"""A line of dialogue: one text, or one for each language."""


class Topic(_Record, frozen=True):
    """Something a character can be asked about, or asked to do."""

    id: str
    """Its id, unique among the topics of the character."""
    aliases: tuple[str, ...] = ()
    """What else it is called; if the id is that of a thing or place, so are its names."""
    lines: tuple[AuthoredLine, ...] = ()
    """What the character says, one line each time; the last one is repeated."""
    when: tuple[Fact, ...] = ()
    """What must hold for the topic to be there."""
    request: bool = False
    """Whether it answers a request to do something, and no question."""
    flags: dict[str, bool] = {}
    """The flags of the world that the answer sets."""
    gives: tuple[Id, ...] = ()
    """The things that the character hands over with the answer."""


class Dialogue(_Record, frozen=True):
    """What a character without a player says."""

    greeting: tuple[AuthoredLine, ...] = ()
    """The answer to a greeting, or to talk without a subject."""
    topics: tuple[Topic, ...] = ()
    """What they can be asked about, in the author's order."""
    no_answer: tuple[AuthoredLine, ...] = ()
    """The answer to everything else."""
    refusal: tuple[AuthoredLine, ...] = ()
    """The answer to a request that no topic answers."""

    def get_lines(self, part: str) -> tuple[AuthoredLine, ...]:
        """Return the lines of `greeting`, `no_answer`, `refusal` or `topics.ID`."""
        topic = self.find_topic(part.removeprefix(TOPIC_PREFIX))
        if part.startswith(TOPIC_PREFIX):
            return topic.lines if topic is not None else ()
        found: tuple[AuthoredLine, ...] = getattr(self, part, ())
        return found

    def find_topic(self, id: str) -> Topic | None:
        """Return the topic with this id, or None."""
        return next((topic for topic in self.topics if topic.id == id), None)


TOPIC_PREFIX = "topics."
"""Comes before the id of a topic in the name of a part of a dialogue."""


class Entity(_Record, frozen=True):
    """A character or a thing."""

    id: Id
    """Its id."""
    name: str
    """The name that is shown; not unique."""
    kind: Kind = "item"
    """What it is."""
    place: Id | None = None
    """What it is in, on or held by; None for doors and everything off stage."""
    description: str = ""
    """What a character sees on looking closely."""
    aliases: tuple[str, ...] = ()
    """Other names for it."""
    takeable: bool = False
    """Whether it can be picked up at all."""
    openable: bool = False
    """Whether it can be opened and closed."""
    open: bool = True
    """Whether it is open; things that cannot be closed are open."""
    lockable: bool = False
    """Whether it has a lock."""
    locked: bool = False
    """Whether it is locked; a locked thing is closed."""
    required_key: Id | None = None
    """The key that fits the lock."""
    edible: bool = False
    """Whether it can be eaten or drunk."""
    hidden: bool = False
    """Whether it is not noticed before a search."""
    state: tuple[str, ...] = ()
    """Free words on its condition, such as `clean` or `off`."""
    status: tuple[str, ...] = ()
    """Free words on a character's condition."""
    connects: tuple[Id, Id] | None = None
    """A door's two sides."""
    hint: str = ""
    """Help for a player who is stopped or misled by it."""
    goals: tuple[str, ...] = ()
    """What a character wants."""
    attributes: dict[str, Any] = {}
    """The author's own facts about it; never edited in place."""
    dialogue: Dialogue | None = None
    """What a character says that has no player; None if the author wrote nothing."""
    reply_counts: dict[str, int] = {}
    """For each part of the dialogue with several lines, how many were said."""


class Time(_Record, frozen=True):
    """The time in the story."""

    label: str = ""
    """The author's word for the hour, such as 朝."""
    turn: int = 0
    """How many turns have passed; not part of any hash."""


class Milestone(_Record, frozen=True):
    """A condition that needs to hold only once: its flag is set then, and is kept."""

    flag: str
    """The flag of the world that records it; several may share one."""
    facts: tuple[Fact, ...]
    """What must hold, all at once."""
    spoils: bool = False
    """Whether the goal can no longer be reached from then on."""


class Goal(_Record, frozen=True):
    """When the goal of the story is reached."""

    location: Id | None = None
    """The actor must be here."""
    flag: str = ""
    """This flag must be set."""
    holding: Id | None = None
    """The actor must hold this."""
    actor: Id | None = None
    """The character who must do it; None for any."""
    message: str = ""
    """The message when it is reached; not part of any hash."""
    milestones: tuple[Milestone, ...] = ()
    """What must have held at some time, and what must never have held."""


class World(msgspec.Struct, frozen=True, kw_only=True):
    """What is true now.

    Maps share structure, so the time to make the world after one action does not depend
    on its size.
    """

    entities: Map[Id, Entity]
    """Everything that is not a location."""
    locations: Map[Id, Location]
    """The places."""
    contents: Map[Id, Map[Id, None]]
    """For each place or holder, what is directly there; always consistent with `place`.

    Entities off stage are under `NOWHERE`; doors are in no contents.
    """
    doors: Map[Id, tuple[Id, ...]]
    """For each location, its doors, in order of id; doors never move."""
    cast: tuple[Id, ...]
    """All characters, in order of id."""
    named: Map[Id, tuple[str, ...]]
    """Every entity's name and aliases: the same object as long as no name changes."""
    flags: Map[str, bool]
    """The flags of the world."""
    time: Time
    """The time of day, and how many turns have passed."""
    turn_order: tuple[Id, ...] = ()
    """The order in which characters act; empty if any may act at any time."""
    goal: Goal | None = None
    """When the goal of the story is reached."""
    protagonist: Id | None = None
    """The author's first character: the one a single player plays."""
    language: str = "en"
    """The language of its texts; not part of any hash."""
    manners: tuple[Manner, ...] = ()
    """The crafts it has words for; not part of any hash."""
    digest: int = 0
    """The running sum that the fingerprint is made of; see `world.fingerprint`."""

    def list_contents(self, place: Id) -> tuple[Id, ...]:
        """List what is directly in, on or held by the place, in order of id."""
        return tuple(sorted(self.contents.get(place, _NOTHING)))

    @property
    def inventory(self) -> Mapping[Id, tuple[Id, ...]]:
        """What each character holds, including characters that hold nothing."""
        return {c.id: self.list_contents(c.id) for c in self.list_characters()}

    def list_characters(self) -> Iterator[Entity]:
        """Iterate over all characters, in order of id."""
        return (self.entities[who] for who in self.cast)


_NOTHING: Map[Id, None] = Map()
