"""The phrases and command words of the terminal players, in English and Japanese.

No story content is here.
"""

from collections.abc import Mapping
from typing import Final

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "undo": (
        "undo",
        "元に戻す",
        "元にもどす",
        "もとにもどす",
        "戻す",
        "もどす",
        "取り消し",
        "取り消す",
    ),
    "hint": ("hint", "hints", "ヒント", "ひんと"),
    "inventory": ("inventory", "inv", "i", "持ち物", "もちもの"),
    "history": ("history", "履歴"),
    "preview": ("preview", "試しに"),
    "why": ("why", "why?", "なぜ", "なぜ？", "なんで", "なんで？", "どうして"),
    "actions": ("actions", "できること"),
    "save": ("save", "保存"),
    "load": ("load", "読み込み", "ロード"),
    "rules": ("rules", "規則"),
    "who": ("who", "who?", "seats", "席", "席順"),
    "help": ("help", "?", "ヘルプ", "助けて"),
    "quit": ("quit", "exit", "q", "bye", "終了", "終わる", "終わり", "おわり", "やめる"),
}
"""The commands of a scenario and their spellings; a leading slash is allowed."""

STORY_COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "back": ("back", "b", "戻る", "もどる", "戻す", "もどす"),
    "log": ("log", "backlog", "ログ", "履歴"),
    "skip": ("skip", "スキップ", "既読スキップ", "飛ばす"),
    "auto": ("auto", "オート", "自動"),
    "save": (*COMMANDS["save"], "セーブ"),
    "load": (*COMMANDS["load"], "読込"),
    "saves": ("saves", "保存一覧", "一覧"),
    "restart": ("restart", "最初から", "始めから", "はじめから"),
    "help": COMMANDS["help"],
    "quit": COMMANDS["quit"],
}
"""The commands of a story and their spellings; a leading slash is allowed."""

_COMMANDS_WITH_ARGUMENT: Final = frozenset({"preview", "save", "load", "rules"})

_EN: Final[dict[str, str]] = {
    "prompt": "> ",
    "speaks": "{name}: ",
    "help": (
        "Say what you do, in your own words: take the key, open the gate with it.\n"
        "Beside the story: undo, hint, inventory, history, preview WORDS, why, actions,\n"
        "save NAME, load NAME, rules FILE, who, take over WHO, hand back WHO,\n"
        "help, quit."
    ),
    "welcome": "Type what you do, or: help, hint, undo, quit.",
    "unkept": "This run was in memory only, and is not kept.",
    "kept": "This run is kept: {run}\nGo on with:\n  {command}",
    "saved": "Saved as {name!r}.",
    "saves": "Saved here: {names}",
    "no_saves": "Nothing is saved in this run yet. Type: save NAME",
    "hint": "You could try: {words}",
    "no_hint": "I see no way on from here. Look around, or type: actions, or undo.",
    "no_turns": "Nothing has happened yet.",
    "why_ok": "The last action was allowed by the rule {check!r}.",
    "why_no": "Refused by the check {check!r} ({code}): {message}",
    "why_none": "Nothing has been weighed yet.",
    "no_preview": "Preview what? Type: preview take the key",
    "no_rules": "Which file? Type: rules FILE",
    "edited": "The rules are changed from the next turn on.",
    "walkthrough": "(No terminal here: the shipped walkthrough plays by itself.)",
    "goal": "The story has come to its end. Go on if you like, or type: quit",
    "seat_person": "  {name}: a person",
    "seat_agent": "  {name}: the agent {agent!r}",
    "awaited": "  Now: {name}",
    "taken": "You play {name} now. Give the seat back with: hand back {id}",
    "taken_too": "You play {name} too. Give the seat back with: hand back {id}",
    "taken_already": "You play {name} already.",
    "handed": "The agent {agent!r} plays {name} again.",
    "left": "Nobody plays {name} now, as before.",
    "handed_already": "The agent {agent!r} plays {name} already. To play: take over {id}",
    "handed_to_nobody": ("No agent has played {name} here, so there is nobody to hand back to."),
    "seat_of_nobody": "There is no {who!r} to play. There is: {names}",
    "seat_of_whom": "Whose seat? There is: {names}",
    "past_nothing": "nothing",
    "past_rules": "(rules changed: {book})",
    "past_undo": "(taken back, to {point})",
    "past_load": "(loaded, back to {point})",
    "past_turn": "turn {turn}",
    "past_beginning": "the beginning",
    "past_seats": "(seats: {seats})",
    "past_seat": "{name} {player}",
    "past_person": "a person",
    "past_and": ", ",
    "other_language": (
        "(This scenario is written in another language. In this one:)\n  saniwa play {twin}"
    ),
    "thinking": "({name} is thinking …)",
    "hesitates": "({name} hesitates.)",
    "lets_wait": "({name} is let wait: nothing came of what was tried.)",
    "rests": "({name} sits this round out.)",
    "rests_for_good": "({name} goes no further. Play on yourself: take over {id})",
    "watching": "Agents play here: Enter is the next turn. Or: take over WHO, quit.",
    "watch": "▾ ",
    "nobody": "Nobody here goes on. Type: take over WHO, or quit.",
    "spent": "Questions to models: {calls}, tokens: {tokens}{cost}.",
    "spent_cost": ", US dollars: {dollars}",
    "not_now": " (not now)",
    "ending": "— The end: {name} —",
    "the_end": "— The end —",
    "go_on": "▾ ",
    "story_help": (
        "Enter goes on; a number, or a word of it, makes a choice.\n"
        "Beside the story: back, log, skip (what you have seen), auto, save NAME, "
        "load NAME, saves, restart, help, quit.\n"
        "Where the story asks for your own words, put a slash before these: /back."
    ),
    "story_welcome": "Enter goes on; help lists what else can be typed.",
    "story_kept": "Your place is kept. Go on with:\n  {command}",
    "place_unkept": ("Your place could not be kept ({why}). What was kept before is still there."),
    "seen_unkept": "What you have read could not be kept ({why}).",
    "place_elsewhere": (
        "This story was played on elsewhere: the place kept there stays. Go on with:\n  {command}"
    ),
    "story_ended": "The story has ended. Type: back, log, restart or quit.",
    "story_taken_up": "Going on where you stopped.",
    "world_taken_back": (
        "Its world was played on elsewhere since; it is as it was when you stopped."
    ),
    "take_up": "You have been here before. Enter goes on there; new begins anew.",
    "story_restarted": "From the beginning.",
    "story_asks": "(Your own words now; commands take a slash: /back, /help.)",
    "story_loaded": "Back at {name!r}.",
    "story_no_saves": "Nothing is saved of this story yet. Type: save NAME",
    "no_name": "Under which name? Type: save NAME",
    "first_step": "This is as far back as it goes.",
    "auto_on": "The story goes on by itself; Enter stops it.",
    "auto_off": "You turn the pages again.",
    "which_choice": "Type a number from 1 to {last}, or a word of one of them.",
    "only_choice": "Type 1, or a word of it.",
    "could_be": "{words!r} could be {options}.",
    "say_nothing": "(Type an answer, or Enter again to say nothing.)",
    "choice_closed": "{text!r} cannot be chosen now.",
    "only_enter": "Nothing is asked here: Enter goes on, help lists the rest.",
    "by_itself": "(No terminal and no lines: the first choice is always taken.)",
    "lines_out": "(The lines end here.)",
    "picked_enough": "({count} choices made and no end in sight: stopping here.)",
    "steps_enough": "({count:,} steps and nothing was asked: stopping here.)",
    "unfound": "Pictures or sounds that are not there: {count}.",
    "warned": "Warnings: {count}.",
    "between": " ",
    "check_it": "{what} See:\n  saniwa check {file}",
    "untranslated": (
        "Texts to be translated: {count}. See:\n"
        "  saniwa story strings {file} --language {language} --check"
    ),
    "found_same": "(Read again; same place.)",
    "found_neighbour": ("(Read again; that line has changed, going on at line {line}: {words})"),
    "found_label": ("(Read again; the passage has changed; back at the beginning of {label!r}.)"),
    "found_beginning": "(Read again; the passage is gone; from the beginning.)",
    "lost_calls": (
        "(Passages that were to be returned to and are gone: {count}. "
        "The story goes on without them.)"
    ),
    "no_skip": "Skipping stops where something is asked of you.",
    "reread_wrong": "(The file was saved with errors; the story before goes on.)",
    "step_wrong": "(The story cannot go on from here; Enter tries again.)",
}

_JA: Final[dict[str, str]] = {
    "prompt": "> ",
    "speaks": "{name}：",
    "help": (
        "したいことを自分の言葉で書いてください。例：鍵を取って、門を開ける。\n"
        "物語のほかに：元に戻す、ヒント、持ち物、履歴、試しに〈言葉〉、なぜ、できること、\n"
        "保存 〈名前〉、読み込み 〈名前〉、規則 〈ファイル〉、席、\n"
        "引き継ぐ 〈人〉、任せる 〈人〉、ヘルプ、終了。"
    ),
    "welcome": "したいことを書いてください。ほかに：ヘルプ、ヒント、元に戻す、終了。",
    "unkept": "この回は記憶の中だけのもので、残りません。",
    "kept": "この回は残っています：{run}\n続きは：\n  {command}",
    "saved": "「{name}」として保存しました。",
    "saves": "保存：{names}",
    "no_saves": "まだ保存はありません。保存 〈名前〉 と書いてください。",
    "hint": "こうしてみては：{words}",
    "no_hint": "ここから先の道が見えません。辺りを見るか、できること か 元に戻す と書いてください。",
    "no_turns": "まだ何も起きていません。",
    "why_ok": "直前の行動は規則 {check!r} が許しました。",
    "why_no": "検査 {check!r} が止めました（{code}）：{message}",
    "why_none": "まだ何も量られていません。",
    "no_preview": "何を試しますか。例：試しに 鍵を取る",
    "no_rules": "どのファイルですか。例：規則 book.yaml",
    "edited": "次の番から規則が変わります。",
    "walkthrough": "（端末がないので、付属の手本どおりに進みます。）",
    "goal": "物語は結末に着きました。続けても、終了 と書いてもかまいません。",
    "seat_person": "  {name}：人",
    "seat_agent": "  {name}：エージェント「{agent}」",
    "awaited": "  今の番：{name}",
    "taken": "ここからは{name}を動かせます。返すには：任せる {id}",
    "taken_too": "ここからは{name}も動かせます。返すには：任せる {id}",
    "taken_already": "{name}はもうあなたが動かしています。",
    "handed": "{name}をエージェント「{agent}」に任せました。",
    "left": "{name}を動かす人は、前のようにいません。",
    "handed_already": (
        "{name}はもうエージェント「{agent}」が動かしています。自分で動かすには：引き継ぐ {id}"
    ),
    "handed_to_nobody": "{name}を動かしたエージェントはいないので、任せる相手がいません。",
    "seat_of_nobody": "「{who}」という人はいません。いるのは：{names}",
    "seat_of_whom": "誰の席ですか。いるのは：{names}",
    "past_nothing": "何もなし",
    "past_rules": "（規則の変更：{book}）",
    "past_undo": "（取り消し、{point}へ）",
    "past_load": "（読み込み、{point}へ）",
    "past_turn": "{turn} 番",
    "past_beginning": "最初",
    "past_seats": "（席：{seats}）",
    "past_seat": "{name}は{player}",
    "past_person": "人",
    "past_and": "、",
    "other_language": (
        "（このシナリオは別の言語で書かれています。この言語のものは：）\n  saniwa play {twin}"
    ),
    "thinking": "（{name}が考えています…）",
    "hesitates": "（{name}はためらっている。）",
    "lets_wait": "（{name}は待つことになった。何度試してもうまくいかなかった。）",
    "rests": "（{name}はこの回は休みです。）",
    "rests_for_good": "（{name}はもう動きません。自分で動かすには：引き継ぐ {id}）",
    "watching": "エージェントだけの席です。Enter で次の番へ。ほかに：引き継ぐ 〈人〉、終了。",
    "watch": "▾ ",
    "nobody": "動く人がいません。引き継ぐ 〈人〉 か 終了 と入れてください。",
    "spent": "モデルへの問い：{calls} 回、トークン：{tokens}{cost}。",
    "spent_cost": "、米ドル：{dollars}",
    "not_now": "（今は選べません）",
    "ending": "— 結末：{name} —",
    "the_end": "— おわり —",
    "go_on": "▾ ",
    "story_help": (
        "Enter で先へ進みます。番号か、選択肢の中の言葉で選びます。\n"
        "物語のほかに：戻る、ログ、スキップ（読んだところ）、オート、保存 〈名前〉、"
        "読込 〈名前〉、保存一覧、最初から、ヘルプ、終了。\n"
        "自分の言葉で答えるところでは、前に / を付けてください：/戻る。"
    ),
    "story_welcome": "Enter で先へ。ほかにできることは：ヘルプ",
    "story_kept": "ここまでが残っています。続きは：\n  {command}",
    "place_unkept": "ここまでを残せませんでした（{why}）。前に残した分はそのままです。",
    "seen_unkept": "読んだところを残せませんでした（{why}）。",
    "place_elsewhere": (
        "この物語はほかで先へ進んでいます。そちらで残したところはそのままです。続きは：\n"
        "  {command}"
    ),
    "story_ended": "物語は終わりました。戻る、ログ、最初から、終了 のどれかをどうぞ。",
    "story_taken_up": "前回の続きから始めます。",
    "world_taken_back": ("世界はその後ほかの所で進んでいましたが、前回やめた時点に戻しました。"),
    "take_up": "前回の続きがあります。Enter で続きから、新しく で最初から。",
    "story_restarted": "最初から始めます。",
    "story_asks": "（自分の言葉でどうぞ。ほかのことは / を付けて：/戻る、/ヘルプ）",
    "story_loaded": "「{name}」に戻りました。",
    "story_no_saves": "この物語の保存はまだありません。保存 〈名前〉 と書いてください。",
    "no_name": "名前が要ります。保存 〈名前〉 と書いてください。",
    "first_step": "これより前はありません。",
    "auto_on": "自動で進みます。Enter で止まります。",
    "auto_off": "自動を止めました。",
    "which_choice": "1 から {last} までの番号か、選択肢の中の言葉で選んでください。",
    "only_choice": "1 か、その中の言葉を入れてください。",
    "could_be": "「{words}」に当たるのは：{options}",
    "say_nothing": "（答えをどうぞ。何も言わないなら、もう一度 Enter。）",
    "choice_closed": "「{text}」は今は選べません。",
    "only_enter": "ここでは何も尋ねられていません。Enter で先へ、ヘルプ で一覧。",
    "by_itself": "（端末も入力もないので、いつも最初の選択肢を選びます。）",
    "lines_out": "（入力はここまでです。）",
    "picked_enough": "（{count} 回選んでも結末が見えないので、ここで止めます。）",
    "steps_enough": "（{count:,} 歩進んでも何も尋ねられないので、ここで止めます。）",
    "unfound": "見つからない絵や音：{count} 件。",
    "warned": "警告：{count} 件。",
    "between": "",
    "check_it": "{what}詳しくは：\n  saniwa check {file}",
    "untranslated": (
        "まだ訳されていない言葉：{count} 件。詳しくは：\n"
        "  saniwa story strings {file} --language {language} --check"
    ),
    "found_same": "（読み直しました。同じところです。）",
    "found_neighbour": (
        "（読み直しました。その行が変わったので、{line} 行目から続けます：{words}）"
    ),
    "found_label": ("（読み直しました。くだりが変わったので、「{label}」の初めに戻ります。）"),
    "found_beginning": "（読み直しました。くだりがなくなったので、最初から始めます。）",
    "lost_calls": "（戻るはずのくだりがなくなりました：{count} 件。戻らずに続けます。）",
    "no_skip": "何かを尋ねられているところは飛ばせません。",
    "reread_wrong": "（保存された物語に誤りがあるので、前の物語のまま続けます。）",
    "step_wrong": "（ここから先へ進めません。Enter でもう一度試します。）",
}

LANGUAGES: Final[dict[str, dict[str, str]]] = {"en": _EN, "ja": _JA}
"""The phrases by language; every language has the same keys."""


def parse_command(
    text: str, commands: Mapping[str, tuple[str, ...]] = COMMANDS
) -> tuple[str, str] | None:
    """Parse a line as a command and its argument; None if it belongs to the story."""
    first, _, rest = text.strip().removeprefix("/").partition(" ")
    first, full, more = first.partition("　")
    rest = more if full else rest
    for name, spellings in commands.items():
        if first.casefold() in spellings:
            is_command = name in _COMMANDS_WITH_ARGUMENT or not rest.strip()
            return (name, rest.strip()) if is_command else None
    return None
