"""A model that listens: it guesses what was meant, and its guesses are weighed."""

from collections.abc import Sequence

from saniwa.agent.contract import SdkBridge
from saniwa.agent.translate.asking import options, question
from saniwa.agent.translate.calls import Calls
from saniwa.agent.translate.claims import claims_in
from saniwa.turn.mood import is_withheld
from saniwa.turn.parse import LONGEST_WORDS, parse
from saniwa.turn.rough import Claim, Lexicon
from saniwa.turn.spoken import blank
from saniwa.world.model import Id, World


class _Asker:
    """Asks a model what words mean."""

    def __init__(self, bridge: SdkBridge) -> None:
        """A listener that asks through this bridge."""
        self._bridge = bridge

    async def _meant(self, text: str, actor: Id, world: World) -> tuple[Claim, ...]:
        answer = await self._bridge.query(question(text, actor, world), options(world))
        # A part of an answer makes no claim.
        said = answer.text if answer.is_whole else ""
        return claims_in(said, text, Lexicon.of(world, actor))


class ModelListener(_Asker):
    """Asks the model about everything that is said.

    By phrases it hears only what no model is asked about: nothing at all, more than
    anybody can take in, words that are no command, and words for which no call is left.
    """

    async def listen(
        self, text: str, actor: Id, world: World, calls: Calls
    ) -> Sequence[object]:
        """The claims the model makes of the words.

        Raises:
            SdkBridgeError: The model could not be asked.
        """
        if blank(text) or len(text) > LONGEST_WORDS:
            return parse(text, actor, world)
        heard = parse(text, actor, world)
        # No model makes a deed of a question: a line that asks for nothing, even in
        # part, is heard by phrases, and the turn says why it did nothing.
        if any(map(is_withheld, heard)) or not calls.take():
            return heard
        return await self._meant(text, actor, world)


class HybridListener(_Asker):
    """Hears by phrases, and asks the model only about words no phrase knows."""

    async def listen(
        self, text: str, actor: Id, world: World, calls: Calls
    ) -> Sequence[object]:
        """The claims of the phrases, and the model's in place of unknown words.

        Raises:
            SdkBridgeError: The model could not be asked.
        """
        heard: list[Claim] = []
        claims = parse(text, actor, world)
        for claim in claims:
            if not _unknown(claim) or not calls.take():
                heard.append(claim)
                continue
            # Words that were not understood at all are quoted short; ask for all of them.
            words = text if len(claims) == 1 else claim["words"]
            heard += await self._meant(words, actor, world)
        return heard


def _unknown(claim: Claim) -> bool:
    """Whether no phrase knows the words; a deed that cannot be done is understood."""
    return claim["type"] == "unrecognised" and "problem" not in claim
