"""Connect a story to its world: evaluate its facts, and check its facts and deeds.

Characters, things and places are named by id, else by a name or an alias that is
unique. A name the scenario does not have is an error and not a false condition: a
misspelt name would hide a branch of the story forever. Nothing here changes a world.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

import msgspec
from immutables import Map

from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.language.lexicon import en, ja
from saniwa.language.name_index import index_world_names
from saniwa.language.name_match import (
    NounPhrase,
    is_same_direction,
    list_spellings,
    parse_noun_phrase,
    rank_match,
    split_direction,
    split_trailing_number,
)
from saniwa.language.parse import parse
from saniwa.language.parser_context import Claim
from saniwa.runs import describe
from saniwa.story import elements
from saniwa.story.expression_parser import FunctionCall
from saniwa.story.text_template import Words
from saniwa.story.value_operations import Value, format_value
from saniwa.turn.claim_form import SPOKEN_FIELDS, ClaimProblem, check_claim, list_corrected_lines
from saniwa.turn.record import SpokenWords
from saniwa.turn.references import ALL_WORDS, POINTING_WORDS, split_entity_and_place
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.queries import find_room, is_closed, is_holding, is_within_reach

FactSort = Literal["flag", "entity", "anything"]
"""What kind of name an argument is."""
FACT_ARGUMENTS: Final[dict[str, tuple[FactSort, ...]]] = {
    "flag": ("flag",),
    "place": ("entity",),
    "holds": ("entity", "entity"),
    "here": ("anything",),
    "state": ("entity",),
}
"""Every fact, with the kinds of its arguments."""
MOST_PLACES: Final = 200
"""Places from which words are tried; in a larger world unknown words are accepted."""
_GENERIC_WORDS: Final = (
    POINTING_WORDS
    | ALL_WORDS
    | (en.WORDS.floor | ja.FLOOR)
    | (en.WORDS.out | ja.OUT)
    | (en.WORDS.back | ja.BACK)
    | set(en.DIRECTIONS)
    | set(ja.DIRECTIONS)
)
"""Words that are no name but mean something wherever they are spoken."""
MOST_FINDINGS: Final = 100
"""The most warnings about deeds that one check reports."""


class WorldFacts:
    """Evaluates facts against the current world."""

    def __init__(self, now: Callable[[], World], opening: World, actor: Id) -> None:
        """Facts about the world that `now` returns, from the point of view of `actor`.

        `opening` is the world the run began with: names of things that are gone since
        remain known.
        """
        self._now = now
        self._opening = opening
        self._actor = actor

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The value of `flag`, `place`, `holds`, `here` or `state`.

        Raises:
            ScriptError: `FACT_UNKNOWN` for a name the world does not have.
        """
        world = self._now()
        sorts = zip(given, FACT_ARGUMENTS[name], strict=True)
        meant = [self._resolve_name(world, format_value(each), sort) for each, sort in sorts]
        match name:
            case "flag":
                return world.flags.get(meant[0], False)
            case "place":
                return find_room(world, meant[0]) or ""
            case "holds":
                return is_holding(world, *meant)
            case "here":
                return is_within_reach(world, self._actor, meant[0])
            case _:
                thing = world.entities.get(meant[0])
                return "" if thing is None else describe_condition(thing)

    def _resolve_name(self, world: World, name: str, sort: FactSort) -> Id:
        found = find_named_ids(world, name, sort) or find_named_ids(self._opening, name, sort)
        if len(found) == 1:
            return found[0]
        raise _make_fact_error(world, name, sort, found)


def describe_condition(thing: Entity) -> str:
    """The state of a thing: `locked`, `closed`, `open`, else its authored state."""
    if thing.locked:
        return "locked"
    if is_closed(thing):
        return "closed"
    if thing.openable:
        return "open"
    return " ".join(thing.state or thing.status)


def find_named_ids(world: World, name: str, sort: FactSort) -> tuple[Id, ...]:
    """The ids a name can mean: the one with that id, else all with that name.

    If nothing has that name, all that have it as an alias.
    """
    if sort == "flag":
        return (Id(name),) if name in set(_list_flags(world)) else ()
    if name in world.entities or (sort == "anything" and name in world.locations):
        return (Id(name),)
    there = tuple(_list_nameable(world, sort))
    called = [each.id for each in there if each.name == name]
    return tuple(sorted(called or [e.id for e in there if name in e.aliases]))


def check_facts(scenes: Sequence[elements.StoryScene], world: World) -> Iterator[Finding]:
    """Yield a finding for every name in a condition that the world does not have."""
    for scene in scenes:
        for expression in elements.list_expressions(scene.block):
            for call in expression.calls:
                yield from _check_call(call, scene.file, world)


def _check_call(call: FunctionCall, file: str, world: World) -> Iterator[Finding]:
    for nth, (given, sort) in enumerate(
        zip(call.given, FACT_ARGUMENTS.get(call.name, ()), strict=False)
    ):
        if given is None:
            continue  # evaluated while the story is played
        found = find_named_ids(world, format_value(given), sort)
        if len(found) != 1:
            column = call.given_columns[nth] if call.given_columns else call.column
            problem = _make_fact_error(world, format_value(given), sort, found)
            where = SourceLocation(file=file, line=call.line, column=column)
            yield problem.to_finding(where, details={"name": format_value(given)})


def _make_fact_error(world: World, name: str, sort: FactSort, found: tuple[Id, ...]) -> ScriptError:
    if found:
        ids = ", ".join(map(quote_value, found[:5]))
        said = describe("FACT_UNKNOWN/things", name=name, count=len(found), ids=ids)
        return said.to_error(ScriptError)
    what = {"flag": "flag", "entity": "person or thing"}.get(sort, "thing or place")
    near = suggest_nearest(name, _list_known_names(world, sort))
    return describe("FACT_UNKNOWN", hint=near, what=what, name=name).to_error(ScriptError)


def _list_known_names(world: World, sort: FactSort) -> Iterator[str]:
    if sort == "flag":
        yield from _list_flags(world)
        return
    for each in _list_nameable(world, sort):
        yield from (each.id, each.name, *each.aliases)


def _list_nameable(world: World, sort: FactSort) -> Iterator[Entity | Location]:
    yield from world.entities.values()
    if sort == "anything":
        yield from world.locations.values()


def _list_flags(world: World) -> Iterator[str]:
    """Every flag that is set, or that the goal or a thing's use could set."""
    yield from world.flags
    if world.goal is not None:
        yield from (world.goal.flag,) if world.goal.flag else ()
        yield from (stone.flag for stone in world.goal.milestones)
    for each in world.entities.values():
        use = each.attributes.get("use")
        flags = use.get("flags") if isinstance(use, dict) else None
        yield from flags if isinstance(flags, dict) else ()


class UnknownWords(NamedTuple):
    """Words that mean nothing in a world, wherever they are spoken."""

    words: str
    """The words."""
    names: bool
    """Whether they should be a name; otherwise no phrase matches them."""
    hint: str = ""
    """What to write instead, where that is known."""


def find_unknown_words(text: str, actor: Id, world: World) -> Iterator[UnknownWords]:
    """Yield the parts of the text that no place in the world gives a meaning to."""
    claims = parse(text, actor, world)
    lost = [claim for claim in claims if _is_lost(claim)]
    if lost and not _is_understood_elsewhere(text, actor, world):
        words = str(lost[0].get("words") or text)
        yield UnknownWords(words, False, _suggest_words(words, lost[0], actor, world))
    for claim in claims:
        if claim["type"] not in ("unrecognised", "introduce"):
            yield from _find_unknown_names(claim, world)


def _is_lost(claim: Claim) -> bool:
    """Whether it means nothing; what only a description tells of has a meaning."""
    return claim["type"] == "unrecognised" and claim.get("problem") != "scenery"


def _suggest_words(words: str, claim: Claim, actor: Id, world: World) -> str:
    """The words without typing errors, else what the world answers to such words."""
    if "problem" in claim:
        problem = check_claim(claim, SpokenWords(actor_id=actor, text=words), world)
        return problem.hint if isinstance(problem, ClaimProblem) else ""
    for line in list_corrected_lines(words, _list_known_names(world, "anything")):
        if _is_understood_elsewhere(line, actor, world):
            return f"did you mean {quote_value(line)}?"
    return ""


def find_introduced_names(text: str, actor: Id, world: World) -> Iterator[str]:
    """Yield the names that the text would add to the world."""
    for claim in parse(text, actor, world):
        if claim["type"] == "introduce" and isinstance(claim.get("target"), str):
            yield parse_noun_phrase(claim["target"]).bare


def _find_unknown_names(claim: Claim, world: World) -> Iterator[UnknownWords]:
    for role in SPOKEN_FIELDS.values():
        words = claim.get(role)
        if isinstance(words, str) and words.strip() and not _is_known(words, world):
            yield UnknownWords(parse_noun_phrase(words).bare, names=True)


def _is_known(words: str, world: World) -> bool:
    """Whether the words could mean a character, thing, place or exit of the world."""
    phrase = parse_noun_phrase(words)
    return _is_named(phrase, world) or any(
        _is_named(parse_noun_phrase(one), world) and _is_named(parse_noun_phrase(other), world)
        for one, other in (*split_entity_and_place(phrase.bare), *split_direction(phrase.bare))
    )


def _is_named(phrase: NounPhrase, world: World) -> bool:
    if phrase.bare in _GENERIC_WORDS or phrase.whole in _GENERIC_WORDS:
        return True
    if index_world_names(world).find_bearers(*list_spellings(phrase)):
        return True
    named = (*world.entities.values(), *world.locations.values())
    either = (phrase, split_trailing_number(phrase))
    return any(rank_match(each, one) is not None for one in named for each in either) or any(
        is_same_direction(phrase.bare, way.label)
        for place in world.locations.values()
        for way in place.exits
    )


def _is_understood_elsewhere(text: str, actor: Id, world: World) -> bool:
    """Whether all of it is understood in another place: some phrases need an exit.

    Where a thing is not in reach, any words are read as its name: they must be one.
    """
    if len(world.locations) > MOST_PLACES:
        return True
    return any(
        all(
            not _is_lost(claim) and not any(_find_unknown_names(claim, world))
            for claim in parse(text, actor, there)
        )
        for there in _move_actor_everywhere(actor, world)
    )


def _move_actor_everywhere(actor: Id, world: World) -> Iterator[World]:
    """The world with the actor moved to each place; for reading only."""
    me = world.entities[actor]
    around = world.contents
    if me.place is not None and me.place in around:
        around = around.set(me.place, around[me.place].delete(actor))
    for place in world.locations:
        inside = around.get(place, Map())
        yield msgspec.structs.replace(
            world,
            entities=world.entities.set(actor, msgspec.structs.replace(me, place=place)),
            contents=around.set(place, inside.set(actor, None)),
        )


def check_deeds(
    scenes: Sequence[elements.StoryScene], world: World, actor: Id
) -> Iterator[Finding]:
    """Yield a warning for every deed whose words mean nothing anywhere in the world.

    Words with placeholders are filled in while the story is played, and are skipped. At
    most `MOST_FINDINGS` warnings are reported, because proving that words are
    understood nowhere takes long.
    """
    deeds = [each for scene in scenes for each in _list_deeds(scene)]
    new = {name for words, _ in deeds for name in find_introduced_names(words, actor, world)}
    findings = (
        _make_deed_finding(strange, where, world)
        for words, where in deeds
        for strange in find_unknown_words(words, actor, world)
        if strange.words not in new
    )
    return islice(findings, MOST_FINDINGS)


def _list_deeds(scene: elements.StoryScene) -> Iterator[tuple[str, SourceLocation]]:
    """Yield the words of every deed, with their position in the source."""
    lines = scene.text.split("\n")
    for element in elements.walk_elements(scene.block):
        if isinstance(element, elements.DoElement):
            yield from _locate_words(scene, lines, element.words, element.line, element.column)
        elif isinstance(element, elements.ChoiceElement):
            for option in element.options:
                deed = "" if option.deed is None else option.deed
                yield from _locate_words(scene, lines, deed, option.line, option.column)


def _locate_words(
    scene: elements.StoryScene, lines: list[str], words: Words, line: int, column: int
) -> Iterator[tuple[str, SourceLocation]]:
    """Yield fixed words at their own position, else at that of their element."""
    if not isinstance(words, str) or not words.strip():
        return
    written = lines[line - 1] if line <= len(lines) else ""
    at = written.rfind(words, column - 1)
    where = SourceLocation(file=scene.file, line=line, column=column if at < 0 else at + 1)
    yield words, where


def _make_deed_finding(strange: UnknownWords, where: SourceLocation, world: World) -> Finding:
    if strange.names:
        message = f"the world has nothing called {quote_value(strange.words)}"
        named = (*world.entities.values(), *world.locations.values())
        names = (name for each in named for name in (each.name, *each.aliases))
        hint = suggest_nearest(strange.words, names) or (
            "use a character, a thing or a place of the scenario"
        )
    else:
        message = f"the world does not understand {quote_value(strange.words)}"
        hint = strange.hint or "write it as a player would type it, such as: take the key"
    return Finding(
        code="NAME_UNKNOWN",
        severity="warning",
        message=message,
        where=where,
        hint=hint,
        details={"name": strange.words},
    )
