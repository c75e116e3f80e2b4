"""The places that are still to be left, and which of them comes next."""

from collections import Counter, deque
from collections.abc import Hashable
from heapq import heapify, heappop, heappush


class Frontier:
    """First come, first served; once time grows short, what is least known comes first.

    In a story with many small things to do once, the moments near its beginning are more
    than anybody can look at. Its end is found by going where little was looked at yet.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Hashable]] = deque()
        self._rare: list[tuple[int, int]] = []
        self._sights: dict[int, Hashable] = {}
        self._left: Counter[Hashable] = Counter()
        self._hurried = False

    def add(self, place: int, sight: Hashable) -> None:
        """A place was found; places with the same sight are much alike."""
        if self._hurried:
            self._put(place, sight)
        else:
            self._waiting.append((place, sight))

    def hurry(self) -> None:
        """From now on, the least known first."""
        if not self._hurried:
            self._hurried = True
            self._sights = dict(self._waiting)
            self._rare = [(self._left[s], place) for place, s in self._waiting]
            heapify(self._rare)

    def next(self) -> int | None:
        """The place to leave now; None when all were."""
        if not self._hurried:
            return self._first()
        while self._rare:
            count, place = heappop(self._rare)
            sight = self._sights.pop(place)
            if count == self._left[sight]:
                self._left[sight] += 1
                return place
            self._put(place, sight)
        return None

    def _first(self) -> int | None:
        if not self._waiting:
            return None
        place, sight = self._waiting.popleft()
        self._left[sight] += 1
        return place

    def _put(self, place: int, sight: Hashable) -> None:
        self._sights[place] = sight
        heappush(self._rare, (self._left[sight], place))
