"""Rewrites an agent folder of climpt's present or earlier forms into a new one in ours.

Reads `agent.json`, `steps_registry.json` and the schemas next to them; changes none of
them. What has no equivalent is listed, and `agent_folder` checks the result.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, get_args

from saniwa.agent import describe
from saniwa.agent.definition import StepType
from saniwa.agent.files.agent_file import AGENT, BEHAVIOR, COMPLETIONS, LEGACY_TYPES, OPERATORS
from saniwa.agent.files.agent_folder import (
    REGISTRY_STEM,
    AgentFolder,
    build_reading,
    make_configuration_error,
)
from saniwa.agent.files.flow_file import FLOW, STEP
from saniwa.agent.files.parameters import RUN_OPTIONS
from saniwa.agent.folder_files import (
    OutsideFolderError,
    UnreadableFileError,
    list_names_inside,
    read_inside,
)
from saniwa.agent.prompt_resolver import LARGEST_PROMPT, PROMPT_SUFFIX, name_output_variable
from saniwa.core.errors import ConfigurationError
from saniwa.core.findings import SourceLocation
from saniwa.core.graph import find_reachable
from saniwa.documents.finding_collector import Located
from saniwa.documents.migration_log import MigrationChange, MigrationLog
from saniwa.documents.record_reader import RecordForm

Record = dict[str, Any]

_DEFAULT_TEMPLATE = "{c1}/{c2}/{c3}/f_{edition}_{adaptation}.md"
_STEP_TYPES = get_args(StepType)
_PROMPT_KEYS = ("c1", "c2", "c3", "edition", "adaptation")
_VALIDATION_STEPS = ("validationSteps", "completionSteps", "stepsV3")
_ENDING_INTENTS = ("closing", "complete", "abort")
_STAYING_INTENT = "repeat"
_INTENT_FIELD = "next_action.action"
_BEHAVIOR_PARTS = {"boundaries": ("allowedTools", "permissionMode"), "flow": ("systemPromptPath",)}
_PERMISSION_MODES = ("plan", "acceptEdits", "bypassPermissions")
_DEEPEST_REFERENCE = 12
_SILENT_KEYS = frozenset(
    {"stepId", "stepKind", "kind", "type", "usesStdin", "c1", "pathTemplateNoAdaptation"}
)
"""Keys that say nothing which the rest does not say."""


class MigratedAgent:
    """An agent in our form, and what was changed."""

    def __init__(self, agent: Record, flow: Record, changes: tuple[MigrationChange, ...]) -> None:
        self.agent = agent
        """The content of `agent.json`."""
        self.flow = flow
        """The content of `steps_registry.json`."""
        self.changes = changes
        """What was rewritten, and what has no equivalent."""


def migrate_agent(agent: Record, flow: Record, schemas: Mapping[str, Any]) -> MigratedAgent:
    """Rewrite an agent.

    Args:
        agent: Its `agent.json`.
        flow: Its `steps_registry.json`.
        schemas: The schema files next to them, by name.
    """
    log = MigrationLog()
    migrated = _AgentFileMigration(log).migrate(deepcopy(agent))
    completion = str(migrated["behavior"]["completionType"])
    made = _FlowMigration(log, schemas).migrate(deepcopy(flow), agent, completion)
    if completion == "stepMachine" and not _has_end(made):
        message = "a flow without an end is done after its iterations"
        log.rewrite("completionType", message)
        most = (migrated.get("limits") or {}).get("maxIterations", 100)
        migrated["behavior"] |= {
            "completionType": "iterationBudget",
            "completionConfig": {"maxIterations": most},
        }
    return MigratedAgent(migrated, made, log.list_changes())


def _has_end(flow: Record) -> bool:
    """Whether something that the flow reaches leads to its end."""
    steps = flow["steps"]
    ways = {name: (step, *step.get("routes", ())) for name, step in steps.items()}
    onward = {name: [way["next"] for way in each if "next" in way] for name, each in ways.items()}
    reached = find_reachable([flow["entryStep"]], onward)
    return any(
        way.get("complete") or "check" in way for name in reached for way in ways.get(name, ())
    )


class _AgentFileMigration:
    """Rewrites `agent.json`."""

    def __init__(self, log: MigrationLog) -> None:
        self._log = log

    def migrate(self, agent: Record) -> Record:
        """Bring `runner` to where we look for its parts, and name the completion."""
        runner = agent.pop("runner", None)
        if isinstance(runner, dict):
            self._log.rewrite("runner", "the parts of 'runner' are keys of the agent")
            self._move_runner_parts(agent, runner)
        behavior = agent.setdefault("behavior", {})
        behavior.setdefault("completionType", "stepMachine")
        kind, config = self._migrate_completion(
            str(behavior["completionType"]), behavior.get("completionConfig") or {}
        )
        self._keep_limit(agent, kind, behavior.get("completionConfig") or {})
        behavior["completionType"] = kind
        behavior["completionConfig"] = config
        if behavior.get("permissionMode") not in (None, *_PERMISSION_MODES):
            self._log.rewrite("permissionMode", "without 'permissionMode' a person is asked")
            del behavior["permissionMode"]
        agent["behavior"] = self._drop_unknown(behavior, BEHAVIOR, "behavior")
        self._migrate_actions(agent)
        self._migrate_parameters(agent.get("parameters"))
        for key in ("github", "worktree"):
            if agent.pop(key, None) is not None:
                self._log.drop(key, f"{key!r}: the agent has no tools for it by itself")
        return self._drop_unknown(agent, AGENT, "")

    def _move_runner_parts(self, agent: Record, runner: Record) -> None:
        behavior = agent.setdefault("behavior", {})
        for part, names in _BEHAVIOR_PARTS.items():
            found = runner.pop(part, None) or {}
            behavior |= {name: found.pop(name) for name in names if name in found}
            runner = found | runner
        verdict = runner.pop("verdict", None) or runner.pop("completion", None) or {}
        behavior |= {
            ours: verdict[theirs]
            for theirs, ours in (("type", "completionType"), ("config", "completionConfig"))
            if theirs in verdict
        }
        for part in ("integrations", "execution", "telemetry"):
            runner |= runner.pop(part, None) or {}
        for key, value in runner.items():
            agent.setdefault(key, value)

    def _migrate_completion(self, word: str, config: Record) -> tuple[str, Record]:
        kind = LEGACY_TYPES.get(word, word)
        if kind != word:
            self._log.rewrite("completionType", f"the completion {word!r} is {kind!r}")
        if kind == "externalState" and "fact" not in config:
            message = "external states are not supported: the agent is done when its flow ends"
            self._log.drop("completionType", message)
            return "stepMachine", {}
        if kind == "custom" and "name" not in config:
            message = "code in files is never run: the agent is done when its flow ends"
            self._log.drop("completionType", message)
            return "stepMachine", {}
        config = dict(config)
        if kind == "structuredSignal" and isinstance(config.get("requiredFields"), list):
            message = "the required fields of a signal need values here, so they are left out"
            self._log.drop("completionConfig.requiredFields", message)
            del config["requiredFields"]
        if kind == "composite":
            return kind, self._migrate_composite(config)
        known = COMPLETIONS.get(kind)
        if known is None:
            return kind, config
        config.pop("maxIterations" if "maxIterations" not in known else "", None)
        return kind, self._drop_unknown(config, known, "completionConfig")

    def _migrate_composite(self, config: Record) -> Record:
        mode = OPERATORS.get(config.get("operator", "or"), "any")
        conditions = [
            dict(
                zip(
                    ("type", "config"),
                    self._migrate_completion(*_split_condition(each)),
                    strict=True,
                )
            )
            for each in config.get("conditions") or []
        ]
        return {"mode": config.get("mode", mode), "conditions": conditions}

    def _keep_limit(self, agent: Record, kind: str, config: Record) -> None:
        """Keep the limit of iterations of a completion that has none here."""
        most = config.get("maxIterations")
        if isinstance(most, int) and kind != "iterationBudget":
            self._log.rewrite("completionConfig", "'maxIterations' is a limit of the agent")
            agent.setdefault("limits", {})["maxIterations"] = most

    def _migrate_actions(self, agent: Record) -> None:
        actions = agent.get("actions")
        handlers = actions.pop("handlers", None) if isinstance(actions, dict) else None
        if handlers:
            self._log.drop("actions.handlers", "handlers of actions are tools here")

    def _migrate_parameters(self, parameters: Any) -> None:
        for name, each in parameters.items() if isinstance(parameters, dict) else ():
            option = each.get("cli") if isinstance(each, dict) else None
            if option in RUN_OPTIONS:
                each["cli"] = f"--agent-{option.removeprefix('--')}"
                message = "options of 'saniwa agent run' itself have 'agent-' before them"
                self._log.rewrite(f"parameters.{name}.cli", message)

    def _drop_unknown(self, part: Record, form: RecordForm, place: str) -> Record:
        return drop_unknown_keys(self._log, part, form, place)


def _split_condition(condition: Record) -> tuple[str, Record]:
    inner = condition.get("config") or {k: v for k, v in condition.items() if k != "type"}
    return str(condition.get("type", "")), inner


class _FlowMigration:
    """Rewrites `steps_registry.json`."""

    def __init__(self, log: MigrationLog, schemas: Mapping[str, Any]) -> None:
        self._log = log
        self._schemas = schemas
        self._steps: frozenset[str] = frozenset()
        self._end_steps: frozenset[str] = frozenset()
        """Steps that only validate: what leads there leads to the end."""

    def migrate(self, flow: Record, agent: Record, completion: str) -> Record:
        """Give every step its prompt, schema and successor in our form."""
        template = flow.pop("pathTemplate", _DEFAULT_TEMPLATE)
        if template != _DEFAULT_TEMPLATE:
            self._log.drop("pathTemplate", "prompts have one layout of folders")
        base = flow.pop("userPromptsBase", None)
        if base:
            flow["basePath"] = _strip_agent_folder(str(base), str(agent.get("name", "")))
        flow["entryStep"] = self._choose_entry(flow, agent, completion)
        steps: Record = {}
        self._steps = frozenset(flow.get("steps") or {})
        self._end_steps = frozenset(
            name for key in _VALIDATION_STEPS for name in flow.get(key) or {}
        )
        for name, step in (flow.get("steps") or {}).items():
            for new, each in self._migrate_step(str(name), step, str(flow.get("c1", "steps"))):
                steps[new] = each
        flow["steps"] = steps
        self._drop_validation(flow)
        return drop_unknown_keys(self._log, flow, FLOW, "")

    def _choose_entry(self, flow: Record, agent: Record, completion: str) -> str:
        """Return the first step: of the completion that was written, else of any."""
        mapping = flow.pop("entryStepMapping", None) or {}
        runner = agent.get("runner") or {}
        verdict = runner.get("verdict") or runner.get("completion") or {}
        written = verdict.get("type") or (agent.get("behavior") or {}).get("completionType")
        entries = [mapping.get(written), flow.get("entryStep"), mapping.get(completion)]
        entries += mapping.values()
        entries += [name for name in flow.get("steps") or {} if str(name).startswith("initial")]
        entries += list(flow.get("steps") or {})
        for entry in entries:
            if isinstance(entry, dict):
                self._log.rewrite("entryStepMapping", "'entryStep' names the first step")
                return str(entry.get("initial", ""))
            if isinstance(entry, str):
                return entry
        return ""

    def _migrate_step(self, name: str, step: Record, c1: str) -> Iterator[tuple[str, Record]]:
        place = f"steps.{name}"
        made: Record = {"name": name}
        made |= {key: value for key, value in step.items() if key in STEP and key != "id"}
        if made.get("type") not in _STEP_TYPES:
            made.pop("type", None)
        if "type" not in made and not made.keys() & {"prompt", "subSteps"}:
            made |= self._find_prompt(step, c1, place)
        if step.get("uvVariables"):
            made["variables"] = step["uvVariables"]
        made |= self._find_schema(step, place)
        gate = self._make_gateway(name, step, place)
        if gate is not None:
            field = str((step.get("structuredGate") or {}).get("intentField", _INTENT_FIELD))
            schema = made.get("outputSchema", {"type": "object"})
            made["outputSchema"] = _add_intent(schema, field, _list_intents(step))
            made["next"] = f"{name}.intent"
        elif not made.keys() & {"check", "next", "complete", "routes"}:
            made |= self._find_continuation(name)
        self._drop_step_keys(step, place)
        yield name, made
        if gate is not None:
            yield f"{name}.intent", gate

    def _find_prompt(self, step: Record, c1: str, place: str) -> Record:
        if "promptPath" in step:
            return {"prompt": {"path": step["promptPath"]}}
        address = step.get("address")
        found = {"c1": c1, **step, **(address if isinstance(address, dict) else {})}
        prompt = {key: found[key] for key in _PROMPT_KEYS if found.get(key)}
        if "c2" not in prompt or "c3" not in prompt:
            self._log.drop(place, "a step without a prompt is left as it is: use a tool")
            return {}
        self._log.rewrite(place, "the location of a prompt is written under 'prompt'")
        return {"prompt": prompt}

    def _find_schema(self, step: Record, place: str) -> Record:
        ref = step.get("outputSchemaRef")
        if ref is None and isinstance(step.get("schemaRef"), str):
            file, _, inner = step["schemaRef"].partition("#/")
            ref = {"file": PurePosixPath(file).name, "schema": inner}
        if not isinstance(ref, dict):
            return {}
        document = self._schemas.get(str(ref.get("file")))
        found = document.get(str(ref.get("schema"))) if isinstance(document, dict) else None
        if not isinstance(found, dict):
            self._log.drop(place, "a schema that is not in the folder is left out")
            return {}
        self._log.rewrite(place, "the schema of an answer is written into its step")
        return {"outputSchema": _expand_references(found, str(ref["file"]), self._schemas, 0)}

    def _make_gateway(self, name: str, step: Record, place: str) -> Record | None:
        """Make the gateway that reads the intent of an answer; None without intents."""
        gate, ways = step.get("structuredGate"), step.get("transitions")
        if not isinstance(gate, dict) and not isinstance(ways, dict):
            return None
        gate = gate if isinstance(gate, dict) else {}
        self._log.rewrite(place, "intents need their own gateway")
        if gate.get("targetField"):
            self._log.drop(place, "an answer cannot name its next step freely")
        field = str(gate.get("intentField", _INTENT_FIELD))
        variable = name_output_variable(name, field.replace(".", "_"))
        leads = {intent: self._make_lead(name, intent, ways) for intent in _list_intents(step)}
        usual = gate.get("fallbackIntent") or next(iter(leads), _STAYING_INTENT)
        routes = [{"variable": variable, "equals": key, **lead} for key, lead in leads.items()]
        otherwise = leads.get(str(usual)) or self._make_lead(name, str(usual), ways)
        return {"type": "gateway", "routes": routes, **otherwise}

    def _find_continuation(self, name: str) -> Record:
        """Return the successor of a step that only begins: its continuation."""
        following = f"continuation.{name.removeprefix('initial.')}"
        found = name.startswith("initial.") and following in self._steps
        return {"next": following} if found else {}

    def _make_lead(self, step: str, intent: str, ways: Any) -> Record:
        """Say where an intent leads: to a step, or to the end."""
        way = ways.get(intent) if isinstance(ways, dict) else None
        target = way.get("target") if isinstance(way, dict) else None
        if isinstance(target, str) and (target in self._steps or target not in self._end_steps):
            return {"next": target}
        if intent in _ENDING_INTENTS or isinstance(way, dict):
            return {"complete": True}
        return {"next": step}

    def _drop_step_keys(self, step: Record, place: str) -> None:
        handled = {*STEP, *_SILENT_KEYS, *_PROMPT_KEYS, "address", "promptPath", "uvVariables"}
        handled |= {"structuredGate", "transitions", "outputSchemaRef", "schemaRef", "fallbackKey"}
        for key in step:
            if key not in handled:
                self._log.drop(f"{place}.{key}", f"a step has no {key!r}")

    def _drop_validation(self, flow: Record) -> None:
        for key in ("validators", "failurePatterns", "completionPatterns", *_VALIDATION_STEPS):
            if flow.pop(key, None):
                message = "validators are commands that a process checks: guards of type 'check'"
                self._log.drop(key, message)
        for key in ("schemasBase", "$schema", *_SILENT_KEYS):
            flow.pop(key, None)


def _list_intents(step: Record) -> list[str]:
    gate, ways = step.get("structuredGate") or {}, step.get("transitions") or {}
    return list(dict.fromkeys([*gate.get("allowedIntents", []), *ways]))


def _add_intent(schema: Record, field: str, intents: list[str]) -> Record:
    """Make sure that the schema has the field of the intent, with its values."""
    inner = schema
    for part in field.split("."):
        inner.setdefault("type", "object")
        inner = inner.setdefault("properties", {}).setdefault(part, {})
    inner.setdefault("type", "string")
    inner.setdefault("enum", intents)
    return schema


def _strip_agent_folder(path: str, name: str) -> str:
    parts = PurePosixPath(path).parts
    return "/".join(parts[parts.index(name) + 1 :]) or "prompts" if name in parts else path


def _expand_references(value: Any, file: str, schemas: Mapping[str, Any], depth: int) -> Any:
    """Write out what a schema refers to, in its own file or next to it."""
    if isinstance(value, list):
        return [_expand_references(each, file, schemas, depth) for each in value]
    if not isinstance(value, dict):
        return value
    ref = value.get("$ref")
    if isinstance(ref, str):
        named, _, path = ref.partition("#")
        target = _follow_pointer(schemas.get(named or file), path)
        if target is None or depth >= _DEEPEST_REFERENCE:
            return {}
        return _expand_references(target, named or file, schemas, depth + 1)
    return {
        key: _expand_references(each, file, schemas, depth)
        for key, each in value.items()
        if key != "$id"
    }


def _follow_pointer(document: Any, pointer: str) -> Any:
    for part in filter(None, pointer.split("/")):
        document = document.get(part) if isinstance(document, dict) else None
    return document


def drop_unknown_keys(log: MigrationLog, part: Record, form: RecordForm, place: str) -> Record:
    """Leave out, and list, the keys that a form does not know."""
    kept: Record = {}
    for key, value in part.items():
        if key in form or key == "$schema" or key.startswith("_"):
            kept[key] = value
        else:
            log.drop(f"{place}.{key}".lstrip("."), f"{form.owner} has no key {key!r}")
    return kept


_MOST_FILES = 10_000


def migrate_agent_folder(source: str, target: Path) -> tuple[MigrationChange, ...]:
    """Write the agent in `source` into a new folder, in our form; prompts are copied.

    Raises:
        ConfigurationError: `AGENT_EXISTS`, `CONFIG_NOT_FOUND`, `CONFIG_PARSE`; nothing is
            written then.
    """
    folder = AgentFolder(source)
    agent = folder.read_document("agent", "CONFIG_NOT_FOUND", "Agent definition not found")
    flow = folder.read_document(REGISTRY_STEM, "CONFIG_NOT_FOUND", "Agent flow not found")
    if agent is None or flow is None:
        raise make_configuration_error(build_reading(None, folder.pages.values()).report)
    migrated = migrate_agent(_to_record(agent), _to_record(flow), _read_schemas(folder))
    try:
        target.mkdir(parents=True)
    except FileExistsError as problem:
        raise describe("AGENT_EXISTS", name=target.name).to_error(
            ConfigurationError, where=SourceLocation(file=str(target))
        ) from problem
    for name, document in (("agent", migrated.agent), (REGISTRY_STEM, migrated.flow)):
        text = json.dumps(document, ensure_ascii=False, indent=2)
        (target / f"{name}.json").write_text(f"{text}\n", encoding="utf-8", newline="\n")
    _copy_prompts(folder.path, target)
    return migrated.changes


def _to_record(held: Located) -> Record:
    return held.value if isinstance(held.value, dict) else {}


def _read_schemas(folder: AgentFolder) -> dict[str, Any]:
    """Read the schema files next to an agent's documents; unreadable ones are left out."""
    documents: dict[str, Any] = {}
    for name in list_names_inside(folder.path, "schemas"):
        if name.endswith(".json"):
            held = folder.read_file(f"schemas/{name}", "FILE_MISSING", "no such schema")
            documents |= {} if held is None else {name: held.value}
    return documents


def _copy_prompts(source: Path, target: Path) -> None:
    """Copy every Markdown file; no link is followed."""
    found = (path for path in source.rglob(f"*{PROMPT_SUFFIX}") if path.is_file())
    for path in islice(found, _MOST_FILES):
        inside = path.relative_to(source)
        with suppress(OutsideFolderError, UnreadableFileError):
            content = read_inside(source, inside.as_posix(), LARGEST_PROMPT)
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            (target / inside).write_bytes(content)
