"""Asks a model what a player's words mean; its claims are judged like any others.

`ModelListener` asks about everything, `HybridListener` only about unknown words.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from saniwa.agent.layer_contracts import QueryOptions, SdkBridge
from saniwa.agent.prompt_quoting import read_prompt
from saniwa.agent.reply_extraction import extract_object
from saniwa.agent.surroundings import list_names_around, render_json_line
from saniwa.language.mood import NO_COMMAND, find_unasked_mood, is_withheld, make_withheld_claim
from saniwa.language.parse import LONGEST_WORDS, parse
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    list_folded_names,
    make_unrecognised_claim,
)
from saniwa.language.text import fold_text, is_blank
from saniwa.models.metering import CallBudget
from saniwa.turn.claim_form import LONGEST_REFERENCE, SPOKEN_FIELDS, WIRE_FIELDS
from saniwa.world.actions import ACTIONS
from saniwa.world.model import Id, World
from saniwa.world.well_formedness_laws import LONGEST_TEXT

MOST_CLAIMS: Final = 16
"""The most claims of one answer; players never say more at once."""
LONGEST_ANSWER: Final = 20_000
"""The most characters of an answer that is read at all."""
_CLAIM_TOKENS: Final = 512
_CLAIM_SYSTEM_PROMPT: Final = read_prompt(__file__, "claims.en.md")


def list_claim_fields(kind: str) -> tuple[str, ...]:
    """List the fields of a claim of this type besides `type`; all are texts."""
    cls = ACTIONS[kind]
    fields = tuple(SPOKEN_FIELDS[role] for role in cls.roles)
    return (*fields, "content") if "content" in cls.__struct_fields__ else fields


def build_claims_schema(crafts: Sequence[str] = ()) -> dict[str, Any]:
    """Build the JSON Schema of an answer: a closed list of types and fields.

    `crafts` are the allowed manners of a `use`.
    """
    fields = sorted({field for kind in ACTIONS for field in list_claim_fields(kind)})
    manner = {"manner": {"type": "string", "enum": list(crafts)}} if crafts else {}
    claim = {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": sorted(ACTIONS)},
            **{field: {"type": "string"} for field in fields},
            **manner,
        },
        "required": ["type"],
        "additionalProperties": False,
    }
    claims = {"type": "array", "maxItems": MOST_CLAIMS, "items": claim}
    return {
        "type": "object",
        "properties": {"claims": claims},
        "required": ["claims"],
        "additionalProperties": False,
    }


CLAIM_OPTIONS: Final = QueryOptions(
    system=_CLAIM_SYSTEM_PROMPT, schema=build_claims_schema(), max_tokens=_CLAIM_TOKENS
)
"""How the question is asked; each time as the first of a new conversation."""


def build_claim_options(world: World) -> QueryOptions:
    """Return how the question is asked in a world: with its crafts, if any."""
    if not world.manners:
        return CLAIM_OPTIONS
    crafts = [manner.name for manner in world.manners]
    return msgspec.structs.replace(CLAIM_OPTIONS, schema=build_claims_schema(crafts))


def build_claim_question(text: str, actor: Id, world: World) -> str:
    """Build the question: what is around the actor, and the words as a quotation."""
    around = render_json_line(list_names_around(world, actor))
    taught = render_json_line([manner.name for manner in world.manners])
    crafts = f'A "use" may have one of these as its "manner":\n{taught}\n'
    known = crafts if world.manners else ""
    return f"What there is:\n{around}\n{known}The player says:\n{render_json_line(text)}"


_LONGEST_SHOWN = 80
_WORDS_FOR = {WIRE_FIELDS[role]: SPOKEN_FIELDS[role] for role in SPOKEN_FIELDS} | {
    r: SPOKEN_FIELDS[r] for r in SPOKEN_FIELDS
}
"""The field for words, for each spelling of the field for an id."""
_ACTOR = ("actorId", "actor_id", "actor")


def parse_claims(answer: str, words: str, lexicon: ParserContext) -> tuple[Claim, ...]:
    """Parse the claims of an answer about these words. Total: accepts any text."""
    claims = None if len(answer) > LONGEST_ANSWER else _read_claims(answer)
    if claims is None:
        problem = "answer too long" if len(answer) > LONGEST_ANSWER else "answer unreadable"
        return (_make_lost_claim(words, problem),)
    if not 0 < len(claims) <= MOST_CLAIMS:
        return (_make_lost_claim(words, "too many claims" if claims else "no claim"),)
    made = [one for each in claims for one in _make_claims(each, words, lexicon)]
    # Words that were not recognised are reported once.
    lost = [n for n, one in enumerate(made) if one["type"] == "unrecognised" and one in made[:n]]
    return tuple(one for n, one in enumerate(made) if n not in lost)


def _make_lost_claim(words: str, problem: str) -> Claim:
    return make_unrecognised_claim(
        " ".join(words[:LONGEST_WORDS].split())[:_LONGEST_SHOWN], problem
    )


def _read_claims(answer: str) -> list[Any] | None:
    """Return the claims of the object in the answer, ignoring text around it."""
    start, end = answer.find("{"), answer.rfind("}")
    parsed = extract_object(answer[start : end + 1])
    claims = parsed["claims"] if parsed is not None and set(parsed) == {"claims"} else None
    return claims if isinstance(claims, list) else None


def _make_claims(claim: object, words: str, lexicon: ParserContext) -> list[Claim]:
    plain = _to_plain_claim(claim, lexicon)
    if plain is None:
        return [_make_lost_claim(words, "no such claim")]
    if plain["type"] == "speak" and is_blank(plain.get("content", "-")):
        return [make_unrecognised_claim("“”", "nothing said")]
    return [
        one
        for each in lexicon.settle_destination(plain)
        for one in lexicon.split_open_with_tool(each)
    ]


def _to_plain_claim(claim: object, lexicon: ParserContext) -> Claim | None:
    """Return the claim in words alone; None if it is invalid, or for another actor."""
    if not isinstance(claim, dict) or claim.get("type") not in _ACTION_TYPES:
        return None
    kind = str(claim["type"])
    fields: Claim = {
        _WORDS_FOR.get(str(key), str(key)): v for key, v in claim.items() if _has_value(v)
    }
    if len(fields) < sum(_has_value(value) for value in claim.values()):
        return None
    for key in _ACTOR:
        if key in fields and not _is_own_name(fields.pop(key), lexicon):
            return None
    known = {"type", *list_claim_fields(kind)}
    # Only things that an author made openable with a tool take one;
    # `split_open_with_tool` makes two claims of it.
    known |= {"tool"} if kind == "open" else set()
    known |= {"manner"} if kind == "use" else set()
    for key, value in fields.items():
        longest = LONGEST_TEXT if key == "content" else LONGEST_REFERENCE
        if key not in known or not isinstance(value, str) or len(value) > longest:
            return None
    return fields


_ACTION_TYPES = tuple(ACTIONS)


def _has_value(value: object) -> bool:
    """Whether a value is given: a schema makes models fill fields with empty values."""
    return value is not None and value != ""


def _is_own_name(name: object, lexicon: ParserContext) -> bool:
    me = lexicon.world.entities.get(lexicon.actor)
    return isinstance(name, str) and me is not None and fold_text(name) in list_folded_names(me)


class _ClaimAsker:
    """Asks a model what words mean."""

    def __init__(self, bridge: SdkBridge) -> None:
        """Use this bridge to ask."""
        self._bridge = bridge

    async def _ask_claims(
        self, text: str, actor: Id, world: World, calls: CallBudget
    ) -> tuple[Claim, ...] | None:
        """Return the model's claims for the words; None if no call is left.

        No model may turn a report, a guess, a wish or what another character does into
        an action: it is not asked, and the claim says why nothing is done.
        """
        reading = find_unasked_mood(text, ParserContext.from_world(world, actor).people)
        if reading.mood in NO_COMMAND:
            return (make_withheld_claim(" ".join(text.split())[:_LONGEST_SHOWN], reading),)
        if not calls.take():
            return None
        answer = await self._bridge.query(
            build_claim_question(text, actor, world), build_claim_options(world)
        )
        # A partial answer makes no claim.
        text_or_empty = answer.text if answer.is_whole else ""
        return parse_claims(text_or_empty, text, ParserContext.from_world(world, actor))


class ModelListener(_ClaimAsker):
    """Asks the model about everything that is said.

    The phrase parser handles only what no model is asked about: empty input, input that
    is too long, words that are not a command, and words for which no call is left.
    """

    async def listen(
        self, text: str, actor: Id, world: World, calls: CallBudget
    ) -> Sequence[object]:
        """Return the model's claims for the words.

        Raises:
            SdkBridgeError: The model could not be asked.
        """
        claims = parse(text, actor, world)
        if is_blank(text) or len(text) > LONGEST_WORDS:
            return claims
        # No model may turn a question into an action: a line that asks for nothing,
        # even in part, is parsed by phrases, and the turn says why it did nothing.
        if any(map(is_withheld, claims)):
            return claims
        asked = await self._ask_claims(text, actor, world, calls)
        return claims if asked is None else asked


class HybridListener(_ClaimAsker):
    """Parses by phrases, and asks the model only about words that no phrase matches."""

    async def listen(
        self, text: str, actor: Id, world: World, calls: CallBudget
    ) -> Sequence[object]:
        """Return the parser's claims, with the model's in place of unknown words.

        Raises:
            SdkBridgeError: The model could not be asked.
        """
        result: list[Claim] = []
        claims = parse(text, actor, world)
        for claim in claims:
            # An action that cannot be done is still understood.
            unknown = claim["type"] == "unrecognised" and "problem" not in claim
            # Words that were not understood at all are quoted shortened; ask about all
            # of them.
            words = text if len(claims) == 1 else str(claim.get("words", ""))
            asked = await self._ask_claims(words, actor, world, calls) if unknown else None
            result += (claim,) if asked is None else asked
        return result
