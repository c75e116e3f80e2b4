"""The keys of an agent's files, each with the kind of its value.

Keys are in camelCase, as they are published. `docs/reference/agent-format.md` explains
every key.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from saniwa.agent.definition import (
    CheckType,
    ExhaustedPolicy,
    NotificationMethod,
    ParameterType,
    ReturnFlow,
    StepType,
)
from saniwa.agent.files.value_kinds import (
    AGENT_NAME,
    NOTATION,
    OPTION,
    PATH,
    POSITIVE,
    SCHEMA,
    VERSION,
    make_flag_or_record,
    make_path_or_record,
    make_texts_or_record,
)
from saniwa.documents.reader import (
    AMOUNT,
    ANYTHING,
    COUNT,
    FLAG,
    LIST,
    MAPPING,
    NUMBER,
    TEXT,
    TEXTS,
    UNUSED,
    WHOLE,
    WORD,
    WORDS,
    RecordForm,
    ValueKind,
    make_choice,
    make_listed,
    make_named,
    make_record,
)
from saniwa.process.format.fields import ADDRESS

_VALUE = replace(ANYTHING, is_nullable=True)
MATCH_MODE = make_choice("any", "all")
EXHAUSTED_POLICY = make_choice(*get_args(ExhaustedPolicy))
OPERATORS: Mapping[Literal["or", "first", "and"], Literal["any", "all"]] = {
    "or": "any",
    "first": "any",
    "and": "all",
}
"""Old words for the mode of a composite."""
OPERATOR = make_choice(*OPERATORS)


def _make_form(
    owner: str, fields: Mapping[str, ValueKind], *required: str, **schema: Any
) -> RecordForm:
    return RecordForm(owner, fields, required=required, notation=NOTATION, schema=schema)


def _describe(kind: ValueKind) -> ValueKind:
    """Return the kind of a choice that is checked where it is used."""
    return replace(kind, choices=())


COMPLETIONS: Mapping[str, RecordForm] = {
    kind: _make_form(f"a completion of type {kind!r}", fields, *required)
    for kind, fields, required in (
        ("iterationBudget", {"maxIterations": COUNT}, ()),
        ("checkBudget", {"maxChecks": COUNT}, ()),
        ("keywordSignal", {"completionKeyword": WORDS}, ("completionKeyword",)),
        ("structuredSignal", {"signalType": WORDS, "requiredFields": MAPPING}, ("signalType",)),
        ("externalState", {"fact": WORDS, "equals": _VALUE}, ()),
        ("stepMachine", {}, ()),
        ("custom", {"name": WORDS, "config": MAPPING, "handlerPath": ANYTHING}, ()),
        (
            "composite",
            {
                "mode": _describe(MATCH_MODE),
                "operator": _describe(OPERATOR),
                "conditions": make_listed({"type": "object"}),
            },
            ("conditions",),
        ),
    )
}
"""The keys of `completionConfig`, by `completionType`."""
LEGACY_TYPES: Mapping[str, str] = {
    "issue": "externalState",
    "poll:state": "externalState",
    "iterate": "iterationBudget",
    "count:iteration": "iterationBudget",
    "count:check": "checkBudget",
    "manual": "keywordSignal",
    "detect:keyword": "keywordSignal",
    "detect:structured": "structuredSignal",
    "project": "stepMachine",
    "phaseCompletion": "stepMachine",
    "stepFlow": "stepMachine",
    "detect:graph": "stepMachine",
    "facilitator": "composite",
    "meta:composite": "composite",
    "meta:custom": "custom",
}
"""Old or foreign names of a `completionType`."""
BEHAVIOR: RecordForm = _make_form(
    "'behavior'",
    {
        "systemPromptPath": PATH,
        "completionType": replace(TEXT, schema={"enum": [*COMPLETIONS, *LEGACY_TYPES]}),
        "completionConfig": MAPPING,
        "allowedTools": TEXTS,
        "permissionMode": make_choice("plan", "acceptEdits", "bypassPermissions"),
        "speaks": FLAG,
        "sandboxConfig": UNUSED,
    },
    "completionType",
    allOf=[
        {
            "if": {"properties": {"completionType": {"const": kind}}},
            "then": {"properties": {"completionConfig": form}},
        }
        for kind, form in COMPLETIONS.items()
    ],
)
PROMPTS: RecordForm = _make_form("'prompts'", {"registry fallbackDir": PATH})
RULE: RecordForm = _make_form("a validation", {"min max": NUMBER, "pattern": TEXT, "enum": LIST})
PARAMETER: RecordForm = _make_form(
    "a parameter",
    {
        "type": make_choice(
            *get_args(ParameterType),
            synonyms={
                "bool": "boolean",
                "float": "number",
                "int": "number",
                "integer": "number",
                "list": "array",
                "str": "string",
                "text": "string",
            },
        ),
        "description": TEXT,
        "required": FLAG,
        "default": _VALUE,
        "cli": OPTION,
        "validation": make_record(RULE),
    },
)
ACTIONS: RecordForm = _make_form(
    "'actions'", {"enabled": FLAG, "types": TEXTS, "outputFormat": TEXT, "handlers": UNUSED}
)
MODEL: RecordForm = _make_form(
    "'model'",
    {
        "use": TEXT,
        "url": ADDRESS,
        "maxTokens": COUNT,
        "temperature": POSITIVE,
        "seed": WHOLE,
        "history": AMOUNT,
    },
)
LIMITS: RecordForm = _make_form(
    "'limits'", {"maxIterations maxCalls maxTokens": COUNT, "maxCost": POSITIVE}
)
LOGGING: RecordForm = _make_form(
    "'logging'", {"directory": PATH, "format": make_choice("jsonl", "text"), "maxFiles": COUNT}
)
AGENT: RecordForm = _make_form(
    "an agent",
    {
        "version": VERSION,
        "name": AGENT_NAME,
        "displayName description": TEXT,
        "behavior": make_record(BEHAVIOR),
        "parameters": make_named(PARAMETER),
        "prompts": make_record(PROMPTS),
        "actions": make_record(ACTIONS),
        "model": make_record(MODEL),
        "limits": make_record(LIMITS),
        "logging": make_record(LOGGING),
        "github worktree": UNUSED,
    },
    "version",
    "name",
    "displayName",
    "description",
    "behavior",
)
PROMPT: RecordForm = _make_form(
    "a prompt",
    {"path fallback": PATH, "c1 c2 c3 edition adaptation": WORD},
    anyOf=[{"required": ["path"]}, {"required": ["c1", "c2", "c3"]}],
)
ITERATIONS: RecordForm = _make_form("'iterations'", {"min max": COUNT})
RETRY: RecordForm = _make_form(
    "a retry",
    {"maxRetries": AMOUNT, "onExhausted": _describe(EXHAUSTED_POLICY), "fallbackStep": TEXT},
)
TRANSITION: RecordForm = _make_form(
    "a transition",
    {
        "next fallback": TEXT,
        "retry": make_flag_or_record(RETRY),
        "complete escalate": FLAG,
        **RETRY,
    },
)
CHECK: RecordForm = _make_form(
    "a check",
    {
        "type": make_choice(*get_args(CheckType)),
        "prompt": make_path_or_record(PROMPT),
        "keywords": TEXTS,
        "mode": MATCH_MODE,
        "responseFormat": UNUSED,
        "onPass onFail": make_record(TRANSITION),
    },
)
ESCALATION: RecordForm = _make_form(
    "an escalation",
    {
        "escalateTo": TEXT,
        "notificationMethod": make_choice(*get_args(NotificationMethod)),
        "returnFlow": make_choice(*get_args(ReturnFlow)),
    },
    "escalateTo",
)
ROUTE: RecordForm = _make_form(
    "a route", {"next variable contains": TEXT, "complete": FLAG, "equals": _VALUE}
)
SUB_STEPS: RecordForm = _make_form(
    "'subSteps'", {"sequential": FLAG, "subSteps": TEXTS}, "subSteps"
)
STEP: RecordForm = _make_form(
    "a step",
    {
        "id name description next": TEXT,
        "type": make_choice(*get_args(StepType)),
        "prompt": make_path_or_record(PROMPT),
        "check": make_record(CHECK),
        "complete sequential": FLAG,
        "routes": make_listed(ROUTE),
        "subSteps": make_texts_or_record(SUB_STEPS),
        "escalation": make_record(ESCALATION),
        "retry": make_flag_or_record(RETRY),
        "iterations": make_record(ITERATIONS),
        "outputSchema": SCHEMA,
        "variables customVariables": TEXTS,
    },
)
REGISTRY: RecordForm = _make_form(
    "a flow",
    {
        "version agentId entryStep": TEXT,
        "basePath": PATH,
        "entryStepMapping": make_named({"type": "string"}),
        "steps": make_named(STEP),
        "stepLoopLimit visitLimit": COUNT,
        "edition adaptation": WORD,
        "editions": UNUSED,
    },
    "steps",
)
