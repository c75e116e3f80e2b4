import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.agent_folder import LARGEST_DOCUMENT, read_agent
from tests.fakes.agent_folder import (
    AGENT,
    PROMPTS,
    REGISTRY,
    change_document,
    make_flow,
    write_agent,
)


def _read_good_agent(folder: Path, **parts: Any) -> AgentDefinition:
    definition, report = read_agent(write_agent(folder, **parts))
    assert definition is not None, report
    return definition


def _list_codes(folder: Path, **parts: Any) -> list[str]:
    definition, report = read_agent(write_agent(folder, **parts))
    assert definition is None
    return [each.code for each in report.errors]


def test_a_small_agent_is_read(tmp_path: Path) -> None:
    """A small agent is read, with defaults for what it does not set."""
    found = _read_good_agent(tmp_path)

    assert ("guide", "1.0.0", "greet") == (found.name, found.version, found.flow.entry_step)
    assert str(tmp_path) == found.folder
    assert 100 == found.limits.max_iterations
    assert "close" == found.flow.steps["greet"].next


def test_yaml_and_snake_case_mean_the_same(tmp_path: Path) -> None:
    """YAML and snake_case give the same agent as JSON and camelCase."""
    first = _read_good_agent(tmp_path / "a")
    second = tmp_path / "b"
    write_agent(second, agent=None, registry=None)
    (second / "agent.yaml").write_text(
        "version: 1.0.0\nname: guide\ndisplay_name: Guide\n"
        "description: Shows people round.\n"
        "behavior: {completion_type: stepMachine}\n"
        "prompts: {registry: steps.yml}\n"
    )
    (second / "steps.yml").write_text(
        "entry_step: greet\nsteps:\n"
        "  greet:\n    prompt: {c1: steps, c2: initial, c3: greet}\n    next: close\n"
        "  close: {prompt: {path: close.md}, complete: true}\n"
    )
    definition, report = read_agent(second)

    assert () == report.findings
    assert definition is not None
    assert first.flow == definition.flow


@pytest.mark.parametrize("ending", [".json", ".yaml", ".yml"])
def test_the_flow_is_found_whatever_its_ending(tmp_path: Path, ending: str) -> None:
    """Without a file name, the flow is `steps_registry` with any supported suffix."""
    write_agent(tmp_path)
    (tmp_path / "steps_registry.json").rename(tmp_path / f"steps_registry{ending}")
    definition, report = read_agent(tmp_path)

    assert () == report.findings
    assert definition is not None


def test_all_missing_fields_are_reported_at_once(tmp_path: Path) -> None:
    """All missing fields of an agent are reported at once."""
    _, report = read_agent(write_agent(tmp_path, agent={}))
    needed = {each.message for each in report.errors if each.code == "FIELD_MISSING"}

    assert {
        f"an agent needs {name!r}"
        for name in ("version", "name", "displayName", "description", "behavior")
    } == needed


@pytest.mark.parametrize(
    ("part", "value", "code", "said"),
    [
        ("name", "My Agent", "NAME_UNUSABLE", "kebab-case"),
        ("version", "1", "WRONG_TYPE", "semver"),
        ("displayName", 3, "WRONG_TYPE", "text"),
        ("github", {}, "KEY_UNUSED", "is not used here"),
        ("descriptoin", "x", "UNKNOWN_KEY", "descriptoin"),
        ("model", {"url": "http://ann:secret@x"}, "ADDRESS_UNUSABLE", "http"),
        ("model", {"temperature": -1}, "WRONG_TYPE", "less than 0"),
        ("limits", {"maxCost": 10**400}, "WRONG_TYPE", "more than 1000000000000000"),
        ("model", {"use": "canned:../x"}, "FILE_OUTSIDE", "'..'"),
        ("logging", {"directory": "/var/log"}, "FILE_OUTSIDE", "/var/log"),
        ("logging", {"format": "xml"}, "UNKNOWN_VALUE", "jsonl, text"),
    ],
)
def test_each_mistake_has_its_code_and_place(
    tmp_path: Path, part: str, value: object, code: str, said: str
) -> None:
    """A mistake has its code and place, and its message has no secret."""
    _, report = read_agent(write_agent(tmp_path, agent=change_document(AGENT, **{part: value})))
    (found,) = [each for each in report.findings if each.code == code]

    assert said in found.message
    assert "secret" not in str(found)
    assert found.where.path.startswith(part)
    assert 0 < found.where.line


def test_a_name_that_would_do_is_offered(tmp_path: Path) -> None:
    """The hint for an unusable name suggests a usable one."""
    _, report = read_agent(write_agent(tmp_path, agent=change_document(AGENT, name="My Agent")))

    assert ["write 'my-agent', or similar"] == [each.hint for each in report.errors]


def test_a_near_name_is_offered(tmp_path: Path) -> None:
    """A mistyped key gets the nearest as a hint."""
    _, report = read_agent(write_agent(tmp_path, agent=change_document(AGENT, descriptoin="x")))

    assert ["did you mean 'description'?"] == [each.hint for each in report.errors]


def test_the_config_counts_before_the_agent(tmp_path: Path) -> None:
    """config.json overrides agent.json, which overrides the defaults, key by key."""
    agent = change_document(AGENT, limits={"maxIterations": 5, "maxCalls": 6, "maxTokens": 7})
    config = {"limits": {"maxCalls": 60, "maxTokens": 70}}
    limits = _read_good_agent(tmp_path, agent=agent, config=config).limits

    assert (5, 60, 70, None) == (
        limits.max_iterations,
        limits.max_calls,
        limits.max_tokens,
        limits.max_cost,
    )


def test_a_mistake_in_the_config_is_reported_there(tmp_path: Path) -> None:
    """A mistake in config.json is reported in that file."""
    _, report = read_agent(write_agent(tmp_path, config={"limits": {"maxCalls": "x"}}))

    assert ["config.json"] == [Path(each.where.file).name for each in report.errors]


def test_the_files_an_agent_names_are_kept_as_written(tmp_path: Path) -> None:
    """The definition has file names as they are written."""
    agent = change_document(AGENT, model={"use": "canned:answers.json"})

    assert "canned:answers.json" == _read_good_agent(tmp_path, agent=agent).asking.use


def test_a_flow_of_another_agent_is_refused(tmp_path: Path) -> None:
    """A registry whose agentId is another agent's is refused."""
    registry = change_document(REGISTRY, agentId="other")

    assert ["ID_MISMATCH"] == _list_codes(tmp_path, registry=registry)


def test_the_entry_may_depend_on_the_completion(tmp_path: Path) -> None:
    """`entryStepMapping` gives the first step for a completion type."""
    registry = change_document(REGISTRY, entryStep=None, entryStepMapping={"stepMachine": "close"})

    assert "close" == _read_good_agent(tmp_path, registry=registry).flow.entry_step


def test_a_mistyped_completion_does_not_hide_the_entry(tmp_path: Path) -> None:
    """With a mistyped completion type, the first step is not reported as missing."""
    registry = change_document(REGISTRY, entryStep=None, entryStepMapping={"stepMachine": "close"})
    agent = change_document(AGENT, behavior={"completionType": "stepMachin"})

    assert ["UNKNOWN_VALUE"] == _list_codes(tmp_path, agent=agent, registry=registry)


@pytest.mark.parametrize(
    ("registry", "codes"),
    [
        ([], ["WRONG_TYPE", "FIELD_MISSING", "FIELD_MISSING"]),
        ({"steps": {}}, ["FIELD_MISSING", "WRONG_TYPE"]),
        (change_document(REGISTRY, entryStep=None), ["FIELD_MISSING"]),
        (change_document(REGISTRY, entryStepMapping={"stepMachine": 3}), ["WRONG_TYPE"]),
        (change_document(REGISTRY, stepLoopLimit="ten"), ["WRONG_TYPE"]),
    ],
)
def test_a_flow_that_cannot_begin_is_reported(
    tmp_path: Path, registry: Any, codes: list[str]
) -> None:
    """A flow without steps or a first step is refused."""
    assert codes == _list_codes(tmp_path, registry=registry)


def test_a_flow_is_json_or_yaml(tmp_path: Path) -> None:
    """A flow with another suffix is refused."""
    agent = change_document(AGENT, prompts={"registry": "steps.txt"})

    assert ["DOCUMENT_UNREADABLE"] == _list_codes(tmp_path, agent=agent)


def test_notes_of_the_author_are_left_alone(tmp_path: Path) -> None:
    """A key that begins with `_`, or has no value, is ignored."""
    agent = change_document(AGENT, _why="ours", limits={"maxCalls": None}, parameters={"_why": 3})
    found = _read_good_agent(tmp_path, agent=agent)

    assert {} == found.parameters
    assert found.limits.max_calls is None


def test_items_of_lists_are_looked_at_one_by_one(tmp_path: Path) -> None:
    """Each list item that is not text is reported at its place."""
    behavior = {**AGENT["behavior"], "allowedTools": ["Read", 3, ""]}
    folder = write_agent(tmp_path, agent=change_document(AGENT, behavior=behavior))
    paths = [each.where.path for each in read_agent(folder)[1].errors]

    assert ["behavior.allowedTools[1]", "behavior.allowedTools[2]"] == paths


def test_a_missing_flow_is_reported(tmp_path: Path) -> None:
    """A missing registry is an error."""
    assert ["CONFIG_NOT_FOUND"] == _list_codes(tmp_path, registry=None)


def test_two_files_for_one_subject_are_reported(tmp_path: Path) -> None:
    """An agent.json and an agent.yaml in one folder are a duplicate."""
    write_agent(tmp_path)
    (tmp_path / "agent.yaml").write_text("{}")

    assert ["DUPLICATE_KEY"] == _list_codes(tmp_path)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    """Prompts and documents that are links are refused."""
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    folder = tmp_path / "agent"
    write_agent(folder)
    (folder / "prompts" / "close.md").unlink()
    (folder / "prompts" / "close.md").symlink_to(secret)
    (folder / "config.json").symlink_to(secret)

    assert {"FILE_OUTSIDE"} == set(_list_codes_unchanged(folder))


def test_a_linked_folder_is_not_followed(tmp_path: Path) -> None:
    """A folder that is a link is refused."""
    folder = tmp_path / "agent"
    write_agent(folder)
    (folder / "prompts").rename(tmp_path / "elsewhere")
    (folder / "prompts").symlink_to(tmp_path / "elsewhere")

    assert {"FILE_OUTSIDE"} == set(_list_codes_unchanged(folder))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe in place of a document or a prompt is refused without waiting."""
    write_agent(tmp_path)
    (tmp_path / "prompts" / "close.md").unlink()
    os.mkfifo(tmp_path / "prompts" / "close.md")
    os.mkfifo(tmp_path / "config.json")

    assert ["DOCUMENT_UNREADABLE", "PROMPT_PARSE"] == sorted(_list_codes_unchanged(tmp_path))


def test_a_folder_is_no_document(tmp_path: Path) -> None:
    """A folder named `agent.json` is refused."""
    (tmp_path / "agent.json").mkdir()

    assert ["DOCUMENT_UNREADABLE"] == _list_codes_unchanged(tmp_path)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    """A document over the size limit is refused."""
    write_agent(tmp_path)
    with (tmp_path / "config.json").open("wb") as stream:
        stream.truncate(LARGEST_DOCUMENT + 1)

    assert ["DOCUMENT_UNREADABLE"] == _list_codes_unchanged(tmp_path)


def _list_codes_unchanged(folder: Path) -> list[str]:
    return [each.code for each in read_agent(folder)[1].errors]


def test_the_hash_is_of_the_files_and_not_of_their_place(tmp_path: Path) -> None:
    """The hash depends on the files, not on their folder or order."""
    first = _read_good_agent(tmp_path / "a")
    backwards = dict(reversed(PROMPTS.items()))

    assert first.hash == _read_good_agent(tmp_path / "b", prompts=backwards).hash
    assert 64 == len(first.hash)


@pytest.mark.parametrize("name", [*PROMPTS, "steps/initial/greet/f_default_ja.md"])
def test_the_hash_changes_with_every_prompt(tmp_path: Path, name: str) -> None:
    """The hash changes with every prompt, also one for another language."""
    other = {**PROMPTS, name: "Something else."}

    assert (
        _read_good_agent(tmp_path / "a").hash
        != _read_good_agent(tmp_path / "b", prompts=other).hash
    )


def test_the_hash_knows_which_prompt_is_which(tmp_path: Path) -> None:
    """Exchanging two prompts changes the hash."""
    first, second = "steps/initial/greet/f_default.md", "close.md"
    swapped = {**PROMPTS, first: PROMPTS[second], second: PROMPTS[first]}

    assert (
        _read_good_agent(tmp_path / "a").hash
        != _read_good_agent(tmp_path / "b", prompts=swapped).hash
    )


def test_the_hash_is_the_same_in_every_process(tmp_path: Path) -> None:
    """The hash is the same in every process."""
    names = [f"p{n}/x.md" for n in range(8)]
    steps = {f"s{n}": {"prompt": name} for n, name in enumerate(names)}
    agent = change_document(AGENT, behavior={"completionType": "iterationBudget"})
    prompts = {**PROMPTS, **dict.fromkeys(names, "x")}
    folder = write_agent(tmp_path, agent=agent, registry=make_flow(steps), prompts=prompts)
    script = f"from saniwa.agent.files.agent_folder import read_agent\nprint(read_agent({folder!r})[0].hash)"
    hashes = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }

    assert 1 == len(hashes)


def test_two_spellings_of_one_key_are_reported(tmp_path: Path) -> None:
    """A key in camelCase and snake_case is a duplicate."""
    agent = change_document(AGENT, display_name="Other")

    assert ["DUPLICATE_KEY"] == _list_codes(tmp_path, agent=agent)


def test_the_hash_changes_with_the_documents(tmp_path: Path) -> None:
    """The hash changes with the definition, the configuration and the flow."""
    made = [
        _read_good_agent(tmp_path / "a"),
        _read_good_agent(tmp_path / "b", agent=change_document(AGENT, description="x")),
        _read_good_agent(tmp_path / "c", config={}),
        _read_good_agent(tmp_path / "d", registry=change_document(REGISTRY, version="2")),
    ]

    assert 4 == len({each.hash for each in made})


def test_a_missing_prompt_is_reported_where_it_is_named(tmp_path: Path) -> None:
    """The finding for a missing prompt names every file that was looked for."""
    flow = make_flow({"greet": {"prompt": "nowhere.md", "complete": True}})
    _, report = read_agent(write_agent(tmp_path, registry=flow))
    (found,) = report.errors

    assert "PROMPT_NOT_FOUND" == found.code
    assert "steps.greet.prompt" == found.where.path


def test_a_prompt_may_be_in_the_fallback_folder(tmp_path: Path) -> None:
    """A prompt may be in the fallback folder."""
    flow = make_flow(
        {
            "greet": {
                "prompt": {"c1": "a", "c2": "b", "c3": "c", "fallback": "plain"},
                "complete": True,
            }
        }
    )
    agent = change_document(AGENT, prompts={"fallbackDir": "prompts/fallback"})
    prompts = {**PROMPTS, "fallback/plain.md": "Plain."}

    assert "guide" == _read_good_agent(tmp_path, agent=agent, registry=flow, prompts=prompts).name
