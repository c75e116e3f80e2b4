import subprocess
import sys

import pytest

from saniwa.core.errors import ProtocolError
from saniwa.http.server import is_telemetry_wanted


@pytest.mark.parametrize(
    ("said", "environment", "expected"),
    [
        (False, {}, False),
        (False, {"OTEL_SERVICE_NAME": "garden", "HOME": "/"}, False),
        (True, {}, True),
        (False, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, True),
    ],
)
def test_telemetry_is_sent_when_it_is_asked_for(
    said: bool, environment: dict[str, str], expected: bool
) -> None:
    """Telemetry is enabled by a flag, or by an environment that names a collector."""
    assert expected == is_telemetry_wanted(said, environment)


@pytest.mark.parametrize("missing", ["opentelemetry", "opentelemetry.sdk"])
def test_without_the_extra_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """Without the packages, the error names the command that installs them."""
    for name in [n for n in sys.modules if n.split(".")[0] == "opentelemetry"]:
        monkeypatch.delitem(sys.modules, name)
    from importlib import util

    found = util.find_spec
    hidden = lambda name, package=None: (  # noqa: E731 - two lines in one place
        None if name == missing else found(name, package)
    )
    monkeypatch.setattr("saniwa.core.extras.find_spec", hidden)
    with pytest.raises(ProtocolError, match="EXTRA_MISSING") as stopped:
        is_telemetry_wanted(True, {})

    assert "saniwa[telemetry]" in stopped.value.hint


def test_nothing_is_loaded_until_then() -> None:
    """Without telemetry its packages are not imported."""
    loaded = (
        "import sys\n"
        "import saniwa.http.admission, saniwa.http.access_log, saniwa.http.server\n"
        "saniwa.http.server.is_telemetry_wanted(False, {})\n"
        "print([n for n in sys.modules if n.startswith('opentelemetry')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )

    assert "[]" == done.stdout.strip()
