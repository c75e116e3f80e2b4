"""The old [BRANCH …]: a choice on one line."""

from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.reading.bracket import Bracket, is_missing
from saniwa.script.reading.command import Given, choices
from saniwa.script.reading.frame import MOST_OPTIONS
from saniwa.script.reading.inline import words_at
from saniwa.script.reading.link import command_target
from saniwa.script.reading.stack import too_many


def branch(b: Bracket) -> node.Choice | None:
    """The choice; None where it has no option."""
    b.notes.old(b.command.name, b.line, b.column)
    drafts: list[dict[str, Given]] = []
    for each in choices(b.inner, b.inner_column):
        if each.unclosed:
            message = f"the quotation mark of {quoted(each.value)} is not closed"
            b.error("PARAMETER_MALFORMED", message, each.column, 'add "')
        if each.key == "choice":
            drafts.append({"choice": each})
            if not each.value:
                is_missing(b, "choice", each)
        elif not each.key or not drafts or each.key in drafts[-1]:
            shown = quoted(f"{each.key}={each.value}" if each.key else each.value)
            hint = "write choice=… label=…, choice=… label=…"
            message = f"{shown} belongs to no choice"
            b.error("PARAMETER_MALFORMED", message, each.key_column, hint)
        else:
            drafts[-1][each.key] = each
    if not drafts:
        hint = "write choice=… label=…, choice=… label=…"
        b.error("PARAMETER_MISSING", "BRANCH has no choice", b.column, hint)
        return None
    if len(drafts) > MOST_OPTIONS:
        too_many(b.notes, b.line, drafts[MOST_OPTIONS]["choice"].key_column)
    options = tuple(_option(b, draft) for draft in drafts[:MOST_OPTIONS])
    return node.Choice(b.line, b.column, b.line, options, b.command.name)


def _option(b: Bracket, draft: dict[str, Given]) -> node.Option:
    choice = draft["choice"]
    to, only_if = draft.get("label", choice), draft.get("if")
    return node.Option(
        b.line,
        choice.key_column,
        b.line,
        words_at(choice.value, b.line, choice.column, b.notes),
        command_target(to.value, b.line, to.column),
        only_if=b.expression(only_if.value, only_if.column) if only_if else None,
    )
