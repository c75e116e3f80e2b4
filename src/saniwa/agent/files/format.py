"""The keys of an agent's files, each with the name of its kind of value.

Keys are in camelCase, as they are published. The kinds are in `fields.VALUE_CHECKS`;
`docs/reference/agent-format.md` explains every key.
"""

from collections.abc import Mapping

from saniwa.documents.reader import Form

AGENT: Form = {
    "version": "version",
    "name": "agent name",
    "displayName": "text",
    "description": "text",
    "behavior": "mapping",
    "parameters": "mapping",
    "prompts": "mapping",
    "actions": "mapping",
    "model": "mapping",
    "limits": "mapping",
    "logging": "mapping",
    "github": "unused",
    "worktree": "unused",
}
BEHAVIOR: Form = {
    "systemPromptPath": "path",
    "completionType": "text",
    "completionConfig": "mapping",
    "allowedTools": "texts",
    "permissionMode": "text",
    "speaks": "flag",
    "sandboxConfig": "unused",
}
PROMPTS: Form = {"registry": "path", "fallbackDir": "path"}
PARAMETER: Form = {
    "type": "text",
    "description": "text",
    "required": "flag",
    "default": "anything",
    "cli": "option",
    "validation": "mapping",
}
RULE: Form = {"min": "number", "max": "number", "pattern": "text", "enum": "list"}
ACTIONS: Form = {"enabled": "flag", "types": "texts", "outputFormat": "text", "handlers": "unused"}
MODEL: Form = {
    "use": "text",
    "url": "address",
    "maxTokens": "count",
    "temperature": "number",
    "seed": "whole",
    "history": "amount",
}
LIMITS: Form = {
    "maxIterations": "count",
    "maxCalls": "count",
    "maxTokens": "count",
    "maxCost": "number",
}
LOGGING: Form = {"directory": "path", "format": "text", "maxFiles": "count"}
REGISTRY: Form = {
    "version": "text",
    "agentId": "text",
    "basePath": "path",
    "entryStep": "text",
    "entryStepMapping": "mapping",
    "steps": "mapping",
    "stepLoopLimit": "count",
    "visitLimit": "count",
    "edition": "word",
    "adaptation": "word",
    "editions": "unused",
}
STEP: Form = {
    "id": "text",
    "name": "text",
    "description": "text",
    "type": "text",
    "prompt": "mapping or text",
    "check": "mapping",
    "next": "text",
    "complete": "flag",
    "routes": "list",
    "subSteps": "texts or mapping",
    "sequential": "flag",
    "escalation": "mapping",
    "retry": "flag or mapping",
    "iterations": "mapping",
    "outputSchema": "schema",
    "variables": "texts",
    "customVariables": "texts",
}
SUB_STEPS: Form = {"sequential": "flag", "subSteps": "texts"}
PROMPT: Form = {
    "path": "path",
    "c1": "word",
    "c2": "word",
    "c3": "word",
    "edition": "word",
    "adaptation": "word",
    "fallback": "path",
}
ITERATIONS: Form = {"min": "count", "max": "count"}
CHECK: Form = {
    "type": "text",
    "prompt": "mapping or text",
    "keywords": "texts",
    "mode": "text",
    "responseFormat": "unused",
    "onPass": "mapping",
    "onFail": "mapping",
}
RETRY: Form = {"maxRetries": "amount", "onExhausted": "text", "fallbackStep": "text"}
TRANSITION: Form = {
    "next": "text",
    "fallback": "text",
    "retry": "flag or mapping",
    "complete": "flag",
    "escalate": "flag",
    **RETRY,
}
ESCALATION: Form = {"escalateTo": "text", "notificationMethod": "text", "returnFlow": "text"}
ROUTE: Form = {
    "next": "text",
    "complete": "flag",
    "variable": "text",
    "equals": "anything",
    "contains": "text",
}
COMPLETIONS: Mapping[str, Form] = {
    "iterationBudget": {"maxIterations": "count"},
    "checkBudget": {"maxChecks": "count"},
    "keywordSignal": {"completionKeyword": "words"},
    "structuredSignal": {"signalType": "words", "requiredFields": "mapping"},
    "externalState": {"fact": "words", "equals": "anything"},
    "stepMachine": {},
    "custom": {"name": "words", "config": "mapping", "handlerPath": "anything"},
    "composite": {"mode": "text", "operator": "text", "conditions": "list"},
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
LEGACY_KEYS: Mapping[str, str] = {"stepId": "id", "retryPolicy": "retry"}
"""Other names of a key."""
NULLABLE_KEYS = frozenset({"equals", "default"})
"""Keys whose null is a value; elsewhere null is the same as a missing key."""
