"""Serves the built page: one document for all its paths, and its files; and an author's own.

Files with a hash in their names are cached forever; the document is revalidated every
time. Only plain names directly in two folders are opened, and no link is followed.
"""

import os
import re
import stat
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from saniwa.core.safe_open import SymlinkError, open_folder_path, open_inside
from saniwa.http.responses import POLICY_DIRECTIVES

STATIC_FOLDER: Final = Path(__file__).parent / "static"
"""The folder into which `make page` builds the page."""
PAGE_PATHS: Final = ("play", "watch", "rules", "decide", "compare", "write")
"""The first part of every path of the page."""
UNBUILT_MESSAGE: Final = (
    "The page has not been built yet.\n"
    "Run `make page` in the source folder to build it, or `make run` to build and open it.\n"
)
"""The answer while there is no page."""

_NOT_FOUND_MESSAGE: Final = "There is nothing at this path.\n"
_INDEX_FILE: Final = "index.html"
_ROOT_FILES: Final = ("first.js", "stone.svg", "third-party.txt")
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_CACHE_FOREVER: Final = "public, max-age=31536000, immutable"
_REVALIDATE: Final = "no-cache"
_MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}


def build_page_routes(static: Path = STATIC_FOLDER) -> list[BaseRoute]:
    """Return the routes of the page built into `static`; they come after all others.

    An unknown path is answered with the page as well, which says so, and with 404;
    below `/api` it is answered with a plain 404. If no page was built, every path of it
    explains how to build one, with 503.
    """

    async def serve_document(_: Request, status: int = 200) -> Response:
        content = _load_file(static, (), _INDEX_FILE)
        if content is None:
            return PlainTextResponse(UNBUILT_MESSAGE, 503, {"cache-control": "no-store"})
        return _build_file_response(_INDEX_FILE, content, _REVALIDATE, status)

    async def serve_unknown(request: Request) -> Response:
        return await serve_document(request, 404)

    async def serve_asset(request: Request) -> Response:
        name = str(request.path_params["name"])
        return _build_file_response(name, _load_file(static, ("assets",), name), _CACHE_FOREVER)

    async def serve_root_file(request: Request) -> Response:
        name = request.url.path[1:]
        return _build_file_response(name, _load_file(static, (), name), _REVALIDATE)

    return [
        Route("/", serve_document),
        *(Route(f"/{page}", serve_document) for page in PAGE_PATHS),
        *(Route(f"/{page}/{{rest:path}}", serve_document) for page in PAGE_PATHS),
        Route("/assets/{name}", serve_asset),
        *(Route(f"/{name}", serve_root_file) for name in _ROOT_FILES),
        Route("/api/{rest:path}", _answer_not_found),
        Route("/{rest:path}", serve_unknown),
    ]


async def _answer_not_found(_: Request) -> Response:
    return PlainTextResponse(_NOT_FOUND_MESSAGE, 404)


def _build_file_response(
    name: str, content: bytes | None, caching: str, status: int = 200
) -> Response:
    if content is None:
        return PlainTextResponse(_NOT_FOUND_MESSAGE, 404)
    kind = _MEDIA_TYPES.get(Path(name).suffix, "application/octet-stream")
    headers = {"content-type": kind, "cache-control": caching, "x-content-type-options": "nosniff"}
    return Response(content, status, headers)


def _load_file(static: Path, folder: tuple[str, ...], name: str) -> bytes | None:
    """Return a file's bytes; None if there is no such file."""
    if not _FILE_NAME.fullmatch(name):
        return None
    try:
        with open_folder_path(static, folder) as here:
            file = open_inside(here, name)
    except (FileNotFoundError, NotADirectoryError, SymlinkError):
        return None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        return None
    with os.fdopen(file, "rb") as opened:
        return opened.read()


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
