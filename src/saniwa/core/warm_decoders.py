"""Prepares structs for decoding in several threads.

msgspec works out how to decode a struct when the first one is decoded, and publishes
the result before it is complete. A second thread that decodes the same struct meanwhile
reads what is not there yet, and the whole process crashes. So a module that decodes
structs prepares them while it is imported, one thread at a time.
"""

from threading import RLock
from typing import Any, Final

import msgspec

_LOCK: Final = RLock()


def warm_decoders(*shapes: Any) -> None:
    """Prepare these structs, and all they contain, for decoding in any thread."""
    with _LOCK:
        for shape in shapes:
            msgspec.json.Decoder(shape)
