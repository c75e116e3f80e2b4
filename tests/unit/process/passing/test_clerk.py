from contextlib import closing
from pathlib import Path
from typing import Any

from saniwa.process.gate import Gate
from saniwa.store.gate.files.folders import GateFolders
from saniwa.store.gate.files.log import FileLog
from tests.fakes.paper import AGENT, Office


def test_what_was_sent_is_the_gates_own_from_then_on(tmp_path: Path) -> None:
    """A sender who goes on writing in its payload changes nothing of the run."""
    office = Office()
    inner: dict[str, Any] = {"deep": 1}
    with closing(FileLog(GateFolders.under(tmp_path))) as log:
        gate = Gate(log, office.library, office.desk, AGENT)
        run_id = gate.create_run("paper").run_id
        gate.emit_event(
            run_id=run_id,
            event_name="jot",
            expected_revision=1,
            idempotency_key="k",
            payload={"note": inner},
        )

        inner["deep"] = 2

        assert {"deep": 1} == gate.state(run_id).context["note"]
