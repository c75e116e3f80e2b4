"""Stories: Markdown, the files next to it, translation tables, and saved states."""

from pathlib import Path

import msgspec

from saniwa.app.old_terminal_saves import OldTerminalSaves
from saniwa.runs.playing_record import PlayOrigin, SaveSlots
from saniwa.runs.story_playing import decode_playing_state, encode_playing_state
from saniwa.store.play_records import MemoryPlayRecords
from saniwa.story.player import Player
from saniwa.story.saves import read_save, restore_player, save_player
from saniwa.story.story import parse_story
from saniwa.story.tools.translation import decode_table, encode_table
from tests.fakes.old_story_saves import make_old_folder, write_old
from tests.fakes.playing_stages import GATE, LAMP
from tests.fuzz.command_readers import make_command_reader
from tests.fuzz.fuzz_reader import FuzzReader, ReaderAnswer, join_parts

_EVERYTHING = """\
---
id: s
vars: {n: 0, m: false, name: ""}
cast: {Ben: {color: red}}
---
# Everything

Ben: Hello. {#hi .soft voice=v}

{n > 1: many|few} {&x|y} {!p|q} {~i|j} {name}

[SET n += 1] [SHOW_IMAGE file=x layer=l] [PLAY_BGM name=x] [WAIT 0.5s]

:::when n > 0 and not m
Yes.
:::else
No.
:::

- One {once}
  [SET m = true]
- [Two](#two) {if n > 0}
- Three {else}
  > quoted

[ASK var=name prompt="Who?"]

## two

[go](other.md#there "call")

ハル：「どっち？」

[END] <!-- ending: done -->
"""
_OTHER = "# Other\n\n## there\n\nHere.\n\n[back](story.md#two)\n\n[RETURN]\n"
_CAST = "characters:\n  Ben: {color: red}\n  ハル: {}\n"
_JA = "---\nlanguage: ja\n---\n# 灯り\n\n雨。\n\nランプ。\n\n- つける\n  燃える。\n- やめる\n  暗い。\n"
_TABLE = "id,speaker,text,translation,note\r\ntitle,,Lamp,ランプ,\r\nhi,Ben,Hello.,'=1,mine\r\n"
_WORDS = (
    *("[SET n = ", "[ASK ", "[LABEL name=", "[RETURN]", "[END]", "[WAIT ", "[IF "),
    *(":::when ", ":::else", ":::do ", ":::", "{if ", "{once}", "{#id}", "{do ", "{~"),
    *("<!-- ending: ", "- ", "> ", "## ", "](#two)", "](other.md)", "roll(1, 6)"),
    *("visits(", "chosen(", " and ", " or not ", "**", "%", "//", "((", "+= 1]"),
    *("```", "~~~", "|", "![x](y.png)", "：", "「", "Ben: ", "@", "\\n", "include:"),
)


def _trace(folder: Path) -> None:
    (folder / "other.md").write_text(_OTHER)


def _read_table(content: bytes, _folder: Path) -> ReaderAnswer:
    """A table that is written and read again is the same."""
    table = decode_table(content, "x.csv")
    again = decode_table(encode_table(table), "x.csv")
    bare = [msgspec.structs.replace(row, line=0) for row in table.rows]
    assert bare == [msgspec.structs.replace(row, line=0) for row in again.rows]
    assert table.more == again.more
    return ReaderAnswer(answer=msgspec.json.encode(bare))


def _read_state(content: bytes, _folder: Path) -> ReaderAnswer:
    """A saved state that is restored and saved again is the same, and can be played on."""
    state = read_save(content)
    player = Player(parse_story(_EVERYTHING, "s.md").program)
    told = [str(restore_player(player, state))]
    again = save_player(player)
    assert again == read_save(again.to_json())
    for _ in range(3):
        step = player.step()
        told.append(step.to_json().decode())
    return ReaderAnswer(answer="\n".join(told).encode())


def _make_states() -> list[bytes]:
    player = Player(parse_story(_EVERYTHING, "s.md").program)
    states = []
    for _ in range(4):
        player.step()
        states.append(save_player(player).to_json())
    return states


def _read_kept(content: bytes, folder: Path) -> ReaderAnswer:
    """A save of an earlier version's terminal is imported as it was written, or is an error."""
    story, store = folder / "story.md", folder / "saniwa.sqlite"
    write_old(make_old_folder(story, store) / "saves", "a", b'{"x":1}').write_bytes(content)
    plays, origin = MemoryPlayRecords(), PlayOrigin(path="story.md")
    OldTerminalSaves(story, store).import_into(plays, origin)
    (run,) = (each for each in plays.list_ids() if each.startswith("run-"))
    slots = SaveSlots(run, plays)
    (slot,) = slots.list_slots()
    sheet = decode_playing_state(slots.read_state(slot.name))
    return ReaderAnswer(answer=msgspec.json.encode([slot.name, sheet]))


def _make_saves() -> list[bytes]:
    kept = encode_playing_state(_make_states()[0], "run-1", 3)
    return [b'{"name":"a","kept":%b}' % kept]


READERS = (
    FuzzReader(
        name="story",
        reads="a story with a linked file and its cast, by `check`, `story stats`, `graph`",
        seeds=lambda: [
            join_parts(_EVERYTHING, _OTHER, _CAST),
            join_parts(LAMP, "", ""),
            join_parts(GATE, "", ""),
        ],
        read=make_command_reader(
            ["story.md", "other.md", "characters.yaml"],
            ["check", "story.md"],
            ["story", "stats", "story.md"],
            ["graph", "story.md"],
        ),
        words=_WORDS,
        tries=40,
    ),
    FuzzReader(
        name="story-played",
        reads="a story, by `trace` and `dump`",
        seeds=lambda: [_EVERYTHING.encode(), LAMP.encode()],
        read=make_command_reader(
            ["story.md"],
            ["trace", "story.md", "--choices", "1,0,2,1", "--answers", "\\x"],
            ["dump", "story.md"],
            before=_trace,
        ),
        words=_WORDS,
        tries=30,
    ),
    FuzzReader(
        name="story-rewritten",
        reads="a story, by `fmt --ids`, and its result again",
        seeds=lambda: [_EVERYTHING.encode(), LAMP.encode(), _JA.encode()],
        read=make_command_reader(
            ["story.md"],
            ["fmt", "--ids", "story.md"],
            ["fmt", "--ids", "--check", "story.md"],
            before=_trace,
        ),
        words=_WORDS,
        tries=25,
    ),
    FuzzReader(
        name="story-explored",
        reads="a story, by `routes` and `test`",
        seeds=lambda: [LAMP.encode(), _EVERYTHING.encode()],
        read=make_command_reader(
            ["story.md"],
            ["routes", "story.md", "--limit", "20", "--steps", "300"],
            ["test", "story.md", "--walks", "4", "--steps", "50"],
            before=_trace,
        ),
        words=_WORDS,
        tries=15,
    ),
    FuzzReader(
        name="translation",
        reads="a story, its translation and the translators' table, by `story strings`",
        seeds=lambda: [join_parts(LAMP, _TABLE, _JA), join_parts(_EVERYTHING, _TABLE, "")],
        read=make_command_reader(
            ["story.md", "story.ja.csv", "story.ja.md"],
            ["story", "strings", "story.md", "--language", "ja", "--check"],
            ["check", "story.md"],
            ["trace", "story.md", "--language", "ja", "--choices", "1"],
            ["story", "strings", "story.md", "--language", "ja"],
        ),
        words=(*_WORDS, ",", '"', "changed: ", "gone"),
    ),
    FuzzReader(
        name="strings-table",
        reads="a translators' table, read, written and read again",
        seeds=lambda: [_TABLE.encode()],
        read=_read_table,
        words=("id,", "translation", "'", "=", '""', "changed: x", "gone"),
        tries=120,
    ),
    FuzzReader(
        name="story-state",
        reads="a story's saved state, loaded, saved and continued",
        seeds=_make_states,
        read=_read_state,
        tries=100,
    ),
    FuzzReader(
        name="save", reads="a saved run of a story", seeds=_make_saves, read=_read_kept, tries=100
    ),
)
