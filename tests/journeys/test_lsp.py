"""A real editor's side of the conversation: a process, its pipes and the protocol."""

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


class Editor:
    """Opens files and asks, as an editor does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("test editor", "1")
        self.log: list[str] = []
        self._found: dict[str, asyncio.Queue[list[types.Diagnostic]]] = {}

        def told(params: types.PublishDiagnosticsParams) -> None:
            self._queue(params.uri).put_nowait(list(params.diagnostics))

        def logged(params: types.LogMessageParams) -> None:
            self.log.append(params.message)

        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(told)
        self.client.feature(types.WINDOW_LOG_MESSAGE)(logged)

    def _queue(self, uri: str) -> asyncio.Queue[list[types.Diagnostic]]:
        return self._found.setdefault(uri, asyncio.Queue())

    async def start(self, *encodings: str) -> types.InitializeResult:
        """Start the server and say hello."""
        await self.client.start_io(
            sys.executable, "-m", "saniwa", "lsp", "--stdio", cwd=self.folder
        )
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
        """Say goodbye, or not, and give the server's exit code."""
        if politely:
            await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]
        server = self.client._server
        assert server is not None
        return server.returncode

    def uri(self, name: str = "story.md") -> str:
        """The address of a file."""
        return (self.folder / name).as_uri()

    def open(self, text: str, name: str = "story.md") -> None:
        """Open a file with this text in it, saved or not."""
        item = types.TextDocumentItem(self.uri(name), "markdown", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, text: str, name: str = "story.md") -> None:
        """Type until the file reads like this."""
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, self.uri(name)),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def close(self, name: str = "story.md") -> None:
        """Close the file."""
        item = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(item))

    async def found(self, name: str = "story.md") -> list[types.Diagnostic]:
        """What the server tells next about a file."""
        return await asyncio.wait_for(self._queue(self.uri(name)).get(), PATIENCE)

    def untold(self, name: str = "story.md") -> int:
        """How often the server has told about a file and nobody has read it."""
        return self._queue(self.uri(name)).qsize()

    def at(self, line: int, character: int, name: str = "story.md") -> dict[str, Any]:
        """A place, as the protocol counts: from 0, in UTF-16 units."""
        return {
            "text_document": types.TextDocumentIdentifier(self.uri(name)),
            "position": types.Position(line, character),
        }


def _range(line: int, begin: int, end: int) -> types.Range:
    return types.Range(types.Position(line, begin), types.Position(line, end))


def _converse(
    folder: Path, talk: Callable[[Editor], Awaitable[_Answer]], *encodings: str
) -> _Answer:
    """What comes of a conversation that ends as it should."""

    async def all_of_it() -> _Answer:
        editor = Editor(folder)
        await editor.start(*encodings)
        answer = await talk(editor)
        assert 0 == await editor.leave()
        assert [] == editor.log
        return answer

    return asyncio.run(asyncio.wait_for(all_of_it(), 3 * PATIENCE))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A story in two files, with a picture, as it is saved."""
    (tmp_path / "story.md").write_text(STORY, encoding="utf-8")
    (tmp_path / "map.md").write_text(MAP, encoding="utf-8")
    (tmp_path / "art" / "images").mkdir(parents=True)
    (tmp_path / "art" / "images" / "rain.png").write_bytes(b"")
    return tmp_path


def test_findings_come_with_the_letters_they_are_about(folder: Path) -> None:
    """A link that leads nowhere is told with its code and exactly its letters."""

    async def talk(editor: Editor) -> list[types.Diagnostic]:
        editor.open(STORY)
        return await editor.found()

    found = {each.code: each for each in _converse(folder, talk)}

    unresolved = found["LABEL_UNRESOLVED"]
    assert _range(15, 8, 14) == unresolved.range
    assert types.DiagnosticSeverity.Warning == unresolved.severity
    assert "saniwa" == unresolved.source
    assert "'bridge'" in unresolved.message


def test_findings_of_a_linked_file_go_to_that_file(folder: Path) -> None:
    """What is wrong in a file that is not open is told under its own address."""

    async def talk(editor: Editor) -> list[types.Diagnostic]:
        editor.open(STORY)
        return await editor.found("map.md")

    found = _converse(folder, talk)

    assert _range(2, 6, 11) in [each.range for each in found if each.code == "LABEL_UNRESOLVED"]


def test_findings_go_away_when_the_text_is_mended(folder: Path) -> None:
    """Every change is checked as it is shown, saved or not."""

    async def talk(editor: Editor) -> tuple[list[Any], list[Any]]:
        editor.open("## a\nHello.\n[again](#b)\n")
        before = await editor.found()
        editor.change("## a\nHello.\n[again](#a)\n")
        return before, await editor.found()

    before, after = _converse(folder, talk)

    assert ["LABEL_UNRESOLVED"] == [each.code for each in before]
    assert [] == after


def test_a_long_text_is_checked_when_typing_pauses(folder: Path) -> None:
    """Of two quick changes to a long text, the last one is told of, once."""
    long = "## a\n" + "Hello.\n\n" * 15_000

    async def talk(editor: Editor) -> tuple[list[types.Diagnostic], int]:
        editor.open(long + "[again](#a)\n")
        assert [] == await editor.found()
        editor.change(long + "[again](#b)\n[again](#c)\n")
        editor.change(long + "[again](#b)\n")
        found = await editor.found()
        asked = types.HoverParams(**editor.at(0, 0))
        await editor.client.text_document_hover_async(asked)
        return found, editor.untold()

    found, more = _converse(folder, talk)

    assert ["LABEL_UNRESOLVED"] == [each.code for each in found]
    assert 0 == more


def test_a_closed_file_leaves_no_findings_behind(folder: Path) -> None:
    """Closing takes back what was told, of linked files too."""

    async def talk(editor: Editor) -> tuple[list[Any], list[Any]]:
        editor.open(STORY)
        await editor.found()
        await editor.found("map.md")
        editor.close()
        return await editor.found(), await editor.found("map.md")

    assert ([], []) == _converse(folder, talk)


@pytest.mark.parametrize(
    ("encoding", "begin", "end"), [("utf-16", 7, 12), ("utf-8", 13, 18), ("utf-32", 6, 11)]
)
def test_columns_count_as_the_editor_counts(
    folder: Path, encoding: str, begin: int, end: int
) -> None:
    """Letters beyond ASCII before a name move it by as many units as they are."""

    async def talk(editor: Editor) -> list[types.Diagnostic]:
        editor.open("---\nid: a\nvars: {}\n---\nルナ: 😀{trsut}\n")
        return await editor.found()

    found = _converse(folder, talk, encoding)

    undeclared = [each for each in found if each.code == "VARIABLE_UNDECLARED"]
    assert [_range(4, begin, end)] == [each.range for each in undeclared]


def test_labels_speakers_variables_and_assets_are_completed(folder: Path) -> None:
    """What may be written is offered, and replaces what was begun."""
    text = STORY + "[on](#st\n[SHOW_IMAGE file=\nル\n{tr\n"

    async def talk(editor: Editor) -> list[list[tuple[str, types.Range]]]:
        editor.open(text)
        answers = []
        for line, character in ((16, 8), (17, 17), (18, 1), (19, 3)):
            asked = types.CompletionParams(**editor.at(line, character))
            answer = await editor.client.text_document_completion_async(asked)
            assert isinstance(answer, types.CompletionList)
            edits = [item.text_edit for item in answer.items]
            answers.append([(e.new_text, e.range) for e in edits if isinstance(e, types.TextEdit)])
        return answers

    labels, assets, speakers, variables = _converse(folder, talk)

    assert [("street", _range(16, 6, 8))] == labels
    assert ("rain", _range(17, 17, 17)) in assets
    assert [("ルナ: ", _range(18, 0, 1))] == speakers
    assert [("trust", _range(19, 1, 3))] == variables


def test_a_label_in_another_file_is_found(folder: Path) -> None:
    """Go to definition leads across files."""

    async def talk(editor: Editor) -> Any:
        editor.open(STORY)
        asked = types.DefinitionParams(**editor.at(12, 17))
        return await editor.client.text_document_definition_async(asked)

    place = types.Location((folder / "map.md").as_uri(), _range(0, 3, 8))
    assert [place] == _converse(folder, talk)


def test_a_name_behind_letters_of_two_units_is_found(folder: Path) -> None:
    """A position behind an emoji means the letter that the editor means."""

    async def talk(editor: Editor) -> Any:
        editor.open(STORY)
        asked = types.DefinitionParams(**editor.at(14, 9))
        return await editor.client.text_document_definition_async(asked)

    place = types.Location((folder / "story.md").as_uri(), _range(2, 7, 12))
    assert [place] == _converse(folder, talk)


def test_a_label_is_renamed_wherever_it_is_named(folder: Path) -> None:
    """Heading, links and visits change together, in the story that holds the file."""

    async def talk(editor: Editor) -> Any:
        editor.open(MAP, "map.md")
        at = editor.at(0, 4, "map.md")
        asked = types.PrepareRenameParams(**at)
        ready = await editor.client.text_document_prepare_rename_async(asked)
        new = types.RenameParams(new_name="Old map", **at)
        return ready, await editor.client.text_document_rename_async(new)

    ready, edit = _converse(folder, talk)

    assert types.PrepareRenamePlaceholder(_range(0, 3, 8), "paper") == ready
    assert {
        (folder / "map.md").as_uri(): (types.TextEdit(_range(0, 3, 8), "Old map"),),
        (folder / "story.md").as_uri(): (types.TextEdit(_range(12, 16, 21), "old-map"),),
    } == {uri: tuple(edits) for uri, edits in edit.changes.items()}


def test_a_label_is_renamed_while_nothing_is_saved(folder: Path) -> None:
    """Places are those of the texts that the editor shows, in every open file."""

    async def talk(editor: Editor) -> Any:
        editor.open(STORY)
        editor.open(MAP, "map.md")
        editor.change("\n\n" + MAP, "map.md")
        editor.change(STORY.replace("Walk on", "Walk slowly on\n"))
        new = types.RenameParams(new_name="Old map", **editor.at(2, 4, "map.md"))
        return await editor.client.text_document_rename_async(new)

    edit = _converse(folder, talk)

    assert {
        (folder / "map.md").as_uri(): (types.TextEdit(_range(2, 3, 8), "Old map"),),
        (folder / "story.md").as_uri(): (types.TextEdit(_range(13, 16, 21), "old-map"),),
    } == {uri: tuple(edits) for uri, edits in edit.changes.items()}


def test_an_unsaved_change_is_seen_in_the_other_open_files(folder: Path) -> None:
    """A link is broken as soon as its heading is called otherwise elsewhere."""

    async def talk(editor: Editor) -> Any:
        editor.open(STORY)
        editor.open(MAP, "map.md")
        # Every file is looked at again when another one is opened.
        _, before = await editor.found(), await editor.found()
        editor.change(MAP.replace("## paper", "## page"), "map.md")
        return before, await editor.found()

    before, after = _converse(folder, talk)

    assert 12 not in {each.range.start.line for each in before}
    assert 12 in {each.range.start.line for each in after}


@pytest.mark.parametrize("new", ["", "street"])
def test_a_name_that_cannot_be_is_refused_with_the_reason(folder: Path, new: str) -> None:
    """A label cannot be called nothing, nor what another one is called."""

    async def talk(editor: Editor) -> str:
        editor.open(STORY)
        asked = types.RenameParams(new_name=new, **editor.at(7, 4))
        with pytest.raises(JsonRpcException) as caught:
            await editor.client.text_document_rename_async(asked)
        return caught.value.message

    assert ("street" in _converse(folder, talk)) is bool(new)


def test_pointing_at_a_name_tells_about_it(folder: Path) -> None:
    """Hover says where a label is, who names it and how it begins."""

    async def talk(editor: Editor) -> Any:
        editor.open(STORY)
        asked = types.HoverParams(**editor.at(11, 14))
        return await editor.client.text_document_hover_async(asked)

    told = _converse(folder, talk)

    assert _range(11, 13, 19) == told.range
    assert "story.md:14" in told.contents.value
    assert "ルナ: 😀" in told.contents.value


def test_references_outline_and_cures(folder: Path) -> None:
    """All places of a name, the sections of a file, and the cure of a finding."""

    async def talk(editor: Editor) -> tuple[Any, Any, Any]:
        editor.open(STORY)
        ask = editor.client
        file = types.TextDocumentIdentifier(editor.uri())
        everywhere = await ask.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(True), **editor.at(7, 4))
        )
        listed = await ask.text_document_document_symbol_async(types.DocumentSymbolParams(file))
        cures = await ask.text_document_code_action_async(
            types.CodeActionParams(file, _range(15, 0, 0), types.CodeActionContext([]))
        )
        return everywhere, listed, cures

    everywhere, listed, cures = _converse(folder, talk)

    assert [7, 14] == [each.range.start.line for each in everywhere]
    assert ["bridge", "street"] == [each.name for each in listed]
    (edit,) = [edit for cure in cures for edit in cure.edit.changes[(folder / "story.md").as_uri()]]
    assert types.TextEdit(_range(15, 8, 14), "bridge") == edit


def test_old_notation_is_rewritten_on_request(folder: Path) -> None:
    """Formatting gives what `saniwa fmt` gives, and so does the cure once chosen."""
    old = "## 場所\n[SAY speaker=ルナ] 😀\n[JUMP label=場所]"

    async def talk(editor: Editor) -> tuple[Any, Any]:
        editor.open(old)
        ask = editor.client
        file = types.TextDocumentIdentifier(editor.uri())
        edits = await ask.text_document_formatting_async(
            types.DocumentFormattingParams(file, types.FormattingOptions(2, True))
        )
        cures = await ask.text_document_code_action_async(
            types.CodeActionParams(file, _range(2, 0, 0), types.CodeActionContext([]))
        )
        (cure,) = cures or ()
        assert isinstance(cure, types.CodeAction)
        return edits, await ask.code_action_resolve_async(cure)

    edits, cure = _converse(folder, talk)

    new = "## 場所\nルナ: 😀\n[場所](#場所)"
    whole = types.Range(types.Position(0, 0), types.Position(2, 15))
    assert [types.TextEdit(whole, new)] == list(edits)
    assert list(edits) == list(cure.edit.changes[(folder / "story.md").as_uri()])


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


def test_no_text_is_too_broken(folder: Path) -> None:
    """Whatever is typed, every question is answered and nothing is logged as wrong."""

    async def talk(editor: Editor) -> int:
        editor.open("## a")
        await editor.found()
        ask, asked = editor.client, 0
        for text in BROKEN:
            editor.change(text)
            await editor.found()
            for at in (editor.at(0, 9999), editor.at(9999, 0), editor.at(0, 1)):
                await ask.text_document_completion_async(types.CompletionParams(**at))
                await ask.text_document_hover_async(types.HoverParams(**at))
                await ask.text_document_definition_async(types.DefinitionParams(**at))
                asked += 1
        return asked

    assert 3 * len(BROKEN) == _converse(folder, talk)


def test_the_server_says_what_it_can_do(folder: Path) -> None:
    """Every feature is announced, and texts are wanted whole."""

    async def talk() -> types.ServerCapabilities:
        editor = Editor(folder)
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


def test_an_editor_that_just_leaves_is_told_by_the_exit_code(folder: Path) -> None:
    """The protocol asks for 1 where nobody said goodbye first."""

    async def talk() -> int | None:
        editor = Editor(folder)
        await editor.start()
        return await editor.leave(politely=False)

    assert 1 == asyncio.run(talk())


def _message(**parts: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **parts}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def _spoken(folder: Path, said: bytes) -> tuple[int, list[dict[str, Any]], str]:
    """The exit code of a server that is told this, its answers, and what it complained of."""
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


_HELLO = _message(id=1, method="initialize", params={"capabilities": {}})


@pytest.mark.parametrize("line", [-1, 2**31, 2**70, "one"])
def test_a_place_that_cannot_be_is_answered_with_an_error(line: Any, folder: Path) -> None:
    """No request is left without an answer, and the server goes on."""
    place = {
        "textDocument": {"uri": (folder / "story.md").as_uri()},
        "position": {"line": line, "character": 0},
    }
    asked = _message(id="h", method="textDocument/hover", params=place)
    leaving = _message(id=3, method="shutdown") + _message(method="exit")
    code, answers, _ = _spoken(folder, _HELLO + asked + leaving)
    by_id = {each["id"]: each for each in answers if "id" in each}

    assert -32602 == by_id["h"]["error"]["code"]
    assert (0, None) == (code, by_id[3]["result"])


@pytest.mark.parametrize("length", [b"99999999999", b"67108865", b"9" * 5000])
def test_a_message_too_large_ends_the_conversation(length: bytes, folder: Path) -> None:
    """Nobody makes the server read what no memory holds: it leaves with 1, and calmly."""
    code, answers, told = _spoken(folder, _HELLO + b"Content-Length: " + length + b"\r\n\r\n{}")

    assert (1, 1) == (code, len(answers))
    assert "Traceback" not in told
