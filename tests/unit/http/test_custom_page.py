from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from saniwa.http.page import CUSTOM_PAGE_PATH, build_custom_page_routes, build_page_policy


def _hash_text(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _find_part(said: str, name: str) -> str:
    (part,) = (each for each in said.split("; ") if each.startswith(f"{name} "))
    return part.removeprefix(f"{name} ")


def test_a_page_is_allowed_what_is_in_it() -> None:
    """The policy of a custom page allows its inline scripts and styles by hash, and no others."""
    said = build_page_policy("<style>p{}</style><script>a<b</script><script>庭</script>")

    assert f"'self' {_hash_text('a<b')} {_hash_text('庭')}" == _find_part(said, "script-src")
    assert f"'self' {_hash_text('p{}')}" == _find_part(said, "style-src")
    assert "unsafe" not in said


def test_a_page_without_either_gets_the_usual_policy() -> None:
    """A page without inline code gets the default policy."""
    said = build_page_policy("<p onclick='x()'>script</p><script src=/first.js></script>")

    assert "'self'" == _find_part(said, "script-src")
    assert "'none'" == _find_part(said, "object-src")


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_line_ends_count_as_a_browser_counts_them(ending: str) -> None:
    """Line endings are normalised before hashing, as in a browser."""
    said = build_page_policy(f"<script>a{ending}b</script>")

    assert f"'self' {_hash_text('a' + chr(10) + 'b')}" == _find_part(said, "script-src")


@pytest.mark.parametrize("page", ["", "<", "<script", "<script>a", "</script>", "\x00"])
def test_a_page_that_is_invalid_is_allowed_nothing_more(page: str) -> None:
    """A malformed page gets the default policy."""
    assert "'self'" == _find_part(build_page_policy(page), "script-src")


def test_the_file_is_read_each_time(tmp_path: Path) -> None:
    """The file is read for each request, and a missing one is reported."""
    file = tmp_path / "game.html"
    client = TestClient(Starlette(routes=build_custom_page_routes(file)))
    missing = client.get(f"/{CUSTOM_PAGE_PATH}")
    file.write_text("<script>1</script>", encoding="utf-8")
    first = client.get(f"/{CUSTOM_PAGE_PATH}")
    file.write_text("<script>2</script>", encoding="utf-8")
    second = client.get(f"/{CUSTOM_PAGE_PATH}")

    assert (404, 200, 200) == tuple(each.status_code for each in (missing, first, second))
    assert str(tmp_path) not in missing.text
    assert _hash_text("1") in first.headers["content-security-policy"]
    assert _hash_text("2") in second.headers["content-security-policy"]
    assert "text/html; charset=utf-8" == second.headers["content-type"]
