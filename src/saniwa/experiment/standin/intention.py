"""What a stand-in means to do, and why: the reason is what its thought will say."""

from typing import Literal, NamedTuple

from saniwa.experiment.standin.deed import Deed

Why = Literal[
    "told",
    "force",
    "talk",
    "invent",
    "misplace",
    "stray",
    "try",
    "careful",
    "ask",
    "repeat",
    "heed",
    "quiet",
    "insist",
]
"""Reasons: kept to what it was told; tried what is shut; only talks; invented; went by
what it read of elsewhere; went to a place nobody spoke of; tried a door it read of; went
by what others did; asks what is here; says the same again; did what a card offers; only speaks after a card; does not
believe a card."""


class Intention(NamedTuple):
    """What it means to do."""

    why: Why
    """The reason."""
    deed: Deed | None = None
    """The deed; None where it only speaks."""
    again: str = ""
    """What it says again, word for word, in place of anything else."""

    @property
    def about(self) -> str:
        """What it is about, by name."""
        return self.deed.target if self.deed else ""
