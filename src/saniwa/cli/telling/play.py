"""Sits somebody down at a story: reads it, finds the place, opens the table."""

import asyncio
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import click

from saniwa.cli.phrases import LANGUAGES
from saniwa.cli.showing import Screen
from saniwa.cli.telling.edition import Editions
from saniwa.cli.telling.keyboard import Hand, Keyboard, Written
from saniwa.cli.telling.news import tell_edited
from saniwa.cli.telling.notice import Notice
from saniwa.cli.telling.table import StoryTable
from saniwa.core.quoted import printable
from saniwa.script.story import Story
from saniwa.wiring import Parts
from saniwa.wiring.keeping import StoryKeeping, keeping_of
from saniwa.wiring.story import load_story, open_story, resume_story

_ANEW: Final = frozenset(
    {"new", "n", "no", "新しく", "最初から", "はじめから", "いいえ"}
)
_KANA: Final = re.compile("[ぁ-ヿ]")


class Seat(NamedTuple):
    """How somebody wants to play a story."""

    file: str
    """The file it begins in."""
    language: str | None = None
    """The language to tell it in; None for its own."""
    seed: int = 0
    """Where chance starts."""
    resume: bool = False
    """Whether to go on where it was left."""
    save: str | None = None
    """The save to begin from."""
    fast: bool = False
    """Whether nobody waits for a [WAIT]."""
    store: str | None = None
    """Where the store is, if somebody said so."""
    id: str = ""
    """The id it was named by; empty where it was named by its file."""

    @property
    def goes_on(self) -> bool:
        """Whether it goes on from somewhere."""
        return self.resume or self.save is not None

    @property
    def way_back(self) -> str:
        """What to type to go on."""
        words = ["saniwa", "play", self.id or self.file, "--resume"]
        words += ["--language", self.language] if self.language else []
        words += ["--store", self.store] if self.store else []
        return shlex.join(words)


def play_story(seat: Seat, parts: Parts, lines: Iterator[str] | None) -> None:
    """Play a story by lines or, where there are none, by hand.

    Raises:
        SaniwaError: It cannot be read, begun, gone on with or kept.
    """
    hand: Hand = Keyboard() if lines is None else Written(lines)
    story = load_story(seat.file, parts.registry, language=seat.language)
    keeping = keeping_of(seat.file, parts.place)
    if lines is not None and not seat.goes_on:
        keeping = keeping.aside()
    left = None if seat.save is None else keeping.saves.get(seat.save)
    said = LANGUAGES[_spoken(story, seat.language)]
    screen = Screen(said)
    click.secho(printable(story.title), bold=True)
    if left or seat.resume or _asked(seat, keeping, hand, screen):
        taken_up = resume_story(
            seat.file, parts, language=seat.language, content=left, keeping=keeping
        )
        performance, found = asyncio.run(taken_up)
        screen.tell("story_loaded" if left else "story_taken_up", name=seat.save)
        if performance.taken_back and not left:
            screen.tell("world_taken_back")
        tell_edited(screen, performance, found)
    else:
        performance = open_story(
            seat.file, parts, language=seat.language, seed=seat.seed, keeping=keeping
        )
    notice = Notice(screen, seat.file, seat.language)
    notice.tell(performance.story)
    if lines is None:
        screen.tell("story_welcome")
    click.echo()
    translation = Path(seat.file).with_suffix(f".{seat.language}.csv")
    editions = Editions(
        lambda: load_story(seat.file, parts.registry, language=seat.language),
        performance.story,
        *([translation] if seat.language else []),
        patient=lines is None,
    )
    sitting = StoryTable(
        performance, hand, editions, keeping, notice, said, fast=seat.fast
    )
    sitting.play(seat.way_back if lines is None or seat.goes_on else None)


def _asked(seat: Seat, keeping: StoryKeeping, hand: Hand, screen: Screen) -> bool:
    """Whether somebody wants to go on where the story was left."""
    if isinstance(hand, Written) or seat.seed or keeping.here() is None:
        return False
    screen.tell("take_up")
    try:
        typed = hand.line("> ", lambda: False)
    except EOFError:
        raise click.exceptions.Exit from None
    return str(typed).strip().casefold() not in _ANEW


def _spoken(story: Story, language: str | None) -> str:
    """The language the terminal speaks: the story's, as far as it can."""
    named = language or story.scenes[0].front.language
    if not named:
        return "ja" if _KANA.search(story.scenes[0].text) else "en"
    return "ja" if named.casefold().split("-")[0] == "ja" else "en"
