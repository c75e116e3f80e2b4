"""What can be a name: it stands in rows of the log and on terminals."""

import re

from saniwa.core.quoted import quoted
from saniwa.process.authoring.page import Page, Path
from saniwa.process.definition import EVERYBODY

LONGEST_NAME = 100
"""Letters a name may have."""

# Letters that nobody sees or that turn the direction of others, and what parts paths.
_BAD_LETTER = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff;]"
).search
# A file's name and never a way: no separators, no drive, no hidden file.
_PLAIN = re.compile(r"\w[\w.-]*( [\w.-]+)*").fullmatch


def good_name(page: Page, name: str, path: Path, *, key: bool = False) -> bool:
    """Whether the text can name something; a finding if not."""
    why = _fault_of(name)
    if why:
        message = f"the name {quoted(name)} {why}"
        hint = "names stand in the log: letters, digits, '_' and '-' are safe"
        page.error("NAME_UNUSABLE", message, path, key=key, hint=hint)
    return not why


def is_plain(process_id: str) -> bool:
    """Whether an id can be the name of a file, and leads nowhere else."""
    return len(process_id) <= LONGEST_NAME and _PLAIN(process_id) is not None


def _fault_of(name: str) -> str:
    if not name.strip():
        return "is empty"
    if len(name) > LONGEST_NAME:
        return f"has {len(name)} letters, more than {LONGEST_NAME}"
    if name == EVERYBODY:
        return "stands for everybody"
    letter = _BAD_LETTER(name)
    if letter is None:
        return "" if name == name.strip() else "begins or ends with a blank"
    if letter.group() == ";":
        return "has a ';', which parts paths in the log"
    return f"has the control character U+{ord(letter.group()):04X}"
