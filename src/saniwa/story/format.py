"""A story as its author wrote it: a tree of elements, each with its place.

Made by `markdown`, read by `compile`, `lint`, `rewrite` and the editor's questions. Nothing
here knows what an element does when it is played; that is the program's business. Lines
and columns count from 1, columns in characters.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, Literal

import msgspec

from saniwa.core.findings import Finding
from saniwa.documents.document import Document
from saniwa.story import text
from saniwa.story.evaluation import Value
from saniwa.story.expressions import Expression
from saniwa.story.text import Words


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
"""`## name`, `# scene: name`, `[LABEL name=…]`, `:::route name`."""


class LabelElement(_Element, frozen=True, gc=False):
    """A place to jump to."""

    name: str
    """The name as written."""
    kind: LabelKind
    """Which notation made it. Flow returns from a call where a section or scene begins."""
    name_column: int
    """Where the name is written."""


class SayElement(_Element, frozen=True, gc=False):
    """A line of narration or speech."""

    speaker: str
    """Who speaks, as written; empty for the narrator."""
    words: Words
    """What is said; line breaks kept."""
    id: str = ""
    """The author's own id."""
    tags: tuple[str, ...] = ()
    """Tags, without their dots."""
    values: tuple[tuple[str, str], ...] = ()
    """What else the author attached, such as `voice`; sorted by name."""
    old: str = ""
    """The old command that wrote it, such as `SAY`; empty for the plain form."""
    click: bool = False
    """Whether an old `[c]` behind it asks for a click of its own."""


class PictureElement(_Element, frozen=True, gc=False):
    """Show a picture on a layer."""

    name: str
    """Logical name."""
    layer: str = "main"
    """Where to."""
    name_column: int = 0
    """Where the name is written; 0 for front matter."""


class SoundElement(_Element, frozen=True, gc=False):
    """Play music, an effect or a film."""

    kind: Literal["bgm", "se", "movie"]
    """What sort of thing is played."""
    name: str
    """Logical name."""
    name_column: int = 0
    """Where the name is written; 0 for front matter."""


class PauseElement(_Element, frozen=True, gc=False):
    """Let time pass."""

    seconds: float
    """How long."""


class ClearElement(_Element, frozen=True, gc=False):
    """Empty a layer."""

    layer: str
    """Which."""


class EventElement(_Element, frozen=True, gc=False):
    """Tell the host something of the author's own."""

    name: str
    """What happened."""
    values: tuple[tuple[str, str], ...] = ()
    """What comes with it, in the order written."""


class JumpElement(_Element, frozen=True, gc=False):
    """Go on somewhere else; as a call, come back after."""

    target: LinkTarget
    """Where to."""
    call: bool = False
    """Whether flow returns here."""
    old: str = ""
    """The old command that wrote it; empty for a link."""


class ReturnElement(_Element, frozen=True, gc=False):
    """Go back to after the call."""


class EndingElement(_Element, frozen=True, gc=False):
    """The story ends."""

    id: str
    """Which ending."""
    name: str = ""
    """Its name for people."""
    old: str = ""
    """The old command that wrote it; empty for a comment."""


class AssignElement(_Element, frozen=True, gc=False):
    """Give a variable a value."""

    name: str
    """Which."""
    name_column: int
    """Where the name is written."""
    operator: Literal["=", "+=", "-=", "*=", "/="]
    """How."""
    worth: Expression
    """What."""
    old: str = ""
    """The old command that wrote it (`MODIFY`, or `SET` with `name=`); else empty."""


class WhenCase(_Element, frozen=True, gc=False):
    """One part of a condition: what happens if."""

    when: Expression | None
    """If what; None for `else`."""
    block: "Block"
    """What happens."""


class WhenElement(_Element, frozen=True, gc=False):
    """The first case that holds happens."""

    cases: tuple[WhenCase, ...]
    """In order; at most the last has no condition."""
    old: str = ""
    """The old command that wrote it (`JUMP_IF`, `IF`); else empty."""


class DoElement(_Element, frozen=True, gc=False):
    """Something done in the world beneath: what follows depends on the verdict."""

    words: Words
    """What is done, in a player's words."""
    done: "Block" = ()
    """What happens if it came true."""
    refused: "Block | None" = None
    """What happens if it did not; None lets the world tell why."""


class AskElement(_Element, frozen=True, gc=False):
    """The person answers in their own words."""

    prompt: Words
    """What is asked; may be empty."""
    name: str = ""
    """The variable that keeps the answer; empty: the words are played in the world."""
    name_column: int = 0
    """Where the variable's name is written."""


class ChoiceOption(_Element, frozen=True, gc=False):
    """One thing to choose."""

    words: Words
    """How people read it."""
    target: LinkTarget | None = None
    """Where it leads; None for an arm."""
    call: bool = False
    """Whether flow returns from the target."""
    arm: "Block" = ()
    """What happens when it is chosen; then flow meets the others after the list."""
    once: bool = False
    """Whether it is gone once chosen."""
    only_if: Expression | None = None
    """Hidden unless this holds."""
    enabled_if: Expression | None = None
    """Shown, but not to be chosen, unless this holds."""
    fallback: bool = False
    """Whether it is taken by itself when nothing else can be chosen."""
    ask: bool = False
    """Whether it stands for the person's own words."""
    deed: Words | None = None
    """What choosing it does in the world; what follows, follows if it came true."""
    refused: "Block | None" = None
    """What happens if it did not come true; None lets the world tell why."""
    id: str = ""
    """The author's own id."""
    tags: tuple[str, ...] = ()
    """Tags, without their dots."""
    values: tuple[tuple[str, str], ...] = ()
    """What else the author attached; sorted by name."""


class ChoiceElement(_Element, frozen=True, gc=False):
    """A list of options."""

    options: tuple[ChoiceOption, ...]
    """In order."""
    old: str = ""
    """The old notation that wrote it (`BRANCH`, `:::choices`); empty for a list."""


class RouteElement(_Element, frozen=True, gc=False):
    """A passage that is entered only by its name; flow steps over it."""

    label: LabelElement
    """Its name."""
    block: "Block"
    """What happens there."""


Element = (
    LabelElement
    | SayElement
    | PictureElement
    | SoundElement
    | PauseElement
    | ClearElement
    | EventElement
    | JumpElement
    | ReturnElement
    | EndingElement
    | AssignElement
    | WhenElement
    | DoElement
    | AskElement
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
    """A variable's first value."""
    line: int = 0
    """Where it is declared."""
    column: int = 0
    """Where it is declared."""


class WorldReference(msgspec.Struct, frozen=True, kw_only=True):
    """The world a story stands on, as its front matter names it."""

    scenario: str
    """A scenario's id or file."""
    actor: str = ""
    """Whom the reader plays; empty for the scenario's first."""
    book: str = ""
    """The rulebook; empty for the scenario's own."""


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """What a story says about itself before it begins."""

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
    variables: tuple[Declaration, ...] = ()
    """Declared variables."""
    cast: tuple[Declaration, ...] | None = None
    """Declared speakers; None where nobody declares any."""
    events: tuple[str, ...] = ()
    """Commands the host understands beside ours."""
    assets: str = ""
    """The folder of pictures and sounds, relative to the story."""
    ground: WorldReference | None = None
    """The world it stands on."""
    document: Document | None = None
    """The front matter with its places; None where there is none."""
    last: int = 0
    """The line its closing `---` stands on; 0 where there is none."""
    unread: bool = False
    """Whether there is one that cannot be read, so that nobody knows what it declares."""


class StoryScene(msgspec.Struct, frozen=True, kw_only=True):
    """One file, read: its elements, and what is wrong with it so far."""

    file: str
    """The file as the author named it."""
    text: str
    """The whole text."""
    front: FrontMatter
    """What it says about itself."""
    title: str = ""
    """Its `# Title`, else the front matter's."""
    block: Block = ()
    """Its elements."""
    findings: tuple[Finding, ...] = ()
    """What reading found; what is wrong with the story as a whole comes from `lint`."""
    doubted: frozenset[str] = frozenset()
    """Names that may speak in lines read as narration, because nothing makes them known."""
    excused: frozenset[tuple[str, int]] = frozenset()
    """What `lint` need not tell of, by code and line: what reading found explains it."""


_CONTAINERS: Final[frozenset[type[Element]]] = frozenset(
    {WhenElement, ChoiceElement, DoElement, RouteElement}
)
"""Elements that hold others; most do not."""


def walk_elements(block: Block) -> Iterator[Element]:
    """Every element in reading order, also those inside others.

    The label of a route is part of the route and does not come by itself; `list_labels`
    has it.
    """
    open_blocks = [iter(block)]
    while open_blocks:
        for element in open_blocks[-1]:
            yield element
            if element.__class__ in _CONTAINERS and (
                inner := list_inner_blocks(element)
            ):
                open_blocks.append(chain.from_iterable(inner))
                break
        else:
            open_blocks.pop()


def list_inner_blocks(element: Element) -> tuple[Block, ...]:
    """The blocks an element holds, in reading order."""
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
    """Every label in reading order, those of routes too."""
    for element in walk_elements(block):
        if isinstance(element, LabelElement):
            yield element
        elif isinstance(element, RouteElement):
            yield element.label


def list_options(block: Block) -> Iterator[ChoiceOption]:
    """Every option; those of a list before those of the lists inside it."""
    for element in walk_elements(block):
        if isinstance(element, ChoiceElement):
            yield from element.options


def list_targets(block: Block) -> Iterator[LinkTarget]:
    """Every target of a jump, a call or an option; a list's before those inside it."""
    for element in walk_elements(block):
        if isinstance(element, JumpElement):
            yield element.target
        elif isinstance(element, ChoiceElement):
            yield from (o.target for o in element.options if o.target is not None)


def list_expressions(block: Block) -> Iterator[Expression]:
    """Every expression, also those in words and options."""
    for element in walk_elements(block):
        yield from list_element_expressions(element)


def list_element_expressions(element: Element) -> Iterable[Expression]:
    """The expressions of one element, without those of the elements inside it."""
    match element:
        case SayElement(words=str()):
            return ()
        case (
            SayElement(words=given) | DoElement(words=given) | AskElement(prompt=given)
        ):
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


def _list_word_expressions(given: text.Words) -> Iterable[Expression]:
    # Most words are plain text, which holds none.
    return () if isinstance(given, str) else text.find_text_expressions(given)
