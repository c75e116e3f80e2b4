"""Texts that any file can keep."""

import re
from typing import Final

_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """The text without halves of surrogate pairs, which no file could keep.

    Each becomes U+FFFD, so that a text and its pieces come out the same.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text
