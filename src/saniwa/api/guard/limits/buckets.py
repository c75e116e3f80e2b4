"""How often somebody may do something: a bucket each, filled by time, of bounded number."""

from collections import OrderedDict
from collections.abc import Callable

from saniwa.api.guard.settings import Rate

Seconds = Callable[[], float]
"""A clock that only goes forward, such as `time.monotonic`."""


class Buckets:
    """Buckets of tokens, one for each name; whoever finds none has to wait."""

    def __init__(self, rate: Rate, most: int, seconds: Seconds) -> None:
        """Full buckets for everybody; of more than `most` the longest silent is forgotten."""
        self._rate = rate
        self._most = most
        self._seconds = seconds
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._left)

    def take(self, name: str) -> float:
        """Take a token: 0 if there was one, else the seconds until there will be."""
        left = self._refilled(name)
        taken = left >= 1
        self._put(name, left - 1 if taken else left)
        return 0.0 if taken else (1 - left) / self._rate.each_second

    def reserve(self, name: str, longest: float) -> float:
        """Take the next token there will be: the seconds until it is there, 0 for now.

        Nothing is taken where that would be longer than `longest`.
        """
        left = self._refilled(name)
        wait = max(0.0, (1 - left) / self._rate.each_second)
        self._put(name, left - 1 if wait <= longest else left)
        return wait

    def give_back(self, name: str) -> None:
        """Put a token back that was not needed."""
        self._put(name, self._refilled(name) + 1)

    def _refilled(self, name: str) -> float:
        if name not in self._left:
            return float(self._rate.at_once)
        left, since = self._left[name]
        gained = (self._seconds() - since) * self._rate.each_second
        return min(left + gained, float(self._rate.at_once))

    def _put(self, name: str, left: float) -> None:
        self._left[name] = (left, self._seconds())
        self._left.move_to_end(name)
        if len(self._left) > self._most:
            self._left.popitem(last=False)
