"""Carries the notes of a gate to the addresses their authors wrote down."""

PATIENCE = 5.0
"""Seconds an address has to answer."""


class Webhook:
    """Sends a note by HTTP and follows no redirection; whoever answers 2xx has it."""

    def __init__(self, patience: float = PATIENCE) -> None:
        """A messenger that waits so many seconds in all."""
        self._patience = patience

    def send(self, url: str, body: bytes) -> None:
        """Deliver it, or say why not.

        Raises:
            OSError: It could not be delivered, or nobody can know.
        """
        from threading import Thread

        if not url.lower().startswith(("http://", "https://")):
            raise OSError("an address begins with http:// or https://")
        problems: list[Exception] = []
        # In a thread of its own: an address that answers letter by letter would
        # otherwise hold everybody up, for a socket's patience begins anew with each.
        thread = Thread(target=self._try, args=(url, body, problems), daemon=True)
        thread.start()
        thread.join(self._patience)
        if thread.is_alive():
            raise TimeoutError(f"no answer within {self._patience:g} seconds")
        if problems:
            raise OSError(str(problems[0])) from problems[0]

    def _try(self, url: str, body: bytes, problems: list[Exception]) -> None:
        from http.client import HTTPException

        try:
            self._post(url, body)
        except (OSError, ValueError, HTTPException) as problem:
            problems.append(problem)

    def _post(self, url: str, body: bytes) -> None:
        from urllib.request import HTTPRedirectHandler, Request, build_opener

        class Stay(HTTPRedirectHandler):
            def redirect_request(self, *_: object) -> None:
                """Nowhere but where the author said."""

        head = {"Content-Type": "application/json", "User-Agent": "saniwa-gate"}
        request = Request(url, data=body, headers=head, method="POST")
        with build_opener(Stay).open(request, timeout=self._patience):
            pass
