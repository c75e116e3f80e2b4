"""What the rewriting of a foreign file changed, and what it could not keep.

Changes of one kind are one entry with all their places, so that a long file gives a short
list.
"""

from typing import Any, Literal

import msgspec
import yaml

ChangeEffect = Literal["rewritten", "dropped"]
"""Whether it means the same as before, or has no equivalent."""


class MigrationChange(msgspec.Struct, frozen=True):
    """Changes of one kind."""

    effect: ChangeEffect
    """What became of it."""
    message: str
    """What was changed, in a few words."""
    places: tuple[str, ...]
    """Where, as paths in the file; in the order in which they were found."""


class MigrationLog:
    """Collects changes, grouped by their kind."""

    def __init__(self) -> None:
        self._places: dict[tuple[ChangeEffect, str], list[str]] = {}

    def rewrite(self, place: str, message: str) -> None:
        """Record something that was written differently and means the same."""
        self._add("rewritten", place, message)

    def drop(self, place: str, message: str) -> None:
        """Record something that has no equivalent."""
        self._add("dropped", place, message)

    def _add(self, effect: ChangeEffect, place: str, message: str) -> None:
        places = self._places.setdefault((effect, message), [])
        if place not in places:
            places.append(place)

    def list_changes(self) -> tuple[MigrationChange, ...]:
        """List the changes, rewritten ones first; each kind once."""
        ordered = sorted(self._places, key=lambda each: each[0] == "dropped")
        return tuple(MigrationChange(*each, tuple(self._places[each])) for each in ordered)


class _BlockDumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and repeats values instead of naming them."""

    def ignore_aliases(self, _: Any) -> bool:
        """Write every value out."""
        return True


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_BlockDumper.add_representer(str, _write_text)


def render_yaml(value: Any) -> str:
    """Render plain values as YAML, in their order."""
    text: str = yaml.dump(
        value, Dumper=_BlockDumper, allow_unicode=True, sort_keys=False, width=100
    )
    return text
