"""What is wrong with a story as a whole: names that lead nowhere, ways that lead round.

What is wrong with a line by itself was found when it was read. Each check names its
offenders and knows nothing of the others; all of them together cost the length of the
story.
"""

import re
import typing
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

from saniwa.core.finding import Finding, Severity
from saniwa.core.near import nearest, slipped
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.asset import AssetKind, ListedAssets, NoAssets
from saniwa.script.beside import joined, leaves, relative
from saniwa.script.expression import FUNCTIONS, Called, Expression, Scope
from saniwa.script.flow import Flow, can_run_dry
from saniwa.script.node import Ask, Assign, Node, Picture, Say, Scene, Sound
from saniwa.script.program import Do, Enter, Fall, Hear, Offer, Op, Program, Speak, Way
from saniwa.script.slug import slug
from saniwa.script.tokens import Token, tokens
from saniwa.script.tree import expressions_of, walk
from saniwa.script.value import COMPARISONS, Value, literal, shown

MANY_OPTIONS: Final = 6
"""More options than this are hard to choose from."""
MOST_GUESSES: Final = 50
"""Names for which a near one is looked for, in one story."""
MOST_COMPARED: Final = 50_000
"""Names compared in all when near ones are looked for."""
_MOST_LINES = 12
_GIVEN: Final = frozenset({"allowed", "reason", "heard"})
"""Variables the player sets by itself."""
_SECTIONS: Final = frozenset({"section", "scene"})
_NOBODY = typing.cast(Scope, None)
"""Whom constant expressions ask: nobody."""


def lint(
    scenes: Sequence[Scene],
    program: Program,
    assets: ListedAssets,
    cast: tuple[str, ...] | None,
) -> list[Finding]:
    """Everything found, check by check.

    `cast` are speakers declared outside the story; together with those of the front
    matter they are all who may speak. Where nobody declares any, anybody may.
    """
    story = _Story(scenes, program, assets, cast)
    return [finding for check in _CHECKS for finding in check(story)]


class _Use(NamedTuple):
    """One place where a name is written."""

    where: Where
    name: str


class _Story:
    """What the checks ask, each thing gathered once."""

    def __init__(
        self,
        scenes: Sequence[Scene],
        program: Program,
        assets: ListedAssets,
        cast: tuple[str, ...] | None,
    ) -> None:
        self.scenes, self.program, self.assets = scenes, program, assets
        self.cast = cast
        self.elements: dict[type[Node], list[tuple[str, Any]]] = defaultdict(list)
        self.expressions: list[tuple[str, Expression]] = []
        self.addresses: dict[type[Op], list[int]] = defaultdict(list)
        self._guesses, self._compared = MOST_GUESSES, MOST_COMPARED
        self._lines: dict[str, list[str]] = {}
        for scene in scenes:
            self._gather(scene)
        for address, op in enumerate(program.ops):
            self.addresses[op.__class__].append(address)

    def _gather(self, scene: Scene) -> None:
        file, elements = scene.file, self.elements
        for element in walk(scene.block):
            elements[element.__class__].append((file, element))
            for expression in expressions_of(element):
                self.expressions.append((file, expression))

    @cached_property
    def flow(self) -> Flow:
        return Flow(self.program)

    @cached_property
    def _starts(self) -> frozenset[int]:
        return frozenset(start for start, _ in self.program.files)

    def enters(self) -> Iterator[tuple[int, Enter]]:
        """Labels an author wrote; a file's own beginning is none."""
        for address in self.addresses[Enter]:
            op = self.program.ops[address]
            if isinstance(op, Enter) and (not address or address not in self._starts):
                yield address, op

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """The names of labels as written, by file."""
        names: dict[str, list[str]] = {scene.file: [] for scene in self.scenes}
        for address, op in self.enters():
            names[self.program.file_of(address)].append(op.name)
        return names

    @cached_property
    def calls(self) -> dict[str, list[tuple[str, Called]]]:
        """Calls of functions by name."""
        calls = defaultdict(list)
        for file, expression in self.expressions:
            for call in expression.calls:
                calls[call.name].append((file, call))
        return calls

    @cached_property
    def reads(self) -> dict[str, list[_Use]]:
        """Where each variable is read."""
        reads = defaultdict(list)
        for file, expression in self.expressions:
            for name in expression.names:
                where = Where(file=file, line=name.line, column=name.column)
                reads[name.name].append(_Use(where, name.name))
        return reads

    @cached_property
    def sets(self) -> dict[str, list[_Use]]:
        """Where each variable is given a value of its own or a changed one."""
        sets = defaultdict(list)
        for file, element in (*self.elements[Assign], *self.elements[Ask]):
            if element.name:
                where = _at(file, element.line, element.name_column)
                sets[element.name].append(_Use(where, element.name))
        return sets

    @cached_property
    def declared(self) -> dict[str, tuple[Where, Value]]:
        """Declared variables: where, and their first values."""
        return {
            name.name: (_at(scene.file, name.line, name.column), name.value)
            for scene in reversed(self.scenes)
            for name in reversed(scene.front.variables)
        }

    def near(self, name: str, names: Collection[str]) -> str:
        """The nearest name, as long as looking for it stays cheap."""
        if not self._guesses or len(names) > self._compared:
            return ""
        self._guesses -= 1
        self._compared -= len(names)
        return nearest(name, names) or slipped(name, names)

    def rewrite(self, where: Where, old: str, new: str) -> dict[str, Any]:
        """The edit that puts `new` in the place of `old`, if that stands there."""
        line = self.line(where)
        if not new or not line.startswith(old, where.column - 1):
            return {}
        edit = {"line": where.line, "column": where.column}
        return {"rewrite": {**edit, "length": len(old), "text": new}}

    def line(self, where: Where) -> str:
        """The text of a line."""
        if where.file not in self._lines:
            texts = (s.text for s in self.scenes if s.file == where.file)
            self._lines[where.file] = next(texts, "").split("\n")
        lines = self._lines[where.file]
        return lines[where.line - 1] if 0 < where.line <= len(lines) else ""


def _at(file: str, line: int, column: int) -> Where:
    return Where(file=file, line=line, column=column)


def _found(
    severity: Severity,
    code: str,
    where: Where,
    message: str,
    hint: str,
    **details: Any,
) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        message=message,
        where=where,
        hint=hint,
        details=details,
    )


def _guess(near: str, otherwise: str) -> str:
    return f"did you mean {near!r}?" if near else otherwise


def _lines(uses: Sequence[_Use]) -> list[int]:
    """The first few lines of the file of the first use."""
    file = uses[0].where.file
    return sorted({u.where.line for u in uses if u.where.file == file})[:_MOST_LINES]


# Labels.


def _label_duplicate(story: _Story) -> Iterator[Finding]:
    ops, labels = story.program.ops, story.program.labels
    for address, op in story.enters():
        first = ops[labels[op.label]]
        if first is op or not isinstance(first, Enter):
            continue
        name = quoted(op.name)
        again = f"{name} is already on line {first.line}"
        alike = f"{name} is the same as {quoted(first.name)} on line {first.line}"
        yield _found(
            "error",
            "LABEL_DUPLICATE",
            story.program.where(address),
            f"the label {again if op.name == first.name else alike}",
            "rename one of the two: every jump goes to the first",
            label=op.name,
            first=first.line,
        )


def _label_unresolved(story: _Story) -> Iterator[Finding]:
    for file, target, to in story.program.links:
        names = story.labels.get(joined(file, target.file))
        if to is not None or names is None:
            continue
        near = story.near(target.label, names)
        where = _at(file, target.line, target.column)
        yield _found(
            "warning",
            "LABEL_UNRESOLVED",
            where,
            f"there is no label {quoted(target.label)} to go to",
            _guess(near, "add a heading of that name; until then flow goes on here"),
            label=target.label,
            **story.rewrite(where, target.label, _linked(story, where, near)),
        )


def _file_unresolved(story: _Story) -> Iterator[Finding]:
    files = list(story.labels)
    others: dict[str, list[str]] = {}
    for file, target, _ in story.program.links:
        home = joined(file, target.file)
        # What lies outside the story's folder was told of when it was not read.
        if home in story.labels or leaves(home, files[0]):
            continue
        if file not in others:
            others[file] = [relative(name, file) for name in files if name != file]
        yield _found(
            "warning",
            "LABEL_UNRESOLVED",
            _at(file, target.line, target.column),
            f"there is no file {quoted(target.file)} to go to",
            _guess(
                story.near(target.file, others[file]), "add the file, or mend the link"
            ),
            file=target.file,
        )


def _linked(story: _Story, where: Where, name: str) -> str:
    """A label as it is written in this place: links know no blanks."""
    behind = story.line(where)[: where.column - 1]
    plain = not behind.endswith("#") and not set(name) & set(' \t",[]()')
    return name if plain else slug(name)


def _visits_unresolved(story: _Story) -> Iterator[Finding]:
    aliases = story.program.aliases
    names = [op.name for _, op in story.enters()]
    for file, call in story.calls["visits"]:
        label = call.given[0]
        if label is None or shown(label) in aliases:
            continue
        near = story.near(shown(label), names)
        yield _found(
            "warning",
            "LABEL_UNRESOLVED",
            _at(file, call.line, call.column),
            f"there is no label {quoted(label)} whose visits could be counted",
            _guess(near, "name a heading or a [LABEL] of the story"),
            label=label,
            **_rewrite_given(story, file, call, near),
        )


def _rewrite_given(story: _Story, file: str, call: Called, near: str) -> dict[str, Any]:
    """The edit of a call's only argument, a quoted text."""
    line, given = story.line(_at(file, call.line, 0)), shown(call.given[0])
    start = call.column - 1 + len(call.name)
    for quote in "\"'":
        at = line.find(f"{quote}{given}{quote}", start)
        if at >= 0 and not set(line[start:at]) - set("( "):
            return story.rewrite(_at(file, call.line, at + 2), given, near)
    return {}


def _label_unused(story: _Story) -> Iterator[Finding]:
    aliases, labels = story.program.aliases, story.program.labels
    counted = [call.given[0] for _, call in story.calls["visits"]]
    if None in counted:
        return
    used = {link.to for link in story.program.links}
    used |= {labels[aliases[key]] for key in map(shown, counted) if key in aliases}
    for address, op in story.enters():
        if op.kind in _SECTIONS or address in used or labels[op.label] != address:
            continue
        yield _found(
            "note",
            "LABEL_UNUSED",
            story.program.where(address),
            f"nothing goes to the label {quoted(op.name)}",
            "jump to it, or take it out",
            label=op.name,
        )


# Ids.


def _told(story: _Story) -> Iterator[tuple[str, Speak | Way]]:
    """Every line and option with its file, in the order of the program."""
    ops, files = story.program.ops, [*story.program.files, (len(story.program.ops), "")]
    for (start, file), (end, _) in pairwise(files):
        for op in ops[start:end]:
            if isinstance(op, Speak):
                yield file, op
            elif isinstance(op, Offer):
                yield from ((file, way) for way in op.ways)


def _line_id_duplicate(story: _Story) -> Iterator[Finding]:
    known: dict[str, tuple[str, int]] = {}
    for file, told in _told(story):
        if not told.named:
            continue
        if told.id not in known:
            known[told.id] = (file, told.line)
            continue
        first, line = known[told.id]
        away = "" if first == file else f" of {first!r}"
        yield _found(
            "error",
            "LINE_ID_DUPLICATE",
            _at(file, told.line, told.column),
            f"the id {quoted(told.id)} is already on line {line}{away}",
            "give one of the two another id",
            id=told.id,
            first=line,
            file=first,
        )


def _ids_missing(story: _Story) -> Iterator[Finding]:
    missing: dict[str, list[Speak | Way]] = defaultdict(list)
    using: set[str] = set()
    for file, told in _told(story):
        if not told.named:
            missing[file].append(told)
        elif isinstance(told, Speak):
            using.add(file)
    for file, bare in missing.items():
        if file not in using:
            continue
        named = _counted(len(bare), "line or option has", "lines and options have")
        yield _found(
            "note",
            "IDS_MISSING",
            _at(file, bare[0].line, bare[0].column),
            f"{named} no id",
            f"write them with: saniwa fmt --ids {file}",
            count=len(bare),
        )


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _option_unresolved(story: _Story) -> Iterator[Finding]:
    if not story.calls["chosen"]:
        return
    ways = [told for _, told in _told(story) if isinstance(told, Way)]
    ids = {way.id for way in ways}
    named = {way.id for way in ways if way.named}
    for file, call in story.calls["chosen"]:
        option = call.given[0]
        if option is None or shown(option) in ids:
            continue
        near = story.near(shown(option), named)
        yield _found(
            "warning",
            "OPTION_UNRESOLVED",
            _at(file, call.line, call.column),
            f"there is no option with the id {quoted(option)}",
            _guess(near, f"put {{#{shown(option)}}} at the end of the option meant"),
            id=option,
            **_rewrite_given(story, file, call, near),
        )


# Choices.


def _offers(story: _Story) -> Iterator[tuple[Where, Offer]]:
    for address in story.addresses[Offer]:
        op = story.program.ops[address]
        assert isinstance(op, Offer)
        yield story.program.where(address), op


def _choice_stuck(story: _Story) -> Iterator[Finding]:
    for where, offer in _offers(story):
        if can_run_dry(offer):
            yield _found(
                "warning",
                "CHOICE_STUCK",
                where,
                "it may be that none of these options can be taken",
                "add one without a condition, or one for that case: - text {else}",
                options=len(offer.ways),
            )


def _branch_single(story: _Story) -> Iterator[Finding]:
    for where, offer in _offers(story):
        if len(offer.ways) == 1 and not can_run_dry(offer) and not offer.ways[0].ask:
            yield _found(
                "warning",
                "BRANCH_SINGLE",
                where,
                "there is only one option to choose",
                "add another, or jump there without asking",
            )


def _options_many(story: _Story) -> Iterator[Finding]:
    for where, offer in _offers(story):
        count = sum(not way.fallback for way in offer.ways)
        if count > MANY_OPTIONS:
            yield _found(
                "note",
                "OPTIONS_MANY",
                where,
                f"{count} options are more than the {MANY_OPTIONS} people take in at once",
                "offer some of them in a second choice",
                options=count,
            )


# Ways.


def _loop_without_wait(story: _Story) -> Iterator[Finding]:
    program = story.program
    for circle in story.flow.circles():
        where = program.where(circle[0])
        lines = sorted({program.ops[address].line for address in circle})
        told = ", ".join(str(line) for line in lines[:_MOST_LINES])
        through = f"lines {told}" if len(lines) > 1 else f"line {told}"
        yield _found(
            "error",
            "LOOP_WITHOUT_WAIT",
            where,
            f"the story runs in a circle through {through} and never waits",
            "put a line, a choice or a [WAIT] into the circle, or a way out of it",
            lines=lines,
        )


def _sections(story: _Story) -> list[tuple[int, Enter]]:
    return [(at, op) for at, op in story.enters() if op.kind in _SECTIONS]


def _section_unreachable(story: _Story) -> Iterator[Finding]:
    for address, op in _sections(story):
        if story.flow.reaches(address) or story.program.labels[op.label] != address:
            continue
        yield _found(
            "warning",
            "SECTION_UNREACHABLE",
            story.program.where(address),
            f"no way leads to the section {quoted(op.name)}",
            f"link to it: [text](#{slug(op.name)})",
            label=op.name,
        )


def _fall_through(story: _Story) -> Iterator[Finding]:
    program = story.program
    # Where a choice runs dry, that is what has to be mended first.
    dry = {offer.after for _, offer in _offers(story) if can_run_dry(offer)}
    for (before, left), (address, op) in pairwise(_sections(story)):
        fall = address - 1
        if fall in dry or not isinstance(program.ops[fall], Fall):
            continue
        if program.file_of(before) != program.file_of(address):
            continue
        if story.flow.goes_on(fall):
            yield _found(
                "warning",
                "FALL_THROUGH",
                program.where(address),
                f"the section {quoted(left.name)} runs on into {quoted(op.name)}",
                f"end it with a link, such as [text](#{slug(op.name)}), or an ending",
                section=left.name,
                into=op.name,
            )


# Variables.


def _variable_undeclared(story: _Story) -> Iterator[Finding]:
    firm = {
        each.name
        for kind in (Assign, Ask)
        for _, each in story.elements[kind]
        if not isinstance(each, Assign) or each.operator == "="
    }
    known = story.declared.keys() or firm
    for name in sorted((story.reads.keys() | story.sets.keys()) - known - _GIVEN):
        uses = story.sets.get(name, []) + story.reads.get(name, [])
        uses.sort(key=_place)
        near, where = story.near(name, known), uses[0].where
        lack = "declared" if story.declared else "given a value"
        yield _found(
            "warning",
            "VARIABLE_UNDECLARED",
            where,
            f"the variable {quoted(name)} is never {lack}",
            _guess(near, f"declare it in the front matter: vars: {{{name}: 0}}"),
            variable=name,
            lines=_lines(uses),
            **story.rewrite(where, name, near),
        )


def _place(use: _Use) -> tuple[str, int, int]:
    return (use.where.file, use.where.line, use.where.column)


def _variable_unread(story: _Story) -> Iterator[Finding]:
    named = {name: where for name, (where, _) in story.declared.items()}
    for name, uses in story.sets.items():
        named.setdefault(name, uses[0].where)
    for name, where in named.items():
        if name in story.reads or name in _GIVEN:
            continue
        yield _found(
            "warning",
            "VARIABLE_UNREAD",
            where,
            f"the variable {quoted(name)} is never read",
            f"use it in a condition or show it with {{{name}}}, or take it out",
            variable=name,
        )


def _variable_kind(story: _Story) -> Iterator[Finding]:
    kinds = {
        name: _kind(value)
        for name, (_, value) in story.declared.items()
        if value is not None
    }
    if not kinds:
        return
    for where, name, value, verb in (*_set_constants(story), *_comparisons(story)):
        kind, other = kinds.get(name), _kind(value)
        if kind is None or value is None or kind == other:
            continue
        yield _found(
            "warning",
            "VARIABLE_KIND",
            where,
            f"{quoted(name)} is {kind}, and {verb} {other}: {_written(value)}",
            f"write {kind} here, or declare {name!r} otherwise",
            variable=name,
            value=value,
        )


_Constant = tuple[Where, str, Value, str]


def _set_constants(story: _Story) -> Iterator[_Constant]:
    for file, put in story.elements[Assign]:
        if put.operator == "=" and put.worth.constant:
            where = _at(file, put.line, put.name_column)
            yield where, put.name, put.worth.worth(_NOBODY), "set to"


def _comparisons(story: _Story) -> Iterator[_Constant]:
    for file, expression in story.expressions:
        if expression.names and _COMPARES(expression.source):
            for at, name, value in _compared(expression.source):
                column = expression.column + at
                yield _at(file, expression.line, column), name, value, "compared with"


_COMPARES: Final = re.compile("[<>=!]").search
_BEFORE: Final = frozenset({"and", "or", "not", "(", ","})
_BEHIND: Final = frozenset({"and", "or", ")", ","})
_TRUTHS: Final = frozenset({"true", "false"})


def _compared(source: str) -> Iterator[tuple[int, str, Value]]:
    """Names compared with constants, each with its place in the expression."""
    found = list(tokens(source))
    for index, mark in enumerate(found):
        if mark.kind != "mark" or mark.text not in COMPARISONS:
            continue
        left, right = found[:index], found[index + 1 : -1]
        ends = _alone(left[::-1], _BEFORE), _alone(right, _BEHIND)
        for name, other in (ends, ends[::-1]):
            if name and other and _is_name(name) and not _is_name(other):
                yield name.at, name.text, _constant(other)


def _alone(side: list[Token], edges: frozenset[str]) -> Token | None:
    """The token next to a comparison, if it is the whole of that side."""
    if not side or (len(side) > 1 and side[1].text not in edges):
        return None
    return side[0] if side[0].kind in ("name", "number", "text") else None


def _is_name(token: Token) -> bool:
    return token.kind == "name" and token.text.lower() not in _TRUTHS


def _constant(token: Token) -> Value:
    if token.kind == "text":
        return token.text
    return literal(token.text)


def _written(value: Value) -> str:
    return quoted(value) if isinstance(value, str) else shown(value)


def _kind(value: Value) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "text" if isinstance(value, str) else "a number"


# The stage.


def _speaker_unknown(story: _Story) -> Iterator[Finding]:
    declared = [s.front.cast for s in story.scenes if s.front.cast is not None]
    if story.cast is None and not declared:
        return
    known = {each.name for cast in declared for each in cast} | {*(story.cast or ())}
    unknown: dict[str, list[tuple[str, Say]]] = defaultdict(list)
    for file, said in story.elements[Say]:
        if said.speaker and said.speaker not in known:
            unknown[said.speaker].append((file, said))
    for speaker, lines in unknown.items():
        (file, said), near = lines[0], story.near(speaker, known)
        where = _at(file, said.line, said.column)
        yield _found(
            "warning",
            "SPEAKER_UNKNOWN",
            where,
            f"nobody declares the speaker {quoted(speaker)}",
            _guess(near, "add the name to cast in the front matter"),
            speaker=speaker,
            lines=_lines([_Use(_at(f, s.line, 0), speaker) for f, s in lines]),
            **story.rewrite(where, speaker, near),
        )


class _Prop(NamedTuple):
    """A picture, sound or film that is named somewhere."""

    kind: AssetKind
    name: str
    where: Where


def _props(story: _Story) -> Iterator[_Prop]:
    for scene in story.scenes:
        front = scene.front
        yield from _in_front(scene, "image", "background", front.background)
        yield from _in_front(scene, "bgm", "bgm", front.bgm)
    for file, picture in story.elements[Picture]:
        where = _at(file, picture.line, picture.name_column or picture.column)
        yield _Prop("image", picture.name, where)
    for file, sound in story.elements[Sound]:
        where = _at(file, sound.line, sound.name_column or sound.column)
        yield _Prop(sound.kind, sound.name, where)


def _in_front(scene: Scene, kind: AssetKind, key: str, name: str) -> Iterator[_Prop]:
    document = scene.front.document
    if name and document is not None:
        where = document.where([key])
        yield _Prop(kind, name, _at(scene.file, where.line, where.column))


def _asset_outside(story: _Story) -> Iterator[Finding]:
    for prop in _first(story):
        if story.assets.leaves(prop.name, prop.kind):
            yield _found(
                "error",
                "ASSET_OUTSIDE",
                prop.where,
                f"{quoted(prop.name)} leads out of the asset folder",
                "put the file into the asset folder and write its name from there",
                kind=prop.kind,
                name=prop.name,
            )


def _asset_unresolved(story: _Story) -> Iterator[Finding]:
    lost = [
        prop
        for prop in _first(story)
        if story.assets.find(prop.kind, prop.name) is None
        and not story.assets.leaves(prop.name, prop.kind)
    ]
    placed = any(scene.front.assets for scene in story.scenes)
    if isinstance(story.assets, NoAssets) and not placed:
        yield from _no_folder(lost)
        return
    for prop in lost:
        near = story.near(prop.name, story.assets.names(prop.kind))
        yield _found(
            "warning",
            "ASSET_UNRESOLVED",
            prop.where,
            f"there is no {_SORTS[prop.kind]} {quoted(prop.name)} in the asset folder",
            _guess(near, "add the file; until then the host gets no path"),
            kind=prop.kind,
            name=prop.name,
            **story.rewrite(prop.where, prop.name, near),
        )


_SORTS: Final[dict[AssetKind, str]] = {
    "image": "picture",
    "bgm": "music",
    "se": "sound",
    "movie": "film",
}


def _no_folder(lost: list[_Prop]) -> Iterator[Finding]:
    if not lost:
        return
    named = _counted(len(lost), "picture or sound is", "pictures and sounds are")
    yield _found(
        "note",
        "ASSET_UNRESOLVED",
        lost[0].where,
        f"{named} named, and the story has no asset folder",
        "name the folder in the front matter: assets: FOLDER",
        count=len(lost),
    )


def _first(story: _Story) -> list[_Prop]:
    """Every asset once, where it is first named."""
    first: dict[tuple[str, str], _Prop] = {}
    for prop in _props(story):
        first.setdefault((prop.kind, prop.name), prop)
    return list(first.values())


# The world, and the front matter.


def _world_missing(story: _Story) -> Iterator[Finding]:
    if story.program.ground is not None:
        return
    for where, message in _worldly(story):
        yield _found(
            "error",
            "WORLD_MISSING",
            where,
            message,
            "name a world in the front matter: scenario: FILE",
        )


def _worldly(story: _Story) -> Iterator[tuple[Where, str]]:
    """Every place that needs a world, and why."""
    for address in story.addresses[Do]:
        yield story.program.where(address), "a deed needs a world, and there is none"
    for address in story.addresses[Hear]:
        op = story.program.ops[address]
        if isinstance(op, Hear) and not op.name:
            why = "an answer that no variable keeps is played in a world; there is none"
            yield story.program.where(address), why
    for name, function in FUNCTIONS.items():
        for file, call in story.calls[name] if function.world else ():
            why = f"{name}(…) asks a world, and there is none"
            yield _at(file, call.line, call.column), why


def _scene_id_missing(story: _Story) -> Iterator[Finding]:
    for scene in story.scenes:
        document = scene.front.document
        if document is None or "id" in (document.plain or {}):
            continue
        yield _found(
            "warning",
            "SCENE_ID_MISSING",
            _at(scene.file, 1, 1),
            "the front matter has no id",
            "add a line such as id: bridge",
        )


_CHECKS: Final[tuple[Callable[[_Story], Iterator[Finding]], ...]] = (
    _label_duplicate,
    _line_id_duplicate,
    _loop_without_wait,
    _asset_outside,
    _world_missing,
    _label_unresolved,
    _file_unresolved,
    _visits_unresolved,
    _option_unresolved,
    _asset_unresolved,
    _variable_undeclared,
    _variable_unread,
    _variable_kind,
    _speaker_unknown,
    _section_unreachable,
    _choice_stuck,
    _fall_through,
    _branch_single,
    _scene_id_missing,
    _options_many,
    _ids_missing,
    _label_unused,
)
