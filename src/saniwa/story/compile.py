"""Compile the elements of a story to its program.

Never fails: a jump without a target stays in the program as such, and the linter
reports it. The story begins at the first scene; the others are reached by links that
name their files.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from zlib import crc32

import msgspec

from saniwa.story import elements, program
from saniwa.story.elements import walk_elements
from saniwa.story.expression_parser import Expression, parse_expression
from saniwa.story.link_parser import join_link, make_slug, to_relative
from saniwa.story.program import Op, Program, ResolvedLink
from saniwa.story.text_template import Words, to_typed
from saniwa.story.value_operations import ExpressionScope, Value, classify_value, modify_value

_NUMBERS = frozenset({"number", "nothing"})


class VariableKinds:
    """The kinds of value each variable of a story can have."""

    def __init__(self, scenes: Sequence[elements.StoryScene]) -> None:
        self._kinds: dict[str, set[str]] = defaultdict(set)
        self._set = {
            each.name
            for scene in scenes
            for each in scene.front.variables
            if each.value is not None
        }
        for scene in scenes:
            for declared in scene.front.variables:
                self._kinds[declared.name].add(classify_value(declared.value))
            for element in walk_elements(scene.block):
                if isinstance(element, elements.AssignElement):
                    self._add_assignment(element)
                elif isinstance(element, elements.AskElement) and element.name:
                    self._kinds[element.name].add("text")

    def _add_assignment(self, put: elements.AssignElement) -> None:
        kind = classify_value(put.worth.constant_value) if put.worth.constant else "any"
        if put.old == "MODIFY" or (put.operator != "=" and kind == "number"):
            return
        self._kinds[put.name].add(kind)

    def is_number(self, name: str) -> bool:
        """Whether a variable is always a number, or unset."""
        return self._kinds[name] <= _NUMBERS

    def is_numeric(self, by: Expression) -> bool:
        """Whether the operand of an old MODIFY is always a number."""
        if by.constant:
            return classify_value(by.constant_value) == "number"
        return not by.calls and all(self.is_number(each.name) for each in by.names)

    def is_always(self, name: str, kind: str) -> bool:
        """Whether a variable always has a value of this kind."""
        return name in self._set and self._kinds[name] == {kind}


BACKGROUND = "background"
"""The layer of the picture that the front matter names."""


def compile_story(scenes: Sequence[elements.StoryScene]) -> Program:
    """Compile a story of at least one scene; the story begins at the first."""
    first = scenes[0]
    maker = _Compiler(scenes, grounded=first.front.ground is not None)
    for number, scene in enumerate(scenes):
        maker.add_scene(scene, entry=number == 0)
    maker.link_jumps()
    return Program(
        fingerprint=_compute_fingerprint(scenes),
        ops=tuple(maker.ops),
        labels=maker.labels,
        aliases=maker.aliases,
        files=tuple(maker.files),
        ids=maker.ids,
        links=tuple(maker.links),
        variables=_collect_declarations(scenes),
        ground=first.front.ground,
    )


def _compute_fingerprint(scenes: Sequence[elements.StoryScene]) -> str:
    digest = sha256()
    for scene in scenes:
        for part in (to_relative(scene.file, scenes[0].file), scene.text):
            raw = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(raw) + raw)
    return digest.hexdigest()[:16]


def _collect_declarations(
    scenes: Sequence[elements.StoryScene],
) -> tuple[elements.Declaration, ...]:
    known: dict[str, elements.Declaration] = {}
    for scene in scenes:
        for declared in scene.front.variables:
            known.setdefault(declared.name, declared)
    return tuple(known.values())


class _Compiler:
    """One compilation: adds scene by scene, then resolves the jumps."""

    def __init__(self, scenes: Sequence[elements.StoryScene], *, grounded: bool) -> None:
        self._scenes, self._first = scenes, scenes[0].file
        self._grounded = grounded
        self.ops: list[Op] = []
        self.labels: dict[str, int] = {}
        self.aliases: dict[str, str] = {}
        self.files: list[tuple[int, str]] = []
        self.ids: dict[str, int] = {}
        self.links: list[ResolvedLink] = []
        self._repeats: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._loose: list[tuple[int, str, elements.LinkTarget, bool]] = []
        self._file = ""
        self._prefix = ""
        self._label = ""

    def add_scene(self, scene: elements.StoryScene, *, entry: bool) -> None:
        """Append a scene; the story ends where the scene ends."""
        self._file = scene.file
        self._prefix = self._make_prefix(scene.file)
        self._label = self._prefix
        self.files.append((len(self.ops), scene.file))
        if not entry:
            self._add_enter("", to_relative(scene.file, self._first), "scene", 1, 1)
        self._add_front_matter(scene.front)
        self._add_block(scene.block)
        line = scene.text.count("\n") + 1
        self.ops.append(program.EndOp(line, 1, None, ""))

    def link_jumps(self) -> None:
        """Resolve every jump to the address of its label."""
        for at, file, target, call in self._loose:
            to = self._resolve_target(file, target)
            self.links.append(ResolvedLink(file, target, to))
            made = program.CallOp if call else program.JumpOp
            self.ops[at] = made(target.line, target.column, _format_target(target), to)

    def _resolve_target(self, file: str, target: elements.LinkTarget) -> int | None:
        home = join_link(file, target.file)
        prefix = self._make_prefix(home)
        if not target.label:
            starts = {name: start for start, name in self.files}
            return starts.get(home)
        address = self._names.get(prefix + target.label)
        if address is None:
            address = self._names.get(prefix + make_slug(target.label))
        return address

    def _make_prefix(self, file: str) -> str:
        return "" if file == self._first else f"{to_relative(file, self._first)}#"

    def _add_front_matter(self, front: elements.FrontMatter) -> None:
        if front.background:
            self.ops.append(elements.PictureElement(1, 1, 1, front.background, BACKGROUND))
        if front.bgm:
            self.ops.append(elements.SoundElement(1, 1, 1, "bgm", front.bgm))

    def _add_block(self, block: elements.Block) -> None:
        for element in block:
            self._add_element(element)

    def _add_element(self, element: elements.Element) -> None:
        ops = self.ops
        line, column = element.line, element.column
        match element:  # the frequent ones first
            case elements.SayElement():
                self._add_say(element)
            case elements.AssignElement(name=name, operator=operator, worth=worth):
                if element.old == "MODIFY" and not self._is_numeric(name, worth):
                    worth = _make_modify_expression(name, operator, worth)
                    element = msgspec.structs.replace(element, operator="=", worth=worth)
                ops.append(element)
            case elements.ChoiceElement():
                self._add_choice(element)
            case elements.JumpElement(target=target, call=call):
                self._add_jump(target, call=call)
            case elements.LabelElement(name=name, kind=kind):
                self._add_section(name, kind, line, column)
            case elements.EndingElement(id=ending, name=name):
                ops.append(program.EndOp(line, column, ending, name))
            case elements.WhenElement(cases=cases):
                self._add_when(cases)
            case elements.DoElement():
                self._add_do(line, column, element.words, element.done, None, element.refused)
            case elements.AskElement(name=name):
                ops.append(element)
                if not name and self._grounded:
                    after = len(ops) + 1
                    ops.append(program.DoOp(line, column, None, after, "always"))
            case elements.RouteElement(label=label, block=block):
                over = self._reserve_op()
                self._add_enter(label.name, label.name, "route", label.line, label.column)
                self._add_block(block)
                self.ops[over] = program.GoOp(line, column, len(ops))
            case _:
                ops.append(element)

    def _add_say(self, element: elements.SayElement) -> None:
        if not element.id:
            id = self._make_id(f"{element.speaker}\x1f{to_typed(element.words)}")
            element = msgspec.structs.replace(element, id=id, named=False)
        self.ids.setdefault(element.id, len(self.ops))
        self.ops.append(element)

    def _make_id(self, content: str) -> str:
        digest = crc32(content.encode("utf-8", "surrogatepass"))
        made = f"{self._label}-{digest:08x}" if self._label else f"{digest:08x}"
        count = self._repeats.get(made, 0) + 1
        self._repeats[made] = count
        return made if count == 1 else f"{made}-{count}"

    def _add_section(self, name: str, kind: elements.LabelKind, line: int, column: int) -> None:
        if kind in ("section", "scene"):
            self.ops.append(program.FallOp(line, column))
        key = name if kind == "label" else make_slug(name) or name
        self._add_enter(key, name, kind, line, column)

    def _add_enter(
        self, key: str, name: str, kind: elements.LabelKind, line: int, column: int
    ) -> None:
        key = self._prefix + key
        if key not in self.labels:
            self.labels[key] = len(self.ops)
            for spelling in (name, make_slug(name), key.removeprefix(self._prefix)):
                self._names.setdefault(self._prefix + spelling, len(self.ops))
                self.aliases.setdefault(self._prefix + spelling, key)
                self.aliases.setdefault(spelling, key)
        self._label = key
        self.ops.append(program.EnterOp(line, column, key, name, kind))

    def _add_jump(self, target: elements.LinkTarget, *, call: bool) -> None:
        self._loose.append((self._reserve_op(), self._file, target, call))

    def _is_numeric(self, name: str, by: Expression) -> bool:
        return self._variable_kinds.is_number(name) and self._variable_kinds.is_numeric(by)

    def _simplify_strict(self, condition: Expression) -> Expression:
        """Compile an old JUMP_IF condition; a plain one if the kind is certain."""
        name = condition.names[0].name
        if self._variable_kinds.is_always(name, condition.strict):
            return parse_expression(condition.source, condition.line, condition.column)
        source = f"{name} is set, and {condition.source}"
        return msgspec.structs.replace(condition, source=source)

    @cached_property
    def _variable_kinds(self) -> VariableKinds:
        return VariableKinds(self._scenes)

    def _add_when(self, cases: tuple[elements.WhenCase, ...]) -> None:
        leaving = []
        for case in cases:
            test = self._reserve_op() if case.when is not None else None
            self._add_block(case.block)
            if case is not cases[-1]:
                leaving.append((self._reserve_op(), case))
            if test is not None:
                assert case.when is not None
                end = len(self.ops)
                condition = self._simplify_strict(case.when) if case.when.strict else case.when
                self.ops[test] = program.IfOp(case.line, case.column, condition, end)
        for at, case in leaving:
            self.ops[at] = program.GoOp(case.line, case.column, len(self.ops))

    def _add_do(
        self,
        line: int,
        column: int,
        words: Words | None,
        done: elements.Block,
        target: tuple[elements.LinkTarget, bool] | None,
        refused: elements.Block | None,
    ) -> None:
        """Add a deed, with what follows if it succeeds and if it is refused."""
        at = self._reserve_op()
        self._add_block(done)
        if target is not None:
            self._add_jump(target[0], call=target[1])
        leaving = self._reserve_op() if refused else None
        otherwise = len(self.ops)
        if refused:
            self._add_block(refused)
        if leaving is not None:
            self.ops[leaving] = program.GoOp(line, column, len(self.ops))
        if words is None:
            self.ops[at] = program.DoOp(line, column, None, otherwise, "always")
        else:
            tells: program.OutcomeDisplay = "refused" if refused is None else "never"
            self.ops[at] = program.DoOp(line, column, words, otherwise, tells)

    def _add_choice(self, choice: elements.ChoiceElement) -> None:
        offer = self._reserve_op()
        options = [self._add_option_id(option, offer) for option in choice.options]
        starts: list[int] = []
        leaving: list[int] = []
        for option in choice.options:
            starts.append(len(self.ops))
            self._add_arm(option)
            leaving.append(self._reserve_op())
        after = len(self.ops)
        for at, option in zip(leaving, choice.options, strict=True):
            self.ops[at] = program.GoOp(option.line, option.column, after)
        ways = tuple(
            msgspec.structs.replace(option, to=to)
            for option, to in zip(options, starts, strict=True)
        )
        self.ops[offer] = program.OfferOp(choice.line, choice.column, ways, after)

    def _add_arm(self, option: elements.ChoiceOption) -> None:
        target = None if option.target is None else (option.target, option.call)
        if option.deed is not None or (option.ask and self._grounded):
            self._add_do(
                option.line,
                option.column,
                None if option.ask else option.deed,
                option.arm,
                target,
                option.refused,
            )
            return
        self._add_block(option.arm)
        if target is not None:
            self._add_jump(target[0], call=target[1])

    def _add_option_id(self, option: elements.ChoiceOption, offer: int) -> elements.ChoiceOption:
        if not option.id:
            id = self._make_id(f"\x1e{to_typed(option.words)}")
            option = msgspec.structs.replace(option, id=id, named=False)
        self.ids.setdefault(option.id, offer)
        return option

    def _reserve_op(self) -> int:
        """Append a placeholder that is filled in later, and return its address."""
        self.ops.append(_EMPTY_OP)
        return len(self.ops) - 1


_EMPTY_OP = program.GoOp(0, 0, 0)


def _make_modify_expression(name: str, operator: str, by: Expression) -> Expression:
    """Make an old MODIFY's expression: a variable that is no number is unchanged."""
    worth = by.worth

    def after(scope: ExpressionScope) -> Value:
        return modify_value(scope.variables.get(name), operator, worth(scope))

    return msgspec.structs.replace(by, worth=after, constant=False)


def _format_target(target: elements.LinkTarget) -> str:
    if target.file:
        return f"{target.file}#{target.label}" if target.label else target.file
    return target.label
