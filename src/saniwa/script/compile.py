"""From the elements of a story to its program.

Never fails: a jump to nowhere is kept as such, and the linter tells of it. The first
scene is where the story begins; the others are reached by links that name their files.
"""

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import assert_never
from zlib import crc32

import msgspec

from saniwa.script import node, program
from saniwa.script.beside import joined, relative
from saniwa.script.language.expression import Expression, Scope, Value, parse_expression
from saniwa.script.language.value import modified
from saniwa.script.language.words import Words, to_typed
from saniwa.script.node import Block, Node, Scene, Target
from saniwa.script.program import Link, Op, Program, Way
from saniwa.script.slug import slug
from saniwa.script.steady import Kinds

BACKGROUND = "background"
"""The layer of the picture that front matter names."""


def compile_story(scenes: Sequence[Scene]) -> Program:
    """The program of a story of at least one scene; the first is its beginning."""
    first = scenes[0]
    maker = _Maker(scenes, grounded=first.front.ground is not None)
    for number, scene in enumerate(scenes):
        maker.add(scene, entry=number == 0)
    maker.link()
    return Program(
        fingerprint=_fingerprint(scenes),
        ops=tuple(maker.ops),
        labels=maker.labels,
        aliases=maker.aliases,
        files=tuple(maker.files),
        ids=maker.ids,
        links=tuple(maker.links),
        variables=_declared(scenes),
        ground=first.front.ground,
    )


def _fingerprint(scenes: Sequence[Scene]) -> str:
    digest = sha256()
    for scene in scenes:
        for part in (relative(scene.file, scenes[0].file), scene.text):
            raw = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(raw) + raw)
    return digest.hexdigest()[:16]


def _declared(scenes: Sequence[Scene]) -> tuple[node.Declared, ...]:
    known: dict[str, node.Declared] = {}
    for scene in scenes:
        for declared in scene.front.variables:
            known.setdefault(declared.name, declared)
    return tuple(known.values())


class _Maker:
    """One compilation: grows the program scene by scene, then ties the jumps."""

    def __init__(self, scenes: Sequence[Scene], *, grounded: bool) -> None:
        self._scenes, self._first = scenes, scenes[0].file
        self._grounded = grounded
        self.ops: list[Op] = []
        self.labels: dict[str, int] = {}
        self.aliases: dict[str, str] = {}
        self.files: list[tuple[int, str]] = []
        self.ids: dict[str, int] = {}
        self.links: list[Link] = []
        self._repeats: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._loose: list[tuple[int, str, Target, bool]] = []
        self._file = ""
        self._prefix = ""
        self._label = ""

    def add(self, scene: Scene, *, entry: bool) -> None:
        """Append a scene; its end is the end of the story."""
        self._file = scene.file
        self._prefix = self._prefix_of(scene.file)
        self._label = self._prefix
        self.files.append((len(self.ops), scene.file))
        if not entry:
            self._enter("", relative(scene.file, self._first), "scene", 1, 1)
        self._set_stage(scene.front)
        self._block(scene.block)
        line = scene.text.count("\n") + 1
        self.ops.append(program.End(line, 1, None, ""))

    def link(self) -> None:
        """Tie every jump to the address of its label."""
        for at, file, target, call in self._loose:
            to = self._resolved(file, target)
            self.links.append(Link(file, target, to))
            made = program.Call if call else program.Leap
            self.ops[at] = made(target.line, target.column, _shown(target), to)

    def _resolved(self, file: str, target: Target) -> int | None:
        home = joined(file, target.file)
        prefix = self._prefix_of(home)
        if not target.label:
            starts = {name: start for start, name in self.files}
            return starts.get(home)
        address = self._names.get(prefix + target.label)
        if address is None:
            address = self._names.get(prefix + slug(target.label))
        return address

    def _prefix_of(self, file: str) -> str:
        return "" if file == self._first else f"{relative(file, self._first)}#"

    def _set_stage(self, front: node.Front) -> None:
        if front.background:
            self.ops.append(program.Show(1, 1, front.background, BACKGROUND))
        if front.bgm:
            self.ops.append(program.Sound(1, 1, "bgm", front.bgm))

    def _block(self, block: Block) -> None:
        for element in block:
            self._element(element)

    def _element(self, element: Node) -> None:
        ops = self.ops
        line, column = element.line, element.column
        match element:  # the frequent ones first
            case node.Say():
                self._say(element)
            case node.Assign(name=name, operator=operator, worth=worth):
                if element.old == "MODIFY" and not self._reckons(name, worth):
                    operator, worth = "=", _modified(name, operator, worth)
                ops.append(program.Put(line, column, name, operator, worth))
            case node.Choice():
                self._choice(element)
            case node.Jump(target=target, call=call):
                self._jump(target, call=call)
            case node.Label(name=name, kind=kind):
                self._section(name, kind, line, column)
            case node.Picture(name=name, layer=layer):
                ops.append(program.Show(line, column, name, layer))
            case node.Sound(kind=sort, name=name):
                ops.append(program.Sound(line, column, sort, name))
            case node.Pause(seconds=seconds):
                ops.append(program.Pause(line, column, seconds))
            case node.Clear(layer=layer):
                ops.append(program.Clear(line, column, layer))
            case node.Event(name=name, values=values):
                ops.append(program.Signal(line, column, name, values))
            case node.Return():
                ops.append(program.Back(line, column))
            case node.Ending(id=ending, name=name):
                ops.append(program.End(line, column, ending, name))
            case node.When(cases=cases):
                self._when(cases)
            case node.Deed():
                self._deed(element)
            case node.Ask(prompt=prompt, name=name):
                ops.append(program.Hear(line, column, prompt, name))
                if not name and self._grounded:
                    after = len(ops) + 1
                    ops.append(program.Do(line, column, None, after, "always"))
            case node.Route(label=label, block=block):
                over = self._gap()
                self._enter(label.name, label.name, "route", label.line, label.column)
                self._block(block)
                self._fill(over, program.Go(line, column, len(ops)))
            case _:
                assert_never(element)

    def _say(self, said: node.Say) -> None:
        id, named = said.id, True
        if not id:
            id, named = (
                self._made_id(f"{said.speaker}\x1f{to_typed(said.words)}"),
                False,
            )
        self.ids.setdefault(id, len(self.ops))
        self.ops.append(
            program.Speak(
                said.line,
                said.column,
                said.speaker,
                said.words,
                id,
                named,
                said.tags,
                said.values,
                said.click,
            )
        )

    def _made_id(self, content: str) -> str:
        digest = crc32(content.encode("utf-8", "surrogatepass"))
        made = f"{self._label}-{digest:08x}" if self._label else f"{digest:08x}"
        count = self._repeats.get(made, 0) + 1
        self._repeats[made] = count
        return made if count == 1 else f"{made}-{count}"

    def _section(self, name: str, kind: node.LabelKind, line: int, column: int) -> None:
        if kind in ("section", "scene"):
            self.ops.append(program.Fall(line, column))
        key = name if kind == "label" else slug(name) or name
        self._enter(key, name, kind, line, column)

    def _enter(
        self, key: str, name: str, kind: node.LabelKind, line: int, column: int
    ) -> None:
        key = self._prefix + key
        if key not in self.labels:
            self.labels[key] = len(self.ops)
            for spelling in (name, slug(name), key.removeprefix(self._prefix)):
                self._names.setdefault(self._prefix + spelling, len(self.ops))
                self.aliases.setdefault(self._prefix + spelling, key)
                self.aliases.setdefault(spelling, key)
        self._label = key
        self.ops.append(program.Enter(line, column, key, name, kind))

    def _jump(self, target: Target, *, call: bool) -> None:
        self._loose.append((self._gap(), self._file, target, call))

    def _reckons(self, name: str, by: Expression) -> bool:
        return self._kinds.is_number(name) and self._kinds.is_reckoned(by)

    def _strict(self, asked: Expression) -> Expression:
        """An old JUMP_IF's condition: as today, if the variable can only be one kind."""
        name = asked.names[0].name
        if self._kinds.is_always(name, asked.strict):
            return parse_expression(asked.source, asked.line, asked.column)
        source = f"{name} is set, and {asked.source}"
        return msgspec.structs.replace(asked, source=source)

    @cached_property
    def _kinds(self) -> Kinds:
        return Kinds(self._scenes)

    def _when(self, cases: tuple[node.Case, ...]) -> None:
        leaving = []
        for case in cases:
            test = self._gap() if case.when is not None else None
            self._block(case.block)
            if case is not cases[-1]:
                leaving.append((self._gap(), case))
            if test is not None:
                assert case.when is not None
                end = len(self.ops)
                asked = self._strict(case.when) if case.when.strict else case.when
                self._fill(test, program.Test(case.line, case.column, asked, end))
        for at, case in leaving:
            self._fill(at, program.Go(case.line, case.column, len(self.ops)))

    def _deed(self, deed: node.Deed) -> None:
        self._done(deed.line, deed.column, deed.words, deed.done, None, deed.refused)

    def _done(
        self,
        line: int,
        column: int,
        words: Words | None,
        done: Block,
        target: tuple[Target, bool] | None,
        refused: Block | None,
    ) -> None:
        """A deed, what follows if it came true, and what if it did not."""
        at = self._gap()
        self._block(done)
        if target is not None:
            self._jump(target[0], call=target[1])
        leaving = self._gap() if refused else None
        otherwise = len(self.ops)
        if refused:
            self._block(refused)
        if leaving is not None:
            self._fill(leaving, program.Go(line, column, len(self.ops)))
        if words is None:
            self._fill(at, program.Do(line, column, None, otherwise, "always"))
        else:
            tells: program.Tells = "refused" if refused is None else "never"
            self._fill(at, program.Do(line, column, words, otherwise, tells))

    def _choice(self, choice: node.Choice) -> None:
        offer = self._gap()
        ids = [self._option_id(option, offer) for option in choice.options]
        starts: list[int] = []
        leaving: list[int] = []
        for option in choice.options:
            starts.append(len(self.ops))
            self._arm(option)
            leaving.append(self._gap())
        after = len(self.ops)
        for at, option in zip(leaving, choice.options, strict=True):
            self._fill(at, program.Go(option.line, option.column, after))
        ways = tuple(map(_way, choice.options, starts, ids))
        self._fill(offer, program.Offer(choice.line, choice.column, ways, after))

    def _arm(self, option: node.Option) -> None:
        target = None if option.target is None else (option.target, option.call)
        if option.deed is not None or (option.ask and self._grounded):
            self._done(
                option.line,
                option.column,
                None if option.ask else option.deed,
                option.arm,
                target,
                option.refused,
            )
            return
        self._block(option.arm)
        if target is not None:
            self._jump(target[0], call=target[1])

    def _option_id(self, option: node.Option, offer: int) -> str:
        id = option.id or self._made_id(f"\x1e{to_typed(option.words)}")
        self.ids.setdefault(id, offer)
        return id

    def _gap(self) -> int:
        """A place to be filled once it is known what belongs there."""
        self.ops.append(_GAP)
        return len(self.ops) - 1

    def _fill(self, at: int, op: Op) -> None:
        self.ops[at] = op


_GAP = program.Go(0, 0, 0)


def _modified(name: str, operator: str, by: Expression) -> Expression:
    """What the old MODIFY gives a variable: its own value where that is no number."""
    worth = by.worth

    def after(scope: Scope) -> Value:
        return modified(scope.variables.get(name), operator, worth(scope))

    return msgspec.structs.replace(by, worth=after, constant=False)


def _way(option: node.Option, to: int, id: str) -> Way:
    plain = not option.arm and option.deed is None and option.target is not None
    return Way(
        option.line,
        option.column,
        option.words,
        to,
        id,
        bool(option.id),
        option.once,
        option.only_if,
        option.enabled_if,
        option.fallback,
        option.ask,
        option.tags,
        option.target.label if plain and option.target is not None else "",
    )


def _shown(target: Target) -> str:
    if target.file:
        return f"{target.file}#{target.label}" if target.label else target.file
    return target.label
