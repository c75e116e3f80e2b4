import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.agent.spoken import LONGEST, Block, blocks, read, spoken


def _values(text: str, *infos: str) -> list[Any]:
    return [each.value for each in spoken(text, *infos)]


def test_a_whole_reply_is_read() -> None:
    """A reply that is JSON from end to end is one value."""
    assert [{"a": 1}] == _values(' {"a": 1}\n')


def test_the_blocks_of_a_reply_are_read_in_order() -> None:
    """Where the reply is words, each of its blocks that is JSON is a value."""
    text = "One:\n```json\n1\n```\nno:\n```\nx = 2\n```\nthree:\n```text\n3\n```\n"

    assert [1, 3] == _values(text)


def test_only_blocks_of_an_info_string_may_be_wanted() -> None:
    """With info strings, other blocks are left out, whatever they hold."""
    text = "```json\n1\n```\n```JSON\n2\n```\n```\n3\n```\n```jsonl\n4\n```"

    assert [1, 2] == _values(text, "json")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```json\n{\n}\n```", [Block("json", "{\n}")]),
        ("  ``` json \r\n1\r\n  ```\r\n", [Block("json", "1\r")]),
        ("````\n```\n1\n```\n````", [Block("", "```\n1\n```")]),
        ("```\n1\n`````", [Block("", "1")]),
        ("```json\n1", [Block("json", "1")]),
        ("```json {} ```", []),
        ("``\n1\n``", []),
        ("say ```x``` twice", []),
        ("```\n1\n```json\n2\n```", [Block("", "1\n```json\n2")]),
        ("", []),
    ],
)
def test_a_block_stands_between_two_fences(text: str, found: list[Block]) -> None:
    """A fence is a line of three marks or more; one as long and bare closes it."""
    assert found == list(blocks(text))


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
        '"' + "x" * LONGEST + '"',
    ],
)
def test_what_cannot_be_read_is_not_there(text: str) -> None:
    """Deep, huge, half or strange JSON is none, and nothing breaks."""
    assert read(text) is None
    assert [] == _values(text)


def test_a_text_of_the_greatest_length_is_read() -> None:
    """The limit itself is allowed."""
    assert read('"' + "x" * (LONGEST - 2) + '"') is not None


def test_a_reply_of_megabytes_costs_a_few_of_its_own_size() -> None:
    """Memory stays in proportion to the reply, however many fences it has."""
    text = "```json\n[[],[]]\n```\n" * 100_000
    tracemalloc.start()
    count = sum(1 for _ in spoken(text))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert 100_000 == count
    assert peak < 20 * len(text)


@given(st.text(alphabet=st.sampled_from('`\n{}[]"1ajson \r\u2028\ud800'), max_size=80))
def test_any_reply_can_be_read(text: str) -> None:
    """Nothing a model writes makes reading fail."""
    for each in spoken(text):
        assert each.text in text
