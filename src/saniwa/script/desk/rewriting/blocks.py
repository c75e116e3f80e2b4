"""Old blocks, headings and clicks, and the lines that say the same today."""

import re
from collections.abc import Iterator

from saniwa.script import node
from saniwa.script.desk.edit import Edit, Group
from saniwa.script.desk.rewriting.brackets import tokens
from saniwa.script.desk.rewriting.spelling import link, narration
from saniwa.script.node import Block, Choice, Route, Say, Scene
from saniwa.script.tree import inside, labels, walk

_DEEP = re.compile(r"([ \t]*)#(?:##+)?(?=[ \t])")
_ROUTED = re.compile(
    r"([ \t]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)(.*\S)[ \t]*+@(\S++)(.*)"
)
_CLICKS_REVERSED = re.compile(r"(?:\s*+\]c\[(?!\\))+")
_CLICK = re.compile(r"(?<!\\)\[c\]")


def heading_edits(scene: Scene, lines: list[str]) -> Iterator[Group]:
    """Headings as they are written today: `## name`."""
    for label in labels(scene.block):
        raw = lines[label.line - 1]
        if label.kind == "scene":
            new = f"## {raw[label.name_column - 1 :]}"
        elif label.kind == "section" and (found := _DEEP.match(raw)):
            new = f"{found[1]}##{raw[found.end() :]}"
        else:
            continue
        yield (Edit(label.line, label.line, (new,)),)


def block_edits(scene: Scene, lines: list[str]) -> Iterator[Group]:
    """`:::choices` and `:::route` as lists: with arms where that says the same."""
    for block in _blocks(scene.block):
        for at, element in enumerate(block):
            if isinstance(element, Choice) and element.old == ":::choices":
                arms = _arms(element, block[at + 1 :], lines)
                if arms:
                    yield arms
                yield _unfenced(element, lines)


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for element in walk(block):
        yield from inside(element)


def _unfenced(choice: Choice, lines: list[str]) -> Group:
    """The list without its fence, its routes as links."""
    edits = [Edit(choice.line, choice.line, ())]
    for option in choice.options:
        found = _ROUTED.fullmatch(lines[option.line - 1])
        if found and option.target is not None:
            item = found[1] + link(found[2], option.target) + found[4]
            edits.append(Edit(option.line, option.line, (item,)))
    if lines[choice.last - 1].strip() == ":::":
        edits.append(Edit(choice.last, choice.last, ()))
    return tuple(edits)


def _arms(choice: Choice, after: Block, lines: list[str]) -> Group:
    """The list with a route as the arm of the one option that leads there."""
    routes = _routes(choice, after)
    if not routes or any(o.arm or o.last > o.line for o in choice.options):
        return ()
    first = min(choice.line, *(route.line for route in routes.values()))
    last = max(choice.last, *(route.last for route in routes.values()))
    if not _nothing_else(choice, routes, lines, first, last):
        return ()
    new: list[str] = []
    for option in choice.options:
        found = _ROUTED.fullmatch(lines[option.line - 1])
        if found is None or option.target is None:
            return ()
        route = routes.get(option.target.label)
        if route is None:
            new.append(found[1] + link(found[2], option.target) + found[4])
        else:
            new.append(found[1] + found[2] + found[4])
            new += _arm(route, found[1], lines)
    return (Edit(first, last, tuple(new)),)


def _arm(route: Route, mark: str, lines: list[str]) -> list[str]:
    inset = " " * (len(mark) - len(mark.lstrip(" \t")) + 2)
    fence = lines[route.line - 1]
    outset = fence[: len(fence) - len(fence.lstrip(" \t"))]
    body = lines[route.line : route.last - 1]
    return [
        inset + line.removeprefix(outset) if line.strip() else line for line in body
    ]


def _routes(choice: Choice, after: Block) -> dict[str, Route]:
    """The routes right behind a choice that one of its options leads to, by name."""
    wanted = [o.target.label for o in choice.options if o.target is not None]
    routes: dict[str, Route] = {}
    for element in after:
        if not isinstance(element, Route) or wanted.count(element.label.name) != 1:
            break
        routes.setdefault(element.label.name, element)
    return routes


def _nothing_else(
    choice: Choice, routes: dict[str, Route], lines: list[str], first: int, last: int
) -> bool:
    """Whether those lines hold nothing but this choice and these routes."""
    covered = {option.line for option in choice.options} | {choice.line, choice.last}
    for route in routes.values():
        covered.update(range(route.line, route.last + 1))
    rest = (n for n in range(first, last + 1) if n not in covered)
    return not any(lines[n - 1].strip() for n in rest)


def click_edits(scene: Scene, lines: list[str]) -> Iterator[Group]:
    """Text with `[c]` in it as several utterances."""
    for block in _blocks(scene.block):
        run: list[Say] = []
        for element in (*block, None):
            if run and not _goes_on(run[-1], element):
                yield from _clicked(run, lines)
                run = []
            if isinstance(element, Say) and element.old:
                run.append(element)


def _goes_on(said: Say, element: node.Node | None) -> bool:
    return (
        isinstance(element, Say)
        and element.old == said.old
        and element.speaker == said.speaker
        and element.line <= said.last + 1
    )


def _without_last_clicks(text: str) -> str:
    """Return a text without the `[c]` at its end; one behind a backslash is text."""
    found = _CLICKS_REVERSED.match(text[::-1])
    return text[: len(text) - found.end()] if found else text


def _clicked(run: list[Say], lines: list[str]) -> Iterator[Group]:
    first, last = run[0].line, run[-1].last
    while last < len(lines) and _CLICK.match(lines[last].strip()):
        last += 1
    text = "\n".join(lines[first - 1 : last])
    if not _CLICK.search(text) or "<!--" in text:
        return
    head, body = text[: run[0].column - 1], text[run[0].column - 1 :]
    head = _without_last_clicks(head)
    bare = head.lstrip(" \t")
    indent = head[: len(head) - len(bare)]
    prefix = _prefix(run[0], bare, lines)
    parts = [part.strip() for part in _CLICK.split(body)]
    new: list[str] = []
    for part in filter(None, parts):
        said = (prefix if new else head.removeprefix(indent)) + part
        if new and not prefix:
            new.append("")
            said = narration(part)
        new += [f"{indent}{line.strip()}" for line in said.split("\n")]
    yield (Edit(first, last, tuple(new)),)


def _prefix(said: Say, head: str, lines: list[str]) -> str:
    """What names the speaker of the parts after the first."""
    if said.old != "SAY":
        return head[head.rfind("]") + 1 :].lstrip(" \t")
    number = said.line
    while number > 0:
        found, _ = tokens(lines[number - 1])
        if found and found[-1].name == "SAY":
            return found[-1].text + " "
        number -= 1
    return ""
