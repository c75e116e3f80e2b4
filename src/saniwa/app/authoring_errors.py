"""Errors about authored files. They name files relative to their folder."""

from saniwa.app import describe
from saniwa.core.errors import ScriptError, StoreError


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
