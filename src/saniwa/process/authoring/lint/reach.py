"""States that no run comes to, that none leaves, or that are left though they are last."""

from collections import defaultdict
from collections.abc import Mapping

from saniwa.core.quoted import quoted
from saniwa.core.reach import reached
from saniwa.process.authoring.draft import Draft
from saniwa.process.authoring.page import Page


def look(page: Page, draft: Draft) -> None:
    """Note a process without an end, dead ends, lost states and ends that are left."""
    if not draft.states:
        return
    finals = {placed.part.name for placed in draft.states if placed.part.is_final}
    # Of these nobody knows whether they are final; that they are unclear is told.
    unclear = {p.part.name for p in draft.states if "is_final" in p.malformed}
    onward, back = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for placed in draft.transitions:
        onward[placed.part.source].append(placed.part.to)
        back[placed.part.to].append(placed.part.source)
    _ends(page, draft, finals, unclear)
    _circling(page, draft)
    ends = ((p.part.source, p.part.to) for p in draft.transitions)
    if "transitions" in draft.partial or not all(map(all, ends)):
        return  # A transition that could not be read may lead to any of them.
    first = draft.initial_state
    if any(placed.part.name == first for placed in draft.states):
        _lost(page, draft, reached([first], onward))
    if (finals or unclear) and "states" not in draft.partial:
        _dead(page, draft, reached(finals | unclear, back), onward)


def _ends(page: Page, draft: Draft, finals: set[str], unclear: set[str]) -> None:
    if not finals and not unclear and "states" not in draft.partial:
        page.error(
            "NO_FINAL_STATE",
            "no state is final, so no run ever ends",
            draft.at("states"),
            key=True,
            hint="give one of the states 'is_final: true'",
        )
    for placed in draft.transitions:
        if placed.part.source in finals:
            page.error(
                "FINAL_STATE_LEFT",
                f"{quoted(placed.part.source)} is final, and a transition leaves it",
                placed.at("from"),
                hint="take the transition out, or make another state final",
            )


def _circling(page: Page, draft: Draft) -> None:
    """What time takes must lead elsewhere: staying in a state does not begin it anew."""
    for placed in draft.transitions:
        way = placed.part
        if way.after and way.source and way.source == way.to:
            page.error(
                "TIMER_CIRCLES",
                f"time would lead from {quoted(way.source)} to itself again and again",
                placed.at("to"),
                hint="lead to another state, or notify on entering this one",
            )


def _lost(page: Page, draft: Draft, reached: set[str]) -> None:
    for placed in draft.states:
        if placed.part.name not in reached:
            page.error(
                "UNREACHABLE_STATE",
                f"no run ever comes to {quoted(placed.part.name)}",
                placed.at("name"),
                hint="add a transition to it, or take it out",
            )


def _dead(
    page: Page, draft: Draft, ending: set[str], onward: Mapping[str, list[str]]
) -> None:
    for placed in draft.states:
        name = placed.part.name
        if name in ending:
            continue
        why = (
            "no final state can be reached" if onward.get(name) else "nothing leads on"
        )
        page.error(
            "DEAD_END",
            f"from {quoted(name)} {why}",
            placed.at("name"),
            hint="add a transition that leads on, or 'is_final: true'",
        )
