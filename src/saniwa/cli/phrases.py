"""What the terminal itself says, in English and Japanese; the story is not here."""

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
    "help": ("help", "?", "ヘルプ", "助けて"),
    "quit": (
        "quit",
        "exit",
        "q",
        "bye",
        "終了",
        "終わる",
        "終わり",
        "おわり",
        "やめる",
    ),
}
"""What a player may type beside the story; a leading slash is allowed."""

_EN: Final[dict[str, str]] = {
    "prompt": "> ",
    "help": (
        "Say what you do, in your own words: take the key, open the gate with it.\n"
        "Beside the story: undo, hint, inventory, history, preview WORDS, why, actions,\n"
        "save NAME, load NAME, rules FILE, help, quit."
    ),
    "welcome": "Type what you do, or: help, hint, undo, quit.",
    "kept": "This run is kept: {run}\nGo on with: saniwa play --resume last",
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
}

_JA: Final[dict[str, str]] = {
    "prompt": "> ",
    "help": (
        "したいことを自分の言葉で書いてください。例：鍵を取って、門を開ける。\n"
        "物語のほかに：元に戻す、ヒント、持ち物、履歴、試しに〈言葉〉、なぜ、できること、\n"
        "保存 〈名前〉、読み込み 〈名前〉、規則 〈ファイル〉、ヘルプ、終了。"
    ),
    "welcome": "したいことを書いてください。ほかに：ヘルプ、ヒント、元に戻す、終了。",
    "kept": "この回は残っています：{run}\n続きは：saniwa play --resume last",
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
}

LANGUAGES: Final[dict[str, dict[str, str]]] = {"en": _EN, "ja": _JA}
"""Every language the terminal speaks; each says the same things."""


def command_in(text: str) -> tuple[str, str] | None:
    """The command a line is, and the rest of the line; None for a line of story."""
    first, _, rest = text.strip().removeprefix("/").partition(" ")
    first, full, more = first.partition("　")
    rest = more if full else rest
    for name, spellings in COMMANDS.items():
        if first.casefold() in spellings:
            takes_more = name in ("preview", "save", "load", "rules")
            return (name, rest.strip()) if takes_more or not rest.strip() else None
    return None
