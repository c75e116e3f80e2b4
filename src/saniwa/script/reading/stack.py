"""The frames that are open, one in the other, while a file is read."""

from typing import Final, NamedTuple

from saniwa.script import node
from saniwa.script.notes import Notes
from saniwa.script.reading.frame import MOST_OPTIONS, Cases, Frame, Items, Menu

DEEPEST: Final = 40
"""How deep blocks and lists may stand in each other."""


def too_many(notes: Notes, line: int, column: int) -> None:
    """Say that a choice has more options than we take."""
    message = f"a choice has more than {MOST_OPTIONS} options; the rest is left out"
    notes.error("OPTIONS_TOO_MANY", message, line, column, "group them into several")


class Broken(NamedTuple):
    """A line that ends a list right above it, and may have been meant as part of it."""

    line: int
    """The line."""
    indent: int
    """How far it is indented."""
    begun: int
    """Where the list began."""
    option: int
    """Where its last option stands."""


class Stack:
    """Where elements go."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.top = Frame("", 1, 1)
        self.count = 0
        """How many elements there are so far."""
        self._frames = [self.top]
        self.broken: Broken | None = None
        """The last line that ended a list it may belong to."""
        self._beyond = 0

    def emit(self, *nodes: node.Node) -> None:
        """Add elements to what is open."""
        self.count += len(nodes)
        top = self.top
        top.nodes.extend(nodes)
        if top.brief and nodes:
            self.pop(nodes[-1].last)

    def push(self, frame: Frame) -> bool:
        """Open a frame, unless that is too deep."""
        if self.deep:
            self.refuse(frame.line, frame.column, fence=False)
            return False
        self._frames.append(frame)
        self.top = frame
        return True

    @property
    def deep(self) -> bool:
        """Whether nothing more can be opened."""
        return len(self._frames) > DEEPEST

    def refuse(self, line: int, column: int, *, fence: bool) -> None:
        """Say that something opens too deep; its `:::`, if it has one, closes nothing."""
        message = f"blocks and lists stand over {DEEPEST} deep in each other"
        hint = "move the inner part to a section of its own"
        self.notes.error("BLOCK_TOO_DEEP", message, line, column, hint)
        self._beyond += fence

    def pop(self, last: int) -> None:
        """Close the innermost frame; it ends on line `last`."""
        frame = self._frames.pop()
        self.top = self._frames[-1]
        if isinstance(frame, Items):
            self.end_option(frame)
        made = frame.close(last)
        if isinstance(frame, Menu) and frame.full:
            too_many(self.notes, *frame.full)
        self.emit(*made)

    def end_option(self, items: Items) -> None:
        """Close the open option of a list."""
        option = items.end_option()
        if option is not None and items.excused:
            self.notes.excuse("OPTION_EMPTY", option.line)

    def dedent(self, indent: int, line: int = 0, *, comment: bool = False) -> None:
        """Close the lists that a line with this indent stands outside of.

        Text or a command right below a list may have been meant to belong to it: with
        its `line`, it is remembered in `broken`. So is every `comment`, because readers
        of the story do not see what divides it.
        """
        while indent <= self.top.indent:
            top = self.top
            self._leave()
            if line and isinstance(top, Items):
                self.broken = _broken(top, indent, line, comment)

    def is_item(self, indent: int) -> bool:
        """Whether an outer list has its items exactly there."""
        return any(isinstance(f, Items) and f.indent == indent for f in self._frames)

    def leave_lists(self) -> None:
        """Close all lists inside the innermost block."""
        while isinstance(self.top, Items) or self.top.brief:
            self._leave()

    def end(self, line: int) -> bool:
        """Close the innermost block at a `:::`; False if none is open."""
        if self._beyond:
            self._beyond -= 1
            return True
        self.leave_lists()
        while _is_if(self.top):
            self._give_up()
        if len(self._frames) == 1:
            return False
        self.pop(line)
        return True

    def end_if(self, line: int) -> bool:
        """Close the innermost [IF]; False if none is open."""
        if not self.find_if():
            return False
        self.pop(line)
        return True

    def find_if(self) -> bool:
        """Close what stands open in the innermost [IF]; False if there is none."""
        if not any(map(_is_if, self._frames)):
            return False
        self.leave_lists()
        while not _is_if(self.top):
            self._give_up()
        return True

    def within(self, kind: type[Frame]) -> bool:
        """Whether such a frame is open."""
        return any(isinstance(frame, kind) for frame in self._frames)

    def end_all(self) -> None:
        """Close everything, where a section or the file ends."""
        self.broken = None
        self._beyond = 0
        while len(self._frames) > 1:
            if isinstance(self.top, Items):
                self._leave()
            else:
                self._give_up()

    def _leave(self) -> None:
        if self.top.brief:
            self._give_up()
        else:
            self.pop(0)

    def _give_up(self) -> None:
        frame = self.top
        if frame.brief:
            message, hint = f"nothing follows {frame.opener}", "put an element below it"
        else:
            message = f"{frame.opener} is not closed"
            hint = f"end it with {frame.closer}"
        self.notes.error("BLOCK_UNCLOSED", message, frame.line, frame.column, hint)
        self.pop(max((each.last for each in frame.nodes), default=frame.line))


def _broken(items: Items, indent: int, line: int, comment: bool) -> Broken | None:
    """What is known of a list that a line ended; None if it was whole."""
    option = items.options[-1]
    if option.last != line - 1 or indent != items.indent:
        return None
    bare = option.target is None and not option.arm and option.deed is None
    bare = bare and not option.ask
    if len(items.options) > 1 and not bare and not comment:
        return None
    return Broken(line, indent, items.line, option.line)


def _is_if(frame: Frame) -> bool:
    """Whether it is an [IF] that waits for its [ENDIF]."""
    return isinstance(frame, Cases) and bool(frame.old) and not frame.brief
