"""Parse text into untrusted claims by phrases: English and Japanese, without a model.

Never raises, never changes anything, and takes time proportional to the length of the
text. Words that are not understood become a claim that contains them.
"""

import re

from saniwa.language.en.headings import is_english_choice, read_english_heading
from saniwa.language.en.parser import parse_english
from saniwa.language.en.words import correct_slips
from saniwa.language.host_commands import find_host_command, is_repetition
from saniwa.language.ja.parser import parse_japanese
from saniwa.language.layout import LaidOutText, read_layout
from saniwa.language.mood import COMMAND, SentenceMood, find_unasked_mood, make_withheld_claim
from saniwa.language.name_index import index_world_names
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    make_unrecognised_claim,
    strip_article,
)
from saniwa.language.text import PreparedText, is_blank, prepare_text
from saniwa.world.model import Id, World

LONGEST_WORDS = 20_000
"""The most characters of one utterance."""
MOST_SPOKEN = 200
"""The most claims of one utterance; each of them is matched against the whole scene."""
_SHOWN = 80
_JAPANESE = re.compile("[ぁ-ゖァ-ヺ一-鿿々〆]")
_LATIN = re.compile("[a-z]")


def parse(text: str, actor: Id, world: World, *, narrated: bool = False) -> tuple[Claim, ...]:
    """The claims in the text, in order; empty for text with nothing to read in it.

    The words decide the language; the world's language is used if they do not. A
    sentence that asks for nothing becomes a claim with its words. With `narrated`, a
    character describes their actions: a look at a person is a gesture, and a clause
    that is not understood does not stop the others.
    """
    if is_blank(text):
        return ()
    if len(text) > LONGEST_WORDS:
        return (make_unrecognised_claim(text[:_SHOWN], "too long"),)
    command = None if narrated else find_host_command(text)
    if command is not None and command.name != "inventory":
        return ({"type": "host", "command": command.name, "words": text.strip()},)
    if not narrated and is_repetition(text):
        # A run repeats its last line instead.
        return (make_unrecognised_claim(text.strip(), "nothing to repeat"),)
    laid_out = _read_layout(text)
    withheld = tuple(
        make_withheld_claim(" ".join(words.split()), SentenceMood(mood))
        for words, mood in laid_out.withheld
    )
    if is_blank(laid_out.text):
        return withheld[:MOST_SPOKEN]
    claims = _parse_lines(laid_out.text, actor, world, narrated=narrated)
    return (*claims, *withheld[: max(0, MOST_SPOKEN - len(claims))])


def _read_layout(text: str) -> LaidOutText:
    """The text without what its layout withholds."""
    if _JAPANESE.search(text):
        return read_layout(text)
    return read_layout(text, read_english_heading, is_english_choice)


def _parse_lines(text: str, actor: Id, world: World, *, narrated: bool) -> tuple[Claim, ...]:
    """The claims in a text whose layout withholds nothing."""
    heard = prepare_text(text, ())
    index = index_world_names(world)
    heard = correct_slips(heard, index.find_in_text(heard.low))
    # One character can fold to eighteen: some ligatures unfold into whole phrases.
    if len(heard.text) > 2 * LONGEST_WORDS:
        return (make_unrecognised_claim(text[:_SHOWN], "too long"),)
    lexicon = ParserContext.from_world(world, actor, heard, narrated=narrated)
    labels = (label for label in lexicon.labels if label in heard.low)
    names = frozenset((*index.find_in_text(heard.low), *labels))
    claims = _parse_with_names(heard, names, lexicon)
    if not claims:
        return (make_unrecognised_claim(" ".join(text.split())[:_SHOWN]),)
    if _begins_with_address(claims, lexicon):
        said = " ".join(text.split())
        return ({"type": "speak", "to": claims[0]["words"], "content": said, "request": True},)
    made = tuple(made for claim in claims for made in _finish_claim(claim, lexicon))
    if len(made) <= MOST_SPOKEN:
        return made
    return (*made[:MOST_SPOKEN], make_unrecognised_claim(text[:_SHOWN], "too long"))


def _finish_claim(claim: Claim, lexicon: ParserContext) -> list[Claim]:
    """The claims that a claim stands for; the deed that a question is about becomes the same."""
    if claim["type"] == "question" and "deed" in claim:
        deed = [made for each in claim["deed"] for made in _finish_claim(each, lexicon)]
        return [claim | {"deed": deed}]
    return lexicon.split_open_with_tool(_reject_empty_speech(_withhold(claim, lexicon)))


def _withhold(claim: Claim, lexicon: ParserContext) -> Claim:
    """The claim; words that no phrase matches and that ask for nothing say so."""
    if claim["type"] != "unrecognised" or not {"problem", "leftover"}.isdisjoint(claim):
        return claim
    reading = find_unasked_mood(claim["words"], lexicon.people)
    return claim if reading == COMMAND else make_withheld_claim(claim["words"], reading)


def _reject_empty_speech(claim: Claim) -> Claim:
    """The claim; speech without a word in it becomes an unrecognised claim."""
    if claim["type"] == "speak" and is_blank(claim.get("content", "-")):
        return make_unrecognised_claim("“”", "nothing said")
    return claim


def _parse_with_names(
    heard: PreparedText, names: frozenset[str], lexicon: ParserContext
) -> tuple[Claim, ...]:
    plain = heard.low.isascii() and lexicon.world.language == "en"
    if not plain and detect_language(heard.mask_names(names), lexicon.world.language) == "ja":
        return parse_japanese(heard, lexicon)
    # A one-word name can also be a verb: only its position decides.
    covered = heard.mask_names(n for n in names if not n.isalnum())
    claims = parse_english(covered, lexicon)
    if covered.mask == heard.mask or not _find_unrecognised(claims):
        return claims
    # A masked name may have hidden a verb.
    bare = parse_english(heard, lexicon)
    return claims if len(_find_unrecognised(claims)) <= len(_find_unrecognised(bare)) else bare


def _begins_with_address(claims: tuple[Claim, ...], lexicon: ParserContext) -> bool:
    """Whether it begins by addressing a person, who is then the one to act."""
    first = claims[0]
    called = first["type"] == "unrecognised" and first.get("words", "")
    return bool(called) and strip_article(called) in lexicon.people


def _find_unrecognised(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    return tuple(c for c in claims if c["type"] == "unrecognised")


def detect_language(heard: PreparedText, otherwise: str) -> str:
    """`ja` or `en`, by the characters outside names and quotations."""
    if _JAPANESE.search(heard.mask):
        return "ja"
    return "en" if _LATIN.search(heard.mask) else otherwise
