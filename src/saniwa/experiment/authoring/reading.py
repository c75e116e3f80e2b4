"""The way in: a file, or options, become a plan or a report of all that is wrong."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.core.document import Document, of_plain, read_file
from saniwa.core.finding import Report
from saniwa.core.page import Page
from saniwa.core.paper.held import Held
from saniwa.experiment.authoring.authored import Authored
from saniwa.experiment.authoring.slug import id_from
from saniwa.experiment.authoring.whole import Whole


class Read(NamedTuple):
    """What came of reading a plan."""

    authored: Authored | None
    """The plan; None where anything keeps it from being used."""
    report: Report
    """Everything found, in reading order."""
    texts: Mapping[str, str]
    """The text of every file something was found in, to quote from."""
    draft: Authored
    """The plan as far as it can be read, mistakes left out."""


def read_plan(
    source: str | os.PathLike[str] | Document | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    said_by: str = "the command line",
) -> Read:
    """The plan in a file, with options over it; either may be missing.

    Options have the names and shapes of a plan's keys. Never raises for what a plan says.

    Raises:
        DocumentError: The file is no JSON or YAML.
    """
    pages: list[Page] = []
    held: Held | None = None
    folder, name = "", ""
    if source is not None:
        document = source if isinstance(source, Document) else read_file(source)
        held = _held(document, pages)
        folder, name = str(Path(document.file).parent), Path(document.file).stem
    if options or held is None:
        over = _held(of_plain(dict(options or {}), said_by), pages)
        held = over if held is None else over._replace(below=held)
    authored = Whole(held, otherwise=id_from(name) if name else "").authored(folder)
    found = tuple(each for page in pages for each in page.report().findings)
    texts = {page.document.file: page.document.text for page in pages}
    passed = all(page.passed for page in pages)
    return Read(authored if passed else None, Report(found), texts, authored)


def _held(document: Document, pages: list[Page]) -> Held:
    page = Page(document)
    pages.append(page)
    if not _is_scenario(document.plain):
        return Held(document.plain, (), page)
    # Told once: every key of a scenario would be a mistake of its own in a plan.
    page.error(
        "WRONG_TYPE",
        "this is a scenario, and a plan was to be read",
        (),
        hint=f"play it under conditions: --scenario {document.file}",
    )
    return Held({"scenarios": [document.file]}, (), page)


def _is_scenario(plain: Any) -> bool:
    return isinstance(plain, dict) and {"locations", "characters"} <= plain.keys()
