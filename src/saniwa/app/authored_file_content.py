"""The content of authored files as bytes and version, and the errors about such a file.

A file is named relative to its folder.
"""

from hashlib import sha256
from typing import Final

from saniwa.app import describe
from saniwa.core.errors import ScriptError, StoreError
from saniwa.story.files import decode_text

LARGEST_TEXT: Final = 1_000_000
"""The largest text that is read for an author, in bytes."""


def compute_version(content: bytes) -> str:
    """Return a short hash of a file's content."""
    return sha256(content).hexdigest()[:16]


def encode_text(text: str, name: str) -> bytes:
    """Encode a text as the bytes of a file.

    Raises:
        ScriptError: `STORY_UNREADABLE` for text that cannot be stored, such as a zero
            byte.
    """
    content = text.encode("utf-8", "surrogatepass")
    decode_text(content, name)
    return content


def make_read_only_error(what: str, id: str) -> ScriptError:
    """Build the error for a change to something shipped with Saniwa."""
    return describe("READ_ONLY", what=what, id=id).to_error(ScriptError, details={what: id})


def make_exists_error(what: str, id: str) -> ScriptError:
    """Build the error for a name that is already used."""
    return describe("FILE_EXISTS", what=what, id=id).to_error(ScriptError, details={what: id})


def make_unusable_name_error(what: str, id: str) -> ScriptError:
    """Build the error for an invalid name."""
    return describe("NAME_UNUSABLE/unusable_name", name=id, what=what).to_error(ScriptError)


def make_outside_error(name: str) -> ScriptError:
    """Build the error for a name that leads out of a story's folder."""
    return describe("FILE_OUTSIDE/outside", file=name).to_error(ScriptError)


def make_conflict_error(name: str, seen: str, current: str) -> StoreError:
    """Build the error for a file that another writer has changed meanwhile."""
    return describe("REVISION_CONFLICT", file=name, seen=seen, current=current).to_error(StoreError)


def make_unwritable_error(name: str, why: str) -> StoreError:
    """Build the error for a file that cannot be written."""
    return describe("FILE_UNWRITABLE", file=name, why=why).to_error(StoreError)
