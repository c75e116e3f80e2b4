"""What a document says, as plain values: JSON, YAML, or Markdown's front matter."""

from codecs import getincrementaldecoder
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from saniwa.core.document import FORMATS, Document, read_bytes
from saniwa.core.errors import DocumentError
from saniwa.process.weighing.front_matter import (
    FrontMatterError,
    describe,
    read_front_matter,
    read_inline,
)
from saniwa.store.gate.evidence.walk import UnfitError

LARGEST = 1024 * 1024
"""Bytes of a document that are read for what they say."""

_MARKDOWN = (".md", ".markdown")


def is_document(path: str) -> bool:
    """Whether a file's name says that it can be read for what it says."""
    return _ending(path) in (*FORMATS, *_MARKDOWN)


def saying_of(path: str, size: int, head: bytes) -> Any:
    """What a document of `size` bytes says, from its first `LARGEST` bytes.

    `msgspec.UNSET` if it is Markdown without front matter.

    Raises:
        UnfitError: It is broken, with line and column, or too large to be read.
    """
    ending = _ending(path)
    if ending in _MARKDOWN:
        return front_matter(_text(head, cut=size > len(head)))
    if size > LARGEST:
        raise UnfitError(f"is a document of more than {LARGEST} bytes")
    return _plain(lambda: read_bytes(head, path, FORMATS[ending]))


def front_matter(text: str) -> Any:
    """What stands between the `---` at the top of a text and the next one.

    `msgspec.UNSET` if there is none at the top.

    Raises:
        UnfitError: It is broken, with line and column, or never ends.
    """
    try:
        return read_front_matter(text)
    except FrontMatterError as problem:
        raise UnfitError(str(problem)) from problem


def inline_plain(content: Any) -> Any:
    """What inline evidence says.

    Raises:
        UnfitError: It has front matter that is broken, or never ends.
    """
    try:
        return read_inline(content)
    except FrontMatterError as problem:
        raise UnfitError(str(problem)) from problem


def _plain(read: Callable[[], Document]) -> Any:
    try:
        document = read()
    except DocumentError as problem:
        raise UnfitError(describe(problem.message, problem.where)) from problem
    for finding in document.findings:
        raise UnfitError(describe(finding.message, finding.where))
    return document.plain


def _text(head: bytes, *, cut: bool) -> str:
    # A letter cut in two at the end of what was read is no mistake of its author.
    try:
        return getincrementaldecoder("utf-8")().decode(head, final=not cut)
    except UnicodeDecodeError as problem:
        told = f"cannot be read: byte {problem.start} is not UTF-8"
        raise UnfitError(told) from problem


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
