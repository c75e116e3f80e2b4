"""Prompt files that are missing or broken, and variables in them that nobody supplies."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.flow import AgentStep, PromptReference
from saniwa.agent.prompting.folder import (
    MissingError,
    OutsideError,
    UnfitError,
    read_inside,
)
from saniwa.agent.prompting.place import paths_of, system_paths_of
from saniwa.agent.prompting.resolver import LARGEST_PROMPT
from saniwa.agent.prompting.template import Template, TemplateError, read_template
from saniwa.agent.prompting.variable import (
    CHECK_VARIABLES,
    FLOOR_FACTS,
    FLOOR_VARIABLES,
    INPUT,
    STANDARD_VARIABLES,
    output_variable,
)
from saniwa.core.document import Document
from saniwa.core.page import Page
from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted


@dataclass(slots=True)
class PromptLook:
    """Looks at every prompt file of an agent, each once."""

    definition: AgentDefinition
    """The agent."""
    draft: Draft
    """Its flow, with places."""
    folder: Path
    """Where it lies."""
    system: Held
    """Where its system prompt is named."""
    certain: bool = True
    """Whether all that could supply a variable was read; else none is told missing."""
    pages: dict[str, Page] = field(default_factory=dict)
    """What was found in each file."""
    _read: dict[str, Template | None] = field(default_factory=dict)
    _told: set[tuple[str, str]] = field(default_factory=set)

    def look(self) -> None:
        """Note missing and broken prompts, and variables nobody supplies."""
        known = set(self._known())
        self._check(system_paths_of(self.definition), self.system, known)
        for step in self.definition.flow.steps.values():
            part = self.draft.parts.get(step.id)
            custom = part.found.texts("customVariables") if part else ()
            here = known | {name.removeprefix("uv-") for name in custom}
            place = self.draft.at(step.id, "prompt")
            self._each(step.prompt, place, here)
            if step.check is not None:
                inner = self.draft.at(step.id, "check", "prompt")
                self._each(step.check.prompt, inner, here | set(CHECK_VARIABLES))
            self._declared(step.id, step.variables, here)
            self._routed(step, here | set(FLOOR_FACTS))

    def _known(self) -> Iterator[str]:
        yield from (INPUT, *STANDARD_VARIABLES, *FLOOR_VARIABLES)
        yield from self.definition.parameters
        for step in self.definition.flow.steps.values():
            properties = (step.schema or {}).get("properties")
            for key in properties if isinstance(properties, dict) else ():
                yield output_variable(step.id, str(key))

    def _declared(self, step: str, names: tuple[str, ...], known: set[str]) -> None:
        for nth, name in enumerate(names):
            if name not in known:
                self._undefined(self.draft.at(step, "variables", nth), name, known)

    def _routed(self, step: AgentStep, known: set[str]) -> None:
        for nth, route in enumerate(step.routes):
            if route.variable and route.variable not in known:
                held = self.draft.at(step.id, "routes", nth, "variable")
                self._undefined(held, route.variable, known)

    def _undefined(self, held: Held, name: str, known: set[str]) -> None:
        if self.certain:
            message, hint = _unsupplied(held.page, name, known)
            held.warn("VARIABLE_UNDEFINED", message, hint=hint)

    def _each(self, ref: PromptReference | None, held: Held, known: set[str]) -> None:
        if ref is not None:
            self._check(paths_of(ref, self.definition), held, known)

    def _check(self, paths: tuple[str, ...], held: Held, known: set[str]) -> None:
        """Look at the file a reference means, and at the others it could mean."""
        found = [path for path in paths if self._is_there(path, held)]
        if not found:
            tried = ", ".join(quoted(path) for path in paths[1:])
            held.error(
                "PROMPT_NOT_FOUND",
                f"there is no prompt {quoted(paths[0])}",
                hint="write the file" + (f", or one of {tried}" if tried else ""),
            )
        for path in found:
            template = self._read[path]
            if template is not None and self.certain:
                self._gaps(path, template, known)

    def _gaps(self, path: str, template: Template, known: set[str]) -> None:
        for gap in template.gaps:
            if gap.name not in known and (path, gap.name) not in self._told:
                self._told.add((path, gap.name))
                page = self.pages[path]
                message, hint = _unsupplied(page, gap.name, known)
                page.at("warning", "VARIABLE_UNDEFINED", message, gap.offset, hint)

    def _is_there(self, path: str, held: Held) -> bool:
        if path in self._read:
            return True
        try:
            content = read_inside(self.folder, path, LARGEST_PROMPT)
        except MissingError:
            return False
        except OutsideError as problem:
            held.error("FILE_OUTSIDE", str(problem), hint="keep it in the folder")
        except UnfitError as problem:
            held.error("PROMPT_PARSE", f"the prompt {quoted(path)} {problem}")
        else:
            self._read[path] = self._template(path, content, held)
            return True
        self._read[path] = None
        return True

    def _template(self, path: str, content: bytes, held: Held) -> Template | None:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            message = f"the prompt {quoted(path)} is not UTF-8"
            held.error("PROMPT_PARSE", message, hint="save the file as UTF-8")
            return None
        file = f"{self.definition.folder}/{path}"
        page = self.pages[path] = Page(Document(plain=None, file=file, text=text))
        try:
            return read_template(text)
        except TemplateError as problem:
            page.at(
                "error", "PROMPT_PARSE", problem.message, problem.offset, problem.hint
            )
            return None


def _unsupplied(page: Page, name: str, known: set[str]) -> tuple[str, str]:
    """What is said of a variable nobody knows, and what to do about it."""
    hint = page.near(name, known) or "make it a parameter"
    return f"nobody supplies the variable {quoted(name)}", hint
