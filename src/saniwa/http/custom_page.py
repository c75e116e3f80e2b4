"""Serves an author's own page, with a content security policy for its inline code."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from saniwa.http.responses import POLICY_DIRECTIVES

CUSTOM_PAGE_PATH: Final = "game"
"""The path of an author's own page."""


MAX_CUSTOM_PAGE_BYTES: Final = 20_000_000
"""The largest size of that page, in bytes."""


_LINE_BREAK: Final = re.compile(r"\r\n?")


_DIRECTIVE_BY_TAG: Final = {"script": "script-src", "style": "style-src"}


def build_custom_page_routes(file: Path) -> list[BaseRoute]:
    """Return the route of an author's page, which is read again each time."""

    async def answer(_: Request) -> Response:
        try:
            with file.open("rb") as opened:
                content = opened.read(MAX_CUSTOM_PAGE_BYTES)
        except OSError:
            return PlainTextResponse(f"The file {file.name} cannot be read.\n", 404)
        headers = {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": build_page_policy(content.decode("utf-8", "replace")),
            "cache-control": "no-cache",
        }
        return Response(content, headers=headers)

    return [Route(f"/{CUSTOM_PAGE_PATH}", answer)]


def build_page_policy(page: str) -> str:
    """Return the content security policy of a page: ours, with its inline hashes."""
    found = _InlineHasher()
    # Browsers normalize line ends before they compute hashes.
    found.feed(_LINE_BREAK.sub("\n", page))
    found.close()
    return "; ".join(
        " ".join([name, value, *dict.fromkeys(found.hashes.get(name, ()))])
        for name, value in POLICY_DIRECTIVES.items()
    )


class _InlineHasher(HTMLParser):
    """Hashes the inline content of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.hashes: dict[str, list[str]] = {name: [] for name in _DIRECTIVE_BY_TAG.values()}
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Start to collect at an inline script or style."""
        linked = any(name == "src" for name, _ in attributes)
        if tag in _DIRECTIVE_BY_TAG and not linked:
            self._text = []

    def handle_data(self, text: str) -> None:
        """Collect the text."""
        if self._text is not None:
            self._text.append(text)

    def handle_endtag(self, tag: str) -> None:
        """Hash the collected text."""
        if tag in _DIRECTIVE_BY_TAG and self._text is not None:
            digest = sha256("".join(self._text).encode()).digest()
            self.hashes[_DIRECTIVE_BY_TAG[tag]].append(f"'sha256-{b64encode(digest).decode()}'")
            self._text = None
