"""A secret that a model repeats is in no output and in no file, whatever the command."""

import json
from pathlib import Path

import pytest

from tests.fakes.commands import run_command
from tests.fakes.model_server import ModelServer
from tests.journeys.gate_terminal import make_environment

_SECRETS = {"SANIWA_MODEL_KEY": "sk-stub-0123456789", "SMTP_PASS": "hunter2-hunter2"}
_AGENT = {
    "version": "1.0.0",
    "name": "guide",
    "displayName": "Guide",
    "description": "Leads somebody somewhere.",
    "behavior": {
        "systemPromptPath": "prompts/system.md",
        "completionType": "iterationBudget",
        "completionConfig": {"maxIterations": 2},
    },
    "logging": {"format": "text"},
}
_FLOW = {
    "version": "1.0.0",
    "basePath": "prompts",
    "entryStep": "lead",
    "steps": {"lead": {"id": "lead", "prompt": {"path": "lead.md"}}},
}
_PLAY = ("play", "lantern_island", "--input", "lines.txt", "--store", "s.sqlite")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an agent, and words to play."""
    home = tmp_path / ".agent" / "guide"
    (home / "prompts").mkdir(parents=True)
    (home / "agent.json").write_text(json.dumps(_AGENT), encoding="utf-8")
    (home / "steps_registry.json").write_text(json.dumps(_FLOW), encoding="utf-8")
    for name in ("system", "lead"):
        (home / "prompts" / f"{name}.md").write_text("Lead.", encoding="utf-8")
    (tmp_path / "lines.txt").write_text("take sea glass\nxyzzy the fog\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("agent", "run", "guide"),
        ("agent", "run", "guide", "--record", "tape.jsonl"),
        (*_PLAY, "--agent", "orla"),
        (*_PLAY, "--parser", "model"),
        (*_PLAY, "--narrator", "model"),
    ],
    ids=["agent", "recorded", "character", "listener", "narrator"],
)
@pytest.mark.parametrize("fails", [False, True], ids=["said", "refused"])
def test_no_secret_comes_through_this_door(
    words: tuple[str, ...], fails: bool, project: Path
) -> None:
    """A secret in a model's answer or a provider's error is redacted, recorded or not."""
    aloud = "You see: " + " and ".join(_SECRETS.values())

    with ModelServer(lambda _: aloud) as server:
        if fails:
            server.plan(*["refuse_aloud"] * 20)
        done = run_command(
            project,
            *(*words, "--model-url", f"{server.url}/v1"),
            environment=make_environment() | _SECRETS,
        )

    kept = b"".join(p.read_bytes() for p in project.rglob("*") if p.is_file())
    assert [] != server.heard
    for secret in _SECRETS.values():
        assert secret not in done.stdout + done.stderr
        assert secret not in kept.decode("utf-8", "replace")
