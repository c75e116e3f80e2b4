from contextlib import closing
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

from saniwa.process.gate import Gate
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.paper_process import AGENT, PaperGates


def test_what_was_sent_is_the_gates_own_from_then_on(tmp_path: Path) -> None:
    """Changing a payload after sending it does not change the run."""
    office = PaperGates()
    inner: dict[str, Any] = {"deep": 1}
    with closing(FileGateLog(GateFolders.from_root(tmp_path))) as log:
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

        assert {"deep": 1} == gate.get_state(run_id).context["note"]


def test_of_two_equal_requests_at_once_one_is_done_and_one_is_informed(tmp_path: Path) -> None:
    """Of equal requests at once, one is done and the others are replays, not conflicts."""
    office = PaperGates()
    answers: list[dict[str, Any]] = []
    logs = [FileGateLog(GateFolders.from_root(tmp_path)) for _ in range(4)]
    run_id = Gate(logs[0], office.library, office.desk, AGENT).create_run("paper").run_id
    start = Barrier(len(logs))

    def send(log: FileGateLog) -> None:
        gate = Gate(log, office.library, office.desk, AGENT)
        start.wait()
        answers.append(
            gate.emit_event(
                run_id=run_id, event_name="jot", expected_revision=1, idempotency_key="twin"
            )
        )

    threads = [Thread(target=send, args=(log,)) for log in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    revision = logs[0].load_run(run_id).revision
    for log in logs:
        log.close()

    assert [True] * 4 == [answer["success"] for answer in answers]
    assert 3 == sum(answer["result"].get("replayed", False) for answer in answers)
    assert 2 == revision
