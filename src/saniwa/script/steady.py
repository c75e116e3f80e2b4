"""Which kinds of value a story's variables can ever have.

Old commands did nothing where kinds did not fit. Where they always fit, what is written
today means exactly the same.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from saniwa.script.language.expression import Expression, Scope
from saniwa.script.language.value import kind_of
from saniwa.script.node import Ask, Assign, Scene
from saniwa.script.tree import walk

_NUMBERS = frozenset({"number", "nothing"})
_NOBODY = cast(Scope, None)


class Kinds:
    """The kinds of all variables of a story."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        self._kinds: dict[str, set[str]] = defaultdict(set)
        self._set = {
            each.name
            for scene in scenes
            for each in scene.front.variables
            if each.value is not None
        }
        for scene in scenes:
            for declared in scene.front.variables:
                self._kinds[declared.name].add(kind_of(declared.value))
            for element in walk(scene.block):
                if isinstance(element, Assign):
                    self._assign(element)
                elif isinstance(element, Ask) and element.name:
                    self._kinds[element.name].add("text")

    def _assign(self, put: Assign) -> None:
        kind = kind_of(put.worth.worth(_NOBODY)) if put.worth.constant else "any"
        if put.old == "MODIFY" or (put.operator != "=" and kind == "number"):
            return
        self._kinds[put.name].add(kind)

    def is_number(self, name: str) -> bool:
        """Whether a variable is always a number, or unset."""
        return self._kinds[name] <= _NUMBERS

    def is_reckoned(self, by: Expression) -> bool:
        """Whether what stands in an old MODIFY is always a number."""
        if by.constant:
            return kind_of(by.worth(_NOBODY)) == "number"
        return not by.calls and all(self.is_number(each.name) for each in by.names)

    def is_always(self, name: str, kind: str) -> bool:
        """Whether a variable always has a value, and one of this kind."""
        return name in self._set and self._kinds[name] == {kind}
