"""Whether somebody wants to be told, and whether we can."""

from collections.abc import Mapping

from saniwa.core.errors import ProtocolError
from saniwa.core.extra import need

_ASKING = "OTEL_EXPORTER_"
_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def wanted(said: bool, environment: Mapping[str, str]) -> bool:
    """Whether it was said, or the environment names where to tell it.

    Raises:
        ProtocolError: `EXTRA_MISSING` if it is wanted and cannot be had.
    """
    if not said and not any(name.startswith(_ASKING) for name in environment):
        return False
    need(
        "opentelemetry",
        extra="telemetry",
        what="telemetry needs",
        otherwise="serve without it",
        kind=ProtocolError,
    )
    need(
        *_PACKAGES,
        extra="telemetry",
        what="telemetry needs",
        otherwise="serve without it",
        kind=ProtocolError,
    )
    return True
