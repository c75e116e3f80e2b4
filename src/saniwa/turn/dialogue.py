"""What characters that nobody plays answer, in the words of the scenario's author.

Which topic is meant is decided while a claim is normalised, with the conditions as they
hold then. The answer is a list of effects of the speech: it is recorded with the verdict,
so a replay says and does the same.
"""

import re
from collections.abc import Collection, Iterator

from msgspec.structs import replace

from saniwa.language.names import parse_noun_phrase, rank_match
from saniwa.language.text import fold_text
from saniwa.world.actions import Speak
from saniwa.world.changes import is_fact_true
from saniwa.world.effects import BringEffect, Effect, FlagEffect, ReplyEffect
from saniwa.world.model import TOPIC_PREFIX, AuthoredLine, Entity, Id, Location, Topic, World
from saniwa.world.view import is_holding

_GREETING = re.compile(
    r"\b(?:hello|hi|hey|hiya|howdy|greetings|welcome|good (?:morning|day|afternoon|evening)"
    r"|excuse me|nice to meet you)\b"
    "|おはよう|こんにち[はわ]|今日は|こんばん[はわ]|今晩は|やあ|どうも|[は初]じめまして"
    "|ごめんください|ごきげんよう|すみません|失礼します"
)


def resolve_topic(action: Speak, world: World, played: Collection[Id]) -> Speak:
    """The speech with the topic it means in `about`, by id; unchanged if there is none.

    The subject decides; where none is named, a topic that the words mention.
    """
    person = _find_answerer(action, world, played)
    if person is None:
        return action
    topics = list(_list_open_topics(person, world, request=action.request))
    if any(topic.id == action.about for topic in topics):
        return action
    meant = (topic.id for topic in topics if _is_meant(topic, action, world))
    return replace(action, about=next(meant, action.about))


def compute_reply(action: Speak, world: World, played: Collection[Id]) -> tuple[Effect, ...]:
    """What the answer does: the words, and the effects of the topic.

    Empty if there is nobody to answer: the person spoken to is played by somebody, or
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


def classify_reply(action: Speak) -> str:
    """The part of a dialogue that answers speech about none of the topics."""
    if action.request:
        return "refusal"
    words = fold_text(action.content)
    greets = not words or _GREETING.search(words) is not None
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


def _is_meant(topic: Topic, action: Speak, world: World) -> bool:
    names = list(_list_topic_names(topic, world))
    if action.about:
        named = Location(id=Id(topic.id), name=names[0], aliases=tuple(names[1:]))
        return rank_match(parse_noun_phrase(action.about), named) is not None
    return any(_contains_name(action.content, name) for name in names)


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
