"""What a game says is so: one predicate, and whom it is about."""

from typing import Any, NamedTuple

from saniwa.core.quoted import quoted
from saniwa.scenario import shape
from saniwa.scenario.code import Code
from saniwa.scenario.page import Page, Path
from saniwa.scenario.textworld import form
from saniwa.scenario.textworld.dialect import STRICT, Dialect


class Proposition(NamedTuple):
    """Something that is so, or must be."""

    name: str
    """The predicate."""
    about: tuple[str, ...]
    """The ids it is about, in order."""
    path: Path
    """Where the game says it."""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.about)})"


class Propositions:
    """Reads propositions; keeps who is of what type, and what we do not understand."""

    def __init__(self, page: Page, dialect: Dialect = STRICT) -> None:
        self._page = page
        self._dialect = dialect
        self.types: dict[str, str] = {}
        """The type of every id, as first told."""
        self._strange: dict[str, tuple[Path, int]] = {}

    def read(self, value: Any, path: Path) -> list[Proposition]:
        """Those of a list that we understand; the others are told by `tell_strange`."""
        found = (self._one(item, (*path, i)) for i, item in enumerate(value))
        return [one for one in found if one is not None]

    def know(self, id: str, type: str, path: Path) -> None:
        """Note what type an id has; a finding where it has had another."""
        before = self.types.setdefault(id, type)
        if before != type:
            message = (
                f"{id!r} is of type {type!r} here and of type {before!r} elsewhere"
            )
            self._page.error(Code.STATE_CONTRADICTION, message, path)

    def tell_strange(self) -> None:
        """A finding for every predicate and type that no scenario can say."""
        for shown, (path, count) in self._strange.items():
            times = f", {count} times" if count > 1 else ""
            self._page.error(
                Code.GAME_UNSUPPORTED,
                f"the game speaks of {quoted(shown)}{times}; the "
                f"{self._dialect.book!r} book has no rule about it",
                path,
                hint="make a game without it; docs/guide/textworld.md lists what can be",
            )

    def strange(self, shown: str, path: Path) -> None:
        """Note something that we do not understand."""
        first, count = self._strange.get(shown, (path, 0))
        self._strange[shown] = (first, count + 1)

    def _one(self, value: Any, path: Path) -> Proposition | None:
        page = self._page
        found = shape.fields(page, value, path, form.PROPOSITION, "a proposition")
        if not {"name", "arguments"} <= found.keys():
            page.error(Code.FIELD_MISSING, "a proposition needs name, arguments", path)
            return None
        held = found["arguments"]
        read = [self._argument(v, (*held.path, i)) for i, v in enumerate(held.value)]
        about = [pair for pair in read if pair is not None]
        if len(about) < len(read):
            return None
        ids, types = tuple(id for id, _ in about), tuple(type for _, type in about)
        name = str(found["name"].value)
        known = self._dialect.signatures.get(name, ())
        if any(_fits(types, wanted, self._dialect) for wanted in known):
            return Proposition(name, ids, path)
        self.strange(f"{name}({', '.join(types)})", path)
        return None

    def _argument(self, value: Any, path: Path) -> tuple[str, str] | None:
        found = shape.fields(self._page, value, path, form.ARGUMENT, "an argument")
        if not {"name", "type"} <= found.keys():
            message = "an argument needs name and type"
            self._page.error(Code.FIELD_MISSING, message, path)
            return None
        id, type = str(found["name"].value), str(found["type"].value)
        self.know(id, type, path)
        return id, type


def _fits(types: tuple[str, ...], wanted: tuple[str, ...], dialect: Dialect) -> bool:
    return len(types) == len(wanted) and all(
        type == want or type in dialect.kindred.get(want, ())
        for type, want in zip(types, wanted, strict=True)
    )
