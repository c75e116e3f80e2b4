"""A story as its author wrote it: a tree of elements, each with its place.

Made by `parser`, read by `compile`, `lint`, `tools.notation_update` and the editor tools.
Nothing here says what an element does when it is played; the program does. Lines and
columns count from 1, columns in characters.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Annotated, Final, Literal

import msgspec

from saniwa.core.findings import Finding
from saniwa.documents.document import Document
from saniwa.documents.record_reader import NOT_WRITTEN
from saniwa.story import text_template
from saniwa.story.expression_parser import Expression
from saniwa.story.text_template import Words
from saniwa.story.value_operations import Value


class _Element(msgspec.Struct, frozen=True, gc=False):
    """One element. `line` and `column` say where it begins, `last` on which line it ends."""

    line: int
    """The line it begins on."""
    column: int
    """The column it begins at."""
    last: int
    """The line it ends on; blocks end where their fence or last inner line does."""


class LinkTarget(msgspec.Struct, frozen=True, gc=False):
    """Where a link leads, as written."""

    label: str
    """The label, without its `#`; empty for a whole file."""
    file: str = ""
    """Another file, relative to this one; empty for this one."""
    line: int = 0
    """Where the label (else the file) is written."""
    column: int = 0
    """Where the label (else the file) is written."""


LabelKind = Literal["section", "scene", "label", "route"]
"""A label's notation: `## name`, `# scene: name`, `[LABEL name=…]`, `:::route name`."""


class LabelElement(_Element, frozen=True, gc=False):
    """A place to jump to."""

    name: str
    """The name as written."""
    kind: LabelKind
    """Its notation. Flow returns from a call where a section or scene begins."""
    name_column: int
    """Where the name is written."""


class SayElement(_Element, frozen=True, gc=False):
    """A line of narration or speech."""

    speaker: str
    """Who speaks, as written; empty for the narrator."""
    words: Words
    """The text; line breaks are preserved."""
    id: str = ""
    """The author's own id."""
    tags: tuple[str, ...] = ()
    """Tags, without their dots."""
    values: tuple[tuple[str, str], ...] = ()
    """Other attributes, such as `voice`; sorted by name."""
    old: str = ""
    """The old command that wrote it, such as `SAY`; empty for the plain form."""
    click: bool = False
    """Whether an old `[c]` after it asks for a click of its own."""
    named: bool = True
    """Whether the id is the author's own; in a program, every line has an id."""


class PictureElement(_Element, frozen=True, gc=False):
    """Show a picture on a layer."""

    name: str
    """Logical name."""
    layer: str = "main"
    """The layer to show it on."""
    name_column: int = 0
    """Where the name is written; 0 for front matter."""


class SoundElement(_Element, frozen=True, gc=False):
    """Play music, an effect or a film."""

    kind: Literal["bgm", "se", "movie"]
    """The kind of sound or film."""
    name: str
    """Logical name."""
    name_column: int = 0
    """Where the name is written; 0 for front matter."""


class PauseElement(_Element, frozen=True, gc=False):
    """Wait for some time."""

    seconds: float
    """How long."""


class ClearElement(_Element, frozen=True, gc=False):
    """Clear a layer."""

    layer: str
    """Which."""


class EventElement(_Element, frozen=True, gc=False):
    """Send the host an event of the author's own."""

    name: str
    """The event's name."""
    values: tuple[tuple[str, str], ...] = ()
    """Its values, in the order written."""


class JumpElement(_Element, frozen=True, gc=False):
    """Continue at a label; a call returns afterwards."""

    target: LinkTarget
    """Where to."""
    call: bool = False
    """Whether flow returns here."""
    old: str = ""
    """The old command that wrote it; empty for a link."""


class ReturnElement(_Element, frozen=True, gc=False):
    """Return to after the call."""


class EndingElement(_Element, frozen=True, gc=False):
    """End the story."""

    id: str
    """The id of the ending."""
    name: str = ""
    """Its display name."""
    old: str = ""
    """The old command that wrote it; empty for a comment."""


class AssignElement(_Element, frozen=True, gc=False):
    """Assign a value to a variable."""

    name: str
    """The variable's name."""
    name_column: int
    """Where the name is written."""
    operator: Literal["=", "+=", "-=", "*=", "/="]
    """The assignment operator."""
    worth: Expression
    """The expression on the right side."""
    old: str = ""
    """The old command that wrote it (`MODIFY`, or `SET` with `name=`); else empty."""


class WhenCase(_Element, frozen=True, gc=False):
    """One case of a condition."""

    when: Expression | None
    """The condition; None for `else`."""
    block: "Block"
    """What is played if it is true."""


class WhenElement(_Element, frozen=True, gc=False):
    """A condition: the first case that is true is played."""

    cases: tuple[WhenCase, ...]
    """In order; at most the last has no condition."""
    old: str = ""
    """The old command that wrote it (`JUMP_IF`, `IF`); else empty."""


class DoElement(_Element, frozen=True, gc=False):
    """A deed in the story's world: what follows depends on whether it is allowed."""

    words: Words
    """The deed, in a player's words."""
    done: "Block" = ()
    """What is played if it succeeds."""
    refused: "Block | None" = None
    """What is played if it is refused; None shows the world's own reason."""


class AskElement(_Element, frozen=True, gc=False):
    """Ask the player for free text."""

    prompt: Words
    """The question; may be empty."""
    name: str = ""
    """The variable for the answer; if empty, the answer is played in the world."""
    name_column: int = 0
    """Where the variable's name is written."""


class ChoiceOption(_Element, frozen=True, gc=False):
    """One option of a choice."""

    words: Words
    """Its text."""
    target: LinkTarget | None = None
    """The label it leads to; None for an arm."""
    call: bool = False
    """Whether flow returns from the target."""
    arm: "Block" = ()
    """What is played when it is chosen; then flow continues after the list."""
    once: bool = False
    """Whether it disappears once chosen."""
    only_if: Expression | None = None
    """Hidden unless this is true."""
    enabled_if: Expression | None = None
    """Shown but disabled unless this is true."""
    fallback: bool = False
    """Whether it is taken automatically when nothing else can be chosen."""
    ask: bool = False
    """Whether it accepts the player's free text."""
    deed: Words | None = None
    """The deed that choosing it does in the world; the rest follows if it succeeds."""
    refused: "Block | None" = None
    """What is played if the deed is refused; None shows the world's own reason."""
    id: str = ""
    """The author's own id."""
    tags: tuple[str, ...] = ()
    """Tags, without their dots."""
    values: tuple[tuple[str, str], ...] = ()
    """Other attributes; sorted by name."""
    named: bool = True
    """Whether the id is the author's own; in a program, every option has an id."""
    to: int = 0
    """In a program, the address to continue at when it is chosen."""

    @property
    def heading(self) -> str:
        """The label a plain link leads to; empty for an arm."""
        plain = self.target is not None and not self.arm and self.deed is None
        return self.target.label if plain and self.target is not None else ""


class ChoiceElement(_Element, frozen=True, gc=False):
    """A list of options."""

    options: tuple[ChoiceOption, ...]
    """The options, in order."""
    old: str = ""
    """The old notation that wrote it (`BRANCH`, `:::choices`); empty for a list."""


class RouteElement(_Element, frozen=True, gc=False):
    """A passage that is entered only by its name; flow skips it otherwise."""

    label: LabelElement
    """Its label."""
    block: "Block"
    """What is played there."""


DirectElement = (
    SayElement
    | PictureElement
    | SoundElement
    | PauseElement
    | ClearElement
    | EventElement
    | ReturnElement
    | AssignElement
    | AskElement
)
"""Elements that a program contains unchanged, as operations."""
Element = (
    DirectElement
    | LabelElement
    | JumpElement
    | EndingElement
    | WhenElement
    | DoElement
    | ChoiceElement
    | RouteElement
)
"""All elements. A closed union."""
Block = tuple[Element, ...]
"""Elements in order."""


class Declaration(msgspec.Struct, frozen=True, gc=False):
    """A name an author declares, with its place."""

    name: str
    """The name."""
    value: Value = None
    """A variable's initial value."""
    line: int = 0
    """Where it is declared."""
    column: int = 0
    """Where it is declared."""


class WorldReference(msgspec.Struct, frozen=True, kw_only=True):
    """The world a story is played in, as its front matter names it."""

    scenario: str
    """A scenario's id or file."""
    actor: str = ""
    """The actor the player controls; empty for the scenario's first."""
    book: str = ""
    """The rulebook; empty for the scenario's own."""


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """The front matter of a story: its metadata and declarations."""

    id: str = ""
    """Its id."""
    title: str = ""
    """Its title."""
    language: str = ""
    """The language it is written in, such as `en`."""
    background: str = ""
    """The picture it begins with."""
    bgm: str = ""
    """The music it begins with."""
    variables: Annotated[tuple[Declaration, ...], NOT_WRITTEN] = ()
    """Declared variables."""
    cast: Annotated[tuple[Declaration, ...] | None, NOT_WRITTEN] = None
    """Declared speakers; None if none are declared."""
    events: tuple[str, ...] = ()
    """Commands that the host understands in addition to the built-in ones."""
    assets: str = ""
    """The folder of pictures and sounds, relative to the story."""
    ground: Annotated[WorldReference | None, NOT_WRITTEN] = None
    """The world it is played in."""
    document: Annotated[Document | None, NOT_WRITTEN] = None
    """The front matter with its places; None if there is none."""
    last: Annotated[int, NOT_WRITTEN] = 0
    """The line of its closing `---`; 0 if there is none."""
    unread: Annotated[bool, NOT_WRITTEN] = False
    """Whether it is invalid, so that its declarations are unknown."""


class StoryScene(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One parsed file: its elements, and the findings of parsing."""

    file: str
    """The file as the author named it."""
    text: str
    """The whole text."""
    front: FrontMatter
    """Its front matter."""
    title: str = ""
    """Its `# Title`, else the front matter's."""
    block: Block = ()
    """Its elements."""
    findings: tuple[Finding, ...] = ()
    """What the parser found; findings about the whole story come from `lint`."""
    doubted: frozenset[str] = frozenset()
    """Possible speakers in lines read as narration, because nothing declares them."""
    excused: frozenset[tuple[str, int]] = frozenset()
    """Findings `lint` skips, by code and line: those of parsing explain them."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of its text, without their ends."""
        return split_lines(self.text)

    def get_line(self, number: int) -> str:
        """Return a line, counted from 1; empty if there is no such line."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


def split_lines(text: str) -> list[str]:
    """Split into lines without their ends, numbered as everywhere in this package."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


_CONTAINERS: Final[frozenset[type[Element]]] = frozenset(
    {WhenElement, ChoiceElement, DoElement, RouteElement}
)
"""Elements that contain other elements; most do not."""


def walk_elements(block: Block) -> Iterator[Element]:
    """Yield every element in reading order, including nested ones.

    The label of a route is part of the route and is not yielded by itself; use
    `list_labels` for it.
    """
    open_blocks = [iter(block)]
    while open_blocks:
        for element in open_blocks[-1]:
            yield element
            if element.__class__ in _CONTAINERS and (inner := list_inner_blocks(element)):
                open_blocks.append(chain.from_iterable(inner))
                break
        else:
            open_blocks.pop()


def list_inner_blocks(element: Element) -> tuple[Block, ...]:
    """List the blocks of an element, in reading order."""
    match element:
        case WhenElement(cases=cases):
            return tuple(case.block for case in cases)
        case ChoiceElement(options=offered):
            return tuple(chain.from_iterable(map(_list_option_blocks, offered)))
        case DoElement(done=done, refused=refused):
            return (done, refused or ())
        case RouteElement(block=block):
            return (block,)
        case _:
            return ()


def _list_option_blocks(option: ChoiceOption) -> tuple[Block, ...]:
    return (option.arm, option.refused or ())


def list_labels(block: Block) -> Iterator[LabelElement]:
    """Yield every label in reading order, including those of routes."""
    for element in walk_elements(block):
        if isinstance(element, LabelElement):
            yield element
        elif isinstance(element, RouteElement):
            yield element.label


def list_targets(block: Block) -> Iterator[LinkTarget]:
    """Yield every target of a jump, call or option; a list's before nested ones."""
    for element in walk_elements(block):
        if isinstance(element, JumpElement):
            yield element.target
        elif isinstance(element, ChoiceElement):
            yield from (o.target for o in element.options if o.target is not None)


def list_expressions(block: Block) -> Iterator[Expression]:
    """Yield every expression, including those in texts and options."""
    for element in walk_elements(block):
        yield from list_element_expressions(element)


def list_element_expressions(element: Element) -> Iterable[Expression]:
    """List the expressions of one element, without those of nested elements."""
    match element:
        case SayElement(words=str()):
            return ()
        case SayElement(words=given) | DoElement(words=given) | AskElement(prompt=given):
            return _list_word_expressions(given)
        case AssignElement(worth=worth):
            return (worth,)
        case WhenElement(cases=cases):
            return (case.when for case in cases if case.when is not None)
        case ChoiceElement(options=offered):
            return chain.from_iterable(map(_list_option_expressions, offered))
        case _:
            return ()


def _list_option_expressions(option: ChoiceOption) -> Iterator[Expression]:
    yield from _list_word_expressions(option.words)
    for condition in (option.only_if, option.enabled_if):
        if condition is not None:
            yield condition
    if option.deed is not None:
        yield from _list_word_expressions(option.deed)


def _list_word_expressions(given: text_template.Words) -> Iterable[Expression]:
    # Most words are plain text, without expressions.
    return () if isinstance(given, str) else text_template.find_text_expressions(given)
