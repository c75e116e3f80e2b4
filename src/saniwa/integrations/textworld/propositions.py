"""Reads a game's propositions."""

from typing import Any, NamedTuple

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.integrations.textworld import game_format
from saniwa.integrations.textworld.game_format import STRICT, GameDialect
from saniwa.scenario.findings import ScenarioCode


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
