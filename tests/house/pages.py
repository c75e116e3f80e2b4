"""Reads the documentation in a form that tests can run.

In a page, a fenced block `yaml example` (or json, markdown, text) is a file of that name;
`yaml file=NAME` is a file NAME; commands in `console` blocks follow `$ ` and must print the
lines below, where `...` matches anything; `python` blocks run in order, and `python served`
ones while `saniwa serve` runs in that folder, at any port.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.fakes.commands import get_shim_folder, run_command

ROOT = Path(__file__).resolve().parents[2]
FENCED = re.compile(r"^( *`{3,}+)[^`\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
"""A fenced block with its fences; the rest of a page is prose."""
_FENCE = re.compile(r"^( *)```(.*)\n((?:.*\n)*?)\1```$", re.MULTILINE)
SERVED = "http://localhost:8420"
"""The address of the server, as pages have it."""
_SHELL = frozenset("|&;<>()$`*?[]~#\n")
"""Characters that only a shell interprets."""
_SEEN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class FencedBlock(NamedTuple):
    """One fenced block of a page."""

    info: str
    """The text after the fence, such as `console`."""
    text: str
    """The content between the fences."""


class ConsoleCommand(NamedTuple):
    """One command of a console block."""

    command: str
    """The typed command."""
    expected: str
    """The expected output; empty for any."""


def list_pages() -> list[Path]:
    """Every page of documentation, README first."""
    names = ("README.md", "README.ja.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
    top = [ROOT / name for name in names]
    return [p for p in top if p.exists()] + sorted((ROOT / "docs").rglob("*.md"))


def list_blocks(page: Path) -> list[FencedBlock]:
    """The page's fenced blocks, in order."""
    return parse_blocks(page.read_text(encoding="utf-8"))


def parse_blocks(text: str) -> list[FencedBlock]:
    """The fenced blocks of a piece of Markdown, in order."""
    return [FencedBlock(info.strip(), body) for _, info, body in _FENCE.findall(text)]


def list_commands(block: FencedBlock) -> Iterator[ConsoleCommand]:
    """The commands of a console block, each with its expected output."""
    command, expected = "", ""
    for line in block.text.split("\n"):
        if line.startswith("$ "):
            if command:
                yield ConsoleCommand(command, expected)
            command, expected = line[2:], ""
        elif command.endswith("\\"):
            command = command[:-1] + line
        else:
            expected += line + "\n"
    if command:
        yield ConsoleCommand(command, expected)


def write_file(block: FencedBlock, folder: Path) -> None:
    """Write a block that is a file into the folder."""
    words = block.info.split()
    named = [w.removeprefix("file=") for w in words if w.startswith("file=")]
    if "example" in words:
        named.append(f"example.{words[0]}")
    for name in named:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")


def run_documented(command: str, folder: Path) -> str:
    """Run the command in a folder and return what it prints on both streams.

    If it names the examples, they are copied into the folder first.
    """
    examples = folder / "examples"
    if "examples/" in command and not examples.exists():
        shutil.copytree(ROOT / "examples", examples)
    scripts = Path(sys.executable).parent
    found = os.pathsep.join([str(get_shim_folder()), str(scripts), os.environ["PATH"]])
    ours = ("SANIWA", "STATE_GATE")
    keep = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    environment = keep | {
        "PATH": found,
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "80",
    }
    if command.startswith("saniwa ") and not _SHELL.intersection(command):
        words = shlex.split(command)[1:]
        return run_command(folder, *words, environment=environment, merged=True).stdout
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
        check=False,
    )
    return done.stdout.decode()


def matches_shown(expected: str, actual: str) -> bool:
    """Whether the actual output is what the page shows."""
    if not expected.strip():
        return True
    return doctest.OutputChecker().check_output(expected.strip(), actual.strip(), _SEEN)
