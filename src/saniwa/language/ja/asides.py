"""Leave out the clauses of a Japanese sentence that are only asides to its deed.

When it is done (列車が来る前に, マスターが気づかないうちに), why (誰もいないので), with what in mind
(聞かれたら客だと答えるつもりで) and what is left alone (残りはそのまま). The rest is read as if they
were not there, so a sentence that asks for nothing without them asks for nothing with them.
"""

import re
from itertools import pairwise

from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja

_BEFORE = frozenset({"前に", "まえに"})
_UNNOTICED = frozenset({"うちに", "すきに", "隙に", "間に", "あいだに"})
_UNLISTED_BEFORE = re.compile(".*[うくぐすつぬぶむる]前")
"""A verb outside the lexicon, with 前 after it: 店が混む前に."""
_LINKS = frozenset({"te", "stem", "while"})
_GUESSED = ja.WORDS.question_words | {
    "もうすぐ", "まもなく", "きっと", "多分", "たぶん", "おそらく", "恐らく", "もしかすると", "もしかしたら"
}  # fmt: skip
"""Words of a reason that leave the deed after it as it is: もうすぐ列車が来るのでホームへ行く."""
_NOUNS = frozenset({"name", "word", "title"})
_LEFT = re.compile(
    "(?:置い|おい|放っ|ほっ|残し|無視し|そのままにし)(?:て|と)[おいくけこきっ].*|そのままに.*|放置.*"
)
"""A verb by which what it is about stays as it is."""


def drop_asides(tokens: list[Token], *, asked: bool) -> tuple[list[Token], list[Token]]:
    """The tokens without asides, and the tokens of the asides."""
    made, aside = _drop_left_alone(tokens)
    place = 0
    while place < len(made):
        begun = _find_aside(made, place)
        if begun >= 0:
            after = place + 1
            while after < len(made) and made[after].kind == "comma":
                after += 1
            if any(t.verb for t in made[after:]):
                aside += made[begun:after]
                made, place = made[:begun] + made[after:], begun
                continue
        place += 1
    return (made if asked else _read_each_of_two(made)), aside


def _find_aside(tokens: list[Token], place: int) -> int:
    """Where an aside begins that ends with the token at this place; else -1."""
    token, before = tokens[place], tokens[place - 1] if place else None
    if before is None:
        return -1
    if token.text == "に" and before.kind == "word" and _UNLISTED_BEFORE.fullmatch(before.text):
        return _begin_timed(tokens, place - 1)
    if token.verb and token.form == "te" and token.verb.word in ja.WORDS.aiming:
        goes = next((t.verb.goes for t in tokens[place + 1 :] if t.verb), False)
        return _begin_clause(tokens, place) if goes and before.text == "を" else -1
    if token.verb and token.form == "te" and "neg" in token.marks:
        some = tokens[max(place - 2, 0) : place]  # 何も取らずに閉める
        none = [t.text for t in some] in (
            ["何", "も"],
            ["誰", "も"],
            ["何", "にも"],
            ["誰", "にも"],
        )
        return place - 2 - _count_but(tokens, place - 2) if none else -1
    if token.kind != "tail" or before.kind not in ("verb", "tail"):
        return -1
    if (
        token.text in _BEFORE
        and before.form == "plain"
        and before.marks <= {"passive", "polite", "seem"}
    ):
        nightly = before.verb is not None and before.verb.word in ja.WORDS.nightly
        return -1 if nightly else _begin_timed(tokens, place - 1)
    begun = _begin_clause(tokens, place)
    said = tokens[begun:place]
    if token.text in _UNNOTICED and before.form == "plain":
        doers = [who.text for who, ga in pairwise(said) if ga.text == "が" and who.kind in _NOUNS]
        busy = token.text in ("間に", "あいだに") and "prog" in before.marks
        busy = busy and doers != [] and ja.SELF.isdisjoint(doers)  # 先生が寝ている間に
        return _begin_timed(tokens, place - 1) if busy or "neg" in before.marks else -1
    if token.text == "つもりで":
        planned = any(t.form in ("tara", "ba") or (t.verb and t.verb.asks == "speak") for t in said)
        return begun if planned else -1
    if token.text in ("から", "ので") and before.form != "te":
        unsure = [t.text for t in said if t.kind == "time" or t.text in ja.WORDS.question_words]
        return begun if unsure and _GUESSED.issuperset(unsure) else -1
    return -1


def _begin_clause(tokens: list[Token], place: int) -> int:
    """Where what leads to the token at this place begins: after the last deed before it."""
    while place > 0:
        token = tokens[place - 1]
        if token.kind == "quote" or (token.verb and token.form in _LINKS):
            break
        place -= 1
    while tokens[place].kind == "comma":
        place += 1
    return place


def _begin_timed(tokens: list[Token], verb: int) -> int:
    """Where the clause of a verb with a time begins, after a topic; -1 if it names another time."""
    begun = _begin_clause(tokens, verb)
    said = range(verb - 1, begun - 1, -1)
    subject = next((n for n in said if tokens[n].text == "が"), -1)
    if subject > 0:
        begun = subject - 1  # 饅頭は店が混む前に食べる
        while begun > 0 and (tokens[begun].kind == "title" or tokens[begun - 1].text == "の"):
            begun -= 1
    topic = next((n for n in said if tokens[n].text == "は" and n >= begun), -1)
    begun = max(begun, topic + 1)
    while tokens[begun].kind == "comma":
        begun += 1
    return -1 if any(t.kind == "time" for t in tokens[begun:verb]) else begun


def _count_but(tokens: list[Token], place: int) -> int:
    """How many tokens before a place are でも."""
    return 2 if [t.text for t in tokens[max(place - 2, 0) : place]] == ["で", "も"] else 0


def _drop_left_alone(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """The tokens without what is left alone, at the end: 鍵を取って、残りはそのまま."""
    commas = [n for n, t in enumerate(tokens) if t.kind == "comma"]
    places = [n for n in commas if n and tokens[n - 1].verb]
    for start in places:
        end = next((n for n in commas if n > start + 1), 0)
        if _is_left_as_it_is(tokens[:start], tokens[start:end]) and tokens[end + 1 :]:
            return tokens[:start] + tokens[end:], []  # 棗を取って(手紙はそのまま)、渡す
    place = places[-1] if places else 0
    after = [t for t in tokens[place:] if t.kind != "comma"]
    topic = next((n for n, t in enumerate(after) if t.text in ("は", "あとは", "には")), -1)
    if not place or topic < 0 or tokens[place - 1].form not in ("te", "stem"):
        return tokens, []
    about, said = after[:topic], "".join(t.text for t in after[topic + 1 :])
    named = {t.text for t in tokens[:place] if t.kind in _NOUNS}
    others = after[topic].text == "あとは" or "".join(t.text for t in about).startswith(
        (*ja.LISTS.rest, *ja.LISTS.others, "それ以外", "ほかの", "他の")
    )
    stays = said in ("そのまま", "そのままで", "そのままでいい") or (
        others and (_LEFT.fullmatch(said) or (after[-1].verb and "neg" in after[-1].marks))
    )
    again = not others and any(
        t.text in named for t in about if t.kind == "name" and t.text != "ほう"
    )
    if not stays or again or any(t.verb and t.verb.asks != "adjective" for t in about):
        return tokens, []
    last = tokens[place - 1]
    last = last._replace(form="plain") if last.form == "stem" else last
    return [*tokens[: place - 1], last], []


def _is_left_as_it_is(earlier: list[Token], said: list[Token]) -> bool:
    """Whether it says that a thing not named before stays as it is: 手紙はそのまま."""
    stays = [t.text for t in said[-2:]] in (["は", "そのまま"], ["は", "そのままで"])
    again = {t.text for t in earlier} & {t.text for t in said if t.kind == "name"}
    return stays and not again and not any(t.verb for t in said)


def _read_each_of_two(tokens: list[Token]) -> list[Token]:
    """どちらの鍵も as 両方の鍵を, and 鍵と傘の両方を as 鍵と傘を; a question keeps its words."""
    for place, token in enumerate(tokens):
        texts = [t.text for t in tokens[place + 1 : place + 4]]
        if token.text in ("どっち", "どちら") and len(texts) > 2 and texts[::2] == ["の", "も"]:
            then = next((t for t in tokens[place + 4 :] if t.kind != "adverb"), None)
            if then and then.verb and not {"neg", "able"} & then.marks:
                both = token._replace(text="両方"), tokens[place + 3]._replace(text="を")
                return [
                    *tokens[:place],
                    both[0],
                    *tokens[place + 1 : place + 3],
                    both[1],
                    *tokens[place + 4 :],
                ]
        listed = any(t.text == "と" for t in tokens[:place])
        if token.text == "の" and listed and texts[:2] in (["両方", "を"], ["両方", "とも"]):
            return tokens[:place] + tokens[place + 2 :]
    return tokens
