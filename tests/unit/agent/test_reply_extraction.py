import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.agent.reply_extraction import (
    LONGEST_JSON,
    FencedBlock,
    extract_object,
    find_block_texts,
    find_fenced_blocks,
    find_json_objects,
    find_json_values,
    parse_json,
)


def _list_values(text: str, *infos: str) -> list[Any]:
    return [each.value for each in find_json_values(text, *infos)]


def test_a_whole_reply_is_read() -> None:
    """A reply that is JSON is one value."""
    assert [{"a": 1}] == _list_values(' {"a": 1}\n')


def test_the_blocks_of_a_reply_are_read_in_order() -> None:
    """In a reply of words, each code block with JSON is a value."""
    text = "One:\n```json\n1\n```\nno:\n```\nx = 2\n```\nthree:\n```text\n3\n```\n"

    assert [1, 3] == _list_values(text)


def test_only_blocks_of_an_info_string_may_be_wanted() -> None:
    """With an info string, only its blocks are read."""
    text = "```json\n1\n```\n```JSON\n2\n```\n```\n3\n```\n```jsonl\n4\n```"

    assert [1, 2] == _list_values(text, "json")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```json\n{\n}\n```", [FencedBlock("json", "{\n}")]),
        ("  ``` json \r\n1\r\n  ```\r\n", [FencedBlock("json", "1\r")]),
        ("````\n```\n1\n```\n````", [FencedBlock("", "```\n1\n```")]),
        ("```\n1\n`````", [FencedBlock("", "1")]),
        ("```json\n1", [FencedBlock("json", "1")]),
        ("```json {} ```", []),
        ("``\n1\n``", []),
        ("say ```x``` twice", []),
        ("```\n1\n```json\n2\n```", [FencedBlock("", "1\n```json\n2")]),
        ("~~~ json\n1\n~~~", [FencedBlock("json", "1")]),
        ("~~~\n```\n1\n```\n~~~", [FencedBlock("", "```\n1\n```")]),
        ("~~~a`b\n1\n~~~~", [FencedBlock("a`b", "1")]),
        ("~~~\n1\n```", [FencedBlock("", "1\n```")]),
        ("- so:\n    ```\n    a\n      b\n  c\n    ```", [FencedBlock("", "a\n  b\nc")]),
        ("\t```\n\t1\n```", [FencedBlock("", "1")]),
        ("", []),
    ],
)
def test_a_block_is_between_two_fences(text: str, found: list[FencedBlock]) -> None:
    """A fence has three or more marks; a bare one of at least that length closes it."""
    assert found == list(find_fenced_blocks(text))


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("```action\n1\n```\n~~~action\n2\n~~~", ["1", "2"]),
        ("```Action title=x\n1\n```", ["1"]),
        ("```actions\n1\n```", []),
        ("```\n1\n```", []),
    ],
)
def test_blocks_are_found_by_their_info_string(text: str, held: list[str]) -> None:
    """A block is found by the first word of its info string, in any case."""
    assert held == list(find_block_texts(text, "action"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', {"a": 1}),
        ('So:\n```json\n{"a": 1}\n```', {"a": 1}),
        ('```yaml\nb\n```\n```json\n{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', None),
        ('```\n{"a": 1}\n```', None),
        ("[1]", None),
        ('{"a": 1', None),
        ("words", None),
        ("", None),
    ],
)
def test_the_object_a_reply_is(text: str, said: dict[str, int] | None) -> None:
    """The object is the whole reply or its only `json` block; with two there is none."""
    assert said == extract_object(text)


def test_every_object_of_a_reply_is_found() -> None:
    """Every object in blocks and lists is found, and other values are skipped."""
    text = '```\n[{"a": 1}, 2]\n```\n~~~json\n{"b": 3}\n~~~\n```\n"c"\n```'

    assert [{"a": 1}, {"b": 3}] == list(find_json_objects(text))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 10_000,
        "9" * 5_000,
        "1e999",
        "NaN",
        '"\\ud800"',
        "\ud800",
        '{"a": 1} and so on',
        "",
        '"' + "x" * LONGEST_JSON + '"',
    ],
)
def test_what_cannot_be_read_is_not_there(text: str) -> None:
    """Deep, huge, incomplete or malformed JSON gives no value."""
    assert parse_json(text) is None
    assert [] == _list_values(text)


def test_a_text_of_the_greatest_length_is_read() -> None:
    """A text of exactly the size limit is read."""
    assert parse_json('"' + "x" * (LONGEST_JSON - 2) + '"') is not None


def test_a_reply_of_megabytes_costs_a_few_of_its_own_size() -> None:
    """The memory used is in proportion to the reply, however many fences it has."""
    text = "```json\n[[],[]]\n```\n" * 100_000
    tracemalloc.start()
    count = sum(1 for _ in find_json_values(text))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert 100_000 == count
    assert peak < 20 * len(text)


@pytest.mark.parametrize(
    "text",
    [
        "```" + " " * 4_000_000,
        "```" + " " * 4_000_000 + "x",
        " " * 4_000_000 + "```",
        "`" * 4_000_000,
        "```\n" + " " * 4_000_000,
    ],
    ids=["behind", "between", "before", "marks", "inside"],
)
def test_a_long_fence_costs_no_more_than_a_long_word(text: str) -> None:
    """A very long fence is read in linear time."""
    assert [] == list(find_json_values(text, "action"))
    assert [] == list(find_block_texts(text, "action"))


@given(st.text(alphabet=st.sampled_from('`~\n{}[]"1ajson \r\u2028\ud800'), max_size=80))
def test_any_reply_can_be_read(text: str) -> None:
    """Any reply can be read."""
    for each in find_json_values(text):
        assert parse_json(each.text) is not None
