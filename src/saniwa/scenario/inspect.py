"""Read a scenario document whole: a world, and everything there is to say about it."""

from dataclasses import dataclass

from saniwa.core.document import Document
from saniwa.core.errors import SchemaValidationError
from saniwa.core.finding import Finding, Report
from saniwa.scenario import form, shape
from saniwa.scenario.assemble import assemble, first_character
from saniwa.scenario.code import Code
from saniwa.scenario.draft import Draft
from saniwa.scenario.file import check_files
from saniwa.scenario.goal import read_goal
from saniwa.scenario.integrity import check
from saniwa.scenario.lint import lint
from saniwa.scenario.names import read_aliases
from saniwa.scenario.page import Page
from saniwa.scenario.read import read
from saniwa.scenario.settle import settle
from saniwa.world.model import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """What came of a document."""

    report: Report
    """Everything found."""
    world: World | None
    """The world; None where a mistake keeps it from being one."""
    order: tuple[str, ...] = ()
    """The ids of its locations and things as the author ordered them."""


def inspect(document: Document, scenario_id: str | None = None) -> Inspected:
    """Look at all of a scenario before any of it is used.

    Total: any document gives a report. `scenario_id` is what the registry calls it.
    """
    page = Page(document)
    draft = read(page)
    names = settle(page, draft)
    check(page, draft, scenario_id)
    _check_allow_keys(page, draft)
    check_files(page, draft)
    goal = read_goal(page, draft, names, first_character(draft))
    aliases = read_aliases(page, draft, names)
    # A world with holes in it cannot be built, nor looked at for what is missing.
    world = assemble(draft, aliases, goal) if page.passed else None
    if world is not None:
        lint(page, draft, world)
    order = (*draft.rooms, *draft.things)
    return Inspected(report=page.report(), world=world, order=order)


def _check_allow_keys(page: Page, draft: Draft) -> None:
    held = draft.fields.get("lint_allow")
    if held is not None:
        shape.fields(page, held.value, held.path, form.LINT_ALLOW, "'lint_allow'")


def error_of(finding: Finding, report: Report) -> SchemaValidationError:
    """The one error that stands for a whole report: it takes the finding's code."""
    return SchemaValidationError(
        Code(finding.code),
        finding.message,
        where=finding.where,
        hint=finding.hint,
        details={
            **finding.details,
            "findings": [found.as_document() for found in report.findings],
        },
    )
