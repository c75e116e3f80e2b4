"""Checks of what front matter declares: speakers, assets, world, ids, title, variables."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, NamedTuple

from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.suggestions import find_typo_correction
from saniwa.core.text import quote_value
from saniwa.story import elements
from saniwa.story.assets import AssetKind
from saniwa.story.elements import walk_elements
from saniwa.story.expression_parser import Expression, VariableReference
from saniwa.story.finding_collector import make_finding
from saniwa.story.lint.context import LintContext, format_count, list_lines, locate_part, make_place
from saniwa.story.program import DoOp
from saniwa.story.value_operations import BUILT_IN_VARIABLES, FUNCTIONS, Value, format_value


def find_unknown_speakers(story: LintContext) -> Iterator[Finding]:
    """Find undeclared speakers, if any speakers are declared."""
    declared = [s.front.cast for s in story.scenes if s.front.cast is not None]
    if story.speakers is None and not declared:
        return
    known = {each.name for cast in declared for each in cast} | set(story.speakers or ())
    unknown = defaultdict(list)
    for scene in story.scenes:
        for said in walk_elements(scene.block):
            if isinstance(said, elements.SayElement) and said.speaker and said.speaker not in known:
                unknown[said.speaker].append(locate_part(scene.file, said))
    for speaker, places in unknown.items():
        first, near = places[0], story.find_near(speaker, known)
        details = {"speaker": speaker, "lines": list_lines(places, first.file)}
        details |= story.make_rewrite(first, speaker, near)
        yield make_finding("SPEAKER_UNKNOWN", first, details, near=near)


class _AssetUse(NamedTuple):
    """A use of a picture, sound or film."""

    kind: AssetKind
    name: str
    where: SourceLocation


def _list_asset_uses(story: LintContext) -> Iterator[_AssetUse]:
    for scene in story.scenes:
        front = scene.front
        yield from _list_front_matter_assets(scene, "image", "background", front.background)
        yield from _list_front_matter_assets(scene, "bgm", "bgm", front.bgm)
    for kind in (elements.PictureElement, elements.SoundElement):
        for file, each in story.elements[kind]:
            where = make_place(file, each.line, each.name_column or each.column)
            yield _AssetUse(getattr(each, "kind", "image"), each.name, where)


def _list_front_matter_assets(
    scene: elements.StoryScene, kind: AssetKind, key: str, name: str
) -> Iterator[_AssetUse]:
    document = scene.front.document
    if name and document is not None:
        yield _AssetUse(kind, name, locate_part(scene.file, document.locate([key])))


def find_outside_assets(story: LintContext) -> Iterator[Finding]:
    """Find pictures and sounds outside the asset folder."""
    for kind, name, where in _list_first_uses(story):
        if story.assets.is_outside(name, kind):
            yield make_finding("ASSET_OUTSIDE", where, {"kind": kind, "name": name})


def find_unresolved_assets(story: LintContext) -> Iterator[Finding]:
    """Find pictures and sounds that do not exist."""
    lost = [
        use
        for use in _list_first_uses(story)
        if story.assets.find(use.kind, use.name) is None
        and not story.assets.is_outside(use.name, use.kind)
    ]
    placed = any(scene.front.assets for scene in story.scenes)
    if lost and story.assets.folder is None and not placed:
        named = format_count(len(lost), "picture or sound is", "pictures and sounds are")
        where, count = lost[0].where, len(lost)
        yield make_finding("ASSET_UNRESOLVED/folder", where, {"count": count}, named=named)
        return
    for kind, name, where in lost:
        near = story.find_near(name, story.assets.list_names(kind))
        details = {"kind": kind, "name": name, **story.make_rewrite(where, name, near)}
        yield make_finding("ASSET_UNRESOLVED", where, details, near=near, sort=_SORTS[kind])


_SORTS: Final = {"image": "picture", "bgm": "music", "se": "sound", "movie": "film"}


def _list_first_uses(story: LintContext) -> list[_AssetUse]:
    """List every asset once, where it is first named."""
    first: dict[tuple[str, str], _AssetUse] = {}
    for use in _list_asset_uses(story):
        first.setdefault((use.kind, use.name), use)
    return list(first.values())


_DEED = re.compile(r"\{[ \t]*+do[ \t]++")
_DEED_ITEM = re.compile(r"[-*+0-9]").match


def find_missing_world(story: LintContext) -> Iterator[Finding]:
    """Find uses of a world in a story without one."""
    if story.program.ground is not None:
        return
    for address, _ in story.list_ops(DoOp):
        yield make_finding("WORLD_MISSING/deed", _locate_deed(story, address))
    for address, op in story.list_ops(elements.AskElement):
        if not op.name:
            yield make_finding("WORLD_MISSING/answer", story.program.locate_op(address))
    for name, function in FUNCTIONS.items():
        for file, call in story.calls[name] if function.world else ():
            yield make_finding("WORLD_MISSING/fact", locate_part(file, call), name=name)


def _locate_deed(story: LintContext, address: int) -> SourceLocation:
    """Locate the words of a deed: after `{do` at the end of an item."""
    where = story.program.locate_op(address)
    line = story.get_line(where)
    groups = [*_DEED.finditer(line, where.column - 1)]
    at = groups[-1].end() if groups and _DEED_ITEM(line, where.column - 1) else -1
    return where if at < 0 else make_place(where.file, where.line, at + 1)


def find_duplicate_scene_ids(story: LintContext) -> Iterator[Finding]:
    """Find files with the id of another."""
    first: dict[str, str] = {}
    for scene in story.scenes:
        id, document = scene.front.id, scene.front.document
        if not id or document is None:
            continue
        if id not in first:
            first[id] = scene.file
            continue
        where = locate_part(scene.file, document.locate(["id"]))
        yield make_finding("SCENE_ID_DUPLICATE", where, {"id": id, "file": first[id]})


def find_missing_title(story: LintContext) -> Iterator[Finding]:
    """Find a story that has front matter but no title."""
    scene = story.scenes[0]
    if not scene.title and scene.front.document is not None:
        yield make_finding("TITLE_MISSING", make_place(scene.file, 1, 1))


def find_missing_scene_id(story: LintContext) -> Iterator[Finding]:
    """Find front matter without an id."""
    for scene in story.scenes:
        document = scene.front.document
        if document is not None and "id" not in (document.plain or {}):
            yield make_finding("SCENE_ID_MISSING", make_place(scene.file, 1, 1))


_MARKS: Final = ("once", "else", "ask")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]").match
_CALL = re.compile(rf"\b({'|'.join(FUNCTIONS)})\(\s*\Z").search


class SuggestedFix(NamedTuple):
    """How to correct a finding."""

    hint: str
    """The hint for the author."""
    details: dict[str, Any]
    """The edit, if there is one."""


def suggest_meaning(story: LintContext, where: SourceLocation, name: str) -> SuggestedFix | None:
    """Suggest a mark of an item, or quotes around a text; None if neither fits."""
    line = story.get_line(where).rstrip()
    before, after = line[: where.column - 1], line[where.column - 1 + len(name) :]
    if before.rstrip().endswith("{") and after.lstrip()[:1] == "}" and _ITEM(line):
        mark = find_typo_correction(name, _MARKS)
        if mark:
            hint = f"did you mean {{{mark}}}?"
            return SuggestedFix(hint, story.make_rewrite(where, name, mark))
    called = _CALL(before)
    if called is not None and after.lstrip()[:1] in (")", ","):
        what = "label" if called[1] == "visits" else "name"
        quoted = f'"{name}"'
        hint = f"put the {what} in quotes: {called[1]}({quoted})"
        return SuggestedFix(hint, story.make_rewrite(where, name, quoted))
    return None


def find_undeclared_variables(story: LintContext) -> Iterator[Finding]:
    """Find variables that are never declared or given a value."""
    puts = [put for _, put in story.elements[elements.AssignElement]]
    firm = {put.name for put in puts if put.operator == "="}
    firm |= {ask.name for _, ask in story.elements[elements.AskElement]}
    known = story.declarations.keys() or firm
    named = _find_read_variables(story) | {name for name, _ in _list_assignments(story)}
    unknown = named - known - BUILT_IN_VARIABLES
    changed = {put.name for put in puts if put.operator != "="}
    early = set() if story.declarations else changed & firm
    uses = _list_uses(story, unknown | early) if unknown or early else {}
    lack = "declared" if story.declarations else "given a value"
    for name in sorted(unknown):
        first = min(uses[name], key=lambda where: (where.file, where.line, where.column))
        cure = suggest_meaning(story, first, name) or _suggest_fix(story, first, name, known)
        details = _describe_uses(name, first, uses[name], cure)
        yield make_finding("VARIABLE_UNDECLARED", first, details, hint=cure.hint, lack=lack)
    changes = {
        make_place(file, put.line, put.name_column)
        for file, put in story.elements[elements.AssignElement]
        if put.operator != "="
    }
    order = _make_reading_order(story)
    for name in sorted(early):
        first = min(uses[name], key=order)
        if first in changes:
            cure = SuggestedFix(_suggest_declaration(story, name), {})
            details = _describe_uses(name, first, uses[name], cure)
            yield make_finding("VARIABLE_UNDECLARED/early", first, details, hint=cure.hint)


def _describe_uses(
    name: str, first: SourceLocation, uses: list[SourceLocation], cure: SuggestedFix
) -> dict[str, Any]:
    return {"variable": name, "lines": list_lines(uses, first.file), **cure.details}


def _suggest_fix(
    story: LintContext, first: SourceLocation, name: str, known: Collection[str]
) -> SuggestedFix:
    near = story.find_near(name, known)
    if near:
        story.misspelt.add(near)
    hint = f"did you mean {near!r}?" if near else _suggest_declaration(story, name)
    return SuggestedFix(hint, story.make_rewrite(first, name, near))


def _suggest_declaration(story: LintContext, name: str) -> str:
    """Suggest a declaration, with an initial value of the kind it is used as."""
    found = (*_list_constants(story), *_list_comparisons(story))
    values = [value for _, of, value, _ in found if of == name and value is not None]
    if any(each.name == name for _, each in story.elements[elements.AskElement]):
        values.insert(0, "")
    first = "0"
    if values and isinstance(values[0], bool):
        first = "false"
    elif values and isinstance(values[0], str):
        first = '""'
    return f"declare it in the front matter: vars: {{{name}: {first}}}"


def _make_reading_order(story: LintContext) -> Callable[[SourceLocation], tuple[int, int, int]]:
    files = {scene.file: number for number, scene in enumerate(story.scenes)}
    return lambda where: (files[where.file], where.line, where.column)


def _list_reads(story: LintContext) -> Iterator[tuple[str, Expression, VariableReference]]:
    """Yield where variables are read: the file, the expression and the reference."""
    for file, expressions in story.expressions:
        for expression in expressions:
            for each in expression.names:
                yield file, expression, each


def _find_read_variables(story: LintContext) -> set[str]:
    """The variables that are read."""
    return {each.name for _, _, each in _list_reads(story)}


def _list_assignments(story: LintContext) -> Iterator[tuple[str, SourceLocation]]:
    """Yield where variables are set, directly or by arithmetic."""
    for file, element in (
        *story.elements[elements.AssignElement],
        *story.elements[elements.AskElement],
    ):
        if element.name:
            yield element.name, make_place(file, element.line, element.name_column)


def _list_uses(story: LintContext, names: set[str]) -> dict[str, list[SourceLocation]]:
    """Map each of these variables to the places where it is read or set."""
    uses = defaultdict(list)
    for name, where in _list_assignments(story):
        if name in names:
            uses[name].append(where)
    for file, _, each in _list_reads(story):
        if each.name in names:
            uses[each.name].append(locate_part(file, each))
    return uses


def find_unread_variables(story: LintContext) -> Iterator[Finding]:
    """Find variables that are never read."""
    named = {name: where for name, (where, _) in story.declarations.items()}
    # If others are declared, an undeclared variable is reported as that.
    for name, where in _list_assignments(story) if not named else ():
        named.setdefault(name, where)
    known = _find_read_variables(story) | BUILT_IN_VARIABLES | story.misspelt
    for name, where in named.items():
        if name not in known:
            yield make_finding("VARIABLE_UNREAD", where, {"variable": name})


def find_kind_mismatches(story: LintContext) -> Iterator[Finding]:
    """Find variables set to, joined or compared with another kind than their initial value."""
    kinds = {
        name: _describe_kind(value)
        for name, (_, value) in story.declarations.items()
        if value is not None
    }
    found = (*_list_constants(story), *_list_comparisons(story)) if kinds else ()
    for where, name, value, verb in found:
        kind, other = kinds.get(name), _describe_kind(value)
        # `+=` to true or false is arithmetic, which is reported as such.
        joins_truth = verb == "joined with" and kind == "true or false"
        if kind is not None and value is not None and kind != other and not joins_truth:
            shown = quote_value(value) if isinstance(value, str) else format_value(value)
            words = {"kind": kind, "verb": verb, "other": other, "shown": shown}
            details = {"variable": name, "value": value}
            yield make_finding("VARIABLE_KIND", where, details, **words)


def find_non_numeric_arithmetic(story: LintContext) -> Iterator[Finding]:
    """Find arithmetic with variables that are not numbers."""
    kinds = {
        name: _describe_kind(value)
        for name, (_, value) in story.declarations.items()
        if isinstance(value, str | bool)
    }
    for name, where in _list_arithmetic(story, kinds) if kinds else ():
        yield make_finding("VARIABLE_KIND/number", where, {"variable": name}, kind=kinds[name])


def _list_arithmetic(
    story: LintContext, kinds: dict[str, str]
) -> Iterator[tuple[str, SourceLocation]]:
    """Yield where one of these variables is used like a number."""
    for file, put in story.elements[elements.AssignElement]:
        joins = kinds.get(put.name) == "text" and put.operator == "+=" and put.old != "MODIFY"
        if put.name in kinds and put.operator != "=" and not joins:
            yield put.name, make_place(file, put.line, put.name_column)
    for file, expression, each in _list_reads(story):
        signs = "-*/%" if kinds.get(each.name) == "text" else "+-*/%"
        if each.name in kinds and _is_next_to_sign(expression, each, signs):
            yield each.name, locate_part(file, each)


def _is_next_to_sign(expression: Expression, name: VariableReference, signs: str) -> bool:
    """Whether an arithmetic operator is right next to a variable."""
    source, at = expression.source, name.column - expression.column
    if name.line != expression.line or not source.startswith(name.name, at):
        return False
    before = source[:at].rstrip()[-1:]
    after = source[at + len(name.name) :].lstrip()[:1]
    return bool(before and before in signs) or bool(after and after in signs)


_Constant = tuple[SourceLocation, str, Value, str]
"""A place where a variable meets a constant: its name, the value, and what happens."""


def _list_constants(story: LintContext) -> Iterator[_Constant]:
    for file, put in story.elements[elements.AssignElement]:
        joins = put.operator == "+=" and put.old != "MODIFY"
        if (put.operator == "=" or joins) and put.worth.constant:
            where = make_place(file, put.line, put.name_column)
            yield where, put.name, put.worth.constant_value, "joined with" if joins else "set to"


def _list_comparisons(story: LintContext) -> Iterator[_Constant]:
    for file, expressions in story.expressions:
        for expression in expressions:
            for each in expression.compared:
                yield locate_part(file, each), each.name, each.value, "compared with"


def _describe_kind(value: Value) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "text" if isinstance(value, str) else "a number"
