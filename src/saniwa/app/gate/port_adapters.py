"""Adapters of the gate's ports: evidence in folders, journals, and signatures."""

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from saniwa.app.gate.configuration import GatePlaces, prefer_written_path
from saniwa.store.gate.evidence_reader import FolderEvidenceReader

if TYPE_CHECKING:
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
        from saniwa.agent.tools.tool import CallResults
        from saniwa.core.errors import StoreError
        from saniwa.core.text import quote_value
        from saniwa.process.ports import CallFinding
        from saniwa.store.json_lines_file import JsonLinesFile

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
