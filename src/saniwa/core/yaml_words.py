"""What keeps a text from being YAML, in an author's words instead of the parser's."""

_KEY = "indent it like the keys beside it; nothing follows a quoted text on its line"
_PLAIN = {
    "mapping values are not allowed in this context": (
        "a ': ' stands where no key can end",
        "put a text with ': ' in it in quotes, or indent the line like those beside it",
    ),
    "did not find expected key": ("this does not fit the keys before it", _KEY),
    "could not find expected ':'": ("a key has no ':' after it", _KEY),
    "did not find expected '-' indicator": (
        "this does not fit the list before it",
        "begin every item with '-', all in one column",
    ),
    "block sequence entries are not allowed in this context": (
        "no item of a list can begin here",
        "put each '-' on a line of its own, or write [a, b]",
    ),
    "did not find expected ',' or ']'": (
        "a '[' before this is not closed",
        "put ',' between two items and ']' after the last",
    ),
    "did not find expected ',' or '}'": (
        "a '{' before this is not closed",
        "put ',' between two keys and '}' after the last; texts with '{' need quotes",
    ),
    "did not find expected alphabetic or numeric character": (
        "'*' and '&' mean something else in YAML",
        'put it in quotes: "*"',
    ),
    "found character that cannot start any token": (
        "nothing can begin with this character",
        "put the text in quotes; indent with blanks and never with tabs",
    ),
    "found unexpected end of stream": (
        "the file ends inside a quoted text",
        "close the quote where the text ends",
    ),
    "found unknown escape character": (
        "there is no such escape in double quotes",
        "write \\\\ for a backslash, or use single quotes",
    ),
}


def in_plain_words(message: str) -> tuple[str, str]:
    """What the parser complains of, and a cure; as it is where we have no better words."""
    return _PLAIN.get(message, (message, ""))
