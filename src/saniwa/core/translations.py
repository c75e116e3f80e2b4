"""Texts of what Saniwa ships in other languages, as data next to it.

A package keeps them in `texts.ja.json`: each English text, or the name of a sentence, with
the Japanese text. A key with values in braces, such as `needs the variable {name}`, also
stands for the text with its values filled in. Texts of users are shown as they are.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec

Language = Literal["en", "ja"]
"""The languages in which shipped texts exist."""
Shown = TypeVar("Shown")
Change = Callable[[str], str]

LANGUAGE: Final = ContextVar[Language]("language", default="en")
"""The language of what is written now, for texts that are composed of parts."""
TEXT_FIELDS: Final = frozenset(
    ("name", "title", "description", "current_state_prompt", "new_state_prompt")
)
"""The fields of an answer that contain an author's texts."""
REASON_FIELDS: Final = frozenset(
    ("missing", "missing_requirements", "current_status", "blocked_reason", "waits_for")
)
"""Those that contain reasons, of which Saniwa makes the sentences."""
_UNTRANSLATED: Final = frozenset(("definition", "document", "context", "payload", "variables"))
"""Fields whose content is evidence of something, or belongs to a user."""
_VALUE: Final = re.compile(r"\{([\w.]+)\}")
_BETWEEN: Final = re.compile(r"(; | \| )")
"""What separates several reasons in one text."""
_INNER: Final = frozenset(("why", "reasons"))
"""The values of a reason that are reasons themselves."""
_WORDS: Final = frozenset(
    (
        "kind", "lack", "listed", "mark", "more", "named", "other", "owner", "problem", "same",
        "sort", "speech", "times", "value", "verb", "wanted", "what", "why",
    )
)  # fmt: skip
"""The values of a message that are words of Saniwa, not of an author."""


@contextmanager
def use_language(language: Language) -> Iterator[None]:
    """Write texts in a language, inside of the block."""
    token = LANGUAGE.set(language)
    try:
        yield
    finally:
        LANGUAGE.reset(token)


def name_in_language(file: str) -> str:
    """Return a file's name with the language in use, such as `REPORT.ja.md`."""
    language = LANGUAGE.get()
    return file if language == "en" else file.replace(".", f".{language}.")


@cache
def read_texts(package: str, language: Language) -> Mapping[str, str]:
    """Read the translations of a package, such as `process`; there are none into English."""
    if language == "en":
        return {}
    file = Path(__file__).parents[1] / package / f"texts.{language}.json"
    return msgspec.json.decode(file.read_bytes(), type=dict[str, str])


@cache
def open_translator(language: Language, *packages: str) -> "Translator":
    """Open the translations of several packages as one."""
    return Translator(
        {key: text for package in packages for key, text in read_texts(package, language).items()}
    )


class Translator:
    """Translates shipped texts, and returns any other text unchanged."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        # The longest first: a shorter one may be its beginning.
        self._patterns = [
            (_VALUE.split(key)[::2], _VALUE.findall(key), texts[key])
            for key in sorted(texts, key=lambda key: len(_VALUE.sub("", key)), reverse=True)
            if _VALUE.search(key)
        ]

    def translate(self, text: str) -> str:
        """Return an author's text, its variables filled in or not."""
        return self._texts.get(text) or self._fill(text, of_author=True) or text

    def translate_reasons(self, text: str) -> str:
        """Return reasons that were written by Saniwa, one by one."""
        return "".join(
            self._texts.get(each) or self._fill(each, of_author=False) or each
            for each in _BETWEEN.split(text)
        )

    def translate_message(self, text: str) -> str:
        """Return a message as a whole; values that are words of Saniwa are translated too."""
        return self._texts.get(text) or self._fill(text, of_author=False, inner=_WORDS) or text

    def _fill(self, text: str, *, of_author: bool, inner: Set[str] = _INNER) -> str:
        """Translate a text by its pattern; only authors' patterns name variables by a path."""
        for parts, names, translated in self._patterns:
            found = _find_values(text, parts) if ("." in names[0]) == of_author else None
            if found:
                values = {
                    name: self.translate_reasons(value) if name in inner else value
                    for name, value in zip(names, found, strict=True)
                }
                return "".join(
                    values[part] if number % 2 else part
                    for number, part in enumerate(_VALUE.split(translated))
                )
        return ""

    def translate_fields(self, document: Any, change: Change | None = None) -> Any:
        """Return JSON with its authors' texts and reasons translated."""
        match document:
            case str() if change:
                return change(document)
            case [*items]:
                return [self.translate_fields(each, change) for each in items]
            case dict():
                return {
                    name: value
                    if name in _UNTRANSLATED
                    else self.translate_fields(value, self._find_change(name))
                    for name, value in document.items()
                }
        return document

    def _find_change(self, field: str) -> Change | None:
        if field in REASON_FIELDS:
            return self.translate_reasons
        return self.translate if field in TEXT_FIELDS else None

    def translate_record(self, record: Shown) -> Shown:
        """Return a record with its authors' texts and reasons translated."""
        if not self._texts:
            return record
        return msgspec.convert(self.translate_fields(msgspec.to_builtins(record)), type(record))


def _find_values(text: str, parts: list[str]) -> list[str] | None:
    """Return what is between the parts of a pattern; None if the text does not fit.

    Each part is looked for once, so the time grows with the text and no faster.
    """
    first, *between, last = parts
    end = len(text) - len(last)
    if not (text.startswith(first) and text.endswith(last)):
        return None
    values, start = [], len(first)
    for part in between:
        found = text.find(part, start + 1, end)
        if found < 0:
            return None
        values.append(text[start:found])
        start = found + len(part)
    return [*values, text[start:end]] if start < end else None


def choose_language(accepted: str) -> Language:
    """Choose Japanese if an `Accept-Language` header names it first, else English."""
    first = accepted.partition(",")[0].partition(";")[0].partition("-")[0]
    return "ja" if first.strip().lower() == "ja" else "en"
