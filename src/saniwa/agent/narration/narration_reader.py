"""Reads a narration, or a text of the world, as statements, and makes grounds of them."""

import re
from collections.abc import Iterator

from saniwa.agent.narration.narration_facts import NarrationFacts
from saniwa.agent.narration.statements import (
    YOU_TOKEN,
    NarrationStatement,
    NarrationToken,
    StatementGround,
    split_statements,
)
from saniwa.agent.narration.tokens import (
    ParsedNarration,
    parse_narration,
    tokenize_english,
    tokenize_japanese,
)
from saniwa.agent.narration.words import load_words

_KANA = re.compile("^[ぁ-ゟ]+$")


class NarrationReader:
    """Reads texts as the viewer of a turn can understand them."""

    def __init__(self, facts: NarrationFacts) -> None:
        """Prepare to read in the language of the world."""
        self._facts = facts
        self._japanese = facts.after.language == "ja"
        self.words = load_words("ja" if self._japanese else "en")
        words = self.words
        self._lasting_words: frozenset[str] = (
            words.open | words.closed | words.locked | words.unlocked | words.held
        )
        self._met_words: frozenset[str] = frozenset()
        if self._japanese:
            self._met_words = frozenset(self._list_unlisted_words())

    def read_statements(self, telling: ParsedNarration) -> Iterator[NarrationStatement]:
        """Yield the statements of a narration."""
        for statement in split_statements(self._tokenize(telling)):
            text = statement.text.replace(" ", "") if self._japanese else statement.text
            yield statement._replace(text=text)

    def build_grounds(self, text: str, *, tells: bool) -> Iterator[StatementGround]:
        """Build a ground for each statement of a text."""
        for statement in self.read_statements(parse_narration(text, self._facts)):
            ground = self._make_ground(statement, tells=tells)
            yield ground
            if not statement.marks:
                yield self._make_seen_ground(ground)

    def extract_stems(self, text: str) -> frozenset[str]:
        """Return the words of a text that need a ground."""
        tokens = self._tokenize(parse_narration(text, self._facts))
        return frozenset(t.word for t in tokens if t.kind == "word")

    def _make_ground(self, statement: NarrationStatement, *, tells: bool) -> StatementGround:
        # How things are now is decided by the worlds and the plain narrator.
        lasting = frozenset[str]() if tells else self._lasting_words
        return StatementGround(
            words=statement.words - lasting,
            things=frozenset().union(*statement.names, *statement.its),
            needs=(statement.words - {YOU_TOKEN}) if tells else frozenset(),
            actor=min(statement.first, default=""),
            named=bool(statement.first),
            marks=statement.marks,
            whole=statement.marks > 0,
            least=0 if tells else min(2, len(statement.words - lasting) + len(statement.names)),
            tells=tells,
        )

    def _make_seen_ground(self, ground: StatementGround) -> StatementGround:
        """Make the same ground as something the viewer sees or hears."""
        return ground._replace(
            words=ground.words - self._lasting_words | {YOU_TOKEN},
            needs=self.words.perception,
            actor=YOU_TOKEN,
            least=1,
            tells=False,
        )

    def _tokenize(self, telling: ParsedNarration) -> list[NarrationToken]:
        if self._japanese:
            return list(tokenize_japanese(telling, self._facts, self._met_words))
        return list(tokenize_english(telling, self._facts))

    def _list_unlisted_words(self) -> Iterator[str]:
        """List words in the texts the viewer has met that are in no table."""
        for text in (self._facts.plain_text, *self._facts.descriptions, self._facts.labels):
            run = ""
            for token in self._tokenize(parse_narration(text, self._facts)):
                if token.kind == "word" and _KANA.match(token.word):
                    run += token.word
                    continue
                yield from [run] if len(run) > 1 else []
                run = ""
                if token.kind == "word":
                    yield token.word
