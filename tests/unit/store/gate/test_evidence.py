import hashlib
import mmap
import os
import socket
import sys
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saniwa.process.artifact import Artifact, Author, Claim
from saniwa.process.ports import Evidence, EvidenceError
from saniwa.store.gate.evidence import FolderEvidence
from saniwa.store.gate.evidence.digest import LARGEST, digest
from saniwa.store.gate.evidence.folder import LARGEST_INLINE, Seen
from saniwa.store.gate.evidence.walk import UnfitError

RUN = "run-1"
_KERNEL = Path("/sys/kernel/profiling")
SECRET = b"nobody outside may read this"


_AT_OPENING: dict[str, Callable[[], object]] = {}
"""What happens once, right before something of that name is opened."""


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _AT_OPENING and isinstance(arguments[0], str):
        _AT_OPENING.pop(arguments[0], lambda: None)()


sys.addaudithook(_hear)


@pytest.fixture
def at_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[[], object]], None]:
    """Lets something happen once, right before the first bytes of a file are read."""

    def arrange(then: Callable[[], object]) -> None:
        real = os.read

        def read(handle: int, count: int) -> bytes:
            monkeypatch.setattr(os, "read", real)
            then()
            return real(handle, count)

        monkeypatch.setattr(os, "read", read)

    return arrange


Arrange = Callable[[Callable[[], object]], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The run's own folder; a secret lies beside it."""
    (tmp_path / "secret.md").write_bytes(SECRET)
    inner = tmp_path / "artifacts" / RUN
    inner.mkdir(parents=True)
    return inner


def _evidence(folder: Path) -> FolderEvidence:
    return FolderEvidence(folder.parent, folder.parent.parent)


def _look(folder: Path, path: str, *, read: bool = False, **more: Any) -> Seen:
    claim = Claim(path=path, **more)
    return _evidence(folder).look(RUN, "", claim, read=read)


def _inline(content: Any, *, read: bool = False, **more: Any) -> Seen:
    nowhere = FolderEvidence(Path("nowhere"), Path("nowhere"))
    return nowhere.look(RUN, "", Claim(content=content, **more), read=read)


def _artifact(seen: Seen, **more: Any) -> Artifact:
    return Artifact(
        artifact_id="1",
        run_id=RUN,
        type="report",
        hash=seen.hash,
        size=seen.size,
        created_at="2026-01-01T00:00:00Z",
        created_by=Author("agent", "agent"),
        **more,
    )


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_it_is_what_the_gate_asks_for(folder: Path) -> None:
    """Evidence in folders fills the gate's own role."""
    evidence: Evidence = _evidence(folder)

    assert "" == evidence.fault("", _artifact(_inline("x"), content="x"))


@pytest.mark.parametrize("path", ["a..b.md", "./a..b.md", "deep/er/a b.txt", "報告.md"])
def test_a_file_is_told_by_its_bytes(folder: Path, path: str) -> None:
    """Hash and size are those of the bytes that lie there."""
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(b"hello\r\n")

    assert Seen(_sha(b"hello\r\n"), 7) == _look(folder, path)


def test_a_folder_of_the_project_may_hold_the_evidence(folder: Path) -> None:
    """With a folder of its own, a run's paths lead from there and not from its id."""
    docs = folder.parent.parent / "docs" / "x"
    docs.mkdir(parents=True)
    (docs / "a.md").write_bytes(b"here")
    evidence, claim = _evidence(folder), Claim(path="a.md")

    assert _sha(b"here") == evidence.look(RUN, "./docs/x/", claim, read=False).hash
    with pytest.raises(EvidenceError, match="is not there"):
        evidence.look(RUN, "", claim, read=False)
    claim = Claim(path="secret.md")
    assert _sha(SECRET) == evidence.look(RUN, ".", claim, read=False).hash


@pytest.mark.parametrize("away", ["..", "/etc", "a/../..", "link", "a;b", "C:x"])
def test_no_folder_leads_out_of_the_project(folder: Path, away: str) -> None:
    """Neither letters nor links lead above the project's own folder."""
    top = folder.parent.parent
    (top / "outer").mkdir()
    (top / "outer" / "passwd").write_bytes(SECRET)
    inner = top / "project"
    inner.mkdir()
    (inner / "link").symlink_to(top / "outer")
    evidence = FolderEvidence(inner / "artifacts", inner)

    with pytest.raises(EvidenceError):
        evidence.look(RUN, away, Claim(path="passwd"), read=False)


def _link_out(folder: Path) -> None:
    (folder / "a.md").symlink_to(folder.parent.parent / "secret.md")


def _link_inside(folder: Path) -> None:
    (folder / "b.md").write_bytes(b"x")
    (folder / "a.md").symlink_to("b.md")


def _link_to_nothing(folder: Path) -> None:
    (folder / "a.md").symlink_to("nothing")


def _link_to_itself(folder: Path) -> None:
    (folder / "a.md").symlink_to("a.md")


def _socket(folder: Path) -> None:
    # From inside, for an address of a socket has few letters.
    with chdir(folder), socket.socket(socket.AF_UNIX) as made:
        made.bind("a.md")


def _large(folder: Path) -> None:
    with (folder / "a.md").open("wb") as file:
        file.truncate(10 * 1024**3)


@pytest.mark.parametrize(
    ("lay", "why"),
    [
        (lambda _: None, "'a.md' is not there"),
        (_link_out, "'a.md' leads through a link, and links are not followed"),
        (_link_inside, "'a.md' leads through a link, and links are not followed"),
        (_link_to_nothing, "'a.md' leads through a link, and links are not followed"),
        (_link_to_itself, "'a.md' leads through a link, and links are not followed"),
        (lambda f: (f / "a.md").mkdir(), "'a.md' is a folder"),
        (lambda f: os.mkfifo(f / "a.md"), "'a.md' is no regular file"),
        (_socket, "'a.md' is no regular file"),
        (lambda f: (f / "a.md").touch(), "'a.md' is empty"),
        (_large, f"'a.md' is larger than {LARGEST} bytes"),
    ],
)
def test_what_is_no_file_with_something_in_it_is_refused(
    folder: Path, lay: Callable[[Path], object], why: str
) -> None:
    """Nothing that is not a regular file satisfies anybody, and nothing is waited for."""
    lay(folder)

    with ThreadPoolExecutor(1) as pool, pytest.raises(EvidenceError) as caught:
        pool.submit(_look, folder, "a.md").result(timeout=10)

    assert why == str(caught.value)


def test_a_device_is_refused() -> None:
    """A device is no evidence, and is not even opened."""
    devices = FolderEvidence(Path("/dev"), Path("/dev"))
    _AT_OPENING["null"] = lambda: None

    with pytest.raises(EvidenceError, match="'null' is no regular file"):
        devices.look(RUN, ".", Claim(path="null"), read=False)
    assert _AT_OPENING.pop("null", None) is not None


@pytest.mark.skipif(not _KERNEL.is_file(), reason="needs a file the kernel makes up")
def test_a_file_that_is_not_as_long_as_it_says_is_refused() -> None:
    """Files of the kernel say a size and hold another: nothing to rely on."""
    top = FolderEvidence(_KERNEL.parent, _KERNEL.parent)

    with pytest.raises(EvidenceError, match="changed while it was read"):
        top.look(RUN, ".", Claim(path=_KERNEL.name), read=False)


def test_no_linked_folder_is_entered(folder: Path) -> None:
    """A folder on the way that is a link is refused, wherever it leads."""
    (folder / "out").symlink_to(folder.parent.parent)
    (folder / "here").symlink_to(".")
    (folder / "a.md").write_bytes(b"x")

    for path in ("out/secret.md", "here/a.md"):
        with pytest.raises(EvidenceError, match="leads through a link"):
            _look(folder, path)


def test_a_run_whose_folder_is_a_link_is_refused(folder: Path) -> None:
    """Whoever puts a link in place of a run's folder gains nothing."""
    folder.rmdir()
    folder.symlink_to(folder.parent.parent)

    with pytest.raises(EvidenceError, match=r"'secret\.md' leads through a link"):
        _look(folder, "secret.md")


def test_the_top_itself_may_be_reached_through_a_link(folder: Path) -> None:
    """Where the project lies is its owner's business."""
    (folder / "a.md").write_bytes(b"x")
    top = folder.parent.parent / "linked"
    top.symlink_to(folder.parent)

    seen = FolderEvidence(top, top).look(RUN, "", Claim(path="a.md"), read=False)

    assert _sha(b"x") == seen.hash


@pytest.mark.parametrize("path", ["a.md/b.md", "none/b.md", "が.md", "x" * 300])
def test_what_cannot_be_there_is_told_of(folder: Path, path: str) -> None:
    """A file in place of a folder, a folder that is missing, a name no disk takes."""
    (folder / "a.md").write_bytes(b"x")

    with pytest.raises(EvidenceError, match=r"is not there|File name too long"):
        _look(folder, path)


def test_a_run_without_a_folder_has_no_files(tmp_path: Path) -> None:
    """Where nothing was ever put, nothing is there."""
    evidence = FolderEvidence(tmp_path / "none", tmp_path)

    with pytest.raises(EvidenceError, match=r"'a\.md' is not there"):
        evidence.look(RUN, "", Claim(path="a.md"), read=False)


@pytest.mark.parametrize(("lies", "claimed"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_name_is_its_letters(folder: Path, lies: Any, claimed: Any) -> None:
    """A name in Unicode's other form is another name, and that is said."""
    path = "がっき.md"
    (folder / unicodedata.normalize(lies, path)).write_bytes(b"x")

    assert 1 == _look(folder, unicodedata.normalize(lies, path)).size
    with pytest.raises(EvidenceError, match=f"is not there; a file is, .* form {lies}"):
        _look(folder, unicodedata.normalize(claimed, path))


def test_the_largest_file_is_taken(folder: Path) -> None:
    """The limit itself is still allowed."""
    with (folder / "a.bin").open("wb") as file:
        file.truncate(LARGEST)

    assert LARGEST == _look(folder, "a.bin").size


def test_a_file_that_grows_while_it_is_read_is_refused(
    folder: Path, at_reading: Arrange
) -> None:
    """What is hashed is what was there: neither more nor less."""
    path = folder / "log.txt"
    path.write_bytes(b"x" * 1000)

    def grow() -> None:
        with path.open("ab") as file:
            file.write(b"more")

    at_reading(grow)
    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        _look(folder, "log.txt")


def test_a_file_that_shrinks_while_it_is_read_is_refused(
    folder: Path, at_reading: Arrange
) -> None:
    """A file cut short under our hands is not what was handed in."""
    path = folder / "log.txt"
    path.write_bytes(b"x" * 1000)
    at_reading(lambda: os.truncate(path, 10))

    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        _look(folder, "log.txt")


def test_a_file_rewritten_while_it_is_read_is_refused(
    folder: Path, at_reading: Arrange
) -> None:
    """The same number of other bytes is a change, too."""
    path = folder / "log.txt"
    path.write_bytes(b"x" * 1000)
    os.utime(path, (1, 1))

    def rewrite() -> None:
        with path.open("r+b") as file:
            file.write(b"y" * 1000)

    at_reading(rewrite)
    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        _look(folder, "log.txt")


def _to_link(folder: Path) -> None:
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(folder.parent.parent / "secret.md")


def _to_pipe(folder: Path) -> None:
    (folder / "a.md").unlink()
    os.mkfifo(folder / "a.md")


def _to_socket(folder: Path) -> None:
    (folder / "a.md").unlink()
    _socket(folder)


def _to_nothing(folder: Path) -> None:
    (folder / "a.md").unlink()


def _to_linked_folder(folder: Path) -> None:
    (folder / "in").rename(folder / "aside")
    (folder / "in").symlink_to(folder.parent.parent)


@pytest.mark.parametrize(
    ("path", "step", "swap", "why"),
    [
        ("a.md", "a.md", _to_link, "leads through a link"),
        ("a.md", "a.md", _to_pipe, "is no regular file"),
        ("a.md", "a.md", _to_socket, "is no regular file"),
        ("a.md", "a.md", _to_nothing, "is not there"),
        ("in/secret.md", "in", _to_linked_folder, "leads through a link"),
    ],
)
def test_a_swap_in_the_last_moment_gains_nothing(
    folder: Path, path: str, step: str, swap: Callable[[Path], None], why: str
) -> None:
    """What is swapped after it was looked at and before it is opened is refused."""
    (folder / "in").mkdir()
    (folder / "in" / "secret.md").write_bytes(b"ours")
    (folder / "a.md").write_bytes(b"ours")
    before = _open_files()
    _AT_OPENING[step] = lambda: swap(folder)

    with ThreadPoolExecutor(1) as pool, pytest.raises(EvidenceError, match=why):
        pool.submit(_look, folder, path).result(timeout=10)

    assert {} == _AT_OPENING
    assert before == _open_files()


def test_a_folder_swapped_behind_us_changes_nothing(folder: Path) -> None:
    """Once inside a folder, what stands in its place is not entered."""
    (folder / "in").mkdir()
    (folder / "in" / "secret.md").write_bytes(b"ours")
    _AT_OPENING["secret.md"] = lambda: _to_linked_folder(folder)

    assert _sha(b"ours") == _look(folder, "in/secret.md").hash
    assert {} == _AT_OPENING


_PIECES = [
    "..",
    ".",
    "/",
    "a",
    "a.md",
    "out",
    "secret.md",
    "~",
    "\\",
    "%2e%2e",
    ";",
    "C:",
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
def test_no_path_reads_the_secret(folder: Path, path: str) -> None:
    """Whatever is put together, it is refused or lies inside."""
    (folder / "a").mkdir(exist_ok=True)
    (folder / "a.md").write_bytes(b"ours")
    (folder / "a" / "a.md").write_bytes(b"ours")
    if not (folder / "out").is_symlink():
        (folder / "out").symlink_to(folder.parent.parent)

    try:
        seen = _look(folder, path)
    except EvidenceError:
        return

    assert _sha(b"ours") == seen.hash


def test_nothing_stays_open(folder: Path) -> None:
    """However a look ends, every folder and file is closed again."""
    (folder / "deep").mkdir()
    (folder / "deep" / "a.md").write_bytes(b"x")
    os.mkfifo(folder / "deep" / "pipe")
    (folder / "link").symlink_to("deep")
    before = _open_files()

    for path in ("deep/a.md", "deep/pipe", "deep/none", "link/a.md", "deep"):
        try:
            _look(folder, path)
        except EvidenceError:
            continue

    assert before == _open_files()


@pytest.mark.parametrize(
    "claim",
    [
        Claim(),
        Claim(path="a.md", url="https://example.org"),
        Claim(path="a.md", content={}),
        Claim(url="https://example.org", content=None),
    ],
)
def test_a_claim_is_one_thing(folder: Path, claim: Claim) -> None:
    """None of the three, or two of them, is no claim."""
    with pytest.raises(EvidenceError, match="one of a path, an address and a content"):
        _evidence(folder).look(RUN, "", claim, read=False)


def test_a_claimed_hash_must_be_the_files(folder: Path) -> None:
    """A hash that comes with a file is checked, in either case of letters."""
    (folder / "a.md").write_bytes(b"x")

    assert 1 == _look(folder, "a.md", hash=_sha(b"x").upper()).size
    with pytest.raises(EvidenceError, match=r"the hash is '2d711642b726'…, not 'a1fce"):
        _look(folder, "a.md", hash=_sha(b"y"))
    with pytest.raises(EvidenceError, match="'abc' is no SHA-256 in hex"):
        _look(folder, "a.md", hash="abc")


def test_an_address_needs_its_hash(folder: Path) -> None:
    """Nobody fetches it, so whoever hands it in says what is there."""
    evidence, address = _evidence(folder), "https://example.org/a"

    seen = evidence.look(RUN, "", Claim(url=address, hash="AB" * 32), read=True)

    assert Seen("ab" * 32, 0) == seen
    with pytest.raises(EvidenceError, match="an address needs the hash"):
        evidence.look(RUN, "", Claim(url=address), read=False)
    claim = Claim(url="https://a:b@example.org", hash="ab" * 32)
    with pytest.raises(EvidenceError, match="a name or a password"):
        evidence.look(RUN, "", claim, read=False)


def test_a_content_is_hashed_however_it_is_written() -> None:
    """The order of keys does not count; a text is its own bytes."""
    one, other = (
        {"b": 1, "a": [2, {"d": 1, "c": 2}]},
        {"a": [2, {"c": 2, "d": 1}], "b": 1},
    )

    assert _inline(one) == _inline(other)
    assert _sha(b'{"a":[2,{"c":2,"d":1}],"b":1}') == _inline(one).hash
    assert Seen(_sha("報告".encode()), 6) == _inline("報告")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "the content is empty"),
        (None, "the content is empty"),
        ({1}, "the content is not JSON: a set is not JSON"),
        ({"a": {1: 2}}, "the content is not JSON: the key 1 is not text"),
        (float("nan"), "the content is not JSON: nan is no number"),
        (
            "\ud800",
            "the content is not JSON: the text has one half of a surrogate pair",
        ),
        (2**64, "the content is not JSON: Integer exceeds 64-bit range"),
        ("x" * (LARGEST_INLINE + 1), f"the content is larger than {LARGEST_INLINE}"),
        (["x" * LARGEST_INLINE], f"the content is larger than {LARGEST_INLINE} bytes"),
    ],
)
def test_a_content_that_is_nothing_or_no_json_is_refused(
    content: Any, why: str
) -> None:
    """What could not be kept as it is, is not taken."""
    with pytest.raises(EvidenceError) as caught:
        _inline(content)

    assert why == str(caught.value)[: len(why)]


def test_a_content_says_what_it_is() -> None:
    """Values are themselves, a text its front matter, or itself if it has none."""
    assert {"a": 1} == _inline({"a": 1}, read=True).plain
    assert "text" == _inline("text", read=True).plain
    assert {"a": 1} == _inline("---\na: 1\n---\ntext", read=True).plain
    assert msgspec.UNSET is _inline({"a": 1}).plain
    with pytest.raises(EvidenceError, match="the content cannot be read, line 3, col"):
        _inline("---\na: [\n---\n", read=True)


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
def test_a_document_says_what_stands_in_it(
    folder: Path, name: str, content: str, plain: Any
) -> None:
    """JSON, YAML and front matter are read; anything else says nothing."""
    (folder / name).write_text(content, encoding="utf-8", newline="")

    assert plain == _look(folder, name, read=True).plain
    assert msgspec.UNSET is _look(folder, name).plain


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        (
            "a.json",
            b'{"a": 1,\n "b" 2}',
            "cannot be read, line 2, column 6: '2' stands",
        ),
        ("a.json", b'{"a": 1, "a": 2}', "cannot be read, line 1, column 10: the key"),
        ("a.yaml", b"a: 1\nb: [\n", "cannot be read, line 3, column 1:"),
        ("a.yaml", b"a: \xff", "cannot be read, line 1, column 4: byte 0xff is not"),
        (
            "a.md",
            b"---\na: 1\na: 2\n---\n",
            "cannot be read, line 3, column 1: the key",
        ),
        ("a.md", b"---\na: 1\n", "has front matter that never ends: no second '---'"),
        ("a.md", b"---\na: \xff\n---\n", "cannot be read: byte 7 is not UTF-8"),
        ("a.md", b"# Body \xe7\x81", "cannot be read: byte 7 is not UTF-8"),
        ("a.json", b" " * (2 << 20), "is a document of more than 1048576 bytes"),
        ("a.json", b"[" * 5000, "cannot be read, line 1, column 101: this nests"),
    ],
)
def test_a_broken_document_is_refused_with_its_place(
    folder: Path, name: str, content: bytes, why: str
) -> None:
    """Whoever handed it in is told where to mend it; unread, it is a file like others."""
    (folder / name).write_bytes(content)

    with pytest.raises(EvidenceError) as caught:
        _look(folder, name, read=True)

    assert f"'{name}' {why}" == str(caught.value)[: len(name) + 3 + len(why)]
    assert len(content) == _look(folder, name).size


def test_a_long_page_says_what_its_top_says(folder: Path) -> None:
    """Front matter is read however long the page is, whatever letter the cut falls in."""
    for spaces in range(3):
        content = f"---\na: 1\n---\n{' ' * spaces}".encode() + "灯".encode() * 400_000
        (folder / "a.md").write_bytes(content)

        seen = _look(folder, "a.md", read=True)

        assert Seen(_sha(content), len(content), {"a": 1}) == seen


def _swap(path: Path) -> None:
    path.write_bytes(b"Verdict: yes")


def _link_to_a_copy(path: Path) -> None:
    path.rename(path.with_name("copy"))
    path.symlink_to("copy")


def _folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe_instead(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda _: None, ""),
        (lambda path: path.touch(), ""),
        (_swap, "has changed since it was handed in"),
        (lambda path: path.write_bytes(b"longer than it was"), "has changed since"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.unlink(), "is not there"),
        (_link_to_a_copy, "leads through a link, and links are not followed"),
        (_folder_instead, "is a folder"),
        (_pipe_instead, "is no regular file"),
    ],
)
def test_what_happened_to_a_file_is_told(
    folder: Path, change: Callable[[Path], object], fault: str
) -> None:
    """A file that is not what was handed in is found out, however it was swapped."""
    path = folder / "a.md"
    path.write_bytes(b"Verdict: no.")
    evidence = _evidence(folder)
    seen = evidence.look(RUN, "", Claim(path="./a.md"), read=False)
    change(path)

    told = evidence.fault("", _artifact(seen, path="./a.md"))

    assert (fault, bool(fault)) == (told[: len(fault)], bool(told))


def test_a_file_that_cannot_be_read_is_told_of(folder: Path) -> None:
    """What a disk answers is passed on."""
    (folder / "a.md").write_bytes(b"x")
    handle = os.open(folder / "a.md", os.O_WRONLY)

    with pytest.raises(UnfitError, match="cannot be read: Bad file descriptor"):
        digest(handle)
    os.close(handle)


def test_a_content_that_is_not_its_hash_is_told() -> None:
    """What was kept is held to its hash like any file."""
    evidence = FolderEvidence(Path("nowhere"), Path("nowhere"))
    seen = _inline({"b": 1, "a": 2})

    assert "" == evidence.fault("", _artifact(seen, content={"a": 2, "b": 1}))
    assert "has changed since it was handed in" == evidence.fault(
        "", _artifact(seen, content={"a": 3})
    )
    assert "is not JSON: a UnsetType is not JSON" == evidence.fault("", _artifact(seen))


@pytest.mark.parametrize(
    ("content", "bytes"), [({}, b"{}"), ("", b""), (None, b"null")]
)
def test_an_empty_content_of_a_hook_is_held_to_its_hash(
    content: Any, bytes: bytes
) -> None:
    """What a definition's own hook wrote is no fault for being empty."""
    evidence = FolderEvidence(Path("nowhere"), Path("nowhere"))
    kept = _artifact(Seen(_sha(bytes), len(bytes)), content=content)

    assert "" == evidence.fault("", kept)


def test_a_content_is_its_hash_after_it_was_kept() -> None:
    """Written down and read back, a content has the hash it had."""
    content = {"n": [1.0, 1e22, -0.5, 2**53], "t": "灯台\u2028"}
    kept = orjson.loads(orjson.dumps(content))

    assert _inline(content).hash == _inline(kept).hash


def test_nobody_fetches_an_address(folder: Path) -> None:
    """Of what lies elsewhere nothing is said."""
    seen = Seen("ab" * 32, 0)
    address = "https://example.org/a"

    assert "" == _evidence(folder).fault("", _artifact(seen, url=address))


def test_a_folder_that_leads_away_is_a_fault(folder: Path) -> None:
    """A record that names a way out of the project is told of, not followed."""
    told = _evidence(folder).fault("..", _artifact(Seen("", 1), path="a.md"))

    assert "cannot be looked at: '..' has a '..', and no path leads upwards" == told


def test_a_file_changed_without_any_time_is_found_out(folder: Path) -> None:
    """Writing through mapped memory moves no time, and is seen all the same."""
    path = folder / "a.md"
    path.write_bytes(b"Verdict: no.")
    evidence = _evidence(folder)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:1] = b"V"
        before = path.stat()
        seen = evidence.look(RUN, "", Claim(path="a.md"), read=False)
        mapped[9:] = b"yes"
        after = path.stat()

        assert (before.st_mtime_ns, before.st_ctime_ns) == (
            after.st_mtime_ns,
            after.st_ctime_ns,
        )
        told = evidence.fault("", _artifact(seen, path="a.md"))

    assert "has changed since it was handed in" == told


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
    """Blanks, letters without ink and lists of nothing are no evidence."""
    with pytest.raises(EvidenceError, match=r"^the content is empty$"):
        _inline(nothing)


@pytest.mark.parametrize(
    "little", [0, False, "0", ".", "\u200b灯", [None, 0], {"a": None, "b": False}]
)
def test_a_content_that_says_little_is_taken(little: Any) -> None:
    """How much is enough is for guards to say."""
    assert _inline(little).size > 0


def test_a_file_replaced_by_another_is_read(folder: Path) -> None:
    """The same name, size and time do not make another file the same."""
    evidence, claim = _evidence(folder), Claim(path="a.md")
    (folder / "a.md").write_bytes(b"one")
    os.utime(folder / "a.md", (1, 1))
    evidence.look(RUN, "", claim, read=False)
    (folder / "b.md").write_bytes(b"two")
    os.utime(folder / "b.md", (1, 1))
    (folder / "b.md").replace(folder / "a.md")

    assert _sha(b"two") == evidence.look(RUN, "", claim, read=False).hash
