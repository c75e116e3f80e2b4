"""Speakers whom nobody declares."""

from collections import defaultdict
from collections.abc import Iterator

from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.lint.telling import found, guess, lines_of, place
from saniwa.script.lint.whole import Whole
from saniwa.script.node import Say
from saniwa.script.tree import walk


def speaker_unknown(story: Whole) -> Iterator[Finding]:
    """Speakers whom nobody declares, where anybody is declared."""
    declared = [s.front.cast for s in story.scenes if s.front.cast is not None]
    if story.speakers is None and not declared:
        return
    known = {each.name for cast in declared for each in cast}
    known.update(story.speakers or ())
    for speaker, lines in _unknown(story, known).items():
        first, near = lines[0], story.near(speaker, known)
        yield found(
            "warning",
            "SPEAKER_UNKNOWN",
            first,
            f"nobody declares the speaker {quoted(speaker)}",
            guess(near, "add the name to cast in the front matter"),
            speaker=speaker,
            lines=lines_of(lines, first.file),
            **story.rewrite(first, speaker, near),
        )


def _unknown(story: Whole, known: set[str]) -> dict[str, list[Where]]:
    """Where each speaker speaks who is not known."""
    unknown = defaultdict(list)
    for scene in story.scenes:
        for said in walk(scene.block):
            if isinstance(said, Say) and said.speaker and said.speaker not in known:
                where = place(scene.file, said.line, said.column)
                unknown[said.speaker].append(where)
    return unknown
