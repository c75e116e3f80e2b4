"""The files that an editor has open, and the diagnostics that are sent for them."""

import asyncio
import os
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from saniwa.core.findings import Finding
from saniwa.lsp.conversion import ProtocolConverter, choose_encoding
from saniwa.lsp.stories import OpenStories

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
