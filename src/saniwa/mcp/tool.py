"""What a tool is: its words for a model, its shapes, and what it does."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

Answer = msgspec.Struct
"""Whatever a tool answers; each tool says which."""


class Reply(NamedTuple):
    """What came of a call."""

    shape: Answer | dict[str, Any]
    """For machines: the tool's answer, or what went wrong."""
    text: str
    """The same for people and models that read."""
    failed: bool = False
    """Whether something stopped us; a refusal is an answer and no failure."""
    changed: tuple[str, ...] = ()
    """The addresses of resources that are not what they were."""
    added: bool = False
    """Whether there are more resources than before."""


class Tool(NamedTuple):
    """One tool as clients see it."""

    name: str
    """What it is called."""
    title: str
    """Its name for people."""
    description: str
    """What a model is told about it."""
    takes: type[msgspec.Struct]
    """Its arguments."""
    gives: type[Answer]
    """Its answer when nothing stops it."""
    call: Callable[[Any], Reply]
    """Does it; may block, and raises for whatever stops it."""
    reads: bool = True
    """Whether it changes nothing."""
    repeats: bool = False
    """Whether the same call again changes nothing more."""
    alone: bool = False
    """Whether it waits for others of its kind."""
