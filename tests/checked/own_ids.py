"""Ids of callers, each their own, the same in every schedule."""


class OwnIds:
    """Ids that nobody else gives."""

    def __init__(self, caller: int) -> None:
        self._caller, self._count = caller, 0

    def create_id(self, prefix: str) -> str:
        """The next of this caller's own."""
        self._count += 1
        return f"{prefix}-{self._caller}-{self._count}"
