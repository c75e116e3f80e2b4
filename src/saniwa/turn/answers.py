"""Answer questions from the speaker's view, without changing anything.

A question claim has a `kind`, the `words`, and perhaps a `target` in the speaker's words
or the `deed` it asks about. An answer says only what the speaker could see or knows.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from saniwa.language.phrasebook import render_sentence
from saniwa.turn.description import describe_exits, describe_people, describe_room, list_inventory
from saniwa.turn.record import QuestionAnswer
from saniwa.world.model import Id, World
from saniwa.world.view import find_room

HOST_COMMANDS: Final = (
    "actions", "help", "hint", "history", "inventory", "load", "save", "undo", "why",
)  # fmt: skip
"""The words for the host; they mean the same at every door."""
_LONGEST: Final = 80


class _Question(NamedTuple):
    """One question and who asks it where."""

    claim: dict[Any, Any]
    speaker: Id
    world: World

    def render(self, line: str, **fields: object) -> str:
        """A sentence in the world's language."""
        return render_sentence(self.world.language, line, **fields)

    def get_text(self, field: str) -> str:
        """A text of the claim, shortened; empty if there is none."""
        value = self.claim.get(field)
        return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""


def is_question(claim: object) -> bool:
    """Whether the claim is a question or a word for the host, and no action."""
    return isinstance(claim, dict) and claim.get("type") in ("question", "host")


def answer_question(claim: object, index: int, speaker: Id, world: World) -> QuestionAnswer:
    """Answer a claim for which `is_question` holds; total for any such claim."""
    assert isinstance(claim, dict), "a question is an object"
    host = claim.get("type") == "host"
    asked = claim.get("command" if host else "kind")
    known = _HOST_ANSWERS if host else _ANSWERS
    kind = asked if isinstance(asked, str) and asked in known else "other"
    question = _Question(claim, speaker, world)
    lines = tuple(line for line in known[kind](question) if line)
    return QuestionAnswer(index=index, kind=f"host.{kind}" if host else kind, lines=lines)


def _answer_place(question: _Question) -> Iterator[str]:
    room = question.world.locations.get(find_room(question.world, question.speaker) or Id(""))
    if room is None:
        yield question.render("room.nowhere")
        return
    yield question.render("answer.place", place=room.name)
    yield room.description if room.description != room.name else ""


def _answer_people(question: _Question) -> Iterator[str]:
    people = describe_people(question.world, question.speaker)
    yield people or question.render("answer.alone")


def _answer_scene(question: _Question) -> Iterator[str]:
    yield from (line.text for line in describe_room(question.world, question.speaker))


def _answer_holdings(question: _Question) -> Iterator[str]:
    yield from (line.text for line in list_inventory(question.world, question.speaker))


def _answer_exits(question: _Question) -> Iterator[str]:
    yield describe_exits(question.world, question.speaker)


def _answer_other(question: _Question) -> Iterator[str]:
    yield question.render("answer.other", words=question.get_text("words"))


_Answering = Callable[[_Question], Iterator[str]]
_ANSWERS: Final[dict[str, _Answering]] = {
    "where_am_i": _answer_place,
    "who_is_here": _answer_people,
    "what_is_here": _answer_scene,
    "what_do_i_have": _answer_holdings,
    "exits": _answer_exits,
    "other": _answer_other,
}
_HOST_ANSWERS: Final[dict[str, _Answering]] = {
    **dict.fromkeys(HOST_COMMANDS, _answer_other),
    "inventory": _answer_holdings,
    "other": _answer_other,
}
