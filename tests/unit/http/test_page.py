import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from saniwa.http.page import PAGE_PATHS, UNBUILT_MESSAGE, build_page_routes

_HASHED = "index-C6dY_XpI.js"


class _HeaderAnswer:
    def __init__(self, sent: list[dict[str, Any]]) -> None:
        self.status = sent[0]["status"]
        self.headers = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
        self.body = b"".join(part.get("body", b"") for part in sent[1:])


def _ask(static: Path, path: str, method: str = "GET") -> _HeaderAnswer:
    """One request to the application, without a server."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(dict(message))

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
        "root_path": "",
        "scheme": "http",
        "server": ("127.0.0.1", 1),
        "http_version": "1.1",
    }
    asyncio.run(Starlette(routes=build_page_routes(static))(scope, receive, send))
    return _HeaderAnswer(sent)


@pytest.fixture
def static_folder(tmp_path: Path) -> Path:
    """A built page, with an unrelated file outside."""
    built = tmp_path / "static"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<!doctype html>", encoding="utf-8")
    (built / "first.js").write_text("1", encoding="utf-8")
    (built / "assets" / _HASHED).write_text("2", encoding="utf-8")
    (built / "assets" / "index-a.css").write_text("p{}", encoding="utf-8")
    (tmp_path / "secret.js").write_text("secret", encoding="utf-8")
    return built


def test_notices_are_plain_text(static_folder: Path) -> None:
    """The notices of the page are served as plain text."""
    (static_folder / "third-party.txt").write_text("== svelte", encoding="utf-8")

    answer = _ask(static_folder, "/third-party.txt")

    assert (200, b"== svelte") == (answer.status, answer.body)
    assert "text/plain; charset=utf-8" == answer.headers["content-type"]


@pytest.mark.parametrize("path", ["/", *(f"/{p}" for p in PAGE_PATHS), "/play/a/b", "/watch/庭"])
def test_every_path_of_the_page_is_the_document(static_folder: Path, path: str) -> None:
    """Every path of the page returns the document, which is not cached."""
    answer = _ask(static_folder, path)
    assert (200, b"<!doctype html>") == (answer.status, answer.body)
    assert "text/html; charset=utf-8" == answer.headers["content-type"]
    assert "no-cache" == answer.headers["cache-control"]


def test_hashed_files_are_kept_for_good(static_folder: Path) -> None:
    """A file with a hash in its name is cached forever, with the right media type."""
    answer = _ask(static_folder, f"/assets/{_HASHED}")
    assert (200, b"2") == (answer.status, answer.body)
    assert "text/javascript; charset=utf-8" == answer.headers["content-type"]
    assert "immutable" in answer.headers["cache-control"]
    assert "nosniff" == answer.headers["x-content-type-options"]
    style = _ask(static_folder, "/assets/index-a.css")
    assert "text/css; charset=utf-8" == style.headers["content-type"]


def test_a_file_of_a_fixed_name_is_asked_for_every_time(static_folder: Path) -> None:
    """A file without a hash in its name is not cached."""
    answer = _ask(static_folder, "/first.js")
    assert (200, "no-cache") == (answer.status, answer.headers["cache-control"])


@pytest.mark.parametrize(
    "name",
    ["../index.html", "../../secret.js", "..", ".", "", "a\0b", "a\\b", "gone.js", "a" * 300],
)
def test_only_files_inside_are_given(static_folder: Path, name: str) -> None:
    """Paths outside the folder of files are not found."""
    answer = _ask(static_folder, f"/assets/{name}")
    assert 404 == answer.status
    assert b"secret" not in answer.body


def test_no_link_is_followed(static_folder: Path) -> None:
    """Links and folders are not served."""
    (static_folder / "assets" / "link.js").symlink_to(static_folder.parent / "secret.js")
    (static_folder / "assets" / "folder.js").mkdir()
    assert 404 == _ask(static_folder, "/assets/link.js").status
    assert 404 == _ask(static_folder, "/assets/folder.js").status


def test_an_unknown_path_is_reported_by_the_page_itself(static_folder: Path) -> None:
    """An unknown path returns the page with 404, and plain text for the API."""
    people = _ask(static_folder, "/nowhere/at/all")
    assert (404, b"<!doctype html>") == (people.status, people.body)
    program = _ask(static_folder, "/api/v9/runs")
    assert (404, b"There is nothing at this path.\n") == (program.status, program.body)


@pytest.mark.parametrize("path", ["/", "/play/x", "/nowhere"])
def test_a_page_that_was_not_built_says_how_to_build_it(tmp_path: Path, path: str) -> None:
    """Without a built page the answer says how to build it."""
    answer = _ask(tmp_path / "static", path)
    assert (503, UNBUILT_MESSAGE) == (answer.status, answer.body.decode())
    assert "text/plain; charset=utf-8" == answer.headers["content-type"]
    assert "make page" in UNBUILT_MESSAGE


def test_the_page_is_only_read(static_folder: Path) -> None:
    """Only GET and HEAD are allowed."""
    assert 405 == _ask(static_folder, "/play", "POST").status
    assert 200 == _ask(static_folder, "/play", "HEAD").status
