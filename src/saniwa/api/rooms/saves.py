"""Places to come back to."""

from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.api.rooms.found import hosted_in, own_in
from saniwa.api.rooms.playing import told
from saniwa.run.hosted.form import Slot
from saniwa.run.hosted.moment import Moment


async def list_saves(call: Call) -> Page[Slot]:
    """List the places of a run, in order of name."""
    return Page(list((await hosted_in(call)).slots()))


async def save(call: Call) -> Slot:
    """Name the point where a run stands; the same name moves."""
    return await (await own_in(call)).save(call.path["name"])


async def load(call: Call) -> Answer:
    """Go to such a place."""
    hosted = await own_in(call)
    return told(call, await hosted.load(call.request, call.path["name"]))


async def remove(call: Call) -> None:
    """Forget such a place."""
    await (await own_in(call)).remove(call.path["name"])


_RUN = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
_NAMED = {**_RUN, "name": "before the gate"}
OPERATIONS = (
    Operation(
        name="listSaves",
        method="GET",
        path="/runs/{run}/saves",
        summary="List the places of a run to come back to",
        run=list_saves,
        answers=Page[Slot],
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN,
    ),
    Operation(
        name="save",
        method="PUT",
        path="/runs/{run}/saves/{name}",
        summary="Name the point where a run stands",
        run=save,
        answers=Slot,
        needs="play",
        codes=("RUN_NOT_FOUND", "SAVE_UNNAMED", "SAVES_TOO_MANY", "NOT_YOURS"),
        path_examples=_NAMED,
    ),
    Operation(
        name="removeSave",
        method="DELETE",
        path="/runs/{run}/saves/{name}",
        summary="Forget such a place",
        run=remove,
        answers=None,
        needs="play",
        status=204,
        codes=("RUN_NOT_FOUND", "SAVE_NOT_FOUND", "SAVE_KEPT", "NOT_YOURS"),
        path_examples=_NAMED,
    ),
    Operation(
        name="loadSave",
        method="POST",
        path="/runs/{run}/saves/{name}/load",
        summary="Go back to such a place",
        run=load,
        answers=Moment,
        needs="play",
        changes=True,
        tags=True,
        codes=("RUN_NOT_FOUND", "SAVE_NOT_FOUND", "REVISION_CONFLICT", "NOT_YOURS"),
        path_examples=_NAMED,
    ),
)
