"""A value that somebody wrote, and where it stands."""

from typing import Any, NamedTuple

from saniwa.core.page import Page, Path


class Held(NamedTuple):
    """A value, where it stands, and what it stands over: `config.json` over `agent.json`."""

    value: Any
    """The value."""
    path: Path
    """The way to it."""
    page: Page
    """The file it stands in."""
    below: "Held | None" = None
    """The mapping it adds to and overrides, key by key."""

    def error(self, code: str, message: str, *, hint: str = "") -> None:
        """Note a mistake here."""
        self.page.error(code, message, self.path, hint=hint)

    def warn(self, code: str, message: str, *, hint: str = "") -> None:
        """Note something one may live with."""
        self.page.warn(code, message, self.path, hint=hint)

    def inner(self, step: str | int, value: Any) -> "Held":
        """A value within this one."""
        return Held(value, (*self.path, step), self.page)

    @property
    def bottom(self) -> "Held":
        """The lowest of those it stands over: where its author writes what is missing."""
        return self if self.below is None else self.below.bottom
