"""The HTTP door's contract as a file, for those who make clients from it."""

import msgspec

from saniwa.core.errors import ProtocolError
from saniwa.core.extra import need


def openapi_text() -> str:
    """The OpenAPI document, indented.

    Raises:
        ProtocolError: `EXTRA_MISSING`.
    """
    need("starlette", extra="serve", what="the HTTP door needs", kind=ProtocolError)
    from saniwa.api.openapi import document
    from saniwa.api.table import OPERATIONS

    content = msgspec.json.encode(document(OPERATIONS), order="sorted")
    return msgspec.json.format(content, indent=2).decode()
