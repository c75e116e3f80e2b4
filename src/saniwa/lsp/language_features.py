"""The stories that an editor has open, and the answers to its requests about them.

The editor's text counts, and the disk's for files of a story that are not open. A story
whose first file is not open is found too. Also converts positions, findings and names
to the types of the protocol.
"""

import asyncio
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, Literal

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, Severity, SourceLocation
from saniwa.story.elements import split_lines
from saniwa.story.files import decode_text
from saniwa.story.story import Story, parse_story, read_story_text
from saniwa.story.tools import overview, refactoring
from saniwa.story.tools.completion import Completion, CompletionSort, list_completions
from saniwa.story.tools.hover import HoverText, build_hover
from saniwa.story.tools.mention_index import (
    MentionIndex,
    StoryMention,
    find_definition,
    find_references,
)
from saniwa.story.tools.notation_update import update_notation
from saniwa.story.tools.overview import build_outline
from saniwa.story.tools.parent_stories import find_parent_stories, try_read_story
from saniwa.story.tools.refactoring import QuickFix, TextEdit


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
        if file not in self._texts and not around:
            return {file: ()}
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


ColumnEncoding = Literal["utf-8", "utf-16", "utf-32"]
"""The unit in which an editor counts columns."""


_WIDTHS: Final[Mapping[ColumnEncoding, Callable[[str], int]]] = {
    "utf-8": lambda c: 1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff"),
    "utf-16": lambda c: 1 + (c > "\uffff"),
    "utf-32": lambda _: 1,
}


def to_units(line: str, column: int, encoding: ColumnEncoding = "utf-16") -> int:
    """Count the units before a column; a column after the line is its end."""
    before = line[: max(column - 1, 0)]
    if before.isascii():
        return len(before)
    return sum(map(_WIDTHS[encoding], before))


def from_units(line: str, units: int, encoding: ColumnEncoding = "utf-16") -> int:
    """Return the column of the character that a unit belongs to, at most the end."""
    if line.isascii():
        return min(max(units, 0), len(line)) + 1
    width, passed = _WIDTHS[encoding], 0
    for column, character in enumerate(line, 1):
        passed += width(character)
        if passed > units:
            return column
    return len(line) + 1


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


LARGE_TEXT_CHARS: Final = 100_000
"""The length from which a text is checked only after a pause in typing."""
CHECK_DELAY_SECONDS: Final = 0.3
"""The length of that pause, in seconds."""


class OpenDocuments:
    """Stores the editor's texts, and sends diagnostics after every change."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self.opened = OpenStories()
        """The texts and their stories."""
        self._addresses: dict[str, str] = {}
        self._findings: dict[str, dict[str, tuple[Finding, ...]]] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    # Notifications of the editor.

    def handle_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Store the text of a file that was opened."""
        self._store_text(params.text_document.uri)
        self.check_all()

    def handle_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Store a changed text, and check it now or after a pause."""
        file = self._store_text(params.text_document.uri)
        self._cancel_check(file)
        if self.opened.count_characters(file) < LARGE_TEXT_CHARS:
            self._check_related(file)
        else:
            later = asyncio.get_running_loop().call_later
            self._waiting[file] = later(CHECK_DELAY_SECONDS, self._check_related, file)

    def _cancel_check(self, file: str) -> None:
        waiting = self._waiting.pop(file, None)
        if waiting is not None:
            waiting.cancel()

    def check_all(self, _: object = None) -> None:
        """Check all open files again, because files on disk have changed."""
        self.opened.clear_cache()
        for file in self.opened.files:
            self._check_file(file)

    def handle_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a file that was closed."""
        file = self.to_file(params.text_document.uri)
        self._cancel_check(file)
        self.opened.close_file(file)
        self._update_findings(file, {})
        self._addresses.pop(file, None)
        self.check_all()

    def _store_text(self, address: str) -> str:
        file = self.to_file(address)
        self._addresses[file] = address
        text = self._server.workspace.get_text_document(address).source
        self.opened.set_text(file, text, loose=to_fs_path(address) is None)
        return file

    # File names.

    def to_file(self, address: str) -> str:
        """Return the file at a URI; the URI itself for a text that was never saved."""
        path = to_fs_path(address)
        return address if path is None else os.path.normpath(path)

    def to_uri(self, file: str) -> str:
        """Return the URI of a file, in the editor's own spelling."""
        return self._addresses.get(file) or from_fs_path(file) or file

    @property
    def converter(self) -> ProtocolConverter:
        """Converts answers for this editor."""
        counted = choose_encoding(self._server.workspace.position_encoding)
        return ProtocolConverter(self.opened.get_line, counted)

    # Findings.

    def _check_related(self, file: str) -> None:
        """Check a file and those that share a story with it."""
        for each in (file, *self.opened.list_related(file)):
            self._check_file(each)

    def _check_file(self, file: str) -> None:
        self._update_findings(file, self.opened.collect_findings(file))

    def _update_findings(self, owner: str, found: dict[str, tuple[Finding, ...]]) -> None:
        """Send the findings of one open file, and remove those that are gone."""
        before = self._findings.pop(owner, {})
        if found:
            self._findings[owner] = found
        for file in {**before, **found}:
            self._publish(file)

    def _publish(self, file: str) -> None:
        reported = (found.get(file, ()) for found in self._findings.values())
        # Two open files may link to a third, and both have its findings.
        unique = {str(each): each for found in reported for each in found}
        shapes = self.converter
        shown = [shapes.to_diagnostic(file, each) for each in unique.values()]
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self.to_uri(file), shown)
        )


class LanguageFeatures:
    """Answers from the stories that are open."""

    def __init__(self, files: OpenDocuments) -> None:
        self._files = files
        self._opened = files.opened

    # Requests about a position.

    def list_completions(self, params: types.CompletionParams) -> types.CompletionList:
        """Return what may be written here."""
        file, line, column = self._locate_position(params)
        text = self._opened.get_line(file, line)
        offered = {
            (each.sort, each.text): each
            for names in reversed(self._opened.list_stories(file))
            for each in list_completions(names, file, text, column)
        }
        shapes = self._files.converter
        items = [shapes.to_completion(file, line, column, e) for e in offered.values()]
        return types.CompletionList(is_incomplete=False, items=items)

    def find_definition(self, params: types.DefinitionParams) -> list[types.Location]:
        """Return where the name at this position is defined."""
        place = self._locate_position(params)
        found = [find_definition(n, *place) for n in self._opened.list_stories(place[0])]
        # A declaration in another file precedes an assignment in this one.
        found.sort(key=lambda each: not each or each[0].role != "made")
        return self._list_locations(found[0])

    def find_references(self, params: types.ReferenceParams) -> list[types.Location]:
        """Return every place that mentions the name at this position."""
        place, made = self._locate_position(params), params.context.include_declaration
        found = (
            each
            for names in self._opened.list_stories(place[0])
            for each in find_references(names, *place, made=made)
        )
        spans = {(each.file, each.line, each.column): each for each in found}
        return self._list_locations(spans.values())

    def describe_name(self, params: types.HoverParams) -> types.Hover | None:
        """Return what is known about the name at this position."""
        place = self._locate_position(params)
        # The story that contains a file knows more than the file alone.
        for names in reversed(self._opened.list_stories(place[0])):
            hover = build_hover(names, *place)
            if hover is not None:
                return self._files.converter.to_hover(place[0], hover)
        return None

    # Renaming.

    def prepare_rename(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        """Return the name at this position, if it can be renamed."""
        place = self._locate_position(params)
        names = self._opened.load_names(place[0])
        here = refactoring.find_renamable(names, *place)
        if here is None:
            return None
        made = find_definition(names, *place)
        shown = made[0].written if made else here.written
        span = self._files.converter.to_mention_range(here)
        return types.PrepareRenamePlaceholder(span, shown)

    def rename_symbol(self, params: types.RenameParams) -> types.WorkspaceEdit:
        """Return every edit that renames the name at this position.

        Raises:
            JsonRpcInvalidParams: The new name is not allowed; the editor shows why.
        """
        place = self._locate_position(params)
        edits: dict[TextEdit, None] = {}
        for names in self._opened.list_stories(place[0]):
            made = refactoring.rename_mention(names, *place, params.new_name)
            if isinstance(made, refactoring.RenameRefusal):
                raise JsonRpcInvalidParams(made.message)
            edits |= dict.fromkeys(made)
        changes = defaultdict[str, list[types.TextEdit]](list)
        for edit in edits:
            changes[self._files.to_uri(edit.file)].append(self._files.converter.to_text_edit(edit))
        return types.WorkspaceEdit(changes=changes)

    # Requests about a file.

    def list_symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """Return the sections, labels and endings of a file."""
        file = self._files.to_file(params.text_document.uri)
        scene = self._opened.load_names(file).story.scenes[0]
        return [self._files.converter.to_symbol(file, each) for each in build_outline(scene)]

    def format_document(self, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        """Return edits from older notation into the plain dialect, as `saniwa fmt`."""
        return self._build_format_edits(params.text_document.uri)

    def _build_format_edits(self, address: str) -> list[types.TextEdit]:
        file = self._files.to_file(address)
        scene, *others = self._opened.load_names(file).story.scenes
        new = update_notation(scene.text, scene.file, others)
        if new.text == scene.text:
            return []
        return [self._files.converter.to_full_edit(scene.text, new.text)]

    # Quick fixes.

    def list_code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the quick fixes for some lines."""
        file = self._files.to_file(params.text_document.uri)
        lines = (params.range.start.line + 1, params.range.end.line + 1)
        story = self._opened.load_names(file).story
        cures = [
            self._build_code_action(file, each)
            for each in refactoring.list_quick_fixes(story, file, *lines)
        ]
        if refactoring.has_old_notation(story, file, *lines):
            # Computed only when it is chosen: every change is parsed again, which takes a
            # while.
            title, kind = "rewrite old notation (saniwa fmt)", types.CodeActionKind.QuickFix
            cures.append(types.CodeAction(title, kind, data=params.text_document.uri))
        return cures

    def _build_code_action(self, file: str, mending: QuickFix) -> types.CodeAction:
        shapes = self._files.converter
        edits = {self._files.to_uri(file): [shapes.to_text_edit(mending.edit)]}
        return types.CodeAction(
            title=mending.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[shapes.to_diagnostic(file, mending.finding)],
            is_preferred=True,
            edit=types.WorkspaceEdit(changes=edits),
        )

    def resolve_code_action(self, cure: types.CodeAction) -> types.CodeAction:
        """Compute the edits of a quick fix that was only named so far."""
        if isinstance(cure.data, str):
            edits = {cure.data: self._build_format_edits(cure.data)}
            cure.edit = types.WorkspaceEdit(changes=edits)
        return cure

    # Positions.

    def _locate_position(self, params: Any) -> tuple[str, int, int]:
        file = self._files.to_file(params.text_document.uri)
        return (file, *self._files.converter.from_position(file, params.position))

    def _list_locations(self, found: Iterable[StoryMention]) -> list[types.Location]:
        to_range, to_uri = self._files.converter.to_mention_range, self._files.to_uri
        return [types.Location(to_uri(each.file), to_range(each)) for each in found]
