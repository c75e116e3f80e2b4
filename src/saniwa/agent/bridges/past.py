"""What was asked and answered before an agent was stopped, and is taken up again."""

import msgspec


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """Questions and answers that are behind an agent, as its journal has them.

    Whoever answers from a list goes on after them instead of beginning again.
    """

    keys: tuple[str, ...] = ()
    """What each question is known by, in order; `QueryResult.key`."""
    texts: tuple[str, ...] = ()
    """What was answered, in order."""

    def __add__(self, other: "Past") -> "Past":
        return Past(keys=self.keys + other.keys, texts=self.texts + other.texts)
