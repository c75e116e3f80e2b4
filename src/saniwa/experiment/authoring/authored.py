"""A plan as it was read, with the files it names and the places where it names them."""

import msgspec

from saniwa.core.where import Where
from saniwa.experiment.plan import Plan


class Authored(msgspec.Struct, frozen=True, kw_only=True):
    """A plan without a mistake of its own; what it names has not been looked at yet."""

    plan: Plan
    """The plan; its scenarios are as they were named: ids, files, `tag:…`."""
    folder: str = ""
    """The folder its files are named from."""
    prompts: dict[str, dict[str, str]] = {}
    """Files of the author's own editions: by name, then by language, or ''."""
    books: dict[str, str] = {}
    """Files of the author's own rulebooks, by the name that conditions give them."""
    places: dict[str, Where] = {}
    """Where it names what it names: `scenarios.NAME`, `prompts.NAME`, `rulebook.NAME`…"""

    def where(self, kind: str, name: str) -> Where | None:
        """Where something is named; None for what nobody wrote."""
        return self.places.get(f"{kind}.{name}")
