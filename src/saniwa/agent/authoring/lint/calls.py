"""Turns of a character that would ask a model more than twice."""

from saniwa.agent.authoring.draft import Draft
from saniwa.core.quoted import quoted


def look(draft: Draft) -> None:
    """Note checks that ask a model after a step has been asked and checked already.

    A character's turn may cost two questions: its words, and one check of them. A
    gateway, and a step whose parts are done, are checked in the turn of another step.
    """
    for step in draft.flow.steps.values():
        check = step.check
        late = step.type == "gateway" or step.sub_steps
        if check is not None and check.type == "prompt" and late:
            draft.at(step.id, "check").error(
                "CALLS_TOO_MANY",
                f"the check of {quoted(step.id)} asks a model in a turn of another"
                " step, and a character's turn may ask only twice",
                hint="use a check of type 'keyword' or 'action', or check the step"
                " that is asked",
            )
