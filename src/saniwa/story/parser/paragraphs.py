"""Parse paragraphs: collect lines of narration and speech into `SayElement`s.

Decides who speaks in a line, and warns where that is unclear.
"""

import re
from collections.abc import Sequence
from sys import intern
from typing import Final, NamedTuple

import msgspec

from saniwa.story import elements as saniwa_elements
from saniwa.story.expression_parser import PlaceFinder
from saniwa.story.finding_collector import FindingCollector
from saniwa.story.link_parser import find_links
from saniwa.story.parser.block_stack import BlockStack
from saniwa.story.parser.commands import find_inline_commands
from saniwa.story.parser.inline_text import (
    TrailingAttributes,
    parse_lines_at,
    parse_trailing_at,
    parse_words_at,
)
from saniwa.story.parser.source_lines import warn_wide_group
from saniwa.story.parser.template_parser import is_plain
from saniwa.story.text_template import Words

_HEAD = re.compile('([^\\[{<#:：\\\\"“”„«»「」『』*`\\n]{1,60}+)(：|:)[ \t\u3000]*+').match
"""Matches the text before the first colon of a line, if it could be a name."""
_BOLD = re.compile(
    r"(\*{1,3}+)([^*:：\\{\[<`\n]{1,60}+)(?:\1[ \t]?+[:：]|[:：]\1)[ \t\u3000]*+"
).match
"""Matches a name in bold, as in other manuscripts: `**Ben:** Hi`, `**Ben**: Hi`."""
_MOOD = re.compile(r"([^(（]++)[(（]([^()（）]++)[)）]").fullmatch
_TAG = re.compile(r"[^\W\d][\w-]*+").fullmatch
_PART_OF_NAME = re.compile(r"[^\W\d_][\w.'’-]*+").fullmatch
_BLANKS = " \t\u3000"
ADDRESS = ("/", "\\", ":")
"""What follows a colon in a URL, a path or a qualified name."""
_PARTICLES: Final = frozenset(
    {"and", "da", "de", "del", "der", "di", "du", "la", "le", "of", "the", "van", "von"}
)
_MOST_WORDS = 4
"""The most words of an undeclared name."""


class SpeakerHead(NamedTuple):
    """The text before the first colon of a line."""

    name: str
    """The name, without a mood and without marks."""
    mood: str
    """The text in brackets after it, as a tag: `Ben (very sad)`."""
    end: int
    """The offset after the colon."""
    behind: str
    """The character there; empty at the end of the line."""
    bold: bool
    """Whether it is strong or emphasized."""

    @property
    def has_spaces(self) -> bool:
        """Whether the name contains spaces."""
        return " " in self.name or "\u3000" in self.name or "\t" in self.name


def find_speaker_head(raw: str, at: int) -> SpeakerHead | None:
    """Read what is before the first colon; None for a time such as `12:30`."""
    if ":" not in raw and "：" not in raw:
        return None
    bold = raw[at] == "*"
    found = _BOLD(raw, at) if bold else _HEAD(raw, at)
    if found is None:
        return None
    name, mood = (found[2] if bold else found[1]).strip(_BLANKS), ""
    if mooded := _MOOD(name):
        mood = "-".join(mooded[2].split())
        name = mooded[1].strip(_BLANKS) if _TAG(mood) else name
        mood = mood if _TAG(mood) else ""
    behind = raw[found.end() : found.end() + 1]
    if not name or (name[-1].isdecimal() and behind.isdecimal()):
        return None
    return SpeakerHead(name, mood, found.end(), behind, bold)


def is_name_like(name: str) -> bool:
    """Whether it looks like a person's name: a few words, capitalized like names."""
    words = name.split()
    if not 0 < len(words) <= _MOST_WORDS or not all(map(_PART_OF_NAME, words)):
        return False
    if words[0][0].islower() or words[-1][0].islower():
        return False
    return all(not word[0].islower() or word in _PARTICLES for word in words)


# No quotation marks either, so that a quotation with a colon stays narration.
_NAME = '[^\\s\\[{<#:：\\\\"“”„«»「」『』*`]'
_SPEECH = re.compile(rf"({_NAME}{{1,40}}+)(：|:)[ \t\u3000]*+").match
_LONG = re.compile(r"[^:：]*+(：|:)[ \t\u3000]*+").match
_QUOTED = re.compile(rf"({_NAME}{{1,40}}+)「").match
_QUOTES = re.compile(r"[「」]")
_CLICK = re.compile(r"(?<!\\)\[c\]")
_NOTHING = TrailingAttributes("")
LONGEST = 100_000
"""The most characters of a line or a paragraph."""


class _Speech(NamedTuple):
    """The speaker of a line."""

    end: int
    """Where the words begin; 0 if it is not speech."""
    name: str
    """The speaker."""
    mood: str = ""
    """The mood, as in `Ben (sad):`."""


_NO_SPEAKER = _Speech(0, "")


class ParagraphReader:
    """Collects the lines of one paragraph until it ends."""

    _groups = _NOTHING
    """The attributes at the ends of its lines."""
    _quotes = 0
    """How many quotation marks are open in `Name「…」`; 0 for other lines."""
    _mood = ""
    """The speaker's mood, as in `Ben (sad):`."""

    def __init__(
        self,
        stack: BlockStack,
        notes: FindingCollector,
        speakers: frozenset[str],
        lines: Sequence[str] = (),
    ) -> None:
        """Pass the `lines` of the file if it may have speech in quotation marks."""
        self.stack, self.notes = stack, notes
        self.doubted: set[str] = set()
        """Possible speakers in lines that are read as narration."""
        self._warned: set[str] = set()
        self._speakers, self._lines = speakers, lines
        self._heard: frozenset[str] | None = None
        self._quoting = bool(lines)
        self._spaced = frozenset(name for name in speakers if " " in name or "\u3000" in name)
        self._reset()

    def _reset(self) -> None:
        self._letters = 0
        self.pieces: list[str] = []
        """The lines so far; all but the first with their indents."""
        self._begun = False
        self._speaker = self._old = self._raw = self._mood = ""
        self._headed: tuple[SpeakerHead, int, int] | None = None
        self._line = self._column = self._word_line = self._word_column = 0

    def begin_say(self, speaker: str, line: int, column: int) -> None:
        """Begin an old [SAY]; its text follows."""
        self.flush()
        self._begun, self._old = True, "SAY"
        self._speaker, self._line, self._column = speaker, line, column

    def place_line(self, raw: str, at: int, indent: int, number: int) -> None:
        """Add a line of text to the block it is indented to."""
        if indent <= self.stack.top.indent:
            self.flush()
            self.stack.dedent(indent, number)
        self.add_line(raw, at, number)

    def add_line(self, raw: str, at: int, line: int) -> None:
        """Add a line of text, which begins at `raw[at]`."""
        begin = at
        # The first line under an old [SAY] is its text, whatever it looks like.
        if not self._old or self.pieces:
            speech = self._find_speaker(raw, at)
            if speech.end:
                self.flush()
                self._begun, self._speaker, self._raw = True, speech.name, raw[at:]
                self._line, self._column, begin = line, at + 1, speech.end
                self._mood = speech.mood
                if speech.name[-1] in ")）" and (head := find_speaker_head(raw, at)):
                    self.doubted.add(head.name)
            else:
                self._note_doubt(raw, at, line)
                if self._quoting and not self._quotes:
                    begin = self._find_quotation(raw, at, line) or at
        if not self._begun:
            self._begun, self._line, self._column = True, line, at + 1
        if begin < len(raw):
            self._add_piece(raw, begin, line)
        if self._quoting and self._quotes:
            self._close_quotation(raw, begin)

    def read_blank(self) -> None:
        """Read an empty line, which ends a paragraph but not the wait for its text."""
        if self.pieces or not self._old:
            self.flush()

    def _find_speaker(self, raw: str, at: int) -> _Speech:
        """Return the speaker of a line, and where the words begin."""
        found = _SPEECH(raw, at)
        if found is not None:
            name, colon = found.groups()
        elif self._spaced and (found := _LONG(raw, at)):
            name, colon = raw[at : found.start(1)].strip(), found[1]
            if name not in self._spaced:
                return self._find_known_speaker(raw, at)
        else:
            return self._find_known_speaker(raw, at)
        end = found.end()
        if raw[end - 1] == colon and end < len(raw) and not self._is_speech(name, colon, raw[end]):
            return self._find_known_speaker(raw, at)
        if name[-1] in ")）" and name not in self._speakers:
            mooded = self._find_known_speaker(raw, at)
            if mooded.end:
                return mooded
        # Few speakers have many lines: their names are stored once.
        return _Speech(end, intern(name))

    def _find_known_speaker(self, raw: str, at: int) -> _Speech:
        """Return the speaker of a line that is speech only if the name is known."""
        head = find_speaker_head(raw, at)
        if head is None or head.behind in ADDRESS:
            return _NO_SPEAKER
        if head.name not in self._speakers and not (head.bold and not head.has_spaces):
            return _NO_SPEAKER
        return _Speech(head.end, intern(head.name), head.mood)

    def _note_doubt(self, raw: str, at: int, line: int) -> None:
        """Record a line that may be speech of an unknown name."""
        head = find_speaker_head(raw, at)
        if head is None or head.behind in ADDRESS:
            return
        self.doubted.add(head.name)
        if not is_name_like(head.name):
            return
        if head.behind:
            self._warn_unclear(head, raw[at:], line, at + 1)
        elif not self.pieces:
            self._headed = (head, line, at + 1)

    def _warn_unclear(self, head: SpeakerHead, text: str, line: int, column: int) -> None:
        """Warn about a line read as narration, with both readings; once per name."""
        name = head.name
        if name in self._warned:
            return
        self._warned.add(name)
        speech = f"declare the speaker, cast: [{name}]"
        if not head.has_spaces and not head.mood:
            speech = f"write {name}: followed by a space"
        self.notes.add("SPEECH_UNCLEAR", line, column, text=text, name=name, speech=speech)

    def _is_speech(self, name: str, colon: str, behind: str) -> bool:
        """Whether a name speaks although no space follows its colon."""
        if name[-1:].isdecimal() and behind.isdecimal():
            # `12:30` is a time or a ratio.
            return False
        if colon == "：" or name in self._speakers:
            return True
        return any(c.isalpha() and c > "\x7f" for c in name)

    def _add_piece(self, raw: str, begin: int, line: int) -> None:
        if self.pieces:
            text = raw if raw[:begin].isspace() else raw[begin:]
        else:
            text = raw[begin:]
            self._word_line, self._word_column = line, begin + 1
        self._letters += len(text)
        if self._letters > LONGEST:
            self._report_too_long(line)
        if raw[-1] != "}":
            if raw[-1] == "｝":
                warn_wide_group(raw[begin:], line, begin + 1, self.notes, item=False)
            self.pieces.append(text)
            return
        trailing = parse_trailing_at(raw[begin:], line, begin + 1, self.notes, item=False)
        cut = len(raw) - begin - len(trailing.text)
        if not cut:
            self.pieces.append(text)
            return
        if trailing.id and self._groups.id:
            # Each id is a line of its own, of the same speaker.
            self._begin_again(line, begin + 1, self._speaker)
        text = text[: len(text) - cut]
        if text and not text.isspace():
            self.pieces.append(text)
        groups = trailing if self._groups is _NOTHING else _merge_trailing(self._groups, trailing)
        if trailing.deed is None and (self.pieces or self._speaker or self._old):
            self._groups = groups
        else:
            self.flush(groups, line)

    def _begin_again(self, line: int, column: int, speaker: str) -> None:
        """End the open paragraph, and begin a new one at this place."""
        self.flush()
        self._begun, self._speaker = True, speaker
        self._line = self._word_line = line
        self._column = self._word_column = column

    def _report_too_long(self, line: int) -> None:
        self.notes.add("LINE_TOO_LONG/paragraph", line, 1, longest=LONGEST)
        self._begin_again(line, 1, "")

    def flush(self, trailing: TrailingAttributes = _NOTHING, line: int = 0) -> None:
        """End the open paragraph, if there is one, and emit its elements."""
        if not self._begun:
            return
        if self._headed is not None and len(self.pieces) > 1:
            head, number, column = self._headed
            self._warn_unclear(head, self.pieces[0], number, column)
        if self._groups is not _NOTHING:
            trailing = self._groups if trailing is _NOTHING else trailing
            self._groups = _NOTHING
        if self._quotes:
            self._unquote()
        elements: list[saniwa_elements.Element] = []
        if self.pieces or self._fill_wordless(trailing):
            pieces = self.pieces
            text = pieces[0] if len(pieces) == 1 else "\n".join(pieces)
            elements = self._build_says(text, trailing)
        if trailing.deed is not None:
            at = trailing.deed_column
            words = parse_words_at(trailing.deed, line, at, self.notes)
            elements.append(saniwa_elements.DoElement(line, at, line, words))
        self._reset()
        self.stack.emit(*elements)

    def _fill_wordless(self, trailing: TrailingAttributes) -> bool:
        """Provide the words of a paragraph that has none; False if it says nothing."""
        if self._speaker and not self._old and trailing is _NOTHING:
            # `Options:` before a list is narration.
            self.pieces, self._speaker = [self._raw], ""
            self._word_line, self._word_column = self._line, self._column
            return True
        if self._old:
            self.notes.add("PARAMETER_MISSING/say", self._line, self._column)
            self.pieces = [""]
            self._word_line = self._line
            return True
        if trailing.deed is None:
            self.notes.add("PARAMETER_MALFORMED/textless", self._line, self._column)
        return False

    def _build_says(self, text: str, trailing: TrailingAttributes) -> list[saniwa_elements.Element]:
        line, column = self._word_line, self._word_column
        if "[" in text:
            self._warn_inline_notation(text)
            if "[c]" in text:
                clicks = [*_CLICK.finditer(text)]
                if clicks:
                    return self._split_clicks(text, clicks, trailing)
        words = self._parse_words(text, line, column)
        last = line + len(self.pieces) - 1
        return [self._make_say(self._line, self._column, last, words, trailing)]

    def _parse_words(self, text: str, line: int, column: int) -> Words:
        if "\n" in text:
            return parse_lines_at(text, line, column, self.notes)
        # Most lines: nothing to read in them.
        return text if is_plain(text) else parse_words_at(text, line, column, self.notes)

    # Speech in quotation marks: ハル「やあ」.

    def _find_quotation(self, raw: str, at: int, line: int) -> int:
        """Return where quoted speech begins; 0 if the line is not quoted speech."""
        found = _QUOTED(raw, at)
        name = found[1] if found else self._find_spaced_name(raw, at)
        if not name:
            return 0
        begin = at + len(name) + 1
        depth, end = _measure_depth(raw, begin, 1)
        if not depth and not _has_only_groups(raw[end:]):
            return 0
        if name not in self._speakers and name not in self._list_speakers():
            if not depth:
                self.notes.add("SPEECH_QUOTED", line, at + 1, text=raw[at:end], name=name)
            return 0
        self.flush()
        self._begun, self._speaker, self._raw = True, intern(name), raw[at:begin]
        self._line, self._column, self._quotes = line, at + 1, 1
        return begin

    def _find_spaced_name(self, raw: str, at: int) -> str:
        name = raw[at : raw.find("「", at)]
        return name if name in self._spaced else ""

    def _list_speakers(self) -> frozenset[str]:
        """Return all names that speak with a colon somewhere in the file."""
        if self._heard is None:
            stripped = (line.strip(" \t") for line in self._lines)
            self._heard = frozenset(self._find_speaker(line, 0).name for line in stripped if line)
        return self._heard

    def _close_quotation(self, raw: str, begin: int) -> None:
        """End quoted speech at its closing quotation mark."""
        self._quotes, end = _measure_depth(raw, begin, self._quotes)
        if self._quotes:
            return
        # Text after it makes the whole a sentence: that is narration.
        self._quotes = 1
        if _has_only_groups(raw[end:]):
            before, _, behind = self.pieces[-1].rpartition("」")
            self.pieces[-1], self._quotes = before + behind, 0
        self.flush()

    def _unquote(self) -> None:
        """Turn quoted speech that does not end back into narration."""
        self.pieces[:1] = [self._raw + "".join(self.pieces[:1])]
        self._word_line, self._word_column = self._line, self._column
        self._speaker, self._quotes = "", 0

    def _make_say(
        self, line: int, column: int, last: int, words: Words, trailing: TrailingAttributes
    ) -> saniwa_elements.SayElement:
        id, tags, values, speaker = trailing.id, trailing.tags, trailing.values, self._speaker
        if self._mood:
            tags = tuple(dict.fromkeys((self._mood, *tags)))
        return saniwa_elements.SayElement(
            line, column, last, speaker, words, id, tags, values, self._old
        )

    def _split_clicks(
        self, text: str, clicks: list[re.Match[str]], trailing: TrailingAttributes
    ) -> list[saniwa_elements.Element]:
        """Build one element for each part between two `[c]`; the last has the id."""
        says: list[saniwa_elements.Element] = []
        starts = [0, *(click.end() for click in clicks)]
        ends = [*(click.start() for click in clicks), len(text)]
        places = self._make_place_finder(text)
        for click in clicks:
            self.notes.count_old_notation("[c]", *places.locate(click.start()))
        self._old = self._old or "[c]"
        shown = [nth for nth, at in enumerate(starts) if text[at : ends[nth]].strip()]
        for nth in shown:
            part = text[starts[nth] : ends[nth]]
            bare, start = part.lstrip(), starts[nth]
            line, column = places.locate(start + len(part) - len(bare))
            words = self._parse_words(bare.rstrip(), line, column)
            last = line + bare.rstrip().count("\n")
            tail = trailing if nth == shown[-1] else _NOTHING
            says.append(self._make_say(line, column, last, words, tail))
        if says and shown[-1] < len(clicks):
            says[-1] = msgspec.structs.replace(says[-1], click=True)
        return says

    def _warn_inline_notation(self, text: str) -> None:
        places = self._make_place_finder(text)
        for at, written in find_inline_commands(text, self.stack.events):
            self.notes.add("COMMAND_IN_SENTENCE", *places.locate(at), written=written)
        if "](" not in text:
            return
        for at in find_links(text):
            if text[at - 1 : at] == "!":
                self.notes.add("MARKDOWN_UNSUPPORTED/picture_in_sentence", *places.locate(at - 1))
            else:
                self.notes.add("LINK_IN_SENTENCE", *places.locate(at))

    def _make_place_finder(self, text: str) -> PlaceFinder:
        return PlaceFinder(text, self._word_line, self._word_column)


def _merge_trailing(first: TrailingAttributes, second: TrailingAttributes) -> TrailingAttributes:
    """Merge the attributes at the ends of two lines of one paragraph."""
    return TrailingAttributes(
        "",
        id=second.id or first.id,
        tags=tuple(dict.fromkeys(first.tags + second.tags)),
        values=tuple(sorted({**dict(first.values), **dict(second.values)}.items())),
        deed=second.deed,
        deed_column=second.deed_column,
    )


def _measure_depth(raw: str, at: int, depth: int) -> tuple[int, int]:
    """Return the open quotation marks, and the offset where the first closes.

    If it does not close, the offset is the end of the line.
    """
    for found in _QUOTES.finditer(raw, at):
        depth += 1 if found[0] == "「" else -1
        if not depth:
            return 0, found.end()
    return depth, len(raw)


def _has_only_groups(text: str) -> bool:
    """Whether there is nothing but groups."""
    bare = text.strip()
    return not bare or (bare[0] == "{" and bare[-1] == "}") or bare == "[c]"
