"""Check ways: states that no run can reach or leave, final states, timers in a circle."""

from collections import defaultdict
from collections.abc import Mapping

from saniwa.core.graph import find_reachable
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
        page.report("NO_FINAL_STATE", draft.find_path("states"), key=True)
    for placed in draft.transitions:
        if placed.part.source in finals:
            page.report("FINAL_STATE_LEFT", placed.find_path("from"), source=placed.part.source)


def _check_timer_loops(page: Findings, draft: ProcessDraft) -> None:
    """Report timed transitions from a state to itself: the timer never restarts."""
    for placed in draft.transitions:
        way = placed.part
        if way.is_automatic and way.source and way.source == way.to:
            page.report("TIMER_CIRCLES", placed.find_path("to"), source=way.source)


def _check_unreachable(page: Findings, draft: ProcessDraft, reached: set[str]) -> None:
    for placed in draft.states:
        if placed.part.name not in reached:
            page.report("UNREACHABLE_STATE", placed.find_path("name"), name=placed.part.name)


def _check_dead_ends(
    page: Findings, draft: ProcessDraft, ending: set[str], onward: Mapping[str, list[str]]
) -> None:
    for placed in draft.states:
        name = placed.part.name
        if name in ending:
            continue
        why = "no final state can be reached" if onward.get(name) else "there is no transition"
        page.report("DEAD_END", placed.find_path("name"), name=name, why=why)
