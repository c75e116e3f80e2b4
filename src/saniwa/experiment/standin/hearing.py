"""What a stand-in reads in a prompt: no more than a model could."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from saniwa.agent.oracle import Request
from saniwa.experiment.standin.deed import Tongue
from saniwa.experiment.telling.card import BEGIN, END, Signal, read_signal
from saniwa.experiment.telling.facts import HEADING, Facts, read_facts

_CARD: Final = f"\n{BEGIN}\n"
_WORLD: Final = f"\n{HEADING}\n"
_FACT: Final = "FACT: "
_MARKS: Final = {"”": ": “", "」": ": 「"}
_TURN: Final = re.compile(
    r"Turn (\d{1,9})\. ?(?:(.{1,200}?)(?:, it is your turn\.|の番。))?"
)
_SELF: Final = re.compile(r"(?:You are |あなたは)(.{1,200}?)[.。](.{0,2000})")
_ASKED: Final = re.compile(r"\bin (English|Japanese):|日本語で")
_KANA: Final = re.compile("[ぁ-ゖァ-ヺ]")
_REMEMBERED: Final = 12
_LONGEST: Final = 20_000
_LONGEST_PROSE: Final = 4_000


class Heard(NamedTuple):
    """A prompt, read."""

    name: str
    """Whom it plays."""
    nature: str
    """What it is told about them."""
    tongue: Tongue
    """What it is to speak."""
    turn: int
    """The number of the turn."""
    prose: str
    """The author's words: the opening, what the character wants."""
    talk: tuple[tuple[str, str], ...]
    """The talk so far: who, and what they said and did."""
    facts: Facts | None
    """What it is told is true here; None where it is told nothing."""
    remarks: tuple[str, ...]
    """What the game master said about the turn before."""
    signal: Signal | None
    """The card its last attempt was answered with."""

    @property
    def own(self) -> tuple[str, ...]:
        """Its own lines of the talk."""
        return tuple(text for who, text in self.talk if who == self.name)


def hear(request: Request) -> Heard:
    """Everything in the prompt that a stand-in goes by. Total: every prompt is some."""
    whole = request.messages[-1].text[-_LONGEST:] if request.messages else ""
    text, signal = _without_card(f"\n{whole}")
    text, facts = _without_facts(text)
    number, name = _turn(text)
    named, nature, tongue = _told_of_itself(request.system[:_LONGEST])
    prose, talk, remarks = _lines(text)
    return Heard(
        name=name or named,
        nature=nature,
        tongue=tongue,
        turn=number,
        prose=prose,
        talk=talk,
        facts=facts,
        remarks=remarks,
        signal=signal,
    )


def _without_card(text: str) -> tuple[str, Signal | None]:
    start = text.rfind(_CARD)
    if start < 0:
        return text, None
    end = text.find(END, start)
    rest = text[end + len(END) :] if end >= 0 else ""
    card = text[start + 1 : end + len(END)] if end >= 0 else text[start + 1 :]
    return text[:start] + rest, read_signal(card)


def _without_facts(text: str) -> tuple[str, Facts | None]:
    start = text.rfind(_WORLD)
    if start < 0:
        return text, None
    end = text.find("\n\n", start + len(_WORLD))
    end = end if end >= 0 else len(text)
    return text[:start] + text[end:], _facts(text[start:end])


@lru_cache(maxsize=256)
def _facts(block: str) -> Facts | None:
    return read_facts(block)


def _turn(text: str) -> tuple[int, str]:
    """The number of the turn and whose it is, as the last line tells."""
    start = max(text.rfind("Turn "), 0)
    found = _TURN.match(text, start)
    return (int(found[1]), found[2] or "") if found else (0, "")


@lru_cache(maxsize=256)
def _told_of_itself(system: str) -> tuple[str, str, Tongue]:
    """Its name, its nature and its tongue."""
    found = _SELF.search(system)
    asked = _ASKED.search(system)
    japanese = asked[1] != "English" if asked else bool(_KANA.search(system))
    name, nature = (found[1], found[2].strip()) if found else ("", "")
    return name, nature, "ja" if japanese else "en"


def _lines(
    text: str,
) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
    prose: list[str] = []
    talk: list[tuple[str, str]] = []
    remarks: list[str] = []
    for line in text.split("\n"):
        said = _said(line)
        if said is not None:
            talk.append(said)
        elif line.startswith(_FACT):
            remarks.append(line[len(_FACT) :])
        elif line and not talk and not line.startswith("Turn "):
            prose.append(line)
    return "\n".join(prose)[:_LONGEST_PROSE], tuple(talk[-_REMEMBERED:]), tuple(remarks)


def _said(line: str) -> tuple[str, str] | None:
    opened = _MARKS.get(line[-1:])
    if opened is None or opened not in line:
        return None
    who, _, text = line.partition(opened)
    return who, text[:-1]
