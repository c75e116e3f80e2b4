"""A story in other languages: the front door to its texts, tables and translations."""

from saniwa.script.desk.translating.merging import merged, standing
from saniwa.script.desk.translating.table import (
    COLUMNS,
    Row,
    Table,
    check_link,
    read_content,
    read_table,
    table_bytes,
    table_in,
    table_of,
)
from saniwa.script.desk.translating.texts import Told, told
from saniwa.script.desk.translating.translation import translated, translated_story

__all__ = [
    "COLUMNS",
    "Row",
    "Table",
    "Told",
    "check_link",
    "merged",
    "read_content",
    "read_table",
    "standing",
    "table_bytes",
    "table_in",
    "table_of",
    "told",
    "translated",
    "translated_story",
]
