"""The floor of an agent that has none: it thinks, and its words go nowhere."""

from saniwa.agent.floor import Handed, View, unfit
from saniwa.process.ruling import Ruling
from saniwa.turn.trace import Turn


class NoFloor:
    """Nothing to see, nowhere to speak."""

    def view(self) -> View:
        """Nothing."""
        return View()

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:  # noqa: ARG002 - nowhere to say them
        """Refuse: there is no world."""
        raise unfit("speak", "no world")

    async def submit(self, handed: Handed, attempt: str) -> Ruling:  # noqa: ARG002 - nobody to hand it to
        """Refuse: there is no gate."""
        raise unfit("submit", "no gate")

    async def wait(self) -> bool:
        """Nobody else will act."""
        return False
