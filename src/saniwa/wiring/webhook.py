"""Carries the notes of a gate to the addresses their authors wrote down."""

PATIENCE = 5.0
"""Seconds an address has to answer."""
_YES = range(200, 300)


class Webhook:
    """Sends a note by HTTP; whoever answers 2xx has it, and nobody is sent elsewhere."""

    def __init__(self, patience: float = PATIENCE) -> None:
        """A messenger that waits so many seconds in all."""
        self._patience = patience

    def send(self, url: str, body: bytes) -> None:
        """Deliver it, or say why not.

        Raises:
            OSError: It could not be delivered, or nobody can know.
        """
        from threading import Thread

        said: list[str] = []
        # In a thread of its own: an address that answers letter by letter would
        # otherwise hold everybody up, for a socket's patience begins anew with each.
        thread = Thread(target=self._try, args=(url, body, said), daemon=True)
        thread.start()
        thread.join(self._patience)
        if not said:
            raise TimeoutError(f"no answer within {self._patience:g} seconds")
        if said[0]:
            raise OSError(said[0])

    def _try(self, url: str, body: bytes, said: list[str]) -> None:
        from http.client import HTTPException

        try:
            status = _post(url, body, self._patience)
        except (OSError, ValueError, HTTPException) as problem:
            said.append(str(problem) or type(problem).__name__)
        else:
            said.append("" if status in _YES else f"it answered {status}")


def _post(url: str, body: bytes, patience: float) -> int:
    from contextlib import closing
    from http.client import HTTPConnection, HTTPSConnection
    from urllib.parse import urlsplit

    kinds = {"http": HTTPConnection, "https": HTTPSConnection}
    parts = urlsplit(url)
    if parts.scheme not in kinds or not parts.hostname:
        raise ValueError("an address is http://HOST/… or https://HOST/…")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    head = {"Content-Type": "application/json", "User-Agent": "saniwa-gate"}
    line = kinds[parts.scheme](parts.hostname, parts.port, timeout=patience)
    with closing(line):
        line.request("POST", path, body, head)
        with line.getresponse() as heard:
            return int(heard.status)
