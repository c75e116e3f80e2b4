"""Check that every state can be reached, and that a final state can be reached from it."""

from collections import defaultdict
from collections.abc import Mapping

from saniwa.core.graph import find_reachable
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings
from saniwa.process.draft import ProcessDraft


def check_reachability(page: Findings, draft: ProcessDraft) -> None:
    """Report dead ends, unreachable states, and faulty final states."""
    if not draft.states:
        return
    finals = {placed.part.name for placed in draft.states if placed.part.is_final}
    # Whether these are final is unknown; the malformed field has been reported.
    unclear = {p.part.name for p in draft.states if "is_final" in p.malformed}
    onward, back = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for placed in draft.transitions:
        onward[placed.part.source].append(placed.part.to)
        back[placed.part.to].append(placed.part.source)
    _check_final_states(page, draft, finals, unclear)
    _check_timer_loops(page, draft)
    ends = ((p.part.source, p.part.to) for p in draft.transitions)
    if "transitions" in draft.partial or not all(map(all, ends)):
        return  # an unreadable transition may lead to any of them
    first = draft.initial_state
    if any(placed.part.name == first for placed in draft.states):
        _check_unreachable(page, draft, find_reachable([first], onward))
    if (finals or unclear) and "states" not in draft.partial:
        _check_dead_ends(page, draft, find_reachable(finals | unclear, back), onward)


def _check_final_states(
    page: Findings, draft: ProcessDraft, finals: set[str], unclear: set[str]
) -> None:
    if not finals and not unclear and "states" not in draft.partial:
        message = "no state is final, so no run ever ends"
        hint = "give one of the states 'is_final: true'"
        page.add_error("NO_FINAL_STATE", message, draft.find_path("states"), key=True, hint=hint)
    for placed in draft.transitions:
        if placed.part.source in finals:
            message = f"{quote_value(placed.part.source)} is final, and a transition leaves it"
            hint = "take the transition out, or make another state final"
            page.add_error("FINAL_STATE_LEFT", message, placed.find_path("from"), hint=hint)


def _check_timer_loops(page: Findings, draft: ProcessDraft) -> None:
    """Report timed transitions from a state to itself: the timer never restarts."""
    for placed in draft.transitions:
        way = placed.part
        if way.after and way.source and way.source == way.to:
            message = f"time would lead from {quote_value(way.source)} to itself again and again"
            hint = "lead to another state, or notify on entering this one"
            page.add_error("TIMER_CIRCLES", message, placed.find_path("to"), hint=hint)


def _check_unreachable(page: Findings, draft: ProcessDraft, reached: set[str]) -> None:
    for placed in draft.states:
        if placed.part.name not in reached:
            message = f"no run ever comes to {quote_value(placed.part.name)}"
            hint = "add a transition to it, or take it out"
            page.add_error("UNREACHABLE_STATE", message, placed.find_path("name"), hint=hint)


def _check_dead_ends(
    page: Findings, draft: ProcessDraft, ending: set[str], onward: Mapping[str, list[str]]
) -> None:
    for placed in draft.states:
        name = placed.part.name
        if name in ending:
            continue
        why = "no final state can be reached" if onward.get(name) else "nothing leads on"
        message = f"from {quote_value(name)} {why}"
        hint = "add a transition that leads on, or 'is_final: true'"
        page.add_error("DEAD_END", message, placed.find_path("name"), hint=hint)
