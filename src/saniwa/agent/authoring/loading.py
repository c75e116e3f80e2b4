"""Agents from their folders, or one error that carries every finding."""

from saniwa.agent.authoring.draft import bare
from saniwa.agent.authoring.lint import check_flow
from saniwa.agent.authoring.reading import read_agent
from saniwa.agent.contract import ValidationResult
from saniwa.agent.definition import AgentDefinition
from saniwa.core.errors import (
    ConfigurationError,
    ConfigurationNotFoundError,
    ConfigurationParseError,
    ConfigurationValidationError,
)
from saniwa.core.finding import Report

_UNREAD = ("DOCUMENT_SYNTAX", "DOCUMENT_UNREADABLE")


class FolderLoader:
    """The agents in folders. Queries only: nothing is kept and nothing written."""

    async def load(self, agent_path: str) -> AgentDefinition:
        """The definition in a folder. Pre: a folder. Post: the definition is valid.

        Raises:
            ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
            ConfigurationParseError: `CONFIG_PARSE`.
            ConfigurationValidationError: The first finding's code; all are in `details`.
        """
        return checked(*read_agent(agent_path))

    def validate(self, definition: AgentDefinition) -> ValidationResult:
        """Whether it may be built from. Post: `valid` means no errors."""
        draft = bare(definition.flow)
        if not definition.flow.entry_step:
            draft.entry.error("FIELD_MISSING", "a flow needs 'entryStep'")
        check_flow(draft, definition.completion, definition)
        report = draft.held.page.report()
        return ValidationResult(
            errors=tuple(str(each) for each in report.errors),
            warnings=tuple(str(each) for each in report.warnings),
        )


def checked(definition: AgentDefinition | None, report: Report) -> AgentDefinition:
    """The definition that was read, if nothing is wrong with it.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
        ConfigurationParseError: `CONFIG_PARSE`.
        ConfigurationValidationError: The first finding's code; all are in `details`.
    """
    if definition is None:
        raise _error(report)
    return definition


def _error(report: Report) -> ConfigurationError:
    first, others = report.errors[0], len(report.errors) - 1
    more = f" (and {others} more mistake{'s' * (others > 1)})" if others else ""
    code, message = first.code, first.message + more
    made: type[ConfigurationError] = ConfigurationValidationError
    if code == "CONFIG_NOT_FOUND":
        made, message = ConfigurationNotFoundError, first.message
    unread = [each for each in report.errors if each.code in _UNREAD]
    if unread:
        first, made, code = unread[0], ConfigurationParseError, "CONFIG_PARSE"
        message = f"Failed to parse agent definition: {first.message}"
    return made(
        code,
        message,
        where=first.where,
        hint=first.hint,
        details={"findings": [each.as_document() for each in report.findings]},
    )
