"""The names and descriptions of everything in a game."""

from typing import Any, NamedTuple

from saniwa.scenario import shape
from saniwa.scenario.code import Code
from saniwa.scenario.draft import value_of
from saniwa.scenario.page import Page, Path
from saniwa.scenario.shape import Fields
from saniwa.scenario.textworld import form
from saniwa.scenario.textworld.dialect import STRICT, Dialect
from saniwa.scenario.textworld.proposition import Propositions
from saniwa.scenario.textworld.prose import prose


class Entity(NamedTuple):
    """One entity of a game."""

    id: str
    """Its id, such as `c_0`."""
    type: str
    """Its type, such as `c`."""
    name: str
    """What people call it."""
    aliases: tuple[str, ...]
    """What they may call it too."""
    description: str
    """What one sees; only what is always so."""
    path: Path
    """Where the game speaks of it."""


def read_entities(
    page: Page, told: Propositions, value: Any, path: Path, dialect: Dialect = STRICT
) -> dict[str, Entity]:
    """Every entity by id, in the game's order; those of no known type are findings."""
    read: dict[str, tuple[Fields, Path]] = {}
    for index, pair in enumerate(value):
        here = (*path, index)
        if not (isinstance(pair, list) and len(pair) == 2):
            page.error(Code.WRONG_TYPE, "an entity must be an id and a mapping", here)
            continue
        found = shape.fields(page, pair[1], (*here, 1), form.ENTITY, "an entity")
        id = value_of(found, "id")
        if id is None or id != pair[0] or "type" not in found:
            message = "an entity needs an id, the same twice, and a type"
            page.error(Code.FIELD_MISSING, message, here)
        elif id in read:
            page.error(Code.ID_COLLISION, f"there are two entities {id!r}", here)
        else:
            told.know(id, str(value_of(found, "type")), here)
            read[id] = (found, here)
    _add_unnamed(page, told, read)
    return _named(page, told, read, dialect)


def _add_unnamed(
    page: Page, told: Propositions, read: dict[str, tuple[Fields, Path]]
) -> None:
    for id in told.types:
        if id not in read:
            message = f"the game speaks of {id!r} and does not say what it is"
            page.error(Code.NAME_UNKNOWN, message, ("infos",))


def _named(
    page: Page,
    told: Propositions,
    read: dict[str, tuple[Fields, Path]],
    dialect: Dialect,
) -> dict[str, Entity]:
    named = {*dialect.kinds, "r"}
    names = {id: _name(page, id, found, named) for id, (found, _) in read.items()}
    taken = {name.casefold() for name in names.values()}
    entities, cut = {}, 0
    for id, (found, path) in read.items():
        type = told.types[id]
        if type not in dialect.types:
            told.strange(f"an entity of type {type}", path)
            continue
        text = prose(value_of(found, "desc", ""))
        cut += not text.whole
        aliases = _aliases(found, taken)
        entities[id] = Entity(id, type, names[id], aliases, text.text, path)
    if cut:
        page.note(
            Code.GAME_UNSUPPORTED,
            f"{cut} descriptions change with the game; only what is always so is kept",
            ("infos",),
        )
    return entities


def _name(page: Page, id: str, found: Fields, named: set[str]) -> str:
    """The name; the id where there is none, as for whoever plays."""
    held = found.get("name")
    if held is None or held.value == "":
        if value_of(found, "type") in named:
            message = f"{id!r} has no name and is called by its id"
            page.warn(Code.FIELD_MISSING, message, (*_path(found), "name"))
        return id
    if not isinstance(held.value, str):
        shape.wrong_type(page, held.path, "'name'", "a name", held.value)
        return id
    shape.good_name(page, held.value, held.path)
    return str(held.value)


def _path(found: Fields) -> Path:
    return next(iter(found.values())).path[:-1]


def _aliases(found: Fields, taken: set[str]) -> tuple[str, ...]:
    """Other names, and the bare noun where nothing else is called so."""
    noun = value_of(found, "noun")
    more = [noun] if isinstance(noun, str) and noun.strip() else []
    listed = value_of(found, "synonyms", ()) or ()
    names = (*(n for n in listed if isinstance(n, str)), *more)
    return tuple(dict.fromkeys(n for n in names if n.casefold() not in taken))
