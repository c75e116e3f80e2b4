"""Converts our results into types of the Language Server Protocol, and back."""

import re
from collections.abc import Callable

from lsprotocol import types

from saniwa.core.findings import Finding, Severity
from saniwa.story.tools import overview
from saniwa.story.tools.completion import Completion, CompletionSort
from saniwa.story.tools.edits import ColumnEncoding, from_units, split_lines, to_units
from saniwa.story.tools.hover import HoverText
from saniwa.story.tools.mentions import StoryMention
from saniwa.story.tools.refactoring import TextEdit

LineReader = Callable[[str, int], str]
"""Returns a line of a file, as the editor shows it."""
_WORD = re.compile(r"\[[A-Z0-9_]+|\w+|\S")
_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_KINDS: dict[CompletionSort, types.CompletionItemKind] = {
    "label": types.CompletionItemKind.Reference,
    "option": types.CompletionItemKind.Reference,
    "speaker": types.CompletionItemKind.Constant,
    "command": types.CompletionItemKind.Keyword,
    "parameter": types.CompletionItemKind.Property,
    "asset": types.CompletionItemKind.File,
    "variable": types.CompletionItemKind.Variable,
    "function": types.CompletionItemKind.Function,
    "word": types.CompletionItemKind.Keyword,
}
_SYMBOLS: dict[overview.OutlineSort, types.SymbolKind] = {
    "section": types.SymbolKind.Module,
    "label": types.SymbolKind.Key,
    "ending": types.SymbolKind.Event,
}


def choose_encoding(counted: types.PositionEncodingKind | str | None) -> ColumnEncoding:
    """Return the column encoding that was agreed with an editor."""
    name = getattr(counted, "value", counted)
    return "utf-8" if name == "utf-8" else "utf-32" if name == "utf-32" else "utf-16"


class ProtocolConverter:
    """Converts positions for one editor, which has its own column unit and URIs."""

    def __init__(self, line: LineReader, encoding: ColumnEncoding) -> None:
        self._line, self._encoding = line, encoding

    def from_position(self, file: str, position: types.Position) -> tuple[int, int]:
        """Return line and column, from 1."""
        line = position.line + 1
        text = self._line(file, line)
        return line, from_units(text, position.character, self._encoding)

    def to_range(self, file: str, line: int, column: int, length: int) -> types.Range:
        """Return the range of some characters of one line."""
        text = self._line(file, line)
        begin = to_units(text, column, self._encoding)
        end = to_units(text, column + length, self._encoding)
        row = max(line - 1, 0)
        return types.Range(types.Position(row, begin), types.Position(row, end))

    def to_mention_range(self, mention: StoryMention) -> types.Range:
        """Return the range of a name."""
        return self.to_range(mention.file, mention.line, mention.column, len(mention.written))

    def to_text_edit(self, edit: TextEdit) -> types.TextEdit:
        """Convert one edit."""
        span = self.to_range(edit.file, edit.line, edit.column, edit.length)
        return types.TextEdit(span, edit.text)

    def to_full_edit(self, text: str, new: str) -> types.TextEdit:
        """Return an edit that replaces a complete text."""
        lines = split_lines(text)
        end = to_units(lines[-1], len(lines[-1]) + 1, self._encoding)
        last = types.Position(len(lines) - 1, end)
        return types.TextEdit(types.Range(types.Position(0, 0), last), new)

    def to_hover(self, file: str, hover: HoverText) -> types.Hover:
        """Convert the description of a name."""
        text = types.MarkupContent(types.MarkupKind.Markdown, hover.text)
        return types.Hover(text, self.to_range(file, hover.line, hover.column, hover.length))

    def to_diagnostic(self, file: str, finding: Finding) -> types.Diagnostic:
        """Convert a finding, with the range that it is about."""
        hint = f"\n{finding.hint}" if finding.hint else ""
        return types.Diagnostic(
            range=self._find_range(file, finding),
            message=finding.message + hint,
            severity=_SEVERITIES[finding.severity],
            code=finding.code,
            source="saniwa",
        )

    def _find_range(self, file: str, finding: Finding) -> types.Range:
        line, column = max(finding.where.line, 1), max(finding.where.column, 1)
        rewrite = finding.details.get("rewrite")
        if isinstance(rewrite, dict) and rewrite["line"] == line:
            return self.to_range(file, line, rewrite["column"], rewrite["length"])
        found = _WORD.match(self._line(file, line), column - 1)
        return self.to_range(file, line, column, len(found[0]) if found else 0)

    def to_completion(
        self, file: str, line: int, column: int, offered: Completion
    ) -> types.CompletionItem:
        """Convert a completion, which replaces the text up to the cursor."""
        span = self.to_range(file, line, offered.begin, column - offered.begin)
        return types.CompletionItem(
            label=offered.text.strip(),
            kind=_KINDS[offered.sort],
            detail=offered.about or offered.sort,
            filter_text=offered.text,
            text_edit=types.TextEdit(span, offered.text),
        )

    def to_symbol(self, file: str, entry: overview.OutlineEntry) -> types.DocumentSymbol:
        """Convert an entry of the outline, with those inside of it."""
        last = self._line(file, entry.last)
        end = to_units(last, len(last) + 1, self._encoding)
        span = types.Range(types.Position(entry.line - 1, 0), types.Position(entry.last - 1, end))
        return types.DocumentSymbol(
            name=entry.name,
            kind=_SYMBOLS[entry.sort],
            range=span,
            selection_range=self.to_range(file, entry.line, entry.column, entry.length),
            children=[self.to_symbol(file, each) for each in entry.inner],
        )
