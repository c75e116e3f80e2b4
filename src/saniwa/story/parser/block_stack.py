"""The stack of blocks and lists that are open while a file is parsed.

Each `OpenBlock` collects elements and becomes an element itself when it is closed.
"""

from typing import Final, NamedTuple

import msgspec

from saniwa.story import elements
from saniwa.story.expression_parser import Expression
from saniwa.story.finding_collector import FindingCollector
from saniwa.story.text_template import Words

MOST_OPTIONS = 500
"""The most options of one choice."""


class OpenBlock:
    """An open block that collects elements. The base class passes them on unchanged."""

    indent = -1
    """Lines indented no deeper close it; -1 if only a closing line does."""
    brief = False
    """Whether it closes after one element."""
    closer = "a line of :::"
    """What closes it, as shown to authors."""

    def __init__(self, opener: str, line: int, column: int) -> None:
        self.opener, self.line, self.column = opener, line, column
        self.nodes: list[elements.Element] = []

    def close(self, last: int) -> list[elements.Element]:  # noqa: ARG002 - others need it
        """Return the elements it becomes in the outer block; it ends on line `last`."""
        return self.nodes


class OpenWhen(OpenBlock):
    """`:::when` or `[IF]`."""

    def __init__(
        self, opener: str, line: int, column: int, when: Expression, old: str = ""
    ) -> None:
        super().__init__(opener, line, column)
        self.old = old
        self.when: Expression | None = when
        self._begun = (line, column)
        self._cases: list[elements.WhenCase] = []
        if old:
            self.closer = "[ENDIF]"

    def start_case(self, when: Expression | None, line: int, column: int) -> None:
        """End the current case and begin the next."""
        self._end_case(line - 1)
        self.when, self._begun, self.nodes = when, (line, column), []

    def close(self, last: int) -> list[elements.Element]:
        """Return the condition with all its cases."""
        self._end_case(last)
        cases = tuple(self._cases)
        return [elements.WhenElement(self.line, self.column, last, cases, self.old)]

    def _end_case(self, last: int) -> None:
        block = tuple(self.nodes)
        self._cases.append(elements.WhenCase(*self._begun, last, self.when, block))


class OpenRoute(OpenBlock):
    """`:::route NAME`."""

    def __init__(self, label: elements.LabelElement) -> None:
        super().__init__(":::route", label.line, label.column)
        self._label = label

    def close(self, last: int) -> list[elements.Element]:
        """Return the route."""
        block = tuple(self.nodes)
        return [elements.RouteElement(self.line, self.column, last, self._label, block)]


class OpenChoices(OpenBlock):
    """`:::choices`."""

    full: tuple[int, int] | None = None
    """The place of the first option beyond the limit."""

    def close(self, last: int) -> list[elements.Element]:
        """Return its lists as one choice; routes among the items come after it."""
        lists = [each for each in self.nodes if isinstance(each, elements.ChoiceElement)]
        if not lists:
            return self.nodes
        options = tuple(option for each in lists for option in each.options)
        if len(options) > MOST_OPTIONS:
            spare = options[MOST_OPTIONS]
            self.full, options = (spare.line, spare.column), options[:MOST_OPTIONS]
        choice = elements.ChoiceElement(self.line, self.column, last, options, self.opener)
        first = self.nodes.index(lists[0])
        rest = [n for n in self.nodes[first:] if not isinstance(n, elements.ChoiceElement)]
        return [*self.nodes[:first], choice, *rest]


class OpenDo(OpenBlock):
    """`:::do WORDS`, with `:::refused` in it."""

    def __init__(self, line: int, column: int, words: Words) -> None:
        super().__init__(":::do", line, column)
        self._words = words
        self.done: list[elements.Element] | None = None
        """What is played if the deed succeeds; None until `:::refused` is read."""

    def start_refusal(self) -> None:
        """Begin the part that is played if the deed is refused."""
        self.done, self.nodes = self.nodes, []

    def close(self, last: int) -> list[elements.Element]:
        """Return the deed."""
        done = self.nodes if self.done is None else self.done
        refused = None if self.done is None else tuple(self.nodes)
        place = (self.line, self.column, last)
        return [elements.DoElement(*place, self._words, tuple(done), refused)]


class OpenList(OpenBlock):
    """A list: a choice whose last option is still open."""

    def __init__(self, line: int, column: int, indent: int) -> None:
        super().__init__("", line, column)
        self.indent = indent
        self.options: list[elements.ChoiceOption] = []
        self.full = False
        """Whether it has more options than allowed."""
        self.draft: elements.ChoiceOption | None = None
        """The option whose arm is being parsed."""
        self.refused: elements.Block | None = None
        """What is played if its deed is refused."""
        self.excused = False
        """Whether a finding about the open option was already added."""
        self.uneven = False
        """Whether its items have different indents."""

    def end_option(self) -> elements.ChoiceOption | None:
        """Close the open option, if there is one."""
        draft = self.draft
        if draft is None:
            return None
        if self.nodes or self.refused is not None:
            last = max(draft.last, self.nodes[-1].last if self.nodes else 0)
            draft = msgspec.structs.replace(
                draft, arm=tuple(self.nodes), refused=self.refused, last=last
            )
            self.nodes, self.refused = [], None
        if len(self.options) < MOST_OPTIONS:
            self.options.append(draft)
        self.draft = None
        return draft

    def close(self, last: int) -> list[elements.Element]:  # noqa: ARG002 - ends with its items
        """Return the choice."""
        options = tuple(self.options)
        return [elements.ChoiceElement(self.line, self.column, options[-1].last, options)]


class OpenRefusal(OpenBlock):
    """`:::refused` after a deed that is already an element, or in an item's arm."""

    def __init__(self, line: int, column: int, owner: OpenBlock, *, item: bool) -> None:
        super().__init__(":::refused", line, column)
        self._owner, self._item = owner, item

    def close(self, last: int) -> list[elements.Element]:
        """Add its elements to the deed; return none of its own."""
        block, owner = tuple(self.nodes), self._owner
        if not self._item:
            deed = owner.nodes[-1]
            owner.nodes[-1] = msgspec.structs.replace(deed, refused=block, last=last)
        elif isinstance(owner, OpenList) and owner.draft is not None:
            owner.refused = block
            owner.draft = msgspec.structs.replace(owner.draft, last=last)
        return []


DEEPEST: Final = 40
"""How deep blocks and lists may be nested."""


def report_too_many_options(notes: FindingCollector, line: int, column: int) -> None:
    """Report that a choice has more options than allowed."""
    notes.add("OPTIONS_TOO_MANY", line, column, most=MOST_OPTIONS)


class ListInterruption(NamedTuple):
    """A line that ends a list right above it, and may have been meant as part of it."""

    line: int
    """The line."""
    indent: int
    """How far it is indented."""
    begun: int
    """The line the list begins on."""
    option: int
    """The line of its last option."""


class BlockStack:
    """The open blocks of a file; elements are added to the innermost one."""

    def __init__(self, notes: FindingCollector, events: frozenset[str] = frozenset()) -> None:
        self.notes = notes
        self.events = events
        """The host's own commands."""
        self.top = OpenBlock("", 1, 1)
        self.count = 0
        """How many elements were added so far."""
        self._frames = [self.top]
        self.broken: ListInterruption | None = None
        """The latest line that ended a list it may belong to."""
        self._beyond = 0

    def emit(self, *nodes: elements.Element) -> None:
        """Add elements to the innermost block."""
        self.count += len(nodes)
        top = self.top
        top.nodes.extend(nodes)
        if top.brief and nodes:
            self.pop(nodes[-1].last)

    def push(self, frame: OpenBlock) -> bool:
        """Open a block, unless it is nested too deep."""
        if self.is_too_deep:
            self.report_too_deep(frame.line, frame.column, fence=False)
            return False
        self._frames.append(frame)
        self.top = frame
        return True

    @property
    def is_too_deep(self) -> bool:
        """Whether no further block can be opened."""
        return len(self._frames) > DEEPEST

    def report_too_deep(self, line: int, column: int, *, fence: bool) -> None:
        """Report a block nested too deep; its `:::`, if it has one, closes nothing."""
        self.notes.add("BLOCK_TOO_DEEP", line, column, deepest=DEEPEST)
        self._beyond += fence

    def pop(self, last: int) -> None:
        """Close the innermost block; it ends on line `last`."""
        frame = self._frames.pop()
        self.top = self._frames[-1]
        if isinstance(frame, OpenList):
            self.end_option(frame)
        made = frame.close(last)
        if isinstance(frame, OpenChoices) and frame.full:
            report_too_many_options(self.notes, *frame.full)
        self.emit(*made)

    def end_option(self, items: OpenList) -> None:
        """Close the open option of a list."""
        option = items.end_option()
        if option is not None and items.excused:
            self.notes.excuse_lines("OPTION_EMPTY", option.line)

    def dedent(self, indent: int, line: int = 0, *, comment: bool = False) -> None:
        """Close the lists that a line with this indent is outside of.

        Text or a command right below a list may have been meant to belong to it: if its
        `line` is given, it is recorded in `broken`. So is every `comment`, because
        readers of the story do not see what divides the list.
        """
        while indent <= self.top.indent:
            top = self.top
            self._close_top()
            if line and isinstance(top, OpenList):
                self.broken = _describe_interruption(top, indent, line, comment)

    def is_item(self, indent: int) -> bool:
        """Whether an outer list has its items at exactly this indent."""
        return any(isinstance(f, OpenList) and f.indent == indent for f in self._frames)

    def close_lists(self) -> None:
        """Close all lists inside the innermost block."""
        while isinstance(self.top, OpenList) or self.top.brief:
            self._close_top()

    def close_block(self, line: int) -> bool:
        """Close the innermost block at a `:::`; False if none is open."""
        if self._beyond:
            self._beyond -= 1
            return True
        self.close_lists()
        while _is_if(self.top):
            self._abandon_top()
        if len(self._frames) == 1:
            return False
        self.pop(line)
        return True

    def close_if(self, line: int) -> bool:
        """Close the innermost [IF]; False if none is open."""
        if not self.close_to_if():
            return False
        self.pop(line)
        return True

    def close_to_if(self) -> bool:
        """Close what is open inside the innermost [IF]; False if there is none."""
        if not any(map(_is_if, self._frames)):
            return False
        self.close_lists()
        while not _is_if(self.top):
            self._abandon_top()
        return True

    def is_within(self, kind: type[OpenBlock]) -> bool:
        """Whether a block of this kind is open."""
        return any(isinstance(frame, kind) for frame in self._frames)

    def close_all(self) -> None:
        """Close everything at the end of a section or file."""
        self.broken = None
        self._beyond = 0
        while len(self._frames) > 1:
            if isinstance(self.top, OpenList):
                self._close_top()
            else:
                self._abandon_top()

    def _close_top(self) -> None:
        if self.top.brief:
            self._abandon_top()
        else:
            self.pop(0)

    def _abandon_top(self) -> None:
        frame = self.top
        key = "BLOCK_UNCLOSED/empty" if frame.brief else "BLOCK_UNCLOSED"
        place, shown = (frame.line, frame.column), {"opener": frame.opener, "closer": frame.closer}
        self.notes.add(key, *place, **shown)
        self.pop(max((each.last for each in frame.nodes), default=frame.line))


def _describe_interruption(
    items: OpenList, indent: int, line: int, comment: bool
) -> ListInterruption | None:
    """Describe a list that a line interrupts; None if the list looks complete."""
    option = items.options[-1]
    if option.last != line - 1 or indent != items.indent:
        return None
    bare = option.target is None and not option.arm and option.deed is None
    bare = bare and not option.ask
    if len(items.options) > 1 and not bare and not comment:
        return None
    return ListInterruption(line, indent, items.line, option.line)


def _is_if(frame: OpenBlock) -> bool:
    """Whether it is an [IF] that waits for its [ENDIF]."""
    return isinstance(frame, OpenWhen) and bool(frame.old) and not frame.brief
