"""Prepares structs for decoding, so that threads can decode them at the same time."""

from threading import RLock
from typing import Any, Final

import msgspec

_LOCK: Final = RLock()


def warm_decoders(*shapes: Any) -> None:
    """Prepare these structs, and all they contain, for decoding in any thread."""
    with _LOCK:
        for shape in shapes:
            msgspec.json.Decoder(shape)
