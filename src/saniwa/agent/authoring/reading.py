"""The way in: a folder becomes an agent, or a report of all that is wrong with it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from saniwa.agent.authoring.files import Folder
from saniwa.agent.authoring.lint import asking, check_flow
from saniwa.agent.authoring.lint.prompts import PromptLook
from saniwa.agent.authoring.written.step import flow_of
from saniwa.agent.authoring.written.whole import Whole
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.prompting.place import paths_of, system_paths_of
from saniwa.core.finding import Report
from saniwa.core.page import Page
from saniwa.core.paper.held import Held

REGISTRY = "steps_registry"
"""The file of an agent's flow, where it names none; its ending is free."""


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
    folder: str | os.PathLike[str],
) -> tuple[AgentDefinition | None, Report]:
    """The agent in a folder, and everything found in its files.

    `config.json` counts before `agent.json`. Never raises for what the files hold, or
    that they are missing.
    """
    read = read_folder(folder)
    return read.definition, read.report


def read_folder(named: str | os.PathLike[str]) -> Read:
    """The same, with the texts to quote findings from."""
    folder = Folder(os.fspath(named))
    held = _stacked(folder)
    if held is None:
        return _result(None, folder.pages.values())
    whole = Whole(held)
    asking.look(whole.model.get("use"), folder.path)
    registry = _registry(folder, whole.registry)
    if registry is None:
        return _result(None, folder.pages.values())
    draft = flow_of(registry, whole.found.said("name", ""), whole.completion_type)
    definition = AgentDefinition(**whole.parts, folder=folder.named, flow=draft.flow)
    check_flow(draft, whole.completion, definition)
    certain = "parameters" not in whole.found.malformed and draft.puts_out
    look = PromptLook(definition, draft, folder.path, whole.system, certain)
    look.look()
    pages = {**folder.pages, **look.pages}
    if all(page.passed for page in pages.values()):
        definition = _hashed(definition, folder)
    pages = {**folder.pages, **look.pages}
    passed = all(page.passed for page in pages.values())
    return _result(definition if passed else None, pages.values())


def _registry(folder: Folder, named: str) -> Held | None:
    code, missing = "CONFIG_NOT_FOUND", "Agent flow not found"
    if named:
        return folder.file(named, code, missing)
    return folder.document(REGISTRY, code, missing)


def _stacked(folder: Folder) -> Held | None:
    """`agent.json` with `config.json` over it."""
    held = folder.document("agent", "CONFIG_NOT_FOUND", "Agent definition not found")
    config = folder.document("config") if held is not None else None
    return held if config is None else config._replace(below=held)


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
