"""Names of nothing there is: things, people and places a model has made up."""

from collections.abc import Iterator

from saniwa.agent.translate.truth import nouns_en, nouns_ja
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Telling, script
from saniwa.core.quoted import quoted
from saniwa.turn.trace import Flag


def unknown(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each noun the viewer could not know of, and each word in no language of ours."""
    reader = nouns_ja if facts.after.language == "ja" else nouns_en
    for words in (*reader.unknown_nouns(telling, facts), *_foreign(telling, facts)):
        yield Flag(
            kind="unknown",
            words=words[:80],
            message=f"there is nothing here called {quoted(words)}",
        )


def _foreign(telling: Telling, facts: Facts) -> Iterator[str]:
    """Words in letters the language does not use, unless the viewer has met them."""
    own = ("latin",) if facts.after.language != "ja" else ("kana", "katakana", "kanji")
    word = ""
    for letter in f"{telling.low} ":
        if letter.isalpha() and script(letter) not in own:
            word += letter
        elif word:
            if word not in facts.corpus:
                yield word
            word = ""
