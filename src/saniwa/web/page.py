"""Serving the built page: one document for all its paths, and the files it is made of.

Files that bear a hash in their names are kept by browsers for good; the document is asked
for every time. Only plain names directly in two folders are ever opened, and no link is
followed.
"""

import os
import re
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from saniwa.core.inside import LinkError, open_inside, walked

STATIC: Final = Path(__file__).parent / "static"
"""Where `make page` builds the page."""
PAGES: Final = ("play", "watch", "rules", "decide", "compare", "write")
"""The first part of every path of the page."""
UNBUILT: Final = (
    "The page has not been built yet.\n"
    "In Saniwa's folder, `make page` builds it, and `make run` builds and opens it.\n"
)
"""What is said while there is no page."""

_DOCUMENT: Final = "index.html"
_FIXED: Final = ("first.js", "stone.svg", "third-party.txt")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_KEPT: Final = "public, max-age=31536000, immutable"
_ASKED: Final = "no-cache"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}

_Endpoint = Callable[[Request], Awaitable[Response]]


def page_routes(static: Path = STATIC) -> list[BaseRoute]:
    """The routes of the page built into `static`; they come after all others.

    A path nobody knows is answered with the page as well, which says so, and with 404;
    below `/api` it is answered with a plain 404. Where no page was built, every path of
    it says in plain words how to build one, with 503.
    """
    document = _document(static, 200)
    return [
        Route("/", document),
        *(Route(f"/{page}", document) for page in PAGES),
        *(Route(f"/{page}/{{rest:path}}", document) for page in PAGES),
        Route("/assets/{name}", _asset(static)),
        *(Route(f"/{name}", _fixed(static, name)) for name in _FIXED),
        Route("/api/{rest:path}", _unknown),
        Route("/{rest:path}", _document(static, 404)),
    ]


def _document(static: Path, status: int) -> _Endpoint:
    async def answer(request: Request) -> Response:
        del request
        content = _content(static, (), _DOCUMENT)
        if content is None:
            return PlainTextResponse(UNBUILT, 503, {"cache-control": "no-store"})
        return _file(_DOCUMENT, content, _ASKED, status)

    return answer


def _asset(static: Path) -> _Endpoint:
    async def answer(request: Request) -> Response:
        name = str(request.path_params["name"])
        content = _content(static, ("assets",), name)
        if content is None:
            return await _unknown(request)
        return _file(name, content, _KEPT)

    return answer


def _fixed(static: Path, name: str) -> _Endpoint:
    async def answer(request: Request) -> Response:
        content = _content(static, (), name)
        if content is None:
            return await _unknown(request)
        return _file(name, content, _ASKED)

    return answer


async def _unknown(request: Request) -> Response:
    del request
    return PlainTextResponse("There is nothing at this path.\n", 404)


def _file(name: str, content: bytes, caching: str, status: int = 200) -> Response:
    kind = _TYPES.get(Path(name).suffix, "application/octet-stream")
    headers = {
        "content-type": kind,
        "cache-control": caching,
        "x-content-type-options": "nosniff",
    }
    return Response(content, status, headers)


def _content(static: Path, folder: tuple[str, ...], name: str) -> bytes | None:
    """A file's bytes; None where there is none of that name."""
    if not _NAME.fullmatch(name):
        return None
    try:
        with walked(static, folder) as here:
            return _read(open_inside(here, name))
    except (FileNotFoundError, NotADirectoryError, LinkError):
        return None


def _read(file: int) -> bytes | None:
    """What an open file holds, closed afterwards; None for what is no plain file."""
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        return None
    with os.fdopen(file, "rb") as opened:
        return opened.read()
