"""Read English clauses that add to the story: “introduce a red cat named Tom”."""

import re
from typing import Any

from saniwa.language.en.clause import EnglishClause
from saniwa.language.lexicon import en
from saniwa.language.parser_context import Claim, ParserContext, strip_article

_ARTICLE = re.compile(r"^(?:the|an?|some)\s+", re.IGNORECASE)
_ANOTHER = re.compile(r"(?:,| and|, and) (?=an? )")
"""Between two that are introduced at once: "a cat named Tom and a dog named Rex"."""
_NAMING = re.compile(r" (?:named|called|by the name of|known as) ")
_ATTRIBUTIVE = re.compile(r",? (?:with|who|that|which|in|from|of|wearing) ")
_INTO_SCENE = re.compile(r",? (?:in)?to (?:the|this|our) (?:scene|room|story|world|game)$")


def claim_authoring(kind: str, clause: EnglishClause) -> list[Claim]:
    """“Introduce a red cat named Tom”, “describe Marta as tall”."""
    words = clause.extract(clause.rest)
    if kind == "describe":
        named, _, content = words.partition(" as ")
        return [{"type": kind, "target": named, "content": content}]
    words = _INTO_SCENE.sub("", words)
    if not words or " to " in words or strip_article(words) in en.SELF | {"yourself"}:
        clause.lose_words(words or clause.verb.phrase)
    parts = _ANOTHER.split(words)
    several = len(parts) > 1 and all(map(_NAMING.search, parts))
    return [_claim_introduction(part, clause.lexicon) for part in (parts if several else [words])]


def _claim_introduction(words: str, lexicon: ParserContext) -> Claim:
    """A name, a look, or both: "a red cat named Tom", "Tom, a red cat", "the old sailor"."""
    look, *named = _NAMING.split(words, maxsplit=1)
    name = "".join(named)
    if not name and "," in words:
        name, _, look = (part.strip() for part in words.partition(","))
    name = name.strip("“”\"' ") or _ARTICLE.sub("", words)
    if lexicon.find_bearers(name):
        return {"type": "introduce", "target": name}
    facts: dict[str, Any] = {"name": name}
    if look and look != words:
        # "The red cat" and "the cat" are Tom as well.
        alias = _ATTRIBUTIVE.split(_ARTICLE.sub("", look))[0]
        facts |= {"description": look, "aliases": [alias]}
    return {"type": "introduce", "target": name, "metadata": facts}
