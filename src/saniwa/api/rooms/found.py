"""A run as somebody asks for it: found, and theirs to play."""

from saniwa.api.operation import Call
from saniwa.core.errors import ProcessError
from saniwa.core.quoted import quoted
from saniwa.run.hosted.form import Hosted


async def hosted_in(call: Call) -> Hosted:
    """The run that the path names.

    Raises:
        StoreError: `RUN_NOT_FOUND`.
        SaniwaError: It cannot be gone on with.
    """
    return await call.garden.hosted(call.path["run"])


async def own_in(call: Call) -> Hosted:
    """The same, if whoever asks may play it: who began it does, others watch.

    Raises:
        ProcessError: `NOT_YOURS`.
        SaniwaError: As `hosted_in`.
    """
    hosted = await hosted_in(call)
    owner = owner_of(call, hosted.id)
    if owner and owner != call.caller.name and call.caller.by != "nearness":
        raise ProcessError(
            "NOT_YOURS",
            f"{quoted(owner)} began this run and plays it",
            hint="watch it, or begin one of your own",
            details={"run": hosted.id, "owner": owner},
        )
    return hosted


def owner_of(call: Call, run: str) -> str:
    """Who began a run; empty where nobody signed in to do it."""
    record = call.garden.record(run)
    return record.origin.owner if record else ""
