"""The language server: what an editor says, and who answers it.

Text comes whole with every change, because the library cuts lines where stories do not.
Whatever goes wrong becomes a line in the editor's log; the server stays.
"""

import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException
from pygls.lsp.server import LanguageServer

from saniwa.cli.lsp.answers import Answers
from saniwa.cli.lsp.files import Files
from saniwa.cli.lsp.wire import Bounded, Protocol

_TRIGGERS = ["[", "#", "=", "{", '"', ":", "@", " "]
_OPTIONS: dict[str, Any] = {
    types.TEXT_DOCUMENT_DID_SAVE: types.SaveOptions(),
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
        trigger_characters=_TRIGGERS
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix], resolve_provider=True
    ),
}


def serve() -> int:
    """Speak with an editor until it leaves; 0 if it said goodbye, else 1."""
    # The library closes what it writes to, and nobody else may write there.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr
    server = _Server()
    server.start_io(cast(BinaryIO, Bounded(sys.stdin.buffer)), out)
    return 0 if server.dismissed else 1


class _Server(LanguageServer):
    """Tells the editor's log, and no pop-up window, what goes wrong."""

    def __init__(self) -> None:
        super().__init__(
            "saniwa",
            version("saniwa"),
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
        )
        self.dismissed = False
        """Whether the editor has said goodbye."""
        files = Files(self)
        for name, answer in _listeners(files, Answers(files)).items():
            self.feature(name, _OPTIONS.get(name))(self._calm(answer))
        self.feature(types.SHUTDOWN)(self._calm(self._dismiss))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log it, unless it was the answer to a question."""
        if source is not FeatureRequestError:
            message = f"{type(error).__name__}: {error}"
            kind = types.MessageType.Error
            self.window_log_message(types.LogMessageParams(kind, message))

    def _dismiss(self, _: Any) -> None:
        self.dismissed = True

    def _calm(self, answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The same, but nothing and a line in the log where it fails."""

        def calm(params: Any = None) -> Any:
            try:
                return answer(params)
            except JsonRpcException:
                raise  # an answer of its own: the editor shows it to its user
            except Exception as problem:  # noqa: BLE001 - the door: an editor must not lose us
                self.report_server_error(problem, type(problem))
                return None

        return calm


def _listeners(files: Files, answers: Answers) -> dict[str, Callable[[Any], Any]]:
    return {
        types.TEXT_DOCUMENT_DID_OPEN: files.open,
        types.TEXT_DOCUMENT_DID_CHANGE: files.change,
        types.TEXT_DOCUMENT_DID_SAVE: files.refresh,
        types.TEXT_DOCUMENT_DID_CLOSE: files.close,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: files.refresh,
        types.TEXT_DOCUMENT_COMPLETION: answers.complete,
        types.TEXT_DOCUMENT_DEFINITION: answers.definition,
        types.TEXT_DOCUMENT_REFERENCES: answers.references,
        types.TEXT_DOCUMENT_PREPARE_RENAME: answers.renamable,
        types.TEXT_DOCUMENT_RENAME: answers.rename,
        types.TEXT_DOCUMENT_HOVER: answers.hover,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: answers.outline,
        types.TEXT_DOCUMENT_FORMATTING: answers.format,
        types.TEXT_DOCUMENT_CODE_ACTION: answers.cures,
        types.CODE_ACTION_RESOLVE: answers.work_out,
    }
