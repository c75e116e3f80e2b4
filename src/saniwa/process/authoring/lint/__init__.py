"""What is wrong with a definition as a whole, found all at once.

Every look takes about as long as the definition is large; none stops at the first mistake.
"""

from saniwa.process.authoring.draft import Draft
from saniwa.process.authoring.lint import (
    approval,
    evidence,
    guards,
    hooks,
    likeness,
    names,
    reach,
    roles,
    schemas,
    senders,
    tools,
    variables,
)
from saniwa.process.authoring.page import Page

_LOOKS = (
    names.look,
    likeness.look,
    roles.look,
    guards.look,
    evidence.look,
    reach.look,
    senders.look,
    approval.look,
    schemas.look,
    hooks.look,
    variables.look,
    tools.look,
)


def check(page: Page, draft: Draft) -> None:
    """Note everything that is wrong with a draft."""
    for look in _LOOKS:
        look(page, draft)
