"""Words: what players type and models answer, in English and Japanese."""

import asyncio
from functools import cache
from pathlib import Path

import msgspec

from saniwa.agent.model_listener import parse_claims
from saniwa.agent.narration.narrator import check_narration, clean_narration
from saniwa.agent.reply_extraction import (
    extract_object,
    find_fenced_blocks,
    find_json_objects,
    find_json_values,
)
from saniwa.app.run_service import RunService
from saniwa.app.scenario_lookup import open_scenario
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.experiment.prompts import read_facts, read_guidance_card
from saniwa.language.parser_context import ParserContext
from saniwa.runs.replay import replay_run
from saniwa.scenario.loader import Scenario
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.model_reply import looks_like_reply, read_reply
from saniwa.world.model import Id
from saniwa.world.snapshot import find_broken_invariants
from tests.fakes.turns import speak
from tests.fuzz.fuzz_reader import FuzzReader, Read, ReaderAnswer

_PHRASES = (
    b"take the brass key and open the gate with it, then go north",
    b"put everything but the cup into the oak chest",
    b'say "hello" to the groundskeeper; x me. undo',
    b"Thought: hm\nOutput: *opens the gate* Hello, Ben!",
)
_JAPANESE = (
    "鍵を取って、門を開けてから北へ行く",
    "「こんにちは」と庭師に言う",
    "鉢の中のものを全部、棚の上に置いて",
    "Thought: うん\nOutput: *門を開ける*「やあ」",
)
_REPLIES = (
    "Thought: I look.\nOutput: *takes the key* Hi. *goes north*",
    '```json\n{"thought": "x", "output": "*waits*"}\n```',
    "<think>hm</think><output>Yes.</output> <|im_end|>",
    "思考：うん\n出力：*待つ*「はい」",
    "## Thought\nx\n## Output\ny",
    '{"claims": [{"type": "take", "target": "key"}, {"type": "move", "direction": "n"}]}',
    '[FACT CARD]\nHere: a; b\n{"a": [1]} (thinks) ~~~json\n{}\n~~~',
)


@cache
def _open_named_scenario(name: str) -> Scenario:
    return open_scenario(name)


def _make_play_reader(name: str) -> Read:
    """Say words in a run; the run must replay to the same turns."""

    def read(content: bytes, _folder: Path) -> ReaderAnswer:
        store = MemoryRunStore()
        parts = RunService(store, ids=CountingIds(), clock=FixedClock())
        run = parts.begin(_open_named_scenario(name).document)

        async def say() -> bytes:
            previewed = await run.preview(_decode_leniently(content))
            told = await run.say(_decode_leniently(content))
            return msgspec.json.encode([previewed, told])

        said = asyncio.run(say())
        assert not find_broken_invariants(run.world)
        assert replay_run(store, run.id).is_same, "the run is not played again as it was played"
        return ReaderAnswer(answer=said)

    return read


def _decode_leniently(content: bytes) -> str:
    # A terminal may send bytes that are not valid text.
    return content.decode("utf-8", "surrogateescape")


def _read_model_reply(content: bytes, _folder: Path) -> ReaderAnswer:
    text = _decode_leniently(content)
    reply = read_reply(text)
    card = read_guidance_card(text), read_facts(text)
    said = (
        *(
            looks_like_reply(text),
            reply,
            card,
            list(find_fenced_blocks(text)),
            extract_object(text),
        ),
        *(list(find_json_values(text, "json")), list(find_json_objects(text))),
    )
    return ReaderAnswer(answer=repr(said).encode("utf-8", "surrogateescape"))


def _read_claims(content: bytes, _folder: Path) -> ReaderAnswer:
    world = _open_named_scenario("door_and_key").world
    actor = world.protagonist or Id("")
    made = parse_claims(
        _decode_leniently(content), "take the key", ParserContext.from_world(world, actor)
    )
    return ReaderAnswer(answer=repr(made).encode("utf-8", "surrogateescape"))


def _make_narration_reader(name: str, words: str) -> Read:
    def read(content: bytes, _folder: Path) -> ReaderAnswer:
        before = _open_named_scenario(name).world
        played = speak(words, before)
        told = clean_narration(_decode_leniently(content))
        viewer = before.protagonist or Id("")
        flags = check_narration(told, played.turn, before, played.world, viewer)
        # A narration that passes is shown, and so is the text that a flag quotes.
        return ReaderAnswer(answer=repr(flags).encode("utf-8", "surrogateescape"), shown=told)

    return read


READERS = (
    FuzzReader(
        name="words-en",
        reads="a player's words in English, played as a turn and replayed",
        seeds=lambda: list(_PHRASES),
        read=_make_play_reader("door_and_key"),
        words=(
            *(" and ", " then ", " all ", " but ", " it ", " with ", " into ", "'s "),
            *("go ", "take ", "give ", "unlock ", "oak chest", "brass key", "north"),
        ),
        tries=45,
    ),
    FuzzReader(
        name="words-ja",
        reads="a player's words in Japanese, played as a turn and replayed",
        seeds=lambda: [each.encode() for each in _JAPANESE],
        read=_make_play_reader("door_and_key_ja"),
        words=(
            *("を", "に", "の中の", "へ行く", "を取って", "全部", "それ", "と言う", "て"),
            *("門", "鍵", "北", "ください", "、", "から", "しないで", "んだ"),
        ),
        tries=45,
    ),
    FuzzReader(
        name="model-reply",
        reads="a model's reply: thought, output, cards, JSON in it and around it",
        seeds=lambda: [each.encode() for each in _REPLIES],
        read=_read_model_reply,
        words=("Thought:", "Output:", "```json\n", "<think>", "</think>", "*", "{", "}"),
        tries=200,
    ),
    FuzzReader(
        name="model-claims",
        reads="a model's answer about the meaning of words",
        seeds=lambda: [_REPLIES[5].encode()],
        read=_read_claims,
        words=("claims", "type", "target", "unrecognised", "actorId", "direction"),
        tries=200,
    ),
    FuzzReader(
        name="narration-en",
        reads="a model's narration in English, cleaned and checked",
        seeds=lambda: [
            b"Heading east, you enter the toolshed. An oak chest stands here.",
            b'"Who is there?" he says. The chest is open, and a brass key glints inside.',
        ],
        read=_make_narration_reader("door_and_key", "go east"),
        words=("you ", "the ", " is open", "oak chest", '"', " not ", "**", "\\n"),
        tries=45,
    ),
    FuzzReader(
        name="narration-ja",
        reads="a model's narration in Japanese, cleaned and checked",
        seeds=lambda: ["あなたは東へ進み、道具小屋に入る。「誰だ」と声がした。".encode()],
        read=_make_narration_reader("door_and_key_ja", "東へ行く"),
        words=("は", "が開いている", "「", "」", "道具小屋", "ない", "。"),
        tries=45,
    ),
)
