"""How many findings there are, in words and for machines; shared by every check."""

from collections.abc import Sequence

from saniwa.core.finding import Finding, Severity

_KINDS: tuple[Severity, ...] = ("error", "warning", "note")


def counts(finding: Finding, strict: bool) -> bool:
    """Whether a finding makes a check fail."""
    return finding.severity == "error" or (strict and finding.severity == "warning")


def counted(number: int, word: str) -> str:
    """A number of something: `1 file`, `2 files`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def tally(found: Sequence[Finding]) -> str:
    """All kinds of findings, counted: `1 error, 0 warnings, 2 notes`."""
    return ", ".join(counted(_number(found, kind), kind) for kind in _KINDS)


def tallied(found: Sequence[Finding]) -> dict[str, int]:
    """The same for machines: `error_count` and so on."""
    return {f"{kind}_count": _number(found, kind) for kind in _KINDS}


def _number(found: Sequence[Finding], severity: Severity) -> int:
    return sum(each.severity == severity for each in found)
