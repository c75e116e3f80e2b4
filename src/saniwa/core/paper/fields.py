"""The fields of one mapping that could be read, and which of them could not."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted

_HUMP = re.compile(r"([A-Z])")
_NOTHING: Mapping[str, str] = {}


class Fields(dict[str, Held]):
    """The well-formed fields of a mapping under their published names."""

    def __init__(self, held: Held) -> None:
        super().__init__()
        self.held = held
        self.malformed = set[str]()
        """Fields that are written, and not as they should be: their findings are told.

        A key that is nearly one of them stands for it, so that nobody is told twice."""

    def said(self, name: str, otherwise: Any = None) -> Any:
        """The value of a field; something else where it is not written."""
        held = self.get(name)
        return otherwise if held is None else held.value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts as a tuple; empty where it is not written."""
        return tuple(self.said(name, ()))

    def part(self, name: str) -> Held:
        """A mapping within this one; an empty one where it is not written."""
        return self.get(name) or self.held.bottom.inner(name, {})

    def needs(self, names: Collection[str], owner: str, hint: str = "") -> bool:
        """Whether all of these are written; a finding for each that is not."""
        for name in names:
            if name not in self and name not in self.malformed:
                self.held.bottom.error(
                    "FIELD_MISSING",
                    f"{owner} needs {name!r}",
                    hint=hint or f"add {name!r}",
                )
        return all(name in self for name in names)

    def one_of(
        self,
        name: str,
        known: Collection[str],
        otherwise: str,
        meant: Mapping[str, str] = _NOTHING,
    ) -> str:
        """A text that is one of some words; a finding if it is another.

        `meant` are words of elsewhere, each with the one it means here.
        """
        held = self.get(name)
        if held is None or held.value in known:
            return otherwise if held is None else str(held.value)
        words = ", ".join(known)
        word = meant.get(str(held.value).lower(), "")
        near = f"write {word!r}" if word else held.page.near(str(held.value), known)
        message = f"{name!r} is {quoted(held.value)}, and can only be one of {words}"
        held.error("UNKNOWN_VALUE", message, hint=near or f"write one of {words}")
        del self[name]
        self.malformed.add(name)
        return otherwise

    def taken(self, *names: str) -> dict[str, Any]:
        """What is written of some fields, by the names they have in code.

        What is not written is left out: the struct they go to has its own defaults.
        """
        return {
            _HUMP.sub(r"_\1", name).lower(): self[name].value
            for name in names
            if name in self
        }
