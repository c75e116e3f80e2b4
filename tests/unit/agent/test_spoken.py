import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.agent.spoken import (
    LONGEST,
    Block,
    blocks,
    fenced,
    objects,
    read,
    said_object,
    spoken,
)


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
        ("~~~ json\n1\n~~~", [Block("json", "1")]),
        ("~~~\n```\n1\n```\n~~~", [Block("", "```\n1\n```")]),
        ("~~~a`b\n1\n~~~~", [Block("a`b", "1")]),
        ("~~~\n1\n```", [Block("", "1\n```")]),
        ("- so:\n    ```\n    a\n      b\n  c\n    ```", [Block("", "a\n  b\nc")]),
        ("\t```\n\t1\n```", [Block("", "1")]),
        ("", []),
    ],
)
def test_a_block_stands_between_two_fences(text: str, found: list[Block]) -> None:
    """A fence is a line of three marks or more; one as long and bare closes it."""
    assert found == list(fenced(text))


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
    """The string itself, or as the first word; in any case, and nothing longer."""
    assert held == list(blocks(text, "action"))


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
    """The whole reply or its only `json` block; of two, neither."""
    assert said == said_object(text)


def test_every_object_of_a_reply_is_found() -> None:
    """In all blocks, and in lists; other values are left out."""
    text = '```\n[{"a": 1}, 2]\n```\n~~~json\n{"b": 3}\n~~~\n```\n"c"\n```'

    assert [{"a": 1}, {"b": 3}] == list(objects(text))


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
    """Each letter is looked at a few times: with millions, more would never end."""
    assert [] == list(spoken(text, "action"))
    assert [] == list(blocks(text, "action"))


@given(st.text(alphabet=st.sampled_from('`~\n{}[]"1ajson \r\u2028\ud800'), max_size=80))
def test_any_reply_can_be_read(text: str) -> None:
    """Nothing a model writes makes reading fail."""
    for each in spoken(text):
        assert read(each.text) is not None
