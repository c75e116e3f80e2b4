"""A client of the language server: a process, its pipes and the protocol."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from tests.fakes.commands import get_shim_folder

PATIENCE = 120.0
_Answer = TypeVar("_Answer")

STORY = """\
---
id: bridge
vars: {trust: 0}
cast: [Ben, ルナ]
assets: art
---
# The lamp keeper
## bridge
Ben: You came back.
😀 [SET trust += 1]
[SET trust += 1]
- [Walk on](#street)
- [Read](map.md#paper)
## street
ルナ: 😀 {trust} times, {visits("bridge")} visits.
[back](#brigde)
"""
MAP = """\
## paper
You unfold the map.
[on](#papre)
## end
It ends. <!-- ending: end -->
"""


class EditorClient:
    """Opens files and sends requests, as an editor does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("test editor", "1")
        self.log: list[str] = []
        self._found: dict[str, asyncio.Queue[list[types.Diagnostic]]] = {}

        def note_diagnostics(params: types.PublishDiagnosticsParams) -> None:
            self._get_queue(params.uri).put_nowait(list(params.diagnostics))

        def note_log(params: types.LogMessageParams) -> None:
            self.log.append(params.message)

        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(note_diagnostics)
        self.client.feature(types.WINDOW_LOG_MESSAGE)(note_log)

    def _get_queue(self, uri: str) -> asyncio.Queue[list[types.Diagnostic]]:
        return self._found.setdefault(uri, asyncio.Queue())

    async def start(self, *encodings: str) -> types.InitializeResult:
        """Start the server and initialize it."""
        command = str(get_shim_folder() / "saniwa")
        await self.client.start_io(command, "lsp", "--stdio", cwd=self.folder)
        kinds = [types.PositionEncodingKind(each) for each in encodings] or None
        general = types.GeneralClientCapabilities(position_encodings=kinds)
        hello = types.InitializeParams(
            capabilities=types.ClientCapabilities(
                general=general,
                text_document=types.TextDocumentClientCapabilities(
                    rename=types.RenameClientCapabilities(prepare_support=True)
                ),
            ),
            root_uri=self.folder.as_uri(),
        )
        answer = await self.client.initialize_async(hello)
        self.client.initialized(types.InitializedParams())
        return answer

    async def leave(self, *, politely: bool = True) -> int | None:
        """Shut the server down, or only exit, and return its exit code."""
        if politely:
            await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]
        server = self.client._server
        assert server is not None
        return server.returncode

    def to_uri(self, name: str = "story.md") -> str:
        """The URI of a file."""
        return (self.folder / name).as_uri()

    def open(self, text: str, name: str = "story.md") -> None:
        """Open a file with this text, saved or not."""
        item = types.TextDocumentItem(self.to_uri(name), "markdown", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, text: str, name: str = "story.md") -> None:
        """Change the text of a file."""
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, self.to_uri(name)),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def close(self, name: str = "story.md") -> None:
        """Close the file."""
        item = types.TextDocumentIdentifier(self.to_uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(item))

    async def wait_for_diagnostics(self, name: str = "story.md") -> list[types.Diagnostic]:
        """The next diagnostics about a file."""
        return await asyncio.wait_for(self._get_queue(self.to_uri(name)).get(), PATIENCE)

    def count_unread(self, name: str = "story.md") -> int:
        """How many diagnostics about a file have not been read."""
        return self._get_queue(self.to_uri(name)).qsize()

    def locate(self, line: int, character: int, name: str = "story.md") -> dict[str, Any]:
        """A position in the protocol's units: from 0, in UTF-16 units."""
        return {
            "text_document": types.TextDocumentIdentifier(self.to_uri(name)),
            "position": types.Position(line, character),
        }


def _make_range(line: int, begin: int, end: int) -> types.Range:
    return types.Range(types.Position(line, begin), types.Position(line, end))


def _converse(
    folder: Path, talk: Callable[[EditorClient], Awaitable[_Answer]], *encodings: str
) -> _Answer:
    """The result of a conversation that ends without errors."""

    async def run_conversation() -> _Answer:
        editor = EditorClient(folder)
        await editor.start(*encodings)
        answer = await talk(editor)
        assert 0 == await editor.leave()
        assert [] == editor.log
        return answer

    return asyncio.run(asyncio.wait_for(run_conversation(), 3 * PATIENCE))


@pytest.fixture
def story_folder(tmp_path: Path) -> Path:
    """A story in two saved files, with a picture."""
    (tmp_path / "story.md").write_text(STORY, encoding="utf-8")
    (tmp_path / "map.md").write_text(MAP, encoding="utf-8")
    (tmp_path / "art" / "images").mkdir(parents=True)
    (tmp_path / "art" / "images" / "rain.png").write_bytes(b"")
    return tmp_path


def test_findings_come_with_the_letters_they_are_about(story_folder: Path) -> None:
    """A broken link is reported with its code and its exact range."""

    async def talk(editor: EditorClient) -> list[types.Diagnostic]:
        editor.open(STORY)
        return await editor.wait_for_diagnostics()

    found = {each.code: each for each in _converse(story_folder, talk)}

    unresolved = found["LABEL_UNRESOLVED"]
    assert _make_range(15, 8, 14) == unresolved.range
    assert types.DiagnosticSeverity.Warning == unresolved.severity
    assert "saniwa" == unresolved.source
    assert "'bridge'" in unresolved.message


def test_findings_of_a_linked_file_go_to_that_file(story_folder: Path) -> None:
    """A finding in a linked file that is not open is reported for that file."""

    async def talk(editor: EditorClient) -> list[types.Diagnostic]:
        editor.open(STORY)
        return await editor.wait_for_diagnostics("map.md")

    found = _converse(story_folder, talk)

    assert _make_range(2, 6, 11) in [
        each.range for each in found if each.code == "LABEL_UNRESOLVED"
    ]


def test_findings_go_away_when_the_text_is_repaired(story_folder: Path) -> None:
    """Every change is checked, saved or not, so findings disappear once fixed."""

    async def talk(editor: EditorClient) -> tuple[list[Any], list[Any]]:
        editor.open("## a\nHello.\n[again](#b)\n")
        before = await editor.wait_for_diagnostics()
        editor.change("## a\nHello.\n[again](#a)\n")
        return before, await editor.wait_for_diagnostics()

    before, after = _converse(story_folder, talk)

    assert ["LABEL_UNRESOLVED"] == [each.code for each in before]
    assert [] == after


def test_a_long_text_is_checked_when_typing_pauses(story_folder: Path) -> None:
    """Of two quick changes to a long text only the last is checked."""
    long = "## a\n" + "Hello.\n\n" * 15_000

    async def talk(editor: EditorClient) -> tuple[list[types.Diagnostic], int]:
        editor.open(long + "[again](#a)\n")
        assert [] == await editor.wait_for_diagnostics()
        editor.change(long + "[again](#b)\n[again](#c)\n")
        editor.change(long + "[again](#b)\n")
        found = await editor.wait_for_diagnostics()
        asked = types.HoverParams(**editor.locate(0, 0))
        await editor.client.text_document_hover_async(asked)
        return found, editor.count_unread()

    found, more = _converse(story_folder, talk)

    assert ["LABEL_UNRESOLVED"] == [each.code for each in found]
    assert 0 == more


def test_a_closed_file_leaves_no_findings_behind(story_folder: Path) -> None:
    """Closing a file removes its findings and those of linked files."""

    async def talk(editor: EditorClient) -> tuple[list[Any], list[Any]]:
        editor.open(STORY)
        await editor.wait_for_diagnostics()
        await editor.wait_for_diagnostics("map.md")
        editor.close()
        return await editor.wait_for_diagnostics(), await editor.wait_for_diagnostics("map.md")

    assert ([], []) == _converse(story_folder, talk)


@pytest.mark.parametrize(
    ("encoding", "begin", "end"), [("utf-16", 7, 12), ("utf-8", 13, 18), ("utf-32", 6, 11)]
)
def test_columns_count_as_the_editor_counts(
    story_folder: Path, encoding: str, begin: int, end: int
) -> None:
    """Characters outside ASCII before a name count in the editor's units."""

    async def talk(editor: EditorClient) -> list[types.Diagnostic]:
        editor.open("---\nid: a\nvars: {}\n---\nルナ: 😀{trsut}\n")
        return await editor.wait_for_diagnostics()

    found = _converse(story_folder, talk, encoding)

    undeclared = [each for each in found if each.code == "VARIABLE_UNDECLARED"]
    assert [_make_range(4, begin, end)] == [each.range for each in undeclared]


def test_labels_speakers_variables_and_assets_are_completed(story_folder: Path) -> None:
    """Labels, speakers, variables and assets are offered, and replace the started word."""
    text = STORY + "[on](#st\n[SHOW_IMAGE file=\nル\n{tr\n"

    async def talk(editor: EditorClient) -> list[list[tuple[str, types.Range]]]:
        editor.open(text)
        answers = []
        for line, character in ((16, 8), (17, 17), (18, 1), (19, 3)):
            asked = types.CompletionParams(**editor.locate(line, character))
            answer = await editor.client.text_document_completion_async(asked)
            assert isinstance(answer, types.CompletionList)
            edits = [item.text_edit for item in answer.items]
            answers.append([(e.new_text, e.range) for e in edits if isinstance(e, types.TextEdit)])
        return answers

    labels, assets, speakers, variables = _converse(story_folder, talk)

    assert [("street", _make_range(16, 6, 8))] == labels
    assert ("rain", _make_range(17, 17, 17)) in assets
    assert [("ルナ: ", _make_range(18, 0, 1))] == speakers
    assert [("trust", _make_range(19, 1, 3))] == variables


def test_a_label_in_another_file_is_found(story_folder: Path) -> None:
    """Go to definition works across files."""

    async def talk(editor: EditorClient) -> Any:
        editor.open(STORY)
        asked = types.DefinitionParams(**editor.locate(12, 17))
        return await editor.client.text_document_definition_async(asked)

    place = types.Location((story_folder / "map.md").as_uri(), _make_range(0, 3, 8))
    assert [place] == _converse(story_folder, talk)


def test_a_name_behind_letters_of_two_units_is_found(story_folder: Path) -> None:
    """A position after an emoji is the character that the editor means."""

    async def talk(editor: EditorClient) -> Any:
        editor.open(STORY)
        asked = types.DefinitionParams(**editor.locate(14, 9))
        return await editor.client.text_document_definition_async(asked)

    place = types.Location((story_folder / "story.md").as_uri(), _make_range(2, 7, 12))
    assert [place] == _converse(story_folder, talk)


def test_a_label_is_renamed_everywhere(story_folder: Path) -> None:
    """Renaming a label changes heading, links and visits in every file of the story."""

    async def talk(editor: EditorClient) -> Any:
        editor.open(MAP, "map.md")
        at = editor.locate(0, 4, "map.md")
        asked = types.PrepareRenameParams(**at)
        ready = await editor.client.text_document_prepare_rename_async(asked)
        new = types.RenameParams(new_name="Old map", **at)
        return ready, await editor.client.text_document_rename_async(new)

    ready, edit = _converse(story_folder, talk)

    assert types.PrepareRenamePlaceholder(_make_range(0, 3, 8), "paper") == ready
    assert {
        (story_folder / "map.md").as_uri(): (types.TextEdit(_make_range(0, 3, 8), "Old map"),),
        (story_folder / "story.md").as_uri(): (types.TextEdit(_make_range(12, 16, 21), "old-map"),),
    } == {uri: tuple(edits) for uri, edits in edit.changes.items()}


def test_a_label_is_renamed_while_nothing_is_saved(story_folder: Path) -> None:
    """Renaming uses the unsaved texts of open files."""

    async def talk(editor: EditorClient) -> Any:
        editor.open(STORY)
        editor.open(MAP, "map.md")
        editor.change("\n\n" + MAP, "map.md")
        editor.change(STORY.replace("Walk on", "Walk slowly on\n"))
        new = types.RenameParams(new_name="Old map", **editor.locate(2, 4, "map.md"))
        return await editor.client.text_document_rename_async(new)

    edit = _converse(story_folder, talk)

    assert {
        (story_folder / "map.md").as_uri(): (types.TextEdit(_make_range(2, 3, 8), "Old map"),),
        (story_folder / "story.md").as_uri(): (types.TextEdit(_make_range(13, 16, 21), "old-map"),),
    } == {uri: tuple(edits) for uri, edits in edit.changes.items()}


def test_an_unsaved_change_is_seen_in_the_other_open_files(story_folder: Path) -> None:
    """A link breaks as soon as its heading is renamed in another open file."""

    async def talk(editor: EditorClient) -> Any:
        editor.open(STORY)
        editor.open(MAP, "map.md")
        # Every file is checked again when another one is opened.
        _, before = await editor.wait_for_diagnostics(), await editor.wait_for_diagnostics()
        editor.change(MAP.replace("## paper", "## page"), "map.md")
        return before, await editor.wait_for_diagnostics()

    before, after = _converse(story_folder, talk)

    assert 12 not in {each.range.start.line for each in before}
    assert 12 in {each.range.start.line for each in after}


@pytest.mark.parametrize("new", ["", "street"])
def test_a_name_that_cannot_be_is_refused_with_the_reason(story_folder: Path, new: str) -> None:
    """A label cannot get an empty name or that of another label."""

    async def talk(editor: EditorClient) -> str:
        editor.open(STORY)
        asked = types.RenameParams(new_name=new, **editor.locate(7, 4))
        with pytest.raises(JsonRpcException) as caught:
            await editor.client.text_document_rename_async(asked)
        return caught.value.message

    assert ("street" in _converse(story_folder, talk)) is bool(new)


def test_pointing_at_a_name_describes_it(story_folder: Path) -> None:
    """Hover shows where a label is, what refers to it, and how it starts."""

    async def talk(editor: EditorClient) -> Any:
        editor.open(STORY)
        asked = types.HoverParams(**editor.locate(11, 14))
        return await editor.client.text_document_hover_async(asked)

    told = _converse(story_folder, talk)

    assert _make_range(11, 13, 19) == told.range
    assert "story.md:14" in told.contents.value
    assert "ルナ: 😀" in told.contents.value


def test_references_outline_and_cures(story_folder: Path) -> None:
    """References, the outline of a file and quick fixes are complete."""

    async def talk(editor: EditorClient) -> tuple[Any, Any, Any]:
        editor.open(STORY)
        ask = editor.client
        file = types.TextDocumentIdentifier(editor.to_uri())
        everywhere = await ask.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(True), **editor.locate(7, 4))
        )
        listed = await ask.text_document_document_symbol_async(types.DocumentSymbolParams(file))
        cures = await ask.text_document_code_action_async(
            types.CodeActionParams(file, _make_range(15, 0, 0), types.CodeActionContext([]))
        )
        return everywhere, listed, cures

    everywhere, listed, cures = _converse(story_folder, talk)

    assert [7, 14] == [each.range.start.line for each in everywhere]
    assert ["bridge", "street"] == [each.name for each in listed]
    (edit,) = [
        edit for cure in cures for edit in cure.edit.changes[(story_folder / "story.md").as_uri()]
    ]
    assert types.TextEdit(_make_range(15, 8, 14), "bridge") == edit


def test_old_notation_is_rewritten_on_request(story_folder: Path) -> None:
    """Formatting and the quick fix give what `saniwa fmt` gives."""
    old = "## 場所\n[SAY speaker=ルナ] 😀\n[JUMP label=場所]"

    async def talk(editor: EditorClient) -> tuple[Any, Any]:
        editor.open(old)
        ask = editor.client
        file = types.TextDocumentIdentifier(editor.to_uri())
        edits = await ask.text_document_formatting_async(
            types.DocumentFormattingParams(file, types.FormattingOptions(2, True))
        )
        cures = await ask.text_document_code_action_async(
            types.CodeActionParams(file, _make_range(2, 0, 0), types.CodeActionContext([]))
        )
        (cure,) = cures or ()
        assert isinstance(cure, types.CodeAction)
        return edits, await ask.code_action_resolve_async(cure)

    edits, cure = _converse(story_folder, talk)

    new = "## 場所\nルナ: 😀\n[場所](#場所)"
    whole = types.Range(types.Position(0, 0), types.Position(2, 15))
    assert [types.TextEdit(whole, new)] == list(edits)
    assert list(edits) == list(cure.edit.changes[(story_folder / "story.md").as_uri()])


BROKEN = (
    "",
    "\x00",
    "[",
    "---",
    "\ud800 {",
    "\u2028## a\r[x](#",
    "- " * 60 + "{if",
    "{" * 500,
    "[x](\x00.md#a)",
    "[x](art#a)",
)


def test_no_text_is_too_broken(story_folder: Path) -> None:
    """Every request about any broken text is answered, without an error in the log."""

    async def talk(editor: EditorClient) -> int:
        editor.open("## a")
        await editor.wait_for_diagnostics()
        ask, asked = editor.client, 0
        for text in BROKEN:
            editor.change(text)
            await editor.wait_for_diagnostics()
            for at in (editor.locate(0, 9999), editor.locate(9999, 0), editor.locate(0, 1)):
                await ask.text_document_completion_async(types.CompletionParams(**at))
                await ask.text_document_hover_async(types.HoverParams(**at))
                await ask.text_document_definition_async(types.DefinitionParams(**at))
                asked += 1
        return asked

    assert 3 * len(BROKEN) == _converse(story_folder, talk)


def test_the_server_says_what_it_can_do(story_folder: Path) -> None:
    """The server announces every feature, and asks for whole texts."""

    async def talk() -> types.ServerCapabilities:
        editor = EditorClient(story_folder)
        hello = await editor.start()
        await editor.leave()
        return hello.capabilities

    can = asyncio.run(talk())

    sync = can.text_document_sync
    assert isinstance(sync, types.TextDocumentSyncOptions)
    assert types.TextDocumentSyncKind.Full == sync.change
    assert types.RenameOptions(prepare_provider=True) == can.rename_provider
    assert types.PositionEncodingKind.Utf16 == can.position_encoding
    assert all(
        (
            can.completion_provider,
            can.definition_provider,
            can.references_provider,
            can.hover_provider,
            can.document_symbol_provider,
            can.document_formatting_provider,
            can.code_action_provider,
        )
    )


def test_an_editor_that_just_leaves_is_reported_by_the_exit_code(story_folder: Path) -> None:
    """The exit code is 1 if the client exits without a shutdown, as the protocol demands."""

    async def talk() -> int | None:
        editor = EditorClient(story_folder)
        await editor.start()
        return await editor.leave(politely=False)

    assert 1 == asyncio.run(talk())


def _encode_message(**parts: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **parts}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def _run_server(folder: Path, said: bytes) -> tuple[int, list[dict[str, Any]], str]:
    """Run a server with this input; returns its exit code, answers and error output."""
    done = subprocess.run(
        [sys.executable, "-m", "saniwa", "lsp"],
        input=said,
        cwd=folder,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    parts = done.stdout.split(b"Content-Length: ")[1:]
    bodies = [json.loads(part.split(b"\r\n\r\n", 1)[1]) for part in parts]
    return done.returncode, bodies, done.stderr.decode()


_HELLO = _encode_message(id=1, method="initialize", params={"capabilities": {}})


@pytest.mark.parametrize("line", [-1, 2**31, 2**70, "one"])
def test_a_place_that_cannot_be_is_answered_with_an_error(line: Any, story_folder: Path) -> None:
    """A request with an impossible position is an error, and the server continues."""
    place = {
        "textDocument": {"uri": (story_folder / "story.md").as_uri()},
        "position": {"line": line, "character": 0},
    }
    asked = _encode_message(id="h", method="textDocument/hover", params=place)
    leaving = _encode_message(id=3, method="shutdown") + _encode_message(method="exit")
    code, answers, _ = _run_server(story_folder, _HELLO + asked + leaving)
    by_id = {each["id"]: each for each in answers if "id" in each}

    assert -32602 == by_id["h"]["error"]["code"]
    assert (0, None) == (code, by_id[3]["result"])


@pytest.mark.parametrize("length", [b"99999999999", b"67108865", b"9" * 5000])
def test_a_message_too_large_ends_the_conversation(length: bytes, story_folder: Path) -> None:
    """A message that is too large ends the server with status 1, without a traceback."""
    code, answers, told = _run_server(
        story_folder, _HELLO + b"Content-Length: " + length + b"\r\n\r\n{}"
    )

    assert (1, 1) == (code, len(answers))
    assert "Traceback" not in told
