"""The folder of an agent: finds, reads, checks and hashes its files, or writes new ones.

`read_agent_folder` does the work; no file of an agent is ever run. `write_agent` writes
a new agent to start from: small, without findings, runs without a model.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from saniwa.agent import describe
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.field_kinds import is_agent_name
from saniwa.agent.files import lint
from saniwa.agent.files.agent_file import AgentFile
from saniwa.agent.files.flow_draft import make_bare_draft
from saniwa.agent.files.flow_file import read_flow
from saniwa.agent.files.lint import PromptLinter, lint_flow
from saniwa.agent.folder_files import (
    OutsideFolderError,
    PromptFileMissingError,
    UnreadableFileError,
    list_names_inside,
    read_inside,
)
from saniwa.agent.layer_contracts import ValidationResult
from saniwa.agent.prompt_resolver import (
    LARGEST_PROMPT,
    PROMPT_SUFFIX,
    list_prompt_paths,
    list_system_paths,
)
from saniwa.core.errors import (
    ConfigurationError,
    ConfigurationNotFoundError,
    ConfigurationParseError,
    ConfigurationValidationError,
    DocumentError,
)
from saniwa.core.findings import Report, SourceLocation
from saniwa.documents.document import FORMATS, Document, DocumentFormat, parse_document_bytes
from saniwa.documents.finding_collector import Findings, Located

LARGEST_DOCUMENT = 4 * 1024 * 1024
"""The largest size of one of an agent's documents, in bytes."""


class AgentFolder:
    """An agent's folder, and the findings in each file that was read from it."""

    def __init__(self, named: str) -> None:
        self.named = named
        self.path = Path(named)
        self.pages: dict[str, Findings] = {}
        """The findings of every document by its path, unreadable ones included."""
        self.contents: dict[str, bytes] = {}
        """The bytes of every document that was read."""

    def read_document(self, stem: str, code: str = "", missing: str = "") -> Located | None:
        """Read a document by its name without suffix; JSON is tried before YAML.

        Raises nothing: what prevents reading becomes a finding. With `code`, a missing
        document is a finding too.
        """
        names = [name for end in FORMATS if self._open_file(name := stem + end)]
        for other in names[1:]:
            page = self._get_page(other)
            page.report("DUPLICATE_KEY/document", (), names=names[0], other=other)
        if names:
            return self._parse_file(names[0])
        self._report_missing(stem + ".json", code, missing)
        return None

    def read_file(self, path: str, code: str, missing: str) -> Located | None:
        """Read a document by its path; the suffix gives its format."""
        if PurePosixPath(path).suffix.lower() not in FORMATS:
            self._get_page(path).report("DOCUMENT_UNREADABLE/suffix", (), path=path)
            return None
        if self._open_file(path):
            return self._parse_file(path)
        self._report_missing(path, code, missing)
        return None

    def compute_hash(self, prompts: Iterable[str]) -> str:
        """Compute the SHA-256 over the documents and the prompts.

        It covers every prompt file in the folders of `prompts`. It is the same for the
        same files, wherever they are and in any order. Files that cannot be read are
        reported: whether they changed is unknown.
        """
        folders = {str(PurePosixPath(path).parent) for path in prompts}
        contents = dict(self.contents)
        for folder in folders:
            for name in self._list_prompt_names(folder):
                path = name if folder == "." else f"{folder}/{name}"
                contents |= self._read_content(path)
        sha = hashlib.sha256()
        for path in sorted(contents):
            digest = hashlib.sha256(contents[path]).hexdigest()
            sha.update(f"{len(path)}:{path}:{digest}\n".encode())
        return sha.hexdigest()

    def _list_prompt_names(self, folder: str) -> list[str]:
        try:
            names = list_names_inside(self.path, folder)
        except (OutsideFolderError, UnreadableFileError) as problem:
            self._get_page(folder).report(
                "PROMPT_PARSE/prompt_names", (), folder=folder, problem=problem
            )
            return []
        return [name for name in names if name.endswith(PROMPT_SUFFIX)]

    def _read_content(self, path: str) -> dict[str, bytes]:
        """Return a file's bytes by its path; nothing, with a warning, if unreadable."""
        try:
            return {path: read_inside(self.path, path, LARGEST_PROMPT)}
        except PromptFileMissingError:
            return {}
        except (OutsideFolderError, UnreadableFileError) as problem:
            why = str(problem)
            self._get_page(path).report("PROMPT_PARSE/content", (), path=path, why=why)
            return {}

    def _get_page(self, path: str, text: str = "") -> Findings:
        if path not in self.pages:
            file = f"{self.named}/{path}"
            self.pages[path] = Findings(
                Document(plain=None, file=file, text=text), describe=describe
            )
        return self.pages[path]

    def _report_missing(self, path: str, code: str, missing: str) -> None:
        if code:
            place = f"{self.named}/{path}"
            hint = "create one with: saniwa agent new NAME"
            self._get_page(path).add_error(code, f"{missing}: {place}", (), hint=hint)

    def _open_file(self, path: str) -> bool:
        """Whether there is such a file.

        Stores its content, or a finding if it is unreadable.
        """
        if path in self.contents:
            return True
        try:
            content = read_inside(self.path, path, LARGEST_DOCUMENT)
        except PromptFileMissingError:
            return False
        except OutsideFolderError as problem:
            self._get_page(path).add_error("FILE_OUTSIDE", str(problem), ())
        except UnreadableFileError as problem:
            self._get_page(path).report(
                "DOCUMENT_UNREADABLE/content", (), path=path, problem=problem
            )
        else:
            self.contents[path] = content
        return True

    def _parse_file(self, path: str) -> Located | None:
        if path not in self.contents:
            return None
        content, file = self.contents[path], f"{self.named}/{path}"
        format: DocumentFormat = FORMATS[PurePosixPath(path).suffix.lower()]
        try:
            document = parse_document_bytes(content, file, format)
        except DocumentError as problem:
            page = self._get_page(path, content.decode("utf-8", "replace"))
            page.add_document_error(problem)
            return None
        page = self.pages[path] = Findings(document, describe=describe)
        return Located(document.plain, (), page)


REGISTRY_STEM = "steps_registry"
"""The file of an agent's flow if it names none; the suffix may vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReading:
    """The result of reading an agent."""

    definition: AgentDefinition | None
    """The agent; None if there are errors."""
    report: Report
    """Everything found, in reading order."""
    texts: Mapping[str, str]
    """The text of every file with findings, to quote from."""


def read_agent(folder: str | os.PathLike[str]) -> tuple[AgentDefinition | None, Report]:
    """Read the agent in a folder; return it with everything found in its files.

    `config.json` takes precedence over `agent.json`. Never raises because of missing
    files or their contents.
    """
    read = read_agent_folder(folder)
    return read.definition, read.report


def read_agent_folder(named: str | os.PathLike[str]) -> AgentReading:
    """Read the agent in a folder, with the texts to quote findings from."""
    folder = AgentFolder(os.fspath(named))
    held = _read_agent_file(folder)
    if held is None:
        return build_reading(None, folder.pages.values())
    agent_file = AgentFile(held)
    lint.lint_answer_file(agent_file.model.get("use"), folder.path)
    registry = _read_registry(folder, agent_file.registry_path)
    if registry is None:
        return build_reading(None, folder.pages.values())
    draft = read_flow(registry, agent_file.found.get_value("name", ""), agent_file.completion_type)
    definition = AgentDefinition(**agent_file.parts, folder=folder.named, flow=draft.flow)
    lint_flow(draft, agent_file.completion, definition)
    certain = "parameters" not in agent_file.found.malformed and draft.has_known_outputs
    linter = PromptLinter(definition, draft, folder.path, agent_file.system, certain)
    linter.lint_prompts()
    pages = {**folder.pages, **linter.pages}
    if all(page.passed for page in pages.values()):
        definition = _add_hash(definition, folder)
    pages = {**folder.pages, **linter.pages}
    passed = all(page.passed for page in pages.values())
    return build_reading(definition if passed else None, pages.values())


def _read_registry(folder: AgentFolder, named: str) -> Located | None:
    code, missing = "CONFIG_NOT_FOUND", "Agent flow not found"
    if named:
        return folder.read_file(named, code, missing)
    return folder.read_document(REGISTRY_STEM, code, missing)


def _read_agent_file(folder: AgentFolder) -> Located | None:
    """Read `agent.json`, overlaid by `config.json`."""
    held = folder.read_document("agent", "CONFIG_NOT_FOUND", "Agent definition not found")
    config = folder.read_document("config") if held is not None else None
    return held if config is None else config._replace(below=held)


def list_all_prompt_paths(definition: AgentDefinition) -> Iterable[str]:
    """List every path where a prompt of an agent could be."""
    yield from list_system_paths(definition)
    for step in definition.flow.steps.values():
        for ref in (step.prompt, step.check.prompt if step.check else None):
            if ref is not None:
                yield from list_prompt_paths(ref, definition)


def _add_hash(definition: AgentDefinition, folder: AgentFolder) -> AgentDefinition:
    from msgspec.structs import replace

    return replace(definition, hash=folder.compute_hash(list_all_prompt_paths(definition)))


def build_reading(definition: AgentDefinition | None, pages: Iterable[Findings]) -> AgentReading:
    """Collect the findings of all pages, file by file."""
    # File by file: the note about findings that are not shown comes last in its own
    # file.
    pages = sorted(pages, key=lambda page: page.document.file)
    found = tuple(each for page in pages for each in page.build_report().findings)
    texts = {page.document.file: page.document.text for page in pages}
    return AgentReading(definition=definition, report=Report(found), texts=texts)


_UNREADABLE_CODES = ("DOCUMENT_SYNTAX", "DOCUMENT_UNREADABLE")


class FolderConfigurationLoader:
    """Loads agents from folders. Queries only: nothing is cached or written."""

    async def load(self, agent_path: str) -> AgentDefinition:
        """Load the definition in a folder. Pre: a folder.

        Post: the definition is valid.

        Raises:
            ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
            ConfigurationParseError: `CONFIG_PARSE`.
            ConfigurationValidationError: The first finding's code; all are in
                `details`.
        """
        return require_valid(*read_agent(agent_path))

    def validate(self, definition: AgentDefinition) -> ValidationResult:
        """Say whether it can be built. Post: `valid` means no errors."""
        draft = make_bare_draft(definition.flow)
        if not definition.flow.entry_step:
            draft.entry.report("FIELD_MISSING/entry_step")
        lint_flow(draft, definition.completion, definition)
        report = draft.held.page.build_report()
        return ValidationResult(
            errors=tuple(str(each) for each in report.errors),
            warnings=tuple(str(each) for each in report.warnings),
        )


def require_valid(definition: AgentDefinition | None, report: Report) -> AgentDefinition:
    """Return the definition that was read, if there is one.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
        ConfigurationParseError: `CONFIG_PARSE`.
        ConfigurationValidationError: The first finding's code; all are in `details`.
    """
    if definition is None:
        raise make_configuration_error(report)
    return definition


def make_configuration_error(report: Report) -> ConfigurationError:
    """Make the error for an agent that cannot be read, with all findings in `details`."""
    first, others = report.errors[0], len(report.errors) - 1
    more = f" (and {others} more error{'s' * (others > 1)})" if others else ""
    code, message = first.code, first.message + more
    error_class: type[ConfigurationError] = ConfigurationValidationError
    if code == "CONFIG_NOT_FOUND":
        error_class, message = ConfigurationNotFoundError, first.message
    unread = [each for each in report.errors if each.code in _UNREADABLE_CODES]
    if unread:
        first, error_class, code = unread[0], ConfigurationParseError, "CONFIG_PARSE"
        message = f"Failed to parse agent definition: {first.message}"
    return error_class(
        code,
        message,
        where=first.where,
        hint=first.hint,
        details={"findings": [each.to_document() for each in report.findings]},
    )


_TEMPLATE_FOLDER = Path(__file__).parent / "begin"
_TEMPLATE_NAME = "new-agent"


def write_agent(name: str, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write a small agent of this name into a folder that does not exist yet.

    Raises:
        ConfigurationError: `NAME_UNUSABLE`, `AGENT_EXISTS`; nothing is written then.
    """
    if not is_agent_name(name):
        raise describe("NAME_UNUSABLE/agent", name=name).to_error(ConfigurationError)
    target = Path(folder)
    try:
        target.mkdir(parents=True)
    except FileExistsError as problem:
        raise describe("AGENT_EXISTS", name=name).to_error(
            ConfigurationError, where=SourceLocation(file=str(target))
        ) from problem
    return tuple(_write_file(path, target, name) for path in _list_template_files())


def _list_template_files() -> list[Path]:
    return sorted(path for path in _TEMPLATE_FOLDER.rglob("*") if path.is_file())


def _write_file(path: Path, target: Path, name: str) -> Path:
    to = target / path.relative_to(_TEMPLATE_FOLDER)
    to.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text(encoding="utf-8").replace(_TEMPLATE_NAME, name)
    with to.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return to
