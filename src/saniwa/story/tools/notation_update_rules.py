"""Rules that rewrite old notation: edits of lines for each kind of it.

`notation_update` checks that the story still plays the same before it makes an edit.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from saniwa.story import elements
from saniwa.story.elements import list_inner_blocks, list_labels, walk_elements
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.parser.template_parser import parse_words
from saniwa.story.text_template import TextTemplate, Words

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


class LineEdit(NamedTuple):
    """A replacement of lines."""

    first: int
    """The first line replaced, from 1."""
    last: int
    """The last line replaced; `first - 1` to insert lines before `first`."""
    lines: tuple[str, ...]
    """The new lines, without line ends."""


EditGroup = tuple[LineEdit, ...]
"""Edits that must be applied together."""


def select_disjoint(groups: Iterable[EditGroup]) -> list[EditGroup]:
    """Return the groups that touch no line of an earlier one."""
    taken: set[int] = set()
    selected = []
    for group in groups:
        touched = {n for e in group for n in range(e.first, e.last + 1)}
        if not touched & taken:
            taken |= touched
            selected.append(group)
    return selected


def apply_line_edits(text: str, groups: Iterable[EditGroup]) -> str:
    """Apply the edits; new lines have the line ends of their neighbours."""
    pieces = [(found[1], found[2]) for found in _LINE.finditer(text)]
    if len(pieces) > 1 and not pieces[-2][1]:
        pieces.pop()
    edits = sorted(edit for group in groups for edit in group)
    out: list[tuple[str, str]] = []
    at = 0
    for edit in edits:
        out += pieces[at : edit.first - 1]
        at = max(at, edit.last)
        out += _end_lines(edit, pieces)
    out += pieces[at:]
    return _join_lines(out, pieces)


def _end_lines(edit: LineEdit, pieces: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    near = pieces[min(edit.first, len(pieces)) - 1][1] or pieces[0][1] or "\n"
    ends = [near] * len(edit.lines)
    if ends and edit.last >= edit.first:
        ends[-1] = pieces[edit.last - 1][1]
    return list(zip(edit.lines, ends, strict=True))


def _join_lines(out: list[tuple[str, str]], pieces: Sequence[tuple[str, str]]) -> str:
    usual = pieces[0][1] or "\n"
    # A line in the middle may come from the end of a file without a last line end.
    completed = [(line, end or usual) for line, end in out[:-1]] + out[-1:]
    return "".join(line + end for line, end in completed)


_COMMAND = re.compile(r'\[([A-Z][A-Z0-9_]+)(?=[\s\]])(?:[^\]"]++|"(?:[^"\\]|\\.)*+")*+\]')
_RENAMED = {"PLAY_MUSIC": "PLAY_BGM", "EMIT_EVENT": "EVENT"}
_LINKED = re.compile(r"\[[^\[\]]*\]\(")


class BracketToken(NamedTuple):
    """One command in a line."""

    name: str
    """Its name."""
    column: int
    """The column of its `[`."""
    text: str
    """As written."""


def split_commands(raw: str) -> tuple[list[BracketToken], str]:
    """Split a line into the commands it begins with and the text after them."""
    found_tokens: list[BracketToken] = []
    at = len(raw) - len(raw.lstrip(" \t"))
    while (found := _COMMAND.match(raw, at)) and not _LINKED.match(raw, at):
        found_tokens.append(BracketToken(found[1], at + 1, found[0]))
        at = found.end()
        while at < len(raw) and raw[at] in " \t":
            at += 1
    return found_tokens, raw[at:].rstrip()


def _make_bracket_edits(scene: elements.StoryScene, lines: list[str]) -> Iterator[EditGroup]:
    """Yield edits of the lines with old commands."""
    rewriter = _BracketRewriter(scene, lines)
    for number in sorted(rewriter.old):
        group = rewriter.make_group(number)
        if group:
            yield group


class _BracketRewriter:
    """Rewrites old commands of a scene; knows its elements by their places."""

    def __init__(self, scene: elements.StoryScene, lines: list[str]) -> None:
        self.lines = lines
        self.cast = [declared.name for declared in scene.front.cast or ()]
        self.nodes: dict[tuple[int, int], elements.Element] = {}
        self.top = {id(each) for each in scene.block}
        self.old: set[int] = set()
        self.turns: dict[tuple[int, int], elements.WhenElement] = {}
        self.ends: dict[int, list[elements.WhenElement]] = {}
        self.spoken: set[int] = set()
        self.wrong = {f.where.line for f in scene.findings if f.severity == "error"}
        for element in walk_elements(scene.block):
            self._add_element(element)

    def _add_element(self, element: elements.Element) -> None:
        place = (element.line, element.column)
        self.nodes.setdefault(place, element)
        if isinstance(element, elements.WhenElement) and element.old == "IF":
            self.ends.setdefault(element.last, []).append(element)
            for case in element.cases[1:]:
                self.turns[case.line, case.column] = element
                self.old.add(case.line)
        if isinstance(element, elements.SayElement):
            self.spoken.update(range(element.line, element.last + 1))
        raw = self.lines[element.line - 1]
        if "[" in raw[: element.column]:
            self.old.add(element.line)

    def make_group(self, number: int) -> EditGroup:
        """Return the edits of one line, and of all lines that must change with it."""
        wanted, done = {number}, dict[int, list[LineEdit]]()
        while wanted - done.keys():
            line = min(wanted - done.keys())
            edits, more = self._rewrite_line(line)
            done[line] = edits
            wanted |= more
        edits = [edit for each in done.values() for edit in each]
        touched = {n for e in edits for n in range(e.first, e.last + 1)}
        if touched & self.wrong or any("<!--" in self.lines[n - 1] for n in touched):
            return ()
        return tuple(edits)

    def _rewrite_line(self, number: int) -> tuple[list[LineEdit], set[int]]:
        """Return the edits of one line, and the lines that must change with it."""
        raw = self.lines[number - 1]
        found, rest = split_commands(raw)
        indent = raw[: len(raw) - len(raw.lstrip(" \t"))]
        out: list[str] = []
        last, after, more = number, list[LineEdit](), set[int]()
        changed = False
        for nth, token in enumerate(found):
            when = self._find_if(token, number)
            new = self._spell_token(token, number, when)
            if when is not None:
                more |= self._list_lines(when)
                after += self._make_closing(when, indent)
            if token.name == "SAY" and nth == len(found) - 1:
                rewritten = self._rewrite_say(token, number, rest)
                if rewritten is not None:
                    new, last = rewritten
                    rest = ""
            changed |= new is not None
            out += [token.text] if new is None else new
        if not changed:
            return [], set()
        if rest:
            out.append(rest)
        lines = tuple(indent + line if line else "" for line in out)
        return [LineEdit(number, last, lines), *after], more

    def _spell_token(
        self, token: BracketToken, number: int, when: elements.WhenElement | None
    ) -> list[str] | None:
        if when is not None:
            asked = when.cases[0].when
            if token.name == "IF":
                return [f":::when {asked.source}"] if asked is not None else None
            return [":::else" if token.name == "ELSE" else ":::"]
        element = self.nodes.get((number, token.column))
        if element is None:
            return None
        if token.name in _RENAMED:
            return [token.text.replace(token.name, _RENAMED[token.name], 1)]
        if isinstance(element, elements.LabelElement) and id(element) not in self.top:
            return None
        return spell_element(element)

    def _find_if(self, token: BracketToken, number: int) -> elements.WhenElement | None:
        element = self.nodes.get((number, token.column))
        if token.name == "IF" and isinstance(element, elements.WhenElement):
            return element
        if token.name == "ELSE":
            return self.turns.get((number, token.column))
        if token.name == "ENDIF":
            return next(iter(self.ends.get(number, [])), None)
        return None

    def _list_lines(self, when: elements.WhenElement) -> set[int]:
        lines = {when.line, *(case.line for case in when.cases)}
        return lines if self._is_brief(when) else lines | {when.last}

    def _make_closing(self, when: elements.WhenElement, indent: str) -> list[LineEdit]:
        """Add a closing line to a condition that has none."""
        if self._is_brief(when):
            return [LineEdit(when.last + 1, when.last, (f"{indent}:::",))]
        return []

    def _is_brief(self, when: elements.WhenElement) -> bool:
        found, _ = split_commands(self.lines[when.last - 1])
        return not any(token.name == "ENDIF" for token in found)

    def _rewrite_say(
        self, token: BracketToken, number: int, rest: str
    ) -> tuple[list[str], int] | None:
        """Rewrite an old [SAY]; return the new lines and the line its text began on."""
        element = self.nodes.get((number, token.column))
        if not isinstance(element, elements.SayElement) or element.old != "SAY":
            return None
        last = number
        while not rest and last < element.last:
            last += 1
            rest = self.lines[last - 1].strip()
        if not rest:
            return None
        line = spell_speech(element.speaker, rest)
        if not self._is_read_as(line, element.speaker):
            return None
        before = number - 1 in self.spoken and self.lines[number - 2].strip()
        parted = not element.speaker and before
        return (["", line] if parted else [line]), last

    def _is_read_as(self, line: str, speaker: str) -> bool:
        """Whether the line would be read as this speaker's."""
        first = next(iter(parse_scene(line, "", self.cast).block), None)
        return isinstance(first, elements.SayElement) and first.speaker == speaker


_DEEP = re.compile(r"([ \t]*)#(?:##+)?(?=[ \t])")
_ROUTED = re.compile(r"([ \t]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)(.*\S)[ \t]*+@(\S++)(.*)")
_CLICKS_REVERSED = re.compile(r"(?:\s*+\]c\[(?!\\))+")
_CLICK = re.compile(r"(?<!\\)\[c\]")


def _make_heading_edits(scene: elements.StoryScene, lines: list[str]) -> Iterator[EditGroup]:
    """Yield edits to write headings in the present notation: `## name`."""
    for label in list_labels(scene.block):
        raw = lines[label.line - 1]
        if label.kind == "scene":
            new = f"## {raw[label.name_column - 1 :]}"
        elif label.kind == "section" and (found := _DEEP.match(raw)):
            new = f"{found[1]}##{raw[found.end() :]}"
        else:
            continue
        yield (LineEdit(label.line, label.line, (new,)),)


def _make_block_edits(scene: elements.StoryScene, lines: list[str]) -> Iterator[EditGroup]:
    """Yield edits to write `:::choices` and `:::route` as lists, some with arms."""
    for block in _list_blocks(scene.block):
        for at, element in enumerate(block):
            if isinstance(element, elements.ChoiceElement) and element.old == ":::choices":
                arms = _make_arms(element, block[at + 1 :], lines)
                if arms:
                    yield arms
                yield _remove_fence(element, lines)


def _list_blocks(block: elements.Block) -> Iterator[elements.Block]:
    yield block
    for element in walk_elements(block):
        yield from list_inner_blocks(element)


def _remove_fence(choice: elements.ChoiceElement, lines: list[str]) -> EditGroup:
    """Make the edits that remove a list's fence and turn its routes into links."""
    edits = [LineEdit(choice.line, choice.line, ())]
    for option in choice.options:
        found = _ROUTED.fullmatch(lines[option.line - 1])
        if found and option.target is not None:
            item = found[1] + spell_link(found[2], option.target) + found[4]
            edits.append(LineEdit(option.line, option.line, (item,)))
    if lines[choice.last - 1].strip() == ":::":
        edits.append(LineEdit(choice.last, choice.last, ()))
    return tuple(edits)


def _make_arms(
    choice: elements.ChoiceElement, after: elements.Block, lines: list[str]
) -> EditGroup:
    """Make edits that turn each route into the arm of the option that leads there."""
    routes = _find_routes(choice, after)
    if not routes or any(o.arm or o.last > o.line for o in choice.options):
        return ()
    first = min(choice.line, *(route.line for route in routes.values()))
    last = max(choice.last, *(route.last for route in routes.values()))
    if not _has_nothing_else(choice, routes, lines, first, last):
        return ()
    new: list[str] = []
    for option in choice.options:
        found = _ROUTED.fullmatch(lines[option.line - 1])
        if found is None or option.target is None:
            return ()
        route = routes.get(option.target.label)
        if route is None:
            new.append(found[1] + spell_link(found[2], option.target) + found[4])
        else:
            new.append(found[1] + found[2] + found[4])
            new += _make_arm(route, found[1], lines)
    return (LineEdit(first, last, tuple(new)),)


def _make_arm(route: elements.RouteElement, mark: str, lines: list[str]) -> list[str]:
    inset = " " * (len(mark) - len(mark.lstrip(" \t")) + 2)
    fence = lines[route.line - 1]
    outset = fence[: len(fence) - len(fence.lstrip(" \t"))]
    body = lines[route.line : route.last - 1]
    return [inset + line.removeprefix(outset) if line.strip() else line for line in body]


def _find_routes(
    choice: elements.ChoiceElement, after: elements.Block
) -> dict[str, elements.RouteElement]:
    """Find the routes right after a choice that its options lead to, by name."""
    wanted = [o.target.label for o in choice.options if o.target is not None]
    routes: dict[str, elements.RouteElement] = {}
    for element in after:
        if not isinstance(element, elements.RouteElement) or wanted.count(element.label.name) != 1:
            break
        routes.setdefault(element.label.name, element)
    return routes


def _has_nothing_else(
    choice: elements.ChoiceElement,
    routes: dict[str, elements.RouteElement],
    lines: list[str],
    first: int,
    last: int,
) -> bool:
    """Whether those lines contain only this choice and these routes."""
    covered = {option.line for option in choice.options} | {choice.line, choice.last}
    for route in routes.values():
        covered.update(range(route.line, route.last + 1))
    rest = (n for n in range(first, last + 1) if n not in covered)
    return not any(lines[n - 1].strip() for n in rest)


def _make_click_edits(scene: elements.StoryScene, lines: list[str]) -> Iterator[EditGroup]:
    """Yield edits to split text with `[c]` into several lines."""
    for block in _list_blocks(scene.block):
        run: list[elements.SayElement] = []
        for element in (*block, None):
            if run and not _is_continued(run[-1], element):
                yield from _split_clicks(run, lines)
                run = []
            if isinstance(element, elements.SayElement) and element.old:
                run.append(element)


def _is_continued(element_before: elements.SayElement, element: elements.Element | None) -> bool:
    return (
        isinstance(element, elements.SayElement)
        and element.old == element_before.old
        and element.speaker == element_before.speaker
        and element.line <= element_before.last + 1
    )


def _strip_last_clicks(text: str) -> str:
    """Return a text without the `[c]` at its end; an escaped one is text."""
    found = _CLICKS_REVERSED.match(text[::-1])
    return text[: len(text) - found.end()] if found else text


def _split_clicks(run: list[elements.SayElement], lines: list[str]) -> Iterator[EditGroup]:
    first, last = run[0].line, run[-1].last
    while last < len(lines) and _CLICK.match(lines[last].strip()):
        last += 1
    text = "\n".join(lines[first - 1 : last])
    if not _CLICK.search(text) or "<!--" in text:
        return
    head, body = text[: run[0].column - 1], text[run[0].column - 1 :]
    head = _strip_last_clicks(head)
    bare = head.lstrip(" \t")
    indent = head[: len(head) - len(bare)]
    prefix = _make_prefix(run[0], bare, lines)
    parts = [part.strip() for part in _CLICK.split(body)]
    new: list[str] = []
    for part in filter(None, parts):
        line_text = (prefix if new else head.removeprefix(indent)) + part
        if new and not prefix:
            new.append("")
            line_text = spell_narration(part)
        new += [f"{indent}{line.strip()}" for line in line_text.split("\n")]
    yield (LineEdit(first, last, tuple(new)),)


def _make_prefix(element: elements.SayElement, head: str, lines: list[str]) -> str:
    """Return what names the speaker of the parts after the first."""
    if element.old != "SAY":
        return head[head.rfind("]") + 1 :].lstrip(" \t")
    number = element.line
    while number > 0:
        found, _ = split_commands(lines[number - 1])
        if found and found[-1].name == "SAY":
            return found[-1].text + " "
        number -= 1
    return ""


RULES = (_make_click_edits, _make_block_edits, _make_heading_edits, _make_bracket_edits)
"""Functions that yield edits for a scene and its lines, in the order they are tried."""


_UNLINKED = re.compile(r"[\s()<>%]")
_NAMED = re.compile(r"[^\s:：]{1,40}[:：]")


def spell_element(element: elements.Element) -> list[str] | None:
    """Return the lines that express an old command today."""
    match element:
        case elements.LabelElement(name=name, kind="label" | "scene"):
            return [f"## {name}"]
        case elements.JumpElement(target=target, old="JUMP"):
            return [spell_link(_get_target_name(target), target)]
        case elements.AssignElement(old=old) if old:
            worth = element.worth.source
            return [f"[SET {element.name} {element.operator} {worth}]"]
        case elements.EndingElement(id=id, name="", old=old) if old and id:
            return [f"<!-- ending: {id} -->"]
        case elements.WhenElement(old="JUMP_IF", cases=(case,)):
            return _spell_jump_if(case)
        case elements.ChoiceElement(old="BRANCH", options=options):
            return [_spell_item(option) for option in options]
        case _:
            return None


def spell_link(text: str, target: elements.LinkTarget) -> str:
    """Write a link to a target."""
    file, label = _encode_link_part(target.file), _encode_link_part(target.label)
    return f"[{text}]({file}#{label})" if label else f"[{text}]({file})"


def spell_speech(speaker: str, text: str) -> str:
    """Write a line of speech, or of narration if there is no speaker."""
    return f"{speaker}: {text}" if speaker else spell_narration(text)


def spell_narration(text: str) -> str:
    """Escape text at the beginning of a line, so that it is read as narration."""
    if text[:1] in ("[", "-", "#", "<"):
        return "\\" + text
    found = _NAMED.match(text)
    if found is not None:
        return f"{text[: found.end() - 1]}\\{text[found.end() - 1 :]}"
    return text


def spell_words(words: Words) -> str:
    """Write words as an author would."""
    if isinstance(words, TextTemplate):
        return words.source
    written = words.replace("\\", "\\\\").replace("{", "\\{")
    if parse_words(written, 1, 1)[0] != words:
        # Signs that would be read as emphasis or code.
        written = written.replace("*", "\\*").replace("`", "\\`")
    return written


def _spell_jump_if(case: elements.WhenCase) -> list[str] | None:
    (jump,) = case.block
    if case.when is None or not isinstance(jump, elements.JumpElement):
        return None
    to = spell_link(_get_target_name(jump.target), jump.target)
    return [f":::when {case.when.source}", to, ":::"]


def _spell_item(option: elements.ChoiceOption) -> str:
    assert option.target is not None
    item = f"- {spell_link(spell_words(option.words), option.target)}"
    return f"{item} {{if {option.only_if.source}}}" if option.only_if else item


def _get_target_name(target: elements.LinkTarget) -> str:
    return target.label or target.file


def _encode_link_part(text: str) -> str:
    """Percent-encode the characters that are not allowed in a link."""
    return _UNLINKED.sub(_encode_match, text)


def _encode_match(found: re.Match[str]) -> str:
    raw = found.group().encode("utf-8", "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in raw)
