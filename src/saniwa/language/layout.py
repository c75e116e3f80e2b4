"""Leave out what a text does not ask for by its layout, before any sentence is read.

Struck-out and commented-out text, options to choose from, lines that are crossed out, and
what is under a heading that asks for nothing ("I won't:", "The letter says:").
Knows no words: whether a heading asks for what is under it, a language decides.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from saniwa.language.mood import COMMAND, Mood, SentenceMood

ReadHeading = Callable[[str, bool], SentenceMood]
"""The mood of what is under a heading; the second argument is whether it follows on the
same line."""


class LaidOutText(NamedTuple):
    """A text without the parts that its layout withholds."""

    text: str
    """What remains."""
    withheld: tuple[tuple[str, Mood], ...] = ()
    """The parts that were left out, in order, with their moods."""


_CUTS = {
    "~~": "~~",
    "<!--": "-->",
    "/*": "*/",
    "<s>": "</s>",
    "<del>": "</del>",
    "<strike>": "</strike>",
}
"""What begins and ends a text that is struck out or commented out."""
_COMMENT = re.compile(r"\s*//\s")
_CROSSED = re.compile(r"[❌✕✗✘✖🚫⛔🙅]")
_BOX = re.compile(r"\s*(?:[-*•]\s*)?(?:\[[ xX✓✔]?\]|[☐☑☒])\s")
_ITEM = re.compile(r"^\s*(?:[-*•‣◦・]|\(?\d{1,2}[.):]|\(?[A-Za-z][.)])\s+(?=\S)")
_OPTION = re.compile(r"(?:^|(?<=\s))\(?[A-H][.)]\s")
_MARKED = re.compile(r"\s*(?:#{1,6}\s+(?P<hashed>.+)|\*\*(?P<bold>[^*]+?):?\*\*:?)\s*")
_HEADING = re.compile(r"(?P<head>[^\n。！？]{1,100})[:：]")
_INLINE = re.compile(r"\s*(?P<head>[^:：\n。！？]{1,100}?)(?:[:：]\s+|：)(?=\S)")
_QUOTED = re.compile(r"\s*>\s?(?=\S)")
_ASKED = re.compile(r"[?？]\s*$")
_LAYOUT = re.compile(
    r"[\n:：]|~~|//|<!--|/\*|<(?:s|del|strike)>|[❌✕✗✘✖🚫⛔🙅☐☑☒]|\[[ xX✓✔]?\]|[A-H][.)]\s"
)


def _read_any_heading(_head: str, _inline: bool) -> SentenceMood:
    return COMMAND


def _is_no_choice(_line: str) -> bool:
    return False


def read_layout(
    text: str,
    read_heading: ReadHeading = _read_any_heading,
    chooses: Callable[[str], bool] = _is_no_choice,
) -> LaidOutText:
    """The text without what its layout withholds.

    Args:
        text: What was said.
        read_heading: The mood of what is under a heading.
        chooses: Whether a line after a list asks for, or makes, a choice from it.
    """
    if not _LAYOUT.search(text):
        return LaidOutText(text)
    rest, cut = _leave_out_cuts(text)
    withheld: list[tuple[str, Mood]] = [(each, "statement") for each in cut]
    lines = rest.split("\n")
    if len(_OPTION.findall(" ".join(lines))) > 1:
        return LaidOutText("", (*withheld, (" ".join(lines), "question")))
    moods = _withhold_choices(lines, chooses)
    moods = [
        before or mood
        for before, mood in zip(moods, _read_headings(lines, read_heading), strict=True)
    ]
    pasted = len({bool(_QUOTED.match(line)) for line in lines if line.strip()}) > 1
    kept: list[str] = []
    for line, under in zip(lines, moods, strict=True):
        mood = under
        if _COMMENT.match(line) or _CROSSED.search(line) or _BOX.match(line):
            mood = "statement"
        elif pasted and _QUOTED.match(line):
            mood = mood or "report"  # a transcript: "> open the box", and what came of it
        if mood and line.strip():
            withheld.append((line.strip(), mood))
        kept.append("" if mood else line)
    return LaidOutText("\n".join(kept) if withheld else text, tuple(withheld))


def _withhold_choices(lines: Sequence[str], chooses: Callable[[str], bool]) -> list[Mood | None]:
    """The mood of each line of a list that is followed or preceded by a choice."""
    items = [bool(_ITEM.match(line)) for line in lines]
    moods: list[Mood | None] = [None] * len(lines)
    listed = [n for n, item in enumerate(items) if item]
    if not listed:
        return moods
    before = [line for line in lines[: listed[0]] if line.strip()]
    after = [line for line in lines[listed[-1] + 1 :] if line.strip()]
    if any(map(chooses, after)) or (before and _ASKED.search(before[-1])):
        for n in range(listed[0], listed[-1] + 1):
            moods[n] = "question"
        for n in range(listed[-1] + 1, len(lines)):
            moods[n] = "question" if chooses(lines[n]) else None
    return moods


def _read_headings(lines: Sequence[str], read_heading: ReadHeading) -> list[Mood | None]:
    """The mood of each line that is under a heading which asks for nothing."""
    moods: list[Mood | None] = []
    under, listed, begun = COMMAND, False, False
    for n, line in enumerate(lines):
        head, inline = _find_heading(lines, n)
        item = bool(_ITEM.match(line))
        if head:
            found = read_heading(head, inline)
            moods.append(None if found == COMMAND else found.mood)
            below = not inline or _is_over_list(lines, n)
            under, begun = found if below else COMMAND, False
            continue
        if begun and (not line.strip() or (listed and not item)):
            under = COMMAND
        if under != COMMAND and line.strip() and not begun:
            begun, listed = True, item
        moods.append(None if under == COMMAND else under.mood)
    return moods


def _is_over_list(lines: Sequence[str], n: int) -> bool:
    """Whether a line without a colon or a full stop is over a list: "DO NOT"."""
    over = lines[n].strip()
    listed = n + 1 < len(lines) and bool(_ITEM.match(lines[n + 1]))
    return listed and bool(over) and over[-1].isalnum() and not _ITEM.match(lines[n])


def _leave_out_cuts(text: str) -> tuple[str, list[str]]:
    """The text with a space for each part that is struck or commented out, and these parts."""
    kept, cut, at = [], [], 0
    starts = {begin: text.find(begin) for begin in _CUTS}
    while begins := [begin for begin, start in starts.items() if start >= 0]:
        begin = min(begins, key=starts.__getitem__)
        # Between two equal signs is at least one character.
        inside = starts[begin] + len(begin) + (begin == _CUTS[begin])
        end = text.find(_CUTS[begin], inside)
        if end < 0:
            starts[begin] = -1
            continue
        end += len(_CUTS[begin])
        kept.append(text[at : starts[begin]])
        cut.append(text[starts[begin] : end])
        at = end
        for each in begins:
            if starts[each] < at:
                starts[each] = text.find(each, at)
    return " ".join([*kept, text[at:]]), cut


def _find_heading(lines: Sequence[str], n: int) -> tuple[str, bool]:
    """The heading on a line, and whether something follows on the same line; else empty."""
    line = lines[n]
    follows = any(each.strip() for each in lines[n + 1 :])
    marked = _MARKED.fullmatch(line) if follows else None
    if marked:
        hashed = (marked["hashed"] or "").rstrip().rstrip("#").rstrip()
        return (hashed or marked["bold"] or "").rstrip(":： "), False
    whole = _HEADING.fullmatch(line.strip()) if follows else None
    if whole:
        return _ITEM.sub("", whole["head"].rstrip(), count=1), False
    if _is_over_list(lines, n):
        return line.strip(), True
    inline = _INLINE.match(_ITEM.sub("", line, count=1))
    return (inline["head"], True) if inline else ("", False)
