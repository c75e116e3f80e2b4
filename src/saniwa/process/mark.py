"""The mark a person puts under a decision: over what was decided, and on what."""

import msgspec
import orjson

from saniwa.process.ports import Signer
from saniwa.process.record import Record


def message_of(run_id: str, record: Record) -> bytes:
    """Everything a decision says, without its mark: the same for who signs and who asks."""
    approval = record.approval
    opening = record.opening
    told = {
        "run_id": run_id,
        "revision": record.revision,
        "from": record.source,
        "state": record.state,
        "event": record.event,
        "role": record.role,
        "payload": record.payload,
        "definition": opening.definition if opening is not None else "",
        "shown": approval.digest if approval is not None else "",
    }
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)


def signed(run_id: str, record: Record, signer: Signer | None) -> Record:
    """The record with its person's mark; as it is where the door knows no secret."""
    if signer is None or record.approval is None:
        return record
    mac = signer.sign(message_of(run_id, record))
    approval = msgspec.structs.replace(record.approval, mac=mac)
    return msgspec.structs.replace(record, approval=approval)
