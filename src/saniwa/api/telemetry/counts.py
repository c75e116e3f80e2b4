"""The numbers that are told: requests, their time, turns, and what is open now."""

from collections.abc import Callable, Iterable
from typing import Final

from opentelemetry.metrics import CallbackOptions, Meter, Observation

PLAYING: Final = ("/steps", "/choices", "/words")
"""How the routes end by which a turn is played."""

Count = Callable[[], int]
"""How many there are now."""


class Counts:
    """What is counted about requests."""

    def __init__(self, meter: Meter, *, streams: Count, runs: Count) -> None:
        """Count from now on; what is open is asked for whenever it is told."""
        self._requests = meter.create_counter(
            "saniwa.requests", unit="{request}", description="Requests answered."
        )
        self._turns = meter.create_counter(
            "saniwa.turns", unit="{turn}", description="Turns and steps played."
        )
        self._seconds = meter.create_histogram(
            "http.server.request.duration",
            unit="s",
            description="Time until an answer was complete; live streams left out.",
        )
        meter.create_observable_gauge(
            "saniwa.streams.open",
            [_observed(streams)],
            unit="{stream}",
            description="Live streams open now.",
        )
        meter.create_observable_gauge(
            "saniwa.runs.open",
            [_observed(runs)],
            unit="{run}",
            description="Runs held open now.",
        )

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        about: dict[str, str | int] = {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
        }
        self._requests.add(1, about)
        if not route.endswith("/live"):
            self._seconds.record(seconds, about)
        if status < 300 and route.endswith(PLAYING):
            self._turns.add(1, {"http.route": route})


def _observed(
    count: Count,
) -> Callable[[CallbackOptions], Iterable[Observation]]:
    return lambda _: (Observation(count()),)
