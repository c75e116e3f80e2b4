"""Anybody's words where people read them: seen whole, on one line, and never markup."""

import re
from typing import Final

_KEPT: Final = frozenset("\n\u3000\u200d\ufe0f")
"""Ends of lines, the wide space of Japanese, and what holds emoji together."""
_LINE_END: Final = re.compile(
    r"(?:(?<! ) ++)?[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]"
    r"[ \t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*+"
)
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$#]|<(?=[A-Za-z/!?]))")
_WWW: Final = re.compile(r"(?<=www)\.", re.IGNORECASE)


def visible(text: str) -> str:
    """The text with everything unseen made visible: marks of direction, escapes."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in _KEPT else _shown(letter)
        for letter in text.replace("\r\n", "\n").expandtabs(4)
    )


def visible_line(text: str) -> str:
    """The same on one line, whatever a reader takes for the end of one."""
    return text if text.isprintable() else visible(_LINE_END.sub(" ", text))


def in_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line.

    It must not stand at the beginning of a line, where a number or a dash would begin a
    list.
    """
    shown = _SPECIAL.sub(r"\\\1", visible_line(text).replace("&", "&amp;"))
    shown = shown.replace("://", "&#58;//").replace("@", "&#64;")
    return _WWW.sub("&#46;", shown)


def _shown(letter: str) -> str:
    return repr(letter)[1:-1]
