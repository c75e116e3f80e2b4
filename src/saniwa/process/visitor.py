"""Who stands at the gate. A door has one visitor; nobody can name another by asking."""

import msgspec

from saniwa.process.artifact import Author


class Visitor(msgspec.Struct, frozen=True):
    """A role, and whether a person is known to stand behind it."""

    role: str
    """The role the door was opened for."""
    person: bool = False
    """Whether a credential says that this is a person; else it is an agent."""
    name: str = ""
    """The credential's name; the role where there is none."""

    @property
    def author(self) -> Author:
        """The visitor as records name it."""
        return Author("human" if self.person else "agent", self.name or self.role)


TIME = Visitor("timer", name="timer")
"""Who fires what is due."""
