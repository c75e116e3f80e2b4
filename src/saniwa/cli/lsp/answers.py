"""What an editor asks about a place, a file or a name, and the answers."""

from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from saniwa.cli.lsp.files import Files
from saniwa.script.desk.editing.complete import complete
from saniwa.script.desk.editing.cursor import definition, references
from saniwa.script.desk.editing.hover import hover
from saniwa.script.desk.editing.mending import Mending, is_old_notation, mendings
from saniwa.script.desk.editing.mention import Mention
from saniwa.script.desk.editing.outline import outline
from saniwa.script.desk.editing.rename import Edit, Refused, renamable, rename
from saniwa.script.desk.rewriting.rewrite import rewrite


class Answers:
    """Answers from the stories that are open."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._opened = files.opened

    # About a place.

    def complete(self, params: types.CompletionParams) -> types.CompletionList:
        """What may be written here."""
        file, line, column = self._place(params)
        text = self._opened.line(file, line)
        offered = {
            (each.sort, each.text): each
            for names in reversed(self._opened.around(file))
            for each in complete(names, file, text, column)
        }
        shapes = self._files.shapes
        items = [shapes.completion(file, line, column, e) for e in offered.values()]
        return types.CompletionList(is_incomplete=False, items=items)

    def definition(self, params: types.DefinitionParams) -> list[types.Location]:
        """Where what stands here is made."""
        place = self._place(params)
        found = [definition(n, *place) for n in self._opened.around(place[0])]
        # What another file declares comes before what is merely set in this one.
        found.sort(key=lambda each: not each or each[0].role != "made")
        return self._locations(found[0])

    def references(self, params: types.ReferenceParams) -> list[types.Location]:
        """Every place that names what stands here."""
        place, made = self._place(params), params.context.include_declaration
        found = (
            each
            for names in self._opened.around(place[0])
            for each in references(names, *place, made=made)
        )
        spans = {(each.file, each.line, each.column): each for each in found}
        return self._locations(tuple(spans.values()))

    def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What is known about what stands here."""
        place = self._place(params)
        # The story a file is a part of knows more than the file.
        for names in reversed(self._opened.around(place[0])):
            told = hover(names, *place)
            if told is not None:
                return self._files.shapes.told(place[0], told)
        return None

    # Another name.

    def renamable(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        """The name that stands here, if it can be another."""
        place = self._place(params)
        names = self._opened.names(place[0])
        here = renamable(names, *place)
        if here is None:
            return None
        made = definition(names, *place)
        shown = made[0].written if made else here.written
        span = self._files.shapes.mention(here)
        return types.PrepareRenamePlaceholder(span, shown)

    def rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        """Every change that gives it another name.

        Raises:
            JsonRpcInvalidParams: It cannot be called that; the editor shows why.
        """
        place = self._place(params)
        edits: dict[Edit, None] = {}
        for names in self._opened.around(place[0]):
            made = rename(names, *place, params.new_name)
            if isinstance(made, Refused):
                raise JsonRpcInvalidParams(made.message)
            edits |= dict.fromkeys(made)
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            changes.setdefault(self._files.address(edit.file), []).append(
                self._files.shapes.edit(edit)
            )
        return types.WorkspaceEdit(changes=changes)

    # About a file.

    def outline(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """Its sections, labels and endings."""
        file = self._files.file(params.text_document.uri)
        scene = self._opened.names(file).story.scenes[0]
        return self._files.shapes.symbols(file, outline(scene))

    def format(self, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        """Its old notation in the plain dialect, as `saniwa fmt` writes it."""
        return self._formatted(params.text_document.uri)

    def _formatted(self, address: str) -> list[types.TextEdit]:
        file = self._files.file(address)
        scene, *others = self._opened.names(file).story.scenes
        new = rewrite(scene.text, scene.file, others)
        if new.text == scene.text:
            return []
        return [self._files.shapes.whole(scene.text, new.text)]

    # Cures.

    def cures(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be mended in some lines, and the way to mend it."""
        file = self._files.file(params.text_document.uri)
        lines = (params.range.start.line + 1, params.range.end.line + 1)
        story = self._opened.names(file).story
        cures = [self._cure(file, each) for each in mendings(story, file, *lines)]
        if is_old_notation(story, file, *lines):
            cures.append(_rewriting(params.text_document.uri))
        return cures

    def _cure(self, file: str, mending: Mending) -> types.CodeAction:
        shapes = self._files.shapes
        edits = {self._files.address(file): [shapes.edit(mending.edit)]}
        return types.CodeAction(
            title=mending.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[shapes.diagnostic(file, mending.finding)],
            is_preferred=True,
            edit=types.WorkspaceEdit(changes=edits),
        )

    def work_out(self, cure: types.CodeAction) -> types.CodeAction:
        """The changes of a cure that was only named so far."""
        if isinstance(cure.data, str):
            edits = {cure.data: self._formatted(cure.data)}
            cure.edit = types.WorkspaceEdit(changes=edits)
        return cure

    # Places.

    def _place(self, params: Any) -> tuple[str, int, int]:
        file = self._files.file(params.text_document.uri)
        return (file, *self._files.shapes.place(file, params.position))

    def _locations(self, found: tuple[Mention, ...]) -> list[types.Location]:
        return list(self._located(found))

    def _located(self, found: tuple[Mention, ...]) -> Iterator[types.Location]:
        for each in found:
            span = self._files.shapes.mention(each)
            yield types.Location(self._files.address(each.file), span)


def _rewriting(address: str) -> types.CodeAction:
    # Worked out only when it is chosen: every change is read back, which takes a while.
    return types.CodeAction(
        title="rewrite old notation (saniwa fmt)",
        kind=types.CodeActionKind.QuickFix,
        data=address,
    )
