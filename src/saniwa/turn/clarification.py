"""Questions to the speaker: which of several things, or what is missing.

Options are sorted by id, and their labels differ from each other.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from saniwa.language.lexicon import en, ja
from saniwa.language.mood import is_withheld
from saniwa.language.name_match import parse_noun_phrase, rank_match
from saniwa.language.parse import detect_language, parse
from saniwa.language.phrasebook import find_plain_verb, render_sentence
from saniwa.language.text import fold_text, is_blank, prepare_text
from saniwa.turn.claim_form import WIRE_FIELDS
from saniwa.turn.exits import list_exits, render_exit
from saniwa.turn.record import Clarification, ClarificationOption, SpokenWords, Turn
from saniwa.turn.references import make_role_tests
from saniwa.world.actions import ACTIONS
from saniwa.world.model import Entity, Id, World
from saniwa.world.queries import find_craft_verb, find_holder, get_name, list_scope

_ORDINALS = en.ORDINALS | {w.removesuffix("の"): n for w, n in ja.ORDINALS.items()}
_WORDS = re.compile(r"\w+").findall
_LONGEST_ANSWER = 200
_IN_LABEL = 4
_LONGEST_DETAIL = 60
MOST_OPTIONS = 20
"""The most options a question offers."""
_ANYTHING = frozenset({"use", "inspect", "search", "describe", "introduce"})
"""Actions that apply to anything: a single thing in reach is then no reason to assume
it."""


def complete_with_answer(question: Turn, text: str, world: World) -> tuple[Any, ...] | None:
    """The claims of the turn that asked, with the chosen option filled in.

    An option is chosen by its number, its id, its label, or words that name it and no
    other option ("the brass one"). If something was left out, any other name fills it in;
    if the question was what to say, words that ask for nothing are said. None if the
    words answer nothing: then they are new words.
    """
    asked = question.clarification
    if asked is None or is_blank(text) or len(text) > _LONGEST_ANSWER:
        return None
    if asked.field == "content":
        return _fill_speech(question, text, world)
    chosen = _find_chosen_option(asked, text, world)
    if chosen is not None:
        return _fill_claim(question, asked, {asked.field: chosen})
    name = _find_name(question, text, world) if asked.code == "MISSING_REFERENCE" else ""
    # Accept any name: the judge reports it if the thing is not here.
    return _fill_claim(question, asked, {asked.field.removesuffix("Id"): name}) if name else None


def _fill_speech(question: Turn, text: str, world: World) -> tuple[Any, ...] | None:
    heard = parse(text, question.actor_id, world)
    if any(claim["type"] != "unrecognised" for claim in heard):
        return None
    return tuple(
        {**claim, "content": text} if claim == {"type": "speak"} else claim
        for claim in question.parsed_actions
    )


def _find_name(question: Turn, text: str, world: World) -> str:
    """The name in words that are no sentence of their own but could be the object of one."""
    heard = parse(text, question.actor_id, world)
    if any(c["type"] != "unrecognised" or is_withheld(c) for c in heard):
        return ""
    said = text.strip(" .。")
    japanese = detect_language(prepare_text(said, ()), world.language) == "ja"
    claims = parse(f"{said}を取る" if japanese else f"take {said}", question.actor_id, world)
    if len(claims) > 1 or "target" not in claims[0]:
        return ""
    return str(claims[0]["target"]) if "source" not in claims[0] else said


def _find_chosen_option(asked: Clarification, text: str, world: World) -> Id | None:
    options = asked.options
    spoken = fold_text(text).strip(" .。、,!#番")
    number = int(spoken) if spoken.isascii() and spoken.isdigit() else _parse_ordinal(spoken)
    if 0 < number <= len(options):
        return options[number - 1].id
    exact = [o.id for o in options if spoken in (fold_text(o.id), fold_text(o.label))]
    if exact:
        return exact[0]
    named = _match_options(options, spoken, world)
    return named[0] if len(named) == 1 else None


def _parse_ordinal(spoken: str) -> int:
    """2 for "the second one", 0 for words without an ordinal."""
    phrase = parse_noun_phrase(spoken)
    counts = phrase.bare in en.WORDS.one | {"もの", "やつ", "ほう", "方"}
    return phrase.number if counts else _ORDINALS.get(phrase.bare, 0)


def _match_options(options: tuple[ClarificationOption, ...], spoken: str, world: World) -> list[Id]:
    phrase = parse_noun_phrase(spoken)
    ranked: dict[Id, int] = {}
    for option in options:
        thing = world.entities.get(option.id) or world.locations.get(option.id)
        best = rank_match(phrase, thing) if thing is not None else None
        if best is None and _is_in_label(phrase.bare, option.label):
            best = _IN_LABEL
        if best is not None:
            ranked[option.id] = best
    return [i for i, r in ranked.items() if r == min(ranked.values())]


def _is_in_label(spoken: str, label: str) -> bool:
    """Whether the label has all the words: "the blue one" chooses "key – A blue key.", 真鍮 真鍮の鍵."""
    wanted = set(_WORDS(spoken)) - en.WORDS.one - {*en.ARTICLES}
    if fold_text(label).startswith(spoken + "の"):
        return True
    return "?" not in spoken and bool(wanted) and wanted <= set(_WORDS(fold_text(label)))


def _fill_claim(
    question: Turn, asked: Clarification, answered: dict[str, str]
) -> tuple[Any, ...] | None:
    words = asked.field.removesuffix("Id")
    claims = list(question.parsed_actions)
    for index, claim in enumerate(claims):
        if isinstance(claim, dict) and _is_asked_claim(claim, asked, words):
            rest = {k: v for k, v in claim.items() if k != words}
            claims[index] = rest | answered
            return tuple(claims)
    return None


def _is_asked_claim(claim: dict[Any, Any], asked: Clarification, words: str) -> bool:
    """Whether the question was about this claim."""
    action = ACTIONS.get(claim["type"]) if isinstance(claim.get("type"), str) else None
    if action is None or f"{words}_id" not in action.roles or asked.field in claim:
        return False
    if asked.words:
        return claim.get(words) == asked.words
    return not str(claim.get(words) or "").strip()


def ask_for_words(world: World) -> Clarification:
    """The question when nothing was said."""
    return Clarification(code="EMPTY_INPUT", question=render_sentence(world.language, "ask.empty"))


def ask_which(
    action: str, role: str, said: str, ids: Iterable[Id], words: SpokenWords, world: World
) -> Clarification:
    """The question which of several things was meant."""
    return Clarification(
        code="AMBIGUOUS_REFERENCE",
        question=render_sentence(world.language, "ask.which", words=said),
        words=said,
        field=WIRE_FIELDS.get(role, role),
        options=_make_options(action, ids, words.actor_id, world),
    )


def ask_for_role(
    action: str, role: str, said: str, words: SpokenWords, world: World, manner: str = ""
) -> Clarification:
    """The question for a missing role or an unclear pronoun, with possible answers."""
    ids = _list_plausible(action, role, words.actor_id, world)
    if said.strip():
        question = render_sentence(world.language, "ask.pronoun", words=said)
    else:
        question = _render_question(action, role, world, manner)
    return Clarification(
        code="MISSING_REFERENCE",
        question=question,
        words=said,
        field=WIRE_FIELDS.get(role, role),
        options=_make_options(action, ids, words.actor_id, world),
    )


def find_only_candidate(action: str, role: str, words: SpokenWords, world: World) -> Id | None:
    """The only thing that suits a role left out; None if there is not exactly one."""
    if action in _ANYTHING and role == "target_id":
        return None
    ids = set(_list_plausible(action, role, words.actor_id, world))
    return ids.pop() if len(ids) == 1 else None


def _render_question(action: str, role: str, world: World, manner: str) -> str:
    language = world.language
    if action == "move":
        return render_sentence(language, "ask.place")
    if role == "target_id":
        asked = find_craft_verb(world, manner) if manner else find_plain_verb(language, action)
        return render_sentence(language, "ask.target", verb=asked)
    line = "ask." + role.removesuffix("_id")
    known = ("ask.destination", "ask.recipient", "ask.content")
    return render_sentence(language, line if line in known else "ask.other")


def _list_plausible(action: str, role: str, actor: Id, world: World) -> list[Id]:
    """The obvious candidates for a role; costs the size of the scene."""
    if role == "content":
        return []
    if action == "move":
        return [way.to for way in list_exits(world, actor)]
    around = [
        world.entities[e] for e in list_scope(world, actor) if e in world.entities and e != actor
    ]
    held = [e for e in around if e.place == actor]
    if role == "tool_id" or (role == "target_id" and action in ("drop", "put", "give")):
        return [e.id for e in held]
    if role == "target_id" and action == "take":
        return [e.id for e in around if e.takeable and not find_holder(world, e.id)]
    wishes = make_role_tests(action, role, world, actor) if action != "use" else []
    return [e.id for e in around if all(wish(e) for wish in wishes)]


def _make_options(
    action: str, ids: Iterable[Id], actor: Id, world: World
) -> tuple[ClarificationOption, ...]:
    """The options with their names; those that read the same also say more."""
    unique = sorted(set(ids))[:MOST_OPTIONS]
    ways = list_exits(world, actor)
    # Leave out the state of doors: an earlier action of this turn may have opened one,
    # which the question undoes.
    exits = {way.to: render_exit(world, way, with_state=False) for way in reversed(ways)}
    labels = [(action == "move" and exits.get(i)) or get_name(world, i) for i in unique]
    things = [world.entities.get(i) for i in unique]
    where = [_describe_whereabouts(world, actor, e) if e else None for e in things]
    labels = _replace_alike(labels, where)
    sides = {way.door: way.label for way in ways}
    details = [sides.get(e.id) or e.description if e else "" for e in things]
    described = [f"{own} – {details[n][:_LONGEST_DETAIL]}" for n, own in enumerate(labels)]
    labels = _replace_alike(labels, [d if details[n] else None for n, d in enumerate(described)])
    folded = [fold_text(label) for label in labels]
    numbers = [folded[: n + 1].count(own) for n, own in enumerate(folded)]
    labels = _replace_alike(labels, [f"{own} #{numbers[n]}" for n, own in enumerate(labels)])
    return tuple(ClarificationOption(id=i, label=labels[n]) for n, i in enumerate(unique))


def _replace_alike(labels: list[str], finer: Sequence[str | None]) -> list[str]:
    """The labels, with the finer one in place of each that is not the only one of its kind."""
    counts = Counter(map(fold_text, labels))
    pairs = zip(labels, finer, strict=True)
    return [(counts[fold_text(own)] > 1 and more) or own for own, more in pairs]


def _describe_whereabouts(world: World, actor: Id, entity: Entity) -> str:
    holder = world.entities.get(entity.place) if entity.place else None
    kinds = {"character": "at.held", "container": "at.in", "supporter": "at.on"}
    line = kinds.get(holder.kind, "at.here") if holder else "at.here"
    line = "at.held_by_you" if entity.place == actor else line
    held_by = holder.name if holder else ""
    return render_sentence(world.language, line, name=entity.name, holder=held_by)
