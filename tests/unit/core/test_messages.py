from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.messages import Describer, make_describer

_CATALOG = """{
  "GONE": {"message": "{run!r} is gone: {why}", "hint": "look for {run}", "details": ["run"]},
  "BUSY": {"message": "wait {seconds:g} s", "recoverable": true},
  "NAME_ODD/long": {"message": "{name!q} is {at.line} long", "severity": "warning"}
}"""


@pytest.fixture
def describe(tmp_path: Path) -> Describer:
    """The messages of a small catalogue."""
    (tmp_path / "messages.json").write_text(_CATALOG, encoding="utf-8")
    return make_describer(str(tmp_path / "__init__.py"))


def test_a_message_becomes_an_error_with_its_values(describe: Describer) -> None:
    """The values fill in both sentences, and the named ones go into the details."""
    error = describe("GONE", run="a", why="lost").to_error(StoreError, where="here")

    assert ("GONE", "'a' is gone: lost", "look for a") == (error.code, error.message, error.hint)
    assert ({"run": "a"}, False) == (error.details, error.recoverable)


def test_a_hint_of_the_caller_replaces_that_of_the_catalogue(describe: Describer) -> None:
    """A hint of the caller replaces that of the catalogue, unless it is empty."""
    assert "did you mean b?" == describe("GONE", hint="did you mean b?", run="a", why="").hint
    assert "look for a" == describe("GONE", hint="", run="a", why="").hint


def test_a_message_becomes_a_finding_under_its_code(describe: Describer) -> None:
    """A variant selects a message of a code, and is not part of the code."""
    long = "x" * 100
    found = describe("NAME_ODD/long", name=long, at=SourceLocation(line=3)).to_finding()

    assert ("NAME_ODD", "warning") == (found.code, found.severity)
    assert found.message.endswith("… is 3 long")


def test_an_error_can_be_one_that_passes(describe: Describer) -> None:
    """The catalogue says whether the same call could succeed later."""
    error = describe("BUSY", seconds=2.0).to_error(StoreError)

    assert ("wait 2 s", True) == (error.message, error.recoverable)
