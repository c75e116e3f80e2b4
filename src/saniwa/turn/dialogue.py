"""What characters without a player answer, in the words of the scenario's author.

Which topic is meant is decided while a claim is resolved, with the conditions as they
hold then. The answer is a list of effects of the speech: it is recorded with the verdict,
so a replay says and does the same.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from saniwa.core.suggestions import find_typo_correction
from saniwa.language.lexicon import en, ja
from saniwa.language.mood import GREETING
from saniwa.language.name_match import ANYWHERE, parse_noun_phrase, rank_match
from saniwa.language.text import fold_text
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.record import SpokenWords
from saniwa.world.actions import Speak
from saniwa.world.changes import is_fact_true
from saniwa.world.effects import BringEffect, Effect, FlagEffect, ReplyEffect
from saniwa.world.model import TOPIC_PREFIX, AuthoredLine, Entity, Id, Location, Topic, World
from saniwa.world.queries import find_room, is_holding

_PRONOUNS = en.THINGS | ja.THINGS
_TELL_ME = re.compile(
    r"^(?:please )?(?:tell|explain|describe|remind|talk|say|answer)\b|教えて|聞かせて|話して|説明して|答えて"
)


def resolve_speech(action: Speak, words: SpokenWords, world: World) -> Speak:
    """The speech with the person and the topic it means, by id, as far as there are any.

    Words without a recipient are for the only other person who is here, if that one has an answer
    to them.
    """
    if action.recipient_id is not None:
        return _resolve_topic(action, words, world)
    here = find_room(world, action.actor_id)
    people = [who for who in world.cast if world.entities[who].place == here]
    others = [who for who in people if who != action.actor_id]
    if here is None or len(others) != 1:
        return action
    asked = _resolve_topic(replace(action, recipient_id=others[0]), words, world)
    reply = next(iter(compute_reply(asked, world, words.played)), None)
    written = isinstance(reply, ReplyEffect) and reply.part not in ("no_answer", "refusal")
    return asked if written else action


def _resolve_topic(action: Speak, words: SpokenWords, world: World) -> Speak:
    """The speech with the id of its topic: the subject decides, else the words.

    Words that name no topic to ask about may still name a request.
    """
    person = _find_answerer(action, world, words.played)
    if person is None:
        return action
    if action.request and _TELL_ME.search(fold_text(action.content)):
        # A request to tell something is a question about it.
        action = replace(action, request=False)
    topics = list(_list_open_topics(person, world, request=action.request))
    if any(topic.id == action.about for topic in topics):
        return action
    meant = _find_meant(action, topics, words, world)
    if not meant and not action.request and not action.about:
        wishes = list(_list_open_topics(person, world, request=True))
        meant = _find_meant(action, wishes, words, world)
        action = replace(action, request=True) if meant else action
    return replace(action, about=meant) if meant else action


def _find_meant(action: Speak, topics: Sequence[Topic], words: SpokenWords, world: World) -> str:
    """The id of the topic that the speech names best; empty if it names none."""
    for about in dict.fromkeys((_resolve_pronoun(action, words, world), "")):
        ranks = [_rank_topic(topic, about, action.content, world) for topic in topics]
        best = max(ranks, default=0)
        if best:
            return topics[ranks.index(best)].id
    return ""


def _resolve_pronoun(action: Speak, words: SpokenWords, world: World) -> str:
    """The subject; for a pronoun, the name of what was mentioned last."""
    about = fold_text(action.about).removesuffix("のこと")
    if about not in _PRONOUNS:
        return about
    known = (world.entities.get(each) or world.locations.get(each) for each in words.mentioned)
    return next((n.name for n in known if n is not None and n.id != action.recipient_id), about)


def compute_reply(action: Speak, world: World, played: Collection[Id]) -> tuple[Effect, ...]:
    """What the answer does: the words, and the effects of the topic.

    Empty if there is no answer: a person or an agent plays the character spoken to, or
    the author wrote nothing for them.
    """
    person = _find_answerer(action, world, played)
    if person is None or person.dialogue is None:
        return ()
    topics = _list_open_topics(person, world, request=action.request)
    topic = next((topic for topic in topics if topic.id == action.about), None)
    if topic is None:
        return (_make_reply(person, classify_reply(action), world.language),)
    return (
        _make_reply(person, TOPIC_PREFIX + topic.id, world.language),
        *(BringEffect(entity_id=thing) for thing in topic.gives),
        *(FlagEffect(name=name, value=value) for name, value in sorted(topic.flags.items())),
    )


def list_replies(*verdicts: Verdict) -> tuple[Speak, ...]:
    """The written answers among the effects, as speech of those who gave them."""
    return tuple(
        Speak(actor_id=effect.entity_id, content=effect.content)
        for verdict in verdicts
        for effect in verdict.effects
        if isinstance(effect, ReplyEffect) and effect.content
    )


def classify_reply(action: Speak) -> str:
    """The part of a dialogue that answers speech about none of the topics."""
    if action.request:
        return "refusal"
    words = fold_text(action.content)
    greets = not words or GREETING.search(words) is not None
    return "greeting" if greets and not action.about else "no_answer"


def _find_answerer(action: Speak, world: World, played: Collection[Id]) -> Entity | None:
    who = action.recipient_id
    person = world.entities.get(who) if who is not None and who not in played else None
    answers = person is not None and person.dialogue is not None and who != action.actor_id
    return person if answers else None


def _list_open_topics(person: Entity, world: World, *, request: bool) -> Iterator[Topic]:
    """The topics whose conditions hold, and whose gifts can be handed over."""
    for topic in person.dialogue.topics if person.dialogue is not None else ():
        is_there = all(is_fact_true(fact, world) for fact in topic.when)
        can_give = all(is_holding(world, person.id, thing) for thing in topic.gives)
        if topic.request is request and is_there and can_give:
            yield topic


def _rank_topic(topic: Topic, about: str, content: str, world: World) -> int:
    """How well the speech names the topic; 0 if it does not.

    A whole name is better than a part of one, and a longer name than a shorter one.
    """
    names = list(_list_topic_names(topic, world))
    if not about:
        return max(len(name) if _contains_name(content, name) else 0 for name in names)
    named = Location(id=Id(topic.id), name=names[0], aliases=tuple(names[1:]))
    rank = rank_match(parse_noun_phrase(about), named)
    return 0 if rank is None else 2 if rank in ANYWHERE else 1


def _list_topic_names(topic: Topic, world: World) -> Iterator[str]:
    """What a topic is called: its own names, and those of the thing with its id."""
    named = world.entities.get(Id(topic.id)) or world.locations.get(Id(topic.id))
    if named is not None:
        yield named.name
    yield from topic.aliases
    yield topic.id.replace("_", " ")
    if named is not None:
        yield from named.aliases


def find_topic_name(action: Speak, world: World) -> str:
    """The subject of speech in words: the speaker's, or the id of a topic."""
    person = world.entities.get(action.recipient_id) if action.recipient_id else None
    dialogue = person.dialogue if person is not None else None
    topic = dialogue.find_topic(action.about) if dialogue is not None else None
    return " ".join(topic.id.split("_")) if topic is not None else action.about


def suggest_topic(action: Speak, world: World) -> str:
    """The name of a topic that the subject of unanswered speech is a misspelling of."""
    person = world.entities.get(action.recipient_id) if action.recipient_id else None
    if person is None or not action.about:
        return ""
    topics = _list_open_topics(person, world, request=False)
    names = {name for topic in topics for name in _list_topic_names(topic, world)}
    return find_typo_correction(parse_noun_phrase(action.about).bare, names)


def _contains_name(content: str, name: str) -> bool:
    """Whether the words contain the name; where words have spaces, as whole words."""
    said, wanted = fold_text(content), fold_text(name)
    if not wanted.isascii():
        return wanted in said
    plain = "".join(c if c.isalnum() else " " for c in said)
    return f" {wanted} " in f" {' '.join(plain.split())} "


def _make_reply(person: Entity, part: str, language: str) -> ReplyEffect:
    lines = person.dialogue.get_lines(part) if person.dialogue is not None else ()
    if not lines:
        return ReplyEffect(entity_id=person.id, part=part)
    line = lines[min(person.reply_counts.get(part, 0), len(lines) - 1)]
    return ReplyEffect(entity_id=person.id, part=part, content=_translate(line, language))


def _translate(line: AuthoredLine, language: str) -> str:
    """The line in the language, else in the one there is."""
    if isinstance(line, str):
        return line
    return line.get(language) or next(iter(line.values()), "")
