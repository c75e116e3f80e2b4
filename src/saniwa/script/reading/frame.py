"""What is open while a file is read, and what each becomes when it closes."""

import msgspec

from saniwa.script import node
from saniwa.script.language.expression import Expression
from saniwa.script.language.words import Words

MOST_OPTIONS = 500
"""Options one choice may have."""


class Frame:
    """Something open that takes elements. By itself, it gives them on as they are."""

    indent = -1
    """Lines indented no deeper end it; -1 for what only a closing line ends."""
    brief = False
    """Whether it ends after one element."""
    closer = "a line of :::"
    """What ends it."""

    def __init__(self, opener: str, line: int, column: int) -> None:
        self.opener, self.line, self.column = opener, line, column
        self.nodes: list[node.Node] = []

    def close(self, last: int) -> list[node.Node]:  # noqa: ARG002 - others need it
        """What it becomes in whatever is around it; it ended on line `last`."""
        return self.nodes


class Cases(Frame):
    """`:::when` or `[IF]`."""

    def __init__(
        self, opener: str, line: int, column: int, when: Expression, old: str = ""
    ) -> None:
        super().__init__(opener, line, column)
        self.old = old
        self.when: Expression | None = when
        self._begun = (line, column)
        self._cases: list[node.Case] = []
        if old:
            self.closer = "[ENDIF]"

    def turn(self, when: Expression | None, line: int, column: int) -> None:
        """End one case and begin the next."""
        self._end_case(line - 1)
        self.when, self._begun, self.nodes = when, (line, column), []

    def close(self, last: int) -> list[node.Node]:
        """The condition with all its cases."""
        self._end_case(last)
        cases = tuple(self._cases)
        return [node.When(self.line, self.column, last, cases, self.old)]

    def _end_case(self, last: int) -> None:
        block = tuple(self.nodes)
        self._cases.append(node.Case(*self._begun, last, self.when, block))


class Passage(Frame):
    """`:::route NAME`."""

    def __init__(self, label: node.Label) -> None:
        super().__init__(":::route", label.line, label.column)
        self._label = label

    def close(self, last: int) -> list[node.Node]:
        """The route."""
        block = tuple(self.nodes)
        return [node.Route(self.line, self.column, last, self._label, block)]


class Menu(Frame):
    """`:::choices`."""

    full: tuple[int, int] | None = None
    """Where the first option stands that is too many."""

    def close(self, last: int) -> list[node.Node]:
        """Its lists as one choice; routes among the items go behind it."""
        lists = [each for each in self.nodes if isinstance(each, node.Choice)]
        if not lists:
            return self.nodes
        options = tuple(option for each in lists for option in each.options)
        if len(options) > MOST_OPTIONS:
            spare = options[MOST_OPTIONS]
            self.full, options = (spare.line, spare.column), options[:MOST_OPTIONS]
        choice = node.Choice(self.line, self.column, last, options, self.opener)
        first = self.nodes.index(lists[0])
        rest = [n for n in self.nodes[first:] if not isinstance(n, node.Choice)]
        return [*self.nodes[:first], choice, *rest]


class Act(Frame):
    """`:::do WORDS`, with `:::refused` in it."""

    def __init__(self, line: int, column: int, words: Words) -> None:
        super().__init__(":::do", line, column)
        self._words = words
        self.done: list[node.Node] | None = None
        """What happens if it came true; None until `:::refused` comes."""

    def turn(self) -> None:
        """Go on with what happens if it did not come true."""
        self.done, self.nodes = self.nodes, []

    def close(self, last: int) -> list[node.Node]:
        """The deed."""
        done = self.nodes if self.done is None else self.done
        refused = None if self.done is None else tuple(self.nodes)
        place = (self.line, self.column, last)
        return [node.Deed(*place, self._words, tuple(done), refused)]


class Items(Frame):
    """A list: a choice whose last option is still open."""

    def __init__(self, line: int, column: int, indent: int) -> None:
        super().__init__("", line, column)
        self.indent = indent
        self.options: list[node.Option] = []
        self.full = False
        """Whether it had too many."""
        self.draft: node.Option | None = None
        """The option whose arm is being read."""
        self.refused: node.Block | None = None
        """What happens if its deed did not come true."""
        self.excused = False
        """Whether something is wrong with the open option that is told already."""
        self.uneven = False
        """Whether its items are not indented alike."""

    def end_option(self) -> node.Option | None:
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

    def close(self, last: int) -> list[node.Node]:  # noqa: ARG002 - ends with its items
        """The choice."""
        options = tuple(self.options)
        return [node.Choice(self.line, self.column, options[-1].last, options)]


class Refusal(Frame):
    """`:::refused` after a deed that already stands in the tree, or in an item's arm."""

    def __init__(self, line: int, column: int, owner: Frame, *, item: bool) -> None:
        super().__init__(":::refused", line, column)
        self._owner, self._item = owner, item

    def close(self, last: int) -> list[node.Node]:
        """Nothing of its own: it becomes part of the deed."""
        block, owner = tuple(self.nodes), self._owner
        if not self._item:
            deed = owner.nodes[-1]
            owner.nodes[-1] = msgspec.structs.replace(deed, refused=block, last=last)
        elif isinstance(owner, Items) and owner.draft is not None:
            owner.refused = block
            owner.draft = msgspec.structs.replace(owner.draft, last=last)
        return []
