"""Publishes the site: all versions, on their own branch."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from scripts.site.build import locate_home, read_version, write_versions
from scripts.site.pages import LANGUAGES

BRANCH: Final = "gh-pages"


def publish_site(site: Path, repository: Path) -> None:
    """Add the built version to the branch and push it; other versions stay unchanged."""
    version = read_version()
    remote = _run_git(repository, "remote", "get-url", "origin")
    author = [
        f"user.{key}={_run_git(repository, 'log', '-1', f'--format=%a{key[0]}')}"
        for key in ("name", "email")
    ]
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder)
        _run_git(clone, "init", "--quiet", "--initial-branch", BRANCH)
        _run_git(clone, "remote", "add", "origin", remote)
        if _run_git(clone, "ls-remote", "--heads", "origin", BRANCH):
            _run_git(clone, "pull", "--quiet", "--depth", "1", "origin", BRANCH)
        for language in LANGUAGES:
            _add_version(locate_home(clone, language), locate_home(site, language), version)
        (clone / ".nojekyll").touch()
        _run_git(clone, "add", "--all")
        if _run_git(clone, "status", "--porcelain"):
            settings = [word for each in author for word in ("-c", each)]
            _run_git(clone, *settings, "commit", "--quiet", "-m", f"docs: publish {version}")
            _run_git(clone, "push", "--quiet", "origin", BRANCH)


def _add_version(home: Path, built: Path, version: str) -> None:
    shutil.rmtree(home / version, ignore_errors=True)
    shutil.copytree(built / version, home / version)
    write_versions(home, [page.parent.name for page in home.glob("[0-9]*/index.html")])


def _run_git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip()
