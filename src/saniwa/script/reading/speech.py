"""Paragraphs: narration and speech, gathered line by line into what is said."""

import re
from collections.abc import Sequence
from sys import intern
from typing import NamedTuple

import msgspec

from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.language.words import Trailing, Words, is_plain
from saniwa.script.notes import Notes
from saniwa.script.reading.inline import lines_at, trailing_at, words_at
from saniwa.script.reading.link import links_in
from saniwa.script.reading.speaker import (
    ADDRESS,
    SpeakerHead,
    find_head,
    is_name_like,
)
from saniwa.script.reading.stack import Stack
from saniwa.script.reading.wide import wide_group

# Neither quotation marks, so that a quotation with a colon in it stays narration.
_NAME = '[^\\s\\[{<#:：\\\\"“”„«»「」『』*`]'
_SPEECH = re.compile(rf"({_NAME}{{1,40}}+)(：|:)[ \t\u3000]*+").match
_LONG = re.compile(r"[^:：]*+(：|:)[ \t\u3000]*+").match
_QUOTED = re.compile(rf"({_NAME}{{1,40}}+)「").match
_QUOTES = re.compile(r"[「」]")
_CLICK = re.compile(r"(?<!\\)\[c\]")
_NOTHING = Trailing("")
LONGEST = 100_000
"""Letters a line or a paragraph may have."""


class _Speech(NamedTuple):
    """Who speaks in a line."""

    end: int
    """Where the words begin; 0 where nobody speaks."""
    name: str
    """Who."""
    mood: str = ""
    """How, as `Ben (sad):` says it."""


_NOBODY = _Speech(0, "")


class Paragraph:
    """The lines of one utterance, until it ends."""

    _groups = _NOTHING
    """What stood at the ends of its lines."""
    _quotes = 0
    """How many quotation marks are open in `Name「…」`; 0 for other lines."""
    _mood = ""
    """How it is spoken, as `Ben (sad):` says it."""

    def __init__(
        self,
        stack: Stack,
        notes: Notes,
        speakers: frozenset[str],
        lines: Sequence[str] = (),
    ) -> None:
        """`lines` are those of the file if anybody may speak in quotation marks in it."""
        self.stack, self.notes = stack, notes
        self.doubted: set[str] = set()
        """Names that may speak in lines that are read as narration."""
        self._warned: set[str] = set()
        self._speakers, self._lines = speakers, lines
        self._heard: frozenset[str] | None = None
        self._quoting = bool(lines)
        self._spaced = frozenset(
            name for name in speakers if " " in name or "\u3000" in name
        )
        self._reset()

    def _reset(self) -> None:
        self._letters = 0
        self.pieces: list[str] = []
        """The lines so far; all but the first with their indents."""
        self._begun = False
        self._speaker = self._old = self._raw = self._mood = ""
        self._headed: tuple[SpeakerHead, int, int] | None = None
        self._line = self._column = self._word_line = self._word_column = 0

    def say(self, speaker: str, line: int, column: int) -> None:
        """Begin what an old [SAY] says; its text follows."""
        self.flush()
        self._begun, self._old = True, "SAY"
        self._speaker, self._line, self._column = speaker, line, column

    def line(self, raw: str, at: int, indent: int, number: int) -> None:
        """Take a line of text into whatever it is indented to."""
        if indent <= self.stack.top.indent:
            self.flush()
            self.stack.dedent(indent, number)
        self.add(raw, at, number)

    def add(self, raw: str, at: int, line: int) -> None:
        """Take a line of text, which begins at `raw[at]`."""
        begin = at
        # The first line under an old [SAY] is its text, whatever it looks like.
        if not self._old or self.pieces:
            speech = self._named(raw, at)
            if speech.end:
                self.flush()
                self._begun, self._speaker, self._raw = True, speech.name, raw[at:]
                self._line, self._column, begin = line, at + 1, speech.end
                self._mood = speech.mood
                if speech.name[-1] in ")）" and (head := find_head(raw, at)):
                    self.doubted.add(head.name)
            else:
                self._doubt(raw, at, line)
                if self._quoting and not self._quotes:
                    begin = self._quotation(raw, at, line) or at
        if not self._begun:
            self._begun, self._line, self._column = True, line, at + 1
        if begin < len(raw):
            self._piece(raw, begin, line)
        if self._quoting and self._quotes:
            self._close(raw, begin)

    def blank(self) -> None:
        """Take an empty line, which ends an utterance but not the wait for its text."""
        if self.pieces or not self._old:
            self.flush()

    def _named(self, raw: str, at: int) -> _Speech:
        """Who speaks in a line, and where the words begin."""
        found = _SPEECH(raw, at)
        if found is not None:
            name, colon = found.groups()
        elif self._spaced and (found := _LONG(raw, at)):
            name, colon = raw[at : found.start(1)].strip(), found[1]
            if name not in self._spaced:
                return self._known(raw, at)
        else:
            return self._known(raw, at)
        end = found.end()
        if (
            raw[end - 1] == colon
            and end < len(raw)
            and not self._speaks(name, colon, raw[end])
        ):
            return self._known(raw, at)
        if name[-1] in ")）" and name not in self._speakers:
            mooded = self._known(raw, at)
            if mooded.end:
                return mooded
        # Few people say much: their names are kept once.
        return _Speech(end, intern(name))

    def _known(self, raw: str, at: int) -> _Speech:
        """Who speaks in a line that only a known name makes speech."""
        head = find_head(raw, at)
        if head is None or head.behind in ADDRESS:
            return _NOBODY
        if head.name not in self._speakers and not (head.bold and not head.spaced):
            return _NOBODY
        return _Speech(head.end, intern(head.name), head.mood)

    def _doubt(self, raw: str, at: int, line: int) -> None:
        """Remember a line that may be speech of a name that is not known."""
        head = find_head(raw, at)
        if head is None or head.behind in ADDRESS:
            return
        self.doubted.add(head.name)
        if not is_name_like(head.name):
            return
        if head.behind:
            self._warn_unclear(head, raw[at:], line, at + 1)
        elif not self.pieces:
            self._headed = (head, line, at + 1)

    def _warn_unclear(
        self, head: SpeakerHead, text: str, line: int, column: int
    ) -> None:
        """Offer both readings of a line that is read as narration; once for a name."""
        name = head.name
        if name in self._warned:
            return
        self._warned.add(name)
        message = f"{quoted(text)} is narration: no speaker {quoted(name)} is known"
        speech = f"declare the speaker, cast: [{name}]"
        if not head.spaced and not head.mood:
            speech = f"write {name}: and a blank"
        hint = f"for speech, {speech}; for narration, write \\: for the colon"
        self.notes.warning("SPEECH_UNCLEAR", message, line, column, hint)

    def _speaks(self, name: str, colon: str, behind: str) -> bool:
        """Whether a name speaks with no blank behind its colon."""
        if name[-1:].isdecimal() and behind.isdecimal():
            # `12:30` is a time or a ratio.
            return False
        if colon == "：" or name in self._speakers:
            return True
        return any(c.isalpha() and c > "\x7f" for c in name)

    def _piece(self, raw: str, begin: int, line: int) -> None:
        if self.pieces:
            text = raw if raw[:begin].isspace() else raw[begin:]
        else:
            text = raw[begin:]
            self._word_line, self._word_column = line, begin + 1
        self._letters += len(text)
        if self._letters > LONGEST:
            self._too_long(line)
        if raw[-1] != "}":
            if raw[-1] == "｝":
                wide_group(raw[begin:], line, begin + 1, self.notes, item=False)
            self.pieces.append(text)
            return
        trailing = trailing_at(raw[begin:], line, begin + 1, self.notes, item=False)
        cut = len(raw) - begin - len(trailing.text)
        if not cut:
            self.pieces.append(text)
            return
        if trailing.id and self._groups.id:
            self._next_id(line, begin)
        text = text[: len(text) - cut]
        if text and not text.isspace():
            self.pieces.append(text)
        groups = trailing if self._groups is _NOTHING else _both(self._groups, trailing)
        if trailing.deed is None and (self.pieces or self._speaker or self._old):
            self._groups = groups
        else:
            self.flush(groups, line)

    def _next_id(self, line: int, begin: int) -> None:
        """Begin a new utterance by the same speaker: every id is a line of its own."""
        speaker = self._speaker
        self.flush()
        self._begun, self._speaker = True, speaker
        self._line, self._column = line, begin + 1
        self._word_line, self._word_column = line, begin + 1

    def _too_long(self, line: int) -> None:
        message = f"a paragraph has over {LONGEST} letters; a new one begins here"
        self.notes.error(
            "LINE_TOO_LONG", message, line, 1, "break it with a blank line"
        )
        self.flush()
        self._begun, self._line, self._column = True, line, 1
        self._word_line, self._word_column = line, 1

    def flush(self, trailing: Trailing = _NOTHING, line: int = 0) -> None:
        """End the utterance, if one is open, and put it into the tree."""
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
        said: list[node.Node] = []
        if self.pieces or self._wordless(trailing):
            pieces = self.pieces
            text = pieces[0] if len(pieces) == 1 else "\n".join(pieces)
            said = self._says(text, trailing)
        if trailing.deed is not None:
            at = trailing.deed_column
            words = words_at(trailing.deed, line, at, self.notes)
            said.append(node.Deed(line, at, line, words))
        self._reset()
        self.stack.emit(*said)

    def _wordless(self, trailing: Trailing) -> bool:
        """Whether something is said though no words came; if so, they are there now."""
        if self._speaker and not self._old and trailing is _NOTHING:
            # `Options:` before a list is narration.
            self.pieces, self._speaker = [self._raw], ""
            self._word_line, self._word_column = self._line, self._column
            return True
        if self._old:
            message = "SAY says nothing"
            hint = "write the text behind it or on the next line"
            place = (self._line, self._column)
            self.notes.warning("PARAMETER_MISSING", message, *place, hint)
            self.pieces = [""]
            self._word_line = self._line
            return True
        if trailing.deed is None:
            message = "this stands at the end of no text"
            place = (self._line, self._column)
            hint = "write it behind the line it belongs to"
            self.notes.error("PARAMETER_MALFORMED", message, *place, hint)
        return False

    def _says(self, text: str, trailing: Trailing) -> list[node.Node]:
        line, column = self._word_line, self._word_column
        if "[" in text:
            self._links(text)
            if "[c]" in text:
                clicks = [*_CLICK.finditer(text)]
                if clicks:
                    return self._clicked(text, clicks, trailing)
        words = self._words(text, line, column)
        last = line + len(self.pieces) - 1
        return [self._said(self._line, self._column, last, words, trailing)]

    def _words(self, text: str, line: int, column: int) -> Words:
        if "\n" not in text and is_plain(text):
            return text
        if "\n" in text:
            return lines_at(text, line, column, self.notes)
        return words_at(text, line, column, self.notes)

    # Speech in quotation marks: ハル「やあ」.

    def _quotation(self, raw: str, at: int, line: int) -> int:
        """Where quoted speech begins, if the line is that; else 0."""
        found = _QUOTED(raw, at)
        name = found[1] if found else self._spaced_before(raw, at)
        if not name:
            return 0
        begin = at + len(name) + 1
        depth, end = _depth(raw, begin, 1)
        if not depth and not _is_groups(raw[end:]):
            return 0
        if name not in self._speakers and name not in self._speaking():
            if not depth:
                message = (
                    f"{quoted(raw[at:end])} is narration: {quoted(name)} is unknown"
                )
                hint = f"write {name}：… or declare the speaker: cast: [{name}]"
                self.notes.note("SPEECH_QUOTED", message, line, at + 1, hint)
            return 0
        self.flush()
        self._begun, self._speaker, self._raw = True, intern(name), raw[at:begin]
        self._line, self._column, self._quotes = line, at + 1, 1
        return begin

    def _spaced_before(self, raw: str, at: int) -> str:
        name = raw[at : raw.find("「", at)]
        return name if name in self._spaced else ""

    def _speaking(self) -> frozenset[str]:
        """Everybody who speaks with a colon somewhere in the file."""
        if self._heard is None:
            stripped = (line.strip(" \t") for line in self._lines)
            self._heard = frozenset(
                self._named(line, 0).name for line in stripped if line
            )
        return self._heard

    def _close(self, raw: str, begin: int) -> None:
        """End quoted speech where its quotation mark closes."""
        self._quotes, end = _depth(raw, begin, self._quotes)
        if self._quotes:
            return
        # Something behind it makes a sentence of the whole: that is narration.
        self._quotes = 1
        if _is_groups(raw[end:]):
            before, _, behind = self.pieces[-1].rpartition("」")
            self.pieces[-1], self._quotes = before + behind, 0
        self.flush()

    def _unquote(self) -> None:
        """Make narration again of quoted speech that does not end."""
        self.pieces[:1] = [self._raw + "".join(self.pieces[:1])]
        self._word_line, self._word_column = self._line, self._column
        self._speaker, self._quotes = "", 0

    def _said(
        self, line: int, column: int, last: int, words: Words, trailing: Trailing
    ) -> node.Say:
        if trailing is _NOTHING and not self._mood:
            return node.Say(
                line, column, last, self._speaker, words, "", (), (), self._old
            )
        return node.Say(
            line,
            column,
            last,
            self._speaker,
            words,
            trailing.id,
            tuple(dict.fromkeys((self._mood, *trailing.tags)))
            if self._mood
            else trailing.tags,
            trailing.values,
            self._old,
        )

    def _clicked(
        self, text: str, clicks: list[re.Match[str]], trailing: Trailing
    ) -> list[node.Node]:
        """One utterance for each part between two `[c]`; the last has the id."""
        says: list[node.Node] = []
        starts = [0, *(click.end() for click in clicks)]
        ends = [*(click.start() for click in clicks), len(text)]
        ruler = self._ruler(text)
        for click in clicks:
            self.notes.old("[c]", *ruler.place(click.start()))
        self._old = self._old or "[c]"
        ruler = self._ruler(text)
        shown = [nth for nth, at in enumerate(starts) if text[at : ends[nth]].strip()]
        for nth in shown:
            part = text[starts[nth] : ends[nth]]
            bare, start = part.lstrip(), starts[nth]
            line, column = ruler.place(start + len(part) - len(bare))
            words = self._words(bare.rstrip(), line, column)
            last = line + bare.rstrip().count("\n")
            tail = trailing if nth == shown[-1] else _NOTHING
            says.append(self._said(line, column, last, words, tail))
        if says and shown[-1] < len(clicks):
            says[-1] = msgspec.structs.replace(says[-1], click=True)
        return says

    def _links(self, text: str) -> None:
        if "](" not in text:
            return
        ruler = self._ruler(text)
        for at in links_in(text):
            if text[at - 1 : at] == "!":
                message = "a picture in a sentence stays text"
                hint = "write [SHOW_IMAGE file=…] on a line of its own"
                place = ruler.place(at - 1)
                self.notes.warning("MARKDOWN_UNSUPPORTED", message, *place, hint)
            else:
                message = "a link in a sentence stays text"
                hint = "put it on a line of its own to jump, or into a list to choose"
                place = ruler.place(at)
                self.notes.warning("LINK_IN_SENTENCE", message, *place, hint)

    def _ruler(self, text: str) -> "_Ruler":
        return _Ruler(text, self._word_line, self._word_column)


def _both(first: Trailing, second: Trailing) -> Trailing:
    """What two lines of one utterance say at their ends."""
    return Trailing(
        "",
        id=second.id or first.id,
        tags=tuple(dict.fromkeys(first.tags + second.tags)),
        values=tuple(sorted({**dict(first.values), **dict(second.values)}.items())),
        deed=second.deed,
        deed_column=second.deed_column,
    )


def _depth(raw: str, at: int, depth: int) -> tuple[int, int]:
    """How many quotation marks are open where the first one closes, else at the end."""
    for found in _QUOTES.finditer(raw, at):
        depth += 1 if found[0] == "「" else -1
        if not depth:
            return 0, found.end()
    return depth, len(raw)


def _is_groups(text: str) -> bool:
    """Whether nothing but groups can stand there."""
    bare = text.strip()
    return not bare or (bare[0] == "{" and bare[-1] == "}") or bare == "[c]"


class _Ruler:
    """Places in a text of several lines, asked for from left to right."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self._text, self._line, self._column = text, line, column
        self._at = 0

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of the letter at `at`, which no earlier one follows."""
        breaks = self._text.count("\n", self._at, at)
        if breaks:
            self._line += breaks
            self._column = at - self._text.rfind("\n", self._at, at)
        else:
            self._column += at - self._at
        self._at = at
        return self._line, self._column
