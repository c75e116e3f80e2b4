"""Agent folders of climpt's present and earlier forms, rewritten as Saniwa's."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.agent_folder import read_agent_folder, write_agent
from saniwa.agent.files.climpt_agent_migration import migrate_agent_folder
from saniwa.core.errors import ConfigurationError
from saniwa.documents.migration_log import MigrationChange

AGENT: dict[str, Any] = {
    "version": "1.0.0",
    "name": "gardener",
    "displayName": "Gardener",
    "description": "Waters plants",
    "parameters": {"resume": {"type": "boolean", "cli": "--resume"}},
    "runner": {
        "flow": {
            "systemPromptPath": "prompts/system.md",
            "prompts": {"registry": "steps_registry.json"},
        },
        "verdict": {"type": "poll:state", "config": {"maxIterations": 7}},
        "boundaries": {"allowedTools": ["Read"], "permissionMode": "acceptEdits"},
        "integrations": {"github": {"enabled": True}},
        "logging": {"directory": "logs", "format": "jsonl"},
    },
}
STEP = {"c2": "initial", "c3": "bed", "edition": "default", "stepKind": "work"}
FLOW: dict[str, Any] = {
    "agentId": "gardener",
    "version": "1.0.0",
    "c1": "steps",
    "pathTemplate": "{c1}/{c2}/{c3}/f_{edition}_{adaptation}.md",
    "userPromptsBase": ".agent/gardener/prompts",
    "entryStepMapping": {"poll:state": {"initial": "look", "continuation": "look"}},
    "validators": {"dry": {"type": "command", "command": "true"}},
    "steps": {
        "look": {
            **STEP,
            "stepId": "look",
            "outputSchemaRef": {"file": "bed.schema.json", "schema": "look"},
            "structuredGate": {
                "allowedIntents": ["next", "repeat", "closing"],
                "intentField": "next_action.action",
                "fallbackIntent": "repeat",
            },
            "transitions": {
                "next": {"target": "water"},
                "repeat": {"target": "look"},
                "closing": {"target": None},
            },
        },
        "water": {**STEP, "stepId": "water", "transitions": {"next": {"target": "look"}}},
    },
}
SCHEMAS = {
    "bed.schema.json": {
        "look": {"type": "object", "properties": {"soil": {"$ref": "all.schema.json#/$defs/soil"}}}
    },
    "all.schema.json": {"$defs": {"soil": {"type": "string", "enum": ["dry", "wet"]}}},
}


def write_foreign_agent(folder: Path, agent: Any = AGENT, flow: Any = FLOW) -> Path:
    """Write an agent of the foreign form into a folder."""
    source = folder / "gardener"
    files = {"agent.json": agent, "steps_registry.json": flow}
    files |= {f"schemas/{name}": schema for name, schema in SCHEMAS.items()}
    for name, document in files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(json.dumps(document))
    for name in ("system.md", "steps/initial/bed/f_default.md"):
        (source / "prompts" / name).parent.mkdir(parents=True, exist_ok=True)
        (source / "prompts" / name).write_text("Look after the bed.\n")
    return source


def _migrate(
    folder: Path, agent: Any = AGENT, flow: Any = FLOW
) -> tuple[AgentDefinition, tuple[MigrationChange, ...]]:
    changes = migrate_agent_folder(str(write_foreign_agent(folder, agent, flow)), folder / "new")
    read = read_agent_folder(folder / "new")
    assert read.definition is not None, read.report.findings
    return read.definition, changes


def _list_dropped(changes: tuple[MigrationChange, ...]) -> list[str]:
    return [each.message for each in changes if each.effect == "dropped"]


def test_the_parts_of_runner_are_found_where_we_look_for_them(tmp_path: Path) -> None:
    """The tools, the mode and the limit in `runner` keep their values."""
    agent, _ = _migrate(tmp_path)

    assert (("Read",), "acceptEdits") == (agent.allowed_tools, agent.permission_mode)
    assert 7 == agent.limits.max_iterations


def test_intents_lead_on_through_a_gateway(tmp_path: Path) -> None:
    """Each intent becomes a route on a field of the answer, with the fallback as default."""
    agent, _ = _migrate(tmp_path)
    gateway = agent.flow.steps["look.intent"]

    assert "look.intent" == agent.flow.steps["look"].next
    assert [
        ("look_next_action_action", "next", "water", False),
        ("look_next_action_action", "repeat", "look", False),
        ("look_next_action_action", "closing", "", True),
    ] == [(way.variable, way.equals, way.next, way.complete) for way in gateway.routes]
    assert "look" == gateway.next


def test_the_schema_is_written_into_its_step_with_the_intents(tmp_path: Path) -> None:
    """The schema of a step contains its references and its intents."""
    agent, _ = _migrate(tmp_path)
    schema = agent.flow.steps["look"].schema or {}

    assert {"type": "string", "enum": ["dry", "wet"]} == schema["properties"]["soil"]
    action = schema["properties"]["next_action"]["properties"]["action"]
    assert ["next", "repeat", "closing"] == action["enum"]


def test_what_has_no_equivalent_is_listed_once_for_each_kind(tmp_path: Path) -> None:
    """What has no equivalent is listed once per kind."""
    _, changes = _migrate(tmp_path)

    assert [
        "external states are not supported: the agent is done when its flow ends",
        "'github': the agent has no tools for it by itself",
        "validators are commands that a process checks: guards of type 'check'",
    ] == _list_dropped(changes)


def test_an_option_of_the_command_itself_gets_another_name(tmp_path: Path) -> None:
    """A parameter with an option of the command itself gets another option."""
    agent, _ = _migrate(tmp_path)

    assert "--agent-resume" == agent.parameters["resume"].cli


def test_the_earlier_flat_form_keeps_its_continuation(tmp_path: Path) -> None:
    """A flow of the earlier form that only external state ended gets a number of iterations."""
    steps = {"initial.bed": {**STEP, "uvVariables": []}, "continuation.bed": dict(STEP)}
    agent = {key: value for key, value in AGENT.items() if key != "runner"} | {
        "behavior": {"completionType": "issue", "completionConfig": {"maxIterations": 4}},
        "prompts": {"registry": "steps_registry.json", "fallbackDir": "prompts/"},
        "worktree": {"enabled": True},
    }
    flow = FLOW | {"entryStepMapping": {"issue": "initial.bed"}, "steps": steps}

    migrated, _ = _migrate(tmp_path, agent, flow)

    assert "initial.bed" == migrated.flow.entry_step
    assert "continuation.bed" == migrated.flow.steps["initial.bed"].next
    assert 4 == getattr(migrated.completion, "max_iterations", 0)


def test_a_step_that_only_validates_is_the_end(tmp_path: Path) -> None:
    """A transition to a step that only validates becomes the end of the flow."""
    look = FLOW["steps"]["look"] | {"transitions": {"next": {"target": "closure.bed"}}}
    flow = FLOW | {"steps": {"look": look}, "completionSteps": {"closure.bed": {}}}

    agent, _ = _migrate(tmp_path, flow=flow)

    assert agent.flow.steps["look.intent"].routes[0].complete


def test_an_agent_in_our_form_stays_as_it_is(tmp_path: Path) -> None:
    """An agent in Saniwa's form stays unchanged."""
    write_agent("guide", tmp_path / "guide")

    changes = migrate_agent_folder(str(tmp_path / "guide"), tmp_path / "new")
    before, after = (read_agent_folder(tmp_path / name).definition for name in ("guide", "new"))

    assert before is not None
    assert after is not None
    assert replace(before, folder="", hash="") == replace(after, folder="", hash="")
    assert () == changes


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """An existing folder is refused and left unchanged."""
    source = write_foreign_agent(tmp_path)
    (tmp_path / "new").mkdir()

    with pytest.raises(ConfigurationError) as refused:
        migrate_agent_folder(str(source), tmp_path / "new")

    assert "AGENT_EXISTS" == refused.value.code
    assert [] == list((tmp_path / "new").iterdir())


def test_a_folder_without_an_agent_is_refused(tmp_path: Path) -> None:
    """A folder without an agent is refused, and nothing is written."""
    with pytest.raises(ConfigurationError) as refused:
        migrate_agent_folder(str(tmp_path / "none"), tmp_path / "new")

    assert "CONFIG_NOT_FOUND" == refused.value.code
    assert not (tmp_path / "new").exists()
