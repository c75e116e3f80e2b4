"""Everything that Saniwa ships for readers exists in Japanese too."""

import json
import re
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any

import msgspec
import pytest

from saniwa.app.scenario_lookup import locate_shipped_registry
from saniwa.core.translations import open_translator, read_texts
from saniwa.experiment.metrics import METRICS, WORK_METRICS
from saniwa.process.library import BundledProcessLibrary
from saniwa.rulebook.loader import SHIPPED_BOOKS, load_shipped_book
from saniwa.scenario.registry import Registry
from saniwa.story.finding_collector import read_templates
from tests.house.pages import ROOT

_READ_FIELDS = ("name", "description", "prompt", "message")


def _list_texts(document: Any, *, top: bool = True) -> Iterator[str]:
    """Every text of a document that is a sentence or a title, and not an id."""
    if isinstance(document, dict):
        for name, value in document.items():
            if name in _READ_FIELDS and isinstance(value, str) and (" " in value or top):
                yield value
            else:
                yield from _list_texts(value, top=False)
    elif isinstance(document, list | tuple):
        for each in document:
            yield from _list_texts(each, top=False)


def test_processes_are_translated() -> None:
    """Names, descriptions and prompts of every shipped process have a Japanese text."""
    library, texts = BundledProcessLibrary(), read_texts("process", "ja")
    found = {
        text
        for name in library.list_ids()
        for text in _list_texts(msgspec.to_builtins(library.find(name)))
    }

    assert len(found) > 100
    assert set() == found - texts.keys()


def test_rulebooks_are_translated() -> None:
    """Names and descriptions of rules have a Japanese text, and there are no other texts."""
    found = {text for name in SHIPPED_BOOKS for text in _list_texts(load_shipped_book(name))}

    assert found == read_texts("rulebook", "ja").keys()


def test_refusals_are_translated() -> None:
    """Every message of a shipped rule is in both languages."""
    checks = [
        check
        for name in SHIPPED_BOOKS
        for part in ("rules", "crafts")
        for rule in load_shipped_book(name).get(part, ())
        for check in rule["checks"]
        if "failMessage" in check
    ]

    assert checks
    assert [] == [each["id"] for each in checks if not {"en", "ja"} <= each["failMessage"].keys()]


def _list_values(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def test_sentences_of_reports_are_translated() -> None:
    """Every sentence of a report has a Japanese one that uses no other values."""
    written = json.loads((ROOT / "src/saniwa/experiment/report_wording.json").read_text("utf-8"))
    texts = read_texts("experiment", "ja")

    assert set() == written.keys() - texts.keys()
    assert [] == [
        name
        for name, text in written.items()
        if not _list_values(texts[name]) <= _list_values(text)
    ]


def test_metrics_are_translated() -> None:
    """Every metric has a Japanese label and definition."""
    metrics = [text for each in (*METRICS, *WORK_METRICS) for text in (each.label, each.about)]

    assert set() == set(metrics) - read_texts("experiment", "ja").keys()


def test_descriptions_of_worlds_are_translated() -> None:
    """Every world that comes with Saniwa has a Japanese description."""
    registry = Registry.open(locate_shipped_registry())
    english = {each.description for each in registry.entries if each.description.isascii()}

    assert english == read_texts("scenario", "ja").keys()


def _list_finding_texts() -> list[str]:
    """Messages and hints of stories, except those that are a value and nothing else."""
    templates = read_templates().values()
    texts = {text for each in templates for text in (each.message, each.hint)}
    return sorted(text for text in texts if text and not re.fullmatch(r"\{\w+\}", text))


def _fill_key(text: str, values: Mapping[str, str]) -> str:
    """Fill in a key of `texts.ja.json`, or its Japanese text."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


def test_findings_of_stories_are_translated() -> None:
    """Every message and hint, with any values, becomes the Japanese text with these values."""
    texts, translator = read_texts("story", "ja"), open_translator("ja", "story")
    found = _list_finding_texts()
    for text in found:
        parts = [(before, name or "") for before, name, _, _ in Formatter().parse(text)]
        key = "".join(before + (name and f"{{{name}}}") for before, name in parts)
        values = {name: f"'{name}水'" for _, name in parts if name}

        assert key in texts
        assert _list_keys(key) == _list_keys(texts[key])
        told = translator.translate_message(_fill_key(key, values))
        assert _fill_key(texts[key], values) == told
    assert len(found) > 300


def test_no_translation_has_other_values_than_its_text() -> None:
    """The parts of findings in Japanese have the values of the English ones."""
    texts = read_texts("story", "ja")

    assert [] == [key for key, text in texts.items() if _list_keys(key) != _list_keys(text)]


def _list_keys(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("package", ["process", "rulebook", "scenario", "experiment", "story"])
def test_translations_are_japanese(package: str) -> None:
    """Every Japanese text has Japanese characters, except those that are the same in both."""
    texts = read_texts(package, "ja")
    untouched = {
        "answer.change",
        "answer.comma",
        "answer.does",
        "answer.end",
        "answer.list",
        "differences.and",
        "figure.interval",
        "list.quoted",
    }

    assert [] == [
        key
        for key, text in texts.items()
        if key not in untouched and not re.search("[\u3040-\u30ff\u4e00-\u9fff]", text)
    ]
