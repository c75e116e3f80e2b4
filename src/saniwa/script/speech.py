"""Paragraphs: narration and speech, gathered line by line into what is said."""

import re
from sys import intern

from saniwa.script import node
from saniwa.script.inline import lines_at, trailing_at, words_at
from saniwa.script.link import links_in
from saniwa.script.notes import Notes
from saniwa.script.stack import Stack
from saniwa.script.words import Trailing, Words

# Neither quotation marks, so that a quotation with a colon in it stays narration.
_NAME = '[^\\s\\[{<#:：\\\\"“”„«»「」『』]'
_SPEECH = re.compile(rf"({_NAME}{{1,40}}+)(：|:)[ \t\u3000]*+").match
_LONG = re.compile(r"[^:：]*+(：|:)[ \t\u3000]*+").match
_CLICK = re.compile(r"(?<!\\)\[c\]")
_NOTHING = Trailing("")
LONGEST = 100_000
"""Letters a line or a paragraph may have."""


class Paragraph:
    """The lines of one utterance, until it ends."""

    def __init__(self, stack: Stack, notes: Notes, speakers: frozenset[str]) -> None:
        self.stack, self.notes = stack, notes
        self._spaced = frozenset(
            name for name in speakers if " " in name or "\u3000" in name
        )
        self._reset()

    def _reset(self) -> None:
        self._letters = 0
        self.pieces: list[str] = []
        """The lines so far; all but the first with their indents."""
        self._begun = False
        self._speaker = self._old = self._raw = ""
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
            self.stack.dedent(indent)
        self.add(raw, at, number)

    def add(self, raw: str, at: int, line: int) -> None:
        """Take a line of text, which begins at `raw[at]`."""
        begin = at
        # The first line under an old [SAY] is its text, whatever it looks like.
        if not self._old or self.pieces:
            end, name = self._named(raw, at)
            if end:
                self.flush()
                self._begun, self._speaker, self._raw = True, name, raw[at:]
                self._line, self._column, begin = line, at + 1, end
        if not self._begun:
            self._begun, self._line, self._column = True, line, at + 1
        if begin < len(raw):
            self._piece(raw, begin, line)

    def blank(self) -> None:
        """Take an empty line, which ends an utterance but not the wait for its text."""
        if self.pieces or not self._old:
            self.flush()

    def _named(self, raw: str, at: int) -> tuple[int, str]:
        """Where speech begins, and who speaks; 0 if the line is none."""
        found = _SPEECH(raw, at)
        if found is not None:
            name, colon = found.groups()
        elif self._spaced and (found := _LONG(raw, at)):
            name, colon = raw[at : found.start(1)].strip(), found[1]
            if name not in self._spaced:
                return 0, ""
        else:
            return 0, ""
        end = found.end()
        cramped = colon == ":" and raw[end - 1] == ":" and end < len(raw)
        if cramped and not any(c.isalpha() and c > "\x7f" for c in name):
            return 0, ""
        # Few people say much: their names are kept once.
        return end, intern(name)

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
            self.pieces.append(text)
            return
        trailing = trailing_at(raw[begin:], line, begin + 1, self.notes, item=False)
        cut = len(raw) - begin - len(trailing.text)
        if not cut:
            self.pieces.append(text)
            return
        text = text[: len(text) - cut]
        if text and not text.isspace():
            self.pieces.append(text)
        self.flush(trailing, line)

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
        if "{" not in text and "\\" not in text and "\n" not in text:
            return text
        if "\n" in text:
            return lines_at(text, line, column, self.notes)
        return words_at(text, line, column, self.notes)

    def _said(
        self, line: int, column: int, last: int, words: Words, trailing: Trailing
    ) -> node.Say:
        if trailing is _NOTHING:
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
            trailing.tags,
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
        for nth, (start, end) in enumerate(zip(starts, ends, strict=True)):
            part = text[start:end]
            bare = part.lstrip()
            if not bare:
                continue
            line, column = ruler.place(start + len(part) - len(bare))
            words = self._words(bare.rstrip(), line, column)
            last = line + bare.rstrip().count("\n")
            tail = trailing if nth == len(clicks) else _NOTHING
            says.append(self._said(line, column, last, words, tail))
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
