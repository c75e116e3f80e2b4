import asyncio
from pathlib import Path

import pytest

from saniwa.core.errors import ConfigurationError, DocumentError
from saniwa.models.canned_answers import load_canned_file
from tests.fakes.oracles import make_request

_FILES = {
    "a.jsonl": '"plain"\n\n{"text": "yours", "when": "key", "finish": "length"}\n',
    "a.json": '["plain", {"text": "yours", "when": "key", "finish": "length"}]',
    "a.yaml": "- plain\n- text: yours\n  when: key\n  finish: length\n",
    "b.yaml": "answers:\n  - plain\n  - {text: yours, when: key, finish: length}\n",
}


def _write_answers(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", _FILES)
def test_answers_are_read_from_every_format(name: str, tmp_path: Path) -> None:
    """JSON Lines, JSON and YAML give the same answers."""
    canned = load_canned_file(_write_answers(tmp_path, name, _FILES[name]))

    async def ask() -> list[tuple[str, str, str]]:
        answers = [await canned.answer(make_request(q)) for q in ("the key", "else")]
        return [(a.text, a.finish, a.model) for a in answers]

    model = f"canned:{name}"
    assert [("yours", "length", model), ("plain", "stop", model)] == asyncio.run(ask())


def test_a_file_may_let_its_answers_repeat(tmp_path: Path) -> None:
    """`repeat: true` is written next to `answers`."""
    path = _write_answers(tmp_path, "a.yaml", "repeat: true\nanswers: [one]\n")
    canned = load_canned_file(path)

    async def ask() -> list[str]:
        return [(await canned.answer(make_request("x"))).text for _ in range(2)]

    assert ["one", "one"] == asyncio.run(ask())


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (
            "a.yaml",
            "- 3\n- {text: a, wen: b}\n- {text: [a]}\n- {text: a, finish: late}\n",
            [(1, 3), (2, 3), (3, 3), (4, 3)],
        ),
        ("a.jsonl", '3\n"fine"\n{"text": 1}\n{"text"\n', [(1, 1), (3, 1), (4, 8)]),
        ("a.json", '{"answers": 3}', [(1, 1)]),
        ("a.json", '{"answers": [], "repeat": "yes"}', [(1, 1)]),
        ("a.json", '{"answers": [], "again": true}', [(1, 1)]),
    ],
)
def test_every_mistake_is_found_at_once(
    name: str, text: str, found: list[tuple[int, int]], tmp_path: Path
) -> None:
    """All findings are in the error, each with its line and column."""
    with pytest.raises(ConfigurationError) as caught:
        load_canned_file(_write_answers(tmp_path, name, text))

    findings = caught.value.details["findings"]
    assert "CANNED_UNFIT" == caught.value.code
    assert found == [(each["line"], each["column"]) for each in findings]


def test_a_misspelt_key_is_offered_its_right_name(tmp_path: Path) -> None:
    """The hint for a misspelt key names the right one."""
    path = _write_answers(tmp_path, "a.json", '[{"text": "a", "finnish": "stop"}]')

    with pytest.raises(ConfigurationError) as caught:
        load_canned_file(path)

    assert "did you mean 'finish'?" == caught.value.hint


@pytest.mark.parametrize("name", ["none.yaml", "none.jsonl"])
def test_a_file_that_is_not_there_is_an_error(name: str, tmp_path: Path) -> None:
    """A missing or unreadable file is an error."""
    with pytest.raises((ConfigurationError, DocumentError)) as caught:
        load_canned_file(tmp_path / name)

    assert name in str(caught.value)
