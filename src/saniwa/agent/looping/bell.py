"""Tells whoever listens what an agent is doing, in the order in which it happens."""

from collections.abc import Callable, Mapping
from typing import Any

Listener = Callable[[Mapping[str, Any]], None]


class Bell:
    """Listeners by event; `*` hears all of them."""

    def __init__(self) -> None:
        self._listeners: list[tuple[str, Listener, bool]] = []

    def on(self, event: str, listener: Listener) -> Callable[[], None]:
        """Listen from now on; what comes back ends this listening and no other."""
        return self._add(event, listener, once=False)

    def once(self, event: str, listener: Listener) -> Callable[[], None]:
        """Listen for the next one only."""
        return self._add(event, listener, once=True)

    @property
    def heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def ring(self, entry: Mapping[str, Any]) -> None:
        """Tell everybody who listens for it, in the order in which they began to."""
        for one in tuple(self._listeners):
            event, listener, once = one
            if event in ("*", entry["event"]) and any(
                one is each for each in self._listeners
            ):
                if once:
                    self._drop(one)
                listener(entry)

    def _add(self, event: str, listener: Listener, *, once: bool) -> Callable[[], None]:
        one = (event, listener, once)
        self._listeners.append(one)
        return lambda: self._drop(one)

    def _drop(self, one: tuple[str, Listener, bool]) -> None:
        self._listeners = [each for each in self._listeners if each is not one]
