"""Find what is said to whom in a Japanese sentence: addresses, reports, talk."""

from typing import NamedTuple

from saniwa.language.ja.agents import has_subject
from saniwa.language.ja.clause_moods import TokenClause, is_command, split_clauses
from saniwa.language.ja.clause_roles import JapanesePart
from saniwa.language.ja.nouns import COMMAS, is_person
from saniwa.language.ja.particle_phrases import extract_words
from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import Claim, ParserContext, make_unrecognised_claim
from saniwa.language.text import PreparedText, fold_text


class ReportedSpeech(NamedTuple):
    """A sentence that says what is said: 箱を開けてと庭師に頼む."""

    said: list[Token]
    """What is said."""
    frame: list[Token]
    """The words between it and the verb of speaking."""
    verb: Token
    """That verb."""
    after: list[Token]
    """The words after that verb."""


def is_quoting(token: Token) -> bool:
    """Whether the words before it are what is said."""
    return token.text in ("と", "って", "よう", "ように", "とか", "か", "かどうか")


def _is_frame(token: Token) -> bool:
    """Whether it only says who is spoken to, or how."""
    if token.kind == "particle":
        return token.text in ("に", "へ", "は", "が", "で")
    return token.kind in ("name", "title", "adverb", "comma")


def find_hearer(heard: PreparedText, lexicon: ParserContext, tokens: list[Token]) -> str:
    """The person who is spoken to: 庭師に."""
    for place, token in enumerate(tokens):
        words = extract_words(heard, tokens[:place]) if token.text in ("に", "へ", "と") else ""
        if words and is_person(lexicon, words):
            return words
    return ""


def find_address(
    heard: PreparedText, lexicon: ParserContext, tokens: list[Token], *, asked: bool
) -> Claim | None:
    """The claim for ナナ、箱を開けて: words to a person, who is the one to act."""
    commas = [n for n, t in enumerate(tokens) if t.kind == "comma"]
    if not commas or any(t.kind == "quote" for t in tokens):
        return None
    first, last = commas[0], commas[-1]
    for called, said in (
        (tokens[:first], tokens[first + 1 :]),
        (tokens[last + 1 :], tokens[:last]),
    ):
        name = find_called(heard, lexicon, called) if said else ""
        if name:
            break
    else:
        return None
    clauses, _ = split_clauses(said)
    if called[-1].end < said[0].start and _asks_presence(clauses, asked=asked):
        return None
    claim: Claim = {"type": "speak", "content": extract_words(heard, said)}
    claim |= {"to": name} if is_person(lexicon, name) else {}
    return claim | ({"request": True} if clauses and is_command(clauses[-1]) else {})


def find_called(heard: PreparedText, lexicon: ParserContext, tokens: list[Token]) -> str:
    """Who is called, also in おーいナナ; empty if no character is."""
    named = [n for n, t in enumerate(tokens) if t.kind == "name"]
    if len(named) == 1 and all(t.kind in ("name", "title", "adverb", "word") for t in tokens):
        words = extract_words(heard, tokens[named[0] :])
        if is_person(lexicon, words):
            return words
    words = extract_words(heard, tokens).rstrip("ー~～").removesuffix("よ")
    return words if is_person(lexicon, words) or words in ja.WORDS.called else ""


def _asks_presence(clauses: list[TokenClause], *, asked: bool) -> bool:
    """Whether it asks if the person named before the comma is here: ナナ、まだいるか."""
    if len(clauses) != 1 or clauses[0].word.word not in ("いる", "おる", "居る"):
        return False
    subjects = any(t.text in ja.WORDS.subjects for t in clauses[0].before)
    return not subjects and (asked or clauses[0].has_tail("question"))


def find_reported_speech(tokens: list[Token]) -> ReportedSpeech | None:
    """What is said in the words of the speaker, without quotation marks."""
    for place, token in enumerate(tokens):
        speaks = token.verb is not None and (
            token.verb.asks == "speak" or token.text.startswith(("いっ", "いう", "いい"))
        )
        mark = place - 1
        while mark > 0 and not is_quoting(tokens[mark]) and _is_frame(tokens[mark]):
            mark -= 1
        asked = tokens[max(mark, 0)]
        if speaks and asked.form == "te" and asked.text.endswith(("てって", "でって")):
            # 開けてって頼む
            return ReportedSpeech(
                tokens[: mark + 1], tokens[mark + 1 : place], token, tokens[place + 1 :]
            )
        if not speaks or mark < 1 or not is_quoting(tokens[mark]) or token.form in ("ba", "tara"):
            continue
        after = place + 1
        while after < len(tokens) and tokens[after].kind == "tail":
            after += 1
        if any("condition" in ja.TAILS.get(t.text, ()) for t in tokens[place + 1 : place + 2]):
            return None
        if not any(t.kind == "quote" for t in tokens[:place]):
            return ReportedSpeech(tokens[:mark], tokens[mark:place], token, tokens[after:])
    return None


def is_conversation(heard: PreparedText, lexicon: ParserContext, speech: ReportedSpeech) -> bool:
    """Whether it says with whom one talks, and not what is said: パンを食べて庭師と話す."""
    begun = len(speech.said)
    while begun > 0 and speech.said[begun - 1].kind in ("name", "title"):
        begun -= 1
    met = speech.verb.verb is not None and speech.verb.verb.word in ja.WORDS.conversing
    with_whom = is_person(lexicon, extract_words(heard, speech.said[begun:]))
    bare = [t.text for t in speech.frame if t.kind != "adverb"]
    return met and with_whom and bare == ["と"]


def split_deeds_before(
    heard: PreparedText, lexicon: ParserContext, said: list[Token]
) -> tuple[list[Token], list[Token]]:
    """Deeds of the speaker before the hearer of a few words, and the rest.

    傘を取って、ナナにおはようと言う takes the umbrella; ナナに、傘を取ってと言う, and any words that ask
    for a deed themselves, are only said.
    """
    for place in range(len(said) - 1, 1, -1):
        linked = [t for t in said[place - 2 : place] if t.verb and t.form in ("te", "stem")]
        after = next((n for n in range(place, len(said)) if said[n].text == "に"), place)
        name = extract_words(heard, said[place:after])
        if not (linked and said[place - 1].kind == "comma" and is_person(lexicon, name)):
            continue
        clauses, _ = split_clauses(said[:place])
        own = not any(has_subject(lexicon, clause, "がはも") for clause in clauses)
        first = find_hearer(heard, lexicon, said[:place])
        asks = any(t.verb and t.form in ("te", "imp", "plain", "vol") for t in said[after:])
        if own and not asks and not (first and clauses[0].word.asks not in ("give", "speak")):
            return [*said[: place - 2], linked[0]._replace(form="plain")], said[place:]
    return [], said


def make_report_claim(heard: PreparedText, lexicon: ParserContext, speech: ReportedSpeech) -> Claim:
    """The claim for reported words; those that only name a person are not understood."""
    content = extract_words(heard, speech.said)
    if is_person(lexicon, content) or fold_text(content) in ja.PEOPLE:
        return make_unrecognised_claim(extract_words(heard, speech.said + speech.frame))
    hearer = find_hearer(heard, lexicon, speech.said)
    if hearer and content.startswith(hearer):
        content = content[len(hearer) + 1 :]
    return {"type": "speak", "content": content.strip(COMMAS)}


def make_talk_claim(lexicon: ParserContext, parts: list[JapanesePart]) -> Claim | None:
    """Talk without what is said: ナナに話しかける, ナナに地下室のことを聞く."""
    hearers = [p for p in parts if p.particle in ("に", "へ", "と") and is_person(lexicon, p.words)]
    topics = [part for part in parts if part not in hearers]
    told = [p.words.endswith("の") for p in topics] == [True]  # 新聞の話をする
    if len(hearers) != 1 or not (
        told or [p.particle for p in topics] in ([], ["を"], ["について"])
    ):
        return None
    about = {"about": topics[0].words.removesuffix("の" if told else "のこと")} if topics else {}
    return {"type": "speak", "to": hearers[0].words} | about


def is_speaking(
    heard: PreparedText,
    lexicon: ParserContext,
    clauses: list[TokenClause],
    tokens: list[Token],
    *,
    asked: bool,
) -> bool:
    """Whether the sentence is about words to a person, and not told to the speaker."""
    last = clauses[-1] if clauses and not asked else None
    if last is None or last.word.asks != "speak" or last.word.word in ja.WORDS.telling:
        return False
    if last.verb.form == "stem" or "able" in last.verb.marks or last.has_tail("question"):
        return False
    return bool(find_hearer(heard, lexicon, tokens)) or any(map(is_quoting, tokens))
