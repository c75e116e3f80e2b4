"""What goes wrong between an author and a file, told with its cure."""

from collections.abc import Iterable

from saniwa.core.errors import ScriptError, StoreError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted


def shipped(what: str, id: str) -> ScriptError:
    """The error for a change of what comes with Saniwa."""
    return ScriptError(
        "READ_ONLY",
        f"the {what} {quoted(id)} comes with Saniwa and is only read",
        hint="make a copy under a name of your own, and change that",
        details={what: id},
    )


def exists(what: str, id: str) -> ScriptError:
    """The error for a name that is taken."""
    return ScriptError(
        "FILE_EXISTS",
        f"there is a {what} {quoted(id)} already",
        hint="choose another name; nothing is ever written over",
        details={what: id},
    )


def unusable(what: str, id: str) -> ScriptError:
    """The error for a name that cannot be one."""
    return ScriptError(
        "NAME_UNUSABLE",
        f"{quoted(id)} cannot be the name of a {what}",
        hint="use small letters, digits and '-', and begin with a letter or digit",
        details={"name": id},
    )


def not_found(name: str, known: Iterable[str]) -> ScriptError:
    """The error for a file that is not there."""
    return ScriptError(
        "FILE_NOT_FOUND",
        f"the story has no file {quoted(name)}",
        hint=did_you_mean(name, known) or "list the files there are",
        details={"file": name},
    )


def outside(name: str) -> ScriptError:
    """The error for a name that leads out of a story's folder."""
    return ScriptError(
        "FILE_OUTSIDE",
        f"{quoted(name)} is no file of the story's own folder",
        hint="name a file of the story, such as 'chapters/two.md'",
        details={"file": name},
    )


def wrong_kind(name: str, kinds: Iterable[str]) -> ScriptError:
    """The error for a file of another kind."""
    return ScriptError(
        "NAME_UNUSABLE",
        f"{quoted(name)} is no text that can be written here",
        hint=f"its name must end in one of {', '.join(kinds)}",
        details={"file": name},
    )


def changed(name: str, seen: str, current: str) -> StoreError:
    """The error for a file that somebody else has changed meanwhile."""
    return StoreError(
        "REVISION_CONFLICT",
        f"{quoted(name)} is no longer what it was when it was read",
        hint="read it again, and put both together",
        details={"file": name, "seen": seen, "current": current},
    )


def unwritable(name: str, why: str) -> StoreError:
    """The error for a file that cannot be written."""
    return StoreError(
        "FILE_UNWRITABLE",
        f"{quoted(name)} cannot be written: {why}",
        hint="see whether the folder may be written to, and the disk has room",
        details={"file": name},
    )


def too_many(most: int) -> StoreError:
    """The error for a folder that is full."""
    return StoreError(
        "FILE_UNWRITABLE",
        f"the story has {most} files already",
        hint="make several stories of it",
    )
