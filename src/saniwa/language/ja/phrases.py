"""Japanese output: the narrator's sentences, questions and refusals."""

from collections.abc import Sequence

from saniwa.language.grammar import Phrasebook
from saniwa.language.ja.conjugation import is_ichidan, to_past_form
from saniwa.language.lexicon import ja
from saniwa.world.model import Exit

LINES: dict[str, str] = {
    "ask.which": "「{words}」とはどれのことですか。",
    "ask.pronoun": "「{words}」とは何のことですか。",
    "ask.empty": "どうしますか。",
    "ask.target": "何を{verb}のですか。",
    "ask.place": "どこへ行くのですか。",
    "ask.destination": "どこに入れる（置く）のですか。",
    "ask.recipient": "誰に渡すのですか。",
    "ask.content": "何と言うのですか。",
    "ask.not yet": "{question}（まだ何も起きていません。）",
    "ask.other": "それをどうするのですか。",
    "reject.unrecognised": "「{words}」の意味がわかりません。",
    "reject.leftover": "「{words}」の「{lost}」の意味がわからないため、何もしませんでした。",
    "reject.question": "「{words}」は質問なので、何もしませんでした。",
    "reject.permission": "「{words}」は許可や可能かどうかを尋ねる文なので、何もしませんでした。",
    "reject.prohibition": "「{words}」は禁止の文なので、何もしませんでした。",
    "reject.condition": "「{words}」は条件や別の時についての文なので、何もしませんでした。",
    "reject.exception": "「{words}」で何を除くのかがわからないため、何もしませんでした。",
    "reject.statement": "「{words}」は今の行動を求める文ではないので、何もしませんでした。",
    "reject.report": "「{words}」は起きたことを述べる文なので、何もしませんでした。",
    "reject.hypothesis": "「{words}」は仮の話なので、何もしませんでした。",
    "reject.wish": "「{words}」は願いを述べる文なので、何もしませんでした。",
    "reject.other_time": "「{words}」は別の時の話なので、何もしませんでした。",
    "reject.gesture": "「{words}」はしぐさなので、ここでは何も変わりません。",
    "reject.no way": "「{words}」のしかたは、ここではわかりません。",
    "reject.too_long": "長すぎて一度には受け取れません。",
    "reject.nothing said": "何も言っていません。",
    "reject.nothing to take": "ここに取れるものはありません。",
    "reject.nothing to take there": "そこに取れるものは見当たりません。",
    "reject.nothing to drop": "何も持っていません。",
    "reject.nothing to put": "何も持っていません。",
    "reject.nothing to give": "何も持っていません。",
    "hint.words": "「鍵を取る」「北へ行く」のように行動を書き、台詞は「」で囲んでください",
    "hint.command": "行動するには「鍵を取る」のように命令の形で書き、台詞は「」で囲んでください",
    "hint.speech": "台詞は「おはよう」と言う、のように「」で囲んでください",
    "hint.hold": "身につけることはできませんが、手に取ることはできます",
    "hint.give": "渡すか、「」で囲んで何か言ってみてください",
    "hint.search": "辺りを見回すか、場所や物を調べてみてください",
    "hint.look": "辺りを見回すか、何かをよく見てみてください",
    "hint.verb": "「{near}」のことですか",
    "hint.name": "「{near}」のことですか",
    "hint.ways": "出口：{ways}",
    "hint.too_long": "短く分けて言ってください",
    "at.held_by_you": "{name}（持っている）",
    "at.held": "{name}（{holder}が持っている）",
    "at.in": "{name}（{holder}の中）",
    "at.on": "{name}（{holder}の上）",
    "at.here": "{name}（ここ）",
    "at.closed": "{name}（閉）",
    "room.exits": "出口：{ways}。",
    "room.no_exits": "出口はない。",
    "room.things": "{things}がある。",
    "room.people": "{people}がいる。",
    "room.peoples": "{people}がいる。",
    "room.on": "{holder}の上：{things}。",
    "room.in": "{holder}の中：{things}。",
    "room.nowhere": "どこにもいない。",
    "holding": "持ち物：{things}。",
    "holding.nothing": "何も持っていない。",
    "they.hold": "{who}は{things}を持っている。",
    "take": "{target}を取った。",
    "take.they": "{who}は{target}を取った。",
    "drop": "{target}を置いた。",
    "drop.they": "{who}は{target}を置いた。",
    "put.in": "{target}を{destination}に入れた。",
    "put.in.they": "{who}は{target}を{destination}に入れた。",
    "put.on": "{target}を{destination}の上に置いた。",
    "put.on.they": "{who}は{target}を{destination}の上に置いた。",
    "give": "{target}を{recipient}に渡した。",
    "give.you.they": "{who}から{target}を受け取った。",
    "give.they": "{who}は{target}を{recipient}に渡した。",
    "open": "{target}を開けた。",
    "open.they": "{who}は{target}を開けた。",
    "open.unlocked": "{target}の鍵を外して開けた。",
    "open.unlocked.they": "{who}は{target}の鍵を外して開けた。",
    "open.inside": "中には{things}がある。",
    "open.empty": "中は空だ。",
    "close": "{target}を閉めた。",
    "close.they": "{who}は{target}を閉めた。",
    "lock": "{target}に鍵をかけた。",
    "lock.they": "{who}は{target}に鍵をかけた。",
    "unlock": "{target}の鍵を開けた。",
    "unlock.they": "{who}は{target}の鍵を開けた。",
    "use": "{target}を使った。",
    "use.they": "{who}は{target}を使った。",
    "use.with": "{tool}を{target}に使った。",
    "use.with.they": "{who}は{tool}を{target}に使った。",
    "use.nothing": "何も変わらない。",
    "craft": "{target}を{deed}。",
    "craft.they": "{who}は{target}を{deed}。",
    "craft.with": "{target}を{tool}で{deed}。",
    "craft.with.they": "{who}は{target}を{tool}で{deed}。",
    "use.state": "今の様子：{state}。",
    "eat": "{target}を口にした。",
    "eat.they": "{who}は{target}を口にした。",
    "search": "{target}を調べた。",
    "search.they": "{who}は{target}を調べた。",
    "search.found": "{things}を見つけた。",
    "search.found.they": "{things}が見つかった。",
    "search.nothing": "新しいものは何も見つからない。",
    "inspect.they": "{who}は{target}を見ている。",
    "inspect.nothing": "{target}に変わったところはない。",
    "inspect.open": "開いている。",
    "inspect.closed": "閉まっている。",
    "inspect.locked": "閉まっていて、鍵がかかっている。",
    "inspect.state": "今の様子：{state}。",
    "look.they": "{who}は辺りを見回した。",
    "wait": "しばらく待った。",
    "wait.they": "{who}は待っている。",
    "move.they.leaves": "{who}は{place}へ去った。",
    "move.they.comes": "{who}が入ってきた。",
    "describe": "{target}：{content}",
    "describe.they": "{target}：{content}",
    "introduce": "{target}が現れた。",
    "introduce.they": "{target}が現れた。",
    "emote": "{deed}。",
    "emote.they": "{who}は{deed}。",
    "emote.words": "（{content}）",
    "reply.greeting": "うなずいた。",
    "reply.greeting.they": "{who}はうなずいた。",
    "reply.no_answer": "首をかしげた。",
    "reply.no_answer.they": "{who}は首をかしげるだけで、何も言わない。",
    "reply.refusal": "首を横に振った。",
    "reply.refusal.they": "{who}は首を横に振った。",
    "talk": "{recipient}に{about}話しかけた。",
    "talk.they": "{who}は{recipient}に{about}話しかけた。",
    "talk.all": "{about}話した。",
    "talk.all.they": "{who}は{about}話した。",
    "talk.about": "{about}について",
    "answer.place": "ここは{place}。",
    "answer.alone": "ほかには誰もいない。",
    "answer.other": "「{words}」という質問には答えられません。",
    "answer.other.bare": "その質問には答えられません。",
    "answer.askable": "今いる場所、ここにいる人や物、物の中や上、持ち物、出口、できること、ヒントを聞けます。",
    "answer.unseen": "「{words}」はここからは見えず、どこにあるかもわかりません。",
    "answer.mine": "{name}は持っている。",
    "answer.held": "{name}は{holder}が持っている。",
    "answer.in": "{name}は{holder}の中にある。",
    "answer.on": "{name}は{holder}の上にある。",
    "answer.here": "{name}はここにある。",
    "answer.present": "{name}はここにいる。",
    "answer.closed": "{name}は閉まっていて、中は見えない。",
    "answer.empty": "{name}には何も見当たらない。",
    "answer.possible": "できること：",
    "answer.impossible": "今できることはない。",
    "answer.more": "……ほかに{count}通り。",
    "answer.how": "次のようにすればできます：",
    "answer.yes": "できます：{plan}。",
    "answer.no": "できません。{why}{hint}",
    "answer.hint": "{plan}とよさそうだ。",
    "answer.no_hint": "ここからは先への道が見えない。辺りを見回して、いろいろ試してみよう。",
    "answer.help": "「鍵を取る」「北へ行く」のように行動を書き、台詞は「」で囲んでください。",
    "answer.host": "「{words}」は世界ではなくゲーム本体への言葉です。それだけを書いてください。",
    "refused.of": "「{words}」？ {why}。",
    "refused.beside": "「{words}」？ {why}",
    "hint": "（{hint}）",
    "goal": "物語の終わりにたどり着いた。おめでとう。",
    "plan": "{plan}ことになる。",
    "plan.refused": "{plan}つもりになるが、できない。{why}",
    "plan.rejected": "何も起こらない。{why}",
    "plan.asked": "聞き返すことになる。{question}",
    "plan.nothing": "何も起こらない。",
}
PLANS: dict[str, str] = {
    "move target_id": "{target_id}へ行く",
    "take target_id": "{target_id}を取る",
    "take target_id source_id": "{source_id}から{target_id}を取る",
    "drop target_id": "{target_id}を置く",
    "put.in target_id destination_id": "{target_id}を{destination_id}に入れる",
    "put.on target_id destination_id": "{target_id}を{destination_id}の上に置く",
    "give target_id recipient_id": "{target_id}を{recipient_id}に渡す",
    "open target_id": "{target_id}を開ける",
    "close target_id": "{target_id}を閉める",
    "lock target_id": "{target_id}に鍵をかける",
    "lock target_id tool_id": "{tool_id}で{target_id}に鍵をかける",
    "unlock target_id": "{target_id}の鍵を開ける",
    "unlock target_id tool_id": "{tool_id}で{target_id}の鍵を開ける",
    "use target_id": "{target_id}を使う",
    "use target_id tool_id": "{tool_id}を{target_id}に使う",
    "craft target_id": "{target_id}を{verb}",
    "craft target_id tool_id": "{target_id}を{tool_id}で{verb}",
    "eat target_id": "{target_id}を口にする",
    "search target_id": "{target_id}を調べる",
    "inspect target_id": "{target_id}をよく見る",
    "look": "辺りを見回す",
    "wait": "待つ",
    "speak": "「{content}」と言う",
    "speak recipient_id": "{recipient_id}に「{content}」と言う",
    "talk recipient_id": "{recipient_id}に話しかける",
    "emote": "{content}",
    "describe target_id": "{target_id}の様子を書き表す",
    "introduce": "誰かを登場させる",
    "introduce target_id": "{target_id}を登場させる",
}
VERBS: dict[str, str] = {
    "take": "取る", "drop": "置く", "put": "入れる", "give": "渡す", "open": "開ける",
    "close": "閉める", "lock": "施錠する", "unlock": "解錠する", "use": "使う",
    "eat": "口にする", "search": "調べる", "inspect": "見る", "describe": "書き表す",
    "introduce": "登場させる", "move": "目指す",
}  # fmt: skip


_I_ROW, _U_ROW = "いきぎしちにびみり", "うくぐすつぬぶむる"
_KNOWN = tuple(sorted({verb for verb, _ in ja.VERBS}))


def _find_plain_form(stem: str) -> str:
    """うなずく for うなずき, すくめる for すくめ, お辞儀する for お辞儀し."""
    forms = [stem + "る"]
    if stem[-1:] in _I_ROW and stem:
        forms.insert(0, stem[:-1] + _U_ROW[_I_ROW.index(stem[-1])])
    if stem.endswith("し"):
        forms.append(stem[:-1] + "する")
    return next((form for form in forms if form.endswith(_KNOWN)), forms[0])


class JapaneseGrammar:
    """Names, lists and exits in Japanese."""

    def add_indefinite_article(self, name: str) -> str:
        """The name unchanged."""
        return name

    def add_definite_article(self, name: str) -> str:
        """The name unchanged."""
        return name

    def name_place(self, name: str) -> str:
        """The name unchanged."""
        return name

    def conjugate_deed(self, verb: str, *, mine: bool) -> str:
        """切った for 切る, for every actor."""
        del mine
        return to_past_form(verb, ichidan=is_ichidan(verb))

    def narrate_gesture(self, words: str, *, mine: bool) -> str:
        """首を振った for 首を振る or 首を振ります, for every actor."""
        del mine
        said = words.strip(" 　。．.！!…、")
        if said.endswith(("た", "だ")):
            return said
        verb = _find_plain_form(said.removesuffix("ます")) if said.endswith("ます") else said
        if verb[-1:] not in _U_ROW:
            return ""
        return to_past_form(verb, ichidan=is_ichidan(verb))

    def join_names(self, names: Sequence[str]) -> str:
        """甲、乙、丙."""
        return "、".join(names)

    def describe_exit(self, label: str, place: str, way: Exit, door: str, shut: bool | None) -> str:
        """北（果樹園、鉄の門・閉）."""
        state = "" if shut is None else "・閉" if shut else "・開"
        notes = [place] if label and label != place else []
        notes += [f"{door}{state}"] if way.door and door else []
        shown = label or place
        return f"{shown}（{'、'.join(notes)}）" if notes else shown


JAPANESE = Phrasebook(JapaneseGrammar(), LINES, PLANS)
