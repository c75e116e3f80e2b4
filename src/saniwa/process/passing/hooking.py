"""What happens on entering and leaving states, after the row that did it is durable.

A hook that fails is written down and never undoes anything. A hook that a crash kept from
running is run by whoever comes next, so that each runs at least once.
"""

import hashlib
import re
from typing import assert_never

import msgspec
import orjson

from saniwa.core.clock import Clock
from saniwa.process.artifact import Artifact, Author
from saniwa.process.definition import Hook, Notify, SetVariable, WriteArtifact
from saniwa.process.ports import Messenger, RunLog
from saniwa.process.record import Note, timestamp
from saniwa.process.standing import Standing
from saniwa.process.weighing.fields import fields_of
from saniwa.process.weighing.plan import Plan

_PATH = re.compile("[/?#]")
_SYSTEM = Author("system", "hook")


class Hooks:
    """Runs what a process asks for on entering and leaving states."""

    def __init__(self, log: RunLog, clock: Clock, messenger: Messenger | None) -> None:
        """Hooks of the runs in a log; without a messenger, webhooks fail and say so."""
        self._log = log
        self._clock = clock
        self._messenger = messenger

    def pending(self, plan: Plan, standing: Standing) -> bool:
        """Whether hooks of the last event have not run yet."""
        hooks = plan.hooks(standing.source, standing.state)
        return standing.hooks_done < len(hooks)

    def settle(self, run_id: str, plan: Plan) -> None:
        """Run the hooks of the last event that have not run yet.

        Raises:
            StoreError: What came of one could not be written down.
        """
        while plan.has_hooks:
            standing = self._log.standing(run_id)
            hooks = plan.hooks(standing.source, standing.state)
            number, revision = standing.hooks_done, standing.revision
            if number >= len(hooks):
                return
            # Outside the passage: an address that does not answer holds nobody up.
            note = self._run(plan, standing, hooks[number], number)
            with self._log.passage(run_id) as passage:
                now = passage.standing
                if (now.revision, now.hooks_done) == (revision, number):
                    passage.note(note)

    def _run(self, plan: Plan, standing: Standing, hook: Hook, number: int) -> Note:
        note = Note(
            revision=standing.revision,
            at=self._clock.now(),
            about="hook",
            hook=number,
        )
        match hook:
            case SetVariable():
                return _set(hook, note)
            case WriteArtifact():
                return _write(plan, standing, hook, note)
            case Notify(via="log"):
                return msgspec.structs.replace(note, message=hook.message)
            case Notify():
                return self._send(standing, hook, note)
            case _:  # pragma: no cover
                assert_never(hook)

    def _send(self, standing: Standing, hook: Notify, note: Note) -> Note:
        told = {
            "run_id": standing.run_id,
            "process_id": standing.opening.process_id,
            "from_state": standing.source,
            "to_state": standing.state,
            "revision": standing.revision,
            "message": hook.message,
        }
        if self._messenger is None:
            return _failed(note, "webhook: this door sends none")
        try:
            self._messenger.send(hook.url, orjson.dumps(told))
        except OSError as problem:
            return _failed(note, f"webhook {_host(hook.url)}: {problem}")
        done = f"webhook {_host(hook.url)}: delivered"
        return msgspec.structs.replace(note, message=done)


def _set(hook: SetVariable, note: Note) -> Note:
    """The author's word stands, whatever senders have put beside it."""
    told = f"set_variable: {hook.variable}"
    return msgspec.structs.replace(
        note, message=told, variables={hook.variable: hook.value}
    )


def _write(plan: Plan, standing: Standing, hook: WriteArtifact, note: Note) -> Note:
    content = hook.content
    checker = plan.artifact_checker(hook.artifact_type)
    wrong = checker.problems(content) if checker is not None else ()
    if wrong:
        told = f"{wrong[0].path or '/'}: {wrong[0].message}"
        return _failed(note, f"write_artifact: {hook.artifact_type}: {told}")
    text = (
        content.encode()
        if isinstance(content, str)
        else orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    )
    artifact = Artifact(
        artifact_id=f"{standing.run_id}-{standing.revision}-hook-{note.hook}",
        run_id=standing.run_id,
        type=hook.artifact_type,
        content=content,
        hash=hashlib.sha256(text).hexdigest(),
        size=len(text),
        held_to=plan.schema_mark(hook.artifact_type),
        fields=fields_of(content) if plan.asks_fields(hook.artifact_type) else (),
        created_at=timestamp(note.at),
        created_by=_SYSTEM,
    )
    told = f"write_artifact: {artifact.place}"
    return msgspec.structs.replace(note, message=told, artifacts=(artifact,))


def _host(url: str) -> str:
    """Where an address leads; the rest of it may be a secret, and agents read notes."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{_PATH.split(rest, maxsplit=1)[0].rpartition('@')[2]}"


def _failed(note: Note, why: str) -> Note:
    return msgspec.structs.replace(note, message=why, failed=True)
