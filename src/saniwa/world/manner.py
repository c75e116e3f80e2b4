"""What people say for a craft: the words they ask for it by, and are told of it in."""

import msgspec


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """One craft, as far as words go; what it does is no matter of words."""

    name: str
    """The craft's name, as `use` has it under `manner`."""
    words: dict[str, tuple[str, ...]] = {}
    """The verbs for it, by language; the first is the one it is told by."""
    told: dict[str, str] = {}
    """The sentence for what has happened, by language, where the book has its own."""

    def spoken(self, language: str) -> tuple[str, ...]:
        """The verbs for it in a language; none where the book has none."""
        return self.words.get(language) or self.words.get(language[:2]) or ()
