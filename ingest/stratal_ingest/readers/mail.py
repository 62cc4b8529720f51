"""EML: who wrote what to whom, and the files that came with it."""

import binascii
import email
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email.message import Message

from stratal_ingest.document import Block, Enclosed, ReadDocument, Refusal
from stratal_ingest.errors import EncryptedDocument
from stratal_ingest.readers.encoding import decode, looks_binary, marked
from stratal_ingest.readers.hypertext import decode_page, read_page
from stratal_ingest.readers.mail_text import (
    charset_of,
    file_name,
    header,
    parameter,
    payload,
    text_in,
    unflowed,
)
from stratal_ingest.readers.plain import paragraphs

HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")  # what a reader of mail is shown
_HEAD = 1_000  # bytes in which no mail has a NUL
_STUB, _TIMES = 300, 5  # a plain text below so many characters, so many times shorter than HTML
_SEALED = frozenset({"multipart/encrypted", "application/pgp-encrypted"})
_ENVELOPE = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_NO_FILE = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
    | {"message/delivery-status", "message/disposition-notification", "text/rfc822-headers"}
)
_LOOKS = frozenset({"text/css", "text/javascript", "application/javascript"})
_ENDINGS = {"text/plain": "txt", "text/html": "html", "text/calendar": "ics", "text/csv": "csv"}


class MailReader:
    """Reads one mail, also one saved by a browser (MHT)."""

    formats = ("eml",)
    libraries = ("email.parser", "selectolax.lexbor", "charset_normalizer")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The headers, then the best body, under the subject; attachments are enclosed."""
        if data.startswith(b"From "):
            data = data.partition(b"\n")[2]
        if marked(data) or (b"\0" in data[:_HEAD] and not looks_binary(data)):
            data = decode(data).encode("utf-8", "replace")  # saved by an editor as UTF-16
        message = email.message_from_bytes(data.lstrip(b"\xef\xbb\xbf\r\n"))
        found = _Found()
        _walk(message, found)
        body = tuple(found.blocks())
        if not body and found.sealed:
            raise EncryptedDocument("the mail is encrypted", hint="Save it decrypted.")
        subject = header(message, "Subject")
        return mail_document(
            {name: header(message, name) for name in HEADERS},
            body,
            tuple(replace(file, name=file.name or subject) for file in found.enclosed),
        )


def mail_document(
    headers: dict[str, str], body: tuple[Block, ...], enclosed: tuple[Enclosed, ...]
) -> ReadDocument:
    """The document of a mail: its headers as the first block, all under its subject."""
    subject = headers.get("Subject", "")
    lines = "\n".join(f"{name}: {value}" for name, value in headers.items() if value)
    path = (subject,) if subject else ()
    blocks = (Block(text=lines), *body)
    return ReadDocument(
        format="eml",
        title=subject,
        blocks=tuple(replace(block, heading=path + block.heading) for block in blocks),
        enclosed=enclosed,
    )


def plain_blocks(text: str) -> tuple[Block, ...]:
    """One block a paragraph."""
    return tuple(Block(text=part) for part in paragraphs(text))


def better(plain: tuple[Block, ...], html: tuple[Block, ...]) -> tuple[Block, ...]:
    """The plain text, unless it is empty or only says that there is an HTML text."""
    length, longer = (sum(len(block.text) for block in blocks) for blocks in (plain, html))
    stub = not length or (length < _STUB and longer > _TIMES * length)
    return html if stub and longer else plain


@dataclass(slots=True)
class _Found:
    """What was met on the way through a mail's parts."""

    texts: list[tuple[Block, ...]] = field(default_factory=list)
    enclosed: list[Enclosed] = field(default_factory=list)
    sealed: bool = False

    def blocks(self) -> Iterator[Block]:
        for text in self.texts:
            yield from text


def _walk(part: Message, found: _Found) -> None:
    kind = part.get_content_type()
    if kind in _SEALED or (kind in _ENVELOPE and parameter(part, "smime-type") != "signed-data"):
        found.sealed = True
    elif kind in _NO_FILE:
        return
    elif kind in {"message/rfc822", "message/global"}:
        found.enclosed.append(_mail_inside(part))
    elif part.is_multipart():
        _walk_parts(part, kind, found)
    elif _is_body(part, kind):
        found.texts.append(_text(part, kind))
    elif not _is_decoration(part):
        found.enclosed.append(Enclosed(name=_name(part, kind), data=payload(part)))


def _walk_parts(part: Message, kind: str, found: _Found) -> None:
    children = [child for child in part.get_payload() if isinstance(child, Message)]
    if kind != "multipart/alternative":
        for child in children:
            _walk(child, found)
        return
    versions: dict[str, tuple[Block, ...]] = {}
    for child in children:
        inner = _Found()
        _walk(child, inner)
        found.enclosed += inner.enclosed
        found.sealed = found.sealed or inner.sealed
        kind = "plain" if child.get_content_type() == "text/plain" else "html"
        versions[kind] = tuple(inner.blocks()) or versions.get(kind, ())
    found.texts.append(better(versions.get("plain", ()), versions.get("html", ())))


def _is_body(part: Message, kind: str) -> bool:
    if part.get_content_disposition() == "attachment" or file_name(part):
        return False
    return kind in {"text/plain", "text/html", "text/enriched"} or kind.startswith("multipart/")


def _is_decoration(part: Message) -> bool:
    """What only makes the text look as it does, not a file somebody sent; or an empty part."""
    if part.get_content_disposition() == "attachment":
        return not payload(part)
    shown = part.get("Content-ID") or part.get("Content-Location")
    picture = part.get_content_maintype() in {"image", "font"} and shown
    return bool(picture) or part.get_content_type() in _LOOKS or not payload(part)


def _text(part: Message, kind: str) -> tuple[Block, ...]:
    data, charset = payload(part), charset_of(part)
    if kind == "text/html":
        return read_page(text_in(data, charset) if charset else decode_page(data)).blocks
    text = text_in(data, charset)
    if parameter(part, "format") == "flowed":
        text = unflowed(text, delete_space=parameter(part, "delsp") == "yes")
    return plain_blocks(text)


def _name(part: Message, kind: str) -> str:
    name = file_name(part)
    if name:
        return name
    place = header(part, "Content-Location").rpartition("/")[2]
    return place or f"attachment.{_ENDINGS.get(kind, kind.rpartition('/')[2])}"


def _mail_inside(part: Message) -> Enclosed:
    """A forwarded mail, as bytes again: it is read by itself."""
    inner = part.get_payload()
    message = inner[0] if isinstance(inner, list) and inner else None
    if not isinstance(message, Message):
        refusal = Refusal(type="CorruptDocument", message="the mail inside has no bytes")
        return Enclosed(name=file_name(part) or "message.eml", refusal=refusal)
    subject = header(message, "Subject")
    name = file_name(part) or f"{subject or 'message'}.eml"
    try:
        return Enclosed(name=name, data=_bytes_of(part, message))
    except (ValueError, LookupError, TypeError, AttributeError, KeyError) as error:
        message_text = f"the mail inside can't be taken out: {type(error).__name__}"
        return Enclosed(name=name, refusal=Refusal(type="CorruptDocument", message=message_text))


def _bytes_of(part: Message, message: Message) -> bytes:
    if header(part, "Content-Transfer-Encoding").lower() == "base64":
        text = message.get_payload()
        try:
            return b64decode(str(text)) if isinstance(text, str) else message.as_bytes()
        except binascii.Error:
            return message.as_bytes()
    return message.as_bytes()
