"""Signs cells as they are played, and checks the signatures of cells that are read.

A replay asks no model, so it cannot tell recorded answers from invented ones. A person who
runs an experiment with a credential signs every outcome before it is stored; without a
person's credential, cells can be invented, but no signature.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from saniwa.app import describe
from saniwa.app.experiments.folder import Experiment
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ExperimentError
from saniwa.core.redaction import redact_address
from saniwa.core.safe_open import read_inside
from saniwa.experiment.output.output_folder import SIGNATURES, encode_json_line, open_output_folder
from saniwa.experiment.plan import ExperimentPlan, iterate_cells
from saniwa.experiment.ports import OutcomeStore
from saniwa.models.local_model import SMOLLM2
from saniwa.models.providers import OLLAMA_URL
from saniwa.process.ports import SignatureVerifier, Signer

_LARGEST_SIGNATURE: Final = 10_000
_WRITTEN_KINDS: Final = ("canned", "fuzz", "replay")
"""Models whose answers are in a file."""


class CellSignature(msgspec.Struct, frozen=True):
    """What a person signed about the outcome of one cell."""

    by: str
    """The person's name."""
    run: str
    """The folder in which the experiment ran, so that cells of two runs are not mixed."""
    mac: str
    """The signature."""


warm_decoders(CellSignature)


class OutcomeSigner(NamedTuple):
    """The person who runs an experiment, and the people whose signatures count."""

    name: str
    """The person's name; empty to check signatures only."""
    key: Signer | None
    """Signs as that person."""
    verifier: SignatureVerifier
    """Knows the people of the gate."""


def check_signable(plan: ExperimentPlan, hosts: Collection[str]) -> None:
    """Require models that answer for themselves, at addresses the gate's owner lists.

    The plan may be an agent's, and so may a server on this machine.

    Raises:
        ExperimentError: `SIGNATURE_UNUSABLE`.
    """
    if plan.mode != "real":
        raise describe("SIGNATURE_UNUSABLE/mode").to_error(ExperimentError)
    for named in list_models(plan):
        kind, _, name = named.partition(":")
        address = plan.llm_url or (OLLAMA_URL if kind == "ollama" else "")
        if kind in _WRITTEN_KINDS or (kind == "local" and name != SMOLLM2):
            raise describe("SIGNATURE_UNUSABLE/model", model=named).to_error(ExperimentError)
        if address and set(_name_host(address)).isdisjoint(hosts):
            host = _name_host(address)[0]
            raise describe("SIGNATURE_UNUSABLE/host", host=host).to_error(ExperimentError)


def _name_host(address: str) -> tuple[str, str]:
    """Return the host of an address with its port, and without."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}", host


def list_models(plan: ExperimentPlan) -> list[str]:
    """List the models of a plan, each once."""
    return sorted({each.model for each in plan.conditions})


def describe_models(plan: ExperimentPlan) -> str:
    """Name the models of a plan, with their address if the plan has one."""
    named = ", ".join(each or "the model" for each in list_models(plan))
    return f"{named} at {redact_address(plan.llm_url)}" if plan.llm_url else named


class SignedOutcomeStore:
    """Signs outcomes before they are stored, and checks the signatures of those that are read."""

    def __init__(self, store: OutcomeStore, experiment: Experiment, signer: OutcomeSigner) -> None:
        """Use the store of an experiment; the signatures are in the experiment's folder."""
        self._store = store
        self._experiment = experiment
        self._signer = signer
        self._plan = sha256(experiment.prepared.encode()).hexdigest()
        self._runs = set[str]()
        self.signers = set[str]()
        """Who signed the outcomes that were read.

        "" is among them if one has no signature, or if they are of different runs.
        """

    def keep(self, key: str, outcome: bytes) -> bool:
        """Sign a cell's outcome, then store it; False if the cell already has one.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        if self._signer.key is not None:
            run = self._experiment.folder.absolute().name
            mac = self._signer.key.sign(self._build_message(key, outcome, run))
            signature = CellSignature(self._signer.name, run, mac)
            # First the signature: a cell that was stored and not signed would stay a claim.
            with open_output_folder(self._experiment.folder, SIGNATURES) as place:
                place.write(f"{key}.json", encode_json_line(signature))
        return self._store.keep(key, outcome)

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome."""
        return self._store.discard(key, outcome)

    def get_outcome(self, key: str) -> bytes | None:
        """Return the stored outcome of a cell, and note who signed it.

        Raises:
            StoreError: The store or the gate's people cannot be read.
        """
        outcome = self._store.get_outcome(key)
        if outcome is not None:
            signature = self._find_signature(key, outcome)
            self._runs.add(signature.run)
            self.signers |= {signature.by} if len(self._runs) == 1 else {signature.by, ""}
        return outcome

    def list_keys(self) -> Iterator[str]:
        """Yield the keys of finished cells, in order."""
        return self._store.list_keys()

    def close(self) -> None:
        """Release open files and connections."""
        self._store.close()

    def count_unsigned(self) -> int:
        """Count the finished cells that no person of the gate has signed.

        Raises:
            StoreError: A cell or the gate's people cannot be read.
        """
        keys = (cell.key for cell in iterate_cells(self._experiment.prepared.plan))
        read = ((key, self._store.get_outcome(key)) for key in keys)
        return sum(
            outcome is not None and not self._find_signature(key, outcome).by
            for key, outcome in read
        )

    def _find_signature(self, key: str, outcome: bytes) -> CellSignature:
        """Return the signature of this outcome; one without a name if no person signed it."""
        with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            page = read_inside(
                self._experiment.folder, (SIGNATURES, f"{key}.json"), _LARGEST_SIGNATURE
            )
            signature = msgspec.json.decode(page, type=CellSignature)
            message = self._build_message(key, outcome, signature.run)
            if self._signer.verifier.verify_signature(signature.by, message, signature.mac):
                return signature
        return CellSignature("", "", "")

    def _build_message(self, key: str, outcome: bytes, run: str) -> bytes:
        """Build the bytes that are signed: what was run, where, and what came of it."""
        content = {"plan": self._plan, "run": run, "cell": key}
        return encode_json_line(content | {"outcome": sha256(outcome).hexdigest()})


def sign_outcomes(
    store: OutcomeStore, experiment: Experiment, signer: OutcomeSigner | None
) -> OutcomeStore:
    """Return the store of an experiment; with a signer, it signs what it stores."""
    return store if signer is None else SignedOutcomeStore(store, experiment, signer)
