"""The files an editor has open, and what it is told is wrong with them."""

import asyncio
import os
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from saniwa.cli.lsp.opened import Opened
from saniwa.cli.lsp.shape import Shapes, encoding_of
from saniwa.core.finding import Finding

LARGE: Final = 100_000
"""Letters from which on a text is checked only when nobody types for a moment."""
PAUSE: Final = 0.3
"""That moment, in seconds."""


class Files:
    """Keeps the editor's texts and tells it about every change."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self.opened = Opened()
        """The texts and their stories."""
        self._addresses: dict[str, str] = {}
        self._told: dict[str, dict[str, tuple[Finding, ...]]] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    # What the editor does.

    def open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A file is shown."""
        self._put(params.text_document.uri)
        self.refresh()

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Its text is another now."""
        file = self._put(params.text_document.uri)
        self._wait_no_more(file)
        if self.opened.letters(file) < LARGE:
            self._check_with_others(file)
        else:
            later = asyncio.get_running_loop().call_later
            self._waiting[file] = later(PAUSE, self._check_with_others, file)

    def _wait_no_more(self, file: str) -> None:
        waiting = self._waiting.pop(file, None)
        if waiting is not None:
            waiting.cancel()

    def refresh(self, _: object = None) -> None:
        """Files on disk are no longer what they were."""
        self.opened.forget()
        for file in self.opened.files:
            self._check(file)

    def close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A file is no longer shown."""
        file = self.file(params.text_document.uri)
        self._wait_no_more(file)
        self.opened.close(file)
        self._tell(file, {})
        self._addresses.pop(file, None)
        self.refresh()

    def _put(self, address: str) -> str:
        file = self.file(address)
        self._addresses[file] = address
        text = self._server.workspace.get_text_document(address).source
        self.opened.put(file, text, loose=to_fs_path(address) is None)
        return file

    # Names of files.

    def file(self, address: str) -> str:
        """The file at an address; the address itself for what is not saved yet."""
        path = to_fs_path(address)
        return address if path is None else os.path.normpath(path)

    def address(self, file: str) -> str:
        """The address of a file, spelled as the editor spells it."""
        return self._addresses.get(file) or from_fs_path(file) or file

    @property
    def shapes(self) -> Shapes:
        """Makes answers for this editor."""
        counted = encoding_of(self._server.workspace.position_encoding)
        return Shapes(self.opened.line, counted)

    # Findings.

    def _check_with_others(self, file: str) -> None:
        """Check a file and those that share a story with it."""
        for each in (file, *self.opened.beside(file)):
            self._check(each)

    def _check(self, file: str) -> None:
        self._tell(file, self.opened.findings(file))

    def _tell(self, owner: str, found: dict[str, tuple[Finding, ...]]) -> None:
        """Tell what one open file has shown, and take back what it no longer shows."""
        before = self._told.pop(owner, {})
        if found:
            self._told[owner] = found
        for file in {**before, **found}:
            self._publish(file)

    def _publish(self, file: str) -> None:
        told = (found.get(file, ()) for found in self._told.values())
        # Two open files may link to a third, and both tell what is wrong with it.
        unique = {str(each): each for found in told for each in found}
        shapes = self.shapes
        shown = [shapes.diagnostic(file, each) for each in unique.values()]
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self.address(file), shown)
        )
