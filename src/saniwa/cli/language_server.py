"""The language server: what an editor asks, answered by the desk of the story room.

Text comes whole with every change, because the library cuts lines where stories do not.
Whatever goes wrong becomes a line in the editor's log; the server stays.
"""

import functools
import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, ParamSpec, TypeVar, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from saniwa.cli.lsp_shape import Shapes
from saniwa.cli.opened import Opened
from saniwa.core.finding import Finding
from saniwa.script.desk.columns import Encoding
from saniwa.script.desk.complete import complete
from saniwa.script.desk.cursor import Names, definition, references
from saniwa.script.desk.hover import hover
from saniwa.script.desk.mending import mendings
from saniwa.script.desk.mention import Mention
from saniwa.script.desk.outline import outline
from saniwa.script.desk.rename import Edit, Refused, renamable, rename

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_TRIGGERS = ["[", "#", "=", "{", '"', ":", "@", " "]


def serve() -> int:
    """Speak with an editor until it leaves; 0 if it said goodbye, else 1."""
    # The library closes what it writes to, and nobody else may write there.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr
    desk = Desk()
    desk.server.start_io(sys.stdin.buffer, out)
    return 0 if desk.dismissed else 1


class _Server(LanguageServer):
    """Tells the editor's log, and no pop-up window, what goes wrong."""

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002
        self.note(f"{type(error).__name__}: {error}")

    def note(self, message: str) -> None:
        """Put a line into the editor's log."""
        kind = types.MessageType.Error
        self.window_log_message(types.LogMessageParams(kind, message))


def _calm(
    answer: Callable[_Given, _Answer],
) -> Callable[_Given, _Answer | None]:
    """The same question, answered with nothing and a line in the log if it fails."""

    @functools.wraps(answer)
    def calm(*given: _Given.args, **more: _Given.kwargs) -> _Answer | None:
        try:
            return answer(*given, **more)
        except JsonRpcException:
            raise  # an answer of its own: the editor shows it to its user
        except Exception as problem:  # noqa: BLE001 - the door: an editor must not lose us
            desk = cast(Desk, given[0])
            desk.server.report_server_error(problem, type(problem))
            return None

    return calm


class Desk:
    """One conversation with one editor."""

    def __init__(self) -> None:
        self.server = _Server(
            "saniwa",
            version("saniwa"),
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
        )
        self.dismissed = False
        """Whether the editor has said goodbye."""
        self._opened = Opened()
        self._addresses: dict[str, str] = {}
        self._told: dict[str, dict[str, tuple[Finding, ...]]] = {}
        self._listen()

    def _listen(self) -> None:
        features: dict[str, tuple[Callable[[Any], Any], Any]] = {
            types.SHUTDOWN: (self._goodbye, None),
            types.TEXT_DOCUMENT_DID_OPEN: (self._open, None),
            types.TEXT_DOCUMENT_DID_CHANGE: (self._change, None),
            types.TEXT_DOCUMENT_DID_SAVE: (self._save, types.SaveOptions()),
            types.TEXT_DOCUMENT_DID_CLOSE: (self._close, None),
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (self._save, None),
            types.TEXT_DOCUMENT_COMPLETION: (
                self._complete,
                types.CompletionOptions(trigger_characters=_TRIGGERS),
            ),
            types.TEXT_DOCUMENT_DEFINITION: (self._definition, None),
            types.TEXT_DOCUMENT_REFERENCES: (self._references, None),
            types.TEXT_DOCUMENT_PREPARE_RENAME: (self._renamable, None),
            types.TEXT_DOCUMENT_RENAME: (
                self._rename,
                types.RenameOptions(prepare_provider=True),
            ),
            types.TEXT_DOCUMENT_HOVER: (self._hover, None),
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (self._outline, None),
            types.TEXT_DOCUMENT_CODE_ACTION: (
                self._cures,
                types.CodeActionOptions(
                    code_action_kinds=[types.CodeActionKind.QuickFix]
                ),
            ),
        }
        for name, (answer, options) in features.items():
            # The library wants plain functions, and marks them.
            self.server.feature(name, options)(_plain(answer))

    # Files.

    def _goodbye(self, _: Any = None) -> None:
        self.dismissed = True

    @_calm
    def _open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._put(params.text_document.uri)
        self._opened.forget()
        self._check_all()

    @_calm
    def _change(self, params: types.DidChangeTextDocumentParams) -> None:
        file = self._put(params.text_document.uri)
        self._check(file)

    @_calm
    def _save(self, _: Any) -> None:
        self._opened.forget()
        self._check_all()

    @_calm
    def _close(self, params: types.DidCloseTextDocumentParams) -> None:
        file = self._file(params.text_document.uri)
        self._opened.close(file)
        self._tell(file, {})
        self._addresses.pop(file, None)
        self._check_all()

    def _put(self, address: str) -> str:
        file = self._file(address)
        self._addresses[file] = address
        text = self.server.workspace.get_text_document(address).source
        self._opened.put(file, text, loose=to_fs_path(address) is None)
        return file

    def _file(self, address: str) -> str:
        path = to_fs_path(address)
        return address if path is None else os.path.normpath(path)

    def _address(self, file: str) -> str:
        return self._addresses.get(file) or from_fs_path(file) or file

    # Findings.

    def _check_all(self) -> None:
        for file in self._opened.files:
            self._check(file)

    def _check(self, file: str) -> None:
        self._tell(file, self._opened.findings(file))

    def _tell(self, owner: str, found: dict[str, tuple[Finding, ...]]) -> None:
        """Tell what one open file has shown, and take back what it no longer shows."""
        before = self._told.pop(owner, {})
        if found:
            self._told[owner] = found
        for file in {**before, **found}:
            self._publish(file)

    def _publish(self, file: str) -> None:
        all_found = (found.get(file, ()) for found in self._told.values())
        # Two open files may link to a third, and both tell what is wrong with it.
        unique = {str(each): each for found in all_found for each in found}
        shapes = self._shapes
        shown = [shapes.diagnostic(file, each) for each in unique.values()]
        self.server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self._address(file), shown)
        )

    # Questions.

    @_calm
    def _complete(self, params: types.CompletionParams) -> types.CompletionList:
        file, line, column = self._place(params)
        around = (self._opened.names(file), *self._opened.homes(file))
        text = around[0].line(file, line)
        offered = {
            (each.sort, each.text): each
            for names in reversed(around)
            for each in complete(names, file, text, column)
        }
        shapes = self._shapes
        items = [shapes.completion(file, line, column, e) for e in offered.values()]
        return types.CompletionList(is_incomplete=False, items=items)

    @_calm
    def _definition(self, params: types.DefinitionParams) -> list[types.Location]:
        place = self._place(params)
        for names in self._opened.around(place[0]):
            found = definition(names, *place)
            if found and found[0].role == "made":
                return self._locations(found)
        names = self._opened.names(place[0])
        return self._locations(definition(names, *place))

    @_calm
    def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        place, made = self._place(params), params.context.include_declaration
        found: dict[str, types.Location] = {}
        for names in self._opened.around(place[0]):
            for each in self._locations(references(names, *place, made=made)):
                found.setdefault(str(each), each)
        return list(found.values())

    @_calm
    def _renamable(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        file, line, column = self._place(params)
        names = self._opened.names(file)
        here = renamable(names, file, line, column)
        if here is None:
            return None
        made = definition(names, file, line, column)
        shown = made[0].written if made else here.written
        return types.PrepareRenamePlaceholder(self._shapes.mention(here), shown)

    @_calm
    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        place = self._place(params)
        edits: dict[Edit, None] = {}
        for names in (self._opened.names(place[0]), *self._opened.homes(place[0])):
            made = self._renamed(names, place, params.new_name)
            if isinstance(made, Refused):
                raise JsonRpcInvalidParams(made.message)
            edits |= dict.fromkeys(made)
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            shaped = self._shapes.edit(edit)
            changes.setdefault(self._address(edit.file), []).append(shaped)
        return types.WorkspaceEdit(changes=changes)

    def _renamed(
        self, names: Names, place: tuple[str, int, int], new: str
    ) -> tuple[Edit, ...] | Refused:
        files = [scene.file for scene in names.story.scenes]
        unsaved = [file for file in files if not self._opened.shows(names, (file,))]
        if unsaved:
            return Refused(f"save {unsaved[0]} first: other files name what is in it")
        return rename(names, *place, new)

    @_calm
    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        place = self._place(params)
        # The story a file is a part of knows more than the file.
        for names in reversed(self._opened.around(place[0])):
            told = hover(names, *place)
            if told is not None:
                return self._shapes.told(place[0], told)
        return None

    @_calm
    def _outline(
        self, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol]:
        file = self._file(params.text_document.uri)
        scene = self._opened.names(file).story.scenes[0]
        return self._shapes.symbols(file, outline(scene))

    @_calm
    def _cures(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        file = self._file(params.text_document.uri)
        shapes = self._shapes
        first, last = params.range.start.line + 1, params.range.end.line + 1
        story = self._opened.names(file).story
        return [
            types.CodeAction(
                title=each.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[shapes.diagnostic(file, each.finding)],
                is_preferred=True,
                edit=types.WorkspaceEdit(
                    changes={self._address(file): [shapes.edit(each.edit)]}
                ),
            )
            for each in mendings(story, file, first, last)
        ]

    # Places.

    def _place(self, params: Any) -> tuple[str, int, int]:
        file = self._file(params.text_document.uri)
        return (file, *self._shapes.place(file, params.position))

    def _locations(self, found: tuple[Mention, ...]) -> list[types.Location]:
        spans = ((each.file, self._shapes.mention(each)) for each in found)
        return [types.Location(self._address(file), span) for file, span in spans]

    @property
    def _shapes(self) -> Shapes:
        counted = self.server.workspace.position_encoding
        encoding = getattr(counted, "value", counted) or "utf-16"
        return Shapes(self._opened.line, cast(Encoding, encoding))


def _plain(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def asked(params: Any = None) -> Any:
        return answer(params)

    return asked
