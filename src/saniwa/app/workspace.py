"""The composition root: opens everything that one server or host process serves."""

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from saniwa.app.agent_journals import JournalService
from saniwa.app.creation_requests import CreationIndex
from saniwa.app.experiments.catalog import ExperimentCatalog
from saniwa.app.game_tables import ChangeNotifier, TableService
from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.gate_service import GateService
from saniwa.app.gate.remote_evidence import ProtectedPaths, list_store_paths
from saniwa.app.gate.report_verification import make_server_lookup
from saniwa.app.playing_service import PlayingService
from saniwa.app.run_service import RunService
from saniwa.app.story_library import StoryLibrary
from saniwa.app.story_opening import StoryFaultCheck
from saniwa.app.work_queue import WorkQueue
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.runs.run_inspector import RunInspector

MOST_INSPECTORS: Final = 32
"""The number of inspectors that are cached."""


class WorkspacePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """The files, folders and addresses of a workspace."""

    store: str = ".saniwa/saniwa.sqlite"
    """The run store: a file, `memory:`, or a PostgreSQL address."""
    registry: str = ""
    """The registry of scenarios; empty for the default."""
    stories: str = "stories"
    """The folder of the project's own stories."""
    scenarios: str = "scenarios"
    """The folder of the project's own scenarios."""
    gate: str = ""
    """The gate's folder; empty for the default."""
    results: str = "results"
    """The folder of experiments."""
    evidence: tuple[str, ...] = ()
    """Folders of the project with evidence, besides that of experiments."""


class Workspace:
    """All services of one server."""

    def __init__(
        self,
        places: WorkspacePlaces,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        together: bool = False,
    ) -> None:
        """Open the services at these places; missing stores are created when needed.

        With `together`, requests that wait for the disk at the same time share one
        sync, and others are served meanwhile.

        Raises:
            StoreError: The store cannot be opened.
        """
        self.places: Final = places
        """Its files and addresses."""
        self.clock: Final = clock or SystemClock()
        """The clock."""
        self.ids: Final = ids or TimeOrderedIds()
        """The source of new ids."""
        registry = places.registry or None
        self.runs: Final = RunService(
            places.store, registry, ids=self.ids, clock=self.clock, together=together
        )
        """Runs, from the store and the registry."""
        self.plays: Final = self.runs.plays
        """Records of playings, for hosts."""
        self.creations: Final = CreationIndex(self.plays)
        """Which request began which run."""
        self.library: Final = StoryLibrary.from_folder(Path(places.stories))
        """The stories."""
        self.story_faults: Final = StoryFaultCheck(registry)
        """Stories that are known to have no errors."""
        self.experiments: Final = ExperimentCatalog(Path(places.results))
        """The experiments."""
        self.notifier: Final = ChangeNotifier()
        """Notifies when something happened in a run."""
        self.open_inspector: Final = lru_cache(MOST_INSPECTORS)(RunInspector)
        """Returns the inspector of a run, for users who watch."""
        self.tables: Final = TableService(places.store, self.plays, self.notifier)
        """Tables at which agents play in runs."""
        self.playings: Final = PlayingService(
            self.runs, self.plays, self.library, self.clock, self.ids
        )
        """Begins and resumes playings."""
        self.begin: Final = self.playings.begin
        """Begins a run; a repeated request gets the run of the first."""
        self.find_playing: Final = self.playings.find_playing
        """Returns a run in its current state."""
        self.find_record: Final = self.playings.find_record
        """Returns the stored record of a run for hosts."""
        self.list_run_ids: Final = self.playings.list_run_ids
        """Lists the ids of all runs."""
        self.protected_paths: Final = ProtectedPaths(*list_store_paths(places.store))
        """Paths that no request may read."""
        gate = locate_gate(places.gate or None)
        self.gates: Final = GateService(
            places.gate,
            clock=self.clock,
            ids=self.ids,
            kept=self.protected_paths,
            evidence=[Path(each) for each in (*places.evidence, places.results)],
            lookup=make_server_lookup(lambda: self.runs.store, places.store, registry, gate),
        )
        """The gate, for the visitor of each request."""
        self.journals: Final = JournalService(gate.project)
        """The journals of the project's agents."""
        self.checks: Final = WorkQueue()
        """Checks drafts in its threads."""

    @property
    def open_count(self) -> int:
        """The number of open runs."""
        return len(self.playings.open)

    def close(self) -> None:
        """Close everything; acknowledged changes are durable."""
        self.playings.close()
        self.checks.close()
        self.gates.close()
        self.runs.close()
