"""Agents in folders, written for a test: a valid one, and changes to it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

AGENT: dict[str, Any] = {
    "version": "1.0.0",
    "name": "guide",
    "displayName": "Guide",
    "description": "Shows people round.",
    "behavior": {"completionType": "stepMachine"},
}
REGISTRY: dict[str, Any] = {
    "entryStep": "greet",
    "steps": {
        "greet": {"prompt": {"c1": "steps", "c2": "initial", "c3": "greet"}, "next": "close"},
        "close": {"prompt": {"path": "close.md"}, "complete": True},
    },
}
PROMPTS = {
    "system.md": "You are {uv-agent_name}.",
    "steps/initial/greet/f_default.md": "Say hello in round {uv-iteration}.",
    "close.md": "Say goodbye.",
}


def change_document(whole: Mapping[str, Any], **parts: Any) -> dict[str, Any]:
    """A document with other values for some of its keys; None removes a key."""
    made = {**json.loads(json.dumps(whole)), **parts}
    return {key: value for key, value in made.items() if value is not None}


def write_agent(
    folder: Path,
    *,
    agent: Any = AGENT,
    registry: Any = REGISTRY,
    config: Any = None,
    prompts: Mapping[str, str] = PROMPTS,
) -> str:
    """Write an agent into a folder, and return the folder's name."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = {"agent.json": agent, "steps_registry.json": registry, "config.json": config}
    for name, value in documents.items():
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value, indent=2)
            (folder / name).write_text(text, encoding="utf-8")
    for name, text in prompts.items():
        path = folder / "prompts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


def make_flow(steps: Mapping[str, Any], entry: str = "") -> dict[str, Any]:
    """A flow of these steps, which starts with the first of them."""
    return {"entryStep": entry or next(iter(steps)), "steps": dict(steps)}
