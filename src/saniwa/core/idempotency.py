"""One rule for requests that are sent again, at every door and for every log.

A request may carry a key, the sender's own name for it. The same key with the same
request gets the first answer again, and nothing is done twice; the same key with another
request is refused. Logs store the key and the digest with what the request became.
"""

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.text import quote_value


class IdempotencyKey(msgspec.Struct, frozen=True):
    """The key of a host's request; a repeated request changes nothing."""

    key: str
    """The key that the sender chose."""
    digest: str
    """A hash of the request; a different request with the same key is refused."""

    def is_same_request(self, stored: str) -> bool:
        """Whether the request that is stored under this key is this one, by its digest."""
        return self.digest == stored

    def check_same_request(self, stored: str) -> None:
        """Check that the request that is stored under this key is this one.

        Raises:
            StoreError: `IDEMPOTENCY_CONFLICT`.
        """
        if self.is_same_request(stored):
            return
        # Show the key as the sender wrote it: interfaces with accounts prefix it with
        # the account.
        own = self.key.rpartition("/")[2]
        raise StoreError(
            "IDEMPOTENCY_CONFLICT",
            f"the key {quote_value(own)} was used for another request",
            hint="use a new key for each request",
            details={"key": own},
        )
