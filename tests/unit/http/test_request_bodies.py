from pathlib import Path
from time import process_time

import msgspec
import pytest

from saniwa.app.operations.operation import Operation
from saniwa.http.application import HTTP_OPERATIONS
from saniwa.http.limits import MAX_PLAIN_BODY
from saniwa.http.router import _join_key
from tests.fakes.workspaces import WorkspaceClient, make_workspace


@pytest.fixture
def host(tmp_path: Path) -> WorkspaceClient:
    """A client with a started run of door and key."""
    asking = WorkspaceClient(make_workspace(tmp_path))
    asking.begin(scenario="door_and_key")
    return asking


def _read_error_code(host: WorkspaceClient, body: bytes, kind: str = "application/json") -> str:
    headers = {"content-type": kind, "if-match": '"0"'}
    told = host.client.post(host.locate("/words"), content=body, headers=headers)
    code: str = told.json()["code"]
    return f"{told.status_code} {code}"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"{", "400 PROTOCOL_SYNTAX"),
        (b"\xff", "400 PROTOCOL_SYNTAX"),
        (b'{"text": 1}', "400 PROTOCOL_BAD_FIELD"),
        (b"{}", "400 PROTOCOL_BAD_FIELD"),
        (b'{"text": "look", "more": 1}', "400 PROTOCOL_BAD_FIELD"),
        (b'{"text": "%s"}' % (b"x" * 4001), "400 PROTOCOL_BAD_FIELD"),
        (b"[" * 100 + b"]" * 100, "400 PROTOCOL_SYNTAX"),
    ],
)
def test_a_body_that_cannot_be_read_changes_nothing(
    host: WorkspaceClient, body: bytes, told: str
) -> None:
    """An unreadable body is refused with a reason, and the run is unchanged."""
    assert told == _read_error_code(host, body)
    assert 0 == host.read("")["revision"]


@pytest.mark.parametrize("body", [b"{}", b'{"words": "look"}'])
def test_a_wrong_body_is_answered_with_the_fields_it_can_have(
    host: WorkspaceClient, body: bytes
) -> None:
    """The hint about a missing or unknown field lists the fields of the operation."""
    headers = {"content-type": "application/json", "if-match": '"0"'}
    told = host.client.post(host.locate("/words"), content=body, headers=headers)

    assert told.json()["hint"].startswith("its fields are text")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"[" * 70 + b'"\\' * 8_000, "400 PROTOCOL_SYNTAX"),
        (b"[" * 70 + b'"\\' * 2_000_000, "400 PROTOCOL_SYNTAX"),
        (b"[" + b"[]," * 1_000_000 + b"[]]", "400 PROTOCOL_SYNTAX"),
        (b"[" + b'"",' * 1_000_000 + b'""]', "400 PROTOCOL_SYNTAX"),
        (b'{"text": "%s"}' % (b"\\u3042" * 600_000), "400 PROTOCOL_BAD_FIELD"),
    ],
)
def test_no_body_takes_long(host: WorkspaceClient, body: bytes, told: str) -> None:
    """Endless brackets or quotation marks are refused in linear time."""
    headers = {"content-type": "application/json"}
    began = process_time()
    answer = host.client.post("/api/v1/check/story", content=body, headers=headers)
    spent = process_time() - began

    assert told == f"{answer.status_code} {answer.json()['code']}"
    assert spent < 2  # it was 0.6 seconds for 16 KiB, and hours for 4 MiB


def test_only_a_text_may_be_large(host: WorkspaceClient) -> None:
    """A body over 64 KiB is refused where an operation takes no text."""
    words = b'{"text": "%s"}' % (b"x" * 70_000)

    assert "413 BODY_TOO_LARGE" == _read_error_code(host, words)


def test_a_long_text_is_read(host: WorkspaceClient) -> None:
    """A text may have 300,000 characters of any kind."""
    text = "# 庭\n\n" + "庭。" * 149_000
    told = host.client.post("/api/v1/check/story", json={"text": text})

    assert 200 == told.status_code


def _find_longest(kind: object) -> int:
    """The maximum length of a text field; 0 for other fields."""
    meta = next(iter(getattr(kind, "__metadata__", ())), None)
    return getattr(meta, "max_length", None) or 0


@pytest.mark.parametrize(
    "operation",
    [each for each in HTTP_OPERATIONS if each.takes is not None],
    ids=lambda each: each.name,
)
def test_operations_that_take_a_text_say_so(operation: Operation) -> None:
    """An operation with a field for more than 64 KiB has `takes_text`."""
    fields = msgspec.structs.fields(operation.takes)
    texts = any(_find_longest(each.type) > MAX_PLAIN_BODY // 4 for each in fields)

    # Evidence may be any JSON value, also a text.
    assert operation.takes_text == (texts or operation.name == "sendGateEvent")


def test_a_form_is_not_read(host: WorkspaceClient) -> None:
    """A form is refused, because other sites can send forms."""
    kind = "application/x-www-form-urlencoded"

    assert "415 MEDIA_UNKNOWN" == _read_error_code(host, b"text=look", kind)


def test_brackets_in_words_are_no_nesting(host: WorkspaceClient) -> None:
    """Brackets in a text do not count as nesting."""
    told = host.change("/words", {"text": 'say "' + "[(" * 90 + '"'})

    assert 1 == told["revision"]


@pytest.mark.parametrize("seen", ["0", "x", '"-1"', "*", '"1e3"'])
def test_a_revision_is_a_number_in_quotes(host: WorkspaceClient, seen: str) -> None:
    """A revision that is not a quoted number is refused."""
    headers = {"if-match": seen}
    told = host.client.post(host.locate("/words"), json={"text": "look"}, headers=headers)

    assert (400, "PROTOCOL_BAD_FIELD") == (told.status_code, told.json()["code"])


def test_a_change_without_a_revision_is_asked_for_one(host: WorkspaceClient) -> None:
    """A change without a revision is refused."""
    told = host.client.post(host.locate("/words"), json={"text": "look"})

    assert (428, "REVISION_NEEDED") == (told.status_code, told.json()["code"])


@pytest.mark.parametrize("key", ["", "x" * 201, "a\u200bb", "\x85", "a\tb"])
def test_a_key_has_no_control_characters(host: WorkspaceClient, key: str) -> None:
    """A key has 1 to 200 printable characters."""
    headers = {b"if-match": b'"0"', b"idempotency-key": key.encode()}
    told = host.client.post(host.locate("/words"), json={"text": "look"}, headers=headers)

    assert (400, "PROTOCOL_BAD_FIELD") == (told.status_code, told.json()["code"])


@pytest.mark.parametrize(
    "key", [b"a b", "鍵-1".encode(), b"\xfc", b"=cmd|x", b'"q",;', b"a/b%2F", b"k" * 200]
)
def test_a_key_of_printable_characters_names_the_request(host: WorkspaceClient, key: bytes) -> None:
    """A repeated request with a key gets the first answer."""
    headers = {b"if-match": b'"0"', b"idempotency-key": key}
    path, words = host.locate("/words"), {"text": "go east"}
    first = host.client.post(path, json=words, headers=headers)
    again = host.client.post(path, json=words, headers=headers)

    assert (200, 200) == (first.status_code, again.status_code)
    assert first.json()["revision"] == again.json()["revision"]


def test_a_key_with_a_slash_stays_apart_from_its_sender() -> None:
    """`ann/b` with key `c` and `ann` with key `b/c` are different requests."""
    assert _join_key("ann/b", "c") != _join_key("ann", "b/c")


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "limit=1&limit=2", "nonsense=1"])
def test_a_parameter_that_is_invalid_is_refused(host: WorkspaceClient, query: str) -> None:
    """An unknown parameter is refused."""
    told = host.client.get(f"/api/v1/runs?{query}")

    assert (400, "PROTOCOL_BAD_FIELD") == (told.status_code, told.json()["code"])


def test_a_nul_in_a_path_is_no_name(host: WorkspaceClient) -> None:
    """A NUL in a path is refused."""
    told = host.client.get("/api/v1/runs/run-1%00/moment")

    assert (400, "PROTOCOL_BAD_FIELD") == (told.status_code, told.json()["code"])


def test_a_whole_number_may_be_written_with_a_point(host: WorkspaceClient) -> None:
    """A whole number may be written with a decimal point; a fraction is refused."""
    host.change("/words", {"text": "go east"})
    whole = host.change("/back", {"steps": 1.0})
    half = host.change("/back", {"steps": 1.5})

    assert 2 == whole["revision"]
    assert "PROTOCOL_BAD_FIELD" == half["code"]


@pytest.mark.parametrize(
    "path", ["/runs/{}", "/runs/{}/moment", "/stories/{}", "/scenarios/{}", "/{}"]
)
@pytest.mark.parametrize("letters", [900, 30_000])
def test_a_long_name_is_not_repeated_at_length(
    host: WorkspaceClient, path: str, letters: int
) -> None:
    """A long name is shortened in the answer."""
    told = host.client.get(f"/api/v1{path.format('x' * letters)}")

    assert told.status_code in (400, 404)
    assert 3_000 > len(told.content)
    assert 200 > len(told.json()["detail"])


@pytest.mark.parametrize(
    "query", [f"only={'x' * 9_000}", f"{'x' * 9_000}=1", f"{'x' * 9_000}=1&" * 2]
)
def test_a_long_parameter_is_not_repeated_at_length(host: WorkspaceClient, query: str) -> None:
    """The name and the value of a long parameter are shortened in the answer."""
    told = host.client.get(host.locate(f"/turns?{query}"))

    assert (400, True) == (told.status_code, 1_500 > len(told.content))


def test_saying_nothing_is_enough_where_everything_has_a_default(host: WorkspaceClient) -> None:
    """An empty body is accepted if every field has a default."""
    host.change("/words", {"text": "go east"})
    headers = {"If-Match": '"1"'}
    gone = host.client.post(host.locate("/back"), headers=headers)
    mute = host.client.post(host.locate("/words"), headers={"If-Match": '"2"'})

    assert (200, 2) == (gone.status_code, gone.json()["revision"])
    assert (400, "PROTOCOL_BAD_FIELD") == (mute.status_code, mute.json()["code"])
