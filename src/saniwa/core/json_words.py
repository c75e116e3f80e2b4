"""How an author mends a text that is no JSON."""

_CURES = {
    "a value": "put a text in double quotes; else a number, true, false, null, a list "
    "in [] or keys in {}",
    "a key in double quotes": 'write "key": value, with ordinary double quotes',
    "':'": 'write "key": value',
    "',' or ']'": "put ',' between two items and ']' after the last",
    "',' or '}'": "put ',' between two keys and '}' after the last",
}
_IN_TEXTS = {
    "Unterminated": "close the double quote where the text ends",
    "Invalid control": "write \\n for a line end and \\t for a tab",
    "Invalid \\": 'write \\\\ for a backslash and \\" for a quote',
}


def cure_of(wanted: str, before: str, found: str) -> str:
    """What to write where something else than the wanted stands; empty text at an end.

    `before` is what stands before it, blanks left out.
    """
    if found.startswith(("//", "/*", "#")):
        return "JSON has no comments; YAML has"
    if before == "," and found[:1] in ("]", "}"):
        return "a comma before a closing bracket is one too many"
    if before == "," and found[:1] == ",":
        return "one comma is enough"
    return _CURES[wanted]


def cure_in_text(complaint: str) -> str:
    """What to write inside of a quoted text, where the library complains of it."""
    found = (cure for begin, cure in _IN_TEXTS.items() if complaint.startswith(begin))
    return next(found, "")
