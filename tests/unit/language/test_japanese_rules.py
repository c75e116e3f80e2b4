"""Rules of Japanese grammar that decide whether something is done, and to what."""

from pathlib import Path
from typing import Any

import pytest

from saniwa.language.lexicon.readings import is_same_reading, list_readings
from saniwa.language.parse import parse
from saniwa.scenario.loader import load_scenario
from tests.hearing.score import FOLDER, PLAYER, load_house

INN = load_house("inn_ja")


def _list_claims(text: str, *, narrated: bool = False) -> list[dict[str, Any]]:
    return [*parse(text, PLAYER, INN, narrated=narrated)]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("饅頭を食べる", [{"type": "eat", "target": "饅頭"}]),
        ("ちょっと饅頭を食べる", [{"type": "eat", "target": "饅頭"}]),
        ("柿も食べたいけど饅頭を食べる", [{"type": "eat", "target": "饅頭"}]),
        ("柿は持ったまま廊下へ", [{"type": "move", "target": "廊下"}]),
        ("懐に電報をしまう", [{"type": "take", "target": "電報"}]),
        ("マッチヲトレ", [{"type": "take", "target": "マッチ"}]),
        ("廊下へ走り出る", [{"type": "move", "target": "廊下"}]),
        ("無言のまま廊下に出る", [{"type": "move", "target": "廊下"}]),
        ("じゃあさ、電報を取るね", [{"type": "take", "target": "電報"}]),
        ("茶碗の黒いほうを取る", [{"type": "take", "target": "黒い茶碗"}]),
        ("走って廊下へ行く", [{"type": "move", "target": "廊下"}]),
        ("電報を読むために箪笥を開ける", [{"type": "open", "target": "箪笥"}]),
        ("座卓へ柿を", [{"type": "put", "target": "柿", "destination": "座卓"}]),
    ],
)
def test_a_command_is_done_once(text: str, claims: list[dict[str, Any]]) -> None:
    """Words around an action neither add an action nor remove it."""
    assert claims == [claim for claim in _list_claims(text) if claim["type"] != "unrecognised"]


@pytest.mark.parametrize(
    "text",
    ["饅頭を少しだけ食べる", "饅頭をちょっと食べる", "饅頭をひとかけら女将に渡す", "箪笥は閉めたままにしておく",
     "箪笥を閉める……のはやめて寝る", "饅頭を召し上がる", "夜になり次第、納戸に入る"],
)  # fmt: skip
def test_a_part_a_state_or_another_time_is_no_deed(text: str) -> None:
    """A part, a state or another time is not an action, and the words are kept."""
    assert {"unrecognised"} == {claim["type"] for claim in _list_claims(text)}


def test_what_is_done_in_brackets_is_apart_from_what_is_said() -> None:
    """In （電報を取る）これは？ the action in brackets is done, and the speech after it does not stop it."""
    first, *_ = _list_claims("（電報を取る）これは……？")

    assert {"type": "take", "target": "電報"} == first


@pytest.mark.parametrize(
    ("text", "kind"),
    [("缶切りをよく見る", "inspect"), ("缶切りをじっくり見る", "inspect"), ("缶切りを調べる", "search"),
     ("缶切りを見る", "emote"), ("女将をよく見る", "emote"), ("女将の方を見る", "emote")],
)  # fmt: skip
def test_a_closer_look_in_a_reply_is_an_inspection(text: str, kind: str) -> None:
    """In a reply a glance is a gesture; examining a thing that is not there is an inspection."""
    assert [kind] == [claim["type"] for claim in _list_claims(text, narrated=True)]


@pytest.mark.parametrize(
    ("word", "name"),
    [("おしいれ", "押し入れ"), ("押入れ", "押し入れ"), ("押しいれ", "押し入れ"), ("石けん", "石鹸"),
     ("でんぽう", "電報"), ("おかみ", "女将"), ("本だな", "本棚"), ("饅頭", "まんじゅう")],
)  # fmt: skip
def test_a_name_is_known_in_every_spelling(word: str, name: str) -> None:
    """Any character of a name may be in kana, and okurigana may be omitted."""
    assert is_same_reading(word, name)


@pytest.mark.parametrize(("word", "name"), [("橋", "箸"), ("い", "胃"), ("おし", "押し入れ")])
def test_another_word_is_not_the_name(word: str, name: str) -> None:
    """Two different words in kanji stay different, and a part is not the whole."""
    assert not is_same_reading(word, name)


def test_a_name_with_an_unknown_character_has_no_reading() -> None:
    """A name with an unknown character has no reading."""
    assert () == list_readings("鱻の箱")


def test_an_idiom_is_done_only_if_it_can_be_meant_literally(tmp_path: Path) -> None:
    """水を差す is an idiom even if there is water; 筆を置く puts down a brush."""
    text = (FOLDER / "world_inn_ja.yaml").read_text("utf-8")
    path = tmp_path / "inn.yaml"
    path.write_text(text.replace("柿", "水").replace("財布", "筆"), "utf-8")
    inn = load_scenario(path).world

    assert ["unrecognised"] == [claim["type"] for claim in parse("水を差す", PLAYER, inn)]
    assert [{"type": "drop", "target": "筆"}] == [*parse("筆を置く", PLAYER, inn)]
