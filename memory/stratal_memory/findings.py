"""What a look at the health of memory comes to: findings, each with how to mend it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


ORDER = tuple(Severity)


class Rule(StrEnum):
    """What was looked for."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    STALE = "stale"
    ORPHAN = "orphaned evidence"
    UNPROVEN = "no evidence"
    NEVER_RECALLED = "never recalled"
    NEVER_USED = "never used"
    JUNK = "junk"
    SECRET = "secret"
    DRIFT = "index drift"
    ERASE = "unfinished erase"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be; `fix` is the command that mends it."""

    rule: Rule
    severity: Severity
    id: str  # of a memory; empty when it is about the store
    message: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What was looked at and found, worst first."""

    facts: int
    junk_rate: float  # 0..1, of the facts
    findings: tuple[Finding, ...]

    def at_least(self, severity: Severity) -> int:
        """How many findings are as bad as `severity`, or worse."""
        bad = ORDER[: ORDER.index(severity) + 1]
        return sum(finding.severity in bad for finding in self.findings)


def finding(rule: Rule, severity: Severity, id: str, message: str, fix: str) -> Finding:
    """A finding, by its place."""
    return Finding(rule=rule, severity=severity, id=id, message=message, fix=fix)
