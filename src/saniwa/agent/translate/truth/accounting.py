"""Every word of a narration accounted for: each statement stands on one thing that is so.

What stands on nothing is not told, whether it is false or only more than we know.
"""

from collections.abc import Iterator

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.ground import Ground, carries
from saniwa.agent.translate.truth.grounds import grounds
from saniwa.agent.translate.truth.parts import Telling
from saniwa.agent.translate.truth.reading import Reader
from saniwa.agent.translate.truth.statements import Statement
from saniwa.core.quoted import quoted
from saniwa.turn.trace import Flag
from saniwa.world.change import Passed


def unaccounted(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each statement without a ground; and one if what happened is not told."""
    reader = Reader(facts)
    known = tuple(grounds(facts, reader))
    told, wrong = False, False
    for said in filter(_says_something, reader.statements(telling)):
        standing = [ground for ground in known if carries(ground, said)]
        told = told or any(ground.tells for ground in standing)
        if not standing:
            wrong = True
            yield _flag(said, known)
    if not told and not wrong and _must_tell(facts):
        message = "this does not tell what happened"
        yield Flag(kind="contradiction", words=telling.text.strip(), message=message)


def _says_something(said: Statement) -> bool:
    return bool(said.words or said.names or said.marks or said.its)


def _must_tell(facts: Facts) -> bool:
    changed = any(not isinstance(change, Passed) for change in facts.turn.changes)
    return changed or facts.came_to_nothing


def _flag(said: Statement, known: tuple[Ground, ...]) -> Flag:
    somewhere = frozenset().union(*(ground.words for ground in known))
    strange = [text for word, text in said.spelled if word not in somewhere]
    if strange:
        message = f"nothing here stands behind these words: {quoted(' '.join(strange))}"
        return Flag(kind="unknown", words=said.text, message=message)
    message = "the words are known, but this is not so"
    return Flag(kind="contradiction", words=said.text, message=message)
