import hashlib
import hmac
import json
import os
import stat
import threading
from pathlib import Path

import pytest

from saniwa.core.errors import ProcessError, SaniwaError, StoreError
from saniwa.store.gate.people import (
    LARGEST_PEOPLE_FILE,
    People,
    PeopleSignatureVerifier,
    PersonSigner,
)

_AT = "2026-01-01T00:00:00Z"
_SECRET = "correct horse"


class CountingChance:
    """A source of random bytes that counts, the same every time."""

    def __init__(self) -> None:
        self._next = 0

    def draw_bytes(self, count: int) -> bytes:
        """The next number, repeated."""
        self._next += 1
        return bytes([self._next]) * count


def _make_people(folder: Path) -> People:
    return People(folder / "people.json", CountingChance())


def _make_people_with_ann(folder: Path) -> People:
    people = _make_people(folder)
    people.add("ann", "reviewer", _SECRET, at=_AT)
    return people


def test_a_person_is_known_by_name_and_secret(tmp_path: Path) -> None:
    """A person is recognised by name and secret, with the given role."""
    _make_people_with_ann(tmp_path)

    ann = _make_people(tmp_path).authenticate(f"ann:{_SECRET}")

    assert ("ann", "reviewer", _AT) == (ann.name, ann.role, ann.added_at)


def test_a_secret_may_hold_colons(tmp_path: Path) -> None:
    """A secret may contain colons; the first colon ends the name."""
    people = _make_people(tmp_path)
    people.add("ann", "human", "a:b:c:d:e:f:g", at=_AT)

    assert "ann" == people.authenticate("ann:a:b:c:d:e:f:g").name


@pytest.mark.parametrize(
    "credential", ["ann:wrong horse", "bob:correct horse", "ann", "", ":", "ann:", "ann:\ud800"]
)
def test_a_wrong_credential_is_always_the_same_no(tmp_path: Path, credential: str) -> None:
    """The refusal does not say whether the name or the secret is wrong."""
    people = _make_people_with_ann(tmp_path)

    with pytest.raises(ProcessError) as seen:
        people.authenticate(credential)

    assert "CREDENTIAL_REFUSED" == seen.value.code
    assert "no registered person has this name and secret" == seen.value.message
    assert {} == seen.value.details


def test_no_person_is_known_where_there_is_no_file(tmp_path: Path) -> None:
    """Without a file no person is recognised."""
    with pytest.raises(ProcessError, match="no registered person has this name"):
        _make_people(tmp_path).authenticate("ann:correct horse")


def test_the_file_holds_no_secret_and_is_its_owners(tmp_path: Path) -> None:
    """The file has hashes instead of secrets, and only its owner can read it."""
    people = _make_people_with_ann(tmp_path)
    kept = people.path.read_text()

    assert _SECRET not in kept
    assert 0o600 == stat.S_IMODE(people.path.stat().st_mode)
    assert {"name", "role", "salt", "hash", "added_at"} == set(json.loads(kept)["people"][0])


def test_equal_secrets_look_different(tmp_path: Path) -> None:
    """Each secret has its own salt."""
    people = _make_people_with_ann(tmp_path)
    people.add("bob", "human", _SECRET, at=_AT, by=f"ann:{_SECRET}")

    assert 2 == len({each.hash for each in people.list_people()})


@pytest.mark.parametrize("by", [None, "ann:wrong horse", "bob:correct horse"])
def test_only_the_first_person_needs_no_voucher(tmp_path: Path, by: str | None) -> None:
    """After the first, only a registered person may add or remove others."""
    people = _make_people_with_ann(tmp_path)

    with pytest.raises(ProcessError) as added:
        people.add("bob", "reviewer", _SECRET, at=_AT, by=by)
    with pytest.raises(ProcessError) as removed:
        people.remove("ann", by=by)

    assert "CREDENTIAL_REFUSED" == added.value.code == removed.value.code
    assert ["ann"] == [each.name for each in people.list_people()]


def test_a_removed_person_is_known_no_longer(tmp_path: Path) -> None:
    """A removed person is not recognised."""
    people = _make_people_with_ann(tmp_path)
    people.add("bob", "human", _SECRET, at=_AT, by=f"ann:{_SECRET}")
    people.remove("ann", by=f"bob:{_SECRET}")

    assert ["bob"] == [each.name for each in people.list_people()]
    with pytest.raises(ProcessError, match="no registered person has this name"):
        people.authenticate(f"ann:{_SECRET}")


def test_a_name_is_given_once(tmp_path: Path) -> None:
    """A name that is registered is refused."""
    people = _make_people_with_ann(tmp_path)

    with pytest.raises(ProcessError) as seen:
        people.add("ann", "human", _SECRET, at=_AT, by=f"ann:{_SECRET}")

    assert "PERSON_EXISTS" == seen.value.code


def test_an_unknown_person_cannot_be_removed(tmp_path: Path) -> None:
    """Removing an unknown person is refused with the nearest name."""
    people = _make_people_with_ann(tmp_path)

    with pytest.raises(ProcessError) as seen:
        people.remove("anne", by=f"ann:{_SECRET}")

    assert ("PERSON_UNKNOWN", "did you mean 'ann'?") == (seen.value.code, seen.value.hint)


@pytest.mark.parametrize(
    ("name", "role", "secret"),
    [
        ("", "human", _SECRET),
        ("a:b", "human", _SECRET),
        ("a b", "human", _SECRET),
        ("a\nb", "human", _SECRET),
        ("a" * 61, "human", _SECRET),
        ("ann", "", _SECRET),
        ("ann", "human", "1234567"),
        ("ann", "human", "x" * 1001),
    ],
)
def test_what_cannot_be_reported_or_is_too_short_is_refused(
    tmp_path: Path, name: str, role: str, secret: str
) -> None:
    """Unusable names and short secrets are refused."""
    people = _make_people(tmp_path)

    with pytest.raises(ProcessError) as seen:
        people.add(name, role, secret, at=_AT)

    assert "PERSON_UNUSABLE" == seen.value.code
    assert secret not in str(seen.value)
    assert () == people.list_people()


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"people": [{"name": 1}]}', b"\xff", b"[" * 500_000]
)
def test_a_file_that_is_not_from_saniwa_admits_no_person(tmp_path: Path, content: bytes) -> None:
    """A malformed file is an error, not an empty list."""
    people = _make_people(tmp_path)
    people.path.write_bytes(content)

    with pytest.raises(StoreError) as seen:
        people.authenticate("ann:correct horse")
    with pytest.raises(StoreError):
        people.add("ann", "human", _SECRET, at=_AT)

    assert "STORE_UNREADABLE" == seen.value.code
    assert content == people.path.read_bytes()


def test_a_salt_that_is_not_hex_is_reported(tmp_path: Path) -> None:
    """A salt that is not hexadecimal is an error."""
    people = _make_people_with_ann(tmp_path)
    people.path.write_text(people.path.read_text().replace('"salt": "', '"salt": "zz'))

    with pytest.raises(StoreError) as seen:
        people.authenticate(f"ann:{_SECRET}")

    assert "STORE_UNREADABLE" == seen.value.code


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """If the file cannot be written, adding a person is an error."""
    (tmp_path / "gate").write_text("a file, no folder")

    with pytest.raises(StoreError) as seen:
        People(tmp_path / "gate" / "people.json").add("ann", "human", _SECRET, at=_AT)

    assert "TRACE_UNWRITABLE" == seen.value.code


def test_a_token_is_long_and_never_the_same(tmp_path: Path) -> None:
    """Tokens are 32 random bytes."""
    people = _make_people(tmp_path)

    assert ["01" * 32, "02" * 32] == [people.make_token(), people.make_token()]
    assert 2 == len({People(people.path).make_token() for _ in range(2)})


def test_of_several_first_persons_one_is_accepted(tmp_path: Path) -> None:
    """Of several first persons at once, only one is accepted."""
    refused: list[str] = []

    def add_person(number: int) -> None:
        try:
            _make_people(tmp_path).add(f"p{number}", "human", _SECRET, at=_AT)
        except SaniwaError as problem:
            refused.append(problem.code)

    threads = [threading.Thread(target=add_person, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ["CREDENTIAL_REFUSED"] * 3 == refused
    assert 1 == len(_make_people(tmp_path).list_people())


@pytest.mark.parametrize("name", ["bot", "ann"])
def test_an_agent_vouches_for_no_person(tmp_path: Path, name: str) -> None:
    """A credential with the agent's role cannot add or remove a person."""
    people = _make_people_with_ann(tmp_path)
    people.add("bot", "agent", _SECRET, at=_AT, by=f"ann:{_SECRET}")
    before = people.path.read_bytes()

    with pytest.raises(ProcessError) as added:
        people.add("eve", "reviewer", _SECRET, at=_AT, by=f"bot:{_SECRET}")
    with pytest.raises(ProcessError) as removed:
        people.remove(name, by=f"bot:{_SECRET}")

    assert "CREDENTIAL_REFUSED" == added.value.code == removed.value.code
    assert "'bot' has the role 'agent', and agents may not manage people" == (added.value.message)
    assert before == people.path.read_bytes()


def test_the_first_and_last_entry_is_a_person(tmp_path: Path) -> None:
    """The first and the last remaining entry must be a person, not an agent."""
    people = _make_people(tmp_path)

    with pytest.raises(ProcessError) as first:
        people.add("bot", "agent", _SECRET, at=_AT)
    people.add("ann", "reviewer", _SECRET, at=_AT)
    people.add("bot", "agent", _SECRET, at=_AT, by=f"ann:{_SECRET}")
    with pytest.raises(ProcessError) as last:
        people.remove("ann", by=f"ann:{_SECRET}")

    assert "PERSON_UNUSABLE" == first.value.code == last.value.code
    assert ["ann", "bot"] == [each.name for each in people.list_people()]


@pytest.mark.parametrize("broken", ["people.json", "."])
def test_a_link_that_leads_nowhere_is_no_empty_list(tmp_path: Path, broken: str) -> None:
    """A broken link in place of the file is an error, not an empty list."""
    link = tmp_path / "gate" / broken
    (link.parent if broken != "." else tmp_path).mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "nowhere")
    people = _make_people(tmp_path / "gate")

    with pytest.raises(StoreError) as seen:
        people.list_people()
    with pytest.raises(StoreError):
        people.add("eve", "human", _SECRET, at=_AT)

    assert "STORE_UNREADABLE" == seen.value.code
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_in_place_of_the_file_is_no_empty_list(tmp_path: Path) -> None:
    """A folder in place of the file is an error, not an empty list."""
    people = _make_people(tmp_path)
    people.path.mkdir()

    with pytest.raises(StoreError) as seen:
        people.add("eve", "human", _SECRET, at=_AT)

    assert "STORE_UNREADABLE" == seen.value.code


def test_a_pipe_in_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe in place of the file is an error, without waiting."""
    people = _make_people(tmp_path)
    os.mkfifo(people.path)
    # Opened for reading and writing, a pipe does not block, and a waiting reader continues.
    rescue = threading.Timer(5, lambda: os.close(os.open(people.path, os.O_RDWR)))
    rescue.start()

    with pytest.raises(StoreError, match="it is not a regular file") as seen:
        people.authenticate(f"ann:{_SECRET}")
    with pytest.raises(StoreError):
        people.add("eve", "human", _SECRET, at=_AT)
    waited = not rescue.is_alive()
    rescue.cancel()

    assert "STORE_UNREADABLE" == seen.value.code
    assert not waited


def test_a_file_of_the_people_has_a_bound(tmp_path: Path) -> None:
    """A file over the size limit is refused."""
    people = _make_people(tmp_path)
    people.path.write_bytes(b" " * (LARGEST_PEOPLE_FILE + 1))

    with pytest.raises(StoreError, match=f"it has more than {LARGEST_PEOPLE_FILE} bytes"):
        people.list_people()


@pytest.mark.parametrize("hash", ["zz", "", "é" * 64, "ab"])
def test_a_hash_that_is_invalid_is_reported(tmp_path: Path, hash: str) -> None:
    """A malformed hash is an error, because its signatures would prove nothing."""
    people = _make_people_with_ann(tmp_path)
    kept = json.loads(people.path.read_text())
    kept["people"][0]["hash"] = hash
    people.path.write_text(json.dumps(kept))

    with pytest.raises(StoreError) as seen:
        people.authenticate(f"ann:{_SECRET}")

    assert "STORE_UNREADABLE" == seen.value.code


def test_a_persons_mark_is_confirmed(tmp_path: Path) -> None:
    """A signature is valid only for its person and message."""
    people = _make_people_with_ann(tmp_path)
    people.add("bob", "human", _SECRET, at=_AT, by=f"ann:{_SECRET}")
    mark = PersonSigner(people.authenticate(f"ann:{_SECRET}")).sign(b"yes")
    witness = PeopleSignatureVerifier(people.path)

    assert witness.verify_signature("ann", b"yes", mark) is True
    assert witness.verify_signature("ann", b"no", mark) is False
    assert witness.verify_signature("bob", b"yes", mark) is False
    assert witness.verify_signature("ann", b"yes", "") is False
    assert witness.verify_signature("ann", b"yes", "\ud800é") is False
    assert witness.verify_signature("eve", b"yes", mark) is None


def test_a_mark_needs_more_than_the_name(tmp_path: Path) -> None:
    """The key of a signature is not the stored hash itself."""
    ann = _make_people_with_ann(tmp_path).authenticate(f"ann:{_SECRET}")
    mark = PersonSigner(ann).sign(b"yes")
    plain = hmac.digest(bytes.fromhex(ann.hash), b"yes", "sha256").hex()

    assert 64 == len(mark)
    assert plain != mark


def test_marks_outlast_a_secret(tmp_path: Path) -> None:
    """Signatures of a removed or replaced person stay valid."""
    people = _make_people_with_ann(tmp_path)
    people.add("bob", "human", _SECRET, at=_AT, by=f"ann:{_SECRET}")
    ann = people.authenticate(f"ann:{_SECRET}")
    old = PersonSigner(ann).sign(b"yes")
    people.remove("ann", by=f"bob:{_SECRET}")
    witness = PeopleSignatureVerifier(people.path)

    assert witness.verify_signature("ann", b"yes", old) is True
    assert witness.verify_signature("ann", b"no", old) is False
    assert witness.verify_signature("eve", b"yes", old) is None
    assert ann.hash not in people.path.read_text()

    people.add("ann", "human", "another horse", at=_AT, by=f"bob:{_SECRET}")
    new = PersonSigner(people.authenticate("ann:another horse")).sign(b"yes")

    assert old != new
    assert witness.verify_signature("ann", b"yes", old) is True
    assert witness.verify_signature("ann", b"yes", new) is True
    assert witness.verify_signature("ann", b"yes", "0" * 64) is False


def test_a_person_changes_their_own_secret(tmp_path: Path) -> None:
    """After a change of secret the old one is refused, and old signatures stay valid."""
    people = _make_people_with_ann(tmp_path)
    mark = PersonSigner(people.authenticate(f"ann:{_SECRET}")).sign(b"decided")
    changed = people.change_secret("ann", _SECRET, "another horse")

    assert changed == people.authenticate("ann:another horse")
    assert ("reviewer", _AT) == (changed.role, changed.added_at)
    assert PeopleSignatureVerifier(people.path).verify_signature("ann", b"decided", mark)
    with pytest.raises(ProcessError, match="CREDENTIAL_REFUSED"):
        people.authenticate(f"ann:{_SECRET}")


@pytest.mark.parametrize(
    ("name", "secret", "new", "code"),
    [
        ("ann", "wrong horse!", "another horse", "CREDENTIAL_REFUSED"),
        ("eve", _SECRET, "another horse", "CREDENTIAL_REFUSED"),
        ("ann", _SECRET, "elevenchars", "PERSON_UNUSABLE"),
        ("ann", _SECRET, _SECRET, "PERSON_UNUSABLE"),
        ("bot", _SECRET, "another horse", "PERSON_UNUSABLE"),
    ],
)
def test_a_secret_that_cannot_be_changed_stays(
    tmp_path: Path, name: str, secret: str, new: str, code: str
) -> None:
    """Changing a secret needs the current one, a long new one, and a person."""
    people = _make_people_with_ann(tmp_path)
    people.add("bot", "agent", _SECRET, at=_AT, by=f"ann:{_SECRET}")
    before = people.path.read_bytes()
    with pytest.raises(ProcessError, match=code):
        people.change_secret(name, secret, new)

    assert before == people.path.read_bytes()


def test_a_short_secret_from_before_continues_to_work(tmp_path: Path) -> None:
    """An older short secret is still accepted; a new one needs twelve characters."""
    people = _make_people_with_ann(tmp_path)
    salt = bytes(16)
    kept = hashlib.scrypt(b"old pass", salt=salt, n=2**14, r=8, p=1, dklen=32)
    sheet = json.loads(people.path.read_bytes())
    sheet["people"][0] |= {"salt": salt.hex(), "hash": kept.hex()}
    people.path.write_text(json.dumps(sheet))

    assert "ann" == people.authenticate("ann:old pass").name
    with pytest.raises(ProcessError, match="a secret has 12 to"):
        people.add("bob", "human", "elevenchars", at=_AT, by="ann:old pass")
