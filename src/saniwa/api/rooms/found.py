"""A run as somebody asks for it: found, and theirs to play."""

from saniwa.api.guard.caller import Caller
from saniwa.api.operation import Call
from saniwa.core.errors import ProcessError
from saniwa.core.quoted import quoted
from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.story import HostedStory


async def hosted_in(call: Call) -> Hosted:
    """The run that the path names.

    Raises:
        StoreError: `RUN_NOT_FOUND`.
        SaniwaError: It cannot be gone on with.
    """
    return await call.garden.hosted(call.path["run"])


async def own_in(call: Call) -> Hosted:
    """The same, if whoever asks may play it: who began it does, others watch.

    Those that nobody signed in to begin are played from this machine, and by people.

    Raises:
        ProcessError: `NOT_YOURS`.
        SaniwaError: As `hosted_in`.
    """
    hosted = await hosted_in(call)
    if call.caller.by == "nearness":
        return hosted
    owner = _owner(call, hosted)
    if not _is_theirs(call.caller, owner):
        told = f"{quoted(owner)} began this run and plays it"
        raise ProcessError(
            "NOT_YOURS",
            told if owner else "this run was begun at the server's own machine",
            hint="watch it, or begin one of your own",
            details={"run": hosted.id, "owner": owner},
        )
    return hosted


def _is_theirs(caller: Caller, owner: str) -> bool:
    return owner == caller.name if owner else "change" in caller.may


def _owner(call: Call, hosted: Hosted) -> str:
    """Who began a run; empty where nobody signed in to do it."""
    if isinstance(hosted, HostedStory):
        return hosted.origin.owner
    record = call.garden.record(hosted.id)
    return record.origin.owner if record else ""
