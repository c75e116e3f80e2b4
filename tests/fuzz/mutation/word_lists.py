"""Texts and values that are difficult for any reader."""

from typing import Any

_TEXTS = tuple(
    each.encode("utf-8", "surrogatepass")
    for each in (
        *("\x00", "\x1b[31m", "\x1b]0;x\x07", "\x7f", "\x9b1m", "\r", "\r\n", "\n\n"),
        *("\ufeff", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\u202e", "\u200b"),
        *("\ud800", "\udfff", "\uffff", "𝒳", "👩‍👩‍👧", "é", "e\u0301", "が", "か\u3099"),
        *("ｶﾞ", "İ", "ß", "ﬀ", "１", "²", "٣", "\u3000", "。", "「", "』", "ー"),
        *("NaN", "Infinity", "-0", "1e400", "-1e999", "1" * 400, "0x10", "1_0", "012"),
        *("null", "true", "~", "on", "2026-01-01", "12:30:45", ".inf", "=", "1e5"),
        *("&a ", "*a", "<<: *a", "&a [*a, *a]", "!!python/object:os.x ", "!x ", "? "),
        *("---\n", "...\n", "%YAML 9.9\n", "|\n ", ">-\n ", "- ", ": ", "# ", "\t"),
        *("[", "]", "{", "}", '"', "'", "\\", "\\u", "\\ud800", "\\x", "\\/", ",", ";"),
        *("{{", "}}", "{0}", "%s", "${x}", "$(x)", "`", "<script>", "<!--", "-->"),
        *("../", "/etc/passwd", "C:\\x", "\\\\x\\y", ".", "..", "~/x", "CON", "file:"),
        *("a" * 300, "\n" * 50, "  " * 40, "-1", "0", "1", "9223372036854775808"),
        *("__proto__", "__class__", "toString", "op", "id", "key", "type", "version"),
    )
)
WORDS: tuple[bytes, ...] = (
    *_TEXTS,
    *(b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe3\x81", b"\xfe\xff"),
)
"""Tokens that are put into any bytes."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.5, -0.0, 1e308, 10**19, -(10**30), 10**400),
    *(float("nan"), float("inf"), "", " ", "x", "\x1b[31m", "\x00", "\ud800", "é"),
    *("\u2028", "\r", "a" * 400, "../x", "/etc/passwd", "*", "1", "true", "null"),
    *("か\u3099", "が", "{x}", "{{x}}", "%s", "a.b", "a b", "-", "#", "2026-01-01"),
    *([], {}, [[]], [{}], {"": ""}, [None], {"x": None}, [1, "x", None], {"\x1b": 1}),
)
"""Values that are put into any document."""
