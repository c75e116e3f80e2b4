"""Words for the host instead of the world: `help`, `undo`, `save NAME` and the like.

A line is one of them only as a whole: with anything more to do in it, it belongs to the
world. Nothing here carries a command out.
"""

import re
import unicodedata
from typing import Final, Literal, NamedTuple, get_args

HostCommandName = Literal[
    "help", "undo", "why", "hint", "actions", "save", "load", "history", "inventory"
]
"""The commands that every host of a run understands."""
HOST_COMMANDS: Final = frozenset[str](get_args(HostCommandName))
"""Their names."""
LONGEST_COMMAND: Final = 200
"""The most characters of a line that can be a command."""


class HostCommand(NamedTuple):
    """A command for the host."""

    name: HostCommandName
    """Which."""
    argument: str = ""
    """The name of a save; empty if none was given."""


_SHOW = "(?:show|list|display|print|view|see|check|open|look at|tell|give)(?: me)?"
_LAST = "(?:the|my)? ?last (?:turn|move|action|step|thing|command)"
_GAME = "(?:(?:the|my|this) )?(?:game|progress|run|place|position|story)"
_ENGLISH: Final[dict[HostCommandName, str]] = {
    "help": rf"(?:i need )?(?:some )?help(?: me)?|(?:{_SHOW} )?(?:the |all |all the )?"
    r"(?:commands|instructions)|show (?:me )?(?:the )?help|what can i type|"
    r"how do i play(?: this(?: game)?)?",
    "undo": rf"undo(?: that| it| this| {_LAST})?|take back {_LAST}",
    "why": r"why(?: not)?|why did(?:n't| not)? (?:that|it)(?: not)? (?:work|fail|happen)|"
    r"why (?:was|is) (?:that|it) (?:refused|not allowed|impossible)|"
    r"why (?:can't|cannot|couldn't) i(?: do (?:that|it))?",
    "hint": r"(?:(?:give|show|tell)(?: me)? |i need |i want |(?:can|may|could) i (?:have|get) )?"
    r"(?:a |an |the |another |one |some )?(?:small |little |more )?hints?",
    "actions": rf"(?:{_SHOW} )?(?:my |the |all |all the )?(?:possible |available |allowed )?actions",
    "save": rf"save(?: {_GAME})?(?: (?:here|now|as|under the name|under|called|named))*"
    r"(?: (?P<name>\S.*))?",
    "load": rf"(?:load|restore)(?: {_GAME}| (?:the |my |a )?save)?(?: (?:from|called|named))*|"
    rf"load(?: {_GAME}| (?:the |my |a )?save)?(?: (?:from|called|named))*(?: (?P<name>\S.*))",
    "history": rf"history|log|backlog|{_SHOW} (?:the |my )?(?:history|log|backlog)",
    "inventory": rf"i|(?:{_SHOW} )?(?:my |the )?(?:inventory|inv)|"
    rf"{_SHOW} (?:my (?:belongings|possessions|things|stuff|items)|"
    r"what i (?:have|carry|hold|am (?:carrying|holding)))",
}
_EN_LEADS = re.compile(
    r"(?:(?:please|can you|could you|would you|will you|let me|let's|i want to|i'd like to"
    r"|i would like to|ok|okay),? +)+"
)
_EN_TAILS = re.compile(r"(?: (?:please|now|for me|again))+\Z")

_JA_ENDS = "(?:ください|下さい|くれる|くれ|くださいますか|もらえる|もらえますか|です|ね|よ|か|の)*"
_JA_SHOW = (
    "[をがは]?(?:見せて|みせて|出して|表示(?:して|する)?|教えて|おしえて|ちょうだい|頂戴"
    "|お願い(?:します)?|おねがい(?:します)?|確認(?:する|して|したい)?|見る|みる|見たい|見よう|開く"
    f"|開いて|ほしい|欲しい|何)?{_JA_ENDS}"
)
_JA_DO = (
    "を?(?:する|して|しよう|したい|します|しておいて|しといて|お願い(?:します)?|おねがい(?:します)?)?"
    + _JA_ENDS
)
_JA_BACK = f"(?:す|して|せ|したい|そう|し){_JA_ENDS}"
_JAPANESE: Final[dict[HostCommandName, str]] = {
    "help": f"(?:ヘルプ|へるぷ|使い方|遊び方|操作(?:方法|説明)|コマンドの?一覧){_JA_SHOW}|助けて{_JA_ENDS}",
    "undo": "(?:(?:今|いま|さっき|直前)の(?:行動|操作|手)?|最後の(?:行動|操作|手)|一手|ひとつ|一つ)?"
    f"[をには]?(?:(?:(?:元|もと|前)に)?(?:戻|もど){_JA_BACK}|(?:取り?消|とりけ){_JA_BACK}"
    f"|(?:やり直|やりなお){_JA_BACK}|(?:取り?消し|アンドゥ){_JA_DO})",
    "why": "(?:なぜ|何故|なんで|どうして)(?:(?:だめ|ダメ|駄目|できない|出来ない|できなかった)"
    f"(?:なん|だった|ん)?)?(?:です|な)?{_JA_ENDS}",
    "hint": f"(?:ヒント|ひんと){_JA_SHOW}",
    "actions": f"(?:できること|出来ること|行動|アクション|可能な行動)(?:の?(?:一覧|リスト))?{_JA_SHOW}",
    "save": "(?:(?P<name>.{1,60}?)(?:という名前で|という名で|の名前で|として|と|で))?"
    f"(?:(?:ゲーム|進行状況|ここまで)を?)?(?:保存|セーブ){_JA_DO}",
    "load": "(?:(?P<name>.{1,60}?)(?:を|から))?"
    f"(?:(?:ロード|読み込み|読込み?){_JA_DO}|読み?込(?:む|んで|みたい|もう){_JA_ENDS})",
    "history": f"(?:履歴|ログ|バックログ|これまでの(?:履歴|流れ|話|こと|あらすじ)){_JA_SHOW}",
    "inventory": "(?:持ち物|もちもの|持物|所持品|インベントリー?|手持ち)(?:の?(?:一覧|リスト))?"
    + _JA_SHOW,
}
_JA_NAMED = re.compile(r"(?P<word>保存|セーブ|読み込み|読込み?|ロード)\s+(?P<name>\S.*)", re.S)

_PATTERNS: Final = tuple(
    (name, re.compile(pattern, re.S))
    for table in (_ENGLISH, _JAPANESE)
    for name, pattern in table.items()
)
_MARKS: Final = " \t\r\n　.!?…。！？~～"
_QUOTES: Final = " 　\"'“”‘’「」『』"
_EMPTY_NAMES: Final = frozenset({"ゲーム", "ここ", "ここまで", "進行状況", "今", "今の状態"})


def find_host_command(text: str, *, slash: bool = False) -> HostCommand | None:
    """The command that a line is; None if it belongs to the world.

    A leading slash is allowed; with `slash`, it is needed.
    """
    if len(text) > LONGEST_COMMAND or (slash and not text.lstrip().startswith("/")):
        return None
    line = text.strip().removeprefix("/").strip()
    if line in ("?", "？"):
        return HostCommand("help")
    line = line.rstrip(_MARKS)
    folded = unicodedata.normalize("NFKC", line).casefold()
    # Names of saves are taken from the line as it was typed, if the places are the same.
    plain = " ".join(line.split()) if len(line) == len(folded) else folded
    return _match_command(plain, " ".join(folded.split()).replace("’", "'"))


def _match_command(plain: str, folded: str) -> HostCommand | None:
    named = _JA_NAMED.fullmatch(folded)
    if named:
        kind: HostCommandName = "save" if named["word"] in ("保存", "セーブ") else "load"
        return HostCommand(kind, _cut_name(plain, named))
    lead = _EN_LEADS.match(folded)
    begin = lead.end() if lead else 0
    tail = _EN_TAILS.search(folded, begin)
    end = tail.start() if tail else len(folded)
    for name, pattern in _PATTERNS:
        found = pattern.fullmatch(folded, begin, end)
        if found:
            return HostCommand(name, _cut_name(plain, found))
    return None


def _cut_name(plain: str, found: re.Match[str]) -> str:
    if "name" not in found.re.groupindex or found["name"] is None:
        return ""
    name = plain[found.start("name") : found.end("name")].strip(_QUOTES)
    return "" if name in _EMPTY_NAMES else name
