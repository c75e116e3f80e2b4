"""A user's rulebook, from its first text to its removal, over HTTP and at the terminal."""

import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.fakes.commands import run_command
from tests.fakes.servers import ServeProcess

_BOOK = """\
extends: strict
rules:
  - actionType: take
    replace: true
    checks:
      - id: hands_off
        condition: {flag: bell}
        failReason: MISSING_REQUIREMENT
        failMessage: Not before the bell.
"""
_EDITED = _BOOK.replace("Not before the bell.", "Wait for the bell.")


@pytest.mark.slow
def test_a_book_is_made_played_by_edited_and_removed(tmp_path: Path) -> None:
    """Its rule refuses; an edit applies to new runs, and the terminal finds it by name."""
    with ServeProcess(tmp_path) as server:
        door = f"{server.address}/api/v1"

        made = _ask(door, "POST", "/rulebooks", {"name": "bell", "text": _BOOK})
        first = _begin(door)
        assert "Not before the bell." == _take(door, first)
        assert "take.hands_off" == _find_check(door, first)
        played = _play(tmp_path)
        assert "Not before the bell." in played

        wrong = {"text": _EDITED.replace("flag", "flagg")}
        (found,) = _ask(door, "POST", "/check/rulebook", wrong)["findings"]
        assert (7, "RULE_UNKNOWN_PREDICATE") == (found["line"], found["code"])
        body = {"text": _EDITED, "seen": made["version"]}
        kept = _ask(door, "PUT", "/rulebooks/bell/source", body)
        assert "Wait for the bell." == _take(door, _begin(door))
        assert "Not before the bell." == _take(door, first, 1)

        late = _ask(door, "DELETE", f"/rulebooks/bell?seen={made['version']}")
        assert "REVISION_CONFLICT" == late["code"]
        assert _ask(door, "DELETE", f"/rulebooks/bell?seen={kept['version']}") is None
        gone = _ask(door, "POST", "/runs", {"scenario": "door_and_key", "book": "bell"})
        assert "RULE_UNKNOWN_BOOK" == gone["code"]
        assert "Not before the bell." == _take(door, first, 2)
        assert "RULE_UNKNOWN_BOOK" in _play(tmp_path)

    assert "every one the same" in run_command(tmp_path, "replay", first).stdout


def _play(folder: Path) -> str:
    """The output of the terminal when something is taken under that book."""
    words = ("play", "door_and_key", "--book", "bell", "--input", "-", "--store", "memory:")
    told = run_command(folder, *words, stdin=b"take the lavender\n")
    return told.stdout + told.stderr


def _begin(door: str) -> str:
    named = {"scenario": "door_and_key", "book": "bell"}
    return str(_ask(door, "POST", "/runs", named)["run"])


def _take(door: str, run: str, seen: int = 0) -> str:
    """The answer when something is taken."""
    said = {"text": "take the lavender"}
    moment = _ask(door, "POST", f"/runs/{run}/words", said, {"If-Match": f'"{seen}"'})
    return str(moment["step"]["directives"][0]["args"]["text"])


def _find_check(door: str, run: str) -> str:
    """The check that refused the first action of a run."""
    (deed,) = _ask(door, "GET", f"/runs/{run}/turns/0")["deeds"]
    return str(deed["verdict"]["check"])


def _ask(
    door: str, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> Any:
    content = None if body is None else json.dumps(body).encode()
    given = {"Content-Type": "application/json", **(headers or {})}
    try:
        with urlopen(Request(door + path, content, given, method=method)) as answer:
            return json.loads(answer.read() or "null")
    except HTTPError as problem:
        return json.load(problem)
