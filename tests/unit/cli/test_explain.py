import json
from pathlib import Path

import pytest

from saniwa.cli.explain import list_entries
from tests.fakes.commands import run_command


@pytest.mark.parametrize("typed", ["LIST_UNEVEN", "list_uneven", "[LIST_UNEVEN]"])
def test_a_code_is_explained_as_it_was_printed_or_typed(typed: str, tmp_path: Path) -> None:
    """A code is explained with meaning, cause, cure and example, in any case and with brackets."""
    done = run_command(tmp_path, "explain", typed)

    assert 0 == done.returncode
    assert done.stdout.startswith(
        "LIST_UNEVEN\n\nA warning: the items of one list are not indented alike.\n\nCause: "
    )
    assert "\n\nCure: " in done.stdout
    assert "\n\nExample:\n\n```markdown file=example.md\n" in done.stdout


def test_an_unknown_code_suggests_a_similar_one(tmp_path: Path) -> None:
    """An unknown code is a usage error that names the nearest code."""
    done = run_command(tmp_path, "explain", "LIST_UNEVN")

    assert 2 == done.returncode
    assert "there is no code 'LIST_UNEVN'. Did you mean LIST_UNEVEN?" in done.stderr


def test_programs_get_the_parts_by_name(tmp_path: Path) -> None:
    """With --json the answer is one object with named parts, and links are plain words."""
    done = run_command(tmp_path, "explain", "MODEL_UNKNOWN", "--json")
    answer = json.loads(done.stdout)

    assert ["code", "meaning", "cause", "cure", "example"] == list(answer)
    assert "see Models for the kinds" in answer["cause"]


def test_links_lose_their_target_and_code_does_not() -> None:
    """Links lose their targets, but code is shown unchanged."""
    parts = {entry.code: entry.parts for entry in list_entries()}

    assert "`- [tea](#tea)`" in parts["OPTION_EMPTY"]["cure"]
    assert "reported as RECORD_IMPOSSIBLE" in parts["DECISION_UNPROVEN"]["cause"]
