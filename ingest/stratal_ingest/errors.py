"""Every reason a document is refused; a class name is the refusal type in the report.

StratalError
├── DocumentError            one document could not be read; the run goes on
│   ├── EmptyDocument        nothing to read: no bytes, only blanks, or a PDF without a text layer
│   ├── UnsupportedFormat    no reader for what the bytes are
│   ├── CorruptDocument      the bytes are not what they claim to be, or the parser crashed on them
│   ├── EncryptedDocument    a password is needed
│   ├── LimitExceeded        too large, too slow, or too much memory
│   ├── UnreadableFile       the operating system would not hand the bytes over
│   ├── UrlRefused           a URL that is never fetched: not public, not http, not 80 or 443
│   └── FetchFailed          the server of a URL did not answer as it should
└── SandboxError             the parser process can't be started; no document can be read
"""

from stratal_memory.errors import StratalError


class DocumentError(StratalError):
    """One document could not be read."""


class EmptyDocument(DocumentError):
    """There is no text in it."""


class UnsupportedFormat(DocumentError):
    """No reader knows this kind of file."""


class CorruptDocument(DocumentError):
    """The bytes are not what they claim to be."""


class EncryptedDocument(DocumentError):
    """It can't be read without a password."""


class LimitExceeded(DocumentError):
    """Reading it would take more bytes, seconds or memory than one document may."""


class UnreadableFile(DocumentError):
    """It exists, and the operating system would not let it be read."""


class UrlRefused(DocumentError):
    """A URL that is never fetched; nothing was connected to."""


class FetchFailed(DocumentError):
    """The server of a URL can't be reached, or did not answer as it should."""


class SandboxError(StratalError):
    """The process that parses documents can't be started: no document's fault."""


def reason(message: str, hint: str) -> str:
    """What was wrong, and what to do next, as sentences of their own.

    >>> reason("it has no end", "Cut it.")
    'it has no end. Cut it.'
    """
    end = "" if not hint or message.endswith((".", "!", "?", ":")) else "."
    return f"{message}{end} {hint}".strip()


REFUSALS: dict[str, type[DocumentError]] = {
    kind.__name__: kind
    for kind in (
        EmptyDocument,
        UnsupportedFormat,
        CorruptDocument,
        EncryptedDocument,
        LimitExceeded,
        UnreadableFile,
        UrlRefused,
        FetchFailed,
    )
}
