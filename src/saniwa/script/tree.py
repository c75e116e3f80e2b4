"""Ways through the elements of a story: all of them, or what they hold.

Nothing here recurses: however deep arms and conditions stand in each other, walking
through them costs the number of elements.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from saniwa.script.language import words
from saniwa.script.language.expression import Expression
from saniwa.script.node import (
    Ask,
    Assign,
    Block,
    Choice,
    Deed,
    Jump,
    Label,
    Node,
    Option,
    Route,
    Say,
    Target,
    When,
)

_HOLDING: Final[frozenset[type[Node]]] = frozenset({When, Choice, Deed, Route})
"""Elements that hold others; most do not."""


def walk(block: Block) -> Iterator[Node]:
    """Every element in reading order, also those inside others.

    The label of a route is part of the route and does not come by itself; `labels`
    has it.
    """
    open_blocks = [iter(block)]
    while open_blocks:
        for element in open_blocks[-1]:
            yield element
            if element.__class__ in _HOLDING and (inner := inside(element)):
                open_blocks.append(chain.from_iterable(inner))
                break
        else:
            open_blocks.pop()


def inside(element: Node) -> tuple[Block, ...]:
    """The blocks an element holds, in reading order."""
    match element:
        case When(cases=cases):
            return tuple(case.block for case in cases)
        case Choice(options=offered):
            return tuple(chain.from_iterable(map(_after, offered)))
        case Deed(done=done, refused=refused):
            return (done, refused or ())
        case Route(block=block):
            return (block,)
        case _:
            return ()


def _after(option: Option) -> tuple[Block, ...]:
    return (option.arm, option.refused or ())


def labels(block: Block) -> Iterator[Label]:
    """Every label in reading order, those of routes too."""
    for element in walk(block):
        if isinstance(element, Label):
            yield element
        elif isinstance(element, Route):
            yield element.label


def options(block: Block) -> Iterator[Option]:
    """Every option; those of a list before those of the lists inside it."""
    for element in walk(block):
        if isinstance(element, Choice):
            yield from element.options


def targets(block: Block) -> Iterator[Target]:
    """Every target of a jump, a call or an option; a list's before those inside it."""
    for element in walk(block):
        if isinstance(element, Jump):
            yield element.target
        elif isinstance(element, Choice):
            yield from (o.target for o in element.options if o.target is not None)


def expressions(block: Block) -> Iterator[Expression]:
    """Every expression, also those in words and options."""
    for element in walk(block):
        yield from expressions_of(element)


def expressions_of(element: Node) -> Iterable[Expression]:
    """The expressions of one element, without those of the elements inside it."""
    match element:
        case Say(words=str()):
            return ()
        case Say(words=given) | Deed(words=given) | Ask(prompt=given):
            return _in_words(given)
        case Assign(worth=worth):
            return (worth,)
        case When(cases=cases):
            return (case.when for case in cases if case.when is not None)
        case Choice(options=offered):
            return chain.from_iterable(map(_of_option, offered))
        case _:
            return ()


def _of_option(option: Option) -> Iterator[Expression]:
    yield from _in_words(option.words)
    for condition in (option.only_if, option.enabled_if):
        if condition is not None:
            yield condition
    if option.deed is not None:
        yield from _in_words(option.deed)


def _in_words(given: words.Words) -> Iterable[Expression]:
    # Most words are plain text, which holds none.
    return () if isinstance(given, str) else words.expressions(given)
