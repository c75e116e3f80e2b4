"""New identifiers, as a port."""

from typing import Protocol

import uuid_utils


class Ids(Protocol):
    """Creates identifiers that are never repeated."""

    def create_id(self, prefix: str) -> str:
        """Return a new id such as `run-019471a2-7c8d-7000-8000-000000000001`."""


class TimeOrderedIds:
    """A prefix and a UUIDv7: sorting by id is sorting by time."""

    def create_id(self, prefix: str) -> str:
        """Return a new id that sorts after every earlier one of this process."""
        return f"{prefix}-{uuid_utils.uuid7()}"


class CountingIds:
    """Ids in UUIDv7's shape that count from one, so that runs are reproducible."""

    def __init__(self) -> None:
        self._count = 0

    def create_id(self, prefix: str) -> str:
        """Return the next number, in the shape of a UUIDv7."""
        self._count += 1
        return f"{prefix}-00000000-0000-7000-8000-{self._count:012x}"
