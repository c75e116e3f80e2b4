"""Text into rough claims, by phrases: English and Japanese, no model.

A guess for normalisation to weigh. Never raises, never changes anything, takes time in
step with the length of the text; what nobody understands comes back as words.
"""

import re

from saniwa.turn.english import parse_english
from saniwa.turn.index import names_of_world
from saniwa.turn.japanese import parse_japanese
from saniwa.turn.rough import Claim, Lexicon, plain, unrecognised
from saniwa.turn.spoken import Heard, blank, hear
from saniwa.world.model import Id, World

LONGEST_WORDS = 20_000
"""Letters one utterance may have."""
MOST_SPOKEN = 200
"""Claims one utterance may make; every one of them is looked for among all there is."""
_SHOWN = 80
_JAPANESE = re.compile("[ぁ-ゖァ-ヺ一-鿿々〆]")
_LATIN = re.compile("[a-z]")


def parse(
    text: str, actor: Id, world: World, *, narrated: bool = False
) -> tuple[Claim, ...]:
    """The claims in the text, in order; none for text with nothing to read in it.

    The words themselves choose the language; the world's counts where they do not. A
    sentence that asks for nothing comes back as its words. With `narrated` a character
    tells what they do: a look at a person is a gesture, and a clause that is not
    understood does not stop the others.
    """
    if blank(text):
        return ()
    if len(text) > LONGEST_WORDS:
        return (unrecognised(text[:_SHOWN], "too long"),)
    lexicon = Lexicon.of(world, actor, narrated=narrated)
    heard = hear(text, ())
    # One letter can stand for eighteen: some ligatures unfold into whole sentences.
    if len(heard.text) > 2 * LONGEST_WORDS:
        return (unrecognised(text[:_SHOWN], "too long"),)
    labels = (label for label in lexicon.labels if label in heard.low)
    names = frozenset((*names_of_world(world).said_in(heard.low), *labels))
    claims = _claims(heard, text, names, lexicon)
    if not claims or _addressed(claims, lexicon):
        return (unrecognised(" ".join(text.split())[:_SHOWN]),)
    made = tuple(made for c in claims for made in lexicon.opened(_voiced(c)))
    if len(made) <= MOST_SPOKEN:
        return made
    return (*made[:MOST_SPOKEN], unrecognised(text[:_SHOWN], "too long"))


def _voiced(claim: Claim) -> Claim:
    """The claim; speech without a word in it is no speech."""
    if claim["type"] == "speak" and blank(claim.get("content", "-")):
        return unrecognised("“”", "nothing said")
    return claim


def _claims(
    heard: Heard, text: str, names: frozenset[str], lexicon: Lexicon
) -> tuple[Claim, ...]:
    if language(hear(text, names), lexicon.world.language) == "ja":
        # One letter can also begin a verb (下 in 下りる), and has no particle inside.
        covered = hear(text, (n for n in names if len(n) > 1))
        reader = parse_japanese
    else:
        # In English a name of one word can also be a verb: only the verb's place tells.
        covered = hear(text, (n for n in names if not n.isalnum()))
        reader = parse_english
    claims = reader(covered, lexicon)
    if covered.mask == heard.mask or not _lost(claims):
        return claims
    # A name may have swallowed a verb (a place called 外 in 外す).
    bare = reader(heard, lexicon)
    return claims if len(_lost(claims)) <= len(_lost(bare)) else bare


def _addressed(claims: tuple[Claim, ...], lexicon: Lexicon) -> bool:
    """Whether it begins by calling somebody: then it is not the speaker who should act."""
    first = claims[0]
    called = first["type"] == "unrecognised" and first.get("words", "")
    return bool(called) and plain(called) in lexicon.people


def _lost(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    return tuple(c for c in claims if c["type"] == "unrecognised")


def language(heard: Heard, otherwise: str) -> str:
    """`ja` or `en`, by the letters outside names and quotations."""
    if _JAPANESE.search(heard.mask):
        return "ja"
    return "en" if _LATIN.search(heard.mask) else otherwise
