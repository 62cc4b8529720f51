"""Every error Stratal raises on purpose. Each says what was wrong, the number, and the fix.

StratalError
├── ConfigError              the settings are wrong; the user can fix them
├── InputError               what was given can't be taken: too large, empty, not text
│   └── ScopeError           a scope or principal is missing, malformed, or would mean "all"
├── AccessDenied             the scope exists and belongs to somebody else
├── NotFound                 no such record inside the caller's scopes
├── StorageError             the truth could not be read or written
│   ├── StorageFull          no room on the disk; nothing acknowledged was lost
│   ├── DataDirectoryBusy    another process holds the data directory for maintenance
│   └── SchemaTooNew         the data directory was written by a newer Stratal
├── EmbeddingError           no usable embedding model, or it failed
│   └── ModelHashMismatch    the model's file is not the one that was pinned
├── IndexDamaged             the derived index is wrong; it is quarantined and can be rebuilt
├── UndoRefused              later writes touched the same keys
├── ConsolidationBusy        another process works on this user's run now
├── LeaseLost                a run was taken up by another process meanwhile
├── SpendCap                 what may be spent at models today is spent
├── DocumentError            one document could not be read (see stratal_ingest)
├── SkillError               one skill could not be read (see stratal_procedures)
└── ProviderError, ContextBudgetError, ...   see stratal.errors
"""

from collections.abc import Sequence


class StratalError(Exception):
    """The root of every error Stratal raises on purpose.

    `hint` says what to do next, in one sentence for a person; empty when the message says it.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ConfigError(StratalError):
    """The settings are wrong."""


class InputError(StratalError):
    """What was given can't be taken as it is."""


class ScopeError(InputError):
    """A scope or a principal is missing, malformed, or would mean "everything"."""


class AccessDenied(StratalError):
    """The scope exists and belongs to somebody else."""


class NotFound(StratalError):
    """No such record inside the caller's scopes."""


class StorageError(StratalError):
    """The truth could not be read or written."""


class StorageFull(StorageError):
    """The disk is full; what was acknowledged before is safe."""


class DataDirectoryBusy(StorageError):
    """Another process holds the data directory."""

    def __init__(self, message: str, *, holders: Sequence[str], hint: str = "") -> None:
        """`holders` describes each process in the way: its pid, command and since when."""
        super().__init__(message, hint=hint)
        self.holders = tuple(holders)


class SchemaTooNew(StorageError):
    """The data directory was written by a newer Stratal."""


class EmbeddingError(StratalError):
    """No usable embedding model, or it failed."""


class ModelHashMismatch(EmbeddingError):
    """A model file is not the one that was pinned; it is not loaded."""


class IndexDamaged(StratalError):
    """The derived index gave a wrong answer; exact search goes on without it."""


class UndoRefused(StratalError):
    """Later writes touched the same keys, so undoing would lose them."""

    def __init__(self, message: str, *, keys: Sequence[str], hint: str = "") -> None:
        """`keys` are the stable keys of the memories that were written later."""
        super().__init__(message, hint=hint)
        self.keys = tuple(keys)


class ConsolidationBusy(StratalError):
    """Another process works on the run of this user and agent."""


class LeaseLost(StratalError):
    """Another process has taken up what this one was working on."""


class SpendCap(StratalError):
    """What may be spent at models for this user today is spent."""
