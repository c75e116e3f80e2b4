"""The language server process: its connection, and the handler of each request.

The editor sends the full text with every change, because the library splits lines where
stories do not. Every failure becomes a line in the editor's log; the server keeps
running.
"""

import os
import re
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, BinaryIO, Final, cast

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from saniwa.lsp.language_features import LanguageFeatures, OpenDocuments

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""The largest message, in bytes."""
_MAX_HEADER_BYTES = 64 * 1024
_CONTENT_LENGTH = re.compile(rb"Content-Length: *(\d+)\s*", re.IGNORECASE)


class BoundedStream:
    """A stream that ends where a message announces more bytes than the limit."""

    def __init__(self, stream: BinaryIO) -> None:
        """Wrap a stream."""
        self._stream = stream

    def readline(self) -> bytes:
        """Return the next header line; nothing at the end or above the limit."""
        line = self._stream.readline(_MAX_HEADER_BYTES)
        found = _CONTENT_LENGTH.fullmatch(line)
        # Python refuses to parse numbers of thousands of digits, so count the digits
        # first.
        if found and (
            len(found[1]) > len(str(MAX_MESSAGE_BYTES)) or int(found[1]) > MAX_MESSAGE_BYTES
        ):
            return b""
        return line

    def read(self, size: int) -> bytes:
        """Return the body of a message."""
        return self._stream.read(size)


class TolerantProtocol(LanguageServerProtocol):
    """Answers an invalid request, instead of only logging it."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the message; an invalid request is answered with -32602.

        Raises:
            JsonRpcException: The message is invalid; the server logs it.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException:
            request_id = data.get("id")
            if "method" in data and isinstance(request_id, int | str):
                problem = JsonRpcInvalidParams("the parameters cannot be understood")
                self._send_response(request_id, None, problem.to_response_error())
            raise


_TRIGGERS = ["[", "#", "=", "{", '"', ":", "@", " "]
_OPTIONS: dict[str, Any] = {
    types.TEXT_DOCUMENT_DID_SAVE: types.SaveOptions(),
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=_TRIGGERS),
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix], resolve_provider=True
    ),
}


def serve() -> int:
    """Serve an editor until it disconnects; return 0 after a shutdown, else 1."""
    # The library closes its output, and no other code may write there.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr
    server = _StoryLanguageServer()
    server.start_io(cast(BinaryIO, BoundedStream(sys.stdin.buffer)), out)
    return 0 if server.dismissed else 1


class _StoryLanguageServer(LanguageServer):
    """Writes failures to the editor's log, not into a pop-up window."""

    def __init__(self) -> None:
        super().__init__(
            "saniwa",
            version("saniwa"),
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=TolerantProtocol,
        )
        self.dismissed = False
        """Whether the editor has sent a shutdown request."""
        files = OpenDocuments(self)
        for name, answer in _list_handlers(files, LanguageFeatures(files)).items():
            self.feature(name, _OPTIONS.get(name))(self._log_failures(answer))
        self.feature(types.SHUTDOWN)(self._log_failures(self._mark_shutdown))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error, unless it was the answer to a request."""
        if source is not FeatureRequestError:
            message = f"{type(error).__name__}: {error}"
            kind = types.MessageType.Error
            self.window_log_message(types.LogMessageParams(kind, message))

    def _mark_shutdown(self, _: Any) -> None:
        self.dismissed = True

    def _log_failures(self, answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Wrap a handler: on failure it returns None and writes a line to the log."""

        def calm(params: Any = None) -> Any:
            try:
                return answer(params)
            except JsonRpcException:
                raise  # an answer of its own: the editor shows it to its user
            except Exception as problem:  # noqa: BLE001 - the boundary: the server must survive
                self.report_server_error(problem, type(problem))
                return None

        return calm


def _list_handlers(
    files: OpenDocuments, answers: LanguageFeatures
) -> dict[str, Callable[[Any], Any]]:
    return {
        types.TEXT_DOCUMENT_DID_OPEN: files.handle_open,
        types.TEXT_DOCUMENT_DID_CHANGE: files.handle_change,
        types.TEXT_DOCUMENT_DID_SAVE: files.check_all,
        types.TEXT_DOCUMENT_DID_CLOSE: files.handle_close,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: files.check_all,
        types.TEXT_DOCUMENT_COMPLETION: answers.list_completions,
        types.TEXT_DOCUMENT_DEFINITION: answers.find_definition,
        types.TEXT_DOCUMENT_REFERENCES: answers.find_references,
        types.TEXT_DOCUMENT_PREPARE_RENAME: answers.prepare_rename,
        types.TEXT_DOCUMENT_RENAME: answers.rename_symbol,
        types.TEXT_DOCUMENT_HOVER: answers.describe_name,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: answers.list_symbols,
        types.TEXT_DOCUMENT_FORMATTING: answers.format_document,
        types.TEXT_DOCUMENT_CODE_ACTION: answers.list_code_actions,
        types.CODE_ACTION_RESOLVE: answers.resolve_code_action,
    }
