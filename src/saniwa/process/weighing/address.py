"""An address as people write it under a key."""

from typing import Any, Final

from saniwa.core.paper.kinds import Check
from saniwa.process.ports import EvidenceError
from saniwa.process.weighing.place import check_url


def is_address(value: Any) -> bool:
    """Whether people and programs read it alike, and no password is in it."""
    if not isinstance(value, str):
        return False
    try:
        check_url(value)
    except EvidenceError:
        return False
    return True


ADDRESS: Final = Check(
    "an http or https address, without a name or password in it",
    is_address,
    told=True,
    hides="@",
    code="ADDRESS_UNUSABLE",
)
"""What must stand where an address is wanted."""
