from pathlib import Path

import pytest

from saniwa.app.agent_cast import list_seatable_agents, open_named_agent
from saniwa.app.game_table_models import check_model_allowed
from saniwa.core.errors import ConfigurationError


@pytest.mark.parametrize(
    "use",
    [
        "canned:models/answers.yaml",
        "replay:models/tapes/one.jsonl",
        "local:weights.gguf",
        "local:smollm2",
        "fuzz:1",
        "",
    ],
)
def test_models_inside_of_the_project_may_be_named(tmp_path: Path, use: str) -> None:
    """Models in the project, and models that are not files, may be named."""
    check_model_allowed(use, tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../answers.yaml",
        "a/../../b",
        "link.yaml",
        "\x00",
        ".state_gate/people.json",
        "tapes/.kept/one.jsonl",
        "inner.yaml",
    ],
)
@pytest.mark.parametrize("kind", ["canned", "replay", "local"])
def test_no_file_outside_of_the_project_answers_for_a_model(
    tmp_path: Path, kind: str, name: str
) -> None:
    """A file outside the project, behind a link or hidden is refused as a model."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "link.yaml").symlink_to("/etc/passwd")
    (project / "inner.yaml").symlink_to(project / ".state_gate" / "people.json")

    with pytest.raises(ConfigurationError) as problem:
        check_model_allowed(f"{kind}:{name}", project)

    assert "FILE_OUTSIDE" == problem.value.code


@pytest.mark.parametrize("name", ["keys/mei.key", "answers.yaml", "models/link.yaml"])
@pytest.mark.parametrize("kind", ["canned", "replay"])
def test_only_files_of_one_folder_may_answer(tmp_path: Path, kind: str, name: str) -> None:
    """Only files of the folder `models` may answer, because their text becomes public."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "link.yaml").symlink_to(tmp_path / "keys" / "mei.key")
    with pytest.raises(ConfigurationError, match="FILE_OUTSIDE") as problem:
        check_model_allowed(f"{kind}:{name}", tmp_path)

    assert f"{kind}:models/FILE" in problem.value.hint


@pytest.mark.parametrize("name", ["nobody", "../character", "/", ""])
def test_an_agent_is_named_and_never_found_by_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """An agent is named, never found by a path."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigurationError) as problem:
        open_named_agent(name)

    assert "CONFIG_NOT_FOUND" == problem.value.code


def test_only_agents_that_speak_can_be_seated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only agents that can play are listed, not workers or broken ones."""
    monkeypatch.chdir(tmp_path)
    broken = tmp_path / ".agent" / "broken"
    broken.mkdir(parents=True)
    (broken / "agent.json").write_text("{", encoding="utf-8")

    assert ("character",) == list_seatable_agents()
    assert "character" == open_named_agent("character").name
