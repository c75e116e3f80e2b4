"""Builds the site of this version, without a network.

Each language is a separate site, at `VERSION/` and at `ja/VERSION/`, because the search
splits words by the language of a site.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

from scripts.site.pages import LANGUAGES, ROOT, convert_page, list_site_pages, write_pages

_THEME: Final = Path(__file__).parent / "theme"
_LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)#]+\.md)\)")
_REDIRECT: Final = '<!doctype html><meta charset="utf-8"><title>Saniwa</title><meta http-equiv="refresh" content="0; url={0}/"><a href="{0}/">Saniwa</a>\n'
_HOMES: Final = {"en": "Home", "ja": "ホーム"}
_ALL_CODES: Final = {"en": "All codes", "ja": "すべて"}


def read_version() -> str:
    """Return the version of the project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])


def read_navigation(language: str) -> list[dict[str, Any]]:
    """Return the site's navigation from `docs/index.md`: sections, groups, pages."""
    pages = list_site_pages()
    source = ROOT / "docs" / "index.md"
    if language != "en":
        source = source.with_suffix(f".{language}.md")
    navigation: list[dict[str, Any]] = []
    into: list[dict[str, Any]] = navigation
    for line in convert_page(source, "contents.md", pages).split("\n"):
        if line.startswith("## "):
            into = []
            navigation.append({line[3:]: into})
        elif line.startswith("### "):
            group: list[dict[str, Any]] = []
            next(iter(navigation[-1].values())).append({line[4:]: group})
            into = group
        elif line.startswith("- "):
            into += [{words[0].upper() + words[1:]: to} for words, to in _LINK.findall(line)]
    _add_details(navigation, language)
    return [{_HOMES[language]: "index.md"}, *navigation]


def _add_details(navigation: list[dict[str, Any]], language: str) -> None:
    """Add the page of all codes, and every decision."""
    for section in navigation:
        (listed,) = section.values()
        places = [place for each in listed for place in each.values()]
        if "decisions/index.md" in places:
            index = (ROOT / "docs" / "decisions" / "index.md").read_text(encoding="utf-8")
            listed += [{words: f"decisions/{place}"} for words, place in _LINK.findall(index)]
        if "errors/files.md" in places:
            listed.insert(0, {_ALL_CODES[language]: "errors/index.md"})
        if "contents.md" not in places and section is navigation[0]:
            listed.append({"Contents" if language == "en" else "全ページ": "contents.md"})


def build_configuration(language: str, folder: Path, version: str) -> dict[str, Any]:
    """Return the generator's configuration for one language, which is built in `folder`."""
    up = "../" if language == "en" else "../../"
    links = {"en": f"{up}{version}/", "ja": f"{up}ja/{version}/"}
    return {
        "site_name": "Saniwa",
        "docs_dir": f"pages/{language}",
        "site_dir": (locate_home(Path("site"), language) / version).as_posix(),
        "nav": read_navigation(language),
        "extra_css": ["stylesheets/saniwa.css"],
        "theme": {
            "name": "material",
            "language": language,
            "custom_dir": os.path.relpath(_THEME, folder).replace(os.sep, "/"),
            "font": False,
            "features": [
                "content.code.copy",
                "navigation.footer",
                "navigation.indexes",
                "navigation.path",
                "navigation.prune",
                "navigation.sections",
                "navigation.tabs",
                "navigation.top",
                "search.highlight",
                "toc.follow",
            ],
            "palette": _build_palettes(language),
        },
        "extra": {
            "version": {"provider": "mike"},
            "alternate": [
                {"name": name, "link": links[code], "lang": code}
                for code, name in LANGUAGES.items()
            ],
            "generator": False,
        },
        "markdown_extensions": {
            "attr_list": {},
            "tables": {},
            "toc": {
                "permalink": True,
                "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}},
            },
            "pymdownx.highlight": {"anchor_linenums": False},
            "pymdownx.superfences": {},
        },
    }


def _build_palettes(language: str) -> list[dict[str, Any]]:
    words = {
        "en": ("Switch to dark", "Switch to light"),
        "ja": ("暗い表示にする", "明るい表示にする"),
    }
    dark, light = words[language]
    return [
        {
            "media": "(prefers-color-scheme: light)",
            "scheme": "default",
            "toggle": {"icon": "lucide/sun", "name": dark},
        },
        {
            "media": "(prefers-color-scheme: dark)",
            "scheme": "slate",
            "toggle": {"icon": "lucide/moon", "name": light},
        },
    ]


def build_site(folder: Path) -> Path:
    """Build both languages in `folder`, and return where the site is.

    Raises:
        SystemExit: The generator reported a warning or an error.
    """
    version, site = read_version(), folder / "site"
    shutil.rmtree(folder, ignore_errors=True)
    for language in LANGUAGES:
        write_pages(folder / "pages" / language, language)
        configuration = build_configuration(language, folder, version)
        file = folder / f"{language}.yml"
        file.write_text(json.dumps(configuration, ensure_ascii=False), encoding="utf-8")
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
        done = subprocess.run([*command, "--config-file", str(file)], cwd=ROOT, check=False)
        if done.returncode:
            sys.exit(done.returncode)
        write_versions(locate_home(site, language), [version])
    return site


def locate_home(site: Path, language: str) -> Path:
    """Return the folder that has the versions of one language."""
    return site if language == "en" else site / language


def write_versions(home: Path, versions: list[str]) -> None:
    """Write the list for the version selector, and a redirect to the newest version."""
    newest = max(versions, key=_sort_key)
    listed = [
        {"version": each, "title": each, "aliases": ["latest"] if each == newest else []}
        for each in sorted(versions, key=_sort_key, reverse=True)
    ]
    (home / "versions.json").write_text(json.dumps(listed) + "\n", encoding="utf-8")
    (home / "index.html").write_text(_REDIRECT.format(newest), encoding="utf-8")


def _sort_key(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]
