from pathlib import Path

import pytest

from saniwa.agent.files.agent_folder import read_agent
from tests.fakes.agent_folder import AGENT, change_document, write_agent


def _find_in_model(folder: Path, use: str) -> list[tuple[str, str, str]]:
    agent = change_document(AGENT, model={"use": use})
    report = read_agent(write_agent(folder, agent=agent))[1]
    return [(each.code, each.severity, each.where.path) for each in report.findings]


@pytest.mark.parametrize("kind", ["canned", "replay"])
def test_a_file_of_answers_must_be_there(tmp_path: Path, kind: str) -> None:
    """A missing file of answers is a warning."""
    missing = [("FILE_MISSING", "warning", "model.use")]

    assert missing == _find_in_model(tmp_path, f"{kind}:answers.json")
    (tmp_path / "answers.json").mkdir()
    assert missing == _find_in_model(tmp_path, f"{kind}:answers.json")
    (tmp_path / "answers.json").rmdir()
    (tmp_path / "answers.json").write_text("[]")
    assert [] == _find_in_model(tmp_path, f"{kind}:answers.json")


@pytest.mark.parametrize("path", ["../answers.json", "/etc/hostname", "link.json"])
def test_a_file_of_answers_is_inside(tmp_path: Path, path: str) -> None:
    """A file of answers outside the agent's folder, or behind a link, is an error."""
    (tmp_path / "link.json").symlink_to("/etc/hostname")

    assert [("FILE_OUTSIDE", "error", "model.use")] == _find_in_model(tmp_path, f"canned:{path}")


def test_a_model_with_a_colon_is_no_file(tmp_path: Path) -> None:
    """Only `canned` and `replay` models name files."""
    assert [] == _find_in_model(tmp_path, "ollama:llama3")
