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

    def ring(self, entry: Mapping[str, Any]) -> list[Exception]:
        """Tell everybody who listens for it, in the order in which they began to.

        A listener that raises hears nothing more; what it raised comes back, for an agent
        does not end because somebody who watches it does.
        """
        problems: list[Exception] = []
        for one in tuple(self._listeners):
            event, listener, once = one
            if event not in ("*", entry["event"]) or not self._listens(one):
                continue
            if once:
                self._drop(one)
            try:
                listener(entry)
            except Exception as problem:  # noqa: BLE001 - a host's own code; told by the caller
                self._drop(one)
                problems.append(problem)
        return problems

    def _listens(self, one: tuple[str, Listener, bool]) -> bool:
        return any(one is each for each in self._listeners)

    def _add(self, event: str, listener: Listener, *, once: bool) -> Callable[[], None]:
        one = (event, listener, once)
        self._listeners.append(one)
        return lambda: self._drop(one)

    def _drop(self, one: tuple[str, Listener, bool]) -> None:
        self._listeners = [each for each in self._listeners if each is not one]
