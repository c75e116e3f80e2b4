"""Front matter: the YAML between the `---` at the top of a text and the next one.

Intake and `verify` both read inline evidence through `read_inline`, so a record that the
gate accepted always reads the same again.
"""

from typing import Any

import msgspec

from saniwa.core.document import read_text
from saniwa.core.errors import DocumentError
from saniwa.core.where import Where

_FENCE = "---"


class FrontMatterError(Exception):
    """What is wrong with front matter; continues the name of the text: `has …`."""


def read_inline(content: Any) -> Any:
    """The values that inline evidence states.

    A text with front matter states its front matter. Any other content states itself.

    Raises:
        FrontMatterError: The front matter cannot be parsed, or has no end.
    """
    if not isinstance(content, str):
        return content
    matter = read_front_matter(content)
    return content if matter is msgspec.UNSET else matter


def read_front_matter(text: str) -> Any:
    """The values of a text's front matter; `msgspec.UNSET` if it has none.

    Raises:
        FrontMatterError: It cannot be parsed, with line and column, or has no end.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != _FENCE:
        return msgspec.UNSET
    ends = (n for n, line in enumerate(lines) if n and line.rstrip() in (_FENCE, "..."))
    end = next(ends, 0)
    if not end:
        raise FrontMatterError("has front matter that never ends: no second '---'")
    # An empty line in place of the fence keeps the line numbers of the file.
    inner = "\n".join(["", *lines[1:end], ""])
    try:
        document = read_text(inner)
    except DocumentError as problem:
        raise FrontMatterError(describe(problem.message, problem.where)) from problem
    for finding in document.findings:
        raise FrontMatterError(describe(finding.message, finding.where))
    return document.plain


def describe(message: str, where: Where | None) -> str:
    """A parse error with its line and column, to continue the name of the text."""
    assert where is not None, "a text has lines"
    return f"cannot be read, line {where.line}, column {where.column}: {message}"
