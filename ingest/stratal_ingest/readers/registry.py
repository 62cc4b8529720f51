"""All readers, and the one door to them."""

from collections.abc import Sequence

from stratal_ingest.document import ReadDocument, cleaned
from stratal_ingest.errors import EmptyDocument, LimitExceeded
from stratal_ingest.limits import Limits
from stratal_ingest.readers.added import added_reader
from stratal_ingest.readers.asciidoc import AsciiDocReader
from stratal_ingest.readers.book import BookReader
from stratal_ingest.readers.delimited import DelimitedReader
from stratal_ingest.readers.enclosing import Apart, Budget, InThisProcess, Opening
from stratal_ingest.readers.formats import format_of, unsupported
from stratal_ingest.readers.hypertext import HypertextReader
from stratal_ingest.readers.json_text import JsonReader
from stratal_ingest.readers.latex import LatexReader
from stratal_ingest.readers.legacy_slides import LegacySlidesReader
from stratal_ingest.readers.legacy_word import LegacyWordReader
from stratal_ingest.readers.mail import MailReader
from stratal_ingest.readers.mail_folder import MailFolderReader
from stratal_ingest.readers.markdown import MarkdownReader
from stratal_ingest.readers.members import TarReader, ZipReader
from stratal_ingest.readers.notebook import NotebookReader
from stratal_ingest.readers.open_document import OpenDocumentReader
from stratal_ingest.readers.org import OrgReader
from stratal_ingest.readers.outlook import OutlookReader
from stratal_ingest.readers.pdf import PdfReader
from stratal_ingest.readers.plain import PlainReader
from stratal_ingest.readers.reader import Reader
from stratal_ingest.readers.restructured import RestructuredReader
from stratal_ingest.readers.rich_text import RichTextReader
from stratal_ingest.readers.slides import SlidesReader
from stratal_ingest.readers.source_code import CodeReader, PythonReader
from stratal_ingest.readers.spreadsheet import SpreadsheetReader
from stratal_ingest.readers.subtitles import SubtitleReader
from stratal_ingest.readers.word import WordReader
from stratal_ingest.readers.xml_text import XmlReader
from stratal_ingest.readers.yaml_text import YamlReader

READERS: Sequence[Reader] = (
    PlainReader(),
    MarkdownReader(),
    HypertextReader(),
    PdfReader(),
    WordReader(),
    DelimitedReader(),
    JsonReader(),
    RestructuredReader(),
    PythonReader(),
    CodeReader(),
    BookReader(),
    MailReader(),
    MailFolderReader(),
    OutlookReader(),
    ZipReader(),
    TarReader(),
    SlidesReader(),
    SpreadsheetReader(),
    OpenDocumentReader(),
    RichTextReader(),
    LegacyWordReader(),
    LegacySlidesReader(),
    NotebookReader(),
    SubtitleReader(),
    YamlReader(),
    XmlReader(),
    OrgReader(),
    AsciiDocReader(),
    LatexReader(),
)
BY_FORMAT: dict[str, Reader] = {format: reader for reader in READERS for format in reader.formats}


_ARCHIVES = frozenset({"zip", "tar"})


def read(
    data: bytes, name: str, *, limits: Limits | None = None, apart: Apart | None = None
) -> ReadDocument:
    """The document in `data`, cleaned, and the files inside it, each read or refused by itself.

    The format is chosen by content, then by `name`, but first of all by what other packages added
    (`added.py`). `apart` runs the reading of a file inside;
    without it that happens here. Raises a `DocumentError` for the document itself. It parses in
    this very process: callers outside of the parser child use `stratal_ingest.sandbox` instead.
    """
    limits = limits or Limits()
    opening = Opening(read=_read_one, limits=limits, apart=apart or InThisProcess(limits))
    return opening.whole(data, name, within=(), budget=Budget.of(limits))


def _read_one(data: bytes, name: str, within: Sequence[str]) -> ReadDocument:
    if not data.strip():
        raise EmptyDocument(f"it has {len(data)} bytes and no text")
    reader = added_reader(name) or _own_reader(data, name, within)
    document = cleaned(reader.read(data, name))
    if not document.blocks and not document.enclosed:
        raise EmptyDocument("there is no text in it")
    return document


def _own_reader(data: bytes, name: str, within: Sequence[str]) -> Reader:
    format = format_of(data, name)
    if format in _ARCHIVES and not _ARCHIVES.isdisjoint(within):
        raise LimitExceeded("it is an archive inside an archive", hint="Unpack the outer one.")
    reader = BY_FORMAT.get(format)
    if reader is None:
        raise unsupported(format.upper())
    return reader
