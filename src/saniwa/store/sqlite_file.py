"""One of Saniwa's SQLite files: opened or created, identified, synced, never half written.

Several processes may share it; each sees what others wrote once it is durable. SQLite's
errors are translated to store errors.
"""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import quote

from saniwa.core import atomic_files
from saniwa.core.errors import StoreError
from saniwa.core.path_checks import does_path_exist, is_file
from saniwa.core.redaction import redact_place
from saniwa.store import storage_errors
from saniwa.store.group_commit import GroupCommit, SqliteTransaction


def make_sqlite_error(code: str, problem: Exception, place: str) -> StoreError:
    """Translate a SQLite error; `code` applies if SQLite does not say more."""
    number = getattr(problem, "sqlite_errorcode", 0)
    known = _KNOWN_ERRORS.get(number) or _KNOWN_ERRORS.get(number & 0xFF)
    code, hint = known or (code, "check the file and its folder")
    return StoreError(
        code,
        f"the store failed: {problem}",
        where=place,
        hint=hint,
        recoverable=code == "STORE_BUSY",
        details={"sqlite": getattr(problem, "sqlite_errorname", "")},
    )


_BUSY: Final = ("STORE_BUSY", "another process is writing; try again")
_FULL: Final = (
    "TRACE_UNWRITABLE",
    "free disk space or make the file writable; nothing of this turn was saved",
)
_KNOWN_ERRORS: Final = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: _FULL,
    sqlite3.SQLITE_IOERR_WRITE: _FULL,
    sqlite3.SQLITE_IOERR_FSYNC: (
        "TRACE_UNWRITABLE",
        "repair the disk and start again; everything acknowledged before is saved",
    ),
    # Even reading needs disk space: SQLite keeps an index of its log beside the file.
    sqlite3.SQLITE_IOERR_SHMSIZE: _FULL,
    sqlite3.SQLITE_CORRUPT: ("TRACE_CORRUPT", "restore the file from a backup"),
    sqlite3.SQLITE_NOTADB: ("STORE_UNREADABLE", "this is not a Saniwa store; use another file"),
    # Only opening a file is limited; see `_limit_steps`.
    sqlite3.SQLITE_INTERRUPT: (
        "STORE_UNREADABLE",
        "this is not a Saniwa store: its schema is too large; use another file",
    ),
    sqlite3.SQLITE_CANTOPEN: ("STORE_UNREADABLE", "check the path; `saniwa play` creates it"),
}
"""What SQLite's errors mean; for the others the current operation decides."""


BUSY_TIMEOUT = 5.0
"""Seconds to wait for another process that is writing."""

T = TypeVar("T")
_EMPTY = (0, 0, 0)
_MOST_TRIES = 1000
_URI_MODES = {"create": "rwc", "existing": "rw", "read": "ro"}


SqlParameters = Mapping[str, Any] | Sequence[Any]
"""The values of a statement's parameters, by name or in order."""


class SqliteFileSchema(NamedTuple):
    """How a file identifies itself, and the tables created in an empty one."""

    mark: int
    """SQLite's application id of such files."""
    version: int
    """The version of the tables; a file of a later version is not opened."""
    tables: tuple[str, ...]
    """The statements that create them."""
    holds: str
    """What is in such a file, in words for messages."""


_FILE_MODE: Final = 0o644
"""The mode with which SQLite creates its files."""


def _is_empty_file(path: Path) -> bool:
    """Whether a file exists and is empty."""
    with suppress(OSError):
        return path.is_file() and path.stat().st_size == 0
    return False


def _is_truncated(path: Path, page: int) -> bool:
    """Whether a file ends within a page and has no log that could complete it."""
    with suppress(OSError):
        torn = path.stat().st_size % page
        # Checked second: a process killed while it moves a page from the log to the
        # file leaves both.
        log = path.with_name(f"{path.name}-wal")
        return bool(torn) and not (log.exists() and log.stat().st_size > 0)
    return False


def _make_file(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Create a file and give it its name, durably, unless another process was first.

    If this fails, nothing remains, and the code that opens the file reports why, or
    creates the file in place, on a file system without hard links.
    """
    with (
        suppress(OSError, sqlite3.Error),
        atomic_files.open_pending_file(path.parent, _FILE_MODE) as new,
    ):
        # Closing a file gives up the locks that SQLite has on it under any other name.
        new.file.close()
        temporary = path.with_name(new.name)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as made:
            fill(made)
        os.link(temporary, path)
        atomic_files.sync_folder(path.parent)


MOST_STEPS: Final = 200_000
"""Most steps of SQLite's machine for opening a file; ours take a few hundred.
"""
LONGEST_STATEMENT: Final = 100_000
"""Most characters of a statement, those of the schema included."""
LARGEST_VALUE: Final = 256 * 1024 * 1024
"""Most bytes of one value in a file."""
_STEPS_PER_CALL: Final = 1_000
_SELECT_SCHEMA: Final = """
SELECT type, IFNULL(name, ''), tbl_name, IFNULL(rootpage, 0), IFNULL(sql, '') FROM sqlite_schema
"""


def _restrict_connection(connection: sqlite3.Connection) -> None:
    """Keep a file's schema from calling functions, and limit sizes."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


@contextmanager
def _limit_steps(connection: sqlite3.Connection) -> Iterator[None]:
    """Interrupt queries inside the block after `MOST_STEPS` steps."""
    left = MOST_STEPS // _STEPS_PER_CALL

    def count() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(count, _STEPS_PER_CALL)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def _find_schema_fault(connection: sqlite3.Connection, statements: tuple[str, ...]) -> str:
    """Say what is wrong with the schema of a file; empty if nothing is.

    The tables must be those that the statements create, without further indexes. Other
    ordinary tables, such as those of a backup program, are never queried and may stay.

    Raises:
        sqlite3.Error: The schema cannot be read.
    """
    expected = _build_expected_schema(statements)
    missing = set(expected)
    for kind, name, table, page, sql in connection.execute(_SELECT_SCHEMA):
        if kind not in ("table", "index") or (kind == "table" and not page):
            return f"it has the {'virtual table' if kind == 'table' else kind} {name!r}"
        wanted = expected.get(name)
        if wanted is None and kind == "index" and sql:
            return f"it has the index {name!r}"
        if wanted not in (None, (kind, table, " ".join(sql.split()))):
            return f"the {kind} {name!r} has another schema"
        missing.discard(name)
    return f"the table {min(missing)!r} is missing" if missing else ""


@cache
def _build_expected_schema(statements: tuple[str, ...]) -> dict[str, tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as made:
        for statement in statements:
            made.execute(statement)
        rows = made.execute(_SELECT_SCHEMA).fetchall()
    return {name: (kind, table, " ".join(sql.split())) for kind, name, table, _, sql in rows}


class SqliteFile:
    """An open file of one schema."""

    def __init__(
        self,
        path: Path | str,
        shape: SqliteFileSchema,
        *,
        mode: storage_errors.OpenMode = "create",
        patience: float = BUSY_TIMEOUT,
        together: bool = False,
    ) -> None:
        """Open the file, or create it.

        Args:
            path: The file.
            shape: The schema it must have.
            mode: `create` creates a missing file; `existing` and `read` refuse, and
                `read` never writes. Neither does `existing` if no file can be created
                in the folder.
            patience: Seconds to wait for another process that is writing.
            together: Whether writes that `commit` waits for share a sync, which is
                done in a thread: for a server.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `STORE_BUSY`,
                `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        self.place = redact_place(path)
        self._path = Path(path).absolute()
        self._shape = shape
        # None until prepared: the file may not exist yet.
        self._file: tuple[int, int] | None = None
        # One connection for all threads: no other thread may see into a transaction.
        self._lock = RLock()
        self._group: GroupCommit | None = None
        # Before SQLite opens the file: it would delete the log beside an empty one.
        if _is_empty_file(self._path):
            raise self._make_foreign_error("it is empty", "restore it from a backup, or remove it")
        if mode == "create" and not does_path_exist(self._path):
            _make_file(self._path, self._fill_new_file)
        self._open = self._connect(mode, patience)
        self._transaction = SqliteTransaction(self._open, self._lock)
        try:
            with _limit_steps(self._open):
                self._prepare(makes=mode == "create")
            self._file = _identify_file(self._path)
            if together:
                # Reads do not wait for a sync, and do not see what it is to make durable.
                writer = self._connect("existing", patience)
                self._transaction = SqliteTransaction(writer, Lock())
                with _limit_steps(writer), self._translate_errors("STORE_UNREADABLE"):
                    writer.execute("PRAGMA synchronous = FULL")
        except BaseException:
            self.close()
            raise

    def query(self, question: str, values: SqlParameters = ()) -> list[Any]:
        """Return the rows of a query; in a transaction, as it has left them so far.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_BUSY`, `TRACE_CORRUPT`.
        """
        if self._transaction.is_open_here:
            with self._translate_errors("STORE_UNREADABLE"):
                return self.execute(question, values).fetchall()
        with self._lock, self._translate_errors("STORE_UNREADABLE"):
            rows = self._open.execute(question, values).fetchall()
        self._check_in_place()
        return rows

    def execute(self, statement: str, values: SqlParameters = ()) -> sqlite3.Cursor:
        """Execute a statement in `begin_transaction`, which translates its errors."""
        return self._transaction.connection.execute(statement, values)

    @contextmanager
    def begin_transaction(self) -> Iterator[None]:
        """Make everything written inside the block durable at its end, or nothing.

        In a block that `commit` calls, it becomes durable with everything else there.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_BUSY`, `TRACE_CORRUPT`;
                `STORE_UNREADABLE` if another file, or none, is now at its path.
        """
        # Not `_translate_errors`: another generator costs 5 % of a small write.
        try:
            with self._transaction:
                yield
        except (sqlite3.Error, UnicodeError) as problem:
            raise self._make_error("TRACE_UNWRITABLE", problem) from problem
        if not self._transaction.is_open_here:
            self._check_in_place()

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write` and return its result once everything it wrote is durable.

        Raises:
            StoreError: As `begin_transaction` does; nothing was written.
            Exception: Any error of `write`; nothing of it was written.
        """
        if self._transaction.connection is self._open:
            with self.begin_transaction():
                return write()
        loop = asyncio.get_running_loop()
        if self._group is None or self._group.loop is not loop:
            self._group = GroupCommit(self._transaction, loop)
        with self._translate_errors("TRACE_UNWRITABLE"):
            done = await self._group.commit(write)
        self._check_in_place()
        return done

    def close(self) -> None:
        """Close the file; everything acknowledged is in it."""
        self._transaction.close()
        self._open.close()

    def _connect(self, mode: storage_errors.OpenMode, patience: float) -> sqlite3.Connection:
        with self._translate_errors("STORE_UNREADABLE"):
            made = sqlite3.connect(
                _build_uri(self._path, mode),
                uri=True,
                isolation_level=None,
                timeout=patience,
                check_same_thread=False,
            )
        try:
            with self._translate_errors("STORE_UNREADABLE"):
                _restrict_connection(made)
        except BaseException:
            made.close()
            raise
        return made

    def _check_in_place(self) -> None:
        """Check that the next process to open the path finds this file.

        Checked last, before anything is acknowledged: data that is only in a file that
        was moved away is lost with this process.
        """
        if self._file not in (None, _identify_file(self._path)):
            raise self._make_file_error(
                "STORE_UNREADABLE",
                "the file was moved, removed or replaced while it was open",
                "restore it, or start again with the file that is there now",
            )

    def _prepare(self, *, makes: bool) -> None:
        found = self._read_identity()
        if found == _EMPTY and makes:
            found = self._make_tables()
        mark, version, _ = found
        if found == _EMPTY:
            raise self._make_foreign_error("it is empty")
        if mark != self._shape.mark:
            raise self._make_foreign_error("it is the database of another program")
        shape = self._shape
        storage_errors.check_schema_version(
            version, shape.version, f"file of {shape.holds}", self.place
        )
        with self._lock, self._translate_errors("STORE_UNREADABLE"):
            # A file from a stranger may have a view in place of a table, and a view can
            # run forever. SQLite reads missing bytes of the last page as 0.
            fault = _find_schema_fault(self._open, self._shape.tables)
            (page,) = self._open.execute("PRAGMA page_size").fetchone()
            self._open.execute("PRAGMA synchronous = FULL")
        if fault:
            raise self._make_foreign_error(fault)
        if _is_truncated(self._path, page):
            why = "the file ends in the middle of a page"
            raise self._make_file_error("TRACE_CORRUPT", why, "restore the file from a backup")

    def _make_tables(self) -> tuple[int, int, int]:
        tries = _MOST_TRIES
        while not self._enable_wal(last=tries == 0):
            # SQLite does not wait for other processes when it changes the journal mode;
            # it does wait for a write lock.
            with self.begin_transaction():
                tries -= 1
        with self.begin_transaction():
            # Another process may have created the tables between our check and our
            # lock.
            if self._read_header() == _EMPTY:
                self._create_tables(self._open)
            return self._read_header()

    def _fill_new_file(self, made: sqlite3.Connection) -> None:
        """Set up a new file that no other process knows of yet."""
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("PRAGMA synchronous = FULL")
        made.execute("BEGIN")
        self._create_tables(made)
        made.execute("COMMIT")

    def _create_tables(self, made: sqlite3.Connection) -> None:
        for table in self._shape.tables:
            made.execute(table)
        made.execute(f"PRAGMA application_id = {self._shape.mark}")
        made.execute(f"PRAGMA user_version = {self._shape.version}")

    def _enable_wal(self, *, last: bool) -> bool:
        """Switch to a write-ahead log; False while another process prevents it."""
        try:
            self._open.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as problem:
            error = self._make_error("TRACE_UNWRITABLE", problem)
            if last or error.code != "STORE_BUSY":
                raise error from problem
            return False
        return True

    def _read_identity(self) -> tuple[int, int, int]:
        """Read application id, version and number of tables, all from one moment."""
        with self._lock, self._translate_errors("STORE_UNREADABLE"):
            self._open.execute("BEGIN")
            try:
                return self._read_header()
            finally:
                if self._open.in_transaction:
                    self._open.execute("ROLLBACK")

    def _read_header(self) -> tuple[int, int, int]:
        (mark,) = self._open.execute("PRAGMA application_id").fetchone()
        (version,) = self._open.execute("PRAGMA user_version").fetchone()
        (tables,) = self._open.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
        return mark, version, tables

    @contextmanager
    def _translate_errors(self, code: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeError) as problem:
            raise self._make_error(code, problem) from problem

    def _make_error(self, code: str, problem: Exception) -> StoreError:
        refused = getattr(problem, "sqlite_errorcode", 0) == sqlite3.SQLITE_CANTOPEN
        if refused and is_file(self._path) and not _is_writable(self._path.parent):
            return self._make_file_error(
                "TRACE_UNWRITABLE",
                f"opening the store needs write access to its folder: {problem}",
                "make the folder writable, or copy the file and its '-wal' to a writable folder",
                sqlite=getattr(problem, "sqlite_errorname", ""),
            )
        return make_sqlite_error(code, problem, self.place)

    def _make_foreign_error(self, why: str, cure: str = "") -> StoreError:
        return storage_errors.make_foreign_error(
            f"file of {self._shape.holds}", why, self.place, cure
        )

    def _make_file_error(self, code: str, message: str, hint: str, **details: Any) -> StoreError:
        return StoreError(code, message, where=self.place, hint=hint, details=details)


def _identify_file(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the file at a path; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _build_uri(path: Path, mode: str) -> str:
    """Build the URI that tells SQLite how to open a file.

    If nothing can be created next to the file, SQLite cannot open a log. A file without
    a log is complete by itself and is opened read-only. If there is a log, it is
    needed, and SQLite has to decide whether it can read it without creating anything.
    """
    settled = is_file(path) and not does_path_exist(path.with_name(f"{path.name}-wal"))
    if mode != "create" and settled and not _is_writable(path.parent):
        return f"file:{quote(str(path))}?mode=ro&immutable=1"
    return f"file:{quote(str(path))}?mode={_URI_MODES[mode]}"


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
