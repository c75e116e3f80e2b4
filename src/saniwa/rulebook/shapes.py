"""The plain shapes a book's document is made of: objects, lists, texts, truths.

Each reader gives something to go on with, after noting what is wrong and where.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from saniwa.core.quoted import quoted
from saniwa.rulebook.notes import Notes, Path
from saniwa.rulebook.reading import camel

Fields = dict[str, tuple[Any, Path]]
"""The fields of an object by their camelCase name, each with the way to it."""


class Shapes:
    """Reads plain shapes; every mistake goes into its notes."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        """Where mistakes go."""

    def fields(
        self, value: object, path: Path, allowed: frozenset[str], what: str
    ) -> Fields:
        """The known fields of an object."""
        fields: Fields = {}
        for key, inner, inside in self.entries(value, path, what):
            name = camel(key)
            if name not in allowed:
                self.notes.unknown("RULE_UNKNOWN_FIELD", inside, key, allowed)
            elif name in fields:
                self.notes.twice(inside, f"{name!r} is given twice")
            else:
                fields[name] = (inner, inside)
        return fields

    def entries(
        self, value: Any, path: Path, what: str
    ) -> Iterator[tuple[str, Any, Path]]:
        """Every key of an object with what it holds and the way there."""
        if not isinstance(value, Mapping):
            self.notes.bad(path, f"{what} is an object, not {type(value).__name__}")
            return
        for key, inner in value.items():
            if isinstance(key, str):
                yield key, inner, (*path, key)
            else:
                self.notes.bad(
                    (*path, quoted(key)), f"the key {quoted(key)} is not text"
                )

    def listed(
        self, fields: Mapping[str, tuple[Any, Path]], name: str, path: Path
    ) -> list[tuple[Any, Path]]:
        """What a field lists, each with the way to it; nothing where it is not there."""
        value, inside = fields.get(name, ([], (*path, name)))
        if not isinstance(value, (list, tuple)):
            self.notes.bad(inside, f"{name!r} is a list, not {type(value).__name__}")
            return []
        return [(each, (*inside, i)) for i, each in enumerate(value)]

    def text(self, value: Any, path: Path, name: str) -> str:
        """A text; empty for anything else."""
        if not isinstance(value, str):
            self.notes.bad(path, f"{name!r} is text, not {type(value).__name__}")
            return ""
        return value

    def truth(self, value: Any, path: Path, name: str) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            self.notes.bad(path, f"{name!r} is true or false, not {quoted(value)}")
        return bool(value)

    def scalar(self, value: Any, path: Path, name: str) -> Any:
        """A text or a whole number."""
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            self.notes.bad(path, f"{name!r} is a text or a whole number")
        return value
