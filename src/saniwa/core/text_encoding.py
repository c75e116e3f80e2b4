"""Text that can be encoded as UTF-8."""

import re
from typing import Final

_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode.

    Each becomes U+FFFD, so that a text and its pieces give the same result.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text
