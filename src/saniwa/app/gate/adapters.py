"""Adapters of the gate's ports: evidence in folders, signatures, and webhooks.

A process file may come from a stranger. So a webhook goes only to addresses that are
reachable from the public internet, unless the gate's owner lists the host.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from saniwa.app.gate.places import GatePlaces, prefer_written_path
from saniwa.store.gate.evidence_reader import FolderEvidenceReader

if TYPE_CHECKING:
    import socket
    from http.client import HTTPConnection
    from ipaddress import IPv4Address, IPv6Address

    from saniwa.process.artifact import Artifact
    from saniwa.process.ports import CallFinding, SignatureVerifier, Signer
    from saniwa.store.gate.people import GatePerson


class LazyPort:
    """A port whose implementation is imported and made anew with each use."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        return getattr(self._make(), name)


class ProjectEvidenceReader(FolderEvidenceReader):
    """Evidence in a gate's folders."""

    def __init__(self, written: GatePlaces, fixed: GatePlaces) -> None:
        super().__init__(fixed.root / "artifacts", fixed.project)
        self._places_written = written
        self._places_fixed = fixed

    def locate_folder(self, run_id: str, folder: str) -> str:
        """Return the base folder of a run's paths, as the user wrote it."""
        fixed = self._places_fixed.locate_artifacts(run_id, folder)
        return str(
            prefer_written_path(self._places_written.locate_artifacts(run_id, folder), fixed)
        )

    def list_known_names(self) -> Collection[str]:
        """Return the names of the gate's people.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return read_people_names(self._places_written)


def read_people_names(places: GatePlaces) -> frozenset[str]:
    """Return the names of all people who have a credential for a gate.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    from saniwa.store.gate.people import read_people

    return frozenset(each.name for each in read_people(places.people).people)


_match_agent_run: Final = re.compile(r"agent-[0-9a-f-]{36}").fullmatch
_JOURNAL_PATTERNS: Final = (".saniwa/agents/*/{}.jsonl", ".agent/*/logs/{}.jsonl")
"""Where journals are looked for if a record does not say where its own is."""


class ProjectJournals:
    """The journals of a project's agents, in which tool calls are looked up again.

    No journal outside the project is read, and no link is followed.
    """

    def __init__(self, project: Path) -> None:
        self._project = project

    def look_up_call(self, artifact: "Artifact") -> "CallFinding":
        """Say what the journal of the agent that made an artifact says about it now."""
        from saniwa.agent.tools.call_results import CallResults
        from saniwa.core.errors import StoreError
        from saniwa.core.text import quote_value
        from saniwa.process.ports import CallFinding
        from saniwa.store.json_lines import JsonLinesFile

        call, agent_run = quote_value(artifact.call), artifact.call.partition(":")[0]
        journal = next(self._find_journals(artifact.journal, agent_run), None)
        if journal is None:
            return CallFinding("claimed", f"cannot be looked up: the journal of {call} is gone")
        try:
            made = CallResults(JsonLinesFile(journal).read_entries()).get_result(artifact.call)
        except (StoreError, LookupError, TypeError, ValueError, AttributeError) as problem:
            why = getattr(problem, "message", "it was not written by an agent")
            return CallFinding("contradicted", f"has a journal that cannot be trusted: {why}")
        if made is None:
            return CallFinding("contradicted", f"has a journal without a result of {call}")
        fault = made.find_fault(artifact.hash, artifact.run_id)
        if fault:
            return CallFinding("contradicted", f"has a journal in which {call} {fault}")
        ran = f", sandbox: {made.sandbox}" if made.sandbox else ""
        return CallFinding("attested", f"is the result of {call} in its journal{ran}")

    def _find_journals(self, place: str, agent_run: str) -> Iterator[Path]:
        from saniwa.core.safe_open import check_inside

        if _match_agent_run(agent_run) is None:
            return
        top = self._project.absolute()
        listed = [top / place] if place else []
        listed += (p for pattern in _JOURNAL_PATTERNS for p in top.glob(pattern.format(agent_run)))
        for path in listed:
            try:
                names = path.relative_to(top).parts
                if ".." in names or path.stem != agent_run:
                    continue
                check_inside(top, names)
                yield path
            except (OSError, ValueError):
                continue


def make_signer(person: "GatePerson | None") -> "Signer | None":
    """Return a signer for an authenticated person; None without a person."""
    if person is None:
        return None
    from saniwa.store.gate.people import PersonSigner

    return PersonSigner(person)


def make_signature_verifier(places: GatePlaces) -> "SignatureVerifier":
    """Return a verifier for signatures of a gate's people."""
    path = places.people.absolute()

    def read_people() -> "SignatureVerifier":
        from saniwa.store.gate.people import PeopleSignatureVerifier

        return PeopleSignatureVerifier(path)

    return LazyPort(read_people)


TIMEOUT_SECONDS = 5.0
"""Seconds within which an address must answer."""
_ACCEPTED_STATUS = range(200, 300)
_PORTS: Final = {"http": 80, "https": 443}
_NAT64: Final = "64:ff9b::/96"
_LOW_BITS: Final = 0xFFFFFFFF


class HttpWebhookSender:
    """Sends a message by HTTP; only 2xx counts, and redirects are not followed."""

    def __init__(
        self,
        patience: float = TIMEOUT_SECONDS,
        *,
        hosts: Callable[[], Collection[str]] = lambda: (),
    ) -> None:
        """Create a sender that waits at most `patience` seconds in total.

        `hosts` returns the hosts that the owner allows, as `NAME` or `NAME:PORT`; these
        may be in private networks.
        """
        self._patience = patience
        self._hosts = hosts

    def send(self, url: str, body: bytes) -> None:
        """Deliver the message.

        Raises:
            OSError: It was refused, could not be delivered, or the outcome is unknown.
        """
        from threading import Thread

        outcome: list[str] = []
        # In its own thread: a socket timeout starts again with every byte received, so
        # a server that answers byte by byte would otherwise block the caller.
        thread = Thread(target=self._attempt, args=(url, body, outcome), daemon=True)
        thread.start()
        thread.join(self._patience)
        if not outcome:
            raise TimeoutError(f"no answer within {self._patience:g} seconds")
        if outcome[0]:
            raise OSError(outcome[0])

    def _attempt(self, url: str, body: bytes, outcome: list[str]) -> None:
        from http.client import HTTPException

        from saniwa.core.errors import SaniwaError

        try:
            status = self._post(url, body)
        except SaniwaError as problem:
            outcome.append(problem.message)
        except (OSError, ValueError, HTTPException) as problem:
            outcome.append(str(problem) or type(problem).__name__)
        else:
            outcome.append("" if status in _ACCEPTED_STATUS else f"it answered {status}")

    def _post(self, url: str, body: bytes) -> int:
        from contextlib import closing
        from urllib.parse import urlsplit

        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError("an address is http://HOST/… or https://HOST/…")
        port = parts.port or _PORTS[parts.scheme]
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        head = {"Content-Type": "application/json", "User-Agent": "saniwa-gate"}
        numbers = self._resolve_host(parts.hostname, port)
        connection = _make_connection(parts.scheme, parts.hostname, port, numbers, self._patience)
        with closing(connection):
            connection.request("POST", path, body, head)
            with connection.getresponse() as response:
                return int(response.status)

    def _resolve_host(self, host: str, port: int) -> Sequence[str]:
        """Return the IP addresses to connect to, in the order to try them.

        A name is resolved once. The connection goes to an address that was checked, so
        a second look-up cannot lead elsewhere.
        """
        import socket

        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        numbers = [str(each[4][0]) for each in found]
        closed = [each for each in numbers if not is_public_address(each)]
        if closed and not {host, f"{host}:{port}"} & set(self._hosts()):
            raise OSError(
                f"{host!r} is on this machine or in a private network; the gate's owner "
                'allows it with {"webhook_hosts": ["' + host + '"]} in state-gate.json'
            )
        return numbers


def is_public_address(number: str) -> bool:
    """Whether an IP address is reachable from the public internet."""
    from ipaddress import ip_address

    found = _unwrap_address(ip_address(number.partition("%")[0]))
    return found.is_global and not found.is_multicast


def _unwrap_address(number: "IPv4Address | IPv6Address") -> "IPv4Address | IPv6Address":
    """Return the IPv4 address inside an IPv6 address that only wraps it."""
    from ipaddress import IPv4Address, IPv6Network

    if isinstance(number, IPv4Address):
        return number
    if number in IPv6Network(_NAT64):
        return IPv4Address(int(number) & _LOW_BITS)
    return number.ipv4_mapped or number.sixtofour or number


def _make_connection(
    scheme: str, host: str, port: int, numbers: Sequence[str], patience: float
) -> "HTTPConnection":
    """Return a connection to one of the addresses; the certificate is for `host`."""
    import ssl
    from http.client import HTTPConnection

    secured = ssl.create_default_context() if scheme == "https" else None

    class CheckedConnection(HTTPConnection):
        """Connects to the given addresses, without resolving a name."""

        default_port = _PORTS[scheme]

        def connect(self) -> None:
            """Open the connection, with TLS for https."""
            line = _connect_first(numbers, port, patience)
            if secured is not None:
                line = secured.wrap_socket(line, server_hostname=host)
            self.sock = line

    return CheckedConnection(host, port, timeout=patience)


def _connect_first(numbers: Sequence[str], port: int, patience: float) -> "socket.socket":
    import socket

    failed: OSError | None = None
    for number in numbers:
        try:
            return socket.create_connection((number, port), patience)
        except OSError as problem:
            failed = problem
    raise failed or OSError("the host has no address")
