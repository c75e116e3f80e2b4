import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.process.evidence_paths import (
    LONGEST_PATH,
    LONGEST_URL,
    check_url,
    normalize_path,
    split_file_path,
    split_folder_path,
)
from saniwa.process.ports import EvidenceError


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a.md", ("a.md",)),
        ("./a.md", ("a.md",)),
        ("a/./b//c.md", ("a", "b", "c.md")),
        ("a..b.md", ("a..b.md",)),
        ("..a/b..", ("..a", "b..")),
        ("...", ("...",)),
        ("~/a b,'\".md", ("~", "a b,'\".md")),
        ("報告.md", ("報告.md",)),
        ("x" * LONGEST_PATH, ("x" * LONGEST_PATH,)),
    ],
)
def test_a_path_that_stays_inside_is_taken(path: str, steps: tuple[str, ...]) -> None:
    """A path inside the folder is accepted; dots may be part of a name."""
    assert steps == split_file_path(path)
    assert "/".join(steps) == normalize_path(path)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "'' is not a file"),
        (".", "'.' is not a file"),
        ("a/", "'a/' is not a file"),
        ("a/.", "'a/.' is not a file"),
        ("..", "'..' contains '..', which is not allowed"),
        ("a/../b.md", "'a/../b.md' contains '..', which is not allowed"),
        ("../a.md", "'../a.md' contains '..', which is not allowed"),
        ("/etc/passwd", "'/etc/passwd' is an absolute path; write a path relative to"),
        ("C:a.md", "'C:a.md' starts with a drive letter"),
        ("a\\b.md", "'a\\\\b.md' has a backslash; steps are separated by '/'"),
        ("a;b.md", "'a;b.md' has a ';', which separates paths in the log"),
        ("a\x00.md", "'a\\x00.md' has the control character U+0000"),
        ("a\n.md", "'a\\n.md' has the control character U+000A"),
        ("a\x85.md", "'a\\x85.md' has the control character U+0085"),
        ("a\u2028.md", "'a\\u2028.md' has the control character U+2028"),
        ("a\u202edm.md", "'a\\u202edm.md' has the control character U+202E"),
        ("a\ud800.md", "'a\\ud800.md' has the control character U+D800"),
        ("inline:a:0", "'inline:a:0' starts with 'inline:', which does not m"),
        ("x" * (LONGEST_PATH + 1), "'xxxxx"),
    ],
)
def test_a_path_that_could_lead_elsewhere_is_refused(path: str, why: str) -> None:
    """A path that could lead outside the folder is refused, with the reason."""
    with pytest.raises(EvidenceError) as caught:
        split_file_path(path)

    assert why == str(caught.value)[: len(why)]


def test_a_folder_may_be_the_top_itself() -> None:
    """`.` is the project's own folder, and no path leads above it."""
    assert () == split_folder_path(".")
    assert ("a", "b") == split_folder_path("./a/b/")
    with pytest.raises(EvidenceError, match="which is not allowed"):
        split_folder_path("a/..")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "HTTPS://example.org:8080/a/b?c=d@e#f",
        "https://[::1]/報告",
        "https://example.org/" + "x" * (LONGEST_URL - 20),
    ],
)
def test_a_plain_address_is_taken(url: str) -> None:
    """A plain web address is accepted unchanged."""
    check_url(url)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "'' is not an 'http://' or 'https://' address"),
        ("ftp://example.org/a", "'ftp://example.org/a' is not an 'http://'"),
        ("file:///etc/passwd", "'file:///etc/passwd' is not an 'http://'"),
        ("javascript:alert(1)", "'javascript:alert(1)' is not an 'http://'"),
        ("http:///a", "'http:///a' is not an 'http://'"),
        ("//example.org/a", "'//example.org/a' is not an 'http://'"),
        ("https://me:word@example.org", "the address contains a user name or password"),
        ("https://me@example.org/a", "the address contains a user name or password"),
        ("https://example.org/a;b", "'https://example.org/a;b' has a ';'"),
        ("https://example.org/a b", "'https://example.org/a b' contains a sp"),
        ("https://example.org/\u3000", "'https://example.org/\\u3000' contains a sp"),
        ("https://a\\@example.org", "'https://a\\\\@example.org' contains a space or a back"),
        ("https://example.org/\r\n", "'https://example.org/\\r\\n' has the control"),
        ("https://example.org/" + "x" * LONGEST_URL, "'https://example.org/x"),
    ],
)
def test_an_address_that_reads_in_two_ways_is_refused(url: str, why: str) -> None:
    """An address that is not plainly of the web, has a password or breaks the log is refused."""
    with pytest.raises(EvidenceError) as caught:
        check_url(url)

    assert why == str(caught.value)[: len(why)]
    assert "word" not in str(caught.value).removesuffix("password")


@given(st.text(alphabet="./\\;:ab~\u2028\n\u202e", max_size=12) | st.text())
def test_whatever_is_taken_stays_inside_and_in_one_cell(path: str) -> None:
    """An accepted path has only plain names as its parts."""
    try:
        steps = split_file_path(path)
    except EvidenceError:
        return

    assert steps
    assert {"", ".", ".."}.isdisjoint(steps)
    assert not any(set(step) & set("/\\;\n\0\u2028") for step in steps)
    assert steps == split_file_path("/".join(steps))
