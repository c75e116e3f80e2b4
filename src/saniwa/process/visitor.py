"""Who acts at the gate: a role, and whether a person or an agent holds it."""

import msgspec

from saniwa.process.artifact import Author


class Visitor(msgspec.Struct, frozen=True):
    """A role, and whether a person is known to stand behind it."""

    role: str
    """The role the gate was opened for."""
    person: bool = False
    """Whether a credential identifies a person; otherwise it is an agent."""
    name: str = ""
    """The credential's name; empty to use the role."""

    @property
    def author(self) -> Author:
        """The visitor as records name it."""
        return Author("human" if self.person else "agent", self.name or self.role)


TIMER_VISITOR = Visitor("timer", name="timer")
"""The visitor that fires due timers."""
