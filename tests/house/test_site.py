"""The documentation site: whole, in both languages, and without a network."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from scripts.site.build import build_site, read_navigation, read_version, write_versions
from scripts.site.pages import LANGUAGES, convert_page, list_site_pages
from scripts.site.publish import BRANCH, publish_site

from tests.house.pages import ROOT

_FETCHED = re.compile(r"<(?:script|link|img|source|iframe)[^>]+?(?:src|href)=[\"']?(https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` builds it."""
    return build_site(tmp_path_factory.mktemp("docs") / "build")


def _run_git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.slow
def test_the_site_is_built_strictly_and_publishes_next_to_older_versions(
    site: Path, tmp_path: Path
) -> None:
    """No link is broken, nothing is loaded from elsewhere, and a release adds its version."""
    version = read_version()
    english, japanese = site / version, site / "ja" / version
    pages = {
        place.removesuffix(".md").removesuffix("index") for place in list_site_pages().values()
    }

    for home in (english, japanese):
        built = {page.parent.relative_to(home).as_posix() for page in home.rglob("index.html")}
        assert set() == {place.strip("/") or "." for place in pages} - built
        for page in home.rglob("*.html"):
            assert _FETCHED.search(page.read_text(encoding="utf-8")) is None, page
    assert "規則集" in (japanese / "search.json").read_text(encoding="utf-8")
    assert 'lang="ja"' in (japanese / "index.html").read_text(encoding="utf-8")
    assert '<div lang="en">' in (japanese / "guide/gate/index.html").read_text(encoding="utf-8")
    assert '<div lang="en">' not in (japanese / "tour/index.html").read_text(encoding="utf-8")

    remote, work = tmp_path / "remote", tmp_path / "work"
    _run_git(tmp_path, "init", "--quiet", "--bare", str(remote))
    _run_git(tmp_path, "clone", "--quiet", str(remote), str(work))
    author = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    _run_git(work, "checkout", "--quiet", "-b", BRANCH)
    (work / "0.0.9").mkdir()
    (work / "0.0.9" / "index.html").write_text("old", encoding="utf-8")
    _run_git(work, "add", ".")
    _run_git(work, *author, "commit", "--quiet", "-m", "old")
    _run_git(work, "push", "--quiet", "origin", BRANCH)
    publish_site(site, work)
    published = _run_git(remote, "show", f"{BRANCH}:versions.json")

    assert [version, "0.0.9"] == [each["version"] for each in json.loads(published)]
    assert "old" == _run_git(remote, "show", f"{BRANCH}:0.0.9/index.html")
    assert f"url={version}/" in _run_git(remote, "show", f"{BRANCH}:ja/index.html")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_in_the_navigation(language: str) -> None:
    """Every page of `docs` is in the navigation of each language."""
    listed = set(re.findall(r"[\w/.-]+\.md", str(read_navigation(language))))
    docs = {
        place for page, place in list_site_pages().items() if page.is_relative_to(ROOT / "docs")
    }

    assert set() == docs - listed


def test_the_newest_version_is_where_visitors_come(tmp_path: Path) -> None:
    """Visitors come to the highest version, compared as numbers, whenever it was built."""
    write_versions(tmp_path, ["0.9.0", "0.10.0", "0.2.1"])
    listed = json.loads((tmp_path / "versions.json").read_text(encoding="utf-8"))

    assert ["0.10.0", "0.9.0", "0.2.1"] == [each["version"] for each in listed]
    assert [["latest"], [], []] == [each["aliases"] for each in listed]
    assert "url=0.10.0/" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_link_that_leaves_the_site_is_plain_text(tmp_path: Path) -> None:
    """Links to files outside the site become plain text, and code is left as it is."""
    page = ROOT / "docs" / "guide" / "sample.md"
    source = tmp_path / "sample.md"
    source.write_text("[a](../../LICENSE) `[b](c.md)` [d](../index.md#codes)\n", encoding="utf-8")
    pages = {tmp_path.parent / "index.md": "contents.md", page: "guide/sample.md"}

    assert "a `[b](c.md)` [d](../contents.md#codes)\n" == convert_page(
        source, "guide/sample.md", pages
    )


def test_a_fence_names_its_file_and_a_list_gets_its_space(tmp_path: Path) -> None:
    """A fence's `file=` becomes a title, and a list gets the blank line and indent it needs."""
    source = tmp_path / "page.md"
    source.write_text("```yaml file=a.yaml\n- x\n```\nText:\n- one\n  - two\n", encoding="utf-8")

    assert '```yaml title="a.yaml"\n- x\n```\nText:\n\n- one\n    - two\n' == convert_page(
        source, "page.md", {}
    )


def test_japanese_sentences_have_no_space_between_them(tmp_path: Path) -> None:
    """Japanese sentences on separate lines become one paragraph without spaces."""
    source = tmp_path / "page.ja.md"
    source.write_text("雨。\n`make`は橋。\n\n```text\n雨。\n橋。\n```\n", encoding="utf-8")

    assert "雨。`make`は橋。\n\n```text\n雨。\n橋。\n```\n" == convert_page(source, "page.md", {})
