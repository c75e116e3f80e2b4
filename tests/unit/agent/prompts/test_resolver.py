import asyncio
import os
from pathlib import Path

import pytest

from saniwa.agent.definition import AgentDefinition, PromptReference
from saniwa.agent.files.agent_folder import read_agent
from saniwa.agent.prompt_resolver import LARGEST_PROMPT, FilePromptResolver
from saniwa.app.agent_lookup import locate_shipped_agents
from saniwa.core.errors import PromptNotFoundError, PromptParseError
from tests.fakes.agent_folder import PROMPTS, write_agent


def _load_agent(folder: Path, **prompts: str) -> AgentDefinition:
    definition, report = read_agent(write_agent(folder, prompts={**PROMPTS, **prompts}))
    assert definition is not None, report
    return definition


def _resolve_text(resolver: FilePromptResolver, path: str) -> str:
    return asyncio.run(resolver.resolve(PromptReference(path=path)))


@pytest.mark.parametrize(
    "path", ["../secret.md", "/etc/hostname", "a/../../secret.md", "link.md", "out/secret.md"]
)
def test_no_reference_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    """A reference outside the folder, absolute or through a link, is refused."""
    agent = _load_agent(tmp_path / "agent")
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "agent" / "prompts" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "agent" / "prompts" / "out").symlink_to(tmp_path)

    with pytest.raises(PromptNotFoundError) as caught:
        _resolve_text(FilePromptResolver(agent), path)

    assert "secret" not in str(caught.value).replace(path, "")


def test_a_pipe_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    """A pipe and a file over the size limit are refused."""
    agent = _load_agent(tmp_path)
    os.mkfifo(tmp_path / "prompts" / "pipe.md")
    with (tmp_path / "prompts" / "huge.md").open("wb") as stream:
        stream.truncate(LARGEST_PROMPT + 1)

    for path in ("pipe.md", "huge.md"):
        with pytest.raises(PromptParseError):
            _resolve_text(FilePromptResolver(agent), path)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    """A prompt is read once while its agent is in memory."""
    resolver = FilePromptResolver(_load_agent(tmp_path))
    before = _resolve_text(resolver, "close.md")
    (tmp_path / "prompts" / "close.md").write_text("Changed.")

    assert before == _resolve_text(resolver, "close.md")


def test_an_agent_read_again_has_its_new_prompts(tmp_path: Path) -> None:
    """An agent that is read again has its changed prompts."""
    _resolve_text(FilePromptResolver(_load_agent(tmp_path)), "close.md")
    changed = _load_agent(tmp_path, **{"close.md": "Changed."})

    assert "Changed." == _resolve_text(FilePromptResolver(changed), "close.md")


def test_the_folder_is_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts are found after the current folder has changed."""
    _load_agent(tmp_path / "agent")
    monkeypatch.chdir(tmp_path)
    definition, _ = read_agent("agent")
    assert definition is not None
    resolver = FilePromptResolver(definition)
    monkeypatch.chdir("/")

    assert "Say goodbye." == _resolve_text(resolver, "close.md")


def test_the_system_prompt_can_be_adapted(tmp_path: Path) -> None:
    """`system_ja.md` replaces `system.md` in the adaptation `ja` only."""
    agent = _load_agent(tmp_path, **{"system_ja.md": "日本語"})

    def resolve_system(adaptation: str) -> str:
        resolver = FilePromptResolver(agent, adaptation=adaptation)
        return asyncio.run(resolver.resolve_system({"agent_name": "Ann"}))

    assert ["You are Ann.", "日本語", "You are Ann."] == [
        resolve_system(each) for each in ("", "ja", "fr")
    ]


@pytest.mark.parametrize("adaptation", ["", "ja"])
def test_the_shipped_character_leaves_no_gap(adaptation: str) -> None:
    """A character's view fills every variable of the shipped character's prompts."""
    definition, report = read_agent(locate_shipped_agents() / "character")
    assert definition is not None
    told: list[str] = []
    resolver = FilePromptResolver(
        definition, adaptation=adaptation, warn=lambda _, message: told.append(message)
    )
    names = ("who", "scene", "beliefs", "memories", "goals", "guidance")
    variables = dict.fromkeys(names, "x")
    step = definition.flow.steps[definition.flow.entry_step]
    assert step.prompt is not None
    asyncio.run(resolver.resolve_system(variables))
    text = asyncio.run(resolver.resolve(step.prompt, variables))

    assert () == report.findings
    assert [] == told
    assert (adaptation == "ja") == ("信じていること" in text)
