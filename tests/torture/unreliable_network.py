"""A network that repeats, delays, reorders and loses requests and answers."""

import asyncio
from collections.abc import Mapping, Sequence
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import Any

from tests.fakes.player_crowd import CrowdAnswer, CrowdConnection

_LATE = 0.5
_ODDS_LATE = 0.25
_ODDS_FORGOTTEN = 0.25


class UnreliableMail:
    """Sends requests to a random server of several, with random copies and delays."""

    def __init__(self, ports: Sequence[int], chance: Random) -> None:
        """Between a client and the servers at these ports."""
        self._ports, self._chance = ports, chance
        self._under_way = list[tuple[asyncio.Task[CrowdAnswer | None], Any]]()
        self.carried = 0
        """Copies that were sent."""

    async def send(self, path: str, body: Any, headers: Mapping[str, str]) -> CrowdAnswer:
        """The first answer; every other answer must say the same.

        Raises:
            AssertionError: Two copies of one request were answered differently.
        """
        while True:
            copies = [
                asyncio.create_task(self._carry_request(path, body, headers))
                for _ in range(self._chance.randint(1, 3))
            ]
            prompt, late = copies[0], copies[1:]
            answers = [each for each in await asyncio.gather(prompt, *late) if each is not None]
            if answers:
                done = [each for each in answers if each.status < 300] or answers
                for other in answers:
                    if done[0].status < 300 and _is_under_way(other):
                        continue
                    assert _take_essence(done[0]) == _take_essence(other), (path, body, answers)
                self._remember(path, body, headers, done[0])
                return done[0]

    async def wait_for_arrivals(self) -> None:
        """Wait until no request is under way; late copies must get the first answer again.

        Raises:
            AssertionError: A late copy got another answer.
        """
        for task, said in self._under_way:
            told = await task
            assert told is None or said == _take_essence(told), (said, told)
        self._under_way.clear()

    def _remember(
        self, path: str, body: Any, headers: Mapping[str, str], answer: CrowdAnswer
    ) -> None:
        """Sometimes send one more copy, which arrives after the client has continued."""
        if self._chance.random() < _ODDS_LATE:
            wait = self._chance.uniform(0, _LATE)
            task = asyncio.create_task(self._carry_request(path, body, headers, wait))
            self._under_way.append((task, _take_essence(answer)))

    async def _carry_request(
        self, path: str, body: Any, headers: Mapping[str, str], wait: float = 0.0
    ) -> CrowdAnswer | None:
        """The answer; None if it was lost on its way."""
        self.carried += 1
        forgotten = self._chance.random() < _ODDS_FORGOTTEN
        wire = CrowdConnection(self._chance.choice(self._ports))
        await asyncio.sleep(wait or self._chance.uniform(0, 0.02))
        try:
            if forgotten:
                await wire.send_request("POST", path, body, **headers)
                return None
            return await wire.ask("POST", path, body, **headers)
        finally:
            await wire.close()


def _is_under_way(told: CrowdAnswer) -> bool:
    """Whether a copy was refused because its twin is being processed elsewhere."""
    return (503, "STORE_BUSY") == (told.status, told.body.get("code"))


def _take_essence(told: CrowdAnswer) -> Any:
    """What copies of one request must have in common."""
    body = told.body
    if told.status == 201:
        # The run, which may have changed since.
        return told.status, body.get("run") or body.get("run_id")
    if told.status != 200:
        return told.status, body["code"]
    if "result" in body:
        # The gate says whether the answer is repeated.
        return told.status, {**body["result"], "replayed": True}
    return told.status, body
