"""Checks of labels, links, sections, choices and ids, and of loops.

Which way a player takes is unknown here: what may happen counts as what happens.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import quote_value
from saniwa.story.elements import ChoiceOption, SayElement
from saniwa.story.finding_collector import make_finding
from saniwa.story.flow_analysis import can_be_empty, is_always_open
from saniwa.story.link_parser import is_outside_folder, join_link, make_slug, to_relative
from saniwa.story.lint.context import MOST_LINES, LintContext, format_count, locate_part, make_place
from saniwa.story.program import EndOp, EnterOp, FallOp, GoOp, JumpOp, OfferOp, StoryText
from saniwa.story.value_operations import format_value

SECTIONS: Final = frozenset({"section", "scene"})
"""Labels that begin a part of the story."""
_MOST_SILENT: Final = 1_000
"""The most operations followed from a choice back to it."""
MANY_OPTIONS: Final = 6
"""More options than this are hard to choose from."""


_SILENT_OPS: Final = (EnterOp, GoOp, FallOp, EndOp)
"""Operations that show nothing to the player."""


def find_empty_story(story: LintContext) -> Iterator[Finding]:
    """Find a story of which only the front matter, headings and comments are written."""
    found = any(scene.findings for scene in story.scenes)
    if not found and all(isinstance(op, _SILENT_OPS) for op in story.program.ops):
        yield make_finding("STORY_EMPTY", make_place(story.scenes[0].file, 1, 1))


def find_duplicate_labels(story: LintContext) -> Iterator[Finding]:
    """Find labels whose name another one has."""
    ops, labels = story.program.ops, story.program.labels
    for address, op in story.list_enter_ops():
        first = ops[labels[op.label]]
        if first is op or not isinstance(first, EnterOp):
            continue
        same = "already" if op.name == first.name else f"the same as {quote_value(first.name)}"
        where = story.program.locate_op(address)
        at = story.get_line(where).find(op.name, where.column - 1)
        where = where if at < 0 else make_place(where.file, where.line, at + 1)
        details = {"label": op.name, "first": first.line}
        yield make_finding("LABEL_DUPLICATE", where, details, same=same)


def find_unresolved_labels(story: LintContext) -> Iterator[Finding]:
    """Find links to labels that do not exist."""
    for file, target, to in story.program.links:
        if to is not None or (names := story.labels.get(join_link(file, target.file))) is None:
            continue
        where, title = locate_part(file, target), story.get_title(join_link(file, target.file))
        if title and make_slug(title) == make_slug(target.label):
            details = {"label": target.label}
            yield make_finding("LABEL_UNRESOLVED/title", where, details, title=title)
            continue
        near = story.find_near(target.label, names)
        story.meant_labels.add((join_link(file, target.file), near))
        edit = story.make_rewrite(where, target.label, _format_label(story, where, near))
        yield make_finding("LABEL_UNRESOLVED", where, {"label": target.label, **edit}, near=near)


_ARROW: Final = re.compile(r"(?:([^>→]*[^\s>→])\s*)?(?:->|→)\s*([^\s>→][^>→]*)").fullmatch


def find_arrow_links(story: LintContext) -> Iterator[Finding]:
    """Find options and lines that lead to a label by an arrow, as in other notations."""
    for file, texts in story.texts:
        for text in texts:
            found = _find_arrow(story, file, text)
            if found is None:
                continue
            label = make_slug(found[2])
            details = {"written": found[0], "meant": f"[{found[1] or label}](#{label})"}
            where = locate_part(file, text)
            at = story.get_line(where).find(found[0], where.column - 1)
            if at >= 0:
                where = make_place(file, where.line, at + 1)
                edit = story.make_rewrite(where, found[0], details["meant"])
                yield make_finding("LINK_MALFORMED", where, edit, **details)


def _find_arrow(story: LintContext, file: str, text: StoryText) -> re.Match[str] | None:
    """Match the words of a text that end with an arrow and a label of its file."""
    elsewhere = text.target if isinstance(text, ChoiceOption) else text.speaker
    found = _ARROW(text.words) if isinstance(text.words, str) and not elsewhere else None
    key = story.program.aliases.get(make_slug(found[2])) if found else None
    if key is None or story.program.find_file(story.program.labels[key]) != file:
        return None
    return found


def find_unresolved_files(story: LintContext) -> Iterator[Finding]:
    """Find links to files that do not exist."""
    files = list(story.labels)
    others: dict[str, list[str]] = {}
    for file, target, to in story.program.links:
        if to is not None:
            continue
        home = join_link(file, target.file)
        # Files outside the story's folder were reported when they were not read.
        if home in story.labels or is_outside_folder(home, files[0]):
            continue
        if file not in others:
            others[file] = [to_relative(name, file) for name in files if name != file]
        near = _suggest_own_label(story, file, target.file)
        near = near or story.find_near(target.file, others[file])
        where, details = locate_part(file, target), {"file": target.file}
        yield make_finding("LABEL_UNRESOLVED/file", where, details, near=near)


def _suggest_own_label(story: LintContext, file: str, name: str) -> str:
    """Suggest a label of the same file, if only its # is missing."""
    meant = make_slug(name)
    exists = any(make_slug(label) == meant for label in story.labels.get(file, ()))
    return f"#{meant}" if meant and exists else ""


def _format_label(story: LintContext, where: SourceLocation, name: str) -> str:
    """Format a label for this place: links have no spaces."""
    before = story.get_line(where)[: where.column - 1]
    plain = not before.endswith("#") and not set(name) & set(' \t",[]()')
    return name if plain else make_slug(name)


def find_unresolved_visits(story: LintContext) -> Iterator[Finding]:
    """Find `visits(…)` calls about labels that do not exist."""
    names = [op.name for _, op in story.list_enter_ops()]
    for file, call in story.calls["visits"]:
        label = call.given[0]
        if label is None or format_value(label) in story.program.aliases:
            continue
        near = story.find_near(format_value(label), names)
        edit = story.make_argument_rewrite(file, call, near)
        where, details = locate_part(file, call), {"label": label, **edit}
        yield make_finding("LABEL_UNRESOLVED/visits", where, details, near=near)


def find_unused_labels(story: LintContext) -> Iterator[Finding]:
    """Find labels that nothing leads to."""
    aliases, labels = story.program.aliases, story.program.labels
    counted = [call.given[0] for _, call in story.calls["visits"]]
    if None in counted:
        return
    used = {link.to for link in story.program.links}
    used |= {labels[aliases[key]] for key in map(format_value, counted) if key in aliases}
    for address, op in story.list_enter_ops():
        if op.kind in SECTIONS or address in used or labels[op.label] != address:
            continue
        yield make_finding("LABEL_UNUSED", story.program.locate_op(address), {"label": op.name})


def find_loops_without_wait(story: LintContext) -> Iterator[Finding]:
    """Find loops that never wait."""
    program = story.program
    for circle in story.flow.find_loops():
        lines = sorted({program.ops[address].line for address in circle})
        where, listed = program.locate_op(circle[0]), _format_lines(lines)
        yield make_finding("LOOP_WITHOUT_WAIT", where, {"lines": lines}, listed=listed)


def _format_lines(lines: list[int]) -> str:
    listed = ", ".join(map(str, lines[:MOST_LINES]))
    return f"lines {listed}" if len(lines) > 1 else f"line {listed}"


def _list_sections(story: LintContext) -> list[tuple[int, EnterOp]]:
    return [(at, op) for at, op in story.list_enter_ops() if op.kind in SECTIONS]


def find_unreachable_sections(story: LintContext) -> Iterator[Finding]:
    """Find unreachable sections."""
    for address, op in _list_sections(story):
        if story.flow.is_reachable(address) or story.program.labels[op.label] != address:
            continue
        where, link = story.program.locate_op(address), _format_link(op)
        if (where.file, op.name) in story.meant_labels:
            continue
        yield make_finding("SECTION_UNREACHABLE", where, {"label": op.name}, link=link)


def _format_link(op: EnterOp) -> str:
    return f"[text](#{make_slug(op.name) or op.name})"


def find_fall_through(story: LintContext) -> Iterator[Finding]:
    """Find sections that run on into the next one."""
    program, flow = story.program, story.flow
    # If a choice may offer nothing, that must be corrected first.
    empty_offers = {
        offer.after for at, offer in story.list_ops(OfferOp) if flow.can_offer_nothing(at)
    }
    for (before, previous), (address, op) in pairwise(_list_sections(story)):
        fall = address - 1
        if fall in empty_offers or not isinstance(program.ops[fall], FallOp):
            continue
        if program.find_file(before) != program.find_file(address):
            continue
        if flow.is_reachable_outside_call(fall):
            details = {"section": previous.name, "into": op.name}
            where, words = program.locate_op(address), {"link": _format_link(op)}
            words["options"] = _describe_options(story, fall)
            yield make_finding("FALL_THROUGH", where, details, **words)


def _describe_options(story: LintContext, fall: int) -> str:
    """Describe which options of the list before it run on, if not all do."""
    for address, offer in story.list_ops(OfferOp):
        if offer.after != fall:
            continue
        ends = [
            op.line
            for at, op in enumerate(story.program.ops[address + 1 : fall], address + 1)
            if isinstance(op, GoOp) and op.to == fall and story.flow.is_reachable_outside_call(at)
        ]
        if 0 < len(ends) < len(offer.ways):
            return f" by the option on {_format_lines(ends)}"
    return ""


def find_stuck_choices(story: LintContext) -> Iterator[Finding]:
    """Find choices of which possibly no option can be taken."""
    for address, offer in story.list_ops(OfferOp):
        if story.flow.can_offer_nothing(address):
            where = story.program.locate_op(address)
            yield make_finding("CHOICE_STUCK", where, {"options": len(offer.ways)})


def find_empty_options(story: LintContext) -> Iterator[Finding]:
    """Find options that make no difference, whatever happened before."""
    asked = {format_value(call.given[0]) for _, call in story.calls["chosen"]}
    for address, offer in story.list_ops(OfferOp):
        empty = [way for way in offer.ways if _is_empty_option(story, offer, way)]
        if not empty or asked & {way.id for way in offer.ways}:
            continue
        repeats = story.flow.can_repeat(address)
        file = story.program.find_file(address)
        if any(
            story.is_excused("OPTION_EMPTY", file, way.line) or _find_arrow(story, file, way)
            for way in empty
        ):
            continue
        lasting = [way for way in empty if not (way.once and repeats)]
        if len(lasting) == sum(not way.fallback for way in offer.ways):
            where = locate_part(file, empty[0])
            yield make_finding("OPTION_EMPTY/all", where, {"options": len(empty)})
        elif repeats and _leads_back(story, address, offer.after):
            for way in lasting:
                yield make_finding("OPTION_EMPTY", locate_part(file, way))


def _is_empty_option(story: LintContext, offer: OfferOp, way: ChoiceOption) -> bool:
    """Whether an option has nothing but its text."""
    op = story.program.ops[way.to]
    goes_on = isinstance(op, GoOp) and op.to == offer.after
    return goes_on and not way.fallback and not way.ask


def _leads_back(story: LintContext, address: int, at: int) -> bool:
    """Whether flow returns from here to the choice with nothing on the way."""
    for _ in range(_MOST_SILENT):
        op = story.program.ops[at]
        if not isinstance(op, GoOp | JumpOp | EnterOp | FallOp):
            return at == address
        (at,) = story.program.list_successors(at)
    return False


def find_single_choices(story: LintContext) -> Iterator[Finding]:
    """Find choices with only one option."""
    for address, offer in story.list_ops(OfferOp):
        if len(offer.ways) == 1 and not can_be_empty(offer) and not offer.ways[0].ask:
            where = story.program.locate_op(address)
            if not story.is_excused("BRANCH_SINGLE", where.file, where.line):
                yield make_finding("BRANCH_SINGLE", where)


def find_repeated_fallbacks(story: LintContext) -> Iterator[Finding]:
    """Find fallbacks after another that can always be taken."""
    for address, offer in story.list_ops(OfferOp):
        fallbacks = [way for way in offer.ways if way.fallback]
        if len(fallbacks) < 2:
            continue
        sure = next((way for way in fallbacks if is_always_open(way)), fallbacks[-1])
        for way in fallbacks[fallbacks.index(sure) + 1 :]:
            where = locate_part(story.program.find_file(address), way)
            yield make_finding("FALLBACK_REPEATED", where, {"first": sure.line})


def find_long_choices(story: LintContext) -> Iterator[Finding]:
    """Find choices with too many options."""
    for address, offer in story.list_ops(OfferOp):
        count = sum(not way.fallback for way in offer.ways)
        if count > MANY_OPTIONS:
            where = story.program.locate_op(address)
            yield make_finding("OPTIONS_MANY", where, {"options": count}, many=MANY_OPTIONS)


def find_duplicate_ids(story: LintContext) -> Iterator[Finding]:
    """Find ids that another line or option has."""
    known: dict[str, tuple[str, int]] = {}
    named = [(file, text) for file, texts in story.texts for text in texts if text.named]
    for file, entry in named:
        if entry.id not in known:
            known[entry.id] = (file, entry.line)
            continue
        first, line = known[entry.id]
        away = "" if first == file else f" of {first!r}"
        where = _locate_id(story, locate_part(file, entry), entry.id)
        details = {"id": entry.id, "first": line, "file": first}
        yield make_finding("LINE_ID_DUPLICATE", where, details, away=away)


def _locate_id(story: LintContext, where: SourceLocation, id: str) -> SourceLocation:
    """Locate an id: at the end of a line of its paragraph."""
    number, column = where.line, where.column
    while line := story.get_line(make_place(where.file, number, 1)).rstrip("\r"):
        at = line.rfind(f"#{id}", column - 1)
        if at >= 0 and (line[at + 1 + len(id) :][:1] or " ") in " \t}":
            return make_place(where.file, number, at + 1)
        number, column = number + 1, 1
    return where


def find_missing_ids(story: LintContext) -> Iterator[Finding]:
    """Find lines without an id in files where others have one."""
    for file, texts in story.texts:
        bare = [entry for entry in texts if not entry.named]
        if not bare or not any(entry.named and isinstance(entry, SayElement) for entry in texts):
            continue
        named = format_count(len(bare), "line or option has", "lines and options have")
        where, words = locate_part(file, bare[0]), {"named": named, "file": file}
        yield make_finding("IDS_MISSING", where, {"count": len(bare)}, **words)


def find_unresolved_options(story: LintContext) -> Iterator[Finding]:
    """Find `chosen(…)` calls about options that do not exist."""
    ways = [way for _, offer in story.list_ops(OfferOp) for way in offer.ways]
    ids = {way.id for way in ways}
    named = {way.id for way in ways if way.named}
    for file, call in story.calls["chosen"]:
        option = call.given[0]
        if option is None or format_value(option) in ids:
            continue
        near = story.find_near(format_value(option), named)
        shown = format_value(option)
        edit = story.make_argument_rewrite(file, call, near)
        where, details = locate_part(file, call), {"id": option, **edit}
        yield make_finding("OPTION_UNRESOLVED", where, details, near=near, shown=shown)
