"""Reads the names and descriptions of a game's entities."""

import re
from typing import Any, NamedTuple

from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import LocatedFields, is_well_formed
from saniwa.integrations.textworld import game_format
from saniwa.integrations.textworld.game_format import STRICT, GameDialect, PropositionReader
from saniwa.scenario.format import NAME, check_name

_MARK = re.compile(r"\[([^\[\]]*)\]")
_SENTENCE = re.compile(r"[^.!?]*(?:[.!?]+[\"')]*|$)")
_CUT = "\0"
"""Marks where something was removed from a sentence."""


class GameProse(NamedTuple):
    """The part of a text that can be used."""

    text: str
    """The sentences that always hold."""
    whole: bool
    """Whether that is the complete text."""


def extract_prose(text: str) -> GameProse:
    """Return the sentences of a text that hold whatever happens in the game."""
    bare = _remove_conditions(text)
    sentences = [found.strip() for found in _SENTENCE.findall(bare)]
    usable = [s for s in sentences if s and not set(s) & {_CUT, "[", "]"}]
    return GameProse(" ".join(" ".join(usable).split()), whole="[" not in text)


def _remove_conditions(text: str) -> str:
    """Remove every `[if …] … [end if]`, and every other mark."""
    parts: list[str] = []
    depth = start = 0
    for found in _MARK.finditer(text):
        before = text[start : found.start()]
        if depth == 0:
            parts.append(before)
        word = found.group(1).strip().lower()
        if word.startswith("if "):
            depth += 1
        elif word == "end if":
            depth = max(depth - 1, 0)
            # Complete sentences under a condition do not affect those around them.
            if depth == 0 and not before.rstrip().endswith((".", "!", "?")):
                parts.append(_CUT)
        elif depth == 0:
            parts.append(_CUT)
        start = found.end()
    return "".join(parts) + (text[start:] if depth == 0 else _CUT)


class GameEntity(NamedTuple):
    """One entity of a game."""

    id: str
    """Its id, such as `c_0`."""
    type: str
    """Its type, such as `c`."""
    name: str
    """The name that is shown."""
    aliases: tuple[str, ...]
    """Other names for it."""
    description: str
    """Its description; only what is always true."""
    path: KeyPath
    """Its path in the game file."""


def read_entities(
    page: Findings,
    reader: PropositionReader,
    value: Any,
    path: KeyPath,
    dialect: GameDialect = STRICT,
) -> dict[str, GameEntity]:
    """Read every entity by id, in the game's order; unknown types become findings."""
    read: dict[str, tuple[LocatedFields, KeyPath]] = {}
    for index, pair in enumerate(value):
        here = (*path, index)
        if not (isinstance(pair, list) and len(pair) == 2):
            page.add_error("WRONG_TYPE", "an entity must be an id and a mapping", here)
            continue
        found = game_format.ENTITY.read(Located(pair[1], (*here, 1), page))
        id = found.get_value("id")
        if id is None or id != pair[0] or "type" not in found:
            message = "an entity needs an id, the same twice, and a type"
            page.add_error("FIELD_MISSING", message, here)
        elif id in read:
            page.add_error("ID_COLLISION", f"there are two entities {id!r}", here)
        else:
            reader.add_type(id, str(found.get_value("type")), here)
            read[id] = (found, here)
    _check_unnamed(page, reader, read)
    return _build_entities(page, reader, read, dialect)


def _check_unnamed(
    page: Findings, reader: PropositionReader, read: dict[str, tuple[LocatedFields, KeyPath]]
) -> None:
    for id in reader.types:
        if id not in read:
            message = f"the game mentions {id!r} but does not define it"
            page.add_error("NAME_UNKNOWN", message, ("infos",))


def _build_entities(
    page: Findings,
    reader: PropositionReader,
    read: dict[str, tuple[LocatedFields, KeyPath]],
    dialect: GameDialect,
) -> dict[str, GameEntity]:
    named = {*dialect.kinds, "r"}
    names = {id: _read_name(page, id, found, named) for id, (found, _) in read.items()}
    taken = {name.casefold() for name in names.values()}
    entities, cut = {}, 0
    for id, (found, path) in read.items():
        type = reader.types[id]
        if type not in dialect.types:
            reader.add_unknown(f"an entity of type {type}", path)
            continue
        text = extract_prose(found.get_value("desc", ""))
        cut += not text.whole
        aliases = _list_aliases(found, taken)
        entities[id] = GameEntity(id, type, names[id], aliases, text.text, path)
    if cut:
        page.add_note(
            "GAME_UNSUPPORTED",
            f"{cut} descriptions change during the game; only their constant part is kept",
            ("infos",),
            key=False,
        )
    return entities


def _read_name(page: Findings, id: str, found: LocatedFields, named: set[str]) -> str:
    """Return the name; the id if there is none, as for the player."""
    held = found.get("name")
    if held is None or held.value == "":
        if found.get_value("type") in named:
            message = f"{id!r} has no name and is shown by its id"
            page.add_warning(
                "FIELD_MISSING", message, (*next(iter(found.values())).path[:-1], "name")
            )
        return id
    if not isinstance(held.value, str):
        is_well_formed(held, NAME, "'name'")
        return id
    check_name(page, held.value, held.path)
    return str(held.value)


def _list_aliases(found: LocatedFields, taken: set[str]) -> tuple[str, ...]:
    """Return other names, and the bare noun if nothing else has it."""
    noun = found.get_value("noun")
    more = [noun] if isinstance(noun, str) and noun.strip() else []
    listed = found.get_value("synonyms", ()) or ()
    names = (*(n for n in listed if isinstance(n, str)), *more)
    return tuple(dict.fromkeys(n for n in names if n.casefold() not in taken))
