"""Ids of callers, separate for each caller and the same in every schedule."""


class OwnIds:
    """Ids that no other caller gives."""

    def __init__(self, caller: int) -> None:
        self._caller, self._count = caller, 0

    def create_id(self, prefix: str) -> str:
        """The next id of this caller."""
        self._count += 1
        return f"{prefix}-{self._caller}-{self._count}"
