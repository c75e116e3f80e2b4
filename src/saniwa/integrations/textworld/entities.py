"""Reads a game's propositions, and the names and descriptions of its entities."""

import re
from typing import Any, NamedTuple

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.reader import LocatedFields, is_well_formed
from saniwa.integrations.textworld import game_format
from saniwa.integrations.textworld.game_format import STRICT, GameDialect
from saniwa.scenario.findings import ScenarioCode
from saniwa.scenario.format import NAME, check_name


class Proposition(NamedTuple):
    """A fact that is true, or must become true."""

    name: str
    """The predicate."""
    about: tuple[str, ...]
    """The ids it is about, in order."""
    path: KeyPath
    """Its path in the game file."""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.about)})"


class PropositionReader:
    """Reads propositions; records the types of ids, and what is not supported."""

    def __init__(self, page: Findings, dialect: GameDialect = STRICT) -> None:
        self._page = page
        self._dialect = dialect
        self.types: dict[str, str] = {}
        """The type of every id, as first stated."""
        self._strange: dict[str, tuple[KeyPath, int]] = {}

    def read(self, value: Any, path: KeyPath) -> list[Proposition]:
        """Return the supported ones of a list; `report_unknown` reports the others."""
        found = (self._read_proposition(item, (*path, i)) for i, item in enumerate(value))
        return [one for one in found if one is not None]

    def add_type(self, id: str, type: str, path: KeyPath) -> None:
        """Record the type of an id; a finding if it had another one."""
        before = self.types.setdefault(id, type)
        if before != type:
            message = f"{id!r} is of type {type!r} here and of type {before!r} elsewhere"
            self._page.add_error(ScenarioCode.STATE_CONTRADICTION, message, path)

    def report_unknown(self) -> None:
        """Add a finding for every predicate and type that no scenario can express."""
        for shown, (path, count) in self._strange.items():
            times = f", {count} times" if count > 1 else ""
            self._page.add_error(
                ScenarioCode.GAME_UNSUPPORTED,
                f"the game speaks of {quote_value(shown)}{times}; the "
                f"{self._dialect.book!r} book has no rule about it",
                path,
                hint="make a game without it; docs/guide/textworld.md lists what can be",
            )

    def add_unknown(self, shown: str, path: KeyPath) -> None:
        """Record something that is not supported."""
        first, count = self._strange.get(shown, (path, 0))
        self._strange[shown] = (first, count + 1)

    def _read_proposition(self, value: Any, path: KeyPath) -> Proposition | None:
        page = self._page
        found = game_format.PROPOSITION.read(Located(value, path, page))
        if not {"name", "arguments"} <= found.keys():
            page.add_error(ScenarioCode.FIELD_MISSING, "a proposition needs name, arguments", path)
            return None
        held = found["arguments"]
        read = [self._read_argument(v, (*held.path, i)) for i, v in enumerate(held.value)]
        about = [pair for pair in read if pair is not None]
        if len(about) < len(read):
            return None
        ids, types = tuple(id for id, _ in about), tuple(type for _, type in about)
        name = str(found["name"].value)
        known = self._dialect.signatures.get(name, ())
        if any(_matches_types(types, wanted, self._dialect) for wanted in known):
            return Proposition(name, ids, path)
        self.add_unknown(f"{name}({', '.join(types)})", path)
        return None

    def _read_argument(self, value: Any, path: KeyPath) -> tuple[str, str] | None:
        found = game_format.ARGUMENT.read(Located(value, path, self._page))
        if not {"name", "type"} <= found.keys():
            message = "an argument needs name and type"
            self._page.add_error(ScenarioCode.FIELD_MISSING, message, path)
            return None
        id, type = str(found["name"].value), str(found["type"].value)
        self.add_type(id, type, path)
        return id, type


def _matches_types(types: tuple[str, ...], wanted: tuple[str, ...], dialect: GameDialect) -> bool:
    return len(types) == len(wanted) and all(
        type == want or type in dialect.kindred.get(want, ())
        for type, want in zip(types, wanted, strict=True)
    )


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
            page.add_error(ScenarioCode.WRONG_TYPE, "an entity must be an id and a mapping", here)
            continue
        found = game_format.ENTITY.read(Located(pair[1], (*here, 1), page))
        id = found.get_value("id")
        if id is None or id != pair[0] or "type" not in found:
            message = "an entity needs an id, the same twice, and a type"
            page.add_error(ScenarioCode.FIELD_MISSING, message, here)
        elif id in read:
            page.add_error(ScenarioCode.ID_COLLISION, f"there are two entities {id!r}", here)
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
            message = f"the game speaks of {id!r} and does not say what it is"
            page.add_error(ScenarioCode.NAME_UNKNOWN, message, ("infos",))


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
            ScenarioCode.GAME_UNSUPPORTED,
            f"{cut} descriptions change with the game; only what is always so is kept",
            ("infos",),
            key=False,
        )
    return entities


def _read_name(page: Findings, id: str, found: LocatedFields, named: set[str]) -> str:
    """Return the name; the id if there is none, as for the player."""
    held = found.get("name")
    if held is None or held.value == "":
        if found.get_value("type") in named:
            message = f"{id!r} has no name and is called by its id"
            page.add_warning(
                ScenarioCode.FIELD_MISSING, message, (*next(iter(found.values())).path[:-1], "name")
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
