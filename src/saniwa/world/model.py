"""The world and what is in it: frozen values, replaced and never edited.

Every thing has one `place`: a location, a container, a supporter, a character who holds
it, or nowhere. A held thing that also lies somewhere cannot be written down.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NewType, cast, get_args

import msgspec
from immutables import Map


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """One craft, as far as words go; what it does is no matter of words."""

    name: str
    """The craft's name, as `use` has it under `manner`."""
    words: dict[str, tuple[str, ...]] = {}
    """The verbs for it, by language; the first is the one it is told by."""
    told: dict[str, str] = {}
    """The sentence for what has happened, by language, where the book has its own."""

    def get_verbs(self, language: str) -> tuple[str, ...]:
        """The verbs for it in a language; none where the book has none."""
        return self.words.get(language) or self.words.get(language[:2]) or ()


Id = NewType("Id", str)
"""Names one location or entity; the two share one namespace."""

Kind = Literal["character", "item", "container", "supporter", "door", "fixture"]
"""What an entity is."""

KINDS: tuple[Kind, ...] = get_args(Kind)
HOLDERS: frozenset[str] = frozenset({"container", "supporter", "character"})
"""The kinds that things can be in, on or with."""


def copy_written_kind(kind: str) -> Kind:
    """A kind that an author wrote, so that it stands in the record of its entity.

    A record leaves out a default only where its value is the very same object, and the
    fingerprint is made of the record. So `item` that was written and `item` that was left
    out count as different, as they always have; without this, whether they do would depend
    on where the text came from. Pre: it is a kind.
    """
    return cast(Kind, "".join([*kind]))


NOWHERE = Id("")
"""The place, in `World.contents`, of whatever has no place."""


_COMPASS = ("north", "south", "east", "west")
_BETWEEN = (
    "northeast",
    "northwest",
    "southeast",
    "southwest",
    "up",
    "down",
    "in",
    "out",
)
_COMPASS_JA = (
    "北",
    "南",
    "東",
    "西",
    "北東",
    "北西",
    "南東",
    "南西",
    "上",
    "下",
    "中",
    "外",
)
DIRECTIONS: frozenset[str] = frozenset((*_COMPASS, *_BETWEEN, *_COMPASS_JA))
"""Words for a way that need no place: an exit may be labelled so, or there is none."""


class _Record(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Records of a world are written in camelCase; defaults take no room."""


class Exit(_Record, frozen=True):
    """One way out of a location."""

    to: Id
    """The location it leads to."""
    label: str = ""
    """A direction or a name for the way; empty if the author gave none."""
    door: Id | None = None
    """The door that stands in it."""


class Location(_Record, frozen=True):
    """A place one can be in."""

    id: Id
    """Its id."""
    name: str
    """What people call it."""
    description: str = ""
    """What one sees on entering."""
    exits: tuple[Exit, ...] = ()
    """The ways out, in the author's order."""
    is_goal: bool = False
    """Whether being here can end the story well."""
    aliases: tuple[str, ...] = ()
    """Other names it answers to."""


class Entity(_Record, frozen=True):
    """A character or a thing."""

    id: Id
    """Its id."""
    name: str
    """What people call it; not unique."""
    kind: Kind = "item"
    """What it is."""
    place: Id | None = None
    """What it is in, on or held by; None for doors and whatever is off stage."""
    description: str = ""
    """What one sees on looking closely."""
    aliases: tuple[str, ...] = ()
    """Other names it answers to."""
    takeable: bool = False
    """Whether it can be picked up at all."""
    openable: bool = False
    """Whether it can be opened and closed."""
    open: bool = True
    """Whether it stands open; things that cannot be closed are open."""
    lockable: bool = False
    """Whether it has a lock."""
    locked: bool = False
    """Whether it is locked; a locked thing is closed."""
    required_key: Id | None = None
    """The key that fits the lock."""
    edible: bool = False
    """Whether it can be eaten or drunk."""
    hidden: bool = False
    """Whether nobody notices it before a search."""
    state: tuple[str, ...] = ()
    """Free words on its condition, such as `clean` or `off`."""
    status: tuple[str, ...] = ()
    """Free words on a character's condition."""
    connects: tuple[Id, Id] | None = None
    """A door's two sides."""
    hint: str = ""
    """A word of help for whoever is stopped or misled by it."""
    goals: tuple[str, ...] = ()
    """What a character wants."""
    attributes: dict[str, Any] = {}
    """The author's own facts about it; never edited in place."""


class Time(_Record, frozen=True):
    """When it is."""

    label: str = ""
    """The author's word for the hour, such as 朝."""
    turn: int = 0
    """How many turns have passed; no part of any hash."""


EntityCondition = Literal["open", "closed", "locked", "gone"]
"""How something stands: closed is not locked, and gone is no longer in the world."""
ENTITY_CONDITIONS: tuple[EntityCondition, ...] = get_args(EntityCondition)


class Fact(_Record, frozen=True):
    """Something that can be so of one entity; all that it says must be."""

    entity: Id
    """Whom or what it is about."""
    place: Id | None = None
    """What it must be directly in, on or with."""
    condition: EntityCondition | Literal[""] = ""
    """How it must stand."""
    attribute: str = ""
    """One of the author's own facts about it that must be true."""


class Milestone(_Record, frozen=True):
    """Something that need be so only once: its flag is set then, and stays."""

    flag: str
    """The flag of the world that remembers it; several may share one."""
    facts: tuple[Fact, ...]
    """What must be so, all at once."""
    spoils: bool = False
    """Whether the goal can no longer be reached from then on."""


class Goal(_Record, frozen=True):
    """When the story has ended well."""

    location: Id | None = None
    """Somebody must be here."""
    flag: str = ""
    """This flag must be set."""
    holding: Id | None = None
    """Somebody must hold this."""
    actor: Id | None = None
    """Who that somebody is; None for anyone."""
    message: str = ""
    """What is told when it is reached; no part of any hash."""
    milestones: tuple[Milestone, ...] = ()
    """What must have been so at some time, and what must never have been."""


class World(msgspec.Struct, frozen=True, kw_only=True):
    """What is true now.

    Maps share structure, so the world after one action costs the same to make
    whether it holds ten entities or a hundred thousand.
    """

    entities: Map[Id, Entity]
    """Everything that is not a location."""
    locations: Map[Id, Location]
    """The places."""
    contents: Map[Id, Map[Id, None]]
    """For each place or holder, what is directly there; kept in step with `place`.

    What is off stage stands under `NOWHERE`; doors are in no contents.
    """
    doors: Map[Id, tuple[Id, ...]]
    """For each location, the doors in its walls, in order of id; doors never move."""
    cast: tuple[Id, ...]
    """All characters, in order of id."""
    named: Map[Id, tuple[str, ...]]
    """Every entity's name and aliases: the same object as long as no name changes."""
    flags: Map[str, bool]
    """Facts that belong to no single thing."""
    time: Time
    """The hour, and how many turns have passed."""
    turn_order: tuple[Id, ...] = ()
    """Who acts after whom; empty where anyone may act at any time."""
    goal: Goal | None = None
    """When the story has ended well."""
    protagonist: Id | None = None
    """The author's first character: the one a single player plays."""
    language: str = "en"
    """The language its people speak; no part of any hash."""
    manners: tuple[Manner, ...] = ()
    """The crafts its people have words for; no part of any hash."""
    digest: int = 0
    """The running sum behind `fingerprint`; see `world.canonical`."""

    def list_held(self, actor: Id) -> tuple[Id, ...]:
        """What the actor holds, in order of id."""
        return tuple(sorted(self.contents.get(actor, _NOTHING)))

    def list_contents(self, place: Id) -> tuple[Id, ...]:
        """What is directly in, on or with the place, in order of id."""
        return tuple(sorted(self.contents.get(place, _NOTHING)))

    @property
    def inventory(self) -> Mapping[Id, tuple[Id, ...]]:
        """What each character holds; characters with empty hands included."""
        return {c.id: self.list_held(c.id) for c in self.list_characters()}

    def list_characters(self) -> Iterator[Entity]:
        """All characters, in order of id."""
        return (self.entities[who] for who in self.cast)


_NOTHING: Map[Id, None] = Map()
