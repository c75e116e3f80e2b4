import pytest

from saniwa.store.gate.evidence_reader import find_secret

_HEX = b"0123456789abcdef" * 4
_PEOPLE_FILE = b'{"people": [{"name": "mei", "salt": "00", "hash": "11"}]}'
_PRIVATE_KEY = b"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("mei.key", b"anything"),
        ("deep/Server.PEM", b"anything"),
        ("people.json", b"{}"),
        ("notes.md", _PEOPLE_FILE),
        ("notes.md", _PRIVATE_KEY),
        ("notes.md", b"-----BEGIN CERTIFICATE-----\n" + _PRIVATE_KEY),
        ("notes.md", _HEX + b"\n"),
        ("notes.md", b"anyone:" + _HEX + b"\n"),
        ("notes.md", b"mei:four plain words\n"),
        ("notes.md", "芽依:four plain words".encode()),
    ],
)
def test_a_key_file_is_recognised_by_name_or_content(path: str, head: bytes) -> None:
    """Keys, credentials and the list of people are recognised by name or content."""
    assert "key files cannot be evidence" in find_secret(path, head, {"mei", "芽依"})


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("notes.md", b"claim: it rains\n"),
        ("notes.md", b"mei:four plain words\nand another line\n"),
        ("monkey.md", b"A monkey has no key."),
        ("sums.txt", _HEX + b"  report.md\n"),
        ("report.json", b'{"people": 3, "hash": "aa"}'),
        ("notes.md", b"The file begins with -----BEGIN PRIVATE KEY-----"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\x00\xff"),
    ],
)
def test_ordinary_evidence_is_not_taken_for_a_key(path: str, head: bytes) -> None:
    """A document that only mentions keys is accepted as evidence."""
    assert "" == find_secret(path, head, {"mei"})
