"""One line for what a check of the story would list."""

import shlex
from typing import Final

from saniwa.cli.showing import Screen
from saniwa.core.finding import Finding
from saniwa.script.story import Story

_UNFOUND: Final = "ASSET_UNRESOLVED"
_TRANSLATING: Final = frozenset(
    {"TRANSLATION_MISSING", "TRANSLATION_CHANGED", "TRANSLATION_MALFORMED"}
)


class Notice:
    """Tells how much is found in a story and how to see it, once for the same."""

    def __init__(self, screen: Screen, file: str, language: str | None) -> None:
        """A notice about the story that begins in a file, told in a language."""
        self._screen = screen
        self._file = shlex.quote(file)
        self._language = language
        self._last: tuple[int, int, int] | None = None

    def tell(self, story: Story) -> None:
        """Tell what is found now, unless that is what was told last."""
        counts = _counted(story)
        if counts == self._last:
            return
        self._last = counts
        unfound, warned, untranslated = counts
        told = [
            self._screen.phrase(key, count=count)
            for key, count in (("unfound", unfound), ("warned", warned))
            if count
        ]
        if told:
            what = self._screen.phrase("between").join(told)
            self._screen.tell("check_it", what=what, file=self._file)
        if untranslated:
            self._screen.tell(
                "untranslated",
                count=untranslated,
                file=self._file,
                language=self._language,
            )


def _counted(story: Story) -> tuple[int, int, int]:
    """Files that are not there, other warnings, and texts to be translated."""
    found = story.report.findings
    unfound = sum(_times(each) for each in found if each.code == _UNFOUND)
    rest = [each.code for each in story.report.warnings if each.code != _UNFOUND]
    untranslated = sum(code in _TRANSLATING for code in rest)
    return unfound, len(rest) - untranslated, untranslated


def _times(finding: Finding) -> int:
    return int(finding.details.get("count", 1))
