"""The way in: a folder becomes an agent, or a report of all that is wrong with it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from saniwa.agent.authoring.files import Folder
from saniwa.agent.authoring.lint import check_flow
from saniwa.agent.authoring.lint.prompts import PromptLook
from saniwa.agent.authoring.page import Held, Page
from saniwa.agent.authoring.step import flow_of
from saniwa.agent.authoring.whole import Whole
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.prompting.place import paths_of, system_paths_of
from saniwa.core.finding import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What came of reading an agent."""

    definition: AgentDefinition | None
    """The agent; None where anything keeps it from being used."""
    report: Report
    """Everything found, in reading order."""
    texts: Mapping[str, str]
    """The text of every file something was found in, to quote from."""


def read_agent(
    folder: str | os.PathLike[str], over: Mapping[str, Any] | None = None
) -> tuple[AgentDefinition | None, Report]:
    """The agent in a folder, and everything found in its files.

    What `over` says, in the form of `agent.json`, counts before `config.json`, and that
    before `agent.json`. Never raises for what the files hold, or that they are missing.
    """
    read = read_folder(folder, over)
    return read.definition, read.report


def read_folder(
    named: str | os.PathLike[str], over: Mapping[str, Any] | None = None
) -> Read:
    """The same, with the texts to quote findings from."""
    folder = Folder(os.fspath(named))
    held = _stacked(folder, over)
    if held is None:
        return _result(None, folder.pages.values())
    whole = Whole(held)
    registry = folder.file(whole.registry, "CONFIG_NOT_FOUND", "Agent flow not found")
    if registry is None:
        return _result(None, folder.pages.values())
    draft = flow_of(registry, whole.found.said("name", ""), whole.completion_type)
    definition = AgentDefinition(**whole.parts, folder=folder.named, flow=draft.flow)
    check_flow(draft, whole.completion, definition.limits)
    look = PromptLook(definition, draft, folder.path, whole.system)
    look.look()
    pages = [*folder.pages.values(), *look.pages.values()]
    if not all(page.passed for page in pages):
        return _result(None, pages)
    return _result(_hashed(definition, folder), pages)


def _stacked(folder: Folder, over: Mapping[str, Any] | None) -> Held | None:
    """`agent.json` with `config.json` over it, and what was said beside them over both."""
    held = folder.document("agent", "CONFIG_NOT_FOUND", "Agent definition not found")
    if held is None:
        return None
    config = folder.document("config")
    layers = [config] if config is not None else []
    layers += [folder.over(over)] if over else []
    for layer in layers:
        held = layer._replace(below=held)
    return held


def prompt_paths(definition: AgentDefinition) -> Iterable[str]:
    """Every path that some prompt of an agent could be found at."""
    yield from system_paths_of(definition)
    for step in definition.flow.steps.values():
        for ref in (step.prompt, step.check.prompt if step.check else None):
            if ref is not None:
                yield from paths_of(ref, definition)


def _hashed(definition: AgentDefinition, folder: Folder) -> AgentDefinition:
    from msgspec.structs import replace

    return replace(definition, hash=folder.hash(prompt_paths(definition)))


def _result(definition: AgentDefinition | None, pages: Iterable[Page]) -> Read:
    # File by file: the note about findings that are not shown ends its own file's.
    pages = sorted(pages, key=lambda page: page.document.file)
    found = tuple(each for page in pages for each in page.report().findings)
    texts = {page.document.file: page.document.text for page in pages}
    return Read(definition=definition, report=Report(found), texts=texts)
