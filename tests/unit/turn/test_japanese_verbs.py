from typing import Any

import pytest

from saniwa.language.lexicon import ja
from saniwa.language.parse import parse
from tests.fakes.japanese_house import HANA, make_house

HOUSE = make_house()


def _parse_japanese(text: str) -> list[dict[str, Any]]:
    return [*parse(text, HANA, HOUSE)]


@pytest.mark.parametrize(
    "text",
    ["庭師に鍵を見せる",
     "門をノックする", "門をノック", "壺を壊す", "手袋をはめる", "帽子を脱ぐ", "靴をはく",
     "歌を歌いたい", "踊ろう", "寝る", "飛び出す", "思い出す",
     "遊びに行く", "助けに行きます"],
)  # fmt: skip
def test_an_impossible_verb_is_kept_whole(text: str) -> None:
    """A word is not split to find a verb in its end."""
    assert [{"type": "unrecognised", "words": text.rstrip("？")}] == _parse_japanese(text)


def test_an_impossible_verb_leaves_the_next_clause_alone() -> None:
    """ソファで踊って is not understood, but テレビを見る after it is."""
    assert [
        {"type": "unrecognised", "words": "ソファで踊って"},
        {"type": "inspect", "target": "テレビ"},
    ] == _parse_japanese("ソファで踊ってテレビを見る")


@pytest.mark.parametrize(
    "ending",
    ["けてくれる？", "けてくれますか？", "けてみてくれる？", "けちゃおう", "けちゃう", "けちゃえ", "けたいな",
     "けたいんだけど", "けてください", "けて下さい。", "けとこう", "けてあげる", "けてみたい", "けてみよう",
     "けてもらえませんか", "けていただけますか", "けるね", "けるよ！", "けようっと", "けてちょうだい",
     "けてよ", "けてって", "けたいと思う"],
)  # fmt: skip
def test_a_request_or_an_intention_is_a_command(ending: str) -> None:
    """Polite requests and intentions to open the gate are commands."""
    assert [{"type": "open", "target": "門"}] == _parse_japanese(f"門を開{ending}")


@pytest.mark.parametrize(
    ("ending", "mood"),
    [
        ("けちゃった", "statement"), ("けてほしい", "statement"), ("けてほしいな", "statement"),
        ("けてほしいです", "statement"), ("けなきゃ", "statement"), ("けないと", "statement"),
        ("けなくちゃ", "statement"), ("けなければならない", "statement"), ("けてみましょうか", "question"),
        ("けませんか", "question"), ("けたほうがいい", "statement"), ("けようかな", "question"),
        ("けるべきだ", "statement"), ("けた", "statement"), ("けたら", "condition"), ("ければ", "condition"),
        ("けてはいけない", "prohibition"), ("けるな", "prohibition"), ("けない", "prohibition"), ("けている", "statement"),
        ("けられる", "statement"), ("けてもらう", "statement"),
    ],
)  # fmt: skip
def test_a_form_that_is_no_command_does_nothing(ending: str, mood: str) -> None:
    """Asking, telling, forbidding and supposing do not open the gate."""
    (claim,) = _parse_japanese(f"門を開{ending}")

    assert ("unrecognised", mood) == (claim["type"], claim["problem"])


@pytest.mark.parametrize(
    "ending", ["けられますか", "けられる？", "けてもいい？", "けてもいいですか", "けてみてもいい？"]
)
def test_asking_whether_it_may_be_done_names_the_deed(ending: str) -> None:
    """In a question whether something may be done, the action is part of the question."""
    (claim,) = _parse_japanese(f"門を開{ending}")

    assert ("question", "can_i") == (claim["type"], claim["kind"])
    assert [{"type": "open", "target": "門"}] == claim["deed"]


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("パンを食べちゃおう", "eat", "パン"),
        ("お茶を飲んじゃおう", "eat", "お茶"),
        ("本を読んじゃう", "inspect", "本"),
        ("本を読んどこう", "inspect", "本"),
        ("門は開いてる？", "inspect", "門"),
        ("門は閉まってる？", "inspect", "門"),
        ("門、開いてますか？", "inspect", "門"),
    ],
)
def test_endings_fit_every_kind_of_verb(text: str, kind: str, target: str) -> None:
    """The endings work for both conjugations; a question about a state is a look."""
    (claim,) = _parse_japanese(text)

    assert (kind, target) == (claim["type"], claim.get("target"))


@pytest.mark.parametrize(
    "text",
    ["なにをもってる？", "何を持ってる？", "何もってる？", "何を持っていますか", "鍵を持ってる？", "持ち物は？"],
)  # fmt: skip
def test_asking_what_one_holds_is_a_question(text: str) -> None:
    """A question about held things is a question, not an action."""
    (claim,) = _parse_japanese(text)

    assert ("question", "what_do_i_have") == (claim["type"], claim["kind"])


@pytest.mark.parametrize("text", ["もちもの", "もちものをみる"])
def test_looking_at_what_one_holds_is_a_look_at_oneself(text: str) -> None:
    """Looking at one's own things is looking at oneself."""
    assert [{"type": "inspect", "targetId": HANA}] == _parse_japanese(text)


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("鍵をとる", "take", "鍵"),
        ("門をあける", "open", "門"),
        ("門をしめる", "close", "門"),
        ("門をしらべる", "inspect", "門"),
        ("もんをしらべる", "inspect", "もん"),
        ("井戸をみる", "inspect", "井戸"),
        ("井戸みて", "inspect", "井戸"),
        ("北へいく", "move", "北"),
        ("小屋にはいる", "move", "小屋"),
        ("外にでる", "move", "外"),
        ("梯子をのぼる", "move", "上"),
        ("梯子をおりる", "move", "下"),
        ("庭師に鍵をわたす", "give", "鍵"),
        ("庭師に鍵をあげる", "give", "鍵"),
        ("鍵をおく", "drop", "鍵"),
        ("箱に本をいれる", "put", "本"),
        ("パンをたべる", "eat", "パン"),
        ("お茶をのむ", "eat", "お茶"),
        ("井戸をつかう", "use", "井戸"),
        ("まつ", "wait", None),
        ("箱に触る", "use", "箱"),
        ("箱にさわる", "use", "箱"),
        ("箱に触れてみる", "use", "箱"),
        ("机をあさる", "search", "机"),
        ("箱から本を出す", "take", "本"),
        ("箱に本を出す", "put", "本"),
        ("コーヒーをいれて", "use", "コーヒー"),
        ("コーヒーをいれる", "use", "コーヒー"),
        ("ランプのスイッチを入れる", "use", "ランプのスイッチ"),
        ("おにぎり食べる", "eat", "おにぎり"),
        ("これとって", "take", "これ"),
        ("鍵、とって", "take", "鍵"),
        ("かぎとって", "take", "かぎ"),
        ("ひきだしあけて", "open", "ひきだし"),
        ("引き出し開ける", "open", "引き出し"),
        ("門について調べる", "inspect", "門"),
        ("手で門を開ける", "open", "門"),
        ("お願いだから門を開けて", "open", "門"),
        ("何か食べたい", "eat", None),
    ],
)  # fmt: skip
def test_kana_and_particles_do_not_matter(text: str, kind: str, target: str | None) -> None:
    """A verb means the same in kana, and に marks the object of touching."""
    (claim,) = _parse_japanese(text)

    assert (kind, target) == (claim["type"], claim.get("target"))


@pytest.mark.parametrize(
    "text", ["ぜんぶとって", "ぜんぶ取る", "全部とる", "全てとって", "すべてとる", "ぜんぶをとる", "全て取って"]
)  # fmt: skip
def test_everything_is_taken_in_any_spelling(text: str) -> None:
    """Every word for "all" works with every spelling of taking."""
    (claim,) = _parse_japanese(text)

    assert ("take", True) == (claim["type"], claim["target"] in ja.ALL)


def test_a_tool_without_a_target_asks_what_to_open() -> None:
    """匙でこじ開ける asks what to open."""
    assert [{"type": "open"}] == _parse_japanese("匙でこじ開ける")


def test_a_speaking_verb_in_kana_reaches_the_person() -> None:
    """はなす without words is talk to the named person."""
    assert [{"type": "speak", "to": "庭師"}] == _parse_japanese("庭師にはなす")


def test_a_verb_in_kana_is_not_cut_by_a_small_word() -> None:
    """はい in はいる is not "yes"."""
    assert [
        {"type": "open", "target": "もん"},
        {"type": "move", "target": "それ"},
    ] == _parse_japanese("もんをあけてはいる")


@pytest.mark.parametrize(
    ("text", "target", "source"),
    [
        ("机に置いてある本を取る", "本", "机"),
        ("庭師が持っている鍵を取る", "鍵", "庭師"),
        ("箱に入っているコインを取る", "コイン", "箱"),
    ],
)
def test_a_verb_that_describes_a_noun_is_no_clause(text: str, target: str, source: str) -> None:
    """置いてある本 is a book that is there, and nothing is put down."""
    assert [{"type": "take", "target": target, "source": source}] == _parse_japanese(text)
