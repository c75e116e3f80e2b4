"""Forbidding model calls for a whole program: `SANIWA_MODEL_CALLS=forbid`."""

import os

from saniwa.core.errors import SdkBridgeError
from saniwa.core.quoted import quoted

VARIABLE = "SANIWA_MODEL_CALLS"
"""The environment variable that forbids them."""


def check_allowed(model: str) -> None:
    """Let a call to a real model pass, unless the environment forbids such calls.

    Raises:
        SdkBridgeError: `MODEL_CALLS_FORBIDDEN`.
    """
    said = os.environ.get(VARIABLE, "")
    if said in ("", "allow"):
        return
    what = (
        "are forbidden" if said == "forbid" else f"are {quoted(said)}, which is no word"
    )
    raise SdkBridgeError(
        "MODEL_CALLS_FORBIDDEN",
        f"{quoted(model)} was not asked: model calls {what} here",
        hint=f"set {VARIABLE} to 'allow' or unset it, or use canned or recorded answers",
    )
