"""Builds the prompt of a turn: an edition's text, filled in for one condition.

An edition has two parts, separated by a line `---`: the system text, and the text about
this turn. Names in braces are filled in; nothing else in it is special. Facts and
guidance cards can also be read back from a prompt, which stand-ins do.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from saniwa.agent.prompt_quoting import flatten_line, quote
from saniwa.core.text import truncate
from saniwa.experiment.cell_outcome import Intent
from saniwa.models.oracle import OracleMessage, OracleRequest
from saniwa.world.model import Id, World
from saniwa.world.perceived_scene import Scene, build_scene

NO_NAMES: Final = "(none)"
"""The text for an empty list of names."""
MAX_NAMES: Final = 12
"""The most names in a row."""
_LONGEST_NAME: Final = 60
_MORE: Final = re.compile(r"(?:(?<!\s)\s++)?\(\+\d++ more\)\s*$")


@lru_cache(maxsize=1024)
def flatten_name(name: str) -> str:
    """Return a name for use in a row: one line, no markup, no comma.

    Cached, because the same names occur turn after turn.
    """
    return truncate(flatten_line(name).replace(",", "，"), _LONGEST_NAME)


def render_names(names: Iterable[str]) -> str:
    """Render names in a row; of many the first, and how many more there are."""
    shown = [flatten_name(name) for name in names]
    if not shown:
        return NO_NAMES
    more = len(shown) - MAX_NAMES
    return ", ".join(shown[:MAX_NAMES]) + (f" (+{more} more)" if more > 0 else "")


def parse_names(row: str) -> tuple[str, ...]:
    """Parse the names of a row; those that were only counted are lost."""
    bare = _MORE.sub("", row.strip())
    if not bare or bare == NO_NAMES:
        return ()
    return tuple(name for part in bare.split(",") if (name := part.strip()))


FACTS_HEADING: Final = "[WORLD]"
"""The first line of the facts."""
_ROW_FIELDS: Final = {
    "OBJECTS_HERE": "objects",
    "HOLDING": "holding",
    "EXITS": "exits",
    "PEOPLE_HERE": "people",
    "HELD_BY_OTHERS": "theirs",
    "CLOSED_HERE": "closed",
    "LOCKED_HERE": "locked",
}
"""The field of each row of names."""
FACT_ROWS: Final = ("PLACE", *_ROW_FIELDS)
"""The labels of the rows."""
_CARD_ROWS: Final = ("OBJECTS_HERE", "HOLDING", "EXITS")
"""The rows of a guidance card: what can be acted on instead."""
_ROW: Final = re.compile(r"^(?:AVAILABLE_)?([A-Z_]+):(.*)$", re.M)


class SpeakerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The surroundings of a speaker."""

    place: str = ""
    """The place's name; empty for a character who is nowhere."""
    objects: tuple[str, ...] = ()
    """What is here and not held by a character; doors too."""
    holding: tuple[str, ...] = ()
    """What the speaker holds."""
    exits: tuple[str, ...] = ()
    """The places that can be reached from here."""
    people: tuple[str, ...] = ()
    """The other characters who are here."""
    theirs: tuple[str, ...] = ()
    """What those characters hold."""
    closed: tuple[str, ...] = ()
    """Which of the objects and exits are closed."""
    locked: tuple[str, ...] = ()
    """Which of those are locked."""


def collect_facts(world: World, who: Id) -> SpeakerFacts:
    """Collect what is true around a character; the cost grows with the scene."""
    seen = build_scene(world, who)
    people = {person.id for person in seen.people}
    return SpeakerFacts(
        place=seen.place.name if seen.place else "",
        objects=tuple(t.name for t in seen.things if t.at not in people),
        holding=tuple(thing.name for thing in seen.holding),
        exits=tuple(way.name for way in seen.exits),
        people=tuple(person.name for person in seen.people),
        theirs=tuple(t.name for t in seen.things if t.at in people),
        closed=_list_shut(seen, locked=False),
        locked=_list_shut(seen, locked=True),
    )


def _list_shut(seen: Scene, *, locked: bool) -> tuple[str, ...]:
    things = [t.name for t in seen.things if (t.locked if locked else t.closed)]
    ways = [w.name for w in seen.exits if (w.locked if locked else w.closed)]
    return (*things, *ways)


def render_facts(facts: SpeakerFacts) -> str:
    """Render the facts for a prompt."""
    rows = _render_rows(facts, _ROW_FIELDS)
    return f"{FACTS_HEADING}\nPLACE: {flatten_name(facts.place)}\n{rows}"


def _render_rows(facts: SpeakerFacts, labels: Iterable[str]) -> str:
    """Render labelled rows of names, one per line."""
    rows = ((label, getattr(facts, _ROW_FIELDS[label])) for label in labels)
    return "\n".join(f"{label}: {render_names(names)}" for label, names in rows)


def read_facts(text: str) -> SpeakerFacts | None:
    """Read the facts from rows in a text; None if it has none.

    Rows may be among other text; `AVAILABLE_EXITS:` means `EXITS:`, and of two rows
    with the same label the last counts.
    """
    found = {label: row.strip() for label, row in _ROW.findall(text)}
    if not found.keys() & {*_CARD_ROWS}:
        return None
    rows = {name: parse_names(found.get(label, "")) for label, name in _ROW_FIELDS.items()}
    return SpeakerFacts(place=found.get("PLACE", ""), **rows)


CARD_BEGIN: Final = "<<<SYSTEM_SIGNAL>>>"
CARD_END: Final = "<<<END_SIGNAL>>>"
GIVE_UP: Final = "[GIVE_UP]"
"""The prefix of a turn's last card if no attempt is left."""
_PATTERNS: Final = """\
*take X* / *Xを取る*: X is in OBJECTS_HERE
*go to X* / *Xへ行く*: X is in EXITS
*put X in Y* / *XをYに入れる*: X is in HOLDING
speech without asterisks"""
_GO_ON: Final = "Act only on what is listed. Do not repeat the blocked action."
_LAST: Final = "Use one of the patterns with a listed name, or only speak."
_ATTEMPT: Final = re.compile(r"^\[CONSTRAINT\] Attempt (\d{1,6}) of (\d{1,6})\.", re.M)
_LONGEST_CARD_TEXT: Final = 200
CARD_WORDS: Final = ("ERROR_CODE", "BLOCKED_TARGET", "REASON")
"""The labels of a card's lines about the blocked attempt."""
_LINE: Final = re.compile(rf"^\[({'|'.join(CARD_WORDS)})\] ?(.*)$", re.M)


class GuidanceSignal(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed guidance card."""

    code: str = ""
    """Why the action was blocked, such as `MISSING_OBJECT`."""
    target: str = ""
    """The target that was blocked."""
    reason: str = ""
    """The refusal in a sentence."""
    facts: SpeakerFacts = SpeakerFacts()
    """What can be acted on instead."""
    made: int = 0
    """Attempts made before it; 0 if the card does not say."""
    last: bool = False
    """Whether only one attempt is left."""


def write_guidance_card(refused: Intent, facts: SpeakerFacts, made: int, most: int) -> str:
    """Write the card for an intent refused after `made` of at most `most` attempts."""
    constraint = _LAST if made + 1 == most else _GO_ON
    return "\n".join(
        (
            CARD_BEGIN,
            f"[ERROR_CODE] {refused.deny_code}",
            f"[BLOCKED_TARGET] {truncate(flatten_line(refused.target), _LONGEST_CARD_TEXT)}",
            f"[REASON] {truncate(flatten_line(refused.message), _LONGEST_CARD_TEXT)}",
            "[ALTERNATIVES]",
            _render_rows(facts, _CARD_ROWS),
            "[ALLOWED_ACTION_PATTERNS]",
            _PATTERNS,
            f"[CONSTRAINT] Attempt {made + 1} of {most}. {constraint}",
            CARD_END,
        )
    )


def write_give_up_card(refused: Intent) -> str:
    """Write the card of a turn whose last attempt was refused too."""
    target = truncate(flatten_line(refused.target), _LONGEST_CARD_TEXT)
    return f"{GIVE_UP} {refused.deny_code} {target}".rstrip()


def read_guidance_card(text: str) -> GuidanceSignal | None:
    """Read the last guidance card in a text; None if there is none."""
    # Only at the start of a line: quoted speech always follows a name.
    start = f"\n{text}".rfind(f"\n{CARD_BEGIN}\n")
    if start < 0:
        return None
    card = text[start:].split(CARD_END, 1)[0]
    found = dict(_LINE.findall(card))
    attempt = _ATTEMPT.search(card)
    number, most = map(int, attempt.groups()) if attempt else (1, 0)
    return GuidanceSignal(
        code=found.get("ERROR_CODE", "").strip(),
        target=found.get("BLOCKED_TARGET", "").strip(),
        reason=found.get("REASON", "").strip(),
        facts=read_facts(card) or SpeakerFacts(),
        made=number - 1,
        last=number == most,
    )


PART_SEPARATOR: Final = "\n---\n"
"""The separator between an edition's two parts."""
REMEMBERED_LINES: Final = 12
"""Lines of the transcript that are repeated in a prompt."""
_LONGEST_LINE: Final = 300
_NAME: Final = re.compile(r"\{([a-z_]+)\}")
_GAPS: Final = re.compile(r"\n{3,}")
_LANGUAGES: Final = {"en": "English", "ja": "Japanese"}


class TranscriptLine(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was said and done where the speaker could hear it."""

    who: str
    """The name of the character who said it."""
    text: str
    """What was said and done, as the others perceived it."""


class SpeakerBrief(msgspec.Struct, frozen=True, kw_only=True):
    """The prompt of one speaker for one attempt; its fields are an edition's names."""

    name: str
    """The name of the character to play."""
    description: str = ""
    """The author's description of the character."""
    others: tuple[str, ...] = ()
    """The rest of the cast, by name."""
    language: str = "en"
    """The language to speak."""
    turn: int = 0
    """The number of the turn; from 0."""
    opening: str = ""
    """The author's opening text."""
    goals: tuple[str, ...] = ()
    """The character's goals."""
    transcript: tuple[TranscriptLine, ...] = ()
    """The lines that the speaker could hear; the prompt repeats the last of them."""
    facts: str = ""
    """What is true here; empty if nothing is injected."""
    cards: tuple[str, ...] = ()
    """The game master's facts about the turn before."""
    guidance: str = ""
    """The card for the last attempt."""


PLACEHOLDERS: Final = SpeakerBrief.__struct_fields__
"""The names that an edition may use."""


def build_request(
    brief: SpeakerBrief, edition: str, *, max_tokens: int, temperature: float, seed: int
) -> OracleRequest:
    """Return the complete request to the model."""
    nobody = "なし" if brief.language == "ja" else "nobody"
    filled = {
        "name": flatten_line(brief.name),
        "description": flatten_line(brief.description),
        "others": ", ".join(map(flatten_line, brief.others)) or nobody,
        "language": _LANGUAGES.get(brief.language, "English"),
        "turn": str(brief.turn),
        "opening": flatten_line(brief.opening),
        "goals": "\n".join(f"- {flatten_line(goal)}" for goal in brief.goals),
        "transcript": render_transcript(brief.transcript, brief.language),
        "facts": brief.facts,
        "cards": "\n".join(brief.cards),
        "guidance": brief.guidance,
    }
    about, _, now = edition.partition(PART_SEPARATOR)
    return OracleRequest(
        messages=(OracleMessage(role="user", text=_fill_names(now, filled)),),
        system=_fill_names(about, filled),
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
    )


def render_transcript(lines: Sequence[TranscriptLine], language: str) -> str:
    """Render the last lines; no character's text can imitate another's line."""
    rendered = []
    for line in lines[-REMEMBERED_LINES:]:
        words = quote(line.text, language, _LONGEST_LINE)
        rendered.append(f"{truncate(flatten_line(line.who), 60)}: {words}")
    return "\n".join(rendered)


def find_unknown_names(edition: str) -> tuple[str, ...]:
    """List the names in braces that nothing fills, in order."""
    named = _NAME.findall(edition)
    return tuple(dict.fromkeys(n for n in named if n not in PLACEHOLDERS))


def _fill_names(text: str, filled: dict[str, str]) -> str:
    """Fill in the names once: text that was filled in is not searched again."""
    result = _NAME.sub(lambda found: filled.get(found[1], found[0]), text)
    return _GAPS.sub("\n\n", result).strip()
