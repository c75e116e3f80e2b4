"""Clauses of a Japanese sentence, and what the form of their verb says.

Only a few forms ask for a deed: the plain and the polite present, orders, intentions, て
with a request, and the speaker's own wishes. Every other form, and every other ending, only
tells, asks, supposes or forbids.
"""

from itertools import pairwise
from typing import NamedTuple

from saniwa.language.ja.tokens import PORTION, JapaneseVerb, Token
from saniwa.language.lexicon import ja
from saniwa.language.mood import COMMAND, Mood, SentenceMood
from saniwa.language.parser_context import ParserContext

_LINKS = frozenset(
    {"te", "stem", "while", "tari", "purpose", "tara", "ba", "concession", "topic", "imp", "vol"}
)
_PLAIN = frozenset({"plain", "past"})
_NOUNS = frozenset({"name", "word", "title", "particle"})
_DESCRIBING = frozenset({"exist", "adjective", "be"})
_FORBIDDEN = frozenset({"prog", "attempt", "kure", "favour"})
"""What な after a verb may forbid: 食べるな, 食べてくれるな."""
_TELLING = frozenset({"passive", "seem", "excess", "result", "report", "duty", "wish"})

_OPENING = frozenset({"開く", "ひらく", "開きます", "ひらきます", "開き", "ひらき", "開いて"})
_PLACING = frozenset({"drop", "put", "lay", "hang"})
_DIVIDING = frozenset({"take", "drop", "put", "give", "eat", "lay", "bring", "use"})
"""Verbs that may be done to a part of a thing."""


class TokenClause(NamedTuple):
    """A verb with the tokens before it and the endings after it."""

    before: list[Token]
    """What precedes the verb in its clause."""
    verb: Token
    """The verb, with its auxiliaries."""
    tails: list[Token]
    """The endings after it."""

    @property
    def word(self) -> JapaneseVerb:
        """The verb of the lexicon."""
        assert self.verb.verb is not None
        return self.verb.verb

    @property
    def tells_state(self) -> bool:
        """Whether it says how a thing is: 門は開いてる."""
        return "prog" in self.verb.marks and "past" not in self.verb.marks

    def has_tail(self, kind: str) -> bool:
        """Whether one of its endings may be of a kind; see `ja.TAILS`."""
        return any(kind in ja.TAILS.get(t.text, ()) for t in self.tails)


def split_clauses(tokens: list[Token]) -> tuple[list[TokenClause], list[Token]]:
    """The clauses of a sentence, and the tokens after the last one."""
    clauses: list[TokenClause] = []
    before: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        after = place + 1
        while after < len(tokens) and tokens[after].kind == "tail":
            after += 1
        if token.kind == "verb" and _ends_clause(tokens, place, after):
            clauses.append(TokenClause(before, token, tokens[place + 1 : after]))
            before, place = [], after
        else:
            before.append(token)
            place += 1
    return _join_clauses(clauses), before


def _join_clauses(clauses: list[TokenClause]) -> list[TokenClause]:
    """Join two clauses that are one deed; the second gives the form.

    取りに行く is taking, and 戸棚が開いているようにする is opening it.
    """
    made: list[TokenClause] = []
    for clause in clauses:
        first = made[-1] if made and not clause.before else None
        verb = None
        if first and first.verb.form == "purpose" and clause.word.word in ja.WORDS.errands:
            met = first.word.word in ja.WORDS.meeting
            verb = first.word._replace(asks="approach") if met else first.word
        elif first and first.has_tail("wished") and clause.word.word in ("する", "やる"):
            verb = _find_cause(first)
        if first and verb:
            text, start = first.verb.text + clause.verb.text, first.verb.start
            joined = clause.verb._replace(verb=verb, text=text, start=start)
            made[-1] = TokenClause(first.before, joined, clause.tails)
        else:
            made.append(clause)
    return made


def _find_cause(state: TokenClause) -> JapaneseVerb:
    """The verb that brings a state about; an unknown one if there is none."""
    word, marks = state.word, state.verb.marks
    asks = ja.PAIRS.wished.get(word.word, "" if word.asks in ("light", "exist") else word.asks)
    intransitive = word.word in ja.PAIRS.wished
    if "neg" in marks:
        asks = ja.PAIRS.opposites.get(asks, "") if intransitive and "prog" in marks else ""
    stays = any(t.text == "ままに" for t in state.tails)
    done = {"past", "prog", "result", "passive"} & marks or intransitive
    wished = {"able", "want", "wish", "recv", "kure"} & marks
    return JapaneseVerb(word.word, asks if asks and done and not (stays or wished) else "unknown")


def _ends_clause(tokens: list[Token], place: int, after: int) -> bool:
    """Whether the verb ends a clause, and does not describe the noun after it."""
    verb, follows = tokens[place], tokens[after] if after < len(tokens) else None
    if verb.form in ("way", "adverb"):
        return follows is None and verb.form == "adverb"
    if verb.form == "noun":
        return follows is None or follows.kind in ("comma", "quote") or after > place + 1
    asks = verb.verb.asks if verb.verb else ""
    if asks == "gesture" and follows and follows.text in ja.WORDS.body:
        return False  # 震える手で
    if asks == "adjective" and [t.text for t in tokens[place + 1 : place + 3]] == ["の", "を"]:
        return False  # 青いのを取る
    if asks == "adjective" and verb.form == "te" and follows and follows.kind == "verb":
        return bool(follows.verb and follows.verb.asks != "adjective")  # 黒くて重い鍵
    if (
        asks == "adjective"
        and "seem" in verb.marks
        and [t.text for t in tokens[place + 1 : after]] == ["な"]
    ):
        return follows is None or follows.kind not in _NOUNS  # 寒そうな千代さん
    if verb.form in _LINKS or follows is None or asks == "except" or after > place + 1:
        return True
    spaced = follows.start > verb.end
    if asks in ("take", "unknown", "be", "exist") and {"prog", "result"} & verb.marks:
        while follows.verb and follows.verb.asks == "adjective" and follows.form in _PLAIN:
            after += 1  # 持っている黒い鍵
            follows = tokens[after] if after < len(tokens) else follows._replace(verb=None)
    return follows.kind not in _NOUNS or (spaced and asks not in _DESCRIBING)


def is_describing(token: Token) -> bool:
    """Whether a verb before a noun only says which thing is meant: 机にある本, 赤い箱."""
    if token.verb is None or token.form in ("noun", "way", "adverb"):
        return True
    asks, marks = token.verb.asks, token.marks
    if "duty" in marks or ("neg" in marks and asks != "adjective"):
        return False
    if is_lying(token) or (token.verb.word in ja.WORDS.holding and not marks - {"past", "prog"}):
        return True
    noted = asks in ("unknown", "gesture", "think") or token.verb.word == "なる"
    return noted or asks in _DESCRIBING or bool({"prog", "result"} & marks)


def is_lying(token: Token) -> bool:
    """Whether a verb before a noun says where the thing is: 並んだ, 置かれている, しまってある."""
    if token.verb is None or "neg" in token.marks or token.form not in ("plain", "past"):
        return False
    lies = token.verb.word in ja.WORDS.lying or bool({"passive", "result"} & token.marks)
    placed = token.verb.asks in _PLACING and "られ" in token.text and token.form == "past"
    return (lies and "able" not in token.marks) or placed  # 捨てられた, 捨てられていた


def find_clause_mood(clause: TokenClause, *, last: bool, asked: bool) -> SentenceMood:
    """The mood of a clause; that of the last one holds for those that lead to it."""
    described = [
        t
        for t, noun in pairwise([*clause.before, clause.verb])
        if t.kind == "verb"
        and not is_describing(t)
        and not noun.text.endswith(ja.LISTS.manner_heads)
        and noun.text not in ja.WORDS.body
        and not noun.text.startswith(("準備", "支度", "用意"))
    ]
    if described:
        return SentenceMood("statement", described[0].text)
    mood, sign = _judge_form(clause, last=last, asked=asked)
    return COMMAND if mood == "command" else SentenceMood(mood, sign)


def is_command(clause: TokenClause) -> bool:
    """Whether the clause, at the end of a sentence, asks for a deed."""
    return find_clause_mood(clause, last=True, asked=False) == COMMAND


def _judge_form(clause: TokenClause, *, last: bool, asked: bool) -> tuple[Mood, str]:
    verb = clause.verb
    if verb.form in ("ba", "tara"):
        return "condition", verb.text
    if verb.form in ("concession", "tari", "topic", "purpose") or (last and verb.form == "stem"):
        return "statement", verb.text
    if "neg" in verb.marks and any(t.text.startswith("といい") for t in clause.tails):
        return "wish", verb.text  # 音が大きくないといい
    mood, sign = _judge_marks(clause, last=last, asked=asked)
    if mood in ("prohibition", "permission"):
        return mood, sign
    for number, tail in enumerate(clause.tails):
        ends = last and number == len(clause.tails) - 1
        told = _judge_tail(clause, tail, ends=ends)
        if told and not (told == "question" and _is_courteous(verb)):
            return told, tail.text
    clear = mood == "question" or (mood == "command" and _is_courteous(verb))
    return ("question", "?") if asked and last and not clear else (mood, sign)


def _judge_marks(clause: TokenClause, *, last: bool, asked: bool) -> tuple[Mood, str]:
    verb, marks = clause.verb, clause.verb.marks
    word = verb.text
    if _opens_itself(clause):
        return "statement", word
    if "forbid" in marks:
        return "prohibition", word
    if "permit" in marks:
        return "permission", word
    if "refrain" in marks and {"kure", "recv", "req", "wish", "want"} & marks:
        return "prohibition", word
    if _is_courteous(verb):
        if {"caus", "able"} <= marks:
            return "permission", word
        wanted = "past" not in marks and (last or verb.form != "te")
        return ("command", "") if wanted else ("statement", word)
    if "neg" in marks and "duty" not in marks:
        return _judge_negative(clause, last=last, asked=asked)
    return ("statement", word) if _is_telling(clause, last=last) else ("command", "")


def _opens_itself(clause: TokenClause) -> bool:
    """Whether a thing opens without the speaker: 戸棚が開く, 扉、勝手に開いてくれないかな."""
    said, opens = {t.text for t in clause.before}, clause.word.word in ("開く", "ひらく")
    if said & {"ひとりでに", "自然に"} or (clause.verb.text in _OPENING and "が" in said):
        return True
    if clause.verb.text in _OPENING and "は" in said and "を" not in said:
        return clause.verb.text not in ("開いて", "開き")
    mused = "kure" in clause.verb.marks and any(t.text.startswith("かな") for t in clause.tails)
    itself = mused or "勝手に" in said or (clause.verb.text in ("開く", "ひらく") and "は" in said)
    return opens and "を" not in said and itself


def _is_telling(clause: TokenClause, *, last: bool) -> bool:
    """Whether the endings of the verb tell of something instead of asking for it."""
    verb, marks = clause.verb, clause.verb.marks
    humble = "caus" in marks and bool({"recv", "req"} & marks)
    if _TELLING & marks or ({"caus", "recv"} & marks and not humble):
        return True
    if {"past", "able"} & marks or clause.word.asks == "stop":
        return True
    exalted = "respect" in marks or (clause.word.word in ja.WORDS.exalted and verb.form != "imp")
    if exalted and not {"req", "kure"} & marks:
        return True
    if "attempt" in marks and verb.form == "te" and not last:
        return True
    if clause.word.asks == "wait":
        return False  # おとなしく待っている
    return "prog" in marks and verb.form not in ("te", "imp", "vol") and "want" not in marks


def _judge_negative(clause: TokenClause, *, last: bool, asked: bool) -> tuple[Mood, str]:
    if last and (asked or clause.has_tail("question")):
        return "question", clause.verb.text
    maybe = [t.text for t in clause.before[-1:]] in (["も"], ["かも"])
    if maybe and clause.verb.text.startswith(("しれ", "知れ")):
        return "statement", clause.verb.text  # 頭が冴えるかもしれない
    skipped = clause.verb.form == "te" and not last
    return ("command", "") if skipped else ("prohibition", clause.verb.text)


def _is_courteous(verb: Token) -> bool:
    """Whether it asks the game to do it: てくれる, てもらえますか, ていただけませんか."""
    marks = verb.marks
    if "kure" in marks:
        return "wish" not in marks and "want" not in marks
    return {"recv", "able"} <= marks


def _judge_tail(clause: TokenClause, tail: Token, *, ends: bool) -> Mood | None:
    """The mood that an ending gives; None if it gives none."""
    moods = ja.TAILS.get(tail.text, ("",))
    if _is_told_by(clause, tail, ends=ends):
        return "statement"
    if tail.text in ("な", "なー"):
        plain = clause.verb.form == "plain" and not clause.verb.marks - _FORBIDDEN
        plain = plain and clause.word.asks not in ("adjective", "be")  # 甘いな
        return "prohibition" if plain and clause.tails[0] is tail else None
    if tail.text.startswith(("と思", "とおも")):
        own = (clause.verb.form == "vol" or "want" in clause.verb.marks) and clause.tails[0] is tail
        return None if own else "statement"
    if "thanks" in moods:
        return None if _is_courteous(clause.verb) else "condition"
    ordered = tail.text == "こと" and clause.verb.form == "plain" and not clause.verb.marks
    if ends and tail.text in ("んで", "のに", "とか", "ものの"):
        return "statement"
    if ends and ("" in moods or "question" in moods or ordered):
        return None if "" in moods or ordered else "question"
    for mood in ("prohibition", "condition", "statement", "question"):
        if mood in moods:
            return mood
    told = {"nominal", "wished"} & set(moods) or ("quote" in moods and not ends)
    return "statement" if told else None


def _is_told_by(clause: TokenClause, tail: Token, *, ends: bool) -> bool:
    """Whether the form of the verb makes this ending tell of something."""
    if tail.text in ("が", "とも"):
        return clause.verb.form == "vol"  # 開けようが開けまいが
    promised = "kure" in clause.verb.marks and clause.verb.form == "plain"
    return tail.text == "って" and ends and promised  # 開けてくれるって


def is_remark(lexicon: ParserContext, clause: TokenClause, later: list[TokenClause]) -> bool:
    """Whether the clause only says how it is, before a comma: 腹減った、パンを食べる."""
    if not later or [t.kind for t in later[0].before[:1]] != ["comma"]:
        return False
    verb, before = clause.verb, clause.before
    told = verb.form in ("plain", "past") and verb.marks <= {"past", "polite", "neg"}
    mused = verb.form == "vol" and clause.has_tail("question")
    if clause.word.asks == "gesture" and mused:
        return True  # 縁側で涼もうかな、縁側へ行く
    if clause.word.asks not in ("unknown", "adjective") or not told:
        return False
    named = any(t.kind == "name" and lexicon.is_known(t.text) for t in before)
    plain = all(
        t.kind in ("name", "word", "adverb")
        or (t.kind == "particle" and t.text in ("が", "は", "も", "の"))
        for t in before
    )
    mild = all("" in ja.TAILS.get(t.text, ()) for t in clause.tails)
    return not named and plain and mild


def find_portion(clause: TokenClause) -> str:
    """The word that asks for only a part of a thing: パンを少し食べる, but not ちょっとパンを取る."""
    named = False
    for token in clause.before if clause.word.asks in _DIVIDING else ():
        named = named or (token.kind == "particle" and token.text not in ja.WORDS.genitives)
        portion = token.text in ja.WORDS.portions or PORTION.fullmatch(token.text)
        if token.kind == "adverb" and (portion or (named and token.text in ja.WORDS.softeners)):
            return token.text
    return ""


def is_quoted_before(clause: TokenClause) -> bool:
    """Whether what precedes the clause is only what is thought or written: 開ける、と書く."""
    first = next((t for t in clause.before if t.kind != "comma"), None)
    if first is None:
        return False
    unknown = first.kind == "word" and first.text.startswith("と")
    return unknown or first.text in ("と", "って", "などと", "なんて")
