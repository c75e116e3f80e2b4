"""Starts a tour in a gate's folder and ends its child runs; a test kills it at any point."""

import sys

from saniwa.app.gate.gate_opening import open_gate


def work(place: str, run_id: str) -> None:
    """Send the events of a tour of 40 sites, and print a line for each child run."""
    with open_gate(place) as gate:
        sites = [f"site {number}" for number in range(40)]
        gate.emit_event(
            run_id=run_id,
            event_name="start",
            expected_revision=1,
            idempotency_key="start",
            payload={"sites": sites},
        )
        gate.tick(run_id)
        for child in gate.list_runs(run_id):
            lane = gate.log.load_run(child).state in ("reading", "cleared")
            gate.emit_event(
                run_id=child,
                event_name="clear" if lane else "submit",
                expected_revision=1,
                idempotency_key="end",
                artifacts=[{"type": "signature", "content": "ann"}] if lane else (),
            )
            sys.stdout.write("step\n")
            sys.stdout.flush()
    sys.stdout.write("done\n")


if __name__ == "__main__":
    work(*sys.argv[1:])
