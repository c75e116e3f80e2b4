"""Commands for the host are distinguished from words for the world."""

import pytest

from saniwa.language.host_commands import (
    HOST_COMMANDS,
    LONGEST_COMMAND,
    find_host_command,
    is_repetition,
)
from saniwa.language.parse import parse
from saniwa.world.model import Id
from tests.hearing.score import load_house

_COMMANDS = {
    "help": "help|HELP ME|?|？|/help|show me the commands|what can I type?|ヘルプ|ヘルプを見せて|助けて"
    "|使い方を教えて|コマンド一覧|ｈｅｌｐ",
    "undo": "undo|/UNDO|undo that|please undo it.|could you undo my last move?|take back my last turn"
    "|元に戻す|元に戻して|元に戻してください|もとにもどす|戻す|取り消し|取り消す|今のを取り消して|やり直して",
    "why": "why|why?|why not?|why can't I do that?|why didn’t that work?|なぜ|なぜ？|どうして|なんでダメなの？",
    "hint": "hint|hints|hint please|give me a hint|can I have a hint?|ヒント|ひんと|ヒントをください",
    "actions": "actions|list actions|show me all possible actions|できること|できることを教えて|行動一覧",
    "save": "save|save the game|please save|let me save|保存|保存する|セーブして|ゲームを保存して",
    "load": "load|load the game|restore|ロード|ロードして|読み込み|読込",
    "history": "history|log|show me the history|履歴|ログ|履歴を見せて|これまでの流れ",
    "inventory": "inventory|inv|i|I|show my inventory|check inventory|持ち物|もちもの|持ち物を見せて"
    "|持ち物は？|所持品リスト",
    "quit": "quit|/quit|quit now|quit please|quit the game|exit game|exit the game|leave the game"
    "|stop playing|I want to quit|I'd like to stop playing now|save and quit|I'm done for today"
    "|終了|/終了|終了します|終わる|終わります|終わりにします|おわり|やめる|やめます|もうやめたい"
    "|ゲームをやめてください|ゲームを終了して|今日はここまで",
}


def test_every_command_has_lines_here() -> None:
    """Every host command has test lines."""
    assert HOST_COMMANDS == _COMMANDS.keys()


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, line) for name, lines in _COMMANDS.items() for line in lines.split("|")],
)
def test_a_command_is_known_by_its_word_and_in_a_sentence(name: str, line: str) -> None:
    """English and Japanese, plain and polite, with or without a slash or a mark."""
    assert (name, "") == find_host_command(line)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("save before the gate", ("save", "before the gate")),
        ("save  At The Lamp ", ("save", "At The Lamp")),
        ("save the game as evening", ("save", "evening")),
        ('save my progress under the name "Evening"', ("save", "Evening")),
        ("保存　門の前", ("save", "門の前")),
        ("夕方として保存して", ("save", "夕方")),
        ("「夕方」という名前でセーブしてください", ("save", "夕方")),
        ("load evening", ("load", "evening")),
        ("load the game evening", ("load", "evening")),
        ("夕方をロードして", ("load", "夕方")),
        ("読込　橋の前", ("load", "橋の前")),
    ],
)
def test_a_save_has_the_name_that_was_typed(line: str, meant: tuple[str, str]) -> None:
    """The name of a save keeps its spelling, without the quotation marks around it."""
    assert meant == find_host_command(line)


@pytest.mark.parametrize(
    "line",
    [
        *("help the keeper", "helpful", "undo the knot", "i take the key", "take the key", ""),
        *("why is the door locked?", "show the map", "the log", "hint at the truth"),
        *("quit the job", "quit eating", "I quit my job", "tell the keeper to quit", "exit"),
        *("leave the garden", "stop the clock", "stop", "やめて", "仕事をやめる", "話を終わる"),
        *('"I quit," I say', "leave the board game", "leave", "やめよう", "やめておく"),
        *("鍵を戻す", "本を元に戻す", "なぜ 泣く", "持ち物を置く", "戻って", "鍵を保存する"),
        "undo" + " " * LONGEST_COMMAND + "that",
    ],
)
def test_words_for_the_world_are_no_command(line: str) -> None:
    """A line with more words than the command belongs to the world."""
    assert find_host_command(line) is None


@pytest.mark.parametrize(
    "line",
    ["quit?", "can I quit?", "how do I quit the game?", "how can I stop playing", "終わる？"],
)
def test_asking_how_to_quit_does_not_quit(line: str) -> None:
    """A question about quitting is answered with the help, which names the command."""
    assert ("help", "") == find_host_command(line)


@pytest.mark.parametrize(
    ("line", "name"),
    [("undo", "undo"), ("save evening", "save"), ("元に戻す", "undo"), ("保存 夕方", "save"), ("なぜ", "why")],
)  # fmt: skip
def test_a_world_without_a_game_distinguishes_them_too(line: str, name: str) -> None:
    """Without a game too, a host command is neither an action nor an unknown word."""
    claims = parse(line, Id("player"), load_house("ja" if line > "z" else "en"))

    assert ({"type": "host", "command": name, "words": line},) == claims


_REPETITIONS = (
    "g|G.|/g|again|Again!|again please|please do that again|do it once more|once more|one more time"
    "|try again|repeat|repeat that|repeat my last action|do the same thing|same again"
    "|もう一度|もう一度。|もう一回|もういちど|もう１回|もう一度お願いします|もう一回やって|もう一度やってみる"
    "|今のをもう一度|同じことをもう一度する|同じことをする|繰り返す|さっきの行動を繰り返して"
)


@pytest.mark.parametrize("line", _REPETITIONS.split("|"))
def test_a_wish_to_repeat_the_last_line_is_known(line: str) -> None:
    """It is no command for the host, and without a run there is nothing to repeat."""
    house = load_house("ja" if line.strip("/") > "z" else "en")

    assert is_repetition(line)
    assert find_host_command(line) is None
    assert ["nothing to repeat"] == [c["problem"] for c in parse(line, Id("player"), house)]


@pytest.mark.parametrize(
    "line",
    [
        *("again?", "take the key again", "look again", "go", "try the key again", "do that"),
        *("not again", "repeat after me", "once", "redo", "", "g" * LONGEST_COMMAND + "g"),
        *("もう一度？", "もう一度手紙を読む", "もう一つ", "もう一度だけでも", "一度", "やり直す"),
    ],
)
def test_other_lines_repeat_nothing(line: str) -> None:
    """A line that names what to do is an ordinary one; a question repeats nothing."""
    assert not is_repetition(line)
