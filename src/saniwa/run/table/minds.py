"""What each character at a table believes, followed turn by turn as the run goes on.

A mind is made of the turns its character could perceive and of nothing else, so a resumed
run has the minds it had, and a run that goes back has those of that time.
"""

from saniwa.agent.belief.mind import Mind, opening_mind, perceive
from saniwa.run.conductor import Run
from saniwa.run.course import BEGINNING
from saniwa.turn.trace import Return, Turn
from saniwa.world.model import Id


class Minds:
    """The minds of a run's characters; each is followed from when it is first asked for.

    They share what they have in common, as the run's worlds do.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._minds = dict[Id, list[Mind]]()

    def of(self, who: Id) -> Mind:
        """What the character believes now. Costs the turns since it was last asked for.

        Raises:
            StoreError: The store cannot be read.
        """
        known = self._minds.get(who)
        if known is None:
            opening = opening_mind(self._run.world_after(BEGINNING), who)
            known = self._minds[who] = [opening]
        for turn in self._run.so_far(len(known) - 1):
            known.append(self._after(known, turn))
        return known[-1]

    def at(self, who: Id, number: int) -> Mind:
        """What the character believed after one of the run's turns; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
            StoreError: The store cannot be read.
        """
        if not BEGINNING <= number < self._run.count:
            raise IndexError(number)
        self.of(who)
        return self._minds[who][number + 1]

    def _after(self, known: list[Mind], turn: Turn) -> Mind:
        if isinstance(turn.aside, Return):
            return known[turn.aside.to + 1]
        if turn.aside is not None:
            return known[-1]
        before = self._run.world_after(turn.number - 1)
        after = self._run.world_after(turn.number)
        return perceive(known[-1], turn, before, after)
