"""Attacks on a real server."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from saniwa.core.clock import SystemClock
from saniwa.http import session_tokens
from saniwa.http.session_tokens import SessionToken
from saniwa.store.gate.people import People
from tests.fakes.servers import ServeProcess
from tests.journeys.intruder import (
    FAR,
    MARKUP,
    OUTSIDE,
    SECRET,
    HttpAnswer,
    Intruder,
    make_project,
    read_rest,
)

pytestmark = pytest.mark.slow

ANN = f"Bearer ann:{SECRET}"
BOT = f"Bearer bot:{SECRET}"
BEGIN = {"scenario": "door_and_key"}
RUNS = "/api/v1/runs"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project that is served."""
    return make_project(tmp_path_factory.mktemp("attacked"))


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[ServeProcess]:
    """A real server, known by a second name as if behind a proxy."""
    with ServeProcess(project, "--allow-host", FAR, "--behind-https") as server:
        yield server


@pytest.fixture(scope="module")
def intruder(project: Path, server: ServeProcess) -> Iterator[Intruder]:
    """A client of that server, and of a private server of the same project."""
    with ServeProcess(project) as private:
        yield Intruder(private.address, abroad=server.address)


@pytest.fixture(scope="module")
def run_id(intruder: Intruder) -> str:
    """A run in progress."""
    return str(intruder.ask("POST", RUNS, BEGIN).document["run"])


@pytest.mark.parametrize("path", ["/", "/api/v1/", RUNS, "/assets/x.js", "/play"])
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:80", "0.0.0.0"])
def test_a_rebound_name_reaches_nothing(intruder: Intruder, host: str, path: str) -> None:
    """A request with an unknown host name gets neither pages nor answers."""
    assert (421, "HOST_UNKNOWN") == intruder.ask(path=path, host=host).status_and_code


@pytest.mark.parametrize(
    "said",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_a_foreign_page_changes_nothing(intruder: Intruder, said: dict[str, str]) -> None:
    """A request that a browser sends for another page changes nothing."""
    before = intruder.ask().document
    answer = intruder.ask("POST", RUNS, BEGIN, **said)

    assert (403, "ORIGIN_FOREIGN") == answer.status_and_code
    assert before == intruder.ask().document


def test_a_foreign_page_reads_and_hears_nothing(intruder: Intruder, run_id: str) -> None:
    """A foreign page gets no stream, no preflight and no shared answer."""
    foreign = {"origin": "http://evil.example", "sec_fetch_site": "cross-site"}
    answers = [
        intruder.ask("GET", f"{RUNS}/{run_id}/live", **foreign),
        intruder.ask("GET", RUNS, **foreign),
        intruder.ask("OPTIONS", RUNS, access_control_request_method="POST", **foreign),
    ]

    assert [403] * 3 == [each.status for each in answers]
    assert [] == [
        name
        for each in answers
        for name in each.headers
        if name.lower().startswith("access-control")
    ]


def test_an_agent_on_this_machine_reads_no_key_as_evidence(
    project: Path, intruder: Intruder
) -> None:
    """Neither the folder of keys nor a key in another folder is accepted as evidence."""
    (project / "keys").mkdir(exist_ok=True)
    (project / "keys" / "ann.md").write_text(f"ann:{SECRET}\n", encoding="utf-8")
    gate, body = "/api/v1/gate/runs", {"process_id": "exploration"}
    named = intruder.ask("POST", gate, {**body, "folder": "keys"})
    run = intruder.ask("POST", gate, body).document["run_id"]
    own = project / ".state_gate" / "artifacts" / run
    own.mkdir(parents=True, exist_ok=True)
    (own / "ann.md").write_text(f"ann:{SECRET}\n", encoding="utf-8")
    handed = [{"type": "hypothesis", "path": "ann.md"}]
    event = {"event_name": "submit_hypothesis", "artifacts": handed}
    tags = {"if_match": '"1"', "idempotency_key": "k1"}
    sent = intruder.ask("POST", f"{gate}/{run}/events", event, **tags)
    read = intruder.ask("GET", f"{gate}/{run}/evidence/1")

    assert (401, "SIGN_IN_NEEDED") == named.status_and_code
    assert (422, "INVALID_PAYLOAD") == sent.status_and_code
    assert (404, "EVIDENCE_NOT_FOUND") == read.status_and_code
    assert SECRET.encode() not in sent.body + read.body


def test_strangers_get_the_page_and_nothing_else(intruder: Intruder) -> None:
    """Callers from elsewhere must sign in for every operation."""
    paths = intruder.ask(path="/api/v1/openapi.json").document["paths"]
    asked = {
        (method.upper(), re.sub(r"\{\w+\}", "x", path))
        for path, methods in paths.items()
        for method in methods
        if method in ("get", "post", "put", "delete")
    }
    # These are for signing in and out.
    asked -= {("GET", "/api/v1/"), ("POST", "/api/v1/sign-in")}
    asked -= {("POST", "/api/v1/sign-out")}
    answers = {each: intruder.ask_far(*each).status for each in sorted(asked)}

    assert len(answers) > 30
    assert {} == {each: status for each, status in answers.items() if status != 401}
    assert "visitor" in intruder.ask_far("GET", "/api/v1/").document


def test_a_proxy_on_this_machine_makes_no_visitor_its_owner(intruder: Intruder) -> None:
    """A forwarded request counts as one from elsewhere, whatever its host name."""
    assert 200 == intruder.ask().status
    assert 401 == intruder.ask(x_forwarded_for="198.51.100.1").status
    assert 401 == intruder.ask(via="1.1 proxy").status
    assert 401 == intruder.ask_far("GET", RUNS, host="127.0.0.1").status
    assert 401 == intruder.ask_far("GET", RUNS, host="localhost").status


def test_a_session_token_is_not_forged(intruder: Intruder, project: Path) -> None:
    """A session token that is changed or made with another key is refused."""
    cookie, _ = intruder.sign_in("ann")
    name, _, text = cookie.partition("=")
    person = next(
        each
        for each in People(project / ".state_gate" / "people.json").list_people()
        if each.name == "ann"
    )
    now = SystemClock().now()
    fresh = SessionToken(name="ann", issued=now, expires=now + 10**6, serial="1")
    payload, _, seal = text.partition(".")
    forged = [
        session_tokens.encode_token(bytes(32), fresh, person),
        f"{payload}.",
        f"{payload}.{'0' * 64}",
        f".{seal}",
        text[:-1],
        text + "0",
        payload,
        "ann",
        "A" * 7_000,
    ]
    answers = [intruder.ask_far("GET", RUNS, cookie=f"{name}={each}") for each in forged]

    assert 200 == intruder.ask_far("GET", RUNS, cookie=cookie).status
    assert {(401, "SIGN_IN_NEEDED")} == {each.status_and_code for each in answers}


def test_a_session_token_expires(intruder: Intruder, project: Path) -> None:
    """A session token that is too old or was not used for too long is refused."""
    cookie, _ = intruder.sign_in("ann")
    people = People(project / ".state_gate" / "people.json")
    person = next(each for each in people.list_people() if each.name == "ann")
    key = bytes.fromhex((project / ".saniwa" / "badge.key").read_text())
    now = SystemClock().now()
    ages = {(1, 1): 200, (-1, 1): 401, (1, 10): 401}
    answers = {}
    for left, used in ages:
        badge = SessionToken(
            name="ann",
            issued=now - 10**7,
            expires=now + left * 10**6,
            serial="1",
            seen=now - used * 10**6,
        )
        text = session_tokens.encode_token(key, badge, person)
        shown = f"{cookie.partition('=')[0]}={text}"
        answers[left, used] = intruder.ask_far("GET", RUNS, cookie=shown).status

    assert ages == answers


def test_a_stolen_session_token_ends_with_its_person(intruder: Intruder, project: Path) -> None:
    """The tokens of a removed person are refused, also after the person is added again."""
    people = People(project / ".state_gate" / "people.json")
    cookie, _ = intruder.sign_in("eve")
    token = f"Bearer eve:{SECRET}"
    before = [
        intruder.ask_far("GET", RUNS, cookie=cookie).status,
        intruder.ask_far("GET", RUNS, authorization=token).status,
    ]
    people.remove("eve", by=f"ann:{SECRET}")
    gone = [
        intruder.ask_far("GET", RUNS, cookie=cookie).status,
        intruder.ask_far("GET", RUNS, authorization=token).status,
    ]
    people.add("eve", "human", "another secret", at="", by=f"ann:{SECRET}")

    assert [200, 200, 401, 401] == [*before, *gone]
    assert 401 == intruder.ask_far("GET", RUNS, cookie=cookie).status


def test_a_revoked_session_token_is_over(intruder: Intruder) -> None:
    """After signing out, a copy of the session cookie is refused."""
    cookie, csrf = intruder.sign_in("ann")
    out = intruder.ask_far("POST", "/api/v1/sign-out", cookie=cookie, x_saniwa_csrf=csrf)

    assert 204 == out.status
    assert "Max-Age=0" in str(out.headers["set-cookie"])
    assert 401 == intruder.ask_far("GET", RUNS, cookie=cookie).status


def test_signing_out_everywhere_ends_every_session(intruder: Intruder) -> None:
    """Signing out everywhere ends every session, and needs the CSRF token."""
    badges_held = [intruder.sign_in("ann") for _ in range(2)]
    (here, csrf), (there, _) = badges_held
    path = "/api/v1/sign-out/everywhere"
    unmeant = intruder.ask_far("POST", path, cookie=here)
    out = intruder.ask_far("POST", path, cookie=here, x_saniwa_csrf=csrf)
    stranger = intruder.ask_far("POST", path)

    assert (403, "CSRF_MISSING") == unmeant.status_and_code
    assert (401, "SIGN_IN_NEEDED") == stranger.status_and_code
    assert 204 == out.status
    assert "Max-Age=0" in str(out.headers["set-cookie"])
    assert [401, 401] == [
        intruder.ask_far("GET", RUNS, cookie=each).status for each in (here, there)
    ]


def test_a_person_changes_their_secret_and_continues(intruder: Intruder, project: Path) -> None:
    """Changing a secret needs the current one and a session, and ends the other sessions."""
    people = People(project / ".state_gate" / "people.json")
    people.add("kai", "human", SECRET, at="", by=f"ann:{SECRET}")
    cookie, csrf = intruder.sign_in("kai")
    other, _ = intruder.sign_in("kai")
    path, named = "/api/v1/secret", {"cookie": cookie, "x_saniwa_csrf": csrf}
    new = "another plain secret"
    wrong = intruder.ask_far("POST", path, {"secret": "x", "new_secret": new}, **named)
    short = {"secret": SECRET, "new_secret": "elevenchars"}
    refused = intruder.ask_far("POST", path, short, **named)
    done = intruder.ask_far("POST", path, {"secret": SECRET, "new_secret": new}, **named)
    fresh = str(done.headers["set-cookie"]).partition(";")[0]
    by_agent = intruder.ask_far("POST", path, short, authorization=BOT)
    at_this_machine = intruder.ask("POST", path, short)

    assert (401, "CREDENTIAL_REFUSED") == wrong.status_and_code
    assert (422, "PERSON_UNUSABLE") == refused.status_and_code
    assert (200, "kai") == (done.status, done.document["visitor"]["name"])
    assert (403, "FORBIDDEN") == by_agent.status_and_code
    assert (401, "SIGN_IN_NEEDED") == at_this_machine.status_and_code
    assert [200, 401] == [
        intruder.ask_far("GET", RUNS, cookie=each).status for each in (fresh, other)
    ]
    assert "kai" == people.authenticate(f"kai:{new}").name


def test_a_session_token_is_out_of_every_scripts_reach(intruder: Intruder) -> None:
    """The session cookie is for this host only, over TLS, and not readable by scripts."""
    credential = {"name": "ann", "secret": SECRET}
    answer = intruder.ask_far("POST", "/api/v1/sign-in", credential)
    words = str(answer.headers["set-cookie"]).split("; ")

    assert words[0].startswith("__Host-")
    assert {"HttpOnly", "SameSite=Strict", "Secure", "Path=/"} <= set(words)
    assert SECRET not in answer.body.decode()


def test_a_session_token_alone_changes_nothing(intruder: Intruder) -> None:
    """A session cookie without its CSRF token cannot change anything."""
    cookie, csrf = intruder.sign_in("ann")
    other = intruder.sign_in("ann")[1]
    refused = [
        intruder.ask_far("POST", RUNS, BEGIN, cookie=cookie),
        intruder.ask_far("POST", RUNS, BEGIN, cookie=cookie, x_saniwa_csrf=other),
        intruder.ask_far("POST", RUNS, BEGIN, cookie=f"{cookie}; x-saniwa-csrf={csrf}"),
    ]

    assert {(403, "CSRF_MISSING")} == {each.status_and_code for each in refused}
    asked = {"cookie": cookie, "x_saniwa_csrf": csrf}
    assert 201 == intruder.ask_far("POST", RUNS, BEGIN, **asked).status


def test_wrong_secrets_make_the_next_ones_wait_and_lock_no_person_out(server: ServeProcess) -> None:
    """After wrong secrets the next attempts wait, but the right secret is still accepted."""
    guesser = Intruder(server.address, "127.0.0.66")
    wrong = [
        guesser.ask_far("POST", "/api/v1/sign-in", {"name": "ann", "secret": f"guess {n}"})
        for n in range(3)
    ]
    wrong += [
        guesser.ask_far("GET", RUNS, authorization=f"Bearer ann:guess {n}") for n in range(3, 5)
    ]
    right = guesser.ask_far("POST", "/api/v1/sign-in", {"name": "ann", "secret": SECRET})

    assert {(401, "CREDENTIAL_REFUSED")} == {each.status_and_code for each in wrong}
    assert 200 == right.status


def test_only_so_many_secrets_are_tried_at_a_time(server: ServeProcess) -> None:
    """Of many guesses at once most are refused at once, while others can sign in."""
    with ThreadPoolExecutor(30) as guessers:
        guesses = guessers.map(
            lambda n: Intruder(server.address, "127.0.0.67").ask_far(
                "GET", RUNS, authorization=f"Bearer eve:guess {n}"
            ),
            range(30),
        )
        codes = [each.status_and_code for each in guesses]
    other = Intruder(server.address, "127.0.0.68")
    signed_in = other.ask_far("POST", "/api/v1/sign-in", {"name": "ann", "secret": SECRET})

    assert {(401, "CREDENTIAL_REFUSED"), (429, "TOO_MANY_REQUESTS")} == set(codes)
    assert codes.count((429, "TOO_MANY_REQUESTS")) >= 19
    assert 200 == signed_in.status


def test_a_body_that_is_said_to_be_huge_is_not_waited_for(intruder: Intruder) -> None:
    """A request that announces a huge body is refused before the body is sent."""
    head = f"POST {RUNS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
    with intruder.open_connection() as line:
        line.sendall(head.encode() + b"x")
        heard = read_rest(line)

    assert heard.startswith(b"HTTP/1.1 413 ")
    assert b"BODY_TOO_LARGE" in heard


def test_an_endless_body_is_cut_off(intruder: Intruder) -> None:
    """The server closes the connection of an endless body."""
    head = f"POST {RUNS} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    sent = 0
    with intruder.open_connection() as line:
        line.sendall(head.encode())
        try:
            while sent < 100_000_000:
                line.sendall(chunk)
                sent += len(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass

    # What the kernels hold in between counts as sent.
    assert sent < 20_000_000
    assert 200 == intruder.ask().status


@pytest.mark.parametrize(
    "words",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 1e3\r\n\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nX: a\rb\r\n\r\n0\r\n\r\n",
        b"X\x00: a\r\n\r\n",
        b"X : a\r\n\r\n",
        b"X: " + b"a" * 200_000 + b"\r\n\r\n",
        b"Host: evil.example\r\n\r\n",
    ],
)
def test_no_request_hides_in_another(intruder: Intruder, words: bytes) -> None:
    """Requests that servers could interpret differently are refused."""
    heard = intruder.send_bytes(
        b"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n"
        + words
        + b"GET /api/v1/scenarios HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
    statuses = re.findall(rb"HTTP/1\.1 (\d+)", heard)

    assert b"200" not in statuses
    assert b"door_and_key" not in heard
    assert set(statuses) <= {b"400", b"411", b"413", b"415", b"421", b"422", b"501"}


def test_half_requests_hold_no_other_up(intruder: Intruder) -> None:
    """Two hundred unfinished requests do not delay others."""
    lines = []
    try:
        for _ in range(200):
            entered = intruder.open_connection()
            line = entered.__enter__()
            lines.append(entered)
            line.sendall(b"GET /api/v1/runs HTTP/1.1\r\nHost: local")
        assert 200 == intruder.ask().status
    finally:
        for entered in lines:
            entered.__exit__(None, None, None)


def test_a_flood_of_streams_holds_no_other_up(intruder: Intruder, run_id: str) -> None:
    """A hundred streams whose clients do not read and then disconnect do not delay others."""
    head = f"GET {RUNS}/{run_id}/live HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    lines = []
    try:
        for _ in range(100):
            entered = intruder.open_connection()
            line = entered.__enter__()
            lines.append(entered)
            line.sendall(head)
        assert line.recv(15) == b"HTTP/1.1 200 OK"
        assert 200 == intruder.ask(path=f"{RUNS}/{run_id}/moment").status
    finally:
        for entered in lines:
            entered.__exit__(None, None, None)
    assert 200 == intruder.ask(path=f"{RUNS}/{run_id}/moment").status


ESCAPES = (
    "..",
    "../secret.md",
    "../../secret.md",
    "../../../secret.png",
    "..\\..\\secret.png",
    "/etc/passwd",
    "C:\\secret.png",
    "secret.png\x00.png",
    "\x00",
    "link.png",
    "folder/secret.png",
    "./images/picture.png/../../link.png",
    "a\r\nX-Injected: yes",
    "\x1b[2J",
    "~",
    ".",
    "x" * 3_000,
    "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    MARKUP,
    "con",
    "%2e%2e%2fsecret.md",
    "%252e%252e%252f",
    "..%c0%afsecret.md",
    "-1",
    "99999999999999999999999999",
)


def _quote_twice(text: str) -> str:
    return quote(quote(text, safe=""), safe="")


def test_no_part_of_a_path_leads_out(intruder: Intruder, run_id: str, project: Path) -> None:
    """No value in any part of a path reveals or changes a protected file."""
    document = intruder.ask(path="/api/v1/openapi.json").document
    before = _read_protected(project.parent)
    bad = [
        f"{method} {path}: {answer.status}"
        for method, path, body in _iterate_escapes(document, run_id)
        if (answer := _ask_unless_named(intruder, method, path, body)) is not None
        and _reveals_secrets(answer, project)
    ]

    assert [] == bad
    assert before == _read_protected(project.parent)


def _iterate_escapes(document: Any, run: str) -> Iterator[tuple[str, str, Any]]:
    usual = {"run": run, "story": "markup", "name": "one", "turn": "0", "number": "1"}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            names = re.findall(r"\{(\w+)\}", path)
            for name in names:
                for text in ESCAPES:
                    for made in (quote(text, safe=""), quote(text), _quote_twice(text)):
                        parts = {n: usual.get(n, "x") for n in names} | {name: made}
                        yield (
                            method.upper(),
                            re.sub(r"\{(\w+)\}", lambda m, p=parts: p[m[1]], path),  # type: ignore[misc]
                            _find_example(operation),
                        )


def _find_example(operation: Any) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    return content.get("application/json", {}).get("example")


def _ask_unless_named(intruder: Intruder, method: str, path: str, body: Any) -> HttpAnswer | None:
    """The answer; None for a save that was stored under an unusual name, which is allowed."""
    answer = intruder.ask(method, path, body, if_match='"0"', idempotency_key="attack")
    return None if "/saves/" in path and answer.status < 300 else answer


def _reveals_secrets(answer: HttpAnswer, garden: Path) -> bool:
    words = answer.body.decode("utf-8", "replace")
    return (
        answer.status >= 500
        or OUTSIDE in words
        or "root:" in words
        or str(garden) in words
        or "x-injected" in {name.lower() for name in answer.headers}
        or (answer.status < 300 and "png" in str(answer.headers["content-type"]))
    )


def _read_protected(folder: Path) -> dict[str, bytes]:
    """The content of every file that no request may create or change."""
    # A user on this machine may write stories and scenarios, in their folders.
    ours = (".saniwa", "stories", "scenarios", "runs", "metadata", "index")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part in ours for part in path.parts)
    }


@pytest.mark.parametrize(
    "path",
    ["images/picture.png", "./images/picture.png", "picture.png", "images/../images/picture.png"],
)
def test_a_picture_is_found_by_its_name_alone(intruder: Intruder, path: str) -> None:
    """A picture is found by its exact path only."""
    begun = intruder.ask("POST", RUNS, {"story": "markup"}).document
    shown = begun["step"]["directives"][0]["args"]["path"]
    asked = f"/api/v1/stories/markup/assets/{quote(path, safe='')}"
    answer = intruder.ask(path=asked)

    assert shown.endswith("images/picture.png")
    assert (200 if path == "images/picture.png" else 404) == answer.status


@pytest.mark.parametrize(
    "said",
    [
        {"idempotency_key": "a b"},
        {"idempotency_key": "x" * 1_000},
        {"if_match": "0"},
        {"if_match": '"' + "9" * 400 + '"'},
        {"x_request_id": "mine"},
        {"content_type": "text/html"},
    ],
)
def test_no_header_comes_back_as_it_was_sent(
    intruder: Intruder, run_id: str, said: dict[str, str]
) -> None:
    """No header of a request is repeated in the answer's headers."""
    answer = intruder.ask("POST", f"{RUNS}/{run_id}/steps", **said)
    headers = str(answer.headers)

    assert answer.status < 500
    assert [] == [value for value in said.values() if f": {value}" in headers]


def test_an_agent_does_not_decide(intruder: Intruder) -> None:
    """A decision needs a person who has signed in, however it is requested."""
    begun = intruder.ask("POST", "/api/v1/gate/runs", {"process_id": "vault"}).document
    path = f"/api/v1/gate/runs/{begun['run_id']}"

    def send(event: str, key: str, asking: Any = intruder.ask, **more: str) -> HttpAnswer:
        revision = intruder.ask(path=path).headers["etag"]
        digest = intruder.ask(path=f"{path}/review").document["digest"]
        body: dict[str, Any] = {"event_name": event}
        if event == "approve":
            body["approval_digest"] = digest
        answer: HttpAnswer = asking(
            "POST", f"{path}/events", body, idempotency_key=key,
            if_match=revision, **more,
        )  # fmt: skip
        return answer

    entered = send("enter", "1", intruder.ask_far, authorization=BOT)
    cookie, csrf = intruder.sign_in("bot")
    refused = [
        send("approve", "2"),
        send("approve", "3", x_role="reviewer", x_user="ann"),
        send("approve", "4", intruder.ask_far, authorization=BOT),
        send("approve", "5", intruder.ask_far, cookie=cookie, x_saniwa_csrf=csrf),
    ]
    approved = send("approve", "6", intruder.ask_far, authorization=ANN)

    assert 200 == entered.status
    assert {(403, "FORBIDDEN")} == {each.status_and_code for each in refused}
    assert 200 == approved.status, approved.body


@pytest.mark.parametrize("role", ["role", "author", "visitor", "person"])
def test_no_visitor_names_their_role(intruder: Intruder, role: str) -> None:
    """A request body that names a role is refused."""
    body = {"process_id": "vault", role: "reviewer"}

    assert 400 == intruder.ask("POST", "/api/v1/gate/runs", body).status


def test_an_agent_changes_nothing_but_by_playing(intruder: Intruder) -> None:
    """An agent cannot use operations that change rules, files or tables."""
    paths = intruder.ask(path="/api/v1/openapi.json").document["paths"]
    words = ("rulebook", "/table/", "/files/", "/source")
    asked = {
        (method.upper(), re.sub(r"\{\w+\}", "x", path), json.dumps(_find_example(operation)))
        for path, methods in paths.items()
        for method, operation in methods.items()
        if method in ("put", "delete", "post")
        and any(word in path for word in words)
        and not path.endswith(("/check", "/try"))
        and "/check/" not in path
    }
    answers = {
        (method, path): intruder.ask_far(
            method, path, json.loads(body), authorization=BOT, if_match='"0"'
        ).status
        for method, path, body in sorted(asked)
    }

    assert len(answers) > 5
    assert {} == {each: status for each, status in answers.items() if status != 403}


def test_markup_is_text_everywhere(intruder: Intruder) -> None:
    """Markup in titles, story text, names and words is returned as JSON that is never a page."""
    begun = intruder.ask("POST", RUNS, {"story": "markup"})
    world = intruder.ask("POST", RUNS, BEGIN)
    run, revision = world.document["run"], world.headers["etag"]
    said = intruder.ask(
        "POST", f"{RUNS}/{run}/words", {"text": f'say "{MARKUP}"'}, if_match=revision
    )
    answers = [
        begun,
        said,
        intruder.ask(path="/api/v1/stories"),
        intruder.ask(path="/api/v1/processes"),
        intruder.ask(path=f"/api/v1/stories/{quote(MARKUP)}"),
        intruder.ask(path=f"/api/v1/{quote(MARKUP)}"),
        intruder.ask(MARKUP[1:4].upper(), RUNS),
    ]

    assert MARKUP in str(answers[2].document)
    for answer in answers:
        assert re.match(r"application/(problem\+)?json", answer.headers["content-type"])
        assert "nosniff" == answer.headers["x-content-type-options"]
        assert str(answer.headers["content-security-policy"]).endswith("sandbox")


def test_a_page_holds_nothing_that_was_asked_for(intruder: Intruder) -> None:
    """The page does not depend on the address."""
    usual = intruder.ask(path="/play/x").body
    odd = intruder.ask(path=f"/play/{quote(MARKUP)}?q={quote(MARKUP)}").body

    assert usual == odd


def test_every_answer_carries_its_headers(intruder: Intruder, run_id: str) -> None:
    """Pages, answers and errors have the security headers."""
    paths = ("/", RUNS, f"{RUNS}/nobody", "/nowhere", f"{RUNS}/{run_id}/moment")
    for path in paths:
        answer = intruder.ask(path=path)
        assert {
            "x-frame-options": "DENY",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "x-content-type-options": "nosniff",
        }.items() <= {n.lower(): v for n, v in answer.headers.items()}.items()
        assert "unsafe" not in str(answer.headers["content-security-policy"])
        assert answer.headers["server"] is None
