"""The stories that an editor has open, with the editor's text instead of the disk's.

Files of a story that are not open are read from disk. A story whose first file is not
open is found too.
"""

from collections.abc import Iterator
from itertools import chain

from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.story.elements import split_lines
from saniwa.story.files import decode_text
from saniwa.story.story import Story, parse_story, read_story_text
from saniwa.story.tools.mentions import MentionIndex
from saniwa.story.tools.parent_stories import find_parent_stories, try_read_story


class OpenStories:
    """Texts by file, and what is known about the stories they belong to."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._loose: set[str] = set()
        self._names: dict[str, MentionIndex] = {}
        self._broken: dict[str, Finding] = {}
        self._begins: dict[str, tuple[str, ...]] = {}
        self._homes: dict[str, tuple[MentionIndex, ...]] = {}
        self._lines: dict[str, list[str]] = {}

    def set_text(self, file: str, text: str, *, loose: bool = False) -> None:
        """Store the text that an editor shows; a loose one has no file on disk."""
        self._texts[file] = text
        if loose:
            self._loose.add(file)
        self._lines.pop(file, None)
        for other, names in list(self._names.items()):
            if other == file or names.find_scene(file):
                del self._names[other]
        # This file may link to other files now.
        self._begins = {f: found for f, found in self._begins.items() if f == file}
        self._homes.clear()

    def list_related(self, file: str) -> tuple[str, ...]:
        """Return other open files that share a story with a file.

        These are the files whose stories contain it, or that its own story contains.
        """
        return tuple(
            other
            for other in self._texts
            if other != file
            and (
                self.load_names(file).find_scene(other)
                or any(n.find_scene(file) for n in self.list_stories(other))
            )
        )

    def close_file(self, file: str) -> None:
        """Forget an open file; its content is that on disk again."""
        self._texts.pop(file, None)
        self._loose.discard(file)
        self.clear_cache()

    def clear_cache(self) -> None:
        """Forget everything that was read, because a file on disk has changed."""
        self._names.clear()
        self._begins.clear()
        self._homes.clear()
        self._lines.clear()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are open."""
        return tuple(self._texts)

    def count_characters(self, file: str) -> int:
        """Return the length of the text of an open file."""
        return len(self._texts[file])

    def get_line(self, file: str, line: int) -> str:
        """Return a line of any file that was read; empty if there is none."""
        if file not in self._lines:
            self._lines[file] = split_lines(self._find_text(file))
        lines = self._lines[file]
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def _find_text(self, file: str) -> str:
        if file in self._texts:
            return self._texts[file]
        read = (*self._names.values(), *chain.from_iterable(self._homes.values()))
        scenes = (names.find_scene(file) for names in read)
        return next((scene.text for scene in scenes if scene), "")

    def load_names(self, file: str) -> MentionIndex:
        """Return the story that begins in an open file."""
        if file not in self._names:
            self._broken.pop(file, None)
            self._names[file] = self._read_names(file)
        return self._names[file]

    def _read_names(self, file: str) -> MentionIndex:
        # An editor may ask about a file that it has not opened; it counts as empty.
        text = self._texts.get(file, "")
        try:
            decode_text(text.encode("utf-8", "surrogatepass"), file)
            if file not in self._loose:
                return MentionIndex(read_story_text(text, file, self._texts))
        except ScriptError as problem:
            where = problem.where or SourceLocation(file=file)
            self._broken[file] = Finding(
                code=problem.code, message=problem.message, where=where, hint=problem.hint
            )
        except OSError as problem:
            message = f"a file it links to cannot be read: {problem.strerror or problem}"
            where = SourceLocation(file=file)
            self._broken[file] = Finding(code="STORY_UNREADABLE", message=message, where=where)
        return MentionIndex(parse_story(text, file))

    def list_stories(self, file: str) -> tuple[MentionIndex, ...]:
        """Return the story that begins in an open file, then those that contain it."""
        return (self.load_names(file), *self.list_containing_stories(file))

    def list_containing_stories(self, file: str) -> tuple[MentionIndex, ...]:
        """Return the stories that contain a file and begin outside its own story."""
        if file not in self._homes:
            found = () if file in self._loose else tuple(self._search_containing_stories(file))
            self._begins[file] = tuple(n.story.scenes[0].file for n in found)
            self._homes[file] = found
        return self._homes[file]

    def _search_containing_stories(self, file: str) -> Iterator[MentionIndex]:
        within = {scene.file for scene in self.load_names(file).story.scenes}
        for story in self._list_candidates(file):
            if story.scenes[0].file not in within:
                yield MentionIndex(story)

    def _list_candidates(self, file: str) -> Iterator[Story]:
        # Typing in a file does not change which stories begin elsewhere and contain it.
        known = self._begins.get(file)
        if known is None:
            return find_parent_stories(file, self._texts)
        return filter(None, (try_read_story(each, self._texts) for each in known))

    def collect_findings(self, file: str) -> dict[str, tuple[Finding, ...]]:
        """Return the findings of a story, by file; other open files report their own.

        A file that is part of another story is checked there.
        """
        names, around = self.load_names(file), self.list_containing_stories(file)
        wrong = [self._broken[file]] if file in self._broken else []
        wrong += (around[0] if around else names).story.report.findings
        others = (
            set(self._texts) if not around else {s.file for n in around for s in n.story.scenes}
        )
        found: dict[str, list[Finding]] = {file: []}
        for each in wrong:
            place = each.where.file or file
            if place == file or place not in others:
                found.setdefault(place, []).append(each)
        return {place: tuple(findings) for place, findings in found.items()}
