"""Find the words that only say how, in what mood or among what something is done.

Body, mind, breath, sounds, light and air: 震える手で, 足音を忍ばせて, 霧が漂う中. None of these
words names anything in the world, so a clause may be obeyed without them.
"""

import re
from collections.abc import Iterator

from saniwa.language.ja.agents import has_subject
from saniwa.language.ja.clause_moods import TokenClause
from saniwa.language.ja.tokens import JapaneseVerb, Token
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import ParserContext

_HEADS = ja.WORDS.manner_nouns.union(ja.LISTS.manner_heads)
_INNER = _HEADS | ja.WORDS.body | ja.WORDS.inner
_AFTERWARDS = (["後で"], ["後に"], ["あとで"], ["あとに"], ["後"], ["あと"])
_AMONG = frozenset({"中", "なか", "中で", "最中"})
_LINKING = frozenset({"te", "stem", "while"})
_NOUNS = frozenset({"name", "word", "title"})
_COUNTS = ja.WORDS.single | {"ひとつ", "一度"}
_LOOKING = frozenset({"inspect", "search", "see", "hunt", "look"})
_DOUBTS = frozenset({"か", "のか", "かどうか", "のかどうか"})
_ABOUT = frozenset({"に", "には", "は", "が", "も"})
_FEIGNED = (["ふり", "を"], ["こと", "を"])
_WITHIN = frozenset({"中", "上", "下", "裏", "奥", "陰", "底"})
_TELLING = ja.WORDS.no_actions | {"speak", "gesture"}
_LYING = ja.WORDS.lying | {"ない"}
_LIKENESS = frozenset({"よう", "ように", "ような", "そうな", "みたいな", "そう", "な"})


def drop_circumstances(lexicon: ParserContext, tokens: list[Token]) -> list[Token]:
    """The tokens without phrases of manner and surroundings: 祈るような気持ちで, 風が吹く中、."""
    made: list[Token] = []
    for token in tokens:
        start = len(made)
        if token.text in ("で", "でもって") and made and _is_inner(lexicon, made[-1], _HEADS):
            start = _find_start(lexicon, made)
        elif _is_thinking(token) and [t.text for t in made[-1:]] == ["と"]:
            thinks = token.kind == "name" or token.form in _LINKING
            start = _find_thought(made) if thinks and token is not tokens[-1] else start
        elif token.kind == "comma" or token.text in ("で", "を"):
            start = _find_surroundings(lexicon, made)
        elif token.text == "つまり" and made:
            noun = _find_clause(made, len(made) - 1)
            explained = all(t.kind in (*_NOUNS, "comma") or t.text == "の" for t in made[noun:])
            start = noun if explained else start
        elif [t.text for t in made[-2:]] in _FEIGNED and token.verb and token is not tokens[-1]:
            idle = token.verb.asks in _LOOKING | {"think", "light"} and token.form in _LINKING
            start = _find_clause(made, len(made) - 2) if idle else start  # 取るふりをして、…
        if start == len(made):
            made.append(token)
        else:
            del made[start:]
    return made


def rewrite_checks(tokens: list[Token]) -> list[Token]:
    """The tokens with the deed that a trial or a check is.

    開くか試す is opening, 中に何があるか確認する is searching 中, and what is looked for while
    something is searched adds nothing: 部屋を調べて、鍵がないか探す.
    """
    tokens = _drop_awaited(tokens)
    for place in range(1, len(tokens) - 1):
        asks = _find_indirect_question(tokens, place) if tokens[place].text in _DOUBTS else -1
        if asks >= 0:
            # Xがどんなものか見る looks at X; どんなものか見る at what was named before.
            rest, named = tokens[place + 1 :], _find_clause(tokens, asks) < asks
            it = JapaneseVerb("調べる", "search")
            rest = rest if named else [t._replace(verb=it) if t.verb else t for t in rest]
            return tokens[:asks] + rest
        told = [t.text for t in tokens[place : place + 2]] == ["こと", "を"]
        if (told or tokens[place].text in _DOUBTS) and tokens[place - 1].verb:
            made = _rewrite_check(tokens, place)
            if made:
                return made
    return tokens


def _drop_awaited(tokens: list[Token]) -> list[Token]:
    """The tokens without what is waited for at the end: 列車が来るのを待つ is waiting."""
    waits = next((n for n, t in enumerate(tokens) if t.verb and t.verb.asks == "wait"), 0)
    after = tokens[waits + 1 :]
    if not waits or any(t.verb for t in after) or "prog" in tokens[waits].marks:
        return tokens
    for place in range(1, waits):
        until = tokens[place].text == "まで"  # 雨がやむまで待つ
        ends = until or [t.text for t in tokens[place : place + 2]] == ["の", "を"]
        then = place + (1 if until else 2)
        told = tokens[place - 1].verb is not None and tokens[place - 1].form == "plain"
        between = tokens[then:waits]  # まで長椅子で待つ
        idle = all(t.kind in ("adverb", "comma", "name") or t.text == "で" for t in between)
        begun = _find_clause(tokens, place - 1)
        if ends and told and idle and any(t.text == "が" for t in tokens[begun:place]):
            return tokens[:begun] + tokens[then:]
    return tokens


def _is_thinking(token: Token) -> bool:
    return token.text == "思い" or (token.verb is not None and token.verb.asks == "think")


def _find_thought(tokens: list[Token]) -> int:
    """Where a thought begins that ends here; their number if a deed before it may be part of it."""
    begun = len(tokens) - 1
    while begun > 0 and (
        tokens[begun - 1].form not in ("te", "stem") or tokens[begun - 1].text == "いい"
    ):
        begun -= 1  # いい is good, and no stem of 言う.
    idle = all(t.verb is None or t.verb.asks in _TELLING for t in tokens[begun:])
    if begun == 0 or tokens[begun].kind != "comma":
        return 0
    return begun if idle else len(tokens)


def _rewrite_check(tokens: list[Token], place: int) -> list[Token]:
    """The tokens without the check that か at this place ends; empty if it is none."""
    state, start = tokens[place - 1], _find_clause(tokens, place - 1)
    verbs = [n for n in range(place + 1, len(tokens)) if tokens[n].verb]
    then = next(iter(verbs[::-1] if tokens[place + 1].kind == "comma" else verbs), 0)
    said, between, act = tokens[start : place - 1], tokens[place + 1 : then], tokens[then]
    if not then or state.verb is None or act.verb is None or "able" in act.marks:
        return []
    if tokens[place].text == "こと" and act.form in _LINKING:
        return []
    apart = any(t.kind not in ("comma", "adverb") and t.text != "を" for t in between)
    asks = ja.PAIRS.wished.get(state.verb.word, state.verb.asks)
    if act.verb.word in ja.WORDS.trying and not apart:
        if state.marks - {"able", "polite"} or asks not in ja.GROUPS.frames:
            return []
        said = [t._replace(text="を") if t.text == "が" else t for t in said]
        deed = act._replace(verb=JapaneseVerb(state.verb.word, asks))
        return [*tokens[:start], *said, *between, deed, *tokens[then + 1 :]]
    lacks = "neg" in state.marks or state.verb.word == "ない"
    unsure = lacks or any(t.text in ja.WORDS.question_words for t in said)
    if act.verb.asks not in _LOOKING or (apart and not unsure):
        return []
    told = max((n for n, t in enumerate(said) if t.verb), default=0)
    named = [n for n in range(told + 1, len(said)) if said[n].text in _ABOUT]
    named = [n for n in named if said[n - 1].text not in ja.WORDS.question_words | ja.WORDS.keys]
    inside = [n for n in named if said[n].text in ("に", "には")] if unsure else []
    within = (n for n, t in enumerate(said) if t.text in ("に", "には") and n)
    inside = inside or [n for n in within if lacks and said[n - 1].text in _WITHIN]
    searched = next((n for n in range(start - 1, -1, -1) if tokens[n].verb), -1)
    earlier = tokens[searched].verb if searched >= 0 else None
    verb, end = act.verb, 0
    lies = state.verb.word in _LYING or bool({"passive", "result"} & state.marks)
    if inside and lies and (not apart or len(verbs) > 1):
        end, verb = inside[-1], JapaneseVerb("覗く", "see" if said[0].text in ja.HERE else "search")
    elif named and not (lacks or apart):
        end = named[0]
    elif earlier and not apart and earlier.asks in _LOOKING | {"approach"}:
        last = tokens[searched]._replace(form=act.form, marks=act.marks)
        return [*tokens[:searched], last, *tokens[then + 1 :]]
    elif not apart:
        verb = JapaneseVerb("見る", "see")
    looked = [*said[:end], said[end]._replace(text="を")] if end else []
    between = between if apart else []
    return [*tokens[:start], *between, *looked, act._replace(verb=verb), *tokens[then + 1 :]]


def _find_indirect_question(tokens: list[Token], place: int) -> int:
    """Where a question without a verb that か at this place ends begins: どんなものか; else -1."""
    then = next((t for t in tokens[place + 1 :] if t.kind not in ("adverb", "comma")), None)
    for start in range(place - 1, max(place - 4, -1), -1):
        if tokens[start].text in ja.WORDS.question_words:
            looks = then is not None and then.verb is not None and then.verb.asks in _LOOKING
            return start if looks else -1
        if tokens[start].text not in ("もの", "物", "様子", "状態", "な", "の", "なの"):
            break
    return -1


def _find_clause(tokens: list[Token], place: int) -> int:
    """Where the clause with the token at this place begins."""
    while place > 0:
        token = tokens[place - 1]
        tail = token.kind == "tail" and token.text != "な"
        if token.kind in ("comma", "quote") or tail or token.form in _LINKING:
            break
        place -= 1
    return place


def is_prelude(lexicon: ParserContext, clause: TokenClause, later: list[TokenClause]) -> bool:
    """Whether the clause only says what for, or what is noticed before, a deed of the speaker.

    庭師に会いに庭へ行く, 鍵に気づき、拾う, but not ナナが鍵に気づき、拾う.
    """
    if not later:
        return False
    then = later[0]
    ends = [t.text for t in clause.tails]
    if clause.word.word in _POSTPONING and clause.verb.form == "te":
        told = any(t.kind == "verb" for t in clause.before)
        return not told and not has_subject(lexicon, clause, "がはも")  # 鍵は後回しにして、塔へ行く
    if clause.verb.form == "vol" and ends == ["と"]:  # 見極めようと針を見る
        return then.word.asks not in _TELLING and not has_subject(lexicon, clause, "がはも")
    wanted = clause.verb.form == "te" and {"want", "state"} <= clause.verb.marks
    if ends == ["つもり", "で"] or (wanted and not ends):
        return not has_subject(lexicon, clause, "がはも")  # 手紙を読みたくて食卓に近づく
    if ends in (["前に"], ["まえに"]) and clause.word.asks == "think":
        return not has_subject(lexicon, clause, "がはも")  # 何かを決める前に見回す
    aims = clause.verb.form == "purpose" and then.word.word in ja.WORDS.errands
    if _is_noticing(clause) or (aims and any(t.text in ("に", "へ", "まで") for t in then.before)):
        return not has_subject(lexicon, clause, "がはも")
    bare = len(later) > 1 and all(t.kind == "particle" for t in then.before)
    return bare and _is_noticing(then) and not has_subject(lexicon, clause, "はも")


_COMPLETED = re.compile("(?:終わった|おわった|終えた)ら$")
_POSTPONING = frozenset({"後回しにする", "先延ばしにする"})
_LED = frozenset({"approach", "take", "see", "inspect", "open"})
"""What one does, in prose, before another deed: 鍵を手に取ると、扉を開ける."""


def is_own_step(
    lexicon: ParserContext,
    clause: TokenClause,
    earlier: list[TokenClause],
    later: list[TokenClause],
) -> bool:
    """Whether it is a deed of the speaker that comes before others: 箱を開けたら中身を取る, 取って読んだら戻す.

    A condition is what another does, what may fail, or what is followed by no deed: ナナが寝たら,
    鍵が見つかったら, 箱を開けたら怒られる.
    """
    verb = clause.verb
    after = [t.text for t in clause.tails] in _AFTERWARDS and verb.form == "past"
    done = (verb.text.endswith(("たら", "だら")) and not clause.tails) or after
    parted = [t.kind for t in later[0].before[:1]] == ["comma"] if later else False
    then = parted and verb.form == "plain" and [t.text for t in clause.tails] == ["と"]
    done |= then and (clause.word.asks in _LED or clause.word.goes)  # 薬棚に近づくと、戸を開ける
    ended = {"excess"} if _COMPLETED.search(verb.text) else set[str]()
    if not done or verb.marks - {"past"} - ended or not _is_own_deed(lexicon, clause):
        return False
    near = clause.word.goes or clause.word.asks == "approach"
    named = ("に", "へ", "まで", "を") if near else ("を",)
    said = any(t.kind != "comma" for t in clause.before)
    linked = said or not earlier or not _is_own_deed(lexicon, earlier[-1])
    if not later or (linked and not any(t.text in named for t in clause.before)):
        return False
    return all(
        _is_own_deed(lexicon, each)
        and (not each.word.goes or bool(each.before))  # 渡したら帰る names no place
        and not (
            each.verb.marks & {"kure", "recv"} and not each.tails and each.verb.form == "plain"
        )
        for each in later
    )


def _is_own_deed(lexicon: ParserContext, clause: TokenClause) -> bool:
    """Whether the speaker does it, and nothing else is its subject."""
    acts = clause.word.asks in ("approach", *ja.GROUPS.frames) or clause.word.goes
    acts = acts and clause.word.word not in ("もらう", "貰う")  # what another may give
    parts = any(t.text == "が" for t in clause.before)
    return acts and not parts and not has_subject(lexicon, clause, "がはも")


def _is_noticing(clause: TokenClause) -> bool:
    noted = clause.word.word in ja.WORDS.noticing and not clause.tails
    return noted and clause.verb.form in _LINKING and "neg" not in clause.verb.marks


def is_circumstance(lexicon: ParserContext, clause: TokenClause) -> bool:
    """Whether the clause only says how the next is done: 音を立てぬよう, 霧に誘われて, 息を切らし."""
    verb = clause.verb
    led = "passive" in verb.marks and "neg" not in verb.marks
    if led and (verb.form == "te" or clause.has_tail("state")):
        return True
    if any(t.text in ("よう", "ように", "べく", "つもりで") for t in clause.tails[-1:]):
        return True
    if clause.has_tail("state"):
        return clause.word.asks == "gesture" or is_inner(lexicon, clause)
    if verb.form not in _LINKING or (clause.tails and not clause.has_tail("reason")):
        return False
    # 雨がやんでから is another time.
    later = verb.text.endswith("から") and any(t.text == "が" for t in clause.before)
    return not later and is_inner(lexicon, clause)


def is_inner(lexicon: ParserContext, clause: TokenClause) -> bool:
    """Whether the clause is only about body, mind, sound or light: ため息をつく."""
    heads = [(head, p) for head, p in _list_heads(clause.before) if head.text not in _COUNTS]
    heads = [(head, p) for head, p in heads if p not in ("は", "も") or head.text not in ja.SELF]
    noun, has_object, _ = clause.word.word.partition("を")  # 足を引きずる
    moved = [particle for _, particle in heads if particle != "で"]
    if has_object and noun in _INNER and not lexicon.can_see(noun):
        moved.append("を")
    return bool(moved) and all(_is_inner(lexicon, head, _INNER) for head, _ in heads)


def _list_heads(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    """The last noun of each phrase, with the particle after it."""
    for place, token in enumerate(tokens):
        follows = tokens[place + 1] if place + 1 < len(tokens) else None
        inside = follows is not None and (
            follows.kind in _NOUNS or follows.text in ja.WORDS.genitives | {"な"}
        )
        if token.kind in _NOUNS and not inside:
            yield token, follows.text if follows and follows.kind == "particle" else ""


def _is_inner(lexicon: ParserContext, token: Token, words: frozenset[str]) -> bool:
    """Whether the word is one of these, and the name of nothing here."""
    known = token.kind in _NOUNS and token.text in words
    return known and not lexicon.can_see(token.text)


def _find_start(lexicon: ParserContext, tokens: list[Token]) -> int:
    """Where a phrase of manner that ends here begins: the words that describe its noun."""
    place = len(tokens) - 1
    while place > 0:
        token = tokens[place - 1]
        if token.text == "の":
            pass
        elif token.kind == "verb":
            if token.form not in ("plain", "past"):
                break
        elif token.kind == "particle":
            # The object of the verb that describes the noun, and not of the one after it.
            if place < 2 or not _is_inner(lexicon, tokens[place - 2], _INNER):
                break
        elif token.kind in _NOUNS:
            linked = tokens[place].kind == "particle" or token.text in _INNER
            linked = linked or tokens[place].text == "な" or token.text[-1] in "たるいうくすつむ"
            if not linked or (tokens[place].text != "の" and lexicon.is_known(token.text)):
                break
        elif token.kind != "tail" or token.text not in _LIKENESS:
            break
        place -= 1
    return place


def _find_surroundings(lexicon: ParserContext, tokens: list[Token]) -> int:
    """Where 風が吹く中 or 雨の中 begins, if the tokens end in it; else their number."""
    end = len(tokens)
    if end < 3 or tokens[-1].text not in _AMONG:
        return end
    before = tokens[-2]
    if before.text == "の":
        noun = tokens[-3]
        return end - 3 if noun.text in _INNER and not lexicon.is_known(noun.text) else end
    if before.kind != "verb" or before.form not in ("plain", "past"):
        return end
    start = end - 2
    while start > 0 and tokens[start - 1].kind not in ("comma", "verb", "quote"):
        start -= 1
    subject = any(t.text in ("が", "の", "も") for t in tokens[start : end - 2])
    return start if subject else end
