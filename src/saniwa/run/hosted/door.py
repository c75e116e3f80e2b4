"""One host's conversation with one run, line by line.

Every line gets exactly one answer, and no line, however bad, changes the run or ends the
conversation.
"""

from hashlib import sha256
from typing import Protocol

import msgspec

from saniwa.core.errors import SaniwaError, StoreError
from saniwa.run.asking import Sent, refused, too_deep
from saniwa.run.hosted import lines
from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.lines import Answer
from saniwa.run.hosted.moment import Moment, Request
from saniwa.run.hosted.understanding import understanding
from saniwa.run.lines import Refused
from saniwa.turn.trace import Asked


class Grounds(Protocol):
    """Where a door finds what it plays."""

    async def begin(self, wish: lines.Begin, asked: Asked | None) -> Hosted:
        """A new run; the same request again gets the run it got before.

        Raises:
            SaniwaError: It cannot begin.
        """
        ...

    async def hosted(self, named: str) -> Hosted:
        """A run, standing where anybody has brought it; `last` for the newest.

        Raises:
            SaniwaError: There is none, or it cannot be gone on with.
        """
        ...

    def asset(self, run: str, path: str) -> lines.Fetched:
        """A file of the story that a run plays.

        Raises:
            ScriptError: `ASSET_NOT_FOUND`.
        """
        ...


class HostDoor:
    """One host's conversation with one run at a time."""

    def __init__(self, grounds: Grounds) -> None:
        """A door to what these grounds offer; nothing is played yet."""
        self._grounds = grounds
        self._run = ""

    async def answer(self, line: bytes) -> Answer | Refused:
        """The one answer to one line. Never raises for anything a host can send."""
        sent = Sent(line, lines.REQUESTS)
        try:
            answer: Answer | Refused = await self._answer(sent.request())
        except SaniwaError as problem:
            answer = refused(problem)
        except RecursionError:
            answer = refused(too_deep())
        return msgspec.structs.replace(answer, id=sent.mark)

    async def _answer(self, request: lines.Request) -> Answer:
        match request:
            case lines.Begin():
                hosted = await self._grounds.begin(request, asked_by(request))
                return self._begun(hosted)
            case lines.Resume(run=named):
                return self._begun(await self._grounds.hosted(named))
        hosted = await self._hosted()
        match request:
            case lines.Skip():
                moment, passed = await hosted.skip(_seen(request, hosted))
                return lines.Skipped(moment=moment, passed=list(passed))
            case lines.Preview(text=text, actor=actor):
                seen = await hosted.preview(text, actor)
                return lines.Understood(understanding=understanding(seen))
            case lines.Backlog(limit=limit):
                return lines.Shown(steps=list(hosted.backlog())[-limit:])
            case lines.Fetch(path=path):
                return self._grounds.asset(self._run, path)
            case lines.Save() | lines.Saves() | lines.Remove():
                return await _saved(hosted, request)
            case lines.Here():
                return lines.Told(moment=hosted.moment())
        return lines.Told(moment=await _gone_on(hosted, request))

    async def _hosted(self) -> Hosted:
        if not self._run:
            raise StoreError(
                "RUN_NOT_FOUND",
                "no run is begun yet",
                hint='send {"op":"begin"} first, or {"op":"resume"}',
            )
        return await self._grounds.hosted(self._run)

    def _begun(self, hosted: Hosted) -> lines.Begun:
        self._run = hosted.id
        return lines.Begun(moment=hosted.moment())


def asked_by(request: lines.Begin | lines.Change) -> Asked | None:
    """The request by its name, with a hash of what it asks for; None if it has none."""
    if not request.key:
        return None
    plain = msgspec.to_builtins(request)
    told = {name: plain[name] for name in plain if name not in ("id", "revision")}
    digest = sha256(msgspec.json.encode(told, order="sorted")).hexdigest()
    return Asked(key=request.key, digest=digest)


async def _gone_on(hosted: Hosted, request: lines.Request) -> Moment:
    match request:
        case lines.Step():
            return await hosted.step(_seen(request, hosted))
        case lines.Choose(index=index):
            return await hosted.choose(_seen(request, hosted), index)
        case lines.Say(text=text, actor=actor):
            return await hosted.say(_seen(request, hosted), text, actor)
        case lines.Back(steps=steps):
            return await hosted.back(_seen(request, hosted), steps)
        case lines.Load(name=name):
            return await hosted.load(_seen(request, hosted), name)
    raise AssertionError(request)


async def _saved(
    hosted: Hosted, request: lines.Save | lines.Saves | lines.Remove
) -> lines.Saved:
    match request:
        case lines.Save(name=name):
            await hosted.save(name)
        case lines.Remove(name=name):
            await hosted.remove(name)
    return lines.Saved(saves=list(hosted.slots()))


def _seen(request: lines.Change, hosted: Hosted) -> Request:
    """A single host has seen whatever stands, unless it says otherwise."""
    seen = hosted.revision if request.revision is None else request.revision
    return Request(revision=seen, asked=asked_by(request))
