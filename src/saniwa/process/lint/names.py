"""Check names: duplicates, reserved and unknown names, and names that look alike."""

import re
import unicodedata
from collections.abc import Callable, Iterable

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import CREATED, DECISIONS, MIGRATED, PERSON_ROLES, WILDCARD
from saniwa.process.format.draft import Part, PlacedPart, ProcessDraft, check_name

# Capital letters, by script: Cyrillic, Greek.
_CAPITAL_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԌԜѴ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abesijkmhopctyxgwv" + "abezhikmnoptyx"
)
# Small letters, and letters of scripts without case: Cyrillic, Greek, Armenian, Coptic,
# Cherokee, Lisu, then letters with irregular Unicode names, and digits.
_SMALL_LOOKALIKES = str.maketrans(
    "аеѕіјорсухԁһԛԝѵгпи"
    "вкмнтєҽԑѡшԍӏ"
    "αεγικνορτυχωϲϳη"
    "օհոսցյ"
    "ⲁⲉⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏴ"
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
    "ıɑɛɡɩƿȷ01",
    "aesijopcyxdhqwvrnu"
    "bkmhteeewwgi"
    "aeyikvoptuxwcjn"
    "ohnugj"
    "aehikmnopcty"
    "drtiyajewmhyghzrwsvslcpkdb"
    "bpdtgkjczfmnlsrvhwxyaeiou"
    "iaegipjol",
)
# `ᴠ` is "LATIN LETTER SMALL CAPITAL V", `ƥ` is "LATIN SMALL LETTER P WITH HOOK".
_match_latin_name = re.compile(
    r"(?:LATIN (?:SMALL LETTER|CAPITAL LETTER|LETTER SMALL CAPITAL)|INDICATOR SYMBOL LETTER)"
    r"(?: (?:BLACKLETTER|DOTLESS|INSULAR|SCRIPT|SMALL CAPITAL|TAILLESS))* ([A-Z])(?: WITH .*)?$"
).search
# Unicode does not class these as marks or formats, and yet they are invisible.
_INVISIBLE_CHARACTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0_-")
_INVISIBLE_CATEGORIES = frozenset({"Cf", "Cc", "Mn", "Me", "Zs", "Pd", "Pc"})


def fold_lookalikes(name: str) -> str:
    """Fold a name to what a hasty reader sees; equal results are easily confused."""
    parted = unicodedata.normalize("NFKD", name).translate(_CAPITAL_LOOKALIKES)
    folded = unicodedata.normalize("NFKD", parted.casefold()).translate(_SMALL_LOOKALIKES)
    return "".join(map(_fold_letter, folded))


def _fold_letter(letter: str) -> str:
    """Fold a letter: the Latin one it resembles, itself, or nothing if invisible."""
    if letter in _INVISIBLE_CHARACTERS or unicodedata.category(letter) in _INVISIBLE_CATEGORIES:
        return ""
    if letter.isascii():
        return letter
    found = _match_latin_name(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter


def check_misleading_names(page: Findings, draft: ProcessDraft) -> None:
    """Report events that look like a decision, and roles that look like a person's."""
    decisions = {fold_lookalikes(name): name for name in sorted(DECISIONS)}
    people = {fold_lookalikes(name): name for name in sorted(PERSON_ROLES)}
    for event in draft.events:
        _report_misleading_name(
            page, event.part.name, event.find_path("name"), decisions, "a decision"
        )
    for way in draft.transitions:
        if way.part.after:
            _report_misleading_name(
                page, way.part.event, way.find_path("event"), decisions, "a decision"
            )
    for role in draft.roles:
        _report_misleading_name(
            page, role.part.name, role.find_path("name"), people, "a person's role"
        )


def _report_misleading_name(
    page: Findings, name: str, path: KeyPath, known: dict[str, str], what: str
) -> None:
    meant = known.get(fold_lookalikes(name))
    if meant is not None and meant != name:
        page.add_error(
            "NAME_MISLEADING",
            f"{name!a} looks like {what}, {meant!r}, and is none",
            path,
            hint=f"write {meant!r} if you mean it, else choose another name",
        )


_GATE_EVENTS = (CREATED, MIGRATED)
_WILDCARD_HINT = "'*' stands for no state: write one transition for each"


def check_names(page: Findings, draft: ProcessDraft) -> None:
    """Report duplicates, reserved names, and transitions that name unknown parts."""
    _check_unique(page, draft.states, lambda p: p.name, "DUPLICATE_STATE_NAME", "state")
    _check_unique(page, draft.events, lambda p: p.name, "DUPLICATE_EVENT_NAME", "event")
    _check_unique(page, draft.roles, lambda p: p.name, "DUPLICATE_ROLE_NAME", "role")
    _check_unique(page, draft.artifacts, lambda p: p.type, "DUPLICATE_ARTIFACT_TYPE", "kind")
    for event in draft.events:
        _check_reserved(page, event.part.name, event.find_path("name"))
    _check_initial_state(page, draft)
    _check_transitions(page, draft)


def _check_unique(
    page: Findings,
    placed: Iterable[PlacedPart[Part]],
    name_of: Callable[[Part], str],
    code: str,
    what: str,
) -> None:
    first: dict[str, KeyPath] = {}
    for each in placed:
        name = name_of(each.part)
        here = each.find_path("type" if what == "kind" else "name")
        if name in first:
            line = page.document.locate(first[name]).line
            page.add_error(
                code,
                f"there are two {what}s named {quote_value(name)}",
                here,
                hint=f"line {line} has the first; give one of them another name"
                if line
                else "give one of them another name",
            )
        else:
            first[name] = here


def _check_reserved(page: Findings, name: str, path: KeyPath) -> None:
    if name in _GATE_EVENTS:
        page.add_error(
            "NAME_RESERVED",
            f"{name!r} is an event of the gate itself",
            path,
            hint="give the event another name",
        )


def _check_initial_state(page: Findings, draft: ProcessDraft) -> None:
    known = {state.part.name for state in draft.states}
    named = draft.header.get("initial_state")
    if named is not None and named not in known and draft.has_parts("states"):
        page.add_error(
            "INVALID_INITIAL_STATE",
            f"'initial_state' names {quote_value(named)}, and there is no such state",
            draft.find_path("initial_state"),
            hint=page.suggest_nearest(named, known),
        )


def _check_transitions(page: Findings, draft: ProcessDraft) -> None:
    states = {state.part.name for state in draft.states}
    events = {event.part.name for event in draft.events}
    for placed in draft.transitions:
        way = placed.part
        for end, code, field in (
            (way.source, "INVALID_TRANSITION_FROM", "from"),
            (way.to, "INVALID_TRANSITION_TO", "to"),
        ):
            if end and end not in states and draft.has_parts("states"):
                message = f"{field!r} names {quote_value(end)}, and there is no such state"
                hint = _WILDCARD_HINT if end == WILDCARD else page.suggest_nearest(end, states)
                page.add_error(code, message, placed.find_path(field), hint=hint)
        if way.after:
            # Only time triggers it, so it needs no definition; but its name is written
            # in the log.
            if check_name(page, way.event, placed.find_path("event")):
                _check_reserved(page, way.event, placed.find_path("event"))
        elif way.event and way.event not in events and draft.has_parts("events"):
            page.add_error(
                "INVALID_TRANSITION_EVENT",
                f"there is no event {quote_value(way.event)}",
                placed.find_path("event"),
                hint=page.suggest_nearest(way.event, events) or "define it under 'events'",
            )
