from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.process.artifact import Claim
from saniwa.process.ports import EvidenceError, EvidenceInspection
from saniwa.store.gate.evidence_reader import LARGEST_INLINE
from tests.unit.store.gate.evidence.evidence_inspection import (
    RUN,
    compute_sha256,
    inspect_file,
    inspect_inline,
    make_reader,
)


@pytest.mark.parametrize(
    "claim",
    [
        Claim(),
        Claim(path="a.md", url="https://example.org"),
        Claim(path="a.md", content={}),
        Claim(url="https://example.org", content=None),
    ],
)
def test_a_claim_has_one_source(run_folder: Path, claim: Claim) -> None:
    """A claim has exactly one of a path, a URL and content."""
    with pytest.raises(EvidenceError, match="a path, a URL or content"):
        make_reader(run_folder).inspect(RUN, "", claim, read=False)


def test_a_claimed_hash_must_be_the_files(run_folder: Path) -> None:
    """A claimed hash must be the file's, in upper or lower case."""
    (run_folder / "a.md").write_bytes(b"x")

    assert 1 == inspect_file(run_folder, "a.md", hash=compute_sha256(b"x").upper()).size
    with pytest.raises(EvidenceError, match=r"the hash is '2d711642b726'…, not 'a1fce"):
        inspect_file(run_folder, "a.md", hash=compute_sha256(b"y"))
    with pytest.raises(EvidenceError, match="'abc' is not a SHA-256 in hexadecimal"):
        inspect_file(run_folder, "a.md", hash="abc")


def test_an_address_needs_its_hash(run_folder: Path) -> None:
    """A URL needs a hash, because it is not fetched."""
    evidence, address = make_reader(run_folder), "https://example.org/a"

    seen = evidence.inspect(RUN, "", Claim(url=address, hash="AB" * 32), read=True)

    assert EvidenceInspection("ab" * 32, 0) == seen
    with pytest.raises(EvidenceError, match="a URL needs the hash"):
        evidence.inspect(RUN, "", Claim(url=address), read=False)
    claim = Claim(url="https://a:b@example.org", hash="ab" * 32)
    with pytest.raises(EvidenceError, match="a user name or password"):
        evidence.inspect(RUN, "", claim, read=False)


def test_a_content_is_hashed_however_it_is_written() -> None:
    """The hash of content does not depend on the order of keys; a text is hashed as its bytes."""
    one, other = ({"b": 1, "a": [2, {"d": 1, "c": 2}]}, {"a": [2, {"c": 2, "d": 1}], "b": 1})

    assert inspect_inline(one) == inspect_inline(other)
    assert compute_sha256(b'{"a":[2,{"c":2,"d":1}],"b":1}') == inspect_inline(one).hash
    assert EvidenceInspection(compute_sha256("報告".encode()), 6) == inspect_inline("報告")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "the content is empty"),
        (None, "the content is empty"),
        ({1}, "the content is not JSON: a set is not JSON"),
        ({"a": {1: 2}}, "the content is not JSON: the key 1 is not text"),
        (float("nan"), "the content is not JSON: nan is not a number"),
        ("\ud800", "the content is not JSON: the text contains half of a surrogate pair"),
        (2**64, "the content is not JSON: Integer exceeds 64-bit range"),
        ("x" * (LARGEST_INLINE + 1), f"the content is larger than {LARGEST_INLINE}"),
        (["x" * LARGEST_INLINE], f"the content is larger than {LARGEST_INLINE} bytes"),
    ],
)
def test_a_content_that_is_nothing_or_no_json_is_refused(content: Any, why: str) -> None:
    """Content that is empty or not JSON is refused."""
    with pytest.raises(EvidenceError) as caught:
        inspect_inline(content)

    assert why == str(caught.value)[: len(why)]


def test_a_content_says_what_it_is() -> None:
    """The plain value of content is itself, or the front matter of a text that has one."""
    assert {"a": 1} == inspect_inline({"a": 1}, read=True).plain
    assert "text" == inspect_inline("text", read=True).plain
    assert {"a": 1} == inspect_inline("---\na: 1\n---\ntext", read=True).plain
    assert msgspec.UNSET is inspect_inline({"a": 1}).plain
    with pytest.raises(EvidenceError, match="the content cannot be read, line 3, col"):
        inspect_inline("---\na: [\n---\n", read=True)


@pytest.mark.parametrize(
    ("name", "content", "plain"),
    [
        ("a.json", '{"a": [1, null]}', {"a": [1, None]}),
        ("a.JSON", "1", 1),
        ("a.yaml", "a: no\nb: 1\n", {"a": "no", "b": 1}),
        ("a.yml", "- 1", [1]),
        ("a.md", "---\ntitle: x\n---\n# Body\n---\n", {"title": "x"}),
        ("a.md", "\ufeff---\r\ntitle: x\r\n---\r\n", {"title": "x"}),
        ("a.markdown", "--- \ntitle: x\n...\n", {"title": "x"}),
        ("a.md", "---\n---\n", None),
        ("a.md", "# Body\n", msgspec.UNSET),
        ("a.md", "text\n---\na: 1\n---\n", msgspec.UNSET),
        ("a.txt", '{"a": 1}', msgspec.UNSET),
        ("json", '{"a": 1}', msgspec.UNSET),
    ],
)
def test_a_document_says_what_is_in_it(
    run_folder: Path, name: str, content: str, plain: Any
) -> None:
    """JSON, YAML and front matter are read; other files have no plain value."""
    (run_folder / name).write_text(content, encoding="utf-8", newline="")

    assert plain == inspect_file(run_folder, name, read=True).plain
    assert msgspec.UNSET is inspect_file(run_folder, name).plain


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.json", b'{"a": 1,\n "b" 2}', "cannot be read, line 2, column 6: expected "),
        ("a.json", b'{"a": 1, "a": 2}', "cannot be read, line 1, column 10: the key"),
        ("a.yaml", b"a: 1\nb: [\n", "cannot be read, line 3, column 1:"),
        ("a.yaml", b"a: \xff", "cannot be read, line 1, column 4: byte 0xff is not"),
        ("a.md", b"---\na: 1\na: 2\n---\n", "cannot be read, line 3, column 1: the key"),
        ("a.md", b"---\na: 1\n", "has unclosed front matter: the second '---' is missing"),
        ("a.md", b"---\na: \xff\n---\n", "cannot be read: byte 7 is not UTF-8"),
        ("a.md", b"# Body \xe7\x81", "cannot be read: byte 7 is not UTF-8"),
        ("a.json", b" " * (2 << 20), "is a document of more than 1048576 bytes"),
        ("a.json", b"[" * 5000, "cannot be read, line 1, column 101: this is nested"),
    ],
)
def test_a_broken_document_is_refused_with_its_place(
    run_folder: Path, name: str, content: bytes, why: str
) -> None:
    """A malformed document is refused with its place, unless it need not be read."""
    (run_folder / name).write_bytes(content)

    with pytest.raises(EvidenceError) as caught:
        inspect_file(run_folder, name, read=True)

    assert f"'{name}' {why}" == str(caught.value)[: len(name) + 3 + len(why)]
    assert len(content) == inspect_file(run_folder, name).size


def test_a_long_page_says_what_its_top_says(run_folder: Path) -> None:
    """The front matter of a long page is read, even if the limit splits a character."""
    for spaces in range(3):
        content = f"---\na: 1\n---\n{' ' * spaces}".encode() + "灯".encode() * 400_000
        (run_folder / "a.md").write_bytes(content)

        seen = inspect_file(run_folder, "a.md", read=True)

        assert (compute_sha256(content), len(content)) == (seen.hash, seen.size)
        assert {"a": 1} == seen.plain
        assert seen.text.startswith("---\na: 1\n---\n")


@pytest.mark.parametrize(
    "nothing",
    [
        None,
        "",
        {},
        [],
        " \t\r\n",
        "\u200b",
        "\u2800\u3164",
        "\ufeff\u00a0",
        "\u00ad\ufe0f",
        [None],
        {"a": None},
        [""],
        [[]],
        {"a": {}},
        {"a": [{"b": "\u200b"}, None]},
    ],
)
def test_a_content_in_which_nothing_can_be_seen_is_empty(nothing: Any) -> None:
    """Content with only invisible characters or empty lists is empty."""
    with pytest.raises(EvidenceError, match=r"^the content is empty$"):
        inspect_inline(nothing)


@pytest.mark.parametrize(
    "little", [0, False, "0", ".", "\u200b灯", [None, 0], {"a": None, "b": False}]
)
def test_a_content_that_says_little_is_taken(little: Any) -> None:
    """Content with little in it is accepted; guards decide how much is enough."""
    assert inspect_inline(little).size > 0
