"""Our answers in the shapes of the Language Server Protocol, and its places in ours."""

import re
from collections.abc import Callable, Iterable

from lsprotocol import types

from saniwa.core.finding import Finding, Severity
from saniwa.script.desk.edit import lines_of
from saniwa.script.desk.editing import outline
from saniwa.script.desk.editing.columns import Encoding, from_units, to_units
from saniwa.script.desk.editing.complete import Completion, Sort
from saniwa.script.desk.editing.hover import Told
from saniwa.script.desk.editing.mention import Mention
from saniwa.script.desk.editing.rename import Edit

LineOf = Callable[[str, int], str]
"""The text of a line of a file, as the editor shows it."""
_WORD = re.compile(r"\[[A-Z0-9_]+|\w+|\S")
_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_KINDS: dict[Sort, types.CompletionItemKind] = {
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
_SYMBOLS: dict[outline.Sort, types.SymbolKind] = {
    "section": types.SymbolKind.Module,
    "label": types.SymbolKind.Key,
    "ending": types.SymbolKind.Event,
}


def encoding_of(counted: types.PositionEncodingKind | str | None) -> Encoding:
    """What an editor counts in, as it was agreed."""
    name = getattr(counted, "value", counted)
    return "utf-8" if name == "utf-8" else "utf-32" if name == "utf-32" else "utf-16"


class Shapes:
    """Places for one editor: it counts in its own units and names files by address."""

    def __init__(self, line: LineOf, encoding: Encoding) -> None:
        self._line, self._encoding = line, encoding

    def place(self, file: str, position: types.Position) -> tuple[int, int]:
        """Line and column, from 1."""
        line = position.line + 1
        text = self._line(file, line)
        return line, from_units(text, position.character, self._encoding)

    def span(self, file: str, line: int, column: int, length: int) -> types.Range:
        """Letters of one line."""
        text = self._line(file, line)
        begin = to_units(text, column, self._encoding)
        end = to_units(text, column + length, self._encoding)
        row = max(line - 1, 0)
        return types.Range(types.Position(row, begin), types.Position(row, end))

    def mention(self, mention: Mention) -> types.Range:
        """The letters of a name."""
        return self.span(
            mention.file, mention.line, mention.column, len(mention.written)
        )

    def edit(self, edit: Edit) -> types.TextEdit:
        """One change."""
        span = self.span(edit.file, edit.line, edit.column, edit.length)
        return types.TextEdit(span, edit.text)

    def whole(self, text: str, new: str) -> types.TextEdit:
        """A whole text in the place of another."""
        lines = lines_of(text)
        end = to_units(lines[-1], len(lines[-1]) + 1, self._encoding)
        last = types.Position(len(lines) - 1, end)
        return types.TextEdit(types.Range(types.Position(0, 0), last), new)

    def told(self, file: str, told: Told) -> types.Hover:
        """What is told of a name."""
        text = types.MarkupContent(types.MarkupKind.Markdown, told.text)
        return types.Hover(text, self.span(file, told.line, told.column, told.length))

    def diagnostic(self, file: str, finding: Finding) -> types.Diagnostic:
        """A finding, with the letters it is about."""
        hint = f"\n{finding.hint}" if finding.hint else ""
        return types.Diagnostic(
            range=self._about(file, finding),
            message=finding.message + hint,
            severity=_SEVERITIES[finding.severity],
            code=finding.code,
            source="saniwa",
        )

    def _about(self, file: str, finding: Finding) -> types.Range:
        line, column = max(finding.where.line, 1), max(finding.where.column, 1)
        rewrite = finding.details.get("rewrite")
        if isinstance(rewrite, dict) and rewrite["line"] == line:
            return self.span(file, line, rewrite["column"], rewrite["length"])
        found = _WORD.match(self._line(file, line), column - 1)
        return self.span(file, line, column, len(found[0]) if found else 0)

    def completion(
        self, file: str, line: int, column: int, offered: Completion
    ) -> types.CompletionItem:
        """Something to be written from where it begins to the cursor."""
        span = self.span(file, line, offered.begin, column - offered.begin)
        return types.CompletionItem(
            label=offered.text.strip(),
            kind=_KINDS[offered.sort],
            detail=offered.about or offered.sort,
            filter_text=offered.text,
            text_edit=types.TextEdit(span, offered.text),
        )

    def symbols(
        self, file: str, entries: Iterable[outline.Entry]
    ) -> list[types.DocumentSymbol]:
        """The outline."""
        return [self._symbol(file, each) for each in entries]

    def _symbol(self, file: str, entry: outline.Entry) -> types.DocumentSymbol:
        # Two levels and no more: labels and endings stand in sections.
        last = self._line(file, entry.last)
        end = to_units(last, len(last) + 1, self._encoding)
        whole = types.Range(
            types.Position(entry.line - 1, 0), types.Position(entry.last - 1, end)
        )
        return types.DocumentSymbol(
            name=entry.name,
            kind=_SYMBOLS[entry.sort],
            range=whole,
            selection_range=self.span(file, entry.line, entry.column, entry.length),
            children=self.symbols(file, entry.inner),
        )
