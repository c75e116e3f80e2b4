"""The audit reports known vulnerabilities, and packages that could not be checked."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from scripts.supply.advisories import AuditAnswer, Weakness, from_npm, from_pip_audit
from scripts.supply.audit import ACCEPTED, choose_pins, report_answer, split_rounds
from scripts.supply.locks import PythonPin

from tests.house.pages import ROOT

_UNASKED = """{"dependencies": [{"name": "jinja2", "skip_reason": "Dependency not found on PyPI and could not be audited: jinja2 (2.10)"}, {"name": "click", "version": "8.5.1", "vulns": []}], "fixes": []}"""
_REFUSED = """{"message": "405 Method Not Allowed - POST /advisories/bulk", "method": "POST", "statusCode": 405, "error": {"summary": "", "detail": ""}}"""
_NPM = {
    "auditReportVersion": 2,
    "vulnerabilities": {
        "vite": {
            "name": "vite",
            "via": [
                {
                    "source": 1,
                    "name": "vite",
                    "title": "reads files it should not",
                    "url": "https://advisories.example/GHSA-aaaa-bbbb-cccc",
                    "severity": "moderate",
                    "range": "<8.0.1",
                }
            ],
            "fixAvailable": True,
        },
        "vitest": {"name": "vitest", "via": ["vite"], "fixAvailable": True},
    },
    "metadata": {"dependencies": {"prod": 20, "dev": 110, "total": 130}},
}
_WEAKNESS = {
    "id": "GHSA-xxxx-yyyy-zzzz",
    "summary": "Told for this test.",
    "details": "Told for this test.",
    "aliases": ["CVE-2026-0001"],
    "affected": [
        {
            "package": {"name": "orjson", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.0"}]}],
        }
    ],
}


def test_a_package_that_could_not_be_checked_is_reported() -> None:
    """A package that pip-audit skips is reported as not checked, though pip-audit succeeds."""
    answer = from_pip_audit(_UNASKED, "")

    assert (1, ()) == (answer.asked, answer.found)
    assert ["jinja2 (2.10)"] == [why.rpartition(": ")[2] for why in answer.unasked]


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "no JSON"])
def test_an_invalid_answer_is_reported_with_its_error_output(text: str) -> None:
    """An answer that is not the expected JSON is reported with the last line of stderr."""
    expected = AuditAnswer(0, (), ("no route to host",))

    assert expected == from_pip_audit(text, "Traceback:\nno route to host\n")
    assert expected == from_npm(text, "no route to host\n")


def test_npm_shows_each_weakness_once() -> None:
    """A row that only refers to another vulnerability is not counted again."""
    expected = Weakness("vite", "<8.0.1", "GHSA-aaaa-bbbb-cccc", "npm audit fix knows a cure")

    assert AuditAnswer(130, (expected,), ()) == from_npm(json.dumps(_NPM), "")


def test_npm_that_is_refused_could_not_ask() -> None:
    """A registry that refuses the request counts as not checked."""
    answer = from_npm(_REFUSED, "npm error audit endpoint returned an error")

    assert AuditAnswer(0, (), ("405 Method Not Allowed - POST /advisories/bulk",)) == answer


@pytest.mark.parametrize(
    ("answer", "end", "said"),
    [
        (AuditAnswer(8, (), ()), 0, "8 packages asked about, 0 findings\n"),
        (AuditAnswer(7, (), ("no",)), 3, "could not ask: no\n"),
        (AuditAnswer(7, (), ("no",)), 3, "no all-clear\n"),
        (AuditAnswer(0, (), ()), 3, "0 packages asked about"),
        (AuditAnswer(7, (Weakness("a", "1", "X-1", "fixed in 2"),), ("no",)), 1, "a 1: X-1"),
    ],
)
def test_the_end_says_what_is_known(
    answer: AuditAnswer, end: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The status is 0 only if every package was checked, 1 for a finding, 3 if some were not."""
    assert end == report_answer("python", answer)
    assert said in capsys.readouterr().out


def test_every_accepted_weakness_has_a_reason() -> None:
    """Every accepted vulnerability has a reason of at least 20 characters."""
    assert [] == [name for name, why in ACCEPTED.items() if len(why) < 20]


def test_two_versions_of_a_package_are_asked_about_apart() -> None:
    """Two locked versions of one package are checked in separate rounds, and none is left out."""
    pins = [PythonPin(name, version, "", (), "") for name, version in ("a1", "a2", "b1")]

    assert [[pins[0], pins[2]], [pins[1]]] == split_rounds(pins)
    assert len(choose_pins("all")) == sum(map(len, split_rounds(choose_pins("all"))))


class _AdvisoryHandler(BaseHTTPRequestHandler):
    """A service that may report one vulnerability of orjson."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        known = asked["package"]["name"] == "orjson" and self.server.weak  # type: ignore[attr-defined]
        body = json.dumps({"vulns": [_WEAKNESS]} if known else {}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def advisory_service() -> Iterator[Any]:
    """A service of advisories on this machine."""
    server = HTTPServer(("127.0.0.1", 0), _AdvisoryHandler)
    server.weak = True  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def _run_audit(address: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "scripts.supply.audit", "core", "--osv-url", address],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weak", "end", "last"),
    [(True, 1, "1 findings"), (False, 0, "0 findings")],
    ids=["weak", "sound"],
)
def test_a_real_service_is_asked_about_every_package(
    advisory_service: Any, weak: bool, end: int, last: str
) -> None:
    """An audit with a real service checks every locked package and reports its answer."""
    advisory_service.weak = weak
    done = _run_audit(f"http://127.0.0.1:{advisory_service.server_port}/v1/query")

    assert end == done.returncode, done.stderr
    assert done.stdout.endswith(
        f"python: {len(choose_pins('core'))} packages asked about, {last}\n"
    )
    assert weak == ("orjson" in done.stdout)
    assert weak == ("fixed in 99.0" in done.stdout)


@pytest.mark.slow
def test_a_service_that_is_not_there_could_not_be_asked() -> None:
    """A service that cannot be reached gives status 3 and a reason."""
    done = _run_audit("http://127.0.0.1:9/v1/query")

    assert 3 == done.returncode
    assert "could not ask: osv: " in done.stdout
    assert done.stdout.endswith("no all-clear\n")
