"""The world a story is explored on, as far as the story room needs to know one."""

from collections.abc import Hashable
from typing import Any, Protocol

from saniwa.script.playing.memory import Facts
from saniwa.script.playing.player import Outcome, Request


class Terrain(Facts, Protocol):
    """A world that can be gone back in; whoever has one plays this role."""

    def do(self, request: Request) -> Outcome:
        """What comes of a request."""
        ...

    def mark(self) -> Any:
        """This moment, to be gone back to."""
        ...

    def go_back(self, mark: Any) -> None:
        """Stand where the world stood at a moment."""
        ...

    def fingerprint(self) -> Hashable:
        """Equal where the same deeds lead to the same."""
        ...
