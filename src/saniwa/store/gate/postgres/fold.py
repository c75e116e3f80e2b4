"""Where a run in a PostgreSQL database stands, kept up with what is added."""

from threading import Lock

import msgspec

from saniwa.process.record import Entry, seal
from saniwa.process.standing import Standing
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.chain import Chain, Link
from saniwa.store.gate.postgres import shape as sql
from saniwa.store.gate.postgres.line import Line
from saniwa.store.gate.postgres.reading import pages

SOON = 1000
"""After so many entries, where a run stands is written down anew."""

_ENCODE = msgspec.json.Encoder().encode
_STANDING = msgspec.json.Decoder(Standing)


class Fold:
    """Where a run stands, moved on by whatever was added since; shared by threads."""

    def __init__(self, run_id: str, place: str) -> None:
        self.chain = Chain(run_id, place)
        self.lock = Lock()
        self.place = place
        self._run_id = run_id
        self._standing: Standing | None = None
        self._written = 0

    @property
    def standing(self) -> Standing:
        """Where the run stands."""
        assert self._standing is not None, "caught up before it is asked"
        return self._standing

    def catch_up(self, line: Line) -> bool:
        """Take in what was added since; False if there is no such run.

        Raises:
            StoreError: `TRACE_CORRUPT`; the server cannot be asked.
        """
        if self._standing is None:
            self._recall(line)
        known = False
        for end, link in pages(line.ask, self._run_id, self.chain.number):
            known = True
            if link is None:
                self.chain.end(*end)
            else:
                self.take(link)
        return known

    def take(self, link: Link) -> Entry:
        """Move on by one entry.

        Raises:
            StoreError: `TRACE_CORRUPT`.
        """
        entry = self.chain.follow(link)
        try:
            self._standing = gate_entry.fold(self._standing, self._run_id, entry)
        except ValueError as problem:
            self.chain.wrong(link.number, str(problem))
        return entry

    def write_down(self, line: Line) -> None:
        """Keep where the run stands, where reading it anew would have become long.

        Raises:
            StoreError: The server cannot be asked.
        """
        if self.chain.number - self._written < SOON:
            return
        body = _ENCODE(self.standing)
        values = {
            "run": self._run_id,
            "number": self.chain.number,
            "seal": seal(self.chain.seal, body),
            "standing": body,
        }
        line.ask(sql.REMEMBER, values, "TRACE_UNWRITABLE")
        self._written = self.chain.number

    def _recall(self, line: Line) -> None:
        for number, before, sealed, body in line.ask(
            sql.SNAPSHOT, {"run": self._run_id}
        ):
            # What does not fit the entry it was made at is of no use: the entries
            # themselves are read instead, from the first.
            if seal(before, body) != sealed:
                continue
            try:
                self._standing = _STANDING.decode(body)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            self.chain.number, self.chain.seal = number, before
            self._written = number
