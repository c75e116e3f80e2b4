from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.app.host_json_lines import (
    PLAY_REQUESTS,
    HostDefaults,
    PlayingHandler,
    open_playing_handler,
)
from saniwa.app.workspace import WorkspacePlaces
from saniwa.cli.servers import render_published_schema
from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.playing_stages import LAMP

_SCHEMA = msgspec.json.decode(render_published_schema("host"))
_REQUEST = jsonschema_rs.validator_for({**_SCHEMA, "oneOf": [{"$ref": "#/$defs/Request"}]})
_ANSWER = jsonschema_rs.validator_for({**_SCHEMA, "oneOf": [{"$ref": "#/$defs/Answer"}]})


def _open_handler(**wish: str) -> PlayingHandler:
    return open_playing_handler(WorkspacePlaces(store="memory:"), HostDefaults(**wish))


async def _send_line(door: PlayingHandler, line: bytes) -> dict[str, Any]:
    told = await door.handle_line(line)
    answer: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(told))
    _ANSWER.validate(answer)
    return answer


async def _ask(door: PlayingHandler, op: str, **fields: Any) -> dict[str, Any]:
    line = {"op": op, **fields}
    _REQUEST.validate(line)
    return await _send_line(door, msgspec.json.encode(line))


def _read_text(answer: dict[str, Any]) -> str:
    step = answer["moment"]["step"]
    said = [each for each in step["directives"] if each["type"] == "Say"]
    return str(said[-1]["args"]["text"])


@run_coroutine
async def test_a_story_is_played_line_by_line() -> None:
    """A story is played by steps, choices and words, each answered with the moment to show."""
    door = _open_handler()
    begun = await _ask(door, "begin", draft=LAMP)
    assert (1, "Rain.", "step") == (
        begun["protocol"],
        _read_text(begun),
        begun["moment"]["waiting"],
    )
    offered = await _ask(door, "step")
    assert ("A lamp.", "choice") == (_read_text(offered), offered["moment"]["waiting"])
    asked = await _ask(door, "choose", index=0)
    assert ("It burns.", "words") == (_read_text(asked), asked["moment"]["waiting"])
    assert "Ana, the lamp says." == _read_text(await _ask(door, "say", text="Ana"))
    assert "It burns." == _read_text(await _ask(door, "back"))


@run_coroutine
async def test_a_scenario_is_played_by_words() -> None:
    """A scenario is played by words, and a preview judges words without playing them."""
    door = _open_handler(scenario="door_and_key")
    await _ask(door, "begin")
    seen = await _ask(door, "preview", text="take the key")
    told = await _ask(door, "say", text="look")

    assert seen["understanding"]["weighed"]
    assert seen["understanding"]["sentences"]
    assert 1 == told["moment"]["revision"]


@run_coroutine
async def test_an_id_comes_back() -> None:
    """An id that is a text or a whole number is returned with every answer."""
    door = _open_handler()

    assert "a" == (await _ask(door, "begin", draft=LAMP, id="a"))["id"]
    assert 7 == (await _send_line(door, b'{"op":"nothing","id":7}'))["id"]
    assert "id" not in await _send_line(door, b'{"op":"step","id":true}')


@run_coroutine
async def test_what_the_command_names_is_played() -> None:
    """`begin` without a subject plays the one from the command line."""
    door = _open_handler(scenario="door_and_key", language="ja")
    own = await _ask(door, "begin")
    other = await _ask(door, "begin", draft=LAMP)

    assert own["moment"]["run"] != other["moment"]["run"]
    assert "words" == own["moment"]["waiting"]
    assert "Rain." == _read_text(other)


@pytest.mark.parametrize("named", [{}, {"scenario": "a", "story": "b"}])
@run_coroutine
async def test_a_run_plays_one_subject(named: dict[str, str]) -> None:
    """`begin` with no subject, or with two, is refused with a hint."""
    answer = await _ask(_open_handler(), "begin", **named)

    assert "NOTHING_TO_PLAY" == answer["error"]["code"]


@pytest.mark.parametrize("op", sorted(set(PLAY_REQUESTS) - {"begin", "resume"}))
@run_coroutine
async def test_before_it_is_started_there_is_no_run(op: str) -> None:
    """Every operation before `begin` is refused with RUN_NOT_FOUND."""
    needed = {"index": 0, "text": "x", "name": "x", "path": "x"}
    fields = {
        name: value for name, value in needed.items() if name in PLAY_REQUESTS[op].__struct_fields__
    }
    answer = await _ask(_open_handler(), op, **fields)

    assert "RUN_NOT_FOUND" == answer["error"]["code"]
    assert "begin" in answer["error"]["hint"]


@run_coroutine
async def test_a_revision_is_checked_where_it_is_sent() -> None:
    """A stale revision is refused; without one the current revision is meant."""
    door = _open_handler()
    await _ask(door, "begin", draft=LAMP)
    stale = await _ask(door, "step", revision=9)
    free = await _ask(door, "step")

    assert "REVISION_CONFLICT" == stale["error"]["code"]
    assert 2 == free["moment"]["revision"]


@run_coroutine
async def test_under_one_key_a_request_is_done_once() -> None:
    """A repeated request with its key is done once; another request with it is refused."""
    door = _open_handler()
    first = await _ask(door, "begin", draft=LAMP, key="b")
    again = await _ask(door, "begin", draft=LAMP, key="b", id=3)
    step = await _ask(door, "step", key="s")
    same = await _ask(door, "step", key="s", revision=1)
    other = await _ask(door, "back", key="s")

    assert first["moment"]["run"] == again["moment"]["run"]
    assert step["moment"] == same["moment"]
    assert "IDEMPOTENCY_CONFLICT" == other["error"]["code"]


@run_coroutine
async def test_places_are_saved_and_gone_back_to() -> None:
    """Saves are made and loaded, and every answer about them lists them."""
    door = _open_handler()
    await _ask(door, "begin", draft=LAMP)
    saved = await _ask(door, "save", name="rain")
    await _ask(door, "step")
    loaded = await _ask(door, "load", name="rain")

    assert ["rain"] == [each["name"] for each in saved["saves"]]
    assert "Rain." == _read_text(loaded)
    assert "scenery" in loaded["moment"]
    assert saved["saves"] == (await _ask(door, "saves"))["saves"]
    assert [] == (await _ask(door, "remove", name="rain"))["saves"]


@run_coroutine
async def test_the_backlog_is_as_long_as_it_is_wanted() -> None:
    """The backlog has at most the requested number of steps, oldest first."""
    door = _open_handler()
    await _ask(door, "begin", draft=LAMP)
    await _ask(door, "step")

    assert 2 == len((await _ask(door, "backlog"))["steps"])
    assert 1 == len((await _ask(door, "backlog", limit=1))["steps"])


@run_coroutine
async def test_skipping_says_what_was_passed() -> None:
    """Skipping returns the steps that were passed; if none was seen before, it makes one step."""
    door = _open_handler()
    await _ask(door, "begin", draft=LAMP)
    skipped = await _ask(door, "skip")

    assert [] == skipped["passed"]
    assert "A lamp." == _read_text(skipped)


@run_coroutine
async def test_a_run_is_resumed_by_its_id_or_as_the_last(tmp_path: Path) -> None:
    """Another process resumes a run by its id, or as the last one."""
    places = WorkspacePlaces(store=str(tmp_path / "runs.sqlite"))
    first = open_playing_handler(places, HostDefaults())
    run = (await _ask(first, "begin", draft=LAMP))["moment"]["run"]
    await _ask(first, "step")
    second = open_playing_handler(places, HostDefaults())

    for named in (run, "last"):
        assert "A lamp." == _read_text(await _ask(second, "resume", run=named))
    missing = await _ask(second, "resume", run="run-nowhere")
    assert "RUN_NOT_FOUND" == missing["error"]["code"]


@run_coroutine
async def test_pictures_come_through_the_door() -> None:
    """Assets are read by the path of a directive, and by no other path."""
    door = _open_handler(story="lantern-island")
    begun = await _ask(door, "begin")
    path = begun["moment"]["step"]["directives"][0]["args"]["path"]
    found = await _ask(door, "asset", path=path)
    away = await _ask(door, "asset", path="../story.md")

    assert "image/svg+xml" == found["media"]
    assert found["content"]
    assert "ASSET_NOT_FOUND" == away["error"]["code"]
    assert "moment" in await _ask(door, "moment")


@run_coroutine
async def test_what_has_no_story_has_no_pictures() -> None:
    """A scenario and a draft have no assets."""
    door = _open_handler(scenario="door_and_key")
    await _ask(door, "begin")

    answer = await _ask(door, "asset", path="images/x.png")
    assert "ASSET_NOT_FOUND" == answer["error"]["code"]


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
_FIELDS = sorted({name for kind in PLAY_REQUESTS.values() for name in kind.__struct_fields__})
_DOOR = _open_handler()


@given(
    op=st.sampled_from(sorted(set(PLAY_REQUESTS) - {"save"})) | st.text(),
    fields=st.dictionaries(st.sampled_from(_FIELDS), _ANY, max_size=4),
)
def test_any_line_gets_one_answer(op: str, fields: dict[str, Any]) -> None:
    """Any line gets an answer that fits the schema."""

    @run_coroutine
    async def ask_twice() -> None:
        await _ask(_DOOR, "begin", draft=LAMP, key="same")
        await _send_line(_DOOR, msgspec.json.encode({"op": op, **fields}))

    ask_twice()


@pytest.mark.parametrize(
    "line", [b"", b"\n", b"\xff", b"[" * 10_000, b"null", rb'{"op":"begin","\ud800":1}']
)
@run_coroutine
async def test_what_is_not_a_request_is_answered(line: bytes) -> None:
    """An invalid line is answered with a code, and later requests work."""
    door = _open_handler()
    answer = await _send_line(door, line)

    assert answer["error"]["code"].startswith("PROTOCOL_")
    assert "Rain." == _read_text(await _ask(door, "begin", draft=LAMP))
