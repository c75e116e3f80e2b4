"""The keys of a mapping, each with the name of what may stand under it."""

from collections.abc import Mapping

Form = Mapping[str, str]
"""The keys of one kind of mapping, as they are published."""
