"""The one place that picks concrete parts: which store, which scenario, which book.

Doors ask here and are handed ports; nothing here decides anything about a story.
"""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

import msgspec

from saniwa.core.clock import Clock
from saniwa.core.document import FORMATS, Document, read_file
from saniwa.core.errors import RulebookError, SaniwaError, StoreError
from saniwa.core.finding import Finding, Report
from saniwa.core.ids import Ids
from saniwa.core.where import Where
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.load import book_from_layers, layers_of, read_book
from saniwa.rulebook.load import inspect as inspect_rules
from saniwa.run.conductor import Run, open_run, resume
from saniwa.run.ports import Listener, Store
from saniwa.scenario.inspect import inspect
from saniwa.scenario.load import Scenario, Source, document_of, expected_name, load
from saniwa.scenario.registry import Registry, stays_inside
from saniwa.script.directive import schema_text
from saniwa.turn.trace import Turn

if TYPE_CHECKING:
    from saniwa.run.headless import Door, Opened

Layers = tuple[dict[str, Any], ...]

PROJECT_REGISTRY = Path("experiments/scenarios/registry.yaml")
"""Where a project keeps its registry, seen from its own folder."""

LAST = "last"
"""What stands for the newest run wherever a run is named."""

_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
_POSTGRES = ("postgresql", "postgres")
_MEMORY = "memory:"


def shipped_registry() -> Path:
    """The registry that comes with Saniwa."""
    return Path(str(files("experiments"))) / "scenarios" / "registry.yaml"


def registry_place(named: str | Path | None = None) -> Path:
    """The registry to open: the given one, else $SANIWA_REGISTRY, else the project's own.

    Where none of them is there, the one that comes with Saniwa.
    """
    chosen = named or os.environ.get("SANIWA_REGISTRY")
    if chosen:
        return Path(chosen)
    return PROJECT_REGISTRY if PROJECT_REGISTRY.exists() else shipped_registry()


def project_registry(named: str | Path | None = None) -> Path:
    """The registry to write to: as `registry_place`, but never the shipped one."""
    return Path(named or os.environ.get("SANIWA_REGISTRY") or PROJECT_REGISTRY)


def open_store(
    place: str | Path, *, mode: Literal["create", "existing", "read"] = "create"
) -> Store:
    """The store at a place: a SQLite file, `postgresql://…`, or `memory:`.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address; whatever keeps the
            store from being opened.
    """
    named = str(place)
    if named == _MEMORY:
        from saniwa.store.memory import MemoryStore

        return MemoryStore()
    address = _SCHEME.match(named)
    if address and address[1].lower() in _POSTGRES:
        from saniwa.store.postgres import PostgresStore

        rest = named[address.end(1) :].rstrip()
        return PostgresStore(address[1].lower() + rest, mode=mode)
    if address:
        raise StoreError(
            "STORE_UNKNOWN",
            f"runs cannot be kept at a {address[1]!r} address",
            hint="name a file, postgresql://…, or memory:",
        )
    from saniwa.store.sqlite import SqliteStore

    if mode == "create":
        # One folder deep, for a first run in a fresh place. Where this fails, the store
        # says why it cannot be opened.
        with suppress(OSError):
            Path(named).parent.mkdir(exist_ok=True)
    return SqliteStore(named, mode=mode)


def existing_store(place: str | Path) -> Store:
    """The store at a place that must be there already; nothing is made of another file.

    Raises:
        StoreError: As `open_store` does; `STORE_UNREADABLE` where there is none.
    """
    return open_store(place, mode="existing")


def find_run(store: Store, named: str) -> str:
    """The id of the run somebody means: its id, a part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    if named != LAST:
        return store.find(named)
    newest = max(store.runs(), key=lambda run: (run.created, run.run_id), default=None)
    if newest is None:
        raise StoreError(
            "RUN_NOT_FOUND", "no run is kept here yet", hint="begin one: saniwa play"
        )
    return newest.run_id


def open_scenario(
    named: str | Mapping[str, Any], registry: str | Path | None = None
) -> Scenario:
    """The scenario somebody means: an id of the registry, a file, or a document.

    What ends like a JSON or YAML file is a file; everything else is an id.

    Raises:
        SchemaValidationError: It cannot be found or trusted; nothing stands in for it.
        DocumentError: The file is no JSON or YAML.
    """
    if not isinstance(named, str):
        return load(named)
    if is_file(named):
        return load(Path(named))
    return load(Registry.open(registry_place(registry)).resolve(named))


def is_file(named: str) -> bool:
    """Whether a name is that of a JSON or YAML file, by how it ends."""
    return Path(named).suffix.lower() in FORMATS


def book_layers(
    scenario: Scenario, book: str | Mapping[str, Any] | None = None
) -> Layers:
    """The layers a run of the scenario is judged by, lowest first.

    `book` is a shipped book's name, which takes the place of the scenario's own, or a
    file or document, which is laid over it.

    Raises:
        RulebookError: The scenario's book or the given one cannot be read.
        DocumentError: A book's file is no JSON or YAML.
    """
    if isinstance(book, str) and not is_file(book):
        return layers_of(book)
    layers = _own_layers(scenario)
    if book is not None:
        layer = book_document(Path(book)) if isinstance(book, str) else dict(book)
        layers = (*layers, layer)
    book_from_layers(layers)
    return layers


def _own_layers(scenario: Scenario) -> Layers:
    spec = scenario.rulebook
    if isinstance(spec, str) and is_file(spec):
        return layers_of(book_document(_beside(scenario.resolved_path, spec)))
    return layers_of(spec)


def _beside(scenario: str, spec: str) -> Path:
    """The file a scenario speaks of: beside itself or below, and nowhere else."""
    if not stays_inside(scenario, spec):
        raise RulebookError(
            "RULE_BOOK_OUTSIDE",
            f"the scenario's rulebook {spec!r} is not in the scenario's own folder",
            where=Where(file=scenario, path="rulebook"),
            hint="keep the book beside the scenario, or in a folder below it",
        )
    return Path(scenario).parent / spec


def book_document(path: Path) -> dict[str, Any]:
    """The rulebook in a file as a document, read and found good.

    Raises:
        RulebookError: It is no rulebook, with every finding and its place.
        DocumentError: The file is no JSON or YAML.
    """
    document = read_file(path)
    read_book(document.plain, document.where)
    plain: dict[str, Any] = document.plain
    return plain


def book_named(named: str) -> Rulebook:
    """The rulebook of a shipped name or a file.

    Raises:
        RulebookError: There is no such book, or it cannot be read.
        DocumentError: The file is no JSON or YAML.
    """
    spec = book_document(Path(named)) if is_file(named) else named
    return book_from_layers(layers_of(spec))


def inspect_book(path: Path) -> Report:
    """Everything there is to say about the rulebook in a file.

    Raises:
        DocumentError: The file is no JSON or YAML.
    """
    document = read_file(path)
    report = inspect_rules(document.plain, document.where)
    return Report.of((*document.findings, *report.findings))


class Inspection(NamedTuple):
    """A scenario's document and everything there is to say about it."""

    document: Document
    """What the author wrote."""
    report: Report
    """Its findings, those of its rulebook included."""


def inspect_scenario(source: Source) -> Inspection:
    """Everything there is to say about a scenario and the rulebook it names.

    Raises:
        SchemaValidationError: There is no such file.
        DocumentError: The scenario is no JSON or YAML.
    """
    document = document_of(source)
    own = inspect(document, expected_name(source)).report
    return Inspection(document, Report.of((*own.findings, *_book_findings(document))))


def _book_findings(document: Document) -> tuple[Finding, ...]:
    spec = document.plain.get("rulebook") if isinstance(document.plain, dict) else None
    where = document.where(("rulebook",))
    try:
        if isinstance(spec, str) and is_file(spec):
            return inspect_book(_beside(document.file, spec)).findings
        if isinstance(spec, str):
            layers_of(spec)
    except SaniwaError as problem:
        told = Finding(
            code=problem.code,
            message=problem.message,
            where=problem.where if is_file(str(spec)) and problem.where else where,
            hint=problem.hint,
        )
        return (told,)
    if not isinstance(spec, dict):
        return ()
    return inspect_rules(
        spec, lambda path: document.where(("rulebook", *path))
    ).findings


def headless_door(registry: str | Path | None = None) -> "Door":
    """The headless door to whatever scenarios the registry names."""
    from saniwa.run.headless import Door, Opened

    def opener(
        named: str | dict[str, Any], book: str | dict[str, Any] | None
    ) -> "Opened":
        scenario = open_scenario(named, registry)
        return Opened(
            scenario_id=scenario.id,
            scenario_hash=scenario.scenario_hash,
            world=scenario.world,
            layers=book_layers(scenario, book),
            warnings=tuple(f.as_document() for f in scenario.report.findings),
        )

    return Door(opener)


def published_schema(name: Literal["stepresult", "world", "turn"]) -> str:
    """A JSON Schema of what is read or written, as text."""
    match name:
        case "stepresult":
            return schema_text()
        case "world":
            return _lines_schema()
        case "turn":
            return _schema(Turn, "urn:saniwa:turn:1")


def _lines_schema() -> str:
    """A line of the headless door is a request; what comes back is one of the answers."""
    from saniwa.run.lines import ANSWERS, PROTOCOL, Request

    (request, *answers), parts = msgspec.json.schema_components(
        (Request, *ANSWERS), ref_template="#/$defs/{name}"
    )
    defined = parts | {"Request": request, "Answer": {"anyOf": answers}}
    either = [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Answer"}]
    whole = {"oneOf": either, "$defs": defined}
    return _published(whole, f"urn:saniwa:world-lines:{PROTOCOL}")


def _schema(kind: Any, urn: str) -> str:
    return _published(msgspec.json.schema(kind), urn)


def _published(schema: dict[str, Any], urn: str) -> str:
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": urn}
    return msgspec.json.format(msgspec.json.encode(head | schema), indent=2).decode()


class _Ports(TypedDict):
    listener: Listener | None
    ids: Ids | None
    clock: Clock | None


class Parts:
    """A store and a registry, for whoever plays: begins runs and goes on with them."""

    def __init__(
        self,
        store: Store | str | Path,
        registry: str | Path | None = None,
        *,
        listener: Listener | None = None,
        ids: Ids | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Parts around a store, or around the place of one that is opened when needed."""
        self._opened: Store | None = None
        self._place: str | Path = ""
        if isinstance(store, str | Path):
            self._place = store
        else:
            self._opened = store
        self._registry = registry
        self._ports: _Ports = {"listener": listener, "ids": ids, "clock": clock}

    @classmethod
    def open(
        cls,
        store: str | Path,
        registry: str | Path | None = None,
        *,
        must_exist: bool = False,
    ) -> "Parts":
        """The parts for a store at a place; `must_exist` makes no new one.

        Without it, a store that is not there is made by the first run that begins, and
        by nothing else.

        Raises:
            StoreError: As `open_store` does; without `must_exist`, when it is needed.
        """
        return cls(existing_store(store) if must_exist else store, registry)

    @property
    def store(self) -> Store:
        """The store; made where there is none.

        Raises:
            StoreError: As `open_store` does.
        """
        if self._opened is None:
            self._opened = open_store(self._place)
        return self._opened

    def begin(
        self,
        named: str | Mapping[str, Any],
        *,
        language: str | None = None,
        actor: str | None = None,
        book: str | Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> Run:
        """A new run of a scenario, kept from its first moment.

        Raises:
            SaniwaError: The scenario, the book, the actor or the store is not as it
                must be; then nothing was kept.
        """
        scenario = open_scenario(named, self._registry)
        return open_run(
            scenario,
            book_layers(scenario, book),
            self.store,
            language=language,
            actor=actor,
            seed=seed,
            **self._ports,
        )

    def resume(self, named: str) -> Run:
        """The run somebody means, standing where its last turn left it.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`, `TRACE_CORRUPT`;
                `STORE_UNREADABLE` where no store is, and none is made.
            RunError: `RUN_DIVERGED`.
        """
        if self._opened is None:
            self._opened = existing_store(self._place)
        return resume(find_run(self.store, named), self.store, **self._ports)

    def walkthrough(self, scenario_id: str) -> tuple[str, ...]:
        """The lines of `walkthroughs/ID.txt` beside the registry; none if it is not there."""
        folder = registry_place(self._registry).parent / "walkthroughs"
        path = folder / f"{scenario_id}.txt"
        # A scenario's name is its author's: it may look like a way to another folder.
        if Path(scenario_id).name != scenario_id or not path.is_file():
            return ()
        lines = path.read_text(encoding="utf-8").split("\n")
        return tuple(line for line in lines if line and not line.startswith("#"))

    def close(self) -> None:
        """Let go of the store."""
        if self._opened is not None:
            self._opened.close()
