"""Making structs ready to be read by several threads.

msgspec works out how a struct is read when one is read for the first time, and notes it
down before it is done. A second thread that reads the same struct meanwhile follows what is
not there yet, and the whole process ends. So a module that reads structs makes them ready
while it is imported, and nobody does so at the same time as somebody else.
"""

from threading import RLock
from typing import Any, Final

import msgspec

_LOCK: Final = RLock()


def warm_decoders(*shapes: Any) -> None:
    """Let these structs, and all they are made of, be read by any thread from now on."""
    with _LOCK:
        for shape in shapes:
            msgspec.json.Decoder(shape)
