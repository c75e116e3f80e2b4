"""Hooks that run on entering and leaving states, after the transition is durable.

Child runs and lanes of a state begin in the same way, after its hooks.

A hook that fails is recorded and never undoes anything. If a crash kept a hook from
running, the next caller runs it, so that each hook runs at least once.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import assert_never

import msgspec
import orjson

from saniwa.core.clock import Clock, format_timestamp
from saniwa.process.artifact import Artifact, Author, encode_content
from saniwa.process.child_runs import ChildRuns
from saniwa.process.definition import (
    ChildDefinition,
    Hook,
    LaneDefinition,
    NotifyHook,
    SetVariableHook,
    WriteArtifactHook,
)
from saniwa.process.definition_index import ProcessIndex, ProcessIndexCache
from saniwa.process.event_record import LogNote
from saniwa.process.evidence_intake import list_fields
from saniwa.process.ports import GateLog, Messenger
from saniwa.process.run_state import PendingDelivery, ProcessRun

_URL_PATH = re.compile("[/?#]")
_HOOK_AUTHOR = Author("system", "hook")


class HookRunner:
    """Runs the hooks that a process defines on entering and leaving states."""

    def __init__(
        self, log: GateLog, clock: Clock, messenger: Messenger | None, children: ChildRuns
    ) -> None:
        """Run hooks of a log's runs; without `messenger`, webhooks fail."""
        self._log = log
        self._children = children
        self._clock = clock
        self._messenger = messenger

    def has_pending(self, index: ProcessIndex, run: ProcessRun) -> bool:
        """Whether hooks of the last event have not run yet."""
        hooks = index.list_hooks(run.source, run.state)
        return run.hooks_done < len(hooks)

    def run_pending(self, run_id: str, index: ProcessIndex) -> None:
        """Run the hooks of the last event that have not run yet.

        Raises:
            StoreError: The result of a hook could not be recorded.
        """
        while index.has_hooks:
            run = self._log.load_run(run_id)
            hooks = index.list_hooks(run.source, run.state)
            number, revision = run.hooks_done, run.revision
            if number >= len(hooks):
                return
            # Outside the lock: a URL that does not answer must not block other writers.
            note = self._run_hook(index, run, hooks[number], number)
            with self._log.lock_run(run_id) as passage:
                now = passage.run
                if (now.revision, now.hooks_done) == (revision, number):
                    passage.append_note(note)

    def _run_hook(
        self,
        index: ProcessIndex,
        run: ProcessRun,
        hook: Hook | ChildDefinition | LaneDefinition,
        number: int,
    ) -> LogNote:
        note = LogNote(revision=run.revision, at=self._clock.now(), about="hook", hook=number)
        match hook:
            case SetVariableHook():
                # The author's value replaces any value that senders have set.
                message, values = f"set_variable: {hook.variable}", {hook.variable: hook.value}
                return msgspec.structs.replace(note, message=message, variables=values)
            case WriteArtifactHook():
                return _write_artifact(index, run, hook, note)
            case NotifyHook(via="log"):
                return msgspec.structs.replace(note, message=hook.message)
            case NotifyHook():
                return self._send_webhook(run, hook, note)
            case ChildDefinition() | LaneDefinition():
                message, failed = self._children.begin(run, index, hook)
                return msgspec.structs.replace(note, message=message, failed=failed)
            case _:  # pragma: no cover
                assert_never(hook)

    def _send_webhook(self, run: ProcessRun, hook: NotifyHook, note: LogNote) -> LogNote:
        body = _build_body(run, hook, run.source, run.state, run.revision)
        note = msgspec.structs.replace(note, delivery=f"{run.revision}:{note.hook}")
        sent = self._attempt_delivery(hook, body, note)
        # Only what failed is remembered.
        return sent if sent.failed else msgspec.structs.replace(sent, delivery="")

    def _attempt_delivery(self, hook: NotifyHook, body: bytes, note: LogNote) -> LogNote:
        if self._messenger is None:
            return _mark_failed(note, "webhook: this interface sends none")
        try:
            self._messenger.send(hook.url, body)
        except OSError as problem:
            return _mark_failed(note, f"webhook {_extract_host(hook.url)}: {problem}")
        done = f"webhook {_extract_host(hook.url)}: delivered"
        return msgspec.structs.replace(note, message=done)

    def retry_deliveries(
        self, run_id: str, indexes: ProcessIndexCache, *, again: bool = False, webhook: str = ""
    ) -> tuple[LogNote, ...]:
        """Send the webhooks of a run again that are due; with `again`, all that failed.

        With `webhook`, only that one. A receiver may get one twice, if the result could
        not be recorded.

        Raises:
            StoreError: The result could not be recorded; a definition is missing.
        """
        notes: list[LogNote] = []
        run = self._log.load_run(run_id)
        for key, pending in _list_pending(run, webhook) if self._messenger else ():
            now = self._clock.now()
            if not again and (pending.due is None or pending.due > now):
                continue
            hook = _find_webhook(indexes, key, pending)
            if hook is None:
                continue  # no gate wrote that note; `verify` is for it
            revision = int(key.partition(":")[0])
            body = _build_body(run, hook, pending.source, pending.state, revision)
            note = LogNote(revision=run.revision, at=now, about="delivery", delivery=key)
            notes += self._record_delivery(
                run_id, pending, self._attempt_delivery(hook, body, note)
            )
        return tuple(notes)

    def drop_deliveries(
        self, run_id: str, indexes: ProcessIndexCache, why: str, webhook: str = ""
    ) -> tuple[LogNote, ...]:
        """Give up the webhooks of a run that could not be sent, or one of them.

        Raises:
            StoreError: As `retry_deliveries` does.
        """
        notes: list[LogNote] = []
        run = self._log.load_run(run_id)
        for key, pending in _list_pending(run, webhook):
            hook = _find_webhook(indexes, key, pending)
            host = _extract_host(hook.url) if hook else key
            note = LogNote(
                revision=run.revision,
                at=self._clock.now(),
                about="delivery",
                delivery=key,
                message=f"webhook {host}: {why}",
            )
            notes += self._record_delivery(run_id, pending, note)
        return tuple(notes)

    def _record_delivery(
        self, run_id: str, pending: PendingDelivery, note: LogNote
    ) -> Iterator[LogNote]:
        with self._log.lock_run(run_id) as passage:
            # Another caller may have sent or dropped it in the meantime.
            if passage.run.undelivered.get(note.delivery) == pending:
                done = msgspec.structs.replace(note, revision=passage.run.revision)
                passage.append_note(done)
                yield done


def _list_pending(run: ProcessRun, webhook: str) -> list[tuple[str, PendingDelivery]]:
    return [item for item in run.undelivered.items() if webhook in ("", item[0])]


def _find_webhook(
    indexes: ProcessIndexCache, key: str, pending: PendingDelivery
) -> NotifyHook | None:
    hooks = indexes.load_index(pending.definition).list_hooks(pending.source, pending.state)
    number = int(key.partition(":")[2])
    hook = hooks[number] if number < len(hooks) else None
    return hook if isinstance(hook, NotifyHook) else None


def _build_body(run: ProcessRun, hook: NotifyHook, source: str, state: str, revision: int) -> bytes:
    body = {
        "run_id": run.run_id,
        "process_id": run.opening.process_id,
        "from_state": source,
        "to_state": state,
        "revision": revision,
        "message": hook.message,
    }
    return orjson.dumps(body)


def _write_artifact(
    index: ProcessIndex, run: ProcessRun, hook: WriteArtifactHook, note: LogNote
) -> LogNote:
    content = hook.content
    checker = index.get_checker(index.get_kind(hook.artifact_type).schema)
    wrong = checker.find_problems(content) if checker is not None else ()
    if wrong:
        message = f"{wrong[0].path or '/'}: {wrong[0].message}"
        return _mark_failed(note, f"write_artifact: {hook.artifact_type}: {message}")
    text, required = encode_content(content), index.list_required_fields(hook.artifact_type)
    artifact = Artifact(
        artifact_id=f"{run.run_id}-{run.revision}-hook-{note.hook}",
        run_id=run.run_id,
        type=hook.artifact_type,
        content=content,
        hash=hashlib.sha256(text).hexdigest(),
        size=len(text),
        held_to=index.digest_schema(hook.artifact_type),
        fields=list_fields(content, required) if required else (),
        created_at=format_timestamp(note.at),
        created_by=_HOOK_AUTHOR,
        maker="gate",
    )
    message = f"write_artifact: {artifact.place}"
    return msgspec.structs.replace(note, message=message, artifacts=(artifact,))


def _extract_host(url: str) -> str:
    """Return only scheme and host: the rest may be a secret, and agents read notes."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{_URL_PATH.split(rest, maxsplit=1)[0].rpartition('@')[2]}"


def _mark_failed(note: LogNote, why: str) -> LogNote:
    return msgspec.structs.replace(note, message=why, failed=True)
