"""The address of a model's server, as a definition or a user names it."""

from urllib.parse import urlsplit

from saniwa.core.address import shown
from saniwa.core.errors import ConfigurationError
from saniwa.core.quoted import quoted

KEY = "SANIWA_MODEL_KEY"
"""The environment variable with the key for the address an agent names."""


def checked(url: str) -> str:
    """The address itself, if it is one and holds no secret; none where there is none.

    Raises:
        ConfigurationError: `MODEL_UNKNOWN`; what could be a secret is not told.
    """
    if "@" in url:
        raise _unfit("an address must not hold a name or a password", f"set {KEY}")
    if "?" in url or "#" in url:
        raise _unfit(
            f"the address {quoted(shown(url))} must end before its '?' or '#'",
            f"if it needs a key, set {KEY}",
        )
    if url and not _is_address(url):
        raise _unfit(
            f"{quoted(shown(url))} is no address of a model",
            "write http://… or https://…",
        )
    return url


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # A port that is no number is found out only when it is looked at.
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host)


def _unfit(message: str, hint: str) -> ConfigurationError:
    return ConfigurationError("MODEL_UNKNOWN", message, hint=hint)
