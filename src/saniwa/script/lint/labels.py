"""Labels: names that stand twice, that are nowhere, that nobody uses."""

from collections.abc import Iterator
from typing import Final

from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.beside import joined, leaves, relative
from saniwa.script.language.value import shown
from saniwa.script.lint.telling import found, guess, place
from saniwa.script.lint.whole import Whole
from saniwa.script.program import Enter
from saniwa.script.slug import slug

SECTIONS: Final = frozenset({"section", "scene"})
"""Labels that begin a part of the story."""


def label_duplicate(story: Whole) -> Iterator[Finding]:
    """Labels whose name another one has."""
    ops, labels = story.program.ops, story.program.labels
    for address, op in story.enters():
        first = ops[labels[op.label]]
        if first is op or not isinstance(first, Enter):
            continue
        name = quoted(op.name)
        again = f"{name} is already on line {first.line}"
        alike = f"{name} is the same as {quoted(first.name)} on line {first.line}"
        yield found(
            "error",
            "LABEL_DUPLICATE",
            _where_name(story, address, op),
            f"the label {again if op.name == first.name else alike}",
            "rename one of the two: every jump goes to the first",
            label=op.name,
            first=first.line,
        )


def _where_name(story: Whole, address: int, op: Enter) -> Where:
    """Where a label's name is written."""
    where = story.program.where(address)
    at = story.line(where).find(op.name, where.column - 1)
    return where if at < 0 else place(where.file, where.line, at + 1)


def label_unresolved(story: Whole) -> Iterator[Finding]:
    """Links to labels that are nowhere."""
    for file, target, to in story.program.links:
        if to is not None:
            continue
        names = story.labels.get(joined(file, target.file))
        if names is None:
            continue
        near = story.near(target.label, names)
        where = place(file, target.line, target.column)
        yield found(
            "warning",
            "LABEL_UNRESOLVED",
            where,
            f"there is no label {quoted(target.label)} to go to",
            guess(near, "add a heading of that name; until then flow goes on here"),
            label=target.label,
            **story.rewrite(where, target.label, _linked(story, where, near)),
        )


def file_unresolved(story: Whole) -> Iterator[Finding]:
    """Links to files that are nowhere."""
    files = list(story.labels)
    others: dict[str, list[str]] = {}
    for file, target, to in story.program.links:
        if to is not None:
            continue
        home = joined(file, target.file)
        # What lies outside the story's folder was told of when it was not read.
        if home in story.labels or leaves(home, files[0]):
            continue
        if file not in others:
            others[file] = [relative(name, file) for name in files if name != file]
        yield found(
            "warning",
            "LABEL_UNRESOLVED",
            place(file, target.line, target.column),
            f"there is no file {quoted(target.file)} to go to",
            guess(
                _own_label(story, file, target.file)
                or story.near(target.file, others[file]),
                "add the file, or mend the link",
            ),
            file=target.file,
        )


def _own_label(story: Whole, file: str, name: str) -> str:
    """The link to a label of the same file, where only its # was forgotten."""
    meant = slug(name)
    there = any(slug(label) == meant for label in story.labels.get(file, ()))
    return f"#{meant}" if meant and there else ""


def _linked(story: Whole, where: Where, name: str) -> str:
    """A label as it is written in this place: links know no blanks."""
    behind = story.line(where)[: where.column - 1]
    plain = not behind.endswith("#") and not set(name) & set(' \t",[]()')
    return name if plain else slug(name)


def visits_unresolved(story: Whole) -> Iterator[Finding]:
    """Visits of labels that are nowhere."""
    aliases = story.program.aliases
    names = [op.name for _, op in story.enters()]
    for file, call in story.calls["visits"]:
        label = call.given[0]
        if label is None or shown(label) in aliases:
            continue
        near = story.near(shown(label), names)
        yield found(
            "warning",
            "LABEL_UNRESOLVED",
            place(file, call.line, call.column),
            f"there is no label {quoted(label)} whose visits could be counted",
            guess(near, "name a heading or a [LABEL] of the story"),
            label=label,
            **story.rewrite_given(file, call, near),
        )


def label_unused(story: Whole) -> Iterator[Finding]:
    """Labels that nothing goes to."""
    aliases, labels = story.program.aliases, story.program.labels
    counted = [call.given[0] for _, call in story.calls["visits"]]
    if None in counted:
        return
    used = {link.to for link in story.program.links}
    used |= {labels[aliases[key]] for key in map(shown, counted) if key in aliases}
    for address, op in story.enters():
        if op.kind in SECTIONS or address in used or labels[op.label] != address:
            continue
        yield found(
            "note",
            "LABEL_UNUSED",
            story.program.where(address),
            f"nothing goes to the label {quoted(op.name)}",
            "jump to it, or take it out",
            label=op.name,
        )
