import pytest

from saniwa.core.document import Format, read_bytes
from saniwa.wiring.writing.new_scenario import renamed


@pytest.mark.parametrize(
    ("format", "text", "copied"),
    [
        (
            "yaml",
            "# hut\nname: hut  # hut\na: hut\n",
            "# hut\nname: new  # hut\na: hut\n",
        ),
        ("yaml", "name: 'hut'\r\na: 1\r\n", "name: 'new'\r\na: 1\r\n"),
        ("yaml", "{a: hut, name: hut}", "{a: hut, name: new}"),
        ("json", '{"a": "hut", "name": "hut"}', '{"a": "hut", "name": "new"}'),
    ],
)
def test_only_the_name_is_another(format: Format, text: str, copied: str) -> None:
    """Comments, quotes, line ends and everything else stay as they were."""
    assert copied == renamed(read_bytes(text.encode(), "f", format), "new", format)


@pytest.mark.parametrize(
    "text",
    [
        "name: >-\n  hut\n",
        'name: "h\\x75t"\n',
        "a: &x hut\nname: *x\n",
        "name: 3\n",
        "a: 1\n",
        "[1]",
    ],
)
def test_what_takes_more_than_that_is_not_guessed(text: str) -> None:
    """Nothing is written that does not say the same, read again."""
    assert renamed(read_bytes(text.encode(), "f", "yaml"), "new", "yaml") is None
