"""A command for the host gets the same answer everywhere: real processes, real servers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import anyio
import pytest

from tests.fakes.servers import ServeProcess
from tests.journeys.mcp_clients import open_stdio_client
from tests.journeys.terminal import Terminal
from tests.journeys.test_host_stdio import HostProcess

_ENGLISH = (
    "again", "open the iron gate", "g", "why?", "actions", "show my inventory", "give me a hint", "help me",
    "save", "save the game as evening", "save", "go east", "undo that", "why", "load evening",
    "please undo", "history",
)  # fmt: skip
_JAPANESE = (
    "もう一度", "鉄の門を開ける", "もう一回", "なぜ？", "できることを教えて", "持ち物", "ヒントをください", "ヘルプ",
    "保存", "夕方として保存して", "保存", "東へ行く", "元に戻して", "なぜ", "読み込み 夕方",
    "取り消してください", "履歴を見せて",
)  # fmt: skip
_TURNS = 7
"""Two actions, one of them again, an undo that takes one back, a load, and an undo of that;
and a wish to repeat something before there was anything."""
_STORY = "# Rain\n\nRain.\n\n- Go in\n  Dry.\n- Stay\n  Wet.\n\nEnd.\n"
Answers = list[str]


def _list_lines(moment: dict[str, Any]) -> str:
    said = (each for each in moment["step"]["directives"] if each["type"] == "Say")
    return _join([f"{d['args'].get('speaker') or ''}\n{d['args']['text']}".strip() for d in said])


def _join(lines: list[str]) -> str:
    return "\n".join(" ".join(line.split()) for text in lines for line in text.split("\n"))


class HostWordClient:
    """A client of a server."""

    def __init__(self, address: str, begin: dict[str, str]) -> None:
        self._address = f"{address}/api/v1"
        self._revision = 0
        self._run = self._ask("POST", "/runs", begin)["run"]
        self._revision = self._ask("GET", f"/runs/{self._run}/moment", None)["revision"]

    def say(self, words: str) -> dict[str, Any]:
        """Say words; returns the state after them."""
        moment = self._ask("POST", f"/runs/{self._run}/words", {"text": words})
        self._revision = moment["revision"]
        return moment

    def _ask(self, method: str, path: str, body: object) -> dict[str, Any]:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "If-Match": f'"{self._revision}"'}
        asked = Request(self._address + path, content, headers, method=method)
        with urlopen(asked, timeout=120) as told:
            answer: dict[str, Any] = json.load(told)
        return answer


def _ask_over_http(folder: Path, lines: tuple[str, ...], language: str) -> Answers:
    with ServeProcess(folder) as server:
        door = HostWordClient(server.address, {"scenario": "door_and_key", "language": language})
        moments = [door.say(line) for line in lines]
    assert _TURNS == moments[-1]["revision"]
    return [_list_lines(each) for each in moments]


def _ask_in_lines(folder: Path, lines: tuple[str, ...], language: str) -> Answers:
    host = HostProcess(folder, "--scenario", "door_and_key", "--language", language)
    host.ask("begin")
    moments = [host.ask("say", text=line)["moment"] for line in lines]
    host.close()
    assert _TURNS == moments[-1]["revision"]
    return [_list_lines(each) for each in moments]


def _ask_over_mcp(folder: Path, lines: tuple[str, ...], language: str) -> Answers:
    answers = Answers()

    async def visit() -> None:
        async with open_stdio_client(folder) as client:
            await client.call("begin_run", scenario="door_and_key", language=language)
            for line in lines:
                told = await client.call("say", words=line)
                answers.append(_join(told["narration"]))
            assert _TURNS == (await client.call("look"))["turn"]

    anyio.run(visit)
    return answers


def _ask_at_the_terminal(folder: Path, lines: tuple[str, ...], language: str) -> Answers:
    with Terminal("play", "door_and_key", "--language", language, folder=folder) as table:
        table.read_shown()
        shown = [table.type_line(line) for line in lines]
    # Without the line that was typed and the prompt after it.
    return [_join(each.strip().removesuffix(">").strip().split("\n")[1:]) for each in shown]


@pytest.mark.slow
@pytest.mark.parametrize(("lines", "language"), [(_ENGLISH, "en"), (_JAPANESE, "ja")])
def test_every_door_answers_the_same(tmp_path: Path, lines: tuple[str, ...], language: str) -> None:
    """Every interface shows the same lines; of the host's words only undo and load are turns."""
    doors: dict[str, Callable[[Path, tuple[str, ...], str], Answers]] = {
        "HTTP": _ask_over_http,
        "MCP": _ask_over_mcp,
        "JSON lines": _ask_in_lines,
        "terminal": _ask_at_the_terminal,
    }
    told = dict[str, Answers]()
    for name, ask in doors.items():
        (tmp_path / name).mkdir()
        told[name] = ask(tmp_path / name, lines, language)

    for number, line in enumerate(lines):
        answers = {name: _flatten(answer[number]) for name, answer in told.items()}
        terminal, expected = answers.pop("terminal"), answers["HTTP"]
        assert {expected} == set(answers.values()), line
        # A terminal wraps lines, and adds to `help` what only it can do.
        assert terminal.startswith(expected), line


def _flatten(text: str) -> str:
    """The text without spaces and punctuation, which a terminal sets differently."""
    return "".join(text.split()).replace(":", "").replace("：", "")


_BESIDE_A_STORY = {
    "hint": "This story has no world of its own, so hint is not available.",
    "show my inventory": "inventory is not available.",
    "history": "Rain.",
    "save as door": "Saved as 'door'.",
    "save": "Saves: door",
    "help": "save NAME, load NAME",
}


@pytest.mark.slow
def test_a_story_answers_words_for_the_host_at_every_door(tmp_path: Path) -> None:
    """A command that a story does not support is answered so, and the choices stay open."""
    (tmp_path / "stories").mkdir()
    (tmp_path / "stories/rain.md").write_text(_STORY, encoding="utf-8")
    with ServeProcess(tmp_path) as server:
        door = HostWordClient(server.address, {"story": "rain"})
        door.say("undo")
        served = {line: door.say(line) for line in _BESIDE_A_STORY}
    host = HostProcess(tmp_path, "--story", "rain")
    host.ask("begin")
    lined = {line: host.ask("say", text=line)["moment"] for line in _BESIDE_A_STORY}
    host.close()

    for line, answer in _BESIDE_A_STORY.items():
        assert answer in _list_lines(served[line]), line
        assert _list_lines(served[line]) == _list_lines(lined[line]), line
        assert served[line]["step"]["directives"][-1]["type"] == "Branch"
    with Terminal("play", "rain", "--store", "memory:", folder=tmp_path) as page:
        page.read_shown()
        for line, answer in _BESIDE_A_STORY.items():
            assert answer in page.type_line(line), line
