"""Stories read for runs: beside everything else, and each once for all who play it."""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from saniwa.core.clock import Clock
from saniwa.script.story import Story
from saniwa.wiring.garden.held import weight_of
from saniwa.wiring.garden.workshop import Workshop, waited
from saniwa.wiring.once import Once

HEAVIEST: Final = 200_000
"""Operations that remembered stories may have together."""


class Reading:
    """Reads stories, and remembers those that were read last."""

    def __init__(self, clock: Clock, workshop: Workshop) -> None:
        """Nothing was read yet."""
        self._workshop = workshop
        self._once = Once[Story](clock, weight_of, HEAVIEST)
        self._begun = dict[Hashable, Future[Story]]()

    async def story(
        self,
        name: Hashable,
        folders: Sequence[Path],
        read: Callable[[], Story],
        whose: str | None = None,
    ) -> Story:
        """The story of a name, made from everything in some folders as they are now.

        `whose` as for `Workshop.begin`.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS`.
            Exception: Whatever reading it raises; that is not remembered.
        """
        key = self._once.key(name, folders)
        if key is None:
            return await self._workshop.done(read, whose)
        known = self._once.known(key)
        if known is not None:
            return known
        return self._once.remember(key, await waited(self._reading(key, read, whose)))

    def _reading(
        self, key: Hashable, read: Callable[[], Story], whose: str | None
    ) -> Future[Story]:
        """Who asks for what is being read waits for that."""
        begun = self._begun.get(key)
        if begun is None:
            begun = self._begun[key] = self._workshop.begin(read, whose)
            begun.add_done_callback(lambda _: self._begun.pop(key, None))
        return begun
