"""Texts that ship with Saniwa are translated; everything else is shown unchanged."""

import pytest

from saniwa.core.translations import (
    Translator,
    choose_language,
    name_in_language,
    open_translator,
    use_language,
)

_TRANSLATOR = Translator(
    {
        "A person decides.": "人が決める。",
        "Explore ({context.mode}).": "探る（{context.mode}）。",
        "needs the variable {name}": "変数{name}が必要",
        "needs the variable {name}, which is not set": "変数{name}が未設定",
        "one of these: {reasons}": "次のどれか：{reasons}",
    }
)


@pytest.mark.parametrize(
    ("text", "translated"),
    [
        ("A person decides.", "人が決める。"),
        ("Explore (wide).", "探る（wide）。"),
        ("Explore ({context.mode}).", "探る（{context.mode}）。"),
        ("A bear decides.", "A bear decides."),
        ("needs the variable 'x'", "needs the variable 'x'"),
    ],
)
def test_an_authors_text_is_translated_as_a_whole(text: str, translated: str) -> None:
    """Variables of a shipped text are filled in; a user's text is not translated."""
    assert translated == _TRANSLATOR.translate(text)


def test_reasons_are_translated_one_by_one() -> None:
    """Of several patterns the longest counts, and an unknown reason is unchanged."""
    reasons = "needs the variable 'x', which is not set; needs the variable 'y'; it rains"

    assert "変数'x'が未設定; 変数'y'が必要; it rains" == _TRANSLATOR.translate_reasons(reasons)


def test_reasons_inside_a_reason_are_translated() -> None:
    """Alternatives, and a reason that is part of another, are translated too."""
    reasons = "one of these: needs the variable 'x' | needs the variable 'y' | it rains"

    assert "次のどれか：変数'x'が必要 | 変数'y'が必要 | it rains" == _TRANSLATOR.translate_reasons(
        reasons
    )


def test_a_message_is_translated_as_a_whole() -> None:
    """A message may contain what separates reasons; only words of Saniwa in it are translated."""
    translator = Translator(
        {"{name} is {kind}; it is ignored": "{name}は{kind}のため無視される", "text": "文字列"}
    )

    assert "textは文字列のため無視される" == translator.translate_message(
        "text is text; it is ignored"
    )
    assert "it is ignored" == translator.translate_message("it is ignored")


def test_only_fields_of_texts_are_translated() -> None:
    """Ids, values and definitions are not translated."""
    text = "A person decides."
    document = {
        "description": text,
        "event": text,
        "context": {"description": text},
        "states": [{"name": text}],
        "missing": ["needs the variable 'y'"],
    }

    found = _TRANSLATOR.translate_fields(document)

    assert found == {
        **document,
        "description": "人が決める。",
        "states": [{"name": "人が決める。"}],
        "missing": ["変数'y'が必要"],
    }


def test_english_is_unchanged() -> None:
    """English texts are unchanged, as there is no table for English."""
    assert "A person decides." == open_translator("en", "process").translate("A person decides.")
    assert "REPORT.md" == name_in_language("REPORT.md")
    with use_language("ja"):
        assert "REPORT.ja.md" == name_in_language("REPORT.md")


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ja", "ja"),
        ("ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("en,ja;q=0.5", "en"),
        ("jam", "en"),
    ],
)
def test_the_first_language_of_a_browser_counts(header: str, language: str) -> None:
    """Japanese is chosen if it is a browser's first language, and English otherwise."""
    assert language == choose_language(header)
