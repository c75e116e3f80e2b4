"""Reads a prompt for a stand-in, which uses no more than a model could."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from saniwa.experiment.prompts import (
    CARD_BEGIN,
    CARD_END,
    FACTS_HEADING,
    GuidanceSignal,
    SpeakerFacts,
    read_facts,
    read_guidance_card,
)
from saniwa.experiment.stand_in.deeds import StandInDeed, StandInLanguage, find_deeds, is_sayable
from saniwa.models.oracle import OracleRequest

_CARD: Final = f"\n{CARD_BEGIN}\n"
_WORLD: Final = f"\n{FACTS_HEADING}\n"
_FACT: Final = "FACT: "
_MARKS: Final = {"”": ": “", "」": ": 「"}
_TURN: Final = re.compile(r"Turn (\d{1,9})\. ?(?:(.{1,200}?)(?:, it is your turn\.|の番。))?")
_SELF: Final = re.compile(r"(?:You are |あなたは)(.{1,200}?)[.。](.{0,2000})")
_ASKED: Final = re.compile(r"\bin (English|Japanese):|日本語で")
_KANA: Final = re.compile("[ぁ-ゖァ-ヺ]")
_parse_facts: Final = lru_cache(maxsize=256)(read_facts)
_REMEMBERED: Final = 12
_LONGEST: Final = 20_000
_LONGEST_PROSE: Final = 4_000


class PromptReading(NamedTuple):
    """A parsed prompt."""

    name: str
    """The name of the character."""
    nature: str
    """The description of the character."""
    tongue: StandInLanguage
    """The language to speak."""
    turn: int
    """The number of the turn."""
    prose: str
    """The author's text: the opening, and the character's goals."""
    talk: tuple[tuple[str, str], ...]
    """The transcript: the speaker of each line, and its text."""
    facts: SpeakerFacts | None
    """The facts in the prompt; None if there are none."""
    remarks: tuple[str, ...]
    """The game master's facts about the turn before."""
    signal: GuidanceSignal | None
    """The guidance card for its last attempt."""

    @property
    def own_lines(self) -> tuple[str, ...]:
        """Its own lines in the transcript."""
        return tuple(text for who, text in self.talk if who == self.name)


def read_prompt(request: OracleRequest) -> PromptReading:
    """Parse what a stand-in needs from a prompt. Never fails."""
    message = request.messages[-1].text[-_LONGEST:] if request.messages else ""
    text, signal = _split_card(f"\n{message}")
    text, facts = _split_facts(text)
    number, name = _parse_turn(text)
    named, nature, language = _parse_system(request.system[:_LONGEST])
    prose, talk, remarks = _parse_lines(text)
    return PromptReading(
        name=name or named,
        nature=nature,
        tongue=language,
        turn=number,
        prose=prose,
        talk=talk,
        facts=facts,
        remarks=remarks,
        signal=signal,
    )


def _split_card(text: str) -> tuple[str, GuidanceSignal | None]:
    start = text.rfind(_CARD)
    if start < 0:
        return text, None
    end = text.find(CARD_END, start)
    rest = text[end + len(CARD_END) :] if end >= 0 else ""
    card = text[start + 1 : end + len(CARD_END)] if end >= 0 else text[start + 1 :]
    return text[:start] + rest, read_guidance_card(card)


def _split_facts(text: str) -> tuple[str, SpeakerFacts | None]:
    start = text.rfind(_WORLD)
    if start < 0:
        return text, None
    end = text.find("\n\n", start + len(_WORLD))
    end = end if end >= 0 else len(text)
    return text[:start] + text[end:], _parse_facts(text[start:end])


def _parse_turn(text: str) -> tuple[int, str]:
    """Parse the turn's number and speaker from the last line."""
    start = max(text.rfind("Turn "), 0)
    found = _TURN.match(text, start)
    return (int(found[1]), found[2] or "") if found else (0, "")


@lru_cache(maxsize=256)
def _parse_system(system: str) -> tuple[str, str, StandInLanguage]:
    """Parse its name, description and language."""
    found = _SELF.search(system)
    asked = _ASKED.search(system)
    japanese = asked[1] != "English" if asked else bool(_KANA.search(system))
    name, nature = (found[1], found[2].strip()) if found else ("", "")
    return name, nature, "ja" if japanese else "en"


def _parse_lines(text: str) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
    prose: list[str] = []
    talk: list[tuple[str, str]] = []
    remarks: list[str] = []
    for line in text.split("\n"):
        spoken = _parse_speech(line)
        if spoken is not None:
            talk.append(spoken)
        elif line.startswith(_FACT):
            remarks.append(line[len(_FACT) :])
        elif line and not talk and not line.startswith("Turn "):
            prose.append(line)
    return "\n".join(prose)[:_LONGEST_PROSE], tuple(talk[-_REMEMBERED:]), tuple(remarks)


def _parse_speech(line: str) -> tuple[str, str] | None:
    opened = _MARKS.get(line[-1:])
    if opened is None or opened not in line:
        return None
    who, _, text = line.partition(opened)
    return who, text[:-1]


class TalkMemory(NamedTuple):
    """What a stand-in concludes from the transcript."""

    here: tuple[str, ...]
    """Things that were used since the speaker came here."""
    elsewhere: tuple[str, ...]
    """Things that were used before the speaker left another place."""
    taken: frozenset[str]
    """Things that any character took."""
    places: tuple[str, ...]
    """Places that characters went to, except the speaker's own."""
    done: frozenset[StandInDeed]
    """The speaker's own deeds."""
    fruitless: frozenset[str]
    """Targets of deeds that did not happen, according to the game master."""


def remember_talk(prompt: PromptReading) -> TalkMemory:
    """Collect the deeds of the transcript, from its first line to its last."""
    here: dict[str, None] = {}
    elsewhere: dict[str, None] = {}
    places: dict[str, None] = {}
    taken, done, at = set[str](), set[StandInDeed](), ""
    for who, text in prompt.talk:
        for deed in find_deeds(text) if "*" in text else ():
            if who == prompt.name:
                done.add(deed)
            if not is_sayable(deed.target):
                continue
            if deed.kind != "go":
                here[deed.target] = None
                if deed.kind == "take":
                    taken.add(deed.target)
            else:
                places[deed.target] = None
                if who == prompt.name:
                    elsewhere |= here
                    here, at = {}, deed.target
    return TalkMemory(
        here=tuple(here),
        elsewhere=tuple(elsewhere),
        taken=frozenset(taken),
        places=tuple(place for place in places if place != at),
        done=frozenset(done),
        fruitless=frozenset(line.partition(":")[0] for line in prompt.remarks),
    )
