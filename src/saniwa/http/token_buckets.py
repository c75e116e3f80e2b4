"""Token buckets: how often each caller may do something, with a reserve after a pause."""

from collections import OrderedDict

from saniwa.http.settings import AllowedRate, MonotonicClock


class TokenBuckets:
    """Token buckets, one for each name; without a token a caller has to wait."""

    def __init__(self, rate: AllowedRate, most: int, seconds: MonotonicClock) -> None:
        """Start with full buckets; above `most`, the oldest is forgotten."""
        self._rate = rate
        self._most = most
        self._seconds = seconds
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._left)

    def reserve_token(self, name: str, longest: float = 0.0) -> float:
        """Reserve the next token, and return the seconds until it is available, or 0.

        Nothing is reserved if that would take longer than `longest`.
        """
        left = self._count_tokens(name)
        wait = max(0.0, (1 - left) / self._rate.each_second)
        self._store_tokens(name, left - 1 if wait <= longest else left)
        return wait

    def return_token(self, name: str) -> None:
        """Return a token that was not needed."""
        self._store_tokens(name, self._count_tokens(name) + 1)

    def _count_tokens(self, name: str) -> float:
        if name not in self._left:
            return float(self._rate.at_once)
        left, since = self._left[name]
        gained = (self._seconds() - since) * self._rate.each_second
        return min(left + gained, float(self._rate.at_once))

    def _store_tokens(self, name: str, left: float) -> None:
        self._left[name] = (left, self._seconds())
        self._left.move_to_end(name)
        if len(self._left) > self._most:
            self._left.popitem(last=False)
