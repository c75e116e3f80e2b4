"""Finds prompt files that are missing or broken, and undefined variables in them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from saniwa.agent import describe
from saniwa.agent.definition import AgentDefinition, AgentStep, PromptReference
from saniwa.agent.files.flow_links import FlowDraft
from saniwa.agent.folder_files import (
    OutsideFolderError,
    PromptFileMissingError,
    UnreadableFileError,
    check_file,
    read_inside,
)
from saniwa.agent.prompt_resolver import (
    CHECK_VARIABLES,
    INPUT_VARIABLE,
    LARGEST_PROMPT,
    PORT_FACTS,
    PORT_VARIABLES,
    STANDARD_VARIABLES,
    PromptTemplate,
    PromptTemplateError,
    list_output_fields,
    list_prompt_paths,
    list_system_paths,
    name_output_variable,
    read_template,
)
from saniwa.core.text import quote_value
from saniwa.documents.document import Document
from saniwa.documents.finding_collector import Findings, Located

_FILE_SCHEMES = ("canned", "replay")


def lint_answer_file(held: Located | None, folder: Path) -> None:
    """Report a file of answers that is outside the folder or missing.

    A missing file is only a warning: the user who runs the agent may name another
    model.
    """
    kind, _, path = str(held.value).partition(":") if held is not None else ("", "", "")
    if held is None or kind not in _FILE_SCHEMES:
        return
    try:
        check_file(folder, path)
    except OutsideFolderError as problem:
        hint = "write a path that stays inside the agent's folder"
        held.add_error("FILE_OUTSIDE", str(problem), hint=hint)
    except PromptFileMissingError:
        held.report("FILE_MISSING/answer_file", path=path)
    except UnreadableFileError as problem:
        held.report("FILE_MISSING/answer_kind", path=path, problem=problem)


@dataclass(slots=True)
class PromptLinter:
    """Checks every prompt file of an agent, each once."""

    definition: AgentDefinition
    """The agent."""
    draft: FlowDraft
    """Its flow, with locations."""
    folder: Path
    """Its folder."""
    system: Located
    """Where its system prompt is named."""
    certain: bool = True
    """Whether everything that could define a variable was read; if not, none is
    reported."""
    pages: dict[str, Findings] = field(default_factory=dict)
    """The findings in each file."""
    _read: dict[str, PromptTemplate | None] = field(default_factory=dict)
    _told: set[tuple[str, str]] = field(default_factory=set)

    def lint_prompts(self) -> None:
        """Report missing and broken prompts, and undefined variables."""
        known = set(self._list_known_variables())
        self._lint_files(list_system_paths(self.definition), self.system, known)
        for step in self.definition.flow.steps.values():
            part = self.draft.parts.get(step.id)
            custom = part.found.get_texts("customVariables") if part else ()
            here = known | {name.removeprefix("uv-") for name in custom}
            place = self.draft.find_place(step.id, "prompt")
            self._lint_reference(step.prompt, place, here)
            if step.check is not None:
                inner = self.draft.find_place(step.id, "check", "prompt")
                self._lint_reference(step.check.prompt, inner, here | set(CHECK_VARIABLES))
            self._lint_declared(step.id, step.variables, here)
            self._lint_routes(step, here | set(PORT_FACTS))

    def _list_known_variables(self) -> Iterator[str]:
        yield from (INPUT_VARIABLE, *STANDARD_VARIABLES, *PORT_VARIABLES)
        yield from self.definition.parameters
        for step in self.definition.flow.steps.values():
            for key in list_output_fields(step.schema):
                yield name_output_variable(step.id, key)

    def _lint_declared(self, step: str, names: tuple[str, ...], known: set[str]) -> None:
        for nth, name in enumerate(names):
            if name not in known:
                self._report_undefined(self.draft.find_place(step, "variables", nth), name, known)

    def _lint_routes(self, step: AgentStep, known: set[str]) -> None:
        for nth, route in enumerate(step.routes):
            if route.variable and route.variable not in known:
                held = self.draft.find_place(step.id, "routes", nth, "variable")
                self._report_undefined(held, route.variable, known)

    def _report_undefined(self, held: Located, name: str, known: set[str]) -> None:
        if self.certain:
            message, hint = _describe_unknown_variable(held.page, name, known)
            held.add_warning("VARIABLE_UNDEFINED", message, hint=hint)

    def _lint_reference(self, ref: PromptReference | None, held: Located, known: set[str]) -> None:
        if ref is not None:
            self._lint_files(list_prompt_paths(ref, self.definition), held, known)

    def _lint_files(self, paths: tuple[str, ...], held: Located, known: set[str]) -> None:
        """Check the file that a reference selects, and the others it could select."""
        found = [path for path in paths if self._check_exists(path, held)]
        if not found:
            tried = ", ".join(quote_value(path) for path in paths[1:])
            held.report(
                "PROMPT_NOT_FOUND/files",
                hint="write the file" + (f", or one of {tried}" if tried else ""),
                paths=paths[0],
            )
        for path in found:
            template = self._read[path]
            if template is not None and self.certain:
                self._lint_gaps(path, template, known)

    def _lint_gaps(self, path: str, template: PromptTemplate, known: set[str]) -> None:
        for gap in template.gaps:
            if gap.name not in known and (path, gap.name) not in self._told:
                self._told.add((path, gap.name))
                page = self.pages[path]
                message, hint = _describe_unknown_variable(page, gap.name, known)
                page.add_at_offset("warning", "VARIABLE_UNDEFINED", message, gap.offset, hint)

    def _check_exists(self, path: str, held: Located) -> bool:
        if path in self._read:
            return True
        try:
            content = read_inside(self.folder, path, LARGEST_PROMPT)
        except PromptFileMissingError:
            return False
        except OutsideFolderError as problem:
            held.add_error("FILE_OUTSIDE", str(problem), hint="move it into the agent's folder")
        except UnreadableFileError as problem:
            held.report("PROMPT_PARSE/exists", path=path, problem=problem)
        else:
            self._read[path] = self._read_template(path, content, held)
            return True
        self._read[path] = None
        return True

    def _read_template(self, path: str, content: bytes, held: Located) -> PromptTemplate | None:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            held.report("PROMPT_PARSE/encoding", path=path)
            return None
        file = f"{self.definition.folder}/{path}"
        page = self.pages[path] = Findings(
            Document(plain=None, file=file, text=text), describe=describe
        )
        try:
            return read_template(text)
        except PromptTemplateError as problem:
            page.add_at_offset(
                "error", "PROMPT_PARSE", problem.message, problem.offset, problem.hint
            )
            return None


def _describe_unknown_variable(page: Findings, name: str, known: set[str]) -> tuple[str, str]:
    """Return the message and the hint for an undefined variable."""
    hint = page.suggest_nearest(name, known) or "make it a parameter"
    return f"nothing sets the variable {quote_value(name)}", hint
