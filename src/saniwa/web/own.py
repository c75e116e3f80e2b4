"""A page of somebody's own beside ours: one file, with its script and its style inside.

It may do what our page may. Its scripts and styles are named to the browser by their
hashes, so that only what stands in the file runs, whatever a story brings along.
"""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from saniwa.api.guard.headers import CONTENT

GAME: Final = "game"
"""The path at which the page is found."""
LARGEST: Final = 20_000_000
"""Bytes it may have."""
_BREAK: Final = re.compile(r"\r\n?")
_INSIDE: Final = {"script": "script-src", "style": "style-src"}


def own_routes(file: Path) -> list[BaseRoute]:
    """The route of a page; the file is read each time, so that its maker can edit it."""

    async def answer(request: Request) -> Response:
        del request
        try:
            with file.open("rb") as opened:
                content = opened.read(LARGEST)
        except OSError:
            return PlainTextResponse(f"The file {file.name} cannot be read.\n", 404)
        headers = {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": policy(content.decode("utf-8", "replace")),
            "cache-control": "no-cache",
        }
        return Response(content, headers=headers)

    return [Route(f"/{GAME}", answer)]


def policy(page: str) -> str:
    """The content security policy of a page: ours, and the hashes of what it holds."""
    found = _Inside()
    # Browsers make one kind of line end of all before they look at anything.
    found.feed(_BREAK.sub("\n", page))
    found.close()
    allowed = {
        name: " ".join([value, *dict.fromkeys(found.hashes[name])])
        if name in found.hashes
        else value
        for name, value in CONTENT.items()
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


class _Inside(HTMLParser):
    """Hashes what stands between the tags of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.hashes: dict[str, list[str]] = {name: [] for name in _INSIDE.values()}
        self._text: list[str] | None = None

    def handle_starttag(
        self, tag: str, attributes: list[tuple[str, str | None]]
    ) -> None:
        """Begin to listen where a script or a style begins."""
        linked = any(name == "src" for name, _ in attributes)
        if tag in _INSIDE and not linked:
            self._text = []

    def handle_data(self, text: str) -> None:
        """Listen."""
        if self._text is not None:
            self._text.append(text)

    def handle_endtag(self, tag: str) -> None:
        """Hash what was heard."""
        if tag in _INSIDE and self._text is not None:
            digest = sha256("".join(self._text).encode()).digest()
            self.hashes[_INSIDE[tag]].append(f"'sha256-{b64encode(digest).decode()}'")
            self._text = None
