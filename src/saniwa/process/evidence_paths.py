"""What a path or URL of evidence may look like, checked before anything is opened.

Every rule concerns the characters alone; whether the file exists is not checked here.
"""

import re
from typing import Any

from saniwa.core.text import quote_value
from saniwa.process.ports import EvidenceError

LONGEST_PATH = 1_000
"""Most characters a path may have."""
LONGEST_URL = 2_000
"""Most characters a URL may have."""

# Control characters, Unicode line breaks, halves of surrogate pairs, and characters
# that change the direction of writing, which make a name read as another.
_find_control_character = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
).search
_DRIVE = re.compile(r"[A-Za-z]:").match
_URL = re.compile(r"https?://([^/?#]+)([/?#].*)?", re.IGNORECASE).fullmatch
_find_space = re.compile(r"\s").search
_INLINE_PREFIX = "inline:"


def split_file_path(path: str) -> tuple[str, ...]:
    """Split a path into its names, without `.`; `a//b` and `./a/b` are `a`, `b`.

    Raises:
        EvidenceError: It could lead out of its folder, names no file, or could not be
            written in the log.
    """
    steps = split_folder_path(path)
    if not steps or path.endswith(("/", "/.")):
        raise EvidenceError(f"{quote_value(path)} is not a file")
    return steps


def normalize_path(path: str) -> str:
    """Return the normal form of a path: `./a//b` is `a/b`.

    Raises:
        EvidenceError: As `split_file_path` does.
    """
    return "/".join(split_file_path(path))


def split_folder_path(folder: str) -> tuple[str, ...]:
    """Split a folder's path into its names; empty for `.`.

    Raises:
        EvidenceError: As `split_file_path` does.
    """
    _check_characters(folder, LONGEST_PATH)
    why = _explain_bad_path(folder)
    if why:
        raise EvidenceError(f"{quote_value(folder)} {why}")
    steps = tuple(step for step in folder.split("/") if step not in ("", "."))
    if ".." in steps:
        raise EvidenceError(f"{quote_value(folder)} contains '..', which is not allowed")
    return steps


def check_url(url: str) -> None:
    """Check that a URL is one that people and programs read alike.

    Raises:
        EvidenceError: It is not a plain `http` or `https` URL, or could not be written
            in the log.
    """
    _check_characters(url, LONGEST_URL)
    if _find_space(url) or "\\" in url:
        raise EvidenceError(f"{quote_value(url)} contains a space or a backslash")
    found = _URL(url)
    if found is None:
        raise EvidenceError(f"{quote_value(url)} is not an 'http://' or 'https://' address")
    if "@" in found[1]:
        # Not quoted: the part before the @ may be a password.
        raise EvidenceError("the address contains a user name or password")


def _check_characters(text: str, longest: int) -> None:
    if len(text) > longest:
        raise EvidenceError(f"{quote_value(text)} has more than {longest} characters")
    found = _find_control_character(text)
    if found is not None:
        letter = f"U+{ord(found[0]):04X}"
        raise EvidenceError(f"{quote_value(text)} has the control character {letter}")
    if ";" in text:
        raise EvidenceError(f"{quote_value(text)} has a ';', which separates paths in the log")


def _explain_bad_path(path: str) -> str:
    if path.startswith("/"):
        return "is an absolute path; write a path relative to the run's artifact folder"
    if _DRIVE(path):
        return "starts with a drive letter"
    if "\\" in path:
        return "has a backslash; steps are separated by '/'"
    if path.startswith(_INLINE_PREFIX):
        return f"starts with {_INLINE_PREFIX!r}, which does not mean a file in the log"
    return ""


def is_address(value: Any) -> bool:
    """Whether a value is a URL that `check_url` accepts."""
    if not isinstance(value, str):
        return False
    try:
        check_url(value)
    except EvidenceError:
        return False
    return True
