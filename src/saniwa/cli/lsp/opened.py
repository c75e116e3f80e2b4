"""The stories that an editor has open, with the text it shows and not the one on disk.

Files of a story that are not open come from disk. A story that begins in a file which is
not open is found, if that file lies where a story's first file may lie: in the same folder
or above.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from saniwa.core.errors import ScriptError
from saniwa.core.finding import Finding
from saniwa.core.where import Where
from saniwa.script.desk.edit import lines_of
from saniwa.script.desk.editing.cursor import Names
from saniwa.script.files import text_of_bytes
from saniwa.script.story import read_story, read_story_text, story_of

LEVELS: Final = 4
"""Folders, upwards, in which the beginning of a story is looked for."""
MOST: Final = 100
"""Files that are looked at in one folder."""
LARGEST: Final = 1024 * 1024
"""Bytes a file may have to be looked at."""


class Opened:
    """Texts by file, and what is known about the stories they belong to."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._loose: set[str] = set()
        self._names: dict[str, Names] = {}
        self._broken: dict[str, Finding] = {}
        self._homes: dict[str, tuple[Names, ...]] = {}
        self._lines: dict[str, list[str]] = {}

    def put(self, file: str, text: str, *, loose: bool = False) -> None:
        """Take the text an editor shows; a loose one lies nowhere on disk."""
        self._texts[file] = text
        if loose:
            self._loose.add(file)
        self._names.pop(file, None)
        self._lines.pop(file, None)

    def close(self, file: str) -> None:
        """From now on the file is as it is on disk."""
        self._texts.pop(file, None)
        self._loose.discard(file)
        self.forget()

    def forget(self) -> None:
        """Something on disk has changed: read everything anew when it is asked for."""
        self._names.clear()
        self._homes.clear()
        self._lines.clear()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are open."""
        return tuple(self._texts)

    def letters(self, file: str) -> int:
        """How long the text of an open file is."""
        return len(self._texts[file])

    def line(self, file: str, line: int) -> str:
        """The text of a line of any file that was read; empty where there is none."""
        if file not in self._lines:
            self._lines[file] = lines_of(self._text(file))
        lines = self._lines[file]
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def _text(self, file: str) -> str:
        if file in self._texts:
            return self._texts[file]
        read = (*self._names.values(), *chain.from_iterable(self._homes.values()))
        scenes = (names.scene(file) for names in read)
        return next((scene.text for scene in scenes if scene), "")

    def names(self, file: str) -> Names:
        """The story that begins in an open file."""
        if file not in self._names:
            self._broken.pop(file, None)
            self._names[file] = self._read(file)
        return self._names[file]

    def _read(self, file: str) -> Names:
        text = self._texts[file]
        try:
            text_of_bytes(text.encode("utf-8", "surrogatepass"), file)
            if file not in self._loose:
                return Names(read_story_text(text, file))
        except ScriptError as problem:
            self._broken[file] = _finding(problem, file)
        return Names(story_of(text, file))

    def around(self, file: str) -> tuple[Names, ...]:
        """The story that begins in an open file, then those it is only a part of.

        The latter only as long as they hold the file as it is shown.
        """
        same = (n for n in self.homes(file) if self.shows(n, (file,)))
        return (self.names(file), *same)

    def homes(self, file: str) -> tuple[Names, ...]:
        """The stories that hold a file, begin elsewhere and are not held by it."""
        if file not in self._homes:
            found = () if file in self._loose else tuple(self._search(file))
            self._homes[file] = found
        return self._homes[file]

    def _search(self, file: str) -> Iterator[Names]:
        within = {scene.file for scene in self.names(file).story.scenes}
        for path in _beginnings(Path(file)):
            if str(path) in within:
                continue
            try:
                story = read_story(path)
            except ScriptError:
                # A neighbour that is no text says nothing about this file.
                continue
            if any(scene.file == file for scene in story.scenes):
                yield Names(story)

    def shows(self, names: Names, files: Iterable[str]) -> bool:
        """Whether a story was read from the texts that the editor shows."""
        for file in files:
            scene = names.scene(file)
            text = self._texts.get(file)
            if scene and text is not None and lines_of(scene.text) != lines_of(text):
                return False
        return True

    def findings(self, file: str) -> dict[str, tuple[Finding, ...]]:
        """What is wrong with a story, by file; what other open files say, they say.

        A file that is a part of another story is judged there, and while it is not
        saved only by itself.
        """
        names, homes = self.names(file), self.homes(file)
        wrong = [self._broken[file]] if file in self._broken else []
        if not homes:
            wrong += names.story.report.findings
        elif self.shows(homes[0], (file,)):
            wrong += homes[0].story.report.findings
        else:
            wrong += names.story.scenes[0].findings
        others = (
            set(self._texts)
            if not homes
            else {s.file for n in homes for s in n.story.scenes}
        )
        found: dict[str, list[Finding]] = {file: []}
        for each in wrong:
            place = each.where.file or file
            if place == file or place not in others:
                found.setdefault(place, []).append(each)
        return {place: tuple(told) for place, told in found.items()}


def _finding(problem: ScriptError, file: str) -> Finding:
    return Finding(
        code=problem.code,
        message=problem.message,
        where=problem.where or Where(file=file),
        hint=problem.hint,
    )


def _beginnings(file: Path) -> Iterator[Path]:
    """Files in which a story that holds this one may begin, the nearest first."""
    folder = file.parent
    for _ in range(LEVELS):
        for path in sorted(_markdown(folder))[:MOST]:
            if path != file and _links(path):
                yield path
        if (folder / ".git").exists() or folder == folder.parent:
            return
        folder = folder.parent


def _markdown(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".md") and entry.is_file():
                    yield Path(entry.path)
    except OSError:
        return


def _links(path: Path) -> bool:
    """Whether a file names another; most do not and need not be read as stories."""
    try:
        if path.stat().st_size > LARGEST:
            return False
        return b".md" in path.read_bytes()
    except OSError:
        return False
